package audit_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// paper is a journal that can run out.
type paper struct {
	deeds []audit.Entry
	room  int
}

func (p *paper) Record(ctx context.Context, d audit.Entry) error {
	if err := ctx.Err(); err != nil {
		return err
	}
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
			err := audit.Do(t.Context(), p, audit.Entry{Action: "x.y"}, func() error {
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

// TestARefusalIsRecordedThoughItsCallerLeft has a caller go before the answer.
func TestARefusalIsRecordedThoughItsCallerLeft(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	leave()
	p, refusal := &paper{room: 1}, errs.New(errs.Forbidden, "identity_refused", "It names somebody. Put a label there.")
	if err := audit.Refusal(ctx, p, audit.Entry{Tenant: "o:firm", Action: "x.y"}, refusal); !errors.Is(err, refusal) {
		t.Errorf("Refusal = %v, want %v", err, refusal)
	}
	if diff := cmp.Diff([]string{"refused"}, outcomes(p)); diff != "" {
		t.Errorf("on record (-want +got):\n%s", diff)
	}
}
