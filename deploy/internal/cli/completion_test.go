package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

func TestCompletionScripts(t *testing.T) {
	for _, shell := range []string{"bash", "zsh", "fish"} {
		code, script, problems := run(t, t.TempDir(), "completion", shell)
		if code != 0 || !strings.Contains(script, "opposing_view") || !strings.Contains(script, "calendar") {
			t.Errorf("%s: %d %s, %d bytes without commands or values", shell, code, problems, len(script))
		}
		program, err := testkit.LookPath(shell)
		if err != nil {
			t.Logf("%s is not installed here", shell)
			continue
		}
		file := filepath.Join(t.TempDir(), "script")
		if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.CommandContext(t.Context(), program, "-n", file).CombinedOutput(); err != nil {
			t.Errorf("%s does not take its script: %v %s", shell, err, out)
		}
	}
}

func TestBashCompletes(t *testing.T) {
	bash, err := testkit.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed here")
	}

	_, script, _ := run(t, t.TempDir(), "completion", "bash")
	for _, tc := range []struct{ line, want string }{
		{"subrosa ca", "case"},
		{"subrosa case ", "create list show update delete restore conflict"},
		{"subrosa --site case --json case cr", "create"}, // the first case is the address
		{"subrosa case create --kind ar", "arbitration"},
		{"subrosa case list --all --stat", "--status"},
		{"subrosa timeline show --cal", "--calendar"},
		{"subrosa invite decide x con", "confirm"},
		{"subrosa completion ", "bash zsh fish"},
		{"subrosa file add c", ""},
	} {
		ask := script + "\nIFS=' ' read -ra COMP_WORDS <<< '" + tc.line + "'\n[[ '" + tc.line + "' == *' ' ]] && COMP_WORDS+=('')\nCOMP_CWORD=$((${#COMP_WORDS[@]}-1))\n_subrosa\necho \"${COMPREPLY[*]}\"\n"
		out, err := exec.CommandContext(t.Context(), bash, "-c", ask).CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != tc.want {
			t.Errorf("%q completes to %q, %v, want %q", tc.line, got, err, tc.want)
		}
	}
}

// TestEveryCommandHasAnExampleInItsHelp also has each command say the same as it does after a flag, where the tags of
// all commands are read.
func TestEveryCommandHasAnExampleInItsHelp(t *testing.T) {
	testkit.WithoutDetector(t)
	_, help, _ := run(t, t.TempDir(), "--help")
	_, commands, _ := strings.Cut(help, "Commands:\n")
	checked := 0
	mistakes := map[string]bool{} // groups in which one was made

	for line := range strings.Lines(commands) {
		name, _, ok := strings.Cut(strings.TrimSpace(line), "  ")
		if !strings.HasPrefix(line, "  ") || strings.HasPrefix(line, "   ") || !ok {
			continue
		}
		checked++
		code, text := asAfterAFlag(t, append(strings.Fields(name), "--help")...)
		shown := strings.Contains(text, "Example:") && strings.Contains(text, "subrosa ") &&
			strings.Contains(text, name)
		if code != 0 || !shown {
			t.Errorf("%s --help shows no example", name)
		}
		if group := strings.Fields(name)[0]; !mistakes[group] {
			mistakes[group] = true
			asAfterAFlag(t, group, "frobnicate", "--no-such-flag")
		}
	}
	if checked < 50 {
		t.Errorf("only %d commands were found", checked)
	}
}

// What is left out of the grammar is never missed: neither by a group without a command, nor by one with a command that
// need not be named, nor by flags in any place, whose values may be the names of commands.
func TestCommandsSayTheSameAfterAFlag(t *testing.T) {
	const site = "--site=https://127.0.0.1:1" // nobody serves it

	for _, args := range [][]string{
		{},
		{"--help"},
		{"case"},
		{"case", "--help"},
		{"case", "list", "--help"},
		{"case", "--json", "list", "--help"},
		{"case", "--site", "party", "list", "--help"},
		{"--site", "case", "party", "list", "--help"},
		{"--json", "case", "list", "--help"},
		{"case", "party", "list"},
		{"case", "--", "list"},
		{"case", "-h"},
		{"review", "--help"},
		{"review", "--case", caseID, "--help"},
		{"review", "--case", caseID, site},
		{"review", "--case", "list", site},
		{"review", caseID, site},
		{"review", "walk", "--case", caseID, site},
		{"review", "list", site},
		{"review", site},
		{"review", site, "list"},
		{"member", "key-expiry", "--help"},
		{"member", "keyexpiry"},
		{"audit"},
		{"frobnicate"},
		{"case.list"},
		{""},
		{"case", ""},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			_, out := asAfterAFlag(t, args...)
			if slices.Contains(args, "--help") && !strings.Contains(out, "Usage: subrosa") {
				t.Errorf("shows no help: %s", out)
			}
		})
	}
}

// asAfterAFlag runs a command twice, the second time after a flag that changes nothing, and wants the same.
func asAfterAFlag(t *testing.T, args ...string) (code int, out string) {
	t.Helper()
	code, out, problems := run(t, t.TempDir(), args...)
	full, all, allProblems := run(t, t.TempDir(), append([]string{"--as=auto"}, args...)...)
	if code != full || out != all || problems != allProblems {
		t.Errorf("%v: %d, %s%s; after a flag %d, %s%s", args, code, out, problems, full, all, allProblems)
	}

	return code, out
}
