package mongostore

import (
	"context"
	"errors"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// Contents implements cases.Contents, and removes what deleted cases held.
type Contents struct {
	cases     documents[caseDoc]
	files     documents[fileDoc]
	phases    documents[phaseDoc]
	branches  documents[branchDoc]
	timelines documents[timelineDoc]
	claims    documents[claimDoc]
	blobs     *Blobs
	texts     *Texts
}

// NewContents returns the store in db. blobs is where the bytes of its files are.
func NewContents(db *mongo.Database, blobs *Blobs) *Contents {
	return &Contents{
		in[caseDoc](db, casesCollection), in[fileDoc](db, filesCollection), in[phaseDoc](db, phasesCollection), in[branchDoc](db, branchesCollection),
		in[timelineDoc](db, timelinesCollection), in[claimDoc](db, claimsCollection), blobs, NewTexts(db),
	}
}

func held(tenant cases.TenantID, containerID string, more ...bson.E) bson.D {
	return append(bson.D{is("tenant", string(tenant)), is("containerId", containerID)}, more...)
}

// OpenPhase returns the id of an open phase, or "".
func (s *Contents) OpenPhase(ctx context.Context, tenant cases.TenantID, containerID string) (string, error) {
	d, err := s.phases.find(ctx, held(tenant, containerID, is("open", true)))
	if errors.Is(err, phases.ErrNotFound) {
		return "", nil
	}
	return d.ID, err
}

// OthersWork looks for a file or a phase that no agent of the user brought.
func (s *Contents) OthersWork(ctx context.Context, tenant cases.TenantID, caseID, userID string) (bool, error) {
	others := func(by string) bson.E {
		return is("$or", bson.A{bson.D{is(by+".userId", bson.D{is("$ne", userID)})}, bson.D{is(by+".kind", cases.KindUser)}})
	}
	_, err := s.files.find(ctx, append(fileFilter(tenant, caseID, files.Filter{}), others("uploadedBy")))
	if errors.Is(err, files.ErrNotFound) {
		_, err = s.phases.find(ctx, held(tenant, caseID, others("createdBy")))
	}
	if errors.Is(err, phases.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// Tally counts what the case's own counts are made of.
func (s *Contents) Tally(ctx context.Context, tenant cases.TenantID, caseID string) (active, done, pending int, err error) {
	if active, err = s.files.count(ctx, fileFilter(tenant, caseID, files.Filter{Status: files.Active}), 0); err != nil {
		return 0, 0, 0, err
	}
	if done, err = s.phases.count(ctx, held(tenant, caseID), 0); err != nil {
		return 0, 0, 0, err
	}
	pending, err = s.phases.count(ctx, held(tenant, caseID, is("reviewStatus", phases.ReviewPending)), 0)
	return active, done, pending, err
}

// purgePage is what is removed between two looks at the store.
const purgePage = 100

// Due lists up to most deleted cases of all tenants whose time to be restored is over.
func (s *Contents) Due(ctx context.Context, now time.Time, most int) ([]cases.Case, error) {
	docs, err := s.cases.list(ctx, bson.D{is("purgeAt", bson.D{is("$lt", now)})}, bson.D{is("purgeAt", 1)}, most)
	return each(docs, caseDoc.toCase), err
}

// Purge takes the content from a deleted case, then all that it held, and leaves a tombstone: ids, dates, who. It may be repeated; until
// it has come to its end the case stays due.
func (s *Contents) Purge(ctx context.Context, c cases.Case) error {
	if c.Deletion == nil || c.Retention.LegalHold {
		return nil
	}
	stone := cases.Case{
		ID: c.ID, Tenant: c.Tenant, Version: c.Version + 1, Status: c.Status, Retention: c.Retention, Fingerprint: c.Fingerprint, CreatedAt: c.CreatedAt,
		UpdatedAt: c.UpdatedAt, CreatedBy: c.CreatedBy, Deletion: c.Deletion, TimelineID: c.TimelineID, ActiveBranchID: c.ActiveBranchID,
	}
	if err := s.cases.replace(ctx, append(one(c.Tenant, c.ID), is("version", c.Version)), toCaseDoc(stone)); errors.Is(err, errTaken) {
		return nil // restored, or another replica is at it
	} else if err != nil {
		return err
	}
	if err := s.purgeFiles(ctx, c); err != nil {
		return err
	}
	if err := s.purgeTree(ctx, c); err != nil {
		return err
	}
	done := toCaseDoc(stone)
	done.Version++
	done.PurgeAt = never
	if err := s.cases.replace(ctx, append(one(c.Tenant, c.ID), is("version", stone.Version)), done); err != nil && !errors.Is(err, errTaken) {
		return err
	}
	return nil
}

func (s *Contents) purgeTree(ctx context.Context, c cases.Case) error {
	if err := purgeAll(ctx, s.phases, held(c.Tenant, c.ID), func(d phaseDoc) bson.D { return one(c.Tenant, d.ID) }); err != nil {
		return err
	}
	inTimeline := bson.D{is("tenant", string(c.Tenant)), is("timelineId", c.TimelineID)}
	release := func(d branchDoc) error { return s.claims.remove(ctx, one(c.Tenant, d.ID)) }
	if err := purgeAll(ctx, s.branches, inTimeline, func(d branchDoc) bson.D { return one(c.Tenant, d.ID) }, release); err != nil {
		return err
	}
	return s.timelines.remove(ctx, one(c.Tenant, c.TimelineID))
}

func (s *Contents) purgeFiles(ctx context.Context, c cases.Case) error {
	return purgeAll(ctx, s.files, fileFilter(c.Tenant, c.ID, files.Filter{}), func(d fileDoc) bson.D { return one(c.Tenant, d.ID) }, func(d fileDoc) error {
		if err := s.blobs.Remove(ctx, c.Tenant, d.ID); err != nil {
			return err
		}
		return s.texts.Remove(ctx, c.Tenant, d.ID, max(1, d.Extraction.TextVersion))
	})
}

// purgeAll deletes what filter lets through, page by page, each document after the steps that must come before.
func purgeAll[D any](ctx context.Context, docs documents[D], filter bson.D, id func(D) bson.D, before ...func(D) error) error {
	for {
		page, err := docs.list(ctx, filter, bson.D{is("createdAt", 1)}, purgePage)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, d := range page {
			for _, step := range before {
				if err := step(d); err != nil {
					return err
				}
			}
			if err := docs.remove(ctx, id(d)); err != nil {
				return err
			}
		}
	}
}
