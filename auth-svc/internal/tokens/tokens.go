// Package tokens issues the one-hour bearers of agents and keeps the state by which each of them lives and ends.
package tokens

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/keys"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/members"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/instant"
)

// Signer returns the key that signs at the moment.
type Signer interface {
	Current() (authn.SigningKey, error)
}

// Records keep the state of live bearers.
type Records interface {
	// Put stores the record of a bearer until its expiry.
	Put(ctx context.Context, jti string, r authn.BearerRecord) error
	// Drop removes one record.
	Drop(ctx context.Context, agentID, jti string) error
	// DropAll removes every record of an agent and tells the gateways to close its streams.
	DropAll(ctx context.Context, agentID string) error
	// FirstRefusal reports whether no refusal of the agent's key was noted within the last ten minutes, and notes one.
	FirstRefusal(ctx context.Context, agentID string) (bool, error)
	// SetRoles has every live bearer of an agent act with these roles from now on.
	SetRoles(ctx context.Context, agentID string, roles []string) error
}

// Members knows who has access to a tenant, with which roles.
type Members interface {
	Standing(ctx context.Context, tenant, userID string) (m members.Member, known bool, err error)
	KeyExpired(m members.Member, made time.Time) bool
}

// ErrApart says that a store does one write at a time. Nothing was written.
var ErrApart = errors.New("the store does one write at a time")

// Joint does in one trip to the store what an exchange writes at its end.
type Joint interface {
	// Exchanged records an exchange, and then notes the use of the key. keys.ErrUnknown says that the key is there no
	// more: then the exchange is on record as failed. ErrApart says that the store cannot do both at once.
	Exchanged(ctx context.Context, k keys.Key, at time.Time) error
}

// Bearer is what an exchange gives.
type Bearer struct {
	Token   string
	Expires time.Time // whole seconds
}

// Issuer exchanges keys for bearers.
type Issuer struct {
	Keys    *keys.Keys
	Members Members
	Records Records
	Audit   audit.Log
	Log     *slog.Logger
	Joint   Joint // nil does one write at a time
	Signer  Signer
	Base    string // base address of the service: issuer, and audience with /v1
	Now     func() time.Time

	owners owners
}

// Exchange returns a fresh bearer for an API key, or keys.ErrUnknown. When it returns, the bearer is on record and
// audited; after a failure none is alive. What it writes counts as no change of the caller's: a bearer that was not
// answered is nobody's.
func (i *Issuer) Exchange(ctx context.Context, secret string) (Bearer, error) {
	ctx = errs.Aside(ctx)

	key, who, err := i.find(ctx, secret)
	if errors.Is(err, keys.ErrUnknown) {
		return Bearer{}, cmp.Or(i.noteRetired(ctx, secret), err)
	}
	if err != nil {
		return Bearer{}, err
	}
	// The roles are the user's today, not those of the day when the key was made.
	if key.Roles, err = i.admit(ctx, key, who); err != nil {
		return Bearer{}, err
	}
	now := i.Now().UTC().Truncate(time.Second)
	expires := now.Add(authn.BearerLife)
	jti := uuid.NewString()
	scopes := access.AgentScopes()
	token, err := i.sign(key, jti, scopes, now, expires)
	if err != nil {
		return Bearer{}, err
	}
	caller := access.Caller{
		Tenant:  key.Tenant,
		UserID:  key.UserID,
		Kind:    access.Agent,
		AgentID: key.AgentID,
		Scopes:  scopes,
		Roles:   key.Roles,
	}
	// The record is written before the checks of confirm: whoever ends the agent meanwhile drops it or is seen there.
	if err := i.Records.Put(ctx, jti, authn.BearerRecord{Caller: caller, Expires: expires.Unix()}); err != nil {
		return Bearer{}, err
	}
	if err := i.confirm(ctx, key, jti); err != nil {
		return Bearer{}, err
	}

	return Bearer{Token: token, Expires: expires}, nil
}

// standing is what the firm knows of a user.
type standing struct {
	member members.Member
	known  bool
	err    error
}

