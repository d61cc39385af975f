package partners

import (
	"context"
	"errors"
	"fmt"

	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// ErrBusy says that another load changed the same entry at the same moment.
var ErrBusy = errs.ErrBusy

// ErrFull says that a load would make a directory too large to search.
var ErrFull = errs.New(
	errs.TooLarge, "body_too_large", fmt.Sprintf("A directory holds at most %d entries. Send fewer.", MaxEntries))

func isNotFound(err error) bool { return errors.Is(err, ErrNotFound) }

// Loaded is what a load did.
type Loaded struct {
	Added     int
	Changed   int
	Unchanged int
}

// Load puts entries, each of which was Checked, into the directory of a tenant. Entries that it does not name stay as
// they are. Nothing is stored when the directory would become too large. It may be repeated: an entry that says what is
// stored already is left alone, so a load that broke off is finished by the next.
func Load(
	ctx context.Context, s Store, journal audit.Log, tenant string, by audit.Actor, entries []Partner,
) (Loaded, error) {
	n, err := s.Count(ctx, tenant)
	if err != nil {
		return Loaded{}, err
	}
	var done Loaded
	entry := audit.Entry{
		Tenant: tenant, Actor: by, Action: "partners.load", ResourceType: "directory", ResourceID: tenant,
	}
	err = audit.Do(ctx, journal, entry, func() (err error) {
		changes, counted, err := compare(ctx, s, tenant, entries)
		if err != nil {
			return err
		}
		if n+counted.Added > MaxEntries {
			return ErrFull
		}
		if err := s.Reissue(ctx, tenant); err != nil {
			return err
		}

		defer func() { // also when it broke off: what was stored is to be found
			err = errors.Join(err, s.Reissue(context.WithoutCancel(ctx), tenant))
		}()

		for _, p := range changes {
			err := s.Put(ctx, p)
			if errors.Is(err, errs.ErrTaken) {
				return ErrBusy
			}
			if err != nil {
				return err
			}
		}
		done = counted

		return nil
	})

	return done, err
}

// compare returns those entries that are new or changed, with their versions, and counts.
func compare(ctx context.Context, s Store, tenant string, entries []Partner) (changes []Partner, n Loaded, err error) {
	for _, p := range entries {
		stored, err := s.Get(ctx, tenant, p.ID)
		switch {
		case err == nil && stored.Digest == p.Digest:
			n.Unchanged++
			continue
		case err == nil:
			p.Version = stored.Version + 1
			n.Changed++
		case !isNotFound(err):
			return nil, Loaded{}, err
		default:
			p.Version = 1
			n.Added++
		}
		changes = append(changes, p)
	}

	return changes, n, nil
}
