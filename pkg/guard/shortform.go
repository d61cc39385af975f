package guard

import (
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/guard/internal/legalform"
	"github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"
)

// aliases finds what stands behind "d/b/a" and its like, which is the name of a business.
func (n *names) aliases() {
	for _, behind := range n.large {
		i := behind - 1
		if i < 2 {
			continue
		}
		if n.words[i].end-n.words[i].start > 3 || !n.words[i+1].has(capitalised) || !n.alias(i) {
			continue
		}
		if gap := n.text[n.words[i].end:n.words[i+1].start]; strings.ContainsAny(gap, "]()") {
			continue // d/b/a [Company 2] ("Builder")
		}

		end := i + 2
		for n.goesOn(end) {
			end++
		}
		n.learnCompany(i+1, end)
		n.add(kindCompany, ruleCompany, i+1, end)
	}
}

// labelled finds the company behind a label that asks for it: "Name of the company: Blue Harbor Foods".
func (n *names) labelled() {
	for _, i := range n.large[n.opens:] {
		w := &n.words[i]
		if !w.has(capitalised) || n.text[n.words[i-1].end:w.start] != ": " || !companyLabels.has(n.lowered(i-1)) {
			continue
		}

		end := i + 1
		for n.goesOn(end) {
			end++
		}
		if end-i >= 2 && n.ownName(i, end, n.askedForm(i-1, end)) && !n.words[end-1].has(possessive) {
			n.learnCompany(i, end)
			n.add(kindCompany, ruleCompany, i, end)
		}
	}
}

// askedForm says how sure it is that the words behind a label, word i, name a company: the label asks for a name, or
// the next line says which legal form it has.
func (n *names) askedForm(i, end int) legalform.Class {
	before := i - 1
	if before > 0 && n.lowered(before) == "the" {
		before--
	}
	if before >= 0 && n.lowered(before) == "of" {
		return legalform.Sure // "Name of the company: "
	}
	rest := strings.TrimLeft(n.text[n.words[end-1].end:], " \n.")
	if strings.HasPrefix(rest, "Legal form") || strings.HasPrefix(rest, "Form:") {
		return legalform.Sure
	}

	return legalform.Soft
}

// alias reports whether word i ends "d/b/a", "f/k/a" or "a/k/a".
func (n *names) alias(i int) bool {
	switch n.lowered(i) {
	case "dba":
		return true
	case "a":
		switch strings.ToLower(n.text[n.words[i-2].start:n.words[i].end]) {
		case "d/b/a", "f/k/a", "a/k/a", "d.b.a":
			return true
		}
	}

	return false
}

// learnCompany remembers by what a company is called elsewhere: its name without the form, its first word where
// that is no ordinary one, and the short form in brackets behind it.
func (n *names) learnCompany(first, end int) {
	stop := end
	for stop > first+1 {
		if legalform.Of(n.lowered(stop-1), true) == legalform.None {
			break
		}
		stop--
	}

	w := &n.words[first]
	// The first word alone is a company only if nothing else accounts for it.
	if n.class(first) == unknown && !w.has(initial) && w.end-w.start >= 3 {
		n.memory.note(n.lowered(first))
	}

	switch {
	case stop-first >= 2:
		n.memory.learnPhrase(n, first, stop)
	case stop == first+1 && stop < end && n.class(first) == plain:
		n.memory.learnPhrase(n, first, end) // Apex Corporation
	}
	n.learnBroken(first, stop)

	if stop-first >= 3 && n.leadingPhrase(first) {
		n.memory.learnPhrase(n, first, first+2)
	}
	n.learnShortForm(first, end)
}

// learnBroken remembers what stands behind a line break in a company's name, from word first to before word stop:
// before the break may be the other column of a caption.
func (n *names) learnBroken(first, stop int) {
	for k := first + 1; k+2 <= stop; k++ {
		if strings.Contains(n.text[n.words[k-1].end:n.words[k].start], "\n") {
			n.memory.learnPhrase(n, k, stop)
		}
	}
}

