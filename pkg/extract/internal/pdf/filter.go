package pdf

import (
	"bytes"
	"compress/zlib"
	"errors"
	"io"
)

// maxFilters bounds how often a stream may be packed.
const maxFilters = 4

// unpack returns the bytes of a stream. Filters of pictures are damage: they are never asked for.
func (f *file) unpack(s stream) []byte {
	filters, params := f.filters(s)
	data := s.raw

	for i, filter := range filters {
		switch filter {
		case "FlateDecode", "Fl":
			data = f.predict(f.inflate(data), params[i])
		case "LZWDecode", "LZW":
			early := 1
			if n, ok := f.resolve(params[i]["EarlyChange"]).(int); ok {
				early = n
			}
			data = f.predict(f.lzw(data, early), params[i])
		case "ASCIIHexDecode", "AHx":
			body, _, _ := bytes.Cut(data, []byte(">"))
			data = f.spend(unhex(body))
		case "ASCII85Decode", "A85":
			data = f.spend(ascii85(data))
		case "RunLengthDecode", "RL":
			data = f.runLength(data)
		default:
			damaged("filter that carries no text")
		}
	}

	return data
}

// filters returns the names of the filters of a stream and the parameters of each.
func (f *file) filters(s stream) ([]name, []dict) {
	filter, param := f.resolve(s.dict["Filter"]), f.resolve(s.dict["DecodeParms"])
	switch filter := filter.(type) {
	case nil:
		return nil, nil
	case name:
		if a, ok := param.(array); ok && len(a) > 0 {
			param = a[0]
		}

		return []name{filter}, []dict{f.dict(param)}
	case array:
		if len(filter) > maxFilters {
			damaged("too many filters")
		}
		names, params := make([]name, len(filter)), make([]dict, len(filter))
		all, _ := param.(array)

		for i := range filter {
			names[i] = f.name(filter[i])
			if i < len(all) {
				params[i] = f.dict(all[i])
			}
		}

		return names, params
	}
	damaged("bad filter")

	return nil, nil
}

// streamLimit is how much one stream may unpack to: an eighth of the limit, and no more than is left.
func (f *file) streamLimit() int64 { return min(f.lim.Inflated/8, f.inflated) }

// spend counts unpacked bytes.
func (f *file) spend(data []byte) []byte {
	if f.inflated -= int64(len(data)); f.inflated < 0 {
		panic(failure{ErrTooMuch})
	}

	return data
}

// inflate unpacks zlib data. Its checksum must hold: text from a broken stream cannot be trusted.
func (f *file) inflate(data []byte) []byte {
	r, err := zlib.NewReader(bytes.NewReader(data))
	if err != nil {
		damaged("packed stream is broken")
	}
	limit := f.streamLimit()

	var out bytes.Buffer
	for {
		// In pieces, so that a bomb is noticed before it has filled the memory.
		n, err := io.CopyN(&out, r, 1<<20)
		// The next step looks at the context.
		f.steps |= 0x3ff
		f.step()
		if int64(out.Len()) > limit {
			panic(failure{ErrTooMuch})
		}
		if errors.Is(err, io.EOF) {
			return f.spend(out.Bytes())
		}
		if err != nil || n == 0 {
			damaged("packed stream is broken")
		}
	}
}

// predict undoes the prediction of rows.
func (f *file) predict(data []byte, param dict) []byte {
	predictor, ok := f.resolve(param["Predictor"]).(int)
	if !ok || predictor == 1 {
		return data
	}
	colors := f.positive(param["Colors"], 1)
	bits := f.positive(param["BitsPerComponent"], 8)
	columns := f.positive(param["Columns"], 1)

	if colors > 32 || bits > 16 || columns > len(data)*8 {
		damaged("bad prediction")
	}
	pixel, row := max(1, colors*bits/8), (colors*bits*columns+7)/8
	// A row is made in memory, so a file must not ask for one that is longer than its data.
	if row > len(data) {
		damaged("bad prediction")
	}

	switch {
	case predictor == 2 && bits == 8:
		return horizontal(data, pixel, row)
	case predictor >= 10:
		return pngRows(data, pixel, row)
	}
	damaged("unknown prediction")

	return nil
}

// positive reads a number above zero, or the one that stands for a missing one.
func (f *file) positive(o any, missing int) int {
	if n, ok := f.resolve(o).(int); ok && n > 0 {
		return n
	}

	return missing
}

func horizontal(data []byte, pixel, row int) []byte {
	out := bytes.Clone(data)
	for start := 0; start < len(out); start += row {
		line := out[start:min(len(out), start+row)]
		for i := pixel; i < len(line); i++ {
			line[i] += line[i-pixel]
		}
	}

	return out
}

