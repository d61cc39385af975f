package mongostore

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/ids"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
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
	ProducedBy    string        `bson:"producedBy"`
	SealedID      string        `bson:"sealedFileId"`
	SupersedesID  string        `bson:"supersedesFileId"`
	DeletedAt     time.Time     `bson:"deletedAt"`
	PhaseID       string        `bson:"phaseId"`
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
		mongox.Key(f.Tenant, f.ID), f.Tenant, f.ID, f.CaseID, f.Version, f.Name, f.DocType, f.DocTypeBasis, f.Description, f.MediaType, f.SizeBytes, f.SHA256,
		f.DedupeKey(), f.DocumentOn, f.Privilege, extractionDoc(f.Extraction), deidDoc(f.DeidCheck), f.AgentReadable, f.Labels, f.Revision, f.Status,
		actorDoc(f.UploadedBy), f.CreatedAt, f.ProducedBy, f.SealedID, f.SupersedesID, f.DeletedAt, f.PhaseID,
	}
}

func (d fileDoc) toFile() files.File {
	f := files.File{
		ID: d.ID, CaseID: d.CaseID, Tenant: d.Tenant, Version: d.Version, Name: d.Name, DocType: d.DocType, DocTypeBasis: d.DocTypeBasis,
		Description: d.Description, MediaType: d.MediaType, SizeBytes: d.SizeBytes, SHA256: d.SHA256, DocumentOn: d.DocumentOn, Privilege: d.Privilege,
		Extraction: files.Extraction(d.Extraction), DeidCheck: files.DeidCheck(d.DeidCheck), AgentReadable: d.AgentReadable, Labels: d.Labels,
		Revision: d.Revision, Status: d.Status, UploadedBy: audit.Actor(d.UploadedBy), CreatedAt: d.CreatedAt.UTC(),
		ProducedBy: d.ProducedBy, SealedID: d.SealedID, SupersedesID: d.SupersedesID, DeletedAt: d.DeletedAt.UTC(), PhaseID: d.PhaseID,
	}
	f.DeidCheck.At = f.DeidCheck.At.UTC()

	return f
}

// Shelf implements files.Shelf, and phases.Files.
type Shelf struct{ docs mongox.Documents[fileDoc] }

// NewShelf returns the store in db.
func NewShelf(db *mongo.Database) *Shelf { return &Shelf{mongox.In[fileDoc](db, filesCollection)} }

// Insert saves a file. A store may report either of the two unique values first, so this very file is looked for before another
// one is blamed: the loser's bytes are removed.
func (s *Shelf) Insert(ctx context.Context, f files.File) error {
	err := s.docs.Insert(ctx, toFileDoc(f))
	if !errors.Is(err, mongox.ErrTaken) {
		return err
	}

	_, err = s.docs.Find(ctx, mongox.One(f.Tenant, f.ID))
	switch {
	case err == nil:
		return files.ErrTaken
	case errors.Is(err, files.ErrNotFound):
		return files.ErrDuplicate
	}

	return err
}

// Get returns a file of the case.
func (s *Shelf) Get(ctx context.Context, tenant string, caseID, id string) (files.File, error) {
	if !ids.Valid(id) {
		return files.File{}, files.ErrNotFound
	}
	d, err := s.docs.Find(ctx, mongox.One(tenant, id))
	if err == nil && d.CaseID != caseID {
		err = files.ErrNotFound
	}
	if err != nil {
		return files.File{}, err
	}

	return d.toFile(), nil
}

// Update replaces a file by what change makes of it.
func (s *Shelf) Update(ctx context.Context, tenant string, caseID, id string, change func(*files.File) error) (files.File, error) {
	for range tries {
		f, err := s.Get(ctx, tenant, caseID, id)
		if err != nil {
			return files.File{}, err
		}
		seen := append(mongox.One(tenant, id), mongox.Is("version", f.Version))
		if err := change(&f); err != nil {
			return files.File{}, err
		}
		f.Version++
		if err := s.docs.Replace(ctx, seen, toFileDoc(f)); !errors.Is(err, mongox.ErrTaken) {
			return f, err
		}
	}

	return files.File{}, cases.ErrBusy
}

// Outdated lists files whose last check was by other rules.
func (s *Shelf) Outdated(ctx context.Context, version string, most int) ([]files.File, error) {
	docs, err := s.docs.List(ctx, bson.D{
		mongox.Is("deidCheck.status", bson.D{mongox.Is("$in", bson.A{files.Passed, files.Refused})}), mongox.Is("deidCheck.detectorVersion", bson.D{mongox.Is("$ne", version)}),
		mongox.Is("status", bson.D{mongox.Is("$ne", files.Deleted)}),
	}, bson.D{}, most, nil)

	return each(docs, fileDoc.toFile), err
}

