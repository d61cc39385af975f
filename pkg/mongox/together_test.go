package mongox_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

type slip struct {
	ID      string `bson:"_id"`
	Tenant  string `bson:"tenant"`
	Number  int    `bson:"number"`
	Version int    `bson:"version"`
}

func slipOf(id string, number, version int) slip { return slip{"t/" + id, "t", number, version} }

// Several writes in one trip take effect like the same writes one after the other, up to the first that is refused.
func TestWritesTogether(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		stores.Index(t, db, map[string][]mongox.Index{
			"numbered": {{Fields: []string{"tenant", "number"}, Unique: true}},
		})

		numbered, plain := mongox.In[slip](db, "numbered"), mongox.In[slip](db, "plain")
		for _, s := range []slip{slipOf("here", 1, 3)} {
			if err := errors.Join(numbered.Insert(t.Context(), s), plain.Insert(t.Context(), s)); err != nil {
				t.Fatal(err)
			}
		}
		at := func(id string, version int) bson.D {
			return append(mongox.One("t", id), mongox.Is("version", version))
		}

		for _, tc := range []struct {
			name   string
			writes []mongox.Write
			want   []error
			there  []string // in either collection, beside "here"
		}{
			{
				"all done",
				[]mongox.Write{
					plain.Inserting(slipOf("a", 1, 1)), numbered.Inserting(slipOf("a", 2, 1)),
					plain.Replacing(at("here", 3), slipOf("here", 1, 4)),
				},
				[]error{nil, nil, nil},
				[]string{"numbered/a", "plain/a"},
			},
			{
				"an _id is taken",
				[]mongox.Write{
					plain.Inserting(slipOf("b", 1, 1)), plain.Inserting(slipOf("here", 1, 1)),
					plain.Inserting(slipOf("c", 1, 1)),
				},
				[]error{nil, errs.ErrTaken, mongox.ErrNotReached},
				[]string{"plain/b"},
			},
			{
				"a unique value is taken, first",
				[]mongox.Write{numbered.Inserting(slipOf("d", 1, 1)), plain.Inserting(slipOf("d", 1, 1))},
				[]error{errs.ErrTaken, mongox.ErrNotReached},
				nil,
			},
			{
				"a version is gone: the rest is done",
				[]mongox.Write{
					plain.Inserting(slipOf("e", 1, 1)), plain.Replacing(at("here", 1), slipOf("here", 1, 2)),
					plain.Inserting(slipOf("f", 1, 1)),
				},
				[]error{nil, errs.ErrTaken, nil},
				[]string{"plain/e", "plain/f"},
			},
			{"nothing", nil, nil, nil},
		} {
			t.Run(tc.name, func(t *testing.T) {
				before := names(t, db)
				got, err := mongox.Together(t.Context(), tc.writes...)
				if errors.Is(err, mongox.ErrAlone) {
					t.Skip("this server does one write at a time")
				}
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(spelled(tc.want), spelled(got)); diff != "" {
					t.Errorf("results (-want +got):\n%s", diff)
				}
				known := func(name string) bool { return slices.Contains(before, name) }
				after := slices.DeleteFunc(names(t, db), known)
				if diff := cmp.Diff(tc.there, after, cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("new documents (-want +got):\n%s", diff)
				}
			})
		}
	})
}

func spelled(all []error) []string {
	said := make([]string, len(all))
	for i, err := range all {
		said[i] = fmt.Sprint(err)
	}

	return said
}

func names(t *testing.T, db *mongo.Database) []string {
	t.Helper()
	var found []string

	for _, name := range []string{"numbered", "plain"} {
		all, err := mongox.In[slip](db, name).List(t.Context(), bson.D{}, nil, 0, nil)
		if err != nil {
			t.Fatal(err)
		}

		for _, s := range all {
			found = append(found, name+"/"+s.ID[len("t/"):])
		}
	}
	slices.Sort(found)

	return found
}

// Of writers who want the same number one wins, and what stands behind the others' inserts is not written.
func TestOneOfManyWritesTogether(t *testing.T) {
	t.Parallel()
	stores.EachMongo(t, func(t *testing.T, db *mongo.Database) {
		locks, plain := mongox.In[slip](db, "locks"), mongox.In[slip](db, "plain")
		var won atomic.Int64

		for round := range 10 {
			var all sync.WaitGroup
			for writer := range 8 {
				all.Go(func() {
					id := fmt.Sprintf("%d-%d", round, writer)
					got, err := mongox.Together(
						t.Context(),
						locks.Inserting(slipOf(fmt.Sprint(round), 1, 1)),
						plain.Inserting(slipOf(id, 1, 1)),
					)
					if errors.Is(err, mongox.ErrAlone) {
						return
					}
					if err != nil {
						t.Error(err)
						return
					}
					if got[0] == nil && got[1] == nil {
						won.Add(1)
					}
				})
			}
			all.Wait()
		}
		written, err := plain.Count(t.Context(), bson.D{}, 0)
		if err != nil || int64(written) != won.Load() || written != 0 && written != 10 {
			t.Errorf("%d writers of 10 rounds won, %d documents behind them, %v", won.Load(), written, err)
		}
	})
}

