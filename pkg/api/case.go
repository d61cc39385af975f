// Package api holds the wire forms that services of Subrosa and their clients exchange, and the clients by which one
// service calls another. It has no rules: those live in the services' domains.
package api

import (
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/instant"
)

// Types of container.
const (
	ContainerCase    = "case"
	ContainerSupport = "support"
	ContainerSales   = "sales"
)

// Instant is a moment on the wire: RFC 3339 in UTC with milliseconds.
type Instant struct{ time.Time }

const instantForm = "2006-01-02T15:04:05.000Z07:00"

// At returns t as it goes on the wire: UTC, cut to the millisecond.
func At(t time.Time) Instant { return Instant{instant.Of(t)} }

// Known is At, or nil for the zero time, which stands for a time that is not known.
func Known(t time.Time) *Instant {
	if t.IsZero() {
		return nil
	}

	return new(At(t))
}

// MarshalText writes RFC 3339 in UTC with milliseconds.
func (i Instant) MarshalText() ([]byte, error) { return []byte(i.UTC().Format(instantForm)), nil }

// MarshalJSON writes the same as a JSON string.
func (i Instant) MarshalJSON() ([]byte, error) {
	return []byte(`"` + i.UTC().Format(instantForm) + `"`), nil
}

// UnmarshalText reads RFC 3339.
func (i *Instant) UnmarshalText(b []byte) error {
	t, err := time.Parse(time.RFC3339Nano, string(b))
	*i = At(t)

	return err
}

// UnmarshalJSON reads a JSON string of RFC 3339.
func (i *Instant) UnmarshalJSON(b []byte) error {
	if len(b) < 2 || b[0] != '"' || b[len(b)-1] != '"' {
		return &time.ParseError{Layout: instantForm, Message: ": not a string"}
	}

	return i.UnmarshalText(b[1 : len(b)-1])
}

// Actor names who did something.
type Actor struct {
	Kind   string `json:"kind"` // user, agent or oauth
	ID     string `json:"id"`
	UserID string `json:"userId"` // for an agent the user it acts for
}

// PracticeArea is one area of law in one code system.
type PracticeArea struct {
	Scheme  string `json:"scheme"`          // LIST, SALI or NSMI
	Code    string `json:"code"`            // LIST: XX-NN-NN-NN-NN
	Label   string `json:"label,omitempty"` // set by the server
	Primary bool   `json:"primary"`
}

// Forum is where a matter is heard. It never holds a docket number, which would identify the client.
type Forum struct {
	System      string `json:"system"` // federal, state, tribal, agency, arbitration, foreign, none
	CourtCode   string `json:"courtCode,omitempty"`
	DocketLabel string `json:"docketLabel,omitempty"`
	TimeZone    string `json:"timeZone,omitempty"`
}

// Stage is a UTBMS code set with its phase and task.
type Stage struct {
	CodeSet string `json:"codeSet"`
	Phase   string `json:"phase"`
	Task    string `json:"task,omitempty"`
}

// Money is an exact amount: a decimal string and an ISO 4217 code.
type Money struct {
	Amount   string `json:"amount"`
	Currency string `json:"currency"`
}

// Controversy is the amount in controversy with where it comes from.
type Controversy struct {
	Money
	Basis  string     `json:"basis"` // stated, estimated, extracted
	Source *SourceRef `json:"source,omitempty"`
}

// Supervision says which person answers for the matter.
type Supervision struct {
	ResponsibleUserID    string   `json:"responsibleUserId"`
	ProfessionalKind     string   `json:"professionalKind,omitempty"`
	LicenceJurisdictions []string `json:"licenceJurisdictions,omitempty"`
}

// Confidentiality says under what terms a matter's content may be used.
type Confidentiality struct {
	Privilege     string `json:"privilege"`
	AIPolicy      string `json:"aiPolicy"`
	ClientConsent string `json:"clientConsent"`
}

// Conflict is the state of the conflict check.
type Conflict struct {
	Status   string `json:"status"`   // not_run, clear, potential, waived, blocked
	HitCount int    `json:"hitCount"` // cases
	// HitCountCapped says that there are more than HitCount.
	HitCountCapped bool `json:"hitCountCapped,omitempty"`
	// Hits are the newest, at most 100; for user sessions of the firm.
	Hits            []ConflictHit `json:"hits,omitempty"`
	CheckedAt       *Instant      `json:"checkedAt,omitempty"`
	DecidedByUserID string        `json:"decidedByUserId,omitempty"`
	Reason          string        `json:"reason,omitempty"` // of the decision; for user sessions of the firm
}

