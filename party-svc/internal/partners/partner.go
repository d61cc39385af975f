// Package partners keeps the directory of professionals: public data about themselves, found by what a matter needs,
// ranked by reasons that add up and that nobody can pay for.
package partners

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/instant"
	"github.com/subrosa-legal/subrosa/pkg/practicearea"
	"github.com/subrosa-legal/subrosa/pkg/validate"
	"github.com/subrosa-legal/subrosa/pkg/vocabulary"
	"golang.org/x/text/language"
)

// Public is the reserved tenant of the directory that everybody reads.
const Public = "public"

// States of availability.
const (
	Open    = "open"
	Limited = "limited"
	Closed  = "closed"
)

// ActiveLicence is the status of a licence that counts.
const ActiveLicence = "active"

// Licence is a right to practise.
type Licence struct {
	Jurisdiction string
	Body         string
	Kind         string
	Status       string
	VerifiedAt   *time.Time
}

// Area is an area of law.
type Area struct{ Scheme, Code, Label string }

// Partner is a professional of the directory.
type Partner struct {
	ID            string
	Tenant        string // Public, or the firm that keeps the entry for itself
	Version       int64
	DisplayName   string
	Kind          string
	Licences      []Licence
	PracticeAreas []Area
	Languages     []string
	Jurisdictions []string
	AcceptsTiers  []int
	Availability  string
	CapacityNote  string
	ResponseHours *int
	FeeModels     []string
	ProfileURL    string
	AgentCardURL  string
	AccountUserID string // the sign-in that may answer invites; never answered
	Digest        string // of the entry as it was loaded
	UpdatedAt     time.Time
}

// Limits of a partner's fields.
const (
	maxList      = 20
	maxHours     = 720
	maxURL       = 500
	maxAccountID = 255
)

var jurisdiction = regexp.MustCompile(`^[A-Z]{2}(-[A-Z0-9]{1,3})?$`)

// IsJurisdiction reports whether s has the form of an ISO 3166-1 alpha-2 or ISO 3166-2 code.
func IsJurisdiction(s string) bool { return jurisdiction.MatchString(s) }

// ErrNotFound is for a partner that is not in the directories the caller reads.
var ErrNotFound = errs.ErrNotFound

// Checked returns p normalised, as it is stored in the directory of a tenant. What is wrong with it goes to f, with
// paths under at.
func (p Partner) Checked(tenant, at string, now time.Time, f *validate.List) Partner {
	p.Tenant, p.Version, p.UpdatedAt = tenant, 1, instant.Of(now)
	if id, err := uuid.Parse(p.ID); err != nil || id.String() != p.ID {
		f.Add(at+"partnerId", "must be a UUID in lower case")
	}
	p.DisplayName = f.Line(at+"displayName", p.DisplayName, 2, 120)
	f.OneOf(at+"kind", p.Kind, vocabulary.PartnerKinds.All()...)
	f.OneOf(at+"availability", p.Availability, vocabulary.Availabilities.All()...)
	p.CapacityNote = f.Prose(at+"capacityNote", p.CapacityNote, 0, 300)
	if h := p.ResponseHours; h != nil && (*h < 1 || *h > maxHours) {
		f.Add(at+"typicalResponseHours", "must be 1 to 720")
	}
	p.checkPractice(at, f)
	p.checkReach(at, f)
	checkURL(f, at+"profileUrl", p.ProfileURL)
	checkURL(f, at+"agentCardUrl", p.AgentCardURL)
	if p.AccountUserID != "" {
		p.AccountUserID = f.Line(at+"accountUserId", p.AccountUserID, 1, maxAccountID)
	}
	p.Digest = p.digest()

	return p
}

// checkPractice checks what the partner is allowed to do, and does.
func (p *Partner) checkPractice(at string, f *validate.List) {
	if len(p.Licences) > maxList || len(p.PracticeAreas) > maxList {
		f.Add(at+"licences", "must be, like practiceAreas, at most 20")
		return
	}

	for i, l := range p.Licences {
		path := at + "licences[" + strconv.Itoa(i) + "]."
		if !IsJurisdiction(l.Jurisdiction) {
			f.Add(path+"jurisdiction", "must be an ISO 3166-1 or 3166-2 code such as US or US-CA")
		}
		f.Line(path+"body", l.Body, 1, 120)
		f.Line(path+"kind", l.Kind, 1, 60)
		f.OneOf(path+"status", l.Status, vocabulary.LicenceStatuses.All()...)
	}

	for i, a := range p.PracticeAreas {
		if !practicearea.Valid(a.Scheme, a.Code) {
			f.Add(at+"practiceAreas["+strconv.Itoa(i)+"].code", "must be a code of its scheme: LIST, SALI or NSMI")
		}
		p.PracticeAreas[i].Label = practicearea.Label(a.Scheme, a.Code)
	}

	for i, m := range p.FeeModels {
		f.OneOf(at+"feeModels["+strconv.Itoa(i)+"]", m, vocabulary.FeeModels.All()...)
	}
	if len(p.FeeModels) > vocabulary.FeeModels.Len() {
		f.Add(at+"feeModels", "must name each once")
	}
}

