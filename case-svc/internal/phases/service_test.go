package phases_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/case-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/tasks"
	"github.com/subrosa-legal/subrosa/case-svc/internal/timeline"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/inputgate"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
	"github.com/subrosa-legal/subrosa/pkg/validate"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

var (
	noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	ann  = audit.Actor{Kind: audit.User, ID: "ann", UserID: "ann"}
	bob  = audit.Actor{Kind: audit.User, ID: "bob", UserID: "bob"}
)

const firm = "o:firm"

// journal keeps entries in memory.
type journal struct {
	mu    sync.Mutex
	deeds []audit.Entry
}

func (j *journal) Record(_ context.Context, d audit.Entry) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.deeds = append(j.deeds, d)

	return nil
}

// RecordWith is Record between other writes: what comes after is done when the entry is on record.
func (j *journal) RecordWith(ctx context.Context, d audit.Entry, before, after []mongox.Write) ([]error, error) {
	results, err := mongox.Together(ctx, before...)
	if err != nil {
		return nil, err
	}
	left := slices.Repeat([]error{mongox.ErrNotReached}, 1+len(after))
	if errors.Join(results...) != nil {
		return append(results, left...), nil
	}
	if err := j.Record(ctx, d); err != nil {
		left[0] = err
		return append(results, left...), nil
	}
	rest, err := mongox.Together(ctx, after...)

	return append(append(results, nil), rest...), err
}

func (j *journal) count(action, outcome string) int {
	j.mu.Lock()
	defer j.mu.Unlock()
	n := 0

	for _, d := range j.deeds {
		if d.Action == action && d.Outcome == outcome {
			n++
		}
	}

	return n
}

// desk is a ledger over real stores with a clock in our hands.
type desk struct {
	*phases.Service
	journal *journal
	cases   *mongostore.Cases
	db      *mongo.Database
	mu      sync.Mutex
	now     time.Time
}

func (d *desk) advance(by time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.now = d.now.Add(by)
}

func indexed(t *testing.T, db *mongo.Database) {
	t.Helper()
	stores.Index(t, db, mongostore.Schema())
}

func newDesk(t *testing.T, db *mongo.Database) *desk {
	t.Helper()
	indexed(t, db)
	d := &desk{journal: &journal{}, cases: mongostore.NewCases(db), db: db, now: noon}
	clock := func() time.Time {
		d.mu.Lock()
		defer d.mu.Unlock()

		return d.now
	}
	service := &cases.Service{Store: d.cases, Contents: mongostore.NewContents(db, mongostore.NewBlobs(db, time.Minute)), Now: clock}
	d.Service = &phases.Service{
		Records: mongostore.NewRecords(db), Branches: mongostore.NewBranchStore(db), Claims: mongostore.NewClaims(db),
		Cases: d.cases, Files: mongostore.NewFileStore(db),
		MostInLine: 8, Recount: service.Recount, Journal: d.journal, Gate: guard.New(), Links: "https://subrosa.test",
		Now: clock, Recent: phases.NewRecent(),
	}
	d.Joint = mongostore.NewJoint(db, d.journal, timeline.EndOf)
	d.Tasks = &tasks.Service{
		Store: mongostore.NewTasks(db), Journal: d.journal, Gate: d.Gate, Links: d.Links, Now: clock,
	}

	return d
}

// newCase stores a case, without its timeline and branch: the ledger makes what is missing.
func (d *desk) newCase(t *testing.T, change func(*cases.Case)) cases.Case {
	t.Helper()
	c, err := cases.New(firm, uuid.NewString(), ann, cases.Draft{}, noon)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(&c)
	}
	if err := d.cases.Create(t.Context(), c); err != nil {
		t.Fatal(err)
	}

	return c
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// unreachable keeps cases that can be read and not written.
type unreachable struct{ *mongostore.Cases }

func (unreachable) Swap(context.Context, cases.Case, cases.Case) (cases.Case, error) {
	return cases.Case{}, errs.ErrUnavailable
}

