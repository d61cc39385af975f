package typeset

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
)

const (
	margin       = 72
	gap          = 8.0 // between paragraphs, added to the leading
	footerHeight = 40
	numberedAt   = 46 // where the numbers of pleading paper stand
)

// Paper is what a document is printed on. Lengths are in points.
type Paper struct {
	Width, Height int
	Size          int     // of the text
	Leading       float64 // from line to line
	Lines         int     // numbered lines to a page, as on pleading paper; 0 for none
	Footer        bool    // with the title and the number of the page
}

// Letter returns US letter paper with text of eleven points.
func Letter() Paper { return Paper{Width: 612, Height: 792, Size: 11, Leading: 14, Footer: true} }

// A4 returns the paper of most other countries, with text of twelve points and no footer.
func A4() Paper { return Paper{Width: 595, Height: 842, Size: 12, Leading: 15} }

// Pleading returns letter paper whose 28 lines are numbered in the left margin, as courts in the west of the United
// States ask for it. It has no footer.
func Pleading() Paper { return Paper{Width: 612, Height: 792, Size: 12, Leading: 23, Lines: 28} }

// The widths of the characters from space to tilde, in thousandths of the size.
const (
	romanWidths = "250 333 408 500 500 833 778 180 333 333 500 564 250 333 250 278 500 500 500 500 500 500 500 500 " +
		"500 500 278 278 564 564 564 444 " +
		"921 722 667 667 722 611 556 722 722 333 389 722 611 889 722 722 556 722 667 556 611 722 722 944 722 722 611 " +
		"333 278 333 469 500 333 " +
		"444 500 444 500 444 333 500 500 278 278 500 278 778 500 500 500 500 333 389 278 500 500 722 500 500 444 480 " +
		"200 480 541"
	boldWidths = "250 333 555 500 500 1000 833 278 333 333 500 570 250 333 250 278 500 500 500 500 500 500 500 500 " +
		"500 500 333 333 570 570 570 500 " +
		"930 722 667 722 722 667 611 778 778 389 500 778 667 944 722 778 611 778 722 556 667 722 722 1000 " +
		"722 722 667 " +
		"333 278 333 581 500 333 " +
		"500 556 444 556 444 333 500 556 278 333 556 278 833 556 500 556 556 444 389 333 556 500 722 500 500 444 394 " +
		"220 394 520"
	section      = 0xa7 // the one character beyond ASCII that is set
	sectionWidth = 500
)

// typeface is a standard font with its widths.
type typeface struct {
	name   string // of the font in the page's resources
	widths [256]int
}

func newTypeface(name, widths string) typeface {
	f := typeface{name: name}
	for i, word := range strings.Fields(widths) {
		f.widths[' '+i], _ = strconv.Atoi(word)
	}
	f.widths[section] = sectionWidth

	return f
}

// width returns the width of encoded text in points.
func (f typeface) width(text string, size float64) float64 {
	total := 0
	for i := range len(text) {
		total += f.widths[text[i]]
	}

	return float64(total) * size / 1000
}

// press fills pages with lines.
type press struct {
	paper       Paper
	roman, bold typeface
	pages       []*bytes.Buffer
	y           float64
}

// PDF writes a document as a PDF file on letter paper.
func PDF(w io.Writer, doc Document) error { return PDFOn(w, doc, Letter()) }

// PDFOn writes a document as a PDF file with text in standard fonts. The bytes depend on the text and paper alone; the
// file names no author. Text outside ASCII and the section sign is an error.
func PDFOn(w io.Writer, doc Document, paper Paper) error {
	p := &press{paper: paper, roman: newTypeface("F1", romanWidths), bold: newTypeface("F2", boldWidths)}
	p.newPage()

	for _, block := range doc.Blocks {
		if err := p.block(block); err != nil {
			return err
		}
	}

	for i, page := range p.pages {
		if !paper.Footer {
			break
		}
		footer := fmt.Sprintf("%s - Page %d of %d", doc.Title, i+1, len(p.pages))
		drawLine(page, p.roman, footer, 9, (float64(paper.Width)-p.roman.width(footer, 9))/2, footerHeight)
	}
	if _, err := w.Write(p.file(doc.Title)); err != nil {
		return fmt.Errorf("write PDF: %w", err)
	}

	return nil
}

func (p *press) newPage() {
	p.pages = append(p.pages, &bytes.Buffer{})

	p.y = float64(p.paper.Height - margin)
	for n := range p.paper.Lines {
		number := strconv.Itoa(n + 1)
		size := float64(p.paper.Size)
		drawLine(p.pages[len(p.pages)-1], p.roman, number, size, numberedAt-p.roman.width(number, size),
			p.y-float64(n)*p.paper.Leading)
	}
}

