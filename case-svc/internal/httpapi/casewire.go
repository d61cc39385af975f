package httpapi

import (
	"encoding/json"
	"fmt"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/rights"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

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
	ClientPartyID       *string             `json:"clientPartyId"`
	JointRepresentation bool                `json:"jointRepresentation"`
	Stage               *newStage           `json:"stage"`
	AmountInControversy *newAmount          `json:"amountInControversy"`
	Stakes              []string            `json:"stakes"`
	Complexity          *newComplexity      `json:"complexity"`
	Supervision         *newSupervision     `json:"supervision"`
	Confidentiality     *newConfidentiality `json:"confidentiality"`
	Retention           *newRetention       `json:"retention"`
	Language            *string             `json:"language"`
	Tags                []string            `json:"tags"`
	ExternalRef         *string             `json:"externalRef"`
	CloseReason         *string             `json:"closeReason"`
	ActiveBranchID      *string             `json:"activeBranchId"`
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

	Source *newSource `json:"source"`
}

type newSource struct {
	FileID      string `json:"fileId"`
	TextVersion int    `json:"textVersion"`
	Page        int    `json:"page"`
	Paragraph   int    `json:"paragraph"`
	Start       int    `json:"charStart"`
	End         int    `json:"charEnd"`
	Quote       string `json:"quote"`
}

type newComplexity struct {
	Override *newOverride `json:"override"`
}

type newOverride struct {
	Tier   int    `json:"tier"`
	Reason string `json:"reason"`
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
	HoldReason string `json:"holdReason"`
	PolicyCode string `json:"policyCode"`
}

// draft is what the domain makes a case of.
func (n newCase) draft() cases.Draft {
	d := cases.Draft{
		Title:           n.Title,
		Summary:         n.Summary,
		Status:          n.Status,
		MatterKind:      n.MatterKind,
		PracticeAreas:   practiceAreas(n.PracticeAreas),
		Jurisdiction:    n.Jurisdiction,
		Forum:           (*cases.Forum)(n.Forum),
		Side:            n.Side,
		ClientPartyID:   n.ClientPartyID,
		Joint:           n.JointRepresentation,
		Stage:           (*cases.Stage)(n.Stage),
		Amount:          n.AmountInControversy.amount(),
		Stakes:          n.Stakes,
		Supervision:     (*cases.Supervision)(n.Supervision),
		Confidentiality: (*cases.Confidentiality)(n.Confidentiality),
		Retention:       n.Retention.retention(),
		Language:        n.Language,
		Tags:            n.Tags,
		ExternalRef:     n.ExternalRef,
		CloseReason:     n.CloseReason,
		ActiveBranchID:  n.ActiveBranchID,
	}
	if x := n.Complexity; x != nil {
		d.Override = x.Override.override()
	}

	return d
}

// wireDraft is the writable part of a case in the form that callers write it in, so that a merge patch can be applied
// to its JSON.
func wireDraft(d cases.Draft) newCase {
	n := newCase{
		Title:               d.Title,
		Summary:             d.Summary,
		Status:              d.Status,
		MatterKind:          d.MatterKind,
		PracticeAreas:       newAreas(d.PracticeAreas),
		Jurisdiction:        d.Jurisdiction,
		Forum:               (*newForum)(d.Forum),
		Side:                d.Side,
		ClientPartyID:       d.ClientPartyID,
		JointRepresentation: d.Joint,
		Stage:               (*newStage)(d.Stage),
		Stakes:              d.Stakes,
		Supervision:         (*newSupervision)(d.Supervision),
		Confidentiality:     (*newConfidentiality)(d.Confidentiality),
		Language:            d.Language,
		Tags:                d.Tags,
		ExternalRef:         d.ExternalRef,
		CloseReason:         d.CloseReason,
		ActiveBranchID:      d.ActiveBranchID,
	}
	if a := d.Amount; a != nil {
		n.AmountInControversy = &newAmount{
			Amount:   a.Decimal,
			Currency: a.Currency,
			Basis:    a.Basis,
			Source:   (*newSource)(a.Source),
		}
	}
	if r := d.Retention; r != nil {
		n.Retention = &newRetention{LegalHold: r.LegalHold, HoldReason: r.HoldReason, PolicyCode: r.PolicyCode}
	}
	if o := d.Override; o != nil {
		n.Complexity = &newComplexity{Override: &newOverride{Tier: o.Tier, Reason: o.Reason}}
	}

	return n
}

func newAreas(list []cases.PracticeArea) []newArea {
	if list == nil {
		return nil
	}

	return each(list, func(p cases.PracticeArea) newArea {
		return newArea{Scheme: p.Scheme, Code: p.Code, Primary: p.Primary}
	})
}

func practiceAreas(list []newArea) []cases.PracticeArea {
	if list == nil {
		return nil
	}

	return each(list, func(p newArea) cases.PracticeArea {
		return cases.PracticeArea{Scheme: p.Scheme, Code: p.Code, Primary: p.Primary}
	})
}

func (n *newAmount) amount() *cases.Amount {
	if n == nil {
		return nil
	}

	return &cases.Amount{Decimal: n.Amount, Currency: n.Currency, Basis: n.Basis, Source: (*cases.SourceRef)(n.Source)}
}

func (n *newRetention) retention() *cases.Retention {
	if n == nil {
		return nil
	}

	return &cases.Retention{LegalHold: n.LegalHold, HoldReason: n.HoldReason, PolicyCode: n.PolicyCode}
}

func (n *newOverride) override() *cases.Override {
	if n == nil {
		return nil
	}

	return &cases.Override{Tier: n.Tier, Reason: n.Reason}
}

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

