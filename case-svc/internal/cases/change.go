package cases

import (
	"context"
	"errors"
	"reflect"

	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// sameCase reports whether two versions of a case hold the same.
func sameCase(a, b Case) bool { return reflect.DeepEqual(a, b) }

// changes bounds how often a change begins again when others write the case at the same moment.
const changes = 5

// change applies plan to the newest version of a case. plan may look at other stores, is asked again after each lost
// race, and gives the entry, which is on record before the change. A plan that changes nothing is not saved.
// ErrVersion: the newest version is not one of those expected. ErrBusy: others kept winning.
func (s *Service) change(
	ctx context.Context, tenant string, id string, expected Expected, plan func(Case) (Case, audit.Entry, error),
) (Case, error) {
	for range changes {
		seen, err := s.Store.Get(ctx, tenant, id)
		if err != nil {
			return Case{}, err
		}

		next, entry, err := plan(seen)
		switch {
		case forbidden(err): // who may not do it at all is told so first
			return Case{}, err
		case !expected.Holds(seen.Version):
			return Case{}, ErrVersion
		case err != nil:
			return Case{}, err
		}
		// A change that says what is there already makes no version and no entry, so a repetition is free.
		if sameCase(seen, next) {
			return seen, nil
		}
		next.touch(s.Now())
		next.worked(entry.Actor)
		// The entry is on record before the write, so that no change is ever without one.
		saved := next
		err = audit.Do(ctx, s.Journal, entry, func() error {
			var err error
			saved, err = s.Store.Swap(ctx, seen, next)

			return err
		})
		if !errors.Is(err, errs.ErrTaken) {
			return saved, err
		}
	}

	return Case{}, ErrBusy
}

func forbidden(err error) bool {
	var e *errs.Error
	return errors.As(err, &e) && e.Kind == errs.Forbidden
}
