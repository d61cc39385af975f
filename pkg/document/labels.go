package document

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Bounds of what Word takes. What goes beyond has its label as words before the text.
const (
	mostForms   = 2000
	mostSeries  = 20000
	mostCounted = 32767
	listLevels  = 9
)

// form is how the labels of a series look: a number of a format, from 1 on, between words.
type form struct {
	level         int // from 1
	heading       bool
	format        string // empty for words without a number
	before, after string
}

// series is a run of labels of one form whose numbers follow each other.
type series struct {
	form  int
	start int
}

// labels are the lists of a Word file that show given labels. Each form has a list of its own, of which one level is
// used. So no item of another level begins it anew, and Word counts a series from its start as these labels do.
type labels struct {
	forms  []form
	places map[form]int
	series []series
	last   []counted // of each form
	points bool      // points of lists are used
	deep   bool      // headings below the third level are used
}

// counted is the series that used a form last, with its last number.
type counted struct{ series, number int }

// listed returns the number of the series, from 0, that shows a label for the next paragraph. It reports false when no
// list can be trusted to show it.
func (l *labels) listed(label string, level int, heading bool) (int, bool) {
	if strings.ContainsAny(label, "[%") || utf8.RuneCountInString(label) > 80 {
		// A label such as [Party 1] is filled in where text stands, and not in the numbering part.
		return 0, false
	}
	numbers := readings(label)

	// A form whose number follows its last one goes on with that series, even where another reading is likelier alone.
	for _, r := range numbers {
		r.form.level, r.form.heading = level, heading
		if at, ok := l.places[r.form]; ok && l.last[at].number+1 == r.number && r.form.format != "" {
			l.last[at].number++
			return l.last[at].series, true
		}
	}
	first := numbers[0]
	first.form.level, first.form.heading = level, heading
	at, known := l.places[first.form]
	// Word refuses or damages files with more.
	if !known && len(l.forms) == mostForms || len(l.series) == mostSeries {
		return 0, false
	}
	if !known {
		if l.places == nil {
			l.places = map[form]int{}
		}
		at = len(l.forms)
		l.places[first.form] = at
		l.forms = append(l.forms, first.form)
		l.last = append(l.last, counted{})
	}
	l.last[at] = counted{len(l.series), first.number}
	l.series = append(l.series, series{at, first.number})

	return len(l.series) - 1, true
}

// reading is one way to read a label.
type reading struct {
	form   form
	number int
}

// readings returns the ways to read a label, the likeliest first: its last figures or letters may be a number.
func readings(label string) []reading {
	end := len(strings.TrimRightFunc(label, func(r rune) bool { return !figure(r) && !small(r) && !capital(r) }))
	begin := end

	for _, kind := range []func(rune) bool{figure, small, capital} {
		if n := len(strings.TrimRightFunc(label[:end], kind)); n < end {
			begin = n
		}
	}
	before, token, after := label[:begin], label[begin:end], label[end:]
	var all []reading
	add := func(format string, number int) {
		if number > 0 && number <= mostCounted {
			all = append(all, reading{form{format: format, before: before, after: after}, number})
		}
	}

	switch {
	case token == "":
	case figure(rune(token[0])):
		n, _ := strconv.Atoi(token[:min(len(token), 9)])
		switch {
		case token == strconv.Itoa(n) && n >= 10 && n < 100:
			add("decimal", n)
			add("decimalZero", n)
		case token == strconv.Itoa(n):
			add("decimal", n)
		case len(token) == 2:
			add("decimalZero", n)
		}
	case small(rune(token[0])):
		addLetters(token, "lower", add)
	default:
		addLetters(strings.ToLower(token), "upper", add)
	}

	return append(all, reading{form{before: label}, 1})
}

// addLetters adds the ways to read small letters as a number: of roman figures, or by the alphabet as Word counts.
func addLetters(token, letterCase string, add func(string, int)) {
	alphabetic := (len(token)-1)*26 + int(token[0]-'a') + 1
	isRoman := roman(romanValue(token)) == token
	// "i" begins a list by roman figures more often than it is the ninth letter. Of other single letters the alphabet
	// comes first.
	if isRoman && (len(token) > 1 || token == "i") {
		add(letterCase+"Roman", romanValue(token))
	}
	if alphabetic <= 26*8 && strings.Trim(token, token[:1]) == "" {
		add(letterCase+"Letter", alphabetic)
	}
	if isRoman && len(token) == 1 {
		add(letterCase+"Roman", romanValue(token))
	}
}

func figure(r rune) bool { return r >= '0' && r <= '9' }

func small(r rune) bool { return r >= 'a' && r <= 'z' }

func capital(r rune) bool { return r >= 'A' && r <= 'Z' }

// romanFigures in the order in which they are written.
var romanFigures = []struct {
	value  int
	letter string
}{
	{1000, "m"},
	{900, "cm"},
	{500, "d"},
	{400, "cd"},
	{100, "c"},
	{90, "xc"},
	{50, "l"},
	{40, "xl"},
	{10, "x"},
	{9, "ix"},
	{5, "v"},
	{4, "iv"},
	{1, "i"},
}

