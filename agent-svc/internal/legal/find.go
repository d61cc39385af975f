package legal

import (
	"context"
	"fmt"
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/guard"
)

const (
	bestPassages = 5
	shownWords   = 12 // of those that matched in a passage
)

// find answers a question by the passages that match it best, quoted in that order.
func (j *job) find(ctx context.Context) (api.PhaseResponse, error) {
	j.report.Plan("Plan: find the passages that answer best", "search_passages")
	if len(j.FileIDs) > 0 {
		if _, err := j.hold(ctx); err != nil {
			return api.PhaseResponse{}, err
		}
	}
	done := j.report.Tool("search_passages", "Searching the files of the case", j.Prompt)
	found, err := j.sources.Search(ctx, j.Prompt, j.FileIDs, bestPassages)
	if err != nil {
		done("failed", "The search failed")
		return api.PhaseResponse{}, err
	}
	j.report.Read(len(found.Hits))
	r := answer(api.KindAnswer)
	r.Limits = append(r.Limits, "Only the files of the case were searched: what the law is, this answer does not say.")
	r.SuggestedNext = suggestions("Summarise the files", "Build a chronology")
	withheld := 0

	hits := found.Hits[:0:0]
	for _, h := range found.Hits {
		if !j.clean(ctx, h.Source.Quote) || !j.clean(ctx, strings.Join(h.Matched, " ")) {
			withheld++
			continue
		}
		hits = append(hits, h)
	}
	done(outcome(len(hits)), fmt.Sprintf("%s in %s", count(len(hits), "passage", "passages"), count(filesOf(hits), "file", "files")))
	if withheld > 0 {
		r.Limits = append(r.Limits, count(withheld, "passage was left out, because its words", "passages were left out, because their words")+", put on one line, could be read as an identity.")
	}
	r.Text, r.Citations = passagesText(hits, found)

	return r, nil
}

func outcome(n int) string {
	if n == 0 {
		return "empty"
	}

	return "ok"
}

func filesOf(hits []api.SearchHit) int {
	files := map[string]bool{}
	for _, h := range hits {
		files[h.Source.FileID] = true
	}

	return len(files)
}

// clean reports whether a text may be shown.
func (j *job) clean(ctx context.Context, text string) bool {
	return len(j.gate.Check(ctx, guard.Event, text)) == 0
}

// passagesText quotes the passages, or says plainly that there are none.
func passagesText(hits []api.SearchHit, found api.SearchResult) (string, []api.Citation) {
	var b strings.Builder
	var n notes

	switch {
	case len(hits) == 0 && found.FilesRead == 0:
		b.WriteString("There is no readable file to look into.\n\n")
	case len(hits) == 0:
		fmt.Fprintf(&b, "No passage of %s matches the words of this question. Try other English words, or put a phrase that must stand there in quotation marks; Help lists what can be asked.\n\n", count(found.FilesRead, "readable file", "readable files"))
	default:
		fmt.Fprintf(&b, "%s, the best first. They are quoted as they stand; whether they answer the question is for the reader to judge.\n\n", capital(count(len(hits), "passage matches", "passages match")))
	}

	for i, h := range hits {
		page := ""
		if h.Source.Page > 0 {
			page = fmt.Sprintf(", page %d", h.Source.Page)
		}
		fmt.Fprintf(&b, "**%d. %s%s**%s\n\n%s\nMatched: %s\n\n", i+1, escape(h.FileName), page, n.mark(h.Source), quotation(h.Source.Quote), matched(h.Matched))
	}
	fmt.Fprintf(&b, "%s read", capital(count(found.FilesRead, "file was", "files were")))
	if found.FilesUnreadable > 0 {
		fmt.Fprintf(&b, "; %s not be read (scans and the like, or not proved to be de-identified)", count(found.FilesUnreadable, "file could", "files could"))
	}
	if found.PlacesUnread > 0 {
		fmt.Fprintf(
			&b,
			"; in them %s not read",
			count(found.PlacesUnread, "page or picture was", "pages and pictures were"),
		)
	}
	b.WriteString(".\n")

	return b.String(), n.list
}

func matched(words []string) string {
	list := make([]string, 0, shownWords)
	for _, w := range words[:min(len(words), shownWords)] {
		list = append(list, escape(w))
	}

	return strings.Join(list, ", ")
}

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }
