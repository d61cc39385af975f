// Package agents holds the rules by which a user connects one agent: tokens that work once, cards that are checked, and
// never more than one agent for one user.
package agents

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// States of an agent's record.
const (
	Active       = "active"
	Disconnected = "disconnected"
	// AccessEnded is shown, and never stored, of an agent whose keys and bearers the firm has ended with its user's
	// access. It stays connected until its user disconnects it, which is theirs alone.
	AccessEnded = "access_ended"
)

// How the signatures of a card stand, by the keys that the settings name.
const (
	Unsigned            = "none"
	SignatureValid      = "valid"       // one of them is by a known key and over this card
	SignatureInvalid    = "invalid"     // one is by a known key and not over this card, or cannot be read
	SignatureUnknownKey = "unknown_key" // nobody here knows their keys
)

// Card is what is kept of an agent's card.
type Card struct {
	Name        string
	Description string
	URL         string   // the agent's own address, https
	Protocols   []string // a2a/1.0
	Form        int      // 1: the interface's four fields, 2: a card of A2A 1.0
	Signature   string   // Unsigned and the like
	SHA256      string   // of the bytes, hex
	ETag        string
	Bytes       []byte // as fetched; nil when something in them could identify somebody
}

// Clean reports whether passes says so of every text in the card's bytes, names of fields included.
func (c Card) Clean(passes func(text string) bool) bool {
	for dec := json.NewDecoder(bytes.NewReader(c.Bytes)); ; {
		token, err := dec.Token()
		if err != nil {
			return errors.Is(err, io.EOF)
		}
		if text, ok := token.(string); ok && !passes(text) {
			return false
		}
	}
}

// Agent is an agent that a user connected.
type Agent struct {
	ID          string
	Tenant      string
	UserID      string
	Roles       []string
	Status      string
	Card        Card      // the snapshot of registration; later changes of the card do not touch it
	CardURL     string    // what was registered
	SeenSHA256  string    // of the card when health last saw a difference; the snapshot's at first
	SeenAt      time.Time // when that difference was seen; zero before there was one
	TokenHash   string    // of the registration token; unique within the tenant
	ConnectedAt time.Time
	Version     int
}

// CardChanged reports whether the card has been seen to differ from what was registered.
func (a Agent) CardChanged() bool { return a.SeenSHA256 != a.Card.SHA256 }

// Connection ties a user to the one agent, whatever organization the user is signed in to.
type Connection struct {
	UserID  string
	Tenant  string
	AgentID string
	Attempt string // of the registration that made it
	Active  bool   // false while its registration is under way
	At      time.Time
}

// Owner is the session that issued a registration token.
type Owner struct {
	Tenant string
	UserID string
	Roles  []string
}

// Failures of this domain.
var (
	ErrConnected = errs.New(
		errs.Conflict,
		"agent_connected",
		"An agent is already connected to this user. Disconnect it first with DELETE /v1/agents/{agentId}.",
	)
	ErrToken = errs.New(
		errs.Unauthenticated,
		"registration_token_invalid",
		"The registration token is not valid: it was used, has expired after ten minutes, or was never issued. "+
			"Ask the user for a new one.",
	)
	ErrTokenUsed = ErrToken.WithMessage(
		"The registration token was used. If the key of that registration was lost, " +
			"disconnect the agent and issue a new token.",
	)
	ErrBusy = errs.New(
		errs.Conflict,
		"registration_busy",
		"Another registration for this user is in progress. Try again after the time in Retry-After.",
	).WithRetryAfter(5 * time.Second)
	ErrNotOwner = errs.New(errs.Forbidden, "forbidden", "Only the user who connected this agent may do this.")
	ErrExists   = errs.New(errs.Internal, "exists", "")
	ErrCardURL  = errs.New(
		errs.Invalid,
		"card_url_invalid",
		"agent_card_url must be the https address of a card on a public host, with port 443 or none, "+
			"without user name, fragment or literal address.",
	)
	ErrUnreachable = errs.New(
		errs.Invalid,
		"card_unreachable",
		"The agent card could not be fetched. "+
			"Its address must be public and answer 200 with at most 64 KiB of JSON within 5 seconds and 3 redirects.",
	)
	ErrCard        = errs.New(errs.Invalid, "card_invalid", "The agent card was not accepted.")
	ErrFetchBudget = errs.New(
		errs.TooMany,
		"rate_limited",
		"Too many card fetches for this user within an hour. Try again after the time in Retry-After; "+
			"the token may have expired by then.",
	)
	ErrFetcherBusy = errs.New(
		errs.Unavailable, "unavailable", "Too many cards are being fetched. Try again after the time in Retry-After.",
	).WithRetryAfter(2 * time.Second)
	errInterrupted = errs.New(
		errs.Unavailable,
		"unavailable",
		"The registration took too long and was undone. The token is still valid: try again.",
	).WithRetryAfter(time.Second)
	errAgentMissing = errs.ErrNotFound
)

