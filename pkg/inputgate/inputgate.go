// Package inputgate sends free text through the gate on its way into a service.
package inputgate

import (
	"context"
	"errors"
	"sync"

	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"golang.org/x/text/unicode/norm"
)

// Text is free text on its way in, with the path by which its sender knows it.
type Text struct {
	Channel guard.Channel
	Path    string
	Value   string // as sent, because findings are told in its bytes
}

// Check sends texts through the gate. When one may not pass, it returns guard.ErrRefused with link as the deep link.
func Check(ctx context.Context, gate guard.Gate, link string, texts ...Text) error {
	var found []guard.Located

	for _, t := range texts {
		hits := gate.Check(ctx, t.Channel, t.Value)
		if len(hits) == 0 && !composedPasses(ctx, gate, t) {
			hits = []guard.Finding{{Kind: guard.KindOperation}}
		}
		found = append(found, guard.At(t.Path, hits)...)
	}
	if len(found) == 0 {
		return nil
	}

	return guard.Refusal(link, found)
}

// composedPasses reports whether the composed form of a text passes too. That form is what services store, so it has to
// be as clean as what was sent.
func composedPasses(ctx context.Context, gate guard.Gate, t Text) bool {
	composed := norm.NFC.String(t.Value)
	return composed == t.Value || len(gate.Check(ctx, t.Channel, composed)) == 0
}

// Words reads the words that people have cleared in the files of a case.
type Words func(ctx context.Context, tenant, caseID string) ([]string, error)

// In returns a reader of the words of one case, for CheckTaken, or nil for an empty case id.
func (w Words) In(tenant, caseID string) func(context.Context) ([]string, error) {
	if w == nil || caseID == "" {
		return nil
	}

	return func(ctx context.Context) ([]string, error) { return w(ctx, tenant, caseID) }
}

// CheckTaken is Check for text that a run has taken from the files of a case: a word that a person has cleared there is
// no identity here either. cleared is called once at most, when something is found; nil means that nothing is cleared.
// If it fails, nobody can say whether the text may pass, and the error is errs.ErrUnavailable.
func CheckTaken(
	ctx context.Context,
	gate guard.Gate,
	link string,
	cleared func(context.Context) ([]string, error),
	texts ...Text,
) error {
	if cleared == nil {
		return Check(ctx, gate, link, texts...)
	}
	read := sync.OnceValues(func() (guard.Lexicon, error) {
		words, err := cleared(ctx)
		return guard.NewLexicon(words), err
	})
	var unread error

	err := Check(ctx, guard.Allowing{Gate: gate, Words: func(context.Context) guard.Lexicon {
		known, err := read()
		if err != nil {
			unread = err
			return nil
		}

		return known
	}}, link, texts...)
	if err != nil && unread != nil {
		return errors.Join(errs.ErrUnavailable, unread)
	}

	return err
}
