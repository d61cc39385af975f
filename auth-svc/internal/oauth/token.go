package oauth

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/subrosa-legal/subrosa/auth-svc/internal/secret"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// Tokens are what a client gets.
type Tokens struct {
	Access  string
	Life    time.Duration
	Refresh string // "" when the client may not use them
	Scopes  []string
}

// Exchange is what a client sends to exchange a code.
type Exchange struct {
	ClientID string
	Code     string
	Redirect string
	Verifier string
	Resource []string
}

// Redeem exchanges a code for the first tokens of a grant. A code that is used a second time ends its grant, whoever
// uses it.
func (s *Server) Redeem(ctx context.Context, e Exchange) (Tokens, error) {
	if !isResource(e.Resource, s.Resource()) {
		return Tokens{}, errTarget
	}
	if !isVerifier(e.Verifier) {
		return Tokens{}, refuse("invalid_request", "code_verifier must be 43 to 128 letters, digits and -._~.")
	}
	if err := s.known(ctx, e.ClientID); err != nil {
		return Tokens{}, err
	}
	code, first, err := s.Codes.Redeem(ctx, secret.Hash(e.Code))
	if errors.Is(err, ErrNoCode) {
		return Tokens{}, ErrInvalidGrant
	}
	if err != nil {
		return Tokens{}, err
	}
	// A second use means that somebody else has the code too: the first tokens may be theirs.
	if !first {
		if err := s.replayed(ctx, code); err != nil {
			return Tokens{}, err
		}

		return Tokens{}, ErrInvalidGrant
	}
	sum := sha256.Sum256([]byte(e.Verifier))
	proof := base64.RawURLEncoding.EncodeToString(sum[:])
	fits := code.Client.ID == e.ClientID && code.Redirect == e.Redirect && s.Now().Before(code.Expires)
	// The verifier shows that whoever has the code is the one who asked for it (RFC 7636).
	if !fits || subtle.ConstantTimeCompare([]byte(proof), []byte(code.Challenge)) != 1 {
		return Tokens{}, ErrInvalidGrant
	}
	if err := s.wanted(ctx, code.User, code.Client.ID, code.Expires.Add(-CodeLife)); err != nil {
		return Tokens{}, err
	}
	if _, err := s.described(ctx, e.ClientID, func(c Client) bool { return c.Takes(e.Redirect) }); err != nil {
		return Tokens{}, err
	}
	held, err := s.held(ctx, code.User.Tenant, code.User.UserID)
	if err != nil {
		return Tokens{}, err
	}
	widened := slices.ContainsFunc(held, func(g Grant) bool {
		return g.ClientID == code.Client.ID && !covers(g.Scopes, code.Scopes)
	})
	g := newGrant(code, s.Now())
	if err := s.Grants.Insert(ctx, g); err != nil {
		// The code was used again meanwhile, and its grant has ended before it began.
		if errors.Is(err, errs.ErrTaken) {
			return Tokens{}, ErrInvalidGrant
		}

		return Tokens{}, err
	}
	t, err := s.give(ctx, g, g.Scopes)
	// Whoever ended the client meanwhile has either seen the grant, or is seen here.
	if err == nil {
		err = s.wanted(ctx, code.User, code.Client.ID, code.Expires.Add(-CodeLife))
		if errors.Is(err, ErrInvalidGrant) {
			return Tokens{}, errors.Join(err, s.endAs(ctx, g.ID, ByUser))
		}
	}
	if err == nil {
		err = s.Audit.Record(ctx, event(g, "grant.made", "ok", false))
	}
	if err == nil && widened {
		err = s.Audit.Record(ctx, event(g, "grant.widened", "ok", false))
	}
	if err == nil {
		err = s.retire(ctx, g, held)
	}
	if err != nil && !errors.Is(err, ErrInvalidGrant) {
		// Nobody will get these tokens: the code is used up.
		err = errors.Join(err, s.endAs(context.WithoutCancel(ctx), g.ID, Unfinished))
	}

	return t, err
}

// wanted returns ErrInvalidGrant when the user has ended the client since.
func (s *Server) wanted(ctx context.Context, user access.Caller, clientID string, since time.Time) error {
	at, err := s.Codes.Disavowed(ctx, user.Tenant, user.UserID, clientID)
	if err == nil && !at.IsZero() && !since.After(at) {
		err = ErrInvalidGrant
	}

	return err
}

