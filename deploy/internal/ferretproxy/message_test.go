package ferretproxy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
)

func body(kv ...any) bson.Raw {
	d := bson.D{}
	for n := 0; n < len(kv); n += 2 {
		d = append(d, bson.E{Key: kv[n].(string), Value: kv[n+1]})
	}

	return marshal(d)
}

var anID = [4]byte{1, 2, 3, 4}

func TestParseMessage(t *testing.T) {
	docs := []bson.Raw{body("_id", "a"), body("_id", "b")}
	raw := request(anID, body("insert", "things", "$db", "cases"), sequence{"documents", docs})
	m, err := parseMessage(raw)
	if err != nil {
		t.Fatalf("parseMessage: %v", err)
	}
	if c := commandOf(&m); c != (command{"insert", "cases", "things"}) {
		t.Errorf("command = %+v", c)
	}
	if got := statements(&m, commandOf(&m)); len(got) != 2 || !bytes.Equal(got[1], docs[1]) {
		t.Errorf("statements = %v, want %v", got, docs)
	}
	if !bytes.Equal(plain(&m), raw) {
		t.Error("a message without flags is not passed on as it came")
	}
	m.flags = flagMoreToCome
	again, err := parseMessage(plain(&m))
	if err != nil || again.flags != 0 || !bytes.Equal(again.body, m.body) || len(again.sequences) != 1 || again.id != anID {
		t.Errorf("passed on as %+v, %v, want the same without flags", again, err)
	}
	inBody, err := parseMessage(request(anID, body("insert", "things", "documents", bson.A{docs[0]}, "$db", "cases")))
	if err != nil {
		t.Fatalf("parseMessage: %v", err)
	}
	if got := statements(&inBody, commandOf(&inBody)); len(got) != 1 || !bytes.Equal(got[0], docs[0]) {
		t.Errorf("statements in the body = %v, want %v", got, docs[:1])
	}
}

func TestParseMessageTakesChecksums(t *testing.T) {
	raw := append(request(anID, body("ping", 1)), 9, 9, 9, 9)
	binary.LittleEndian.PutUint32(raw, uint32(len(raw)))
	binary.LittleEndian.PutUint32(raw[headerSize:], flagChecksum)
	m, err := parseMessage(raw)
	if err != nil {
		t.Fatalf("parseMessage: %v", err)
	}
	if !bytes.Equal(plain(&m), request(anID, body("ping", 1))) {
		t.Error("the checksum was not left out")
	}
}

// What the front cannot take apart it must not pass on: it would be a way around its refusals.
func TestParseMessageRefuses(t *testing.T) {
	good := request(anID, body("ping", 1))

	change := func(at int, b byte) []byte {
		raw := bytes.Clone(good)
		raw[at] = b

		return raw
	}
	for name, raw := range map[string][]byte{
		"nothing":            nil,
		"a header alone":     good[:headerSize],
		"no body":            good[:headerSize+4],
		"a compressed one":   change(12, 2012&0xff),
		"unknown flags":      change(headerSize, 4),
		"unknown section":    change(headerSize+4, 2),
		"sequence as body":   change(headerSize+4, 1),
		"a body cut short":   good[:len(good)-1],
		"a body too long":    change(headerSize+5, 0xff),
		"broken BSON":        change(headerSize+9, 0x77),
		"broken below":       request(anID, brokenBelow()),
		"too deep":           request(anID, nested(maxDepth+2)),
		"two bodies":         append(bytes.Clone(good), good[headerSize+4:]...),
		"a checksum too few": change(headerSize, flagChecksum),
	} {
		if _, err := parseMessage(raw); !errors.Is(err, errMalformed) {
			t.Errorf("%s: %v, want %v", name, err, errMalformed)
		}
	}
}

// brokenBelow is a body whose embedded document holds an element of no known type.
func brokenBelow() bson.Raw {
	doc := body("ping", 1, "a", body("b", int32(1)))
	doc[bytes.Index(doc, []byte{0x10, 'b', 0})] = 0x77

	return doc
}

// nested is a body of that many levels.
func nested(levels int) bson.Raw {
	doc := body()
	for range levels - 1 {
		doc = body("a", doc)
	}

	return doc
}

