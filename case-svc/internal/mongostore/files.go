package mongostore

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

type fileDoc struct {
	Key           string        `bson:"_id"` // tenant/id
	Tenant        string        `bson:"tenant"`
	ID            string        `bson:"id"`
	CaseID        string        `bson:"caseId"`
	Version       int64         `bson:"version"`
	Name          string        `bson:"name"`
	DocType       string        `bson:"docType"`
	DocTypeBasis  string        `bson:"docTypeBasis"`
	Description   string        `bson:"description"`
	MediaType     string        `bson:"mediaType"`
	SizeBytes     int64         `bson:"sizeBytes"`
	SHA256        string        `bson:"sha256"`
	DedupeKey     string        `bson:"dedupeKey"` // unique within the case: the bytes while active, else the id
	DocumentOn    string        `bson:"documentOn"`
	Privilege     string        `bson:"privilege"`
	Extraction    extractionDoc `bson:"extraction"`
	DeidCheck     deidDoc       `bson:"deidCheck"`
	AgentReadable bool          `bson:"agentReadable"`
	Labels        []string      `bson:"labels"`
	Revision      int           `bson:"revision"`
	Status        string        `bson:"status"`
	UploadedBy    actorDoc      `bson:"uploadedBy"`
	CreatedAt     time.Time     `bson:"createdAt"`
}

type extractionDoc struct {
	Status           string  `bson:"status"`
	Pages            int     `bson:"pages"`
	Chars            int     `bson:"chars"`
	CharsPerPage     float64 `bson:"charsPerPage"`
	ReplacementRatio float64 `bson:"replacementRatio"`
	Language         string  `bson:"language"`
	Method           string  `bson:"method"`
	TextSHA256       string  `bson:"textSha256"`
	TextVersion      int     `bson:"textVersion"`
}

type deidDoc struct {
	Status          string    `bson:"status"`
	DetectorVersion string    `bson:"detectorVersion"`
	At              time.Time `bson:"at"`
	AttestedBy      string    `bson:"attestedByUserId"`
}

func toFileDoc(f files.File) fileDoc {
	return fileDoc{
		key(f.Tenant, f.ID), string(f.Tenant), f.ID, f.CaseID, f.Version, f.Name, f.DocType, f.DocTypeBasis, f.Description, f.MediaType, f.SizeBytes, f.SHA256,
		f.DedupeKey(), f.DocumentOn, f.Privilege, extractionDoc(f.Extraction), deidDoc(f.DeidCheck), f.AgentReadable, f.Labels, f.Revision, f.Status,
		actorDoc(f.UploadedBy), f.CreatedAt,
	}
}

func (d fileDoc) toFile() files.File {
	f := files.File{
		ID: d.ID, CaseID: d.CaseID, Tenant: cases.TenantID(d.Tenant), Version: d.Version, Name: d.Name, DocType: d.DocType, DocTypeBasis: d.DocTypeBasis,
		Description: d.Description, MediaType: d.MediaType, SizeBytes: d.SizeBytes, SHA256: d.SHA256, DocumentOn: d.DocumentOn, Privilege: d.Privilege,
		Extraction: files.Extraction(d.Extraction), DeidCheck: files.DeidCheck(d.DeidCheck), AgentReadable: d.AgentReadable, Labels: d.Labels,
		Revision: d.Revision, Status: d.Status, UploadedBy: cases.Actor(d.UploadedBy), CreatedAt: d.CreatedAt.UTC(),
	}
	f.DeidCheck.At = f.DeidCheck.At.UTC()
	return f
}

// Shelf implements files.Shelf, and phases.Files.
type Shelf struct{ docs documents[fileDoc] }

// NewShelf returns the store in db.
func NewShelf(db *mongo.Database) *Shelf { return &Shelf{in[fileDoc](db, filesCollection)} }

