package mongostore_test

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/case-svc/internal/tasks"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

func newTask(owner string, after time.Duration) tasks.Task {
	return tasks.Task{
		ID: newID(), Tenant: "o:firm", Owner: owner, ContextID: "c-1", ContainerType: "case", ContainerID: newID(),
		State: api.A2AWorking, StatusAt: noon.Add(after), CreatedAt: noon, Version: 1,
		Turns: []tasks.Turn{{MessageID: "m-1", Text: "which"}, {MessageID: "m-2", PhaseID: newID(), Events: 7}},
	}
}

func TestTasksAreTheirOwnersAlone(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *mongo.Database) {
		store, want := mongostore.NewTasks(db), newTask("ann", 0)
		if err := store.Insert(t.Context(), want); err != nil {
			t.Fatal(err)
		}
		if err := store.Insert(t.Context(), want); !errors.Is(err, errs.ErrTaken) {
			t.Errorf("a second one of the id: %v", err)
		}
		got, err := store.Get(t.Context(), "o:firm", "ann", want.ID)
		if diff := gocmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("Get: %v (-want +got):\n%s", err, diff)
		}

		for who, get := range map[string]func() (tasks.Task, error){
			"a colleague":    func() (tasks.Task, error) { return store.Get(t.Context(), "o:firm", "ben", want.ID) },
			"another tenant": func() (tasks.Task, error) { return store.Get(t.Context(), "o:other", "ann", want.ID) },
			"no such id":     func() (tasks.Task, error) { return store.Get(t.Context(), "o:firm", "ann", newID()) },
		} {
			if _, err := get(); !errors.Is(err, errs.ErrNotFound) {
				t.Errorf("%s: %v", who, err)
			}
		}
	})
}

func TestATaskIsReplacedOncePerVersion(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *mongo.Database) {
		store, task := mongostore.NewTasks(db), newTask("ann", 0)
		if err := store.Insert(t.Context(), task); err != nil {
			t.Fatal(err)
		}
		task.State = api.A2ACompleted
		if err := store.Replace(t.Context(), task); err != nil {
			t.Fatal(err)
		}
		if err := store.Replace(t.Context(), task); !errors.Is(err, errs.ErrTaken) {
			t.Errorf("the version is replaced twice: %v", err)
		}
		got, err := store.Of(t.Context(), task.Tenant, task.ID)
		if err != nil || got.Version != 2 || got.State != api.A2ACompleted {
			t.Errorf("stored is %+v, %v", got, err)
		}
	})
}

func TestListsOfTasks(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *mongo.Database) {
		store := mongostore.NewTasks(db)
		var all []tasks.Task

		for i := range 4 {
			task := newTask("ann", time.Duration(max(i, 1))*time.Second) // the first two at the same time
			if i == 3 {
				task.ContextID, task.State = "c-2", api.A2ACompleted
			}
			all = append([]tasks.Task{task}, all...)
		}

		for _, task := range append(all, newTask("ben", time.Hour)) {
			if err := store.Insert(t.Context(), task); err != nil {
				t.Fatal(err)
			}
		}

		slices.SortFunc(all, func(a, b tasks.Task) int {
			return cmp.Or(b.StatusAt.Compare(a.StatusAt), strings.Compare(b.ID, a.ID))
		})

		for name, tc := range map[string]struct {
			filter tasks.Filter
			want   []tasks.Task
		}{
			"all":        {tasks.Filter{}, all},
			"a context":  {tasks.Filter{ContextID: "c-1"}, all[1:]},
			"a state":    {tasks.Filter{State: api.A2ACompleted}, all[:1]},
			"since then": {tasks.Filter{Since: noon.Add(2 * time.Second)}, all[:2]},
		} {
			got, err := store.List(t.Context(), "o:firm", "ann", tc.filter, nil, 10)
			if diff := gocmp.Diff(tc.want, got); err != nil || diff != "" {
				t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
			}
			if n, err := store.Count(t.Context(), "o:firm", "ann", tc.filter, 10); err != nil || n != len(tc.want) {
				t.Errorf("%s: %d are counted, %v", name, n, err)
			}
		}
		place := &cases.Cursor{Time: all[2].StatusAt, ID: all[2].ID} // the one after it is of the same time
		got, err := store.List(t.Context(), "o:firm", "ann", tasks.Filter{}, place, 10)
		if diff := gocmp.Diff(all[3:], got); err != nil || diff != "" {
			t.Errorf("after a place: %v (-want +got):\n%s", err, diff)
		}
	})
}

func TestTasksThatNobodyAnsweredAreForgotten(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *mongo.Database) {
		store := mongostore.NewTasks(db)
		worked, old, fresh := newTask("ann", 0), newTask("ann", 0), newTask("ann", time.Hour)

		old.ContainerID, fresh.ContainerID = "", ""
		for _, task := range []tasks.Task{worked, old, fresh} {
			if err := store.Insert(t.Context(), task); err != nil {
				t.Fatal(err)
			}
		}
		if err := store.Forget(t.Context(), noon.Add(time.Minute), 10); err != nil {
			t.Fatal(err)
		}
		left, err := store.List(t.Context(), "o:firm", "ann", tasks.Filter{}, nil, 10)
		if diff := gocmp.Diff([]tasks.Task{fresh, worked}, left); err != nil || diff != "" {
			t.Errorf("left: %v (-want +got):\n%s", err, diff)
		}
	})
}

// TestManyTasksOfOneKeepNobodyElsesFromBeingLookedAt has one caller with more tasks that stand for long than one look
// takes, all of them older than somebody else's.
func TestManyTasksOfOneKeepNobodyElsesFromBeingLookedAt(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *mongo.Database) {
		const most, greedy = 10, 25
		desk := &tasks.Service{Store: mongostore.NewTasks(db)}
		other := newTask("ben", time.Minute)
		other.Tenant = "o:other"
		want := map[string]bool{other.ID: true}

		for range greedy {
			task := newTask("ann", 0) // all of the same moment
			want[task.ID] = true
			if err := desk.Store.Insert(t.Context(), task); err != nil {
				t.Fatal(err)
			}
		}
		if err := desk.Store.Insert(t.Context(), other); err != nil {
			t.Fatal(err)
		}

		for round := range 2 { // it begins again once it has seen all
			seen := map[string]int{}

			for range greedy/most + 1 {
				found, err := desk.Waiting(t.Context(), noon.Add(time.Hour), most)
				if err != nil || len(found) > most {
					t.Fatalf("%d are looked at, %v", len(found), err)
				}

				for _, p := range found {
					seen[p.TaskID]++
				}
			}

			for id := range want {
				if seen[id] != 1 {
					t.Errorf("round %d: task %s was looked at %d times, of all that stand for long", round, id, seen[id])
				}
			}
		}
	})
}