func (unreachable) Update(context.Context, string, string, func(*cases.Case) error) (cases.Case, error) {
	return cases.Case{}, errs.ErrUnavailable
}

// A phase whose case could not be reached when it began has ended without an event; what it ends with must have numbers all the same, or
// whoever asks for its stream would be told nothing, however often.
func TestAPhaseThatCouldNotBeginEndsSoThatItsReadersLearnOfIt(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		d := newDesk(t, db)
		c := d.newCase(t, nil)
		b := request(c)
		d.Cases, d.Joint = unreachable{d.cases}, nil
		if _, err := d.Begin(t.Context(), firm, ann, b); !errors.Is(err, errs.ErrUnavailable) {
			t.Fatalf("Begin = %v, want %v", err, errs.ErrUnavailable)
		}
		p, err := d.Records.Get(t.Context(), firm, b.PhaseID)
		if want := (phases.StreamMarks{ResponseSeq: 1, EndSeq: 2}); err != nil || p.Status != phases.Failed || p.Stream != want {
			t.Errorf("the phase is %s with %+v, %v, want %s with %+v", p.Status, p.Stream, err, phases.Failed, want)
		}
		now, err := d.cases.Get(t.Context(), firm, c.ID)
		if err != nil || now.Counts.Phases != 1 {
			t.Errorf("the case counts %d phases, %v, want the one that did not run", now.Counts.Phases, err)
		}
	})
}

func request(c cases.Case) phases.Begin {
	return phases.Begin{
		PhaseID: uuid.NewString(), SessionID: "session", ContainerType: phases.CaseContainer, ContainerID: c.ID, RequestType: phases.CaseReq, Prompt: "What is due?",
		Fingerprint: digest("request"), Engine: phases.Engine{Mode: "deterministic", RulesVersion: "2026.1"},
	}
}

func completed(attempt int) phases.Outcome {
	response := []byte(`{"kind":"answer","text":"Nothing."}`)

	return phases.Outcome{
		Attempt: attempt, Status: phases.Completed, Response: response, ResponseSHA256: digest(string(response)), NeedsReview: true,
		Engine: phases.Engine{Mode: "deterministic", RulesVersion: "2026.1"}, Stream: phases.StreamMarks{PhaseStartSeq: 2, ResponseSeq: 5, EndSeq: 6},
	}
}

func failed(attempt int) phases.Outcome {
	return phases.Outcome{
		Attempt: attempt, Status: phases.Failed, Failure: &phases.Failure{Code: "internal", Message: "It broke.", Retryable: true},
		Engine: phases.Engine{Mode: "deterministic", RulesVersion: "2026.1"},
	}
}

func (d *desk) begin(t *testing.T, by audit.Actor, b phases.Begin) phases.Begun {
	t.Helper()
	begun, err := d.Begin(t.Context(), firm, by, b)
	if err != nil {
		t.Fatalf("Begin: %v", err)
	}

	return begun
}

func (d *desk) end(t *testing.T, id string, o phases.Outcome) phases.Phase {
	t.Helper()
	p, err := d.End(t.Context(), firm, ann, id, o)
	if err != nil {
		t.Fatalf("End: %v", err)
	}

	return p
}

