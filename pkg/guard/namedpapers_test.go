package guard_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/label"
)

// A mention is a name that was put into a paper, and how it is written there.
type mention struct {
	span
	how string
}

// namePaper puts names in the place of the labels of persons and organisations in the k-th paper: the first time the
// full one, later the surname, or of a company of ordinary words what stands before its legal form. The people of a
// paper are of one culture.
func namePaper(text string, k int) (string, []mention) {
	people := fullNames()[cultures[k%len(cultures)].name]
	firsts, seconds := strings.Fields(companyFirst), strings.Fields(companySecond)
	given := map[label.Label]string{}
	var out strings.Builder
	var mentions []mention

	for at := 0; at < len(text); {
		l, width, ok := label.At(text, at)
		person := slices.Contains([]string{"Party", "Person", "Witness", "Minor"}, l.Kind)
		company := l.Kind == "Company" || l.Kind == "Org"
		if !ok || !person && !company {
			out.WriteByte(text[at])
			at++

			continue
		}

		name, again := given[l]
		how, written := "full", ""

		switch n := len(given) + k; {
		case person && again:
			how, written = "surname", name[strings.LastIndexByte(name, ' ')+1:]
		case person:
			name = people[(7*len(given)+k)%len(people)]
			written = name
		case again:
			how, written = "company again", name
		default:
			name = firsts[n%len(firsts)] + " " + seconds[(3*n)%len(seconds)]
			how, written = "company", name+", "+legalForms[n%len(legalForms)]
		}
		given[l] = name
		m := mention{span{Start: out.Len(), End: out.Len() + len(written)}, how}

		mentions = append(mentions, m)
		out.WriteString(written)
		at += width
	}

	return out.String(), mentions
}

// The papers must not pass for the sake of their prose alone: with names in the place of labels, the names are found.
func TestPapersThatNameEverybody(t *testing.T) {
	files, err := filepath.Glob("testdata/papers/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	touched := tally{}

	for k, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}

		for c := range cultures {
			text, mentions := namePaper(string(content), k+c)
			found := guard.Guard{}.Check(t.Context(), guard.FileText, text)

			for _, m := range mentions {
				hit := m.touched(found)
				touched.count(hit, "all", m.how, "culture "+cultures[(k+c)%len(cultures)].name, "in "+paperKind(file))
				if !hit {
					t.Logf("%s: %s %q passes in %q", filepath.Base(file)[:2], m.how, text[m.Start:m.End], around(text, m.span))
				}
			}
		}
	}

	touched.report(t, "named papers")
}

// around is a span with what stands beside it.
func around(text string, p span) string {
	return strings.ToValidUTF8(text[max(0, p.Start-40):min(len(text), p.End+30)], "")
}
