package cli_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/deploy/internal/cli"
)

// desk is where a person redacts files.
type desk struct {
	t      *testing.T
	folder string
	term   cli.Terminal
}

const mapPassphrase = "correct horse battery"

const statement = "On May 4, 2025 Mr Halvard Ostrowe met [Party 3].\nOstrowe wrote from h.ostrowe@mail.example about Zarquon.\n"

func newDesk(t *testing.T) *desk {
	t.Helper()
	t.Setenv("SUBROSA_MAP_PASSPHRASE", mapPassphrase)
	folder := t.TempDir()
	d := &desk{t: t, folder: folder, term: cli.Terminal{Folder: folder, Config: filepath.Join(folder, "config"), Now: time.Now, Effort: 4}}
	d.write("statement.md", statement)

	return d
}

func (d *desk) path(name string) string { return filepath.Join(d.folder, name) }

func (d *desk) write(name, text string) {
	d.t.Helper()
	if err := os.WriteFile(d.path(name), []byte(text), 0o600); err != nil {
		d.t.Fatal(err)
	}
}

func (d *desk) read(name string) string {
	d.t.Helper()
	text, err := os.ReadFile(d.path(name))
	if err != nil {
		d.t.Fatal(err)
	}

	return string(text)
}

// names lists what lies in the folder.
func (d *desk) names() string {
	d.t.Helper()
	entries, err := os.ReadDir(d.folder)
	if err != nil {
		d.t.Fatal(err)
	}

	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}

	return strings.Join(names, " ")
}

// redact runs the command with answers typed; arguments that name files of the folder are taken from there.
func (d *desk) redact(answers string, args ...string) (code int, out, problems string) {
	d.t.Helper()

	for i, a := range args {
		if strings.Contains(a, ".") && !strings.HasPrefix(a, "-") {
			args[i] = d.path(a)
		}
	}

	return d.typed(strings.NewReader(answers), append([]string{"redact"}, args...)...)
}

func (d *desk) typed(in io.Reader, args ...string) (code int, out, problems string) {
	d.t.Helper()
	var stdout, stderr bytes.Buffer
	term := d.term
	term.In, term.Out, term.Err = in, &stdout, &stderr
	code = cli.Run(d.t.Context(), args, term)

	return code, stdout.String(), stderr.String()
}

func TestRedactLabelsWhatThePersonAccepts(t *testing.T) {
	const all = "On May 4, 2025 [Party 4] met [Party 3].\n[Party 4] wrote from [Email 1] about [Party 5].\n"
	for name, tc := range map[string]struct {
		answers string
		args    []string
		code    int
		want    string // "" when nothing may be written
		says    string
	}{
		"yes to each":             {"y\n\nYES\ny\n", nil, 0, all, "nothing is left"},
		"all":                     {"y\na\n", nil, 0, all, "as Mr Halvard Ostrowe"},
		"without asking":          {"", []string{"--yes"}, 0, all, "4 of 4  person: a capitalised word"},
		"no identity":             {"y\ny\ny\nn\n", nil, 0, strings.Replace(all, "[Party 5]", "Zarquon", 1), "file redact CASE statement.deidentified.txt --clear --map statement.labels.age"},
		"another label":           {"o\n[PARTY 3]\ny\nid\nminor\n", nil, 0, strings.NewReplacer("[Party 4]", "[Party 3]", "[Email 1]", "[Id 1]", "[Party 5]", "[Minor 1]").Replace(all), "1 of 4"},
		"a label without o":       {"witness 7\nn\ny\nwitness 7\n", nil, 0, "On May 4, 2025 [Witness 7] met [Party 3].\nOstrowe wrote from [Email 1] about [Witness 7].\n", "The same as Mr Halvard Ostrowe."},
		"answers that are none":   {"perhaps\n[Client 1]\n[Party 0]\na\n", nil, 0, all, "neither an answer nor a label"},
		"an end without new line": {"a", nil, 0, all, "1 of 4"},
		"quit":                    {"y\nq\n", nil, 1, "", "nothing was written"},
		"the person leaves":       {"y\n", nil, 1, "", "nothing was written"},
		"what the guard misses":   {"a\n", []string{"--also", "met", "--also", "ABOUT"}, 0, "On May 4, 2025 [Party 4] [Party 5] [Party 3].\n[Party 4] wrote from [Email 1] [Party 6] [Party 7].\n", "you named it"},
		"what does not stand":     {"a\n", []string{"--also", "Ostro"}, 1, "", `"Ostro" of --also does not stand`},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			code, out, problems := d.redact(tc.answers, append([]string{"statement.md"}, tc.args...)...)
			if code != tc.code || out != "" || !strings.Contains(problems, tc.says) {
				t.Errorf("code %d, out %q, says %q, want %d and %q", code, out, problems, tc.code, tc.says)
			}
			if tc.want == "" {
				if d.names() != "statement.md" {
					t.Errorf("the folder holds %s", d.names())
				}

				return
			}
			if got := d.read("statement.deidentified.txt"); got != tc.want {
				t.Errorf("wrote %q, want %q", got, tc.want)
			}
			if code, _, problems := d.redact("", "--restore", "statement.deidentified.txt", "--map", "statement.labels.age"); code != 0 {
				t.Error(problems)
			}
			if got := d.read("statement.restored.txt"); got != statement {
				t.Errorf("restored %q", got)
			}
		})
	}
}

