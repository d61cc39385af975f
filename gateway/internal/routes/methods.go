package routes

import (
	"slices"
	"strings"
)

// Methods returns the methods that a path takes, sorted. A route that is the path itself comes before routes with
// parameters, as in OpenAPI: DELETE /v1/agents/{agentId} is no method of /v1/agents/register.
func Methods(all []Route, path string) []string {
	var literal, others []string

	for _, r := range all {
		switch {
		case r.Path == path:
			literal = append(literal, r.Method)
		case parameters(r.Path) && fits(r.Path, path):
			others = append(others, r.Method)
		}
	}
	methods := others
	if len(literal) > 0 {
		methods = literal
	}
	slices.Sort(methods)

	return slices.Compact(methods)
}

// Shadowed lists the methods of routes with parameters that a path without any would fall to, though it does not have
// them.
func Shadowed(all []Route, path string) []string {
	own := Methods(all, path)

	var found []string
	for _, r := range all {
		known := slices.Contains(own, r.Method) || slices.Contains(found, r.Method)
		if !known && parameters(r.Path) && fits(r.Path, path) {
			found = append(found, r.Method)
		}
	}

	return found
}

func parameters(template string) bool { return strings.ContainsAny(template, ":*") }

// fits reports whether a path is one of a template.
func fits(template, path string) bool {
	want, got := strings.Split(template, "/"), strings.Split(path, "/")
	for i, part := range want {
		switch {
		case strings.HasPrefix(part, "*"):
			// A wildcard takes the rest of a path, also nothing.
			return len(got) >= i
		case i >= len(got) || part != got[i] && (!strings.HasPrefix(part, ":") || got[i] == ""):
			return false
		}
	}

	return len(want) == len(got)
}
