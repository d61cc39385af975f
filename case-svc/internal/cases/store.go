package cases

import (
	"context"
	"errors"
	"time"
)

// Store keeps cases. A case of another tenant, and one that was deleted, cannot be told from one that does not exist. Every
// error that means "cannot be reached now" is errs.ErrUnavailable.
type Store interface {
	// Create saves a new case. ErrExists: the tenant has a case of this id, deleted or not. ErrRefTaken: another case has
	// the external reference.
	Create(ctx context.Context, c Case) error
	// Get returns ErrNotFound if the tenant has no such case.
	Get(ctx context.Context, tenant TenantID, id string) (Case, error)
	// Update applies change to the stored case and saves the result as one step with the next version. change may run more
	// than once; if it fails, its error is returned and nothing is saved. ErrBusy means that other writers kept winning.
	Update(ctx context.Context, tenant TenantID, id string, change func(*Case) error) (Case, error)
	// List returns up to q.Limit cases in the order of q, without their summaries and the bodies of their evaluations.
	List(ctx context.Context, tenant TenantID, q Query) ([]Case, error)
	// Count counts the cases that f lets through, up to most.
	Count(ctx context.Context, tenant TenantID, f Filter, most int) (int, error)
}

// ErrUnchanged is returned by a change that has nothing to do; nothing is saved then.
var ErrUnchanged = errors.New("nothing to change")

// Filter chooses cases; zero fields choose all.
type Filter struct {
	Statuses      []string
	Tiers         []int // 0 for unrated
	MatterKind    string
	Jurisdiction  string // a country takes in its parts
	PracticeKey   string // of PracticePrefix
	Side          string
	Tag           string
	ResponsibleID string
	ExternalRef   string
	UpdatedSince  time.Time
}

// SortField is what a list is ordered by; the id always decides between equals.
type SortField string

// What cases can be ordered by.
const (
	ByUpdated SortField = "updatedAt"
	ByCreated SortField = "createdAt"
	ByTitle   SortField = "title" // without regard to case
)

// Place is where a page ended: the last case's sort key and id.
type Place struct {
	Time time.Time
	Text string
	ID   string
}

// Query asks for one page of cases.
type Query struct {
	Filter
	Sort       SortField
	Descending bool
	After      *Place
	Limit      int
}

// PlaceOf returns the place of c in the order of q.
func (q Query) PlaceOf(c Case) Place {
	switch q.Sort {
	case ByCreated:
		return Place{Time: c.CreatedAt, ID: c.ID}
	case ByTitle:
		return Place{Text: c.TitleKey(), ID: c.ID}
	default:
		return Place{Time: c.UpdatedAt, ID: c.ID}
	}
}
