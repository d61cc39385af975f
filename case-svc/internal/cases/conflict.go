package cases

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/inputgate"
	"github.com/subrosa-legal/subrosa/pkg/instant"
	"github.com/subrosa-legal/subrosa/pkg/validate"
	"github.com/subrosa-legal/subrosa/pkg/vocabulary"
)

// States of the conflict check.
const (
	NotRun    = "not_run"
	Clear     = "clear"
	Potential = "potential"
	Waived    = "waived"
	Blocked   = "blocked"
)

// maxShown bounds the hits that a case shows.
const maxShown = 100

// maxReason bounds what a person says about a decision, in code points.
const maxReason = 1000

// Conflict is the state of the conflict check: what equality of blind tokens says, and what a person decided about it.
type Conflict struct {
	Status    string
	HitCount  int       // cases
	Capped    bool      // whether there are more than HitCount
	Shown     []Hit     // the newest hits, at most maxShown
	CheckedAt time.Time // of the last comparison, or of the decision; zero before either
	DecidedBy string    // the user whose decision stands; "" when none does
	Reason    string    // of the decision
	Hits      []string  // digests of the hits found last, sorted
	Known     []string  // digests of the hits that the decision was about, sorted
}

// Roster is what party-svc knows of a case.
type Roster struct {
	Parties int
	Invites int
	Clients []string // partyIds of the active clients
	Tokens  bool     // whether any party has tokens to compare
	Hits    []Hit    // the newest first
	// Unlisted is how many parties of other cases were found where Hits cannot list all; else 0.
	Unlisted int
}

// Hit is a case in which a token of this case stands on the other side.
type Hit struct {
	CaseID string
	Roles  []string
}

// digest tells one hit from another without saying more than that.
func (h Hit) digest() string {
	// Half of the digest tells hits apart, and a case holds many of them.
	sum := sha256.Sum256([]byte(h.CaseID + " " + strings.Join(slices.Sorted(slices.Values(h.Roles)), " ")))
	return hex.EncodeToString(sum[:16])
}

// found takes over the result of a comparison: a hit that no person has decided on makes the status potential, whatever
// was decided before; a decision about all that was found stands.
func (k *Conflict) found(r Roster, now time.Time) {
	k.Hits = nil
	for _, h := range r.Hits {
		k.Hits = append(k.Hits, h.digest())
	}
	if k.Capped = r.Unlisted > 0; k.Capped { // what is not listed is known by its number
		k.Hits = append(k.Hits, Hit{CaseID: "unlisted " + strconv.Itoa(r.Unlisted)}.digest())
	}
	slices.Sort(k.Hits)
	// The case shows the newest hits; a document that lists thousands would be too large to store.
	k.HitCount, k.Shown = len(r.Hits), r.Hits[:min(len(r.Hits), maxShown)]
	if r.Tokens {
		k.CheckedAt = instant.Of(now)
	}

	unknown := slices.ContainsFunc(k.Hits, func(h string) bool { return !slices.Contains(k.Known, h) })
	switch {
	// A decision stands while nothing is new, also when some of what it was about is gone.
	case k.DecidedBy != "" && !unknown:
	case len(k.Hits) > 0:
		k.Status, k.DecidedBy, k.Reason, k.Known = Potential, "", "", nil
	case r.Tokens:
		k.Status = Clear
	default:
		k.Status = NotRun
	}
}

// decide takes over a person's decision about what was found so far.
func (k *Conflict) decide(status, reason, userID string, now time.Time) {
	k.Status, k.Reason, k.DecidedBy, k.CheckedAt, k.Known = status, reason, userID, instant.Of(now), k.Hits
}

// Rosters asks party-svc, with the rights of whoever the context acts for.
type Rosters interface {
	// Roster returns what is known of a case; errs.ErrUnavailable when party-svc cannot say.
	Roster(ctx context.Context, tenant string, caseID string) (Roster, error)
	// Hold keeps the clients of a case as they are until release is called, longer than changeTime at least; ErrBusy
	// when others keep changing them.
	Hold(ctx context.Context, caseID string) (release func(), err error)
	// OthersWork reports whether somebody other than the agents of the context's user had a hand in a party or an
	// invite of the case.
	OthersWork(ctx context.Context, tenant string, caseID string) (bool, error)
}

