package timeline_test

import (
	"context"
	"errors"
	"testing"

	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/timeline"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// bare is a timeline without entries.
type bare struct{ timeline.Store }

func (bare) Get(context.Context, string, string, string) (timeline.Entry, error) {
	return timeline.Entry{}, timeline.ErrNotFound
}

// While nobody can say what is cleared, a name is neither refused nor taken.
func TestANameWhileNobodyKnowsWhatIsCleared(t *testing.T) {
	t.Parallel()
	s := &timeline.Service{Store: bare{}, Gate: guard.New()}
	add := func(failed error) error {
		s.Cleared = func(context.Context, string, string) ([]string, error) { return nil, failed }
		person := audit.Actor{Kind: audit.User, UserID: "ann"}
		d := timeline.Draft{Kind: "fact", Title: "The clerk Zebulon Quartermain took it"}
		_, err := s.Add(t.Context(), person, phases.Container{Type: phases.CaseContainer, ID: "a case"}, "an id", d)

		return err
	}
	if err := add(errs.ErrUnavailable); !errors.Is(err, errs.ErrUnavailable) || errors.Is(err, guard.ErrRefused) {
		t.Errorf("Add while it cannot be known = %v, want %v", err, errs.ErrUnavailable)
	}
	if err := add(nil); !errors.Is(err, guard.ErrRefused) {
		t.Errorf("Add of what nobody cleared = %v, want %v", err, guard.ErrRefused)
	}
}
