package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/deploy/internal/labelfile"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/label"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// testdata/contracts holds twenty invented contracts in full, with a list beside each of whom it names: an identity
// a line, its spellings in this text between bars. They were written before redact was run on them.
const contracts = 20

// A namedContract is what a person redacts, and what must be gone afterwards.
type namedContract struct {
	name, text string
	identities [][]string
}

func readContracts(t *testing.T) []namedContract {
	t.Helper()
	names, err := filepath.Glob("testdata/contracts/*.txt")
	if err != nil || len(names) != contracts {
		t.Fatalf("%d contracts, %v", len(names), err)
	}
	var out []namedContract

	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		list, err := os.ReadFile(strings.TrimSuffix(name, ".txt") + ".identities")
		if err != nil {
			t.Fatal(err)
		}
		c := namedContract{name: filepath.Base(name), text: string(text)}

		for line := range strings.Lines(string(list)) {
			spellings := strings.Split(strings.TrimSpace(line), " | ")
			for _, s := range spellings {
				if !stands(c.text, s) {
					t.Errorf("%s does not hold %q", c.name, s)
				}
			}
			c.identities = append(c.identities, spellings)
		}
		out = append(out, c)
	}

	return out
}

// stands reports whether s is in text as words of its own.
func stands(text, s string) bool {
	return regexp.MustCompile(`(^|[^\pL\pN])` + regexp.QuoteMeta(s) + `($|[^\pL\pN])`).MatchString(text)
}

func TestNobodyIsLeftInAContract(t *testing.T) {
	testkit.WithoutDetector(t)
	const mostWrong = 0 // identities that redact leaves and calls nothing
	sure, identities, left, wrong := 0, 0, 0, 0

	for _, c := range readContracts(t) {
		d := newDesk(t)
		d.write(c.name, c.text)
		code, _, problems := d.redact("", c.name, "--yes")
		nothing := strings.Contains(problems, "more strictly: nothing is left.")
		if nothing {
			sure++
		}
		doubts := strings.Contains(problems, "Not sure: ") || strings.Contains(problems, "Still there: ")
		if nothing != (code == 0 && !doubts) {
			t.Errorf("%s: code %d, says %q", c.name, code, problems)
		}

		text := d.read(strings.TrimSuffix(c.name, ".txt") + ".deidentified.txt")
		for _, spellings := range c.identities {
			identities++
			var stay []string

			for _, s := range spellings {
				if stands(text, s) {
					stay = append(stay, s)
				}
			}
			if len(stay) == 0 {
				continue
			}
			left++
			if nothing {
				wrong++
			}
			t.Logf(
				"%s: leaves %q, says that nothing is left: %t, shows it: %t",
				c.name,
				stay,
				nothing,
				shown(problems, stay),
			)
		}
	}

	t.Logf("says that nothing is left in %d of %d contracts", sure, contracts)
	t.Logf("%d of %d identities are left, %d of them there", left, identities, wrong)
	if wrong > mostWrong {
		t.Errorf("%d identities are left where redact says that nothing is", wrong)
	}
}

// shown reports whether redact shows every one of these words among what is still there or may be.
func shown(problems string, words []string) bool {
	_, problems, _ = strings.Cut(problems, "Wrote ")

	for _, w := range words {
		found := false
		for line := range strings.Lines(problems) {
			found = found || strings.Contains(line, ">>") && strings.Contains(line, w)
		}
		if !found {
			return false
		}
	}

	return true
}

// One person, or one company, in several spellings is one label.
func TestSpellingsOfOneIdentityAreOneLabel(t *testing.T) {
	testkit.WithoutDetector(t)
	const mostSplit = 1 // must only shrink
	several, split := 0, 0

	for _, c := range readContracts(t) {
		d := newDesk(t)
		d.write(c.name, c.text)
		d.redact("", c.name, "--yes") // what it says is the matter of another test
		file, err := os.Open(d.path(strings.TrimSuffix(c.name, ".txt") + ".labels.age"))
		if err != nil {
			t.Fatal(err)
		}
		m, err := labelfile.Read(file, mapPassphrase)
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
		if err != nil {
			t.Fatal(err)
		}

		for _, spellings := range c.identities {
			labels := labelsOf(m, d.read(strings.TrimSuffix(c.name, ".txt")+".deidentified.txt"), spellings)
			if len(spellings) > 1 {
				several++
			}
			if len(labels) > 1 {
				split++
				t.Logf("%s: %s", c.name, strings.Join(labels, "; "))
			}
		}
	}

	t.Logf("%d of %d identities with several spellings have several labels", split, several)
	if split > mostSplit {
		t.Errorf("%d identities have several labels", split)
	}
}

// What names nobody stays.
func TestWordsOfContractsStay(t *testing.T) {
	testkit.WithoutDetector(t)

	for _, c := range readContracts(t) {
		d := newDesk(t)
		d.write(c.name, c.text)
		d.redact("", c.name, "--yes")
		text := d.read(strings.TrimSuffix(c.name, ".txt") + ".deidentified.txt")

		for _, word := range []string{
			"PRIOR TO", "Microsoft Word", "Page 1", "DSCR", "Incoterms", "FCPA", "HIPAA", "Tribunal de commerce", "AAA",
		} {
			if stands(c.text, word) && !stands(text, word) {
				t.Errorf("%s: redact labels %q", c.name, word)
			}
		}
	}
}

// labelsOf says which labels of a text stand for one of the spellings, and what else they stand for.
func labelsOf(m *guard.LabelMap, text string, spellings []string) []string {
	var out []string

	for _, l := range label.All(text) {
		for _, identity := range m.Identities(l) {
			if sameName(identity, spellings) {
				out = append(out, fmt.Sprintf("%s is %q", l, m.Identities(l)))
				break
			}
		}
	}

	return out
}

// titles are what redact labels along with a name.
var titles = regexp.MustCompile(`^(Mr|Mrs|Ms|Dr|Mme|M|Herr|Frau|Captain|Dott\.ssa|Pastor)\.? `)

func sameName(identity string, spellings []string) bool {
	bare := titles.ReplaceAllString(identity, "")
	for _, s := range spellings {
		if identity == s || bare == s {
			return true
		}
	}

	return false
}
