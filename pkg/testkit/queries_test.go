package testkit_test

import (
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// noted takes note of failures.
type noted struct {
	testing.TB
	failed bool
}

func (n *noted) Helper()               {}
func (n *noted) Errorf(string, ...any) { n.failed = true }

func TestCheckQueries(t *testing.T) {
	schema := mongox.Schema{"cases": {{Fields: []string{"tenant", "status", "-updatedAt", "_id"}}, {Fields: []string{"expiresAt"}}}}

	for _, tc := range []struct {
		name  string
		query testkit.Query
		want  bool
	}{
		{"by id", testkit.Query{Equal: []string{"_id", "tenant"}}, true},
		{"equality", testkit.Query{Equal: []string{"tenant"}}, true},
		{"equality in another order", testkit.Query{Equal: []string{"status", "tenant"}}, true},
		{"equality of a later field", testkit.Query{Equal: []string{"status"}}, false},
		{"sorted", testkit.Query{Equal: []string{"tenant", "status"}, Sort: []string{"-updatedAt", "_id"}}, true},
		{"sorted backwards", testkit.Query{Equal: []string{"tenant", "status"}, Sort: []string{"updatedAt", "-_id"}}, true},
		{"sorted crosswise", testkit.Query{Equal: []string{"tenant", "status"}, Sort: []string{"updatedAt", "_id"}}, false},
		{"sorted over a gap", testkit.Query{Equal: []string{"tenant"}, Sort: []string{"-updatedAt"}}, false},
		{"range after the sort", testkit.Query{Equal: []string{"tenant", "status"}, Sort: []string{"-updatedAt"}, Range: []string{"_id"}}, true},
		{"range of what is sorted by", testkit.Query{Equal: []string{"tenant", "status"}, Sort: []string{"-updatedAt"}, Range: []string{"updatedAt"}}, true},
		{"range alone", testkit.Query{Range: []string{"expiresAt"}}, true},
		{"range of another field", testkit.Query{Equal: []string{"tenant"}, Range: []string{"openedOn"}}, false},
		{"residual", testkit.Query{Equal: []string{"tenant"}, Residual: []string{"openedOn"}}, true},
		{"another collection", testkit.Query{Collection: "files", Equal: []string{"tenant"}}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.query.Collection == "" {
				tc.query.Collection = "cases"
			}
			n := &noted{TB: t}
			testkit.CheckQueries(n, schema, tc.query)
			if n.failed == tc.want {
				t.Errorf("served = %v, want %v", !n.failed, tc.want)
			}
		})
	}
}
