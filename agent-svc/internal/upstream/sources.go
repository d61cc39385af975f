// Package upstream lets a run read a case through case-svc, with the rights of its caller.
package upstream

import (
	"context"
	"fmt"

	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

const maxFiles = 1000 // pages are followed up to here; a case holds at most 500

// Case implements legal.Sources for one case.
type Case struct {
	Client api.CaseClient
	CaseID string
}

// Files returns the active files of the case, the oldest first.
func (c Case) Files(ctx context.Context) ([]api.File, error) {
	var all []api.File
	for cursor := ""; len(all) < maxFiles; {
		page, err := c.Client.Files(ctx, c.CaseID, cursor)
		if err != nil {
			return nil, fmt.Errorf("list files: %w", err)
		}
		all = append(all, page.Items...)
		if page.NextCursor == nil {
			break
		}
		cursor = *page.NextCursor
	}
	return all, nil
}

// Text returns the whole text of a file.
func (c Case) Text(ctx context.Context, fileID string) (api.FileText, error) {
	text, err := c.Client.FileText(ctx, c.CaseID, fileID, 0, 0)
	if err != nil {
		return api.FileText{}, fmt.Errorf("read file: %w", err)
	}
	return text, nil
}

// Search returns the passages that answer query.
func (c Case) Search(ctx context.Context, query string, fileIDs []string, limit int) (api.SearchResult, error) {
	result, err := c.Client.Search(ctx, c.CaseID, api.SearchCase{Query: query, FileIDs: fileIDs, Limit: limit})
	if err != nil {
		return api.SearchResult{}, fmt.Errorf("search case: %w", err)
	}
	return result, nil
}

// Nothing implements legal.Sources for containers that hold no files.
type Nothing struct{}

// Files returns none.
func (Nothing) Files(context.Context) ([]api.File, error) { return nil, nil }

// Text finds nothing.
func (Nothing) Text(context.Context, string) (api.FileText, error) {
	return api.FileText{}, errs.ErrNotFound
}

// Search finds nothing.
func (Nothing) Search(context.Context, string, []string, int) (api.SearchResult, error) {
	return api.SearchResult{Hits: []api.SearchHit{}}, nil
}
