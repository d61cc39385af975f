package facts_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
)

// item is something labelled or found: where it stands and what it says.
type item struct {
	facts.Span
	value string
}

// unmark returns a labelled line without its marks, and the items that they mark.
func unmark(t *testing.T, line string) (text string, items []item) {
	t.Helper()
	var b strings.Builder

	line = strings.ReplaceAll(line, `\n`, "\n")
	for {
		before, rest, found := strings.Cut(line, "{{")
		b.WriteString(before)
		if !found {
			return b.String(), items
		}
		marked, after, closed := strings.Cut(rest, "}}")
		at := strings.LastIndexByte(marked, '=')
		if !closed || at < 1 || at == len(marked)-1 {
			t.Fatalf("bad mark in %q", line)
		}
		start := b.Len()
		b.WriteString(marked[:at])
		items = append(items, item{facts.Span{Start: start, End: b.Len()}, marked[at+1:]})
		line = after
	}
}

func datesOf(text string) (found []item) {
	for _, d := range facts.Dates(text) {
		value := d.String()
		if d.Ambiguous {
			value += "/" + d.Swapped().String()
		}
		found = append(found, item{d.Span, value})
	}

	return found
}

func sumsOf(text string) (found []item) {
	for _, a := range facts.Amounts(text) {
		found = append(found, item{a.Span, a.Decimal() + " " + a.Currency})
	}

	return found
}

func citesOf(text string) (found []item) {
	for _, c := range facts.Citations(text) {
		value := c.Kind
		if c.Short {
			value = "short"
		}
		found = append(found, item{c.Core, value})
	}

	for _, r := range facts.References(text) {
		value := "id"
		if r.Supra {
			value = "supra"
		}
		found = append(found, item{r.Span, value})
	}

	return found
}

func overlaps(a, b item) bool { return a.value == b.value && a.Start < b.End && b.Start < a.End }

func samePlace(a, b item) bool { return a == b }

// score counts what of the labelled was found.
type score struct{ labelled, found, right int }

func (s score) precision() float64 { return float64(s.right) / float64(max(1, s.found)) }

func (s score) recall() float64 { return float64(s.right) / float64(max(1, s.labelled)) }

// floor is the least precision and recall of one half of a set.
type floor struct{ Precision, Recall float64 }

// TestLabelled scores the extractors on the hand-labelled sets. LABELLED=show lists what was missed and what was found wrongly in the open
// halves; the others are only counted.
func TestLabelled(t *testing.T) {
	const dir, fewest = "testdata/labelled", 200
	var floors map[string]floor
	data, err := os.ReadFile(filepath.Join(dir, "floors.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &floors); err != nil {
		t.Fatal(err)
	}

	for _, set := range []struct {
		name string
		find func(string) []item
		same func(a, b item) bool
	}{{"dates", datesOf, overlaps}, {"money", sumsOf, overlaps}, {"citations", citesOf, samePlace}} {
		labelled := 0

		for _, half := range []string{"open", "sealed", "after"} {
			name := set.name + "." + half
			t.Run(name, func(t *testing.T) {
				data, err := os.ReadFile(filepath.Join(dir, name+".txt"))
				if err != nil {
					t.Fatal(err)
				}
				var s score

				for line := range strings.Lines(string(data)) {
					text, items := unmark(t, strings.TrimSuffix(line, "\n"))
					found := set.find(text)

					s.labelled, s.found = s.labelled+len(items), s.found+len(found)
					for _, want := range items {
						at := slices.IndexFunc(found, func(got item) bool { return set.same(want, got) })
						if at >= 0 {
							s.right++
							found = slices.Delete(found, at, at+1)
						} else if half == "open" && os.Getenv("LABELLED") == "show" {
							t.Logf("missed %s %q in %q", want.value, want.In(text), text)
						}
					}

					for _, got := range found {
						if half == "open" && os.Getenv("LABELLED") == "show" {
							t.Logf("wrong  %s %q in %q", got.value, got.In(text), text)
						}
					}
				}
				labelled += s.labelled
				least, known := floors[name]
				figures := fmt.Sprintf("%d labelled, %d found, %d right: precision %.3f, recall %.3f", s.labelled, s.found, s.right, s.precision(), s.recall())
				t.Log(figures)
				if !known || s.precision() < least.Precision || s.recall() < least.Recall {
					t.Errorf("%s; the floor is %+v", figures, least)
				}
			})
		}
		if labelled < fewest {
			t.Errorf("%s: %d items, want at least %d", set.name, labelled, fewest)
		}
	}
}
