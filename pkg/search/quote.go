package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxQuote is the longest quote in code points.
const MaxQuote = 600

const usualQuote = 420 // code points that a quote has when a clause ends before that

// Quote returns the part of the passage to show, in code points of its text: whole clauses where the words that
// matter most stand together. It begins with a sentence, an item of a list or a row of a table, and ends with one,
// unless that would make it longer than MaxQuote.
func (h Hit) Quote() (from, to int) { return h.QuoteStart, h.QuoteEnd }

// Fold joins the words of a text by single blanks: the form in which quotes are compared with what they quote.
func Fold(text string) string { return strings.Join(strings.Fields(text), " ") }

const (
	headWords   = 8    // a clause with no more words goes with the one behind it, as a heading does
	headBonus   = 0.8  // of the weight of a word that stands in the heading of a clause
	kindBonus   = 0.9  // of the weight of a clause, when it holds the kind of thing that is asked for
	overShare   = 0.25 // of the weight of a word that only the heading of the section has
	lengthShare = 0.01 // of the weight of a word, for each byte of its stem: a longer word says more
	longWord    = 12   // bytes that count so
	repeatShare = 0.02 // of the weight of a word, for each time it stands in a clause again
)

// quote returns the part of a passage to show, and how much of what the query says one clause of it says, from 0 to 1
// and somewhat more when the clause holds the kind of thing that is asked for.
func (r *reader) quote(text string, tongue language) (from, to int, share float64) {
	runes := []rune(text)
	list := clauses(runes)
	if len(list) == 0 {
		return 0, 0, 0
	}
	best, alone, shown, most := 0, -1, 0.0, 0.0
	// The heading of the present section, and the words that lead to its list.
	over := ""

	for i, c := range list {
		clause := string(runes[c.start:c.end])
		head := headOf(clause)
		if head != "" || numbering(clause) > 0 {
			over = ""
		}
		bare := strings.TrimSpace(clause) == strings.TrimSpace(head) && len(list) > 1
		w := r.weigh(clause, over, tongue)
		// A heading alone answers nothing. It still counts for the passage that it is about.
		if w > shown && !bare {
			best, shown = i, w
		}
		if w > most && bare {
			alone = i
		}

		most = max(most, w)
		if head != "" {
			over = head
		}
		if leads(clause) {
			over += " " + clause
		}
	}

	all := 0.0
	for _, g := range r.groups {
		all += r.weight(g)
	}
	if all > 0 {
		share = most / all
	}

	from, to = list[led(runes, list, best)].start, list[best].end
	// Where nothing but a heading has words of the query, what stands below it is what it is about.
	if shown == 0 && alone >= 0 {
		best = min(alone+1, len(list)-1)
		from, to = list[alone].start, list[best].end
	}
	own := unitOf(runes, list[:best+1])
	whole := own.item && sentenceOfItems(runes, list[best:])

	for _, c := range list[best+1:] {
		if c.end-from > usualQuote || headOf(string(runes[c.start:c.end])) != "" {
			// A quote does not run into the next section.
			break
		}
		next := unitAt(runes, c.start)
		if own.endsBefore(next) && !(whole && next.item) {
			break
		}
		to = c.end
	}
	if to-from > MaxQuote {
		to = cutAt(runes, from, MaxQuote)
	}

	return from, to, share
}

// led returns the clause with which a quote of the clause at begins: where an item of a list is quoted, the words that
// lead to the list or the heading above it, as far as they and the items between stand near.
func led(runes []rune, list []stretch, at int) int {
	for i := at; i > 0; i-- {
		if !listed(runes, list[i].start) || list[at].end-list[i-1].start > MaxQuote {
			return at
		}
		before := string(runes[list[i-1].start:list[i-1].end])
		if leads(before) || headOf(before) != "" && !listed(runes, list[i-1].start) {
			return i - 1
		}
		if list[at].start-list[i-1].start > usualQuote {
			return at
		}
	}

	return at
}

// listed reports whether an item of a list begins at a code point: "(a)", "b)", "-".
func listed(runes []rune, at int) bool {
	at = skipBlanks(runes, at)
	if at+2 >= len(runes) {
		return false
	}

	lettered := unicode.IsLower(runes[at]) && runes[at+1] == ')'

	return lettered || strings.ContainsRune("-*•–(", runes[at]) && item(runes, at)
}

