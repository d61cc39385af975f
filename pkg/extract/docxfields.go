package extract

import (
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// field is an open field of a Word file: its instructions, and what it shows when the file holds that.
type field struct {
	codes  strings.Builder
	result bool   // what stands now is what it shows
	shown  string // the beginning of that
}

// mostShown bounds what is remembered of the result of a field, in bytes.
const mostShown = 16

// openField opens a field. The instructions of a simple one stand in its tag, and all that is in it is its result.
func (f *flow) openField(codes string, result bool) {
	open := &field{result: result}
	open.codes.WriteString(codes)
	f.fields = append(f.fields, open)
	f.text -= pieceBytes
}

// fieldMark takes the mark that begins, parts or ends a field.
func (f *flow) fieldMark(e xml.StartElement) {
	switch attr(e, "fldCharType") {
	case "begin":
		f.openField("", false)
	case "separate":
		if n := len(f.fields); n > 0 {
			f.fields[n-1].result = true
		}
	case "end":
		f.endField()
	}
}

// fieldShows notes text that open fields show.
func (f *flow) fieldShows(s string) {
	for _, open := range f.fields {
		if s := strings.TrimSpace(s); open.result && len(open.shown)+len(s) <= mostShown {
			open.shown += s
		} else if open.result && open.shown == "" {
			// That it shows something is all that matters once the result is too long to be a number.
			open.shown = s[:1]
		}
	}
}

// endField closes the innermost field. Word counts some fields anew whenever it opens a file, and keeps no result for
// them; what it would show is written here.
func (f *flow) endField() {
	n := len(f.fields)
	if n == 0 {
		return
	}
	ended := f.fields[n-1]
	f.fields = f.fields[:n-1]
	codes := readFieldCode(ended.codes.String())
	// A field in text that nobody sees still ends, or all that follows would belong to it.
	if f.inDeleted > 0 || f.fallback > 0 {
		return
	}
	shown, known := f.fieldNumber(codes, ended.shown)
	if ended.shown != "" || known && shown.label == "" {
		return
	}

	for _, outer := range f.fields {
		if !outer.result {
			// It is an instruction of the outer field.
			return
		}
	}

	switch {
	case known:
		f.writeNumber(shown)
	case f.visible():
		f.paragraph.WriteString(f.marks.unread(UnreadNumber, 1))
		f.text -= markCost
	}
}

// counted is a number that a field shows.
type counted struct {
	label string
	plain bool // it was counted from 1 and has no words, so that it is the number of a paragraph and nothing else
}

// writeNumber writes what a field shows. At the beginning of a paragraph it is its number; elsewhere it is a word like
// others.
func (f *flow) writeNumber(n counted) {
	f.fieldShows(n.label)
	number := n.plain && figures(n.label) <= mostFigures && !spells(n.label)
	if number && f.visible() && strings.TrimSpace(f.paragraph.String()) == "" {
		f.paragraph.WriteString(f.marks.number(n.label))
		f.text -= int64(len(n.label)) + markCost
		f.onPage = true

		return
	}
	f.text -= int64(len(n.label))
	f.write(n.label)
}

// fieldNumber counts a field that numbers and returns what it shows. It is not known when the file does not tell.
// Fields that do not number show nothing. held is the result that the file holds, empty for none.
func (f *flow) fieldNumber(codes fieldCode, held string) (shown counted, known bool) {
	switch codes.name {
	case "AUTONUM", "AUTONUMLGL", "AUTONUMOUT":
		return f.auto.next(codes, f.headingLevel())
	case "LISTNUM":
		return f.listNumber(codes)
	case "SEQ":
		return f.sequences.next(codes, held)
	}

	return counted{}, true
}

// fieldCode is what the instructions of a field say.
type fieldCode struct {
	name     string // in capitals
	words    []string
	switches map[string]string // by their letters in small, with the word behind each
}

// flags are the switches that no word follows.
const flags = "cehn"

// mostCodeWords bounds the words that are read of the instructions of a field.
const mostCodeWords = 32

// readFieldCode reads the instructions of a field. Words in quotation marks are one.
func readFieldCode(codes string) fieldCode {
	out := fieldCode{switches: map[string]string{}}
	// The switch that waits for its word.
	open := ""

	for range mostCodeWords {
		word, quoted, rest, ok := nextCodeWord(codes)
		if !ok {
			break
		}
		codes = rest

		switch {
		case len(word) > 1 && word[0] == '\\' && !quoted:
			key := strings.ToLower(word[1:2])
			if out.switches[key] = word[2:]; word[2:] == "" && !strings.Contains(flags, key) {
				open = key
			}
		case open != "":
			out.switches[open] = strings.TrimSpace(out.switches[open] + " " + word)
			if open == "s" {
				// A blank can be a separator, so the word is kept as it is.
				out.switches[open] = word
			}
			open = ""
		case out.name == "":
			out.name = strings.ToUpper(word)
		default:
			out.words = append(out.words, word)
		}
	}

	return out
}

// nextCodeWord cuts the first word off the instructions of a field.
func nextCodeWord(codes string) (word string, quoted bool, rest string, ok bool) {
	codes = strings.TrimSpace(codes)
	if codes == "" {
		return "", false, "", false
	}
	if inner, found := strings.CutPrefix(codes, `"`); found {
		word, rest, _ = strings.Cut(inner, `"`)
		return word, true, rest, true
	}
	if i := strings.IndexAny(codes, " \t\n\u00a0"); i >= 0 {
		return codes[:i], false, codes[i:], true
	}

	return codes, false, "", true
}

// has reports whether the instructions hold a switch.
func (c fieldCode) has(letter string) bool {
	_, ok := c.switches[letter]

	return ok
}

// whole reads the word of a switch as a number.
func (c fieldCode) whole(letter string) (n int, ok bool) {
	n, err := strconv.Atoi(c.switches[letter])

	return n, err == nil
}

// numeral writes a number as the switches of a field say. It is false for forms that are not known here.
func (c fieldCode) numeral(n int) (label string, ok bool) {
	if picture := c.switches["#"]; c.has("#") {
		if strings.Trim(picture, "0#") != "" || len(picture) > 8 {
			return "", false
		}

		return fmt.Sprintf("%0*d", strings.Count(picture, "0"), n), true
	}
	form := c.switches["*"]
	upper := form != "" && form[0] < 'a'

	switch strings.ToLower(form) {
	case "", "arabic", "mergeformat", "charformat", "upper", "lower", "firstcap", "caps":
		return strconv.Itoa(n), true
	case "roman":
		label = roman(n)
	case "alphabetic":
		label = strings.ToUpper(letters(n))
	case "ordinal":
		return ordinal(n), true
	case "cardtext":
		return cardinalText(n), true
	case "ordtext":
		return ordinalText(n), true
	case "arabicdash":
		return numeral("numberInDash", n), true
	default:
		return "", false
	}
	if !upper {
		label = strings.ToLower(label)
	}

	return label, true
}

// worded reports whether a form of numbers has words.
func (c fieldCode) worded() bool { return strings.HasSuffix(strings.ToLower(c.switches["*"]), "text") }

// autoNumbers count the paragraphs that number themselves by a field: headings by their levels, and what is between
// them.
type autoNumbers struct {
	headings [maxLevel + 1]int // by their levels from 1
	level    int               // of the last heading that was numbered, 0 for none
	body     int               // paragraphs since that one
}

// next counts a paragraph, of the given level when it is a heading, and returns its number.
func (a *autoNumbers) next(codes fieldCode, level int) (shown counted, known bool) {
	if level > 0 && level <= maxLevel {
		a.headings[level]++
		clear(a.headings[level+1:])
		a.level, a.body = level, 0
	} else {
		a.body++
		level = 0
	}
	separator := codes.separator()
	label, known := a.label(codes, separator, level)
	plain := !codes.worded() && !strings.ContainsFunc(separator, alphanumeric)

	return counted{label: label, plain: plain}, known
}

func alphanumeric(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// separator returns the character that stands behind and between numbers.
func (c fieldCode) separator() string {
	for _, r := range c.switches["s"] {
		return string(r)
	}

	return "."
}

// label writes the number of the present paragraph.
func (a *autoNumbers) label(codes fieldCode, separator string, level int) (label string, known bool) {
	own := a.body
	if level > 0 {
		own = a.headings[level]
	}
	if codes.name == "AUTONUMOUT" {
		if level == 0 {
			return strconv.Itoa(own) + ".", true
		}
		form := builtInList("OUTLINEDEFAULT").levels[level-1]
		before, after, _ := strings.Cut(form.text, "%"+strconv.Itoa(level))

		return before + numeral(form.format, own) + after, true
	}
	last, known := codes.numeral(own)
	if codes.name == "AUTONUM" {
		return last + separator, known
	}

	var numbers []string

	for above := 1; above <= a.level && (above < level || level == 0); above++ {
		number, ok := codes.numeral(a.headings[above])
		// No number is known below a level that was left out.
		known = known && ok && a.headings[above] > 0
		numbers = append(numbers, number)
	}
	label = strings.Join(append(numbers, last), separator)
	if !codes.has("e") {
		label += separator
	}

	return label, known
}

// sequences count what has a number of its kind, such as figures, by the name of the kind.
type sequences struct {
	last     map[string]sequenced
	headings [maxLevel + 1]int // when the last heading of each level ended
	now      int               // headings that have ended
}

// sequenced is the last number of a sequence and when it was counted.
type sequenced struct{ number, at int }

// heading notes that a heading has ended.
func (s *sequences) heading(level int) {
	if level > 0 && level <= maxLevel {
		s.now++
		s.headings[level] = s.now
	}
}

// next counts a field of a sequence, and returns its number. A number that the file holds is where counting goes on.
func (s *sequences) next(codes fieldCode, held string) (shown counted, known bool) {
	if len(codes.words) != 1 {
		// It shows the number of another place.
		return counted{}, false
	}
	if s.last == nil {
		s.last = map[string]sequenced{}
	}
	name := strings.ToLower(codes.words[0])
	n := s.last[name]
	own := false

	switch start, ok := codes.whole("r"); {
	case ok:
		n.number, own = start, true
	case codes.has("c"):
	default:
		if s.restarts(codes, n) {
			n.number = 0
		}
		n.number++
	}
	if number, err := strconv.Atoi(held); err == nil {
		n.number = number
	}
	n.at = s.now
	s.last[name] = n
	if codes.has("h") && !codes.has("*") {
		return counted{}, true
	}
	label, known := codes.numeral(n.number)

	return counted{label: label, plain: !own && !codes.worded()}, known
}

// restarts reports whether a heading after which a sequence begins anew has ended since its last number.
func (s *sequences) restarts(codes fieldCode, last sequenced) bool {
	level, ok := codes.whole("s")
	if !ok {
		return false
	}

	for i := 1; i <= min(level, maxLevel); i++ {
		if s.headings[i] > last.at {
			return true
		}
	}

	return false
}

// listField is the list to which a field belongs, and the level of its last item.
type listField struct {
	definition *definition
	use        *numbering
	level      int
}

// fieldLists are the lists that fields use.
type fieldLists struct {
	builtIn      map[string]*listField
	byDefinition map[*definition]*listField
	last         *listField // used by a field or a paragraph
}

// listNumber counts an item of a list that stands anywhere in a paragraph.
func (f *flow) listNumber(codes fieldCode) (shown counted, known bool) {
	list := f.listOfField(codes)
	at := f.levelOfField(list)
	if level, ok := codes.whole("l"); ok {
		at = min(max(level, 1), maxLevel) - 1
	}
	d := list.definition
	start, own := codes.whole("s")
	if own {
		d.number[at], d.begun[at] = start-1, true
	}
	label, spoken := d.next(list.use, at)
	list.level, f.look.field = at, list
	f.fieldLists.last = list

	return counted{label: label, plain: !spoken && (!own || start <= 1)}, true
}

// listOfField returns the list to which a field belongs: one of Word's own by its name, that of its paragraph, another
// by its name, or the last one that was used.
func (f *flow) listOfField(codes fieldCode) *listField {
	name := strings.ToUpper(strings.Join(codes.words, " "))
	if list := f.builtIn(name); list != nil {
		return list
	}
	f.countParagraph(f.styles.resolved(f.look.style))
	if f.look.numbered != nil {
		return f.look.numbered
	}
	if d := f.lists.named[name]; d != nil && name != "" {
		return f.fieldList(d, &numbering{})
	}
	if f.fieldLists.last != nil {
		return f.fieldLists.last
	}

	return f.builtIn("NUMBERDEFAULT")
}

// levelOfField returns the level from 0 of a field that does not say its own. Fields at the beginning of a paragraph
// stand one below the other, those behind words beside each other.
func (f *flow) levelOfField(list *listField) int {
	switch {
	case f.look.field == list && f.look.worded:
		return list.level
	case f.look.field == list:
		return min(list.level+1, maxLevel-1)
	case f.look.numbered == list:
		return min(f.look.at+1, maxLevel-1)
	case f.look.worded:
		return list.level
	}

	return 0
}

// fieldList returns the list of fields that counts as a definition does.
func (f *flow) fieldList(d *definition, use *numbering) *listField {
	if f.fieldLists.byDefinition == nil {
		f.fieldLists.byDefinition = map[*definition]*listField{}
	}
	list := f.fieldLists.byDefinition[d]
	if list == nil {
		list = &listField{definition: d}
		f.fieldLists.byDefinition[d] = list
	}
	list.use = use

	return list
}

// builtIn returns one of the lists that Word has without a definition in the file, nil when it has none of the name.
func (f *flow) builtIn(name string) *listField {
	if f.fieldLists.builtIn == nil {
		f.fieldLists.builtIn = map[string]*listField{}
	}
	if list := f.fieldLists.builtIn[name]; list != nil {
		return list
	}
	d := builtInList(name)
	if d == nil {
		return nil
	}
	list := f.fieldList(d, &numbering{})
	f.fieldLists.builtIn[name] = list

	return list
}

// builtInList returns a list of Word's own, nil when it has none of the name, which is in capitals.
func builtInList(name string) *definition {
	var forms string

	switch name {
	case "NUMBERDEFAULT", "NUMBERVALUE":
		forms = "1) a) i) (1) (a) (i) 1. a. i."
	case "OUTLINEDEFAULT":
		forms = "I. A. 1. a) (1) (a) (i) (a) (i)"
	case "LEGALDEFAULT":
		d := &definition{levels: newLevels()}
		pattern := ""

		for i := range d.levels {
			pattern += "%" + strconv.Itoa(i+1) + "."
			d.levels[i] = numberedLevel{format: "decimal", text: pattern, start: 1, restart: -1}
		}

		return d
	default:
		return nil
	}
	d := &definition{levels: newLevels()}
	formats := map[string]string{
		"1": "decimal", "a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman",
	}

	for i, form := range strings.Fields(forms) {
		sign := strings.Trim(form, "().")
		d.levels[i] = numberedLevel{
			format:  formats[sign],
			text:    strings.Replace(form, sign, "%"+strconv.Itoa(i+1), 1),
			start:   1,
			restart: -1,
		}
	}

	return d
}
