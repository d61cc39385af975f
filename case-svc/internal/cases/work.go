package cases

import (
	"context"
	"errors"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/audit"
)

// own reports whether by is an agent of the user whose agent made the case.
func (c Case) own(by audit.Actor) bool { return !by.Human() && by.UserID == c.CreatedBy.UserID }

// worked notes that by worked on the case. What services do of themselves leaves it as it was.
func (c *Case) worked(by audit.Actor) {
	c.Untouched = c.Untouched && (by.Kind == audit.Service || c.own(by))
}

// Marks reports whether Touch would write the case: an agent made it, and by is somebody else.
func (c Case) Marks(by audit.Actor) bool {
	after := c
	after.worked(by)

	return after.Untouched != c.Untouched
}

// Touch notes that by is about to work on c. Whoever does so calls it before the work takes effect, so that no agent
// deletes the case over it. It costs something only once in the life of a case that an agent made. c may be nil, and
// may be old.
func Touch(ctx context.Context, s Store, c *Case, by audit.Actor) error {
	if c == nil || !c.Marks(by) {
		return nil
	}
	_, err := s.Update(ctx, c.Tenant, c.ID, func(c *Case) error {
		c.worked(by)
		return nil
	})

	return err
}

// WithPhase returns c with one phase more.
func (c Case) WithPhase(now time.Time) Case {
	c.Counts.Phases++
	c.touch(now)

	return c
}

// WithFiles returns c with so many files that its counts show.
func (c Case) WithFiles(files int, now time.Time) Case {
	c.Counts.Files = files
	c.touch(now)

	return c
}

// Stands returns ErrOver for a case that takes no more work.
func (c Case) Stands() error {
	if c.Over() {
		return ErrOver
	}

	return nil
}

// Within does work of by in c, and looks at the case again once it is done: when stands refuses what the case has
// become meanwhile, or the case is gone, the work is undone and refused. So nothing comes into a case after its end,
// whoever ends it at the same moment. With a nil c the work is just done.
func Within(
	ctx context.Context,
	s Store,
	c *Case,
	by audit.Actor,
	stands func(Case) error,
	do func() error,
	undo func(context.Context) error,
) error {
	if err := Touch(ctx, s, c, by); err != nil {
		return err
	}
	if err := do(); err != nil || c == nil {
		return err
	}
	now, err := s.Get(ctx, c.Tenant, c.ID)
	if err == nil {
		err = stands(now)
	}
	if err != nil {
		err = errors.Join(err, undo(context.WithoutCancel(ctx)))
	}

	return err
}
