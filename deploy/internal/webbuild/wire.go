package webbuild

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	contract "github.com/subrosa-legal/subrosa/pkg/api"
)

const wireHead = "// Made from pkg/api/openapi.yaml by make web; not to be edited. " +
	"What the service takes and sends, by the names of its interface.\n"

// Wire returns the schemas of the OpenAPI document as types of TypeScript, so that the app and the contract cannot
// drift apart.
func Wire() ([]byte, error) {
	doc, err := openapi3.NewLoader().LoadFromData(contract.Contract())
	if err != nil {
		return nil, err
	}
	var out strings.Builder
	out.WriteString(wireHead)

	for _, name := range slices.Sorted(maps.Keys(doc.Components.Schemas)) {
		s := doc.Components.Schemas[name]
		out.WriteString("\n" + comment(s.Value.Description, ""))
		fmt.Fprintf(&out, "export type %s = %s;\n", name, typeOf(s, ""))
	}

	return []byte(out.String()), nil
}

func comment(text, indent string) string {
	if text == "" {
		return ""
	}

	return indent + "/** " + strings.Join(strings.Fields(strings.ReplaceAll(text, "*/", "")), " ") + " */\n"
}

// typeOf writes a schema as a type; the inside of an object stands two blanks further in than indent.
func typeOf(ref *openapi3.SchemaRef, indent string) string {
	if ref == nil || ref.Value == nil {
		return "unknown"
	}
	if ref.Ref != "" {
		return ref.Ref[strings.LastIndexByte(ref.Ref, '/')+1:]
	}

	s := ref.Value
	switch {
	case s.Const != nil:
		return union([]any{s.Const})
	case len(s.Enum) > 0:
		return union(s.Enum)
	case len(s.OneOf) > 0:
		return alternatives(s.OneOf, " | ", indent)
	case len(s.AnyOf) > 0 && len(s.Properties) == 0:
		return alternatives(s.AnyOf, " | ", indent)
	case len(s.AllOf) > 0:
		return alternatives(s.AllOf, " & ", indent)
	}

	var all []string
	for _, kind := range s.Type.Slice() {
		all = append(all, plain(kind, s, indent))
	}
	if len(all) == 0 {
		return plain("", s, indent)
	}

	return strings.Join(all, " | ")
}

func plain(kind string, s *openapi3.Schema, indent string) string {
	switch kind {
	case "string", "boolean", "null":
		return kind
	case "integer", "number":
		return "number"
	case "array":
		item := typeOf(s.Items, indent)
		if strings.ContainsAny(item, "|&") {
			// "a | b[]" would be an array of b alone.
			item = "(" + item + ")"
		}

		return item + "[]"
	}
	if kind == "" && len(s.Properties) == 0 {
		return "unknown"
	}

	return object(s, indent)
}

func object(s *openapi3.Schema, indent string) string {
	if len(s.Properties) == 0 {
		return "Record<string, " + typeOf(s.AdditionalProperties.Schema, indent) + ">"
	}
	inner := indent + "  "
	var out strings.Builder
	out.WriteString("{\n")

	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		property := s.Properties[name]
		optional := "?"
		if slices.Contains(s.Required, name) {
			optional = ""
		}
		key := name
		// Names such as If-Match are no identifiers.
		if strings.Trim(strings.ToLower(name), "abcdefghijklmnopqrstuvwxyz0123456789_") != "" {
			key = quoted(name)
		}
		if property.Ref == "" && property.Value != nil {
			out.WriteString(comment(property.Value.Description, inner))
		}
		fmt.Fprintf(&out, "%s%s%s: %s;\n", inner, key, optional, typeOf(property, inner))
	}

	return out.String() + indent + "}"
}

func alternatives(refs openapi3.SchemaRefs, between, indent string) string {
	var all []string

	for _, ref := range refs {
		one := typeOf(ref, indent)
		if !slices.Contains(all, one) {
			all = append(all, one)
		}
	}

	return strings.Join(all, between)
}

func union(values []any) string {
	var all []string

	for _, v := range values {
		text, err := json.Marshal(v)
		if err != nil {
			// Cannot fail: the value was read from JSON.
			panic(err)
		}
		all = append(all, string(text))
	}

	return strings.Join(all, " | ")
}

func quoted(name string) string { return union([]any{name}) }