// IsHeading reports whether a text is a heading and nothing besides: it answers no question.
func IsHeading(text string) bool {
	text = strings.TrimSpace(text)
	return text != "" && headOf(text) == text
}

// Clauses cuts a text into its clauses, in code points, each from and to: sentences, items of lists, rows of tables.
func Clauses(text string) [][2]int {
	var list [][2]int
	for _, c := range clauses([]rune(text)) {
		list = append(list, [2]int{c.start, c.end})
	}

	return list
}

// weight is what a group says in a quote. Who is spoken of settles only between places that say equally much.
func (r *reader) weight(g group) float64 {
	if g.label && r.aside() {
		return labelWeight
	}

	return g.rarity + leastWeight
}

const (
	labelWeight = 0.01
	leastWeight = 0.2 // of a word that stands everywhere
)

// headOf returns the heading with which a clause begins, "" when it begins with none.
func headOf(clause string) string {
	heads := headings(clause)
	if len(heads) == 0 || heads[0].start != 0 {
		return ""
	}

	return clause[:heads[0].end]
}

// leads reports whether a clause leads to a list: "Upon expiration or termination:".
func leads(clause string) bool { return strings.HasSuffix(strings.TrimSpace(clause), ":") }

// weigh says how much of the query a clause says. Words that only the heading of its section or the lead of its list
// has count for a part.
func (r *reader) weigh(clause, over string, tongue language) float64 {
	met := map[int]float64{}
	heads := headings(clause)
	eachToken(over, func(_, _ int, word string) {
		if g, ok := r.group(tongue, word); ok {
			met[g] = max(met[g], overShare*r.weight(r.groups[g])*r.formWeight(g, tongue.stem(word)))
		}
	})

	own := map[int]bool{}

	eachWord(clause, heads, func(word string, heading bool) {
		g, ok := r.group(tongue, word)
		if !ok {
			return
		}
		stem := tongue.stem(word)
		w := r.weight(r.groups[g]) * r.formWeight(g, stem) * (1 + lengthShare*float64(min(len(stem), longWord)))
		if heading {
			w *= 1 + headBonus
		}
		if met[g] > 0 && own[g] {
			w = max(w, met[g]) + repeatShare*r.weight(r.groups[g])
		}
		met[g], own[g] = max(met[g], w), true
	})
	if len(own) == 0 {
		return 0
	}
	total := 0.0

	for _, w := range met {
		total += w
	}
	total *= 1 + kindBonus*r.wants.share(clause)

	return total
}

// formWeight is the weight of the form of a group that a stem is.
func (r *reader) formWeight(g int, stem string) float64 {
	for _, f := range r.groups[g].forms {
		if f.stem == stem {
			return f.weight
		}
	}

	return synonymShare
}

// clauses cuts a passage into its clauses, in code points: sentences, items of lists, rows of tables. What is too
// short to stand alone goes with what follows it.
func clauses(runes []rune) []stretch {
	var list []stretch
	start := skipSpace(runes, 0)

	for at := start + 1; at <= len(runes); at++ {
		if at < len(runes) && !clause(runes, at) {
			continue
		}
		short := at < len(runes) && len(strings.Fields(string(runes[start:at]))) <= headWords
		if short && (!paragraphEnd(runes, at) || headsNext(runes, start, at)) {
			continue
		}
		if at > start {
			list = append(list, parts(runes, stretch{start, at})...)
		}
		start = skipSpace(runes, at)
		at = max(at, start)
	}

	return list
}

// headsNext reports whether a line from start to at is a numbered heading, and a paragraph that is none follows it: a
// heading says nothing without its section.
func headsNext(runes []rune, start, at int) bool {
	line := string(runes[start:at])
	if strings.ContainsRune(line, '\n') || numbering(line) == 0 || headingLength(line) != len(line) {
		return false
	}
	next := skipSpace(runes, at)

	end := next
	for end < len(runes) && runes[end] != '\n' {
		end++
	}
	following := string(runes[next:end])

	return following != "" && following[0] != '|' && headingLength(following) != len(following)
}