func TestPhasesFollowOneAnotherInAChain(t *testing.T) {
	t.Parallel()
	d := newDesk(t, stores.Mongo(t))
	c := d.newCase(t, nil)
	prev, parent := phases.GenesisHash, ""

	for n := 1; n <= 3; n++ {
		b := request(c)
		b.ParentID = parent
		begun := d.begin(t, ann, b)
		p := begun.Phase
		if !begun.Run || p.Sequence != n || p.ParentID != parent || p.PrevHash != prev || p.BranchID != c.ActiveBranchID {
			t.Fatalf("phase %d begun as %+v, run %t", n, p, begun.Run)
		}
		o := completed(1)
		if n == 2 {
			o = failed(1)
		}
		p = d.end(t, b.PhaseID, o)
		if p.Hash != p.ChainHash() || p.Hash == "" {
			t.Errorf("hash of phase %d = %q, want %q", n, p.Hash, p.ChainHash())
		}
		if again := d.end(t, b.PhaseID, o); again.Hash != p.Hash || !again.EndedAt.Equal(p.EndedAt) {
			t.Errorf("ending phase %d again changed it", n)
		}
		d.advance(time.Second)
		prev, parent = p.Hash, p.ID
	}
	b, err := d.Branches.Branch(t.Context(), firm, c.ActiveBranchID)
	if err != nil || b.HeadPhaseID != parent || b.HeadSequence != 3 || b.HeadHash != prev {
		t.Errorf("branch = %+v, %v", b, err)
	}
	counted, err := d.cases.Get(t.Context(), firm, c.ID)
	if err != nil || counted.Counts.Phases != 3 || counted.Counts.PendingReviews != 2 {
		t.Errorf("counts = %+v, %v, want 3 phases of which 2 wait", counted.Counts, err)
	}
}

func TestTheChainHashCoversEachField(t *testing.T) {
	t.Parallel()
	p := phases.Phase{
		ID: "p", BranchID: "b", Sequence: 1, Attempt: 1, RequestType: "case_req", Status: "completed", RequestSHA256: "r", ResponseSHA256: "s", PrevHash: "h",
		CreatedBy: ann, DirectedBy: phases.DirectedBy{UserID: "ann", Capacity: "client"}, Engine: phases.Engine{Mode: "deterministic", RulesVersion: "1"},
		CreatedAt: noon, EndedAt: noon,
	}
	const want = "f6a8e4bf659bd4f78b04e61cc8fcd2d1820d66c003ef95efe24303ef9b0b36fa"
	if got := p.ChainHash(); got != want {
		t.Errorf("hash = %s, want %s: chains that were written cannot be checked any more", got, want)
	}

	for name, change := range map[string]func(*phases.Phase){
		"id": func(p *phases.Phase) { p.ID = "q" }, "branch": func(p *phases.Phase) { p.BranchID = "c" }, "number": func(p *phases.Phase) { p.Sequence = 2 },
		"attempt": func(p *phases.Phase) { p.Attempt = 2 }, "type": func(p *phases.Phase) { p.RequestType = "eval_req" }, "status": func(p *phases.Phase) { p.Status = "refused" },
		"request": func(p *phases.Phase) { p.RequestSHA256 = "t" }, "response": func(p *phases.Phase) { p.ResponseSHA256 = "t" }, "before": func(p *phases.Phase) { p.PrevHash = "i" },
		"actor": func(p *phases.Phase) { p.CreatedBy = bob }, "director": func(p *phases.Phase) { p.DirectedBy.UserID = "bob" }, "capacity": func(p *phases.Phase) { p.DirectedBy.Capacity = "staff" },
		"mode": func(p *phases.Phase) { p.Engine.Mode = "model" }, "rules": func(p *phases.Phase) { p.Engine.RulesVersion = "2" },
		"begin": func(p *phases.Phase) { p.CreatedAt = noon.Add(time.Millisecond) }, "end": func(p *phases.Phase) { p.EndedAt = noon.Add(time.Millisecond) },
		"moved byte": func(p *phases.Phase) { p.RequestSHA256, p.ResponseSHA256 = "rs", "" },
	} {
		other := p
		change(&other)
		if other.ChainHash() == p.ChainHash() {
			t.Errorf("%s: the hash does not see it", name)
		}
	}
}

