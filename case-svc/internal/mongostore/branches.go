package mongostore

import (
	"context"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/ids"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"go.mongodb.org/mongo-driver/v2/bson"
)

type branchDoc struct {
	Key           string    `bson:"_id"` // tenant/id
	Tenant        string    `bson:"tenant"`
	ID            string    `bson:"id"`
	Version       int64     `bson:"version"`
	Number        int       `bson:"number"`
	TimelineID    string    `bson:"timelineId"`
	ContainerType string    `bson:"containerType"`
	ContainerID   string    `bson:"containerId"`
	Title         string    `bson:"title"`
	Purpose       string    `bson:"purpose"`
	ParentID      string    `bson:"parentBranchId"`
	ForkPhaseID   string    `bson:"forkPhaseId"`
	ForkSequence  int       `bson:"forkSequence"`
	BasePhaseID   string    `bson:"basePhaseId"`
	BaseHash      string    `bson:"baseHash"`
	Depth         int       `bson:"depth"`
	Lineage       []stepDoc `bson:"lineage"`
	SharedWith    []string  `bson:"sharedWithInviteIds"`
	HeadPhaseID   string    `bson:"headPhaseId"`
	HeadSequence  int       `bson:"headSequence"`
	HeadHash      string    `bson:"headHash"`
	Archived      bool      `bson:"archived"`
	CreatedBy     actorDoc  `bson:"createdBy"`
	CreatedAt     time.Time `bson:"createdAt"`
	UpdatedAt     time.Time `bson:"updatedAt"`
	LinedAt       time.Time `bson:"linedAt,omitempty"`
}

type stepDoc struct {
	BranchID string    `bson:"branchId"`
	Through  int       `bson:"through"`
	Until    time.Time `bson:"until"`
}

func toBranchDoc(b phases.Branch) branchDoc {
	return branchDoc{
		Key:           mongox.Key(b.Tenant, b.ID),
		Tenant:        b.Tenant,
		ID:            b.ID,
		Version:       b.Version,
		Number:        b.Number,
		TimelineID:    b.TimelineID,
		ContainerType: b.ContainerType,
		ContainerID:   b.ContainerID,
		Title:         b.Title,
		Purpose:       b.Purpose,
		ParentID:      b.ParentID,
		ForkPhaseID:   b.ForkPhaseID,
		ForkSequence:  b.ForkSequence,
		BasePhaseID:   b.BasePhaseID,
		BaseHash:      b.BaseHash,
		Depth:         b.Depth,
		Lineage:       mongox.Each(b.Lineage, func(s phases.Step) stepDoc { return stepDoc(s) }),
		SharedWith:    b.SharedWith,
		HeadPhaseID:   b.HeadPhaseID,
		HeadSequence:  b.HeadSequence,
		HeadHash:      b.HeadHash,
		Archived:      b.Archived,
		CreatedBy:     actorDoc(b.CreatedBy),
		CreatedAt:     b.CreatedAt,
		UpdatedAt:     b.UpdatedAt,
		LinedAt:       b.LinedAt,
	}
}

func (d branchDoc) toBranch() phases.Branch {
	return phases.Branch{
		ID:            d.ID,
		Tenant:        d.Tenant,
		Version:       d.Version,
		Number:        d.Number,
		TimelineID:    d.TimelineID,
		ContainerType: d.ContainerType,
		ContainerID:   d.ContainerID,
		Title:         d.Title,
		Purpose:       d.Purpose,
		ParentID:      d.ParentID,
		ForkPhaseID:   d.ForkPhaseID,
		ForkSequence:  d.ForkSequence,
		BasePhaseID:   d.BasePhaseID,
		BaseHash:      d.BaseHash,
		Depth:         d.Depth,
		SharedWith:    d.SharedWith,
		HeadPhaseID:   d.HeadPhaseID,
		HeadSequence:  d.HeadSequence,
		Lineage: mongox.Each(d.Lineage, func(s stepDoc) phases.Step {
			return phases.Step{BranchID: s.BranchID, Through: s.Through, Until: s.Until.UTC()}
		}),
		HeadHash:  d.HeadHash,
		Archived:  d.Archived,
		CreatedBy: audit.Actor(d.CreatedBy),
		CreatedAt: d.CreatedAt.UTC(),
		UpdatedAt: d.UpdatedAt.UTC(),
		LinedAt:   d.LinedAt.UTC(),
	}
}

