package parties

import (
	"context"
	"errors"
	"time"
)

// What a Store says of an insert.
var (
	// ErrExists means that the tenant has a party of this id.
	ErrExists = errors.New("party exists")
	// ErrPlaceTaken means that another party of the case has the label or the ordinal.
	ErrPlaceTaken = errors.New("label or ordinal is taken")
)

// Cursor is where a page of parties ended.
type Cursor struct {
	CaseID  string `json:"c"`
	Ordinal int    `json:"n"`
}

// Filter chooses parties; zero fields choose all.
type Filter struct {
	CaseID           string
	Role             string
	Side             string
	Status           string
	IsClient         *bool
	SealedKeyVersion int
	Words            []string // all of them
	Plain            bool     // leave out what a browser has sealed
}

// Match is a party with a token on the side that was asked for.
type Match struct {
	PartyID string
	CaseID  string
	Role    string
	Tokens  []string  // all that it has
	At      time.Time // since when it has these tokens on this side
}

// Store keeps parties. A party of another tenant cannot be told from one that does not exist. Every error that means
// "cannot be reached now" is errs.ErrUnavailable.
type Store interface {
	// Insert saves a new party, or returns ErrExists or ErrPlaceTaken. Of several racing for a label or an ordinal one
	// wins.
	Insert(ctx context.Context, p Party) error
	// Get returns ErrNotFound if the tenant has no such party.
	Get(ctx context.Context, tenant, id string) (Party, error)
	// Under returns the parties that have an id under some of tenants.
	Under(ctx context.Context, tenants []string, id string) ([]Party, error)
	// Replace saves p with the next version over the stored party of the version of p. errs.ErrTaken: it has another
	// version now.
	Replace(ctx context.Context, p Party) (Party, error)
	// List returns up to limit parties after a place, in order of case and ordinal.
	List(ctx context.Context, tenant string, f Filter, after *Cursor, limit int) ([]Party, error)
	// Count counts up to most parties.
	Count(ctx context.Context, tenant string, f Filter, most int) (int, error)
	// Places returns the labels and ordinals that the parties of a case have.
	Places(ctx context.Context, tenant, caseID string) ([]Taken, error)
}

// Taken is a label and an ordinal that a party has.
type Taken struct {
	Label   string
	Ordinal int
}

// Matches finds equal tokens.
type Matches interface {
	// Across returns up to most parties of other cases of the tenant that stand on a side with any of tokens, those
	// whose tokens or side changed last first.
	Across(ctx context.Context, tenant, caseID, side string, tokens []string, most int) ([]Match, error)
	// CountAcross counts them, up to most.
	CountAcross(ctx context.Context, tenant, caseID, side string, tokens []string, most int) (int, error)
}
