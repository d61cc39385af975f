package cases

import (
	"strconv"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/ids"
	"github.com/subrosa-legal/subrosa/pkg/inputgate"
)

// Limits of a case's fields.
const (
	MaxTitle   = 200
	MaxSummary = 4000
	maxAreas   = 5
	maxStakes  = 6
	maxTags    = 20
	MaxTag     = 40
	MaxRef     = 64
	MaxUserID  = 255

	maxHoldReason = 300
)

// Draft is what a caller says of a case. Of a new one absent fields get their defaults.
type Draft struct {
	Title           *string
	Summary         *string
	Status          *string
	MatterKind      *string
	PracticeAreas   []PracticeArea
	Jurisdiction    *string
	Forum           *Forum
	Side            *string
	ClientPartyID   *string
	Joint           bool
	Stage           *Stage
	Amount          *Amount
	Stakes          []string
	Override        *Override // its tier and reason
	Supervision     *Supervision
	Confidentiality *Confidentiality
	Retention       *Retention // but for what the server sets
	Language        *string
	Tags            []string
	ExternalRef     *string
	CloseReason     *string
	ActiveBranchID  *string
}

// Field names a field of a case by its path on the wire.
type Field string

// The fields that callers write.
const (
	FieldTitle           Field = "title"
	FieldSummary         Field = "summary"
	FieldStatus          Field = "status"
	FieldMatterKind      Field = "matterKind"
	FieldPracticeAreas   Field = "practiceAreas"
	FieldJurisdiction    Field = "jurisdiction"
	FieldForum           Field = "forum"
	FieldSide            Field = "side"
	FieldClientPartyID   Field = "clientPartyId"
	FieldJoint           Field = "jointRepresentation"
	FieldStage           Field = "stage"
	FieldAmount          Field = "amountInControversy"
	FieldStakes          Field = "stakes"
	FieldOverride        Field = "complexity.override"
	FieldSupervision     Field = "supervision"
	FieldConfidentiality Field = "confidentiality"
	FieldLegalHold       Field = "retention.legalHold"
	FieldHoldReason      Field = "retention.holdReason"
	FieldPolicyCode      Field = "retention.policyCode"
	FieldLanguage        Field = "language"
	FieldTags            Field = "tags"
	FieldExternalRef     Field = "externalRef"
	FieldCloseReason     Field = "closeReason"
	FieldActiveBranchID  Field = "activeBranchId"
)

// ForUsersOnly reports whether only a person may set the field. Which states only a person may choose is another
// matter.
func (f Field) ForUsersOnly() bool {
	switch f {
	case FieldOverride, FieldSupervision, FieldConfidentiality, FieldLegalHold, FieldHoldReason, FieldPolicyCode, FieldCloseReason, FieldActiveBranchID:
		return true
	}

	return false
}

// Hold reports whether the field is of a legal hold, all that an admin who is nothing else may set.
func (f Field) Hold() bool { return f == FieldLegalHold || f == FieldHoldReason }

// content reports whether the field is of what the matter is about, rather than of how it is kept.
func (f Field) content() bool {
	switch f {
	case FieldStatus, FieldCloseReason, FieldSupervision, FieldConfidentiality, FieldLegalHold, FieldHoldReason, FieldPolicyCode:
		return false
	}

	return true
}

// Given returns the fields that the draft of a new case sets.
func (d Draft) Given() []Field {
	var all []Field
	add := func(field Field, given bool) {
		if given {
			all = append(all, field)
		}
	}
	add(FieldTitle, d.Title != nil)
	add(FieldSummary, d.Summary != nil)
	add(FieldStatus, d.Status != nil)
	add(FieldMatterKind, d.MatterKind != nil)
	add(FieldPracticeAreas, d.PracticeAreas != nil)
	add(FieldJurisdiction, d.Jurisdiction != nil)
	add(FieldForum, d.Forum != nil)
	add(FieldSide, d.Side != nil)
	add(FieldClientPartyID, d.ClientPartyID != nil)
	add(FieldJoint, d.Joint)
	add(FieldStage, d.Stage != nil)
	add(FieldAmount, d.Amount != nil)
	add(FieldStakes, d.Stakes != nil)
	add(FieldOverride, d.Override != nil)
	add(FieldSupervision, d.Supervision != nil)
	add(FieldConfidentiality, d.Confidentiality != nil)
	if r := d.Retention; r != nil {
		add(FieldLegalHold, true)
		add(FieldHoldReason, r.HoldReason != "")
		add(FieldPolicyCode, r.PolicyCode != "")
	}
	add(FieldLanguage, d.Language != nil)
	add(FieldTags, d.Tags != nil)
	add(FieldExternalRef, d.ExternalRef != nil)
	add(FieldCloseReason, d.CloseReason != nil)
	add(FieldActiveBranchID, d.ActiveBranchID != nil)

	return all
}

