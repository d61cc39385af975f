package parties

import (
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"

	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/ids"
	"github.com/subrosa-legal/subrosa/pkg/inputgate"
	"github.com/subrosa-legal/subrosa/pkg/label"
	"github.com/subrosa-legal/subrosa/pkg/validate"
	"github.com/subrosa-legal/subrosa/pkg/vocabulary"
	"golang.org/x/text/language"
)

// Limits of a party's fields.
const (
	maxNotes     = 1000
	maxTokens    = 20
	maxLanguages = 3
	maxCT        = 32 << 10 // bytes before base64url
	tokenBytes   = 32
	ivBytes      = 12 // of A256GCM
	tagBytes     = 16
)

// Draft is the writable part of a party as a caller gives it. Absent fields get their defaults; what a browser keeps is
// left alone when absent.
type Draft struct {
	Kind           string
	Role           string
	Side           string
	IsClient       bool
	Representation string
	Attributes     Attributes
	Notes          string
	Status         string
	MergedInto     string
	JoinedOn       string
	LeftOn         string
	Browser        Browser
}

// Browser are the fields that only a browser writes. A field that is not Given keeps its stored value; one that is
// given empty is cleared.
type Browser struct {
	RefGiven    bool
	IdentityRef string
	SealGiven   bool
	Sealed      *Sealed
	TokensGiven bool
	Tokens      []string
}

// Given reports whether the caller named any of the fields.
func (b Browser) Given() bool { return b.RefGiven || b.SealGiven || b.TokensGiven }

// Texts returns the free text of the draft, as sent.
func (d Draft) Texts() []inputgate.Text {
	return []inputgate.Text{{Channel: guard.PartyRecord, Path: "notes", Value: d.Notes}}
}

// CheckLabel returns ErrUnknownLabel unless name can be a party's.
func CheckLabel(name string) error {
	l, err := label.Parse(name)
	if err != nil || !slices.Contains(labelKinds, l.Kind) {
		return ErrUnknownLabel
	}

	return nil
}

// apply puts the draft into p. Wrong fields are validate.ErrInvalid with all of them in its details.
func (d Draft) apply(p *Party) error {
	var f validate.List
	p.Kind, p.Role = f.OneOf(
		"kind", d.Kind, vocabulary.PartyKinds.All()...,
	), f.OneOf("role", d.Role, vocabulary.PartyRoles.All()...)
	p.Side = f.OneOf("side", or(d.Side, Unknown), vocabulary.PartySides.All()...)
	p.Representation = f.OneOf("representation", or(d.Representation, "unknown"), vocabulary.Representations.All()...)
	p.IsClient = d.IsClient
	p.Notes = f.Prose("notes", d.Notes, 0, maxNotes)
	p.JoinedOn, p.LeftOn = f.Date("joinedOn", d.JoinedOn), f.Date("leftOn", d.LeftOn)
	if p.JoinedOn != "" && p.LeftOn != "" && p.LeftOn < p.JoinedOn {
		f.Add("leftOn", "must not be before joinedOn")
	}
	p.Attributes = d.Attributes.checked(&f)

	p.Status, p.MergedInto = f.OneOf("status", or(d.Status, Active), vocabulary.PartyStatuses.All()...), d.MergedInto
	switch {
	// That the other party exists, and that no circle comes of it, needs the store: mergeable looks.
	case p.Status == Merged && !ids.Valid(p.MergedInto):
		f.Add("mergedIntoPartyId", "must be the partyId of another party of the case when the status is merged")
	case p.Status != Merged && p.MergedInto != "":
		f.Add("mergedIntoPartyId", "must be left out unless the status is merged")
	}
	d.Browser.apply(p, &f)

	return f.Err()
}

func or(s, otherwise string) string {
	if s == "" {
		return otherwise
	}

	return s
}

func (a Attributes) checked(f *validate.List) Attributes {
	f.OneOf("attributes.entityType", a.EntityType, vocabulary.EntityTypes.OrNone()...)
	f.OneOf("attributes.ageBand", a.AgeBand, vocabulary.AgeBands.OrNone()...)
	if a.Residence != "" && !subdivision.MatchString(a.Residence) {
		f.Add("attributes.residence", "must be an ISO 3166-2 code such as US-CA")
	}
	if len(a.Languages) > maxLanguages {
		f.Add("attributes.languages", fmt.Sprintf("must be at most %d", maxLanguages))
		return a
	}
	var list []string

	for i, s := range a.Languages {
		// A tag of more than 35 characters is within the grammar of BCP 47, but no language needs one.
		tag, err := language.Parse(s)
		if err != nil || len(s) > 35 {
			f.Add("attributes.languages["+strconv.Itoa(i)+"]", "must be a BCP 47 tag such as en or es-MX")
			continue
		}
		if !slices.Contains(list, tag.String()) {
			list = append(list, tag.String())
		}
	}
	a.Languages = list

	return a
}

// apply puts the fields that were given into p and checks that what p then has fits together.
func (b Browser) apply(p *Party, f *validate.List) {
	if b.RefGiven {
		p.IdentityRef = b.IdentityRef
		if b.IdentityRef != "" && !identityRef.MatchString(b.IdentityRef) {
			f.Add("identityRef", "must be 22 to 64 characters of base64url")
		}
	}
	if b.SealGiven {
		p.Sealed = b.Sealed
		if s := b.Sealed; s != nil {
			s.check(f)
		}
	}
	// The data that a browser authenticates binds the ciphertext to its party: nobody can move it to another.
	if s := p.Sealed; s != nil {
		switch {
		case p.IdentityRef == "":
			f.Add("identityRef", "is required while sealed is set")
		case s.AAD != p.CaseID+":"+p.IdentityRef:
			f.Add("sealed.aad", "must be the caseId, a colon and the identityRef")
		}
	}
	if !b.TokensGiven {
		return
	}
	if len(b.Tokens) > maxTokens {
		f.Add("conflictTokens", fmt.Sprintf("must be at most %d", maxTokens))
		return
	}

	p.Tokens = nil
	for i, t := range b.Tokens {
		if decodedLen(t) != tokenBytes {
			f.Add("conflictTokens["+strconv.Itoa(i)+"]", "must be 32 bytes in base64url without padding")
		} else if !slices.Contains(p.Tokens, t) {
			p.Tokens = append(p.Tokens, t)
		}
	}
}

func (s Sealed) check(f *validate.List) {
	if s.V != 1 {
		f.Add("sealed.v", "must be 1")
	}
	f.OneOf("sealed.alg", s.Alg, "A256GCM")
	if s.KeyVersion < 1 || s.KeyVersion > 1<<30 {
		f.Add("sealed.keyVersion", "must be the version of the firm key, from 1")
	}
	if decodedLen(s.IV) != ivBytes {
		f.Add("sealed.iv", "must be 12 bytes in base64url without padding")
	}
	if n := decodedLen(s.CT); n < tagBytes || n > maxCT {
		f.Add("sealed.ct", "must be 16 bytes to 32 KiB in base64url without padding")
	}
}

// decodedLen returns how many bytes s is the base64url of, or -1.
func decodedLen(s string) int {
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	// One value has one spelling: the decoder skips line breaks, and only its length gives them away. Tokens are
	// compared as text.
	if err != nil || base64.RawURLEncoding.EncodedLen(len(b)) != len(s) {
		return -1
	}

	return len(b)
}
