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
	files, err := filepath.Glob("../testdata/orders/*.txt")
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
				found["listed "+d.Date.String()] = ""
			}

			for line := range strings.Lines(gold) {
				f := strings.Fields(line)

				kind, day := f[0], f[1]
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
					for _, part := range f[2:] {
						if !strings.Contains(at, part) {
							t.Errorf("%s %s has %q, want %q", kind, day, at, part)
						}
					}
				}
			}
		})
	}
}
