package passages_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/case-svc/internal/passages"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/search"
	"pgregory.net/rapid"
)

// bookcase holds the files of one case in memory.
type bookcase struct {
	files.FileStore
	files.Texts
	mu    sync.Mutex
	held  []files.Holding
	texts map[string]files.Text
	reads atomic.Int64
	gone  bool
}

func (l *bookcase) Holdings(context.Context, string, string) ([]files.Holding, error) {
	l.mu.Lock()
	defer l.mu.Unlock()

	return append([]files.Holding(nil), l.held...), nil
}

// shelf and stack tell the two interfaces apart, whose methods share names.
type fileStore struct {
	files.FileStore
	*bookcase
}

func (s fileStore) Holdings(ctx context.Context, tenant string, caseID string) ([]files.Holding, error) {
	return s.bookcase.Holdings(ctx, tenant, caseID)
}

type stack struct {
	files.Texts
	*bookcase
}

func (s stack) Get(_ context.Context, _ string, fileID string, _ int) (files.Text, error) {
	s.reads.Add(1)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gone {
		return files.Text{}, errs.ErrUnavailable
	}
	t, ok := s.texts[fileID]
	if !ok {
		return files.Text{}, files.ErrNotFound
	}

	return t, nil
}

func (s stack) Among(ctx context.Context, tenant string, names []files.TextName) ([]files.Text, error) {
	var all []files.Text

	for _, n := range names {
		t, err := s.Get(ctx, tenant, n.FileID, n.Version)
		switch {
		case err == nil:
			all = append(all, t)
		case !errors.Is(err, files.ErrNotFound):
			return nil, err
		}
	}

	return all, nil
}

// add puts a file in, as the intake would.
func (l *bookcase) add(id, text string, readable bool) {
	l.mu.Lock()
	defer l.mu.Unlock()

	t := files.Text{FileID: id, Version: 1, Body: text}
	for _, p := range extract.Passages(extract.Document{Status: extract.OK, Text: text}) {
		t.Passages = append(t.Passages, files.Passage{Start: p.CharStart, End: p.CharEnd, Page: p.Page, Paragraph: p.Paragraph})
	}
	if l.texts == nil {
		l.texts = map[string]files.Text{}
	}
	l.texts[id] = t
	l.held = append(l.held, files.Holding{ID: id, Version: 1, Name: id + ".txt", TextVersion: 1, Chars: len([]rune(text)), AgentReadable: readable})
}

func searchOver(l *bookcase, bytes int) *passages.Search {
	return passages.New(fileStore{bookcase: l}, stack{bookcase: l}, bytes)
}

func find(t *testing.T, s *passages.Search, r passages.Request) passages.Result {
	t.Helper()
	r.Tenant, r.CaseID = "u:ann", "case"
	if r.Limit == 0 {
		r.Limit = 10
	}
	got, err := s.Find(t.Context(), r)
	if err != nil {
		t.Fatalf("Find: %v", err)
	}

	return got
}

func hitFiles(r passages.Result) []string {
	var ids []string
	for _, h := range r.Hits {
		ids = append(ids, h.Source.FileID)
	}

	return ids
}

