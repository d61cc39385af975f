package httpapi

import (
	"encoding/json"

	"github.com/subrosa-legal/subrosa/party-svc/internal/parties"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/validate"
)

// partyBody is the body of POST and PUT.
type partyBody struct {
	CaseID            *string         `json:"caseId"`
	Label             *string         `json:"label"`
	Kind              string          `json:"kind"`
	Role              string          `json:"role"`
	Side              string          `json:"side"`
	IsClient          bool            `json:"isClient"`
	Representation    string          `json:"representation"`
	Attributes        *attributesBody `json:"attributes"`
	Notes             string          `json:"notes"`
	Status            string          `json:"status"`
	MergedIntoPartyID string          `json:"mergedIntoPartyId"`
	JoinedOn          string          `json:"joinedOn"`
	LeftOn            string          `json:"leftOn"`
	IdentityRef       string          `json:"identityRef"`
	Sealed            *sealedBody     `json:"sealed"`
	ConflictTokens    []string        `json:"conflictTokens"`
}

// putBody is the body of PUT: besides what is writable it may repeat the id. The server's own fields are declared so
// that check refuses them by name, not as unknown.
type putBody struct {
	partyBody
	PartyID            *string         `json:"partyId"`
	Version            json.RawMessage `json:"version"`
	ConflictTokenCount json.RawMessage `json:"conflictTokenCount"`
	CreatedAt          json.RawMessage `json:"createdAt"`
	UpdatedAt          json.RawMessage `json:"updatedAt"`
	CreatedBy          json.RawMessage `json:"createdBy"`
}

type attributesBody struct {
	EntityType       string   `json:"entityType"`
	AgeBand          string   `json:"ageBand"`
	Residence        string   `json:"residence"`
	Languages        []string `json:"languages"`
	NeedsInterpreter *bool    `json:"needsInterpreter"`
}

type sealedBody struct {
	V          int    `json:"v"`
	Alg        string `json:"alg"`
	KeyVersion int    `json:"keyVersion"`
	IV         string `json:"iv"`
	CT         string `json:"ct"`
	AAD        string `json:"aad"`
}

// present returns the names that stand in a JSON object that was decoded before.
func present(body []byte) map[string]bool {
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(body, &fields)

	names := map[string]bool{}
	for name := range fields {
		names[name] = true
	}

	return names
}

// draft is what the domain makes a party of.
func (b partyBody) draft(given map[string]bool) parties.Draft {
	d := parties.Draft{
		Kind:           b.Kind,
		Role:           b.Role,
		Side:           b.Side,
		IsClient:       b.IsClient,
		Representation: b.Representation,
		Notes:          b.Notes,
		Status:         b.Status,
		MergedInto:     b.MergedIntoPartyID,
		JoinedOn:       b.JoinedOn,
		LeftOn:         b.LeftOn,
		Browser: parties.Browser{
			RefGiven:    given["identityRef"],
			IdentityRef: b.IdentityRef,
			SealGiven:   given["sealed"],
			Sealed:      (*parties.Sealed)(b.Sealed),
			TokensGiven: given["conflictTokens"],
			Tokens:      b.ConflictTokens,
		},
	}
	if b.Attributes != nil {
		d.Attributes = parties.Attributes(*b.Attributes)
	}

	return d
}

// check refuses what only the server sets, and another party's id.
func (b putBody) check(id string, given map[string]bool) error {
	var f validate.List
	if b.PartyID != nil && *b.PartyID != id {
		f.Add("partyId", "must be the one in the path")
	}

	for _, name := range []string{"version", "conflictTokenCount", "createdAt", "updatedAt", "createdBy"} {
		if given[name] {
			f.Add(name, "is set by the server: leave it out")
		}
	}

	return f.Err()
}

// view says how much of a party a caller sees.
type view uint8

const (
	asPartner view = iota // what it takes to read labels
	asMachine             // without what a browser keeps
	asBrowser
)

func partyOf(p parties.Party, v view) api.Party {
	out := api.Party{
		PartyID:           p.ID,
		CaseID:            p.CaseID,
		Version:           int(p.Version),
		Label:             p.Label,
		Kind:              p.Kind,
		Role:              p.Role,
		Side:              p.Side,
		IsClient:          p.IsClient,
		Representation:    p.Representation,
		Attributes:        api.PartyAttributes(p.Attributes),
		Status:            p.Status,
		MergedIntoPartyID: p.MergedInto,
		JoinedOn:          p.JoinedOn,
		LeftOn:            p.LeftOn,
		CreatedAt:         api.At(p.CreatedAt),
		UpdatedAt:         api.At(p.UpdatedAt),
		CreatedBy:         api.Actor(p.CreatedBy),
	}
	if v == asPartner {
		return out
	}
	out.Notes, out.ConflictTokenCount = p.Notes, len(p.Tokens)
	if v == asBrowser {
		out.IdentityRef, out.Sealed = p.IdentityRef, (*api.Sealed)(p.Sealed)
	}

	return out
}
