// Package upstream lets a run read a case through case-svc and party-svc, with the rights of its caller.
package upstream

import (
	"context"
	"errors"
	"fmt"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/services"
)

const maxFiles = 1000 // pages are followed up to here; a case holds at most 500

// Case implements legal.Sources and legal.Work for one case and one phase.
type Case struct {
	Client     services.CaseClient
	Roster     services.PartyClient
	CaseID     string
	TimelineID string
	PhaseID    string
	Attempt    int
}

// Files returns the active files of the case, the oldest first. Sealed originals are left out, for people too: nobody
// reads them, and what an answer says of files reaches agents, who never learn that there is one.
func (c Case) Files(ctx context.Context) ([]api.File, error) {
	var all []api.File
	for cursor := ""; len(all) < maxFiles; {
		page, err := patient(ctx, func() (api.Page[api.File], error) { return c.Client.Files(ctx, c.CaseID, cursor) })
		if err != nil {
			return nil, fmt.Errorf("list files: %w", err)
		}

		for _, f := range page.Items {
			if f.MediaType != extract.Sealed {
				all = append(all, f)
			}
		}
		if page.NextCursor == nil {
			break
		}
		cursor = *page.NextCursor
	}

	return all, nil
}

// Text returns the whole text of a file.
func (c Case) Text(ctx context.Context, fileID string) (api.FileText, error) {
	text, err := patient(ctx, func() (api.FileText, error) { return c.Client.FileText(ctx, c.CaseID, fileID, 0, 0) })
	if err != nil {
		return api.FileText{}, fmt.Errorf("read file: %w", err)
	}

	return text, nil
}

// Texts returns the texts of the first of several files. A case-svc that has no route for several is asked for the
// first alone.
func (c Case) Texts(ctx context.Context, fileIDs []string) ([]api.FileText, int, error) {
	// The service takes at most so many at once; the caller comes again for the rest.
	first := fileIDs[:min(len(fileIDs), api.MostTexts)]

	read, err := patient(ctx, func() (api.TextsRead, error) { return c.Client.FileTexts(ctx, c.CaseID, first) })
	if errors.Is(err, errs.ErrNotFound) {
		return legal.OneByOne(ctx, c, fileIDs)
	}
	if err != nil {
		return nil, 0, fmt.Errorf("read files: %w", err)
	}

	// At least one is done, or a caller that comes for the rest would come for ever.
	return read.Items, max(read.Done, 1), nil
}

// Search returns the passages that answer query.
func (c Case) Search(ctx context.Context, query string, fileIDs []string, limit int) (api.SearchResult, error) {
	asked := api.SearchCase{
		Query:   query,
		FileIDs: fileIDs,
		Limit:   limit,
		Broad:   true,
	}
	result, err := patient(ctx, func() (api.SearchResult, error) { return c.Client.Search(ctx, c.CaseID, asked) })
	if err != nil {
		return api.SearchResult{}, fmt.Errorf("search case: %w", err)
	}

	return result, nil
}

const maxParties = 500 // a case has no more

// Parties returns the parties on record, in order of creation.
func (c Case) Parties(ctx context.Context) ([]api.Party, error) {
	roster, err := patient(ctx, func() (api.Roster, error) { return c.Roster.Roster(ctx, c.CaseID, maxParties) })
	if err != nil {
		return nil, fmt.Errorf("read parties: %w", err)
	}

	return roster.Parties, nil
}

// Partners returns the professionals of the directory that fit the case, the best first.
func (c Case) Partners(ctx context.Context, limit int) ([]api.Partner, error) {
	page, err := patient(ctx, func() (api.PartnerPage, error) { return c.Roster.PartnersFor(ctx, c.CaseID, limit) })
	if err != nil {
		return nil, fmt.Errorf("search partners: %w", err)
	}

	return page.Items, nil
}

// Authorities returns the citations that the firm has loaded.
func (c Case) Authorities(ctx context.Context) ([]string, error) {
	list, err := patient(ctx, func() ([]string, error) { return c.Client.Authorities(ctx) })
	if err != nil {
		return nil, fmt.Errorf("read authorities: %w", err)
	}

	return list, nil
}

// Cleared returns the words that people have cleared in the files of the case.
func (c Case) Cleared(ctx context.Context) ([]string, error) {
	words, err := patient(ctx, func() ([]string, error) { return c.Client.ClearedWords(ctx, c.CaseID) })
	if err != nil {
		return nil, fmt.Errorf("read what is cleared: %w", err)
	}

	return words, nil
}

