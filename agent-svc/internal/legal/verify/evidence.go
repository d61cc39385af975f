package verify

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
	"github.com/subrosa-legal/subrosa/pkg/label"
)

// knowledge is what sentences are checked against.
type knowledge struct {
	passages []Passage
	labels   map[label.Label]bool
	evidence []*evidence // of passages, made when they are cited
	computed *evidence
	// names are the labels by what the files call them, made when one is asked for; see called
	names       map[string]string
	authorities *Authorities
	// cut are the tokens of the texts that were cut; a sentence is laid beside the same statements again and again
	cut     map[string][]token
	counted map[string]map[string]bool // the numbers of the texts that were read, see counts
}

func newKnowledge(r Record) *knowledge {
	return &knowledge{
		passages: r.Passages,
		labels:   r.Labels,
		cut:      map[string][]token{},
		counted:  map[string]map[string]bool{},
		evidence: make([]*evidence, len(r.Passages)),
		computed: newEvidence(strings.Join(r.Computed, "\n")),

		authorities: authoritiesOf(r),
	}
}

func (k *knowledge) passage(i int) *evidence {
	// A passage is taken apart when a sentence first cites it: most are read and never cited.
	if k.evidence[i] == nil {
		p := k.passages[i]

		e := newEvidence(p.Text)
		e.name = p.FileName

		for _, n := range numbers(p.FileName) {
			e.numbers[n] = true
		}
		if p.Source.Page > 0 {
			e.numbers[strconv.Itoa(p.Source.Page)] = true
		}
		k.evidence[i] = e
	}

	return k.evidence[i]
}

func (k *knowledge) all() []*evidence {
	for i := range k.passages {
		k.passage(i)
	}

	return k.evidence
}

// authoritiesOf returns what the passages and the computed results cite, with what is known besides.
func authoritiesOf(r Record) *Authorities {
	known := &Authorities{}
	if r.Known != nil {
		// The authorities of a run are shared by the checks of its drafts.
		*known = r.Known.clone()
	}

	for _, p := range r.Passages {
		known.Add(p.Text, InFiles)
	}

	for _, text := range r.Computed {
		known.Add(text, InFiles)
	}

	return known
}

// evidence is what one text bears out.
type evidence struct {
	verbatim string // as it stands, for quotations
	folded   string // with its numbers in figures
	dates    []facts.Date
	amounts  map[facts.Amount]bool // without their places
	numbers  map[string]bool
	sections map[string]bool
	counts   map[string]bool // of units, as "10 business day"
	name     string          // of the file
	// stated and said are made when they are asked for; see statements and words
	stated []statement
	said   map[string]bool
}

func newEvidence(text string) *evidence {
	verbatim := fold(text)
	text = inFigures(text)

	e := &evidence{
		verbatim: verbatim, folded: fold(text), dates: facts.Dates(text), amounts: map[facts.Amount]bool{},
		numbers: map[string]bool{}, sections: map[string]bool{}, counts: map[string]bool{},
	}
	for _, a := range facts.Amounts(text) {
		e.amounts[facts.Amount{Currency: a.Currency, Cents: a.Cents}] = true
	}

	// Written out or in digits, a number bears out both.
	for _, n := range numbers(text) {
		e.numbers[n] = true
	}

	for _, w := range strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' }) {
		if n, ok := facts.NumberWord(strings.ToLower(w)); ok {
			e.numbers[strconv.Itoa(n)] = true
		}
	}

	for _, c := range countsIn(text) {
		e.counts[c.key] = true
	}

	for _, form := range [...]*regexp.Regexp{section, numbered} {
		for _, m := range form.FindAllStringSubmatch(text, -1) {
			e.sections[strings.TrimRight(m[1], ".)")] = true
		}
	}

	return e
}

// fold makes texts comparable that differ in white space only. The frame in which a model reads a passage has no angle
// brackets of the passage's own, see Shown.
func fold(text string) string { return facts.Fold(Shown(text)) }

// Shown is a text as a model is shown it: what could be taken for the control words of a chat's form is written in
// other signs.
func Shown(text string) string {
	return unframed.Replace(text)
}

var unframed = strings.NewReplacer("<", "‹", ">", "›", "[INST]", "(INST)", "[/INST]", "(/INST)")

