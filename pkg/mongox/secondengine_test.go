package mongox_test

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// engine is the second engine as a process of a test: see deploy/scripts/second-engine.
type engine struct {
	t       *testing.T
	program string
	dir     string
	addr    string
	process *exec.Cmd
}

// secondEngine starts the second engine on a folder of its own.
func secondEngine(t *testing.T) *engine {
	t.Helper()
	program := os.Getenv("TEST_SECOND_ENGINE")
	if program == "" {
		t.Skip("TEST_SECOND_ENGINE names no engine: make long PARTS=engine")
	}
	e := &engine{t: t, program: program, dir: t.TempDir(), addr: testkit.FreeAddr(t)}
	e.start()
	t.Cleanup(e.kill)

	return e
}

func (e *engine) start() {
	e.t.Helper()
	_, port, _ := net.SplitHostPort(e.addr)
	e.process = exec.Command(
		e.program,
		"--host",
		"127.0.0.1",
		"--port",
		port,
		"--storage-path",
		e.dir,
		"--sync-on-commit",
		"--log-level",
		"ERROR",
	)
	e.process.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := e.process.Start(); err != nil {
		e.t.Fatal(err)
	}
	db := e.open(time.Second)
	testkit.Until(
		e.t,
		time.Minute,
		func() error { return db.Database().RunCommand(e.t.Context(), bson.D{{Key: "ping", Value: 1}}).Err() },
	)
}

// kill ends the engine as a power cut would.
func (e *engine) kill() {
	_ = syscall.Kill(-e.process.Process.Pid, syscall.SIGKILL)
	_ = e.process.Wait()
}

func (e *engine) open(timeout time.Duration) *mongox.DB {
	e.t.Helper()
	db, err := mongox.Open(
		context.Background(),
		mongox.Config{URI: "mongodb://" + e.addr + "/?directConnection=true", Database: "grown", Timeout: timeout},
	)
	if err != nil {
		e.t.Fatal(err)
	}
	e.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = db.Close(ctx)
	})

	return db
}

// Indexes over grown data take longer than a call may, and are made all the same.
func TestIndexesOverGrownData(t *testing.T) {
	e := secondEngine(t)
	db := e.open(2 * time.Second)
	const documents, each = 100_000, 2_000

	for from := 0; from < documents; from += each {
		batch := make([]bson.D, each)
		for i := range batch {
			n := from + i
			batch[i] = bson.D{
				{Key: "_id", Value: fmt.Sprint("t/", n)}, {Key: "tenant", Value: "t"}, {Key: "n", Value: n},
			}
		}

		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		_, err := db.Collection("things").InsertMany(ctx, batch)
		cancel()
		if err != nil {
			t.Fatal(err)
		}
	}

	began := time.Now()
	made := mongox.MakeIndexes(t.Context(), db.Database(), mongox.Schema{"things": {
		{Fields: []string{"tenant", "n"}, Unique: true},
	}}, slog.New(slog.DiscardHandler))

	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Minute)
	defer cancel()
	if err := made.Wait(ctx); err != nil {
		t.Fatalf("the indexes are not ready: %v", err)
	}
	if took := time.Since(began); took < 2*time.Second {
		t.Errorf("made within %v, which proves nothing: an ordinary call may take 2s", took)
	} else {
		t.Logf("made within %v, while an ordinary call may take 2s", took)
	}
	if err := made.Ready(); err != nil {
		t.Errorf("Ready = %v", err)
	}
}

// Every write that was acknowledged is there after the engine was killed ten times in the middle of others.
func TestAcknowledgedWritesSurviveKills(t *testing.T) {
	e := secondEngine(t)
	db := e.open(5 * time.Second)
	things := mongox.In[bson.D](db.Database(), "things")
	var mu sync.Mutex
	var acknowledged []string

	for round := range 10 {
		ctx, stop := context.WithCancel(t.Context())
		var writers sync.WaitGroup

		for w := range 4 {
			writers.Go(func() {
				for n := 0; ctx.Err() == nil; n++ {
					id := fmt.Sprintf("t/%d-%d-%d", round, w, n)
					if things.Insert(ctx, bson.D{{Key: "_id", Value: id}, {Key: "tenant", Value: "t"}}) != nil {
						continue
					}
					mu.Lock()
					acknowledged = append(acknowledged, id)
					mu.Unlock()
				}
			})
		}
		before := len(snapshot(&mu, &acknowledged))
		testkit.Until(t, time.Minute, func() error {
			if n := len(snapshot(&mu, &acknowledged)) - before; n < 100 {
				return fmt.Errorf("%d writes in round %d", n, round)
			}

			return nil
		})
		e.kill()
		stop()
		writers.Wait()
		e.start()
	}

	lost := missing(t, db.Collection("things"), snapshot(&mu, &acknowledged))
	if len(lost) > 0 {
		t.Errorf("%d of %d acknowledged writes are lost, the first %s", len(lost), len(acknowledged), strings.Join(lost[:min(5, len(lost))], " "))
	}
	t.Logf("%d acknowledged writes in ten lives", len(acknowledged))
}

