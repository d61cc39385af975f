package e2e_test

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// The samples for the official SDKs of other languages do what they say, in either binding. make a2a-check installs
// what they need and names its folder in A2A_SDKS.
func TestTheOfficialClientsOfOtherLanguages(t *testing.T) {
	t.Parallel()
	sdks := os.Getenv("A2A_SDKS")
	if sdks == "" {
		t.Skip("the SDKs are not installed: make a2a-check does that")
	}
	samples, err := filepath.Abs("../samples/a2a")
	if err != nil {
		t.Fatal(err)
	}
	w := start(t, unlimited())
	agent := w.connect(ada)
	caseID, _ := w.newCase(agent.bearer)

	for name, command := range map[string][]string{
		"python":     {filepath.Join(sdks, "venv", "bin", "python"), filepath.Join(samples, "client.py")},
		"javascript": {"node", filepath.Join(sdks, "client.mjs")},
	} {
		for _, binding := range []string{"JSONRPC", "HTTP+JSON"} {
			t.Run(name+" "+binding, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), testkit.Patience)
				defer cancel()
				cmd := exec.CommandContext(ctx, command[0], command[1:]...)
				cmd.WaitDelay = time.Second
				cmd.Env = append(
					os.Environ(),
					"SUBROSA_URL="+w.Facts.BaseURL,
					"SUBROSA_CA="+w.Facts.CAFile,
					"NODE_EXTRA_CA_CERTS="+w.Facts.CAFile,
					"SUBROSA_API_KEY="+agent.SharedAPIKey,
					"SUBROSA_CASE="+caseID,
					"BINDING="+binding,
				)
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("%v\n%s", err, out)
				}

				for _, want := range []string{
					"asked: Which case", "answer: ", "tasks of the context: 1", "cancelled: TASK_STATE_CANCELED",
				} {
					if !strings.Contains(string(out), want) {
						t.Errorf("%q is missing:\n%s", want, out)
					}
				}
				w.in(t).resumed(agent.bearer, out)
			})
		}
	}
}

// The Go sample does what it says, in either binding: it is cut in the middle of a stream and takes it up again, and
// with what it has seen before it has every event once. A refusal before a stream begins reaches its reader.
func TestTheGoSampleOfA2A(t *testing.T) {
	t.Parallel()
	program := testkit.Program(t, "sample-a2a")
	w := start(t, unlimited())
	agent := w.connect(ada)
	caseID, _ := w.newCase(agent.bearer)
	const foreign = "01a218d3-fc46-76e6-b2fe-fd3fdc0ba792"

	run := func(t *testing.T, binding, answer string) ([]byte, error) {
		ctx, cancel := context.WithTimeout(t.Context(), testkit.Patience)
		defer cancel()
		cmd := exec.CommandContext(ctx, program)
		cmd.WaitDelay = time.Second
		cmd.Env = append(
			os.Environ(),
			"SUBROSA_URL="+w.Facts.BaseURL,
			"SUBROSA_CA="+w.Facts.CAFile,
			"SUBROSA_API_KEY="+agent.SharedAPIKey,
			"SUBROSA_CASE="+answer,
			"BINDING="+binding,
		)

		return cmd.CombinedOutput()
	}

	for _, binding := range []string{"JSONRPC", "HTTP+JSON"} {
		t.Run(binding, func(t *testing.T) {
			out, err := run(t, binding, caseID)
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}

			for _, want := range []string{
				"asked: Which case", "answer: ", "tasks of the context: 1", "cancelled: TASK_STATE_CANCELED",
			} {
				if !strings.Contains(string(out), want) {
					t.Errorf("%q is missing:\n%s", want, out)
				}
			}
			w.in(t).resumed(agent.bearer, out)
		})
		t.Run(binding+" refused", func(t *testing.T) {
			for answer, want := range map[string]string{
				" ":                  "The message has nothing to read.",
				foreign:              "There is nothing here that you can see.",
				"that of last week.": "no answer: TASK_STATE_INPUT_REQUIRED",
			} {
				if out, err := run(t, binding, answer); err == nil || !strings.Contains(string(out), want) {
					t.Errorf("%q: %v, %q is missing:\n%s", answer, err, want, out)
				}
			}
		})
	}
}

var resumedTo = regexp.MustCompile(`resumed: events 2 to (\d+)\n`)

// resumed checks that a sample which cut a stream has seen every event of its task once.
func (w *world) resumed(bearer string, out []byte) {
	w.t.Helper()
	end := resumedTo.FindSubmatch(out)
	if end == nil {
		w.t.Fatalf("nothing was resumed:\n%s", out)
	}
	page := w.rest(http.MethodGet, "/tasks?pageSize=2", bearer, "")
	var list struct {
		Tasks []struct {
			ID     string `json:"id"`
			Status struct {
				State string `json:"state"`
			} `json:"status"`
		} `json:"tasks"`
	}
	if err := json.Unmarshal(page.body, &list); err != nil || len(list.Tasks) != 2 {
		w.t.Fatalf("%v: %s", err, page.body)
	}
	// The newest task is the one that was cancelled; the one before was cut.
	if events := w.phase(bearer, list.Tasks[1].ID).Stream.EndSeq; strconv.Itoa(events) != string(end[1]) {
		w.t.Errorf("the task has %d events, and the sample saw %s:\n%s", events, end[1], out)
	}
}

// The command line does all of it, in either binding.
func TestTheCommandLineSpeaksA2A(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	agent := w.connect(ada)
	caseID, _ := w.newCase(agent.bearer)
	d := w.desk(ada, "")
	path := filepath.Join(d.folder, "sites.json")
	kept := strings.Replace(readText(t, path), `"token"`,
		`"agent":{"id":"`+agent.AgentID+`","key":"`+agent.SharedAPIKey+`","cardUrl":"`+agent.card.url+`"},"token"`, 1)
	if err := os.WriteFile(path, []byte(kept), 0o600); err != nil {
		t.Fatal(err)
	}
	if card := d.must("", "a2a", "card"); !strings.Contains(card, w.Facts.BaseURL+"/a2a/rpc") {
		t.Errorf("the card is %s", card)
	}

	for _, binding := range [][]string{nil, {"--rest"}} {
		say := func(want string, args ...string) string {
			out := d.must("", slices.Concat([]string{"a2a"}, args, binding)...)
			if !strings.Contains(out, want) {
				t.Errorf("%v: %s, want %q", args, out, want)
			}

			return out
		}
		asks := say("Which case is this about?", "send", question)
		id := strings.Fields(asks)[1]
		say("terminate the agreement", "send", "--task", id, caseID)
		say("state    TASK_STATE_WORKING", "stream", "--case", caseID, question)
		say(id, "get", id)
		say(id, "list", "--limit", "100")
		open := strings.Fields(say("TASK_STATE_INPUT_REQUIRED", "send", "Not", "now."))[1]
		say("TASK_STATE_CANCELED", "cancel", open)
	}
	d.fails("open https://", "a2a", "send", "--case", caseID, "What did Margaret Thornbury sign?")
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	return string(text)
}
