package ferretproxy

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"
)

const (
	opQuery = 2004 // only the first greeting of a connection
	opMsg   = 2013

	headerSize = 16
	// maxMessage is the largest message of the protocol in bytes.
	maxMessage = 48_000_000

	flagChecksum   = 1 << 0
	flagMoreToCome = 1 << 1
	knownFlags     = flagChecksum | flagMoreToCome | 1<<16
)

var errMalformed = errors.New("malformed message")

// message is one request of the wire protocol. For opMsg it holds the parts, for opQuery only the raw bytes.
type message struct {
	raw       []byte
	id        [4]byte
	op        int32
	flags     uint32
	body      bson.Raw
	sequences []sequence
}

// sequence is a list of documents that a driver sends beside the body: what is inserted, updated or deleted.
type sequence struct {
	name string
	docs []bson.Raw
}

// answered reports whether the client waits for an answer.
func (m *message) answered() bool { return m.flags&flagMoreToCome == 0 }

// readMessage reads one whole message.
func readMessage(r io.Reader) ([]byte, error) {
	var head [headerSize]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint32(head[:])
	// Checked before memory is taken: the length comes from outside.
	if n < headerSize || n > maxMessage {
		return nil, fmt.Errorf("%w: %d bytes", errMalformed, n)
	}
	raw := make([]byte, n)
	copy(raw, head[:])
	_, err := io.ReadFull(r, raw[headerSize:])

	return raw, err
}

// parseMessage takes a request apart. It accepts nothing that it does not understand whole: what it cannot see it could
// not judge.
func parseMessage(raw []byte) (message, error) {
	if len(raw) < headerSize+5 {
		return message{}, errMalformed
	}

	m := message{raw: raw, id: [4]byte(raw[4:8]), op: int32(binary.LittleEndian.Uint32(raw[12:]))}
	switch m.op {
	case opQuery:
		return m, nil
	case opMsg:
	default:
		return message{}, fmt.Errorf("%w: operation %d", errMalformed, m.op)
	}
	m.flags = binary.LittleEndian.Uint32(raw[headerSize:])
	// The protocol asks for an error on unknown required flags.
	if m.flags&^knownFlags != 0 {
		return message{}, fmt.Errorf("%w: flags %x", errMalformed, m.flags)
	}
	rest := raw[headerSize+4:]
	if m.flags&flagChecksum != 0 {
		if len(rest) < 4 {
			return message{}, errMalformed
		}
		rest = rest[:len(rest)-4]
	}

	return m, m.parseSections(rest)
}

func (m *message) parseSections(rest []byte) error {
	for len(rest) > 0 {
		kind := rest[0]
		section, tail, ok := sized(rest[1:])
		if !ok {
			return errMalformed
		}
		rest = tail

		switch {
		case kind == 0 && m.body == nil:
			m.body = bson.Raw(section)
		case kind == 1:
			s, err := parseSequence(section[4:])
			if err != nil {
				return err
			}
			m.sequences = append(m.sequences, s)
		default:
			return fmt.Errorf("%w: section %d", errMalformed, kind)
		}
	}
	if m.body == nil || !sound(m.body, 0) {
		return errMalformed
	}

	return nil
}

// maxDepth is how deep MongoDB lets documents nest.
const maxDepth = 100

// sound reports whether a document can be read at every level; bson.Raw.Validate looks at the first only, and what
// reads deeper takes the rest for granted.
func sound(doc bson.Raw, depth int) bool {
	if depth > maxDepth || doc.Validate() != nil {
		return false
	}
	elements, err := doc.Elements()
	if err != nil {
		return false
	}

	for _, e := range elements {
		switch v := e.Value(); v.Type {
		case bson.TypeEmbeddedDocument, bson.TypeArray:
			if !sound(bson.Raw(v.Value), depth+1) {
				return false
			}
		}
	}

	return true
}

func parseSequence(b []byte) (sequence, error) {
	name, rest, ok := bsoncore.ReadKey(b)
	if !ok {
		return sequence{}, errMalformed
	}
	s := sequence{name: name}

	for len(rest) > 0 {
		doc, tail, ok := sized(rest)
		if !ok || !sound(doc, 0) {
			return sequence{}, errMalformed
		}
		s.docs = append(s.docs, bson.Raw(doc))
		rest = tail
	}

	return s, nil
}

// sized splits off what begins with its own length in bytes.
func sized(b []byte) (part, rest []byte, ok bool) {
	if len(b) < 5 {
		return nil, nil, false
	}
	n := int(binary.LittleEndian.Uint32(b))
	if n < 5 || n > len(b) {
		return nil, nil, false
	}

	return b[:n], b[n:], true
}

// request builds a message that FerretDB can read, from a body and at most one sequence, with the id of the client's
// request.
func request(id [4]byte, body []byte, seqs ...sequence) []byte {
	raw := make([]byte, headerSize+4, headerSize+64+len(body))
	copy(raw[4:], id[:])
	binary.LittleEndian.PutUint32(raw[12:], opMsg)
	raw = append(raw, 0)

	raw = append(raw, body...)
	for _, s := range seqs {
		raw = append(raw, 1)
		at := len(raw)
		raw = append(raw, 0, 0, 0, 0)
		raw = append(raw, s.name...)

		raw = append(raw, 0)
		for _, doc := range s.docs {
			raw = append(raw, doc...)
		}
		// Lengths count themselves, so they are known only at the end.
		binary.LittleEndian.PutUint32(raw[at:], uint32(len(raw)-at))
	}
	binary.LittleEndian.PutUint32(raw, uint32(len(raw)))

	return raw
}

// answer builds the message that answers the request with that id.
func answer(id [4]byte, body []byte) []byte {
	raw := request([4]byte{}, body)
	copy(raw[8:12], id[:])

	return raw
}

// answerBody returns the document of an answer.
func answerBody(raw []byte) (bson.Raw, error) {
	m, err := parseMessage(raw)
	if err != nil {
		return nil, err
	}
	if m.op != opMsg {
		return nil, fmt.Errorf("%w: answer of operation %d", errMalformed, m.op)
	}

	return m.body, nil
}

// without returns doc less one top-level element.
func without(doc bson.Raw, key string) bson.Raw {
	return rebuild(doc, func(e bson.RawElement, dst []byte) []byte {
		if e.Key() == key {
			return dst
		}

		return append(dst, e...)
	})
}

// with returns doc with the value of one top-level document element replaced.
func with(doc bson.Raw, key string, value bson.Raw) bson.Raw {
	return rebuild(doc, func(e bson.RawElement, dst []byte) []byte {
		if e.Key() == key {
			return bsoncore.AppendDocumentElement(dst, key, bsoncore.Document(value))
		}

		return append(dst, e...)
	})
}

func rebuild(doc bson.Raw, add func(bson.RawElement, []byte) []byte) bson.Raw {
	start, dst := bsoncore.AppendDocumentStart(make([]byte, 0, len(doc)))
	elements, err := doc.Elements()
	if err != nil {
		// Cannot fail: the document was validated when the message was parsed.
		panic(err)
	}

	for _, e := range elements {
		dst = add(e, dst)
	}
	dst, err = bsoncore.AppendDocumentEnd(dst, start)
	if err != nil {
		// Cannot fail: start belongs to dst.
		panic(err)
	}

	return bson.Raw(dst)
}
