package cases

import (
	"context"
	"net/url"

	"github.com/subrosa-legal/subrosa/pkg/guard"
	"golang.org/x/text/unicode/norm"
)

// Text is free text on its way in, with the path by which its sender knows it.
type Text struct {
	Door  guard.Door
	Path  string
	Value string // as sent, because findings are told in its bytes
}

// Screen sends texts through the gate. What may not pass comes back as guard.ErrRefused, which sends the user to link.
func Screen(ctx context.Context, gate guard.Gate, link string, texts ...Text) error {
	var found []guard.Located
	for _, t := range texts {
		hits := gate.Check(ctx, t.Door, t.Value)
		// What is stored is the composed form; it must be as clean as what was sent.
		if composed := norm.NFC.String(t.Value); len(hits) == 0 && composed != t.Value && len(gate.Check(ctx, t.Door, composed)) > 0 {
			hits = []guard.Finding{{Kind: guard.KindOperation}}
		}
		found = append(found, guard.At(t.Path, hits)...)
	}
	if len(found) == 0 {
		return nil
	}
	return guard.Refusal(link, found)
}

// Links makes the addresses at which a user does in the browser what the service refuses.
type Links string // base address of the browser app, without a slash at its end

// Actions of deep links that this service gives.
const (
	LinkAddIdentity  = "add_identity"
	LinkRedactFile   = "redact_file"
	LinkCaseSettings = "case_settings"
)

// To returns the address for action. The case may be "".
func (l Links) To(action, caseID string) string {
	link := string(l) + "/i/" + action
	if caseID != "" {
		link += "?case=" + url.QueryEscape(caseID)
	}
	return link
}

// ToContainer is To for a container that is no case.
func (l Links) ToContainer(action, containerID string) string {
	return string(l) + "/i/" + action + "?container=" + url.QueryEscape(containerID)
}
