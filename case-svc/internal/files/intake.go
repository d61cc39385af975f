package files

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/ids"
	"github.com/subrosa-legal/subrosa/pkg/inputgate"
	"github.com/subrosa-legal/subrosa/pkg/instant"
	"github.com/subrosa-legal/subrosa/pkg/validate"
)

// Intake takes files in. Who may send some is decided before.
type Intake struct {
	Cases   cases.Store
	Files   FileStore
	Blobs   Blobs
	Texts   Texts
	Uploads Uploads
	// Successions and Clearances hold what is decided about files beside their records.
	Successions Successions
	Clearances  Clearances
	Receipts    Receipts
	Spool       *Spool
	Gate        guard.Gate
	Journal     audit.Log
	Recount     func(ctx context.Context, tenant string, caseID string) error
	// Added notes a file that came to a case. It may be called again for the same one; nil when nobody keeps notes.
	// c is the case, nil when it is still to be read.
	Added func(ctx context.Context, f File, c *cases.Case) error
	// Dropped takes the note back for a draft that its phase has replaced; nil when nobody keeps notes.
	Dropped func(ctx context.Context, c cases.Case, fileID string) error

	Links  deeplink.Links
	Limits Limits
	Now    func() time.Time
}

// Part is one file as it comes.
type Part struct {
	Name     string // as sent; may be empty
	Declared string // its Content-Type; may be empty
}

// Meta is what the sender says of a file.
type Meta struct {
	Name        *string
	DocType     *string
	Description *string
	DocumentOn  *string
	Privilege   *string
	ProducedBy  *string
	Supersedes  *string // the file of which this is a newer version
	SealedFile  *string // the sealed file that holds the original
	Attestation bool    // a person says that the file names no client
}

// Taken is a file that an upload brought, or found there.
type Taken struct {
	File      File
	Duplicate bool // the case had these bytes
}

// Batch is one upload: files that are taken in all together or not at all.
type Batch struct {
	in       *Intake
	c        cases.Case
	by       audit.Actor
	holdings []Holding
	kept     int   // files that count towards the quota
	bytes    int64 // of them
	shown    int   // of these, as they were when the plan was on record, those that the counts of the case show
	upload   Upload
	placed   []File   // of the plan, those that the case got by it
	staged   bool     // the plan is stored and this batch may still drop it
	stored   []string // ids of files whose bytes are stored
	items    []item
	phase    string // whose drafts these are; "" for uploads
	attempt  int    // of that phase

	cleared []clearedWords // of drafts: what people have cleared in the files of the case; nil until it was asked
}

// From says that the files of the batch are drafts of an attempt of a phase. It is said before the first of them is
// added.
func (b *Batch) From(phaseID string, attempt int) { b.phase, b.attempt = phaseID, attempt }

// item is one file of a batch.
type item struct {
	file  File
	sent  Part
	known string // id of the file of the case that has the same bytes
	first int    // index of the item of this batch that has the same bytes, or -1
}

// fresh reports whether the item brings bytes that nobody had.
func (it item) fresh() bool { return it.known == "" && it.first < 0 }

// Open begins an upload into c. The caller closes the batch.
func (in *Intake) Open(ctx context.Context, c cases.Case, by audit.Actor) (*Batch, error) {
	kept, err := in.Files.Kept(ctx, c.Tenant, c.ID)
	if err != nil {
		return nil, err
	}
	now := instant.Of(in.Now())

	upload := Upload{ID: ids.New(), Tenant: c.Tenant, Version: 1, CaseID: c.ID, CreatedAt: now}
	// The ids are chosen before any byte is stored, so that Tidy finds the bytes of an upload that died by its plan
	// alone.
	for range in.Limits.PerRequest {
		upload.FileIDs = append(upload.FileIDs, ids.New())
	}

	return &Batch{in: in, c: c, by: by, holdings: kept.Active, kept: kept.Count, bytes: kept.Bytes, upload: upload}, nil
}

// Close drops what was stored of an upload that came to nothing.
func (b *Batch) Close(ctx context.Context) error {
	if !b.staged {
		return nil
	}

	// The caller may have hung up, and the bytes still have to go.
	return b.in.drop(context.WithoutCancel(ctx), b.upload, b.stored)
}

// Len returns how many files were added.
func (b *Batch) Len() int { return len(b.items) }