// pngRows undoes the filters of PNG, one byte of which stands before each row.
func pngRows(data []byte, pixel, row int) []byte {
	out := make([]byte, 0, len(data))
	above := make([]byte, row)

	for len(data) > 0 {
		kind := data[0]
		line := bytes.Clone(data[1:min(len(data), 1+row)])
		data = data[min(len(data), 1+row):]

		for i := range line {
			var left, corner byte
			if i >= pixel {
				left, corner = line[i-pixel], above[i-pixel]
			}

			switch kind {
			case 0:
			case 1:
				line[i] += left
			case 2:
				line[i] += above[i]
			case 3:
				line[i] += byte((int(left) + int(above[i])) / 2)
			case 4:
				line[i] += paeth(left, above[i], corner)
			default:
				damaged("bad prediction")
			}
		}
		out = append(out, line...)
		above = append(line, make([]byte, row-len(line))...)
	}

	return out
}

func paeth(a, b, c byte) byte {
	p := int(a) + int(b) - int(c)

	pa, pb, pc := abs(p-int(a)), abs(p-int(b)), abs(p-int(c))
	switch {
	case pa <= pb && pa <= pc:
		return a
	case pb <= pc:
		return b
	}

	return c
}

func abs(n int) int {
	if n < 0 {
		return -n
	}

	return n
}

// ascii85 decodes base 85.
func ascii85(data []byte) []byte {
	var out []byte
	var group [5]byte
	n := 0
	flush := func() {
		for i := n; i < 5; i++ {
			group[i] = 84
		}

		v := uint32(0)
		for _, c := range group {
			v = v*85 + uint32(c)
		}
		word := [4]byte{byte(v >> 24), byte(v >> 16), byte(v >> 8), byte(v)}
		out = append(out, word[:n-1]...)
		n = 0
	}

	for _, c := range data {
		switch {
		case space(c):
		case c == '~':
			if n > 1 {
				flush()
			}

			return out
		case c == 'z' && n == 0:
			out = append(out, 0, 0, 0, 0)
		case c >= '!' && c <= 'u':
			group[n] = c - '!'
			if n++; n == 5 {
				flush()
			}
		default:
			damaged("bad base 85")
		}
	}
	if n > 1 {
		flush()
	}

	return out
}

// runLength decodes runs of bytes.
func (f *file) runLength(data []byte) []byte {
	var out []byte

	limit := f.streamLimit()
	for len(data) > 0 && data[0] != 128 {
		f.step()
		n := int(data[0])

		data = data[1:]
		switch {
		case n < 128 && len(data) > n:
			out = append(out, data[:n+1]...)
			data = data[n+1:]
		case n > 128 && len(data) > 0:
			out = append(out, bytes.Repeat(data[:1], 257-n)...)
			data = data[1:]
		default:
			damaged("packed stream is broken")
		}
		if int64(len(out)) > limit {
			panic(failure{ErrTooMuch})
		}
	}

	return f.spend(out)
}

// lzw decodes LZW with codes of 9 to 12 bits, high bits first. early is 1 when codes grow one code early.
func (f *file) lzw(data []byte, early int) []byte {
	const clearTable, endOfStream = 256, 257
	type node struct {
		before int // code of the string without its last byte
		last   byte
		length int
	}

	var table [4096]node
	for i := range 256 {
		table[i] = node{last: byte(i), length: 1}
	}
	var out []byte
	limit := f.streamLimit()
	next, width, previous := 258, 9, -1
	bits, have := 0, 0

	for _, c := range data {
		f.step()
		bits, have = bits<<8|int(c), have+8
		if have < width {
			continue
		}
		have -= width
		code := bits >> have & (1<<width - 1)
		bits &= 1<<have - 1

		switch {
		case code == clearTable:
			next, width, previous = 258, 9, -1
			continue
		case code == endOfStream:
			return f.spend(out)
		// The encoder may use a code in the very step in which the decoder learns it, but none beyond.
		case code > next || code == next && previous < 0:
			damaged("packed stream is broken")
		}
		if previous >= 0 && next < len(table) {
			first := code
			if code == next {
				first = previous
			}

			for table[first].length > 1 {
				first = table[first].before
			}
			//nolint:gosec // previous is not negative here
			table[next] = node{before: previous, last: table[first].last, length: table[previous].length + 1}
			next++
		}
		if code >= next {
			damaged("packed stream is broken")
		}
		start := len(out)

		out = append(out, make([]byte, table[code].length)...)
		for i, n := len(out)-1, code; i >= start; i-- {
			out[i] = table[n].last
			n = table[n].before
		}
		if int64(len(out)) > limit {
			panic(failure{ErrTooMuch})
		}

		for next+early >= 1<<width && width < 12 {
			width++
		}
		previous = code
	}

	return f.spend(out)
}
