package guard

import (
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/guard/internal/census"
	"github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"
)

// Whoever has labelled a text wants to know what may still be a name in it. For them alone the guard doubts words that
// pass every door: a given name with a surname behind it, and what fills a field by itself.

// doubts finds words that may be names, though nothing says so.
func (n *names) doubts() {
	for _, i := range n.large {
		switch {
		case n.doubtfulPair(i):
			n.add(kindDoubt, ruleDoubt, i, i+2)
		case n.doubtfulAlone(i):
			n.add(kindDoubt, ruleDoubt, i, i+1)
		}
	}

	for from := 0; from < len(n.text); {
		end := len(n.text)
		if at := strings.IndexByte(n.text[from:], '\n'); at >= 0 {
			end = from + at
		}
		n.doubtLine(from, end)
		from = end + 1
	}
}

// doubtfulPair reports whether the words i and i+1 are a given name and a surname, whatever else they are.
func (n *names) doubtfulPair(i int) bool {
	if i+1 >= len(n.words) || !n.nameWords(i, i+2) || n.text[n.words[i].end:n.words[i+1].start] != " " {
		return false
	}
	g, s := n.words[i].is, n.words[i+1].is
	if g&lexicon.Given == 0 || s&lexicon.Surname == 0 {
		return false
	}
	// One of the two has to be a frequent name, or every heading of two words would be doubted.
	sure := g&lexicon.KnownProper != 0 && s&lexicon.KnownProper != 0
	frequent := census.Given(n.lowered(i)) > 0 || census.Surname(n.lowered(i+1)) > 0

	return sure && frequent && (g|s)&lexicon.Calendar == 0
}

// doubtfulAlone reports whether word i, a frequent given name, stands capitalised inside a sentence, where most words
// that are no names are small, and is no term of contracts.
func (n *names) doubtfulAlone(i int) bool {
	w := &n.words[i]
	if !w.has(capitalised) || w.shape&(opening|allCapitals|initial|quotedLaw) != 0 || w.is&publicWord != 0 {
		return false
	}
	s := n.lowered(i)
	if i == 0 || n.words[i-1].has(capitalised) || census.Given(s) == 0 || defined.has(s) {
		return false
	}
	before := n.lowered(i - 1)

	return !determiners.has(before) && !n.goesOn(i+1) && n.text[n.words[i-1].end:w.start] == " "
}

// nameWords reports whether the words from first to end are capitalised and no part of a citation or of an office.
func (n *names) nameWords(first, end int) bool {
	for i := first; i < end; i++ {
		w := &n.words[i]
		if !startsUpper(n.text[w.start:]) || w.has(quotedLaw|initial) {
			return false
		}
		if s := n.lowered(i); w.is&lexicon.Honorific != 0 || party(s) && !namesMany(s) {
			return false
		}
	}

	return true
}

// doubtLine doubts what fills a cell of a row, the value behind a label, or an item of a list.
func (n *names) doubtLine(from, end int) {
	line := n.text[from:end]
	if row(line) {
		for cell := range splitCells(line) {
			n.doubtField(from+cell.start, from+cell.end)
		}

		return
	}

	bare := strings.TrimLeft(line, " ")
	if rest, ok := strings.CutPrefix(bare, "- "); ok {
		n.doubtField(end-len(rest), end)
		return
	}
	if at := strings.IndexByte(bare, ':'); at > 0 && at <= longestFieldName {
		n.doubtField(end-len(bare)+at+1, end)
		return
	}
	n.doubtField(from, end)
}

// doubtField doubts what stands from byte start to byte stop if two words or more that names consist of fill it, or one
// that is a frequent name.
func (n *names) doubtField(start, stop int) {
	first, end := n.cellWords(start, stop)
	for first < end && party(n.lowered(first)) && !namesMany(n.lowered(first)) {
		first++ // the heading of a column that was joined to what stands below it
	}
	if end == first || end-first > longestValue || !n.nameWords(first, end) {
		return
	}
	// What fills a field by itself is doubted even if the words are ordinary.
	if end-first <= 3 && !n.termIn(first, end) && !n.headingLine(start) {
		n.add(kindDoubt, ruleDoubt, first, end)
		return
	}
	named := 0

	for i := first; i < end; i++ {
		w := &n.words[i]
		strange := w.is == 0 || n.class(i) == unknown
		if strange || w.is&(lexicon.Given|lexicon.Surname) != 0 && w.is&lexicon.KnownProper != 0 {
			named++
		}
	}
	lone := end-first == 1 && n.frequentName(first)
	if named >= 2 || named == 1 && lone {
		n.add(kindDoubt, ruleDoubt, first, end)
	}
}

// termIn reports whether a word from first to end is a term of contracts or law, or one of dates, and none of them the
// name of many people.
func (n *names) termIn(first, end int) bool {
	term := false

	for i := first; i < end; i++ {
		s := n.lowered(i)
		if contractTitles.has(s) {
			return true
		}
		if n.words[i].is&(lexicon.Given|lexicon.Surname) != 0 || census.Given(s) > 0 || census.Surname(s) > 0 {
			return false
		}
		legal := defined.has(s) || n.words[i].is&lexicon.Law != 0
		term = term || end-first > 1 && legal || n.words[i].is&lexicon.Calendar != 0
	}

	return term
}

// contractTitles are words of the headings and the fields of contracts.
var contractTitles = setOf(`agreement agreements notice notices exhibit schedule definitions recitals term terms law
	rent clause section payment payments status total amount date name`)

// headingLine reports whether byte start stands in the first row of a table, and that row says what stands below it: it
// has no number, and a word of headings.
func (n *names) headingLine(start int) bool {
	from := strings.LastIndexByte(n.text[:start], '\n') + 1
	line, _, more := strings.Cut(n.text[from:], "\n")
	above := strings.TrimRight(n.text[:from], "\n")
	// A row with a number holds data, and a table without a second row has no headings.
	if !more || !row(line) || strings.ContainsAny(line, tenDigits) {
		return false
	}
	if row(above[strings.LastIndexByte(above, '\n')+1:]) {
		return false
	}

	for cell := range splitCells(line) {
		if headsColumn(line[cell.start:cell.end]) {
			return true
		}
	}

	return false
}

// frequentName reports whether word i by itself is the name of many people, and no term of contracts.
func (n *names) frequentName(i int) bool {
	s := n.lowered(i)
	if n.words[i].is&publicWord != 0 || defined.has(s) {
		return false
	}

	return census.Given(s) > 0 || census.Surname(s) > 0 && n.words[i].is&lexicon.Everyday == 0
}
