package guard

import (
	"strings"
	"unicode"

	"github.com/subrosa-legal/subrosa/pkg/guard/internal/census"
	"github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"
)

// A table has its names under headings: what fills a cell under "Tenant" or "Surname" is one, though its words are
// ordinary ones. Rows and cells are borders, over which no name goes.

// column says what stands under a heading.
type column uint8

const (
	columnOther column = iota
	columnParty        // full names of people, or of firms
	columnFirm         // names of organisations
	columnPart         // a given name or a surname alone
)

// longestCell bounds the words of a name in a cell.
const longestCell = 6

// row reports whether a line is one of a table, whose cells have tabs or bars between them.
func row(line string) bool {
	line = strings.Trim(line, " \r\n")
	return strings.IndexByte(line, '\t') > 0 || strings.Count(line, "|") >= 2 || strings.Contains(line, " | ")
}

// ruled reports whether a row of Markdown only parts the headings from what is below.
func ruled(line string) bool { return strings.Trim(line, "|-: \t\r\n") == "" }

// tables finds what fills a cell under a heading that says that a name does. The headings of a table that began in
// the block of text before are those of memory.
func (n *names) tables() {
	if strings.IndexByte(n.text, '\t') < 0 && strings.IndexByte(n.text, '|') < 0 {
		n.memory.headings = nil
		return
	}

	for from := 0; from < len(n.text); {
		end := len(n.text)
		if at := strings.IndexByte(n.text[from:], '\n'); at >= 0 {
			end = from + at
		}

		switch line := n.text[from:end]; {
		case !row(line):
			n.memory.headings = nil
		// The rule of a Markdown table stands between its headings and its rows.
		case ruled(line):
		case n.memory.headings == nil:
			n.memory.headings = headings(n.text[from:end])
			n.excuseHeadings(from, end)
			n.labelledRow(from, end)
		default:
			n.cells(from, end)
			n.labelledRow(from, end)
		}
		from = end + 1
	}
}

// headings reads a line as the headings of columns.
func headings(line string) []column {
	list := []column{}
	for cell := range splitCells(line) {
		list = append(list, headingOf(line[cell.start:cell.end]))
	}

	return list
}

// excuseHeadings takes the words that head columns of names out of suspicion, in the row from byte from to byte end.
func (n *names) excuseHeadings(from, end int) {
	for i := n.wordAt(from); i < len(n.words) && int(n.words[i].end) <= end; i++ {
		s := n.lowered(i)
		person := headingPeople.has(strings.TrimSuffix(s, "s")) && !namesMany(s)
		if person || headingParts.has(s) || headingFirms.has(s) {
			n.words[i].is |= lexicon.Law
		}
	}
}

// splitCells yields where the cells of a row begin and end.
func splitCells(line string) func(func(span) bool) {
	return func(yield func(span) bool) {
		start := 0

		for i := 0; i <= len(line); i++ {
			if i < len(line) && line[i] != '\t' && line[i] != '|' {
				continue
			}
			if !yield(span{start: start, end: i}) {
				return
			}
			start = i + 1
		}
	}
}

// headingOf says what stands under a heading, or behind the name of a field: "clientName", "Name of tenant". It has to
// be about whom it names: below "Debtor disposition" stands no debtor.
func headingOf(cell string) column {
	kind, named := columnOther, false

	for w := range headingWords(cell) {
		named = named || saysName(w)

		switch {
		// One word for a thing decides: "Client number" has no name below it.
		case headingThings.has(w):
			return columnOther
		case headingParts.has(w):
			kind = columnPart
		case headingFirms.has(w) && kind != columnPart:
			kind = columnFirm
		case kind == columnOther && headsPerson(w):
			kind = columnParty
		}
	}

	if kind == columnPart && named {
		return kind // "Last name as on passport"
	}
	if inside, outside := brackets(cell); !aboutWhom(outside, kind) && !aboutWhom(inside, kind) {
		return columnOther
	}

	return kind
}

// saysName reports whether a word of a heading in small letters says that a name stands below, or a part of one: not
// "last", which may be of a visit.
func saysName(w string) bool {
	return w == "name" || w == "names" || headingParts.has(w) && !headingOrders.has(w)
}

// headsPerson reports whether a word of a heading in small letters is one for a person.
func headsPerson(w string) bool { return headingPeople.has(strings.TrimSuffix(w, "s")) }

// brackets parts what stands in the first brackets of a heading from what stands outside them.
func brackets(cell string) (inside, outside string) {
	left, rest, ok := strings.Cut(cell, "(")
	if !ok {
		return "", cell
	}
	inside, right, _ := strings.Cut(rest, ")")

	return inside, left + right
}

