package mongostore_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

func newPhase(tenant string, branchID string, sequence int) phases.Phase {
	return phases.Phase{
		ID: newID(), Tenant: tenant, Version: 1, BranchID: branchID, TimelineID: newID(), Sequence: sequence, ContainerType: "case", ContainerID: newID(),
		SessionID: "s/1", RequestType: phases.CaseReq, Prompt: "What is due?", Status: phases.Running, Attempt: 1, Review: phases.Review{Status: phases.ReviewNotRequired},
		DirectedBy: phases.DirectedBy{UserID: "ann", Capacity: "client"}, Engine: phases.Engine{Mode: "deterministic", RulesVersion: "2026.1"},
		RequestSHA256: "aa", PrevHash: phases.GenesisHash, CreatedBy: ann, CreatedAt: noon, StartedAt: noon, Since: noon,
		Caller: access.Caller{
			Kind: access.OAuth, Tenant: tenant, UserID: "ann", ClientID: "https://app.test", GrantID: "g",
			AgentID: "a", Scopes: []string{"agent:run"}, Roles: []string{"member"},
		},
		Asked: phases.Asked{BranchID: branchID, Mode: "auto", MaxSeconds: 60, Language: "en"},
	}
}

func TestPhasesGiveBackWhatTheyWereGiven(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *mongo.Database) {
		store := mongostore.NewRecords(db)
		branch := newID()
		running, ended := newPhase("u:ann", branch, 1), newPhase("u:ann", branch, 2)
		ended.Status, ended.EndedAt, ended.Hash, ended.ResponseSHA256 = phases.Completed, noon.Add(time.Second), "cc", "bb"
		ended.ParentID, ended.FileIDs, ended.Response = running.ID, []string{newID()}, []byte(`{"kind":"answer"}`)
		ended.Review = phases.Review{Required: true, Status: phases.ReviewPending}
		ended.ToolCalls = []phases.ToolCall{{CallID: "c1", Name: "search_passages", ArgsDigest: "dd", Summary: "5 passages", Outcome: "ok", DurationMs: 18}}
		ended.Engine = phases.Engine{Mode: "model", RulesVersion: "2026.1", FallbackReason: "none", Provider: "anthropic", Model: "m-1", TemplateVersion: "2026.1"}
		ended.Usage, ended.Stream = phases.Usage{InputTokens: 900, OutputTokens: 120, ToolCallCount: 1, PassagesRead: 5, WallMs: 40}, phases.StreamMarks{PhaseStartSeq: 2, ResponseSeq: 8, EndSeq: 9}
		failed := newPhase("u:ann", branch, 3)

		failed.Status, failed.Failure = phases.Failed, &phases.Failure{Code: "internal", Message: "No.", Retryable: true}
		for _, want := range []phases.Phase{running, ended, failed} {
			if err := store.Insert(t.Context(), want); err != nil {
				t.Fatalf("Insert: %v", err)
			}
			got, err := store.Get(t.Context(), "u:ann", want.ID)
			if err != nil {
				t.Fatalf("Get: %v", err)
			}
			if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(access.Caller{})); diff != "" {
				t.Errorf("%s phase changed on its way (-want +got):\n%s", want.Status, diff)
			}
		}
		numbered, err := store.Numbered(t.Context(), "u:ann", branch, 2)
		if err != nil || numbered.ID != ended.ID {
			t.Errorf("Numbered(2) = %s, %v, want %s", numbered.ID, err, ended.ID)
		}
		open, err := store.Open(t.Context(), running.Since.Add(time.Hour), nil, 10)
		if err != nil || len(open) != 1 || open[0].ID != running.ID {
			t.Errorf("Open = %v, %v, want the running one", open, err)
		}
	})
}

func TestPhasesOfAnotherTenantAreNotThere(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *mongo.Database) {
		store := mongostore.NewRecords(db)
		p := newPhase("u:ann", newID(), 1)
		if err := store.Insert(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		if _, err := store.Get(t.Context(), "u:eve", p.ID); !errors.Is(err, phases.ErrNotFound) {
			t.Errorf("Get = %v, want not found", err)
		}
		if _, err := store.Numbered(t.Context(), "u:eve", p.BranchID, 1); !errors.Is(err, phases.ErrNotFound) {
			t.Errorf("Numbered = %v, want not found", err)
		}
		theirs := p
		theirs.Tenant = "u:eve"
		if err := store.Replace(t.Context(), theirs); !errors.Is(err, errs.ErrTaken) {
			t.Errorf("Replace = %v, want taken", err)
		}
		if err := store.Insert(t.Context(), theirs); err != nil {
			t.Errorf("Insert of the same id, branch and number in another tenant = %v", err)
		}
	})
}

func TestOneOfManyPhasesGetsAnIDAndANumber(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *mongo.Database) {
		store := mongostore.NewRecords(db)
		same := newPhase("u:ann", newID(), 1)
		insert := func(int) error { return store.Insert(t.Context(), same) }
		if won := testkit.Race(t, racers, insert, errs.ErrTaken); won != 1 {
			t.Errorf("%d inserts of one id succeeded, want 1", won)
		}
		won := testkit.Race(t, racers, func(int) error { return store.Insert(t.Context(), newPhase("u:ann", same.BranchID, 2)) }, phases.ErrSequence)
		if won != 1 {
			t.Errorf("%d inserts of one number succeeded, want 1", won)
		}
		won = testkit.Race(t, racers, func(i int) error {
			mine := same
			mine.Attempt = i + 2

			return store.Replace(t.Context(), mine)
		}, errs.ErrTaken)
		if won != 1 {
			t.Errorf("%d replacements of one version succeeded, want 1", won)
		}
	})
}