// learnShortForm learns what stands in quotation marks in the bracket behind a company: (“Harbor”), ("BHF" or
// the "Company").
func (n *names) learnShortForm(first, i int) {
	if i >= len(n.words) || i == 0 {
		return
	}
	at := int(n.words[i-1].end)
	rest := n.text[at:min(len(n.text), at+shortFormReach)]
	open := strings.IndexByte(rest, '(')
	if open < 0 || strings.Contains(rest[:open], "\n\n") || strings.ContainsAny(rest[:open], ";") {
		return
	}
	stop := strings.IndexByte(rest[open:], ')')
	if stop < 0 {
		return
	}
	from, to := at+open, at+open+stop

	n.learnInitials(first, i, from, to)
	n.learnPart(first, i, from, to)

	name := n.phrase(first, i)
	// Right behind the name a bracket without quotation marks is a short form too.
	if open <= 2 && n.bareShortForm(i, from, to, name) {
		n.memory.note(n.lowered(i))
		n.memory.note(shortMark + n.lowered(i))

		return
	}

	for ; i < len(n.words) && int(n.words[i].start) < to; i++ {
		w := &n.words[i]
		if int(w.start) < from || !w.has(capitalised) || !n.quoted(i) && !n.announcedForm(i, from) {
			continue
		}

		end := i + 1
		for n.goesOn(end) && int(n.words[end].start) < to {
			end++
		}
		n.learnQuoted(i, end, name)
		if end == i+1 && w.has(initial) && end < len(n.words) && n.gap(i) == "&" {
			n.memory.learnPhrase(n, i, end+1) // C & W
		}
		i = end - 1
	}
}

// announcedForm reports whether nothing but words that announce a short form stands between the bracket, byte open, and
// word i: "(hereinafter referred to as Harbor)".
func (n *names) announcedForm(i, open int) bool {
	before := strings.Fields(n.lower[open+1 : n.words[i].start])
	if len(before) == 0 || !strings.HasPrefix(before[0], "here") {
		return false
	}

	for _, word := range before {
		if !announcing.has(strings.Trim(word, ",")) {
			return false
		}
	}

	return true
}

var announcing = setOf(`hereinafter hereafter herein referred to as called sometimes collectively the`)

// learnPart learns what stands in the bracket from byte open to byte shut, if it is two words or more of the company's
// name, from first to before i: "Blue Harbor Foods, L.P. (Harbor Foods)".
func (n *names) learnPart(first, i, open, shut int) {
	short := n.text[open+1 : shut]
	if strings.IndexByte(short, ' ') < 0 || !strings.Contains(n.text[n.words[first].start:n.words[i-1].end], short) {
		return
	}
	if end := n.wordAt(shut); n.words[i].start == int32(open+1) && end-i >= 2 {
		n.memory.learnPhrase(n, i, end)
	}
}

// learnInitials learns what stands in the bracket from byte open to byte shut, if it is made of the first letters of
// the company's words, from first to before i: "Digital Oversight, Inc. (DOI)".
func (n *names) learnInitials(first, i, open, shut int) {
	short := strings.Trim(n.text[open+1:shut], ` "“”`)
	if len(short) < 2 || len(short) > 6 || strings.Trim(short, capitalLetters) != "" {
		return
	}
	at := 0

	for k := first; k < i && at < len(short); k++ {
		if n.text[n.words[k].start] == short[at] {
			at++
		}
	}
	short = strings.ToLower(short)
	if at == len(short) && i-first >= len(short)-1 && !publicAcronyms.has(short) {
		n.memory.note(short)
		n.memory.note(shortMark + short)
	}
}

// bareShortForm reports whether the bracket from byte open to byte shut holds word i alone, without quotation marks,
// and it is a word of the company's name that says nothing of its kind: "Gallery Department LLC (Gallery)".
func (n *names) bareShortForm(i, open, shut int, name string) bool {
	if i >= len(n.words) {
		return false
	}
	w := &n.words[i]
	if int(w.start) != open+1 || int(w.end) != shut || !w.has(capitalised) {
		return false
	}
	s := n.lowered(i)
	if w.is&(lexicon.Place|lexicon.Law|lexicon.Calendar) != 0 || len(s) < 3 || party(s) || formWords.has(s) {
		return false
	}
	kind := trades.has(s) || w.is&lexicon.Head != 0 && !strings.HasPrefix(name, s+" ")

	return !kind && strings.Contains(" "+name+" ", " "+s+" ")
}

// shortFormReach bounds how far behind a company the bracket with its short form ends, in bytes.
const shortFormReach = 160

// quoted reports whether a quotation mark stands right before word i.
func (n *names) quoted(i int) bool {
	before := n.text[:n.words[i].start]
	return strings.HasSuffix(before, "\"") || strings.HasSuffix(before, "“") || strings.HasSuffix(before, "''")
}

