package mongostore

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/ids"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// fileDoc keeps under mediaType, sizeBytes and sha256 what is handed out, as it was before renditions were: a replica
// of an older version then serves a rendition as what it is. What was sent stands in sent, where it is something else.
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
	Slot          string        `bson:"slot,omitempty"`
	Attempt       int           `bson:"attempt,omitempty"`
	Sent          *formDoc      `bson:"sent,omitempty"`
	Renderer      string        `bson:"renderer,omitempty"`
	Word          *formDoc      `bson:"word,omitempty"`
	Dropped       []droppedDoc  `bson:"dropped,omitempty"`
	Unread        *unreadDoc    `bson:"unread,omitempty"`
	Numbers       []byte        `bson:"numbers,omitempty"`
	Original      *originalDoc  `bson:"original,omitempty"`
	TriedBy       string        `bson:"triedBy,omitempty"`
}

type formDoc struct {
	MediaType string `bson:"mediaType"`
	SizeBytes int64  `bson:"sizeBytes"`
	SHA256    string `bson:"sha256"`
}

type droppedDoc struct {
	Kind  string `bson:"kind"`
	Count int    `bson:"count"`
}

type unreadDoc struct {
	Count  int              `bson:"count"`
	Places []unreadPlaceDoc `bson:"places"`
}

type unreadPlaceDoc struct {
	Page  int    `bson:"page"`
	What  string `bson:"what"`
	At    int    `bson:"at"`
	Count int    `bson:"count"`
}

type originalDoc struct {
	At     time.Time `bson:"at"`
	Copied bool      `bson:"copied"`
	Placed bool      `bson:"placed"`
}

type extractionDoc struct {
	Status           string  `bson:"status"`
	Reason           string  `bson:"reason,omitempty"`
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
	d := fileDoc{
		Key: mongox.Key(
			f.Tenant,
			f.ID,
		), Tenant: f.Tenant, ID: f.ID, CaseID: f.CaseID, Version: f.Version, Name: f.Name, DocType: f.DocType,
		DocTypeBasis: f.DocTypeBasis, Description: f.Description, MediaType: f.Content.MediaType,
		SizeBytes: f.Content.SizeBytes,
		SHA256:    f.Content.SHA256, DedupeKey: f.DedupeKey(), DocumentOn: f.DocumentOn, Privilege: f.Privilege,
		Extraction: extractionDoc(
			f.Extraction,
		), DeidCheck: deidDoc(f.DeidCheck), AgentReadable: f.AgentReadable, Labels: f.Labels,
		Revision: f.Revision, Status: f.Status, UploadedBy: actorDoc(f.UploadedBy), CreatedAt: f.CreatedAt,
		ProducedBy: f.ProducedBy,
		SealedID:   f.SealedID, SupersedesID: f.SupersedesID, DeletedAt: f.DeletedAt, PhaseID: f.PhaseID,
		Slot: f.Slot, Attempt: f.Attempt,
		Renderer: f.Content.Renderer,
		Dropped:  toDroppedDocs(f.Dropped), Unread: toUnreadDoc(f.Unread), Numbers: f.Numbers,
		TriedBy: f.TriedBy,
	}
	if f.Sent() != f.Content.Form {
		d.Sent = toFormDoc(f.Sent())
	}
	if f.Content.Word != (files.Form{}) {
		d.Word = toFormDoc(f.Content.Word)
	}
	if !f.Original.At.IsZero() {
		d.Original = &originalDoc{f.Original.At, f.Original.Copied, f.Original.Placed}
	}

	return d
}

func toDroppedDocs(all []files.Dropped) []droppedDoc {
	return mongox.Each(all, func(d files.Dropped) droppedDoc { return droppedDoc(d) })
}

func fromDroppedDocs(all []droppedDoc) []files.Dropped {
	return mongox.Each(all, func(d droppedDoc) files.Dropped { return files.Dropped(d) })
}

func toUnreadDoc(u files.Unread) *unreadDoc {
	if u.Count == 0 {
		return nil
	}

	return &unreadDoc{
		u.Count, mongox.Each(u.Places, func(p files.UnreadPlace) unreadPlaceDoc { return unreadPlaceDoc(p) }),
	}
}

func (d *unreadDoc) toUnread() files.Unread {
	if d == nil {
		return files.Unread{}
	}

	return files.Unread{
		Count:  d.Count,
		Places: mongox.Each(d.Places, func(p unreadPlaceDoc) files.UnreadPlace { return files.UnreadPlace(p) }),
	}
}

func toFormDoc(f files.Form) *formDoc {
	d := formDoc(f)
	return &d
}

