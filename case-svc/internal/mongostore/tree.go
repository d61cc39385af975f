package mongostore

import (
	"context"
	"errors"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

type containerDoc struct {
	Key            string    `bson:"_id"` // tenant/id
	Tenant         string    `bson:"tenant"`
	ID             string    `bson:"id"`
	Version        int64     `bson:"version"`
	Type           string    `bson:"type"`
	Title          string    `bson:"title"`
	Status         string    `bson:"status"`
	TimelineID     string    `bson:"timelineId"`
	ActiveBranchID string    `bson:"activeBranchId"`
	CreatedBy      actorDoc  `bson:"createdBy"`
	CreatedAt      time.Time `bson:"createdAt"`
	UpdatedAt      time.Time `bson:"updatedAt"`
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

type branchDoc struct {
	Key           string    `bson:"_id"` // tenant/id
	Tenant        string    `bson:"tenant"`
	ID            string    `bson:"id"`
	Version       int64     `bson:"version"`
	TimelineID    string    `bson:"timelineId"`
	ContainerType string    `bson:"containerType"`
	ContainerID   string    `bson:"containerId"`
	Title         string    `bson:"title"`
	Purpose       string    `bson:"purpose"`
	ParentID      string    `bson:"parentBranchId"`
	ForkPhaseID   string    `bson:"forkPhaseId"`
	HeadPhaseID   string    `bson:"headPhaseId"`
	HeadSequence  int       `bson:"headSequence"`
	HeadHash      string    `bson:"headHash"`
	Archived      bool      `bson:"archived"`
	CreatedBy     actorDoc  `bson:"createdBy"`
	CreatedAt     time.Time `bson:"createdAt"`
	UpdatedAt     time.Time `bson:"updatedAt"`
}

// Tree implements phases.Tree.
type Tree struct {
	containers documents[containerDoc]
	timelines  documents[timelineDoc]
	branches   documents[branchDoc]
}

// NewTree returns the store in db.
func NewTree(db *mongo.Database) *Tree {
	return &Tree{in[containerDoc](db, containersCollection), in[timelineDoc](db, timelinesCollection), in[branchDoc](db, branchesCollection)}
}

// EnsureRoot inserts a container's timeline and root branch, whose ids follow from the container's.
func (s *Tree) EnsureRoot(ctx context.Context, tenant cases.TenantID, kind, containerID string, by cases.Actor, at time.Time) error {
	timeline := cases.TimelineOf(containerID)
	root := cases.RootBranchOf(timeline)
	err := s.timelines.insert(ctx, timelineDoc{
		Key: key(tenant, timeline), Tenant: string(tenant), ID: timeline, Version: 1, ContainerType: kind, ContainerID: containerID, RootBranchID: root,
		CreatedAt: at, UpdatedAt: at,
	})
	if err != nil && !errors.Is(err, errTaken) {
		return err
	}
	err = s.branches.insert(ctx, branchDoc{
		Key: key(tenant, root), Tenant: string(tenant), ID: root, Version: 1, TimelineID: timeline, ContainerType: kind, ContainerID: containerID,
		Title: "main", Purpose: "main", CreatedBy: actorDoc(by), CreatedAt: at, UpdatedAt: at,
	})
	if errors.Is(err, errTaken) {
		return nil
	}
	return err
}

// InsertContainer saves a container of support or sales.
func (s *Tree) InsertContainer(ctx context.Context, c phases.Container) error {
	return phaseError(s.containers.insert(ctx, containerDoc{
		key(c.Tenant, c.ID), string(c.Tenant), c.ID, c.Version, c.Type, c.Title, c.Status, c.TimelineID, c.ActiveBranchID, actorDoc(c.CreatedBy), c.CreatedAt, c.UpdatedAt,
	}))
}

func phaseError(err error) error {
	if errors.Is(err, errTaken) {
		return phases.ErrTaken
	}
	return err
}

// Container returns a container of support or sales.
func (s *Tree) Container(ctx context.Context, tenant cases.TenantID, id string) (phases.Container, error) {
	if !cases.ValidID(id) {
		return phases.Container{}, phases.ErrNotFound
	}
	d, err := s.containers.find(ctx, one(tenant, id))
	if err != nil {
		return phases.Container{}, err
	}
	return phases.Container{
		ID: d.ID, Tenant: tenant, Type: d.Type, Version: d.Version, Title: d.Title, Status: d.Status, TimelineID: d.TimelineID,
		ActiveBranchID: d.ActiveBranchID, CreatedBy: cases.Actor(d.CreatedBy), CreatedAt: d.CreatedAt.UTC(), UpdatedAt: d.UpdatedAt.UTC(),
	}, nil
}

// Branch returns a branch.
func (s *Tree) Branch(ctx context.Context, tenant cases.TenantID, id string) (phases.Branch, error) {
	if !cases.ValidID(id) {
		return phases.Branch{}, phases.ErrNotFound
	}
	d, err := s.branches.find(ctx, one(tenant, id))
	if err != nil {
		return phases.Branch{}, err
	}
	return phases.Branch{
		ID: d.ID, Tenant: tenant, Version: d.Version, TimelineID: d.TimelineID, ContainerType: d.ContainerType, ContainerID: d.ContainerID, Title: d.Title,
		Purpose: d.Purpose, ParentID: d.ParentID, ForkPhaseID: d.ForkPhaseID, HeadPhaseID: d.HeadPhaseID, HeadSequence: d.HeadSequence, HeadHash: d.HeadHash,
		Archived: d.Archived, CreatedBy: cases.Actor(d.CreatedBy), CreatedAt: d.CreatedAt.UTC(), UpdatedAt: d.UpdatedAt.UTC(),
	}, nil
}

// ReplaceBranch saves the next version.
func (s *Tree) ReplaceBranch(ctx context.Context, b phases.Branch) error {
	seen := append(one(b.Tenant, b.ID), is("version", b.Version))
	return phaseError(s.branches.replace(ctx, seen, branchDoc{
		key(b.Tenant, b.ID), string(b.Tenant), b.ID, b.Version + 1, b.TimelineID, b.ContainerType, b.ContainerID, b.Title, b.Purpose, b.ParentID, b.ForkPhaseID,
		b.HeadPhaseID, b.HeadSequence, b.HeadHash, b.Archived, actorDoc(b.CreatedBy), b.CreatedAt, b.UpdatedAt,
	}))
}
