// Package strictjson reads JSON that others wrote, so that no second reader can see another document than we do.
// Programs that speak no HTTP read by it too.
package strictjson

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
)

const maxDepth = 32 // levels

// Failures of decoding.
var (
	ErrMalformed = errs.New(
		errs.Invalid,
		"malformed_json",
		"The body is not one well-formed JSON value in UTF-8. Send valid JSON with each key once.",
	)
	ErrUnknown = errs.New(
		errs.Invalid,
		"unknown_field",
		"The body has a field that this operation does not know. Remove it.",
	)
	ErrRefusedName = errs.New(
		errs.Forbidden,
		"identity_refused",
		"A field with this name would carry a real identity, which this service never accepts. "+
			"Keep it in the browser and use a label such as [Party 1].",
	)
	ErrValidation = errs.New(
		errs.Invalid,
		"validation_failed",
		"A field has a value of the wrong type or form. See details.",
	)
)

// Decode reads the one JSON object of body into v, a pointer to a struct. Unknown fields, doubled keys, wrong types, a
// second value and more than 32 levels are refused; a field whose name asks for an identity is refused as such. Field
// names match exactly, unlike in encoding/json alone.
func Decode(body []byte, v any) error {
	if !utf8.Valid(body) || halfPair(body) {
		return ErrMalformed
	}
	err := checkText(body, reflect.TypeOf(v).Elem())
	// The walk ends at the first name that it does not know. A text that breaks off behind it is no JSON, and says
	// nothing about its fields.
	if errors.Is(err, ErrUnknown) || errors.Is(err, ErrRefusedName) {
		return cmp.Or(checkText(body, nil), err)
	}
	if err != nil {
		return err
	}
	if bytes.Equal(bytes.TrimSpace(body), []byte("null")) {
		// null would leave v as it is and pass for a body with nothing in it.
		return ErrValidation
	}
	if err := json.Unmarshal(WholeNumbers(body), v); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) {
			return ErrValidation.WithDetails(errs.Detail{Path: wrong.Field, Message: "must be " + jsonType(wrong.Type)})
		}

		return ErrValidation
	}

	return nil
}

// checkText checks the one value that body may have beside the type that it will be decoded into, nil for any.
func checkText(body []byte, t reflect.Type) error {
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	if err := check(dec, t, "", 0); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return ErrMalformed
	}

	return nil
}

// check walks one value beside the type it will be decoded into, so that unknown fields are found with their path and
// by their exact name. A nil type takes anything.
func check(dec *json.Decoder, t reflect.Type, path string, depth int) error {
	if depth > maxDepth {
		return ErrMalformed
	}
	token, err := dec.Token()
	if err != nil {
		return ErrMalformed
	}

	switch token {
	case json.Delim('{'):
		return checkObject(dec, t, path, depth)
	case json.Delim('['):
		elem := elementOf(t)
		for dec.More() {
			if err := check(dec, elem, path+"[]", depth+1); err != nil {
				return err
			}
		}
		if _, err := dec.Token(); err != nil {
			return ErrMalformed
		}
	}

	return nil
}

func checkObject(dec *json.Decoder, t reflect.Type, path string, depth int) error {
	known, open := fieldsOf(t)
	seen := map[string]bool{}

	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return ErrMalformed
		}
		name, _ := token.(string)
		if seen[name] {
			return ErrMalformed
		}
		seen[name] = true
		at := Join(path, name)
		field, ok := known[name]
		if !ok && !open {
			if guard.RefusedField(name) {
				return ErrRefusedName.WithDetails(errs.Detail{Path: at, Kind: "field_name"})
			}

			return ErrUnknown.WithDetails(errs.Detail{Path: at, Message: oneOf(known)})
		}
		if err := check(dec, field, at, depth+1); err != nil {
			return err
		}
	}
	if _, err := dec.Token(); err != nil {
		return ErrMalformed
	}

	return nil
}

// oneOf tells which fields there are.
func oneOf(known map[string]reflect.Type) string {
	if len(known) == 0 {
		return "no field is allowed here"
	}

	return "allowed are " + strings.Join(slices.Sorted(maps.Keys(known)), ", ")
}

