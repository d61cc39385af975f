package cli_test

import (
	"bytes"
	"crypto/tls"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/deploy/internal/cli"
	"github.com/subrosa-legal/subrosa/deploy/internal/localca"
	"github.com/subrosa-legal/subrosa/deploy/internal/secretgen"
)

// run runs one command in a folder.
func run(t *testing.T, folder string, args ...string) (code int, out, problems string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	term := terminal(folder)
	term.In, term.Out, term.Err = strings.NewReader(""), &stdout, &stderr
	code = cli.Run(t.Context(), args, term)

	return code, stdout.String(), stderr.String()
}

// terminal is one without streams.
func terminal(folder string) cli.Terminal {
	return cli.Terminal{Folder: folder, Config: filepath.Join(folder, "config"), Now: time.Now, Open: func(string) error { return nil }}
}

func TestWrongUsage(t *testing.T) {
	for _, tc := range []struct {
		name string
		args []string
		code int
		says string
	}{
		{"no command", nil, 2, "expected one of"},
		{"unknown command", []string{"sue"}, 2, "unknown command sue"},
		{"unknown flag", []string{"me", "--verbose"}, 2, "unknown flag --verbose"},
		{"a wrong choice", []string{"--as", "judge", "me"}, 2, "--as must be one of"},
		{"a wrong kind of case", []string{"case", "create", "--kind", "war"}, 2, "--kind must be one of"},
		{"a decision that is none", []string{"invite", "decide", "i", "perhaps"}, 2, "must be one of"},
		{"a wrong tier of partners", []string{"partner", "search", "--tier", "9"}, 2, `--tier must be one of "1", "2", "3", "4", not "9"`},
		{"a wrong tier of a case", []string{"case", "update", "c", "--tier", "0"}, 2, "--tier must be one of"},
		{"a shell that is none", []string{"completion", "csh"}, 2, "SHELL must be one of"},
		{"no case", []string{"case", "show"}, 2, "missing CASE"},
		{"a verb of many groups", []string{"list", "x"}, 2, "unknown command list, say of what: "},
		{"another one", []string{"show", "x"}, 2, "as in subrosa case show"},
		{"no file to restore", []string{"redact", "--restore", "none", "--map", "m"}, 1, "none: no such file"},
		{"no file to check", []string{"redact", "none"}, 1, "none: no such file"},
		{"no file to guard", []string{"guard", "none"}, 1, "none: no such file"},
		{"a folder to guard", []string{"guard", "."}, 1, "is a folder"},
		{"no file of fields", []string{"case", "create", "--title", "x", "--set", "@none"}, 1, "none: no such file"},
		{"no file of words", []string{"settings", "set", "--authorities", "@none"}, 1, "none: no such file"},
		{"no file to add", []string{"--site", "https://127.0.0.1:1", "file", "redact", "c", "none"}, 1, "none: no such file"},
		{"a missing role", []string{"party", "add", "c"}, 2, "missing flags: --role"},
		{"two owners of a timeline", []string{"timeline", "show", "--case", "c", "--timeline", "t"}, 2, "can't be used together"},
		{"nothing to change", []string{"case", "update", "c"}, 2, "say what to change"},
		{"no JSON object", []string{"case", "update", "c", "--set", "[1]"}, 2, "--set takes a JSON object"},
		{"no reason", []string{"case", "conflict", "c", "clear"}, 2, "--reason"},
		{"one name for two files", []string{"file", "add", "c", "a.md", "b.md", "--name", "x"}, 2, "one by one"},
		{"nowhere to go", []string{"me"}, 2, "which Subrosa?"},
		{"not signed in", []string{"--site", "https://127.0.0.1:1", "me"}, 1, "run subrosa login"},
		{"no agent", []string{"--site", "https://127.0.0.1:1", "--as", "agent", "me"}, 1, "run subrosa connect"},
		{"a task about nothing", []string{"--site", "https://127.0.0.1:1", "ask", "What?"}, 2, "--case, --support or --sales"},
		{"nothing to do", []string{"--site", "https://127.0.0.1:1", "ask", "--case", "c"}, 2, "say what to do"},
		{"nothing to change of a party", []string{"party", "update", "p"}, 2, "say what to change"},
		{"nothing to change of settings", []string{"settings", "set"}, 2, "say what to change"},
		{"nothing to change of an entry", []string{"timeline", "edit", "e", "--case", "c"}, 2, "say what to change"},
		{"nothing to change of a deadline", []string{"timeline", "deadline", "e", "--case", "c"}, 2, "say confirmed"},
		{"a timeline of nothing", []string{"timeline", "show"}, 2, "--case or --timeline"},
		{"an entry of nothing", []string{"timeline", "confirm", "e"}, 2, "--case or --timeline"},
		{"a fork of nothing", []string{"branch", "create"}, 2, "--case or --timeline"},
		{"a workspace of nothing", []string{"workspace"}, 2, "name a case"},
		{"phases of nothing", []string{"phase", "list"}, 2, "--case, --branch or --mine"},
		{"no amount", []string{"case", "create", "--amount", "much"}, 2, "write it with its currency"},
		{"no instant", []string{"member", "key-expiry", "u", "--at", "noon"}, 2, "must be an instant such as"},
		{"no pair", []string{"settings", "set", "--retention", "7"}, 2, "--retention CODE=YEARS"},
		{"a user where agents speak", []string{"--as", "user", "a2a", "get", "t"}, 2, "the protocol is for agents"},
		{"an agent that connects one", []string{"--as", "agent", "connect"}, 2, "only a person connects an agent"},
		{"a walk without a person", []string{"--json", "review"}, 2, "review list --json"},
		{"names put back without a map", []string{"redact", "--restore", "cli_test.go"}, 2, "--map"},
		{"a slip in a group", []string{"case", "lst"}, 2, `did you mean "list"?`},
		{"a slip in a group with a default", []string{"review", "aprove"}, 2, "did you mean review approve?"},
		{"a command without its group", []string{"approve", "p"}, 2, "did you mean review approve?"},
		{"help of what is not there", []string{"help", "sue"}, 2, "unknown command sue"},
		{"an address without a scheme", []string{"--site", "nonsense", "me"}, 2, "does not begin with https://"},
		{"a host and a port", []string{"--site", "localhost:8443", "me"}, 2, "does not begin with https://"},
		{"another protocol", []string{"--site", "ftp://subrosa.example", "me"}, 2, "begins with ftp://"},
		{"no host", []string{"--site", "https://:8443", "me"}, 2, "names no host"},
		{"a query", []string{"--site", "https://subrosa.example?x", "me"}, 2, "leave out what follows"},
		{"a password", []string{"--site", "https://a:b@subrosa.example", "me"}, 2, "no password"},
		{"what no address can be", []string{"--site", "https://a%zz", "me"}, 2, "is not an address"},
		{"no provider", []string{"--site", "https://127.0.0.1:1", "login"}, 2, "--issuer and --client-id"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			code, _, problems := run(t, t.TempDir(), tc.args...)
			if code != tc.code || !strings.Contains(problems, tc.says) {
				t.Errorf("code %d, says %q, want %d and %q", code, problems, tc.code, tc.says)
			}
			if told := strings.Contains(problems, "\nSee subrosa "); told != (tc.code == 2) {
				t.Errorf("%q names the help: %t", problems, told)
			}
		})
	}
}

