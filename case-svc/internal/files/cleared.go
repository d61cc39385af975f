package files

import (
	"context"
	"errors"
	"slices"

	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/extract"
)

// MostCleared bounds the words, and the files they stand in, that ClearedWords tells of.
const MostCleared = 200

// ClearedWords returns the words that people have cleared in files of the case which agents may read, each once. They
// stand in what agents are shown anyway; whoever quotes these files must not take them for identities again. A file
// that cannot be read at the moment fails the call. At most MostCleared words come back.
func (in *Intake) ClearedWords(ctx context.Context, tenant, caseID string) ([]string, error) {
	words, _, err := in.cleared(ctx, tenant, caseID)
	return words, err
}

// cleared is ClearedWords with the newest of the clearances that it looked at.
func (in *Intake) cleared(ctx context.Context, tenant, caseID string) (words []string, newest Clearance, err error) {
	clearances, err := in.Clearances.OfCase(ctx, tenant, caseID, MostCleared)
	if err != nil || len(clearances) == 0 {
		return nil, newest, err
	}
	newest = clearances[len(clearances)-1]
	holdings, err := in.Shelf.Holdings(ctx, tenant, caseID)
	if err != nil {
		return nil, newest, err
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
		return nil, newest, nil
	}
	list, err := in.Shelf.Among(ctx, tenant, caseID, ids)
	if err != nil {
		return nil, newest, err
	}

	for _, f := range list {
		cleared := bySum[f.Content.SHA256]
		more, err := in.clearedIn(ctx, f, &cleared)
		if err != nil {
			return nil, newest, err
		}
		words = append(words, more...)
	}
	slices.Sort(words)
	words = slices.Compact(words)

	return words[:min(len(words), MostCleared)], newest, nil
}

// clearedIn returns the words of the content that is kept of a file which the gate finds and a person has cleared.
func (in *Intake) clearedIn(ctx context.Context, f File, cleared *Clearance) (words []string, err error) {
	leave, err := in.Spool.Place(ctx)
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
	if err != nil {
		return nil, errs.ErrUnavailable
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
