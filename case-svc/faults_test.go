package casesvc_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	casesvc "github.com/subrosa-legal/subrosa/case-svc"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/audit/chain"
	"github.com/subrosa-legal/subrosa/pkg/launch"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/servicetest"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.uber.org/goleak"
)

func TestMongoDBAwayAtStart(t *testing.T) {
	t.Parallel()
	link := stores.Cut(t, stores.MongoURI(t))
	link.Break()
	w := startUnready(t, link.URL(), nil)
	w.Within = 500 * time.Millisecond
	if err := w.ready(); err == nil {
		t.Error("it says that it is ready")
	}

	ann := user("u:ann", "ann")
	for _, a := range []answer{w.get(ann, "/v1/cases"), w.json(ann, http.MethodPost, "/v1/cases", nil)} {
		if refused(t, a, 503, "unavailable"); a.Header.Get("Retry-After") == "" {
			t.Error("no Retry-After")
		}
	}
	refused(t, w.do(call{Method: http.MethodGet, Path: "/v1/cases"}), 401, "internal_token_refused")
	link.Mend()
	testkit.Until(t, testkit.Patience, w.ready)
	w.Within = 0
	w.newCase(ann, nil)
}

func TestEveryRouteSaysWhenMongoDBIsAway(t *testing.T) {
	t.Parallel()
	link := stores.Cut(t, stores.MongoURI(t))
	spool := filepath.Join(t.TempDir(), "spool")
	w := startUnready(t, link.URL(), map[string]string{"CASE_SPOOL_DIR": spool})
	testkit.Until(t, testkit.Patience, w.ready)
	ann, robot := user("u:ann", "ann"), agent("u:ann", "ann")
	c := w.newCase(ann, nil)
	f := into[uploaded](t, w.upload(ann, c.CaseID, nil, textFile("a.txt", complaint)), 201).Items[0]
	in := beginning(c, api.CaseReq)
	if _, err := w.as(robot).BeginPhase(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	one := "/v1/cases/" + c.CaseID
	file := one + "/files/" + f.FileID
	link.Break()
	w.Within = 500 * time.Millisecond
	key := map[string]string{"Idempotency-Key": "k"}

	var asking sync.WaitGroup
	for name, ask := range map[string]func() answer{
		"create":            func() answer { return w.json(ann, http.MethodPost, "/v1/cases", nil) },
		"create with a key": func() answer { return w.json(ann, http.MethodPost, "/v1/cases", nil, "Idempotency-Key", "k") },
		"list":              func() answer { return w.get(ann, "/v1/cases") },
		"get":               func() answer { return w.get(ann, one) },
		"delete":            func() answer { return w.json(ann, http.MethodDelete, one, nil) },
		"upload":            func() answer { return w.upload(ann, c.CaseID, nil, textFile("b.txt", "Another text.")) },
		"upload with a key": func() answer { return w.upload(ann, c.CaseID, key, textFile("b.txt", "Another text.")) },
		"files":             func() answer { return w.get(ann, one+"/files") },
		"search in files":   func() answer { return w.get(ann, one+"/files?q=lease") },
		"file":              func() answer { return w.get(ann, file) },
		"text":              func() answer { return w.get(robot, file+"/text") },
		"content":           func() answer { return w.get(robot, file+"/content") },
		"begin":             func() answer { return w.json(robot, http.MethodPost, "/internal/phases", beginning(c, api.CaseReq)) },
		"phase":             func() answer { return w.get(robot, "/internal/phases/"+in.PhaseID) },
		"end": func() answer {
			return w.json(robot, http.MethodPost, "/internal/phases/"+in.PhaseID+"/end", answered(t, 1))
		},
		"interrupt": func() answer {
			return w.json(robot, http.MethodPost, "/internal/phases/"+in.PhaseID+"/interrupt", api.InterruptPhase{Attempt: 1})
		},
		"open phases": func() answer { return w.get(access.Caller{Kind: access.Service}, "/internal/open-phases") },
		"container":   func() answer { return w.get(robot, "/internal/containers/case/"+c.CaseID) },
		"search": func() answer {
			return w.json(robot, http.MethodPost, "/internal/cases/"+c.CaseID+"/search", api.SearchCase{Query: "lease", Limit: 5})
		},
		"evaluation": func() answer {
			return w.json(robot, http.MethodPut, "/internal/cases/"+c.CaseID+"/evaluation", api.RecordEvaluation{
				PhaseID: in.PhaseID, Attempt: 1,
			})
		},
		"refusal": func() answer {
			return w.json(robot, http.MethodPost, "/internal/refusals", api.RecordRefusal{Action: "x", ResourceType: "phase"})
		},
		"a refusal that cannot be recorded": func() answer { return w.get(agent("u:ann", "ann", "none"), "/v1/cases") },
	} {
		asking.Go(func() {
			if a := ask(); a.Status != 503 || a.Header.Get("Retry-After") == "" {
				t.Errorf("%s: status %d: %s", name, a.Status, a.Body)
			}
		})
	}
	asking.Wait()
	empty(t, spool)
	link.Mend()
	w.Within = 0
	testkit.Until(t, testkit.Patience, w.ready)
	testkit.Until(t, testkit.Patience, func() error {
		if a := w.get(ann, one); a.Status != 200 {
			return fmt.Errorf("status %d", a.Status)
		}

		return nil
	})
	if page := into[api.Page[api.CaseRow]](t, w.get(ann, "/v1/cases"), 200); len(page.Items) != 1 {
		t.Errorf("%d cases, want the one that was acknowledged", len(page.Items))
	}
	if page := into[api.Page[api.File]](t, w.get(ann, one+"/files"), 200); len(page.Items) != 1 {
		t.Errorf("%d files, want the one that was acknowledged", len(page.Items))
	}
	if p, err := w.as(robot).Phase(t.Context(), in.PhaseID); err != nil || p.Status != api.PhaseRunning || p.Attempt != 1 {
		t.Errorf("phase = %s, attempt %d, %v", p.Status, p.Attempt, err)
	}
}

// MongoDB goes away at ever other moments of a case's making; asking again with the same key always leads to one whole case.
func TestMongoDBCutInTheMiddleLeavesNothingHalf(t *testing.T) {
	t.Parallel()
	link := stores.Cut(t, stores.MongoURI(t))
	w := startUnready(t, link.URL(), map[string]string{"MONGODB_TIMEOUT": "500ms"})
	sound := w.beside()
	testkit.Until(t, testkit.Patience, w.ready)
	ann, robot := user("u:ann", "ann"), agent("u:ann", "ann")
	const rounds = 10
	began := time.Now()
	sound.newCase(ann, nil)
	step, cut := time.Since(began)/(rounds-2), 0

	for round := range rounds {
		ref := fmt.Sprint("round ", round)
		create := call{Method: http.MethodPost, Path: "/v1/cases", Caller: ann, Header: map[string]string{"Idempotency-Key": fmt.Sprint("round-", round), "Content-Type": "application/json"}, Body: []byte(`{"externalRef":"` + ref + `"}`)}
		mend := link.BreakAfter(time.Duration(round) * step)
		a := w.do(create)
		if a.Status != 201 {
			cut++
			if a.Status != 503 {
				t.Fatalf("round %d: status %d: %s", round, a.Status, a.Body)
			}
		}
		acknowledged := a.Status == 201
		mend()
		var c api.Case
		testkit.Until(t, testkit.Patience, func() error {
			w.clock.Advance(20 * time.Second) // past the lease of what was cut off
			a, err := w.try(create)
			if err != nil || a.Status != 201 {
				return fmt.Errorf("status %d: %s %w", a.Status, a.Body, err)
			}

			return json.Unmarshal(a.Body, &c)
		})
		page := into[api.Page[api.CaseRow]](t, sound.get(ann, "/v1/cases?externalRef="+fmt.Sprint("round+", round)), 200)
		if len(page.Items) != 1 || page.Items[0].CaseID != c.CaseID {
			t.Fatalf("round %d, acknowledged %t: %d cases", round, acknowledged, len(page.Items))
		}
		if begun, err := sound.as(robot).BeginPhase(t.Context(), beginning(c, api.CaseReq)); err != nil || !begun.Run {
			t.Fatalf("round %d: the case cannot be worked on: %v", round, err)
		}
	}
	t.Logf("%d of %d rounds were cut", cut, rounds)
	if cut == 0 {
		t.Error("no round was cut")
	}
	record := chain.New(w.database().Collection(chain.Collection), w.clock.Now)
	if _, _, err := record.Verify(t.Context(), "u:ann"); err != nil {
		t.Errorf("the record is broken: %v", err)
	}
}

// An upload of several files is whole or not there, whenever MongoDB goes away.
func TestAnUploadCutInTheMiddleIsWholeOrNotThere(t *testing.T) {
	t.Parallel()
	link := stores.Cut(t, stores.MongoURI(t))
	w := startUnready(t, link.URL(), map[string]string{"MONGODB_TIMEOUT": "500ms", "CASE_SWEEP_EVERY": "100ms"})
	sound := w.beside()
	testkit.Until(t, testkit.Patience, w.ready)

	ann := user("u:ann", "ann")
	three := []part{textFile("a.txt", "A text of [Party 1]."), textFile("b.txt", "A text of [Party 2]."), textFile("c.txt", "A text of [Party 3].")}
	const rounds = 8
	first := sound.newCase(ann, nil)
	began := time.Now()
	into[uploaded](t, sound.upload(ann, first.CaseID, nil, three...), 201)
	step, cut := time.Since(began)/(rounds-2), 0

	for round := range rounds {
		c := sound.newCase(ann, nil)
		mend := link.BreakAfter(time.Duration(round) * step)
		a := w.upload(ann, c.CaseID, nil, three...)
		if a.Status == 503 {
			cut++
		}
		if a.Status != 201 && a.Status != 503 {
			t.Fatalf("round %d: status %d: %s", round, a.Status, a.Body)
		}
		mend()
		w.clock.Advance(2 * time.Minute) // decided plans are carried out by the sweep
		testkit.Until(t, testkit.Patience, func() error {
			list := sound.get(ann, "/v1/cases/"+c.CaseID+"/files?includeTotal=true")
			if list.Status != 200 {
				return fmt.Errorf("status %d", list.Status)
			}
			n := *into[api.Page[api.File]](t, list, 200).Total
			if n != 3 && (n != 0 || a.Status == 201) {
				return fmt.Errorf("%d of 3 files after status %d", n, a.Status)
			}

			return nil
		})
	}
	if cut == 0 {
		t.Error("no round was cut")
	}
	w.clock.Advance(25 * time.Hour)
	db := w.database()
	testkit.Until(t, testkit.Patience, func() error {
		counts := map[string]int64{}

		for _, name := range []string{"files", "fs.files", "fs.chunks", "texts", "uploads"} {
			n, err := db.Collection(name).CountDocuments(t.Context(), bson.D{})
			if err != nil {
				return err
			}
			counts[name] = n
		}
		if counts["uploads"] != 0 || counts["fs.files"] != counts["files"] || counts["fs.chunks"] != counts["files"] || counts["texts"] != counts["files"] {
			return fmt.Errorf("left over: %v", counts)
		}

		return nil
	})
}

func TestAStalledMongoDBIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	link := stores.Cut(t, stores.MongoURI(t))
	w := startUnready(t, link.URL(), map[string]string{"MONGODB_TIMEOUT": "300ms"})
	testkit.Until(t, testkit.Patience, w.ready)
	ann := user("u:ann", "ann")
	link.Stall()
	refused(t, w.get(ann, "/v1/cases"), 503, "unavailable")
	refused(t, w.json(ann, http.MethodPost, "/v1/cases", nil), 503, "unavailable")
	link.Mend()
	testkit.Until(t, testkit.Patience, func() error {
		if a := w.get(ann, "/v1/cases"); a.Status != 200 {
			return fmt.Errorf("status %d", a.Status)
		}

		return nil
	})
}