func snapshot(mu *sync.Mutex, list *[]string) []string {
	mu.Lock()
	defer mu.Unlock()

	return slices.Clone(*list)
}

// missing returns those of the documents that are not there.
func missing(t *testing.T, coll *mongo.Collection, ids []string) []string {
	t.Helper()
	there := map[string]bool{}

	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cursor, err := coll.Find(ctx, bson.D{})
	if err != nil {
		t.Fatal(err)
	}
	var docs []struct {
		ID string `bson:"_id"`
	}
	if err := cursor.All(ctx, &docs); err != nil {
		t.Fatal(err)
	}

	for _, d := range docs {
		there[d.ID] = true
	}

	return slices.DeleteFunc(ids, func(id string) bool { return there[id] })
}

// TestDefectsOfTheSecondEngine shows, by the driver alone, what the engine does otherwise than MongoDB. Tests that meet
// one of these leave it out by name. It fails when one is mended: then take it out here and there.
func TestDefectsOfTheSecondEngine(t *testing.T) {
	e := secondEngine(t)
	c := e.open(10 * time.Second).Database().Collection("things")

	documents := make([]bson.D, 1000)
	for n := range documents {
		documents[n] = bson.D{
			{Key: "_id", Value: fmt.Sprint("t/", n)}, {Key: "tenant", Value: fmt.Sprint("t", n%10)}, {Key: "n", Value: n},
		}
	}
	if _, err := c.InsertMany(t.Context(), documents); err != nil {
		t.Fatal(err)
	}
	keys := bson.D{{Key: "tenant", Value: 1}, {Key: "n", Value: 1}}
	if _, err := c.Indexes().CreateOne(t.Context(), mongo.IndexModel{Keys: keys}); err != nil {
		t.Fatal(err)
	}

	is := func(field string, value any) bson.E { return bson.E{Key: field, Value: value} }
	for _, tc := range []struct {
		name         string
		filter, sort bson.D
		stage        string // that MongoDB does not need; "" for none
	}{
		{"the _id", bson.D{is("_id", "t/1")}, nil, ""},
		{"fields of an index", bson.D{is("tenant", "t1"), is("n", 1)}, nil, ""},
		{"the _id and another field", bson.D{is("_id", "t/1"), is("tenant", "t1")}, nil, "COLLSCAN"},
		{"a range of the _id", bson.D{is("_id", bson.D{is("$gt", "t/1")})}, nil, "COLLSCAN"},
		{"a field that the index has not", bson.D{is("tenant", "t1"), is("other", 1)}, nil, "COLLSCAN"},
		{
			"two ranges of one index",
			bson.D{is("tenant", bson.D{is("$gt", "t1")}), is("n", bson.D{is("$gt", 1)})},
			nil, "COLLSCAN",
		},
		{"the order of an index", bson.D{is("tenant", "t1")}, bson.D{is("n", 1)}, "SORT"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			find := bson.D{is("find", "things"), is("filter", tc.filter)}
			if tc.sort != nil {
				find = append(find, is("sort", tc.sort))
			}
			command := bson.D{is("explain", find), is("verbosity", "queryPlanner")}
			answer, err := c.Database().RunCommand(t.Context(), command).Raw()
			if err != nil {
				t.Fatal(err)
			}

			said := answer.Lookup("queryPlanner", "winningPlan").String()
			if tc.stage == "" && strings.Contains(said, "COLLSCAN") {
				t.Errorf("it reads the collection: %s", said)
			}
			if tc.stage != "" && !strings.Contains(said, tc.stage) {
				t.Errorf("the engine needs no %s any more, which is good: take it off the list of its defects", tc.stage)
			}
		})
	}
}
