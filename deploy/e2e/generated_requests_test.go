package e2e_test

import (
	"bytes"
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/deploy/internal/devidp"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

// TestGeneratedRequests has schemathesis make up requests from the whole OpenAPI document, those of the form that it
// asks for and others, and judge every answer: none may be a failure of ours, and none may have a status, a media type
// or a body that the document does not name. make requests-check installs it and names it in SCHEMATHESIS, in
// REQUESTS_SEED the number that its chance starts from, and in REQUESTS_SECONDS how long each caller asks.
func TestGeneratedRequests(t *testing.T) {
	t.Parallel()
	program := os.Getenv("SCHEMATHESIS")
	if program == "" {
		t.Skip("there is no schemathesis: make requests-check installs it")
	}
	settings, err := filepath.Abs("../requests-check/schemathesis.toml")
	if err != nil {
		t.Fatal(err)
	}
	seed := os.Getenv("REQUESTS_SEED")
	seconds, err := strconv.Atoi(os.Getenv("REQUESTS_SECONDS"))
	if seed == "" || err != nil {
		t.Fatal("REQUESTS_SEED or REQUESTS_SECONDS is not set: make requests-check sets them")
	}
	document, operations := documentOfEvents(t)
	w := start(t, unlimited())

	// They are of two firms: a user's requests may disconnect the firm's agent.
	agent := w.agentWithWork(ada)
	w.agentWithWork(eva)
	w.mayDoAll(eva)

	for _, caller := range []struct{ name, bearer string }{{"agent", agent}, {"user", w.token(eva)}} {
		t.Run(caller.name, func(t *testing.T) {
			t.Parallel()

			ctx, cancel := context.WithTimeout(t.Context(), time.Duration(seconds)*time.Second+time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, program, "--config-file", settings, "run", document,
				"--url", w.Facts.BaseURL, "--tls-verify", w.Facts.CAFile, "-H", "Authorization: Bearer "+caller.bearer,
				"--max-time", strconv.Itoa(seconds), "--request-timeout", "20", "--continue-on-failure", "--no-color",
				// Python before 3.13 parses no two texts at once without a fault now and then.
				"--suppress-health-check", "all", "--warnings", "off", "--workers", "1",
				"--generation-database", "none", "--seed", seed,
			)
			cmd.WaitDelay = time.Second
			cmd.Dir = t.TempDir()
			cmd.Env = append(os.Environ(), "COLUMNS=200")
			out, err := cmd.CombinedOutput()
			text := string(out)
			if err != nil {
				t.Errorf("%v\n%s", err, text[max(0, len(text)-20_000):])
			}
			if tried := operationsTried(text); tried != operations {
				t.Errorf("%d operations were tried, and the document has %d", tried, operations)
			}
			if a := w.send(http.MethodGet, "/v1/me", caller.bearer, ""); a.status != http.StatusOK {
				t.Errorf("the caller was locked out on the way, so the rest proved nothing: %d", a.status)
			}
			t.Log(strings.Join(summaryLine.FindAllString(text, -1), "\n"))
		})
	}
}

// agentWithWork connects a person's agent, which makes a case with a file and answers a task there, and returns its
// bearer. Where nothing is, most operations only ever say that they find nothing.
func (w *world) agentWithWork(p devidp.Person) (bearer string) {
	w.t.Helper()
	bearer = w.connect(p).bearer
	caseID, _ := w.newCase(bearer)
	job := task(caseID, api.EvalReq, "Evaluate this case.")
	if _, status := w.asked(w.t, bearer, job); status != api.PhaseCompleted {
		w.t.Fatalf("the agent's task ended as %s", status)
	}

	return bearer
}

// mayDoAll fails the test unless a person sees what their agent made and may change what only administrators may: of
// whoever lacks a role, some operations say nothing else.
func (w *world) mayDoAll(p devidp.Person) {
	w.t.Helper()
	bearer := w.token(p)
	into[api.Agent](w.t, w.send(http.MethodGet, "/v1/agents/me", bearer, ""), http.StatusOK)
	cases := into[api.Page[api.Case]](w.t, w.send(http.MethodGet, "/v1/cases", bearer, ""), http.StatusOK)
	if len(cases.Items) == 0 {
		w.t.Fatalf("%s sees no case", p.Name)
	}
	set := w.send(http.MethodPatch, "/v1/settings", bearer, `{"tierCutPoints":[20,40,60]}`)
	if set.status != http.StatusOK {
		w.t.Fatalf("%s may not change the settings: %d %s", p.Name, set.status, set.body)
	}
	people := into[api.Page[api.Member]](w.t, w.send(http.MethodGet, "/v1/members", bearer, ""), http.StatusOK)
	if len(people.Items) == 0 {
		w.t.Fatalf("%s sees no member", p.Name)
	}
}

// documentOfEvents writes the document with a schema of each event instead of one of the whole stream, and returns its
// path and how many operations it has. OpenAPI 3.1 has no word for the first, and schemathesis takes the second for it.
func documentOfEvents(t *testing.T) (path string, operations int) {
	t.Helper()
	document, err := os.ReadFile("../../pkg/api/openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	stream := []byte("text/event-stream: {schema: {type: string}}")
	event := []byte("text/event-stream: {itemSchema: {type: object, required: [data], properties: {data: {type: string}}}}")
	if !bytes.Contains(document, stream) {
		t.Fatalf("the document has no %s", stream)
	}
	if operations = len(operationID.FindAll(document, -1)); operations == 0 {
		t.Fatal("the document has no operations")
	}

	path = filepath.Join(t.TempDir(), "openapi.yaml")
	if err := os.WriteFile(path, bytes.ReplaceAll(document, stream, event), 0o600); err != nil {
		t.Fatal(err)
	}

	return path, operations
}

// operationID is the name of an operation in the document: each has one.
var operationID = regexp.MustCompile(`(?m)^ +operationId: `)

// testedLine is what schemathesis says of how many operations it has tried.
var testedLine = regexp.MustCompile(`(?m)^ *Tested: (\d+)$`)

// operationsTried reads that number, 0 where there is none.
func operationsTried(text string) int {
	found := testedLine.FindStringSubmatch(text)
	if found == nil {
		return 0
	}
	n, err := strconv.Atoi(found[1])
	if err != nil {
		return 0
	}

	return n
}

// summaryLine finds what schemathesis says at its end of how much it has done.
var summaryLine = regexp.MustCompile(`(?m)^ *(Operations|Test cases|Tested|Generated|.* generated).*$`)