// TestNobodyHearsThatNothingWasChangedOfALostWrite: the store does what it was asked, and its answer does not come.
func TestNobodyHearsThatNothingWasChangedOfALostWrite(t *testing.T) {
	t.Parallel()
	link := stores.Cut(t, stores.MongoURI(t))
	w := startUnready(t, link.URL(), map[string]string{"MONGODB_TIMEOUT": "400ms"})
	testkit.Until(t, testkit.Patience, w.ready)
	ann := user("u:ann", "ann")
	c := w.newCase(ann, nil)
	one := "/v1/cases/" + c.CaseID
	create := func() answer { return w.json(ann, http.MethodPost, "/v1/cases", nil) }
	keyed := func() answer { return w.json(ann, http.MethodPost, "/v1/cases", nil, "Idempotency-Key", "k") }
	change := func() answer {
		seen := w.get(ann, one).Header.Get("ETag")
		return w.json(ann, http.MethodPatch, one, map[string]any{"title": "Lease"}, "If-Match", seen)
	}
	const nothing, doubt = "nothing was changed", "may have been carried out"

	for _, tc := range []struct {
		name, lost string // from which command on answers are lost
		ask        func() answer
		want       string
	}{
		{"the case", insertInto("cases"), create, doubt},
		{"the case, with a key", insertInto("cases"), keyed, doubt},
		{"its record before it", insertInto(chain.Collection), create, nothing},
		{"the lock of the key", insertInto("intents"), keyed, nothing},
		{"a change", "update\x00\x06\x00\x00\x00cases\x00", change, doubt},
	} {
		t.Run(tc.name, func(t *testing.T) {
			link.LoseAnswers(tc.lost)
			a := tc.ask()
			link.Mend()
			if a.Status != http.StatusServiceUnavailable || !strings.Contains(string(a.Body), tc.want) {
				t.Errorf("status %d: %s, want %q", a.Status, a.Body, tc.want)
			}
			testkit.Until(t, testkit.Patience, w.ready)
		})
	}
}

