package mongostore

import (
	"context"
	"errors"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/ids"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

type containerDoc struct {
	Key            string     `bson:"_id"` // tenant/id
	Tenant         string     `bson:"tenant"`
	ID             string     `bson:"id"`
	Version        int64      `bson:"version"`
	Type           string     `bson:"type"`
	Title          string     `bson:"title"`
	Status         string     `bson:"status"`
	TimelineID     string     `bson:"timelineId"`
	ActiveBranchID string     `bson:"activeBranchId"`
	Topic          string     `bson:"topic"`
	RelatedCaseID  string     `bson:"relatedCaseId"`
	Priority       string     `bson:"priority"`
	HandoffAt      *time.Time `bson:"handoffAt"` // nil when nobody asked
	HandoffReason  string     `bson:"handoffReason"`
	CreatedBy      actorDoc   `bson:"createdBy"`
	CreatedAt      time.Time  `bson:"createdAt"`
	UpdatedAt      time.Time  `bson:"updatedAt"`
}

type timelineDoc struct {
	Key           string    `bson:"_id"` // tenant/id
	Tenant        string    `bson:"tenant"`
	ID            string    `bson:"id"`
	Version       int64     `bson:"version"`
	ContainerType string    `bson:"containerType"`
	ContainerID   string    `bson:"containerId"`
	RootBranchID  string    `bson:"rootBranchId"`
	CreatedAt     time.Time `bson:"createdAt"`
	UpdatedAt     time.Time `bson:"updatedAt"`
}

// BranchStore implements phases.BranchStore.
type BranchStore struct {
	containers mongox.Documents[containerDoc]
	timelines  mongox.Documents[timelineDoc]
	branches   mongox.Documents[branchDoc]
}

// NewBranchStore returns the store in db.
func NewBranchStore(db *mongo.Database) *BranchStore {
	return &BranchStore{
		mongox.In[containerDoc](db, containersCollection),
		mongox.In[timelineDoc](db, timelinesCollection),
		mongox.In[branchDoc](db, branchesCollection),
	}
}

// EnsureRoot inserts a container's timeline and root branch, whose ids follow from the container's.
func (s *BranchStore) EnsureRoot(
	ctx context.Context, tenant string, kind, containerID string, by audit.Actor, at time.Time,
) error {
	timeline := cases.TimelineOf(containerID)
	root := cases.RootBranchOf(timeline)
	err := s.timelines.Insert(ctx, timelineDoc{
		Key:           mongox.Key(tenant, timeline),
		Tenant:        tenant,
		ID:            timeline,
		Version:       1,
		ContainerType: kind,
		ContainerID:   containerID,
		RootBranchID:  root,
		CreatedAt:     at,
		UpdatedAt:     at,
	})
	if err != nil && !errors.Is(err, errs.ErrTaken) {
		return err
	}
	err = s.branches.Insert(ctx, toBranchDoc(phases.Branch{
		ID:            root,
		Tenant:        tenant,
		Version:       1,
		Number:        1,
		TimelineID:    timeline,
		ContainerType: kind,
		ContainerID:   containerID,
		Title:         "main",
		Purpose:       phases.Main,
		CreatedBy:     by,
		CreatedAt:     at,
		UpdatedAt:     at,
	}))
	if errors.Is(err, errs.ErrTaken) {
		return nil
	}

	return err
}

func toContainerDoc(c phases.Container) containerDoc {
	d := containerDoc{
		Key:            mongox.Key(c.Tenant, c.ID),
		Tenant:         c.Tenant,
		ID:             c.ID,
		Version:        c.Version,
		Type:           c.Type,
		Title:          c.Title,
		Status:         c.Status,
		TimelineID:     c.TimelineID,
		ActiveBranchID: c.ActiveBranchID,
		Topic:          c.Topic,
		RelatedCaseID:  c.RelatedCaseID,
		Priority:       c.Priority,
		HandoffReason:  c.Handoff.Reason,
		CreatedBy:      actorDoc(c.CreatedBy),
		CreatedAt:      c.CreatedAt,
		UpdatedAt:      c.UpdatedAt,
	}
	if c.Handoff.Requested {
		d.HandoffAt = &c.Handoff.At
	}

	return d
}

// InsertContainer saves a container of support or sales.
func (s *BranchStore) InsertContainer(ctx context.Context, c phases.Container) error {
	return s.containers.Insert(ctx, toContainerDoc(c))
}

// ReplaceContainer saves the next version.
func (s *BranchStore) ReplaceContainer(ctx context.Context, c phases.Container) error {
	seen := mongox.Version(c.Version, c.Tenant, c.ID)
	c.Version++

	return s.containers.Replace(ctx, seen, toContainerDoc(c))
}

// Container returns a container of support or sales.
func (s *BranchStore) Container(ctx context.Context, tenant string, id string) (phases.Container, error) {
	if !ids.Valid(id) {
		return phases.Container{}, phases.ErrNotFound
	}
	d, err := s.containers.Find(ctx, mongox.One(tenant, id))
	if err != nil {
		return phases.Container{}, err
	}
	c := phases.Container{
		ID:             d.ID,
		Tenant:         tenant,
		Type:           d.Type,
		Version:        d.Version,
		Title:          d.Title,
		Status:         d.Status,
		TimelineID:     d.TimelineID,
		ActiveBranchID: d.ActiveBranchID,
		Topic:          d.Topic,
		RelatedCaseID:  d.RelatedCaseID,
		Priority:       d.Priority,
		CreatedBy:      audit.Actor(d.CreatedBy),
		CreatedAt:      d.CreatedAt.UTC(),
		UpdatedAt:      d.UpdatedAt.UTC(),
	}
	if d.HandoffAt != nil {
		c.Handoff = phases.Handoff{Requested: true, At: d.HandoffAt.UTC(), Reason: d.HandoffReason}
	}

	return c, nil
}
