// Package oauth holds the rules of the OAuth 2.1 authorization server by which applications get access to the MCP
// endpoint: who may ask, what a user is asked, how codes and refresh tokens are used up, and how grants end. It knows
// no HTTP and no store.
package oauth

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/ids"
)

// Requests keep authorization requests in progress, by their id.
type Requests interface {
	// Begin stores a new request.
	Begin(ctx context.Context, id string, r Request) error
	// Get returns a request, or ErrNoRequest.
	Get(ctx context.Context, id string) (Request, error)
	// Advance saves r over a request that stands at the stage from, in one step, and reports whether it did: of several
	// at once one does.
	Advance(ctx context.Context, id string, from Stage, r Request) (bool, error)
}

// Codes keep authorization codes by their hash.
type Codes interface {
	// Issue stores what a code stands for.
	Issue(ctx context.Context, hash string, c Code) error
	// Redeem returns what a code stands for and whether this is its first use; it uses the code up in the same step.
	// ErrNoCode means that there is none. A code that was used is remembered for ten minutes.
	Redeem(ctx context.Context, hash string) (c Code, first bool, err error)
	// Disavow notes that a user has ended a client now, for as long as codes and requests from before may come.
	Disavow(ctx context.Context, tenant, userID, clientID string) error
	// Disavowed returns when that was last noted, the zero time for never.
	Disavowed(ctx context.Context, tenant, userID, clientID string) (time.Time, error)
}

// FreshClients keep clients that registered themselves and that no user has allowed yet, for a day.
type FreshClients interface {
	// Keep stores a client.
	Keep(ctx context.Context, c Client) error
	// Find returns a client, or ErrNoClient.
	Find(ctx context.Context, id string) (Client, error)
	// Count counts a registration from an address and returns how many it has had within a day.
	Count(ctx context.Context, from string) (int, error)
}

// LiveGrants keep the records by which the gateway knows that a grant lives.
type LiveGrants interface {
	// Put writes the record of a grant.
	Put(ctx context.Context, gid string, r authn.GrantRecord) error
	// SetRoles has a live grant act with these roles from now on.
	SetRoles(ctx context.Context, gid string, roles []string) error
	// Drop removes it, if there is one.
	Drop(ctx context.Context, gid string) error
}

// Clients keep clients that users have allowed, for as long as they have grants.
type Clients interface {
	// Keep stores a client, or notes that it is needed until the time given at least.
	Keep(ctx context.Context, c Client, until time.Time) error
	// Find returns a client, or ErrNoClient.
	Find(ctx context.Context, id string) (Client, error)
	// Due lists up to limit clients that were needed until before now.
	Due(ctx context.Context, now time.Time, limit int) ([]Due, error)
	// Remove removes a client unless it was kept again since it was listed.
	Remove(ctx context.Context, d Due) error
}

// Due is a client that may not be needed any more.
type Due struct {
	Client Client
	Until  time.Time
}

// Grants keep grants. A grant's id is known before its tenant, so it alone finds one; all else names the tenant.
type Grants interface {
	// Insert saves a new grant, or returns errs.ErrTaken.
	Insert(ctx context.Context, g Grant) error
	// Find returns a grant, or ErrNoGrant.
	Find(ctx context.Context, gid string) (Grant, error)
	// Update applies change to the stored grant and saves the result as one step. change may run more than once; if it
	// fails, its error and the grant as it stands are returned and nothing is saved.
	Update(ctx context.Context, gid string, change func(*Grant) error) (Grant, error)
	// OfUser lists up to limit live grants of a user, the newest first, of those that are older than the grant before;
	// "" begins.
	OfUser(ctx context.Context, tenant, userID string, now time.Time, before string, limit int) ([]Grant, error)
}

// OldGrants finds grants, over all tenants, with which something is left to do.
type OldGrants interface {
	// HasClient reports whether any grant of the client is on record.
	HasClient(ctx context.Context, clientID string) (bool, error)
	// Endings lists up to limit grants that are Ending.
	Endings(ctx context.Context, limit int) ([]Grant, error)
	// Expired lists up to limit grants that are Live and whose time has passed.
	Expired(ctx context.Context, now time.Time, limit int) ([]Grant, error)
	// RemoveOld removes up to limit grants that ended and may leave the record at now, and returns how many.
	RemoveOld(ctx context.Context, now time.Time, limit int) (int, error)
}

// Documents fetch descriptions of clients.
type Documents interface {
	// Fetch returns the client that the document at address describes, or ErrUnknownClient, which is ErrDocumentGone
	// where its host says that there is none. from is the address of the caller, for limits; it may be "".
	Fetch(ctx context.Context, address, from string) (Client, error)
	// Keys returns the public keys at an address that a document names, as Client has them, or ErrUnknownClient. They
	// are fetched anew where none of those that are remembered is named kid, unless kid is "".
	Keys(ctx context.Context, address, kid, from string) (string, error)
}

// Members knows who belongs to a tenant.
type Members interface {
	// Seen notes that the provider has sent a user, or returns access.ErrSuspended.
	Seen(ctx context.Context, c access.Caller) error
	// Stands reports whether a user has access to a tenant.
	Stands(ctx context.Context, tenant, userID string) (bool, error)
	// RolesNow returns the roles that a user has now, or before where nobody knows.
	RolesNow(ctx context.Context, tenant, userID string, before []string) ([]string, error)
}

