package mongostore

import (
	"context"
	"errors"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
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
	Failure        *failureDoc   `bson:"failure"`
	ReviewRequired bool          `bson:"reviewRequired"`
	ReviewStatus   string        `bson:"reviewStatus"`
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
	Mode           string `bson:"mode"`
	RulesVersion   string `bson:"rulesVersion"`
	FallbackReason string `bson:"fallbackReason"`
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
		Key: key(p.Tenant, p.ID), Tenant: string(p.Tenant), ID: p.ID, Version: p.Version, BranchID: p.BranchID, TimelineID: p.TimelineID, ParentID: p.ParentID,
		Sequence: p.Sequence, ContainerType: p.ContainerType, ContainerID: p.ContainerID, SessionID: p.SessionID, RequestType: p.RequestType, Prompt: p.Prompt,
		FileIDs: p.FileIDs, Status: p.Status, Open: p.Open(), Attempt: p.Attempt, Response: p.Response, Failure: (*failureDoc)(p.Failure),
		ReviewRequired: p.Review.Required, ReviewStatus: p.Review.Status, DirectedBy: directedDoc(p.DirectedBy), Engine: engineDoc(p.Engine),
		ToolCalls: each(p.ToolCalls, func(t phases.ToolCall) toolCallDoc { return toolCallDoc(t) }), Usage: usageDoc(p.Usage), Stream: marksDoc(p.Stream),
		RequestSHA256: p.RequestSHA256, ResponseSHA256: p.ResponseSHA256, PrevHash: p.PrevHash, Hash: p.Hash, CreatedBy: actorDoc(p.CreatedBy),
		CreatedAt: p.CreatedAt, StartedAt: p.StartedAt, Since: p.Since,
	}
	if !p.EndedAt.IsZero() {
		d.EndedAt = &p.EndedAt
	}
	return d
}

func (d phaseDoc) toPhase() phases.Phase {
	p := phases.Phase{
		ID: d.ID, Tenant: cases.TenantID(d.Tenant), Version: d.Version, BranchID: d.BranchID, TimelineID: d.TimelineID, ParentID: d.ParentID, Sequence: d.Sequence,
		ContainerType: d.ContainerType, ContainerID: d.ContainerID, SessionID: d.SessionID, RequestType: d.RequestType, Prompt: d.Prompt, FileIDs: d.FileIDs,
		Status: d.Status, Attempt: d.Attempt, Response: d.Response, Failure: (*phases.Failure)(d.Failure),
		Review: phases.Review{Required: d.ReviewRequired, Status: d.ReviewStatus}, DirectedBy: phases.DirectedBy(d.DirectedBy), Engine: phases.Engine(d.Engine),
		ToolCalls: each(d.ToolCalls, func(t toolCallDoc) phases.ToolCall { return phases.ToolCall(t) }), Usage: phases.Usage(d.Usage),
		Stream: phases.StreamMarks(d.Stream), RequestSHA256: d.RequestSHA256, ResponseSHA256: d.ResponseSHA256, PrevHash: d.PrevHash, Hash: d.Hash,
		CreatedBy: cases.Actor(d.CreatedBy), CreatedAt: d.CreatedAt.UTC(), StartedAt: d.StartedAt.UTC(), Since: d.Since.UTC(),
	}
	if d.EndedAt != nil {
		p.EndedAt = d.EndedAt.UTC()
	}
	return p
}

// Records implements phases.Records.
type Records struct{ docs documents[phaseDoc] }

// NewRecords returns the store in db.
func NewRecords(db *mongo.Database) *Records { return &Records{in[phaseDoc](db, phasesCollection)} }

// Insert saves a phase. Both its id and its number on the branch are unique; which of them is taken is found out afterwards.
func (s *Records) Insert(ctx context.Context, p phases.Phase) error {
	err := s.docs.insert(ctx, toPhaseDoc(p))
	if !errors.Is(err, errTaken) {
		return err
	}
	_, err = s.docs.find(ctx, one(p.Tenant, p.ID))
	switch {
	case err == nil:
		return phases.ErrTaken
	case errors.Is(err, phases.ErrNotFound):
		return phases.ErrSequence
	}
	return err
}

// Get returns a phase.
func (s *Records) Get(ctx context.Context, tenant cases.TenantID, id string) (phases.Phase, error) {
	if !cases.ValidID(id) {
		return phases.Phase{}, phases.ErrNotFound
	}
	return phaseOf(s.docs.find(ctx, one(tenant, id)))
}

func phaseOf(d phaseDoc, err error) (phases.Phase, error) {
	if err != nil {
		return phases.Phase{}, err
	}
	return d.toPhase(), nil
}

// Numbered returns the phase with a number on a branch.
func (s *Records) Numbered(ctx context.Context, tenant cases.TenantID, branchID string, sequence int) (phases.Phase, error) {
	return phaseOf(s.docs.find(ctx, bson.D{is("tenant", string(tenant)), is("branchId", branchID), is("sequence", sequence)}))
}

// Replace saves the next version.
func (s *Records) Replace(ctx context.Context, p phases.Phase) error {
	seen := append(one(p.Tenant, p.ID), is("version", p.Version))
	p.Version++
	return phaseError(s.docs.replace(ctx, seen, toPhaseDoc(p)))
}

// Open lists open phases of all tenants.
func (s *Records) Open(ctx context.Context, limit int) ([]phases.Phase, error) {
	docs, err := s.docs.list(ctx, bson.D{is("open", true)}, bson.D{is("since", 1)}, limit, "prompt")
	return each(docs, phaseDoc.toPhase), err
}