// DecideConflict is the body of POST /v1/cases/{caseId}/conflict.
type DecideConflict struct {
	Decision string `json:"decision"` // clear, waived, blocked
	Reason   string `json:"reason"`
}

// Retention says how long a matter is kept.
type Retention struct {
	LegalHold    bool   `json:"legalHold"`
	HoldReason   string `json:"holdReason,omitempty"`
	HoldByUserID string `json:"holdByUserId,omitempty"`
	RetainUntil  string `json:"retainUntil,omitempty"` // date
	PolicyCode   string `json:"policyCode"`
}

// NextDeadline is the nearest open deadline of a case.
type NextDeadline struct {
	DeadlineID string `json:"deadlineId"`
	DueOn      string `json:"dueOn"` // date
	Title      string `json:"title,omitempty"`
	Status     string `json:"status"`
}

// Complexity is the last evaluation of a case, if there was one, and the tier that a person set in its place, if one
// did.
type Complexity struct {
	*Evaluation
	Override *TierOverride `json:"override,omitempty"`
}

// TierOverride is a tier that a person set in place of the evaluation's.
type TierOverride struct {
	Tier     int     `json:"tier"`
	Reason   string  `json:"reason"`
	ByUserID string  `json:"byUserId"`
	At       Instant `json:"at"`
}

// CaseCounts are recomputed from their sources and may lag by a moment.
type CaseCounts struct {
	Files          int `json:"files"`
	Parties        int `json:"parties"`
	Phases         int `json:"phases"`
	OpenDeadlines  int `json:"openDeadlines"`
	PendingReviews int `json:"pendingReviews"`
	Invites        int `json:"invites"`
}

// Case is a matter as it is answered.
type Case struct {
	CaseID              string          `json:"caseId"`
	Version             int             `json:"version"`
	Title               string          `json:"title"`
	TitleBasis          string          `json:"titleBasis"` // default, given, evaluated
	Summary             string          `json:"summary,omitempty"`
	Status              string          `json:"status"`
	MatterKind          string          `json:"matterKind"`
	PracticeAreas       []PracticeArea  `json:"practiceAreas"`
	Jurisdiction        string          `json:"jurisdiction,omitempty"`
	Forum               *Forum          `json:"forum,omitempty"`
	Side                string          `json:"side,omitempty"`
	ClientPartyID       string          `json:"clientPartyId,omitempty"`
	JointRepresentation bool            `json:"jointRepresentation"`
	Stage               Stage           `json:"stage"`
	AmountInControversy *Controversy    `json:"amountInControversy,omitempty"`
	Stakes              []string        `json:"stakes"`
	Complexity          *Complexity     `json:"complexity,omitempty"`
	Supervision         Supervision     `json:"supervision"`
	Confidentiality     Confidentiality `json:"confidentiality"`
	Conflict            Conflict        `json:"conflict"`
	Retention           Retention       `json:"retention"`
	NextDeadline        *NextDeadline   `json:"nextDeadline,omitempty"`
	Counts              CaseCounts      `json:"counts"`
	TimelineID          string          `json:"timelineId"`
	ActiveBranchID      string          `json:"activeBranchId"`
	Language            string          `json:"language"`
	Tags                []string        `json:"tags"`
	ExternalRef         string          `json:"externalRef,omitempty"`
	OpenedOn            string          `json:"openedOn,omitempty"`
	ClosedOn            string          `json:"closedOn,omitempty"`
	CloseReason         string          `json:"closeReason,omitempty"`
	CreatedAt           Instant         `json:"createdAt"`
	UpdatedAt           Instant         `json:"updatedAt"`
	CreatedBy           Actor           `json:"createdBy"`
}

// CaseRow is a case in a list.
type CaseRow struct {
	CaseID            string         `json:"caseId"`
	Version           int            `json:"version"`
	Title             string         `json:"title"`
	Status            string         `json:"status"`
	MatterKind        string         `json:"matterKind"`
	PracticeAreas     []PracticeArea `json:"practiceAreas"`
	Jurisdiction      string         `json:"jurisdiction,omitempty"`
	Side              string         `json:"side,omitempty"`
	Stage             Stage          `json:"stage"`
	Tier              *int           `json:"tier"`
	Score             *float64       `json:"score"`
	Urgent            bool           `json:"urgent"`
	NextDeadline      *NextDeadline  `json:"nextDeadline,omitempty"`
	Counts            CaseCounts     `json:"counts"`
	Tags              []string       `json:"tags"`
	LegalHold         bool           `json:"legalHold"`
	ResponsibleUserID string         `json:"responsibleUserId"`
	CreatedAt         Instant        `json:"createdAt"`
	UpdatedAt         Instant        `json:"updatedAt"`
}

