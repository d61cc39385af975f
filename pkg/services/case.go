// Package services calls the inside routes of our own services, with the rights of the caller in the context. What they
// take and answer is in package api. An error is the one that the service gave, or errs.ErrUnavailable where it did not
// answer.
package services

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
)

// CaseClient calls case-svc for agent-svc.
type CaseClient struct{ HTTP *httpcall.Client }

// PutA2ATask saves a task of the caller that no phase answers yet: a new one of version 0, or the next version of the
// one that is there. A new one that is there already comes back as it is; another version is a conflict.
func (c CaseClient) PutA2ATask(ctx context.Context, in api.A2ATask) (api.A2ATask, error) {
	return call[api.A2ATask](ctx, c.HTTP, httpcall.Request{
		Method: http.MethodPut, Path: httpcall.Path("internal", "a2a-tasks", in.TaskID), In: in,
	})
}

// A2ATask returns a task of the caller; one of anybody else is not found.
func (c CaseClient) A2ATask(ctx context.Context, taskID string) (api.A2ATask, error) {
	return call[api.A2ATask](ctx, c.HTTP, httpcall.Request{
		Method: http.MethodGet, Path: httpcall.Path("internal", "a2a-tasks", taskID),
	})
}

// A2ATasks lists tasks of the caller.
func (c CaseClient) A2ATasks(ctx context.Context, q api.A2AQuery) (api.A2ATaskPage, error) {
	query := url.Values{"limit": {strconv.Itoa(q.Limit)}}
	for name, value := range map[string]string{
		"contextId": q.ContextID, "state": q.State, "since": q.Since, "cursor": q.Cursor,
	} {
		if value != "" {
			query.Set(name, value)
		}
	}

	return call[api.A2ATaskPage](ctx, c.HTTP, httpcall.Request{
		Method: http.MethodGet, Path: "/internal/a2a-tasks", Query: query,
	})
}

// Refusals returns the caller's last refusals.
func (c CaseClient) Refusals(ctx context.Context) (api.Refusals, error) {
	return call[api.Refusals](ctx, c.HTTP, httpcall.Request{Method: http.MethodGet, Path: "/internal/refusals"})
}

// Usage counts what the caller's tenant has; the caller must oversee it.
func (c CaseClient) Usage(ctx context.Context) (api.TenantUsage, error) {
	return call[api.TenantUsage](ctx, c.HTTP, httpcall.Request{Method: http.MethodGet, Path: "/internal/usage"})
}

// WaitingReviews returns a page of the tenant's pending reviews, those after the phase of that id, or the first; the
// caller must oversee the tenant.
func (c CaseClient) WaitingReviews(ctx context.Context, after string) (api.WaitingReviews, error) {
	query := url.Values{}
	if after != "" {
		query.Set("after", after)
	}

	return call[api.WaitingReviews](ctx, c.HTTP, httpcall.Request{
		Method: http.MethodGet, Path: "/internal/waiting-reviews", Query: query,
	})
}

// CheckChain checks a part of case-svc's audit chain of the caller's tenant, from where an earlier check came to.
func (c CaseClient) CheckChain(ctx context.Context, from api.ChainCheck) (api.ChainCheck, error) {
	return checkChain(ctx, c.HTTP, from)
}

// PreviewRetention lists the cases whose time has come; the caller must be a person who runs the tenant.
func (c CaseClient) PreviewRetention(ctx context.Context) (api.RetentionPreview, error) {
	return call[api.RetentionPreview](httpcall.MayBeSilent(ctx), c.HTTP, httpcall.Request{
		Method: http.MethodPost, Path: "/internal/retention/previews",
	})
}

// RunRetention takes away as many cases of a preview as it can in some seconds. Only who asked for the preview may.
func (c CaseClient) RunRetention(ctx context.Context, in api.RunRetention) (api.RetentionRun, error) {
	return call[api.RetentionRun](httpcall.MayBeSilent(ctx), c.HTTP, httpcall.Request{
		Method: http.MethodPost, Path: "/internal/retention/runs", In: in,
	})
}

// Reindex makes the search index of a case anew; the caller must be a person who runs the tenant.
func (c CaseClient) Reindex(ctx context.Context, caseID string) (api.Reindexed, error) {
	return call[api.Reindexed](httpcall.MayBeSilent(ctx), c.HTTP, httpcall.Request{
		Method: http.MethodPost, Path: httpcall.Path("internal", "cases", caseID, "reindex"),
	})
}

