package pdf

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// matrix is a transformation of the plane: x' = a·x + c·y + e, y' = b·x + d·y + f.
type matrix struct{ a, b, c, d, e, f float64 }

var identity = matrix{a: 1, d: 1}

// then returns the transformation that does m first and n after it.
func (m matrix) then(n matrix) matrix {
	return matrix{
		a: m.a*n.a + m.b*n.c, b: m.a*n.b + m.b*n.d,
		c: m.c*n.a + m.d*n.c, d: m.c*n.b + m.d*n.d,
		e: m.e*n.a + m.f*n.c + n.e, f: m.e*n.b + m.f*n.d + n.f,
	}
}

// graphics is the part of the graphics state that text depends on.
type graphics struct {
	page                       matrix // from user space to the page
	font                       *font
	size, charSpace, wordSpace float64
	stretch, leading, rise     float64
	mode                       int  // in which text is drawn
	additive                   bool // the space of the colour of fills: all at one is white
	white                      bool // what is filled is white
	clear                      bool // what is filled lets everything through
}

const (
	maxOperands = 64       // of an operator
	maxStates   = 512      // saved graphics states
	maxForms    = 20000    // forms drawn on one page
	maxMapped   = 1 << 20  // codes mapped by all fonts that are kept
	maxFormed   = 16 << 20 // bytes of all forms that are kept
)

// painter runs the contents of one page.
type painter struct {
	*file
	layout             // what a reader sees
	unseen     layout  // what is drawn so that no reader sees it
	all        *layout // both together, once there is something unseen
	ground     bool    // something that is not white has been filled
	shown      shown
	alts       []string // replacement texts
	doc        *Document
	now        graphics
	saved      []graphics
	text, line matrix // where the next glyph goes, and where the line began
	drawn      int    // forms
}

func newPainter(f *file, doc *Document) *painter {
	return &painter{
		file:   f,
		doc:    doc,
		layout: layout{rules: &ruling{}},
		now:    graphics{page: identity, stretch: 1},
		text:   identity,
		line:   identity,
	}
}

// content runs the operators of a page or form.
func (p *painter) content(data []byte, resources dict, depth int) {
	l := &lexer{f: p.file, data: data, asides: true}
	base := len(p.saved)
	// The fonts of these resources.
	fonts := map[name]*font{}
	var args []any

	for {
		o := l.object(0)
		op, ok := o.(keyword)
		if !ok {
			if len(args) < maxOperands {
				args = append(args, o)
			}

			continue
		}

		switch op {
		case endOfData:
			// A form that saves more states than it restores must not leave them to the page.
			p.saved = p.saved[:min(base, len(p.saved))]
			return
		case "BI":
			skipPicture(l)
			p.dropped["pictures"]++
			p.picture()
		case "Do":
			if len(args) == 1 {
				n, _ := args[0].(name)
				p.draw(p.dict(resources["XObject"])[n], resources, depth)
			}
		case "Tf":
			p.setFont(args, resources, fonts)
		case "cs":
			p.setSpace(args, p.dict(resources["ColorSpace"]))
		case "gs":
			p.setState(args, p.dict(resources["ExtGState"]))
		case "BDC", "DP":
			p.marked(args, p.dict(resources["Properties"]))
		default:
			p.operator(op, args)
			p.strings(op, args)
		}
		// What an operator has used is done with, so that a long page does not reach the bound of objects.
		args, l.live = args[:0], 0
	}
}

// strings counts the strings of operators that draw no text.
func (p *painter) strings(op keyword, args []any) {
	switch op {
	case "Tj", "TJ", "'", "\"":
		return
	}

	for _, arg := range args {
		if _, ok := arg.(str); ok {
			p.dropped["markup"]++
		}
	}
}

// num returns operand i as a number.
func num(args []any, i int) float64 {
	if i < len(args) {
		switch n := args[i].(type) {
		case int:
			return float64(n)
		case float64:
			return n
		}
	}

	return 0
}

func sixNumbers(args []any) matrix {
	return matrix{num(args, 0), num(args, 1), num(args, 2), num(args, 3), num(args, 4), num(args, 5)}
}

