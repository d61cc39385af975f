package e2e_test

import (
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// place is where a text stands in a body: names of fields, "[]" for a member of a list, "*" for a name that the caller chooses.
type place []string

func (p place) String() string {
	return strings.ReplaceAll(strings.ReplaceAll(strings.Join(p, "."), ".[]", "[0]"), "[]", "[0]")
}

// textsOf lists the places at which a body of a schema may hold text, with their schemas.
func textsOf(s *openapi3.Schema, at place, use func(place, *openapi3.Schema)) {
	if len(at) > 8 {
		return
	}

	for _, list := range []openapi3.SchemaRefs{s.OneOf, s.AnyOf, s.AllOf} {
		for _, one := range list {
			textsOf(one.Value, at, use)
		}
	}
	if s.Type.Includes("string") {
		use(at, s)
	}
	if s.Items != nil {
		textsOf(s.Items.Value, append(slices.Clone(at), "[]"), use)
	}

	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		textsOf(s.Properties[name].Value, append(slices.Clone(at), name), use)
	}
	if more := s.AdditionalProperties.Schema; more != nil {
		use(append(slices.Clone(at), "*"), more.Value)
		textsOf(more.Value, append(slices.Clone(at), "word"), use)
	}
}

// planting returns v with text at a place. What stands around it is made where it is missing.
func planting(v any, s *openapi3.Schema, at place, text string, b bindings) any {
	if len(at) == 0 {
		return text
	}
	s = branchWith(s, at[0])
	if at[0] == "[]" {
		list, _ := v.([]any)
		var first any
		if len(list) > 0 {
			first = list[0]
		} else if s.Items != nil {
			first = specimen("", s.Items.Value, b)
		}

		return append([]any{planting(first, s.Items.Value, at[1:], text, b)}, list[min(1, len(list)):]...)
	}
	body, ok := v.(map[string]any)
	if !ok {
		if body, ok = specimen("", s, b).(map[string]any); !ok {
			body = map[string]any{}
		}
	}
	body = maps.Clone(body)
	if at[0] == "*" {
		body[text] = 1
		if more := s.AdditionalProperties.Schema; more != nil {
			body[text] = specimen("", more.Value, b)
		}

		return body
	}
	inner := s.AdditionalProperties.Schema
	if known := s.Properties[at[0]]; known != nil {
		inner = known
	}
	body[at[0]] = planting(body[at[0]], inner.Value, at[1:], text, b)

	return body
}

// branchWith returns the alternative of a schema that has the step.
func branchWith(s *openapi3.Schema, step string) *openapi3.Schema {
	for _, list := range []openapi3.SchemaRefs{s.OneOf, s.AnyOf, s.AllOf} {
		for _, one := range list {
			if in := branchWith(one.Value, step); step == "[]" && in.Items != nil || in.Properties[step] != nil || in.AdditionalProperties.Schema != nil && step != "[]" {
				return in
			}
		}
	}

	return s
}

// free reports whether a schema leaves it to the caller what a text says.
func free(s *openapi3.Schema) bool {
	return len(s.Enum) == 0 && s.Pattern == "" && s.Format == "" && s.Const == nil
}
