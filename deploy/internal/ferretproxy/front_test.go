package ferretproxy_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/mongo/writeconcern"

	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

// The server behind the front cannot run in a program with the race detector, so the tests here run subrosa-stores as a
// process; what the front does by itself is tested inside the package.

// frontProcess is a running subrosa-stores.
type frontProcess struct {
	Redis string `json:"redis"`
	Mongo string `json:"mongo"`
	cmd   *exec.Cmd
	stdin io.Closer
	ended chan error
}

func start(t testing.TB, flags ...string) *frontProcess {
	t.Helper()
	cmd := exec.Command(testkit.StoresProgram(t), flags...)
	var said bytes.Buffer
	cmd.Stderr = &said
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s := &frontProcess{cmd: cmd, stdin: stdin, ended: make(chan error, 1)}
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err == nil {
		err = json.Unmarshal(line, s)
	}
	if err != nil {
		t.Fatalf("start subrosa-stores: %v: %v: %s", err, cmd.Wait(), &said)
	}

	go func() { s.ended <- cmd.Wait() }()
	t.Cleanup(func() { cmd.Process.Kill() })

	return s
}

// stop asks the process to end by signal and checks that it ends well.
func (s *frontProcess) stop(t testing.TB) {
	t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	s.end(t)
}

func (s *frontProcess) end(t testing.TB) {
	t.Helper()
	select {
	case err := <-s.ended:
		if err != nil {
			t.Errorf("subrosa-stores ended with %v, want success", err)
		}
	case <-time.After(10 * time.Second):
		t.Error("subrosa-stores does not end")
	}
}

func connect(t testing.TB, uri string) *mongo.Database {
	t.Helper()
	db, err := mongox.Open(t.Context(), mongox.Config{URI: uri, Database: "cases", Timeout: testkit.Patience})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close(context.Background()) })

	return db.Database()
}

// clients are two clients of one database, with ordinary pools.
func clients(t *testing.T) [2]*mongo.Collection {
	uri, name := stores.MongoURI(t), stores.MongoName(t)

	var cs [2]*mongo.Collection
	for n := range cs {
		db, err := mongox.Open(t.Context(), mongox.Config{URI: uri, Database: name, Timeout: testkit.Patience})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { db.Close(context.Background()) })
		cs[n] = db.Collection("things")
	}

	return cs
}

func doc(kv ...any) bson.D {
	d := bson.D{}
	for n := 0; n < len(kv); n += 2 {
		d = append(d, bson.E{Key: kv[n].(string), Value: kv[n+1]})
	}

	return d
}

// race lets sixteen callers do something at once and returns how many of them won.
func race(t *testing.T, try func(g int) (bool, error)) int {
	t.Helper()
	var won atomic.Int32
	var all sync.WaitGroup
	begin := make(chan struct{})

	for g := range 16 {
		all.Go(func() {
			<-begin

			switch ok, err := try(g); {
			case err != nil:
				t.Error(err)
			case ok:
				won.Add(1)
			}
		})
	}
	close(begin)
	all.Wait()

	return int(won.Load())
}

func TestOneWinner(t *testing.T) {
	cs := clients(t)

	for round := range 50 {
		id := fmt.Sprint("t/", round)
		if _, err := cs[0].InsertOne(t.Context(), doc("_id", id, "tenant", "t", "version", 1)); err != nil {
			t.Fatal(err)
		}
		won := race(t, func(g int) (bool, error) {
			r, err := cs[g%2].ReplaceOne(t.Context(), doc("_id", id, "tenant", "t", "version", 1), doc("tenant", "t", "version", 2, "by", g))
			return err == nil && r.ModifiedCount == 1, err
		})
		if won != 1 {
			t.Fatalf("replace in round %d: %d winners, want 1", round, won)
		}
		won = race(t, func(g int) (bool, error) {
			r, err := cs[g%2].DeleteOne(t.Context(), doc("_id", id, "tenant", "t", "version", 2))
			return err == nil && r.DeletedCount == 1, err
		})
		if won != 1 {
			t.Fatalf("delete in round %d: %d winners, want 1", round, won)
		}
		won = race(t, func(g int) (bool, error) {
			_, err := cs[g%2].InsertOne(t.Context(), doc("_id", id+"/new", "by", g))
			if mongo.IsDuplicateKeyError(err) {
				return false, nil
			}

			return err == nil, err
		})
		if won != 1 {
			t.Fatalf("insert in round %d: %d winners, want 1", round, won)
		}
	}
}

