package pdf

import (
	"math"
	"slices"
	"strings"
)

// The modes in which text is drawn so that it leaves no mark.
const (
	fillOnly = 0
	noMark   = 3
	clipOnly = 7
)

// tiny is the size of text, in units of the page, below which nobody reads it.
const tiny = 1.01

// fillOperator notes what the operators of colour and of painting mean for text.
func (p *painter) fillOperator(op keyword, args []any) {
	switch op {
	case "Tr":
		p.now.mode = int(num(args, 0))
	case "g", "rg":
		p.now.white = len(args) > 0 && each(args, 1)
	case "sc", "scn":
		p.now.white = p.now.additive && len(args) > 0 && each(args, 1)
	case "k":
		p.now.white = len(args) == 4 && each(args, 0)
	case "f", "F", "f*", "B", "B*", "b", "b*", "sh":
		p.ground = p.ground || !p.now.white || op == "sh"
	}
}

// setSpace runs cs. In spaces of inks, one means full ink; a profile of four components is one of inks as well.
func (p *painter) setSpace(args []any, spaces dict) {
	p.now.white, p.now.additive = false, false
	if len(args) != 1 {
		return
	}
	kind, _ := args[0].(name)
	profile := p.array(spaces[kind])
	if len(profile) > 0 {
		kind = p.name(profile[0])
	}

	switch kind {
	case "DeviceGray", "DeviceRGB", "CalGray", "CalRGB":
		p.now.additive = true
	case "ICCBased":
		if len(profile) > 1 {
			s, _ := p.resolve(profile[1]).(stream)
			p.now.additive = p.float(s.dict["N"]) < 4
		}
	}
}

// each reports whether all operands are the number n.
func each(args []any, n float64) bool {
	for i, a := range args {
		if _, ok := a.(name); ok || num(args, i) != n {
			return false
		}
	}

	return true
}

// picture counts a picture, which is a ground for what is drawn on it.
func (p *painter) picture() {
	m := p.now.page
	p.shown.picture(math.Abs(m.a*m.d - m.b*m.c))
	p.ground = true
}

// concealed reports whether text of this size leaves no mark as it is drawn now: in a mode that draws nothing, white on
// the white page, transparent, or too small to read.
func (p *painter) concealed(size float64) bool {
	g := p.now
	unmarked := g.mode == noMark || g.mode == clipOnly
	faint := g.mode == fillOnly && (g.clear || g.white && !p.ground)

	return unmarked || faint || size > 0 && size < tiny
}

// place puts text where it belongs.
func (p *painter) place(text string, start, end, along point, size float64) {
	hidden := p.concealed(size)
	// Producers fill and stroke letters for want of a font with heavy ones.
	heavy := p.now.font.bold || p.now.mode == filledAndStroked
	p.layout.heavy, p.unseen.heavy = heavy, heavy
	if hidden && p.all == nil {
		p.all = p.layout.copied()
	}
	if p.all != nil {
		p.all.heavy = heavy
		p.all.show(text, start, end, along, size)
	}
	if hidden {
		p.unseen.show(text, start, end, along, size)
		return
	}
	p.layout.show(text, start, end, along, size)
}

// filledAndStroked is the mode in which letters are filled and their outlines drawn.
const filledAndStroked = 2

// copied returns a layout of the same lines.
func (l *layout) copied() *layout {
	out := &layout{end: l.end, along: l.along, size: l.size, rules: l.rules}
	for _, x := range l.lines {
		line := &line{
			start: x.start,
			along: x.along,
			cuts:  slices.Clone(x.cuts),
			gaps:  slices.Clone(x.gaps),
			stop:  x.stop,
			size:  x.size,
			bold:  x.bold,
			light: x.light,
			drop:  x.drop,
			shift: x.shift,
		}
		line.text.WriteString(x.text.String())
		out.lines = append(out.lines, line)
	}

	return out
}

// texts returns what a reader of the page sees, and what not. On a page with a picture the unseen text belongs to the
// page, since scanners put there what they have read from the picture. Too little of it is no such reading: the picture
// still counts as not read.
func (p *painter) texts() (seen, unseen lines) {
	switch {
	case p.all == nil:
		return p.layout.page(), lines{}
	case p.shown.drawn > 0:
		p.shown.read = letters(p.unseen.page().text) >= scanChars
		return p.all.page(), lines{}
	}

	return p.layout.page(), p.unseen.page()
}

// shown counts what a page shows beside text.
type shown struct {
	drawn    int     // pictures of any size
	pictures int     // that are big enough to show words
	area     float64 // of all pictures
	curves   int
	read     bool // somebody has read the pictures: their text lies under them
}

// How much a page must show to be more than decoration.
const (
	leastPicture = 200.0 // units of the page squared; a line of small print has a few times that
	leastCurves  = 200   // of a page that draws its letters as outlines
	scanArea     = 0.5   // of the page, that pictures cover
	scanChars    = 100   // on such a page, besides the pictures, such as a stamp; fewer that are unseen read no picture
)

func (s *shown) picture(area float64) {
	s.drawn++
	s.area += area
	if area >= leastPicture {
		s.pictures++
	}
}

// add counts what an annotation shows as the page's own.
func (s *shown) add(other shown) {
	s.drawn += other.drawn
	s.pictures += other.pictures
	s.area += other.area
	s.curves += other.curves
}

// judge says whether the page was read.
func (p *Page) judge(s shown, area float64) {
	if s.read {
		return
	}

	chars := letters(p.Text)
	scan := s.area >= scanArea*area && chars < scanChars
	drawing := chars == 0 && (s.area >= leastPicture || s.curves >= leastCurves)
	if p.Unread = scan || drawing; !p.Unread {
		p.Pictures = s.pictures
	}
}

// letters counts the bytes of a text that are no blanks.
func letters(text string) (n int) {
	for word := range strings.FieldsSeq(text) {
		n += len(word)
	}

	return n
}