// romanValue returns the value of roman figures, and some number for anything else.
func romanValue(token string) int {
	n := 0

	for _, f := range romanFigures {
		// A file may hold a label of a million letters.
		for strings.HasPrefix(token, f.letter) && n <= 3999 {
			n, token = n+f.value, token[len(f.letter):]
		}
	}

	return n
}

// roman writes a number in small roman figures, and nothing for one that has none.
func roman(n int) string {
	var b strings.Builder

	for _, f := range romanFigures {
		for ; n >= f.value && b.Len() < 16; n -= f.value {
			b.WriteString(f.letter)
		}
	}

	return b.String()
}

// number returns the properties that give a paragraph its label, or the words to put before its text.
func (l *labels) number(b Block) (look, words string) {
	level := min(max(b.Level, 1), listLevels)

	switch {
	case b.Label == "":
		return indented(b, level, 0), ""
	case b.Label == "•" && b.Kind == Heading:
		return "", ""
	case b.Label == "•":
		l.points = true
		return numPr(level-1, nestedList), ""
	}
	at, ok := l.listed(b.Label, level, b.Kind == Heading)
	if !ok {
		return indented(b, level, listHanging), b.Label + " "
	}
	look = numPr(level-1, firstLabel+at)
	if b.Kind == Heading {
		look += `<w:ind w:left="0" w:firstLine="0"/>`
	}

	return look, ""
}

// Widths of lists in twentieths of a point.
const (
	listStep    = 360
	listHanging = 720
)

func indented(b Block, level, hanging int) string {
	if b.Kind == Heading {
		return ""
	}

	return fmt.Sprintf(`<w:ind w:left="%d" w:hanging="%d"/>`, leftOf(level), hanging)
}

func leftOf(level int) int { return listHanging + listStep*(level-1) }

func numPr(level, list int) string {
	return fmt.Sprintf(`<w:numPr><w:ilvl w:val="%d"/><w:numId w:val="%d"/></w:numPr>`, level, list)
}

// Identifiers of the lists of labels in the numbering part, far from those of drafts.
const (
	nestedList  = 10_000
	firstLabel  = nestedList + 1
	nestedShape = 10
	firstShape  = nestedShape + 1
)

// shapes writes the lists, and uses the numberings of them.
func (l *labels) shapes(b *strings.Builder) {
	if l.points {
		fmt.Fprintf(b, `<w:abstractNum w:abstractNumId="%d"><w:multiLevelType w:val="hybridMultilevel"/>`, nestedShape)

		for level := range listLevels {
			fmt.Fprintf(
				b,
				`<w:lvl w:ilvl="%d"><w:start w:val="1"/><w:numFmt w:val="bullet"/><w:lvlText w:val="•"/>`+
					`<w:lvlJc w:val="left"/><w:pPr><w:ind w:left="%d" w:hanging="%d"/></w:pPr></w:lvl>`,
				level, leftOf(level+1), listStep,
			)
		}
		b.WriteString(`</w:abstractNum>`)
	}

	for i, f := range l.forms {
		fmt.Fprintf(b, `<w:abstractNum w:abstractNumId="%d"><w:multiLevelType w:val="multilevel"/>`, firstShape+i)
		f.write(b)
		b.WriteString(`</w:abstractNum>`)
	}
}

// write writes the one level of a form that is used.
func (f form) write(b *strings.Builder) {
	format, place, after := f.format, fmt.Sprintf("%%%d", f.level), ""
	if format == "" {
		format, place = "decimal", ""
	}
	// Word puts a tab behind a number, which would push the words of a heading apart.
	if f.heading {
		after = `<w:suff w:val="space"/>`
	}
	fmt.Fprintf(
		b,
		`<w:lvl w:ilvl="%d"><w:start w:val="1"/><w:numFmt w:val="%s"/>%s<w:lvlText w:val="%s"/>`+
			`<w:lvlJc w:val="left"/><w:pPr><w:ind w:left="%d" w:hanging="%d"/></w:pPr></w:lvl>`,
		f.level-1, format, after, escaped(f.before)+place+escaped(f.after), leftOf(f.level), listHanging,
	)
}

// uses writes the numberings, each of which begins where its series does.
func (l *labels) uses(b *strings.Builder) {
	if l.points {
		fmt.Fprintf(b, `<w:num w:numId="%d"><w:abstractNumId w:val="%d"/></w:num>`, nestedList, nestedShape)
	}

	for i, s := range l.series {
		fmt.Fprintf(
			b,
			`<w:num w:numId="%d"><w:abstractNumId w:val="%d"/><w:lvlOverride w:ilvl="%d">`+
				`<w:startOverride w:val="%d"/></w:lvlOverride></w:num>`,
			firstLabel+i, firstShape+s.form, l.forms[s.form].level-1, s.start,
		)
	}
}
