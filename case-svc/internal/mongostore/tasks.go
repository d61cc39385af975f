package mongostore

import (
	"context"
	"errors"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/tasks"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

const tasksCollection = "tasks"

func taskIndexes() []mongox.Index {
	return []mongox.Index{
		{Fields: []string{"tenant", "owner", "statusAt", "id"}},
		{Fields: []string{"tenant", "owner", "contextId", "statusAt", "id"}},
		{Fields: []string{"tenant", "containerId", "createdAt"}},
		{Fields: []string{"state", "statusAt", "id"}}, // what stands for long, of all tenants
		{Fields: []string{"containerId", "statusAt"}}, // what nobody answered, of all tenants
	}
}

type taskDoc struct {
	Key           string    `bson:"_id"` // tenant/id
	Tenant        string    `bson:"tenant"`
	ID            string    `bson:"id"`
	Owner         string    `bson:"owner"`
	ContextID     string    `bson:"contextId"`
	ContainerType string    `bson:"containerType"`
	ContainerID   string    `bson:"containerId"`
	State         string    `bson:"state"`
	StatusAt      time.Time `bson:"statusAt"`
	CreatedAt     time.Time `bson:"createdAt"`
	Turns         []turnDoc `bson:"turns"`
	Version       int64     `bson:"version"`
}

type turnDoc struct {
	MessageID string `bson:"messageId"`
	PhaseID   string `bson:"phaseId"`
	Text      string `bson:"text"`
	Events    int    `bson:"events"`
	Unread    int    `bson:"unread"`
	Print     string `bson:"print"`
	Key       string `bson:"key,omitempty"`
}

func toTaskDoc(t tasks.Task) taskDoc {
	return taskDoc{
		mongox.Key(t.Tenant, t.ID), t.Tenant, t.ID, t.Owner, t.ContextID, t.ContainerType, t.ContainerID, t.State,
		t.StatusAt, t.CreatedAt,
		mongox.Each(t.Turns, func(turn tasks.Turn) turnDoc { return turnDoc(turn) }),
		t.Version,
	}
}

func (d taskDoc) toTask() tasks.Task {
	return tasks.Task{
		ID: d.ID, Tenant: d.Tenant, Owner: d.Owner, ContextID: d.ContextID, ContainerType: d.ContainerType,
		ContainerID: d.ContainerID, State: d.State, StatusAt: d.StatusAt.UTC(), CreatedAt: d.CreatedAt.UTC(),
		Turns: mongox.Each(d.Turns, func(turn turnDoc) tasks.Turn { return tasks.Turn(turn) }), Version: d.Version,
	}
}

// Tasks implements tasks.Store.
type Tasks struct{ docs mongox.Documents[taskDoc] }

// NewTasks returns the store in db.
func NewTasks(db *mongo.Database) *Tasks { return &Tasks{mongox.In[taskDoc](db, tasksCollection)} }

// Insert saves a new task.
func (s *Tasks) Insert(ctx context.Context, t tasks.Task) error {
	return s.docs.Insert(ctx, toTaskDoc(t))
}

// Replace saves the next version.
func (s *Tasks) Replace(ctx context.Context, t tasks.Task) error {
	seen := mongox.Version(t.Version, t.Tenant, t.ID)
	t.Version++

	return s.docs.Replace(ctx, seen, toTaskDoc(t))
}

// Get returns a task of an owner.
func (s *Tasks) Get(ctx context.Context, tenant, owner, id string) (tasks.Task, error) {
	t, err := s.Of(ctx, tenant, id)
	if err == nil && t.Owner != owner {
		return tasks.Task{}, errs.ErrNotFound
	}

	return t, err
}

// Of returns a task whoever owns it.
func (s *Tasks) Of(ctx context.Context, tenant, id string) (tasks.Task, error) {
	d, err := s.docs.Find(ctx, mongox.One(tenant, id))
	if err != nil {
		return tasks.Task{}, err
	}

	return d.toTask(), nil
}

func taskFilter(tenant, owner string, f tasks.Filter) bson.D {
	filter := bson.D{mongox.Is("tenant", tenant), mongox.Is("owner", owner)}
	if f.ContextID != "" {
		filter = append(filter, mongox.Is("contextId", f.ContextID))
	}
	if f.State != "" {
		filter = append(filter, mongox.Is("state", f.State))
	}
	if !f.Since.IsZero() {
		filter = append(filter, mongox.Is("statusAt", bson.D{mongox.Is("$gte", f.Since)}))
	}

	return filter
}

// List lists tasks of an owner.
func (s *Tasks) List(
	ctx context.Context,
	tenant, owner string,
	f tasks.Filter,
	at *cases.Cursor,
	limit int,
) ([]tasks.Task, error) {
	filter := taskFilter(tenant, owner, f)
	if at != nil {
		filter = after(filter, "statusAt", true, at.Time, at.ID)
	}
	docs, err := s.docs.List(ctx, filter, order("statusAt", true), limit, nil)

	return mongox.Each(docs, taskDoc.toTask), err
}

// Count counts tasks of an owner.
func (s *Tasks) Count(ctx context.Context, tenant, owner string, f tasks.Filter, most int) (int, error) {
	return s.docs.Count(ctx, taskFilter(tenant, owner, f), most)
}

// Standing lists tasks that have stood in a state for long.
func (s *Tasks) Standing(
	ctx context.Context, state string, place *cases.Cursor, before time.Time, most int,
) ([]tasks.Task, error) {
	filter := bson.D{mongox.Is("state", state), mongox.Is("statusAt", bson.D{mongox.Is("$lt", before)})}
	if place != nil {
		filter = after(filter, "statusAt", false, place.Time, place.ID)
	}
	docs, err := s.docs.List(ctx, filter, order("statusAt", false), most, nil)

	return mongox.Each(docs, taskDoc.toTask), err
}

// Remove deletes a task of a version.
func (s *Tasks) Remove(ctx context.Context, t tasks.Task) error {
	return s.docs.Remove(ctx, mongox.Version(t.Version, t.Tenant, t.ID))
}

// Forget removes tasks that no phase belongs to.
func (s *Tasks) Forget(ctx context.Context, before time.Time, most int) error {
	old := bson.D{mongox.Is("containerId", ""), mongox.Is("statusAt", bson.D{mongox.Is("$lt", before)})}
	docs, err := s.docs.List(ctx, old, bson.D{mongox.Is("statusAt", 1)}, most, nil)

	for _, d := range docs {
		err = errors.Join(err, s.docs.Remove(ctx, mongox.Version(d.Version, d.Tenant, d.ID)))
	}

	return err
}