func TestClaimsAndSessionsHaveOneHolder(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *mongo.Database) {
		store := mongostore.NewClaims(db)
		branch := newID()
		claim := func(phase string) phases.Claim {
			return phases.Claim{BranchID: branch, Tenant: "u:ann", Version: 1, PhaseID: phase, Since: noon}
		}
		won := testkit.Race(t, racers, func(i int) error {
			_, err := store.Claim(t.Context(), claim(fmt.Sprint("phase ", i)))
			return err
		}, errs.ErrTaken)
		if won != 1 {
			t.Fatalf("%d claims succeeded, want 1", won)
		}
		held, err := store.Claim(t.Context(), claim("late"))
		if !errors.Is(err, errs.ErrTaken) || held.PhaseID == "" || held.PhaseID == "late" || !held.Since.Equal(noon) {
			t.Errorf("Claim = %+v, %v, want the claim that is there", held, err)
		}
		won = testkit.Race(t, racers, func(i int) error {
			c := claim(fmt.Sprint("heir ", i))
			c.Version = held.Version

			return store.TakeOver(t.Context(), c)
		}, errs.ErrTaken)
		if won != 1 {
			t.Errorf("%d take-overs succeeded, want 1", won)
		}
		if err := store.Release(t.Context(), "u:ann", branch, held.PhaseID); err != nil {
			t.Errorf("Release by who has it no more = %v", err)
		}
		heir, err := store.Claim(t.Context(), claim("late"))
		if !errors.Is(err, errs.ErrTaken) {
			t.Fatalf("a release by somebody else freed the branch: %+v, %v", heir, err)
		}
		if _, err := store.Claim(t.Context(), phases.Claim{BranchID: branch, Tenant: "u:eve", Version: 1, PhaseID: "p"}); err != nil {
			t.Errorf("Claim of the same branch in another tenant = %v", err)
		}
		if err := store.Release(t.Context(), "u:ann", branch, heir.PhaseID); err != nil {
			t.Fatal(err)
		}
		if _, err := store.Claim(t.Context(), claim("late")); err != nil {
			t.Errorf("Claim of a free branch = %v", err)
		}
		users := make(chan string, racers)
		testkit.Race(t, racers, func(i int) error {
			s, err := store.Bind(t.Context(), phases.Session{ID: "s/1", Tenant: "o:firm", UserID: fmt.Sprint("user ", i), Since: noon})
			users <- s.UserID

			return err
		})

		first := <-users
		for range racers - 1 {
			if u := <-users; u != first {
				t.Fatalf("a session belongs to both %q and %q", first, u)
			}
		}
		if s, err := store.Bind(t.Context(), phases.Session{ID: "s/1", Tenant: "o:other", UserID: "eve"}); err != nil || s.UserID != "eve" {
			t.Errorf("Bind in another tenant = %+v, %v", s, err)
		}
		if s, err := store.Session(t.Context(), "o:firm", "s/1"); err != nil || s.UserID != first || s.ID != "s/1" {
			t.Errorf("Session = %+v, %v, want that of %q", s, err, first)
		}
		if _, err := store.Session(t.Context(), "o:firm", "s/2"); !errors.Is(err, phases.ErrNotFound) {
			t.Errorf("Session that nobody used = %v, want %v", err, phases.ErrNotFound)
		}
	})
}

func TestTheTreeGrowsOnce(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *mongo.Database) {
		branches := mongostore.NewBranchStore(db)
		id := newID()
		won := testkit.Race(
			t, racers, func(int) error { return branches.EnsureRoot(t.Context(), "u:ann", "support", id, ann, noon) },
		)
		if won != racers {
			t.Errorf("%d of %d calls succeeded", won, racers)
		}
		root := cases.RootBranchOf(cases.TimelineOf(id))
		b, err := branches.Branch(t.Context(), "u:ann", root)
		if err != nil {
			t.Fatal(err)
		}
		want := phases.Branch{
			ID: root, Tenant: "u:ann", Version: 1, Number: 1, TimelineID: cases.TimelineOf(id), ContainerType: "support", ContainerID: id, Title: "main", Purpose: "main",
			CreatedBy: ann, CreatedAt: noon, UpdatedAt: noon,
		}
		if diff := cmp.Diff(want, b); diff != "" {
			t.Errorf("root branch (-want +got):\n%s", diff)
		}
		won = testkit.Race(t, racers, func(i int) error {
			mine := b
			mine.HeadSequence = i

			return branches.ReplaceBranch(t.Context(), mine)
		}, errs.ErrTaken)
		if won != 1 {
			t.Errorf("%d replacements of one version succeeded, want 1", won)
		}
		if _, err := branches.Branch(t.Context(), "u:eve", root); !errors.Is(err, phases.ErrNotFound) {
			t.Errorf("Branch of another tenant = %v", err)
		}
		box := phases.Container{
			ID: id, Tenant: "u:ann", Type: "support", Version: 1, Title: "Support request", Status: "open", TimelineID: b.TimelineID, ActiveBranchID: root,
			CreatedBy: ann, CreatedAt: noon, UpdatedAt: noon,
		}
		insert := func(int) error { return branches.InsertContainer(t.Context(), box) }
		if won := testkit.Race(t, racers, insert, errs.ErrTaken); won != 1 {
			t.Errorf("%d inserts of one container succeeded, want 1", won)
		}
		got, err := branches.Container(t.Context(), "u:ann", id)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(box, got); diff != "" {
			t.Errorf("container (-want +got):\n%s", diff)
		}
		if _, err := branches.Container(t.Context(), "u:eve", id); !errors.Is(err, phases.ErrNotFound) {
			t.Errorf("Container of another tenant = %v", err)
		}
	})
}
