package answers_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/answers"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/search"
)

// caseFiles are a case's files in memory, searched by the index that case-svc uses.
type caseFiles struct {
	files []api.File
	texts map[string]string
	gone  map[string]bool // listed, but no longer there when they are read
	read  func(id string) // called before a file is read
	pages map[string][]int

	cleared    []string
	judged     []api.TimelineEntry
	judgedPart bool // there are more
	parties    []api.Party
	partners   []api.Partner
	partiesErr error // of whoever keeps both
}

func newCaseFiles() *caseFiles {
	return &caseFiles{texts: map[string]string{}, gone: map[string]bool{}, pages: map[string][]int{}}
}

// add puts a file among them; form feeds begin pages.
func (s *caseFiles) add(name, text string) *caseFiles {
	id := fmt.Sprintf("00000000-0000-7000-8000-%012d", len(s.files)+1)
	s.files = append(s.files, api.File{FileID: id, Name: name, AgentReadable: true, Status: "active", Extraction: api.Extraction{Status: "ok", Language: "en"}})
	s.texts[id], s.pages[id] = text, pageStarts(text)

	return s
}

// addUnreadable puts a file among them that agents cannot read.
func (s *caseFiles) addUnreadable(name string) *caseFiles {
	s.add(name, "")
	s.files[len(s.files)-1].AgentReadable = false

	return s
}

func pageStarts(text string) []int {
	if !strings.Contains(text, "\f") {
		return nil
	}
	starts := []int{0}

	for i, r := range []rune(text) {
		if r == '\f' {
			starts = append(starts, i+1)
		}
	}

	return starts
}

func (s *caseFiles) Files(ctx context.Context) ([]api.File, error) {
	return slices.Clone(s.files), ctx.Err()
}

func (s *caseFiles) Texts(ctx context.Context, ids []string) ([]api.FileText, int, error) {
	return legal.OneByOne(ctx, s, ids)
}

func (s *caseFiles) Text(ctx context.Context, id string) (api.FileText, error) {
	if s.read != nil {
		s.read(id)
	}
	text, ok := s.texts[id]
	if !ok || s.gone[id] {
		return api.FileText{}, fmt.Errorf("read file: %w", errs.ErrNotFound)
	}

	body := api.FileText{FileID: id, TextVersion: 1, Text: text}
	for i, at := range s.pages[id] {
		body.PageStarts = append(body.PageStarts, api.PageOffset{Page: i + 1, Start: at})
	}

	return body, ctx.Err()
}

func (s *caseFiles) Search(ctx context.Context, query string, ids []string, limit int) (api.SearchResult, error) {
	var files []search.File
	var result api.SearchResult
	names := map[string]string{}

	for _, f := range s.files {
		if len(ids) > 0 && !slices.Contains(ids, f.FileID) {
			continue
		}
		if !f.AgentReadable {
			result.FilesUnreadable++
			continue
		}
		result.FilesRead++
		result.PlacesUnread += f.Unread.Count
		names[f.FileID] = f.Name

		file := search.File{ID: f.FileID, TextVersion: 1}
		for _, p := range extract.Passages(extract.Document{Status: extract.OK, Text: s.texts[f.FileID], PageStarts: s.pages[f.FileID]}) {
			file.Passages = append(file.Passages, search.Passage(p))
		}
		files = append(files, file)
	}

	index := search.Build(files)
	hits, absent := index.Find(query, search.Options{Limit: limit, Broad: true})
	result.Absent = absent

	for _, h := range hits {
		from, to := h.Quote()
		result.Hits = append(
			result.Hits,
			api.SearchHit{
				FileName: names[h.FileID],
				Text:     h.Text,
				Score:    h.Score,
				Matched:  h.Matched,
				Near:     h.Near,
				Source: api.SourceRef{
					FileID: h.FileID, TextVersion: 1, Page: h.Page, CharStart: h.CharStart + from,
					CharEnd: h.CharStart + to, Quote: facts.Fold(string([]rune(h.Text)[from:to])),
				},
			},
		)
	}

	return result, ctx.Err()
}

func (s *caseFiles) Parties(ctx context.Context) ([]api.Party, error) {
	return s.parties, errors.Join(s.partiesErr, ctx.Err())
}

func (s *caseFiles) Authorities(context.Context) ([]string, error) { return nil, nil }

func (s *caseFiles) Judged(ctx context.Context) ([]api.TimelineEntry, bool, error) {
	return s.judged, !s.judgedPart, ctx.Err()
}

func (s *caseFiles) Cleared(ctx context.Context) ([]string, error) { return s.cleared, ctx.Err() }

func (s *caseFiles) Partners(ctx context.Context, limit int) ([]api.Partner, error) {
	return s.partners[:min(len(s.partners), limit)], errors.Join(s.partiesErr, ctx.Err())
}

