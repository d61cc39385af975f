package stores_test

import (
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

// noted takes note of failures.
type noted struct {
	testing.TB
	failed bool
}

func (n *noted) Helper()               {}
func (n *noted) Errorf(string, ...any) { n.failed = true }

func TestCheckQueries(t *testing.T) {
	schema := mongox.Schema{
		"cases": {{Fields: []string{"tenant", "status", "-updatedAt", "_id"}}, {Fields: []string{"expiresAt"}}},
	}

	for _, tc := range []struct {
		name  string
		query stores.Query
		want  bool
	}{
		{"by id", stores.Query{Equal: []string{"_id", "tenant"}}, true},
		{"equality", stores.Query{Equal: []string{"tenant"}}, true},
		{"equality in another order", stores.Query{Equal: []string{"status", "tenant"}}, true},
		{"equality of a later field", stores.Query{Equal: []string{"status"}}, false},
		{"sorted", stores.Query{Equal: []string{"tenant", "status"}, Sort: []string{"-updatedAt", "_id"}}, true},
		{"sorted backwards", stores.Query{Equal: []string{"tenant", "status"}, Sort: []string{"updatedAt", "-_id"}}, true},
		{"sorted crosswise", stores.Query{Equal: []string{"tenant", "status"}, Sort: []string{"updatedAt", "_id"}}, false},
		{"sorted over a gap", stores.Query{Equal: []string{"tenant"}, Sort: []string{"-updatedAt"}}, false},
		{"range after the sort", stores.Query{Equal: []string{"tenant", "status"}, Sort: []string{"-updatedAt"}, Range: []string{"_id"}}, true},
		{"range of what is sorted by", stores.Query{Equal: []string{"tenant", "status"}, Sort: []string{"-updatedAt"}, Range: []string{"updatedAt"}}, true},
		{"range alone", stores.Query{Range: []string{"expiresAt"}}, true},
		{"range of another field", stores.Query{Equal: []string{"tenant"}, Range: []string{"openedOn"}}, false},
		{"residual", stores.Query{Equal: []string{"tenant"}, Residual: []string{"openedOn"}}, true},
		{"another collection", stores.Query{Collection: "files", Equal: []string{"tenant"}}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.query.Collection == "" {
				tc.query.Collection = "cases"
			}
			n := &noted{TB: t}
			stores.CheckQueries(n, schema, tc.query)
			if n.failed == tc.want {
				t.Errorf("served = %v, want %v", !n.failed, tc.want)
			}
		})
	}
}
