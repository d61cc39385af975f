package upstream_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/upstream"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
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
	client, err := httpx.NewClient(s.URL, nil, telemetry.Discard("agent-svc", io.Discard), nil)
	if err != nil {
		t.Fatal(err)
	}
	c := upstream.Case{Client: api.CaseClient{HTTP: client}, CaseID: "01a20dda-1231-7514-a041-4979e5190a6b"}

	all, err := c.Files(t.Context())
	if err != nil || len(all) != 2 || all[0].FileID != "a" || all[1].FileID != "d" {
		t.Errorf("Files = %+v, %v; want a and d", all, err)
	}
}