// Texts returns the free text of the draft's fields, as sent.
func (d Draft) Texts(by audit.Actor, fields []Field) []inputgate.Text {
	var all []inputgate.Text
	add := func(path, value string) {
		all = append(all, inputgate.Text{Channel: guard.Title, Path: path, Value: value})
	}
	optional := func(path string, value *string) {
		if value != nil {
			add(path, *value)
		}
	}

	for _, field := range fields {
		switch field {
		case FieldTitle:
			optional("title", d.Title)
		case FieldSummary:
			optional("summary", d.Summary)
		case FieldExternalRef:
			if d.ExternalRef != nil { // the caller's own id; that it is no court's is judged with its form
				all = append(all, inputgate.Text{Channel: guard.Reference, Path: "externalRef", Value: *d.ExternalRef})
			}
		case FieldTags:
			for i, t := range d.Tags {
				add("tags["+strconv.Itoa(i)+"]", t)
			}
		case FieldSupervision:
			if d.Supervision != nil && d.Supervision.ResponsibleUserID != by.UserID {
				all = append(all, inputgate.Text{Channel: guard.ChosenID, Path: "supervision.responsibleUserId", Value: d.Supervision.ResponsibleUserID}) // the caller's own comes from the provider
			}
		case FieldHoldReason:
			if d.Retention != nil {
				add("retention.holdReason", d.Retention.HoldReason)
			}
		case FieldOverride:
			if d.Override != nil {
				add("complexity.override.reason", d.Override.Reason)
			}
		case FieldAmount:
			if d.Amount != nil && d.Amount.Source != nil {
				all = append(all, inputgate.Text{Channel: guard.FileText, Path: "amountInControversy.source.quote", Value: d.Amount.Source.Quote})
			}
		}
	}

	return all
}

// Terms are the settings of a tenant that rules of cases go by.
type Terms struct {
	Retention       map[string]int // years from closing, by policy code; always with DefaultPolicy
	DefaultAIPolicy string
	OpenedBy        string // OpenedByOwners, OpenedByUsers or OpenedByAgents
}

// Who may open cases.
const (
	OpenedByOwners = "owners"
	OpenedByUsers  = "users"
	OpenedByAgents = "agents"
)

// DefaultPolicy is the policy of retention that every tenant has.
const DefaultPolicy = "default"

// DefaultTerms are those of a tenant that has not set any.
func DefaultTerms() Terms {
	return Terms{Retention: map[string]int{DefaultPolicy: 7}, DefaultAIPolicy: "no_model", OpenedBy: OpenedByUsers}
}

// New opens a case from a draft under DefaultTerms.
func New(tenant string, id string, by audit.Actor, d Draft, now time.Time) (Case, error) {
	return NewUnder(DefaultTerms(), tenant, id, by, d, now)
}

// NewUnder opens a case from a draft. Wrong fields are faults.ErrInvalid with all of them in its details; a reference
// that is a docket number is guard.ErrRefused. It panics without tenant, id or actor: the caller skipped
// authentication.
func NewUnder(terms Terms, tenant string, id string, by audit.Actor, d Draft, now time.Time) (Case, error) {
	if tenant == "" || by.UserID == "" || !ids.Valid(id) {
		panic("cases.New: no tenant, no user or no id")
	}
	now = Moment(now)
	c := Case{
		ID: id, Tenant: tenant, Version: 1, Status: Intake, MatterKind: "litigation", Language: "en", Title: Untitled, TitleBasis: TitleDefault,
		Stage:           Stage{CodeSet: "litigation", Phase: "L100", Task: "L110"},
		Supervision:     Supervision{ResponsibleUserID: by.UserID},
		Confidentiality: Confidentiality{Privilege: "work_product", AIPolicy: terms.DefaultAIPolicy, ClientConsent: "unknown"},
		Retention:       Retention{PolicyCode: DefaultPolicy}, Conflict: Conflict{Status: NotRun},
		TimelineID: TimelineOf(id), CreatedAt: now, UpdatedAt: now, CreatedBy: by, Untouched: !by.Human(),
	}
	c.ActiveBranchID = RootBranchOf(c.TimelineID)
	if s := d.Supervision; s != nil && s.ResponsibleUserID == "" {
		named := *s
		named.ResponsibleUserID = by.UserID
		d.Supervision = &named
	}
	e := editor{Case: c, by: by, now: now, terms: terms}

	for _, field := range d.Given() {
		switch field {
		case FieldStatus:
			e.f.OneOf("status", *d.Status, Intake)
		case FieldClientPartyID, FieldActiveBranchID, FieldCloseReason:
			e.f.Add(string(field), "cannot be given for a new case: set it with PATCH once there is what it names")
		default:
			if err := e.take(field, d); err != nil {
				return Case{}, err
			}
		}
	}

	return e.Case, e.f.Err()
}
