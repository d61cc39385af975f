package catalogue

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

const inDocument = "#/components/schemas/"

// object is a JSON Schema that is being put together.
type object map[string]any

// lookup is the schema of a call of legal_lookup that answers a reading operation.
func (d document) lookup(op Operation, query []parameter) (json.RawMessage, error) {
	own := object{"view": object{"enum": op.Views}}
	filters := object{}

	for _, p := range query {
		switch name := OwnArgument(p.Name); {
		case name != "":
			own[name] = about(p)
		case !Fixed(p.Name):
			filters[p.Name] = about(p)
		}
	}
	required := []string{"view"}

	for _, part := range strings.Split(op.Path, "/") {
		name, ok := strings.CutPrefix(part, "{")
		if name = strings.TrimSuffix(name, "}"); !ok {
			continue
		}

		switch {
		case name == "caseId" && op.Views[0] != "case":
			own["caseId"], required = object{"type": "string"}, append(required, "caseId")
		case name == "containerType":
			own["containerType"] = object{"enum": []string{"case", "support", "sales"}}
		default:
			own["id"], required = object{"type": "string"}, append(required, "id")
		}
	}
	if op.Views[0] == "passage" {
		own["from"], own["to"] = object{"type": "integer"}, object{"type": "integer"}
		filters = object{}
	}
	own["detail"] = object{"enum": []string{"brief", "full"}}
	if len(filters) > 0 {
		own["filters"] = object{
			"type":                 "object",
			"additionalProperties": false,
			"description":          "values are text, lists comma-separated",
			"properties":           filters,
		}
	}

	return d.withDefinitions(encoded(object{"type": "object", "required": required, "properties": own}))
}

func about(p parameter) object {
	o := object{"allOf": []json.RawMessage{p.Schema}}
	if p.Description != "" {
		o["description"] = p.Description
	}

	return o
}

// write is the schema of the arguments of a writing operation: what its path names beside the case, and its body.
func (d document) write(inPath []parameter, body json.RawMessage) (json.RawMessage, error) {
	schema := map[string]any{"type": "object"}
	if name, ok := reference(body); ok {
		body = d.Components.Schemas[name]
	}
	if len(body) > 0 {
		schema = nil
		if err := json.Unmarshal(body, &schema); err != nil {
			return nil, err
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	if properties == nil {
		properties = map[string]any{}
	}

	for _, p := range inPath {
		properties[p.Name] = p.Schema
		// A call has arguments of its own for these two; either place will do.
		if p.Name == "caseId" || p.Name == "branchId" {
			properties[p.Name] = object{
				"type":        "string",
				"description": "may stand in the call's own " + p.Name + " instead",
			}
		}
	}
	schema["properties"] = properties

	return d.withDefinitions(encoded(schema))
}

func reference(schema json.RawMessage) (name string, ok bool) {
	var r struct {
		Ref string `json:"$ref"`
	}
	if json.Unmarshal(schema, &r) != nil {
		return "", false
	}

	return strings.CutPrefix(r.Ref, inDocument)
}

// withDefinitions returns a schema that stands by itself: what it refers to comes along under $defs.
func (d document) withDefinitions(schema json.RawMessage) (json.RawMessage, error) {
	definitions := object{}

	// Schemas may refer to each other in a circle, so what is done is not done again.
	for open := named(schema); len(open) > 0; {
		name := open[0]
		open = open[1:]
		if _, done := definitions[name]; done {
			continue
		}
		definitions[name] = here(d.Components.Schemas[name])
		open = append(open, named(d.Components.Schemas[name])...)
	}
	if len(definitions) == 0 {
		return schema, nil
	}
	var whole object
	if err := json.Unmarshal(here(schema), &whole); err != nil {
		return nil, err
	}
	whole["$defs"] = definitions

	return encoded(whole), nil
}

// named lists the schemas of the document that a schema refers to.
func named(schema json.RawMessage) []string {
	var names []string

	for rest := string(schema); ; {
		_, after, ok := strings.Cut(rest, `"`+inDocument)
		if !ok {
			slices.Sort(names)
			return slices.Compact(names)
		}
		name, remains, _ := strings.Cut(after, `"`)
		names, rest = append(names, name), remains
	}
}

func here(schema json.RawMessage) json.RawMessage {
	return bytes.ReplaceAll(schema, []byte(`"`+inDocument), []byte(`"#/$defs/`))
}

// encoded writes a schema, whose members come in order of their names, so that every replica writes the same.
func encoded(schema any) json.RawMessage {
	text, err := json.Marshal(schema)
	if err != nil { // only what was read as JSON is in it
		panic("catalogue: " + err.Error())
	}

	return text
}
