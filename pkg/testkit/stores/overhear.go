package stores

import (
	"bytes"
	"encoding/binary"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// Command is what a client asked a MongoDB to find or to change.
type Command struct {
	Name       string
	Database   string
	Collection string
	Filters    []bson.Raw // of each query in it; none for an insert
}

// Overhear puts a Link before the MongoDB at target whose commands with filters are told to heard, one connection
// beside the other. Clients must not compress what they send.
func Overhear(t testing.TB, target string, heard func(Command)) *Link {
	t.Helper()
	l := Cut(t, target)
	// The link takes connections already.
	l.mu.Lock()
	defer l.mu.Unlock()
	l.heard = heard

	return l
}

// listening returns what takes the bytes of one direction of a connection, as they come.
func (l *Link) listening(answers bool) func([]byte) {
	l.mu.Lock()
	heard := l.heard
	l.mu.Unlock()
	if answers || heard == nil {
		return func([]byte) {}
	}

	var waiting []byte

	return func(more []byte) {
		waiting = append(waiting, more...)
		for len(waiting) >= 4 {
			size := int(binary.LittleEndian.Uint32(waiting))
			if size < headerSize || len(waiting) < size {
				break
			}

			for _, c := range commandsIn(waiting[:size]) {
				heard(c)
			}
			waiting = waiting[size:]
		}
	}
}

// The wire protocol: https://www.mongodb.com/docs/manual/reference/mongodb-wire-protocol/
const (
	headerSize = 16
	opMessage  = 2013
)

// commandsIn returns the commands with filters that a message holds. A message of another kind holds none.
func commandsIn(message []byte) []Command {
	if binary.LittleEndian.Uint32(message[12:]) != opMessage || len(message) < headerSize+4 {
		return nil
	}
	var body bson.Raw
	lists := map[string][]bson.Raw{}

	for rest := message[headerSize+4:]; len(rest) > 5; {
		kind, at := rest[0], rest[1:]
		size := int(binary.LittleEndian.Uint32(at))
		if size < 5 || size > len(at) {
			// What follows is a checksum.
			break
		}
		if kind == 0 {
			body = bson.Raw(at[:size])
		} else if name, documents, ok := bytes.Cut(at[4:size], []byte{0}); ok {
			lists[string(name)] = documentsIn(documents)
		}
		rest = at[size:]
	}

	return asked(body, lists)
}

func documentsIn(b []byte) []bson.Raw {
	var found []bson.Raw

	for len(b) >= 5 {
		size := int(binary.LittleEndian.Uint32(b))
		if size < 5 || size > len(b) {
			break
		}
		found, b = append(found, bson.Raw(b[:size])), b[size:]
	}

	return found
}

// asked reads a command: a document whose first field names it, and lists that came beside it.
func asked(body bson.Raw, lists map[string][]bson.Raw) []Command {
	elements, err := body.Elements()
	if err != nil || len(elements) == 0 {
		return nil
	}
	name := elements[0].Key()
	collection, _ := elements[0].Value().StringValueOK()
	database, _ := body.Lookup("$db").StringValueOK()
	list := func(field string) []bson.Raw {
		if beside := lists[field]; len(beside) > 0 {
			return beside
		}
		array, _ := body.Lookup(field).ArrayOK()
		values, _ := array.Values()

		var found []bson.Raw

		for _, v := range values {
			if d, ok := v.DocumentOK(); ok {
				found = append(found, d)
			}
		}

		return found
	}
	c := Command{Name: name, Database: database, Collection: collection}

	switch name {
	case "find":
		c.Filters = []bson.Raw{inside(body, "filter")}
	case "findAndModify", "count", "distinct":
		c.Filters = []bson.Raw{inside(body, "query")}
	case "aggregate":
		c.Filters = []bson.Raw{nil}
		if stages := list("pipeline"); len(stages) > 0 {
			c.Filters[0] = inside(stages[0], "$match")
		}
	case "update", "delete":
		for _, one := range list(name + "s") {
			c.Filters = append(c.Filters, inside(one, "q"))
		}
	case "bulkWrite":
		return bulk(list("ops"), list("nsInfo"))
	}
	if len(c.Filters) == 0 {
		return nil
	}

	return []Command{c}
}

// bulk returns the replacements and removals of a bulkWrite, each with the collection that its number stands for.
func bulk(operations, namespaces []bson.Raw) []Command {
	var found []Command

	for _, one := range operations {
		for _, name := range []string{"update", "delete"} {
			n, ok := one.Lookup(name).AsInt64OK()
			if !ok || n < 0 || int(n) >= len(namespaces) {
				continue
			}
			// A bulk write names its collections once, and its operations refer to them by number.
			namespace, _ := namespaces[n].Lookup("ns").StringValueOK()
			database, collection, _ := bytes.Cut([]byte(namespace), []byte("."))
			found = append(found, Command{
				Name: name, Database: string(database), Collection: string(collection),
				Filters: []bson.Raw{inside(one, "filter")},
			})
		}
	}

	return found
}

func inside(d bson.Raw, field string) bson.Raw {
	found, _ := d.Lookup(field).DocumentOK()
	return found
}
