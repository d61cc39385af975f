package httpapi

import (
	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
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
		Title: n.Title, Summary: n.Summary, Status: n.Status, MatterKind: n.MatterKind, PracticeAreas: practiceAreas(n.PracticeAreas), Jurisdiction: n.Jurisdiction,
		Forum: (*cases.Forum)(n.Forum), Side: n.Side, ClientPartyID: n.ClientPartyID, Joint: n.JointRepresentation, Stage: (*cases.Stage)(n.Stage),
		Amount: n.AmountInControversy.amount(), Stakes: n.Stakes, Supervision: (*cases.Supervision)(n.Supervision),
		Confidentiality: (*cases.Confidentiality)(n.Confidentiality), Retention: n.Retention.retention(), Language: n.Language, Tags: n.Tags,
		ExternalRef: n.ExternalRef, CloseReason: n.CloseReason, ActiveBranchID: n.ActiveBranchID,
	}
	if x := n.Complexity; x != nil {
		d.Override = x.Override.override()
	}

	return d
}

func practiceAreas(list []newArea) []cases.PracticeArea {
	if list == nil {
		return nil
	}

	out := make([]cases.PracticeArea, len(list))
	for i, p := range list {
		out[i] = cases.PracticeArea{Scheme: p.Scheme, Code: p.Code, Primary: p.Primary}
	}

	return out
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
