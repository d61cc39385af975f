package parties

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/subrosa-legal/subrosa/party-svc/internal/recounts"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/inputgate"
	"github.com/subrosa-legal/subrosa/pkg/instant"
	"github.com/subrosa-legal/subrosa/pkg/label"
)

// Case is what the rules of parties need to know of a case.
type Case struct {
	ID     string
	Status string // intake, open, on_hold, closed, archived
	Joint  bool   // whether it can have several clients
}

// Over reports whether the case takes no more work.
func (c Case) Over() bool { return c.Status == "closed" || c.Status == "archived" }

// underWay reports whether the case must have a client, and one alone unless several are represented jointly.
func (c Case) underWay() bool { return c.Status == "open" || c.Status == "on_hold" }

// Cases asks case-svc as the caller of ctx.
type Cases interface {
	// Case returns errs.ErrNotFound for a case that the caller cannot see.
	Case(ctx context.Context, id string) (Case, error)
	// BlocksConflicts reports whether the tenant refuses parties in conflict instead of flagging them.
	BlocksConflicts(ctx context.Context) (bool, error)
}

// Service does what callers ask of parties. Who may ask is decided before.
type Service struct {
	Store   Store
	Matches Matches
	Leases  Leases
	Cases   Cases
	Recount *recounts.Service
	Journal audit.Log
	Gate    guard.Gate
	Links   deeplink.Links
	Now     func() time.Time
	// FreshKey returns an error unless version is of the key that the firm seals with now.
	FreshKey func(ctx context.Context, tenant string, version int) error
}

const (
	tries   = 5    // of an update against other writers
	places  = 64   // tries of an insert: each lost one is a party of somebody else's
	maxHits = 1000 // parties compared on the other side
)

// Create adds a party to a case. label may be "": the next free [Party n]. Doing it again with the same id and
// fingerprint returns the party that is there.
func (s *Service) Create(
	ctx context.Context, tenant string, by audit.Actor, id, fingerprint, caseID, label string, d Draft,
) (Party, error) {
	kase, err := s.Cases.Case(ctx, caseID)
	if err != nil {
		return Party{}, err
	}
	if err := inputgate.Check(ctx, s.Gate, s.Links.To(deeplink.AddIdentity, caseID), d.Texts()...); err != nil {
		return Party{}, err
	}
	now := instant.Of(s.Now())
	p := Party{
		ID:          id,
		Tenant:      tenant,
		CaseID:      kase.ID,
		Version:     1,
		Label:       label,
		Fingerprint: fingerprint,
		ComparedAt:  now,
		CreatedAt:   now,
		UpdatedAt:   now,
		CreatedBy:   by,
	}
	if label != "" {
		if err := CheckLabel(label); err != nil {
			return Party{}, err
		}
	}
	if err := d.apply(&p); err != nil {
		return Party{}, err
	}
	if err := s.freshly(ctx, Party{}, p); err != nil {
		return Party{}, err
	}
	if err := s.mergeable(ctx, p); err != nil {
		return Party{}, err
	}
	hits, err := s.addable(ctx, kase, p) // what is refused is not on record as begun
	if err != nil {
		return Party{}, err
	}
	// The notice is stored before the party: should this process die in between, the sweep counts once for nothing. The
	// other way round the case would never be counted.
	var notices []recounts.Notice
	entry := audit.Entry{Tenant: tenant, Actor: by, Action: "party.create", ResourceType: "party", ResourceID: id}
	err = audit.Do(ctx, s.Journal, entry, func() error {
		return s.inTurn(ctx, Party{}, p, func(ctx context.Context, waited bool) error {
			if waited {
				// While this request waited for its turn, another may have made a conflict or added the client.
				if hits, err = s.addableNow(ctx, p); err != nil {
					return err
				}
			}
			if notices, err = s.Recount.Announce(ctx, tenant, affected(caseID, hits)...); err != nil {
				return err
			}
			p, err = s.insert(ctx, p)

			return err
		})
	})
	if err == nil {
		s.Recount.Changed(ctx, notices)
	}

	return p, err
}

// freshly refuses what is newly sealed under a key that the firm has replaced.
func (s *Service) freshly(ctx context.Context, old, next Party) error {
	// What is sealed already stays as it is: only a browser that has opened it can seal it anew.
	if next.Sealed == nil || old.Sealed != nil && *old.Sealed == *next.Sealed {
		return nil
	}

	return s.FreshKey(ctx, next.Tenant, next.Sealed.KeyVersion)
}