// CaseTombstone stands in a list for a case that is not there any more.
type CaseTombstone struct {
	CaseID    string  `json:"caseId"`
	Version   int     `json:"version"`
	Deleted   bool    `json:"deleted"` // always true
	DeletedAt Instant `json:"deletedAt"`
	UpdatedAt Instant `json:"updatedAt"`
}

// CaseChange is a row of the feed of changes: a case, or in its place a tombstone, of which Deleted and DeletedAt tell.
type CaseChange struct {
	CaseRow
	Deleted   bool     `json:"deleted,omitempty"`
	DeletedAt *Instant `json:"deletedAt,omitempty"`
}

// Page is one page of a list.
type Page[T any] struct {
	Items      []T     `json:"items"`
	NextCursor *string `json:"nextCursor"`
	Limit      int     `json:"limit"`
	Total      *int    `json:"total,omitempty"`
	// TotalCapped says that there are more than Total.
	TotalCapped bool `json:"totalCapped,omitempty"`
}

// Extraction says how the text of a file came out.
type Extraction struct {
	Status           string  `json:"status"`           // ok, low_quality, needs_ocr, damaged, encrypted, unsupported
	Reason           string  `json:"reason,omitempty"` // why it is not ok, in one word
	Pages            int     `json:"pages"`
	Chars            int     `json:"chars"`
	CharsPerPage     float64 `json:"charsPerPage"`
	ReplacementRatio float64 `json:"replacementRatio"`
	Language         string  `json:"language,omitempty"`
	Method           string  `json:"method"`
	TextSHA256       string  `json:"textSha256,omitempty"`
	TextVersion      int     `json:"textVersion"`
}

// DeidCheck says whether a file was found to be without identities, and by which rules.
type DeidCheck struct {
	Status          string  `json:"status"` // passed, attested, refused
	DetectorVersion string  `json:"detectorVersion"`
	At              Instant `json:"at"`
	// AttestedByUserID names the person who answers for a file that nobody could check.
	AttestedByUserID string `json:"attestedByUserId,omitempty"`
}

// FileSource says where a file came from.
type FileSource struct {
	Origin  string `json:"origin"` // upload, generated
	PhaseID string `json:"phaseId,omitempty"`
}

// FileFindings are the labels found in a file's text.
type FileFindings struct {
	Labels []string `json:"labels"`
}

// FileForm describes the bytes of one form of a file.
type FileForm struct {
	MediaType string `json:"mediaType"`
	SizeBytes int64  `json:"sizeBytes"`
	SHA256    string `json:"sha256"`
}

// NotRendered is the renderer of content that is what was sent.
const NotRendered = "none"

// ContentName is the name under which content by a renderer is handed out of a file of a name: renditions are Markdown
// and say so at the end. The Word file of a rendition has the name of the file itself.
func ContentName(name, renderer string) string {
	if renderer == NotRendered {
		return name
	}

	return name + ".md"
}

// WordName is the name under which the Word file of a rendition is handed out.
func WordName(name string) string {
	if strings.EqualFold(path.Ext(name), ".docx") {
		return name
	}

	return name + ".docx"
}

// FileContent describes what is handed out as the content of a file.
type FileContent struct {
	FileForm
	Renderer string    `json:"renderer"`       // what wrote it, with its version, or none
	DOCX     *FileForm `json:"docx,omitempty"` // the same as a Word file, for form=docx
}

// DroppedCarriers counts what a file carried beside its text and the service did not keep.
type DroppedCarriers struct {
	Kind  string `json:"kind"`
	Count int    `json:"count"`
}

// UnreadPlaces are pages and pictures of a file that nobody read.
type UnreadPlaces struct {
	Count  int           `json:"count"`
	Places []UnreadPlace `json:"places"` // the first 100 of them
}

// UnreadPlace is one place that was not read.
type UnreadPlace struct {
	Page  int    `json:"page,omitempty"`
	What  string `json:"what"` // page, picture
	At    int    `json:"at"`   // code point of the text
	Count int    `json:"count"`
}

