package cases

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/inputgate"
	"github.com/subrosa-legal/subrosa/pkg/instant"
	"github.com/subrosa-legal/subrosa/pkg/validate"
)

// Roots makes what hangs on a container from its first moment.
type Roots interface {
	// EnsureRoot makes the container's timeline and its root branch where they are missing.
	EnsureRoot(
		ctx context.Context, tenant string, containerType, containerID string, by audit.Actor, at time.Time,
	) error
}

// Contents tells what a case holds.
type Contents interface {
	// OpenPhase returns a phase of the container that runs or waits to be taken up again, or "".
	OpenPhase(ctx context.Context, tenant string, containerID string) (string, error)
	// Tally counts the active files, the phases, and the phases that wait for review.
	Tally(ctx context.Context, tenant string, caseID string) (files, phases, pending int, err error)
}

// Service does what callers ask of cases. Who may ask is decided before, but for agents' deletes and for changes of
// status, which depend on the case.
type Service struct {
	Store    Store
	Roots    Roots
	Contents Contents
	Branches Branches
	Rosters  Rosters
	Sources  Sources
	Policies Policies
	// Moved, when not nil, is told of each change of state. The change is done and on record by then, so a failure of
	// Moved does not undo it.
	Moved   func(ctx context.Context, by audit.Actor, from string, now Case) error
	Journal audit.Log
	Gate    guard.Gate
	Cleared inputgate.Words // in the files of a case; nil when nobody keeps any
	Links   deeplink.Links
	Now     func() time.Time
}

// ErrKeyReused refuses a request that repeats an Idempotency-Key with another body.
var ErrKeyReused = errs.ErrKeyReused

// Create opens a case. Doing it again with the same id and fingerprint completes what a crash left and returns the
// case; another fingerprint is ErrKeyReused.
func (s *Service) Create(
	ctx context.Context, tenant string, by audit.Actor, id, fingerprint string, d Draft,
) (Case, error) {
	if err := inputgate.Check(
		ctx, s.Gate, s.Links.To(deeplink.AddIdentity, ""), d.Texts(by, d.Given())...,
	); err != nil {
		return Case{}, err
	}
	terms, err := s.Policies.Terms(ctx, tenant)
	if err != nil {
		return Case{}, err
	}
	c, err := NewUnder(terms, tenant, id, by, d, s.Now())
	if err != nil {
		return Case{}, s.withLink(err, "")
	}
	if c.Amount != nil && c.Amount.Source != nil {
		return Case{}, validate.ErrInvalid.WithDetails(errs.Detail{
			Path: "amountInControversy.source", Message: "must point at a file of the case, and a new case has none",
		})
	}
	c.Fingerprint = fingerprint
	entry := audit.Entry{Tenant: tenant, Actor: by, Action: "case.create", ResourceType: "case", ResourceID: id}
	err = audit.Do(ctx, s.Journal, entry, func() error {
		var err error
		c, err = s.insert(ctx, c)

		return err
	})

	return c, err
}

func (s *Service) insert(ctx context.Context, c Case) (Case, error) {
	err := s.Store.Create(ctx, c)
	if errors.Is(err, ErrExists) {
		made, err := s.Store.Get(ctx, c.Tenant, c.ID)
		if errors.Is(err, errs.ErrNotFound) {
			return Case{}, ErrGone
		}
		if err != nil {
			return Case{}, err
		}
		// The id follows from the Idempotency-Key, so the same id with another body is a key that was used for
		// something else.
		if made.Fingerprint != c.Fingerprint {
			return Case{}, ErrKeyReused
		}
		c = made
	} else if err != nil {
		return Case{}, err
	}

	return c, s.Roots.EnsureRoot(ctx, c.Tenant, "case", c.ID, c.CreatedBy, c.CreatedAt)
}

