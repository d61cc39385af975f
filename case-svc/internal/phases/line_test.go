package phases_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"pgregory.net/rapid"
)

// step is one thing done to a tree: work on a branch, or a fork from it.
type step struct {
	branch int // of those there are, counted round
	work   bool
	at     int // of the phases that the branch sees the one to fork at, counted round; below 0 for its head
}

// programs are what may be done to a tree.
var programs = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
	return step{rapid.IntRange(0, 9).Draw(t, "branch"), rapid.Bool().Draw(t, "work"), rapid.IntRange(-1, 9).Draw(t, "at")}
}), 6, 12)

// A branch sees the phases of its ancestors up to its fork points and then its own, whatever was done in which order; along what it sees
// the hashes are one chain.
func TestABranchSeesItsPast(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		d := newDesk(t, db)
		for n := range 8 {
			grow(t, d, programs.Example(n))
		}
	})
}

func grow(t *testing.T, d *desk, program []step) {
	t.Helper()
	c := d.newCase(t, nil)
	box, err := d.Container(t.Context(), firm, phases.CaseContainer, c.ID)
	if err != nil {
		t.Fatal(err)
	}
	branches := []string{c.ActiveBranchID}
	sees := map[string][]string{} // the model: a fork copies what it sees

	for _, s := range program {
		b := branches[s.branch%len(branches)]
		d.advance(time.Second)
		if s.work {
			sees[b] = append(sees[b], work(t, d, c.ID, b))
			continue
		}
		f, past := phases.Fork{ID: uuid.NewString(), ParentID: b}, sees[b]
		if len(past) > 0 && s.at >= 0 {
			at := s.at % len(past)
			f.FromPhaseID, f.ParentID, past = past[at], "", past[:at+1]
		}
		made, err := d.Fork(t.Context(), ann, box, f)
		if err != nil {
			t.Fatal(err)
		}
		branches, sees[made.ID] = append(branches, made.ID), slices.Clone(past)
	}

	for _, id := range branches {
		checkLine(t, d, id, sees[id])
	}
}

// work has a phase done on a branch, and returns its id.
func work(t *testing.T, d *desk, caseID, branchID string) string {
	t.Helper()
	b := phases.Begin{
		PhaseID: uuid.NewString(), SessionID: "session", BranchID: branchID, ContainerType: phases.CaseContainer, ContainerID: caseID, RequestType: phases.CaseReq,
		Prompt: "What is due?", Fingerprint: digest("request"), Engine: phases.Engine{Mode: "deterministic", RulesVersion: "2026.1"},
	}
	if _, err := d.Begin(t.Context(), firm, ann, b); err != nil {
		t.Fatal(err)
	}
	if _, err := d.End(t.Context(), firm, ann, b.PhaseID, completed(1)); err != nil {
		t.Fatal(err)
	}

	return b.PhaseID
}

func ids(list []phases.Phase) []string {
	var all []string
	for _, p := range list {
		all = append(all, p.ID)
	}

	return all
}

func checkLine(t *testing.T, d *desk, branchID string, want []string) {
	t.Helper()
	b, err := d.Branches.Branch(t.Context(), firm, branchID)
	if err != nil {
		t.Fatal(err)
	}
	line, err := d.Line(t.Context(), b, phases.LineQuery{Inherited: true, Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, ids(line)); diff != "" {
		t.Fatalf("branch of depth %d sees (-want +got):\n%s", b.Depth, diff)
	}
	if b.Inherited()+b.HeadSequence != len(want) {
		t.Fatalf("%d inherited and %d own phases, want %d in all", b.Inherited(), b.HeadSequence, len(want))
	}

	hash := phases.GenesisHash
	for _, p := range line {
		if p.PrevHash != hash || p.ChainHash() != p.Hash {
			t.Fatalf("the chain breaks at phase %d of branch %s", p.Sequence, p.BranchID)
		}
		if hash = p.Hash; !b.Sees(p.BranchID, p.Sequence) {
			t.Fatalf("the branch lists phase %d of branch %s, and says that it does not see it", p.Sequence, p.BranchID)
		}
	}

	for _, descending := range []bool{false, true} {
		var paged []string

		q := phases.LineQuery{Inherited: true, Descending: descending, Limit: 2}
		for {
			page, err := d.Line(t.Context(), b, q)
			if err != nil {
				t.Fatal(err)
			}
			if len(page) == 0 {
				break
			}
			paged = append(paged, ids(page)...)
			at := phases.PlaceOn(page[len(page)-1])
			q.After = &at
		}
		if descending {
			slices.Reverse(paged)
		}
		if diff := cmp.Diff(want, paged); diff != "" {
			t.Fatalf("page by page, descending %v (-want +got):\n%s", descending, diff)
		}
	}
	latest, err := d.Records.Among(t.Context(), firm, b.Latest(3))
	if err != nil {
		t.Fatal(err)
	}
	got, last := ids(latest), slices.Clone(want[max(0, len(want)-3):])
	slices.Sort(got)
	slices.Sort(last)
	if diff := cmp.Diff(last, got); diff != "" {
		t.Fatalf("latest three (-want +got):\n%s", diff)
	}
}