// Reservation is the outcome of asking for a registration token.
type Reservation uint8

// Outcomes of a reservation.
const (
	Reserved      Reservation = iota // held for this attempt
	TokenBusy                        // held by another attempt
	TokenUsed                        // used up by another attempt
	TokenUsedByUs                    // used up by this very attempt, whose answer was lost
	TokenGone                        // expired or never issued
)

// Tokens keeps registration tokens by their hash. Each method is one atomic step.
type Tokens interface {
	// Issue stores a token that is good until expires.
	Issue(ctx context.Context, hash string, owner Owner, expires time.Time) error
	// Reserve holds the token for attempt until the lease runs out. As long as it is held, the same attempt gets the
	// same answer, until it commits; from then on it gets TokenUsedByUs.
	Reserve(ctx context.Context, hash, attempt string) (Reservation, Owner, error)
	// Commit uses the token up.
	Commit(ctx context.Context, hash, attempt string) error
	// Release gives the token back.
	Release(ctx context.Context, hash, attempt string) error
	// SpendFetch takes one of the user's card fetches. Where none is left it takes nothing and returns how long it is
	// until there are more.
	SpendFetch(ctx context.Context, userID string) (wait time.Duration, err error)
}

// Store keeps connections and agents.
type Store interface {
	// Connection returns the user's connection, or errs.ErrNotFound.
	Connection(ctx context.Context, userID string) (Connection, error)
	// Connect inserts a connection; ErrExists when the user has one.
	Connect(ctx context.Context, c Connection) error
	// Activate makes a pending connection active, or returns errs.ErrTaken when it is not pending any more.
	Activate(ctx context.Context, c Connection) error
	// Disconnect deletes the connection of the user to this agent in the given state, and reports whether there was
	// one.
	Disconnect(ctx context.Context, userID, agentID string, active bool) (bool, error)
	// Pending lists connections that have been pending since before.
	Pending(ctx context.Context, before time.Time) ([]Connection, error)
	// Records gives the agents.
	Records
}

// Records keeps agents.
type Records interface {
	// Insert saves an agent; ErrExists when its token has registered one already.
	Insert(ctx context.Context, a Agent) error
	// OfToken returns the agent that a token registered, or errs.ErrNotFound.
	OfToken(ctx context.Context, tenant, tokenHash string) (Agent, error)
	// Agent returns a tenant's agent, or errs.ErrNotFound.
	Agent(ctx context.Context, tenant, id string) (Agent, error)
	// Replace saves a over its version and moves that on, or returns errs.ErrTaken when another writer was first.
	Replace(ctx context.Context, a Agent) error
	// Remove deletes an agent that never became whole.
	Remove(ctx context.Context, tenant, id string) error
}

// Intents keeps the disconnections that are under way.
type Intents interface {
	// Begin puts a disconnection on record; an earlier record stays.
	Begin(ctx context.Context, d Disconnection) error
	// Finish removes it.
	Finish(ctx context.Context, d Disconnection) error
	// Open lists those begun before.
	Open(ctx context.Context, before time.Time) ([]Disconnection, error)
}

// Disconnection is an agent that is being disconnected.
type Disconnection struct {
	Tenant  string
	UserID  string
	AgentID string
	At      time.Time
}

// Cards fetches cards.
type Cards interface {
	// Valid reports whether an address has the form of a card's; it uses no network.
	Valid(rawURL string) error
	// Fetch returns the card at rawURL: ErrCardURL, ErrUnreachable or ErrCard when there is none. With an etag it may
	// report that the card is unchanged.
	Fetch(ctx context.Context, rawURL, etag string) (card Card, unchanged bool, err error)
}

// Keys makes and ends the keys of agents, at auth-svc.
type Keys interface {
	Mint(ctx context.Context, a Agent) (string, error)
	End(ctx context.Context, tenant, agentID string) error
	Use(ctx context.Context, tenant, agentID string) (last time.Time, ended bool, err error)
}
