// Package verify stands between a language model and whoever reads its answer: it checks each sentence against the
// passages that were read, and takes out what it cannot bear out.
package verify

import (
	"context"
	"fmt"
	"strings"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/label"
)

// Passage is something that was given to the model to read. It is cited by its number, which is its place in the
// record, from 1.
type Passage struct {
	Source   api.SourceRef
	FileName string
	Text     string
}

// Record is what an answer may rest on.
type Record struct {
	Passages []Passage
	Computed []string             // results that code computed and that the model was told
	Labels   map[label.Label]bool // of the case, its files and the question
	Known    *Authorities         // besides what the passages cite; may be nil
}

// Kind says what is wrong with a sentence.
type Kind string

// The kinds.
const (
	Citation Kind = "citation" // cites a passage that was not read
	Uncited  Kind = "uncited"  // states something without a source
	Quote    Kind = "quote"    // quotes what does not stand there
	Figure   Kind = "figure"   // gives a date, amount or number that does not stand there
	Label    Kind = "label"    // names a label that the case does not have
	Link     Kind = "link"     // holds an address, a picture or markup
	Unknown  Kind = "unknown"  // names an authority that no passage that was read cites
	Negation Kind = "negation" // says that something is so that its passage says is not, or the other way round
	Role     Kind = "role"     // has the parties of its passage in each other's place
	Stranger Kind = "stranger" // names a label that the passages it cites do not name
	Identity Kind = "identity" // could identify somebody
)

// Fault is something wrong with one sentence, counted from 1. Begins and Detail are of the answer's own words, "" where
// they must not be repeated.
type Fault struct {
	Sentence int
	Kind     Kind
	Begins   string // the first words of the sentence
	Detail   string
}

// String says to the model what to mend.
func (f Fault) String() string {
	says := map[Kind]string{
		Citation: "cites %s, which is not the number of a passage that you have read",
		Uncited:  "states something without the number of a passage in square brackets%s",
		Quote:    "quotes %s, which does not stand so in a passage that the sentence cites",
		Figure:   "says %s, which does not stand in a passage that the sentence cites nor in a computed result",
		Label:    "names %s, which is not a label of this case",
		Link:     "holds an address, a picture or markup%s, and must not",
		Unknown:  "names the authority %s, which neither a passage nor the list of the firm has; leave it out",
		Negation: "denies what the passage it cites says, or says what it denies, or has the opposite of " +
			"one of its words%s",
		Role:     "has the parties of the passage it cites in other places than the passage has them%s",
		Stranger: "names %s, of whom no passage that it cites speaks",
		Identity: "holds something that could identify a real person or organization%s; " +
			"use labels such as [Party 1] only",
	}
	begins := ""
	if f.Begins != "" {
		begins = " (“" + f.Begins + " …”)"
	}

	return fmt.Sprintf("Sentence %d%s "+says[f.Kind]+".", f.Sentence, begins, f.Detail)
}

// Report is an answer with what was found about it.
type Report struct {
	Faults    []Fault
	Sentences int
	record    Record
	lines     []line
	faulty    map[*sentence]bool
	own       map[*sentence]bool // so much in words of their own that nothing could be compared
	known     *knowledge
}

// Has reports whether there is a fault of a kind.
func (r Report) Has(k Kind) bool {
	for _, f := range r.Faults {
		if f.Kind == k {
			return true
		}
	}

	return false
}

