package pdf

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// font turns the codes of a string into text and widths.
type font struct {
	wide        bool               // codes of two bytes
	utf16       bool               // codes are UTF-16
	toUnicode   *cmap              // the producer's own table, believed before all else
	encoding    [256]rune          // of one-byte codes; utf8.RuneError where unknown
	ligature    map[byte]string    // one-byte codes that stand for several letters
	widths      map[int]float64    // thousandths of the size
	missing     float64            // width of the rest
	guess       func(rune) float64 // width by letter, for the standard fonts that come without widths
	bold        bool               // its letters are heavy
	perThousand float64            // a unit of widths in thousandths of the size; differs for Type 3
}

// glyph is one code of a string, as text and as an advance in units of the font size.
type glyph struct {
	text  string
	width float64
	blank bool // the code 32 of one byte, which word spacing widens
}

// loadFont reads a font dictionary. A font that is missing shows nothing that could be read.
func (f *file) loadFont(o any) *font {
	d := f.dict(o)

	t := &font{perThousand: 1, missing: 500}
	for i := range t.encoding {
		t.encoding[i] = utf8.RuneError
	}
	t.bold = boldName(string(f.name(d["BaseFont"])))
	if s, ok := f.resolve(d["ToUnicode"]).(stream); ok {
		t.toUnicode = f.readCMap(f.unpack(s))
	}
	if f.name(d["Subtype"]) == "Type0" {
		f.compositeFont(t, d)
	} else {
		f.simpleFont(t, d)
	}

	return t
}

// boldName reports whether a font is one of heavy letters by its name, which is all that every producer writes. Names
// of TeX are short.
func boldName(name string) bool {
	_, base, tagged := strings.Cut(name, "+")
	if !tagged {
		base = name
	}

	base = strings.ToLower(base)
	for _, word := range []string{"bold", "black", "heavy", "-demi", "-medi"} {
		if strings.Contains(base, word) {
			return true
		}
	}

	return strings.HasPrefix(base, "cmbx") || strings.HasPrefix(base, "sfbx")
}

// compositeFont reads a font with codes of two bytes.
func (f *file) compositeFont(t *font, d dict) {
	t.wide = true
	t.missing = 1000
	// The predefined encodings of these names, UniJIS-UTF16-H and its like, take the text itself for codes.
	encoding := string(f.name(d["Encoding"]))
	unicodes := strings.Contains(encoding, "UTF16") || strings.Contains(encoding, "UCS2")
	if strings.HasPrefix(encoding, "Uni") && unicodes {
		t.utf16 = true
	}

	descendants := f.array(d["DescendantFonts"])
	if len(descendants) == 0 {
		return
	}
	cid := f.dict(descendants[0])
	if cid["DW"] != nil {
		t.missing = f.float(cid["DW"])
	}
	t.widths = map[int]float64{}

	w := f.array(cid["W"])
	for len(w) >= 2 {
		first, ok := f.resolve(w[0]).(int)
		if !ok {
			return
		}
		switch second := f.resolve(w[1]).(type) {
		case array:
			// Codes have two bytes, so a longer list says nothing.
			for i, width := range second[:min(len(second), 1<<16)] {
				t.widths[first+i] = f.float(width)
			}
			w = w[2:]
		case int:
			if len(w) < 3 || second-first > 1<<16 {
				return
			}

			for code := first; code <= second; code++ {
				f.cell()
				t.widths[code] = f.float(w[2])
			}
			w = w[3:]
		default:
			return
		}
	}
}

// simpleFont reads a font with codes of one byte.
func (f *file) simpleFont(t *font, d dict) {
	base := string(f.name(d["BaseFont"]))
	f.simpleEncoding(t, d, base)
	if f.name(d["Subtype"]) == "Type3" {
		t.missing = 0
		if m := f.array(d["FontMatrix"]); len(m) == 6 {
			t.perThousand = f.float(m[0]) * 1000
		}
	}
	widths := f.array(d["Widths"])
	if len(widths) == 0 {
		t.guess = standardWidths(base)
		return
	}
	t.widths = map[int]float64{}

	first := int(f.float(d["FirstChar"]))
	for i, w := range widths[:min(len(widths), 256)] {
		t.widths[first+i] = f.float(w)
	}
	if descriptor := f.dict(d["FontDescriptor"]); descriptor != nil {
		t.missing = f.float(descriptor["MissingWidth"])
	}
}

