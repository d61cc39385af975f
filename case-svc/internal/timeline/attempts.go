package timeline

import (
	"context"
	"errors"
	"slices"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// taken marks those of ids that an earlier attempt of p proposed as proposed by this one, and returns them.
func (s *Service) taken(ctx context.Context, p phases.Phase, ids []string) (map[string]bool, error) {
	if p.Attempt < 2 {
		return nil, nil
	}
	earlier, err := s.Store.Proposed(ctx, p.Tenant, p.TimelineID, p.ID, p.Attempt)
	if err != nil {
		return nil, err
	}

	again := map[string]bool{}

	for _, e := range earlier {
		if !slices.Contains(ids, e.ID) {
			continue
		}
		again[e.ID], e.Attempt = true, p.Attempt
		if err := s.Store.Replace(
			ctx,
			e,
		); err != nil &&
			!errors.Is(err, errs.ErrTaken) { // else a person decided about it meanwhile
			return nil, err
		}
	}

	return again, nil
}

// Replaced takes away what attempts of an ended phase proposed and its last one did not, unless a person has decided
// about it. It may be repeated.
func (s *Service) Replaced(ctx context.Context, p phases.Phase) error {
	below := p.Attempt
	if p.Abandoned() {
		below++
	}
	left, err := s.Store.Proposed(ctx, p.Tenant, p.TimelineID, p.ID, below)
	if err != nil {
		return err
	}
	left = slices.DeleteFunc(left, func(e Entry) bool { return e.decided() })
	if len(left) == 0 {
		return nil
	}
	entry := audit.Entry{
		Tenant:        p.Tenant,
		Actor:         audit.Actor{Kind: audit.Service},
		Action:        "entry.replace",
		ResourceType:  "phase",
		ResourceID:    p.ID,
		ContentSHA256: digest(left),
	}
	err = audit.Do(ctx, s.Journal, entry, func() error {
		for _, e := range left {
			if err := s.Store.Remove(ctx, e); err != nil {
				return err
			}
		}

		return nil
	})
	if err != nil || p.ContainerType != phases.CaseContainer {
		return err
	}

	return s.recount(ctx, p.Tenant, p.TimelineID, p.ContainerID)
}

// decided reports whether a person has said something of a proposed entry.
func (e Entry) decided() bool {
	return e.ReviewStatus != Unreviewed ||
		e.Deadline != nil && (e.Deadline.Status != Proposed || e.Deadline.ResponsibleUserID != "")
}

// Unnoted takes back the note that a file was added, when the file is gone with the attempt that made it.
func (s *Service) Unnoted(ctx context.Context, c cases.Case, fileID string) error {
	return s.Store.Remove(ctx, Entry{Tenant: c.Tenant, ID: cases.DerivedID("entry", c.TimelineID, FileAdded, fileID)})
}
