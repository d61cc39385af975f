package ferretproxy

import (
	"math"
	"slices"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// codeNotImplemented is MongoDB's code for what a server does not do.
const codeNotImplemented = 238

// refusal returns what in a request FerretDB would accept and then get wrong, or "" when there is nothing of that sort.
func refusal(m *message, c command) string {
	switch c.name {
	case "distinct", "mapReduce":
		return c.name
	case "aggregate":
		if !countsOnly(m.body) {
			return "aggregation other than CountDocuments"
		}
	case "createIndexes":
		if what := wrongIndexes(m.body); what != "" {
			return what
		}
	}
	if what := unreliable(m.body); what != "" {
		return what
	}

	for _, s := range m.sequences {
		for _, doc := range s.docs {
			if what := unreliable(doc); what != "" {
				return what
			}
		}
	}

	return ""
}

// unreliable names the first thing in a document that FerretDB would get wrong without an error, or drop the connection
// over. Stored documents cannot hold keys that begin with "$", so looking at every level is right for filters, updates
// and documents alike.
func unreliable(doc bson.Raw) string {
	elements, err := doc.Elements()
	if err != nil {
		return "a document that cannot be read"
	}

	for _, e := range elements {
		switch key := e.Key(); key {
		case "$push", "$pull", "$pullAll", "$elemMatch", "arrayFilters":
			return key
		}

		switch v := e.Value(); v.Type {
		case bson.TypeDecimal128:
			return "Decimal128"
		case bson.TypeDouble:
			if math.IsNaN(v.Double()) {
				return "NaN"
			}
		case bson.TypeEmbeddedDocument, bson.TypeArray:
			if what := unreliable(bson.Raw(v.Value)); what != "" {
				return what
			}
		}
	}

	return ""
}

// countsOnly recognises the pipeline by which drivers count documents.
func countsOnly(body bson.Raw) bool {
	pipeline, ok := body.Lookup("pipeline").ArrayOK()
	if !ok {
		return false
	}
	stages, err := pipeline.Values()
	if err != nil || len(stages) == 0 {
		return false
	}

	for n, v := range stages {
		stage, ok := v.DocumentOK()
		if !ok {
			return false
		}
		e, err := stage.IndexErr(0)
		if err != nil {
			return false
		}
		last := n == len(stages)-1

		switch e.Key() {
		case "$match", "$skip", "$limit":
			if last {
				return false
			}
		case "$group":
			group, ok := e.Value().DocumentOK()
			if !ok || !last {
				return false
			}
			// Any other sum is an aggregation, and not the count that drivers ask for.
			if one, ok := group.Lookup("n", "$sum").AsInt64OK(); !ok || one != 1 {
				return false
			}
		default:
			return false
		}
	}

	return true
}

// wrongIndexes names what is wrong with the indexes that a command asks for.
func wrongIndexes(body bson.Raw) string {
	list, _ := body.Lookup("indexes").ArrayOK()
	values, _ := list.Values()

	for _, v := range values {
		index, _ := v.DocumentOK()
		key, _ := index.Lookup("key").DocumentOK()

		elements, _ := key.Elements()
		for _, e := range elements {
			if strings.Contains(e.Key(), "$**") {
				return "a wildcard index"
			}
		}
	}

	return ""
}

// refuse answers the request with that id by an error that names the reason and the way out.
func refuse(id [4]byte, what string) []byte {
	return answer(id, marshal(bson.D{
		{Key: "ok", Value: 0.0},
		{
			Key: "errmsg",
			Value: what + " is not reliable on the development store; keep to the rules for stores: insert, " +
				"replace by _id and version, delete, plain filters",
		},
		{Key: "code", Value: int32(codeNotImplemented)},
		{Key: "codeName", Value: "NotImplemented"},
	}))
}

// codeOutOfDiskSpace is MongoDB's code for a write that the disk has no room for.
const codeOutOfDiskSpace = 14031

// diskFull recognises the answer to a write that the disk had no room for. The server says so in the words of its files
// alone, under the code of a mistake of its own.
func diskFull(reply []byte) bool {
	body, err := answerBody(reply)
	if err != nil {
		return false
	}
	said := func(doc bson.Raw) bool {
		text, _ := doc.Lookup("errmsg").StringValueOK()
		return strings.Contains(text, "database or disk is full")
	}
	if said(body) {
		return true
	}
	list, _ := body.Lookup("writeErrors").ArrayOK()
	values, _ := list.Values()

	return slices.ContainsFunc(values, func(v bson.RawValue) bool {
		doc, ok := v.DocumentOK()
		return ok && said(doc)
	})
}

// noRoom answers the request with that id as a server does whose disk is full.
func noRoom(id [4]byte) []byte {
	return answer(id, marshal(bson.D{
		{Key: "ok", Value: 0.0},
		{Key: "errmsg", Value: "the disk is full"},
		{Key: "code", Value: int32(codeOutOfDiskSpace)},
		{Key: "codeName", Value: "OutOfDiskSpace"},
	}))
}

// marshal encodes what this package made itself.
func marshal(doc bson.D) bson.Raw {
	raw, err := bson.Marshal(doc)
	if err != nil {
		// A mistake in this package: all its documents are of plain values.
		panic(err)
	}

	return raw
}