// BeginPhase begins a phase, takes up an interrupted one, or returns the one that is there. The phase is stored and
// its branch claimed when it returns.
func (c CaseClient) BeginPhase(ctx context.Context, in api.BeginPhase) (api.BegunPhase, error) {
	return call[api.BegunPhase](ctx, c.HTTP, httpcall.Request{
		Method: http.MethodPost, Path: "/internal/phases", Header: http.Header{api.BeginHints: in.Hints()}, In: in,
	})
}

// Phase returns a phase that the caller may read.
func (c CaseClient) Phase(ctx context.Context, phaseID string) (api.Phase, error) {
	return call[api.Phase](ctx, c.HTTP, httpcall.Request{
		Method: http.MethodGet, Path: httpcall.Path("internal", "phases", phaseID),
	})
}

// EndPhase ends an attempt and frees the branch.
func (c CaseClient) EndPhase(ctx context.Context, phaseID string, in api.EndPhase) (api.Phase, error) {
	return call[api.Phase](ctx, c.HTTP, httpcall.Request{
		Method: http.MethodPost,
		Path:   httpcall.Path("internal", "phases", phaseID, "end"),
		In:     in,
	})
}

// InterruptPhase marks a running attempt as interrupted; one that has ended meanwhile stays as it is.
func (c CaseClient) InterruptPhase(ctx context.Context, phaseID string, attempt int) (api.InterruptedPhase, error) {
	return c.interruptPhase(ctx, phaseID, api.InterruptPhase{Attempt: attempt})
}

// HandOverPhase is InterruptPhase for a process that was told to stop. Such an end of an attempt is never held against
// the run.
func (c CaseClient) HandOverPhase(ctx context.Context, phaseID string, attempt int) (api.InterruptedPhase, error) {
	p, err := c.interruptPhase(ctx, phaseID, api.InterruptPhase{Attempt: attempt, HandedOver: true})
	// The release before does not know the field.
	if err != nil && errs.From(err).Kind == errs.Invalid {
		return c.InterruptPhase(ctx, phaseID, attempt)
	}

	return p, err
}

func (c CaseClient) interruptPhase(
	ctx context.Context,
	phaseID string,
	in api.InterruptPhase,
) (api.InterruptedPhase, error) {
	return call[api.InterruptedPhase](ctx, c.HTTP, httpcall.Request{
		Method: http.MethodPost,
		Path:   httpcall.Path("internal", "phases", phaseID, "interrupt"),
		In:     in,
	})
}

// OpenPhases returns a page of the phases of all tenants that are running since before a while, or interrupted, the
// longest first; for a caller of kind service. Pass the cursor of the page before, or "".
func (c CaseClient) OpenPhases(
	ctx context.Context,
	while time.Duration,
	cursor string,
	limit int,
) (api.OpenPages, error) {
	query := limitQuery(limit)
	query.Set("runningFor", while.String())
	if cursor != "" {
		query.Set("cursor", cursor)
	}

	return call[api.OpenPages](ctx, c.HTTP, httpcall.Request{
		Method: http.MethodGet, Path: "/internal/open-phases", Query: query,
	})
}

// Continuation returns what is needed to take a phase up again; for agent-svc itself, in the phase's tenant.
func (c CaseClient) Continuation(ctx context.Context, phaseID string) (api.Continuation, error) {
	return call[api.Continuation](ctx, c.HTTP, httpcall.Request{
		Method: http.MethodGet,
		Path:   httpcall.Path("internal", "phases", phaseID, "continuation"),
	})
}

// LeaveLine takes a queued phase out of the line of its branch, unless another waiter has taken its place over.
func (c CaseClient) LeaveLine(ctx context.Context, phaseID, waiter string) error {
	return send(ctx, c.HTTP, httpcall.Request{
		Method: http.MethodDelete, Path: httpcall.Path("internal", "phases", phaseID, "place"),
		Query: url.Values{"waiter": {waiter}},
	})
}

// Container returns what a run needs of a container that the caller may read.
func (c CaseClient) Container(ctx context.Context, kind, id string) (api.Container, error) {
	return call[api.Container](ctx, c.HTTP, httpcall.Request{
		Method: http.MethodGet, Path: httpcall.Path("internal", "containers", kind, id),
	})
}