// addable returns the parties of other cases that would stand against p, or why the case cannot take it.
func (s *Service) addable(ctx context.Context, kase Case, p Party) ([]Match, error) {
	if kase.Over() {
		return nil, ErrCaseClosed
	}
	if err := s.clientsFit(ctx, kase, Party{}, p); err != nil {
		return nil, err
	}

	return s.admissible(ctx, Party{}, p)
}

// addableNow is addable for the newest state of the case.
func (s *Service) addableNow(ctx context.Context, p Party) ([]Match, error) {
	kase, err := s.Cases.Case(ctx, p.CaseID)
	if err != nil {
		return nil, err
	}

	return s.addable(ctx, kase, p)
}

// insert gives p its place in the case. The store decides between racers, so no two parties of a case ever have one
// label.
func (s *Service) insert(ctx context.Context, p Party) (Party, error) {
	named := p.Label != ""
	for range places {
		taken, err := s.Store.Places(ctx, p.Tenant, p.CaseID)
		if err != nil {
			return Party{}, err
		}
		if !named {
			p.Label = nextLabel(taken)
		}
		// Parties are never deleted, so their number is the highest ordinal.
		p.Ordinal = len(taken) + 1
		// A party that is there already, by an earlier try of the same request, comes before any refusal.
		switch err := s.try(ctx, p, taken); {
		case err == nil:
			return p, nil
		case errors.Is(err, ErrPlaceTaken):
			continue
		case !errors.Is(err, ErrExists):
			return Party{}, err
		}
		made, err := s.Store.Get(ctx, p.Tenant, p.ID)
		// The id follows from the Idempotency-Key, so the same id with another body is a key that was used for
		// something else.
		if err == nil && made.Fingerprint != p.Fingerprint {
			err = ErrKeyReused
		}

		return made, err
	}

	return Party{}, ErrBusy
}

// try inserts p unless its case is full or its label is taken.
func (s *Service) try(ctx context.Context, p Party, taken []Taken) error {
	labelled := slices.ContainsFunc(taken, func(t Taken) bool { return t.Label == p.Label })
	if len(taken) < MaxParties && !labelled {
		return s.Store.Insert(ctx, p)
	}

	// The label may be taken by this very party, which an earlier try of the request has stored.
	_, err := s.Store.Get(ctx, p.Tenant, p.ID)
	switch {
	case err == nil:
		return ErrExists
	case !errors.Is(err, ErrNotFound):
		return err
	case labelled:
		return ErrLabelTaken
	}

	return ErrQuota
}

// nextLabel returns the free [Party n] of the smallest number.
func nextLabel(taken []Taken) string {
	used := map[string]bool{}
	for _, t := range taken {
		used[t.Label] = true
	}

	l := label.Label{Kind: "Party", N: 1}
	for used[l.String()] {
		l.N++
	}

	return l.String()
}

// admissible returns the parties of other cases that after a change stand against the party, or did before; a new one
// among them is ErrConflict where the tenant blocks conflicts.
func (s *Service) admissible(ctx context.Context, before, after Party) ([]Match, error) {
	old, err := s.against(ctx, before)
	if err != nil {
		return nil, err
	}
	hits, err := s.against(ctx, after)
	if err != nil {
		return nil, err
	}
	added := slices.ContainsFunc(hits, func(m Match) bool { return !slices.ContainsFunc(old, m.same) })
	// A change that leaves old conflicts as they are is let through, or a firm could not even correct a note.
	if added && !rekeyed(before, after) {
		blocks, err := s.Cases.BlocksConflicts(ctx)
		if err != nil {
			return nil, err
		}
		if blocks {
			return nil, ErrConflict
		}
	}

	// The cases of conflicts that end are counted again too.
	return append(old, hits...), nil
}

// rekeyed reports whether a party was sealed anew under a later firm key and is otherwise the same: its tokens say the
// same names, which only meet those of other parties again when all of them are under the new key.
func rekeyed(before, after Party) bool {
	return before.Sealed != nil && after.Sealed != nil && after.Sealed.KeyVersion > before.Sealed.KeyVersion &&
		onlySealing(before, after)
}

func (s *Service) against(ctx context.Context, p Party) ([]Match, error) {
	if !p.comparable() {
		return nil, nil
	}

	return s.Matches.Across(ctx, p.Tenant, p.CaseID, opposite(p.Side), p.Tokens, maxHits)
}

// same reports whether both are the same party in the same role.
func (m Match) same(o Match) bool { return m.PartyID == o.PartyID && m.Role == o.Role }

// affected returns the cases whose counts or conflict status a change bears on, the changed one first.
func affected(caseID string, hits []Match) []string {
	ids := []string{caseID}
	for _, h := range hits {
		if !slices.Contains(ids, h.CaseID) {
			ids = append(ids, h.CaseID)
		}
	}

	return ids
}