// insertInto is in the command that inserts into a collection.
func insertInto(collection string) string {
	return fmt.Sprintf("insert\x00%c\x00\x00\x00%s\x00", len(collection)+1, collection)
}

func TestTheSweepClearsWhatIsOver(t *testing.T) {
	t.Parallel()
	w := start(t, map[string]string{"CASE_SWEEP_EVERY": "100ms"})
	ann := user("u:ann", "ann")
	c := into[api.Case](t, w.json(ann, http.MethodPost, "/v1/cases", nil, "Idempotency-Key", "k"), 201)
	into[uploaded](t, w.upload(ann, c.CaseID, nil, textFile("a.txt", complaint)), 201)
	if a := w.json(ann, http.MethodDelete, "/v1/cases/"+c.CaseID, nil); a.Status != 204 {
		t.Fatalf("status %d", a.Status)
	}
	db := w.database()
	left := func() (int64, error) {
		var all int64

		for _, name := range []string{"intents", "files", "fs.files", "fs.chunks", "texts", "branches", "timelines"} {
			n, err := db.Collection(name).CountDocuments(t.Context(), bson.D{})
			if err != nil {
				return 0, err
			}
			all += n
		}

		return all, nil
	}
	w.clock.Advance(23 * time.Hour)
	if n, err := left(); err != nil || n != 7 {
		t.Errorf("%d documents, %v, want 7", n, err)
	}
	w.clock.Advance(31 * 24 * time.Hour)
	testkit.Until(t, testkit.Patience, func() error {
		if n, err := left(); err != nil || n != 0 {
			return errors.Join(err, fmt.Errorf("%d documents are left", n))
		}

		return nil
	})
	refused(t, w.get(ann, "/v1/cases/"+c.CaseID), 404, "not_found")
}

