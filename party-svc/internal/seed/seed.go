// Package seed reads the file from which an operator fills a directory of professionals.
package seed

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/subrosa-legal/subrosa/party-svc/internal/partners"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/instant"
	"github.com/subrosa-legal/subrosa/pkg/strictjson"
	"github.com/subrosa-legal/subrosa/pkg/validate"
)

// MaxBytes bounds a seed file.
const MaxBytes = 32 << 20

// ErrTooBig refuses a file beyond MaxBytes.
var ErrTooBig = errs.New(errs.TooLarge, "body_too_large", "A seed file has at most 32 MiB. Load it in parts.")

// file is the form of a seed file.
type file struct {
	Partners []entry `json:"partners"`
}

type entry struct {
	PartnerID            string    `json:"partnerId"`
	DisplayName          string    `json:"displayName"`
	Kind                 string    `json:"kind"`
	Licences             []licence `json:"licences"`
	PracticeAreas        []area    `json:"practiceAreas"`
	Languages            []string  `json:"languages"`
	Jurisdictions        []string  `json:"jurisdictions"`
	AcceptsTiers         []int     `json:"acceptsTiers"`
	Availability         string    `json:"availability"`
	CapacityNote         string    `json:"capacityNote"`
	TypicalResponseHours *int      `json:"typicalResponseHours"`
	FeeModels            []string  `json:"feeModels"`
	ProfileURL           string    `json:"profileUrl"`
	AgentCardURL         string    `json:"agentCardUrl"`
	AccountUserID        string    `json:"accountUserId"`
}

type licence struct {
	Jurisdiction string     `json:"jurisdiction"`
	Body         string     `json:"body"`
	Kind         string     `json:"kind"`
	Status       string     `json:"status"`
	VerifiedAt   *time.Time `json:"verifiedAt"`
}

type area struct {
	Scheme string `json:"scheme"`
	Code   string `json:"code"`
}

// Parse reads a seed file, {"partners": [entry, …]}, for the directory of a tenant. It is strict: one JSON value, no
// unknown field, every value checked, every id once. What it refuses is an *errs.Error and quotes nothing of
// the file; a read that failed is none.
func Parse(r io.Reader, tenant string, now time.Time) ([]partners.Partner, error) {
	// One byte more than the limit tells a file that is too long from one that just fits.
	text, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("read seed file: %w", err)
	}
	if len(text) > MaxBytes {
		return nil, ErrTooBig
	}
	var f file
	if err := strictjson.Decode(text, &f); err != nil {
		return nil, err
	}
	var wrong validate.List
	if len(f.Partners) == 0 || len(f.Partners) > partners.MaxEntries {
		wrong.Add("partners", fmt.Sprintf("must be 1 to %d entries", partners.MaxEntries))
		// With too many entries none is checked: the list of faults would be as long as the file.
		return nil, wrong.Err()
	}

	list, seen := make([]partners.Partner, 0, len(f.Partners)), map[string]bool{}
	for i, e := range f.Partners {
		at := "partners[" + strconv.Itoa(i) + "]."
		if seen[e.PartnerID] {
			wrong.Add(at+"partnerId", "must not be given twice")
		}
		seen[e.PartnerID] = true
		list = append(list, e.partner().Checked(tenant, at, now, &wrong))
	}

	return list, wrong.Err()
}

func (e entry) partner() partners.Partner {
	p := partners.Partner{
		ID:            e.PartnerID,
		DisplayName:   e.DisplayName,
		Kind:          e.Kind,
		Languages:     e.Languages,
		Jurisdictions: e.Jurisdictions,
		AcceptsTiers:  e.AcceptsTiers,
		Availability:  e.Availability,
		CapacityNote:  e.CapacityNote,
		ResponseHours: e.TypicalResponseHours,
		FeeModels:     e.FeeModels,
		ProfileURL:    e.ProfileURL,
		AgentCardURL:  e.AgentCardURL,
		AccountUserID: e.AccountUserID,
	}
	for _, l := range e.Licences {
		if l.VerifiedAt != nil {
			at := instant.Of(*l.VerifiedAt)
			l.VerifiedAt = &at
		}
		p.Licences = append(p.Licences, partners.Licence(l))
	}

	for _, a := range e.PracticeAreas {
		p.PracticeAreas = append(p.PracticeAreas, partners.Area{Scheme: a.Scheme, Code: a.Code})
	}

	return p
}