func TestOneOfManyRunsThePhase(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		d := newDesk(t, db)
		c := d.newCase(t, nil)
		same := request(c)
		runs := func(do func(i int) (phases.Begun, error), lost error) (ran int) {
			t.Helper()
			var mu sync.Mutex

			var all sync.WaitGroup
			for i := range 12 {
				all.Go(func() {
					begun, err := do(i)
					mu.Lock()
					defer mu.Unlock()

					switch {
					case err != nil && (lost == nil || !errors.Is(err, lost)):
						t.Errorf("Begin = %v", err)
					case err == nil && begun.Run:
						ran++
					}
				})
			}
			all.Wait()

			return ran
		}
		begin := func(int) (phases.Begun, error) { return d.Begin(t.Context(), firm, ann, same) }
		if n := runs(begin, nil); n != 1 {
			t.Errorf("%d of the same request run, want 1", n)
		}
		if _, _, err := d.Interrupt(t.Context(), firm, ann, same.PhaseID, 1); err != nil {
			t.Fatal(err)
		}
		d.advance(time.Second)
		if n := runs(begin, nil); n != 1 {
			t.Errorf("%d take the interrupted phase up, want 1", n)
		}
		p, err := d.Records.Get(t.Context(), firm, same.PhaseID)
		if err != nil || p.Attempt != 2 || p.Status != phases.Running {
			t.Errorf("phase = attempt %d %s, %v", p.Attempt, p.Status, err)
		}
		d.end(t, same.PhaseID, completed(2))
		// Different phases compete for one branch.
		if n := runs(func(int) (phases.Begun, error) { return d.Begin(t.Context(), firm, ann, request(c)) }, phases.ErrBranchBusy); n != 1 {
			t.Errorf("%d phases run on one branch, want 1", n)
		}
	})
}