func TestNoLostIncrement(t *testing.T) {
	cs := clients(t)
	if _, err := cs[0].InsertOne(t.Context(), doc("_id", "n", "n", 0)); err != nil {
		t.Fatal(err)
	}
	race(t, func(g int) (bool, error) {
		for range 25 {
			if _, err := cs[g%2].UpdateOne(t.Context(), doc("_id", "n"), doc("$inc", doc("n", 1))); err != nil {
				return false, err
			}
		}

		return true, nil
	})
	var got struct{ N int }
	if err := cs[1].FindOne(t.Context(), doc("_id", "n")).Decode(&got); err != nil || got.N != 400 {
		t.Errorf("n = %d, %v, want 400", got.N, err)
	}
}

// What the rules for stores forbid, and FerretDB would get wrong, fails at once.
func TestRefusals(t *testing.T) {
	c := clients(t)[0]
	db := c.Database()
	if err := mongox.EnsureIndexes(t.Context(), db.Collection("unique"), []mongox.Index{{Fields: []string{"tenant", "key.ref"}, Unique: true}}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.InsertOne(t.Context(), doc("_id", "n", "a", bson.A{1, 2})); err != nil {
		t.Fatal(err)
	}
	decimal, err := bson.ParseDecimal128("1.10")
	if err != nil {
		t.Fatal(err)
	}
	update := func(u bson.D) func() error {
		return func() error { _, err := c.UpdateOne(t.Context(), doc("_id", "n"), u); return err }
	}

	insert := func(into *mongo.Collection, d bson.D) func() error {
		return func() error { _, err := into.InsertOne(t.Context(), d); return err }
	}
	for _, tc := range []struct {
		name, want string
		do         func() error
	}{
		{"push", "$push is not reliable", update(doc("$push", doc("a", 3)))},
		{"pull", "$pull is not reliable", update(doc("$pull", doc("a", 1)))},
		{"elemMatch", "$elemMatch is not reliable", func() error {
			return c.FindOne(t.Context(), doc("a", doc("$elemMatch", doc("$gt", 1)))).Err()
		}},
		{"decimal", "Decimal128 is not reliable", insert(c, doc("d", doc("deep", bson.A{decimal})))},
		{"not a number", "NaN is not reliable", insert(c, doc("d", math.NaN()))},
		{"distinct", "distinct is not reliable", func() error { return c.Distinct(t.Context(), "a", bson.D{}).Err() }},
		{"aggregation", "aggregation", func() error {
			_, err := c.Aggregate(t.Context(), mongo.Pipeline{doc("$group", doc("_id", "$a", "s", doc("$sum", "$n")))})
			return err
		}},
		{"wildcard index", "wildcard index", func() error {
			_, err := c.Indexes().CreateOne(t.Context(), mongo.IndexModel{Keys: doc("$**", 1)})
			return err
		}},
		{"insert without a unique field", "unique index", insert(db.Collection("unique"), doc("_id", "1", "tenant", "t"))},
		{"replace without a unique field", "unique index", func() error {
			_, err := db.Collection("unique").ReplaceOne(t.Context(), doc("_id", "2"), doc("tenant", "t", "key", doc("other", 1)))
			return err
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			err := tc.do()
			var server mongo.ServerError
			if !errors.As(err, &server) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want the server to say: %s", err, tc.want)
			}
		})
	}
	if err := c.FindOne(t.Context(), doc("_id", "n", "a", bson.A{1, 2})).Err(); err != nil {
		t.Errorf("after the refusals: %v, want the document as it was", err)
	}
}

