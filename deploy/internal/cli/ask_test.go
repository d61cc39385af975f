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
	folder := signedInAt(t, server.URL)

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

// signedInAt returns a folder in which somebody is signed in at a site.
func signedInAt(t *testing.T, url string) string {
	t.Helper()
	folder := t.TempDir()
	signedIn := fmt.Sprintf(
		`{"current":%q,"sites":{%q:{"baseUrl":%q,"token":"user-token","expires":"2100-01-01T00:00:00Z"}}}`,
		url, url, url,
	)
	if err := os.MkdirAll(filepath.Join(folder, "config"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "config", "sites.json"), []byte(signedIn), 0o600); err != nil {
		t.Fatal(err)
	}

	return folder
}

// An answer that leaves words to its list of sources has them there in full, and its deep link is shown.
func TestWordsOfTheSourcesAloneAreShownInFull(t *testing.T) {
	const id = "0197b0a0-0000-7000-8000-000000000001"
	const quote = "Mitglied kann werden, wer das 14. Lebensjahr vollendet hat und wer in der Stadt wohnt."
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")

		for seq, event := range []string{
			`"type":"direct_response","response":{"kind":"answer","text":"The words ` + api.InSourcesAlone + `.",` +
				`"citations":[{"n":1,"source":{"fileId":"` + id + `","charStart":1,"charEnd":86,` +
				`"quote":"` + quote + `"}}],` +
				`"humanReview":{"required":false,"reasons":[],"deepLink":"https://app.example/i/redact_file"}}`,
			`"type":"phase_end","status":"completed"`,
		} {
			kind := []string{api.EventDirectResponse, api.EventPhaseEnd}[seq]
			fmt.Fprintf(w, "id: %s:%d\nevent: %s\ndata: {\"seq\":%d,\"phaseId\":%q,%s}\n\n",
				id, seq+1, kind, seq+1, id, event)
		}
	}))
	t.Cleanup(server.Close)

	_, out, problems := run(t, signedInAt(t, server.URL), "ask", "--case", id, "--phase", id, "How old must one be?")
	for _, want := range []string{quote, "The deep link of this answer: https://app.example/i/redact_file"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in %q, %q", want, out, problems)
		}
	}
}