func TestWhatABeginIsRefusedFor(t *testing.T) {
	t.Parallel()
	d := newDesk(t, stores.Mongo(t))
	c := d.newCase(t, nil)
	closed := d.newCase(t, func(c *cases.Case) { c.Status = cases.Closed })
	unsupervised := d.newCase(t, func(c *cases.Case) { c.Supervision.ResponsibleUserID = "" })
	other := d.newCase(t, nil)
	archived := d.newCase(t, nil)
	running := request(d.newCase(t, nil))
	d.begin(t, ann, running)
	d.begin(t, bob, func() phases.Begin { b := request(d.newCase(t, nil)); b.SessionID = "bob's"; return b }())
	if err := d.Branches.EnsureRoot(t.Context(), firm, "case", archived.ID, ann, noon); err != nil {
		t.Fatal(err)
	}
	b, err := d.Branches.Branch(t.Context(), firm, archived.ActiveBranchID)
	if err != nil {
		t.Fatal(err)
	}
	b.Archived = true
	if err := d.Branches.ReplaceBranch(t.Context(), b); err != nil {
		t.Fatal(err)
	}
	if err := d.Branches.EnsureRoot(t.Context(), firm, "case", other.ID, ann, noon); err != nil {
		t.Fatal(err)
	}
	mine := files.File{ID: uuid.NewString(), CaseID: other.ID, Tenant: firm, Version: 1, SHA256: "aa", Status: files.Active, UploadedBy: ann, CreatedAt: noon}
	if err := mongostore.NewFileStore(d.db).Insert(t.Context(), mine); err != nil {
		t.Fatal(err)
	}

	for _, tc := range []struct {
		name   string
		in     cases.Case
		change func(*phases.Begin)
		want   error
	}{
		{"no phase id", c, func(b *phases.Begin) { b.PhaseID = "P1" }, validate.ErrInvalid},
		{"no container id", c, func(b *phases.Begin) { b.ContainerID = "" }, validate.ErrInvalid},
		{"branch id of no form", c, func(b *phases.Begin) { b.BranchID = "main" }, validate.ErrInvalid},
		{"parent id of no form", c, func(b *phases.Begin) { b.ParentID = "x" }, validate.ErrInvalid},
		{"unknown container type", c, func(b *phases.Begin) { b.ContainerType = "matter" }, validate.ErrInvalid},
		{"unknown request type", c, func(b *phases.Begin) { b.RequestType = "file_req" }, validate.ErrInvalid},
		{"request type of another container", c, func(b *phases.Begin) { b.RequestType = phases.SalesReq }, api.ErrRequestType},
		{"no session", c, func(b *phases.Begin) { b.SessionID = " " }, validate.ErrInvalid},
		{"session too long", c, func(b *phases.Begin) { b.SessionID = strings.Repeat("s", 129) }, validate.ErrInvalid},
		{"session with an identity", c, func(b *phases.Begin) { b.SessionID = "ann@example.com" }, guard.ErrRefused},
		{"no prompt", c, func(b *phases.Begin) { b.Prompt = "" }, validate.ErrInvalid},
		{"prompt too long", c, func(b *phases.Begin) { b.Prompt = strings.Repeat("x", 32001) }, api.ErrPromptTooLong},
		{"prompt with an identity", c, func(b *phases.Begin) { b.Prompt = "Write to ann@example.com" }, guard.ErrRefused},
		{"fingerprint of no form", c, func(b *phases.Begin) { b.Fingerprint = "ff" }, validate.ErrInvalid},
		{"engine of no mode", c, func(b *phases.Begin) { b.Engine.Mode = "guess" }, validate.ErrInvalid},
		{"too many files", c, func(b *phases.Begin) {
			for range 51 {
				b.FileIDs = append(b.FileIDs, uuid.NewString())
			}
		}, validate.ErrInvalid},
		{"file of another case", c, func(b *phases.Begin) { b.FileIDs = []string{mine.ID} }, phases.ErrNotFound},
		{"no such case", c, func(b *phases.Begin) { b.ContainerID = uuid.NewString() }, phases.ErrNotFound},
		{"no such branch", c, func(b *phases.Begin) { b.BranchID = uuid.NewString() }, phases.ErrNotFound},
		{"branch of another case", c, func(b *phases.Begin) { b.BranchID = other.ActiveBranchID }, phases.ErrNotFound},
		{"archived branch", archived, func(*phases.Begin) {}, phases.ErrBranchArchived},
		{"closed case", closed, func(*phases.Begin) {}, cases.ErrOver},
		{"case without a responsible person", unsupervised, func(*phases.Begin) {}, phases.ErrSupervisor},
		{"parent that is not the head", c, func(b *phases.Begin) { b.ParentID = uuid.NewString() }, phases.ErrConflict},
		{"session of another user", c, func(b *phases.Begin) { b.SessionID = "bob's" }, phases.ErrSession},
		{"known phase, other request", c, func(b *phases.Begin) { b.PhaseID = running.PhaseID; b.Fingerprint = digest("other") }, phases.ErrConflict},
		{"known phase, other case", c, func(b *phases.Begin) { b.PhaseID = running.PhaseID }, phases.ErrConflict},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := request(tc.in)
			tc.change(&b)
			if begun, err := d.Begin(t.Context(), firm, ann, b); !errors.Is(err, tc.want) {
				t.Errorf("Begin = %+v, %v, want %v", begun, err, tc.want)
			}
		})
	}
	t.Run("and none of them holds the branch", func(t *testing.T) {
		if begun := d.begin(t, ann, request(c)); !begun.Run || begun.Phase.Sequence != 1 {
			t.Errorf("begun = %+v", begun)
		}
	})
	t.Run("an evaluation needs no responsible person", func(t *testing.T) {
		b := request(unsupervised)
		b.RequestType = phases.EvalReq
		if !d.begin(t, ann, b).Run {
			t.Error("it does not run")
		}
	})
	t.Run("a busy branch names what runs", func(t *testing.T) {
		b := request(c)
		b.ContainerID = running.ContainerID
		_, err := d.Begin(t.Context(), firm, ann, b)
		e := errs.From(err)
		if !errors.Is(err, phases.ErrBranchBusy) || len(e.Details) != 1 || e.Details[0].RunningPhaseID != running.PhaseID {
			t.Errorf("Begin = %v with %+v", err, e.Details)
		}
	})
	t.Run("another tenant finds nothing", func(t *testing.T) {
		if _, err := d.Begin(t.Context(), "o:other", ann, request(c)); !errors.Is(err, phases.ErrNotFound) {
			t.Errorf("Begin = %v", err)
		}
	})
}

