package cardfetch

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/strictjson"
	"github.com/subrosa-legal/subrosa/registry-svc/internal/agents"
	"golang.org/x/text/unicode/norm"
)

// Protocol is the identifier that a card must carry.
const Protocol = "a2a/1.0"

const (
	maxName        = 200  // code points
	maxDescription = 2000 // code points
)

// wireCard holds what is looked at of either form. Everything else in a card is tolerated and not kept but in its
// bytes.
type wireCard struct {
	Name                any `json:"name"`
	Description         any `json:"description"`
	URL                 any `json:"url"`
	Protocols           any `json:"protocols"`
	SupportedInterfaces any `json:"supportedInterfaces"`
	Signatures          any `json:"signatures"`
	ProtocolVersion     any `json:"protocolVersion"` // of a card of 0.3; one of 1.0 has it in its interfaces
}

// genuine reports whether a card is one of A2A 1.0, whose preferred usable interface is given. The SDKs add the members
// of a card of 0.3 when the agent speaks that as well; a card that names its protocols is of our own form.
// With a url of 0.3 it counts only if a usable 1.0 interface stands beside it.
func (w wireCard) genuine(preferred string) bool {
	return w.Protocols == nil && w.SupportedInterfaces != nil && (w.URL == nil || preferred != "")
}

// pasteLine makes a card of A2A 0.3 one that is accepted.
const pasteLine = `"protocols": ["a2a/1.0"]`

// old reports whether a card is one of A2A 0.3 that does not say that its agent speaks 1.0 as well.
func (w wireCard) old(missing []string) bool {
	version, _ := w.ProtocolVersion.(string)
	return strings.HasPrefix(version, "0.3") && w.Protocols == nil && slices.Contains(missing, "protocols")
}

// outdated tells the owner of a card of A2A 0.3 in one sentence what it lacks.
func outdated(missing []string) error {
	others := slices.DeleteFunc(slices.Clone(missing), func(field string) bool { return field == "protocols" })
	also := ""
	if len(others) > 0 {
		also = " and give it a usable " + strings.Join(others, ", ")
	}

	return agents.ErrCard.WithMessage("This is a card of A2A 0.3: add the line " + pasteLine + also +
		" at its top level, and it is accepted.").WithDetails(detailsOf(missing)...)
}

// read checks the content of a card in either of the accepted forms.
func (f *Fetcher) read(got fetched) (agents.Card, error) {
	var w wireCard
	if strictjson.DecodeStranger(got.body, &w) != nil {
		return agents.Card{}, agents.ErrCard.WithMessage(
			"The agent card is not one well-formed JSON object. Send valid JSON with each key once, " +
				"in whatever case, " +
				"and spelled as the card's format says.",
		)
	}
	sum := sha256.Sum256(got.body)
	card := agents.Card{
		Form:        1,
		Protocols:   []string{Protocol},
		ETag:        got.etag,
		SHA256:      hex.EncodeToString(sum[:]),
		Bytes:       got.body,
		Name:        text(w.Name, maxName),
		Description: text(w.Description, maxDescription),
		Signature:   f.cfg.Keys.verified(got.body, w.Signatures),
	}
	var missing []string
	if card.Name == "" {
		missing = append(missing, "name")
	}
	if card.Description == "" {
		missing = append(missing, "description")
	}
	if preferred := f.preferred(w.SupportedInterfaces); w.genuine(preferred) {
		card.Form = 2
		if card.URL = preferred; card.URL == "" {
			missing = append(missing, "supportedInterfaces")
		}
	} else {
		if card.URL = f.address(w.URL); card.URL == "" {
			missing = append(missing, "url")
		}
		if !speaks(w.Protocols) {
			missing = append(missing, "protocols")
		}
	}
	if w.old(missing) {
		return agents.Card{}, outdated(missing)
	}
	if len(missing) > 0 {
		return agents.Card{}, incomplete(missing)
	}

	return card, nil
}

func detailsOf(missing []string) []errs.Detail {
	details := make([]errs.Detail, len(missing))
	for i, field := range missing {
		details[i] = errs.Detail{Path: field, Message: "is missing or not of the right form"}
	}

	return details
}

func incomplete(missing []string) error {
	return agents.ErrCard.WithMessage("The agent card lacks a usable " + strings.Join(missing, ", ") +
		". It needs name, description, url (https, public) and protocols with a2a/1.0; or, as a card of A2A 1.0, " +
		"name, description and in supportedInterfaces an entry with protocolVersion 1.0 and an https url.").
		WithDetails(detailsOf(missing)...)
}

// text returns a usable string: normalised, without control and direction characters, within its limit; else "".
func text(v any, limit int) string {
	s, ok := v.(string)
	if !ok {
		return ""
	}
	s = norm.NFC.String(s)
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t':
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r), unicode.Is(unicode.Co, r), r == utf8.RuneError:
			return -1
		}

		return r
	}, s)
	if s = strings.TrimSpace(s); utf8.RuneCountInString(s) > limit {
		return ""
	}

	return s
}

func (f *Fetcher) address(v any) string {
	s, ok := v.(string)
	if !ok || f.Valid(s) != nil {
		return ""
	}

	return s
}

func speaks(v any) bool {
	list, ok := v.([]any)
	return ok && slices.Contains(list, any(Protocol))
}

// preferred returns the address of the first interface of version 1.0; the list is ordered by preference.
func (f *Fetcher) preferred(v any) string {
	list, _ := v.([]any)
	for _, entry := range list {
		e, ok := entry.(map[string]any)
		if !ok || e["protocolVersion"] != "1.0" {
			continue
		}
		if u := f.address(e["url"]); u != "" {
			return u
		}
	}

	return ""
}