func TestHelpNamesEveryCommand(t *testing.T) {
	code, out, _ := run(t, t.TempDir(), "--help")
	if code != 0 {
		t.Errorf("code %d", code)
	}

	for _, command := range []string{"login", "connect", "case create", "case list", "case show", "file add", "file list", "ask", "agent status", "agent disconnect", "dev cert", "keys new"} {
		if !strings.Contains(out, command) {
			t.Errorf("--help does not name %s", command)
		}
	}
}

func TestHelpAndVersionInEachForm(t *testing.T) {
	folder := t.TempDir()

	for _, tc := range []struct{ args, like []string }{
		{[]string{"help"}, []string{"--help"}},
		{[]string{"help", "case"}, []string{"case", "--help"}},
		{[]string{"help", "case", "create"}, []string{"case", "create", "--help"}},
		{[]string{"--json", "help", "review"}, []string{"review", "--help"}},
		{[]string{"--version"}, []string{"version"}},
		{[]string{"case", "list", "--version"}, []string{"version"}},
	} {
		code, out, problems := run(t, folder, tc.args...)
		wantCode, want, _ := run(t, folder, tc.like...)
		if code != 0 || wantCode != 0 || out != want || out == "" || problems != "" {
			t.Errorf("%v: code %d, %q%s, want %d, %q", tc.args, code, out, problems, wantCode, want)
		}
	}
}

