package ferretproxy

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// mostBulk bounds the writes of one bulkWrite; drivers of services send a handful.
const mostBulk = 100

// bulkKinds names the command that does one write of a bulkWrite, and the list in which that command takes it.
var bulkKinds = map[string]struct{ command, payload string }{
	"insert": {"insert", "documents"},
	"update": {"update", "updates"},
	"delete": {"delete", "deletes"},
}

// single is one write of a bulkWrite, as a command of its own.
type single struct {
	kind       string
	command    command
	statements []bson.Raw
}

// readBulk takes a bulkWrite apart. It returns what of it the front does not do, "" when it does all.
func readBulk(m *message) ([]single, string) {
	if ordered, ok := m.body.Lookup("ordered").BooleanOK(); ok && !ordered {
		// Without an order writes go on after a failure, which this code does not do.
		return nil, "bulkWrite without an order"
	}
	ops, spaces := listed(m, "ops"), listed(m, "nsInfo")
	if len(ops) == 0 || len(ops) > mostBulk {
		return nil, "bulkWrite of none or more than 100 writes"
	}
	all := make([]single, len(ops))

	for i, op := range ops {
		one, ok := singleOf(op, spaces)
		if !ok {
			return nil, "bulkWrite with more than inserts, updates and deletes of single documents"
		}
		if one.command.database != all[0].command.database && i > 0 {
			return nil, "bulkWrite to several databases"
		}
		all[i] = one
	}

	return all, ""
}

// listed returns the documents of a list that lies beside the body or in it.
func listed(m *message, name string) []bson.Raw {
	var docs []bson.Raw

	for _, s := range m.sequences {
		if s.name == name {
			docs = append(docs, s.docs...)
		}
	}
	list, _ := m.body.Lookup(name).ArrayOK()

	values, _ := list.Values()
	for _, v := range values {
		if doc, ok := v.DocumentOK(); ok {
			docs = append(docs, doc)
		}
	}

	return docs
}

// singleOf reads one write. Its first element names the kind and the place of its collection among spaces.
func singleOf(op bson.Raw, spaces []bson.Raw) (single, bool) {
	first, err := op.IndexErr(0)
	if err != nil {
		return single{}, false
	}
	kind, known := bulkKinds[first.Key()]
	at, ok := first.Value().AsInt64OK()
	if !known || !ok || at < 0 || at >= int64(len(spaces)) {
		return single{}, false
	}
	name, _ := spaces[at].Lookup("ns").StringValueOK()
	database, collection, ok := strings.Cut(name, ".")
	if !ok {
		return single{}, false
	}
	statement, ok := statementOf(op, first.Key())

	return single{first.Key(), command{kind.command, database, collection}, []bson.Raw{statement}}, ok
}

// statementOf is what the command of one write takes: the document of an insert, or the filter of an update or delete
// with what goes with it. ok is false for what the front does not do.
func statementOf(op bson.Raw, kind string) (statement bson.Raw, ok bool) {
	if multi, _ := op.Lookup("multi").BooleanOK(); multi {
		return nil, false
	}
	filter, hasFilter := op.Lookup("filter").DocumentOK()

	switch kind {
	case "insert":
		doc, ok := op.Lookup("document").DocumentOK()
		return doc, ok && only(op, set("insert", "document"))
	case "update":
		change, ok := op.Lookup("updateMods").DocumentOK()
		upsert, _ := op.Lookup("upsert").BooleanOK()

		return marshal(bson.D{{Key: "q", Value: filter}, {Key: "u", Value: change}}),
			ok && hasFilter && !upsert && only(op, set("update", "filter", "updateMods", "multi", "upsert"))
	}

	return marshal(bson.D{{Key: "q", Value: filter}, {Key: "limit", Value: int32(1)}}),
		hasFilter && only(op, set("delete", "filter", "multi"))
}

