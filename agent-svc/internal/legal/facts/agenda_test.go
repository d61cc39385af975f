package facts_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
)

// TestAgenda reads the days of orders that were marked by hand.
func TestAgenda(t *testing.T) {
	files, err := filepath.Glob("../answers/testdata/orders/*.txt")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d orders, %v", len(files), err)
	}

	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			text, gold, ok := strings.Cut(string(b), "=====\n")
			if !ok {
				t.Fatal("the order has no marks")
			}
			found := agendaOf(t, text)

			for line := range strings.Lines(gold) {
				wantDay(t, found, strings.Fields(line))
			}
		})
	}
}

// agendaOf returns the days of an order with what they are, and the hour and place of each.
func agendaOf(t *testing.T, text string) map[string]string {
	t.Helper()
	said := facts.NewReader().Read(text, "")
	found := map[string]string{}

	for _, d := range said.Deadlines {
		if !d.HasDate {
			t.Logf("runs: %d %s before=%v %q", d.Period, d.Unit, d.Before, d.Event.In(text))
			continue
		}
		kind := "due"
		if d.Hearing {
			kind = "hearing"
		}
		found[kind+" "+d.Date.String()] = d.Clock.In(text) + " " + d.Place.In(text)
	}

	for _, d := range said.Listed {
		if d.Told {
			continue
		}
		kind := "listed "
		if d.Moved {
			kind = "gone "
		}
		found[kind+d.Date.String()] = ""
	}

	return found
}

// wantDay holds what was found against a mark of an order: a kind, a day, and words of its hour and place.
func wantDay(t *testing.T, found map[string]string, mark []string) {
	t.Helper()
	kind, day := mark[0], mark[1]

	switch at, ok := found[kind+" "+day]; {
	case kind == "never":
		for k := range found {
			if strings.HasSuffix(k, day) {
				t.Errorf("%s stands among the days, as %s", day, k)
			}
		}
	case kind == "ambiguous", kind == "listed", kind == "chain": // the answer says these
	case !ok:
		t.Errorf("%s %s is missing among %v", kind, day, found)
	default:
		for _, part := range mark[2:] {
			if !strings.Contains(at, part) {
				t.Errorf("%s %s has %q, want %q", kind, day, at, part)
			}
		}
	}
}
