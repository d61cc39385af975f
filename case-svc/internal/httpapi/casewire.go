package httpapi

import (
	"encoding/json"
	"fmt"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

// filled keeps lists from being null on the wire.
func filled[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func areasOf(list []cases.PracticeArea) []api.PracticeArea {
	out := make([]api.PracticeArea, len(list))
	for i, p := range list {
		out[i] = api.PracticeArea(p)
	}
	return out
}

// caseOf is the case on the wire. metadata leaves out all that the case says.
func caseOf(c cases.Case, metadata bool) (api.Case, error) {
	out := api.Case{
		CaseID: c.ID, Version: int(c.Version), Status: c.Status, PracticeAreas: []api.PracticeArea{}, Stakes: []string{}, Tags: []string{},
		Supervision: api.Supervision{ResponsibleUserID: c.Supervision.ResponsibleUserID}, Conflict: api.Conflict(c.Conflict), Retention: api.Retention(c.Retention),
		Counts: api.CaseCounts(c.Counts), TimelineID: c.TimelineID, ActiveBranchID: c.ActiveBranchID, CreatedAt: api.At(c.CreatedAt), UpdatedAt: api.At(c.UpdatedAt),
		CreatedBy: api.Actor(c.CreatedBy),
	}
	if metadata {
		return out, nil
	}
	out.Title, out.TitleBasis, out.Summary, out.MatterKind = c.Title, c.TitleBasis, c.Summary, c.MatterKind
	out.PracticeAreas, out.Jurisdiction, out.Forum, out.Side = areasOf(c.PracticeAreas), c.Jurisdiction, (*api.Forum)(c.Forum), c.Side
	out.JointRepresentation, out.Stage, out.Stakes = c.Joint, api.Stage(c.Stage), filled(c.Stakes)
	out.Supervision, out.Confidentiality = api.Supervision(c.Supervision), api.Confidentiality(c.Confidentiality)
	out.Language, out.Tags, out.ExternalRef = c.Language, filled(c.Tags), c.ExternalRef
	if a := c.Amount; a != nil {
		out.AmountInControversy = &api.Controversy{Money: api.Money{Amount: a.Decimal(), Currency: a.Currency}, Basis: a.Basis}
	}
	if x := c.Complexity; x != nil {
		out.Complexity = new(api.Evaluation)
		if err := json.Unmarshal(x.Body, out.Complexity); err != nil {
			return api.Case{}, fmt.Errorf("stored evaluation of case %s is broken", c.ID)
		}
	}
	return out, nil
}

// rowOf is the case as a row of a list.
func rowOf(c cases.Case, metadata bool) api.CaseRow {
	row := api.CaseRow{
		CaseID: c.ID, Version: int(c.Version), Status: c.Status, PracticeAreas: []api.PracticeArea{}, Counts: api.CaseCounts(c.Counts), Tags: []string{},
		LegalHold: c.Retention.LegalHold, ResponsibleUserID: c.Supervision.ResponsibleUserID, CreatedAt: api.At(c.CreatedAt), UpdatedAt: api.At(c.UpdatedAt),
	}
	if metadata {
		return row
	}
	row.Title, row.MatterKind, row.PracticeAreas, row.Jurisdiction = c.Title, c.MatterKind, areasOf(c.PracticeAreas), c.Jurisdiction
	row.Side, row.Stage, row.Tags = c.Side, api.Stage(c.Stage), filled(c.Tags)
	if x := c.Complexity; x != nil {
		row.Score, row.Urgent = &x.Score, x.Urgent
		if x.Tier > 0 {
			row.Tier = &x.Tier
		}
	}
	return row
}

// newCase is the body of POST /v1/cases.
type newCase struct {
	Title               *string             `json:"title"`
	Summary             *string             `json:"summary"`
	Status              *string             `json:"status"`
	MatterKind          *string             `json:"matterKind"`
	PracticeAreas       []newArea           `json:"practiceAreas"`
	Jurisdiction        *string             `json:"jurisdiction"`
	Forum               *newForum           `json:"forum"`
	Side                *string             `json:"side"`
	JointRepresentation bool                `json:"jointRepresentation"`
	Stage               *newStage           `json:"stage"`
	AmountInControversy *newAmount          `json:"amountInControversy"`
	Stakes              []string            `json:"stakes"`
	Supervision         *newSupervision     `json:"supervision"`
	Confidentiality     *newConfidentiality `json:"confidentiality"`
	Retention           *newRetention       `json:"retention"`
	Language            *string             `json:"language"`
	Tags                []string            `json:"tags"`
	ExternalRef         *string             `json:"externalRef"`
}

type newArea struct {
	Scheme  string `json:"scheme"`
	Code    string `json:"code"`
	Primary bool   `json:"primary"`
}

type newForum struct {
	System      string `json:"system"`
	CourtCode   string `json:"courtCode"`
	DocketLabel string `json:"docketLabel"`
	TimeZone    string `json:"timeZone"`
}

type newStage struct {
	CodeSet string `json:"codeSet"`
	Phase   string `json:"phase"`
	Task    string `json:"task"`
}

type newAmount struct {
	Amount   string `json:"amount"`
	Currency string `json:"currency"`
	Basis    string `json:"basis"`
}

type newSupervision struct {
	ResponsibleUserID    string   `json:"responsibleUserId"`
	ProfessionalKind     string   `json:"professionalKind"`
	LicenceJurisdictions []string `json:"licenceJurisdictions"`
}

type newConfidentiality struct {
	Privilege     string `json:"privilege"`
	AIPolicy      string `json:"aiPolicy"`
	ClientConsent string `json:"clientConsent"`
}

type newRetention struct {
	LegalHold  bool   `json:"legalHold"`
	PolicyCode string `json:"policyCode"`
}

// draft is what the domain makes a case of.
func (n newCase) draft() cases.Draft {
	d := cases.Draft{
		Title: n.Title, Summary: n.Summary, Status: n.Status, MatterKind: n.MatterKind, Jurisdiction: n.Jurisdiction, Forum: (*cases.Forum)(n.Forum), Side: n.Side,
		Joint: n.JointRepresentation, Stage: (*cases.Stage)(n.Stage), Stakes: n.Stakes, Supervision: (*cases.Supervision)(n.Supervision),
		Confidentiality: (*cases.Confidentiality)(n.Confidentiality), Retention: (*cases.Retention)(n.Retention), Language: n.Language, Tags: n.Tags,
		ExternalRef: n.ExternalRef,
	}
	for _, p := range n.PracticeAreas {
		d.PracticeAreas = append(d.PracticeAreas, cases.PracticeArea{Scheme: p.Scheme, Code: p.Code, Primary: p.Primary})
	}
	if a := n.AmountInControversy; a != nil {
		d.Amount = &cases.Amount{Decimal: a.Amount, Currency: a.Currency, Basis: a.Basis}
	}
	return d
}