// simpleEncoding fills the table of one-byte codes: a base encoding and the differences from it.
func (f *file) simpleEncoding(t *font, d dict, base string) {
	const symbolic = 4
	flags, _ := f.resolve(f.dict(d["FontDescriptor"])["Flags"]).(int)
	e := f.resolve(d["Encoding"])
	named, _ := e.(name)
	if ed, ok := e.(dict); ok {
		named = f.name(ed["BaseEncoding"])
	}

	switch {
	case named == "WinAnsiEncoding":
		baseEncoding(t, charmap.Windows1252)
	case named == "MacRomanEncoding":
		baseEncoding(t, charmap.Macintosh)
	case strings.Contains(base, "Symbol"):
		symbolEncoding(t)
	case strings.Contains(base, "Dingbats"):
		for i := '!'; i <= 0xfe; i++ {
			// The characters are ornaments, which mark the items of a list.
			t.encoding[i] = '•'
		}
		t.encoding[' '] = ' '
	case e == nil && flags&symbolic != 0 && t.toUnicode == nil && f.name(d["Subtype"]) != "Type1":
		// A subset with its own numbering: nobody can say what its codes mean.
	default:
		standardEncoding(t)
	}
	ed, _ := e.(dict)
	code := 0

	for _, o := range f.array(ed["Differences"]) {
		switch o := f.resolve(o).(type) {
		case int:
			code = o
		case name:
			if code >= 0 && code < 256 {
				t.differ(byte(code), f.glyphText(string(o)))
			}
			code++
		}
	}
}

// glyphText returns the text of a glyph name.
func (f *file) glyphText(glyphName string) string {
	if f.glyphs == nil {
		f.glyphs = newGlyphNames()
	}

	return f.glyphs.text(glyphName)
}

// differ gives one code a text of its own.
func (t *font) differ(code byte, text string) {
	r, size := utf8.DecodeRuneInString(text)
	if text != "" && size < len(text) {
		if t.ligature == nil {
			t.ligature = map[byte]string{}
		}
		t.ligature[code] = text
	}
	if text == "" {
		r = utf8.RuneError
	}
	t.encoding[code] = r
}

func baseEncoding(t *font, m *charmap.Charmap) {
	for i := range t.encoding {
		if r := m.DecodeByte(byte(i)); r >= ' ' && r != utf8.RuneError {
			t.encoding[i] = r
		}
	}
	t.encoding[0xad] = m.DecodeByte(0xad)
}

// mapped returns how many codes the font maps, as a measure of its size.
func (t *font) mapped() int {
	n := len(t.widths)
	if t.toUnicode != nil {
		n += len(t.toUnicode.text)
	}

	return n + 256
}

// decode cuts a string into glyphs.
func (t *font) decode(s str, emit func(glyph)) {
	if t.wide {
		for ; len(s) >= 2; s = s[2:] {
			emit(t.wideGlyph(s))
		}

		return
	}

	for i := range len(s) {
		c := s[i]
		g := glyph{blank: c == ' '}

		r := t.encoding[c]
		switch text, ok := t.toUnicode.lookUp(int(c)); {
		case ok:
			g.text = text
		case t.ligature[c] != "":
			g.text = t.ligature[c]
		default:
			g.text = string(r)
		}
		g.width = t.width(int(c), r)
		emit(g)
	}
}

// wideGlyph reads a code of two bytes.
func (t *font) wideGlyph(s str) glyph {
	code := int(s[0])<<8 | int(s[1])
	g := glyph{width: t.width(code, utf8.RuneError), text: string(utf8.RuneError)}
	if text, ok := t.toUnicode.lookUp(code); ok {
		g.text = text
	} else if t.utf16 {
		g.text = string(rune(code))
		if high := rune(code); utf16.IsSurrogate(high) {
			// The pair comes out with neither half. Such text is beyond this reader.
			g.text = ""
		}
	}

	return g
}

