package agents

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// Connected is an agent with when it was last used.
type Connected struct {
	Agent
	LastUsedAt time.Time // zero when never
}

// Of returns the agent of a user of tenant, or errs.ErrNotFound.
func (r *Registry) Of(ctx context.Context, tenant, userID string) (Connected, error) {
	c, err := r.Store.Connection(ctx, userID)
	if err != nil {
		return Connected{}, err
	}
	if !c.Active || c.Tenant != tenant {
		return Connected{}, errAgentMissing
	}
	a, err := r.Store.Agent(ctx, tenant, c.AgentID)
	if err != nil {
		return Connected{}, err
	}

	return r.used(ctx, a)
}

// Itself is Of for a call of that very agent. Its bearer lives, so its connection does: it gets its key when it is
// connected, and a disconnection begins with the end of both.
func (r *Registry) Itself(ctx context.Context, tenant, userID, agentID string) (Connected, error) {
	a, err := r.Store.Agent(ctx, tenant, agentID)

	switch {
	case err != nil:
		return Connected{}, err
	case a.UserID != userID, a.Status == Disconnected:
		return Connected{}, errAgentMissing
	}

	return r.used(ctx, a)
}

// used returns an agent with its last use.
func (r *Registry) used(ctx context.Context, a Agent) (Connected, error) {
	last, ended, err := r.Keys.Use(ctx, a.Tenant, a.ID)
	if err != nil {
		return Connected{}, err
	}
	if ended && a.Status == Active {
		a.Status = AccessEnded
	}

	return Connected{a, last}, nil
}

// Changed reports whether the card of an agent was last seen to differ from what was registered.
func (r *Registry) Changed(ctx context.Context, tenant, agentID string) (bool, error) {
	a, err := r.Store.Agent(ctx, tenant, agentID)
	return a.CardChanged(), err
}

// Disconnect ends the agent of a user: its key and every bearer first, the connection last, so that no new agent
// connects while an old bearer lives. A failure half way is finished by the sweep.
func (r *Registry) Disconnect(ctx context.Context, tenant, userID, agentID string) error {
	a, err := r.Store.Agent(ctx, tenant, agentID)
	if err != nil {
		return err
	}
	if a.UserID != userID {
		return ErrNotOwner
	}
	if a.Status == Disconnected {
		return errAgentMissing
	}
	c, err := r.Store.Connection(ctx, userID)
	if err != nil {
		return err
	}
	if !c.Active || c.AgentID != agentID {
		return errAgentMissing
	}
	d := Disconnection{
		Tenant:  tenant,
		UserID:  userID,
		AgentID: agentID,
		At:      r.now(),
	}
	if err := r.Intents.Begin(ctx, d); err != nil {
		return err
	}

	return r.end(ctx, d, audit.Actor{Kind: audit.User, ID: userID})
}

// end takes a disconnection through its steps, each of which may be repeated.
func (r *Registry) end(ctx context.Context, d Disconnection, by audit.Actor) error {
	if err := r.Keys.End(ctx, d.Tenant, d.AgentID); err != nil {
		return err
	}
	if err := r.retire(ctx, d, by); err != nil {
		return err
	}
	if _, err := r.Store.Disconnect(ctx, d.UserID, d.AgentID, true); err != nil {
		return err
	}

	return r.Intents.Finish(ctx, d)
}

// tries bounds how often retire gives way to other writers. The sweep finishes what it leaves.
const tries = 5

// retire marks the agent's record and audits it, once.
func (r *Registry) retire(ctx context.Context, d Disconnection, by audit.Actor) error {
	for range tries {
		a, err := r.Store.Agent(ctx, d.Tenant, d.AgentID)
		if err != nil || a.Status == Disconnected {
			return err
		}
		if err := r.Audit.Record(ctx, entry(ctx, d.Tenant, by, "agent.disconnected", d.AgentID)); err != nil {
			return err
		}
		a.Status = Disconnected
		if err := r.Store.Replace(ctx, a); !errors.Is(err, errs.ErrTaken) {
			return err
		}
	}

	return errs.ErrUnavailable
}

// Sweep finishes what died half way: registrations pending for longer than two leases, and disconnections begun a lease
// ago.
func (r *Registry) Sweep(ctx context.Context) error {
	pending, err := r.Store.Pending(ctx, r.now().Add(-2*r.Lease))
	if err != nil {
		return err
	}

	for _, c := range pending {
		err = errors.Join(err, r.abandon(ctx, c))
	}
	open, failed := r.Intents.Open(ctx, r.now().Add(-r.Lease))

	err = errors.Join(err, failed)
	for _, d := range open {
		err = errors.Join(err, r.end(ctx, d, itself))
	}

	return err
}

const (
	healthLife  = 10 * time.Second // so that asking for health cannot be used to hammer a third party
	healthCache = 4096
)

// Health checks agents by fetching their cards again.
type Health struct {
	Registry *Registry

	mu    sync.Mutex
	known map[string]*verdict
}

type verdict struct {
	once sync.Once
	at   time.Time
	err  error
}

// Check fetches the agent's card again: nil means healthy; ErrUnreachable, ErrCardURL and ErrCard mean unhealthy; other
// failures are ours. Only the owning user and the agent itself may ask. A result is kept for 10 s.
func (h *Health) Check(ctx context.Context, caller access.Caller, agentID string) error {
	a, err := h.Registry.Store.Agent(ctx, caller.Tenant, agentID)
	if err != nil {
		return err
	}

	switch {
	case a.Status == Disconnected:
		return errAgentMissing
	case caller.Kind == access.Agent && caller.AgentID != agentID, caller.UserID != a.UserID:
		return ErrNotOwner
	}
	v := h.verdict(a.Tenant + "/" + a.ID)
	v.once.Do(func() { v.err = h.fetch(context.WithoutCancel(ctx), a) })

	return v.err
}

func (h *Health) verdict(key string) *verdict {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.Registry.Now()
	if v, ok := h.known[key]; ok && now.Sub(v.at) < healthLife {
		return v
	}
	if h.known == nil || len(h.known) >= healthCache {
		h.known = map[string]*verdict{}
	}
	v := &verdict{at: now}
	h.known[key] = v

	return v
}

func (h *Health) fetch(ctx context.Context, a Agent) error {
	etag := a.Card.ETag
	card, unchanged, err := h.Registry.Cards.Fetch(ctx, a.CardURL, etag)
	if unchanged {
		card.SHA256 = a.Card.SHA256
	}
	if err != nil || card.SHA256 == a.SeenSHA256 {
		return err
	}
	// The snapshot and the agent's rights stay; that the card changed is put on record once for each new form.
	agent := audit.Actor{Kind: audit.Agent, ID: a.ID}
	if err := h.Registry.Audit.Record(ctx, entry(ctx, a.Tenant, agent, "agent.card_changed", a.ID)); err != nil {
		return err
	}
	a.SeenSHA256, a.SeenAt = card.SHA256, h.Registry.now()
	if err := h.Registry.Store.Replace(ctx, a); !errors.Is(err, errs.ErrTaken) {
		return err
	}

	return nil // another check of the same card was first, or the agent ended
}

// Unhealthy reports whether err says something about the agent and not about us.
func Unhealthy(err error) bool {
	e := errs.From(err)
	return e != nil && (errors.Is(err, ErrUnreachable) || errors.Is(err, ErrCard) || errors.Is(err, ErrCardURL))
}
