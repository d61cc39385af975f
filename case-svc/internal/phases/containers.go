package phases

import (
	"context"
	"errors"
	"strings"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/instant"
)

// enter returns the container. One for support or sales is made by its first use.
func (l *Service) enter(ctx context.Context, tenant string, by audit.Actor, b Begin) (Container, error) {
	box, err := l.Container(ctx, tenant, b.ContainerType, b.ContainerID)
	if b.ContainerType == CaseContainer || !errors.Is(err, ErrNotFound) {
		return box, err
	}

	switch _, err := l.Cases.Get(ctx, tenant, b.ContainerID); {
	case err == nil:
		return Container{}, ErrNotFound // the id is a case's, and so is what hangs on it
	case !errors.Is(err, ErrNotFound):
		return Container{}, err
	}
	now := instant.Of(l.Now())
	timeline := cases.TimelineOf(b.ContainerID)
	box = Container{
		ID:             b.ContainerID,
		Tenant:         tenant,
		Type:           b.ContainerType,
		Version:        1,
		Title:          titles[b.ContainerType],
		Status:         Open,
		Priority:       NormalPriority,
		TimelineID:     timeline,
		ActiveBranchID: cases.RootBranchOf(timeline),
		CreatedBy:      by,
		CreatedAt:      now,
		UpdatedAt:      now,
	}
	entry := audit.Entry{
		Tenant: tenant, Actor: by, Action: "container.create", ResourceType: b.ContainerType, ResourceID: b.ContainerID,
	}
	err = audit.Do(ctx, l.Journal, entry, func() error {
		if err := l.Branches.InsertContainer(ctx, box); err != nil && !errors.Is(err, errs.ErrTaken) {
			return err
		}

		return nil
	})
	if err != nil {
		return Container{}, err
	}

	return l.Container(ctx, tenant, b.ContainerType, b.ContainerID)
}

// titles of new containers.
var titles = map[string]string{SupportContainer: "Support request", SalesContainer: "Sales inquiry"}

// Container returns the container of a type and id, or ErrNotFound.
func (l *Service) Container(ctx context.Context, tenant string, kind, id string) (Container, error) {
	if kind == CaseContainer {
		c, err := l.Cases.Get(ctx, tenant, id)
		if err != nil {
			return Container{}, err
		}

		return Container{
			ID:             id,
			Tenant:         tenant,
			Type:           kind,
			Version:        c.Version,
			Title:          c.Title,
			Status:         c.Status,
			TimelineID:     c.TimelineID,
			ActiveBranchID: c.ActiveBranchID,
			CreatedBy:      c.CreatedBy,
			CreatedAt:      c.CreatedAt,
			UpdatedAt:      c.UpdatedAt,
			Case:           &c,
		}, nil
	}
	box, err := l.Branches.Container(ctx, tenant, id)
	if err == nil && box.Type != kind {
		err = ErrNotFound
	}

	return box, err
}

// admit refuses what the state of the container forbids to a phase that would run, and notes whose work it is.
func (l *Service) admit(ctx context.Context, tenant string, by audit.Actor, b Begin, box Container) error {
	if err := l.allow(ctx, tenant, b, box); err != nil {
		return err
	}

	return l.attribute(ctx, tenant, by, b, box)
}

// allow refuses what the state of the container forbids to a phase that would run.
func (l *Service) allow(ctx context.Context, tenant string, b Begin, box Container) error {
	if c := box.Case; c != nil {
		switch {
		case c.Over():
			return cases.ErrOver
		case b.RequestType == CaseReq && c.Supervision.ResponsibleUserID == "":
			return ErrSupervisor.WithDeepLink(l.Links.To(deeplink.CaseSettings, c.ID))
		}
	}
	if len(b.FileIDs) > 0 {
		if box.Case == nil {
			return ErrNotFound
		}
		all, err := l.Files.Has(ctx, tenant, b.ContainerID, b.FileIDs)
		if err != nil {
			return err
		}
		if !all {
			return ErrNotFound
		}
	}

	return nil
}

// attribute makes the session the user's, and notes that by works on the case.
func (l *Service) attribute(ctx context.Context, tenant string, by audit.Actor, b Begin, box Container) error {
	if err := l.bind(ctx, tenant, by, b.SessionID); err != nil {
		return err
	}

	return cases.Touch(ctx, l.Cases, box.Case, by)
}

// bind makes the session the user's, or returns ErrSession when it is another's.
func (l *Service) bind(ctx context.Context, tenant string, by audit.Actor, sessionID string) error {
	user := l.Recent.userOf(tenant, sessionID)
	if user == "" {
		session, err := l.Claims.Bind(
			ctx,
			Session{ID: sessionID, Tenant: tenant, UserID: by.UserID, Since: instant.Of(l.Now())},
		)
		if err != nil {
			return err
		}
		l.Recent.bound(session)
		user = session.UserID
	}
	if user != by.UserID {
		return ErrSession
	}

	return nil
}

// learn remembers whose session it is, where the store knows and this process does not.
func (l *Service) learn(ctx context.Context, tenant, sessionID string) error {
	if l.Recent == nil || l.Recent.userOf(tenant, sessionID) != "" {
		return nil
	}

	session, err := l.Claims.Session(ctx, tenant, sessionID)
	switch {
	case errors.Is(err, ErrNotFound):
		return nil
	case err != nil:
		return err
	}
	l.Recent.bound(session)

	return nil
}

// directedBy says in what capacity the user behind a phase directs it.
func directedBy(by audit.Actor, box Container) DirectedBy {
	d := DirectedBy{UserID: by.UserID, Capacity: "client"}
	switch {
	case box.Case == nil:
		d.Capacity = "none"
	case box.Case.Supervision.ResponsibleUserID == by.UserID:
		d.Capacity = "supervising_professional"
	case strings.HasPrefix(box.Tenant, "o:"):
		d.Capacity = "staff"
	}

	return d
}
