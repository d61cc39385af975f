package ferretproxy

import (
	"bytes"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// Bounds of the shortcut for several _ids. What is beyond them FerretDB answers by itself, which reads the whole
// collection.
const (
	mostAmong      = 1000
	mostAmongBytes = 12 << 20
)

// among is a filter of several _ids and plain equalities.
type among struct {
	ids  []bson.RawValue
	rest byID // without an _id; it may have no equalities
}

// readAmong recognises a find of such a filter that wants whole documents, in any order or in that of their _ids.
func readAmong(m *message, c command) (among, bool) {
	if c.name != "find" || len(m.sequences) > 0 || !only(m.body, findKeys) || m.body.Lookup("projection").Type != 0 {
		return among{}, false
	}
	if limit, ok := m.body.Lookup("limit").AsInt64OK(); ok && limit != 0 {
		return among{}, false
	}
	if sort, ok := m.body.Lookup("sort").DocumentOK(); ok && !byAscendingID(sort) {
		return among{}, false
	}
	filter, _ := m.body.Lookup("filter").DocumentOK()
	listed, ok := filter.Lookup("_id").DocumentOK()
	if !ok {
		return among{}, false
	}
	ids, ok := inStrings(listed)
	if !ok {
		return among{}, false
	}
	rest, ok := equalities(filter)

	return among{ids, byID{rest: rest}}, ok
}

func byAscendingID(sort bson.Raw) bool {
	elements, err := sort.Elements()
	if err != nil || len(elements) > 1 {
		return false
	}
	if len(elements) == 0 {
		return true
	}
	way, ok := elements[0].Value().AsInt64OK()

	return ok && way == 1 && elements[0].Key() == "_id"
}

// inStrings returns the strings of {$in: […]}, in their order and each once.
func inStrings(condition bson.Raw) ([]bson.RawValue, bool) {
	elements, err := condition.Elements()
	if err != nil || len(elements) != 1 || elements[0].Key() != "$in" {
		return nil, false
	}
	list, ok := elements[0].Value().ArrayOK()
	if !ok {
		return nil, false
	}
	values, err := list.Values()
	if err != nil || len(values) > mostAmong ||
		slices.ContainsFunc(values, func(v bson.RawValue) bool { return v.Type != bson.TypeString }) {
		return nil, false
	}
	// Sorted, so that the answer comes in the order of the index, as MongoDB gives it. The first four bytes are the
	// length.
	slices.SortFunc(values, func(a, b bson.RawValue) int { return bytes.Compare(a.Value[4:], b.Value[4:]) })

	return slices.CompactFunc(values, func(a, b bson.RawValue) bool { return bytes.Equal(a.Value, b.Value) }), true
}

// findAmong asks for each document by its _id, and answers with those that meet the other equalities. ok is false when
// that does not tell, or would be too much for one answer.
func (l *link) findAmong(m *message, c command, f among) (reply []byte, ok bool, err error) {
	batch, size := bson.A{}, 0

	for _, id := range f.ids {
		raw, err := l.exchange(byID{id: id}.lookup(m.id, c))
		if err != nil {
			return nil, false, err
		}
		body, err := answerBody(raw)
		if err != nil {
			return nil, false, err
		}
		doc, ok := firstOf(body)
		if !ok {
			return nil, false, nil
		}
		if doc == nil {
			continue
		}

		switch f.rest.judge(doc) {
		case unsure:
			return nil, false, nil
		case met:
			batch = append(batch, doc)
			size += len(doc)
		}
		// A batch of MongoDB holds at most 16 MB; the client would have to ask for more, and there is no cursor here.
		if size > mostAmongBytes {
			return nil, false, nil
		}
	}
	cursor := bson.D{
		{Key: "firstBatch", Value: batch},
		{Key: "id", Value: int64(0)},
		{Key: "ns", Value: c.database + "." + c.collection},
	}

	return answer(m.id, marshal(bson.D{{Key: "cursor", Value: cursor}, {Key: "ok", Value: 1.0}})), true, nil
}