// operator runs an operator that needs no resources. What does not touch text is passed over.
func (p *painter) operator(op keyword, args []any) {
	switch op {
	case "q":
		// A page may save without end. Beyond this the states only lose positions, and text stays text.
		if len(p.saved) < maxStates {
			p.saved = append(p.saved, p.now)
		}
	case "Q":
		if n := len(p.saved); n > 0 {
			p.now, p.saved = p.saved[n-1], p.saved[:n-1]
		}
	case "cm":
		p.now.page = sixNumbers(args).then(p.now.page)
	case "BT":
		p.text, p.line = identity, identity
	case "Tc":
		p.now.charSpace = num(args, 0)
	case "Tw":
		p.now.wordSpace = num(args, 0)
	case "Tz":
		p.now.stretch = num(args, 0) / 100
	case "TL":
		p.now.leading = num(args, 0)
	case "Ts":
		p.now.rise = num(args, 0)
	case "Tm":
		p.line = sixNumbers(args)
		p.text = p.line
	case "TD":
		p.now.leading = -num(args, 1)
		p.move(num(args, 0), num(args, 1))
	case "Td":
		p.move(num(args, 0), num(args, 1))
	case "T*":
		p.move(0, -p.now.leading)
	case "c", "v", "y":
		p.shown.curves++
	default:
		p.rules.path(op, args, p.now.page)
		p.fillOperator(op, args)
		p.showOperator(op, args)
	}
}

// showOperator runs the operators that draw text.
func (p *painter) showOperator(op keyword, args []any) {
	switch op {
	case "'":
		p.move(0, -p.now.leading)
	case "\"":
		p.now.wordSpace, p.now.charSpace = num(args, 0), num(args, 1)
		p.move(0, -p.now.leading)
	case "Tj", "TJ":
	default:
		return
	}
	if len(args) == 0 {
		return
	}
	switch o := args[len(args)-1].(type) {
	case str:
		p.show(o)
	case array:
		for _, part := range o {
			switch part := part.(type) {
			case str:
				p.show(part)
			default:
				p.advance(-num([]any{part}, 0) / 1000 * p.now.size * p.now.stretch)
			}
		}
	}
}

func (p *painter) move(x, y float64) {
	p.line = matrix{a: 1, d: 1, e: x, f: y}.then(p.line)
	p.text = p.line
}

func (p *painter) advance(x float64) { p.text = matrix{a: 1, d: 1, e: x}.then(p.text) }

// show draws one string.
func (p *painter) show(s str) {
	if p.now.font == nil {
		p.now.font = p.fontOf(nil)
	}
	g := &p.now
	glyphSpace := matrix{a: g.size * g.stretch, d: g.size, f: g.rise}
	at := glyphSpace.then(p.text).then(g.page)
	start, along, size := point{at.e, at.f}, point{at.a, at.b}, point{at.c, at.d}.length()
	var text strings.Builder
	g.font.decode(s, func(x glyph) {
		p.step()
		text.WriteString(x.text)
		width := x.width*g.size + g.charSpace
		if x.blank {
			width += g.wordSpace
		}
		p.advance(width * g.stretch)
	})
	at = glyphSpace.then(p.text).then(g.page)
	lines := len(p.lines) + len(p.unseen.lines)
	p.place(strings.ReplaceAll(text.String(), "\x00", string(utf8.RuneError)), start, point{at.e, at.f}, along, size)
	p.textBytes(text.Len(), len(p.lines)+len(p.unseen.lines)-lines)
}

// setFont runs Tf.
func (p *painter) setFont(args []any, resources dict, fonts map[name]*font) {
	if len(args) != 2 {
		return
	}
	n, _ := args[0].(name)
	if fonts[n] == nil {
		fonts[n] = p.fontOf(p.dict(resources["Font"])[n])
	}
	p.now.font, p.now.size = fonts[n], num(args, 1)
}

// fontOf loads a font; those that are objects of their own are kept, and all forgotten when they map too much together.
func (p *painter) fontOf(o any) *font {
	r, ok := o.(ref)
	switch {
	case o == nil:
		// This stands for the font that is used where none is set.
		r = ref{num: -1}
	case !ok:
		return p.loadFont(o)
	}
	t := p.fonts[r]
	if t == nil {
		t = p.loadFont(o)
		// Forgetting all is simple, and rare: a font is loaded again when it is next used.
		if p.mapped += t.mapped(); p.mapped > maxMapped {
			clear(p.fonts)
			p.mapped = t.mapped()
		}
		p.fonts[r] = t
	}

	return t
}

