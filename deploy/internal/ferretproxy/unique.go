package ferretproxy

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// uniqueFields returns the fields that any unique index of a collection covers, from the answer to listIndexes.
func uniqueFields(list bson.Raw) []string {
	var fields []string

	for _, index := range indexesOf(list) {
		if unique, _ := index.Lookup("unique").BooleanOK(); !unique {
			continue
		}
		key, _ := index.Lookup("key").DocumentOK()

		elements, _ := key.Elements()
		for _, e := range elements {
			if e.Key() != "_id" {
				fields = append(fields, e.Key())
			}
		}
	}

	return fields
}

// lacking returns the first of fields that a document written by the command would not have, or "". FerretDB would
// accept any number of such documents under a unique index, MongoDB only one.
func lacking(m *message, c command, fields []string) string {
	if len(fields) == 0 || (c.name != "insert" && c.name != "update") {
		return ""
	}

	for _, doc := range statements(m, c) {
		if c.name == "update" {
			u, ok := doc.Lookup("u").DocumentOK()
			if first, err := u.IndexErr(0); !ok || err != nil || strings.HasPrefix(first.Key(), "$") {
				// Operators change single fields and do not say which are there already.
				continue
			}
			doc = u
		}

		for _, field := range fields {
			if !has(doc, strings.Split(field, ".")) {
				return field
			}
		}
	}

	return ""
}

// has reports whether doc has a value at path. Within arrays it does not look and says yes.
func has(doc bson.Raw, path []string) bool {
	v, err := doc.LookupErr(path[0])
	switch {
	case err != nil:
		return false
	case len(path) == 1 || v.Type == bson.TypeArray:
		return true
	case v.Type == bson.TypeEmbeddedDocument:
		return has(bson.Raw(v.Value), path[1:])
	}

	return false
}