func fileFilter(tenant string, caseID string, f files.Filter) bson.D {
	filter := bson.D{mongox.Is("tenant", tenant), mongox.Is("caseId", caseID)}
	if f.Status != "" {
		filter = append(filter, mongox.Is("status", f.Status))
	}
	if f.DocType != "" {
		filter = append(filter, mongox.Is("docType", f.DocType))
	}
	if f.Extraction != "" {
		filter = append(filter, mongox.Is("extraction.status", f.Extraction))
	}
	if f.Privilege != "" {
		filter = append(filter, mongox.Is("privilege", f.Privilege))
	}
	if dated := within(f.From, f.To); dated != nil {
		filter = append(filter, mongox.Is("documentOn", dated))
	}
	if f.Unsealed {
		filter = append(filter, mongox.Is("mediaType", bson.D{mongox.Is("$ne", files.Sealed)}))
	}
	if f.IDs != nil {
		filter = append(filter, mongox.Is("id", bson.D{mongox.Is("$in", f.IDs)}))
	}

	return filter
}

// within bounds a calendar date; nil when there is no bound. A file without a date lies outside of every bound.
func within(from, to string) bson.D {
	if from == "" && to == "" {
		return nil
	}
	bounds := bson.D{mongox.Is("$gt", "")}
	if from != "" {
		bounds = bson.D{mongox.Is("$gte", from)}
	}
	if to != "" {
		bounds = append(bounds, mongox.Is("$lte", to))
	}

	return bounds
}

// List returns one page.
func (s *Shelf) List(ctx context.Context, tenant string, caseID string, q files.Query) ([]files.File, error) {
	field := map[files.SortField]string{files.ByCreated: "createdAt", files.ByName: "name", files.ByDocument: "documentOn"}[q.Sort]
	filter := fileFilter(tenant, caseID, q.Filter)
	if p := q.After; p != nil {
		var value any = p.Time
		if q.Sort != files.ByCreated {
			value = p.Text
		}
		filter = after(filter, field, q.Descending, value, p.ID)
	}
	docs, err := s.docs.List(ctx, filter, order(field, q.Descending), q.Limit, nil)

	return each(docs, fileDoc.toFile), err
}

// Count counts files.
func (s *Shelf) Count(ctx context.Context, tenant string, caseID string, f files.Filter) (int, error) {
	return s.docs.Count(ctx, fileFilter(tenant, caseID, f), 0)
}

// Holdings returns the active files in short, the oldest first.
func (s *Shelf) Holdings(ctx context.Context, tenant string, caseID string) ([]files.Holding, error) {
	short := bson.D{
		mongox.Is("id", 1), mongox.Is("version", 1), mongox.Is("name", 1), mongox.Is("sha256", 1), mongox.Is("sizeBytes", 1), mongox.Is("extraction", 1), mongox.Is("agentReadable", 1),
		mongox.Is("supersedesFileId", 1), mongox.Is("phaseId", 1),
	}
	docs, err := s.docs.List(ctx, fileFilter(tenant, caseID, files.Filter{Status: files.Active}), order("createdAt", false), 0, short)
	if err != nil {
		return nil, err
	}

	return each(docs, func(d fileDoc) files.Holding {
		return files.Holding{
			ID: d.ID, Version: d.Version, Name: d.Name, SHA256: d.SHA256, SizeBytes: d.SizeBytes, TextVersion: d.Extraction.TextVersion, Chars: d.Extraction.Chars,
			AgentReadable: d.AgentReadable, SupersedesID: d.SupersedesID, Generated: d.PhaseID != "",
		}
	}), nil
}

// Kept adds up what counts towards the case's quota.
func (s *Shelf) Kept(ctx context.Context, tenant string, caseID string) (count int, bytes int64, err error) {
	filter := append(fileFilter(tenant, caseID, files.Filter{}), mongox.Is("status", bson.D{mongox.Is("$in", bson.A{files.Active, files.Superseded})}))
	docs, err := s.docs.List(ctx, filter, bson.D{}, 0, bson.D{mongox.Is("sizeBytes", 1)})
	if err != nil {
		return 0, 0, err
	}

	for _, d := range docs {
		bytes += d.SizeBytes
	}

	return len(docs), bytes, nil
}

// Has reports whether the case has all of these as active files.
func (s *Shelf) Has(ctx context.Context, tenant string, caseID string, ids []string) (bool, error) {
	want := slices.Compact(slices.Sorted(slices.Values(ids)))
	n, err := s.Count(ctx, tenant, caseID, files.Filter{Status: files.Active, IDs: want})

	return n == len(want), err
}