func (i *Issuer) standing(ctx context.Context, tenant, userID string) (s standing) {
	s.member, s.known, s.err = i.Members.Standing(ctx, tenant, userID)
	return s
}

// find returns a key and where its user stands. Whose the key is may be remembered; both are read at the same time
// then.
func (i *Issuer) find(ctx context.Context, secret string) (keys.Key, standing, error) {
	before, remembered := i.owners.of(i.Keys.Hash(secret))
	stands := func() standing { return standing{} }
	if remembered {
		stands = beside(func() standing { return i.standing(ctx, before.tenant, before.userID) })
	}

	key, err := i.Keys.Find(ctx, secret)
	who := stands()
	if err != nil {
		return keys.Key{}, standing{}, err
	}
	if !remembered || before != (owner{key.Tenant, key.UserID}) {
		who = i.standing(ctx, key.Tenant, key.UserID)
	}
	if who.err != nil {
		return keys.Key{}, standing{}, who.err
	}
	i.owners.note(key)

	return key, who, nil
}

// admit returns the roles that the user of a key has now, or keys.ErrUnknown, on record, when the firm has ended the
// user's access or the key has run out.
func (i *Issuer) admit(ctx context.Context, key keys.Key, who standing) ([]string, error) {
	switch m := who.member; {
	case who.known && !m.Has():
		return nil, cmp.Or(i.refuse(ctx, key, "suspended"), error(keys.ErrUnknown))
	case i.Members.KeyExpired(m, key.CreatedAt):
		return nil, cmp.Or(i.refuse(ctx, key, "expired"), error(keys.ErrExpired))
	case who.known:
		return m.Roles, nil
	}

	// The user signed in before members were kept, so the key's own roles count.
	return key.Roles, nil
}

// noteRetired puts on record that a key was used after its end, once in ten minutes for an agent, since its program may
// go on trying. Whoever sends the key is told nothing of it.
func (i *Issuer) noteRetired(ctx context.Context, secret string) error {
	key, err := i.Keys.Retired(ctx, secret)
	if errors.Is(err, keys.ErrUnknown) {
		return nil
	}
	if err != nil {
		return err
	}

	return i.refuse(ctx, key, "revoked")
}

// refuse puts the refusal of a known key on record.
func (i *Issuer) refuse(ctx context.Context, key keys.Key, why string) error {
	first, err := i.Records.FirstRefusal(ctx, key.AgentID)
	if err != nil || !first {
		return err
	}

	i.Log.WarnContext(
		ctx, "call refused",
		"decision", why, "code", keys.ErrUnknown.Code, "caller", access.Agent, "callerId", key.AgentID,
	)

	return i.Audit.Record(ctx, entry(key, "token.refused", why))
}

// confirm notes the use of the key now that the record is written, which also finds out whether the agent still stands:
// whoever ends one, or offboards its user, puts that on record before they drop the bearers. So they have either seen
// this bearer and dropped it, or are seen here. The exchange goes on record at the same time; where the agent turns out
// to have ended it is on record as failed, too, and what its end left behind goes.
func (i *Issuer) confirm(ctx context.Context, key keys.Key, jti string) error {
	connected := beside(func() error { return i.Keys.Connected(ctx, key) })
	noted := i.noteTogether(ctx, key)
	err := connected()
	ended := errors.Is(err, keys.ErrUnknown)

	switch {
	case errors.Is(noted, ErrApart) && err == nil:
		err = i.note(ctx, key)
	case errors.Is(noted, ErrApart):
	case noted != nil:
		err = noted
	case err != nil:
		if second := i.Audit.Record(context.WithoutCancel(ctx), ExchangeOf(key, audit.Failed)); second != nil {
			err = fmt.Errorf("%w (and it could not be recorded that the exchange failed: %w)", err, second)
		}
	}
	if err != nil {
		// The caller may have left, but a bearer that nobody was given must not stay alive.
		if dropped := i.Records.Drop(context.WithoutCancel(ctx), key.AgentID, jti); dropped != nil {
			return fmt.Errorf("%w (and its record could not be dropped: %w)", err, dropped)
		}
	}
	if ended {
		if left := i.finish(context.WithoutCancel(ctx), key, errors.Is(noted, ErrApart)); left != nil {
			return fmt.Errorf("%w (and the end of its agent could not be finished: %w)", err, left)
		}
	}

	return err
}

