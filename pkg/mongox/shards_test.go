package mongox_test

import (
	"errors"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/mongox"
)

func TestShardScript(t *testing.T) {
	unique := mongox.Index{Fields: []string{"tenant", "number"}, Unique: true}
	plain := mongox.Index{Fields: []string{"tenant", "at"}}
	whole := mongox.Index{Fields: []string{"tenant", "_id"}}

	for _, tc := range []struct {
		name    string
		indexes []mongox.Index
		key     mongox.ShardKey
		want    string // "" for a key that does not fit
	}{
		{
			"a rule within a tenant",
			[]mongox.Index{unique, plain},
			mongox.ByTenant,
			"sh.shardCollection(\"firm.things\", {\"tenant\": 1})\n",
		},
		{
			"an index of the cluster's own",
			[]mongox.Index{plain},
			mongox.ByTenantAndID,
			"db.getSiblingDB(\"firm\").getCollection(\"things\").createIndex({\"tenant\": 1, \"_id\": 1})\n" +
				"sh.shardCollection(\"firm.things\", {\"tenant\": 1, \"_id\": 1})\n",
		},
		{
			"an index that is declared",
			[]mongox.Index{whole},
			mongox.ByTenantAndID,
			"sh.shardCollection(\"firm.things\", {\"tenant\": 1, \"_id\": 1})\n",
		},
		{"the _id alone", []mongox.Index{plain}, mongox.ByID, "sh.shardCollection(\"firm.things\", {\"_id\": 1})\n"},
		{
			"no index at all", nil, mongox.ByTenant,
			"db.getSiblingDB(\"firm\").getCollection(\"things\").createIndex({\"tenant\": 1})\n" +
				"sh.shardCollection(\"firm.things\", {\"tenant\": 1})\n",
		},
		{
			"an index that descends",
			[]mongox.Index{{Fields: []string{"tenant", "-_id"}}},
			mongox.ByTenantAndID,
			"db.getSiblingDB(\"firm\").getCollection(\"things\").createIndex({\"tenant\": 1, \"_id\": 1})\n" +
				"sh.shardCollection(\"firm.things\", {\"tenant\": 1, \"_id\": 1})\n",
		},
		{
			"a rule that descends",
			[]mongox.Index{{Fields: []string{"-tenant", "number"}, Unique: true}},
			mongox.ByTenant,
			"db.getSiblingDB(\"firm\").getCollection(\"things\").createIndex({\"tenant\": 1})\n" +
				"sh.shardCollection(\"firm.things\", {\"tenant\": 1})\n",
		},
		{"a rule that would be split", []mongox.Index{unique}, mongox.ByTenantAndID, ""},
		{"a rule beside the _id", []mongox.Index{unique}, mongox.ByID, ""},
		{"no key", []mongox.Index{plain}, nil, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			schema := mongox.Schema{"things": tc.indexes}
			got, err := mongox.ShardScript("firm", schema, map[string]mongox.ShardKey{"things": tc.key})
			if got != tc.want || (tc.want == "") != errors.Is(err, mongox.ErrShardKey) {
				t.Errorf("got %q, %v, want %q", got, err, tc.want)
			}
		})
	}
	schema := mongox.Schema{"things": nil, "forgotten": nil}
	_, err := mongox.ShardScript("firm", schema, map[string]mongox.ShardKey{"things": mongox.ByID})
	if !errors.Is(err, mongox.ErrShardKey) {
		t.Errorf("a collection without a key: %v", err)
	}
}