func (d fileDoc) toFile() files.File {
	sent := d.sent()
	f := files.File{
		ID:           d.ID,
		CaseID:       d.CaseID,
		Tenant:       d.Tenant,
		Version:      d.Version,
		Name:         d.Name,
		DocType:      d.DocType,
		DocTypeBasis: d.DocTypeBasis,
		Description:  d.Description,
		MediaType:    sent.MediaType,
		SizeBytes:    sent.SizeBytes,
		SHA256:       sent.SHA256,
		Content: files.Content{
			Form:     files.Form{MediaType: d.MediaType, SizeBytes: d.SizeBytes, SHA256: d.SHA256},
			Renderer: d.Renderer,
		},
		Dropped:       fromDroppedDocs(d.Dropped),
		Unread:        d.Unread.toUnread(),
		Numbers:       d.Numbers,
		TriedBy:       d.TriedBy,
		DocumentOn:    d.DocumentOn,
		Privilege:     d.Privilege,
		Extraction:    files.Extraction(d.Extraction),
		DeidCheck:     files.DeidCheck(d.DeidCheck),
		AgentReadable: d.AgentReadable,
		Labels:        d.Labels,
		Revision:      d.Revision,
		Status:        d.Status,
		UploadedBy:    audit.Actor(d.UploadedBy),
		CreatedAt:     d.CreatedAt.UTC(),
		ProducedBy:    d.ProducedBy,
		SealedID:      d.SealedID,
		SupersedesID:  d.SupersedesID,
		DeletedAt:     d.DeletedAt.UTC(),
		PhaseID:       d.PhaseID,
		Slot:          d.Slot,
		Attempt:       d.Attempt,
	}
	f.DeidCheck.At = f.DeidCheck.At.UTC()
	if d.Word != nil {
		f.Content.Word = files.Form(*d.Word)
	}
	if d.Original != nil {
		f.Original = files.Original{At: d.Original.At.UTC(), Copied: d.Original.Copied, Placed: d.Original.Placed}
	}

	return f
}

// sent describes what was sent, which is what is handed out unless the record says otherwise.
func (d fileDoc) sent() files.Form {
	if d.Sent != nil {
		return files.Form(*d.Sent)
	}

	return files.Form{MediaType: d.MediaType, SizeBytes: d.SizeBytes, SHA256: d.SHA256}
}

// FileStore implements files.FileStore, and phases.Files.
type FileStore struct{ docs mongox.Documents[fileDoc] }

// NewFileStore returns the store in db.
func NewFileStore(db *mongo.Database) *FileStore {
	return &FileStore{mongox.In[fileDoc](db, filesCollection)}
}

// Insert saves a file. A store may report either of the two unique values first, so this very file is looked for before
// another one is blamed: the loser's bytes are removed.
func (s *FileStore) Insert(ctx context.Context, f files.File) error {
	err := s.docs.Insert(ctx, toFileDoc(f))
	if !errors.Is(err, errs.ErrTaken) {
		return err
	}

	_, err = s.docs.Find(ctx, mongox.One(f.Tenant, f.ID))
	switch {
	case err == nil:
		return errs.ErrTaken
	case errors.Is(err, files.ErrNotFound):
		return files.ErrDuplicate
	}

	return err
}

// Get returns a file of the case.
func (s *FileStore) Get(ctx context.Context, tenant string, caseID, id string) (files.File, error) {
	if !ids.Valid(id) {
		return files.File{}, files.ErrNotFound
	}
	d, err := s.docs.Find(ctx, mongox.One(tenant, id))
	// The id alone finds it, and the caller may be allowed to see another case of the tenant only.
	if err == nil && d.CaseID != caseID {
		err = files.ErrNotFound
	}
	if err != nil {
		return files.File{}, err
	}

	return d.toFile(), nil
}

// Among returns files of the case.
func (s *FileStore) Among(ctx context.Context, tenant, caseID string, ids []string) ([]files.File, error) {
	docs, err := s.docs.List(ctx, mongox.AnyOf(tenant, ids), nil, 0, nil)
	if err != nil {
		return nil, err
	}

	return mongox.Each(slices.DeleteFunc(docs, func(d fileDoc) bool { return d.CaseID != caseID }), fileDoc.toFile), nil
}

// Update replaces a file by what change makes of it.
func (s *FileStore) Update(
	ctx context.Context, tenant string, caseID, id string, change func(*files.File) error,
) (files.File, error) {
	for range tries {
		f, err := s.Get(ctx, tenant, caseID, id)
		if err != nil {
			return files.File{}, err
		}
		seen := mongox.Version(f.Version, tenant, id)
		if err := change(&f); err != nil {
			return files.File{}, err
		}
		f.Version++
		if err := s.docs.Replace(ctx, seen, toFileDoc(f)); !errors.Is(err, errs.ErrTaken) {
			return f, err
		}
	}

	return files.File{}, cases.ErrBusy
}