// retire ends those of the user's grants that the new one g supersedes, and the oldest where there are too many.
func (s *Server) retire(ctx context.Context, g Grant, held []Grant) error {
	// The new grant is one of those that stay. The rest come the newest first, so the oldest are those beyond the
	// limit.
	stay := 1

	for _, o := range held {
		why := Crowded

		switch {
		case o.ID == g.ID:
			continue
		case g.supersedes(o):
			why = Superseded
		case stay < maxGrants:
			stay++
			continue
		}
		if err := s.endAs(ctx, o.ID, why); err != nil {
			return fmt.Errorf("end an older grant: %w", err)
		}
	}

	return nil
}

// replayed ends the grant of a code that was used twice. Where the first use has not saved the grant yet, its place is
// taken, so that it never begins.
func (s *Server) replayed(ctx context.Context, c Code) error {
	g := newGrant(c, s.Now())
	_ = g.end(Replayed, s.Now())
	err := s.Grants.Insert(ctx, g)
	if errors.Is(err, errs.ErrTaken) {
		return s.endAs(ctx, c.GrantID, Replayed)
	}
	if err != nil {
		return err
	}

	return s.settle(ctx, g)
}

// give writes the live record of a grant, makes sure that it has not ended meanwhile, and makes the tokens: whoever
// ends it has either seen the record and deleted it, or is seen here.
func (s *Server) give(ctx context.Context, g Grant, scopes []string) (Tokens, error) {
	now := s.Now().UTC().Truncate(time.Second)
	// No access token outlives its grant.
	life := min(authn.GrantLife, g.ExpiresAt.Sub(now).Truncate(time.Second))
	token, err := s.sign(g, scopes, now, now.Add(life))
	if err != nil {
		return Tokens{}, err
	}
	if err := s.stands(ctx, g); err != nil {
		return Tokens{}, err
	}
	roles, err := s.Members.RolesNow(ctx, g.Tenant, g.UserID, g.Roles)
	if err != nil {
		return Tokens{}, err
	}
	caller := access.Caller{
		Tenant:   g.Tenant,
		UserID:   g.UserID,
		Kind:     access.OAuth,
		ClientID: g.ClientID,
		Roles:    roles,
		Scopes:   g.Scopes,
	}
	record := authn.GrantRecord{Caller: caller, Expires: now.Add(authn.GrantLife).Unix()}
	if err := s.Live.Put(ctx, g.ID, record); err != nil {
		return Tokens{}, err
	}
	latest, err := s.Grants.Find(ctx, g.ID)
	if err == nil && latest.State != Live {
		err = ErrInvalidGrant
	}
	if err == nil {
		err = s.stands(ctx, g)
	}
	// The record must go even if the client has left: it would let the token in until it expires.
	if err != nil {
		if dropped := s.Live.Drop(context.WithoutCancel(ctx), g.ID); dropped != nil {
			return Tokens{}, fmt.Errorf("%w (and the live record could not be dropped: %w)", err, dropped)
		}

		return Tokens{}, err
	}
	t := Tokens{Access: token, Life: life, Scopes: scopes}
	if g.Refresh {
		t.Refresh = s.Refresh.of(g.ID, g.Generation)
	}

	return t, nil
}

// stands returns ErrInvalidGrant when the firm has ended the access of the grant's user.
func (s *Server) stands(ctx context.Context, g Grant) error {
	ok, err := s.Members.Stands(ctx, g.Tenant, g.UserID)
	if err == nil && !ok {
		err = ErrInvalidGrant
	}

	return err
}

// EndAll ends every grant of a user in a tenant, because the firm has ended the user's access. It may be repeated.
func (s *Server) EndAll(ctx context.Context, tenant, userID string) error {
	held, err := s.held(ctx, tenant, userID)
	if err != nil {
		return err
	}

	for _, g := range held {
		if err := s.endAs(ctx, g.ID, Departed); err != nil {
			return err
		}
	}

	return nil
}

