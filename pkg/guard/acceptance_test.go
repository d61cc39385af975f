package guard_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// The acceptance sets of the guard lie in testdata, one JSON object a line, all of them invented and written before the rules
// were held against them. A case with an even id is sealed: rules are tuned on what the odd ones show, and the sealed half says
// what that is worth on text that nobody looked at. floors.json holds the rates of the release, in per cent of cases judged
// rightly; a rate below its floor fails.

// A sample is one line of a set. Which fields it has depends on the set.
type sample struct {
	ID      int    `json:"id"`
	Door    string `json:"door"`
	Country string `json:"country"`
	Family  string `json:"family"`
	Base    int    `json:"base"`
	Text    string `json:"text"`
	Spans   []span `json:"spans"`
}

type span struct {
	Start int    `json:"start"`
	End   int    `json:"end"`
	Kind  string `json:"kind"`
}

func (s sample) half() string {
	if s.ID%2 == 0 {
		return "sealed"
	}

	return "open"
}

// check runs the guard at the door of the sample, and holds each finding to what Gate promises of it.
func (s sample) check(t *testing.T) []guard.Finding {
	t.Helper()
	door := guard.Prompt
	if s.Door != "" {
		for door.String() != s.Door {
			if door++; door > guard.Event {
				t.Fatalf("%d: no door %q", s.ID, s.Door)
			}
		}
	}
	found := guard.Guard{}.Check(t.Context(), door, s.Text)

	end := 0
	for _, f := range found {
		if f.Start < end || f.End <= f.Start || f.End > len(s.Text) ||
			!utf8.RuneStart(s.Text[f.Start]) || f.End < len(s.Text) && !utf8.RuneStart(s.Text[f.End]) {
			t.Errorf("%d %q: finding %d to %d is out of order, outside or inside a character", s.ID, s.Text, f.Start, f.End)
		}
		end = f.End
	}

	return found
}

// touched reports whether a finding covers part of p.
func (p span) touched(found []guard.Finding) bool {
	return slices.ContainsFunc(found, func(f guard.Finding) bool { return f.Start < p.End && p.Start < f.End })
}

func readSamples(t testing.TB, set string) []sample {
	t.Helper()
	data, err := os.ReadFile("testdata/" + set + ".jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var out []sample

	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		var s sample
		if err := json.Unmarshal(lines.Bytes(), &s); err != nil {
			t.Fatalf("%s line %d: %v", set, len(out)+1, err)
		}
		out = append(out, s)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}

	return out
}

// A tally counts cases by what they are about.
type tally map[string]*struct{ right, of int }

func (y tally) count(right bool, about ...string) {
	for _, k := range about {
		if y[k] == nil {
			y[k] = new(struct{ right, of int })
		}
		y[k].of++
		if right {
			y[k].right++
		}
	}
}

// report prints every rate and fails those that have a floor and lie below it, and floors that nothing was counted for.
func (y tally) report(t *testing.T, set string) {
	t.Helper()
	data, err := os.ReadFile("testdata/floors.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]map[string]float64
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	floors := all[set]
	if len(floors) == 0 {
		t.Errorf("floors.json has nothing on %s", set)
	}

	var names []string
	for k := range y {
		names = append(names, k)
	}
	slices.Sort(names)
	var b strings.Builder

	for _, k := range names {
		rate := 100 * float64(y[k].right) / float64(y[k].of)
		fmt.Fprintf(&b, "\n  %-24s %5.1f %%  %d of %d", k, rate, y[k].right, y[k].of)
		if floor, ok := floors[k]; ok && rate < floor {
			t.Errorf("%s, %s: %.1f %%, floor %.1f %%", set, k, rate, floor)
		}
	}
	t.Logf("%s%s", set, b.String())

	for k := range floors {
		if y[k] == nil {
			t.Errorf("floors.json: %s has no %q", set, k)
		}
	}
}

// wrong prints a case of the open half that was judged wrongly; the sealed half is not shown.
func (s sample) wrong(t *testing.T, found []guard.Finding) {
	if s.half() != "open" {
		return
	}

	var b strings.Builder
	for _, f := range found {
		fmt.Fprintf(&b, " %s(%q)", f.Kind, s.Text[f.Start:f.End])
	}
	t.Logf("%4d %s%s %q%s", s.ID, s.Family, s.Country, s.Text, b.String())
}

// A clean prompt is right when nothing is found in it, a dirty one when anything is, an identity when a finding touches it.
func TestAcceptancePrompts(t *testing.T) {
	y := tally{}

	for _, s := range readSamples(t, "prompts") {
		found := s.check(t)
		if len(s.Spans) == 0 {
			y.count(len(found) == 0, "clean", "clean "+s.half(), "clean "+s.Door)
			if len(found) > 0 {
				s.wrong(t, found)
			}

			continue
		}
		y.count(len(found) > 0, "dirty", "dirty "+s.half(), "dirty "+s.Door)
		whole := true

		for _, p := range s.Spans {
			hit := p.touched(found)
			y.count(hit, "identities", "identities "+s.half(), "of kind "+p.Kind)
			whole = whole && hit
		}
		if !whole {
			s.wrong(t, found)
		}
	}
	y.report(t, "prompts")
}

// An address or a telephone number is right when a finding of any kind touches it.
func TestAcceptanceAddresses(t *testing.T) { testTouched(t, "addresses") }

func TestAcceptancePhones(t *testing.T) { testTouched(t, "phones") }

func testTouched(t *testing.T, set string) {
	y := tally{}

	for _, s := range readSamples(t, set) {
		found := s.check(t)
		hit := s.Spans[0].touched(found)
		y.count(hit, "all", s.half(), s.Country)
		named := slices.DeleteFunc(slices.Clone(found), func(f guard.Finding) bool { return f.Kind != s.Spans[0].Kind })
		y.count(s.Spans[0].touched(named), "by the right kind")
		if !hit {
			s.wrong(t, found)
		}
	}
	y.report(t, set)
}

// A sentence is right when nothing is found in it.
func TestAcceptanceCleanSentences(t *testing.T) {
	y := tally{}
	alarms, words := 0, 0

	for _, s := range readSamples(t, "clean") {
		found := s.check(t)
		alarms += len(found)
		words += len(strings.Fields(s.Text))
		y.count(len(found) == 0, "all", s.half())
		if len(found) > 0 {
			s.wrong(t, found)
		}
	}
	y.report(t, "clean")
	t.Logf("clean: %d alarms in %d words, %.2f per 1,000", alarms, words, 1000*float64(alarms)/float64(words))
}

// A disguised identity is right when a finding of any kind touches it; one elsewhere in its sentence does not count.
func TestAcceptanceEvasions(t *testing.T) {
	y := tally{}

	for _, s := range readSamples(t, "evasions") {
		found := s.check(t)
		hit := s.Spans[0].touched(found)
		y.count(hit, "all", s.half(), s.Family)
		if !hit {
			s.wrong(t, found)
		}
	}
	y.report(t, "evasions")
}