func TestSettings(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct {
		change map[string]string
		unset  []string
		want   string
	}{
		"no MongoDB":           {unset: []string{"MONGODB_URI"}, want: "MONGODB_URI is required"},
		"no key":               {unset: []string{"INTERNAL_KEY"}, want: "INTERNAL_KEY is required"},
		"key of no form":       {change: map[string]string{"INTERNAL_KEY": "abc"}, want: "INTERNAL_KEY: "},
		"no trust file":        {change: map[string]string{"INTERNAL_TRUST": "/nowhere"}, want: "INTERNAL_TRUST"},
		"address of no form":   {change: map[string]string{"MONGODB_URI": "http://x"}, want: "MONGODB_URI or CASE_DATABASE: "},
		"misspelt":             {change: map[string]string{"CASE_MAX_FILE": "1"}, want: "CASE_MAX_FILE is not a setting"},
		"limit of nothing":     {change: map[string]string{"CASE_MAX_FILES": "0"}, want: "CASE_MAX_FILES must be at least 1"},
		"time of nothing":      {change: map[string]string{"CASE_CHECK_TIMEOUT": "0s"}, want: "CASE_CHECK_TIMEOUT must be at least 1ns"},
		"short cursor key":     {change: map[string]string{"CASE_CURSOR_KEY": "short"}, want: "CASE_CURSOR_KEY must be"},
		"address with a query": {change: map[string]string{"BASE_URL": "https://x/?a=b"}, want: "BASE_URL must be"},
		"taken port":           {change: map[string]string{"CASE_ADDR": "256.0.0.1:1"}, want: "CASE_ADDR or CASE_INTERNAL_ADDR: "},
	} {
		t.Run(name, func(t *testing.T) {
			env := environ(t, stores.MongoURI(t))
			for k, v := range tc.change {
				env[k] = v
			}

			for _, k := range tc.unset {
				delete(env, k)
			}
			_, err := casesvc.New(t.Context(), launch.Env{Environ: env, Telemetry: telemetry.Discard("case-svc", &servicetest.Lines{}), Now: time.Now})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("New = %v, want %q", err, tc.want)
			}
		})
	}
}

func TestAScratchFolderOfItsOwnIsRemoved(t *testing.T) {
	stores.MongoURI(t) // runs from here on, outside the folder that goes
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	t.Run("run", func(t *testing.T) {
		w := start(t, map[string]string{"CASE_SPOOL_DIR": ""})
		into[uploaded](t, w.upload(user("u:ann", "ann"), w.newCase(user("u:ann", "ann"), nil).CaseID, nil, textFile("a.txt", "A text.")), 201)
		if made, err := filepath.Glob(filepath.Join(temp, "case-svc-*")); err != nil || len(made) != 1 {
			t.Errorf("scratch folders: %v, %v, want one", made, err)
		}
	})
	if left, err := filepath.Glob(filepath.Join(temp, "case-svc-*")); err != nil || len(left) != 0 {
		t.Errorf("scratch folders are left: %v, %v", left, err)
	}
}
