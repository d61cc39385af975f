package agents

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/inputgate"
	"github.com/subrosa-legal/subrosa/pkg/instant"
)

// Lease is how long a registration usually may take before another may take the token over.
const Lease = 30 * time.Second

// Registry connects and disconnects agents.
type Registry struct {
	Tokens  Tokens
	Store   Store
	Intents Intents
	Cards   Cards
	Keys    Keys
	Audit   audit.Log
	Gate    guard.Gate
	Link    string // where a user mends what the gate refuses
	Pepper  authn.Pepper
	Life    time.Duration // of a registration token
	Lease   time.Duration // how long a registration may take before another may take the token over
	Now     func() time.Time
	Log     *slog.Logger
}

func (r *Registry) now() time.Time { return instant.Of(r.Now()) }

// Issue returns a fresh registration token for owner, or ErrConnected.
func (r *Registry) Issue(ctx context.Context, owner Owner) (string, error) {
	connection, err := r.Store.Connection(ctx, owner.UserID)
	switch {
	case err == nil && connection.Active:
		return "", ErrConnected
	case err != nil && !errors.Is(err, errs.ErrNotFound):
		return "", err
	}
	token := authn.NewSecret(authn.RegistrationTokenPrefix)
	if err := r.Tokens.Issue(ctx, r.Pepper.Hash(token), owner, r.now().Add(r.Life)); err != nil {
		return "", err
	}
	issued := entry(ctx, owner.Tenant, audit.Actor{Kind: audit.User, ID: owner.UserID}, "registration_token.issued", "")
	if err := r.Audit.Record(ctx, issued); err != nil {
		return "", err
	}

	return token, nil
}

// Registered is what a registration gives.
type Registered struct {
	Agent Agent
	Key   string
}

// Register connects an agent by a registration token and the address of its card. A failure leaves either nothing and a
// token that is still good, or the agent whole; never a key without an agent.
func (r *Registry) Register(ctx context.Context, token, cardURL string) (Registered, error) {
	if err := r.Cards.Valid(cardURL); err != nil {
		return Registered{}, err
	}
	// An address may hold a name in its path, and it is shown wherever the agent is.
	address := inputgate.Text{Channel: guard.ChosenID, Path: "agent_card_url", Value: cardURL}
	if err := inputgate.Check(ctx, r.Gate, r.Link, address); err != nil {
		return Registered{}, err
	}
	if !authn.WellFormed(authn.RegistrationTokenPrefix, token) {
		return Registered{}, ErrToken
	}
	a := attempt{
		Registry: r,
		id:       uuid.NewString(),
		hash:     r.Pepper.Hash(token),
		cardURL:  cardURL,
	}
	if err := a.reserve(ctx); err != nil {
		return Registered{}, err
	}
	done, err := a.run(ctx)
	if err != nil {
		// The caller may have left; what was begun is taken back all the same.
		undoCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), r.Lease/3)
		defer cancel()
		a.undo(undoCtx)
		if failed := r.Tokens.Release(undoCtx, a.hash, a.id); failed != nil {
			r.Log.WarnContext(
				ctx, "a registration token could not be given back; its lease will run out", "err", failed,
			)
		}

		return Registered{}, err
	}

	return done, nil
}

// attempt is one try at a registration.
type attempt struct {
	*Registry
	id, hash, cardURL string
	owner             Owner

	connection *Connection // inserted by this attempt
	agent      *Agent      // inserted by this attempt
	minted     bool        // a key may exist
}

func (a *attempt) reserve(ctx context.Context) error {
	state, owner, err := a.Tokens.Reserve(ctx, a.hash, a.id)
	if err != nil {
		return err
	}
	a.owner = owner

	switch state {
	case Reserved:
		return nil
	case TokenBusy:
		return ErrBusy
	case TokenUsed, TokenUsedByUs:
		return ErrTokenUsed
	}

	return ErrToken
}