// A server without the command is told apart from one that is away, and nothing is written.
func TestAServerThatIsAwayIsNotAlone(t *testing.T) {
	t.Parallel()
	const nobody = "mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=50"

	db, err := mongox.Open(t.Context(), mongox.Config{URI: nobody, Database: "d"})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close(t.Context()) }()
	_, err = mongox.Together(t.Context(), mongox.In[slip](db.Database(), "plain").Inserting(slipOf("a", 1, 1)))
	if errors.Is(err, mongox.ErrAlone) || !errors.Is(err, errs.ErrUnavailable) {
		t.Errorf("Together = %v, want unavailable", err)
	}
}

// A server without the command says so in one of several ways.
func TestAServerThatDoesNotKnowTheCommand(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		name, says string
		code       int32
		want       error
	}{
		{"MongoDB before 7", "no such command: 'bulkWrite'", 59, mongox.ErrAlone},
		{"MongoDB 7", "BSON field 'bulkWrite.errorsOnly' is an unknown field.", 40415, mongox.ErrAlone},
		{"Amazon DocumentDB", "Feature not supported: bulkWrite", 303, mongox.ErrAlone},
		{"Atlas", "missing nsInfo", 8000, mongox.ErrAlone},
		{"another one", "bulkWrite is not supported", 1, mongox.ErrAlone},
		{"one that cannot write now", "not primary", 10107, errs.ErrUnavailable},
		{"one that is out of space", "an index was not found", 14031, errs.ErrUnavailable},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()

			uri := refusing(t, bson.D{
				{Key: "ok", Value: 0}, {Key: "code", Value: tc.code}, {Key: "errmsg", Value: tc.says},
			})
			db, err := mongox.Open(t.Context(), mongox.Config{URI: uri, Database: "d"})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = db.Close(t.Context()) }()
			_, err = mongox.Together(t.Context(), mongox.In[slip](db.Database(), "plain").Inserting(slipOf("a", 1, 1)))
			if !errors.Is(err, tc.want) || errors.Is(err, mongox.ErrAlone) != errors.Is(tc.want, mongox.ErrAlone) {
				t.Errorf("Together = %v, want %v", err, tc.want)
			}
		})
	}
}

// refusing starts a server that answers bulkWrite with refusal, and returns its URI.
func refusing(t *testing.T, refusal bson.D) string {
	t.Helper()
	var config net.ListenConfig

	l, err := config.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })

	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}

			go refuse(conn, refusal)
		}
	}()

	return "mongodb://" + l.Addr().String() + "/?loadBalanced=true" // all of its messages are of one kind then
}

// refuse answers the messages of a connection.
func refuse(conn net.Conn, refusal bson.D) {
	defer func() { _ = conn.Close() }()
	const head = 16 + 4 + 1 // length, ids and kind of a message; its flags; the kind of its body

	for {
		var start [head]byte
		if _, err := io.ReadFull(conn, start[:]); err != nil {
			return
		}
		rest := make([]byte, binary.LittleEndian.Uint32(start[:])-head)
		if _, err := io.ReadFull(conn, rest); err != nil {
			return
		}

		answer := bson.D{
			{Key: "ok", Value: 1},
			{Key: "isWritablePrimary", Value: true},
			{Key: "maxWireVersion", Value: 25},
			{Key: "maxBsonObjectSize", Value: 1 << 24},
			{Key: "maxMessageSizeBytes", Value: 48_000_000},
			{Key: "maxWriteBatchSize", Value: 100_000},
			{Key: "logicalSessionTimeoutMinutes", Value: 30},
			{Key: "serviceId", Value: bson.ObjectID{1}},
		}
		asked := bson.Raw(rest[:binary.LittleEndian.Uint32(rest)])
		if first, err := asked.IndexErr(0); err == nil && first.Key() == "bulkWrite" {
			answer = refusal
		}
		body, err := bson.Marshal(answer)
		if err != nil {
			return
		}

		out := binary.LittleEndian.AppendUint32(nil, uint32(head+len(body)))
		out = append(out, 0, 0, 0, 0)
		out = append(out, start[4:8]...)   // answers that message
		out = append(out, start[12:16]...) // of the same kind
		out = append(out, 0, 0, 0, 0, 0)
		if _, err := conn.Write(append(out, body...)); err != nil {
			return
		}
	}
}
