// Package legal is the contract of a run of the built-in agent: its task, what it may read and write, how it reports
// and how it ends. Whoever answers, by rules or with a language model, keeps to it; every statement of fact carries its
// source.
package legal

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/drafting"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// RulesVersion names the rules by which answers are made.
const RulesVersion = "2026.1"

// Task is what one run has to do.
type Task struct {
	PhaseID     string // of the phase that the task is
	RequestType string // one of the request types of the interface
	Prompt      string // passed the identity gate
	FileIDs     []string
	Language    string
	Mode        string        // auto, deterministic or model; "" is auto
	Limit       time.Duration // that the run may take; 0 is not known
	Container   api.Container
	Roles       []string // of the user that the caller is or stands for
	Now         time.Time
	Links       Links
	Work        Work // nil where nothing may be written
	// Written is what a language model wrote for the draft that is asked for, and was checked; nil where none did.
	Written   *drafting.Written
	Record    Record    // nil where the record of the caller's own requests is not read
	Oversight Oversight // nil unless the task is an admin_req
	Office    Office    // nil unless the task is an admin_req of a person: an agent has the reading verbs only
}

// Links builds the addresses that send a person to what only a person can do.
type Links func(action string) string

// Sources is what a run may read, with its caller's rights and no more.
type Sources interface {
	// Files returns the active files of the case, the oldest first.
	Files(ctx context.Context) ([]api.File, error)
	// Text returns the whole text of a file that agents may read.
	Text(ctx context.Context, fileID string) (api.FileText, error)
	// Texts returns the whole texts of the first of several files, in their order, and how many of the files it has
	// looked at: one at least. Those that are not there are left out.
	Texts(ctx context.Context, fileIDs []string) (texts []api.FileText, done int, err error)
	// Search returns the passages that answer query, the best first.
	Search(ctx context.Context, query string, fileIDs []string, limit int) (api.SearchResult, error)
	// Checklist compares the documents of the case with those that its stage expects.
	Checklist(ctx context.Context) (api.DocumentChecklist, error)
	// Parties returns the parties on record, in order of creation.
	Parties(ctx context.Context) ([]api.Party, error)
	// Authorities returns the citations that the firm has loaded, which answers of language models may name.
	Authorities(ctx context.Context) ([]string, error)
	// Cleared returns the words that people have cleared in the files of the case: they are no identities there.
	Cleared(ctx context.Context) ([]string, error)
	// Judged returns the entries of the timeline that a person confirmed or rejected, the earliest first. whole is
	// false when there are more than it reads.
	Judged(ctx context.Context) (list []api.TimelineEntry, whole bool, err error)
	// Partners returns at most limit professionals of the directory that fit the case, the best first.
	Partners(ctx context.Context, limit int) ([]api.Partner, error)
}

// OneByOne is Sources.Texts of what gives one text after the other.
func OneByOne(ctx context.Context, from interface {
	Text(ctx context.Context, fileID string) (api.FileText, error)
}, fileIDs []string,
) ([]api.FileText, int, error) {
	text, err := from.Text(ctx, fileIDs[0])

	switch {
	case errors.Is(err, errs.ErrNotFound):
		return nil, 1, nil
	case err != nil:
		return nil, 0, err
	}

	return []api.FileText{text}, 1, nil
}

// Work is what a run may write, with its caller's rights and no more. All of it is proposed: a person confirms or
// rejects it.
type Work interface {
	// Propose puts entries into the timeline of the container, unreviewed, and says under which ids, in their order.
	// Origin is extracted or computed. Doing it again adds nothing.
	Propose(ctx context.Context, origin string, entries []api.EntryContent) ([]api.ProposedEntry, error)
	// SaveDraft puts the forms of a draft among the files of the case, all or none, and returns the files in their
	// order; one that the case has already is marked as a duplicate. A case without room and a caller who may not add
	// files are errors of the kinds TooLarge and Forbidden.
	SaveDraft(ctx context.Context, docType string, forms []api.DraftFile) ([]api.File, error)
}

// Record is what a run may read of its caller's own requests.
type Record interface {
	// Refusals returns what the caller itself was refused, the newest first.
	Refusals(ctx context.Context) (api.Refusals, error)
}

// Oversight is what a run may read for who runs the tenant: counts, ids, states and times, never what a case says.
type Oversight interface {
	// Usage counts what the tenant has and had done.
	Usage(ctx context.Context) (api.TenantUsage, error)
	// WaitingReviews returns a page of pending reviews, those after the phase of that id, or the first.
	WaitingReviews(ctx context.Context, after string) (api.WaitingReviews, error)
	// CheckChain checks a part of an audit chain, CaseChain or PartyChain, from where an earlier check came to.
	CheckChain(ctx context.Context, chain string, from api.ChainCheck) (api.ChainCheck, error)
	// Members returns a page of the tenant's members, from where an earlier page ended; "" begins.
	Members(ctx context.Context, cursor string) (api.MemberList, error)
}

// Chains that a run can check.
const (
	CaseChain  = "case"
	PartyChain = "party"
)

// Office is what a run may do for a person who runs the tenant. All of it is put on record by the service that does it.
// What cannot be done as asked is an error of the kinds Invalid, NotFound, TooLarge, Conflict and Forbidden.
type Office interface {
	// PreviewRetention lists the cases that are due for removal.
	PreviewRetention(ctx context.Context) (api.RetentionPreview, error)
	// RunRetention removes cases of a preview, for some seconds. Call it again until none is left.
	RunRetention(ctx context.Context, token string) (api.RetentionRun, error)
	// Reindex rebuilds the search index of a case.
	Reindex(ctx context.Context, caseID string) (api.Reindexed, error)
	// ImportPartners puts entries into the tenant's own directory, all or none.
	ImportPartners(ctx context.Context, entries []json.RawMessage) (api.ImportedPartners, error)
}

// Report is how a run tells what it is doing. Its messages are fixed words and counts, never case text.
type Report interface {
	// Plan names the steps ahead.
	Plan(message string, steps ...string)
	// Tool says that a tool starts; the function it returns says how it ended: ok, empty, refused or failed. args are
	// digested, never shown.
	Tool(name, summary string, args ...string) func(outcome, summary string)
	// Working tells how far a long step has come.
	Working(message string, done, total int)
	// Reasoning says what is being weighed.
	Reasoning(message string)
	// Read counts passages that were read.
	Read(passages int)
	// Tokens counts what a language model was given and gave.
	Tokens(input, output int)
	// AnsweredBy says that something else answers than what the run began with.
	AnsweredBy(e api.Engine)
}