func (t *font) width(code int, r rune) float64 {
	w, ok := t.widths[code]
	switch {
	case ok:
	case t.guess != nil:
		w = t.guess(r)
	default:
		w = t.missing
	}

	return w * t.perThousand / 1000
}

// cmap maps codes to text.
type cmap struct {
	text map[int]string
}

// lookUp works on a nil table too.
func (m *cmap) lookUp(code int) (string, bool) {
	if m == nil {
		return "", false
	}
	text, ok := m.text[code]

	return text, ok
}

// maxMappings bounds the table of one font.
const maxMappings = 1 << 16

// readCMap reads a table from codes to UTF-16.
func (f *file) readCMap(data []byte) *cmap {
	m := &cmap{text: map[int]string{}}
	l := &lexer{f: f, data: data}
	var args []any

	for {
		switch t := l.object(0).(type) {
		case keyword:
			switch t {
			case endOfData:
				return m
			case "endbfchar":
				for ; len(args) >= 2; args = args[2:] {
					m.set(f, args[0], args[1], 0)
				}
			case "endbfrange":
				for ; len(args) >= 3; args = args[3:] {
					m.setRange(f, args[0], args[1], args[2])
				}
			}
			args = args[:0]
		default:
			args = append(args, t)
		}
	}
}

// set maps one code, plus a distance, to a text whose last unit is moved by the same distance.
func (m *cmap) set(f *file, code, text any, distance int) {
	c, ok1 := code.(str)
	s, ok2 := text.(str)
	// A range of four bytes would be four thousand million entries.
	if !ok1 || !ok2 || len(m.text) >= maxMappings {
		return
	}
	f.cell()
	units := utf16Units(s)
	if len(units) > 0 {
		units[len(units)-1] += uint16(distance)
	}
	mapped := string(utf16.Decode(units))
	if mapped == "\t" || mapped == "\n" || mapped == "\r" {
		// Some producers give the blank the first character that has its glyph.
		mapped = " "
	}
	m.text[bigEndian([]byte(c), min(len(c), 4))+distance] = mapped
}

func (m *cmap) setRange(f *file, low, high, to any) {
	l, ok1 := low.(str)
	h, ok2 := high.(str)
	if !ok1 || !ok2 {
		return
	}
	first, last := bigEndian([]byte(l), min(len(l), 4)), bigEndian([]byte(h), min(len(h), 4))

	list, _ := to.(array)
	for i := 0; i <= last-first && i < 1<<16; i++ {
		if list == nil {
			m.set(f, l, to, i)
		} else if i < len(list) {
			code := first + i
			m.set(f, str([]byte{byte(code >> 24), byte(code >> 16), byte(code >> 8), byte(code)}), list[i], 0)
		}
	}
}

func utf16Units(s str) []uint16 {
	if len(s) == 1 {
		return []uint16{uint16(s[0])}
	}

	units := make([]uint16, 0, len(s)/2)
	for i := 0; i+1 < len(s); i += 2 {
		units = append(units, uint16(s[i])<<8|uint16(s[i+1]))
	}

	return units
}

// plainText decodes a string that is meant for people: UTF-16 or UTF-8 with their marks, else PDFDocEncoding.
func plainText(s str) string {
	switch {
	case strings.HasPrefix(string(s), "\xfe\xff"):
		return string(utf16.Decode(utf16Units(s[2:])))
	case strings.HasPrefix(string(s), "\xff\xfe"):
		swapped := []byte(s[2:])
		for i := 0; i+1 < len(swapped); i += 2 {
			swapped[i], swapped[i+1] = swapped[i+1], swapped[i]
		}

		return string(utf16.Decode(utf16Units(str(swapped))))
	case strings.HasPrefix(string(s), "\xef\xbb\xbf"):
		// UTF-8 came with PDF 2.0.
		return strings.ToValidUTF8(string(s[3:]), "\ufffd")
	}

	out := make([]rune, 0, len(s))
	for i := range len(s) {
		out = append(out, docRune(s[i]))
	}

	return string(out)
}