// SetRoles has every live grant of a user in a tenant act with these roles from now on.
func (s *Server) SetRoles(ctx context.Context, tenant, userID string, roles []string) error {
	held, err := s.held(ctx, tenant, userID)
	if err != nil {
		return err
	}

	for _, g := range held {
		if err := s.Live.SetRoles(ctx, g.ID, roles); err != nil {
			return err
		}
	}

	return nil
}

// Renewal is what a client sends to refresh.
type Renewal struct {
	ClientID string
	Token    string
	Scope    string // "" means all of the grant's
	Resource []string
}

// Renew exchanges a refresh token for the next one and a new access token. A token that was replaced a moment ago gives
// the same successor again, so that lost answers and parallel calls do no harm; an older one ends the grant.
func (s *Server) Renew(ctx context.Context, r Renewal) (Tokens, error) {
	if !isResource(r.Resource, s.Resource()) {
		return Tokens{}, errTarget
	}
	if err := s.known(ctx, r.ClientID); err != nil {
		return Tokens{}, err
	}
	gid, n, ok := s.Refresh.parse(r.Token)
	if !ok {
		return Tokens{}, ErrInvalidGrant
	}
	g, err := s.Grants.Find(ctx, gid)
	if errors.Is(err, ErrNoGrant) || err == nil && (g.ClientID != r.ClientID || !g.Alive(s.Now())) {
		return Tokens{}, ErrInvalidGrant
	}
	if err != nil {
		return Tokens{}, err
	}
	scopes, err := ParseScope(r.Scope)
	if err != nil {
		return Tokens{}, err
	}
	if len(scopes) == 0 {
		scopes = g.Scopes
	}
	// A refresh can narrow the scopes for one access token and never widen them (RFC 6749, 6).
	if !covers(g.Scopes, scopes) {
		return Tokens{}, errWiderScope
	}
	// An application whose description is gone, or changed against what the user saw, loses its grant at the next
	// refresh.
	if why, err := s.described(ctx, g.ClientID, g.stillOf); err != nil {
		if why != "" {
			err = errors.Join(err, s.endAs(ctx, gid, why))
		}

		return Tokens{}, err
	}

	g, err = s.Grants.Update(ctx, gid, func(g *Grant) error { return g.rotate(n, s.Now()) })
	// errAgain is no failure: the token was replaced a moment ago, and its successor is given out once more.
	switch {
	case errors.Is(err, errAgain):
	case errors.Is(err, errReuse):
		if err := s.endAs(ctx, gid, Reused); err != nil {
			return Tokens{}, err
		}

		return Tokens{}, ErrInvalidGrant
	case errors.Is(err, errOver), errors.Is(err, errFuture), errors.Is(err, ErrNoGrant):
		return Tokens{}, ErrInvalidGrant
	case err != nil:
		return Tokens{}, err
	}

	return s.give(ctx, g, scopes)
}

// described looks anew at the document of a client that has one, when it is not known to be fresh, and returns why the
// client's grant is over: its host has it no more, or it does not fit any more. While it can be neither fetched nor
// remembered, the error is errs.ErrUnavailable, and nothing is over.
func (s *Server) described(ctx context.Context, id string, fits func(Client) bool) (Reason, error) {
	if !IsDocument(id) {
		return "", nil
	}
	c, err := s.Documents.Fetch(ctx, id, "")

	switch {
	case errors.Is(err, ErrDocumentGone):
		return Vanished, ErrInvalidClient
	case errors.Is(err, ErrUnknownClient):
		return "", fmt.Errorf("look at the document of a client: %w", errs.ErrUnavailable)
	case err != nil:
		return "", err
	case !fits(c):
		return Changed, ErrInvalidGrant
	}

	return "", nil
}

// Revoke ends the grant of a token, be it an access token or a refresh token of any generation. A token that is none of
// ours, or of another client, is no error: whoever wanted it to be dead has what they wanted.
func (s *Server) Revoke(ctx context.Context, token, clientID string) error {
	gid, _, ok := s.Refresh.parse(token)
	if !ok {
		var err error
		if gid, err = s.grantOf(token); err != nil || gid == "" {
			return err
		}
	}
	g, err := s.Grants.Find(ctx, gid)
	if errors.Is(err, ErrNoGrant) || err == nil && clientID != "" && clientID != g.ClientID {
		return nil
	}
	if err != nil {
		return err
	}

	return s.endAs(ctx, gid, ByClient)
}

