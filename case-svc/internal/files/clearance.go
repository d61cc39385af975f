package files

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/instant"
	"github.com/subrosa-legal/subrosa/pkg/validate"
)

// MaxMarks is how many findings one clearance may cover.
const MaxMarks = guard.MaxFindings

// Mark is a finding that a person says is no identity. Offsets are those of the refusal: UTF-8 bytes of the part.
type Mark struct {
	Path       string
	Kind       string
	Start, End int
}

// Clearance lets certain bytes into one case although the gate finds something in them, because a person answers for
// the findings.
type Clearance struct {
	Tenant  string
	CaseID  string
	SHA256  string // of the bytes, in hex
	Version int64
	Marks   []Mark
	By      audit.Actor
	At      time.Time
}

func (c *Clearance) covers(path string, f guard.Finding) bool {
	for _, m := range c.Marks {
		if m == (Mark{path, f.Kind, f.Start, f.End}) {
			return true
		}
		if m.Path == path && m.ofLanguage(f) && m.Start <= f.Start && f.End <= m.End {
			return true
		}
	}

	return false
}

// ofLanguage reports whether the mark clears all words of a stretch in a language that the guard does not know, and the
// finding is such a word.
func (m Mark) ofLanguage(f guard.Finding) bool { return m.Kind == guard.KindLanguage && f.Unread }

// Clearances keeps clearances, one for the bytes in a case.
type Clearances interface {
	// Get returns a clearance, or ErrNotFound.
	Get(ctx context.Context, tenant string, caseID, sha256 string) (Clearance, error)
	// OfCase returns at most so many clearances of a case, the oldest first.
	OfCase(ctx context.Context, tenant, caseID string, most int) ([]Clearance, error)
	// Put saves a clearance over the one of the version of c, 0 when there is none yet; errs.ErrTaken when somebody was
	// first.
	Put(ctx context.Context, c Clearance) error
}

// clearance returns what is cleared in these bytes, which may be nothing.
func (in *Intake) clearance(ctx context.Context, tenant, caseID, sha256 string) (*Clearance, error) {
	c, err := in.Clearances.Get(ctx, tenant, caseID, sha256)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return nil, fmt.Errorf("look for a clearance: %w", err)
	}

	return &c, nil
}

// clearings bounds how often Clear begins again when another person clears the same bytes.
const clearings = 5

// Clear adds marks to what is cleared in these bytes of the case. It is recorded under the name of by, who must be a
// person.
func (in *Intake) Clear(
	ctx context.Context, c cases.Case, by audit.Actor, sha256 string, marks []Mark,
) (Clearance, error) {
	if err := c.Stands(); err != nil {
		return Clearance{}, err
	}
	entry := audit.Entry{
		Tenant: c.Tenant, Actor: by, Action: "file.clear",
		ResourceType: "case", ResourceID: c.ID, ContentSHA256: sha256,
	}
	var cleared Clearance
	var known []Mark
	mark := func() error {
		for range clearings {
			var err error
			cleared, err = in.Clearances.Get(ctx, c.Tenant, c.ID, sha256)
			if err != nil && !errors.Is(err, ErrNotFound) {
				return err
			}
			known = slices.Clone(cleared.Marks)

			cleared.Tenant = c.Tenant
			cleared.CaseID = c.ID
			cleared.SHA256 = sha256
			cleared.By = by

			cleared.At = instant.Of(in.Now())
			for _, m := range marks {
				if !cleared.covers(m.Path, guard.Finding{Kind: m.Kind, Start: m.Start, End: m.End}) {
					cleared.Marks = append(cleared.Marks, m)
				}
			}
			if len(cleared.Marks) > MaxMarks {
				var f validate.List
				f.Add("marks", fmt.Sprintf("must be at most %d in all for one file", MaxMarks))

				return f.Err()
			}
			if err := in.Clearances.Put(ctx, cleared); !errors.Is(err, errs.ErrTaken) {
				cleared.Version++
				return err
			}
		}

		return cases.ErrBusy
	}
	unmark := func(ctx context.Context) error {
		was := cleared
		was.Marks = known

		return in.Clearances.Put(ctx, was)
	}
	err := audit.Do(ctx, in.Journal, entry, func() error {
		return cases.Within(ctx, in.Cases, &c, by, cases.Case.Stands, mark, unmark)
	})
	if err != nil {
		return cleared, err
	}

	return cleared, in.recheckHeld(ctx, c, sha256)
}

// recheckHeld gives back to agents the file of these bytes, if it was taken from them and is cleared now.
func (in *Intake) recheckHeld(ctx context.Context, c cases.Case, sha256 string) error {
	held, err := in.Files.Holdings(ctx, c.Tenant, c.ID)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(held, func(h Holding) bool { return h.Has(sha256) && !h.AgentReadable })
	if i < 0 {
		return nil
	}
	f, err := in.Files.Get(ctx, c.Tenant, c.ID, held[i].ID)
	if err != nil || f.DeidCheck.Status != Refused {
		return err
	}
	if f.SHA256 == sha256 && f.Original.Placed && f.Original.Copied { // the places are those of the original
		err = in.renderStored(ctx, f)
	} else {
		err = in.recheck(ctx, f)
	}
	if errors.Is(err, cases.ErrUnchanged) {
		return nil // another replica is at it; the clearance is kept
	}

	return err
}
