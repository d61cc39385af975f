package files

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/instant"
)

// Outdated finds stored files of all tenants whose last check was not by the present rules.
type Outdated interface {
	// Outdated lists up to most files, passed or refused and not deleted, that were checked by other rules than those
	// of version.
	Outdated(ctx context.Context, version string, most int) ([]File, error)
}

// Recheck sends up to most files that were checked by other rules through the gate again. Agents lose at once what does
// not pass now, and get back what does. It is safe to repeat and to run on several replicas.
func (in *Intake) Recheck(ctx context.Context, stored Outdated, most int) error {
	due, err := stored.Outdated(ctx, guard.Version(), most)
	if err != nil {
		return err
	}
	var all error
	over := in.Now().Add(RoundTime)
	apart := func(i, j int) { due[i], due[j] = due[j], due[i] }
	rand.Shuffle(len(due), apart) //nolint:gosec // other replicas have the same list, and should begin elsewhere

	for _, f := range due {
		if !in.Now().Before(over) {
			break
		}
		f, err := in.due(ctx, f)
		if err == nil {
			err = in.recheck(ctx, f)
		}
		if errors.Is(err, ErrNoPlace) {
			return errors.Join(all, err) // uploads come first; the rest is for the next round
		}
		if err != nil && !errors.Is(err, ErrNotFound) && !errors.Is(err, cases.ErrUnchanged) {
			all = errors.Join(all, fmt.Errorf("check the stored file %s again: %w", f.ID, err))
		}
	}

	return all
}

// due returns the newest record of a file that was listed, or cases.ErrUnchanged when somebody has checked it since.
func (in *Intake) due(ctx context.Context, f File) (File, error) {
	now, err := in.still(ctx, f)
	if err == nil && now.DeidCheck.DetectorVersion == guard.Version() {
		err = cases.ErrUnchanged
	}

	return now, err
}

// recheck judges one stored file by the present rules and what is cleared in its bytes.
func (in *Intake) recheck(ctx context.Context, f File) error {
	if !f.Original.At.IsZero() && !f.Original.Placed {
		return nil // its rendition is being put in place, and judged with it
	}

	// Its allowed words count.
	ctx = access.WithCaller(ctx, access.Caller{Kind: access.Service, Tenant: f.Tenant}, "")

	for range clearings { // a person may clear findings meanwhile
		cleared, err := in.clearance(ctx, f.Tenant, f.CaseID, f.Content.SHA256)
		if err != nil {
			return err
		}
		clean, err := in.clean(ctx, f)
		if err != nil {
			return err
		}
		if err := in.settle(ctx, f, clean); err != nil {
			return err
		}
		now, err := in.clearance(ctx, f.Tenant, f.CaseID, f.Content.SHA256)
		// A clearance that came while the file was read was not looked at, so it is read again.
		if err != nil || now.Version == cleared.Version {
			return err
		}
		f.AgentReadable = clean
	}

	return cases.ErrBusy
}

// settle keeps what a check of f found, and what change makes of the record besides. A change of what agents may read
// is on record. cases.ErrUnchanged: other bytes lie in the place of those that were checked, and nothing is kept.
func (in *Intake) settle(ctx context.Context, f File, clean bool, change ...func(*File) error) error {
	set := func() error {
		_, err := in.Files.Update(ctx, f.Tenant, f.CaseID, f.ID, func(now *File) error {
			if now.Status == Deleted {
				return ErrNotFound
			}
			// The verdict is about bytes that are not there any more.
			if !now.keeps(f) {
				return cases.ErrUnchanged
			}
			now.AgentReadable = clean
			now.DeidCheck = DeidCheck{Status: Refused, DetectorVersion: guard.Version(), At: instant.Of(in.Now())}
			if clean {
				now.DeidCheck.Status = Passed
			}

			for _, also := range change {
				if err := also(now); err != nil {
					return err
				}
			}

			return nil
		})

		return err
	}
	// Nothing changes for agents, so only the version of the rules is noted, and nothing goes on record.
	if clean == f.AgentReadable {
		return set()
	}
	entry := audit.Entry{
		Tenant: f.Tenant, Actor: audit.Actor{Kind: audit.Service}, Action: "file.hold",
		ResourceType: "file", ResourceID: f.ID, ContentSHA256: f.SHA256,
	}
	if clean {
		entry.Action = "file.release"
	}
	if err := audit.Do(ctx, in.Journal, entry, set); err != nil {
		return err
	}
	_ = in.Recount(ctx, f.Tenant, f.CaseID) // derived, and may lag; the next change counts again

	return nil
}

// clean reports whether name and content of a stored file pass the gate now. What can no longer be read cannot be
// shown to be clean, nor can what brings out a mistake of ours: here a panic would end the process, at each start anew.
func (in *Intake) clean(ctx context.Context, f File) (clean bool, err error) {
	defer func() {
		if recover() != nil { // its value may hold text
			clean, err = false, nil
		}
	}()
	leave, err := in.Spool.Place(ctx)
	if err != nil {
		return false, err
	}
	defer leave()

	s, err := in.fetch(ctx, f, Served, f.Content.SizeBytes)
	// A record whose bytes are gone is not shown to be clean by their absence.
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}

	defer func() { _ = s.Close() }()

	doc, found, late, err := in.inspect(ctx, f, s)
	if refusal(err) { // it has too many pages, or is of no type we read, by the rules of today
		return false, nil
	}
	if err != nil {
		return false, err
	}

	if len(found) > 0 || late || !doc.Status.Readable() {
		return false, nil
	}

	return len(in.Gate.Check(ctx, guard.FileName, f.Name)) == 0, nil
}

// refusal reports whether err refuses a file for what it is.
func refusal(err error) bool {
	var e *errs.Error
	return errors.As(err, &e) && !errors.Is(err, errs.ErrUnavailable)
}

// fetch brings stored bytes, at most so many, into the spool. ErrNotFound: the slot is empty.
func (in *Intake) fetch(ctx context.Context, f File, slot Slot, most int64) (*Scratch, error) {
	bytes, err := in.Blobs.Open(ctx, f.Tenant, f.ID, slot)
	if err != nil {
		return nil, err
	}
	s, err := in.Spool.Receive(bytes, most)

	return s, errors.Join(err, bytes.Close())
}