// List returns up to limit live grants of a user, the newest first, of those older than the grant before; "" begins.
func (s *Server) List(ctx context.Context, user access.Caller, before string, limit int) ([]Grant, error) {
	return s.Grants.OfUser(ctx, user.Tenant, user.UserID, s.Now(), before, limit)
}

// End ends a grant of the user, or returns ErrNoGrant, and with it every other live grant of the user to the same
// application that led back to the same host: for the user they are one connection. It may be repeated; a repetition
// does not end what was allowed since.
func (s *Server) End(ctx context.Context, user access.Caller, gid string) error {
	g, err := s.Grants.Find(ctx, gid)
	if err != nil {
		return err
	}
	if g.Tenant != user.Tenant || g.UserID != user.UserID {
		return ErrNoGrant
	}
	// Codes and questions that are still open must not bring the application back.
	if err := s.Codes.Disavow(ctx, user.Tenant, user.UserID, g.ClientID); err != nil {
		return err
	}
	if g.EndReason != ByUser {
		held, err := s.held(ctx, user.Tenant, user.UserID)
		if err != nil {
			return err
		}

		for _, o := range held {
			if o.ID == gid || !o.sameConnection(g) {
				continue
			}
			if err := s.endAs(ctx, o.ID, ByUser); err != nil {
				return err
			}
		}
	}

	// This grant comes last, so that whoever repeats the call goes on where it stopped.
	return s.endAs(ctx, gid, ByUser)
}

// endAs ends a grant: on record first, then its live record. Whoever comes second makes sure of the live record alone.
// What fails after the first step is finished by the sweep.
func (s *Server) endAs(ctx context.Context, gid string, why Reason) error {
	g, err := s.Grants.Update(ctx, gid, func(g *Grant) error { return g.end(why, s.Now()) })
	switch {
	case errors.Is(err, ErrNoGrant):
		return nil
	case errors.Is(err, errOver):
		return s.Live.Drop(ctx, gid)
	case err != nil:
		return err
	}

	return s.settle(ctx, g)
}

// settle drops the live record of a grant that has ended and records the end.
func (s *Server) settle(ctx context.Context, g Grant) error {
	// The gateway stops to let the grant in before the end is on record: the record may be away, access must end.
	if err := s.Live.Drop(ctx, g.ID); err != nil {
		return err
	}
	if err := s.Audit.Record(ctx, ending(g)); err != nil {
		return err
	}
	_, err := s.Grants.Update(ctx, g.ID, func(g *Grant) error {
		g.State = Over
		return nil
	})
	if errors.Is(err, ErrNoGrant) {
		return nil
	}

	return err
}

// ending is the event of a grant's end: who ended it, and why.
func ending(g Grant) audit.Entry {
	switch g.EndReason {
	case ByClient:
		return event(g, "grant.revoked", "ok", true)
	case Reused:
		return event(g, "grant.ended", "refresh_token_reused", true)
	case Replayed:
		return event(g, "grant.ended", "code_replayed", true)
	case Unfinished:
		return event(g, "grant.ended", "unfinished", true)
	case Expired:
		e := event(g, "grant.expired", "ok", false)
		e.Actor = audit.Actor{Kind: audit.Service, ID: "auth-svc", UserID: g.UserID}

		return e
	case Superseded, Crowded, Departed, Vanished, Changed:
		return event(g, "grant.ended", string(g.EndReason), false)
	}

	return event(g, "grant.ended", "ok", false)
}

// event is the entry of a grant: what its application did, or its user.
func event(g Grant, action, outcome string, byClient bool) audit.Entry {
	actor := audit.Actor{Kind: audit.User, ID: g.UserID}
	if byClient {
		actor = audit.Actor{Kind: audit.OAuth, ID: g.ClientID, UserID: g.UserID}
	}

	return audit.Entry{
		Tenant:       g.Tenant,
		Actor:        actor,
		Action:       action,
		ResourceType: "grant",
		ResourceID:   g.ID,
		Outcome:      outcome,
	}
}
