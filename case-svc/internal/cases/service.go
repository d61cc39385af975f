package cases

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// Deed is what the audit record keeps of an action. It never holds content.
type Deed struct {
	Tenant        TenantID
	Actor         Actor
	Action        string // noun.verb
	ResourceType  string
	ResourceID    string
	Outcome       string
	ContentSHA256 string // in hex; "" when there is none
}

// Outcomes of deeds.
const (
	Done    = "ok"
	Refused = "refused"
	Failed  = "failed"
)

// Journal is the audit record. A deed is recorded before it takes effect, so that no change is without its record; one that
// fails afterwards is recorded a second time as failed.
type Journal interface {
	// Record appends a deed. An error means that the deed must not happen.
	Record(ctx context.Context, d Deed) error
}

// Perform records d, does it, and records it again when it failed.
func Perform(ctx context.Context, j Journal, d Deed, do func() error) error {
	d.Outcome = Done
	if err := j.Record(ctx, d); err != nil {
		return fmt.Errorf("record %s: %w", d.Action, err)
	}
	err := do()
	if err == nil {
		return nil
	}
	d.Outcome = Failed
	if second := j.Record(context.WithoutCancel(ctx), d); second != nil {
		return errors.Join(err, fmt.Errorf("record that %s failed: %w", d.Action, second))
	}
	return err
}

// Roots makes what hangs on a container from its first moment.
type Roots interface {
	// EnsureRoot makes the container's timeline and its root branch where they are missing.
	EnsureRoot(ctx context.Context, tenant TenantID, containerType, containerID string, by Actor, at time.Time) error
}

// Contents tells what a case holds.
type Contents interface {
	// OpenPhase returns a phase of the container that runs or waits to be taken up again, or "".
	OpenPhase(ctx context.Context, tenant TenantID, containerID string) (string, error)
	// OthersWork reports whether a file or a phase of the case is not by an agent of the user.
	OthersWork(ctx context.Context, tenant TenantID, caseID, userID string) (bool, error)
	// Tally counts the active files, the phases, and the phases that wait for review.
	Tally(ctx context.Context, tenant TenantID, caseID string) (files, phases, pending int, err error)
}

// Service does what callers ask of cases. Who may ask is decided before.
type Service struct {
	Store    Store
	Roots    Roots
	Contents Contents
	Journal  Journal
	Gate     guard.Gate
	Links    Links
	Now      func() time.Time
}

// ErrKeyReused refuses a request that repeats an Idempotency-Key with another body.
var ErrKeyReused = errs.New(errs.Invalid, "idempotency_key_reused", "This Idempotency-Key was used with another body. Use a new key for a new request.")