// checkReach checks for whom and where the partner works.
func (p *Partner) checkReach(at string, f *validate.List) {
	if len(p.Languages) == 0 || len(p.Languages) > maxList || len(p.Jurisdictions) > maxList || len(p.AcceptsTiers) > 4 {
		f.Add(at+"languages", "must be 1 to 20, jurisdictions at most 20 and acceptsTiers at most 4")
		return
	}

	for i, s := range p.Languages {
		tag, err := language.Parse(s)
		if err != nil || len(s) > 35 {
			f.Add(at+"languages["+strconv.Itoa(i)+"]", "must be a BCP 47 tag such as en or es-MX")
			continue
		}
		p.Languages[i] = tag.String()
	}

	for i, j := range p.Jurisdictions {
		if !IsJurisdiction(j) {
			f.Add(at+"jurisdictions["+strconv.Itoa(i)+"]", "must be an ISO 3166-1 or 3166-2 code such as US or US-CA")
		}
	}

	for i, n := range p.AcceptsTiers {
		if n < 1 || n > 4 {
			f.Add(at+"acceptsTiers["+strconv.Itoa(i)+"]", "must be 1 to 4")
		}
	}
	if len(p.AcceptsTiers) == 0 {
		p.AcceptsTiers = []int{1, 2, 3, 4}
	}
}

func checkURL(f *validate.List, path, address string) {
	if address == "" {
		return
	}
	u, err := url.Parse(address)
	site := err == nil && u.Scheme == "https" && u.Host != "" && u.User == nil
	if !site || len(address) > maxURL {
		f.Add(path, "must be an https address of at most 500 characters")
	}
}

// digest is the SHA-256, in hex, of what an entry says.
func (p Partner) digest() string {
	p.Version, p.UpdatedAt, p.Digest = 0, time.Time{}, ""
	text, err := json.Marshal(p)
	if err != nil {
		panic("partners: an entry that has no form: " + err.Error()) // plain values only
	}
	sum := sha256.Sum256(text)

	return hex.EncodeToString(sum[:])
}

// place returns the keys of a jurisdiction: the country, and the part of it.
func place(code string) []string {
	if len(code) > 2 {
		return []string{code[:2], code}
	}

	return []string{code}
}

func gather[T any](list []T, keys func(T) []string) []string {
	var out []string

	for _, v := range list {
		for _, k := range keys(v) {
			if k != "" && !slices.Contains(out, k) {
				out = append(out, k)
			}
		}
	}

	return out
}

// LicenceKeys returns the places where the partner has an active licence, each with its country.
func (p Partner) LicenceKeys() []string {
	return gather(p.Licences, func(l Licence) []string {
		if l.Status != ActiveLicence {
			return nil
		}

		return place(l.Jurisdiction)
	})
}

// ReachKeys returns the places where the partner has a licence of whatever status, or accepts work.
func (p Partner) ReachKeys() []string {
	return gather(
		append(gather(p.Licences, func(l Licence) []string { return []string{l.Jurisdiction} }), p.Jurisdictions...),
		place,
	)
}

// PracticeKeys returns the keys of the partner's areas.
func (p Partner) PracticeKeys() []string {
	return gather(p.PracticeAreas, func(a Area) []string { return practicearea.Keys(a.Scheme, a.Code) })
}

// LanguageKeys returns the partner's languages, each with its base.
func (p Partner) LanguageKeys() []string {
	return gather(p.Languages, func(s string) []string {
		base, _, _ := strings.Cut(s, "-")
		return []string{base, s}
	})
}

// Licensed reports whether the partner has an active licence in a jurisdiction, or, of a country, in a part of it.
func (p Partner) Licensed(code string) bool { return slices.Contains(p.LicenceKeys(), code) }

// Invitable reports whether the partner takes invites and has an account to answer them.
func (p Partner) Invitable() bool { return p.Availability != Closed && p.AccountUserID != "" }
