package answers_test

import (
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/api"
)

// TestAFormTakesItsFactsFromWhatAPersonTicked confirms and rejects entries: the form has what was confirmed, with its
// footnote, and nothing that was not; without any it has the sentences of the files, and says so.
func TestAFormTakesItsFactsFromWhatAPersonTicked(t *testing.T) {
	const paid = "On May 4, 2026 [Party 2] paid the deposit of $900."
	const left = "On June 9, 2026 [Party 2] left the flat."
	const shouted = "On June 11, 2026 [Party 2] shouted at the caretaker."
	text := "STATEMENT\n\n" + paid + " " + left + " " + shouted + "\n"
	entry := func(quote, on, status string) api.TimelineEntry {
		at := strings.Index(text, quote)

		return api.TimelineEntry{
			EntryID: on, Kind: api.EntryFact, Title: quote, ReviewStatus: status,
			When: api.When{On: on, Precision: "day"},
			Sources: []api.SourceRef{{
				FileID: "f1", TextVersion: 1, CharStart: at, CharEnd: at + len(quote), Quote: quote,
			}},
		}
	}

	for _, tc := range []struct {
		name    string
		judged  []api.TimelineEntry
		has     []string
		hasNone []string
		says    string
	}{
		{"nothing", nil, []string{paid, left, shouted}, nil, "that nobody has confirmed"},
		{
			"rejected",
			[]api.TimelineEntry{entry(shouted, "2026-06-11", "rejected")},
			[]string{paid, left},
			[]string{"shouted"},
			"that nobody has confirmed",
		},
		{
			"confirmed",
			[]api.TimelineEntry{entry(paid, "2026-05-04", "confirmed")},
			[]string{paid},
			[]string{"left the flat", "shouted"},
			"Facts are taken from 1 entry of the timeline",
		},
		{"confirmed without a source", []api.TimelineEntry{{
			EntryID: "e", Kind: api.EntryFact, Title: "[Party 2] called", ReviewStatus: "confirmed",
			When: api.When{On: "2026-06-10", Precision: "day"},
		}}, []string{"[Party 2] called", "[NEEDS SOURCE]"}, []string{"left the flat"}, "Facts are taken from 1 entry"},
		{
			"a year",
			[]api.TimelineEntry{dated(entry(paid, "2026-05-04", "confirmed"), "year")},
			[]string{"| 2026 |", paid},
			[]string{"2026-05"},
			"from 1 entry",
		},
		{
			"about a day",
			[]api.TimelineEntry{dated(entry(paid, "2026-05-04", "confirmed"), "approximate")},
			[]string{"| about 2026-05-04 |", paid},
			nil,
			"from 1 entry",
		},
		{
			"in a person's words",
			[]api.TimelineEntry{titled(entry(paid, "2026-05-04", "confirmed"), "[Party 2] paid half of the deposit")},
			[]string{"the file or the timeline says", "| [Party 2] paid half of the deposit", "“" + paid + "”"},
			[]string{"| “"},
			"from 1 entry",
		},
		{
			"two of one day without a source",
			[]api.TimelineEntry{
				{
					EntryID: "e", Kind: api.EntryFact, Title: "[Party 2] called", ReviewStatus: "confirmed",
					When: api.When{On: "2026-06-10", Precision: "day"},
				},
				{
					EntryID: "f", Kind: api.EntryFact, Title: "[Party 1] answered", ReviewStatus: "confirmed",
					When: api.When{On: "2026-06-10", Precision: "day"},
				},
			},
			[]string{"| [Party 2] called", "| [Party 1] answered"},
			[]string{"“[Party"},
			"from 2 entries",
		},
		{
			"rejected but for the full stop",
			[]api.TimelineEntry{entry(strings.TrimSuffix(shouted, "."), "2026-06-11", "rejected")},
			[]string{paid, left},
			[]string{"shouted"},
			"that nobody has confirmed",
		},
		{"another file", []api.TimelineEntry{{
			EntryID: "e", Kind: api.EntryFact, Title: "gone", ReviewStatus: "confirmed",
			When:    api.When{On: "2026-06-10", Precision: "day"},
			Sources: []api.SourceRef{{FileID: "deleted", TextVersion: 1, CharEnd: 4, Quote: "gone"}},
		}}, []string{paid, left}, []string{"gone"}, "that nobody has confirmed"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newCaseFiles().add("Statement.txt", text)
			s.judged = placed(tc.judged, s.files[0].FileID)
			r, _ := do(t, draftTask("Draft a chronology memo", &cabinet{caseFiles: s}), s)
			if r.Kind != api.KindDraft || len(r.Drafts) == 0 {
				t.Fatalf("kind %s: %s", r.Kind, r.Text)
			}
			draft := strings.Join(strings.Fields(s.texts[r.Drafts[0].FileID]), " ")
			draft = strings.ReplaceAll(draft, `\`, "")

			for _, want := range tc.has {
				if !strings.Contains(draft, want) {
					t.Errorf("the draft lacks %q:\n%s", want, draft)
				}
			}

			for _, bad := range tc.hasNone {
				if strings.Contains(draft, bad) {
					t.Errorf("the draft has %q:\n%s", bad, draft)
				}
			}
			if limits := strings.Join(r.Limits, "\n"); !strings.Contains(limits, tc.says) {
				t.Errorf("the limits do not say %q:\n%s", tc.says, limits)
			}
		})
	}
}

func dated(e api.TimelineEntry, precision string) api.TimelineEntry {
	e.When.Precision = precision
	return e
}

func titled(e api.TimelineEntry, title string) api.TimelineEntry {
	e.Title = title
	return e
}

// TestADraftSaysThatItDidNotReadAllEntries has more of them than one draft reads.
func TestADraftSaysThatItDidNotReadAllEntries(t *testing.T) {
	s := newCaseFiles().add("Statement.txt", "STATEMENT\n\nOn May 4, 2026 [Party 2] paid the deposit of $900.\n")
	s.judgedPart = true

	r, _ := do(t, draftTask("Draft a chronology memo", &cabinet{caseFiles: s}), s)
	if limits := strings.Join(r.Limits, "\n"); !strings.Contains(limits, "more confirmed or rejected entries than") {
		t.Errorf("the limits do not say it:\n%s", limits)
	}
}

// placed gives the sources that stand in the file of the test the id that it got.
func placed(list []api.TimelineEntry, fileID string) []api.TimelineEntry {
	for i := range list {
		for n := range list[i].Sources {
			if src := &list[i].Sources[n]; src.FileID == "f1" {
				src.FileID = fileID
			}
		}
	}

	return list
}
