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

// Clients that generators wrote play the first hour of an agent: connect, token, case, upload, list. make
// clients-check
// generates them and names its folder in CLIENTS.
func TestGeneratedClients(t *testing.T) {
	t.Parallel()
	clients := os.Getenv("CLIENTS")
	if clients == "" {
		t.Skip("there are no clients: make clients-check generates them")
	}
	flows, err := filepath.Abs("../clients-check")
	if err != nil {
		t.Fatal(err)
	}
	w := start(t, unlimited())
	host := w.cardHost()
	paper := filepath.Join(t.TempDir(), "Notice 1.md")
	if err := os.WriteFile(paper, []byte("# Notice\n\n[Party 1] gives notice to [Party 2].\n"), 0o600); err != nil {
		t.Fatal(err)
	}

	for _, flow := range []struct {
		name    string
		command []string
	}{
		{"go", []string{filepath.Join(clients, "flow-go")}},
		{"python", []string{filepath.Join(clients, "venv", "bin", "python"), filepath.Join(flows, "python", "flow.py")}},
		{"typescript", []string{"node", filepath.Join(clients, "flow-typescript", "flow.js")}},
	} {
		t.Run(flow.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), testkit.Patience)
			defer cancel()
			cmd := exec.CommandContext(ctx, flow.command[0], flow.command[1:]...)
			cmd.WaitDelay = time.Second
			cmd.Env = append(
				os.Environ(),
				"SUBROSA_URL="+w.Facts.BaseURL,
				"SUBROSA_CA="+w.Facts.CAFile,
				"NODE_EXTRA_CA_CERTS="+w.Facts.CAFile,
				"PYTHONPATH="+filepath.Join(clients, "generated", "python"),
				"SUBROSA_USER_TOKEN="+w.token(ada),
				"SUBROSA_CARD="+host.url,
				"SUBROSA_FILE="+paper,
			)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if got, want := strings.TrimSpace(string(out)), "files: 1, listed: true, same: true"; got != want {
				t.Errorf("%s, want %s", got, want)
			}
		})
	}
}
