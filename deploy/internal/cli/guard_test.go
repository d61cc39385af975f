package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/deploy/internal/cli"
	writer "github.com/subrosa-legal/subrosa/pkg/document"
	"github.com/subrosa-legal/subrosa/pkg/extract"
)

// lookThrough runs the guard over standard input.
func lookThrough(t *testing.T, in string, args ...string) (code int, out, problems string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	folder := t.TempDir()
	code = cli.Run(t.Context(), append([]string{"guard"}, args...), cli.Terminal{
		In: strings.NewReader(in), Out: &stdout, Err: &stderr, Folder: folder, Config: filepath.Join(folder, "config"), Now: time.Now, Open: func(string) error { return nil },
	})

	return code, stdout.String(), stderr.String()
}

func TestGuardTellsAnotherLanguageOnce(t *testing.T) {
	in := "Powództwo zostało oddalone. Zgodnie z umową Wynajmujący nie zwrócił Kaucji.\nTel. 415-555-0134.\n"
	code, out, _ := lookThrough(t, in)
	want := `standard input:2:6: phone "415-555-0134" (a telephone number)
standard input:1:1: language "Powództwo zostało oddalone. Zgodnie z umową Wynajmujący nie zwrócił Kaucji" ` +
		"(a language that the guard does not know, so it cannot tell names from words)\n"
	if code != 1 || out != want {
		t.Errorf("code %d, output %q, want %q", code, out, want)
	}
}

func TestGuardShortensALongTextInAnotherLanguage(t *testing.T) {
	const sentence = "Powództwo zostało oddalone. Zgodnie z umową Wynajmujący nie zwrócił Kaucji.\n"
	_, out, _ := lookThrough(t, strings.Repeat(sentence, 50))
	want := `standard input:1:1: language "Powództwo zostało oddalone. Zgodnie z um ... ` +
		`e z umową Wynajmujący nie zwrócił Kaucji" ` +
		"(a language that the guard does not know, so it cannot tell names from words)\n"
	if out != want {
		t.Errorf("output %q, want %q", out, want)
	}
}

func TestGuardLooksThroughText(t *testing.T) {
	file := filepath.Join(t.TempDir(), "letter.txt")
	if err := os.WriteFile(file, []byte("Then Holzmann paid."), 0o600); err != nil {
		t.Fatal(err)
	}
	sent := filepath.Join(t.TempDir(), "sent.txt")
	text := "\ufeffThe cafe\u0301.\r\n\r\n\r\nBy Holzmann paid.  \r\n"
	if err := os.WriteFile(sent, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	wide, page := filepath.Join(t.TempDir(), "wide.txt"), filepath.Join(t.TempDir(), "page.html")

	utf16 := []byte{0xff, 0xfe}
	for _, b := range []byte("Then Holzmann paid.") {
		utf16 = append(utf16, b, 0)
	}

	lease := filepath.Join(t.TempDir(), "lease.docx")
	clauses := writer.Document{Blocks: []writer.Block{
		{Kind: writer.Listed, Level: 1, Label: "I.", Text: []writer.Span{{Text: "Rent"}}},
		{Kind: writer.Listed, Level: 2, Label: "I.1", Text: []writer.Span{{Text: "More terms"}}},
		{Kind: writer.Listed, Level: 3, Label: "1.1.1", Text: []writer.Span{{Text: "Roof"}}},
		{Kind: writer.Listed, Level: 4, Label: "1.1.1.1", Text: []writer.Span{{Text: "By Holzmann"}}},
	}}
	word, err := clauses.DOCX()
	if err != nil {
		t.Fatal(err)
	}

	for name, content := range map[string][]byte{lease: word, wide: utf16, page: []byte(`<!DOCTYPE html><p>The lease ends. <a href="https://law.example/?by=Mr%20Holzmann">Read</a>`)} {
		if err := os.WriteFile(name, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}

	for name, tc := range map[string]struct {
		in   string
		args []string
		code int
		out  string
	}{
		"clean":             {"[Party 1] paid $500 on May 1, 2025.", nil, 0, ""},
		"a name":            {"It was Mr Holzmann.", nil, 1, "standard input:1:8: person \"Mr Holzmann\" (a name after a title)\n"},
		"findings on lines": {"Mr Holzmann met\nMr Holzmann, Mr Holzmann.", nil, 1, "standard input:1:1: person \"Mr Holzmann\" (a name after a title)\nstandard input:2:1: person \"Mr Holzmann\" (a name after a title)\nstandard input:2:14: person \"Mr Holzmann\" (a name after a title)\n"},
		"a file":            {"", []string{file}, 1, file + ":1:6: person \"Holzmann\" (a capitalised word that no dictionary holds)\n"},
		"as it was sent":    {"", []string{sent}, 1, sent + ":4:4: person \"Holzmann\" (a capitalised word that no dictionary holds)\n"},
		"careless prompt":   {"ask holzmann", []string{"--door", "prompt"}, 1, "standard input:1:5: person \"holzmann\" (a name in lower case)\n"},
		"lines":             {`{"id":"a","text":"Zoë paid"}` + "\n\n" + `{"id":"b","text":"[Party 1]"}`, []string{"--jsonl"}, 0, `{"id":"a","spans":[{"start":0,"end":4,"type":"person"}]}` + "\n" + `{"id":"b","spans":[]}` + "\n"},
		"UTF-16":            {"", []string{wide}, 1, wide + ":1:6: person \"Holzmann\" (a capitalised word that no dictionary holds)\n"},
		"numbered clauses":  {"", []string{lease}, 1, lease + ":7:4: person \"Holzmann\" (a capitalised word that no dictionary holds)\n"},
		"a web page":        {"", []string{page}, 1, page + ": links:1:25: person \"Mr Holzmann\" (a name after a title)\n"},
	} {
		t.Run(name, func(t *testing.T) {
			code, out, problems := lookThrough(t, tc.in, tc.args...)
			if code != tc.code || out != tc.out {
				t.Errorf("code %d, out %q, problems %q, want %d and %q", code, out, problems, tc.code, tc.out)
			}
		})
	}
	if code, _, problems := lookThrough(t, "{\n", "--jsonl"); code != 1 || !strings.Contains(problems, "line 1 is no") {
		t.Errorf("code %d, problems %q for a line that is no JSON", code, problems)
	}
}

// A picture is refused for the reason that the service gives.
func TestGuardReadsNoPictures(t *testing.T) {
	for name, content := range map[string]string{
		"pic.png": "\x89PNG\r\n\x1a\n", "pic.jpg": "\xff\xd8\xff\xe0\x00\x10JFIF\x00", "pic.tiff": "II*\x00\x08\x00\x00\x00",
	} {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		code, _, problems := lookThrough(t, "", file)
		if want := extract.Obstacle(extract.ReasonPicture, "", ""); code != 1 || !strings.Contains(problems, want) {
			t.Errorf("%s: code %d, says %q, want %q", name, code, problems, want)
		}
	}
}
