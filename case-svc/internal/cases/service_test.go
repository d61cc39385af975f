package cases_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// paper is a journal that can run out.
type paper struct {
	deeds []cases.Deed
	room  int
}

func (p *paper) Record(_ context.Context, d cases.Deed) error {
	if len(p.deeds) == p.room {
		return errs.ErrUnavailable
	}
	p.deeds = append(p.deeds, d)
	return nil
}

func outcomes(p *paper) []string {
	var all []string
	for _, d := range p.deeds {
		all = append(all, d.Outcome)
	}
	return all
}

func TestADeedIsRecordedBeforeItIsDone(t *testing.T) {
	broke := errors.New("it broke")
	for _, tc := range []struct {
		name string
		room int
		do   error
		done bool
		want error
		on   []string
	}{
		{"done", 2, nil, true, nil, []string{"ok"}},
		{"failed", 2, broke, true, broke, []string{"ok", "failed"}},
		{"cannot be recorded", 0, nil, false, errs.ErrUnavailable, nil},
		{"failed, and that cannot be recorded", 1, broke, true, broke, []string{"ok"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, done := &paper{room: tc.room}, false
			err := cases.Perform(t.Context(), p, cases.Deed{Action: "x.y"}, func() error {
				done = true
				if len(p.deeds) != 1 {
					t.Error("it is done before it is on record")
				}
				return tc.do
			})
			if done != tc.done || !errors.Is(err, tc.want) {
				t.Errorf("Perform = %v, done %t, want %v, %t", err, done, tc.want, tc.done)
			}
			if diff := cmp.Diff(tc.on, outcomes(p)); diff != "" {
				t.Errorf("on record (-want +got):\n%s", diff)
			}
		})
	}
}

func TestScreenTellsWhereAndNeverWhat(t *testing.T) {
	err := cases.Screen(t.Context(), guard.New(), "https://app.test/i/add_identity",
		cases.Text{Door: guard.Title, Path: "title", Value: "Lease of [Party 1]"}, cases.Text{Door: guard.Title, Path: "summary", Value: "ask ann@example.com"})
	e := errs.From(err)
	start, end := 4, 19
	want := []errs.Detail{{Path: "summary", Kind: "email", Start: &start, End: &end}}
	if diff := cmp.Diff(want, e.Details); diff != "" || e.Code != "identity_refused" || e.DeepLink != "https://app.test/i/add_identity" {
		t.Errorf("Screen = %v, link %s (-want +got):\n%s", err, e.DeepLink, diff)
	}
	if err := cases.Screen(t.Context(), guard.New(), "", cases.Text{Path: "title", Value: "clean"}); err != nil {
		t.Errorf("Screen of clean text = %v", err)
	}
}

func TestExpectedVersions(t *testing.T) {
	for name, tc := range map[string]struct {
		e    cases.Expected
		want bool
	}{"none asked": {nil, true}, "one of them": {cases.Expected{1, 3}, true}, "others": {cases.Expected{1, 2}, false}, "nothing readable": {cases.Expected{}, false}} {
		if got := tc.e.Holds(3); got != tc.want {
			t.Errorf("%s: Holds = %t, want %t", name, got, tc.want)
		}
	}
}
