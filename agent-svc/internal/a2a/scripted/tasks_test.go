package scripted

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/a2a"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/a2astore"
)

// The records that a script has keep what those of case-svc promise.
func TestRecordsOfTasks(t *testing.T) {
	t.Parallel()
	a2astore.Test(t, func(*testing.T) a2astore.Keeper {
		began, ticks := time.Now(), new(atomic.Int64)
		now := func() time.Time { return began.Add(time.Duration(ticks.Add(1)) * time.Millisecond) }
		tasks := &Tasks{Now: now}
		orders := map[string]a2a.Order{}

		return a2astore.Keeper{
			Store: tasks,
			Begin: func(ctx context.Context, phaseID string, turn api.A2ABegin) error {
				at := a2a.Destination{ContainerType: api.ContainerSupport, ContainerID: "script"}
				o := a2a.Order{TurnID: phaseID, Task: turn, At: at}
				orders[phaseID] = o

				return tasks.begins(ctx, o)
			},
			End: func(ctx context.Context, phaseID string, events int) error {
				tasks.stands(ctx, orders[phaseID], a2a.Turn{
					ID: phaseID, State: api.A2AInputRequired, At: now(), Events: events,
				})

				return nil
			},
		}
	})
}

func TestMain(m *testing.M) { testkit.Main(m) }
