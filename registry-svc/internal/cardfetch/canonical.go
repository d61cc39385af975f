package cardfetch

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// canonical writes a JSON value in the form of RFC 8785, which signatures of cards are over.
func canonical(v any) ([]byte, error) {
	var b bytes.Buffer
	err := writeValue(&b, v)

	return b.Bytes(), err
}

var errNoForm = errors.New("the value has no canonical form")

func writeValue(b *bytes.Buffer, v any) error {
	switch v := v.(type) {
	case nil:
		b.WriteString("null")
	case bool:
		b.WriteString(strconv.FormatBool(v))
	case string:
		writeString(b, v)
	case json.Number:
		return writeNumber(b, v)
	case []any:
		b.WriteByte('[')

		for i, one := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			if err := writeValue(b, one); err != nil {
				return err
			}
		}
		b.WriteByte(']')
	case map[string]any:
		return writeObject(b, v)
	default:
		return errNoForm
	}

	return nil
}

// writeObject sorts members by the UTF-16 of their names, as section 3.2.3 asks.
func writeObject(b *bytes.Buffer, members map[string]any) error {
	names := make([]string, 0, len(members))
	for name := range members {
		names = append(names, name)
	}
	slices.SortFunc(names, func(x, y string) int {
		return slices.Compare(utf16.Encode([]rune(x)), utf16.Encode([]rune(y)))
	})
	b.WriteByte('{')

	for i, name := range names {
		if i > 0 {
			b.WriteByte(',')
		}
		writeString(b, name)
		b.WriteByte(':')
		if err := writeValue(b, members[name]); err != nil {
			return err
		}
	}
	b.WriteByte('}')

	return nil
}

var escapes = map[rune]string{
	'"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`,
}

func writeString(b *bytes.Buffer, s string) {
	b.WriteByte('"')

	for _, c := range s {
		switch short, ok := escapes[c]; {
		case ok:
			b.WriteString(short)
		case c < 0x20:
			b.WriteString(`\u00`)
			b.WriteString(strconv.FormatInt(int64(c)+0x100, 16)[1:])
		default:
			b.Write(utf8.AppendRune(nil, c))
		}
	}
	b.WriteByte('"')
}

// writeNumber writes a number as ECMAScript does.
func writeNumber(b *bytes.Buffer, n json.Number) error {
	f, err := n.Float64()
	if err != nil || math.IsInf(f, 0) {
		return errNoForm
	}
	size := math.Abs(f)

	switch {
	case f == 0:
		b.WriteByte('0')
	case size >= 1e-6 && size < 1e21:
		b.WriteString(strconv.FormatFloat(f, 'f', -1, 64))
	default:
		text := strconv.FormatFloat(f, 'e', -1, 64)
		mantissa, exponent, _ := strings.Cut(text, "e")
		b.WriteString(mantissa + "e" + exponent[:1] + strings.TrimLeft(exponent[1:], "0"))
	}

	return nil
}
