package answers_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/answers"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// record is a timeline in memory: an entry is the same when its kind, day, sources and rule are.
type record struct {
	entries map[string]api.EntryContent
	calls   int
	err     error // of every call from the second on
}

func (r *record) Propose(_ context.Context, _ string, entries []api.EntryContent) ([]api.ProposedEntry, error) {
	r.calls++
	if r.err != nil && r.calls > 1 {
		return nil, r.err
	}
	if len(entries) > api.MaxProposed {
		return nil, errors.New("too many entries in one call")
	}
	var out []api.ProposedEntry

	for _, e := range entries {
		id := fmt.Sprint(e.Kind, e.When.On, e.Sources)
		if e.Computation != nil {
			id += e.Computation.RuleID
		}
		_, there := r.entries[id]
		r.entries[id] = e
		out = append(out, api.ProposedEntry{EntryID: id, Added: !there})
	}

	return out, nil
}

func (r *record) SaveDraft(context.Context, string, []api.DraftFile) ([]api.File, error) {
	return nil, errors.New("a chronology is no draft")
}

func newRecord() *record { return &record{entries: map[string]api.EntryContent{}} }

// TestChronologyIsProposed wants every dated sentence that is shown in the timeline, once, with its source.
func TestChronologyIsProposed(t *testing.T) {
	work := newRecord()
	tk := task(api.CaseReq, "Build a chronology")
	tk.Work = work
	s := newCaseFiles().add("Letter 1.txt", "On March 3, 2026 [Party 1] filed the complaint. On 07/08/2025 the parties signed the lease. In June 2025 the roof leaked.\n")
	r, d := do(t, tk, s)
	if r.Kind != api.KindChronology || len(r.Entries) != 3 || len(work.entries) != 3 {
		t.Fatalf("kind %s, %d entries in the answer, %d in the timeline; want 3", r.Kind, len(r.Entries), len(work.entries))
	}

	want := []struct{ kind, on, precision, other, raw string }{
		{api.EntryFact, "2025-06-01", "month", "", "June 2025"},
		{api.EntryFiling, "2026-03-03", "day", "", "March 3, 2026"},
		{api.EntryAgreement, "2025-07-08", "day", "2025-08-07", "07/08/2025"},
	}
	for i, w := range want {
		e := r.Entries[i]
		if e.Kind != w.kind || e.When.On != w.on || e.When.Precision != w.precision || e.When.AlternativeOn != w.other || e.When.Ambiguous != (w.other != "") || e.When.Raw != w.raw {
			t.Errorf("entry %d is %+v of %+v, want %+v", i, e.Kind, *e.When, w)
		}
		if e.EntryID == "" || len(e.Sources) != 1 {
			t.Errorf("entry %d has the id %q and %d sources", i, e.EntryID, len(e.Sources))
		}

		for _, src := range e.Sources {
			checkSource(t, src, s)
		}
	}
	if !strings.Contains(strings.Join(d.messages, "\n"), "3 entries added, 0 were there already") {
		t.Errorf("the report says %q", d.messages)
	}
	if _, d = do(t, tk, s); len(work.entries) != 3 || !strings.Contains(strings.Join(d.messages, "\n"), "0 entries added, 3 were there already") {
		t.Errorf("asked again: %d entries, report %q", len(work.entries), d.messages)
	}
}

// TestProposalsThatFailAreTold wants the answer to stand, and its limits to say what was not written.
func TestProposalsThatFailAreTold(t *testing.T) {
	var b strings.Builder
	for i := range 350 {
		fmt.Fprintf(&b, "On March %d, %d item %d of the list was delivered to the warehouse.\n\n", i%28+1, 2000+i%25, i+1)
	}
	s := newCaseFiles().add("List.txt", b.String())
	tk := task(api.CaseReq, "Build a chronology")
	whole := newRecord()
	tk.Work = whole
	r, _ := do(t, tk, s)
	if len(whole.entries) != 300 || len(r.Entries) != api.MaxProposals || !strings.Contains(strings.Join(r.Limits, " "), "50 further entries were not proposed") {
		t.Errorf("%d entries in the timeline, %d in the answer, limits %q", len(whole.entries), len(r.Entries), r.Limits)
	}
	broken := newRecord()
	broken.err = errors.New("away")
	tk.Work = broken
	r, d := do(t, tk, s)
	if !strings.Contains(strings.Join(r.Limits, " "), "Not all that was found could be proposed") || d.open != 0 || r.Text == "" {
		t.Errorf("limits %q, %d tools open", r.Limits, d.open)
	}
	if r.Entries[99].EntryID == "" {
		t.Error("what was put into the timeline has no id")
	}
}

// strictTitles refuses titles with a word in them.
type strictTitles struct{ guard.Gate }

func (g strictTitles) Check(ctx context.Context, door guard.Channel, text string) []guard.Finding {
	if door == guard.Title && strings.Contains(text, "warehouse") {
		return []guard.Finding{{Kind: "person", End: 1}}
	}

	return g.Gate.Check(ctx, door, text)
}

// TestOnlyWhatMayBeKeptIsProposed wants sentences that the gate would refuse as a title to stay out of the timeline.
func TestOnlyWhatMayBeKeptIsProposed(t *testing.T) {
	work := newRecord()
	tk := task(api.CaseReq, "Build a chronology")
	tk.Work = work
	s := newCaseFiles().add("List.txt", "On March 3, 2026 the warehouse burnt down. On March 4, 2026 the insurer was told.\n")
	r, err := answers.NewEngine(strictTitles{guard.New()}).Do(t.Context(), tk, s, &diary{})
	if err != nil || len(r.Entries) != 1 || len(work.entries) != 1 {
		t.Errorf("%d entries proposed, %d kept, %v; want 1", len(r.Entries), len(work.entries), err)
	}
}

// TestTimeUsedUpKeepsWhatWasFound ends the time of a run while it reads its third file: what the first two said is in the timeline.
func TestTimeUsedUpKeepsWhatWasFound(t *testing.T) {
	s := newCaseFiles()
	for i := range 5 {
		s.add(fmt.Sprintf("Note %d.txt", i+1), fmt.Sprintf("On March %d, 2026 a letter came to the office.\n", i+1))
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	s.read = func(id string) {
		if id == s.files[2].FileID {
			cancel(legal.ErrTimeLimit)
		}
	}
	work, d := newRecord(), &diary{}
	tk := task(api.CaseReq, "Build a chronology")
	tk.Work = work
	_, err := answers.NewEngine(guard.New()).Do(ctx, tk, s, d)
	var end *legal.Unfinished
	if !errors.As(err, &end) || !errors.Is(err, legal.ErrTimeLimit) || end.Files != 5 || end.Read != 2 || end.Proposed != 2 {
		t.Errorf("the run ended with %v (%+v), want 2 of 5 files read and 2 entries kept", err, end)
	}
	if len(work.entries) != 2 {
		t.Errorf("%d entries in the timeline, want 2", len(work.entries))
	}
}