// What is left is not called nothing while a stricter reading doubts it.
func TestRedactSaysWhatItIsNotSureOf(t *testing.T) {
	d := newDesk(t)
	d.write("note.txt", "The tenant pays late. Later john smith paid the arrears. Still john smith left.")
	code, _, problems := d.redact("", "note.txt", "--yes")
	if code != 0 || strings.Count(problems, "Not sure: person") != 1 || strings.Contains(problems, "nothing is left.") {
		t.Errorf("code %d, says %q", code, problems)
	}
	code, _, problems = d.redact("", "note.txt", "--yes", "--force", "--also", "john smith")
	sure := strings.Contains(problems, "more strictly: nothing is left.")
	if code != 0 || strings.Contains(problems, "Not sure") || !sure {
		t.Errorf("with --also: code %d, says %q", code, problems)
	}
	if got := d.read("note.deidentified.txt"); strings.Contains(got, "john") {
		t.Errorf("wrote %q", got)
	}
}

// Names go over no border of a cell or a row, and what may be one is not called nothing.
func TestRedactReadsTables(t *testing.T) {
	const rows = "name,role,employer\nGrace Park,tenant,Mercy General\n\"Forest\nHill\",owner,Harvest Moon Properties\n"

	for name, text := range map[string]string{
		"t.csv":  rows,
		"t.json": `{"tenant":"Grace Park","staff":["Forest Hill"],"employer":"Mercy General"}`,
		"t.html": "<table><tr><th>Name</th><th>Rent</th></tr><tr><td>Grace Park</td><td>1</td></tr><tr><td>Forest Hill</td><td>2</td></tr></table>",
		"t.md":   "| Name | Rent |\n|---|---|\n| Grace Park | 1 |\n| Forest Hill | 2 |\n",
		"t.eml":  "From: Grace Park <gp@mail.example>\nTo: Forest Hill <fh@mail.example>\nSubject: Rent\n\nPaid.\n",
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			d.write(name, text)
			code, _, problems := d.redact("", name, "--yes")
			got := d.read("t.deidentified.txt")
			if code != 0 || strings.Contains(got, "Grace") || strings.Contains(got, "Forest") ||
				strings.Contains(got, "Mercy") {
				t.Errorf("code %d, wrote %q, says %q", code, got, problems)
			}
		})
	}

	d := newDesk(t)
	d.write("note.txt", "The tenant left.\n\nGrace\n")
	_, _, problems := d.redact("", "note.txt", "--yes")
	if strings.Contains(problems, "nothing is left.") || !strings.Contains(problems, ">>Grace<<") {
		t.Errorf("says %q", problems)
	}
}