// Of a list of indexes those are made that do not exist, wherever in the list they are.
func TestIndexesOfAList(t *testing.T) {
	c := clients(t)[0]
	names := func(fields string) (models []mongo.IndexModel) {
		for _, field := range fields {
			models = append(models, mongo.IndexModel{Keys: doc("tenant", 1, string(field), -1)})
		}

		return models
	}

	for _, tc := range []struct{ list, want string }{
		{"bd", "bd"}, {"db", "bd"}, {"abc", "abcd"}, {"efabcd", "abcdef"}, {"g", "abcdefg"},
	} {
		_, err := c.Indexes().CreateMany(t.Context(), names(tc.list))
		if err != nil {
			t.Errorf("make %s: %v", tc.list, err)
		}
		specs, err := c.Indexes().ListSpecifications(t.Context())
		if err != nil {
			t.Fatal(err)
		}

		got := ""

		for _, s := range specs {
			if elements, _ := s.KeysDocument.Elements(); len(elements) == 2 {
				got += elements[1].Key()
			}
		}
		if sorted := slices.Sorted(slices.Values(strings.Split(got, ""))); strings.Join(sorted, "") != tc.want {
			t.Errorf("after the list %s there are %s, want %s", tc.list, got, tc.want)
		}
	}
	unique := mongo.IndexModel{Keys: doc("tenant", 1, "a", -1), Options: options.Index().SetUnique(true)}
	if _, err := c.Indexes().CreateMany(t.Context(), append(names("h"), unique)); err == nil {
		t.Error("a unique index was taken for a plain one with the same keys")
	}
}

// What stores may do passes and is right, by the shortcut for filters by _id or around it.
func TestFiltersByID(t *testing.T) {
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		c := db.Collection("things")
		id := bson.NewObjectID()
		at := time.Date(2026, 3, 4, 5, 6, 7, 89e6, time.UTC)
		whole := doc("_id", "x", "tenant", "t", "version", int64(3), "open", true, "at", at, "ref", id, "tags", bson.A{"a", "b"}, "score", 2.0, "none", nil)
		if _, err := c.InsertOne(t.Context(), whole); err != nil {
			t.Fatal(err)
		}

		for _, tc := range []struct {
			name   string
			filter bson.D
			want   bool
		}{
			{"alone", doc("_id", "x"), true},
			{"tenant", doc("_id", "x", "tenant", "t"), true},
			{"tenant first", doc("tenant", "t", "_id", "x"), true},
			{"another tenant", doc("_id", "x", "tenant", "u"), false},
			{"another id", doc("_id", "y", "tenant", "t"), false},
			{"id of another type", doc("_id", id, "tenant", "t"), false},
			{"version", doc("_id", "x", "tenant", "t", "version", 3), true},
			{"stale version", doc("_id", "x", "tenant", "t", "version", 2), false},
			{"version of another type", doc("_id", "x", "version", 3.0), true},
			{"version as text", doc("_id", "x", "version", "3"), false},
			{"missing field", doc("_id", "x", "other", "t"), false},
			{"null for missing", doc("_id", "x", "other", nil), true},
			{"null for null", doc("_id", "x", "none", nil), true},
			{"text for null", doc("_id", "x", "none", "t"), false},
			{"array contains", doc("_id", "x", "tags", "b"), true},
			{"array does not contain", doc("_id", "x", "tags", "c"), false},
			{"number of another type", doc("_id", "x", "score", 2), true},
			{"boolean", doc("_id", "x", "open", true), true},
			{"other boolean", doc("_id", "x", "open", false), false},
			{"time", doc("_id", "x", "at", at), true},
			{"object id", doc("_id", "x", "ref", id), true},
			{"condition", doc("_id", "x", "version", doc("$gt", 2)), true},
			{"id by condition", doc("_id", doc("$in", bson.A{"x"}), "tenant", "t"), true},
		} {
			t.Run(tc.name, func(t *testing.T) {
				got := c.FindOne(t.Context(), tc.filter).Err()
				if (got == nil) != tc.want || (got != nil && !errors.Is(got, mongo.ErrNoDocuments)) {
					t.Errorf("find = %v, want found: %v", got, tc.want)
				}
				var part bson.D
				got = c.FindOne(t.Context(), tc.filter, options.FindOne().SetProjection(doc("version", 1))).Decode(&part)
				if (got == nil) != tc.want || (tc.want && len(part) != 2) {
					t.Errorf("find of a part = %v, %v, want found: %v", part, got, tc.want)
				}
				if n, err := c.CountDocuments(t.Context(), tc.filter); err != nil || (n == 1) != tc.want {
					t.Errorf("count = %d, %v, want found: %v", n, err, tc.want)
				}
				r, err := c.ReplaceOne(t.Context(), tc.filter, whole[1:])
				if err != nil || (r.MatchedCount == 1) != tc.want {
					t.Errorf("replace = %+v, %v, want matched: %v", r, err, tc.want)
				}
				u, err := c.UpdateOne(t.Context(), tc.filter, doc("$set", doc("seen", tc.name)))
				if err != nil || (u.MatchedCount == 1) != tc.want {
					t.Errorf("update = %+v, %v, want matched: %v", u, err, tc.want)
				}
				d, err := c.DeleteOne(t.Context(), tc.filter)
				if err != nil || (d.DeletedCount == 1) != tc.want {
					t.Errorf("delete = %+v, %v, want deleted: %v", d, err, tc.want)
				}
				if tc.want {
					if _, err := c.InsertOne(t.Context(), whole); err != nil {
						t.Errorf("insert again: %v", err)
					}
				}
			})
		}
	})
}

