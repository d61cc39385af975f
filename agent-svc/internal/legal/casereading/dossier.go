// Package casereading gathers what the files of a case say, fact by fact with its place, and turns it into the features
// of the rubric. Only one file's text is held at a time, and nothing that is kept holds on to it.
package casereading

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/label"
)

// Place is where something stands. A withheld one has no source: the sentence, read on one line, could hold an
// identity.
type Place struct {
	api.SourceRef
	FileName string
	Withheld bool
	Words    string // how a person put it in the timeline, "" when the quote says it
}

// Sources returns the place as sources, none when it is withheld.
func (p Place) Sources() []api.SourceRef {
	if p.Withheld || p.FileID == "" {
		return nil
	}

	return []api.SourceRef{p.SourceRef}
}

// File is what is known of one file that was read.
type File struct {
	ID, Name  string
	Kind      facts.Kind
	Title     string // what it calls itself, in words of ours
	TitleAt   Place  // of its title, or of its first words
	System    string // of the court that its head names
	SystemAt  Place
	Claims    []Claim
	Pages     int  // counted, or one for every 2,500 characters
	Estimated bool // pages
	Chars     int
	Addressee string     // the label of the one to whom a summons is addressed, "" for none or several
	Made      facts.Date // the day on which it says it was made; Year is 0 when it says none
	MadeAt    Place
	Law       Place  // the sentence with the governing law
	First     string // labels of the sides, as its caption or its parties have them
	Second    string
	Terms     []Place // defined terms of a contract, quoted alone
	Duties    []Place // sentences in which somebody shall or must do something
	Court     []Place // the lines of a caption that name the court, quoted alone
	// Allegations are the numbered paragraphs of what opens a case.
	Allegations []Allegation
}

// Allegation is a numbered paragraph of a pleading, quoted from its beginning.
type Allegation struct {
	Number int
	At     Place
}

// OpensCase reports whether a file is what a case begins with: a complaint or petition.
func (f File) OpensCase() bool { return opensCase(f) }

// Claim is a count or cause of action of a file.
type Claim struct {
	Number  int
	Heading string
	At      Place
}

// Label is a label with what the files say of it.
type Label struct {
	label.Label
	Role   string // as the text presents it first
	RoleAt Place
	At     Place // where it stands first
	Count  int
	Files  int
	last   string
}

// Sum is a sum of money.
type Sum struct {
	facts.Amount
	Role facts.Role
	Name string // as its clause calls it, "" when it does not
	At   Place
}

// Demand is a sum that is demanded.
type Demand struct {
	facts.Demand
	At Place
}

// Date is a calendar date.
type Date struct {
	facts.Date
	Raw   string // as it stands there, at most maxRaw code points
	At    Place
	Rough Rough
}

// Rough says how far a day may be from what happened.
type Rough int

// A day is known, or only its year, or it is near.
const (
	Exact Rough = iota
	OfYear
	Near
)

// String writes the date as far as it is known: YYYY-MM-DD, YYYY-MM, YYYY, or "about" before it.
func (d Date) String() string {
	switch d.Rough {
	case OfYear:
		return d.Time().Format("2006")
	case Near:
		return "about " + d.Date.String()
	default:
		return d.Date.String()
	}
}

// Deadline is a time limit that a file states.
type Deadline struct {
	facts.Deadline
	What   string   // what it runs from, in the words of the text
	Words  []string // of its clause, by which periods that run to or from it are joined to it
	Behind []string // words of its clause behind its day, up to the next one
	Loose  bool     // what it runs from happens again, or when somebody acts: no day of the files is taken for it
	Clock  string   // the time of day, that of German and French in digits, "" when it has none
	Room   string   // the place likewise
	At     Place
}

// Event is an event of procedure from which a period can run.
type Event struct {
	facts.Event
	Raw string // the date as it stands in the text
	At  Place
}

// Report is the day of something that a file tells.
type Report struct {
	facts.Report
	Raw string // the date as it stands in the text
	At  Place
}

// Authority is what is cited, with its first place. Parallel citations are one authority; short forms, "Id." and
// "supra" count for the one that they point back to.
type Authority struct {
	Key, Text, Kind string
	FormOK          bool
	Count           int
	Pinned          int      // of these, with a page, paragraph or subsection
	Pins            []string // the different ones, in the order of the files, at most mostPins
	At              Place
	Matched         bool // it stands with the same case name in two files
	// Differing says that two case names stand before it: one at NamedAt, the other at Differs.
	Differing        bool
	NamedAt, Differs Place

	names []caseName
}

// caseName is the name of a case as it stands before a citation.
type caseName struct {
	text, file string
	at         Place
}

// Dangling is a short form that nothing before it in its file explains.
type Dangling struct {
	Text   string
	Reason string // in words of ours
	At     Place
}

// Act is something that was done on a day.
type Act struct {
	facts.Act
	At Place
}

// Topic is a sign for something that the rubric asks after.
type Topic struct {
	Name, Detail string
	Weight       int // how much speaks for it; a pleading, motion or order counts double
	Places       []Place
}

// Bounds of what is kept. What goes beyond is counted and not kept.
const (
	mostDates       = 2000
	mostSums        = 2000
	mostDeadlines   = 500
	mostEvents      = 500
	mostReports     = 1000
	mostAuthorities = 3000
	mostDemands     = 500
	mostLabels      = 2000
	mostDangling    = 300
	mostActs        = 1000
	mostPins        = 8
	mostNames       = 4   // case names before one citation
	mostClaims      = 200 // of one file
	mostPlaces      = 3   // of one topic
)

