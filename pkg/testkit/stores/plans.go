package stores

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"github.com/subrosa-legal/subrosa/pkg/mongox"
)

// explaining names the variable by which deploy/scripts/second-engine says that the MongoDB of the tests explains its
// plans.
const explaining = "TEST_SECOND_ENGINE"

// checkPlans has the MongoDB of the tests say how it would find what queries ask for: by an index, and never by reading
// a whole collection. Without a server that explains its plans it does nothing.
func checkPlans(t *testing.T, schema mongox.Schema, queries []Query) {
	t.Helper()
	if os.Getenv(explaining) == "" {
		return
	}
	db := Mongo(t)
	Index(t, db, schema)

	asked := 0

	for _, q := range queries {
		if !q.plannedBySecondEngine(schema[q.Collection]) {
			t.Logf("query %q of %s is left out: the engine reads the collection for it", q.Name, q.Collection)
			continue
		}
		asked++
		plan, err := explain(t, db, q)
		if err != nil {
			t.Errorf("query %q of %s cannot be explained: %v", q.Name, q.Collection, err)
			continue
		}
		stages := stagesOf(plan)
		said := strings.Join(stages, " < ")
		indexed := strings.Contains(said, "IXSCAN") || strings.Contains(said, "IDHACK")
		if !indexed || strings.Contains(said, "COLLSCAN") {
			t.Errorf("query %q of %s reads more than it must: %s", q.Name, q.Collection, said)
		}
	}
	t.Logf("%d of %d queries are served by an index, as the server explains", asked, len(queries))
}

// plannedBySecondEngine reports whether SecantusDB 0.7.0b3 has a plan by index for a query. It has one only where the
// fields that a filter names are all the first of one index, that of a range last: a further field, a second range, an
// _id beside another field or a range of them has it read the whole collection. MongoDB reads by the index and looks at
// the rest. TestDefectsOfTheSecondEngine in mongox shows each of these without our code.
func (q Query) plannedBySecondEngine(indexes []mongox.Index) bool {
	named := len(q.Equal) + len(q.Residual) + len(q.Range)
	if slices.Contains(q.Equal, "_id") || slices.Contains(q.Range, "_id") {
		return named == 1 && len(q.Range) == 0
	}

	return slices.ContainsFunc(indexes, func(i mongox.Index) bool {
		if len(i.Fields) < named || len(q.Range) > 1 {
			return false
		}

		for n, f := range i.Fields[:named] {
			among := q.Range
			if n < named-len(q.Range) {
				among = slices.Concat(q.Equal, q.Residual)
			}
			if !slices.Contains(among, strings.TrimPrefix(f, "-")) {
				return false
			}
		}

		return true
	})
}

// explain returns the plan that the server has for a query with some values.
func explain(t *testing.T, db *mongo.Database, q Query) (bson.Raw, error) {
	t.Helper()
	filter, sort := bson.D{}, bson.D{}

	for _, f := range q.Sort {
		name, descending := strings.CutPrefix(f, "-")
		order := 1
		if descending {
			order = -1
		}
		sort = append(sort, bson.E{Key: name, Value: order})
	}

	for _, f := range append(q.Equal[:len(q.Equal):len(q.Equal)], q.Residual...) {
		filter = append(filter, bson.E{Key: f, Value: "v"})
	}

	for _, f := range q.Range {
		filter = append(filter, bson.E{Key: f, Value: bson.D{{Key: "$gt", Value: "v"}}})
	}
	// A page of all that there is: the engine plans by an index only where a filter names a field.
	if len(filter) == 0 && len(q.Sort) > 0 {
		first := strings.TrimPrefix(q.Sort[0], "-")
		filter = bson.D{{Key: first, Value: bson.D{{Key: "$gt", Value: "v"}}}}
	}
	find := bson.D{{Key: "find", Value: q.Collection}, {Key: "filter", Value: filter}}
	if len(sort) > 0 {
		find = append(find, bson.E{Key: "sort", Value: sort})
	}

	command := bson.D{{Key: "explain", Value: find}, {Key: "verbosity", Value: "queryPlanner"}}
	answer, err := db.RunCommand(t.Context(), command).Raw()
	if err != nil {
		return nil, fmt.Errorf("explain: %w", err)
	}
	plan, _ := answer.Lookup("queryPlanner", "winningPlan").DocumentOK()

	return plan, nil
}

// stagesOf names the stages of a plan, the last first, those that read with their index.
func stagesOf(plan bson.Raw) []string {
	var stages []string

	for len(plan) > 0 {
		stage, _ := plan.Lookup("stage").StringValueOK()
		if index, ok := plan.Lookup("indexName").StringValueOK(); ok {
			stage += " " + index
		}
		stages = append(stages, stage)
		if several, ok := plan.Lookup("inputStages").ArrayOK(); ok {
			values, _ := several.Values()
			for _, v := range values {
				inner, _ := v.DocumentOK()
				stages = append(stages, stagesOf(inner)...)
			}
		}
		plan, _ = plan.Lookup("inputStage").DocumentOK()
	}

	return stages
}
