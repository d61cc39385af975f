package files

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
)

// ErrDuplicate is what a FileStore says to an insert of bytes that an active file of the case has.
var ErrDuplicate = errors.New("the case has an active file of the same bytes")

// FileStore keeps the records of files. Another tenant's or case's file is ErrNotFound.
type FileStore interface {
	// Insert saves a new file. errs.ErrTaken: this very file is there. ErrDuplicate: it is not, because the case has
	// another active file of the same bytes.
	Insert(ctx context.Context, f File) error
	Get(ctx context.Context, tenant string, caseID, id string) (File, error)
	// Among returns those of the files that the case has, in no order.
	Among(ctx context.Context, tenant, caseID string, ids []string) ([]File, error)
	// List returns up to q.Limit files in the order of q.
	List(ctx context.Context, tenant string, caseID string, q Query) ([]File, error)
	// Count counts the files that f lets through.
	Count(ctx context.Context, tenant string, caseID string, f Filter) (int, error)
	// Update applies change to the stored file and saves the result as one step with the next version. change may run
	// more than once; if it fails, its error is returned and nothing is saved.
	Update(ctx context.Context, tenant string, caseID, id string, change func(*File) error) (File, error)
	// Holdings returns what is needed of all active files at once.
	Holdings(ctx context.Context, tenant string, caseID string) ([]Holding, error)
	// WithOriginal returns the files of a case, but for deleted ones, whose original is in the sealed file of an id.
	WithOriginal(ctx context.Context, tenant, caseID, sealedID string) ([]File, error)
	// Drafts returns the active files that attempts of a phase below a number made.
	Drafts(ctx context.Context, tenant, caseID, phaseID string, below int) ([]File, error)
	// Kept counts the files that are active or superseded, and their bytes, and lists the active ones as Holdings does.
	Kept(ctx context.Context, tenant string, caseID string) (Kept, error)
}

// Successions decides which file comes after another: one only.
type Successions interface {
	// Claim makes successor the one that comes after the file id, or returns ErrSuperseded when there is another.
	// Claiming again is no error.
	Claim(ctx context.Context, tenant string, caseID, id, successor string) error
	// Release takes a claim back, if it is successor's.
	Release(ctx context.Context, tenant string, id, successor string) error
}

// Kept is what counts towards the quota of a case.
type Kept struct {
	Count  int
	Bytes  int64
	Active []Holding // the oldest first
}

// Holding is an active file in short.
type Holding struct {
	ID            string
	Version       int64
	Name          string
	SHA256        string // as it was sent
	ContentSHA256 string
	WordSHA256    string // "" when there is no Word file of it
	SizeBytes     int64  // of its content
	TextVersion   int
	Chars         int // of the text
	AgentReadable bool
	SupersedesID  string
	Generated     bool // a draft that a phase made
	Unread        int  // pages and pictures that nobody read
	Sealed        bool // an encrypted original, which nobody reads and nothing counts
}

// Filter chooses files; zero fields choose all.
type Filter struct {
	Status     string
	DocType    string
	Extraction string
	Privilege  string
	From, To   string   // documentOn within these dates, both included; "" means no bound
	IDs        []string // only these; nil means any
	Unsealed   bool     // no encrypted originals
	Unserved   bool     // only those whose content cannot be handed out now
}

// SortField is what a list is ordered by; the id always decides between equals.
type SortField string

// What files can be ordered by.
const (
	ByCreated  SortField = "createdAt"
	ByName     SortField = "name"
	ByDocument SortField = "documentOn" // files without a date come first
)

// Query asks for one page of files.
type Query struct {
	Filter
	Sort       SortField
	Descending bool
	After      *cases.Cursor
	Limit      int
}

// PlaceOf returns the place of f in the order of q.
func (q Query) PlaceOf(f File) cases.Cursor {
	switch q.Sort {
	case ByName:
		return cases.Cursor{Text: f.Name, ID: f.ID}
	case ByDocument:
		return cases.Cursor{Text: f.DocumentOn, ID: f.ID}
	}

	return cases.Cursor{Time: f.CreatedAt, ID: f.ID}
}

// Slot says which bytes of a file are meant. What lies in Served and AsWord is handed out; what lies in AsSent never
// is.
type Slot string

// The slots of a file.
const (
	Served Slot = ""
	AsWord Slot = "docx"
	AsSent Slot = "original"
)

// Blobs keeps the bytes of files.
type Blobs interface {
	// Put stores bytes in an empty slot; only when it returns nil can they be read.
	Put(ctx context.Context, tenant string, fileID string, slot Slot, r io.Reader) error
	// Open returns the bytes in a slot, or ErrNotFound. The caller closes them.
	Open(ctx context.Context, tenant string, fileID string, slot Slot) (io.ReadCloser, error)
	// Clear empties one slot, also of what a broken Put left there; it is no error when it is empty.
	Clear(ctx context.Context, tenant string, fileID string, slot Slot) error
	// Remove empties all slots of a file; it is no error when they are empty.
	Remove(ctx context.Context, tenant string, fileID string) error
}

// Texts keeps what files say.
type Texts interface {
	// Put stores a text; storing it again is no error.
	Put(ctx context.Context, t Text) error
	// Get returns a text, or ErrNotFound.
	Get(ctx context.Context, tenant string, fileID string, version int) (Text, error)
	// Among returns those of the texts that are there, in no order.
	Among(ctx context.Context, tenant string, names []TextName) ([]Text, error)
	// Remove deletes a text; it is no error when there is none.
	Remove(ctx context.Context, tenant string, fileID string, version int) error
}

// TextName names the text of a version of a file.
type TextName struct {
	FileID  string
	Version int
}

// Upload is the plan of a request that brings files. It is stored before any byte, so that what a crash leaves can be
// found.
type Upload struct {
	ID        string
	Tenant    string
	Version   int64
	CaseID    string
	FileIDs   []string // that it may have stored bytes and texts for
	CreatedAt time.Time
	Plan      []File // the files that it brings, once all of them are stored
	Decided   bool   // the case takes the plan, and whoever finds it carries it out
}

// Uploads keeps plans.
type Uploads interface {
	// Stage saves a new plan.
	Stage(ctx context.Context, u Upload) error
	// Save saves u, with the next version, over the stored plan of the version of u; errs.ErrTaken when somebody was
	// first.
	Save(ctx context.Context, u Upload) error
	// Forget removes a plan that is carried out or given up.
	Forget(ctx context.Context, u Upload) error
	// Planned returns the uploads of a case that have a plan, decided or not.
	Planned(ctx context.Context, tenant string, caseID string) ([]Upload, error)
	// Before lists plans of all tenants made before t, decided or not, the oldest first.
	Before(ctx context.Context, decided bool, t time.Time, limit int) ([]Upload, error)
}
