package casereading

import (
	"context"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// Quoter turns spans of the text of one file into places that can be shown. Nothing that it returns holds on to the
// text.
type Quoter struct {
	Withheld int // places that could not be quoted

	ctx   context.Context // of the check of quotes
	gate  guard.Gate
	file  api.File
	body  api.FileText
	text  string
	ruler *facts.Ruler
}

// NewQuoter returns the Quoter of a file. The gate judges each quote on one line, since that may read differently from
// the lines it comes from.
func NewQuoter(ctx context.Context, gate guard.Gate, file api.File, body api.FileText) *Quoter {
	return &Quoter{ctx: ctx, gate: gate, file: file, body: body, text: body.Text, ruler: facts.NewRuler(body.Text)}
}

// Sentence returns where a span stands, with its sentence as the quote; when that may not be shown, with the span
// alone.
func (q *Quoter) Sentence(s facts.Span) Place {
	if p, ok := q.try(facts.Around(q.text, s)); ok {
		return p
	}

	return q.Exact(s)
}

// Exact returns where a span stands, with nothing else quoted.
func (q *Quoter) Exact(s facts.Span) Place {
	if strings.TrimSpace(s.In(q.text)) == "" {
		return Place{FileName: q.file.Name}
	}
	if p, ok := q.try(s); ok {
		return p
	}
	q.Withheld++

	return Place{FileName: q.file.Name, Withheld: true}
}

// Beginning returns where a span stands, with as much of its beginning as a quote may hold.
func (q *Quoter) Beginning(s facts.Span) Place { return q.Exact(facts.Beginning(q.text, s)) }

// Opening returns where a paragraph stands, quoted whole; when that may not be shown, by its first sentence.
func (q *Quoter) Opening(s facts.Span) Place {
	if p, ok := q.try(s); ok {
		return p
	}
	// A later sentence of the paragraph may be what the gate holds back.
	first := facts.Around(q.text, facts.Span{Start: s.Start, End: s.Start})
	if first.Start >= s.Start && first.End < s.End {
		return q.Exact(first)
	}

	return q.Exact(s)
}

// try quotes a span unless it is empty, too long, or may not be shown.
func (q *Quoter) try(s facts.Span) (Place, bool) {
	quote := facts.Fold(s.In(q.text))
	// The interface bounds the quote as it stands in the file, before its blanks are folded.
	tooLong := utf8.RuneCountInString(s.In(q.text)) > facts.MaxQuote
	if quote == "" || tooLong || len(q.gate.Check(q.ctx, guard.Event, quote)) > 0 {
		return Place{}, false
	}
	from := q.ruler.Char(s.Start)

	return Place{FileName: q.file.Name, SourceRef: api.SourceRef{
		FileID:      q.file.FileID,
		TextVersion: q.body.TextVersion,
		Page:        q.page(from),
		CharStart:   from,
		CharEnd:     q.ruler.Char(s.End),
		Quote:       strings.Clone(quote),
	}}, true
}

// page returns the page that holds a code point, 0 when the text has none.
func (q *Quoter) page(char int) int {
	starts := q.body.PageStarts
	// Page starts rise, so the page is the last that begins at or before the character.
	n := sort.Search(len(starts), func(i int) bool { return starts[i].Start > char })
	if n == 0 {
		return 0
	}

	return starts[n-1].Page
}