// aboutWhom reports whether a heading of this kind is about whom it names. Its last word says so, or the one before
// what only says more: "Owner of record", but not "Name of ship". A firm stays what it is about unless the heading goes
// on with a thing of it: "Bank used", but not "Bank fees".
func aboutWhom(heading string, kind column) bool {
	about, before := false, ""

	for w := range headingWords(heading) {
		more := headingJoints.has(w) && (before != "name" || w != "of")
		before = w

		switch {
		case headsPerson(w) || headingParts.has(w) || headingFirms.has(w):
			about = true
		case about && more:
			return true
		case kind == columnFirm:
			about = about && !headingEnds.has(w)
		default:
			about = about && headingTails.has(w)
		}
	}

	return about
}

// headingWords yields the words of a heading in small letters. A capital behind a small letter begins a word.
func headingWords(cell string) func(func(string) bool) {
	return func(yield func(string) bool) {
		for w := range strings.FieldsFuncSeq(cell, func(r rune) bool { return !unicode.IsLetter(r) }) {
			start := 0

			for i := 1; i < len(w); i++ {
				if !lower(w[i-1]) || !upper(w[i]) {
					continue
				}
				if !yield(strings.ToLower(w[start:i])) {
					return
				}
				start = i
			}
			if !yield(strings.ToLower(w[start:])) {
				return
			}
		}
	}
}

// labelledRow judges the second of two cells by the first, which is its heading where a table lists the fields of one
// person below each other.
func (n *names) labelledRow(from, end int) {
	var cells []span

	for cell := range splitCells(n.text[from:end]) {
		if strings.TrimSpace(n.text[from+cell.start:from+cell.end]) != "" {
			cells = append(cells, cell)
		}
		if len(cells) > 2 {
			return
		}
	}
	if len(cells) < 2 {
		return
	}
	value := n.text[from+cells[1].start : from+cells[1].end]
	under := headingOf(n.text[from+cells[0].start : from+cells[0].end])
	// Two headings beside each other are the head of a table of two columns.
	if under != columnOther && !headsColumn(value) {
		n.cell(from+cells[1].start, from+cells[1].end, under)
	}
}

// headsColumn reports whether a cell holds a word of headings, so that it is hardly a name.
func headsColumn(cell string) bool {
	for w := range headingWords(cell) {
		if headingThings.has(w) || headingEnds.has(w) || columnThings.has(w) {
			return true
		}
		if columnWords.has(w) || contractTitles.has(w) {
			return true
		}
	}

	return headingOf(cell) != columnOther
}

// cells judges the cells of the row from byte from to byte end by their headings.
func (n *names) cells(from, end int) {
	column := 0

	for cell := range splitCells(n.text[from:end]) {
		if column < len(n.memory.headings) && n.memory.headings[column] != columnOther {
			n.cell(from+cell.start, from+cell.end, n.memory.headings[column])
		}
		column++
	}
}

// cell judges the cell from byte start to byte stop, under a heading for names. What may be a name and may be something
// else is doubted.
func (n *names) cell(start, stop int, under column) {
	first, end := n.cellWords(start, stop)
	if end == first {
		n.lowerCell(start, stop, under)
		return
	}
	if end-first > longestCell {
		return
	}
	listed, own := 0, 0
	plain := n.plainWords(first, end)

	for i := first; i < end; i++ {
		w := &n.words[i]
		// "None", "TBD" and "n/a" fill cells of every table.
		if blankCells.has(n.lowered(i)) || w.has(quotedLaw) {
			return
		}
		if w.is&(lexicon.Given|lexicon.Surname) != 0 || n.class(i) == unknown {
			listed++
		}
		if w.has(capitalised) && (w.is&lexicon.Everyday == 0 || w.is&lexicon.KnownProper != 0) {
			own++
		}
	}

	switch {
	case plain && under != columnFirm && (own < 2 || builtThings.has(n.lowered(end-1))):
		n.add(kindDoubt, ruleDoubt, first, end)
	case under == columnPart && end-first <= 3, under == columnParty && n.personCell(first, end, listed):
		n.learn(first, end, false)
		n.add(kindPerson, ruleCell, first, end)
	case under == columnFirm && own+listed > 0:
		n.learnCompany(first, end)
		n.add(kindCompany, ruleCell, first, end)
	case under == columnParty && end-first >= 2 && own >= 2 && !party(n.lowered(first)):
		n.learnCompany(first, end)
		n.add(kindCompany, ruleCell, first, end)
	case under == columnParty && n.unlistedCell(first, end):
		n.add(kindPerson, ruleCell, first, end)
	case !party(n.lowered(end - 1)):
		n.add(kindDoubt, ruleDoubt, first, end)
	}
}