// path names a field of the next file. The first file's fields stand for themselves, so that an upload of one file
// reads simply.
func (b *Batch) path(n int, field string) string {
	if n == 0 {
		return field
	}

	return "files[" + strconv.Itoa(n) + "]." + field
}

// originalsOfPeople refuses whoever is no person and would keep an original: it names clients, only a person's own
// machine can encrypt it, and only people learn that the case has it.
const originalsOfPeople = "Only a person can keep an original with a case, since it names clients. " +
	"Send the user to the deep link: their browser encrypts it before it is sent. " +
	"You can add the file itself without its original."

// noOriginal refuses ciphertext of whoever is no person.
func (b *Batch) noOriginal() error {
	return guard.Refusal(b.link(), []guard.Located{{Path: "file", Finding: guard.Finding{Kind: guard.KindOperation}}}).
		WithMessage(originalsOfPeople)
}

// link is where a user mends what keeps a file out.
func (b *Batch) link() string { return b.in.Links.To(deeplink.RedactFile, b.c.ID) }

// Add takes one file, which has come whole, into the batch: it waits for a place, is read and checked, and is stored
// when it passes, but the case has it only with Commit. meta is what the sender says of it, nil if that is not known
// yet. ErrNoPlace means that no place for a check became free in time.
func (b *Batch) Add(ctx context.Context, part Part, meta *Meta, s *Scratch) error {
	n := len(b.items)
	if n == b.in.Limits.PerRequest {
		var f validate.List
		f.Add("file", fmt.Sprintf("must be at most %d in one request", b.in.Limits.PerRequest))

		return f.Err()
	}
	file, err := b.describe(ctx, n, part, s)
	if err != nil {
		return err
	}
	// The same bytes are not read again: they were checked when they came, and are rechecked when the rules change.
	if i := slices.IndexFunc(b.holdings, func(h Holding) bool { return h.Has(s.SHA256) }); i >= 0 {
		b.items = append(b.items, item{file: file, sent: part, known: b.holdings[i].ID, first: -1})
		return nil
	}
	if i := slices.IndexFunc(b.items, func(it item) bool { return it.file.has(s.SHA256) }); i >= 0 {
		b.items = append(b.items, item{file: file, sent: part, first: i})
		return nil
	}
	if err := b.quota(0); err != nil {
		return err // before it is read
	}
	attested := meta != nil && meta.Attestation
	if attested && !b.by.Human() {
		return cases.ErrHuman.WithDeepLink(b.link())
	}
	// Reading a file takes processor and memory, so only some are read at once. Receiving it took neither.
	leave, err := b.in.Spool.Place(ctx)
	if err != nil {
		return err
	}
	defer leave()

	keep, err := b.examine(ctx, n, &file, s, attested)
	if err != nil {
		return err
	}
	// What is kept can be larger than what was sent, and its size is known only now.
	if err := b.quota(file.Content.SizeBytes); err != nil {
		return err
	}
	if err := b.store(ctx, file, keep, s); err != nil {
		return err
	}
	b.items = append(b.items, item{file: file, sent: part, first: -1})

	return nil
}

// describe tells what sort of file it is, and checks its name, before its text is looked at.
func (b *Batch) describe(ctx context.Context, n int, part Part, s *Scratch) (File, error) {
	mediaType, err := kindOf(part, s)
	switch {
	case errors.Is(err, errEncrypted):
		return File{}, b.unverifiable(n, extract.Document{Status: extract.Encrypted, Reason: extract.ReasonEncrypted})
	case err != nil:
		return File{}, err
	case mediaType == Sealed && !b.by.Human():
		return File{}, b.noOriginal()
	}
	// The name is checked before anything of the file is stored, and is refused without being repeated.
	if err := inputgate.Check(
		ctx, b.in.Gate, b.link(), inputgate.Text{Channel: guard.FileName, Path: b.path(n, "name"), Value: part.Name},
	); err != nil {
		return File{}, b.suggestName(err, n, mediaType)
	}
	name := baseName(part.Name)
	if name == "" {
		name = b.plainName(n, mediaType)
	}
	var f validate.List
	now := instant.Of(b.in.Now())
	file := File{
		ID:           b.upload.FileIDs[n],
		CaseID:       b.c.ID,
		Tenant:       b.c.Tenant,
		Version:      1,
		Name:         f.Line(b.path(n, "name"), name, 1, MaxName),
		MediaType:    mediaType,
		SizeBytes:    s.Size,
		SHA256:       s.SHA256,
		Privilege:    b.c.Confidentiality.Privilege,
		DocTypeBasis: TypeUnknown,
		DocType:      "unknown",
		Revision:     1,
		Status:       Active,
		UploadedBy:   b.by,
		PhaseID:      b.phase,
		Attempt:      b.attempt,
		CreatedAt:    now,
	}
	file.Content.Form = file.Sent()
	// An attempt that is repeated must not add a second draft: the slot is unique for the attempt and the form.
	if b.phase != "" {
		file.Slot = mediaType
	}

	return file, f.Err()
}