func TestSupportContainersAreMadeByFirstUse(t *testing.T) {
	t.Parallel()
	d := newDesk(t, stores.Mongo(t))
	b := request(cases.Case{ID: uuid.NewString()})
	b.ContainerType, b.RequestType = phases.SupportContainer, phases.SupportReq
	if _, err := d.Container(t.Context(), firm, phases.SupportContainer, b.ContainerID); !errors.Is(err, phases.ErrNotFound) {
		t.Errorf("Container before its first use = %v", err)
	}
	begun := d.begin(t, ann, b)
	if !begun.Run || begun.Container.Title != "Support request" || begun.Phase.BranchID != begun.Container.ActiveBranchID || begun.Phase.DirectedBy.Capacity != "none" {
		t.Errorf("begun = %+v", begun)
	}
	if _, err := d.Container(t.Context(), firm, phases.SalesContainer, b.ContainerID); !errors.Is(err, phases.ErrNotFound) {
		t.Errorf("Container under another type = %v", err)
	}
	b.PhaseID, b.ContainerType, b.RequestType = uuid.NewString(), phases.SalesContainer, phases.SalesReq
	if _, err := d.Begin(t.Context(), firm, ann, b); !errors.Is(err, phases.ErrNotFound) {
		t.Errorf("Begin under another type = %v", err)
	}
}

func TestInWhatCapacityAUserDirects(t *testing.T) {
	t.Parallel()
	d := newDesk(t, stores.Mongo(t))

	c := d.newCase(t, nil)
	for _, tc := range []struct {
		by   audit.Actor
		want string
	}{{ann, "supervising_professional"}, {bob, "staff"}} {
		b := request(c)
		b.SessionID = tc.by.ID
		begun := d.begin(t, tc.by, b)
		if got := begun.Phase.DirectedBy; got.Capacity != tc.want || got.UserID != tc.by.UserID {
			t.Errorf("directed by %+v, want %s", got, tc.want)
		}
		d.end(t, b.PhaseID, completed(1))
	}
}

func TestWhatAnEndIsRefusedFor(t *testing.T) {
	t.Parallel()
	d := newDesk(t, stores.Mongo(t))
	b := request(d.newCase(t, nil))
	d.begin(t, ann, b)

	for _, tc := range []struct {
		name   string
		change func(*phases.Outcome)
		want   error
	}{
		{"unknown status", func(o *phases.Outcome) { o.Status = "running" }, validate.ErrInvalid},
		{"answered without an answer", func(o *phases.Outcome) { o.Response = nil }, validate.ErrInvalid},
		{"answer without a hash", func(o *phases.Outcome) { o.ResponseSHA256 = "x" }, validate.ErrInvalid},
		{"answered and failed", func(o *phases.Outcome) { o.Failure = &phases.Failure{Code: "x", Message: "y"} }, validate.ErrInvalid},
		{"failed without a reason", func(o *phases.Outcome) { *o = failed(1); o.Failure = nil }, validate.ErrInvalid},
		{"failed with an answer", func(o *phases.Outcome) { r := o.Response; *o = failed(1); o.Response = r }, validate.ErrInvalid},
		{"no attempt", func(o *phases.Outcome) { o.Attempt = 0 }, validate.ErrInvalid},
		{"another attempt", func(o *phases.Outcome) { o.Attempt = 2 }, phases.ErrTransition},
		{"too many tools", func(o *phases.Outcome) { o.ToolCalls = make([]phases.ToolCall, 201) }, validate.ErrInvalid},
		{"an identity in the answer", func(o *phases.Outcome) {
			o.Words = []inputgate.Text{{Channel: guard.Event, Path: "response.text", Value: "Write to ann@example.com"}}
		}, guard.ErrRefused},
		{"an identity in the reason", func(o *phases.Outcome) { *o = failed(1); o.Failure.Message = "ann@example.com" }, guard.ErrRefused},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o := completed(1)
			tc.change(&o)
			if _, err := d.End(t.Context(), firm, ann, b.PhaseID, o); !errors.Is(err, tc.want) {
				t.Errorf("End = %v, want %v", err, tc.want)
			}
		})
	}
	if _, err := d.End(t.Context(), "o:other", ann, b.PhaseID, completed(1)); !errors.Is(err, phases.ErrNotFound) {
		t.Errorf("End by another tenant = %v", err)
	}
	d.end(t, b.PhaseID, completed(1))
	if _, err := d.End(t.Context(), firm, ann, b.PhaseID, failed(1)); !errors.Is(err, phases.ErrTransition) {
		t.Errorf("End with another outcome = %v", err)
	}
	if p, _, err := d.Interrupt(t.Context(), firm, ann, b.PhaseID, 1); err != nil || p.Status != phases.Completed {
		t.Errorf("Interrupt of an ended phase = %s, %v", p.Status, err)
	}
	if n := d.journal.count("phase.end", audit.Done); n != 1 {
		t.Errorf("the end is on record %d times, want once", n)
	}
}

