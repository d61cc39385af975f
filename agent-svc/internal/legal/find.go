package legal

import (
	"context"
	"fmt"
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/api"
)

const bestPassages = 5

func (e *Engine) find(ctx context.Context, task Task, sources Sources, report Report) (api.PhaseResponse, error) {
	report.Plan("Plan: find passages", "search_passages")
	done := report.Tool("search_passages", "Searching the files of the case", task.Prompt)
	found, err := sources.Search(ctx, task.Prompt, task.FileIDs, bestPassages)
	if err != nil {
		done("failed", "The search failed")
		return api.PhaseResponse{}, err
	}
	report.Read(len(found.Hits))
	done("ok", fmt.Sprintf("%d passages", len(found.Hits)))
	r := answer(api.KindAnswer)
	var b strings.Builder
	for i, hit := range found.Hits {
		r.Citations = append(r.Citations, api.Citation{N: i + 1, Source: hit.Source})
		fmt.Fprintf(&b, "> %s [%d]\n\n", hit.Source.Quote, i+1)
	}
	fmt.Fprintf(&b, "%d files were read, %d could not be read.\n", found.FilesRead, found.FilesUnreadable)
	r.Text = b.String()
	return r, nil
}