// finish does what the end of an agent left undone when its key is still there, so that the next use of the key is one
// of a key that has ended. unnoted says that this use is not on record yet; it counts as the first refusal in any case.
func (i *Issuer) finish(ctx context.Context, key keys.Key, unnoted bool) error {
	if err := i.End(ctx, key.Tenant, key.AgentID); err != nil {
		return err
	}
	if unnoted {
		return i.refuse(ctx, key, "revoked")
	}
	_, err := i.Records.FirstRefusal(ctx, key.AgentID)

	return err
}

// beside runs work at the same time as what the caller does next. The function it returns waits for the result; a panic
// of work is one of the caller's there, who can recover from it.
func beside[T any](work func() T) (wait func() T) {
	var result T
	var panicked any
	done := make(chan struct{})

	go func() {
		defer close(done)
		defer func() { panicked = recover() }()
		result = work()
	}()

	return func() T {
		<-done
		if panicked != nil {
			panic(panicked)
		}

		return result
	}
}

// ExchangeOf is what the audit record says of an exchange.
func ExchangeOf(key keys.Key, outcome string) audit.Entry {
	return entry(key, "token.exchanged", outcome)
}

func entry(key keys.Key, action, outcome string) audit.Entry {
	return audit.Entry{
		Tenant:       key.Tenant,
		Actor:        audit.Actor{Kind: audit.Agent, ID: key.AgentID, UserID: key.UserID},
		Action:       action,
		ResourceType: "agent",
		ResourceID:   key.AgentID,
		Outcome:      outcome,
	}
}

// noteTogether records the exchange of a key and its use, or returns ErrApart.
func (i *Issuer) noteTogether(ctx context.Context, key keys.Key) error {
	if i.Joint == nil {
		return ErrApart
	}

	return i.Joint.Exchanged(ctx, key, instant.Of(i.Now()))
}

// note does what noteTogether does, one write after the other.
func (i *Issuer) note(ctx context.Context, key keys.Key) error {
	if err := i.Keys.Touch(ctx, key, instant.Of(i.Now())); err != nil {
		return err
	}

	return i.Audit.Record(ctx, ExchangeOf(key, audit.Done))
}

func (i *Issuer) sign(key keys.Key, jti string, scopes []string, now, expires time.Time) (string, error) {
	signing, err := i.Signer.Current()
	if err != nil {
		return "", err
	}
	t := jwt.NewWithClaims(jwt.SigningMethodES256, authn.BearerClaims{
		RegisteredClaims: jwt.RegisteredClaims{
			Issuer:    i.Base,
			Subject:   key.UserID,
			Audience:  jwt.ClaimStrings{i.Base + "/v1"},
			ID:        jti,
			IssuedAt:  jwt.NewNumericDate(now),
			ExpiresAt: jwt.NewNumericDate(expires),
		},
		ClientID: key.AgentID,
		AgentID:  key.AgentID,
		Tenant:   key.Tenant,
		Scope:    strings.Join(scopes, " "),
	})
	t.Header["typ"], t.Header["kid"] = authn.BearerType, signing.ID
	signed, err := t.SignedString(signing.Key)
	if err != nil {
		return "", fmt.Errorf("sign bearer: %w", err)
	}

	return signed, nil
}

// End ends the agent: its keys, then every bearer. It may be repeated until it succeeds. Whoever finds agents by their
// keys finds this one until its bearers can be ended: so that is tried before, and done again for an exchange in
// between.
func (i *Issuer) End(ctx context.Context, tenant, agentID string) error {
	if err := i.Records.DropAll(ctx, agentID); err != nil {
		return err
	}
	if err := i.Keys.End(ctx, tenant, agentID); err != nil {
		return err
	}

	return i.Records.DropAll(ctx, agentID)
}