// Checklist expects three documents, whatever the case.
func (s *caseFiles) Checklist(ctx context.Context) (api.DocumentChecklist, error) {
	list := api.DocumentChecklist{Phase: "L200", Present: []string{}, Missing: []string{}}

	for _, want := range []string{"complaint", "answer", "scheduling_order"} {
		if slices.ContainsFunc(s.files, func(f api.File) bool { return f.DocType == want }) {
			list.Present = append(list.Present, want)
		} else {
			list.Missing = append(list.Missing, want)
		}
	}

	return list, ctx.Err()
}

// diary notes what a run reports.
type diary struct {
	entries  []string
	messages []string
	open     int
	plans    int
	working  int
}

func (d *diary) note(kind string, messages ...string) {
	d.entries = append(d.entries, kind)
	d.messages = append(d.messages, messages...)
}

func (d *diary) Plan(message string, steps ...string) {
	d.plans++
	d.note("plan", append(steps, message)...)
}

func (d *diary) Tool(name, summary string, _ ...string) func(outcome, summary string) {
	d.open++
	d.note("tool", name, summary)

	return func(outcome, summary string) {
		d.open--
		d.note("tool "+outcome, summary)
	}
}

func (d *diary) Working(message string, _, _ int) { d.working++; d.note("working", message) }
func (d *diary) Reasoning(message string)         { d.note("reasoning", message) }
func (d *diary) Read(int)                         {}
func (d *diary) Tokens(int, int)                  {}
func (d *diary) AnsweredBy(api.Engine)            {}

func now() time.Time { return time.Date(2025, 9, 10, 12, 0, 0, 0, time.UTC) }

func links(action string) string { return "https://app.example/i/" + action }

func task(requestType, prompt string) legal.Task {
	return legal.Task{
		RequestType: requestType, Prompt: prompt, Now: now(), Links: links, Roles: []string{"owner"},
		Container: api.Container{ContainerType: api.ContainerCase, Case: &api.Case{MatterKind: "litigation", Status: "intake", Conflict: api.Conflict{Status: "not_run"}}},
	}
}

func sample(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}

	return string(b)
}

// samples are the cases that every kind of answer is tried on.
func samples(t testing.TB) map[string]*caseFiles {
	return map[string]*caseFiles{
		"nothing":   newCaseFiles(),
		"complaint": newCaseFiles().add("Document 1.txt", sample(t, "complaint.txt")),
		"lease":     newCaseFiles().add("Lease_[Address 1].txt", sample(t, "lease.txt")).addUnreadable("Scan 1.pdf"),
		"all": newCaseFiles().add("Document 1.txt",
			sample(t, "complaint.txt"),
		).add("Document 2.txt", sample(t, "lease.txt")).
			add("Notice <1>.md", sample(t, "notice.md")).addUnreadable("Scan 1.pdf").add("Empty.txt", ""),
	}
}

func do(t testing.TB, tk legal.Task, s legal.Sources) (api.PhaseResponse, *diary) {
	t.Helper()
	d := &diary{}
	r, err := answers.NewEngine(guard.New()).Do(context.Background(), tk, s, d)
	if err != nil {
		t.Fatalf("Do: %v", err)
	}

	return r, d
}

// dirty returns the texts of an answer that the gate would hold back.
func dirty(r api.PhaseResponse) []string {
	texts := append([]string{r.Text}, r.Questions...)

	texts = append(texts, r.Limits...)
	for _, c := range r.Citations {
		texts = append(texts, c.Source.Quote)
	}

	for _, d := range r.Drafts {
		texts = append(texts, d.Placeholders...)
	}

	for _, s := range r.SuggestedNext {
		texts = append(texts, s.Prompt)
	}

	for _, a := range r.Authorities {
		texts = append(texts, a.Text)
	}

	for _, d := range r.Deadlines {
		texts = append(texts, d.Title, d.Detail)
		if c := d.Computation; c != nil {
			texts = append(append(texts, c.RuleCitation, c.RolledBecause, c.HolidayCalendar), c.Assumptions...)
		}
	}
	if r.Refusal != nil {
		texts = append(texts, r.Refusal.Reason)
	}
	if e := r.Evaluation; e != nil {
		texts = append(texts, e.Suggested.Title)

		texts = append(texts, e.Suggested.NextSteps...)
		for _, f := range e.Breakdown {
			texts = append(texts, f.Value)
			for _, s := range f.Sources {
				texts = append(texts, s.Quote)
			}
		}
	}

	return slices.DeleteFunc(texts, func(s string) bool { return len(guard.New().Check(context.Background(), guard.Event, s)) == 0 })
}