func TestAgentsFindOnlyWhatTheyMayRead(t *testing.T) {
	l := &bookcase{}
	l.add("open", "The landlord [Party 2] changed the locks.", true)
	l.add("closed", "The landlord [Party 2] sold the building.", false)
	l.held = append(l.held, files.Holding{ID: "scan", Version: 1})
	s := searchOver(l, 1<<20)
	got := find(t, s, passages.Request{Query: "landlord", ForAgents: true})
	if diff := cmp.Diff([]string{"open"}, hitFiles(got)); diff != "" || got.Read != 1 || got.Unreadable != 2 {
		t.Errorf("an agent: read %d, unreadable %d, found %s", got.Read, got.Unreadable, diff)
	}
	if h := got.Hits[0]; h.FileName != "open.txt" || h.Text != "The landlord [Party 2] changed the locks." || len(h.Matched) == 0 || h.Score <= 0 {
		t.Errorf("hit = %+v", h)
	}
	got = find(t, s, passages.Request{Query: "landlord"})
	if len(got.Hits) != 2 || got.Read != 2 || got.Unreadable != 1 {
		t.Errorf("a person: read %d, unreadable %d, %d hits", got.Read, got.Unreadable, len(got.Hits))
	}
	got = find(t, s, passages.Request{Query: "landlord", FileIDs: []string{"closed", "scan"}})
	if diff := cmp.Diff([]string{"closed"}, hitFiles(got)); diff != "" || got.Read != 1 || got.Unreadable != 1 {
		t.Errorf("in two files: read %d, unreadable %d, found %s", got.Read, got.Unreadable, diff)
	}
	if _, err := s.Find(t.Context(), passages.Request{Query: "x", FileIDs: []string{"other"}, Limit: 1}); !errors.Is(err, files.ErrNotFound) {
		t.Errorf("in a file of another case: %v", err)
	}
}

func TestEachFileHasItsHitsHoweverManyAnotherHas(t *testing.T) {
	l := &bookcase{}
	l.add("long", strings.Repeat("The rent, the rent, the rent was not paid by the tenant.\n\n"+strings.Repeat("More words of no weight follow here. ", 12)+"\n\n", 150), true)
	l.add("short", "A note of many words which mentions, among other things that nobody asked about, also the rent.", true)
	l.add("other", "A note on the weather.", true)
	s := searchOver(l, 64<<20)
	found, err := s.FindInEach(t.Context(), passages.Request{Query: "rent", Limit: 3})
	if err != nil || len(found) != 2 || len(found["long"]) != 3 || len(found["short"]) != 1 {
		t.Errorf("found in %d files: %d in the long, %d in the short, %v", len(found), len(found["long"]), len(found["short"]), err)
	}
	l.held = l.held[1:]
	found, err = s.FindInEach(t.Context(), passages.Request{Query: "rent", Limit: 3})
	if err != nil || len(found) != 1 || len(found["short"]) != 1 {
		t.Errorf("without the long file: %v, %v", found, err)
	}
}

func TestTheIndexIsMadeOnceAndAgainWhenFilesChange(t *testing.T) {
	l := &bookcase{}
	l.add("a", "The rent was not paid.", true)
	s := searchOver(l, 1<<20)

	var all sync.WaitGroup
	for range 16 {
		all.Go(func() { find(t, s, passages.Request{Query: "rent"}) })
	}
	all.Wait()
	if n := l.reads.Load(); n != 1 {
		t.Errorf("the text was read %d times, want once", n)
	}
	l.add("b", "The rent was paid twice.", true)
	if got := find(t, s, passages.Request{Query: "rent"}); len(got.Hits) != 2 {
		t.Errorf("%d hits after a file came, want 2", len(got.Hits))
	}
	l.mu.Lock()
	l.held = l.held[1:]
	l.mu.Unlock()
	if got := find(t, s, passages.Request{Query: "rent"}); len(got.Hits) != 1 {
		t.Errorf("%d hits after a file went, want 1", len(got.Hits))
	}
}

func TestAFailureIsNotKept(t *testing.T) {
	l := &bookcase{gone: true}
	l.add("a", "The rent was not paid.", true)
	s := searchOver(l, 1<<20)
	if _, err := s.Find(t.Context(), passages.Request{Query: "rent", Limit: 1}); !errors.Is(err, errs.ErrUnavailable) {
		t.Errorf("Find = %v, want unavailable", err)
	}
	l.mu.Lock()
	l.gone = false
	l.mu.Unlock()
	if got := find(t, s, passages.Request{Query: "rent"}); len(got.Hits) != 1 {
		t.Errorf("%d hits, want 1", len(got.Hits))
	}
}