// mostJudged bounds the pages of entries that are read of each review status, 100 entries each.
const mostJudged = 100

// Judged returns the entries of the timeline that a person confirmed or rejected, the earliest first. whole is false
// when there are more than mostJudged pages.
func (c Case) Judged(ctx context.Context) (all []api.TimelineEntry, whole bool, err error) {
	whole = true

	for _, status := range [...]string{"confirmed", "rejected"} {
		list, ended, err := c.judgedAs(ctx, status)
		if err != nil {
			return nil, false, fmt.Errorf("read the timeline: %w", err)
		}
		all, whole = append(all, list...), whole && ended
	}

	return all, whole, nil
}

func (c Case) judgedAs(ctx context.Context, status string) (all []api.TimelineEntry, ended bool, err error) {
	cursor := ""

	for range mostJudged {
		var next *string
		page, err := patient(ctx, func() (list []api.TimelineEntry, err error) {
			list, next, err = c.Client.Judged(ctx, c.TimelineID, status, cursor)
			return list, err
		})
		if err != nil {
			return nil, false, err
		}
		all = append(all, page...)
		if next == nil {
			return all, true, nil
		}
		cursor = *next
	}

	return all, false, nil
}

// Checklist compares the documents of the case with those that its stage expects.
func (c Case) Checklist(ctx context.Context) (api.DocumentChecklist, error) {
	list, err := patient(ctx, func() (api.DocumentChecklist, error) { return c.Client.Checklist(ctx, c.CaseID) })
	if err != nil {
		return api.DocumentChecklist{}, fmt.Errorf("read checklist: %w", err)
	}

	return list, nil
}

// Propose puts entries into the timeline of the case.
func (c Case) Propose(ctx context.Context, origin string, entries []api.EntryContent) ([]api.ProposedEntry, error) {
	// Not asked again: it writes.
	out, err := c.Client.ProposeEntries(ctx, c.TimelineID, api.ProposeEntries{
		PhaseID: c.PhaseID,
		Attempt: c.Attempt,
		Origin:  origin,
		Entries: entries,
	})
	if err != nil {
		return nil, fmt.Errorf("propose entries: %w", err)
	}

	return out.Items, nil
}

// SaveDraft puts the forms of a draft among the files of the case.
func (c Case) SaveDraft(ctx context.Context, docType string, forms []api.DraftFile) ([]api.File, error) {
	// Not asked again: it writes.
	out, err := c.Client.SaveDraft(ctx, c.CaseID, api.SaveDraft{
		PhaseID: c.PhaseID,
		Attempt: c.Attempt,
		DocType: docType,
		Files:   forms,
	})
	if err != nil {
		return nil, fmt.Errorf("save draft: %w", err)
	}

	return out.Items, nil
}

// Nothing implements legal.Sources for containers that hold no files.
type Nothing struct{}

// Files returns none.
func (Nothing) Files(context.Context) ([]api.File, error) { return nil, nil }

// Text finds nothing.
func (Nothing) Text(context.Context, string) (api.FileText, error) {
	return api.FileText{}, errs.ErrNotFound
}

// Texts finds nothing.
func (n Nothing) Texts(_ context.Context, fileIDs []string) ([]api.FileText, int, error) {
	return nil, len(fileIDs), nil
}

// Search finds nothing.
func (Nothing) Search(context.Context, string, []string, int) (api.SearchResult, error) {
	return api.SearchResult{Hits: []api.SearchHit{}}, nil
}

// Parties finds none.
func (Nothing) Parties(context.Context) ([]api.Party, error) { return nil, nil }

// Authorities finds none.
func (Nothing) Authorities(context.Context) ([]string, error) { return nil, nil }

// Cleared returns none.
func (Nothing) Cleared(context.Context) ([]string, error) { return nil, nil }

// Judged returns none.
func (Nothing) Judged(context.Context) ([]api.TimelineEntry, bool, error) { return nil, true, nil }

// Partners finds none.
func (Nothing) Partners(context.Context, int) ([]api.Partner, error) { return nil, nil }

// Checklist finds nothing.
func (Nothing) Checklist(context.Context) (api.DocumentChecklist, error) {
	return api.DocumentChecklist{}, errs.ErrNotFound
}