// Outdated lists files whose last check was by other rules.
func (s *FileStore) Outdated(ctx context.Context, version string, most int) ([]files.File, error) {
	docs, err := s.docs.List(ctx, bson.D{
		mongox.Is("deidCheck.status", bson.D{mongox.Is("$in", bson.A{files.Passed, files.Refused})}),
		mongox.Is("deidCheck.detectorVersion", bson.D{mongox.Is("$ne", version)}),
		mongox.Is("status", bson.D{mongox.Is("$ne", files.Deleted)}),
	}, bson.D{}, most, nil)

	return mongox.Each(docs, fileDoc.toFile), err
}

// Unrendered lists files that were stored before renditions were.
func (s *FileStore) Unrendered(ctx context.Context, reader string, before time.Time, most int) ([]files.File, error) {
	living := mongox.Is("status", bson.D{mongox.Is("$ne", files.Deleted)})
	untried := mongox.Is("triedBy", bson.D{mongox.Is("$ne", reader)})

	fresh, err := s.docs.List(ctx, append(sentBytes(),
		mongox.Is("original", nil), untried, living,
	), bson.D{}, most, nil)
	if err != nil || len(fresh) == most {
		return mongox.Each(fresh, fileDoc.toFile), err
	}
	begun, err := s.docs.List(ctx, bson.D{
		mongox.Is("original.placed", false), mongox.Is("original.at", bson.D{mongox.Is("$lt", before)}),
		untried, living,
	}, order("original.at", false), most-len(fresh), nil)

	return mongox.Each(append(fresh, begun...), fileDoc.toFile), err
}

// Originals counts the files of a tenant that were stored before renditions were.
func (s *FileStore) Originals(ctx context.Context, tenant string) (files.Originals, error) {
	aside := bson.D{mongox.Is("tenant", tenant), mongox.Is("original.at", bson.D{mongox.Is("$gt", time.Time{})})}
	docs, err := s.docs.List(ctx, aside, bson.D{}, 0, bson.D{mongox.Is("sent", 1), mongox.Is("sizeBytes", 1)})
	if err != nil {
		return files.Originals{}, err
	}
	o := files.Originals{SetAside: len(docs)}

	for _, d := range docs {
		o.SizeBytes += d.sent().SizeBytes
	}
	left := append(
		sentBytes(),
		mongox.Is("tenant", tenant),
		mongox.Is("status", bson.D{mongox.Is("$ne", files.Deleted)}),
	)
	fields := bson.D{mongox.Is("original", 1), mongox.Is("triedBy", 1)}
	if docs, err = s.docs.List(ctx, left, bson.D{}, 0, fields); err != nil {
		return files.Originals{}, err
	}

	for _, d := range docs {
		switch {
		case d.TriedBy != "":
			o.Unreadable++
		case d.Original == nil:
			o.Waiting++
		}
	}

	return o, nil
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
	if f.Unserved {
		filter = append(filter, unserved()...)
	}
	if f.IDs != nil {
		filter = append(filter, mongox.Is("id", bson.D{mongox.Is("$in", f.IDs)}))
	}

	return filter
}

// unserved chooses files that were stored before renditions were and that the sweep has still to come to, or to finish.
func unserved() bson.D {
	return bson.D{
		mongox.Is(
			"status",
			bson.D{mongox.Is("$ne", files.Deleted)},
		), mongox.Is("triedBy", bson.D{mongox.Is("$exists", false)}),
		mongox.Is(
			"$or",
			bson.A{append(sentBytes(), mongox.Is("original", nil)), bson.D{mongox.Is("original.placed", false)}},
		),
	}
}

