package ferretproxy

import (
	"bytes"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// byID is a filter of an _id and other plain equalities. FerretDB reads the whole collection for it, though the _id
// alone says which document it is.
type byID struct {
	id   bson.RawValue
	rest []bson.RawElement // at least one
}

// verdict says whether a document meets a filter.
type verdict int

const (
	unsure verdict = iota // only FerretDB knows
	met
	missed
)

// plainByID recognises such a filter.
func plainByID(filter bson.Raw) (byID, bool) {
	rest, ok := equalities(filter)
	f := byID{id: filter.Lookup("_id"), rest: rest}

	return f, ok && (f.id.Type == bson.TypeString || f.id.Type == bson.TypeObjectID) && len(f.rest) > 0
}

// equalities returns the conditions of a filter beside that of the _id, when all of them are plain equalities.
func equalities(filter bson.Raw) ([]bson.RawElement, bool) {
	elements, err := filter.Elements()
	if err != nil {
		return nil, false
	}
	var rest []bson.RawElement

	for _, e := range elements {
		switch key := e.Key(); {
		case key == "_id":
		case strings.HasPrefix(key, "$"), strings.Contains(key, "."), !simple(e.Value().Type):
			return nil, false
		default:
			rest = append(rest, e)
		}
	}

	return rest, true
}

// simple lists the types whose equality needs no rules of MongoDB's own.
func simple(t bson.Type) bool {
	switch t {
	case bson.TypeString, bson.TypeObjectID, bson.TypeBoolean, bson.TypeDateTime, bson.TypeInt32, bson.TypeInt64:
		return true
	}

	return false
}

// alone is the filter of the _id by itself.
func (f byID) alone() bson.Raw { return marshal(bson.D{{Key: "_id", Value: f.id}}) }

// judge compares a document that has the _id with the other equalities.
func (f byID) judge(doc bson.Raw) verdict {
	for _, e := range f.rest {
		v, err := doc.LookupErr(e.Key())
		if err != nil {
			// Only null would match a missing field, and simple leaves null out.
			return missed
		}
		if got := equal(v, e.Value()); got != met {
			return got
		}
	}

	return met
}

func equal(have, want bson.RawValue) verdict {
	if have.Type == bson.TypeArray || have.Type == bson.TypeDouble || have.Type == bson.TypeDecimal128 {
		// An array matches by any of its values, and numbers of other types may be equal.
		return unsure
	}
	a, isInt := have.AsInt64OK()
	b, wantsInt := want.AsInt64OK()
	same := have.Type == want.Type && bytes.Equal(have.Value, want.Value)
	if isInt && wantsInt {
		same = a == b
	}
	if same {
		return met
	}

	return missed
}

// only reports whether doc has no keys but those allowed.
func only(doc bson.Raw, allowed map[string]bool) bool {
	elements, err := doc.Elements()
	if err != nil {
		return false
	}

	for _, e := range elements {
		if !allowed[e.Key()] {
			return false
		}
	}

	return true
}

func set(keys ...string) map[string]bool {
	m := make(map[string]bool, len(keys))
	for _, k := range keys {
		m[k] = true
	}

	return m
}

var (
	findKeys = set("find", "filter", "limit", "singleBatch", "batchSize", "projection", "sort", "comment",
		"lsid", "$db", "$readPreference", "$clusterTime", "readConcern", "maxTimeMS")
	writeKeys = set("update", "updates", "delete", "deletes", "ordered", "bypassDocumentValidation", "comment",
		"lsid", "$db", "$clusterTime", "writeConcern", "maxTimeMS")
	updateKeys = set("q", "u", "multi", "upsert")
	deleteKeys = set("q", "limit")
)

// readByID returns the filter of a find that the shortcut can serve.
func readByID(m *message, c command) (byID, bool) {
	if c.name != "find" || len(m.sequences) > 0 || !only(m.body, findKeys) {
		return byID{}, false
	}
	filter, ok := m.body.Lookup("filter").DocumentOK()
	if !ok {
		return byID{}, false
	}

	return plainByID(filter)
}

// writeByID returns the filter and the statement of an update or delete of a single statement that the shortcut can
// serve.
func writeByID(m *message, c command) (byID, bson.Raw, bool) {
	if (c.name != "update" && c.name != "delete") || !only(m.body, writeKeys) {
		return byID{}, nil, false
	}
	all := statements(m, c)
	if len(all) != 1 {
		return byID{}, nil, false
	}
	statement := all[0]
	if c.name == "update" {
		multi, _ := statement.Lookup("multi").BooleanOK()
		upsert, _ := statement.Lookup("upsert").BooleanOK()
		// An upsert writes the filter into the new document, so the filter must not be cut down.
		if multi || upsert || !only(statement, updateKeys) {
			return byID{}, nil, false
		}
	} else if !only(statement, deleteKeys) {
		return byID{}, nil, false
	}
	q, ok := statement.Lookup("q").DocumentOK()
	if !ok {
		return byID{}, nil, false
	}
	f, ok := plainByID(q)

	return f, statement, ok
}

// lookup asks for the whole document with f's _id.
func (f byID) lookup(id [4]byte, c command) []byte {
	return request(id, marshal(bson.D{
		{Key: "find", Value: c.collection},
		{Key: "filter", Value: f.alone()},
		{Key: "limit", Value: int64(1)},
		{Key: "singleBatch", Value: true},
		{Key: "$db", Value: c.database},
	}))
}

// firstOf returns the first document of a find's answer, nil when there is none; ok is false for any other answer.
func firstOf(body bson.Raw) (doc bson.Raw, ok bool) {
	batch, ok := body.Lookup("cursor", "firstBatch").ArrayOK()
	if !ok {
		return nil, false
	}
	values, err := batch.Values()
	if err != nil {
		return nil, false
	}
	if len(values) == 0 {
		return nil, true
	}
	doc, ok = values[0].DocumentOK()

	return doc, ok
}

// nothingFound answers a find, an update or a delete that matched no document.
func nothingFound(id [4]byte, c command) []byte {
	switch c.name {
	case "find":
		cursor := bson.D{
			{Key: "firstBatch", Value: bson.A{}},
			{Key: "id", Value: int64(0)},
			{Key: "ns", Value: c.database + "." + c.collection},
		}

		return answer(id, marshal(bson.D{{Key: "cursor", Value: cursor}, {Key: "ok", Value: 1.0}}))
	case "update":
		return answer(id,
			marshal(bson.D{{Key: "n", Value: int32(0)}, {Key: "nModified", Value: int32(0)}, {Key: "ok", Value: 1.0}}))
	default:
		return answer(id, marshal(bson.D{{Key: "n", Value: int32(0)}, {Key: "ok", Value: 1.0}}))
	}
}
