// Package grants keeps the one bridge between tenants: a grant lets an invited partner's own user read a part of a case
// of the firm that invited it.
package grants

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/ids"
	"github.com/subrosa-legal/subrosa/pkg/instant"
	"github.com/subrosa-legal/subrosa/pkg/validate"
)

// KindPartner is the kind of actor that reads by a grant.
const KindPartner = "partner"

// Limits of a scope.
const (
	MaxBranches = 10
	MaxFiles    = 100
)

// ErrScope refuses a scope with something in it that is not the case's.
var ErrScope = errs.New(
	errs.Invalid,
	"scope_not_in_case",
	"A branch or file in the scope does not belong to this case. "+
		"Read the workspace, and name only its branches and active files.",
)

// Grant opens a part of a case to a user of another tenant. There is at most one for a user and a case: the one of the
// latest invite.
type Grant struct {
	PartnerTenant string
	UserID        string
	CaseID        string
	Tenant        string // of the case
	Version       int64
	InviteID      string
	PartnerID     string
	BranchIDs     []string
	FileIDs       []string
	Ended         bool
	CreatedAt     time.Time
	UpdatedAt     time.Time
}

// Store keeps grants under the tenant of the partner.
type Store interface {
	// Get returns the grant of a user for a case, ended or not, or errs.ErrNotFound.
	Get(ctx context.Context, partnerTenant string, caseID, userID string) (Grant, error)
	// Insert saves a new grant, or returns errs.ErrTaken.
	Insert(ctx context.Context, g Grant) error
	// Replace saves g, with the next version, over the stored grant of the version of g, or returns errs.ErrTaken.
	Replace(ctx context.Context, g Grant) error
	// OfUser returns up to limit grants of a user that have not ended, the newest first.
	OfUser(ctx context.Context, partnerTenant string, userID string, limit int) ([]Grant, error)
}

// Files tells whether files belong to a case.
type Files interface {
	// Has reports whether the case has all of these as active files.
	Has(ctx context.Context, tenant string, caseID string, fileIDs []string) (bool, error)
}

// TimelineWriter keeps the dated record of what became of invites.
type TimelineWriter interface {
	Invited(ctx context.Context, by audit.Actor, c cases.Case, inviteID, became string) error
}

// Service puts grants and finds them.
type Service struct {
	Store    Store
	Branches phases.BranchStore
	Records  phases.Records
	Files    Files
	Cases    cases.Store
	Timeline TimelineWriter
	Journal  audit.Log
	Now      func() time.Time
}

func (g Grant) check() error {
	var f validate.List

	for path, id := range map[string]string{"inviteId": g.InviteID, "caseId": g.CaseID, "partnerId": g.PartnerID} {
		if !ids.Valid(id) {
			f.Add(path, "must be a UUID in lower case")
		}
	}
	// The name of a tenant becomes part of a key, in which a slash would lead to another one's documents.
	formed := g.PartnerTenant != "" && len(g.PartnerTenant) <= 300 && !strings.ContainsAny(g.PartnerTenant, "/ ")
	if !formed || g.PartnerTenant == g.Tenant {
		f.Add("partnerTenant", "must be another tenant")
	}
	if g.UserID == "" || len(g.UserID) > 1024 {
		f.Add("partnerUserId", "must be a user's id")
	}
	checkScope(g.BranchIDs, g.FileIDs, &f)

	return f.Err()
}

func checkScope(branchIDs, fileIDs []string, f *validate.List) {
	for _, list := range []struct {
		path string
		ids  []string
		most int
	}{{"branchIds", branchIDs, MaxBranches}, {"fileIds", fileIDs, MaxFiles}} {
		if len(list.ids) > list.most || slices.ContainsFunc(list.ids, func(id string) bool { return !ids.Valid(id) }) {
			f.Add(list.path, fmt.Sprintf("must be at most %d UUIDs in lower case", list.most))
		}
	}
}