// Keep says which long lists are wanted; what is not kept is not quoted either, which saves most of the work.
// References are what points back to a citation, and the names of cases; without them only citations with a volume are
// counted.
type Keep struct {
	Dates, Sums, Allegations, Events, References bool

	Today time.Time // from when on days count as to come; the zero time keeps all
}

// Dossier is what the files of a case say.
type Dossier struct {
	Files       []File
	Labels      []Label
	Sums        []Sum
	Demands     []Demand
	Dates       []Date
	Deadlines   []Deadline
	Listed      []Deadline // days of which nothing tells whether something is due on them
	Seen        []Deadline // to come: days of what was done, by the words around them, and months without a day
	SeenPast    int        // such dates that are past
	Events      []Event
	Reports     []Report
	Authorities []Authority
	Dangling    []Dangling
	Acts        []Act
	Topics      []Topic
	Issues      []Topic // one for each section said to be broken
	Witnesses   int     // of whom a text speaks by number
	Languages   []string
	Government  bool // a caption names the United States, an agency or an officer of it as a party
	Withheld    int  // places that were not quoted
	Dropped     int  // facts beyond the bounds
	Full        int  // files with more facts of one kind than a Reader keeps

	reader      *facts.Reader
	gate        guard.Gate
	keep        Keep
	labels      map[label.Label]int
	same        map[label.Label]label.Label // by a label, another that stands for the same one
	authorities map[string]int
	topics      map[[2]string]int
	issues      map[string]int
}

// New returns an empty dossier.
func New(reader *facts.Reader, gate guard.Gate, keep Keep) *Dossier {
	return &Dossier{
		reader: reader, gate: gate, keep: keep,
		labels: map[label.Label]int{}, authorities: map[string]int{},
		topics: map[[2]string]int{}, issues: map[string]int{},
	}
}

// open is the file that is being read.
type open struct {
	*Dossier
	*Quoter
	said facts.Facts // what its text says
}

// Add reads one file.
func (d *Dossier) Add(ctx context.Context, file api.File, body api.FileText) {
	o := &open{Dossier: d, Quoter: NewQuoter(ctx, d.gate, file, body)}
	o.said = d.reader.Read(body.Text, file.DocType)
	if o.said.Full {
		d.Full++
	}
	f := File{
		ID:    file.FileID,
		Name:  file.Name,
		Kind:  o.said.Title.Kind,
		Title: o.said.Title.Name,
		Chars: o.ruler.Char(len(o.text)),
	}
	f.TitleAt = o.Sentence(o.head())
	f.Pages, f.Estimated = pages(file, body, f.Chars)
	if o.said.Caption.System != "" {
		f.System, f.SystemAt = o.said.Caption.System, o.Sentence(o.said.Caption.Forum)
	}
	// The longer period for the United States depends on it, so only a caption counts and not a mention in the text.
	if f.System == facts.FederalCourt && o.said.Title.Kind != facts.Contract {
		d.Government = d.Government || facts.NamesGovernment(o.text[:min(len(o.text), captionBytes)])
	}
	if f.Made = o.said.Made; f.Made.Year > 0 {
		f.MadeAt = o.Exact(o.said.Made.Span)
	}
	if o.said.Law.End > 0 {
		f.Law = o.Sentence(o.said.Law)
	}

	for _, c := range o.said.Claims[:min(len(o.said.Claims), mostClaims)] {
		f.Claims = append(f.Claims, Claim{c.Number, strings.Clone(facts.Fold(c.In(o.text))), o.Sentence(c.Span)})
	}

	for _, s := range o.said.Obligations {
		f.Duties = append(f.Duties, o.Sentence(s))
	}

	for _, s := range o.said.Terms {
		f.Terms = append(f.Terms, o.Exact(s))
	}
	// Of the other papers nothing runs from who got them.
	if head := o.text[:min(len(o.text), addressBytes)]; strings.Contains(strings.ToLower(head), "summons") {
		f.Addressee = strings.Clone(facts.Addressee(head))
	}
	o.addCourt(&f)
	if o.keep.Allegations && opensCase(f) {
		for _, a := range facts.Allegations(o.text) {
			f.Allegations = append(f.Allegations, Allegation{a.Number, o.Opening(a.Span)})
		}
	}
	o.addLabels(&f)
	o.addAliases()
	o.addSums()
	o.addDates()
	o.addEvents()
	o.addActs()
	o.addAuthorities()
	o.addTopics()
	if lang := file.Extraction.Language; lang != "" && lang != "und" && !slices.Contains(d.Languages, lang) {
		d.Languages = append(d.Languages, lang)
	}
	d.Files = append(d.Files, f)
	d.Withheld += o.Quoter.Withheld
}

const (
	charsOfPage  = 2500
	captionBytes = 1500 // of a paper in which its caption stands
	addressBytes = 4000 // of a summons in which its addressee stands
)

// pages returns how many pages a file has; without pages of its own, one for every 2,500 characters begun.
func pages(file api.File, body api.FileText, chars int) (n int, estimated bool) {
	if n = len(body.PageStarts); n > 0 {
		// Pages without text have no start, but they are pages.
		return max(n, file.Extraction.Pages), false
	}

	return (chars + charsOfPage - 1) / charsOfPage, true
}

// head returns the title of the text, or its first words.
func (o *open) head() facts.Span {
	if o.said.Title.End > 0 {
		return o.said.Title.Span
	}
	// A text without a title is told by its first words.
	start := len(o.text) - len(strings.TrimLeft(o.text, " \n\t\r\f"))

	end := start
	for words := 0; end < len(o.text) && words < 8; end++ {
		if o.text[end] == ' ' || o.text[end] == '\n' {
			words++
		}
	}

	return facts.Span{Start: start, End: end}
}