func TestUpsertAndMany(t *testing.T) {
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		c := db.Collection("things")
		r, err := c.ReplaceOne(t.Context(), doc("_id", "x", "tenant", "t"), doc("tenant", "t", "version", 1), options.Replace().SetUpsert(true))
		if err != nil || r.UpsertedCount != 1 {
			t.Fatalf("upsert = %+v, %v, want one inserted", r, err)
		}
		if _, err := c.InsertMany(t.Context(), []any{doc("_id", "y", "tenant", "t"), doc("_id", "z", "tenant", "u")}); err != nil {
			t.Fatal(err)
		}
		u, err := c.UpdateMany(t.Context(), doc("tenant", "t"), doc("$set", doc("seen", true)))
		if err != nil || u.ModifiedCount != 2 {
			t.Errorf("update of many = %+v, %v, want two", u, err)
		}
		models := []mongo.WriteModel{
			mongo.NewDeleteOneModel().SetFilter(doc("_id", "x", "tenant", "t")),
			mongo.NewDeleteOneModel().SetFilter(doc("_id", "z", "tenant", "t")),
		}
		b, err := c.BulkWrite(t.Context(), models)
		if err != nil || b.DeletedCount != 1 {
			t.Errorf("bulk = %+v, %v, want one deleted", b, err)
		}
	})
}

func TestGridFS(t *testing.T) {
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		bucket := db.GridFSBucket()
		content := bytes.Repeat([]byte("0123456789abcdef"), 5<<16) // 5 MiB
		if err := bucket.UploadFromStreamWithID(t.Context(), "t/file/1", "file", bytes.NewReader(content)); err != nil {
			t.Fatalf("upload: %v", err)
		}
		var got bytes.Buffer
		if _, err := bucket.DownloadToStream(t.Context(), "t/file/1", &got); err != nil || !bytes.Equal(got.Bytes(), content) {
			t.Errorf("download = %d bytes, %v, want the %d uploaded", got.Len(), err, len(content))
		}
		if err := bucket.Delete(t.Context(), "t/file/1"); err != nil {
			t.Errorf("delete: %v", err)
		}
	})
}

func TestLargeWritesPass(t *testing.T) {
	cs := clients(t)
	text := strings.Repeat("x", 12<<20)
	if _, err := cs[0].InsertMany(t.Context(), []any{doc("_id", "a", "text", text), doc("_id", "b"), doc("_id", "c", "text", text)}); err != nil {
		t.Fatal(err)
	}
	var got struct{ Text string }
	if err := cs[1].FindOne(t.Context(), doc("_id", "c")).Decode(&got); err != nil || len(got.Text) != len(text) {
		t.Errorf("text of %d bytes, %v, want %d", len(got.Text), err, len(text))
	}
	if _, err := cs[1].InsertOne(t.Context(), doc("_id", "b")); !mongo.IsDuplicateKeyError(err) {
		t.Errorf("err = %v, want a duplicate key", err)
	}
}

