package stores

import (
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/mongox"
)

// Query describes one query of a store, for CheckQueries. Fields are named as they are stored; those of Sort have a "-"
// in front when descending.
type Query struct {
	Name       string // what the store calls it
	Collection string
	Equal      []string // compared for equality, or by $in
	Sort       []string
	Range      []string // compared by order, beyond those that are sorted by
	Residual   []string // looked at only in documents that an index has found: few by then
}

// CheckQueries fails t for each query that no declared index serves: one that begins with the fields compared for
// equality, goes on with those of the sort, and then has those of ranges. A query for an _id is served by itself.
// Reading a whole collection works on every server and shows only when it is large, so no other test would find it. A
// server that explains its plans is asked as well (see deploy/scripts/second-engine).
func CheckQueries(t testing.TB, schema mongox.Schema, queries ...Query) {
	t.Helper()

	for _, q := range queries {
		if slices.Contains(q.Equal, "_id") {
			continue
		}
		if !slices.ContainsFunc(schema[q.Collection], q.servedBy) {
			t.Errorf(
				"query %q of %s: no index serves equality of %v, sort by %v, range of %v",
				q.Name,
				q.Collection,
				q.Equal,
				q.Sort,
				q.Range,
			)
		}
	}
	if test, ok := t.(*testing.T); ok {
		checkPlans(test, schema, queries)
	}
}

func (q Query) servedBy(index mongox.Index) bool {
	fields := index.Fields
	if len(fields) < len(q.Equal)+len(q.Sort) {
		return false
	}

	for _, f := range fields[:len(q.Equal)] {
		if !slices.Contains(q.Equal, strings.TrimPrefix(f, "-")) {
			return false
		}
	}
	fields = fields[len(q.Equal):]
	// Equality comes first, then the sort: behind a range the index would no longer give the order.
	if !inOrder(fields[:len(q.Sort)], q.Sort) {
		return false
	}

	for _, f := range q.Range {
		if !slices.ContainsFunc(fields, func(have string) bool { return strings.TrimPrefix(have, "-") == f }) {
			return false
		}
	}

	return true
}

// inOrder reports whether an index gives a sort, read forwards or backwards.
func inOrder(index, sort []string) bool {
	backwards := slices.Clone(sort)
	for n, f := range backwards {
		if name, descending := strings.CutPrefix(f, "-"); descending {
			backwards[n] = name
		} else {
			backwards[n] = "-" + f
		}
	}

	return slices.Equal(index, sort) || slices.Equal(index, backwards)
}
