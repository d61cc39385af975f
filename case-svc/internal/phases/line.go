package phases

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
)

// Span is a stretch of one branch: the phases with these numbers, both included.
type Span struct {
	BranchID   string
	From       int
	To         int // 0 for no end
	Descending bool
}

// Filter chooses phases; zero fields choose all.
type Filter struct {
	Statuses       []string
	RequestTypes   []string
	ContainerTypes []string
	ContainerID    string
	ReviewStatus   string
	Since          time.Time // of their creation
	Brief          bool      // without answers and uses of tools
}

// Spans returns what is seen on the branch, from the root on. inherited false leaves out the ancestors.
func (b Branch) Spans(inherited bool) []Span {
	var all []Span

	for _, s := range b.Lineage {
		if inherited && s.Through > 0 {
			all = append(all, Span{BranchID: s.BranchID, From: 1, To: s.Through})
		}
	}

	return append(all, Span{BranchID: b.ID, From: 1})
}

// Latest returns the spans of the last most phases that are seen on the branch, and of a phase that runs on it.
func (b Branch) Latest(most int) []Span {
	from := max(1, b.HeadSequence-most+1)
	all := []Span{{BranchID: b.ID, From: from}}

	left := most - b.HeadSequence
	for _, s := range slices.Backward(b.Lineage) {
		if left <= 0 {
			break
		}
		if s.Through > 0 {
			all = append(all, Span{BranchID: s.BranchID, From: max(1, s.Through-left+1), To: s.Through})
		}
		left -= s.Through
	}

	return all
}

// LineQuery asks for phases that are seen on a branch.
type LineQuery struct {
	Filter
	Inherited  bool
	Descending bool
	After      *cases.Cursor // of PlaceOn
	Limit      int
}

// PlaceOn returns the place of p among the phases that a branch sees.
func PlaceOn(p Phase) cases.Cursor {
	return cases.Cursor{Text: p.BranchID, ID: strconv.Itoa(p.Sequence)}
}

// Line returns the phases that are seen on a branch: those of its ancestors up to its fork points, then its own; or the
// other way round.
func (l *Service) Line(ctx context.Context, b Branch, q LineQuery) ([]Phase, error) {
	spans := b.Spans(q.Inherited)
	if q.Descending {
		slices.Reverse(spans)
	}
	if q.After != nil {
		spans = behind(spans, *q.After, q.Descending)
	}

	var all []Phase
	for _, s := range spans {
		// A lineage has up to 16 spans. Those that the page does not reach are not asked for.
		if len(all) == q.Limit {
			break
		}
		s.Descending = q.Descending
		found, err := l.Records.Along(ctx, b.Tenant, s, q.Filter, q.Limit-len(all))
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}

	return all, nil
}

// behind cuts off what lies before a place, in the order in which spans are given. A place that is none of theirs has
// nothing behind it.
func behind(spans []Span, at cases.Cursor, descending bool) []Span {
	n, err := strconv.Atoi(at.ID)
	i := slices.IndexFunc(spans, func(s Span) bool { return s.BranchID == at.Text })
	if err != nil || i < 0 {
		return nil
	}
	rest := slices.Clone(spans[i:])
	if !descending {
		rest[0].From = max(rest[0].From, n+1)
		return rest
	}
	// The first phase of a branch was the last of the page, so the branch is done.
	if n <= 1 {
		return rest[1:]
	}
	rest[0].To = n - 1

	return rest
}

// Latest returns the last most phases that are seen on a branch, the newest first, in one round trip and without what
// is heavy.
func (l *Service) Latest(ctx context.Context, b Branch, most int) ([]Phase, error) {
	found, err := l.Records.Among(ctx, b.Tenant, b.Latest(most))
	if err != nil {
		return nil, err
	}

	rank := map[string]int{b.ID: len(b.Lineage)}
	for i, s := range b.Lineage {
		rank[s.BranchID] = i
	}
	slices.SortFunc(found, func(x, y Phase) int {
		if by := rank[y.BranchID] - rank[x.BranchID]; by != 0 {
			return by
		}

		return y.Sequence - x.Sequence
	})

	return found[:min(most, len(found))], nil
}
