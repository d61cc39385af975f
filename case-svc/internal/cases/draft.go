package cases

import (
	"time"

	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/ids"
	"github.com/subrosa-legal/subrosa/pkg/instant"
)

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
	now = instant.Of(now)
	c := Case{
		ID:          id,
		Tenant:      tenant,
		Version:     1,
		Title:       Untitled,
		TitleBasis:  TitleDefault,
		Status:      Intake,
		MatterKind:  "litigation",
		Stage:       Stage{CodeSet: "litigation", Phase: "L100", Task: "L110"},
		Supervision: Supervision{ResponsibleUserID: by.UserID},
		Confidentiality: Confidentiality{
			Privilege: "work_product", AIPolicy: terms.DefaultAIPolicy, ClientConsent: "unknown",
		},
		Conflict:   Conflict{Status: NotRun},
		Retention:  Retention{PolicyCode: DefaultPolicy},
		TimelineID: TimelineOf(id),
		Language:   "en",
		CreatedAt:  now,
		UpdatedAt:  now,
		CreatedBy:  by,
		Untouched:  !by.Human(),
	}
	c.ActiveBranchID = RootBranchOf(c.TimelineID)
	// The draft belongs to the caller, so the copy is what gets the name.
	if s := d.Supervision; s != nil && s.ResponsibleUserID == "" {
		named := *s
		named.ResponsibleUserID = by.UserID
		d.Supervision = &named
	}
	e := editor{Case: c, by: by, now: now, terms: terms}

	for _, field := range d.Given() {
		switch {
		case field == FieldStatus:
			e.f.OneOf("status", *d.Status, Intake)
		case field.later():
			e.f.Add(string(field), "cannot be given for a new case: set it with PATCH once there is what it names")
		default:
			if err := e.take(field, d); err != nil {
				return Case{}, err
			}
		}
	}

	return e.Case, e.f.Err()
}