// The server answers every request, also those whose sender does not want to know: the answers of a connection must not
// shift by that.
func TestUnacknowledgedWrite(t *testing.T) {
	c := clients(t)[0]
	one, err := mongo.Connect(options.Client().ApplyURI(stores.MongoURI(t)).SetMaxPoolSize(1))
	if err != nil {
		t.Fatal(err)
	}
	defer one.Disconnect(context.Background())

	silent := one.Database(c.Database().Name()).Collection("things", options.Collection().SetWriteConcern(writeconcern.Unacknowledged()))
	for n := range 20 {
		r, err := silent.InsertOne(t.Context(), doc("_id", n))
		if err != nil || r.Acknowledged {
			t.Fatalf("insert = %+v, %v, want nothing acknowledged", r, err)
		}
		if err := one.Ping(t.Context(), nil); err != nil {
			t.Fatalf("ping: %v", err)
		}
	}
	if n, err := c.CountDocuments(t.Context(), bson.D{}); err != nil || n != 20 {
		t.Errorf("documents = %d, %v, want 20", n, err)
	}
}

func TestRestart(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()) // a killed process leaves its socket there
	dir := t.TempDir() + "/a folder with spaces, [brackets] and a%20percent"
	first := start(t, "-dir", dir)

	c := connect(t, first.Mongo).Collection("things")
	for n := range 50 {
		if _, err := c.InsertOne(t.Context(), doc("_id", fmt.Sprint(n), "tenant", "t", "n", n)); err != nil {
			t.Fatal(err)
		}
	}
	if err := mongox.EnsureIndexes(t.Context(), c, []mongox.Index{{Fields: []string{"tenant", "n"}, Unique: true}}); err != nil {
		t.Fatal(err)
	}
	first.stop(t)

	second := start(t, "-dir", dir)
	c = connect(t, second.Mongo).Collection("things")
	if n, err := c.CountDocuments(t.Context(), doc("tenant", "t")); err != nil || n != 50 {
		t.Errorf("documents after a restart = %d, %v, want 50", n, err)
	}
	if _, err := c.InsertOne(t.Context(), doc("_id", "new", "tenant", "t", "n", 7)); !mongo.IsDuplicateKeyError(err) {
		t.Errorf("insert of a taken unique value = %v, want a duplicate key", err)
	}
	if _, err := c.InsertOne(t.Context(), doc("_id", "new", "tenant", "t")); err == nil {
		t.Error("a document without a unique field was taken after a restart")
	}
	// What was acknowledged survives a kill, too.
	if _, err := c.InsertOne(t.Context(), doc("_id", "last", "tenant", "t", "n", 99)); err != nil {
		t.Fatal(err)
	}
	second.cmd.Process.Kill()
	<-second.ended
	third := start(t, "-dir", dir)
	if err := connect(t, third.Mongo).Collection("things").FindOne(t.Context(), doc("_id", "last")).Err(); err != nil {
		t.Errorf("find after a kill: %v", err)
	}
	third.stop(t)
}

func TestTwoProcessesCannotShareAFolder(t *testing.T) {
	dir := t.TempDir()
	first := start(t, "-dir", dir)
	out, err := exec.Command(testkit.StoresProgram(t), "-dir", dir).CombinedOutput()
	if err == nil || !bytes.Contains(out, []byte("another process")) {
		t.Errorf("a second process on one folder = %v: %s, want a refusal", err, out)
	}
	first.stop(t)
	start(t, "-dir", dir).stop(t)
}

func TestEndsWithItsParent(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	s := start(t, "-with-parent")
	if _, err := connect(t, s.Mongo).Collection("things").InsertOne(t.Context(), doc("_id", 1)); err != nil {
		t.Fatal(err)
	}
	s.stdin.Close()
	s.end(t)
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("left behind = %v, %v, want nothing", left, err)
	}
}

func TestHelpAndMistakes(t *testing.T) {
	for _, tc := range []struct {
		name string
		args []string
		ok   bool
		want string
	}{
		{"help", []string{"--help"}, true, "with-parent"},
		{"help for tests", []string{"--help"}, true, "narrow-always"},
		{"unknown flag", []string{"-port", "1"}, false, "not defined: -port"},
		{"arguments", []string{"start"}, false, "takes no arguments"},
		{"a bad address", []string{"-redis", "nowhere"}, false, "serve Redis"},
		{"a bad folder", []string{"-dir", "/dev/null/x"}, false, "folder"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			out, err := exec.Command(testkit.StoresProgram(t), tc.args...).CombinedOutput()
			if (err == nil) != tc.ok || !bytes.Contains(out, []byte(tc.want)) {
				t.Errorf("ended with %v: %s, want success: %v and %q", err, out, tc.ok, tc.want)
			}
		})
	}
}