var (
	number  = regexp.MustCompile(`\d+(?:,\d{3})*(?:\.\d+)*`)
	section = regexp.MustCompile(`(?i)(?:§+|\b(?:sections?|secs?\.|articles?|art\.|clauses?|paragraphs?|paras?\.|` +
		`rules?|exhibits?|schedules?|chapters?|parts?))\s*(\d+(?:\.\d+)*[a-z]?\b)`)
	numbered = regexp.MustCompile(`(?m)^\s*(\d+(?:\.\d+)+|\d+[.)])\s`)
	counted  = regexp.MustCompile(`(?i)\b([a-z]+(?:-[a-z]+)?|\d+(?:,\d{3})*(?:\.\d+)?)\)?[\s-]+(?:(business|court|` +
		`working|calendar|consecutive|full)\s+)?(days?|weeks?|months?|years?|hours?|minutes?|percent|per cent|%|times)`)
)

// numbers returns the numbers of a text in digits, without commas.
func numbers(text string) []string {
	var list []string
	for _, n := range number.FindAllString(text, -1) {
		list = append(list, strings.ReplaceAll(n, ",", ""))
	}

	return list
}

// counting is a number of units of time or parts.
type counting struct {
	key   string // the same for all ways of writing it
	words string
}

// countsIn returns what a text counts: "ten (10) business days" counts ten business days, twice.
func countsIn(text string) []counting {
	var list []counting

	for _, m := range netDays.FindAllStringSubmatch(text, -1) {
		list = append(list, counting{m[1] + " day", m[0]})
	}

	for _, m := range counted.FindAllStringSubmatch(text, -1) {
		n := strings.ReplaceAll(m[1], ",", "")
		if !isDigit(n[0]) {
			// The form matches any word before a unit: "several days" counts nothing.
			value, ok := facts.NumberWord(strings.ToLower(n))
			if !ok {
				continue
			}
			n = strconv.Itoa(value)
		}
		unit := strings.ReplaceAll(strings.TrimSuffix(strings.ToLower(m[3]), "s"), "per cent", "percent")
		if unit == "%" {
			unit = "percent"
		}

		switch kind := strings.ToLower(m[2]); kind {
		case "business", "court", "working":
			unit = kind + " " + unit
		}
		list = append(list, counting{n + " " + unit, m[0]})
	}

	return list
}

// netDays are the days in which an invoice is paid: "Net-20".
var netDays = regexp.MustCompile(`(?i)\bnet[- ](\d+)\b`)

const tens = `twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|ten|eleven|twelve|thirteen|fourteen|fifteen|` +
	`sixteen|seventeen|eighteen|nineteen`

// hundreds is a number of more than a hundred in words: "one hundred sixty", "two hundred and fifty-five".
var hundreds = regexp.MustCompile(`(?i)\b(one|two|three|four|five|six|seven|eight|nine) hundred` +
	`(?:(?: and)? ((?:` + tens + `)(?:-(?:one|two|three|four|five|six|seven|eight|nine))?)\b)?( thousand| million)?`)

// inFigures writes numbers of more than a hundred in digits.
func inFigures(text string) string {
	return hundreds.ReplaceAllStringFunc(text, func(words string) string {
		m := hundreds.FindStringSubmatch(words)
		if m[3] != "" {
			return words // a sum, which stands in digits beside it
		}
		n, _ := facts.NumberWord(strings.ToLower(m[1]))
		rest, _ := facts.NumberWord(strings.ToLower(m[2]))

		return strconv.Itoa(hundred*n + rest)
	})
}

