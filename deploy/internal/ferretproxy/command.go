package ferretproxy

import (
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// command is what a request asks for.
type command struct {
	name, database, collection string
}

// payloads names the list of statements that belongs to each command which has one. It lies in the body or beside it.
var payloads = map[string]string{"insert": "documents", "update": "updates", "delete": "deletes"}

// writing are the commands that change something and so have to queue.
var writing = map[string]bool{
	"insert":           true,
	"update":           true,
	"delete":           true,
	"findAndModify":    true,
	"findandmodify":    true,
	"create":           true,
	"createIndexes":    true,
	"drop":             true,
	"dropDatabase":     true,
	"dropIndexes":      true,
	"deleteIndexes":    true,
	"renameCollection": true,
	"collMod":          true,
	"compact":          true,
}

// reshaping are the commands after which what is known of a database's indexes no longer holds.
var reshaping = map[string]bool{
	"create":           true,
	"createIndexes":    true,
	"drop":             true,
	"dropDatabase":     true,
	"dropIndexes":      true,
	"deleteIndexes":    true,
	"renameCollection": true,
	"collMod":          true,
}

func commandOf(m *message) command {
	var c command
	if first, err := m.body.IndexErr(0); err == nil {
		c.name = first.Key()
		c.collection, _ = first.Value().StringValueOK()
	}
	c.database, _ = m.body.Lookup("$db").StringValueOK()
	// A client asks the database admin for it, and names the one that changes.
	if database, collection, ok := strings.Cut(c.collection, "."); ok && c.name == "renameCollection" {
		c.database, c.collection = database, collection
	}

	return c
}

func (c command) writes() bool { return writing[c.name] }

// statements returns the documents of the command's payload, wherever they lie.
func statements(m *message, c command) []bson.Raw {
	name, ok := payloads[c.name]
	if !ok {
		return nil
	}
	var docs []bson.Raw

	for _, s := range m.sequences {
		if s.name == name {
			docs = append(docs, s.docs...)
		}
	}
	list, ok := m.body.Lookup(name).ArrayOK()
	if !ok {
		return docs
	}
	values, err := list.Values()
	if err != nil {
		return docs
	}

	for _, v := range values {
		if doc, ok := v.DocumentOK(); ok {
			docs = append(docs, doc)
		}
	}

	return docs
}
