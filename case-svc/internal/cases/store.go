package cases

import (
	"context"
	"errors"
	"time"
)

// Store keeps cases. A case of another tenant, and one that was deleted, cannot be told from one that does not exist.
// Every error that means "cannot be reached now" is errs.ErrUnavailable.
type Store interface {
	// Create saves a new case. ErrExists: the tenant has a case of this id, deleted or not. ErrRefTaken: another case
	// has the external reference.
	Create(ctx context.Context, c Case) error
	// Get returns ErrNotFound if the tenant has no such case.
	Get(ctx context.Context, tenant string, id string) (Case, error)
	// Update applies change to the stored case and saves the result as one step with the next version. change may run
	// more than once; if it fails, its error is returned and nothing is saved. ErrBusy means that other writers kept
	// winning, ErrRefTaken that another case has the external reference.
	Update(ctx context.Context, tenant string, id string, change func(*Case) error) (Case, error)
	// Swap saves next, with the next version, in place of seen, or returns errs.ErrTaken when seen is not the newest
	// version any more. The other errors are those of Update.
	Swap(ctx context.Context, seen, next Case) (Case, error)
	// Restore is Update for a case that is deleted; one that is not, or of which nothing is left to restore, is
	// ErrNotFound.
	Restore(ctx context.Context, tenant string, id string, change func(*Case) error) (Case, error)
	// List returns up to q.Limit cases in the order of q, without their summaries and the bodies of their evaluations
	// unless q.Whole.
	List(ctx context.Context, tenant string, q Query) ([]Case, error)
	// Count counts the cases that f lets through, up to most.
	Count(ctx context.Context, tenant string, f Filter, most int) (int, error)
}

// ErrUnchanged is returned by a change that has nothing to do; nothing is saved then.
var ErrUnchanged = errors.New("nothing to change")

// Filter chooses cases; zero fields choose all.
type Filter struct {
	Statuses      []string
	Tiers         []int // 0 for unrated
	MatterKind    string
	Jurisdiction  string // a country takes in its parts
	PracticeKey   string // of areas.Key
	Side          string
	Tag           string
	ResponsibleID string
	ExternalRef   string
	UpdatedSince  time.Time
	StageKey      string // of IsStagePrefix
	Privilege     string
	DueBy         string // date: an open deadline on or before it
	PendingReview *bool
	LegalHold     *bool
	Words         []string   // each in title, summary or tags; in lower case
	Phrases       [][]string // each in one of them, word after word
	Deleted       bool       // deleted cases too, whatever they were
}

// SortField is what a list is ordered by; the id always decides between equals.
type SortField string

// What cases can be ordered by.
const (
	ByUpdated SortField = "updatedAt"
	ByCreated SortField = "createdAt"
	ByTitle   SortField = "title" // without regard to case
	ByDue     SortField = "nextDeadline"
	ByTier    SortField = "tier"
)

// Cursor is where a page ended: the last case's sort key and id.
type Cursor struct {
	Time   time.Time `json:"t,omitzero"`
	Text   string    `json:"s,omitempty"`
	Number int       `json:"n,omitempty"`
	ID     string    `json:"i"`
}

// Query asks for one page of cases.
type Query struct {
	Filter
	Sort       SortField
	Descending bool
	After      *Cursor
	Until      time.Time // cases changed later are left out; zero leaves out none
	Limit      int
	Whole      bool
}

// PlaceOf returns the place of c in the order of q.
func (q Query) PlaceOf(c Case) Cursor {
	switch q.Sort {
	case ByCreated:
		return Cursor{Time: c.CreatedAt, ID: c.ID}
	case ByTitle:
		return Cursor{Text: c.TitleKey(), ID: c.ID}
	case ByDue:
		return Cursor{Text: c.DueKey(), ID: c.ID}
	case ByTier:
		return Cursor{Number: c.Tier(), ID: c.ID}
	default:
		return Cursor{Time: c.UpdatedAt, ID: c.ID}
	}
}

// NoDeadline stands behind all dates by which lists are ordered.
const NoDeadline = "9999-12-31"

// DueKey is the date by which lists are ordered; NoDeadline when none is open.
func (c Case) DueKey() string {
	if c.NextDeadline == nil {
		return NoDeadline
	}

	return c.NextDeadline.DueOn
}
