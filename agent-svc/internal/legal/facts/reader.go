package facts

import (
	"slices"
	"strings"
	"sync"
)

// Facts is what a Reader finds in one text. All lists are in the order of the text.
type Facts struct {
	Title     Title
	Caption   Caption
	Labels    []Label
	Dates     []Date // without those of citations
	Amounts   []Amount
	Demands   []Demand
	Citations []Citation
	Claims    []Claim
	Deadlines []Deadline
	Listed    []Deadline // days of which nothing tells whether something is due on them
	Seen      []Deadline // the other dates: days of what was done, and months without a day
	// the day on which the text says it was made, such as that of an order; Year is 0 when it says none
	Made      Date
	Topics    []Hit // what the words speak of, as far as the kind of document lets them
	Issues    []Issue
	Witnesses int  // of whom the text speaks by number
	Law       Span // the sentence that says which law governs; empty when there is none
	// Terms are the terms that a contract defines, Obligations the first sentences in which somebody shall or must do
	// something.
	Terms, Obligations []Span
	// Full says that the text holds more facts of one kind than are kept.
	Full bool

	laws int // places at which the governing law was looked for
}

const lawTries = 200

// Issue is a section of a contract that somebody is said to have broken.
type Issue struct {
	Span
	Section string
}

// Reader finds facts. It is immutable and safe for concurrent use.
type Reader struct{ lexicon *Lexicon }

// NewReader returns a Reader of the terms of this package.
func NewReader() *Reader { return reader() }

var reader = sync.OnceValue(func() *Reader { return &Reader{NewLexicon(Terms())} })

// Read finds what a text says. docType is the document type on the file's record, "" when there is none.
func (r *Reader) Read(text, docType string) Facts {
	f := Facts{Title: TitleOf(text, docType), Labels: Labels(text), Amounts: Amounts(text), Citations: Citations(text)}
	dates := Dates(text)
	// A scanner that stopped at its bound may have left facts out, which the answer has to say.
	f.Full = max(len(f.Labels), len(f.Amounts), len(f.Citations), len(dates)) >= mostOfAKind
	f.Dates = outside(dates, f.Citations)
	if f.Title.Kind != Contract {
		f.Caption, f.Demands = CaptionOf(text), Demands(text, f.Amounts)
	}
	if f.Title.Kind == Contract {
		f.Terms = Defined(text)
	}
	// Orders and briefs repeat the counts of the pleading, which would be counted twice.
	if f.Title.Kind == Pleading || f.Title.Kind == Plain {
		f.Claims = Claims(text)
	}
	r.lexicon.Scan(text, func(h Hit) { f.sort(text, h) })
	// The agenda comes last: it needs the dates without those of citations, and what the lexicon has found.
	f.Made, _ = madeOn(text, f.Dates)
	f.Deadlines, f.Listed, f.Seen = agenda(text, f.Dates, f.Title.Kind, f.Deadlines)

	return f
}

// outside drops the dates that stand in citations: those of decisions.
func outside(dates []Date, citations []Citation) []Date {
	next := 0

	// Both lists are in the order of the text, so one walk over them is enough.
	return slices.DeleteFunc(dates, func(d Date) bool {
		for next < len(citations) && citations[next].End <= d.Start {
			next++
		}

		return next < len(citations) && citations[next].Start <= d.Start
	})
}

// sort puts a phrase where it belongs.
func (f *Facts) sort(text string, h Hit) {
	if max(len(f.Deadlines), len(f.Issues), len(f.Topics)) >= mostOfAKind {
		// Beyond the bound nothing is kept, so that no text can fill the memory.
		f.Full = true
		return
	}

	switch h.Topic {
	case deadlineTopic, hearingTopic:
		if d, ok := deadlineAt(text, h.Span, h.Topic == hearingTopic, f.Dates); ok &&
			(len(f.Deadlines) == 0 || f.Deadlines[len(f.Deadlines)-1].End <= d.Start) {
			f.Deadlines = append(f.Deadlines, d)
		}
	case LawTopic:
		// Each try looks for the ends of a sentence; a text that repeats the phrase must not make that quadratic.
		if f.laws++; f.Law.End == 0 && f.laws <= lawTries {
			f.Law = lawIn(text, h.Span)
		}
	case IssueTopic:
		if name, end, ok := section(text, h.End); ok && f.Title.Kind != Contract {
			f.Issues = append(f.Issues, Issue{Span{h.Start, end}, strings.Clone(name)})
		}
	case dutyTopic:
		f.addObligation(text, h.Span)
	case WitnessTopic:
		f.Witnesses = max(f.Witnesses, countBefore(text, h.Start))
	default:
		if f.counts(text, h) {
			f.Topics = append(f.Topics, h)
		}
	}
}

// lawIn returns the sentence of a phrase if it names the law of some place.
func lawIn(text string, s Span) Span {
	around := Around(text, s)
	words := strings.ToLower(around.In(text))
	if !holdsAny(words, "laws of", "law of", "laws and", "internal laws") {
		return Span{}
	}

	return around
}

// countBefore reads the number before a word such as "witnesses", with up to two words between; 0 for none.
func countBefore(text string, i int) int {
	// "twelve further expert witnesses" has two words between.
	for range 3 {
		end := backBlanks(text, i)

		start := end
		for start > 0 && end-start < 16 && inNumber(text[start-1]) {
			start--
		}
		if start == end {
			return 0
		}
		if n, ok := NumberWord(text[start:end]); ok {
			return n
		}
		if n, stop, ok := number(text, start, 3); ok && stop == end {
			return n
		}
		i = start
	}

	return 0
}

// inNumber reports whether a byte can belong to a number in digits or in words.
func inNumber(c byte) bool { return isLetter(c) || isDigit(c) || c == '-' }

// counts reports whether a phrase means in this document what it says. A contract provides for what may happen; only
// what it is about counts.
func (f *Facts) counts(text string, h Hit) bool {
	contract := f.Title.Kind == Contract

	switch h.Topic {
	case InjunctionTopic:
		return !contract && !f.provided(text, h.Span)
	// A choice of foreign law, and employment, are what a contract is about and not what may happen.
	case ForeignTopic, StakesPrefix + "employment":
		return true
	case StakesPrefix + "housing":
		return !contract || strings.HasPrefix(strings.ToLower(h.In(text)), "residential") ||
			strings.EqualFold(h.In(text), "dwelling unit")
	}

	return !contract
}

// provided reports whether the sentence of a phrase says what somebody may have rather than what somebody asks for. Who
// pleads or moves asks for what they say they are entitled to.
func (f *Facts) provided(text string, s Span) bool {
	start := sentenceStart(text, s.Start, 120)
	before := strings.ToLower(text[start:s.Start])
	asks := f.Title.Kind == Pleading || f.Title.Kind == Motion

	return holdsAny(before, "may seek", "may obtain", "remedies", "unlike", "denied") ||
		!asks && holdsAny(before, "entitled to", "right to")
}