// parts cuts a clause that is too long for a quote behind its semicolons.
func parts(runes []rune, c stretch) []stretch {
	if c.end-c.start <= MaxQuote {
		return []stretch{c}
	}
	var list []stretch
	start := c.start

	for at := c.start; at < c.end-1; at++ {
		if runes[at] == ';' && unicode.IsSpace(runes[at+1]) && at-start > usualQuote/2 {
			list = append(list, stretch{start, at + 1})
			start = skipSpace(runes, at+1)
		}
	}

	// Otherwise nothing but space follows the last semicolon.
	if start < c.end {
		list = append(list, stretch{start, c.end})
	}

	return list
}

// paragraphEnd reports whether a paragraph ends at a code point, or a line before an item of a list.
func paragraphEnd(runes []rune, at int) bool {
	return runes[at] == '\n' && at+1 < len(runes) && (runes[at+1] == '\n' || newItem(runes, at+1))
}

func skipSpace(runes []rune, at int) int {
	for at < len(runes) && unicode.IsSpace(runes[at]) {
		at++
	}

	return at
}

// cutAt returns where a text that begins at from ends when it may have so many code points: at the last word that fits.
func cutAt(runes []rune, from, most int) int {
	to := min(len(runes), from+most)
	if to < len(runes) && !unicode.IsSpace(runes[to]) {
		cut := to
		for cut > from && !unicode.IsSpace(runes[cut-1]) {
			cut--
		}
		// Otherwise one word fills the whole quote.
		if cut > from {
			to = cut
		}
	}

	for to > from && unicode.IsSpace(runes[to-1]) {
		to--
	}

	return to
}

// clause reports whether a sentence, a paragraph, an item of a list or a row of a table ends before a code point.
func clause(runes []rune, at int) bool {
	if at < 2 || !unicode.IsSpace(runes[at]) {
		return false
	}
	if runes[at] == '\n' && newParagraph(runes, at) {
		return true
	}

	end := at - 1
	for end > 0 && strings.ContainsRune(`)"'”’`, runes[end]) {
		end--
	}
	if !strings.ContainsRune(".?!", runes[end]) || end < 2 {
		return false
	}
	next := skipSpace(runes, at)
	if runes[end] != '.' {
		return true
	}
	if next < len(runes) && unicode.IsLower(runes[next]) {
		return false
	}

	return !shortened(runes, end)
}

// newParagraph reports whether a paragraph or an item begins behind the end of a line at a code point.
func newParagraph(runes []rune, at int) bool {
	if at+1 < len(runes) && runes[at+1] == '\n' {
		return true
	}

	return newItem(runes, at+1) && !wraps(runes, at)
}

// newItem reports whether an item begins with the line that begins at a code point.
func newItem(runes []rune, line int) bool { return item(runes, line) && opens(runes, line) }

// wraps reports whether the line that ends at a code point goes on within brackets: "(as defined in Section" and then
// "8) will survive" is one sentence, though the second line begins as an item does.
func wraps(runes []rune, at int) bool {
	for i := at - 1; i >= 0 && at-i < bracketReach; i-- {
		switch runes[i] {
		case ')':
			return false
		case '(':
			return true
		}
	}

	return false
}

const bracketReach = 100 // code points back to a bracket that is still open

// shortened reports whether the full stop at a code point belongs to a word that is cut short, an initial, or the
// number of a paragraph or a thing.
func shortened(runes []rune, stop int) bool {
	start := stop
	for start > 0 && !unicode.IsSpace(runes[start-1]) && stop-start < 12 {
		start--
	}
	word := strings.TrimLeft(string(runes[start:stop]), "([“\"")
	if word == "" || strings.Contains(word, ".") || utf8.RuneCountInString(word) == 1 {
		return true
	}
	if strings.Trim(word, "0123456789") == "" {
		return start == 0 || runes[start-1] == '\n' || numbersPart(runes, start) || germanOrdinal(runes, start, stop)
	}

	switch strings.ToLower(word) {
	case "no",
		"nos", "vs", "mr", "ms", "mrs", "dr", "st", "inc", "corp", "co", "ltd", "art", "sec", "abs", "nr", "bzw",
		"zzgl", "inkl", "ggf", "vgl", "gem", "ca", "fed", "civ", "cir", "ex", "cf", "jan", "feb", "mar", "apr",
		"jun", "jul", "aug", "sept", "oct", "nov", "dec", "para", "cl", "pp",
		"approx":
		return true
	}

	return false
}