// FileItems are the files of an upload.
type FileItems struct {
	Items []File `json:"items"`
	// Notice says whether originals were kept of which only renditions are handed out, and how to have or keep them; ""
	// when there are none.
	Notice string `json:"notice,omitempty"`
}

// File is a document of a case as it is answered. MediaType, SizeBytes and SHA256 describe what was sent.
type File struct {
	FileID       string `json:"fileId"`
	CaseID       string `json:"caseId"`
	Version      int    `json:"version"`
	Name         string `json:"name"`
	DocType      string `json:"docType"`
	DocTypeBasis string `json:"docTypeBasis"`
	Description  string `json:"description,omitempty"`
	MediaType    string `json:"mediaType"`
	SizeBytes    int64  `json:"sizeBytes"`
	SHA256       string `json:"sha256"`
	// Content is absent while the content of a file cannot be handed out.
	Content          *FileContent      `json:"content,omitempty"`
	Dropped          []DroppedCarriers `json:"dropped"`
	Unread           UnreadPlaces      `json:"unread"`
	DocumentOn       string            `json:"documentOn,omitempty"`
	Privilege        string            `json:"privilege"`
	ProducedBy       string            `json:"producedBy,omitempty"` // label of a party
	Source           FileSource        `json:"source"`
	Extraction       Extraction        `json:"extraction"`
	DeidCheck        DeidCheck         `json:"deidCheck"`
	AgentReadable    bool              `json:"agentReadable"`
	Findings         FileFindings      `json:"findings"`
	SealedFileID     string            `json:"sealedFileId,omitempty"`
	SupersedesFileID string            `json:"supersedesFileId,omitempty"`
	Revision         int               `json:"revision"`
	Status           string            `json:"status"`
	UploadedBy       Actor             `json:"uploadedBy"`
	CreatedAt        Instant           `json:"createdAt"`
	Duplicate        bool              `json:"duplicate,omitempty"`
	Hits             []SourceRef       `json:"hits,omitempty"`
}

// FileText is a range of a file's text.
type FileText struct {
	FileID      string       `json:"fileId"`
	TextVersion int          `json:"textVersion"`
	From        int          `json:"from"` // code points of the stored text
	To          int          `json:"to"`   // exclusive
	Total       int          `json:"total"`
	Text        string       `json:"text"`
	PageStarts  []PageOffset `json:"pageStarts"` // of the pages that begin within the range
}

// PageOffset says where a page begins.
type PageOffset struct {
	Page  int `json:"page"`
	Start int `json:"start"` // code points
}

// SourceRef points at a passage. Its quote is what stands there: text[charStart:charEnd], white space folded.
type SourceRef struct {
	FileID      string `json:"fileId"`
	TextVersion int    `json:"textVersion"`
	Page        int    `json:"page,omitempty"`
	Paragraph   int    `json:"paragraph,omitempty"`
	CharStart   int    `json:"charStart"` // code points of the stored text
	CharEnd     int    `json:"charEnd"`   // exclusive
	Quote       string `json:"quote"`     // at most 600 code points
}

// ID names the passage: its file, and its first and last character in the stored text, which never changes under one
// id.
func (s SourceRef) ID() string { return fmt.Sprintf("%s:%d-%d", s.FileID, s.CharStart, s.CharEnd) }

// Place returns where the passage stands, without its words: it is the same for all sources that point there.
func (s SourceRef) Place() SourceRef {
	return SourceRef{FileID: s.FileID, TextVersion: s.TextVersion, CharStart: s.CharStart, CharEnd: s.CharEnd}
}

// EffectiveTier returns the tier that a case is treated by, 1 to 4: a person's before the evaluation's; 0 when it is
// unrated. c may be nil.
func (c *Complexity) EffectiveTier() int {
	switch {
	case c == nil:
		return 0
	case c.Override != nil:
		return c.Override.Tier
	case c.Evaluation != nil && c.Evaluation.Tier != nil:
		return *c.Evaluation.Tier
	}

	return 0
}

// CaseWith is a case together with what include= asked for. Members that were not asked for are absent.
type CaseWith struct {
	Case
	Parties   *[]Party         `json:"parties,omitempty"`
	Deadlines *[]TimelineEntry `json:"deadlines,omitempty"` // not yet met or vacated, by due date
}