// A name that the text says to be another of the same person gets the label of that.
func TestRedactKnowsAliases(t *testing.T) {
	d := newDesk(t)
	d.write("note.txt", "Zhao Wei, also known as Vivian Zhao, signed. V. Zhao paid. Mrs. Okafor met Ngozi Okafor and N. Okafor.\n")
	d.redact("", "note.txt", "--yes")
	if got := d.read("note.deidentified.txt"); strings.Count(got, "[Party 1]") != 3 {
		t.Errorf("wrote %q", got)
	}
}

// A person is no firm that they once worked for.
func TestRedactKeepsAPersonApartFromAFirm(t *testing.T) {
	d := newDesk(t)
	d.write("note.txt", "Grace Wexmoor, formerly Kestrel Roofing LLC employee, sued Kestrel Roofing LLC.\n")
	d.redact("", "note.txt", "--yes")
	got := d.read("note.deidentified.txt")
	if strings.Count(got, "[Party 1]") != 1 || strings.Count(got, "[Org 1]") != 2 {
		t.Errorf("wrote %q", got)
	}
}

// What a person marked as no identity is left, and the last look says so.
func TestRedactSaysWhatWasMarkedAsNoIdentity(t *testing.T) {
	d := newDesk(t)
	d.write("note.txt", "The auditors use Zarquon throughout.")
	code, _, problems := d.redact("n\n", "note.txt")
	left := strings.Contains(problems, "nothing is left but what you marked as no identity.")
	if code != 0 || !left || strings.Contains(problems, "nothing is left.") {
		t.Errorf("code %d, says %q", code, problems)
	}
}

func TestTheMapGoesOnFromFileToFile(t *testing.T) {
	d := newDesk(t)
	d.redact("y\ny\ny\nn\n", "statement.md", "--map", "case.age")

	for _, name := range []string{"case.age", "statement.deidentified.txt"} {
		if info, err := os.Stat(d.path(name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v, %v", name, info.Mode(), err)
		}
	}
	if strings.Contains(d.read("case.age"), "Ostrowe") {
		t.Error("the map can be read without its passphrase")
	}
	d.write("letter.txt", "HALVARD OSTROWE told Jane Doe of Zarquon.")
	code, _, problems := d.redact("\n\n", "letter.txt", "--map", "case.age")
	if code != 0 || !strings.Contains(problems, "1 place of none") || strings.Contains(problems, ": Zarquon") {
		t.Errorf("code %d, says %q", code, problems)
	}
	if got := d.read("letter.deidentified.txt"); got != "[Party 4] told [Party 5] of Zarquon.\n" {
		t.Errorf("the second file = %q", got)
	}
	d.write("answer.md", "[Party 5] owes [Party 4]; [Org 2] is not known, and [Party 9] neither.")
	code, out, problems := d.redact("", "--restore", "answer.md", "--map", "case.age", "--out", "-")
	if code != 0 || out != "Jane Doe owes Mr Halvard Ostrowe; [Org 2] is not known, and [Party 9] neither." {
		t.Errorf("code %d, restored %q, %s", code, out, problems)
	}
	if _, _, problems := d.redact("", "--restore", "answer.md", "--map", "case.age"); !strings.Contains(problems, "2 of 4 labels") || !strings.Contains(problems, "Without a name: [Org 2], [Party 9]") {
		t.Errorf("says %q", problems)
	}
}

func TestIdentitiesWhereTheGuardLetsThemPass(t *testing.T) {
	const text = "Mr Roe cites Roe v. Wade, 410 U.S. 113 (1973).\n"

	for name, tc := range map[string]struct {
		answers string
		args    []string
		want    string
	}{
		"there too":      {"roe?\ny\n", nil, "[Party 1] cites [Party 1] v. Wade, 410 U.S. 113 (1973).\n"},
		"not there":      {"n\n", nil, "[Party 1] cites Roe v. Wade, 410 U.S. 113 (1973).\n"},
		"without asking": {"", []string{"--yes"}, "[Party 1] cites [Party 1] v. Wade, 410 U.S. 113 (1973).\n"},
		"quit":           {"q\n", nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			d.write("brief.txt", text)
			d.write("first.txt", "Roe and Mr Roe came.")
			if code, _, problems := d.redact("", "first.txt", "--yes", "--also", "Roe", "--map", "case.age"); code != 0 {
				t.Fatal(problems)
			}
			_, _, problems := d.redact(tc.answers, append([]string{"brief.txt", "--map", "case.age"}, tc.args...)...)
			if !strings.Contains(problems, "The guard lets [Party 1] pass in 1 more place\n  line 1: …Mr Roe cites >>Roe<< v. Wade") {
				t.Errorf("says %q", problems)
			}
			if tc.want == "" {
				if strings.Contains(d.names(), "brief.de") {
					t.Error("a file was written")
				}
			} else if got := d.read("brief.deidentified.txt"); got != tc.want {
				t.Errorf("wrote %q, want %q", got, tc.want)
			}
		})
	}
}