// plainWords reports whether two words or more, from first to end, are all of the dictionary and none is a given name
// or a surname: "Premium Feature Set". Where nothing but the heading says so, they only may be a name.
func (n *names) plainWords(first, end int) bool {
	for i := first; i < end; i++ {
		listed := n.words[i].is&(lexicon.Given|lexicon.Surname) != 0 || namesMany(n.lowered(i))
		if listed || n.class(i) == unknown {
			return false
		}
	}

	return end-first > 1
}

// unlistedCell reports whether the words of a cell under a heading for people say nothing else than a name: two words
// or more and none of a paper, an office or the calendar. One by itself has to be on a list of names.
func (n *names) unlistedCell(first, end int) bool {
	if end-first < 2 || end-first > longestValue {
		return false
	}

	for i := first; i < end; i++ {
		s := n.lowered(i)
		if contractTitles.has(s) {
			return false
		}
		if !namesMany(s) && (party(s) || n.words[i].is&publicWord != 0) {
			return false
		}
	}

	return true
}

// namesMany reports whether a word in small letters is the given name or the surname of many people.
func namesMany(s string) bool { return census.Given(s) > 0 || census.Surname(s) > 0 }

// lowerCell judges a cell in small letters, as data bases hold names: two words or three that names consist of are one,
// and one that is listed is doubted.
func (n *names) lowerCell(start, stop int, under column) {
	first, end := n.wordAt(start), n.wordAt(stop)
	if under == columnFirm || end == first || end-first > 3 {
		return
	}
	if strings.TrimSpace(n.text[start:stop]) != n.text[n.words[first].start:n.words[end-1].end] {
		return
	}
	listed := 0

	for i := first; i < end; i++ {
		w := &n.words[i]
		if w.has(besideDigit|quotedLaw) || i > first && n.text[n.words[i-1].end:w.start] != " " {
			return
		}
		if n.lookUp(i); w.is&(lexicon.Given|lexicon.Surname) != 0 || namesMany(n.lowered(i)) {
			listed++
		}
	}

	switch lone := end-first == 1; {
	case listed == end-first && (!lone || under == columnPart || n.words[first].is&lexicon.Ordinary == 0):
		n.add(kindPerson, ruleCell, first, end)
	case listed > 0 && !n.everydayTail(end-1):
		n.add(kindDoubt, ruleDoubt, first, end)
	}
}

// everydayTail reports whether word i, the last of a cell in small letters, is an everyday word and no name at all, so
// that the cell says a thing: "grace period".
func (n *names) everydayTail(i int) bool {
	is := n.words[i].is
	return is&lexicon.Everyday != 0 && is&(lexicon.Given|lexicon.Surname) == 0 && !namesMany(n.lowered(i))
}

// fields finds the name that is the value of a field of its own line, "Employer: Mercy General", "tenant: Banks", and
// those of a list below the field.
func (n *names) fields() {
	listed := columnOther // what the items of a list are

	for from := 0; from < len(n.text); {
		end := endOfLine(n.text, from)
		start := from + len(n.text[from:end]) - len(strings.TrimLeft(n.text[from:end], " >*\"'"))
		line := n.text[start:end]
		from = end + 1

		if item, ok := strings.CutPrefix(line, "- "); ok && listed != columnOther {
			n.cell(end-len(item), end, listed)
			continue
		}
		line = strings.TrimPrefix(line, "- ")
		listed = columnOther

		at := strings.LastIndexByte(line, ':') // "Loan: Lender: Kestrel Ridge"
		if at <= 0 {
			continue
		}
		label := line[strings.LastIndexByte(line[:at], ':')+1 : at]
		if len(label) > longestFieldName {
			continue
		}
		under := headingOf(label)
		if value := line[at+1:]; strings.TrimSpace(value) == "" {
			listed = under
		} else if under != columnOther && !n.answerOf(value) {
			n.cell(end-len(value), end, under)
		}
	}
}

// answerOf reports whether what stands behind a colon is a sentence of a word, as in a record of what was said: "The
// witness: Correct."
func (n *names) answerOf(value string) bool {
	word, ok := strings.CutSuffix(strings.TrimSpace(value), ".")
	return ok && !strings.Contains(word, " ") && !namesMany(strings.ToLower(word))
}

// longestFieldName bounds the label before a value, in bytes.
const longestFieldName = 40

// personCell reports whether the words of a cell are those of a person's name, of which so many are listed.
func (n *names) personCell(first, end, listed int) bool {
	if end-first == 1 {
		s := n.lowered(first)
		if namesMany(s) {
			return !contractTitles.has(s)
		}

		return listed > 0 && n.words[first].is&(lexicon.Everyday|publicWord) == 0 && !party(s)
	}

	return listed == end-first || listed > 0 && n.words[end-1].is&(lexicon.Head|lexicon.Law) == 0 && end-first <= 3
}