// sentBytes chooses files whose record says that they have bytes of which only a rendition may be served.
func sentBytes() bson.D {
	return bson.D{
		mongox.Is("mediaType", bson.D{mongox.Is("$in", files.Rendered())}), mongox.Is("phaseId", ""),
		mongox.Is("deidCheck.status", bson.D{mongox.Is("$ne", files.Attested)}),
	}
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
func (s *FileStore) List(ctx context.Context, tenant string, caseID string, q files.Query) ([]files.File, error) {
	field := map[files.SortField]string{
		files.ByCreated:  "createdAt",
		files.ByName:     "name",
		files.ByDocument: "documentOn",
	}[q.Sort]
	filter := fileFilter(tenant, caseID, q.Filter)
	if p := q.After; p != nil {
		var value any = p.Time
		if q.Sort != files.ByCreated {
			value = p.Text
		}
		filter = after(filter, field, q.Descending, value, p.ID)
	}
	docs, err := s.docs.List(ctx, filter, order(field, q.Descending), q.Limit, nil)

	return mongox.Each(docs, fileDoc.toFile), err
}

// Count counts files.
func (s *FileStore) Count(ctx context.Context, tenant string, caseID string, f files.Filter) (int, error) {
	return s.docs.Count(ctx, fileFilter(tenant, caseID, f), 0)
}

// WithOriginal returns the files whose original is in a sealed file.
func (s *FileStore) WithOriginal(ctx context.Context, tenant, caseID, sealedID string) ([]files.File, error) {
	filter := bson.D{
		mongox.Is("tenant", tenant), mongox.Is("caseId", caseID), mongox.Is("sealedFileId", sealedID),
		mongox.Is("status", bson.D{mongox.Is("$ne", files.Deleted)}),
	}
	docs, err := s.docs.List(ctx, filter, bson.D{}, 0, nil)

	return mongox.Each(docs, fileDoc.toFile), err
}

// SealedFiles returns sealed files of all tenants in the order of their keys.
func (s *FileStore) SealedFiles(
	ctx context.Context, after string, most int,
) (page []files.File, next string, err error) {
	filter := bson.D{mongox.Is("mediaType", files.Sealed), mongox.Is("_id", bson.D{mongox.Is("$gt", after)})}
	docs, err := s.docs.List(ctx, filter, bson.D{mongox.Is("_id", 1)}, most, nil)
	if len(docs) == most {
		next = docs[most-1].Key
	}

	return mongox.Each(docs, fileDoc.toFile), next, err
}

// Drafts returns the active files that attempts of a phase made.
func (s *FileStore) Drafts(ctx context.Context, tenant, caseID, phaseID string, below int) ([]files.File, error) {
	attempts := bson.D{mongox.Is("$gte", 1), mongox.Is("$lt", below)}
	filter := bson.D{
		mongox.Is("tenant", tenant), mongox.Is("caseId", caseID), mongox.Is("phaseId", phaseID),
		mongox.Is("attempt", attempts), mongox.Is("status", files.Active),
	}
	docs, err := s.docs.List(ctx, filter, bson.D{mongox.Is("attempt", 1)}, 0, nil)

	return mongox.Each(docs, fileDoc.toFile), err
}

// Holdings returns the active files in short, the oldest first.
func (s *FileStore) Holdings(ctx context.Context, tenant string, caseID string) ([]files.Holding, error) {
	docs, err := s.short(ctx, fileFilter(tenant, caseID, files.Filter{Status: files.Active}))
	return mongox.Each(docs, fileDoc.toHolding), err
}

// short lists files with the fields of a holding, the oldest first.
func (s *FileStore) short(ctx context.Context, filter bson.D) ([]fileDoc, error) {
	var short bson.D
	for _, field := range []string{
		"id", "version", "name", "sha256", "sizeBytes", "sent", "word", "unread.count", "extraction", "agentReadable",
		"supersedesFileId", "phaseId",
		"mediaType", "status",
	} {
		short = append(short, mongox.Is(field, 1))
	}

	return s.docs.List(ctx, filter, order("createdAt", false), 0, short)
}

func (d fileDoc) toHolding() files.Holding {
	h := files.Holding{
		ID: d.ID, Version: d.Version, Name: d.Name, SHA256: d.sent().SHA256, ContentSHA256: d.SHA256,
		SizeBytes:   d.SizeBytes,
		TextVersion: d.Extraction.TextVersion, Chars: d.Extraction.Chars, AgentReadable: d.AgentReadable,
		SupersedesID: d.SupersedesID,
		Generated:    d.PhaseID != "",
		Sealed:       d.MediaType == files.Sealed,
	}
	if d.Unread != nil {
		h.Unread = d.Unread.Count
	}
	if d.Word != nil {
		h.WordSHA256 = d.Word.SHA256
	}

	return h
}

// Kept adds up what counts towards the case's quota.
func (s *FileStore) Kept(ctx context.Context, tenant string, caseID string) (files.Kept, error) {
	docs, err := s.short(
		ctx,
		append(
			fileFilter(tenant, caseID, files.Filter{}),
			mongox.Is("status", bson.D{mongox.Is("$in", bson.A{files.Active, files.Superseded})}),
		),
	)
	if err != nil {
		return files.Kept{}, err
	}

	kept := files.Kept{Count: len(docs)}
	for _, d := range docs {
		kept.Bytes += d.SizeBytes
		if d.Status == files.Active {
			kept.Active = append(kept.Active, d.toHolding())
		}
	}

	return kept, nil
}

// Has reports whether the case has all of these as active files. A sealed original is none that work can be done with.
func (s *FileStore) Has(ctx context.Context, tenant string, caseID string, ids []string) (bool, error) {
	want := slices.Compact(slices.Sorted(slices.Values(ids)))
	n, err := s.Count(ctx, tenant, caseID, files.Filter{Status: files.Active, IDs: want, Unsealed: true})

	return n == len(want), err
}