// Server is the authorization server. It is safe for concurrent use.
type Server struct {
	Issuer    string // base address of the service, without a slash at its end
	Requests  Requests
	Codes     Codes
	Fresh     FreshClients
	Clients   Clients
	Grants    Grants
	Old       OldGrants
	Live      LiveGrants
	Members   Members
	Documents Documents
	Audit     audit.Log
	Ring      Ring
	Refresh   RefreshTokens
	Now       func() time.Time

	Registrations int // that one address may make within a day

	// What firms let in by their identity providers. Assertions is nil where no firm does.
	Assertions Assertions
	Enterprise map[string]Client // that the operator registered, by id
	Uses       Uses
}

// Resource is the address that access tokens are for.
func (s *Server) Resource() string { return s.Issuer + "/api/mcp" }

var errRegistrations = errs.New(
	errs.TooMany, "too_many_registrations", "Too many applications were registered from this address today.",
).WithRetryAfter(time.Hour)

// Register takes up a client that describes itself. from is the address of the caller, for the limit; it may be "".
func (s *Server) Register(ctx context.Context, d Described, from string) (Client, error) {
	c, err := newClient(registeredPrefix+ids.New(), d, false, s.Now())
	if err != nil {
		return Client{}, err
	}
	// Without an address there is nobody to count; the gateway always sends one.
	if from != "" {
		n, err := s.Fresh.Count(ctx, from)
		if err != nil {
			return Client{}, err
		}
		if n > s.Registrations {
			return Client{}, errRegistrations
		}
	}

	return c, s.Fresh.Keep(ctx, c)
}

// registered returns a client that registered itself, or ErrNoClient.
func (s *Server) registered(ctx context.Context, id string) (Client, error) {
	c, err := s.Fresh.Find(ctx, id)
	if errors.Is(err, ErrNoClient) {
		return s.Clients.Find(ctx, id)
	}

	return c, err
}

func (s *Server) client(ctx context.Context, id, from string) (Client, error) {
	switch {
	case IsRegistered(id):
		c, err := s.registered(ctx, id)
		if errors.Is(err, ErrNoClient) {
			return Client{}, ErrUnknownClient
		}

		return c, err
	case IsDocument(id):
		return s.Documents.Fetch(ctx, id, from)
	}

	return Client{}, ErrUnknownClient
}

// known refuses ids of clients that do not exist. Documents are not fetched for it, since anybody can ask: described
// looks at them, once a code or a token has proved itself.
func (s *Server) known(ctx context.Context, id string) error {
	if IsDocument(id) {
		return nil
	}
	if !IsRegistered(id) {
		return ErrInvalidClient
	}
	_, err := s.registered(ctx, id)
	if errors.Is(err, ErrNoClient) {
		return ErrInvalidClient
	}

	return err
}

// Sweep finishes ends that were left half way, ends what has expired, and removes what is old. What fails keeps nothing
// else from it; the failures come back together, and the next sweep tries again.
func (s *Server) Sweep(ctx context.Context) error {
	return errors.Join(s.sweepEndings(ctx), s.sweepExpired(ctx), s.sweepOld(ctx), s.sweepClients(ctx))
}

func (s *Server) sweepEndings(ctx context.Context) error {
	endings, err := s.Old.Endings(ctx, sweepBatch)
	if err != nil {
		return fmt.Errorf("list ending grants: %w", err)
	}
	var failed []error

	for _, g := range endings {
		// Whoever ended the grant a moment ago may still be about to finish it; two of them would record it twice.
		if s.Now().Sub(g.EndedAt) < sweepRest {
			continue
		}
		if err := s.settle(ctx, g); err != nil {
			failed = append(failed, fmt.Errorf("finish the end of a grant: %w", err))
		}
	}

	return errors.Join(failed...)
}

// sweepExpired ends grants whose time has passed, so that the record has their end.
func (s *Server) sweepExpired(ctx context.Context) error {
	expired, err := s.Old.Expired(ctx, s.Now(), sweepBatch)
	if err != nil {
		return fmt.Errorf("list expired grants: %w", err)
	}
	var failed []error

	for _, g := range expired {
		if err := s.endAs(ctx, g.ID, Expired); err != nil {
			failed = append(failed, fmt.Errorf("end an expired grant: %w", err))
		}
	}

	return errors.Join(failed...)
}

func (s *Server) sweepOld(ctx context.Context) error {
	for {
		n, err := s.Old.RemoveOld(ctx, s.Now(), sweepBatch)
		if err != nil {
			return fmt.Errorf("remove old grants: %w", err)
		}
		if n < sweepBatch {
			return nil
		}
	}
}

const (
	sweepBatch = 100
	sweepRest  = 30 * time.Second // in which whoever ended a grant finishes it
	clientRest = 24 * time.Hour   // between two looks at whether a client has grants
)

func (s *Server) sweepClients(ctx context.Context) error {
	now := s.Now()
	due, err := s.Clients.Due(ctx, now, sweepBatch)
	if err != nil {
		return fmt.Errorf("list clients: %w", err)
	}
	var failed []error

	for _, d := range due {
		has, err := s.Old.HasClient(ctx, d.Client.ID)
		switch {
		case err != nil:
		case has:
			err = s.Clients.Keep(ctx, d.Client, now.Add(clientRest))
		default:
			err = s.Clients.Remove(ctx, d)
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("look after a client: %w", err))
		}
	}

	return errors.Join(failed...)
}