// cellWords returns the words of a cell if nothing but the words of a name stands in it, else none.
func (n *names) cellWords(start, stop int) (first, end int) {
	first, end = n.wordAt(start), n.wordAt(stop)
	at := start

	for i := first; i < end; i++ {
		w := &n.words[i]
		if strings.Trim(n.text[at:w.start], ` "'.,&-()`) != "" {
			return 0, 0
		}
		linked := i > first && (w.is&lexicon.Particle != 0 || linkWords.has(n.lowered(i)))
		if !w.has(capitalised) && !linked {
			return 0, 0
		}
		at = int(w.end)
	}
	// A line that is too long is read to a limit, which may lie inside its last word.
	if at > stop || strings.Trim(n.text[at:stop], " \"'.,)\r") != "" {
		return 0, 0
	}

	return first, end
}

// borders reports whether the border of a cell or of a row lies between byte from and byte to.
func (n *names) borders(from, to int) bool {
	gap := n.text[from:to]
	if strings.IndexByte(gap, '\t') >= 0 && strings.IndexByte(gap, '\n') < 0 {
		return true
	}
	if strings.IndexByte(gap, '|') >= 0 {
		return true
	}
	cut := strings.IndexByte(gap, '\n')
	if cut < 0 || !n.mayHaveRows() {
		return false
	}
	at := from + cut

	return row(lineAround(n.text, at)) || row(lineAround(n.text, at+1))
}

// mayHaveRows reports whether a tab or a bar stands anywhere in the text. It reads the text once.
func (n *names) mayHaveRows() bool {
	if n.rows == unasked {
		n.rows = rowless
		if strings.ContainsAny(n.text, "\t|") {
			n.rows = rowed
		}
	}

	return n.rows == rowed
}

const (
	rowless = unasked + 1 + iota
	rowed
)

// mostOfLine bounds how far a line is read to tell whether it is a row, to each side, in bytes.
const mostOfLine = 200

// lineAround returns the line that byte at ends or begins, as far as it is read.
func lineAround(text string, at int) string {
	start, end := max(0, at-mostOfLine), min(len(text), at+mostOfLine)
	if cut := strings.LastIndexByte(text[start:at], '\n'); cut >= 0 {
		start += cut + 1
	}
	if cut := strings.IndexByte(text[at:end], '\n'); cut >= 0 {
		end = at + cut
	}

	return text[start:end]
}

var (
	// headingTails stand behind whom a heading is about.
	headingTails = setOf(`s a b c i ii iii primary secondary full legal print printed current former if any only
		behalf`)
	// headingThings say that no name stands below, whatever else the heading says.
	headingThings = setOf(`id no nos number date dates email e-mail mail phone telephone fax address role type
		status amount balance rate file filename document documents field product case matter court position
		occupation relationship signature initials age dob birth zip city state country notes comments hours
		statement testimony exhibit column table item variable parameter property drug brand unit share shares
		interest percentage title project form code url website capacity party parties`)
	// headingEnds behind the word for a person or a firm say that the heading is about something of theirs.
	headingEnds = setOf(`rent fee fees deposit price cost costs since obligations duties rights consent present required
		allowed count contacted via policy policies purpose model plan plans benefit benefits contribution contributions
		holiday holidays`)
	// headingJoints begin what only says more of whom a heading is about: "Owner of record".
	headingJoints = setOf(`of on at in as for de des du von`)
	// headingOrders are words of the parts of a name that stand before other things too: "Last visit".
	headingOrders = setOf(`first last given family middle maiden`)
	headingParts  = setOf(`first last given family surname surnames forename forenames middle maiden vorname
		nachname familienname prénom prenom apellido apellidos cognome nom`)
	headingFirms = setOf(`employer company companies firm organisation organization vendor supplier bank lender
		insurer carrier contractor subcontractor agency business entity counterparty issuer employers arbeitgeber
		firma empresa entreprise société`)
	headingPeople = setOf(`name tenant landlord lessee lessor witnes witnesse deponent custodian author recipient sender
		client patient employee signatory officer director trustee beneficiary heir buyer seller purchaser
		borrower guarantor debtor creditor claimant plaintiff defendant respondent petitioner applicant insured
		owner attorney lawyer contact manager supervisor spouse child guardian member partner investor
		shareholder holder assignee grantor grantee payee payer declarant affiant person resident occupant
		attendee participant customer passenger driver victim mieter vermieter zeuge zeugin kläger beklagter
		arrendatario inquilino testigo cliente locataire témoin heirs`)
	// builtThings are clients, buyers and hosts of programs, which no firm is called by alone.
	builtThings = setOf(`app apps browser browsers server servers software website websites portal device devices`)
	// blankCells fill a cell that has no name.
	blankCells = setOf(`none unknown pending vacant various self-employed unemployed tbd applicable yes no same see
		retired deceased total subtotal other others confidential redacted name`)
)