// CheckScope returns ErrScope unless the branches and active files are all the case's.
func (s *Service) CheckScope(ctx context.Context, tenant string, caseID string, branchIDs, fileIDs []string) error {
	var f validate.List
	if checkScope(branchIDs, fileIDs, &f); f.Err() != nil {
		return f.Err()
	}
	c, err := s.Cases.Get(ctx, tenant, caseID)
	if err != nil {
		return err
	}
	if len(branchIDs) > 0 {
		found, err := s.Branches.BranchesOf(ctx, tenant, branchIDs)
		if err != nil {
			return err
		}

		for _, id := range branchIDs {
			ofCase := func(b phases.Branch) bool { return b.ID == id && b.TimelineID == c.TimelineID }
			if !slices.ContainsFunc(found, ofCase) {
				return ErrScope
			}
		}
	}
	if len(fileIDs) == 0 {
		return nil
	}
	// The store counts the files that it finds, so one that is named twice must not count twice.
	unique := slices.Compact(slices.Sorted(slices.Values(fileIDs)))
	all, err := s.Files.Has(ctx, tenant, caseID, unique)
	if err == nil && !all {
		err = ErrScope
	}

	return err
}

// rounds bounds how often a step begins again because another writer was first.
const rounds = 5

// Put opens a grant in the tenant of the case, or ends it. It takes effect once and may be repeated: an invite that has
// ended does not begin again, and the end of an invite leaves the grant of a later one alone.
func (s *Service) Put(ctx context.Context, by audit.Actor, g Grant) error {
	if err := g.check(); err != nil {
		return err
	}
	c, err := s.Cases.Get(ctx, g.Tenant, g.CaseID)
	if err != nil && (!g.Ended || !errors.Is(err, cases.ErrNotFound)) {
		return err
	}
	gone := err != nil // of a case that was deleted meanwhile the grant ends all the same
	if !g.Ended {
		if err := s.CheckScope(ctx, g.Tenant, g.CaseID, g.BranchIDs, g.FileIDs); err != nil {
			return err
		}
	}
	now, err := s.save(ctx, by, g)
	if err != nil || gone {
		return err
	}
	if now.InviteID != g.InviteID {
		now.Ended, now.BranchIDs = true, g.BranchIDs // this invite's share of the branches ends; the grant is another's
	}

	for _, id := range now.BranchIDs {
		if err := s.share(ctx, g.Tenant, id, g.InviteID, !now.Ended); err != nil {
			return err
		}
	}
	became := "accepted"
	if now.Ended {
		became = "ended"
	}

	return s.Timeline.Invited(ctx, by, c, g.InviteID, became)
}

// save stores a grant as far as it is news, and returns what is stored then.
func (s *Service) save(ctx context.Context, by audit.Actor, g Grant) (Grant, error) {
	action := "grant.open"
	if g.Ended {
		action = "grant.end"
	}

	entry := audit.Entry{Tenant: g.Tenant, Actor: by, Action: action, ResourceType: "invite", ResourceID: g.InviteID}
	for range rounds {
		g.UpdatedAt = instant.Of(s.Now())

		was, err := s.Store.Get(ctx, g.PartnerTenant, g.CaseID, g.UserID)
		switch {
		case errors.Is(err, errs.ErrNotFound):
			g.Version, g.CreatedAt = 1, g.UpdatedAt
			err = audit.Do(ctx, s.Journal, entry, func() error { return s.Store.Insert(ctx, g) })
		case err != nil:
			return Grant{}, err
		// Another tenant names the case, so whoever asks has not learned of it from us.
		case was.Tenant != g.Tenant:
			return Grant{}, cases.ErrNotFound // a case has one tenant
		case settled(was, g):
			return was, nil
		default:
			// An end names no scope. What was open stays on record, so that its branches can be told.
			if g.Ended {
				g.BranchIDs, g.FileIDs = was.BranchIDs, was.FileIDs
			}
			g.Version, g.CreatedAt = was.Version, was.CreatedAt
			err = audit.Do(ctx, s.Journal, entry, func() error { return s.Store.Replace(ctx, g) })
		}
		if !errors.Is(err, errs.ErrTaken) {
			return g, err
		}
	}

	return Grant{}, cases.ErrBusy
}

// settled reports whether what is stored leaves nothing to do.
func settled(was, g Grant) bool {
	if was.InviteID != g.InviteID {
		return g.Ended
	}

	return was.Ended || !g.Ended && slices.Equal(was.BranchIDs, g.BranchIDs) && slices.Equal(was.FileIDs, g.FileIDs)
}

