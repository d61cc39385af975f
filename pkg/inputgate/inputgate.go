// Package inputgate sends free text through the gate on its way into a service.
package inputgate

import (
	"context"

	"github.com/subrosa-legal/subrosa/pkg/guard"
	"golang.org/x/text/unicode/norm"
)

// Text is free text on its way in, with the path by which its sender knows it.
type Text struct {
	Channel guard.Channel
	Path    string
	Value   string // as sent, because findings are told in its bytes
}

// Check sends texts through the gate. What may not pass comes back as guard.ErrRefused, which sends the user to link.
func Check(ctx context.Context, gate guard.Gate, link string, texts ...Text) error {
	var found []guard.Located

	for _, t := range texts {
		hits := gate.Check(ctx, t.Channel, t.Value)
		// What is stored is the composed form; it must be as clean as what was sent.
		if composed := norm.NFC.String(t.Value); len(hits) == 0 && composed != t.Value && len(gate.Check(ctx, t.Channel, composed)) > 0 {
			hits = []guard.Finding{{Kind: guard.KindOperation}}
		}
		found = append(found, guard.At(t.Path, hits)...)
	}
	if len(found) == 0 {
		return nil
	}

	return guard.Refusal(link, found)
}
