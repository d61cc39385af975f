package guard

import (
	"strings"
	"unicode"

	"github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"
)

// longestHeadings bounds the line of a table that is read as its headings, in bytes.
const longestHeadings = 400

// columnHeadings takes the headings of tables that papers have out of suspicion, where some are names too: "Bates",
// "Depo. Ex.", "Vol.". A cell is one when all its words are such and another cell of the row is a heading of things,
// or all the cells of three or more are headings: "Witness" beside "Bates" is a record of somebody.
func (n *names) columnHeadings() {
	if strings.IndexByte(n.text, '\t') < 0 && strings.IndexByte(n.text, '|') < 0 {
		return
	}
	next := 0 // word

	for from := 0; from < len(n.text); {
		end := len(n.text)
		if at := strings.IndexByte(n.text[from:], '\n'); at >= 0 {
			end = from + at
		}
		if end-from <= longestHeadings {
			next = n.headingsIn(from, end, next)
		}
		from = end + 1
	}
}

// headingsIn reads a line as headings, whose words begin with next or behind it, and returns the first word behind it.
func (n *names) headingsIn(from, end, next int) int {
	line := n.lower[from:end]
	if strings.IndexByte(line, '\t') < 0 && strings.IndexByte(line, '|') < 0 {
		return next
	}
	cells, headings, things := 0, 0, 0

	for cell := range strings.FieldsFuncSeq(line, columnEnd) {
		if strings.TrimSpace(cell) == "" {
			continue
		}
		cells++
		if heading, thing := columnHeading(cell); heading {
			headings++
			if thing {
				things++
			}
		}
	}

	for next < len(n.words) && int(n.words[next].start) < from {
		next++
	}
	// One heading may be the surname of whoever the row is about.
	if headings < 2 || things == 0 && (headings < cells || cells < 3) {
		return next
	}

	for ; next < len(n.words) && int(n.words[next].end) <= end; next++ {
		w := &n.words[next]
		left := strings.LastIndexFunc(n.lower[from:w.start], columnEnd) + 1 + from

		right := end
		if at := strings.IndexFunc(n.lower[w.end:end], columnEnd); at >= 0 {
			right = int(w.end) + at
		}
		if heading, _ := columnHeading(n.lower[left:right]); heading {
			w.is |= lexicon.Law
		}
	}

	return next
}

func columnEnd(r rune) bool { return r == '\t' || r == '|' }

// columnHeading reports whether a cell in small letters says no more than the heading of a column, and whether that is
// one of things, which no person has beside a name.
func columnHeading(cell string) (heading, thing bool) {
	if strings.ContainsAny(cell, tenDigits) {
		return false, false
	}

	for word := range strings.FieldsFuncSeq(cell, func(r rune) bool { return !unicode.IsLetter(r) }) {
		switch {
		case columnThings.has(word):
			thing = true
		case !columnWords.has(word):
			return false, false
		}
		heading = true
	}

	return heading, thing
}

var (
	// columnThings are words of headings that stand above things: a cell with one is no name.
	columnThings = setOf(`no nos begin beg begbates endbates begdoc enddoc begattach endattach range prefix
		description doc docs document documents type exhibit exhibits ex exs depo dep tr pages
		page line lines privilege basis date objection objections vol volume tab tabs item ctrl
		control prod production admitted adm marked ruling rulings rfp rog rogs designation
		designations category format filename subject hours rate amount balance debit credit qty
		quantity`)

	// columnWords stand in headings besides. Above a single cell they may be of a person.
	columnWords = setOf(`bates end start stop first last from to of and or for the by author authors recipient
		recipients cc bcc custodian custodians witness witnesses sponsor sponsoring source orig
		original def pl pltf jt joint attach auth authenticity resp response file time name title
		trial deposition cite counter party`)
)
