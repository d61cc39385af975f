// Package files takes in the documents of a case: it spools them, finds out what they are, reads their text, refuses what could
// identify a client, and keeps the rest.
package files

import (
	"time"

	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// States of a file.
const (
	Active     = "active"
	Superseded = "superseded"
	Deleted    = "deleted"
)

// Outcomes of the check for identities.
const (
	Passed   = "passed"
	Attested = "attested" // a person says so; nobody could check it
	Refused  = "refused"  // a later check of the stored file found an identity
)

// Where a document type comes from.
const (
	TypeGiven   = "given"
	TypeByRule  = "rule"
	TypeUnknown = "unknown"
)

// Extraction says how the text came out.
type Extraction struct {
	Status           string
	Pages            int
	Chars            int // code points
	CharsPerPage     float64
	ReplacementRatio float64
	Language         string
	Method           string
	TextSHA256       string
	TextVersion      int // 0 when no text is kept
}

// DeidCheck says whether a file was found to be without identities, and by which rules.
type DeidCheck struct {
	Status          string
	DetectorVersion string
	At              time.Time
	AttestedBy      string // a user's id
}

// File is a document of a case.
type File struct {
	ID            string
	CaseID        string
	Tenant        string
	Version       int64
	Name          string
	DocType       string
	DocTypeBasis  string
	Description   string
	MediaType     string
	SizeBytes     int64
	SHA256        string
	DocumentOn    string // YYYY-MM-DD
	Privilege     string
	ProducedBy    string // label of the party that produced it, or ""
	SealedID      string // the sealed file that holds its original, or ""
	SupersedesID  string // the file that it is a newer version of, or ""
	Extraction    Extraction
	DeidCheck     DeidCheck
	AgentReadable bool
	Labels        []string
	Revision      int
	Status        string
	UploadedBy    audit.Actor
	PhaseID       string // the phase whose draft it is; "" for an upload
	CreatedAt     time.Time
	DeletedAt     time.Time // zero unless deleted; its bytes go KeptDeleted later
}

// Origins of files.
const (
	Uploaded  = "upload"
	Generated = "generated"
)

// Origin says whether the file was brought, or made by a phase.
func (f File) Origin() string {
	if f.PhaseID != "" {
		return Generated
	}

	return Uploaded
}

// KeptDeleted is how long the bytes of a deleted file stay.
const KeptDeleted = 30 * 24 * time.Hour

// DedupeKey is unique among the files of a case: the bytes while the file is active, else its id.
func (f File) DedupeKey() string {
	if f.Status == Active {
		return f.SHA256
	}

	return f.ID
}

// Passage is a window of whole paragraphs of a text, in code points.
type Passage struct {
	Start, End int
	Page       int // from 1; 0 when the text has no pages
	Paragraph  int
}

// Text is what a file says, with the windows it is searched by.
type Text struct {
	FileID     string
	Tenant     string
	CaseID     string
	Version    int
	Body       string
	PageStarts []int // code points
	Passages   []Passage
}

// Limits of what is taken in.
type Limits struct {
	FileBytes  int64
	Files      int   // of a case
	CaseBytes  int64 // of all files of a case
	Pages      int   // of a file
	PerRequest int
	CheckTime  time.Duration // to read and check one file
}

// MaxName is the longest name of a file, in code points.
const MaxName = 180

// Failures of files.
var (
	ErrNotFound     = errs.ErrNotFound
	ErrQuota        = errs.New(errs.TooLarge, "case_quota_exceeded", "The case holds as many files as it may. Delete files that are no longer needed.")
	ErrTooLarge     = errs.New(errs.TooLarge, "file_too_large", "The file is larger than a file may be. Split it or leave out pictures.")
	ErrTooManyPages = errs.New(errs.TooLarge, "too_many_pages", "The file has too many pages. Split it into several files.")
	ErrEmpty        = errs.New(errs.Invalid, "empty_file", "The file is empty. Send one that holds text.")
	ErrUnsupported  = errs.New(errs.UnsupportedMedia, "unsupported_media_type", "Files of this type are not taken. Send text/plain, text/markdown, text/html, text/csv, application/json, message/rfc822, application/pdf or a DOCX document (application/vnd.openxmlformats-officedocument.wordprocessingml.document); a person may also send image/png, image/jpeg and image/tiff with attestation.")
	ErrIncomplete   = errs.New(errs.Invalid, "validation_failed", "The body did not arrive whole, or is no well-formed multipart/form-data. Send it again.")
	ErrNoPlace      = errs.New(errs.Unavailable, "unavailable", "As many files as possible are being taken in. Try again after the time in Retry-After.").WithRetryAfter(5 * time.Second)
	ErrScratch      = errs.New(errs.Unavailable, "unavailable", "There is no room to take the file in at the moment. Try again after the time in Retry-After.").WithRetryAfter(10 * time.Second)
	ErrUnverifiable = guard.ErrUnverifiable
	ErrSuperseded   = errs.New(errs.Conflict, "file_superseded", "A newer version of this file is in the case already. List the files and supersede the newest version.")
)
