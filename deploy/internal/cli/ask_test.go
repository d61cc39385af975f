package cli_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/api"
)

// An answer is printed once, also when the run started over and its first attempt had written half of it.
func TestAnAnswerIsPrintedOnce(t *testing.T) {
	const id = "0197b0a0-0000-7000-8000-000000000001"
	var places []string // that the requests came back with
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		places = append(places, r.Header.Get("Last-Event-ID"))
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		seq := 3 * (len(places) - 1)
		event := func(kind, data string) {
			seq++
			fmt.Fprintf(
				w,
				"id: %s:%d\nevent: %s\ndata: {\"type\":%q,\"seq\":%d,\"phaseId\":%q,%s}\n\n",
				id,
				seq,
				kind,
				kind,
				seq,
				id,
				data,
			)
		}
		event(api.EventStatus, `"status":"processing","message":"Request accepted"`)
		event(api.EventPhaseStart, fmt.Sprintf(`"attempt":%d`, len(places)))
		event(api.EventContentChunk, `"index":0,"delta":"The notice period "`)
		if len(places) == 1 {
			return // its process dies
		}
		event(api.EventContentChunk, `"index":1,"delta":"is thirty days."`)
		event(api.EventDirectResponse, `"response":{"kind":"answer","text":"The notice period is thirty days."}`)
		event(api.EventPhaseEnd, `"status":"completed"`)
	}))
	t.Cleanup(server.Close)
	folder := t.TempDir()
	signedIn := fmt.Sprintf(
		`{"current":%q,"sites":{%q:{"baseUrl":%q,"token":"user-token","expires":"2100-01-01T00:00:00Z"}}}`,
		server.URL, server.URL, server.URL,
	)
	if err := os.MkdirAll(filepath.Join(folder, "config"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "config", "sites.json"), []byte(signedIn), 0o600); err != nil {
		t.Fatal(err)
	}

	code, out, problems := run(t, folder, "ask", "--case", id, "--phase", id, "What is the notice period?")
	if code != 0 || strings.Count(out, "The notice period") != 1 || !strings.Contains(out, "is thirty days.") {
		t.Errorf("exit code %d, printed\n%s\n%s", code, out, problems)
	}
	if !strings.Contains(problems, "starts over (attempt 2)") {
		t.Errorf("it is not told that the run started over:\n%s", problems)
	}
	if len(places) != 2 || places[1] != id+":3" {
		t.Errorf("the requests came back with %q", places)
	}
}
