package mongostore

import (
	"context"
	"errors"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/ids"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

type phaseDoc struct {
	Key            string        `bson:"_id"` // tenant/id
	Tenant         string        `bson:"tenant"`
	ID             string        `bson:"id"`
	Version        int64         `bson:"version"`
	BranchID       string        `bson:"branchId"`
	TimelineID     string        `bson:"timelineId"`
	ParentID       string        `bson:"parentPhaseId"`
	Sequence       int           `bson:"sequence"`
	ContainerType  string        `bson:"containerType"`
	ContainerID    string        `bson:"containerId"`
	SessionID      string        `bson:"sessionId"`
	RequestType    string        `bson:"requestType"`
	Prompt         string        `bson:"prompt"`
	FileIDs        []string      `bson:"fileIds"`
	Status         string        `bson:"status"`
	Open           bool          `bson:"open"` // of Status
	Attempt        int           `bson:"attempt"`
	Response       []byte        `bson:"response"`
	Kind           string        `bson:"kind"`
	Reasons        []string      `bson:"reasons"`
	Failure        *failureDoc   `bson:"failure"`
	ReviewRequired bool          `bson:"reviewRequired"`
	ReviewStatus   string        `bson:"reviewStatus"`
	Review         *reviewDoc    `bson:"review"` // nil until a person has said something
	DirectedBy     directedDoc   `bson:"directedBy"`
	Engine         engineDoc     `bson:"engine"`
	ToolCalls      []toolCallDoc `bson:"toolCalls"`
	Usage          usageDoc      `bson:"usage"`
	Stream         marksDoc      `bson:"stream"`
	RequestSHA256  string        `bson:"requestSha256"`
	ResponseSHA256 string        `bson:"responseSha256"`
	PrevHash       string        `bson:"prevHash"`
	Hash           string        `bson:"hash"`
	CreatedBy      actorDoc      `bson:"createdBy"`
	CreatedAt      time.Time     `bson:"createdAt"`
	StartedAt      time.Time     `bson:"startedAt"`
	EndedAt        *time.Time    `bson:"endedAt"`
	Since          time.Time     `bson:"since"`
	Caller         *callerDoc    `bson:"caller,omitempty"` // nil for phases that were begun before it was kept
	Asked          askedDoc      `bson:"asked,omitempty"`
	Waiter         string        `bson:"waiter,omitempty"`
	Steady         time.Time     `bson:"steady,omitempty"`
	Passing        bool          `bson:"passing,omitempty"`
	TaskID         string        `bson:"taskId,omitempty"`
	AloneUntil     time.Time     `bson:"aloneUntil,omitempty"`
}

// callerDoc is who asked for a phase, never with a token.
type callerDoc struct {
	Tenant   string   `bson:"tenant"`
	UserID   string   `bson:"userId"`
	Kind     string   `bson:"kind"`
	AgentID  string   `bson:"agentId,omitempty"`
	ClientID string   `bson:"clientId,omitempty"`
	GrantID  string   `bson:"grantId,omitempty"`
	Scopes   []string `bson:"scopes,omitempty"`
	Roles    []string `bson:"roles,omitempty"`
}

type askedDoc struct {
	BranchID   string `bson:"branchId,omitempty"`
	ParentID   string `bson:"parentPhaseId,omitempty"`
	Mode       string `bson:"mode,omitempty"`
	MaxSeconds int    `bson:"maxSeconds,omitempty"`
	Language   string `bson:"language,omitempty"`
}

func toCallerDoc(c access.Caller) *callerDoc {
	if c.Kind == "" {
		return nil
	}

	return &callerDoc{c.Tenant, c.UserID, string(c.Kind), c.AgentID, c.ClientID, c.GrantID, c.Scopes, c.Roles}
}

func (d *callerDoc) caller() access.Caller {
	if d == nil {
		return access.Caller{}
	}

	return access.Caller{
		Tenant: d.Tenant, UserID: d.UserID, Kind: access.Kind(d.Kind), AgentID: d.AgentID, ClientID: d.ClientID,
		GrantID: d.GrantID, Scopes: d.Scopes, Roles: d.Roles,
	}
}

type reviewDoc struct {
	Reviewer       string       `bson:"reviewerUserId"`
	At             *time.Time   `bson:"at"`
	ResponseSHA256 string       `bson:"responseSha256"`
	Note           string       `bson:"note"`
	AmendedText    string       `bson:"amendedText"`
	Key            string       `bson:"key,omitempty"`
	Comments       []commentDoc `bson:"comments"`
}

type commentDoc struct {
	UserID string    `bson:"userId"`
	At     time.Time `bson:"at"`
	Text   string    `bson:"text"`
	Key    string    `bson:"key,omitempty"`
}

func toReviewDoc(r phases.Review) *reviewDoc {
	if r.ReviewerUserID == "" && len(r.Comments) == 0 {
		return nil
	}
	d := &reviewDoc{
		Reviewer:       r.ReviewerUserID,
		ResponseSHA256: r.ResponseSHA256,
		Note:           r.Note,
		AmendedText:    r.AmendedText,
		Key:            r.Key,
		Comments:       mongox.Each(r.Comments, func(c phases.Comment) commentDoc { return commentDoc(c) }),
	}
	if !r.At.IsZero() {
		d.At = &r.At
	}

	return d
}

func (d phaseDoc) toReview() phases.Review {
	r := phases.Review{Required: d.ReviewRequired, Status: d.ReviewStatus}
	if d.Review == nil {
		return r
	}
	r.ReviewerUserID = d.Review.Reviewer
	r.ResponseSHA256 = d.Review.ResponseSHA256
	r.Note = d.Review.Note
	r.AmendedText = d.Review.AmendedText
	r.Key = d.Review.Key
	r.Comments = mongox.Each(d.Review.Comments, func(c commentDoc) phases.Comment {
		return phases.Comment{UserID: c.UserID, At: c.At.UTC(), Text: c.Text, Key: c.Key}
	})
	if d.Review.At != nil {
		r.At = d.Review.At.UTC()
	}

	return r
}

type failureDoc struct {
	Code      string `bson:"code"`
	Message   string `bson:"message"`
	Retryable bool   `bson:"retryable"`
}

type directedDoc struct {
	UserID   string `bson:"userId"`
	Capacity string `bson:"capacity"`
}

type engineDoc struct {
	Mode            string `bson:"mode"`
	RulesVersion    string `bson:"rulesVersion"`
	FallbackReason  string `bson:"fallbackReason"`
	Provider        string `bson:"provider,omitempty"`
	Model           string `bson:"model,omitempty"`
	TemplateVersion string `bson:"templateVersion,omitempty"`
}

type toolCallDoc struct {
	CallID     string `bson:"callId"`
	Name       string `bson:"name"`
	ArgsDigest string `bson:"argsDigest"`
	Summary    string `bson:"summary"`
	Outcome    string `bson:"outcome"`
	DurationMs int64  `bson:"durationMs"`
}

type usageDoc struct {
	InputTokens   int   `bson:"inputTokens,omitempty"`
	OutputTokens  int   `bson:"outputTokens,omitempty"`
	ToolCallCount int   `bson:"toolCallCount"`
	PassagesRead  int   `bson:"passagesRead"`
	WallMs        int64 `bson:"wallMs"`
}

type marksDoc struct {
	PhaseStartSeq int `bson:"phaseStartSeq"`
	ResponseSeq   int `bson:"responseSeq"`
	EndSeq        int `bson:"endSeq"`
}

func toPhaseDoc(p phases.Phase) phaseDoc {
	d := phaseDoc{
		Key:            mongox.Key(p.Tenant, p.ID),
		Tenant:         p.Tenant,
		ID:             p.ID,
		Version:        p.Version,
		BranchID:       p.BranchID,
		TimelineID:     p.TimelineID,
		ParentID:       p.ParentID,
		Sequence:       p.Sequence,
		ContainerType:  p.ContainerType,
		ContainerID:    p.ContainerID,
		SessionID:      p.SessionID,
		RequestType:    p.RequestType,
		Prompt:         p.Prompt,
		FileIDs:        p.FileIDs,
		Status:         p.Status,
		Open:           p.Open(),
		Attempt:        p.Attempt,
		Response:       p.Response,
		Kind:           p.Kind,
		Reasons:        p.Reasons,
		Failure:        (*failureDoc)(p.Failure),
		ReviewRequired: p.Review.Required,
		ReviewStatus:   p.Review.Status,
		Review:         toReviewDoc(p.Review),
		DirectedBy:     directedDoc(p.DirectedBy),
		Engine:         engineDoc(p.Engine),
		ToolCalls:      mongox.Each(p.ToolCalls, func(t phases.ToolCall) toolCallDoc { return toolCallDoc(t) }),
		Usage:          usageDoc(p.Usage),
		Stream:         marksDoc(p.Stream),
		RequestSHA256:  p.RequestSHA256,
		ResponseSHA256: p.ResponseSHA256,
		PrevHash:       p.PrevHash,
		Hash:           p.Hash,
		CreatedBy:      actorDoc(p.CreatedBy),
		CreatedAt:      p.CreatedAt,
		StartedAt:      p.StartedAt,
		Since:          p.Since,
		Caller:         toCallerDoc(p.Caller),
		Asked:          askedDoc(p.Asked),
		Waiter:         p.Waiter,
		Steady:         p.Steady,
		Passing:        p.Passing,
		TaskID:         p.TaskID,
		AloneUntil:     p.AloneUntil,
	}
	if !p.EndedAt.IsZero() {
		d.EndedAt = &p.EndedAt
	}

	return d
}

func (d phaseDoc) toPhase() phases.Phase {
	p := phases.Phase{
		ID:             d.ID,
		Tenant:         d.Tenant,
		Version:        d.Version,
		BranchID:       d.BranchID,
		TimelineID:     d.TimelineID,
		ParentID:       d.ParentID,
		Sequence:       d.Sequence,
		ContainerType:  d.ContainerType,
		ContainerID:    d.ContainerID,
		SessionID:      d.SessionID,
		RequestType:    d.RequestType,
		Prompt:         d.Prompt,
		FileIDs:        d.FileIDs,
		Status:         d.Status,
		Attempt:        d.Attempt,
		Response:       d.Response,
		Kind:           d.Kind,
		Reasons:        d.Reasons,
		Failure:        (*phases.Failure)(d.Failure),
		Review:         d.toReview(),
		DirectedBy:     phases.DirectedBy(d.DirectedBy),
		Engine:         phases.Engine(d.Engine),
		ToolCalls:      mongox.Each(d.ToolCalls, func(t toolCallDoc) phases.ToolCall { return phases.ToolCall(t) }),
		Usage:          phases.Usage(d.Usage),
		Stream:         phases.StreamMarks(d.Stream),
		RequestSHA256:  d.RequestSHA256,
		ResponseSHA256: d.ResponseSHA256,
		PrevHash:       d.PrevHash,
		Hash:           d.Hash,
		CreatedBy:      audit.Actor(d.CreatedBy),
		CreatedAt:      d.CreatedAt.UTC(),
		Since:          d.Since.UTC(),
		Caller:         d.Caller.caller(),
		Asked:          phases.Asked(d.Asked),
		Waiter:         d.Waiter,
		Passing:        d.Passing,
		TaskID:         d.TaskID,
	}
	if d.StartedAt.Year() > 1 {
		p.StartedAt = d.StartedAt.UTC()
	}
	if d.EndedAt != nil {
		p.EndedAt = d.EndedAt.UTC()
	}
	if !d.Steady.IsZero() {
		p.Steady = d.Steady.UTC()
	}
	if !d.AloneUntil.IsZero() {
		p.AloneUntil = d.AloneUntil.UTC()
	}

	return p
}

// Records implements phases.Records.
type Records struct {
	docs  mongox.Documents[phaseDoc]
	cases mongox.Documents[caseDoc]
}

// NewRecords returns the store in db.
func NewRecords(db *mongo.Database) *Records {
	return &Records{mongox.In[phaseDoc](db, phasesCollection), mongox.In[caseDoc](db, casesCollection)}
}

// Insert saves a phase. Both its id and its number on the branch are unique; which of them is taken is found out
// afterwards.
func (s *Records) Insert(ctx context.Context, p phases.Phase) error {
	err := s.docs.Insert(ctx, toPhaseDoc(p))
	if errors.Is(err, errs.ErrTaken) {
		return s.takenBy(ctx, p)
	}

	return err
}

// takenBy says which unique value of a phase that could not be inserted is taken.
func (s *Records) takenBy(ctx context.Context, p phases.Phase) error {
	return whichTaken(ctx, s.docs, mongox.One(p.Tenant, p.ID), errs.ErrTaken, phases.ErrSequence)
}

// Get returns a phase.
func (s *Records) Get(ctx context.Context, tenant string, id string) (phases.Phase, error) {
	if !ids.Valid(id) {
		return phases.Phase{}, phases.ErrNotFound
	}

	return phaseOf(s.docs.Find(ctx, mongox.One(tenant, id)))
}

// Under finds an id under several tenants in one query.
func (s *Records) Under(ctx context.Context, tenants []string, id string) ([]phases.Phase, error) {
	if !ids.Valid(id) || len(tenants) == 0 {
		return nil, nil
	}
	docs, err := s.docs.List(ctx, mongox.Among(tenants, id), bson.D{}, len(tenants), mongox.Without(heavyPhase...))

	return mongox.Each(docs, phaseDoc.toPhase), err
}

func phaseOf(d phaseDoc, err error) (phases.Phase, error) {
	if err != nil {
		return phases.Phase{}, err
	}

	return d.toPhase(), nil
}

// Numbered returns the phase with a number on a branch.
func (s *Records) Numbered(ctx context.Context, tenant string, branchID string, sequence int) (phases.Phase, error) {
	return phaseOf(s.docs.Find(
		ctx, bson.D{mongox.Is("tenant", tenant), mongox.Is("branchId", branchID), mongox.Is("sequence", sequence)},
	))
}

// Replace saves the next version.
func (s *Records) Replace(ctx context.Context, p phases.Phase) error {
	seen := mongox.Version(p.Version, p.Tenant, p.ID)
	p.Version++

	return s.docs.Replace(ctx, seen, toPhaseDoc(p))
}

// Open lists open phases of all tenants.
func (s *Records) Open(ctx context.Context, before time.Time, at *cases.Cursor, limit int) ([]phases.Phase, error) {
	filter := bson.D{mongox.Is("open", true), mongox.Is("since", bson.D{mongox.Is("$lt", before)})}
	if at != nil {
		filter = after(filter, "since", false, at.Time, at.ID)
	}
	docs, err := s.docs.List(ctx, filter, order("since", false), limit, mongox.Without("prompt"))

	return mongox.Each(docs, phaseDoc.toPhase), err
}

// Queue returns the phases that wait for a branch, in the order of their arrival: each came with a number below that
// of the one before.
func (s *Records) Queue(ctx context.Context, tenant, branchID string, limit int) ([]phases.Phase, error) {
	waiting := bson.D{mongox.Is("tenant", tenant), mongox.Is("branchId", branchID), mongox.Is("status", phases.Queued)}
	docs, err := s.docs.List(ctx, waiting, bson.D{mongox.Is("sequence", -1)}, limit, mongox.Without("prompt"))

	return mongox.Each(docs, phaseDoc.toPhase), err
}

// LastInLine returns the lowest number on a branch, or 0 when that is no number of the line.
func (s *Records) LastInLine(ctx context.Context, tenant, branchID string) (int, error) {
	line := bson.D{
		mongox.Is("tenant", tenant),
		mongox.Is("branchId", branchID),
		mongox.Is("sequence", bson.D{mongox.Is("$lt", 0)}),
	}
	docs, err := s.docs.List(
		ctx,
		line,
		bson.D{mongox.Is("sequence", 1)},
		1,
		mongox.Without(append([]string{"prompt"}, heavyPhase...)...),
	)
	if err != nil || len(docs) == 0 {
		return 0, err
	}

	return docs[0].Sequence, nil
}

// Forgotten lists phases of all tenants that nobody waits for any more.
func (s *Records) Forgotten(ctx context.Context, before time.Time, limit int) ([]phases.Phase, error) {
	filter := bson.D{mongox.Is("status", phases.Queued), mongox.Is("since", bson.D{mongox.Is("$lt", before)})}
	docs, err := s.docs.List(ctx, filter, bson.D{mongox.Is("since", 1)}, limit, mongox.Without("prompt"))

	return mongox.Each(docs, phaseDoc.toPhase), err
}

// Remove deletes a phase that waits.
func (s *Records) Remove(ctx context.Context, p phases.Phase) error {
	return s.docs.Remove(
		ctx,
		append(mongox.One(p.Tenant, p.ID), mongox.Is("version", p.Version), mongox.Is("status", phases.Queued)),
	)
}

// OpenIn returns the open phases of a container without what they say.
func (s *Records) OpenIn(ctx context.Context, tenant string, containerID string) ([]phases.Phase, error) {
	docs, err := s.docs.List(
		ctx,
		held(tenant, containerID, mongox.Is("open", true)),
		bson.D{mongox.Is("createdAt", 1)},
		phases.MaxBranches,
		mongox.Without(append([]string{"prompt"}, heavyPhase...)...),
	)

	return mongox.Each(docs, phaseDoc.toPhase), err
}
