package files

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// MostCleared bounds the words, and the files they stand in, that ClearedWords tells of.
const MostCleared = 200

// ClearedWords returns the words that people have cleared in files of the case which agents may read, each once. They
// stand in what agents are shown anyway; whoever quotes these files must not take them for identities again. A file
// that cannot be read at the moment fails the call. At most MostCleared words come back.
func (in *Intake) ClearedWords(ctx context.Context, tenant, caseID string) ([]string, error) {
	list, err := in.cleared(ctx, tenant, caseID, in.Spool.Place)
	if err != nil {
		return nil, err
	}

	var words []string
	for _, c := range list {
		words = append(words, c.words...)
	}
	slices.Sort(words)
	words = slices.Compact(words)

	return words[:min(len(words), MostCleared)], nil
}

// clearedWords are the words that one clearance clears in the files of its case.
type clearedWords struct {
	Clearance
	words   []string
	lexicon guard.Lexicon
}

// cleared returns what people have cleared in the files of the case, the newest clearance first. place gives a place
// to read each file in.
func (in *Intake) cleared(
	ctx context.Context, tenant, caseID string, place func(context.Context) (func(), error),
) (all []clearedWords, err error) {
	clearances, err := in.Clearances.OfCase(ctx, tenant, caseID, MostCleared)
	if err != nil || len(clearances) == 0 {
		return nil, err
	}
	holdings, err := in.Files.Holdings(ctx, tenant, caseID)
	if err != nil {
		return nil, err
	}
	bySum, ids := map[string]Clearance{}, []string(nil)

	for _, c := range clearances {
		bySum[c.SHA256] = c
	}

	for _, h := range holdings {
		if c, ok := bySum[h.ContentSHA256]; ok && len(c.Marks) > 0 && h.AgentReadable {
			ids = append(ids, h.ID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	list, err := in.Files.Among(ctx, tenant, caseID, ids)
	if err != nil {
		return nil, err
	}

	for _, f := range list {
		c := clearedWords{Clearance: bySum[f.Content.SHA256]}
		if c.words, err = in.clearedIn(ctx, f, &c.Clearance, place); err != nil {
			return nil, err
		}
		c.lexicon = guard.NewLexicon(c.words)
		all = append(all, c)
	}
	slices.SortStableFunc(all, func(a, b clearedWords) int { return b.At.Compare(a.At) })

	return all, nil
}

// clearedIn returns the words of the content that is kept of a file which the gate finds and a person has cleared.
// There are none in a file that is refused by the rules of today. errs.ErrUnavailable: nobody can say at the moment.
func (in *Intake) clearedIn(
	ctx context.Context, f File, cleared *Clearance, place func(context.Context) (func(), error),
) (words []string, err error) {
	leave, err := place(ctx)
	if err != nil {
		return nil, err
	}
	defer leave()

	s, err := in.fetch(ctx, f, Served, f.Content.SizeBytes)
	if errors.Is(err, ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}

	defer func() { _ = s.Close() }()

	doc, err := extract.Extract(ctx, s, s.Size, f.Content.MediaType, in.extractLimits())
	switch {
	case refusal(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read what is cleared in a file: %w: %w", errs.ErrUnavailable, err)
	}

	for _, p := range doc.Parts {
		if p.Kind == extract.Body {
			p.Numbers = f.Numbers.spans()
		}
		text := p.Judged()

		for _, hit := range in.Gate.Check(ctx, doorOf(p), text) {
			if cleared.covers(p.Path, hit) {
				words = append(words, text[hit.Start:hit.End])
			}
		}
	}

	return words, nil
}
