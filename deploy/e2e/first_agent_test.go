package e2e_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/deploy/internal/cli"
	"github.com/subrosa-legal/subrosa/deploy/internal/devidp"
	"github.com/subrosa-legal/subrosa/pkg/practicearea"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/vocabulary"
)

// block is one block of code of a page.
type block struct {
	language string // "" for what is no code
	text     string
	file     string // that the line above names, "" for none
}

var fence = regexp.MustCompile("(?ms)^(?:`([a-z.]+)`:\n\n)?```([a-z]*)\n(.*?)^```$")

// blocks returns the blocks of a page in their order.
func blocks(page string) []block {
	var all []block
	for _, m := range fence.FindAllStringSubmatch(page, -1) {
		all = append(all, block{file: m[1], language: m[2], text: m[3]})
	}

	return all
}

// TestTheFirstAgent runs every block of docs/first-agent.md, for each language with its runtime, as a newcomer would.
func TestTheFirstAgent(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/first-agent.md")
	if err != nil {
		t.Fatal(err)
	}

	for _, tool := range []string{"bash", "curl"} {
		if _, err := testkit.LookPath(tool); err != nil {
			t.Skipf("%s is not installed here", tool)
		}
	}
	w := start(t, unlimited())
	bin, settings := commandLine(t, w)
	runtimes := map[string]string{"python": "python3", "ts": "node", "go": "go"}
	var before strings.Builder // what all languages have in common
	var program block
	ran := 0

	for _, b := range blocks(string(page)) {
		switch {
		case b.language == "sh" && program.text == "":
			before.WriteString(b.text)
		case b.language != "sh":
			program = b
			if runtimes[b.language] == "" || b.file == "" {
				t.Errorf("a block that nobody runs: %s %q", b.language, b.file)
			}
		default:
			ran++
			script := before.String() + b.text
			t.Run(program.language, func(t *testing.T) {
				if _, err := testkit.LookPath(runtimes[program.language]); err != nil {
					t.Skipf("%s is not installed here", runtimes[program.language])
				}
				folder := t.TempDir()
				if err := os.WriteFile(filepath.Join(folder, program.file), []byte(program.text), 0o600); err != nil {
					t.Fatal(err)
				}
				_, port, _ := strings.Cut(testkit.FreeAddr(t), ":")
				script := strings.NewReplacer(
					"https://127.0.0.1:8443", w.Facts.BaseURL, "$PWD/.local/ca/ca.pem", w.Facts.CAFile, "9443", port,
				).Replace(script)

				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
				defer cancel()
				cmd := exec.CommandContext(ctx, "bash", "-euo", "pipefail", "-c", script)
				cmd.Dir, cmd.WaitDelay = folder, time.Second
				// The page's program in Go is compiled here, as by a reader: in a folder that is in no module.
				cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"),
					"XDG_CONFIG_HOME="+settings, "GOWORK=off", "GOFLAGS=", "GO111MODULE=")
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				if !strings.Contains(string(out), "1,250.00") || !strings.Contains(string(out), "ended: completed") {
					t.Errorf("it printed\n%s", out)
				}
			})
		}
	}
	if ran != len(runtimes) {
		t.Errorf("the page has %d programs, want %d", ran, len(runtimes))
	}
}

// commandLine makes a folder with the command line alone, for PATH, and signs a person in with it. It returns that
// folder and the one of its settings.
func commandLine(t *testing.T, w *world) (bin, settings string) {
	t.Helper()
	bin, settings = t.TempDir(), t.TempDir()
	if err := os.Symlink(testkit.Program(t, "subrosa"), filepath.Join(bin, "subrosa")); err != nil {
		t.Fatal(err)
	}
	var problems strings.Builder
	opened := make(chan error, 1)
	login := []string{
		"--site", w.Facts.BaseURL, "--ca", w.Facts.CAFile,
		"login", "--issuer", w.Facts.Issuer, "--client-id", w.Facts.ClientID,
	}
	code := cli.Run(t.Context(), login, cli.Terminal{
		In: strings.NewReader(""), Out: &problems, Err: &problems, Folder: w.dir,
		Config: filepath.Join(settings, "subrosa"), Now: time.Now,
		Open: func(address string) error {
			go func() { opened <- devidp.Visit(t.Context(), w.http, address, ada) }()
			return nil
		},
	})
	if code != 0 {
		t.Fatalf("subrosa login: %d\n%s", code, problems.String())
	}
	if err := <-opened; err != nil {
		t.Fatal(err)
	}

	return bin, settings
}

// TestWhatTheFirstHourAsks holds the lists of docs/first-agent.md against what the service has.
func TestWhatTheFirstHourAsks(t *testing.T) {
	t.Parallel()
	read := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}

		return string(text)
	}
	page := read("../../docs/first-agent.md")
	after := func(mark string) string {
		_, rest, ok := strings.Cut(page, "<!-- "+mark+" -->\n")
		if !ok {
			t.Fatalf("the page has no mark %q", mark)
		}
		list, _, _ := strings.Cut(rest, "\n\n")

		return list
	}
	codes := func(text string) (all []string) {
		for _, m := range regexp.MustCompile("`([A-Za-z0-9_]+)`").FindAllStringSubmatch(text, -1) {
			all = append(all, m[1])
		}
		slices.Sort(all)

		return all
	}

	types := slices.Sorted(slices.Values(vocabulary.DocumentTypes.All()))
	if got := codes(after("doc types")); len(types) < 50 || !slices.Equal(got, types) {
		t.Errorf("types of document: %v, want %v", got, types)
	}

	var areas []string
	listed := after("practice areas")

	for _, a := range practicearea.All() {
		areas = append(areas, a.Code)
		if !strings.Contains(listed, "`"+a.Code+"` | "+a.Label+" |") {
			t.Errorf("%s is not %q on the page", a.Code, a.Label)
		}
	}
	slices.Sort(areas)
	if got := codes(listed); !slices.Equal(got, areas) {
		t.Errorf("practice areas: %v, want %v", got, areas)
	}

	limits := after("rate limits")

	for _, m := range regexp.MustCompile(`(GATEWAY_RATE_[A-Z_]+)" envDefault:"(\d+)"`).FindAllStringSubmatch(read("../../gateway/config.go"), -1) {
		row := regexp.MustCompile(`(?m)\| ` + m[2] + ` an? .*` + m[1] + "`")
		if m[1] != "GATEWAY_RATE_ASSETS" && !row.MatchString(limits) {
			t.Errorf("%s is %s by default, which the page does not say", m[1], m[2])
		}
	}
}