// Check checks an answer in Markdown against the record. Every text in it goes through the gate's door for answers of
// models.
func Check(ctx context.Context, gate guard.Gate, text string, record Record) Report {
	known := newKnowledge(record)
	r := Report{
		record: record, lines: split(text), faulty: map[*sentence]bool{}, own: map[*sentence]bool{},
		known: known,
	}
	n := 0
	// The whole answer goes through the gate at once: a name may lie across two sentences.
	found := gate.Check(ctx, guard.ModelOut, text)
	placed := false

	for _, l := range r.lines {
		for _, s := range l.sentences {
			n++
			add := func(k Kind, detail string) {
				fault := Fault{Sentence: n, Kind: k, Detail: detail}
				if k != Identity && k != Link {
					words := strings.Fields(s.text)
					fault.Begins = strings.Join(words[:min(len(words), firstWords)], " ")
				}
				r.Faults = append(r.Faults, fault)
				r.faulty[s] = true
			}
			if touches(found, s) {
				add(Identity, "")
				placed = true

				// What else is wrong with the sentence would repeat its words to the model.
				continue
			}
			r.own[s] = !known.check(l, s, add)
		}
	}
	r.Sentences = n
	// The finding lies outside of all sentences. Whatever holds it must not leave.
	if len(found) > 0 && !placed {
		r.Faults = append(r.Faults, Fault{Sentence: 1, Kind: Identity})
	}

	return r
}

const firstWords = 6 // by which a fault names its sentence

// touches reports whether a finding lies within a sentence.
func touches(found []guard.Finding, s *sentence) bool {
	for _, f := range found {
		if f.Start < s.end && f.End > s.start {
			return true
		}
	}

	return false
}

// check judges one sentence. It returns false where what it says could not be compared with what it rests on.
func (k *knowledge) check(l line, s *sentence, add func(Kind, string)) bool {
	// Nothing of such a sentence is repeated, so there is no need to look further.
	if linked(s.text) {
		add(Link, "")
		return true
	}
	var cited []*evidence

	for _, number := range s.marks {
		if number < 1 || number > len(k.passages) {
			add(Citation, fmt.Sprintf("[%d]", number))
			continue
		}
		cited = append(cited, k.passage(number-1))
	}

	words := inFigures(bare(s.text))
	for _, label := range facts.Labels(words) {
		if !k.labels[label.Label] {
			add(Label, label.String())
		}
	}
	authorities := facts.Citations(words)
	if len(s.marks) == 0 && len(authorities) == 0 && l.claims(s, words) {
		add(Uncited, "")
	}

	// Authorities come before figures, since their volumes and pages are not figures of the case.
	for _, c := range authorities {
		if from, why := k.authorities.standing(words, c); from == Nowhere {
			add(Unknown, "“"+shorten(c.In(words))+"”"+why)
		}
	}
	rest := withoutAuthorities(words, authorities)
	if len(authorities) == 0 {
		for _, name := range k.authorities.unknownNames(words) {
			add(Unknown, "“"+shorten(name)+"”")
		}
	}
	compared := len(authorities) == 0 || len(cited) > 0
	if len(cited) > 0 {
		compared = k.meaning(rest, cited, add)

		for _, label := range k.strangers(words, cited) {
			add(Stranger, label)
		}

		for _, n := range k.misbound(rest, cited) {
			add(Figure, "“"+n+"”")
		}
		compared = compared && !k.doubtful(rest, cited) && !k.slipped(rest, cited)
	}
	if l.structural(s) && len(cited) == 0 {
		// A heading has no marks, and may name what stands in any passage.
		cited = k.all()
	}

	for _, q := range quotes(l, bare(s.text)) {
		if !borneOut(q, cited) {
			add(Quote, "“"+shorten(q)+"”")
		}
	}

	for _, figure := range k.unknownFigures(rest, cited) {
		add(Figure, "“"+figure+"”")
	}

	return compared
}

// withoutAuthorities blanks out the citations of authorities, whose numbers are those of books.
func withoutAuthorities(words string, list []facts.Citation) string {
	if len(list) == 0 {
		return words
	}

	b := []byte(words)
	for _, c := range list {
		for i := c.Start; i < c.End && i < len(b); i++ {
			b[i] = ' '
		}
	}

	return string(b)
}

const shown = 60 // code points of a quote that a fault repeats

func shorten(s string) string {
	r := []rune(s)
	if len(r) <= shown {
		return s
	}

	return string(r[:shown]) + "…"
}

// Answer is what is left of an answer after its faulty sentences are taken out.
type Answer struct {
	Text        string
	Citations   []api.Citation
	Authorities []api.Authority
	Removed     int  // sentences
	Unknown     int  // authorities that were taken out with them
	Own         int  // sentences that are marked, since they could not be compared
	Empty       bool // nothing is left that answers
}