const hundred = 100

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// unknownFigures returns the dates, amounts and numbers of a sentence that stand neither in what it cites nor in a
// computed result.
func (k *knowledge) unknownFigures(words string, cited []*evidence) []string {
	against := append([]*evidence{k.computed}, cited...)
	var unknown []string
	rest := []byte(words)

	blank := func(s facts.Span) {
		for i := s.Start; i < s.End && i < len(rest); i++ {
			rest[i] = ' '
		}
	}
	// The number of a label is no figure.
	for _, l := range facts.Labels(words) {
		blank(l.Span)
	}

	for _, d := range facts.Dates(words) {
		// What was judged is blanked out, so that its digits are not judged again as plain numbers.
		blank(d.Span)
		if !anyOf(against, func(e *evidence) bool { return e.dated(d) }) {
			unknown = append(unknown, d.In(words))
		}
	}

	for _, a := range facts.Amounts(string(rest)) {
		blank(a.Span)
		if !anyOf(against, func(e *evidence) bool {
			return e.amounts[facts.Amount{Currency: a.Currency, Cents: a.Cents}]
		}) {
			unknown = append(unknown, a.In(words))
		}
	}

	for _, m := range section.FindAllSubmatchIndex(rest, -1) {
		n := string(rest[m[2]:m[3]])
		if !anyOf(against, func(e *evidence) bool { return e.sections[n] }) {
			unknown = append(unknown, words[m[0]:m[1]])
		}
	}

	left := section.ReplaceAllString(string(rest), " ")
	for _, n := range numbers(left) {
		if !anyOf(against, func(e *evidence) bool { return e.numbers[n] }) {
			unknown = append(unknown, n)
		}
	}

	for _, w := range strings.FieldsFunc(left, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' }) {
		n, ok := facts.NumberWord(strings.ToLower(w))
		if ok && n > 1 && !anyOf(against, func(e *evidence) bool { return e.numbers[strconv.Itoa(n)] }) {
			unknown = append(unknown, w)
		}
	}
	// One fault is enough to take the sentence out.
	if len(unknown) > 0 {
		return unknown
	}

	for _, c := range countsIn(left) {
		if !anyOf(against, func(e *evidence) bool { return e.counts[c.key] }) {
			unknown = append(unknown, c.words)
		}
	}

	return unknown
}

func anyOf(list []*evidence, does func(*evidence) bool) bool {
	for _, e := range list {
		if does(e) {
			return true
		}
	}

	return false
}

// dated reports whether a text holds a date. One whose day is not named is held by any day of its month; one that can
// be read in two ways counts only when it stands there so, or in one of its readings.
func (e *evidence) dated(d facts.Date) bool {
	for _, held := range e.dates {
		for _, reading := range readings(held) {
			// A day that can be read in two ways holds for either reading.
			for _, sought := range readings(d) {
				if reading.Year == sought.Year && reading.Month == sought.Month &&
					(sought.Day == 0 || reading.Day == sought.Day) {
					return true
				}
			}
		}
	}

	return false
}

func readings(d facts.Date) []facts.Date {
	if d.Ambiguous {
		return []facts.Date{d, d.Swapped()}
	}

	return []facts.Date{d}
}

var ellipsis = regexp.MustCompile(`\s*(?:\[?…\]?|\[?\.\s?\.\s?\.\]?)\s*`)

// quotes returns what a sentence quotes: what stands in quotation marks, or all of it in a block of quotation.
func quotes(l line, words string) []string {
	if strings.HasPrefix(strings.TrimSpace(l.prefix), ">") {
		return []string{strings.Trim(words, " \t\"“”")}
	}
	var list []string
	text := strings.NewReplacer("“", `"`, "”", `"`, "«", `"`, "»", `"`).Replace(words)

	parts := strings.Split(text, `"`)
	// What stands at odd places is quoted. A quotation that is never closed goes on to the end.
	for i := 1; i < len(parts); i += 2 {
		if q := strings.TrimSpace(parts[i]); q != "" {
			list = append(list, q)
		}
	}

	return list
}

// borneOut reports whether a quote stands in one of the texts, its pieces in their order where something is left out.
func borneOut(quote string, in []*evidence) bool {
	var pieces []string

	for _, p := range ellipsis.Split(quote, -1) {
		if p = strings.Trim(fold(straight(p)), " .,;:"); p != "" {
			pieces = append(pieces, p)
		}
	}
	if len(pieces) == 0 {
		return true
	}

	return anyOf(in, func(e *evidence) bool {
		text := straight(e.verbatim)
		for _, p := range pieces {
			i := strings.Index(text, p)
			if i < 0 {
				return false
			}
			// The pieces have to follow one another: an ellipsis must not turn their order round.
			text = text[i+len(p):]
		}

		return true
	})
}

// straight writes quotation marks in one form, since the sentence that quotes may have changed them.
func straight(s string) string {
	return strings.NewReplacer("“", "'", "”", "'", "‘", "'", "’", "'", `"`, "'").Replace(s)
}