// share notes on a branch that an invite's partner sees it, or no longer does.
func (s *Service) share(ctx context.Context, tenant string, branchID, inviteID string, with bool) error {
	for range rounds {
		b, err := s.Branches.Branch(ctx, tenant, branchID)
		if errors.Is(err, phases.ErrNotFound) {
			return nil
		}
		// It is so already, by an earlier try of the same request.
		if err != nil || slices.Contains(b.SharedWith, inviteID) == with {
			return err
		}
		b.SharedWith = slices.DeleteFunc(slices.Clone(b.SharedWith), func(id string) bool { return id == inviteID })
		if with {
			b.SharedWith = append(b.SharedWith, inviteID)
		}
		b.UpdatedAt = instant.Of(s.Now())
		if err := s.Branches.ReplaceBranch(ctx, b); !errors.Is(err, errs.ErrTaken) {
			return err
		}
	}

	return cases.ErrBusy
}

// maxGrants bounds the grants among which a thing is looked for that does not name its case.
const maxGrants = 200

// Target is what a call asks for; one of its fields is set.
type Target struct {
	CaseID, TimelineID, BranchID, PhaseID string
}

// Resolve finds the grant by which a user of another tenant may see a target; errs.ErrNotFound when there is none, or
// it has ended, or the target lies outside of it, or the case is gone.
func (s *Service) Resolve(ctx context.Context, partnerTenant string, userID string, t Target) (Grant, error) {
	g, err := s.find(ctx, partnerTenant, userID, t)
	if err != nil {
		return Grant{}, err
	}
	// A grant outlives the deletion of its case, which can be restored; until then there is nothing to see.
	if _, err := s.Cases.Get(ctx, g.Tenant, g.CaseID); err != nil {
		return Grant{}, err
	}

	return g, nil
}

func (s *Service) find(ctx context.Context, partnerTenant string, userID string, t Target) (Grant, error) {
	if t.CaseID != "" {
		// It comes from a path, and goes into a key of the store.
		if !ids.Valid(t.CaseID) {
			return Grant{}, errs.ErrNotFound
		}
		g, err := s.Store.Get(ctx, partnerTenant, t.CaseID, userID)
		if err == nil && g.Ended {
			err = errs.ErrNotFound
		}

		return g, err
	}
	if t == (Target{}) {
		return Grant{}, errs.ErrNotFound
	}
	all, err := s.Store.OfUser(ctx, partnerTenant, userID, maxGrants)
	if err != nil {
		return Grant{}, err
	}
	if t.PhaseID != "" {
		return s.ofPhase(ctx, all, t.PhaseID)
	}
	i := slices.IndexFunc(all, func(g Grant) bool {
		return t.TimelineID != "" && cases.TimelineOf(g.CaseID) == t.TimelineID ||
			t.BranchID != "" && slices.Contains(g.BranchIDs, t.BranchID)
	})
	if i < 0 {
		return Grant{}, errs.ErrNotFound
	}

	return all[i], nil
}

// ofPhase returns the one of grants from whose branches the phase is seen. However many there are, it takes two
// questions.
func (s *Service) ofPhase(ctx context.Context, grants []Grant, phaseID string) (Grant, error) {
	var tenants []string
	for _, g := range grants {
		if !slices.Contains(tenants, g.Tenant) {
			tenants = append(tenants, g.Tenant)
		}
	}
	found, err := s.Records.Under(ctx, tenants, phaseID)
	if err != nil {
		return Grant{}, err
	}

	for _, g := range grants {
		i := slices.IndexFunc(
			found, func(p phases.Phase) bool { return p.Tenant == g.Tenant && p.ContainerID == g.CaseID },
		)
		if i < 0 || len(g.BranchIDs) == 0 {
			continue
		}
		branches, err := s.Branches.BranchesOf(ctx, g.Tenant, g.BranchIDs)
		sees := func(b phases.Branch) bool { return b.Sees(found[i].BranchID, found[i].Sequence) }
		if err != nil || slices.ContainsFunc(branches, sees) {
			return g, err
		}
	}

	return Grant{}, errs.ErrNotFound
}