func TestRedactWritesOverNothing(t *testing.T) {
	d := newDesk(t)
	d.write("statement.deidentified.txt", "mine")
	if code, _, problems := d.redact("a\n", "statement.md"); code != 1 || !strings.Contains(problems, "is there already") || d.read("statement.deidentified.txt") != "mine" {
		t.Errorf("code %d, says %q", code, problems)
	}
	if code, _, problems := d.redact("a\n", "statement.md", "--force"); code != 0 || d.read("statement.deidentified.txt") == "mine" {
		t.Errorf("--force: code %d, says %q", code, problems)
	}

	for _, args := range [][]string{{"statement.md", "--force", "--out", "statement.md"}, {"statement.md", "--force", "--out", "statement.labels.age"}, {"--restore", "statement.md", "--force", "--map", "statement.labels.age", "--out", "statement.labels.age"}} {
		if code, _, problems := d.redact("a\n", args...); code != 1 || !strings.Contains(problems, "would be written over") {
			t.Errorf("%v: code %d, says %q", args, code, problems)
		}
	}
	if err := os.Mkdir(d.path("elsewhere"), 0o700); err != nil {
		t.Fatal(err)
	}
	before := d.names()
	if code, _, problems := d.redact("a\n", "statement.md", "--out", "no/such.txt"); code != 1 || d.names() != before {
		t.Errorf("a folder that is not there: code %d, %q, the folder holds %s", code, problems, d.names())
	}
	changing := io.MultiReader(&sideEffect{func() { d.write("statement.labels.age", "of somebody else") }}, strings.NewReader("a\n"))
	d.write("other.txt", "Mr Ulric Vantongeren left.")
	code, _, problems := d.typed(changing, "redact", d.path("other.txt"), "--map", d.path("statement.labels.age"))
	if code != 1 || !strings.Contains(problems, "changed meanwhile") || d.read("statement.labels.age") != "of somebody else" {
		t.Errorf("a map that another changes: code %d, says %q", code, problems)
	}
}

// sideEffect is an empty reader that does something when it is read.
type sideEffect struct{ do func() }

func (s *sideEffect) Read([]byte) (int, error) { s.do(); return 0, io.EOF }