// plainName is a name that tells nothing.
func (b *Batch) plainName(n int, mediaType string) string {
	return fmt.Sprintf("Document %d%s", len(b.holdings)+n+1, Extension(mediaType))
}

func (b *Batch) suggestName(err error, n int, mediaType string) error {
	var e *errs.Error
	if !errors.As(err, &e) || !errors.Is(err, guard.ErrRefused) {
		return err
	}

	return e.WithMessage("The name of the file could identify a client, so nothing of it was kept. Call it for example " +
		b.plainName(n, mediaType) + " and send it again.")
}

// quota checks, before its bytes are stored, that the case has room for one file more.
func (b *Batch) quota(size int64) error {
	count, bytes := b.kept, b.bytes+size
	for _, it := range b.items {
		if it.fresh() {
			count++
			bytes += it.file.Content.SizeBytes
		}
	}

	return b.in.Limits.fit(count+1, bytes)
}

// fit returns ErrQuota when a case may not hold so much.
func (lim Limits) fit(count int, bytes int64) error {
	if count <= lim.Files && bytes <= lim.CaseBytes {
		return nil
	}

	// It says how much there would be, so that the caller knows how much to delete.
	return ErrQuota.WithMessage(fmt.Sprintf(
		"A case holds at most %d files and %d bytes; it would hold %d files and %d bytes. "+
			"Delete files that are no longer needed.",
		lim.Files,
		lim.CaseBytes,
		count,
		bytes,
	))
}

// room checks, with the plan on record, that the case has room for it besides what other uploads bring at the same
// moment. Of two that do not fit together both may be refused, but never are both taken. The plan of one that a crash
// cut off takes its room until Tidy gives it up.
func (b *Batch) room(ctx context.Context) error {
	// first: what is placed meanwhile is counted in the store
	planned, err := b.in.Uploads.Planned(ctx, b.c.Tenant, b.c.ID)
	if err != nil {
		return err
	}
	kept, err := b.in.Files.Kept(ctx, b.c.Tenant, b.c.ID)
	if err != nil {
		return err
	}
	count, bytes := kept.Count, kept.Bytes

	b.shown = 0

	for _, h := range kept.Active {
		if !h.Sealed {
			b.shown++
		}
	}
	seen := map[string]bool{}

	// Two plans may hold the same bytes: the case gets them once.
	for _, u := range planned {
		for _, f := range u.Plan {
			if !seen[f.SHA256] {
				seen[f.SHA256], count, bytes = true, count+1, bytes+f.Content.SizeBytes
			}
		}
	}

	return b.in.Limits.fit(count, bytes)
}

// store keeps what is kept of a file that passed.
func (b *Batch) store(ctx context.Context, file File, keep kept, s *Scratch) error {
	// The plan is on record before the first byte, or nobody would ever find the bytes again.
	if !b.staged {
		if err := b.in.Uploads.Stage(ctx, b.upload); err != nil {
			return err
		}
		b.staged = true
	}
	// It is noted before the bytes go, since a failure in between leaves a part of them.
	b.stored = append(b.stored, file.ID)
	slots := map[Slot]io.Reader{Served: s.Reader()}
	if keep.made != nil {
		slots = keep.made.slots()
		keep.cleared = keep.made.cleared
	}
	// The clearance comes before the content that needs it: a recheck in between would refuse the file.
	if err := b.in.keepMarks(ctx, keep.cleared); err != nil {
		return err
	}

	for slot, content := range slots {
		if err := b.in.Blobs.Put(ctx, file.Tenant, file.ID, slot, content); err != nil {
			return err
		}
	}
	if keep.text == nil {
		return nil
	}

	return b.in.Texts.Put(ctx, *keep.text)
}