func (a *attempt) run(ctx context.Context) (Registered, error) {
	if err := a.vacant(ctx); err != nil {
		return Registered{}, err
	}
	wait, err := a.Tokens.SpendFetch(ctx, a.owner.UserID)
	if err != nil {
		return Registered{}, err
	}
	if wait > 0 {
		return Registered{}, ErrFetchBudget.WithRetryAfter(wait)
	}
	card, _, err := a.Cards.Fetch(ctx, a.cardURL, "")
	if err != nil {
		return Registered{}, err
	}
	if card, err = a.screened(ctx, card); err != nil {
		return Registered{}, err
	}
	if err := a.insert(ctx, card); err != nil {
		return Registered{}, err
	}
	// From here on a key may exist, even if the answer is lost.
	a.minted = true
	key, err := a.Keys.Mint(ctx, *a.agent)
	if err != nil {
		return Registered{}, fmt.Errorf("mint key: %w", err)
	}

	return a.finish(ctx, key)
}

// screened refuses a card whose shown texts name a person, and returns it without what nobody is shown where that does.
// Names of products are made up, so the card passes the door of words that others chose.
func (r *Registry) screened(ctx context.Context, card Card) (Card, error) {
	shown := []inputgate.Text{
		{Path: "name", Value: card.Name},
		{Path: "description", Value: card.Description},
		{Path: "url", Value: card.URL},
	}
	for i := range shown {
		shown[i].Channel = guard.ChosenID
	}
	if err := inputgate.Check(ctx, r.Gate, r.Link, shown...); err != nil {
		return Card{}, err
	}
	if len(r.Gate.Check(ctx, guard.ChosenID, card.ETag)) > 0 {
		card.ETag = ""
	}
	if !card.Clean(func(text string) bool { return len(r.Gate.Check(ctx, guard.ChosenID, text)) == 0 }) {
		card.Bytes = nil
	}

	return card, nil
}

// vacant makes sure that the user has no agent, and clears away what a registration that died has left.
func (a *attempt) vacant(ctx context.Context) error {
	c, err := a.Store.Connection(ctx, a.owner.UserID)
	switch {
	case errors.Is(err, errs.ErrNotFound):
		return nil
	case err != nil:
		return err
	case c.Active:
		return ErrConnected
	}
	// Each try counts, so whoever waits as long as it is told must find the place free.
	if left := 2*a.Lease - a.now().Sub(c.At); left > 0 {
		return ErrBusy.WithRetryAfter(left)
	}

	return a.abandon(ctx, c)
}

func (a *attempt) insert(ctx context.Context, card Card) error {
	now := a.now()
	agent := Agent{
		ID:          "agt_" + uuid.Must(uuid.NewV7()).String(),
		Tenant:      a.owner.Tenant,
		UserID:      a.owner.UserID,
		Roles:       a.owner.Roles,
		Status:      Active,
		Card:        card,
		CardURL:     a.cardURL,
		SeenSHA256:  card.SHA256,
		TokenHash:   a.hash,
		ConnectedAt: now,
		Version:     1,
	}
	connection := Connection{
		UserID:  agent.UserID,
		Tenant:  agent.Tenant,
		AgentID: agent.ID,
		Attempt: a.id,
		At:      now,
	}
	// An insert whose answer was lost is undone too: the delete names this agent.
	a.connection = &connection
	if err := a.Store.Connect(ctx, connection); err != nil {
		if errors.Is(err, ErrExists) {
			a.connection = nil
			return a.whyTaken(ctx)
		}

		return err
	}
	a.agent = &agent
	err := a.Store.Insert(ctx, agent)
	if errors.Is(err, ErrExists) {
		if err = a.clearOrphan(ctx); err == nil {
			err = a.Store.Insert(ctx, agent)
		}
	}
	// The agent on record is another one's, so undoing this attempt must not touch it.
	if errors.Is(err, ErrExists) || errors.Is(err, ErrToken) {
		a.agent = nil
	}
	if errors.Is(err, ErrExists) {
		return ErrTokenUsed
	}

	return err
}

// clearOrphan removes the agent that an earlier try with this token inserted, when whoever took that try back died
// between the connection and the agent. An agent that was whole is never without its connection until it is marked as
// disconnected: then it is ErrTokenUsed, for a token that a failover brought back.
func (a *attempt) clearOrphan(ctx context.Context) error {
	orphan, err := a.Store.OfToken(ctx, a.owner.Tenant, a.hash)
	switch {
	case errors.Is(err, errs.ErrNotFound):
		return nil
	case err != nil:
		return err
	case orphan.Status != Active || orphan.UserID != a.owner.UserID:
		return ErrTokenUsed
	}
	if err := a.Keys.End(ctx, orphan.Tenant, orphan.ID); err != nil {
		return err
	}

	return a.Store.Remove(ctx, orphan.Tenant, orphan.ID)
}