// Timeline returns a timeline.
func (s *BranchStore) Timeline(ctx context.Context, tenant string, id string) (phases.Timeline, error) {
	if !ids.Valid(id) {
		return phases.Timeline{}, phases.ErrNotFound
	}
	d, err := s.timelines.Find(ctx, mongox.One(tenant, id))
	if err != nil {
		return phases.Timeline{}, err
	}

	return phases.Timeline{
		ID:            d.ID,
		Tenant:        tenant,
		Version:       d.Version,
		ContainerType: d.ContainerType,
		ContainerID:   d.ContainerID,
		RootBranchID:  d.RootBranchID,
		CreatedAt:     d.CreatedAt.UTC(),
		UpdatedAt:     d.UpdatedAt.UTC(),
	}, nil
}

// Branch returns a branch.
func (s *BranchStore) Branch(ctx context.Context, tenant string, id string) (phases.Branch, error) {
	if !ids.Valid(id) {
		return phases.Branch{}, phases.ErrNotFound
	}
	d, err := s.branches.Find(ctx, mongox.One(tenant, id))
	if err != nil {
		return phases.Branch{}, err
	}

	return d.toBranch(), nil
}

// InsertBranch saves a branch. Both its id and its number are unique; which of them is taken is found out afterwards.
func (s *BranchStore) InsertBranch(ctx context.Context, b phases.Branch) error {
	return insertUnique(ctx, s.branches, toBranchDoc(b), mongox.One(b.Tenant, b.ID), errs.ErrTaken, phases.ErrNumber)
}

// RemoveBranch deletes a branch.
func (s *BranchStore) RemoveBranch(ctx context.Context, b phases.Branch) error {
	return s.branches.Remove(ctx, mongox.One(b.Tenant, b.ID))
}

func ofTimeline(tenant string, timelineID string) bson.D {
	return bson.D{mongox.Is("tenant", tenant), mongox.Is("timelineId", timelineID)}
}

// CountBranches counts the branches of a timeline.
func (s *BranchStore) CountBranches(ctx context.Context, tenant string, timelineID string) (int, error) {
	return s.branches.Count(ctx, ofTimeline(tenant, timelineID), 0)
}

// Branches returns the branches of a timeline by their numbers.
func (s *BranchStore) Branches(ctx context.Context, tenant string, timelineID string) ([]phases.Branch, error) {
	docs, err := s.branches.List(
		ctx, ofTimeline(tenant, timelineID), bson.D{mongox.Is("number", 1)}, phases.MaxBranches, nil,
	)

	return mongox.Each(docs, branchDoc.toBranch), err
}

// BranchesOf returns those of the branches that are there.
func (s *BranchStore) BranchesOf(ctx context.Context, tenant string, ids []string) ([]phases.Branch, error) {
	docs, err := s.branches.List(
		ctx,
		bson.D{mongox.Is("_id", bson.D{mongox.Is("$in", keys(tenant, ids))}), mongox.Is("tenant", tenant)},
		bson.D{mongox.Is("_id", 1)},
		0,
		nil,
	)

	return mongox.Each(docs, branchDoc.toBranch), err
}

// keys returns the _ids of the tenant's documents with these ids.
func keys(tenant string, ids []string) []string {
	return mongox.Each(ids, func(id string) string { return mongox.Key(tenant, id) })
}

// ReplaceBranch saves the next version.
func (s *BranchStore) ReplaceBranch(ctx context.Context, b phases.Branch) error {
	seen := mongox.Version(b.Version, b.Tenant, b.ID)
	b.Version++

	return s.branches.Replace(ctx, seen, toBranchDoc(b))
}