func TestParseMessageTakesWhatMongoDBTakes(t *testing.T) {
	if _, err := parseMessage(request(anID, nested(maxDepth))); err != nil {
		t.Error(err)
	}
}

func TestReadMessageBounds(t *testing.T) {
	for name, size := range map[string]uint32{"too small": 15, "too large": maxMessage + 1} {
		head := make([]byte, headerSize)
		binary.LittleEndian.PutUint32(head, size)
		if _, err := readMessage(bytes.NewReader(head)); !errors.Is(err, errMalformed) {
			t.Errorf("%s: %v, want %v", name, err, errMalformed)
		}
	}
}

func FuzzParseMessage(f *testing.F) {
	f.Add(request(anID, body("ping", 1)))
	f.Add(request(anID, body("insert", "c", "$db", "d"), sequence{"documents", []bson.Raw{body("_id", 1, "a", bson.A{1, body("b", 2)})}}))
	f.Add(request(anID, body("update", "c", "updates", bson.A{body("q", body("_id", "x", "tenant", "t"), "u", body("a", 1))}, "$db", "d")))
	f.Add(request(anID, body("find", "c", "filter", body("_id", "x", "version", int64(1)), "$db", "d")))
	f.Add(request(anID, body("aggregate", "c", "pipeline", bson.A{body("$match", body()), body("$group", body("_id", 1, "n", body("$sum", 1)))}, "$db", "d")))
	f.Add(request(anID, body("aggregate", "c", "pipeline", bson.A{body("$group", 1.5)}, "$db", "d")))
	f.Add(request(anID, body("createIndexes", "c", "indexes", bson.A{body("key", body("a", 1))}, "$db", "d")))
	f.Fuzz(func(t *testing.T, raw []byte) {
		m, err := parseMessage(raw)
		if err != nil || m.op != opMsg {
			return
		}
		c := commandOf(&m)
		if refusal(&m, c) != "" {
			return
		}
		lacking(&m, c, []string{"a", "a.b"})
		if f, ok := readByID(&m, c); ok {
			f.judge(m.body)
			with(m.body, "filter", f.alone())
		}
		if f, statement, ok := writeByID(&m, c); ok {
			with(statement, "q", f.alone())
			without(m.body, payloads[c.name])
		}
		again, err := parseMessage(plain(&m))
		if err != nil || !bytes.Equal(again.body, m.body) || len(again.sequences) != len(m.sequences) {
			t.Errorf("passed on as something else: %v", err)
		}
	})
}

// A refusal must not depend on where in a request the thing stands.
func TestRefusalLooksEverywhere(t *testing.T) {
	for name, m := range map[string]message{
		"in a filter":       {body: body("find", "c", "filter", body("$or", bson.A{body("a", body("$elemMatch", body("b", 1)))}))},
		"in the body":       {body: body("update", "c", "updates", bson.A{body("u", body("$push", body("a", 1)))})},
		"beside the body":   {body: body("update", "c"), sequences: []sequence{{"updates", []bson.Raw{body("u", body()), body("u", body("$pull", body("a", 1)))}}}},
		"in an aggregation": {body: body("aggregate", "c", "pipeline", bson.A{body("$match", body()), body("$lookup", body())})},
	} {
		if got := refusal(&m, commandOf(&m)); got == "" {
			t.Errorf("%s: not refused", name)
		}
	}
}

func TestDiskFull(t *testing.T) {
	const full = "[writer.go] database or disk is full (13)"
	for _, tc := range []struct {
		name  string
		reply bson.Raw
		want  bool
	}{
		{"a success", body("ok", 1.0), false},
		{"another failure", body("ok", 0.0, "errmsg", "no such command", "code", int32(59)), false},
		{"a command that failed", body("ok", 0.0, "errmsg", full, "code", int32(1)), true},
		{"a document that failed", body("ok", 1.0, "writeErrors", bson.A{body("index", int32(0), "errmsg", "duplicate"), body("index", int32(1), "errmsg", full)}), true},
	} {
		if got := diskFull(answer(anID, tc.reply)); got != tc.want {
			t.Errorf("%s: diskFull = %v, want %v", tc.name, got, tc.want)
		}
	}
	told, err := answerBody(noRoom(anID))
	if err != nil || told.Lookup("code").Int32() != codeOutOfDiskSpace {
		t.Errorf("the answer is %v, %v", told, err)
	}
}
