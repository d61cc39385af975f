package extract

import "strings"

// running writes running text: white space folded, lines and paragraphs broken where elements break them.
type running struct {
	out   strings.Builder
	blank bool
	lines int
	tabs  int
}

func (f *running) write(s string, raw bool) {
	if raw {
		f.settle()
		f.out.WriteString(s)

		return
	}

	for _, r := range s {
		switch r {
		case ' ', '\t', '\n', '\r', '\f':
			f.blank = true
		default:
			f.settle()
			f.out.WriteRune(r)
		}
	}
}

// settle writes the gap before the next character.
func (f *running) settle() {
	switch {
	case f.out.Len() == 0:
	case f.lines > 0:
		f.out.WriteString("\n\n"[:min(f.lines, 2)])
	case f.tabs > 0:
		f.out.WriteByte('\t')
	case f.blank:
		f.out.WriteByte(' ')
	}
	f.blank, f.lines, f.tabs = false, 0, 0
}

func (f *running) breakLine(lines int) { f.lines = max(f.lines, lines) }

func (f *running) tab() { f.tabs++ }

// mark writes a mark, which is no character of the text.
func (f *running) mark(m string) { f.out.WriteString(m) }

// String returns the text so far.
func (f *running) String() string { return f.out.String() }
