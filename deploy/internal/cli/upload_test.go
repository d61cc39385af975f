package cli_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A local file may be called after a client: with a name for the case, none of it leaves the machine.
func TestNoLocalNameLeavesWithAnother(t *testing.T) {
	s := newService(t)
	folder := filepath.Join(s.folder, "Quartermain v. Ostrander")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}

	for _, ending := range []string{".md", ".html", ".docx"} {
		local := filepath.Join(folder, "Zebulon Quartermain"+ending)
		if err := os.WriteFile(local, []byte("The lease of [Party 1].\n"), 0o600); err != nil {
			t.Fatal(err)
		}

		for _, more := range [][]string{nil, {"--doc-type", "lease", "--description", "A lease."}, {"--attest"}} {
			code, out, problems := s.run(
				append([]string{"file", "add", caseID, local, "--name", "Document 4" + ending}, more...)...)
			if code != 0 {
				t.Fatalf("code %d: %s%s", code, out, problems)
			}
			s.mu.Lock()
			sent := s.asked
			s.asked = nil
			s.mu.Unlock()
			named := false

			for _, a := range sent {
				all := strings.Join([]string{a.line, a.body, a.disposition, a.tracestate}, "\n")
				for _, part := range []string{"Zebulon", "Quartermain", "Ostrander"} {
					if strings.Contains(all, part) {
						t.Errorf("%s %v: %s is sent:\n%s", ending, more, part, all)
					}
				}
				named = named || strings.Contains(all, "Document 4"+ending)
			}
			if !named {
				t.Errorf("%s %v: the name for the case is not sent: %+v", ending, more, sent)
			}
		}
	}

	// Without one the file goes under its own name, alone.
	if code, _, problems := s.run("file", "add", caseID, filepath.Join(folder, "Zebulon Quartermain.md")); code != 0 {
		t.Fatal(problems)
	}
	if got := s.last(); !strings.Contains(got.disposition, "Zebulon Quartermain.md") ||
		strings.Contains(got.disposition, "Ostrander") {
		t.Errorf("under its own name it is sent as %q", got.disposition)
	}
}

// A refusal of a file that nobody can check is told with its reason, and where a person mends it.
func TestWhyAFileIsNotTakenIsTold(t *testing.T) {
	s := newService(t)
	file := filepath.Join(s.folder, "scan.pdf")
	if err := os.WriteFile(file, []byte("%PDF-1.4\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.answers["POST /v1/cases/"+caseID+"/files"] = `!403{"error":"identity_unverifiable","message":"The file shows pictures of text that cannot be read on page 3.",` +
		`"deepLink":"https://subrosa.test/i/redact_file","details":[{"path":"file","code":"no_text"}]}`

	code, _, problems := s.run("file", "add", caseID, file)
	for _, want := range []string{
		"pictures of text that cannot be read on page 3", "open https://subrosa.test/i/redact_file", "[identity_unverifiable]",
	} {
		if code != 1 || !strings.Contains(problems, want) {
			t.Errorf("code %d: %q does not say %q", code, problems, want)
		}
	}
	if code, _, problems = s.run("guard", file); code != 1 ||
		!strings.Contains(problems, "The file is damaged. Open it in its program") {
		t.Errorf("looked through here: %d, %q", code, problems)
	}
}

// What is known of a file says whether its original was kept.
func TestFileShowTellsOfTheOriginal(t *testing.T) {
	s := newService(t)
	at := "GET /v1/cases/" + caseID + "/files/" + fileID
	rendered := strings.Replace(aFile, `"renderer":"none"`, `"renderer":"subrosa-md-1"`, 1)
	sealed := strings.Replace(rendered, `"revision"`, `"sealedFileId":"`+partyID+`","revision"`, 1)

	for answer, want := range map[string]string{
		rendered: "not kept",
		sealed:   "kept, encrypted, as file " + partyID,
	} {
		s.answers[at] = answer
		if code, out, problems := s.run("file", "show", caseID, fileID); code != 0 || !strings.Contains(out, want) {
			t.Errorf("%d: %q does not say %q; %s", code, out, want, problems)
		}
	}
	s.answers[at] = aFile
	if _, out, _ := s.run("file", "show", caseID, fileID); strings.Contains(out, "not kept") {
		t.Errorf("of a file that is kept as it was sent: %q", out)
	}
}

// What only a person can do is done as the user, and the command says so where it would else act as the agent.
func TestCommandsSayThatTheyActAsTheUser(t *testing.T) {
	const told = "as you and not as the connected agent"

	for _, tc := range []struct {
		name  string
		agent bool // is connected
		args  []string
		tells bool
	}{
		{"keep an original", true, []string{"file", "add", caseID, "lease.html", "--keep-original"}, true},
		{"open an original", true, []string{"file", "get", caseID, caseID, "--original"}, true},
		{"with --as", true, []string{"--as", "user", "file", "add", caseID, "lease.html", "--keep-original"}, false},
		{"no agent", false, []string{"file", "add", caseID, "lease.html", "--keep-original"}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newService(t)
			if tc.agent {
				book := filepath.Join(s.folder, "config", "sites.json")
				signedIn, err := os.ReadFile(book)
				if err != nil {
					t.Fatal(err)
				}
				agent := `"agent":{"id":"a","key":"k","cardUrl":""},"token":`
				both := strings.Replace(string(signedIn), `"token":`, agent, 1)
				if err := os.WriteFile(book, []byte(both), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			_, _, problems := s.run(tc.args...)
			if strings.Contains(problems, told) != tc.tells {
				t.Errorf("says %q; want %t that it acts as the user", problems, tc.tells)
			}
		})
	}
}
