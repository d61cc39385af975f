package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// Schema is the form of a tool's arguments: an object of these fields and no others.
type Schema struct {
	Fields []Field
}

// Field is one argument: a text, a whole number, or a list of whole numbers.
type Field struct {
	Name        string
	Description string
	Type        FieldType
	Required    bool
	Least, Most int // of the number, of each number of a list, or of the code points of a text
	MostItems   int // of a list
}

// FieldType is the type of an argument.
type FieldType string

// The types.
const (
	Text    FieldType = "string"
	Whole   FieldType = "integer"
	Numbers FieldType = "array" // of whole numbers
)

// JSON returns the schema in the words of JSON Schema.
func (s Schema) JSON() map[string]any {
	required := []string{}

	for _, f := range s.Fields {
		if f.Required {
			required = append(required, f.Name)
		}
	}

	return map[string]any{
		"type":                 "object",
		"properties":           s.Properties(),
		"required":             required,
		"additionalProperties": false,
	}
}

// Properties returns the fields in the words of JSON Schema.
func (s Schema) Properties() map[string]any {
	all := map[string]any{}

	for _, f := range s.Fields {
		form := map[string]any{"type": string(f.Type), "description": f.Description}
		switch f.Type {
		case Text:
			form["minLength"], form["maxLength"] = f.Least, f.Most
		case Whole:
			form["minimum"], form["maximum"] = f.Least, f.Most
		case Numbers:
			form["maxItems"] = f.MostItems
			form["items"] = map[string]any{"type": "integer", "minimum": f.Least, "maximum": f.Most}
		}
		all[f.Name] = form
	}

	return all
}

// Required returns the names of the fields that must be there.
func (s Schema) Required() []string {
	var names []string

	for _, f := range s.Fields {
		if f.Required {
			names = append(names, f.Name)
		}
	}

	return names
}

// Arguments are what a call gives to its tool, each of its field's type. Fields that are not given have the zero value.
type Arguments struct {
	texts   map[string]string
	wholes  map[string]int
	numbers map[string][]int
}

// Text returns the argument of a field of type Text.
func (a Arguments) Text(name string) string { return a.texts[name] }

// Whole returns the argument of a field of type Whole, or otherwise when it was not given.
func (a Arguments) Whole(name string, otherwise int) int {
	if n, ok := a.wholes[name]; ok {
		return n
	}

	return otherwise
}

// Numbers returns the argument of a field of type Numbers.
func (a Arguments) Numbers(name string) []int { return a.numbers[name] }

var errNotObject = errors.New("the arguments must be one JSON object")

// Read takes arguments as a model wrote them. Everything must be of the schema: nothing unknown, nothing twice, nothing
// out of bounds. The error says what is wrong and never quotes a value.
func (s Schema) Read(arguments string) (Arguments, error) {
	a := Arguments{map[string]string{}, map[string]int{}, map[string][]int{}}
	// This is how some providers write a call without arguments.
	if strings.TrimSpace(arguments) == "" {
		arguments = "{}"
	}
	// The members are read one by one: decoding into a map would keep the last of two that have the same name.
	dec := json.NewDecoder(strings.NewReader(arguments))
	if start, err := dec.Token(); err != nil || start != json.Delim('{') {
		return a, errNotObject
	}
	seen := map[string]bool{}

	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return a, errNotObject
		}
		name, _ := key.(string)
		at := slices.IndexFunc(s.Fields, func(f Field) bool { return f.Name == name })
		if at < 0 {
			return a, errors.New("there is an argument that the tool does not have")
		}
		if seen[name] {
			return a, fmt.Errorf("%s is given twice", name)
		}
		seen[name] = true
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return a, errNotObject
		}
		if !a.take(s.Fields[at], raw) {
			return a, fmt.Errorf("%s must be %s", name, s.Fields[at].form())
		}
	}
	if _, err := dec.Token(); err != nil {
		return a, errNotObject
	}
	// Something behind the object may be a second call that the provider has mixed in.
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return a, errNotObject
	}

	for _, name := range s.Required() {
		if !seen[name] {
			return a, fmt.Errorf("%s is missing", name)
		}
	}

	return a, nil
}

// form says in words what a field takes.
func (f Field) form() string {
	switch f.Type {
	case Text:
		return fmt.Sprintf("text of %d to %d characters", f.Least, f.Most)
	case Numbers:
		return fmt.Sprintf("a list of at most %d whole numbers from %d to %d", f.MostItems, f.Least, f.Most)
	}

	return fmt.Sprintf("a whole number from %d to %d", f.Least, f.Most)
}

// take keeps one argument if it is of its field's form.
func (a Arguments) take(f Field, raw json.RawMessage) bool {
	// Decoding null into a text or number is no error in Go, and would leave a zero that nobody wrote.
	if bytes.Equal(raw, []byte("null")) {
		return false
	}
	within := func(n int) bool { return n >= f.Least && n <= f.Most }

	switch f.Type {
	case Text:
		var s string
		if json.Unmarshal(raw, &s) != nil || !utf8.ValidString(s) || !within(utf8.RuneCountInString(s)) {
			return false
		}
		a.texts[f.Name] = s
	case Whole:
		var n int
		if json.Unmarshal(raw, &n) != nil || !within(n) {
			return false
		}
		a.wholes[f.Name] = n
	case Numbers:
		var list []*int
		if json.Unmarshal(raw, &list) != nil || len(list) > f.MostItems {
			return false
		}

		for _, n := range list {
			if n == nil || !within(*n) {
				return false
			}
			a.numbers[f.Name] = append(a.numbers[f.Name], *n)
		}
	}

	return true
}
