package mongostore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/subrosa-legal/subrosa/party-svc/internal/recounts"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

type noticeDoc struct {
	Key     string    `bson:"_id"` // tenant/caseId
	Tenant  string    `bson:"tenant"`
	CaseID  string    `bson:"caseId"`
	Version int64     `bson:"version"`
	DueAt   time.Time `bson:"dueAt"`
	Tries   int       `bson:"tries"`
}

func toNoticeDoc(n recounts.Notice) noticeDoc {
	return noticeDoc{
		mongox.Key(n.Tenant, n.CaseID), n.Tenant, n.CaseID, n.Version, n.DueAt.UTC().Truncate(time.Millisecond),
		n.Tries,
	}
}

func (d noticeDoc) toNotice() recounts.Notice {
	return recounts.Notice{Tenant: d.Tenant, CaseID: d.CaseID, Version: d.Version, DueAt: d.DueAt.UTC(), Tries: d.Tries}
}

// Notices implements recounts.Store.
type Notices struct{ docs mongox.Documents[noticeDoc] }

// NewNotices returns the store in db.
func NewNotices(db *mongo.Database) *Notices {
	return &Notices{mongox.In[noticeDoc](db, noticesCollection)}
}

// noticeTries bounds how often Put gives way: each time somebody else put or cleared the notice.
const noticeTries = 64

// Put inserts the notice, or replaces it by its next version, so that whoever tells of an earlier change does not take
// it away. A fresh notice's version is the time, so it is above any that somebody still holds of a cleared one.
func (s *Notices) Put(ctx context.Context, tenant, caseID string, due time.Time) (recounts.Notice, error) {
	for range noticeTries {
		n := recounts.Notice{Tenant: tenant, CaseID: caseID, Version: due.UnixMicro(), DueAt: due}
		err := s.docs.Insert(ctx, toNoticeDoc(n))
		if err == nil {
			return n, nil
		}
		if !errors.Is(err, errs.ErrTaken) {
			return n, err
		}
		d, err := s.docs.Find(ctx, mongox.One(tenant, caseID))
		if errors.Is(err, errs.ErrNotFound) {
			continue
		}
		if err != nil {
			return n, err
		}
		n.Version = max(d.Version+1, n.Version)
		if err = s.docs.Replace(ctx, s.version(d.toNotice()), toNoticeDoc(n)); err == nil {
			return n, nil
		}
		if !errors.Is(err, errs.ErrTaken) {
			return n, err
		}
	}

	return recounts.Notice{}, fmt.Errorf("put a notice: others kept winning: %w", errs.ErrUnavailable)
}

func (s *Notices) version(n recounts.Notice) bson.D {
	return mongox.Version(n.Version, n.Tenant, n.CaseID)
}

// Clear deletes the notice of this version.
func (s *Notices) Clear(ctx context.Context, n recounts.Notice) error {
	return s.docs.Remove(ctx, s.version(n))
}

// Later saves when to try again.
func (s *Notices) Later(ctx context.Context, n recounts.Notice) error {
	if err := s.docs.Replace(ctx, s.version(n), toNoticeDoc(n)); !errors.Is(err, errs.ErrTaken) {
		return err
	}

	return nil
}

// Due lists what the sweep takes on.
func (s *Notices) Due(ctx context.Context, now time.Time, most int) ([]recounts.Notice, error) {
	docs, err := s.docs.List(
		ctx, bson.D{mongox.Is("dueAt", bson.D{mongox.Is("$lte", now)})}, bson.D{mongox.Is("dueAt", 1)}, most, nil,
	)

	return mongox.Each(docs, noticeDoc.toNotice), err
}