// form unpacks the contents of a form. Pages share forms, so they are kept for a while.
func (p *painter) form(o any, s stream) []byte {
	r, ok := o.(ref)
	if data, kept := p.forms[r]; kept && ok {
		return data
	}
	data := p.unpack(s)
	if !ok || len(data) > maxFormed/4 {
		return data
	}
	if p.formed += len(data); p.formed > maxFormed {
		clear(p.forms)
		p.formed = len(data)
	}
	p.forms[r] = data

	return data
}

// setState runs gs, which may set a font.
func (p *painter) setState(args []any, states dict) {
	if len(args) != 1 {
		return
	}
	n, _ := args[0].(name)
	if opacity := p.resolve(p.dict(states[n])["ca"]); opacity != nil {
		p.now.clear = p.float(opacity) == 0
	}
	if a := p.array(p.dict(states[n])["Font"]); len(a) == 2 {
		p.now.font, p.now.size = p.fontOf(a[0]), p.float(a[1])
	}
}

// marked notes replacement text, which no page shows but other programs read.
func (p *painter) marked(args []any, properties dict) {
	if len(args) != 2 {
		return
	}
	d, ok := args[1].(dict)
	if n, isName := args[1].(name); isName {
		// A name stands for an entry of the resources, which other pages may share.
		d, ok = p.dict(properties[n]), true
	} else {
		p.programs(d)
	}
	if ok {
		p.hide(d, "ActualText", "Alt", "E")
	}
}

// programs counts the strings of a dictionary among the operators that are for programs.
func (p *painter) programs(d dict) {
	for key, value := range d {
		switch key {
		case "ActualText", "Alt", "E":
			// It is read elsewhere.
			continue
		}
		if s, ok := value.(str); ok && !machineString(s) {
			p.dropped["markup"]++
		}
	}
}

// hide keeps the texts of a dictionary that no page shows.
func (p *painter) hide(d dict, keys ...name) {
	for _, key := range keys {
		if s, ok := p.resolve(d[key]).(str); ok {
			p.alts = p.keep(p.alts, s)
		}
	}
}

// keep appends a text that says something.
func (f *file) keep(list []string, s str) []string {
	text := plainText(s)
	if strings.TrimSpace(text) == "" {
		return list
	}
	f.textBytes(len(text), 1)

	return append(list, text)
}

// paints notes that a form has been drawn.
func (f *file) paints(o any) {
	if r, ok := o.(ref); ok {
		f.painted[r.num] = true
	} else {
		f.painted[0] = true
	}
}

// draw runs Do: a form has text, a picture is counted.
func (p *painter) draw(o any, resources dict, depth int) {
	s, ok := p.resolve(o).(stream)
	if !ok {
		return
	}
	if p.name(s.dict["Subtype"]) != "Form" {
		p.picture()
		return
	}
	p.paints(o)
	// A form that draws itself twice doubles the work at each level.
	if p.drawn++; depth >= p.lim.Nesting || p.drawn > maxForms {
		damaged("forms nested too deeply")
	}
	if own := p.dict(s.dict["Resources"]); own != nil {
		resources = own
	}
	now, text, line := p.now, p.text, p.line
	if m := p.array(s.dict["Matrix"]); len(m) == 6 {
		p.now.page = sixNumbers(m).then(p.now.page)
	}
	p.content(p.form(o, s), resources, depth+1)
	p.now, p.text, p.line = now, text, line
}

// skipPicture moves on behind the data of a picture that stands among the operators.
func skipPicture(l *lexer) {
	var at int

	for {
		switch l.object(0) {
		case keyword("ID"):
			at = l.pos + 1
		case endOfData:
			return
		default:
			continue
		}

		break
	}

	for at < len(l.data) {
		end := bytes.Index(l.data[at:], []byte("EI"))
		if end < 0 {
			l.pos = len(l.data)
			return
		}
		at += end + 2
		// The data of a picture may hold the letters EI. Only the end is followed by operators.
		alone := space(l.data[at-3]) && (at == len(l.data) || space(l.data[at]))
		if alone && operators(l.data[at:min(len(l.data), at+32)]) {
			l.pos = at
			return
		}
	}
}

// operators reports whether bytes look like operators rather than a picture.
func operators(data []byte) bool {
	for _, c := range data {
		if c > '~' || c < ' ' && !space(c) {
			return false
		}
	}

	return true
}