// bulk does the writes of a bulkWrite one after the other, up to the first that fails, while no other write is done in
// their database. FerretDB does not have the command.
func (l *link) bulk(m *message) ([]byte, error) {
	all, what := readBulk(m)
	if what != "" {
		return l.refuse(m, command{name: "bulkWrite"}, what), nil
	}
	s := l.store(all[0].command.database)
	s.order.Lock()
	// Held over all writes: nobody sees a bulk that is half done.
	defer s.order.Unlock()
	sum := tally{errorsOnly: true}
	if only, ok := m.body.Lookup("errorsOnly").BooleanOK(); ok {
		sum.errorsOnly = only
	}

	for i, one := range all {
		reply, err := l.writeOne(m.id, s, one)
		if err != nil {
			return nil, err
		}
		body, err := answerBody(reply)
		if err != nil {
			return nil, err
		}
		if sum.add(int32(i), one.kind, body) {
			break
		}
	}

	return answer(m.id, sum.answer()), nil
}

func (l *link) writeOne(id [4]byte, s *store, one single) ([]byte, error) {
	payload := bulkKinds[one.kind].payload
	body := marshal(bson.D{
		{Key: one.command.name, Value: one.command.collection},
		{Key: "ordered", Value: true},
		{Key: "$db", Value: one.command.database},
	})
	seq := sequence{name: payload, docs: one.statements}
	m := message{raw: request(id, body, seq), id: id, op: opMsg, body: body, sequences: []sequence{seq}}

	return l.writeUnder(s, &m, one.command)
}

// tally is the answer to a bulkWrite as it grows.
type tally struct {
	errorsOnly                                   bool
	results                                      bson.A
	errors, inserted, matched, modified, deleted int32
}

// add takes over the answer to one write. It reports whether the write failed, so that none may follow.
func (t *tally) add(at int32, kind string, body bson.Raw) (failed bool) {
	n, _ := body.Lookup("n").AsInt64OK()
	result := bson.D{{Key: "ok", Value: 1.0}, {Key: "idx", Value: at}, {Key: "n", Value: int32(n)}}

	code, text, failed := fault(body)
	switch {
	case failed:
		t.errors++
		result = bson.D{
			{Key: "ok", Value: 0.0},
			{Key: "idx", Value: at},
			{Key: "code", Value: code},
			{Key: "errmsg", Value: text},
			{Key: "n", Value: int32(0)},
		}
	case kind == "insert":
		t.inserted += int32(n)
	case kind == "update":
		modified, _ := body.Lookup("nModified").AsInt64OK()
		t.matched += int32(n)
		t.modified += int32(modified)
		result = append(result, bson.E{Key: "nModified", Value: int32(modified)})
	default:
		t.deleted += int32(n)
	}
	if failed || !t.errorsOnly {
		t.results = append(t.results, result)
	}

	return failed
}

// fault reads the error of an answer to one write, of the write or of the command.
func fault(body bson.Raw) (code int32, text string, failed bool) {
	said := body
	if list, ok := body.Lookup("writeErrors").ArrayOK(); ok {
		if values, err := list.Values(); err == nil && len(values) > 0 {
			said, failed = bson.Raw(values[0].Value), true
		}
	}
	// The command itself may have failed, before any statement did.
	if ok, _ := body.Lookup("ok").AsFloat64OK(); ok != 1 {
		failed = true
	}
	n, _ := said.Lookup("code").AsInt64OK()
	text, _ = said.Lookup("errmsg").StringValueOK()

	return int32(n), text, failed
}

func (t *tally) answer() bson.Raw {
	results := t.results
	if results == nil {
		results = bson.A{}
	}

	return marshal(bson.D{
		{Key: "cursor", Value: bson.D{
			{Key: "id", Value: int64(0)},
			{Key: "firstBatch", Value: results},
			{Key: "ns", Value: "admin.$cmd.bulkWrite"},
		}},
		{Key: "nErrors", Value: t.errors},
		{Key: "nInserted", Value: t.inserted},
		{Key: "nMatched", Value: t.matched},
		{Key: "nModified", Value: t.modified},
		{Key: "nUpserted", Value: int32(0)},
		{Key: "nDeleted", Value: t.deleted},
		{Key: "ok", Value: 1.0},
	})
}
