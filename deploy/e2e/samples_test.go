package e2e_test

import (
	"bufio"
	"bytes"
	"context"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

// TestSampleAgents runs the sample agents and cuts their connection while the run is under way.
func TestSampleAgents(t *testing.T) {
	t.Parallel()

	const dir = "../samples/agents"
	for _, tc := range []struct {
		name, runtime string
		args          []string
	}{
		{"go", testkit.Program(t, "sample-agent"), nil},
		{"python", "python3", []string{dir + "/python/agent.py"}},
		{"typescript", "node", []string{dir + "/typescript/agent.mjs"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if _, err := testkit.LookPath(tc.runtime); err != nil {
				t.Skipf("%s is not installed here", tc.runtime)
			}
			w, cases := heldWorld(t)
			agent := w.connect(ada)
			base, err := url.Parse(w.Facts.BaseURL)
			if err != nil {
				t.Fatal(err)
			}
			link := stores.Cut(t, base.Host)
			cases.hold(false, func(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/texts") })
			run := sample(t, tc.runtime, tc.args, "https://"+link.Addr(), w.Facts.CAFile, agent.SharedAPIKey)
			run.until("event phase_start")
			cases.awaitHeld(t)
			link.Break()
			link.Mend()
			run.until("resuming after ")
			cases.letGo()
			out := run.end()
			if n := strings.Count(out, "event phase_start"); n != 1 {
				t.Errorf("phase_start came %d times, want 1:\n%s", n, out)
			}
			after := regexp.MustCompile(`resuming after [0-9a-f-]{36}:[0-9]+\n`)
			tier := regexp.MustCompile(`(?m)^tier (1|2|3|4|null|None) ?`)
			if !after.MatchString(out) || !tier.MatchString(out) || !strings.Contains(out, "event phase_end completed") {
				t.Errorf("not resumed, without a tier or not completed:\n%s", out)
			}
			if text := out[strings.Index(out, "event direct_response"):]; len(text) < 200 {
				t.Errorf("no answer was printed:\n%s", out)
			}
		})
	}
}

// running is a sample that runs.
type running struct {
	t        *testing.T
	cmd      *exec.Cmd
	lines    chan string
	out      strings.Builder
	problems bytes.Buffer
}

func sample(t *testing.T, runtime string, args []string, base, ca, key string) *running {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	t.Cleanup(cancel)
	if caFile, err := filepath.Abs(ca); err == nil {
		ca = caFile
	}
	r := &running{t: t, cmd: exec.CommandContext(ctx, runtime, args...), lines: make(chan string, 1024)}
	r.cmd.Env = append(os.Environ(), "SUBROSA_URL="+base, "SUBROSA_CA="+ca, "SUBROSA_API_KEY="+key, "PYTHONUNBUFFERED=1", "NODE_EXTRA_CA_CERTS=")
	r.cmd.Stderr = &r.problems
	stdout, err := r.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}

	go func() {
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			r.lines <- lines.Text()
		}
		close(r.lines)
	}()

	return r
}

// until reads what the sample prints up to a line that begins so.
func (r *running) until(begin string) {
	r.t.Helper()

	for line := range r.lines {
		r.out.WriteString(line + "\n")
		if strings.HasPrefix(line, begin) {
			return
		}
	}
	err := r.cmd.Wait()
	r.t.Fatalf("ended (%v) before %q:\n%s%s", err, begin, r.out.String(), r.problems.String())
}

// end reads the rest and returns all that was printed.
func (r *running) end() string {
	r.t.Helper()

	for line := range r.lines {
		r.out.WriteString(line + "\n")
	}
	if err := r.cmd.Wait(); err != nil {
		r.t.Fatalf("%v:\n%s%s", err, r.out.String(), r.problems.String())
	}

	return r.out.String()
}
