package mongostore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/instant"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"go.mongodb.org/mongo-driver/v2/bson"
)

// purgePage is what is removed between two looks at the store.
const purgePage = 100

// Due lists up to most cases of all tenants whose content is to be taken away: deleted ones whose time to be restored
// is over, and archived ones, each when its retention is over too. What is under legal hold is never among them.
func (s *Contents) Due(ctx context.Context, now time.Time, most int) ([]cases.Case, error) {
	due := bson.D{mongox.Is("purgeAt", bson.D{mongox.Is("$lte", now)}), mongox.Is("retention.legalHold", false)}
	docs, err := s.cases.List(ctx, due, bson.D{mongox.Is("purgeAt", 1)}, most, nil)

	return mongox.Each(docs, caseDoc.toCase), err
}

// Entomb takes the content from a case that is due and leaves a tombstone: ids, hashes, dates, who. What the case held
// is still there, and the case stays due until Clear has removed it. cases.ErrBusy: the case was restored or held
// meanwhile, or another replica was first.
func (s *Contents) Entomb(ctx context.Context, c cases.Case, now time.Time) (cases.Case, error) {
	// The list of due cases may be minutes old, and a hold may have been set since.
	if at := c.PurgeAt(); at.IsZero() || now.Before(at) {
		return cases.Case{}, cases.ErrBusy
	}
	stone, err := s.stone(ctx, c, now)
	if err != nil {
		return cases.Case{}, err
	}
	d := toCaseDoc(stone)
	// It stays due until it is cleared, so that a crash in between does not leave content under a tombstone.
	d.PurgeAt = now
	err = s.cases.Replace(ctx, mongox.Version(c.Version, c.Tenant, c.ID), d)
	if errors.Is(err, errs.ErrTaken) {
		err = cases.ErrBusy
	}

	return stone, err
}