// Files returns one page of a case's active files, the oldest first. Pass the cursor of the page before, or "".
func (c CaseClient) Files(ctx context.Context, caseID, cursor string) (api.Page[api.File], error) {
	query := url.Values{"limit": {"100"}, "sort": {"createdAt"}}
	if cursor != "" {
		query.Set("cursor", cursor)
	}

	return call[api.Page[api.File]](ctx, c.HTTP, httpcall.Request{
		Method: http.MethodGet,
		Path:   httpcall.Path("v1", "cases", caseID, "files"),
		Query:  query,
	})
}

// FileText returns the text of a file between two code points; to = 0 means the end.
func (c CaseClient) FileText(ctx context.Context, caseID, fileID string, from, to int) (api.FileText, error) {
	query := url.Values{"from": {strconv.Itoa(from)}}
	if to > 0 {
		query.Set("to", strconv.Itoa(to))
	}

	return call[api.FileText](httpcall.MayBeSilent(ctx), c.HTTP, httpcall.Request{
		Method: http.MethodGet,
		Path:   httpcall.Path("v1", "cases", caseID, "files", fileID, "text"),
		Query:  query,
	})
}

// FileTexts returns the texts of several files, as many as fit into an answer. A service of before this route existed
// says errs.ErrNotFound.
func (c CaseClient) FileTexts(ctx context.Context, caseID string, fileIDs []string) (api.TextsRead, error) {
	return call[api.TextsRead](httpcall.MayBeSilent(ctx), c.HTTP, httpcall.Request{
		Method: http.MethodPost,
		Path:   httpcall.Path("internal", "cases", caseID, "texts"),
		In:     api.ReadTexts{FileIDs: fileIDs},
	})
}

// Search finds passages of a case's files. The first of a large case waits for its index to be made.
func (c CaseClient) Search(ctx context.Context, caseID string, in api.SearchCase) (api.SearchResult, error) {
	query := url.Values{}
	if in.Broad {
		query.Set("broad", "true")
	}

	return call[api.SearchResult](httpcall.MayBeSilent(ctx), c.HTTP, httpcall.Request{
		Method: http.MethodPost,
		Path:   httpcall.Path("internal", "cases", caseID, "search"),
		Query:  query,
		In:     in,
	})
}

// Checklist compares the documents of a case with those that its stage expects.
func (c CaseClient) Checklist(ctx context.Context, caseID string) (api.DocumentChecklist, error) {
	return call[api.DocumentChecklist](ctx, c.HTTP, httpcall.Request{
		Method: http.MethodGet, Path: httpcall.Path("internal", "cases", caseID, "checklist"),
	})
}

// ClearedWords returns what people have cleared in the files of a case that agents may read.
func (c CaseClient) ClearedWords(ctx context.Context, caseID string) ([]string, error) {
	var out api.AllowedWords
	path := httpcall.Path("internal", "cases", caseID, "cleared-words")
	_, err := c.HTTP.Do(ctx, httpcall.Request{Method: http.MethodGet, Path: path, Out: &out})

	return out.Words, err
}

// Judged returns a page of the entries of a timeline with a review status, the earliest first, and where the next
// begins.
func (c CaseClient) Judged(
	ctx context.Context,
	timelineID, status, cursor string,
) ([]api.TimelineEntry, *string, error) {
	query := url.Values{"include": {"entries"}, "reviewStatus": {status}, "limit": {"100"}}
	if cursor != "" {
		query.Set("cursor", cursor)
	}
	var out api.Timeline
	_, err := c.HTTP.Do(ctx, httpcall.Request{
		Method: http.MethodGet, Path: httpcall.Path("v1", "timeline", timelineID), Query: query, Out: &out,
	})

	return out.Entries, out.NextCursor, err
}

// RecordEvaluation stores an evaluation in its case. Doing it twice changes nothing.
func (c CaseClient) RecordEvaluation(ctx context.Context, caseID string, in api.RecordEvaluation) (api.Case, error) {
	return call[api.Case](ctx, c.HTTP, httpcall.Request{
		Method: http.MethodPut,
		Path:   httpcall.Path("internal", "cases", caseID, "evaluation"),
		In:     in,
	})
}