// Insert saves a file. A store may report either of the two unique values first, so this very file is looked for before another
// one is blamed: the loser's bytes are removed.
func (s *Shelf) Insert(ctx context.Context, f files.File) error {
	err := s.docs.insert(ctx, toFileDoc(f))
	if !errors.Is(err, errTaken) {
		return err
	}
	_, err = s.docs.find(ctx, one(f.Tenant, f.ID))
	switch {
	case err == nil:
		return files.ErrTaken
	case errors.Is(err, files.ErrNotFound):
		return files.ErrDuplicate
	}
	return err
}

// Get returns a file of the case.
func (s *Shelf) Get(ctx context.Context, tenant cases.TenantID, caseID, id string) (files.File, error) {
	if !cases.ValidID(id) {
		return files.File{}, files.ErrNotFound
	}
	d, err := s.docs.find(ctx, one(tenant, id))
	if err == nil && d.CaseID != caseID {
		err = files.ErrNotFound
	}
	if err != nil {
		return files.File{}, err
	}
	return d.toFile(), nil
}

func fileFilter(tenant cases.TenantID, caseID string, f files.Filter) bson.D {
	filter := bson.D{is("tenant", string(tenant)), is("caseId", caseID)}
	if f.Status != "" {
		filter = append(filter, is("status", f.Status))
	}
	if f.DocType != "" {
		filter = append(filter, is("docType", f.DocType))
	}
	if f.Extraction != "" {
		filter = append(filter, is("extraction.status", f.Extraction))
	}
	if f.IDs != nil {
		filter = append(filter, is("id", bson.D{is("$in", f.IDs)}))
	}
	return filter
}

// List returns one page.
func (s *Shelf) List(ctx context.Context, tenant cases.TenantID, caseID string, q files.Query) ([]files.File, error) {
	field := map[files.SortField]string{files.ByCreated: "createdAt", files.ByName: "name"}[q.Sort]
	filter := fileFilter(tenant, caseID, q.Filter)
	if p := q.After; p != nil {
		var value any = p.Time
		if q.Sort == files.ByName {
			value = p.Text
		}
		filter = after(filter, field, q.Descending, value, p.ID)
	}
	docs, err := s.docs.list(ctx, filter, order(field, q.Descending), q.Limit)
	return each(docs, fileDoc.toFile), err
}

// Count counts files.
func (s *Shelf) Count(ctx context.Context, tenant cases.TenantID, caseID string, f files.Filter) (int, error) {
	return s.docs.count(ctx, fileFilter(tenant, caseID, f), 0)
}

// Holdings returns the active files in short, the oldest first.
func (s *Shelf) Holdings(ctx context.Context, tenant cases.TenantID, caseID string) ([]files.Holding, error) {
	short := options.Find().SetSort(order("createdAt", false)).SetProjection(bson.D{
		is("id", 1), is("version", 1), is("name", 1), is("sha256", 1), is("sizeBytes", 1), is("extraction", 1), is("agentReadable", 1),
	})
	cursor, err := s.docs.coll.Find(ctx, fileFilter(tenant, caseID, files.Filter{Status: files.Active}), short)
	if err != nil {
		return nil, s.docs.failed("list", err)
	}
	var docs []fileDoc
	if err := cursor.All(ctx, &docs); err != nil {
		return nil, s.docs.failed("list", err)
	}
	return each(docs, func(d fileDoc) files.Holding {
		return files.Holding{
			ID: d.ID, Version: d.Version, Name: d.Name, SHA256: d.SHA256, SizeBytes: d.SizeBytes, TextVersion: d.Extraction.TextVersion, Chars: d.Extraction.Chars,
			AgentReadable: d.AgentReadable,
		}
	}), nil
}

// Has reports whether the case has all of these as active files.
func (s *Shelf) Has(ctx context.Context, tenant cases.TenantID, caseID string, ids []string) (bool, error) {
	want := slices.Compact(slices.Sorted(slices.Values(ids)))
	n, err := s.Count(ctx, tenant, caseID, files.Filter{Status: files.Active, IDs: want})
	return n == len(want), err
}
