package e2e_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
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
			})
		}
	}
}