// withLink gives a refusal of identity its deep link.
func (s *Service) withLink(err error, caseID string) error {
	var e *errs.Error
	if errors.As(err, &e) && errors.Is(err, guard.ErrRefused) {
		return e.WithDeepLink(s.Links.To(deeplink.AddIdentity, caseID))
	}

	return err
}

// Expected are the versions that a caller made a condition; nil means no condition.
type Expected []int64

// Holds reports whether version meets the condition.
func (e Expected) Holds(version int64) bool { return e == nil || slices.Contains(e, version) }

// Delete makes a case invisible at once. A person's right to it was checked before; an agent may delete only an intake
// that an agent of its own user made and nobody else touched.
func (s *Service) Delete(
	ctx context.Context, tenant string, by audit.Actor, id string, expected Expected, acknowledgePending bool,
) error {
	_, err := s.change(ctx, tenant, id, expected, func(c Case) (Case, audit.Entry, error) {
		if err := s.deletable(ctx, c, by, acknowledgePending); err != nil {
			return Case{}, audit.Entry{}, err
		}
		c.Deletion = &Deletion{By: by, At: instant.Of(s.Now())}

		return c, audit.Entry{
			Tenant: tenant, Actor: by, Action: "case.delete", ResourceType: "case", ResourceID: id,
		}, nil
	})

	return err
}

// Restore brings a deleted case back while there is time. allowed decides by who deleted it. A case that is not deleted
// stays as it is.
func (s *Service) Restore(
	ctx context.Context, tenant string, by audit.Actor, id string, expected Expected, allowed func(Deletion) error,
) (Case, error) {
	// A repetition finds the case restored, and gets the same answer as the first request.
	if c, err := s.Store.Get(ctx, tenant, id); !errors.Is(err, ErrNotFound) {
		if err == nil && !expected.Holds(c.Version) {
			err = ErrVersion
		}

		return c, err
	}
	var c Case
	check := func(c *Case) error {
		switch {
		// What was purged, and what is past its time, cannot be told from what never was.
		case c.Deletion.Tombstone != nil || !s.Now().Before(c.Deletion.At.Add(RestoreTime)):
			return ErrNotFound
		case !expected.Holds(c.Version):
			return ErrVersion
		}

		return allowed(*c.Deletion)
	}
	if _, err := s.Store.Restore(ctx, tenant, id, func(c *Case) error {
		if err := check(c); err != nil {
			return err
		}

		return ErrUnchanged // a look, before it goes on record
	}); !errors.Is(err, ErrUnchanged) {
		return Case{}, err
	}
	entry := audit.Entry{Tenant: tenant, Actor: by, Action: "case.restore", ResourceType: "case", ResourceID: id}
	err := audit.Do(ctx, s.Journal, entry, func() error {
		var err error
		c, err = s.Store.Restore(ctx, tenant, id, func(c *Case) error {
			if err := check(c); err != nil {
				return err
			}
			c.Deletion = nil
			c.touch(s.Now())
			c.worked(by)

			return nil
		})

		return err
	})

	return c, err
}

func (s *Service) deletable(ctx context.Context, c Case, by audit.Actor, acknowledgePending bool) error {
	if !by.Human() {
		if err := s.untouchedIntake(ctx, c, by); err != nil {
			return err
		}
	}
	if c.Retention.LegalHold {
		return ErrLegalHold
	}

	switch phase, err := s.Contents.OpenPhase(ctx, c.Tenant, c.ID); {
	case err != nil:
		return err
	case phase != "":
		return ErrBranchBusy.WithDetails(errs.Detail{RunningPhaseID: phase})
	}
	if acknowledgePending && by.Human() {
		return nil
	}

	_, _, pending, err := s.Contents.Tally(ctx, c.Tenant, c.ID)
	switch {
	// Most cases have nothing to review, and end here.
	case err != nil || pending == 0:
		return err
	case !by.Human(): // what waits for a person's review is a person's to give up
		return ErrHuman.WithDeepLink(s.Links.To(deeplink.CaseSettings, c.ID))
	}

	return ErrReviewPending
}