func TestAnInterruptedPhaseThatNobodyTakesUpCanFail(t *testing.T) {
	t.Parallel()
	d := newDesk(t, stores.Mongo(t))
	c := d.newCase(t, nil)
	b := request(c)
	d.begin(t, ann, b)
	if p, _, err := d.Interrupt(t.Context(), firm, ann, b.PhaseID, 2); err != nil || p.Status != phases.Running {
		t.Errorf("Interrupt of another attempt = %s, %v", p.Status, err)
	}
	d.advance(time.Minute)
	p, did, err := d.Interrupt(t.Context(), firm, ann, b.PhaseID, 1)
	if err != nil || p.Status != phases.Interrupted || !p.Since.Equal(noon.Add(time.Minute)) || !did {
		t.Fatalf("Interrupt = %+v, %v, %v", p, did, err)
	}
	if p, did, err := d.Interrupt(t.Context(), firm, ann, b.PhaseID, 1); did || p.Status != phases.Interrupted {
		t.Errorf("Interrupt by the next who looks = %s, %v, %v", p.Status, did, err)
	}
	if _, err := d.Begin(t.Context(), firm, ann, request(c)); !errors.Is(err, phases.ErrBranchBusy) {
		t.Errorf("another phase meanwhile = %v, want branch busy", err)
	}
	d.end(t, b.PhaseID, failed(1))
	if !d.begin(t, ann, request(c)).Run {
		t.Error("the branch is not free")
	}
}

func TestAClaimWithoutAPhaseIsTakenOverAfterItsLease(t *testing.T) {
	t.Parallel()
	d := newDesk(t, stores.Mongo(t))
	c := d.newCase(t, nil)
	ghost := uuid.NewString()
	_, err := d.Claims.Claim(t.Context(), phases.Claim{BranchID: c.ActiveBranchID, Tenant: firm, Version: 1, PhaseID: ghost, Since: noon})
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.Begin(t.Context(), firm, ann, request(c))
	if e := errs.From(err); !errors.Is(err, phases.ErrBranchBusy) || e.Details[0].RunningPhaseID != ghost {
		t.Errorf("Begin within the lease = %v", err)
	}
	d.advance(phases.ClaimLease)
	late := request(c)
	if !d.begin(t, ann, late).Run {
		t.Fatal("the claim is not taken over")
	}
	// The ghost wakes up and stores its phase under the number that the other has by now.
	p, err := d.Records.Get(t.Context(), firm, late.PhaseID)
	if err != nil {
		t.Fatal(err)
	}
	p.ID = ghost
	if err := d.Records.Insert(t.Context(), p); !errors.Is(err, phases.ErrSequence) {
		t.Errorf("the ghost's insert = %v, want that the number is taken", err)
	}
}
