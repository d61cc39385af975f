package phases_test

import (
	"context"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/tasks"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// halfDone stores no phase, and does not clear up after it either: the process is gone by then.
type halfDone struct{ phases.Records }

func (halfDone) Insert(context.Context, phases.Phase) error { return errs.ErrUnavailable }

type unable struct{ phases.Tasks }

func (unable) Undo(context.Context, phases.Phase) error { return errs.ErrUnavailable }

// begunHalf has a process die between the record of a task and that of its phase.
func (d *desk) begunHalf(t *testing.T, b phases.Begin) {
	t.Helper()
	records, kept := d.Records, d.Tasks
	d.Records, d.Tasks = halfDone{records}, unable{kept}
	if _, err := d.Begin(t.Context(), firm, ann, b); err == nil {
		t.Fatal("the phase was stored")
	}
	d.Records, d.Tasks = records, kept
}

// A task whose phase was never stored, since the process died in between, goes on when its message is sent again, and
// fails when it is not.
func TestATaskWhosePhaseNeverBegan(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		d := newDesk(t, db)
		store := mongostore.NewTasks(db)
		message := func() phases.Begin {
			b := request(d.newCase(t, nil))
			b.Turn = &phases.Turn{TaskID: b.PhaseID, ContextID: "context", MessageID: "message"}

			return b
		}
		stands := func(b phases.Begin, want string) {
			t.Helper()
			found, err := store.List(t.Context(), firm, ann.UserID, tasks.Filter{State: want}, nil, 10)
			if err != nil || len(found) != 1 || found[0].ID != b.PhaseID || len(found[0].Turns) != 1 {
				t.Errorf("listed as %s are %+v, %v", want, found, err)
			}
		}
		again, left, runs := message(), message(), message()
		d.begunHalf(t, again)
		d.begunHalf(t, left)
		if begun := d.asks(t, again); !begun.Run {
			t.Errorf("sent again it is %s and does not run", begun.Phase.Status)
		}
		d.end(t, again.PhaseID, completed(1))
		d.asks(t, runs)
		d.sweepLine(t)
		found, err := store.List(t.Context(), firm, ann.UserID, tasks.Filter{State: api.A2AFailed}, nil, 10)
		if err != nil || len(found) != 0 {
			t.Errorf("failed before their phases can have begun: %+v, %v", found, err)
		}

		d.advance(5 * time.Minute)
		d.sweepLine(t)
		stands(left, api.A2AFailed)
		stands(runs, api.A2AWorking)
	})
}

func (d *desk) sweepLine(t *testing.T) {
	t.Helper()
	sweep := phases.LineSweep{Phases: d.Service}
	if err := sweep.Sweep(t.Context(), 10); err != nil {
		t.Fatal(err)
	}
}