// Answer takes the faulty sentences out, those with authorities that no passage cites among them, and numbers the
// citations anew.
func (r Report) Answer() Answer {
	var a Answer
	var b strings.Builder
	numbers := map[int]int{}
	seen := map[string]bool{}
	kept := r.kept()

	for _, f := range r.Faults {
		if f.Kind == Unknown {
			a.Unknown++
		}
	}
	substance := 0
	blank := false

	for _, l := range r.lines {
		var said []string

		for _, s := range l.sentences {
			if !kept[s] {
				if r.faulty[s] {
					a.Removed++
				}

				continue
			}

			// Citations are counted anew in the order in which they are left, so that no number is missing.
			text := s.renumbered(func(n int) int {
				if numbers[n] == 0 {
					numbers[n] = len(numbers) + 1
					a.Citations = append(
						a.Citations, api.Citation{N: numbers[n], Source: r.record.Passages[n-1].Source},
					)
				}

				return numbers[n]
			})
			if r.own[s] {
				a.Own++
				text = marked(text)
			}

			cites := r.authorities(&a, s, seen)
			if len(s.marks) > 0 || cites {
				substance++
			}
			said = append(said, text)
		}

		switch {
		case len(said) > 0:
			b.WriteString(l.prefix + strings.Join(said, " ") + "\n")
			if l.under != "" {
				b.WriteString(l.under + "\n")
			}
			blank = false
		// Where lines were taken out, the empty ones around them would pile up.
		case len(l.sentences) == 0 && !blank && b.Len() > 0:
			b.WriteString(l.prefix + "\n")
			blank = l.prefix == ""
		}
	}
	a.Text = strings.TrimSpace(b.String())
	if a.Text != "" {
		a.Text += "\n"
	}
	a.Empty = a.Text == "" || substance == 0 && (a.Removed > 0 || !r.absent(kept))

	return a
}

// authorities adds what a sentence cites to those of the answer, each once, and reports whether it cites any.
func (r Report) authorities(a *Answer, s *sentence, seen map[string]bool) (cites bool) {
	words := bare(s.text)
	cited := facts.Citations(words)

	for _, c := range cited {
		if seen[c.Key] {
			continue
		}
		seen[c.Key] = true
		from, _ := r.known.authorities.standing(words, c)
		a.Authorities = append(a.Authorities, api.Authority{
			Text:         c.In(words),
			Kind:         c.Kind,
			Verification: string(from),
		})
	}

	return len(cited) > 0
}

// Paraphrase is the mark of a sentence that could not be compared with what it rests on.
const Paraphrase = "*(the model's own words)*"

// marked puts the mark behind a sentence, within the last cell of the row of a table.
func marked(text string) string {
	if row, ok := strings.CutSuffix(text, "|"); ok {
		return strings.TrimRight(row, " ") + " " + Paraphrase + " |"
	}

	return text + " " + Paraphrase
}

// absent reports whether what is kept says that something was not found, which is an answer too.
func (r Report) absent(kept map[*sentence]bool) bool {
	for s := range kept {
		if absence(bare(s.text)) {
			return true
		}
	}

	return false
}

// kept returns the sentences that stay: those without a fault, and headings and the like only where something follows
// them.
func (r Report) kept() map[*sentence]bool {
	type entry struct {
		s     *sentence
		level int // of a heading, deepest for the lead to a list; 0 for what states something
	}
	var all []entry

	for _, l := range r.lines {
		for _, s := range l.sentences {
			if !r.faulty[s] {
				all = append(all, entry{s, l.level(s)})
			}
		}
	}
	kept := map[*sentence]bool{}

	for i, e := range all {
		if e.level == 0 {
			kept[e.s] = true
			continue
		}

		// A heading stays only while something below it does.
		for _, next := range all[i+1:] {
			if next.level > 0 && next.level <= e.level {
				break
			}
			if next.level == 0 {
				kept[e.s] = true
				break
			}
		}
	}

	return kept
}
