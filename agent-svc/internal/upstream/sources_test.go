package upstream_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/upstream"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
	"github.com/subrosa-legal/subrosa/pkg/services"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
)

// A person's run lists sealed originals too. None of them is a file that an answer speaks of, on any page of the list.
func TestSealedOriginalsAreNoFilesOfARun(t *testing.T) {
	t.Parallel()
	next := "2"
	pages := map[string]api.Page[api.File]{
		"": {
			Items:      []api.File{{FileID: "a", MediaType: extract.PDF}, {FileID: "b", MediaType: extract.Sealed}},
			NextCursor: &next,
		},
		"2": {Items: []api.File{{FileID: "c", MediaType: extract.Sealed}, {FileID: "d", MediaType: "image/png"}}},
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(pages[r.URL.Query().Get("cursor")])
	}))
	t.Cleanup(s.Close)
	client, err := httpcall.NewClient(s.URL, nil, telemetry.Discard("agent-svc", io.Discard), nil)
	if err != nil {
		t.Fatal(err)
	}
	c := upstream.Case{Client: services.CaseClient{HTTP: client}, CaseID: "01a20dda-1231-7514-a041-4979e5190a6b"}

	all, err := c.Files(t.Context())
	if err != nil || len(all) != 2 || all[0].FileID != "a" || all[1].FileID != "d" {
		t.Errorf("Files = %+v, %v; want a and d", all, err)
	}
}

// A read is made again where a service was away, and not where it refused.
func TestARunOutlastsAServiceThatIsAwayForAMoment(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct {
		failures int
		failure  *errs.Error
		asked    int
		good     bool
	}{
		"away twice":     {2, errs.ErrUnavailable, 3, true},
		"away for good":  {9, errs.ErrUnavailable, 3, false},
		"a refusal":      {1, errs.ErrNotFound, 1, false},
		"an inner fault": {1, errs.ErrInternal, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if asked++; asked <= tc.failures {
					httpcall.WriteError(w, "r", tc.failure)
					return
				}
				w.Header().Set("Content-Type", "application/json")
				_ = json.NewEncoder(w).Encode(api.SearchResult{FilesRead: 1})
			}))
			t.Cleanup(s.Close)
			client, err := httpcall.NewClient(s.URL, nil, telemetry.Discard("agent-svc", io.Discard), nil)
			if err != nil {
				t.Fatal(err)
			}
			c := upstream.Case{
				Client: services.CaseClient{HTTP: client},
				CaseID: "01a20dda-1231-7514-a041-4979e5190a6b",
			}

			found, err := c.Search(t.Context(), "rent", nil, 1)
			if (err == nil) != tc.good || tc.good && found.FilesRead != 1 || asked != tc.asked {
				t.Errorf("Search = %+v, %v after %d calls, want %d", found, err, asked, tc.asked)
			}
		})
	}
}

// TestAllJudgedEntriesAreRead has more pages of entries than a draft once read, and more than it reads now.
func TestAllJudgedEntriesAreRead(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct {
		pages, read int
		whole       bool
	}{
		"one": {1, 2, true}, "seven": {7, 14, true}, "without end": {1000, 200, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				at, _ := strconv.Atoi(r.URL.Query().Get("cursor"))
				page := api.Timeline{Entries: []api.TimelineEntry{{EntryID: strconv.Itoa(at)}}}
				if at+1 < tc.pages {
					next := strconv.Itoa(at + 1)
					page.NextCursor = &next
				}
				w.Header().Set("Content-Type", "application/json")
				_ = json.NewEncoder(w).Encode(page)
			}))
			t.Cleanup(s.Close)
			client, err := httpcall.NewClient(s.URL, nil, telemetry.Discard("agent-svc", io.Discard), nil)
			if err != nil {
				t.Fatal(err)
			}
			c := upstream.Case{
				Client:     services.CaseClient{HTTP: client},
				TimelineID: "01a20dda-1231-7514-a041-4979e5190a6b",
			}

			all, whole, err := c.Judged(t.Context())
			if err != nil || len(all) != tc.read || whole != tc.whole {
				t.Errorf("%d entries, whole %v, %v; want %d, %v", len(all), whole, err, tc.read, tc.whole)
			}
		})
	}
}