func TestPassphrases(t *testing.T) {
	typed := func(lines ...string) func(string) (string, error) {
		return func(string) (string, error) {
			if len(lines) == 0 {
				return "", io.ErrUnexpectedEOF
			}
			line := lines[0]
			lines = lines[1:]

			return line, nil
		}
	}
	for name, tc := range map[string]struct {
		variable string
		secret   func(string) (string, error)
		says     string
	}{
		"typed twice":           {"", typed(mapPassphrase, mapPassphrase), "Wrote statement.labels.age"},
		"typed otherwise":       {"", typed(mapPassphrase, mapPassphrase+"x"), "two passphrases"},
		"broken off":            {"", typed(mapPassphrase), "read passphrase"},
		"too short":             {"", typed("short", "short"), "at least 12"},
		"too short in variable": {"short", nil, "at least 12"},
		"nobody to ask":         {"", nil, "set SUBROSA_MAP_PASSPHRASE"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDesk(t)
			if t.Setenv("SUBROSA_MAP_PASSPHRASE", tc.variable); tc.variable == "" {
				if err := os.Unsetenv("SUBROSA_MAP_PASSPHRASE"); err != nil {
					t.Fatal(err)
				}
			}
			d.term.Secret = tc.secret
			code, _, problems := d.redact("a\n", "statement.md")
			if !strings.Contains(problems, tc.says) || (code == 0) != strings.HasPrefix(tc.says, "Wrote") {
				t.Errorf("code %d, says %q, want %q", code, problems, tc.says)
			}
			if code != 0 && d.names() != "statement.md" {
				t.Errorf("the folder holds %s", d.names())
			}
		})
	}
	d := newDesk(t)
	d.redact("a\n", "statement.md")
	t.Setenv("SUBROSA_MAP_PASSPHRASE", "another passphrase")

	for _, args := range [][]string{{"statement.md", "--force", "--yes"}, {"--restore", "statement.deidentified.txt", "--map", "statement.labels.age"}} {
		if code, _, problems := d.redact("", args...); code != 1 || !strings.Contains(problems, "does not open the map") {
			t.Errorf("%v: code %d, says %q", args, code, problems)
		}
	}
	code, _, problems := d.redact("", "--restore", "statement.deidentified.txt")
	if code != 2 || !strings.Contains(problems, "--map") {
		t.Errorf("no map: code %d, says %q", code, problems)
	}
}

func TestWhatRedactCannotRead(t *testing.T) {
	d := newDesk(t)
	d.write("old.txt", "Jos\xe9")
	d.write("picture.png", "\x89PNG\r\n\x1a\n")
	d.write("clean.txt", "[Party 1] paid $500.\n")

	for _, tc := range []struct{ name, says string }{
		{"old.txt", "text in UTF-8"}, {"picture.png", "is a picture, and pictures are not read"},
	} {
		if code, _, problems := d.redact("a\n", tc.name); code != 1 || !strings.Contains(problems, tc.says) {
			t.Errorf("%s: code %d, says %q, want %q", tc.name, code, problems, tc.says)
		}
	}
	if err := os.Unsetenv("SUBROSA_MAP_PASSPHRASE"); err != nil {
		t.Fatal(err)
	}
	if code, _, problems := d.redact("", "clean.txt"); code != 0 || !strings.Contains(problems, "found nothing") || d.read("clean.deidentified.txt") != "[Party 1] paid $500.\n" {
		t.Errorf("a clean file: code %d, says %q", code, problems)
	}
	if strings.Contains(d.names(), "clean.labels") {
		t.Error("a map was written without a label in it")
	}
}

func TestRedactReadsDocuments(t *testing.T) {
	d := newDesk(t)

	for _, name := range []string{"commercial-lease.docx", "employment-agreement.pdf"} {
		content, err := os.ReadFile(filepath.Join("..", "..", "samples", name))
		if err != nil {
			t.Fatal(err)
		}
		d.write(name, string(content))
		code, _, problems := d.redact("", name, "--yes", "--also", "notice")
		text := strings.TrimSuffix(name, filepath.Ext(name)) + ".deidentified.txt"
		if code != 0 || !strings.Contains(problems, "It is text, whatever "+name+" was") || !strings.Contains(problems, "Left out") {
			t.Errorf("%s: code %d, says %q", name, code, problems)
		}
		if got := d.read(text); !strings.Contains(got, "[Party 1]") || strings.Contains(got, " notice ") {
			t.Errorf("%s became %.200q", name, got)
		}
	}
}