// whyTaken tells why the user's place was taken.
func (a *attempt) whyTaken(ctx context.Context) error {
	c, err := a.Store.Connection(ctx, a.owner.UserID)
	if err == nil && c.Active {
		return ErrConnected
	}

	return ErrBusy
}

// finish audits the agent and then makes it whole by one update. What fails after that update changes nothing any more.
func (a *attempt) finish(ctx context.Context, key string) (Registered, error) {
	agent := *a.agent
	registered := entry(
		ctx, agent.Tenant, audit.Actor{Kind: audit.User, ID: agent.UserID}, "agent.registered", agent.ID,
	)
	if err := a.Audit.Record(ctx, registered); err != nil {
		return Registered{}, err
	}

	switch err := a.Store.Activate(ctx, *a.connection); {
	case errors.Is(err, errs.ErrTaken):
		return Registered{}, errInterrupted
	case err != nil:
		return Registered{}, a.unsure(ctx, err)
	}
	if err := a.Tokens.Commit(context.WithoutCancel(ctx), a.hash, a.id); err != nil {
		a.Log.WarnContext(
			ctx, "a used registration token could not be marked; the agent's record still refuses it", "err", err,
		)
	}

	return Registered{Agent: agent, Key: key}, nil
}

// unsure handles an activation whose answer was lost: undo deletes only a pending connection, so if that finds nothing
// the agent is whole, although its key will never be told.
func (a *attempt) unsure(ctx context.Context, cause error) error {
	c, err := a.Store.Connection(context.WithoutCancel(ctx), a.owner.UserID)
	if err == nil && c.Active && c.AgentID == a.agent.ID {
		a.connection, a.agent, a.minted = nil, nil, false
	}

	return cause
}

// undo takes back what this attempt has made. Whatever cannot be undone now, the sweep finds: the connection is still
// pending.
func (a *attempt) undo(ctx context.Context) {
	if a.connection == nil {
		return
	}
	gone, err := a.Store.Disconnect(ctx, a.connection.UserID, a.connection.AgentID, false)
	if err != nil {
		a.Log.WarnContext(ctx, "a registration could not be taken back yet", "err", err)
		return
	}
	if !gone && a.agent != nil {
		// Somebody abandoned it for us, or it became active after all; in both cases its parts are not ours to delete.
		return
	}
	if a.agent != nil {
		a.clear(ctx, *a.connection, a.minted)
	}
}

// itself is the actor of what no caller asked for.
var itself = audit.Actor{Kind: audit.Service, ID: "registry-svc"}

// entry is what the audit record says of an action on an agent. An actor who is the caller of ctx is named with whom it
// acts for.
func entry(ctx context.Context, tenant string, actor audit.Actor, action, agentID string) audit.Entry {
	if c, ok := access.Present(ctx); ok && string(c.Kind) == actor.Kind && c.ID() == actor.ID {
		actor.UserID = c.UserID
	}

	return audit.Entry{
		Tenant:       tenant,
		Actor:        actor,
		Action:       action,
		ResourceType: "agent",
		ResourceID:   agentID,
		Outcome:      audit.Done,
	}
}

// abandon clears away a connection that stayed pending. Only whoever wins the delete goes on to the agent and its key.
func (r *Registry) abandon(ctx context.Context, c Connection) error {
	won, err := r.Store.Disconnect(ctx, c.UserID, c.AgentID, false)
	if err != nil || !won {
		return err
	}
	failed := entry(ctx, c.Tenant, itself, "agent.registration_failed", c.AgentID)
	failed.Outcome = audit.Failed
	err = r.Audit.Record(ctx, failed)
	// In any case: nobody else finds these parts now.
	r.clear(ctx, c, true)

	return err
}

func (r *Registry) clear(ctx context.Context, c Connection, minted bool) {
	if minted {
		if err := r.Keys.End(ctx, c.Tenant, c.AgentID); err != nil {
			r.Log.WarnContext(ctx, "the key of a failed registration could not be ended; nobody knows it", "err", err)
		}
	}
	if err := r.Store.Remove(ctx, c.Tenant, c.AgentID); err != nil {
		r.Log.WarnContext(ctx, "the record of a failed registration could not be removed", "err", err)
	}
}
