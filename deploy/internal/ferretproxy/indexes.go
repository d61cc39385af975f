package ferretproxy

import (
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// listIndexes returns the server's answer to that question about c's collection.
func (l *link) listIndexes(c command) (bson.Raw, error) {
	question := bson.D{{Key: "listIndexes", Value: c.collection}, {Key: "$db", Value: c.database}}
	reply, err := l.exchange(request([4]byte{}, marshal(question)))
	if err != nil {
		return nil, err
	}

	return answerBody(reply)
}

// createIndexes asks the server for those indexes alone that do not exist. Of a list of which some exist already, it
// leaves out the wrong ones, or fails. It also writes to the disk for each that exists.
func (l *link) createIndexes(m *message, c command) ([]byte, error) {
	wanted, ok := m.body.Lookup("indexes").ArrayOK()
	if !ok {
		return l.exchange(plain(m))
	}
	list, err := l.listIndexes(c)
	if err != nil {
		return nil, err
	}
	values, err := wanted.Values()
	if err != nil {
		return nil, err
	}
	existing := indexesOf(list)

	var missing []bsoncore.Value

	for _, v := range values {
		index, _ := v.DocumentOK()
		if slices.ContainsFunc(existing, func(other bson.Raw) bool { return conflict(index, other) }) {
			return indexConflict(m.id), nil
		}
		if !slices.ContainsFunc(existing, func(other bson.Raw) bool { return sameIndex(index, other) }) {
			missing = append(missing, bsoncore.Value{Type: bsoncore.Type(v.Type), Data: v.Value})
		}
	}
	// Of an empty list FerretDB complains, as MongoDB does, so that goes on to it.
	if len(missing) == 0 && len(values) > 0 {
		there := bson.D{{Key: "note", Value: "all indexes already exist"}, {Key: "ok", Value: 1.0}}

		return answer(m.id, marshal(there)), nil
	}
	body := rebuild(m.body, func(e bson.RawElement, dst []byte) []byte {
		if e.Key() == "indexes" {
			return bsoncore.AppendArrayElement(dst, "indexes", bsoncore.BuildArray(nil, missing...))
		}

		return append(dst, e...)
	})

	return l.exchange(request(m.id, body))
}

// indexesOf returns the indexes in an answer to listIndexes. A collection that does not exist yet has none.
func indexesOf(list bson.Raw) []bson.Raw {
	batch, ok := list.Lookup("cursor", "firstBatch").ArrayOK()
	if !ok {
		return nil
	}
	values, err := batch.Values()
	if err != nil {
		return nil
	}

	var indexes []bson.Raw

	for _, v := range values {
		if index, ok := v.DocumentOK(); ok {
			indexes = append(indexes, index)
		}
	}

	return indexes
}

// sameIndex reports whether two indexes have the same name, the same keys in the same order, and the same uniqueness.
func sameIndex(a, b bson.Raw) bool {
	uniqueA, _ := a.Lookup("unique").BooleanOK()
	uniqueB, _ := b.Lookup("unique").BooleanOK()
	if uniqueA != uniqueB || !a.Lookup("name").Equal(b.Lookup("name")) {
		return false
	}
	keyA, _ := a.Lookup("key").DocumentOK()
	keyB, _ := b.Lookup("key").DocumentOK()
	elementsA, _ := keyA.Elements()
	elementsB, _ := keyB.Elements()

	return slices.EqualFunc(elementsA, elementsB, func(a, b bson.RawElement) bool {
		orderA, okA := a.Value().AsInt64OK()
		orderB, okB := b.Value().AsInt64OK()

		return okA && okB && a.Key() == b.Key() && orderA == orderB
	})
}

// conflict reports whether two indexes share a name but are not the same. The server does not compare the uniqueness.
func conflict(a, b bson.Raw) bool {
	return a.Lookup("name").Equal(b.Lookup("name")) && !sameIndex(a, b)
}

// codeIndexKeySpecsConflict is MongoDB's code for an index whose name another one has.
const codeIndexKeySpecsConflict = 86

func indexConflict(id [4]byte) []byte {
	return answer(id, marshal(bson.D{
		{Key: "ok", Value: 0.0},
		{
			Key:   "errmsg",
			Value: "An existing index has the same name as the requested index, with other keys or options",
		},
		{Key: "code", Value: int32(codeIndexKeySpecsConflict)},
		{Key: "codeName", Value: "IndexKeySpecsConflict"},
	}))
}