func TestKeys(t *testing.T) {
	folder := t.TempDir()
	dir := filepath.Join(folder, "keys")
	if code, _, problems := run(t, folder, "keys", "new", dir); code != 0 {
		t.Fatal(problems)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}

	for _, e := range entries {
		if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v, %v", e.Name(), info.Mode(), err)
		}
	}
	before, err := os.ReadFile(filepath.Join(dir, secretgen.RingFile))
	if err != nil {
		t.Fatal(err)
	}
	if code, _, problems := run(t, folder, "keys", "new", dir); code != 1 || !strings.Contains(problems, "nothing was changed") {
		t.Errorf("a second time: code %d, %s", code, problems)
	}
	if after, err := os.ReadFile(filepath.Join(dir, secretgen.RingFile)); err != nil || !bytes.Equal(before, after) {
		t.Error("making keys again changed those that were there")
	}
	if code, out, problems := run(t, folder, "keys", "rotate", dir); code != 0 || !strings.Contains(out, "stay valid") {
		t.Errorf("rotate: code %d, %s%s", code, out, problems)
	}
	if after, err := os.ReadFile(filepath.Join(dir, secretgen.RingFile)); err != nil || bytes.Equal(before, after) {
		t.Error("rotating changed nothing")
	}
	if err := os.Remove(filepath.Join(dir, secretgen.PepperFile)); err != nil {
		t.Fatal(err)
	}
	if code, _, problems := run(t, folder, "keys", "new", dir); code != 1 || !strings.Contains(problems, "only a part") {
		t.Errorf("half a set: code %d, %s", code, problems)
	}
}

func TestDevCertificatesAreOfTheLocalAuthority(t *testing.T) {
	folder := t.TempDir()
	ca, err := localca.Open(filepath.Join(folder, ".local", "ca"), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	facts := `{"baseUrl":"https://127.0.0.1:1","caFile":"` + ca.CertFile + `"}`
	if err := os.WriteFile(filepath.Join(folder, ".local", "local.json"), []byte(facts), 0o600); err != nil {
		t.Fatal(err)
	}
	below := filepath.Join(folder, "below")
	if err := os.Mkdir(below, 0o700); err != nil {
		t.Fatal(err)
	}
	if code, _, problems := run(t, below, "dev", "cert", "--out", filepath.Join(folder, "out")); code != 0 {
		t.Fatal(problems)
	}
	pair, err := tls.LoadX509KeyPair(filepath.Join(folder, "out", "cert.pem"), filepath.Join(folder, "out", "key.pem"))
	if err != nil || pair.Leaf.VerifyHostname("127.0.0.1") != nil || len(pair.Certificate) != 2 {
		t.Errorf("the certificate = %v", err)
	}
	if code, _, problems := run(t, t.TempDir(), "--site", "https://subrosa.example", "dev", "cert"); code != 1 || !strings.Contains(problems, "only a local Subrosa") {
		t.Errorf("for another site: code %d, %s", code, problems)
	}
}