// learnQuoted learns a short form of a company's name, unless it is a role or a term such as "Company" or
// "Licensee".
func (n *names) learnQuoted(first, end int, name string) {
	if end-first >= 2 {
		own, kin := 0, false

		for i := first; i < end; i++ {
			if s := n.lowered(i); !party(s) && !formWords.has(s) && n.words[i].is&(lexicon.Law|lexicon.Head) == 0 {
				own++
				kin = kin || n.class(i) != plain || strings.Contains(name, s)
			}
		}
		if own >= 2 && kin || own == 1 && legalform.Of(n.lowered(end-1), true) != legalform.None {
			n.memory.learnPhrase(n, first, end)
		}

		return
	}

	w := &n.words[first]
	s := n.lowered(first)
	if w.has(initial) || w.end-w.start < 2 || party(s) {
		return
	}
	if !strings.Contains(name, s) && w.is&(ordinaryWord|publicWord) != 0 {
		return
	}
	n.memory.note(s)
	n.memory.note(shortMark + s)
}

// shortMark stands before a short form in memory that the text defines: it is one wherever it is capitalised, at the
// beginning of a sentence too.
const shortMark = "short "

// leadingPhrase reports whether the first two words of a company's name are its own, so that it is called by them:
// "Bright Meadow" of "Bright Meadow Dental Group, LLC".
func (n *names) leadingPhrase(first int) bool {
	own := 0

	for i := first; i < first+2; i++ {
		w := &n.words[i]
		s := n.lowered(i)
		if !w.has(capitalised|inCompany) || i == first && generalWords.has(s) && !n.pointedAt(first) {
			return false
		}
		if linkWords.has(s) || party(s) {
			return false
		}
		if w.is&(lexicon.Place|lexicon.Law|lexicon.Calendar) == 0 && !formWords.has(s) && !purposes.has(s) {
			own++
		}
	}

	if purposes.has(n.lowered(first+1)) && n.class(first) == plain {
		return false // Revolving Credit
	}

	return own > 0 && !trades.has(n.lowered(first+1)) && n.gap(first) == ""
}

// pointedAt reports whether word i is a point of the compass before a word that no general name goes on with: "East
// Gate".
func (n *names) pointedAt(i int) bool {
	s := n.lowered(i + 1)
	if !compass.has(n.lowered(i)) || generalWords.has(s) || formWords.has(s) || purposes.has(s) {
		return false
	}

	return n.words[i+1].is&(publicWord|lexicon.Honorific) == 0 && !trades.has(s) && !bankWords.has(s)
}

// generalWords begin the names of many companies, and phrases of every text.
var generalWords = setOf(`real health home life general national first second united american international global
	federal state city county new north south east west northern southern eastern western central medical human
	intellectual common public private limited mutual community commercial financial consumer student high low early
	late long short`)

// phraseMark in memory says that there are phrases.
const phraseMark = " "

// learnPhrase remembers several words that name somebody only together.
func (m *memory) learnPhrase(n *names, first, end int) {
	m.note(phraseMark)
	m.note(n.lowered(first) + " ")
	m.note(n.phrase(first, end))
}

// phrase is the words from first to end in lower case, with one blank between.
func (n *names) phrase(first, end int) string {
	var b strings.Builder

	for i := first; i < end; i++ {
		if i > first {
			b.WriteByte(' ')
		}
		b.WriteString(n.lowered(i))
	}

	return b.String()
}

// phrases appends the longest phrase that may begin with word first to room, in lower case, with one blank between two
// words, and notes where it ends with each number of words.
func (n *names) phrases(room []byte, first int, ends *[mostNameWords + 1]int) []byte {
	for i := first; i < min(len(n.words), first+mostNameWords); i++ {
		if i > first {
			room = append(room, ' ')
		}
		room = append(room, n.lowered(i)...)
		ends[i-first+1] = len(room)
	}

	return room
}

// recurPhrases finds the phrases of memory wherever they stand capitalised.
func (n *names) recurPhrases() {
	if !n.memory.has(phraseMark) {
		return
	}

	done := 0 // words before this one are part of a phrase
	var phrase []byte
	var ends [mostNameWords + 1]int

	for _, i := range n.large {
		if i < done || !n.words[i].has(capitalised) || !n.memory.marks.mayHave(n.lowered(i)) {
			continue
		}
		if !n.memory.has(n.lowered(i) + " ") {
			continue
		}

		phrase = n.phrases(phrase[:0], i, &ends)
		// The longest phrase wins, or the rest of the name would stay.
		for end := min(len(n.words), i+mostNameWords); end > i+1; end-- {
			if !n.words[end-1].has(capitalised) {
				continue
			}
			if _, ok := n.memory.words[string(phrase[:ends[end-i]])]; ok {
				for n.goesOn(end) && n.placeName(end) && n.text[n.words[end-1].end:n.words[end].start] == " " {
					end++ // the company of a group in a place
				}
				n.add(kindCompany, ruleCompany, i, end)
				done = end

				break
			}
		}
	}
}
