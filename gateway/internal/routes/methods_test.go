package routes_test

import (
	"slices"
	"testing"

	"github.com/subrosa-legal/subrosa/gateway/internal/routes"
)

func TestMethods(t *testing.T) {
	t.Parallel()

	all := []routes.Route{
		{Method: "GET", Path: "/agents/me"},
		{Method: "POST", Path: "/agents/register"},
		{Method: "DELETE", Path: "/agents/:agentId"},
		{Method: "GET", Path: "/agents/:agentId/health"},
		{Method: "GET", Path: "/app/*page"},
		{Method: "GET", Path: "/cases/:caseId"},
		{Method: "PATCH", Path: "/cases/:caseId"},
	}
	for path, want := range map[string][]string{
		"/agents/me":        {"GET"},
		"/agents/register":  {"POST"},
		"/agents/a":         {"DELETE"},
		"/agents/me/health": {"GET"},
		"/agents/":          nil,
		"/agents":           nil,
		"/app/a/b":          {"GET"},
		"/cases/1":          {"GET", "PATCH"},
		"/cases/1/2":        nil,
	} {
		if got := routes.Methods(all, path); !slices.Equal(got, want) {
			t.Errorf("%s has %v, want %v", path, got, want)
		}
	}

	for path, want := range map[string][]string{
		"/agents/me": {"DELETE"}, "/agents/register": {"DELETE"}, "/cases/1": nil,
	} {
		if got := routes.Shadowed(all, path); !slices.Equal(got, want) {
			t.Errorf("%s would fall to %v, want %v", path, got, want)
		}
	}
}