func TestMemoryIsBounded(t *testing.T) {
	l := &bookcase{}
	for i := range 4 {
		l.add(fmt.Sprint("f", i), strings.Repeat("The rent was not paid on time. ", 300), true)
	}
	s := searchOver(l, 40_000) // room for two of the texts, of 9,300 bytes each
	got := find(t, s, passages.Request{Query: "rent"})
	if got.Read != 2 || got.Unreadable != 2 {
		t.Errorf("read %d, unreadable %d: what does not fit must be told", got.Read, got.Unreadable)
	}

	many := passages.New(fileStore{bookcase: l}, stack{bookcase: l}, 400_000)
	for i := range 20 {
		if _, err := many.Find(t.Context(), passages.Request{Tenant: "u:ann", CaseID: fmt.Sprint(i), Query: "rent", Limit: 1}); err != nil {
			t.Fatal(err)
		}
	}
	before := l.reads.Load()
	if _, err := many.Find(t.Context(), passages.Request{Tenant: "u:ann", CaseID: "19", Query: "rent", Limit: 1}); err != nil || l.reads.Load() != before {
		t.Errorf("the case asked for last is not kept: %v", err)
	}
	if _, err := many.Find(t.Context(), passages.Request{Tenant: "u:ann", CaseID: "0", Query: "rent", Limit: 1}); err != nil || l.reads.Load() == before {
		t.Errorf("all twenty cases are kept: %v", err)
	}
}

// The quote of a hit is what stands in the text between its offsets, whatever the text.
func TestQuotesStandInTheText(t *testing.T) {
	words := []string{"rent", "landlord", "[Party 1]", "é€😀", "terminated.", "§", "\n\n12. On", "\n", "a\tb", strings.Repeat("x", 400), "paid;"}
	rapid.Check(t, func(rt *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 600).Draw(rt, "words"), " ")
		l := &bookcase{}
		l.add("f", text, true)
		got, err := searchOver(l, 64<<20).Find(t.Context(), passages.Request{Query: rapid.SampledFrom([]string{"rent", "landlord terminated", "[Party 1]", "paid"}).Draw(rt, "query"), Limit: 20})
		if err != nil {
			rt.Fatal(err)
		}
		runes := []rune(text)

		for _, h := range got.Hits {
			src := h.Source
			if src.Start < 0 || src.End > len(runes) || src.Start >= src.End {
				rt.Fatalf("offsets %d to %d of %d", src.Start, src.End, len(runes))
			}
			if want := search.Fold(string(runes[src.Start:src.End])); src.Quote != want {
				rt.Fatalf("quote %q, but the text has %q", src.Quote, want)
			}
			if n := len([]rune(src.Quote)); n == 0 || n > search.MaxQuote {
				rt.Fatalf("a quote of %d characters", n)
			}
			if !strings.Contains(search.Fold(h.Text), src.Quote) {
				rt.Fatal("the quote is not of its passage")
			}
		}
	})
}

func TestAQuoteBeginsAtTheSentenceThatMatters(t *testing.T) {
	l := &bookcase{}
	l.add("f", strings.Repeat("Nothing of note is said in this sentence. ", 10)+"The landlord terminated the lease without notice. "+strings.Repeat("More follows here. ", 30), true)
	got := find(t, searchOver(l, 1<<20), passages.Request{Query: "landlord"})
	if len(got.Hits) == 0 || !strings.HasPrefix(got.Hits[0].Source.Quote, "The landlord terminated the lease") {
		t.Errorf("hits = %+v", got.Hits)
	}
	got = find(t, searchOver(l, 1<<20), passages.Request{Query: "termination of the lease"}) // a synonym
	if len(got.Hits) == 0 || !strings.Contains(got.Hits[0].Source.Quote, "terminated") {
		t.Errorf("hits = %+v", got.Hits)
	}
}

func TestAQuoteShowsTheLabelThatWasAskedFor(t *testing.T) {
	l := &bookcase{}
	l.add("f", strings.Repeat("Nothing of note is said in this sentence. ", 12)+"Then [Party 11] sued [Party 1] at last.", true)
	got := find(t, searchOver(l, 1<<20), passages.Request{Query: "[Party 1]"})
	if len(got.Hits) != 1 || !strings.Contains(got.Hits[0].Source.Quote, "[Party 1]") {
		t.Errorf("hits = %+v", got.Hits)
	}
}
