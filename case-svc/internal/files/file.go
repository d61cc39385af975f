// Package files takes in the documents of a case: it spools them, finds out what they are, reads their text, refuses
// what could identify a client, and keeps the rest.
package files

import (
	"time"

	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/extract"
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
	Reason           string // why the status is not ok, in one word
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

// Form is a file in one form: its type, its length and the SHA-256 of its bytes in hex.
type Form struct {
	MediaType string
	SizeBytes int64
	SHA256    string
}

// Content is what is kept of a file and handed out.
type Content struct {
	Form
	Renderer string // what wrote it, with its version; "" when these are the bytes that were sent
	Word     Form   // the same as a Word file; zero when there is none
}

// Original is what was sent of a file that was stored before renditions were. Its hash and size are those of the
// file. Nobody is served it.
type Original struct {
	At     time.Time // when it was last taken up to be set aside; zero when there is none
	Copied bool      // it lies whole in the slot that nobody is served from
	Placed bool      // the rendition lies in its place
}

// Dropped counts the carriers of one kind that a file had and its rendition has not.
type Dropped struct {
	Kind  string
	Count int
}

// Unread is what nobody read of a file.
type Unread struct {
	Count  int // in all
	Places []UnreadPlace
}

// UnreadPlace is a page or picture that nobody read.
type UnreadPlace struct {
	Page  int    // from 1; 0 when it is not known
	What  string // page or picture
	At    int    // code point of the text
	Count int
}

// MaxUnread bounds the places that are listed of a file, as the interface says.
const MaxUnread = 100

// File is a document of a case. MediaType, SizeBytes and SHA256 describe what was sent.
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
	Content       Content
	Dropped       []Dropped
	Unread        Unread
	Numbers       Numbers // of paragraphs, in the bytes of the rendition
	Original      Original
	TriedBy       string // the reader that could make no rendition of it; "" unless one tried and failed
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
	Slot          string // of a draft: which of the forms of its phase it is
	Attempt       int    // of a draft: of its phase
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

// Sent describes the bytes as they were sent.
func (f File) Sent() Form { return Form{f.MediaType, f.SizeBytes, f.SHA256} }

// Unrendered reports whether the file still has the bytes that were sent where only a rendition of them may be
// served. That is so of files that were stored before renditions were, until the sweep comes to them.
func (f File) Unrendered() bool {
	if f.PhaseID != "" || f.DeidCheck.Status == Attested {
		return false // the service's own, and what nobody could read: agents never get it
	}

	return rendered(f.Content.MediaType)
}

// Servable reports whether the content of the file may be handed out now.
func (f File) Servable() bool {
	return !f.Unrendered() && (f.Original.At.IsZero() || f.Original.Placed)
}

// keeps reports whether the same bytes of the file lie in the same places as when seen was read.
func (f File) keeps(seen File) bool { return f.Content == seen.Content && f.Original == seen.Original }

// has reports whether the bytes of a digest are the file, as it was sent or as it is handed out.
func (f File) has(sha256 string) bool {
	return f.SHA256 == sha256 || f.Content.SHA256 == sha256 || f.Content.Word.SHA256 == sha256
}

// Has reports whether the bytes of a digest are the file, as it was sent or as it is handed out.
func (h Holding) Has(sha256 string) bool {
	return h.SHA256 == sha256 || h.ContentSHA256 == sha256 || h.WordSHA256 == sha256
}

// KeptDeleted is how long the bytes of a deleted file stay.
const KeptDeleted = 30 * 24 * time.Hour

// KeptOriginal is how long at least an original stays that was set aside for its rendition.
const KeptOriginal = 30 * 24 * time.Hour

// DedupeKey is unique among the files of a case: the bytes as they were sent while the file is active, else its id.
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
	ErrNotFound = errs.ErrNotFound
	ErrQuota    = errs.New(
		errs.TooLarge,
		"case_quota_exceeded",
		"The case has reached its limit of files. Delete files that are no longer needed.",
	)
	ErrTooLarge = errs.New(
		errs.TooLarge,
		"file_too_large",
		"The file is larger than the limit for one file. Split it or remove pictures.",
	)
	ErrTooManyPages = extract.ErrTooManyPages
	ErrEmpty        = extract.ErrEmpty
	ErrUnsupported  = errs.New(
		errs.UnsupportedMedia,
		"unsupported_media_type",
		"Files of this type are not accepted. "+
			"Send text/plain, text/markdown, text/html, text/csv, application/json, message/rfc822, application/pdf, "+
			"a DOCX document (application/vnd.openxmlformats-officedocument.wordprocessingml.document) or an ODT "+
			"document (application/vnd.oasis.opendocument.text); "+
			"a person may also send image/png, image/jpeg and image/tiff with attestation.",
	)
	ErrIncomplete = errs.New(
		errs.Invalid,
		"validation_failed",
		"The body is incomplete, or is not well-formed multipart/form-data. Send it again.",
	)
	ErrNoPlace = errs.New(
		errs.Unavailable,
		"unavailable",
		"The service is receiving as many files as it can. Try again after the time in Retry-After.",
	).WithRetryAfter(5 * time.Second)
	// ErrTooManyUploads means that the caller has as many uploads open as one may have.
	ErrTooManyUploads = errs.New(errs.TooMany, "too_many_uploads",
		"You have reached your limit of open uploads. Wait for one to end before you start another.").
		WithRetryAfter(5 * time.Second)
	ErrScratch = errs.New(
		errs.Unavailable,
		"unavailable",
		"The service has no room for the file right now. Try again after the time in Retry-After.",
	).WithRetryAfter(10 * time.Second)
	ErrUnverifiable = guard.ErrUnverifiable
	ErrUnrendered   = errs.New(
		errs.Unavailable,
		"unavailable",
		"This older file is still being converted. You can read its text now; "+
			"request its content again after the time in Retry-After.",
	).WithRetryAfter(
		time.Minute,
	)
	ErrSuperseded = errs.New(
		errs.Conflict,
		"file_superseded",
		"The case already has a newer version of this file. List the files and supersede the newest version.",
	)
)
