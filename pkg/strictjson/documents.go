package strictjson

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"unicode"
)

// DecodeStranger reads a document that somebody else wrote, such as an agent card, into v, a pointer to a struct.
// What v does not name is ignored. Two members of an object whose names differ only in the case of their letters are
// ErrMalformed, and so is an outermost member that v names in another case: encoding/json alone would take either of
// them, so a second reader could see another document than we do. The other failures are those of WellFormed, and
// ErrMalformed for a value of another type than v's.
func DecodeStranger(body []byte, v any) error { return decodeStranger(body, v, maxDepth) }

// DecodeClaims is DecodeStranger for the claims of a token. Only the names of its outermost members are compared in
// all cases: below them are names that others chose, such as those of roles.
func DecodeClaims(body []byte, v any) error { return decodeStranger(body, v, 0) }

func decodeStranger(body []byte, v any, depth int) error {
	if err := WellFormed(body); err != nil {
		return err
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	known, _ := fieldsOf(reflect.TypeOf(v).Elem())
	if err := distinct(dec, known, depth); err != nil {
		return err
	}
	if json.Unmarshal(body, v) != nil {
		return ErrMalformed
	}

	return nil
}

// distinct checks the names in the next value of a well-formed text down to a depth. known are the names that the
// outermost object must spell as they stand there.
func distinct(dec *json.Decoder, known map[string]reflect.Type, depth int) error {
	// The spelling that a member must have, by its folded form.
	spelled := map[string]string{}
	for name := range known {
		spelled[folded(name)] = name
	}
	token, err := dec.Token()
	if err != nil {
		return ErrMalformed
	}
	within, object := token.(json.Delim)
	object = object && within == '{'

	for within != 0 && dec.More() {
		if object {
			token, _ := dec.Token()
			name, _ := token.(string)
			first, ok := spelled[folded(name)]
			if ok && first != name {
				return ErrMalformed
			}
			spelled[folded(name)] = name
		}
		if depth == 0 {
			var rest json.RawMessage
			err = dec.Decode(&rest)
		} else {
			err = distinct(dec, nil, depth-1)
		}
		if err != nil {
			return ErrMalformed
		}
	}
	if within != 0 {
		_, err = dec.Token()
	}

	return err
}

// folded returns what all spellings of a name have in common that encoding/json takes for the same.
func folded(name string) string {
	return strings.Map(func(r rune) rune {
		for next := unicode.SimpleFold(r); ; r, next = next, unicode.SimpleFold(next) {
			if next <= r {
				// It is the smallest of those that differ in case alone.
				return next
			}
		}
	}, name)
}
