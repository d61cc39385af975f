package files_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// clear has a person clear all that is found in a text, and adds the text to the case.
func (o *office) clear(t *testing.T, c cases.Case, by audit.Actor, text string) {
	t.Helper()
	s, err := o.Spool.Receive(strings.NewReader(text), 1<<20)
	if err != nil {
		t.Fatal(err)
	}

	var marks []files.Mark
	for _, f := range o.Gate.Check(t.Context(), guard.FileText, text) {
		marks = append(marks, files.Mark{Path: "text", Kind: f.Kind, Start: f.Start, End: f.End})
	}
	_, err = o.Clear(t.Context(), c, by, s.SHA256, marks)
	if err := errors.Join(err, s.Close()); err != nil || len(marks) == 0 {
		t.Fatalf("Clear of %d marks = %v", len(marks), err)
	}
	if _, err := o.send(t, c, text); err != nil {
		t.Fatal(err)
	}
}

// draft adds a draft to the case, and returns what it is recorded to be cleared of.
func (o *office) draft(t *testing.T, c cases.Case, text string) (files.Clearance, error) {
	t.Helper()
	b, err := o.Open(t.Context(), c, audit.Actor{Kind: audit.Agent, UserID: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	b.From("a phase", 1)
	s, err := o.Spool.Receive(strings.NewReader(text), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	err = b.Add(t.Context(), files.Part{Name: "Draft.md", Declared: "text/markdown"}, nil, s)
	sum := s.SHA256
	if more := errors.Join(s.Close(), b.Close(t.Context())); more != nil {
		t.Fatal(more)
	}
	if err != nil {
		return files.Clearance{}, err
	}
	cleared, err := o.Clearances.Get(t.Context(), c.Tenant, c.ID, sum)
	if errors.Is(err, files.ErrNotFound) {
		err = nil
	}

	return cleared, err
}

// shutBlobs has nothing to read at the moment.
type shutBlobs struct{ files.Blobs }

func (shutBlobs) Open(context.Context, string, string, files.Slot) (io.ReadCloser, error) {
	return nil, errs.ErrUnavailable
}

// A draft is recorded to be cleared by whoever cleared its words, whoever cleared others later. What is cleared is read
// only when something is found in the draft, in the one place that there is.
func TestADraftIsClearedByWhoClearedItsWords(t *testing.T) {
	t.Parallel()
	o := newOffice(t, indexed(t), &testkit.Fuse{})
	spool, err := files.OpenSpool(t.TempDir(), spoolLimits(1, time.Second))
	if err != nil {
		t.Fatal(err)
	}
	o.Spool = spool
	c := o.newCase(t, cases.Intake)
	ben := audit.Actor{Kind: audit.User, UserID: "ben"}

	o.clear(t, c, ann, "The clerk Zebulon Quartermain took the lease.")
	o.advance(time.Minute)
	o.clear(t, c, ben, "The clerk Halvard Ostrowe wrote it.")
	o.advance(time.Minute)

	for text, want := range map[string]struct {
		by string
		at time.Time
	}{
		"Zebulon Quartermain took it.":                        {ann.UserID, noon},
		"Halvard Ostrowe wrote it.":                           {ben.UserID, noon.Add(time.Minute)},
		"Zebulon Quartermain took it from Halvard Ostrowe.":   {ben.UserID, noon.Add(time.Minute)},
		"Zebulon Quartermain took it from [Party 1], he says": {ann.UserID, noon},
	} {
		got, err := o.draft(t, c, text)
		if err != nil || got.By.UserID != want.by || !got.At.Equal(want.at) {
			t.Errorf("%q is cleared by %q at %s, %v, want %+v", text, got.By.UserID, got.At, err, want)
		}
	}
	if _, err := o.draft(t, c, "Barnabas Quartermain took it."); !errors.Is(err, guard.ErrRefused) {
		t.Errorf("a draft with a name that nobody cleared = %v", err)
	}

	o.Blobs = shutBlobs{o.Blobs}
	if got, err := o.draft(t, c, "The clerk took the lease."); err != nil || len(got.Marks) > 0 {
		t.Errorf("a draft without findings while files cannot be read = %+v, %v", got, err)
	}
	if _, err := o.draft(t, c, "Zebulon Quartermain took it all."); !errors.Is(err, errs.ErrUnavailable) {
		t.Errorf("a draft with a finding while files cannot be read = %v, want %v", err, errs.ErrUnavailable)
	}
}
