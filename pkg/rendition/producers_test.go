package rendition_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/guard"
)

const corpus = "testdata/producers"

// marks are what a rendition adds to a text.
var marks = regexp.MustCompile(`\[page \d+\]`)

// words returns the letters of a text in their order: blanks depend on where lines end, and numbers of items on who
// counts them.
func words(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) {
			return -1
		}

		return r
	}, marks.ReplaceAllString(text, ""))
}

var amounts = regexp.MustCompile(`\$[0-9,]+\.[0-9]{2}|[0-9]+ F\.2d [0-9]+`)

// judge returns what the guard finds in the parts of a document.
func judge(t *testing.T, doc extract.Document) []string {
	t.Helper()
	var found []string

	for _, p := range doc.Parts {
		channel := guard.FileMeta
		if p.Kind == extract.Body {
			channel = guard.FileText
		}

		for _, f := range (guard.Guard{}).Check(t.Context(), channel, p.Text) {
			found = append(found, fmt.Sprintf("%s: %s %q", p.Path, f.Kind, p.Text[f.Start:f.End]))
		}
	}

	return found
}

// mediaType names the type of a file as the service does.
func mediaType(t *testing.T, name string, data []byte) (string, error) {
	t.Helper()

	return extract.Sniff(data, name).Accept("")
}

// The same three texts by every producer: what is clean is taken and its rendition says the same words in the same
// order, what names somebody is refused.
func TestRealProducers(t *testing.T) {
	t.Parallel()
	clean, err := filepath.Glob(filepath.Join(corpus, "clean", "*.*.*"))
	if err != nil || len(clean) < 78 {
		t.Fatalf("%d files: %v", len(clean), err)
	}

	for _, path := range clean {
		name := filepath.Base(path)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			document, _, _ := strings.Cut(name, ".")
			source, err := os.ReadFile(filepath.Join(corpus, "clean", document+".txt"))
			if err != nil {
				t.Fatal(err)
			}
			data, planted := load(t, path), load(t, strings.Replace(path, "clean", "planted", 1))
			media, err := mediaType(t, name, data)
			if err != nil {
				t.Fatal(err)
			}
			doc := read(t, media, data)
			if doc.Status != extract.OK || len(doc.Unread) > 0 {
				t.Errorf("status %s (%s), unread %+v", doc.Status, doc.Reason, doc.Unread)
			}
			if found := judge(t, doc); len(found) > 0 {
				t.Errorf("found %s", found)
			}
			sameText(t, string(source), doc)
			if found := judge(t, read(t, media, planted)); len(found) == 0 {
				t.Error("the planted name was not found")
			}
		})
	}
}

// fees are the rows of the table in the contract.
var fees = regexp.MustCompile(`(?m)^\| Maintenance \| \$2,400\.00 \|
\| Support by telephone \| \$600\.00 \|
\| Reports \| \$150\.00 \|$`)

// A table is one in whatever way a producer draws it. Those that write its cells as words of a line have none.
func TestTablesOfProducers(t *testing.T) {
	t.Parallel()
	contracts, err := filepath.Glob(filepath.Join(corpus, "clean", "contract.*.*"))
	if err != nil || len(contracts) < 26 {
		t.Fatalf("%d contracts: %v", len(contracts), err)
	}

	for _, path := range contracts {
		if strings.HasSuffix(path, ".pdfbox.pdf") {
			continue
		}
		data := load(t, path)
		media, err := mediaType(t, filepath.Base(path), data)
		if err != nil {
			t.Fatal(err)
		}
		if md := markdown(t, read(t, media, data)).Bytes; !fees.Match(md) {
			t.Errorf("%s has no table:\n%s", filepath.Base(path), md)
		}
	}
}

func load(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	return data
}

// sameText holds the renditions of a document against the words that were written.
func sameText(t *testing.T, source string, doc extract.Document) {
	t.Helper()
	want := words(source)
	md := markdown(t, doc)
	body, _, _ := strings.Cut(string(md.Bytes), "\n\n## Descriptions of pictures")
	got := words(strings.TrimPrefix(strings.TrimPrefix(body, "# "), "Document\n\n"))
	if i := firstDifference(got, want); i >= 0 {
		t.Errorf("at %d of %d: %q, want %q", i, len(want), got[i:min(i+40, len(got))], want[i:min(i+40, len(want))])
	}
	said := strings.Join(strings.Fields(string(md.Bytes)), " ")

	for _, amount := range amounts.FindAllString(source, -1) {
		if !strings.Contains(said, amount) {
			t.Errorf("%s is missing", amount)
		}
	}
	if n := len(strings.Fields(source)); math.Abs(float64(len(strings.Fields(doc.Text))-n)) > 0.2*float64(n) {
		t.Errorf("%d words, want about %d", len(strings.Fields(doc.Text)), n)
	}
	if again := read(t, extract.Markdown, md.Bytes); again.Text != string(md.Bytes) {
		t.Error("the Markdown is not in the form of extracted text")
	}
	if doc.Method != "docx" && doc.Method != "odt" {
		return
	}
	if again := read(t, extract.DOCX, word(t, doc).Bytes); again.Text != doc.Text || len(again.Dropped) > 3 {
		t.Errorf("the Word file says\n%s\ndropped %+v", again.Text, again.Dropped)
	}
}

func firstDifference(a, b string) int {
	if a == b {
		return -1
	}

	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}

	return i
}
