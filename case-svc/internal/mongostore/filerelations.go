package mongostore

import (
	"context"
	"errors"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

type successionDoc struct {
	Key       string    `bson:"_id"` // tenant/id
	Tenant    string    `bson:"tenant"`
	ID        string    `bson:"id"` // of the older file
	CaseID    string    `bson:"caseId"`
	Successor string    `bson:"successor"`
	CreatedAt time.Time `bson:"createdAt"`
}

// Successions implements files.Successions: the insert of a unique _id decides.
type Successions struct {
	docs mongox.Documents[successionDoc]
}

// NewSuccessions returns the store in db.
func NewSuccessions(db *mongo.Database) *Successions {
	return &Successions{mongox.In[successionDoc](db, successionsCollection)}
}

// Claim inserts the claim.
func (s *Successions) Claim(ctx context.Context, tenant string, caseID, id, successor string) error {
	err := s.docs.Insert(ctx, successionDoc{
		Key:       mongox.Key(tenant, id),
		Tenant:    tenant,
		ID:        id,
		CaseID:    caseID,
		Successor: successor,
	})
	if !errors.Is(err, errs.ErrTaken) {
		return err
	}

	made, err := s.docs.Find(ctx, mongox.One(tenant, id))
	switch {
	case errors.Is(err, errs.ErrNotFound), err == nil && made.Successor != successor:
		return files.ErrSuperseded
	}

	return err
}

// Release deletes the claim.
func (s *Successions) Release(ctx context.Context, tenant string, id, successor string) error {
	return s.docs.Remove(ctx, append(mongox.One(tenant, id), mongox.Is("successor", successor)))
}

type clearanceDoc struct {
	Key       string    `bson:"_id"` // tenant/caseId/sha256
	Tenant    string    `bson:"tenant"`
	CaseID    string    `bson:"caseId"`
	SHA256    string    `bson:"sha256"`
	Version   int64     `bson:"version"`
	Marks     []markDoc `bson:"marks"`
	By        actorDoc  `bson:"by"`
	CreatedAt time.Time `bson:"createdAt"`
}

type markDoc struct {
	Path  string `bson:"path"`
	Kind  string `bson:"kind"`
	Start int    `bson:"start"`
	End   int    `bson:"end"`
}

// Clearances implements files.Clearances.
type Clearances struct {
	docs mongox.Documents[clearanceDoc]
}

// NewClearances returns the store in db.
func NewClearances(db *mongo.Database) *Clearances {
	return &Clearances{mongox.In[clearanceDoc](db, clearancesCollection)}
}

// Get finds a clearance.
func (s *Clearances) Get(ctx context.Context, tenant string, caseID, sha256 string) (files.Clearance, error) {
	d, err := s.docs.Find(ctx, mongox.One(tenant, caseID, sha256))
	if err != nil {
		return files.Clearance{}, err
	}

	return d.clearance(), nil
}

func (d clearanceDoc) clearance() files.Clearance {
	return files.Clearance{
		Tenant:  d.Tenant,
		CaseID:  d.CaseID,
		SHA256:  d.SHA256,
		Version: d.Version,
		Marks:   mongox.Each(d.Marks, func(m markDoc) files.Mark { return files.Mark(m) }),
		By:      audit.Actor(d.By),
		At:      d.CreatedAt.UTC(),
	}
}

// OfCase reads by the index that begins with tenant and case.
func (s *Clearances) OfCase(ctx context.Context, tenant, caseID string, most int) ([]files.Clearance, error) {
	of := bson.D{mongox.Is("tenant", tenant), mongox.Is("caseId", caseID)}

	list, err := s.docs.List(ctx, of, order("createdAt", false), most, nil)
	if err != nil {
		return nil, err
	}

	return mongox.Each(list, clearanceDoc.clearance), nil
}

// Put inserts the first version and replaces an older one.
func (s *Clearances) Put(ctx context.Context, c files.Clearance) error {
	d := clearanceDoc{
		mongox.Key(c.Tenant, c.CaseID, c.SHA256), c.Tenant, c.CaseID, c.SHA256, c.Version + 1, mongox.Each(
			c.Marks, func(m files.Mark) markDoc { return markDoc(m) },
		),
		actorDoc(c.By), c.At,
	}
	var err error
	if c.Version == 0 {
		err = s.docs.Insert(ctx, d)
	} else {
		err = s.docs.Replace(ctx, mongox.Version(c.Version, c.Tenant, c.CaseID, c.SHA256), d)
	}

	return err
}

// Shredder implements files.Shredder.
type Shredder struct {
	files mongox.Documents[fileDoc]
	cases mongox.Documents[caseDoc]
	now   func() time.Time
}

// NewShredder returns the store in db.
func NewShredder(db *mongo.Database, now func() time.Time) *Shredder {
	return &Shredder{mongox.In[fileDoc](db, filesCollection), mongox.In[caseDoc](db, casesCollection), now}
}

// Due passes over files that a legal hold keeps, so that these never stand in the way of others.
func (s *Shredder) Due(ctx context.Context, most int) ([]files.File, error) {
	filter := func() bson.D {
		return bson.D{
			mongox.Is("status", files.Deleted),
			mongox.Is("deletedAt", bson.D{mongox.Is("$lt", s.now().Add(-files.KeptDeleted))}),
		}
	}
	everybody := func(fileDoc) (bool, error) { return true, nil }

	return s.free(ctx, filter, "deletedAt", func(d fileDoc) time.Time { return d.DeletedAt }, most, everybody)
}

// free lists up to most files in the order of a time, those that no legal hold keeps and that may go besides.
func (s *Shredder) free(
	ctx context.Context,
	filter func() bson.D,
	field string,
	at func(fileDoc) time.Time,
	most int,
	may func(fileDoc) (bool, error),
) ([]files.File, error) {
	var due []files.File
	held := map[string]bool{}

	for page := filter(); len(due) < most; {
		docs, err := s.files.List(ctx, page, order(field, false), most, nil)
		if err != nil {
			return nil, err
		}

		for _, d := range docs {
			hold, err := s.held(ctx, held, d)
			if err != nil {
				return nil, err
			}
			free, err := may(d)
			if err != nil {
				return nil, err
			}
			if !hold && free && len(due) < most {
				due = append(due, d.toFile())
			}
		}
		if len(docs) < most {
			break
		}
		last := docs[len(docs)-1]
		page = after(filter(), field, false, at(last), last.ID)
	}

	return due, nil
}

// SetAside passes over files that a legal hold keeps, and over those of tenants that have not agreed.
func (s *Shredder) SetAside(
	ctx context.Context,
	before time.Time,
	may files.Confirmed,
	most int,
) ([]files.File, error) {
	filter := func() bson.D {
		return bson.D{mongox.Is("original.placed", true), mongox.Is("original.at", bson.D{mongox.Is("$lt", before)})}
	}

	return s.free(
		ctx,
		filter,
		"original.at",
		func(d fileDoc) time.Time { return d.Original.At },
		most,
		func(d fileDoc) (bool, error) {
			return may(ctx, d.Tenant)
		},
	)
}

// held tells whether the case of a file is under a legal hold; known remembers.
func (s *Shredder) held(ctx context.Context, known map[string]bool, d fileDoc) (bool, error) {
	id := mongox.Key(d.Tenant, d.CaseID)
	if hold, ok := known[id]; ok {
		return hold, nil
	}
	c, err := s.cases.Find(ctx, mongox.One(d.Tenant, d.CaseID))
	if err != nil && !errors.Is(err, errs.ErrNotFound) {
		return false, err
	}
	known[id] = err == nil && c.toCase().Retention.LegalHold

	return known[id], nil
}

// Forget deletes the record.
func (s *Shredder) Forget(ctx context.Context, f files.File) error {
	return s.files.Remove(ctx, mongox.One(f.Tenant, f.ID))
}