// RecountRoster takes the counts of parties and invites and the state of the conflict check anew, after each lost race
// from a new roster, so that the last writer has seen what all others did.
func (s *Service) RecountRoster(ctx context.Context, tenant string, by audit.Actor, id string) error {
	return s.derive(ctx, tenant, id, func(ctx context.Context) (func(*Case), error) {
		r, err := s.Rosters.Roster(ctx, tenant, id)
		if err != nil {
			return nil, err
		}

		return func(c *Case) {
			c.Counts.Parties, c.Counts.Invites = r.Parties, r.Invites
			c.Conflict.found(r, s.Now())
		}, nil
	}, func(before, after Case) error {
		if before.Conflict.Status == after.Conflict.Status {
			return nil
		}

		return s.Journal.Record(ctx, audit.Entry{
			Tenant: tenant, Actor: by, Action: "conflict." + after.Conflict.Status,
			ResourceType: "case", ResourceID: id, Outcome: audit.Done,
		})
	})
}

// SetDeadlines takes the nearest open deadline and the number of open ones anew from read, which looks at the timeline
// and may be asked several times.
func (s *Service) SetDeadlines(
	ctx context.Context, tenant string, id string, read func(context.Context) (*NextDeadline, int, error),
) error {
	return s.derive(ctx, tenant, id, func(ctx context.Context) (func(*Case), error) {
		next, open, err := read(ctx)
		if err != nil {
			return nil, err
		}

		return func(c *Case) { c.NextDeadline, c.Counts.OpenDeadlines = next, open }, nil
	}, nil)
}

// derive brings a derived value of a case up to its source. read is asked anew after each lost race; before, when not
// nil, runs before a change is saved and can forbid it.
func (s *Service) derive(
	ctx context.Context,
	tenant string,
	id string,
	read func(context.Context) (func(*Case), error),
	before func(was, will Case) error,
) error {
	for range recounts {
		seen, err := s.Store.Get(ctx, tenant, id)
		if err != nil {
			return err
		}
		// The source is read after the case: what changes in between makes the write lose, and is read in the next
		// round.
		apply, err := read(ctx)
		if err != nil {
			return err
		}
		next := seen
		apply(&next)
		// Nothing new is not written, or every recount would make a version that clients have to fetch.
		if sameCase(seen, next) {
			return nil
		}
		if before != nil {
			if err := before(seen, next); err != nil {
				return err
			}
		}
		next.touch(s.Now())
		if _, err = s.Store.Swap(ctx, seen, next); !errors.Is(err, errs.ErrTaken) {
			return err
		}
	}

	return ErrBusy
}

// Decide records a person's decision about the conflicts of a case.
func (s *Service) Decide(
	ctx context.Context, tenant string, by audit.Actor, id string, expected Expected, decision, reason string,
) (Case, error) {
	if err := inputgate.Check(
		ctx,
		s.Gate,
		s.Links.To(deeplink.AddIdentity, id),
		inputgate.Text{Channel: guard.Title, Path: "reason", Value: reason},
	); err != nil {
		return Case{}, err
	}
	var f validate.List
	f.OneOf("decision", decision, vocabulary.ConflictDecisions.All()...)
	reason = f.Prose("reason", strings.TrimSpace(reason), 1, maxReason)
	if err := f.Err(); err != nil {
		return Case{}, err
	}
	// The record proves which reason was given without holding a word of it.
	sum := sha256.Sum256([]byte(reason))
	entry := audit.Entry{
		Tenant:        tenant,
		Actor:         by,
		Action:        "conflict." + decision,
		ResourceType:  "case",
		ResourceID:    id,
		ContentSHA256: hex.EncodeToString(sum[:]),
	}

	return s.change(ctx, tenant, id, expected, func(c Case) (Case, audit.Entry, error) {
		c.Conflict.decide(decision, reason, by.UserID, s.Now())
		return c, entry, nil
	})
}