var unmarshaler = reflect.TypeFor[json.Unmarshaler]()

// structs holds the fields of each type that was asked for, as fieldsOf returns them. It is the one variable of this
// package that changes. The fields of a type never do, so it can give nobody another answer than reflection would;
// an owner of it would have to be handed through every handler to Decode.
var structs sync.Map

// fieldsOf returns the JSON names of a struct's fields, for reading alone; open means that t takes any name.
func fieldsOf(t reflect.Type) (known map[string]reflect.Type, open bool) {
	t = dereference(t)
	if t == nil || t.Kind() != reflect.Struct || reflect.PointerTo(t).Implements(unmarshaler) {
		return nil, true
	}
	// Reflection over the fields takes longer than all else that decoding does.
	if fields, ok := structs.Load(t); ok {
		known, _ = fields.(map[string]reflect.Type)
		return known, false
	}
	known = map[string]reflect.Type{}

	for _, f := range reflect.VisibleFields(t) {
		if !f.IsExported() || f.Anonymous {
			continue
		}

		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch name {
		case "-":
		case "":
			known[f.Name] = f.Type
		default:
			known[name] = f.Type
		}
	}
	structs.Store(t, known)

	return known, false
}

func elementOf(t reflect.Type) reflect.Type {
	t = dereference(t)
	if t == nil || t.Kind() != reflect.Slice && t.Kind() != reflect.Array {
		return nil
	}

	return t.Elem()
}

func dereference(t reflect.Type) reflect.Type {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}

	return t
}

// Join extends a path by a name that came from outside. Only what could be a field's name is repeated to the caller: a
// key may be an identity too.
func Join(path, name string) string {
	if !repeatable(name) {
		name = "?"
	}
	if path == "" {
		return name
	}

	return path + "." + name
}

// repeatable reports whether a name is of the form of a field's and made of words that identify nobody.
func repeatable(name string) bool {
	if len(name) > 40 {
		return false
	}
	var words strings.Builder

	for _, r := range name {
		switch {
		case r >= 'A' && r <= 'Z':
			words.WriteByte(' ')
			words.WriteRune(r + 'a' - 'A')
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			words.WriteRune(r)
		case r == '_', r == '-':
			words.WriteByte(' ')
		default:
			return false
		}
	}

	return guard.RefusedField(name) || len(guard.New().Check(context.Background(), guard.Prompt, words.String())) == 0
}

func jsonType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "an array"
	case reflect.Struct, reflect.Map:
		return "an object"
	}

	return "a whole number"
}

// WellFormed checks that body is one JSON object in UTF-8 with each key once, at most 32 levels deep; which keys, does
// not matter.
func WellFormed(body []byte) error {
	if !utf8.Valid(body) || halfPair(body) || !bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) {
		return ErrMalformed
	}

	return checkText(body, nil)
}

// halfPair reports whether an escape in body is half of a surrogate pair, such as \ud800, which no text holds.
// encoding/json would put another character in its place, and offsets would no longer count what was sent.
func halfPair(body []byte) bool {
	for {
		at := bytes.IndexByte(body, '\\')
		if at < 0 || at+1 >= len(body) {
			return false
		}
		unit, ok := escapedUnit(body[at:])
		if !ok {
			// It was another escape.
			body = body[at+2:]
			continue
		}
		body = body[at+len(`\u0000`):]
		if !utf16.IsSurrogate(unit) {
			continue
		}

		low, ok := escapedUnit(body)
		if !ok || utf16.DecodeRune(unit, low) == utf8.RuneError {
			return true
		}
		body = body[len(`\u0000`):]
	}
}

// escapedUnit reads the UTF-16 unit of an escape such as \u00e9 at the start of body.
func escapedUnit(body []byte) (rune, bool) {
	if len(body) < len(`\u0000`) || body[0] != '\\' || body[1] != 'u' {
		return 0, false
	}
	unit, err := strconv.ParseUint(string(body[2:6]), 16, 16)

	return rune(unit), err == nil
}
