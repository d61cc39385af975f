package ferretproxy

import (
	"fmt"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

// Aside is the database of the collections into which a Backend copies what a query may find. What lies there is gone
// when the query is answered.
const Aside = "subrosa_aside"

// mostNarrowed bounds the documents that are copied for a query. One that finds more reads its whole collection, and
// so does one whose first batch would not hold them all.
const mostNarrowed = 500

// firstBatch is how many documents FerretDB answers with at first when the client does not say.
const firstBatch = 101

// Condition is a part of a filter: the value of a field at the top of a document meets it, or is an array.
type Condition struct {
	Field string // of ASCII letters and digits
	// Op is "=" for one of the Values, or "<", "<=", ">" or ">=" for the only one.
	Op     string
	Values []any // string, bool or int64, the last also for dates in milliseconds
}

// narrowed answers a query that names values of fields by a look at those documents alone that may meet it: FerretDB
// would unpack every document of the collection. It finds, filters, sorts and counts them as ever. ok is false when the
// query names no values, finds too much or does more than that.
func (l *link) narrowed(m *message, c command) (reply []byte, ok bool, err error) {
	filter, ok := filterOf(m, c)
	if !ok {
		return nil, false, nil
	}
	all := conditions(filter)
	if len(all) == 0 {
		return nil, false, nil
	}

	into := l.take()
	defer l.give(into)
	if err := l.prepare(m.id, into); err != nil {
		return nil, false, err
	}

	found, err := l.backend.Narrow(c.database, c.collection, all, into, most(m, c))
	switch {
	case err != nil:
		l.log.Warn("a query reads its whole collection", "err", err)
		return nil, false, nil
	case found < 0:
		return nil, false, nil
	case found == 0 && c.name == "find":
		return nothingFound(m.id, c), true, nil
	case found > 0:
		// What was copied is content of cases: it goes as soon as the query is answered.
		defer l.backend.Clear(into)
	}

	return l.lookAside(m, c, into)
}

// lookAside has FerretDB answer a query from the copies in a collection of Aside.
func (l *link) lookAside(m *message, c command, into string) (reply []byte, ok bool, err error) {
	reply, err = l.exchange(request(m.id, moved(m.body, into)))
	if err != nil {
		return nil, false, err
	}
	body, err := answerBody(reply)
	if err != nil {
		return nil, false, err
	}
	cursor, ok := body.Lookup("cursor").DocumentOK()
	// The answer to a count has no cursor, and neither has an error.
	if !ok {
		done, _ := body.Lookup("ok").AsFloat64OK()
		return reply, done == 1, nil
	}
	// A cursor that goes on would read from a collection that is emptied now.
	if id, _ := cursor.Lookup("id").AsInt64OK(); id != 0 {
		return nil, false, nil
	}
	own := bson.D{
		{Key: "firstBatch", Value: cursor.Lookup("firstBatch")},
		{Key: "id", Value: int64(0)},
		{Key: "ns", Value: c.database + "." + c.collection},
	}

	return answer(m.id, marshal(bson.D{{Key: "cursor", Value: own}, {Key: "ok", Value: 1.0}})), true, nil
}

// plainStages are those of an aggregation that ask for no other collection.
var plainStages = set("$match", "$group", "$count", "$sort", "$limit", "$skip", "$project")

// filterOf returns the filter of a query that reads one collection.
func filterOf(m *message, c command) (bson.Raw, bool) {
	if len(m.sequences) > 0 || m.body.Lookup("tailable").Type != 0 {
		return nil, false
	}

	switch c.name {
	case "find":
		return m.body.Lookup("filter").DocumentOK()
	case "count", "distinct":
		return m.body.Lookup("query").DocumentOK()
	case "aggregate":
		return matched(m.body)
	}

	return nil, false
}

// matched returns the filter with which an aggregation begins.
func matched(body bson.Raw) (bson.Raw, bool) {
	pipeline, ok := body.Lookup("pipeline").ArrayOK()
	if !ok {
		return nil, false
	}
	stages, err := pipeline.Values()
	if err != nil || len(stages) == 0 {
		return nil, false
	}

	for _, s := range stages {
		if stage, ok := s.DocumentOK(); !ok || !only(stage, plainStages) {
			return nil, false
		}
	}

	return stages[0].Document().Lookup("$match").DocumentOK()
}

// most returns how many documents a query may find to be answered from copies, in one batch.
func most(m *message, c command) int {
	batch := int64(firstBatch)
	if c.name == "find" || c.name == "aggregate" {
		for _, asked := range []bson.RawValue{m.body.Lookup("batchSize"), m.body.Lookup("cursor", "batchSize")} {
			if n, ok := asked.AsInt64OK(); ok {
				batch = n
			}
		}
	}

	return int(min(mostNarrowed, batch-1))
}

// conditions returns those parts of a filter that a Backend can look at. All parts must be met, so what is left out
// makes for more copies and no other answer.
func conditions(filter bson.Raw) []Condition {
	elements, err := filter.Elements()
	if err != nil {
		return nil
	}
	var all []Condition

	for _, e := range elements {
		if plainName(e.Key()) {
			all = append(all, conditionsOf(e.Key(), e.Value())...)
		}
	}

	return all
}

// operators are those that a Condition has.
var operators = map[string]string{"$eq": "=", "$lt": "<", "$lte": "<=", "$gt": ">", "$gte": ">="}

func conditionsOf(field string, value bson.RawValue) []Condition {
	asked, ok := value.DocumentOK()
	if !ok {
		if v, ok := plainValue(value); ok {
			return []Condition{{field, "=", []any{v}}}
		}

		return nil
	}
	elements, err := asked.Elements()
	if err != nil {
		return nil
	}
	var all []Condition

	for _, e := range elements {
		if values, ok := plainValues(e.Value()); ok && e.Key() == "$in" {
			all = append(all, Condition{field, "=", values})
		}
		if v, ok := plainValue(e.Value()); ok && operators[e.Key()] != "" {
			all = append(all, Condition{field, operators[e.Key()], []any{v}})
		}
	}

	return all
}

func plainValues(list bson.RawValue) ([]any, bool) {
	array, ok := list.ArrayOK()
	if !ok {
		return nil, false
	}
	values, err := array.Values()
	if err != nil || len(values) > mostAmong {
		return nil, false
	}
	all := make([]any, len(values))

	for i, v := range values {
		if all[i], ok = plainValue(v); !ok {
			return nil, false
		}
	}

	return all, true
}

// plainValue returns a value that a Condition can have. Text must be such that no form of it is in doubt.
func plainValue(v bson.RawValue) (any, bool) {
	switch v.Type {
	case bson.TypeString:
		s := v.StringValue()
		// Other characters can be escaped in JSON in more than one way.
		return s, !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
	case bson.TypeBoolean:
		return v.Boolean(), true
	case bson.TypeDateTime:
		return v.DateTime(), true
	case bson.TypeInt32, bson.TypeInt64:
		n := v.AsInt64()
		// Beyond 2^53 an integer and a double can no longer be told apart.
		return n, n > -1<<53 && n < 1<<53
	}

	return nil, false
}

func plainName(field string) bool {
	return field != "" && !strings.ContainsFunc(field, func(r rune) bool {
		letter := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		return !letter && r != '_' && (r < '0' || r > '9')
	})
}

// moved is the body of a command that reads a collection of Aside in place of its own.
func moved(body bson.Raw, into string) bson.Raw {
	first := true

	return rebuild(body, func(e bson.RawElement, dst []byte) []byte {
		begins := first
		first = false

		switch {
		case begins:
			return bsoncore.AppendStringElement(dst, e.Key(), into)
		case e.Key() == "$db":
			return bsoncore.AppendStringElement(dst, "$db", Aside)
		}

		return append(dst, e...)
	})
}

// take returns the name of a collection of Aside that nobody else uses until it is given back.
func (f *Front) take() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n := len(f.spare); n > 0 {
		name := f.spare[n-1]
		f.spare = f.spare[:n-1]

		return name
	}
	f.slots++

	return fmt.Sprintf("copies%d", f.slots)
}

func (f *Front) give(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.spare = append(f.spare, name)
}

// prepare makes a collection of Aside, once.
func (l *link) prepare(id [4]byte, name string) error {
	l.mu.Lock()
	there := l.made[name]
	l.mu.Unlock()
	if there {
		return nil
	}
	_, err := l.exchange(request(id, marshal(bson.D{{Key: "create", Value: name}, {Key: "$db", Value: Aside}})))
	if err != nil {
		return err
	}

	l.mu.Lock()
	defer l.mu.Unlock()
	l.made[name] = true

	return nil
}