func (s *Service) untouchedIntake(ctx context.Context, c Case, by audit.Actor) error {
	human := ErrHuman.WithDeepLink(s.Links.To(deeplink.CaseSettings, c.ID))
	if c.Status != Intake || c.Retention.LegalHold || !c.Untouched || !c.own(by) {
		return human
	}
	// Parties and invites are kept by party-svc, so the case alone does not know who has worked on them.
	others, err := s.Rosters.OthersWork(ctx, c.Tenant, c.ID)
	if err == nil && others {
		err = human
	}

	return err
}

// Record stores an evaluation in its case and names a case that nobody has named yet. words are what it says. Doing it
// twice changes nothing.
func (s *Service) Record(
	ctx context.Context,
	tenant string,
	by audit.Actor,
	id string,
	found Complexity,
	title string,
	words ...inputgate.Text,
) (Case, error) {
	link := s.Links.To(deeplink.AddIdentity, id)
	if err := inputgate.CheckTaken(ctx, s.Gate, link, s.Cleared.In(tenant, id), words...); err != nil {
		return Case{}, err
	}
	heading := inputgate.Text{Channel: guard.Title, Path: "evaluation.suggested.title", Value: title}
	if inputgate.Check(ctx, s.Gate, link, heading) != nil {
		title = "" // a title is read where the clearance of a file does not reach
	}
	var f validate.List
	if title != "" {
		title = f.Line("evaluation.suggested.title", title, 3, MaxTitle)
	}
	if err := f.Err(); err != nil {
		return Case{}, err
	}
	c, err := s.Store.Get(ctx, tenant, id)
	if err != nil {
		return Case{}, err
	}
	if c.Over() {
		return Case{}, ErrOver
	}
	if known := c.Complexity; known != nil && known.PhaseID == found.PhaseID && known.SHA256 == found.SHA256 {
		return c, nil
	}
	entry := audit.Entry{
		Tenant: tenant, Actor: by, Action: "case.evaluate",
		ResourceType: "case", ResourceID: id, ContentSHA256: found.SHA256,
	}
	evaluate := func(c *Case) error {
		if c.Over() {
			return ErrOver
		}
		c.Complexity = &found
		if c.TitleBasis == TitleDefault && title != "" {
			c.Title, c.TitleBasis = title, TitleEvaluated
		}
		c.touch(s.Now())
		c.worked(by)

		return nil
	}
	err = audit.Do(ctx, s.Journal, entry, func() error {
		next := c
		if err := evaluate(&next); err != nil {
			return err
		}
		// The case was read a moment ago, so the swap saves a second read. Only after a lost race it is read anew.
		saved, err := s.Store.Swap(ctx, c, next)
		if errors.Is(err, errs.ErrTaken) {
			saved, err = s.Store.Update(ctx, tenant, id, evaluate)
		}
		c = saved

		return err
	})

	return c, err
}

// recounts bounds how often Recount begins again when the case changes under it.
const recounts = 5

// Recount brings the counts of a case up to what it holds. Counts are taken anew after each lost race, so that the last
// writer has seen what all others did.
func (s *Service) Recount(ctx context.Context, tenant string, id string) error {
	return s.derive(ctx, tenant, id, func(ctx context.Context) (func(*Case), error) {
		files, phases, pending, err := s.Contents.Tally(ctx, tenant, id)
		if err != nil {
			return nil, err
		}

		return func(c *Case) { c.Counts.Files, c.Counts.Phases, c.Counts.PendingReviews = files, phases, pending }, nil
	}, nil)
}

// TitleKey is the title as lists are ordered by it.
func (c Case) TitleKey() string { return strings.ToLower(c.Title) }

// Tier returns the tier that lists and filters go by, a person's before the evaluation's; 0 when the case is unrated.
func (c Case) Tier() int {
	switch {
	case c.Override != nil:
		return c.Override.Tier
	case c.Complexity != nil:
		return c.Complexity.Tier
	}

	return 0
}