func TestAnInterruptedReviewWritesNothing(t *testing.T) {
	d := newDesk(t)
	ctx, cancel := context.WithCancel(t.Context())

	never, typing := io.Pipe()
	defer func() { _ = typing.Close() }()
	term := d.term
	term.In, term.Out, term.Err = io.MultiReader(&sideEffect{cancel}, never), io.Discard, io.Discard
	if code := cli.Run(ctx, []string{"redact", d.path("statement.md")}, term); code != 1 || d.names() != "statement.md" {
		t.Errorf("code %d, the folder holds %s", code, d.names())
	}
}

func TestColours(t *testing.T) {
	d := newDesk(t)
	if _, _, problems := d.redact("q\n", "statement.md"); strings.Contains(problems, "\x1b") || !strings.Contains(problems, ">>Mr Halvard Ostrowe<<") {
		t.Errorf("without colours: %q", problems)
	}
	d.term.Colour = true
	if _, _, problems := d.redact("q\n", "statement.md"); !strings.Contains(problems, "\x1b[1;7mMr Halvard Ostrowe\x1b[0m") || !strings.Contains(problems, "\x1b[35mperson\x1b[0m") {
		t.Errorf("with colours: %q", problems)
	}
}

func TestOnlyWhatTheMapMarksIsCleared(t *testing.T) {
	s := newService(t)
	t.Setenv("SUBROSA_MAP_PASSPHRASE", mapPassphrase)
	d := &desk{t: t, folder: s.folder, term: cli.Terminal{Folder: s.folder, Config: filepath.Join(s.folder, "config"), Now: time.Now, Effort: 4}}
	d.write("notes.txt", "The model is called 212-555-0143 by its maker, and 212-555-0187 by others.")
	if code, _, problems := d.redact("n\n[Phone 4]\n", "notes.txt"); code != 0 {
		t.Fatal(problems)
	}
	refusal := func(more string) string {
		return `!403{"error":"identity_refused","message":"Use labels.","deepLink":"https://subrosa.test/i/redact_file","details":[{"path":"text","kind":"phone","start":20,"end":32}` + more + `]}`
	}
	add, clear := "POST /v1/cases/"+caseID+"/files", "POST /v1/cases/"+caseID+"/files/clearances"
	s.answers[add] = refusal("")
	s.answers[clear] = `{"sha256":"` + sha + `","marks":[{"path":"text","kind":"phone","start":20,"end":32}]}`
	args := func(file string) []string {
		return []string{"file", "redact", caseID, d.path(file), "--clear", "--yes", "--map", d.path("notes.labels.age")}
	}
	s.run(args("notes.deidentified.txt")...)
	cleared := 0

	for _, a := range s.asked {
		if a.line == clear {
			cleared++
		}
	}
	if cleared != 1 || s.last().line != add {
		t.Errorf("%d clearances of what the map marks as no identity", cleared)
	}
	s.answers[add] = refusal(`,{"path":"text","kind":"phone","start":51,"end":63}`)
	code, _, problems := s.run(args("notes.txt")...)
	if code != 1 || !strings.Contains(problems, "1 of 2 findings are not marked") || s.last().line == clear {
		t.Errorf("with a finding that is not marked: code %d, says %q", code, problems)
	}
	t.Setenv("SUBROSA_MAP_PASSPHRASE", "another passphrase")
	if code, _, problems := s.run(args("notes.deidentified.txt")...); code != 1 || !strings.Contains(problems, "does not open the map") {
		t.Errorf("another passphrase: code %d, says %q", code, problems)
	}
}