func (p *press) block(b Block) error {
	switch b.Kind {
	case NewPage:
		p.newPage()
	case Heading:
		return p.text(b.Text, p.bold, float64(p.paper.Size+3-b.Level), b.Level == 1)
	case Table:
		for _, row := range b.Rows {
			if err := p.text(strings.Join(row, "  -  "), p.roman, float64(p.paper.Size), false); err != nil {
				return err
			}
		}
	default:
		return p.text(b.Text, p.roman, float64(p.paper.Size), false)
	}

	return nil
}

// text sets a paragraph in lines. A heading keeps at least two lines of what follows on its page.
func (p *press) text(text string, face typeface, size float64, centered bool) error {
	encoded, err := encode(text)
	if err != nil {
		return err
	}
	// A heading at the foot of a page would stand apart from its text.
	if face.name == p.bold.name && p.y < margin+4*p.paper.Leading {
		p.newPage()
	}

	for _, line := range face.wrap(encoded, size, float64(p.paper.Width-2*margin)) {
		if p.y < margin {
			p.newPage()
		}
		x := float64(margin)
		if centered {
			x = (float64(p.paper.Width) - face.width(line, size)) / 2
		}
		drawLine(p.pages[len(p.pages)-1], face, line, size, x, p.y)
		p.y -= p.paper.Leading
	}
	if p.paper.Lines == 0 {
		p.y -= gap
	}

	return nil
}

// wrap breaks text into lines.
func (f typeface) wrap(text string, size, room float64) []string {
	var lines []string

	line := ""
	for word := range strings.FieldsSeq(text) {
		longer := strings.TrimPrefix(line+" "+word, " ")
		if line != "" && f.width(longer, size) > room {
			lines = append(lines, line)
			longer = word
		}
		line = longer
	}

	return append(lines, line)
}

// encode turns text into bytes of WinAnsiEncoding.
func encode(text string) (string, error) {
	var b strings.Builder

	for _, r := range text {
		if r != section && (r < ' ' || r > '~') {
			return "", fmt.Errorf("cannot set the character %U", r)
		}
		b.WriteByte(byte(r))
	}

	return b.String(), nil
}

func drawLine(page *bytes.Buffer, face typeface, text string, size, x, y float64) {
	escaped := strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(text)
	fmt.Fprintf(page, "BT /%s %g Tf %.2f %.2f Td (%s) Tj ET\n", face.name, size, x, y, escaped)
}

// file puts the objects of the file together.
func (p *press) file(title string) []byte {
	// Objects 1 to 5 are the catalog, the pages, two fonts and the information.
	const first = 6

	var kids strings.Builder
	for i := range p.pages {
		fmt.Fprintf(&kids, "%d 0 R ", first+2*i)
	}

	objects := []string{
		"<</Type/Catalog/Pages 2 0 R/Lang(en-US)>>",
		fmt.Sprintf("<</Type/Pages/Kids[%s]/Count %d>>", strings.TrimSpace(kids.String()), len(p.pages)),
		p.roman.object("Times-Roman"), p.bold.object("Times-Bold"),
		"<</Title(" + title + ")>>",
	}
	for i, page := range p.pages {
		objects = append(objects,
			fmt.Sprintf("<</Type/Page/Parent 2 0 R/MediaBox[0 0 %d %d]/Resources<</Font<</F1 3 0 R/F2 4 0 "+
				"R>>>>/Contents %d 0 R>>", p.paper.Width, p.paper.Height, first+2*i+1),
			fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", page.Len(), page.Bytes()))
	}
	var b bytes.Buffer
	// ISO 32000-1, section 7.5.2: four bytes above 127 show that the file is binary.
	b.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")

	offsets := make([]int, len(objects))
	for i, o := range objects {
		offsets[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	table := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)

	for _, at := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R/Info 5 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, table)

	return b.Bytes()
}

// object describes a standard font with its widths.
func (f typeface) object(base string) string {
	var widths strings.Builder
	for c := ' '; c <= section; c++ {
		fmt.Fprintf(&widths, "%d ", f.widths[c])
	}

	return fmt.Sprintf("<</Type/Font/Subtype/Type1/BaseFont/%s/Encoding/WinAnsiEncoding/FirstChar 32/LastChar "+
		"%d/Widths[%s]>>", base, section, strings.TrimSpace(widths.String()))
}