// Clear removes what others keep of a case under its tombstone, and then all that it held. It may be repeated.
func (s *Contents) Clear(
	ctx context.Context, stone cases.Case, elsewhere func(ctx context.Context, tenant, caseID string) error,
) error {
	for _, step := range []func() error{
		func() error { return elsewhere(ctx, stone.Tenant, stone.ID) },
		func() error { return s.purgeGrants(ctx, stone) },
		func() error { return s.purgeFiles(ctx, stone) },
		func() error { return s.purgeTree(ctx, stone) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	done := stone
	done.Version++
	err := s.cases.Replace(ctx, mongox.Version(stone.Version, stone.Tenant, stone.ID), toCaseDoc(done))
	if errors.Is(err, errs.ErrTaken) {
		err = nil // another replica was at it too
	}

	return err
}

// purgeGrants removes the grants of a case, which lie in the tenants of those who have them.
func (s *Contents) purgeGrants(ctx context.Context, c cases.Case) error {
	ofCase := bson.D{mongox.Is("caseTenant", c.Tenant), mongox.Is("caseId", c.ID)}
	return purgeAll(ctx, s.grants, ofCase, func(d grantDoc) bson.D { return mongox.One(d.Tenant, d.CaseID, d.UserID) })
}

// stone is what stays of a case.
func (s *Contents) stone(ctx context.Context, c cases.Case, now time.Time) (cases.Case, error) {
	// The zero byte keeps two different splits of the same letters apart.
	sum := sha256.Sum256([]byte(c.Title + "\x00" + c.Summary))
	left := cases.Tombstone{CaseSHA256: hex.EncodeToString(sum[:])}
	held, err := s.files.List(
		ctx,
		fileFilter(c.Tenant, c.ID, files.Filter{}),
		bson.D{mongox.Is("createdAt", 1)},
		0,
		mongox.Without("name", "description"),
	)
	if err != nil {
		return cases.Case{}, err
	}

	for _, f := range held {
		left.FileSHA256 = append(left.FileSHA256, f.sent().SHA256)
	}
	branches, err := s.branches.List(
		ctx,
		bson.D{mongox.Is("tenant", c.Tenant), mongox.Is("timelineId", c.TimelineID)},
		bson.D{mongox.Is("createdAt", 1)},
		0,
		nil,
	)
	if err != nil {
		return cases.Case{}, err
	}

	for _, b := range branches {
		if b.HeadHash != "" {
			left.HeadHashes = append(left.HeadHashes, b.HeadHash)
		}
	}
	slices.Sort(left.FileSHA256)
	slices.Sort(left.HeadHashes)
	stone := cases.Case{
		ID:             c.ID,
		Tenant:         c.Tenant,
		Version:        c.Version + 1,
		Status:         c.Status,
		Fingerprint:    c.Fingerprint,
		CreatedAt:      c.CreatedAt,
		UpdatedAt:      c.UpdatedAt,
		CreatedBy:      c.CreatedBy,
		OpenedOn:       c.OpenedOn,
		ClosedOn:       c.ClosedOn,
		TimelineID:     c.TimelineID,
		ActiveBranchID: c.ActiveBranchID,
		Retention:      cases.Retention{PolicyCode: c.Retention.PolicyCode, RetainUntil: c.Retention.RetainUntil},
	}
	deletion := cases.Deletion{By: audit.Actor{Kind: audit.Service}, At: instant.Of(now)}
	if c.Deletion != nil {
		deletion = *c.Deletion
	} else if deletion.At.After(stone.UpdatedAt) {
		stone.UpdatedAt = deletion.At // from now on it is gone for those who follow the changes
	}
	deletion.Tombstone = &left
	stone.Deletion = &deletion

	return stone, nil
}

func (s *Contents) purgeTree(ctx context.Context, c cases.Case) error {
	ofTask := func(d taskDoc) bson.D { return mongox.One(c.Tenant, d.ID) }
	if err := purgeAll(ctx, s.tasks, held(c.Tenant, c.ID), ofTask); err != nil {
		return err
	}
	if err := purgeAll(
		ctx, s.phases, held(c.Tenant, c.ID), func(d phaseDoc) bson.D { return mongox.One(c.Tenant, d.ID) },
	); err != nil {
		return err
	}
	inTimeline := bson.D{mongox.Is("tenant", c.Tenant), mongox.Is("timelineId", c.TimelineID)}
	if err := purgeAll(
		ctx, s.entries, inTimeline, func(d entryDoc) bson.D { return mongox.One(c.Tenant, d.ID) },
	); err != nil {
		return err
	}
	release := func(d branchDoc) error { return s.claims.Remove(ctx, mongox.One(c.Tenant, d.ID)) }
	if err := purgeAll(
		ctx, s.branches, inTimeline, func(d branchDoc) bson.D { return mongox.One(c.Tenant, d.ID) }, release,
	); err != nil {
		return err
	}

	// What leads to the rest goes last, or a purge that broke off could not go on.
	return s.timelines.Remove(ctx, mongox.One(c.Tenant, c.TimelineID))
}

func (s *Contents) purgeFiles(ctx context.Context, c cases.Case) error {
	ofCase := bson.D{mongox.Is("tenant", c.Tenant), mongox.Is("caseId", c.ID)}
	if err := purgeAll(
		ctx, s.next, ofCase, func(d successionDoc) bson.D { return mongox.One(c.Tenant, d.ID) },
	); err != nil {
		return err
	}
	if err := purgeAll(
		ctx, s.cleared, ofCase, func(d clearanceDoc) bson.D { return mongox.One(c.Tenant, d.CaseID, d.SHA256) },
	); err != nil {
		return err
	}

	byID := func(d fileDoc) bson.D { return mongox.One(c.Tenant, d.ID) }

	// The record of a file goes last: it is what a purge that broke off finds the rest of the file by.
	return purgeAll(ctx, s.files, fileFilter(c.Tenant, c.ID, files.Filter{}), byID, func(d fileDoc) error {
		if err := s.blobs.Remove(ctx, c.Tenant, d.ID); err != nil {
			return err
		}
		if err := s.receipts.Remove(ctx, mongox.One(c.Tenant, d.ID)); err != nil {
			return err
		}

		return s.texts.Remove(ctx, c.Tenant, d.ID, max(1, d.Extraction.TextVersion))
	})
}

// purgeAll deletes what filter lets through, page by page, each document after the steps that must come before.
func purgeAll[D any](
	ctx context.Context, docs mongox.Documents[D], filter bson.D, id func(D) bson.D, before ...func(D) error,
) error {
	for {
		// It asks for the first page each time: what it held is gone by then.
		page, err := docs.List(ctx, filter, bson.D{mongox.Is("createdAt", 1)}, purgePage, nil)
		if err != nil || len(page) == 0 {
			return err
		}

		for _, d := range page {
			for _, step := range before {
				if err := step(d); err != nil {
					return err
				}
			}
			if err := docs.Remove(ctx, id(d)); err != nil {
				return err
			}
		}
	}
}