// SaveDraft puts a draft among the files of a case. The caller must be able to run agents in it.
func (c CaseClient) SaveDraft(ctx context.Context, caseID string, in api.SaveDraft) (api.SavedDraft, error) {
	return call[api.SavedDraft](httpcall.MayBeSilent(ctx), c.HTTP, httpcall.Request{
		Method: http.MethodPost,
		Path:   httpcall.Path("internal", "cases", caseID, "drafts"),
		In:     in,
	})
}

// RecordRefusal audits a refusal.
func (c CaseClient) RecordRefusal(ctx context.Context, in api.RecordRefusal) error {
	return send(ctx, c.HTTP, httpcall.Request{Method: http.MethodPost, Path: "/internal/refusals", In: in})
}

// PutGrant stores a grant, or ends it, in the tenant of the caller, which must be a service. It takes effect once; a
// repetition is a success.
func (c CaseClient) PutGrant(ctx context.Context, in api.Grant) error {
	return send(ctx, c.HTTP, httpcall.Request{
		Method: http.MethodPut, Path: httpcall.Path("internal", "grants", in.InviteID), In: in,
	})
}

// CheckScope tells whether branches and files belong to the case: scope_not_in_case when one does not.
func (c CaseClient) CheckScope(ctx context.Context, caseID string, in api.InviteScope) error {
	return send(ctx, c.HTTP, httpcall.Request{
		Method: http.MethodPost, Path: httpcall.Path("internal", "cases", caseID, "scope"), In: in,
	})
}

// RosterChanged has case-svc take a case's counts and its conflict status anew from party-svc's roster.
func (c CaseClient) RosterChanged(ctx context.Context, caseID string) error {
	return send(ctx, c.HTTP, httpcall.Request{
		Method: http.MethodPost, Path: httpcall.Path("internal", "cases", caseID, "recount"),
	})
}

// CaseByID returns a case as its caller may see it.
func (c CaseClient) CaseByID(ctx context.Context, caseID string) (api.Case, error) {
	return call[api.Case](ctx, c.HTTP, httpcall.Request{
		Method: http.MethodGet, Path: httpcall.Path("v1", "cases", caseID),
	})
}

// ConflictPolicy returns what the settings of the caller's tenant say about parties in conflict.
func (c CaseClient) ConflictPolicy(ctx context.Context) (string, error) {
	var out struct {
		ConflictPolicy string `json:"conflictPolicy"`
	}
	_, err := c.HTTP.Do(ctx, httpcall.Request{
		Method: http.MethodGet, Path: httpcall.Path("v1", "settings"), Out: &out,
	})

	return out.ConflictPolicy, err
}

// AllowedWords returns those of the caller's tenant.
func (c CaseClient) AllowedWords(ctx context.Context, _ string) ([]string, error) {
	var out api.AllowedWords
	_, err := c.HTTP.Do(ctx, httpcall.Request{
		Method: http.MethodGet, Path: "/internal/settings/allowed-words", Out: &out,
	})

	return out.Words, err
}

// A2ASettings returns those of the caller's tenant.
func (c CaseClient) A2ASettings(ctx context.Context) (api.A2ASettings, error) {
	return call[api.A2ASettings](ctx, c.HTTP, httpcall.Request{
		Method: http.MethodGet, Path: "/internal/settings/a2a",
	})
}

// Authorities returns the citations that the caller's tenant has loaded.
func (c CaseClient) Authorities(ctx context.Context) ([]string, error) {
	var out api.Authorities
	_, err := c.HTTP.Do(ctx, httpcall.Request{
		Method: http.MethodGet, Path: "/internal/settings/authorities", Out: &out,
	})

	return out.Citations, err
}

// ProposeEntries proposes entries for a timeline. The caller must be able to run agents in its container.
func (c CaseClient) ProposeEntries(
	ctx context.Context,
	timelineID string,
	in api.ProposeEntries,
) (api.ProposedEntries, error) {
	return call[api.ProposedEntries](ctx, c.HTTP, httpcall.Request{
		Method: http.MethodPost,
		Path:   httpcall.Path("internal", "timeline", timelineID, "entries"),
		In:     in,
	})
}

func limitQuery(limit int) url.Values { return url.Values{"limit": {strconv.Itoa(limit)}} }