// beforeOrdinals are the German words before an ordinal, "am 15. März", "das 14. Lebensjahr".
var beforeOrdinals = []string{
	"am", "zum", "vom", "bis", "ab", "das", "des", "dem", "den", "der", "die", "im", "jeden", "jedes",
	"spätestens", "seit",
}

// germanOrdinal reports whether a number of one or two digits with its full stop is a German ordinal.
func germanOrdinal(runes []rune, start, stop int) bool {
	if stop-start > 2 {
		return false
	}

	end := start
	for end > 0 && unicode.IsSpace(runes[end-1]) {
		end--
	}

	at := end
	for at > 0 && unicode.IsLetter(runes[at-1]) && end-at <= longestPartName {
		at--
	}

	return slices.Contains(beforeOrdinals, strings.ToLower(string(runes[at:end])))
}

// numbersPart reports whether the number at a code point is that of a part which begins its line: "Article 3.".
func numbersPart(runes []rune, at int) bool {
	line := at
	for line > 0 && runes[line-1] != '\n' && at-line <= longestPartName+1 {
		line--
	}

	return (line == 0 || runes[line-1] == '\n') && named(runes, line)
}

// item reports whether a line that begins at a code point is an item of a list, a row of a table or a heading.
func item(runes []rune, at int) bool {
	at = unmarked(runes, skipBlanks(runes, at))
	if at >= len(runes) {
		return false
	}
	// "(a)" and "3)" within a sentence are followed by a comma or a letter.
	next := func(i int) bool { return i < len(runes) && unicode.IsSpace(runes[i]) }
	if named(runes, at) {
		return true
	}

	switch runes[at] {
	case '|':
		return true
	case '-', '*', '•', '–', '#':
		return next(at+1) || at+1 < len(runes) && runes[at+1] == '#'
	case '(':
		end := at + 1
		for end < len(runes) && end-at < 6 && (unicode.IsLetter(runes[end]) || unicode.IsDigit(runes[end])) {
			end++
		}

		return end > at+1 && end < len(runes) && runes[end] == ')' && next(end+1)
	}

	end := numberEnd(runes, at)
	switch {
	case end == at || end == len(runes):
		return false
	case runes[end] == ')': // "3)"
		return next(end + 1)
	}

	// A number with no point in it, such as a year, may stand at the beginning of any line.
	return (next(end) || end < len(runes) && runes[end] == '*') && slices.Contains(runes[at:end], '.')
}

// numberEnd returns where the number of an item that begins at a code point ends: "4", "4.", "4.2.1".
func numberEnd(runes []rune, at int) int {
	if !unicode.IsDigit(runes[at]) {
		return at
	}

	end := at
	for end < len(runes) && end-at < longestNumber && (unicode.IsDigit(runes[end]) || runes[end] == '.') {
		end++
	}

	return end
}

const longestNumber = 8 // of an item, in code points

// partNames are what a numbered part of a paper is called at the beginning of its line.
var partNames = []string{
	"article", "section", "clause", "paragraph", "schedule", "annex", "exhibit", "appendix", "artikel", "ziffer", "§",
}

const longestPartName = 10

// named reports whether a line begins with the name and the number of a part: "Article 3", "Section IV", "§ 7".
func named(runes []rune, at int) bool {
	end := at
	for end < len(runes) && end-at <= longestPartName && !unicode.IsSpace(runes[end]) {
		end++
	}
	if !slices.Contains(partNames, strings.ToLower(string(runes[at:end]))) {
		return false
	}
	number := skipBlanks(runes, end)

	if number == len(runes) || number == end {
		return false
	}

	return unicode.IsDigit(runes[number]) || strings.ContainsRune("IVX", runes[number])
}

func skipBlanks(runes []rune, at int) int {
	for at < len(runes) && (runes[at] == ' ' || runes[at] == '\t') {
		at++
	}

	return at
}