// caseOf is the case on the wire as a caller sees it. An admin who has no other role sees nothing of what it says.
func caseOf(c cases.Case, caller access.Caller) (api.Case, error) {
	metadata := rights.MetadataOnly(caller)
	out := api.Case{
		CaseID:         c.ID,
		Version:        int(c.Version),
		Status:         c.Status,
		PracticeAreas:  []api.PracticeArea{},
		Stakes:         []string{},
		Supervision:    api.Supervision{ResponsibleUserID: c.Supervision.ResponsibleUserID},
		Conflict:       conflictOf(c.Conflict),
		Retention:      api.Retention(c.Retention),
		NextDeadline:   deadlineOf(c, metadata),
		Counts:         api.CaseCounts(c.Counts),
		TimelineID:     c.TimelineID,
		ActiveBranchID: c.ActiveBranchID,
		Tags:           []string{},
		OpenedOn:       c.OpenedOn,
		ClosedOn:       c.ClosedOn,
		CloseReason:    c.CloseReason,
		CreatedAt:      api.At(c.CreatedAt),
		UpdatedAt:      api.At(c.UpdatedAt),
		CreatedBy:      api.Actor(c.CreatedBy),
	}
	if metadata {
		return out, nil
	}
	// A person outside the firm sees that there is a conflict, but neither with which cases nor what was decided and
	// why.
	if caller.Member() {
		out.Conflict.Reason = c.Conflict.Reason
		for _, h := range c.Conflict.Shown {
			out.Conflict.Hits = append(out.Conflict.Hits, api.ConflictHit(h))
		}
	}
	out.Title = c.Title
	out.TitleBasis = c.TitleBasis
	out.Summary = c.Summary
	out.MatterKind = c.MatterKind
	out.PracticeAreas = areasOf(c.PracticeAreas)
	out.Jurisdiction = c.Jurisdiction
	out.Forum = (*api.Forum)(c.Forum)
	out.Side = c.Side
	out.ClientPartyID = c.ClientPartyID
	out.JointRepresentation = c.Joint
	out.Stage = api.Stage(c.Stage)
	out.Stakes = filled(c.Stakes)
	out.Supervision = api.Supervision(c.Supervision)
	out.Confidentiality = api.Confidentiality(c.Confidentiality)
	out.Language = c.Language
	out.Tags = filled(c.Tags)
	out.ExternalRef = c.ExternalRef
	if a := c.Amount; a != nil {
		out.AmountInControversy = &api.Controversy{
			Money: api.Money{Amount: a.Decimal(), Currency: a.Currency},
			Basis: a.Basis,
		}
		if a.Source != nil {
			source := refOf(*a.Source)
			out.AmountInControversy.Source = &source
		}
	}

	var err error
	out.Complexity, err = complexityOnWire(c)

	return out, err
}

func complexityOnWire(c cases.Case) (*api.Complexity, error) {
	if c.Complexity == nil && c.Override == nil {
		return nil, nil
	}
	out := new(api.Complexity)
	if x := c.Complexity; x != nil {
		out.Evaluation = new(api.Evaluation)
		if err := json.Unmarshal(x.Body, out.Evaluation); err != nil {
			return nil, fmt.Errorf("stored evaluation of case %s is broken", c.ID)
		}
	}
	if o := c.Override; o != nil {
		out.Override = &api.TierOverride{Tier: o.Tier, Reason: o.Reason, ByUserID: o.ByUserID, At: api.At(o.At)}
	}

	return out, nil
}

func conflictOf(k cases.Conflict) api.Conflict {
	out := api.Conflict{Status: k.Status, HitCount: k.HitCount, HitCountCapped: k.Capped, DecidedByUserID: k.DecidedBy}
	if !k.CheckedAt.IsZero() {
		at := api.At(k.CheckedAt)
		out.CheckedAt = &at
	}

	return out
}

// deadlineOf is the nearest deadline on the wire; its title is what the case says.
func deadlineOf(c cases.Case, metadata bool) *api.NextDeadline {
	if c.NextDeadline == nil {
		return nil
	}
	out := api.NextDeadline(*c.NextDeadline)
	if metadata {
		out.Title = ""
	}

	return &out
}

// rowOf is the case as a row of a list.
func rowOf(c cases.Case, metadata bool) api.CaseRow {
	row := api.CaseRow{
		CaseID:            c.ID,
		Version:           int(c.Version),
		Status:            c.Status,
		PracticeAreas:     []api.PracticeArea{},
		NextDeadline:      deadlineOf(c, metadata),
		Counts:            api.CaseCounts(c.Counts),
		Tags:              []string{},
		LegalHold:         c.Retention.LegalHold,
		ResponsibleUserID: c.Supervision.ResponsibleUserID,
		CreatedAt:         api.At(c.CreatedAt),
		UpdatedAt:         api.At(c.UpdatedAt),
	}
	if metadata {
		return row
	}
	row.Title = c.Title
	row.MatterKind = c.MatterKind
	row.PracticeAreas = areasOf(c.PracticeAreas)
	row.Jurisdiction = c.Jurisdiction
	row.Side = c.Side
	row.Stage = api.Stage(c.Stage)
	row.Tags = filled(c.Tags)
	if tier := c.Tier(); tier > 0 {
		row.Tier = &tier
	}
	if x := c.Complexity; x != nil {
		row.Score, row.Urgent = &x.Score, x.Urgent
	}

	return row
}

// tombstoneOf stands for a case that is not there any more.
func tombstoneOf(c cases.Case) api.CaseTombstone {
	return api.CaseTombstone{
		CaseID:    c.ID,
		Version:   int(c.Version),
		Deleted:   true,
		DeletedAt: api.At(c.Deletion.At),
		UpdatedAt: api.At(c.UpdatedAt),
	}
}