// Create opens a case. Doing it again with the same id and fingerprint completes what a crash left and returns the case; another
// fingerprint is ErrKeyReused.
func (s *Service) Create(ctx context.Context, tenant TenantID, by Actor, id, fingerprint string, d Draft) (Case, error) {
	if err := Screen(ctx, s.Gate, s.Links.To(LinkAddIdentity, ""), d.Texts(by)...); err != nil {
		return Case{}, err
	}
	c, err := New(tenant, id, by, d, s.Now())
	if err != nil {
		return Case{}, s.withLink(err)
	}
	c.Fingerprint = fingerprint
	deed := Deed{Tenant: tenant, Actor: by, Action: "case.create", ResourceType: "case", ResourceID: id}
	err = Perform(ctx, s.Journal, deed, func() error {
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
		if err != nil {
			return Case{}, err
		}
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
func (s *Service) withLink(err error) error {
	var e *errs.Error
	if errors.As(err, &e) && errors.Is(err, guard.ErrRefused) {
		return e.WithDeepLink(s.Links.To(LinkAddIdentity, ""))
	}
	return err
}

// Expected are the versions that a caller made a condition; nil means no condition.
type Expected []int64

// Holds reports whether version meets the condition.
func (e Expected) Holds(version int64) bool { return e == nil || slices.Contains(e, version) }

// Delete makes a case invisible at once. A person's right to it was checked before; an agent may delete only an intake that an
// agent of its own user made and nobody else touched.
func (s *Service) Delete(ctx context.Context, tenant TenantID, by Actor, id string, expected Expected, acknowledgePending bool) error {
	c, err := s.Store.Get(ctx, tenant, id)
	if err != nil {
		return err
	}
	if err := s.deletable(ctx, c, by, acknowledgePending); err != nil {
		return err
	}
	if !expected.Holds(c.Version) {
		return ErrVersion
	}
	deed := Deed{Tenant: tenant, Actor: by, Action: "case.delete", ResourceType: "case", ResourceID: id}
	return Perform(ctx, s.Journal, deed, func() error {
		_, err := s.Store.Update(ctx, tenant, id, func(c *Case) error {
			switch {
			case !expected.Holds(c.Version):
				return ErrVersion
			case c.Retention.LegalHold:
				return ErrLegalHold
			}
			now := Moment(s.Now())
			c.Deletion = &Deletion{By: by, At: now, PurgeAt: now.Add(RestoreTime)}
			c.UpdatedAt = now
			return nil
		})
		return err
	})
}

func (s *Service) deletable(ctx context.Context, c Case, by Actor, acknowledgePending bool) error {
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
	case err != nil || pending == 0:
		return err
	case !by.Human(): // what waits for a person's review is a person's to give up
		return ErrHuman.WithDeepLink(s.Links.To(LinkCaseSettings, c.ID))
	}
	return ErrReviewPending
}

func (s *Service) untouchedIntake(ctx context.Context, c Case, by Actor) error {
	human := ErrHuman.WithDeepLink(s.Links.To(LinkCaseSettings, c.ID))
	if c.Status != Intake || c.Retention.LegalHold || c.CreatedBy.Human() || c.CreatedBy.UserID != by.UserID {
		return human
	}
	others, err := s.Contents.OthersWork(ctx, c.Tenant, c.ID, by.UserID)
	if err == nil && others {
		err = human
	}
	return err
}

// Record stores an evaluation in its case and names a case that nobody has named yet. Doing it twice changes nothing.
func (s *Service) Record(ctx context.Context, tenant TenantID, by Actor, id string, found Complexity, title string) (Case, error) {
	if err := Screen(ctx, s.Gate, s.Links.To(LinkAddIdentity, id), Text{guard.ModelOut, "evaluation.suggested.title", title}); err != nil {
		return Case{}, err
	}
	var f Faults
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
	deed := Deed{Tenant: tenant, Actor: by, Action: "case.evaluate", ResourceType: "case", ResourceID: id, ContentSHA256: found.SHA256}
	err = Perform(ctx, s.Journal, deed, func() error {
		c, err = s.Store.Update(ctx, tenant, id, func(c *Case) error {
			if c.Over() {
				return ErrOver
			}
			c.Complexity = &found
			if c.TitleBasis == TitleDefault && title != "" {
				c.Title, c.TitleBasis = title, TitleEvaluated
			}
			c.UpdatedAt = Moment(s.Now())
			return nil
		})
		return err
	})
	return c, err
}

// recounts bounds how often Recount begins again when the case changes under it.
const recounts = 5

// Recount brings the counts of a case up to what it holds. Counts are taken anew after each lost race, so that the last writer has
// seen what all others did.
func (s *Service) Recount(ctx context.Context, tenant TenantID, id string) error {
	for range recounts {
		seen, err := s.Store.Get(ctx, tenant, id)
		if err != nil {
			return err
		}
		files, phases, pending, err := s.Contents.Tally(ctx, tenant, id)
		if err != nil {
			return err
		}
		_, err = s.Store.Update(ctx, tenant, id, func(c *Case) error {
			if c.Version != seen.Version {
				return ErrVersion
			}
			if c.Counts.Files == files && c.Counts.Phases == phases && c.Counts.PendingReviews == pending {
				return ErrUnchanged
			}
			c.Counts.Files, c.Counts.Phases, c.Counts.PendingReviews = files, phases, pending
			c.UpdatedAt = Moment(s.Now())
			return nil
		})
		if errors.Is(err, ErrUnchanged) {
			return nil
		}
		if !errors.Is(err, ErrVersion) {
			return err
		}
	}
	return ErrBusy
}

// TitleKey is the title as lists are ordered by it.
func (c Case) TitleKey() string { return strings.ToLower(c.Title) }

// Tier returns the tier that lists and filters go by; 0 when the case is unrated.
func (c Case) Tier() int {
	if c.Complexity == nil {
		return 0
	}
	return c.Complexity.Tier
}
