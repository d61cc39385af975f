package mongox

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// ShardKey says by what the documents of a collection are spread over the shards of a cluster.
type ShardKey []string

// The shard keys that we use. Each fits an _id that begins with the tenant, or that is the only way to a document.
var (
	// ByTenant is for collections in which something else than the _id is unique within a tenant: a cluster can only
	// keep such a rule where all documents that it is about lie on one shard. One tenant is never split.
	ByTenant = ShardKey{"tenant"}
	// ByTenantAndID is for collections that are listed by tenant and have no rule but their _id. A large tenant is
	// split, and its lists ask the shards that have some of it. The _id begins with the tenant, so it stays unique.
	ByTenantAndID = ShardKey{"tenant", "_id"}
	// ByID is for documents that are found by their _id, which may itself be the rule. They are spread however large a
	// tenant is; a query by anything else asks every shard.
	ByID = ShardKey{"_id"}
	// ByFile is for the pieces of files in GridFS.
	ByFile = ShardKey{"files_id", "n"}
)

// ErrShardKey means that a collection cannot be sharded as it says.
var ErrShardKey = errors.New("the shard key does not fit the collection")

// fits returns why a collection with these indexes cannot have the key, nil where it can.
func (k ShardKey) fits(indexes []Index) error {
	if len(k) == 0 {
		return fmt.Errorf("%w: there is none", ErrShardKey)
	}

	for _, index := range indexes {
		// Each shard checks uniqueness among its own documents alone. It holds for the cluster if equal values meet on
		// one shard.
		if index.Unique && !index.leads(k) {
			return fmt.Errorf("%w: a cluster cannot keep %s unique", ErrShardKey, index)
		}
	}

	return nil
}

// leads reports whether an index begins with the fields of a key, whatever their order.
func (i Index) leads(k ShardKey) bool {
	if len(i.Fields) < len(k) {
		return false
	}

	return slices.EqualFunc(i.Fields[:len(k)], k, func(field, of string) bool {
		return strings.TrimPrefix(field, "-") == of
	})
}

// document is the key as the shell of MongoDB has it.
func (k ShardKey) document() string {
	fields := make([]string, len(k))
	for n, field := range k {
		fields[n] = fmt.Sprintf("%q: 1", field)
	}

	return "{" + strings.Join(fields, ", ") + "}"
}

// ShardScript returns the commands for mongosh that shard the collections of a database by keys, which names each
// collection of schema and may name others, that have no indexes of ours. A key whose index nobody declared gets one
// first, which only a sharded cluster needs.
func ShardScript(database string, schema Schema, keys map[string]ShardKey) (string, error) {
	var out strings.Builder

	// A collection that nobody thought of would stay on one shard, and nobody would notice before it is full.
	for _, name := range slices.Sorted(maps.Keys(schema)) {
		if _, ok := keys[name]; !ok {
			return "", fmt.Errorf("%s: %w: there is none", name, ErrShardKey)
		}
	}

	for _, name := range slices.Sorted(maps.Keys(keys)) {
		key := keys[name]
		if err := key.fits(schema[name]); err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		if !key.indexed(schema[name]) {
			collection := fmt.Sprintf("db.getSiblingDB(%q).getCollection(%q)", database, name)
			fmt.Fprintf(&out, "%s.createIndex(%s)\n", collection, key.document())
		}
		fmt.Fprintf(&out, "sh.shardCollection(%q, %s)\n", database+"."+name, key.document())
	}

	return out.String(), nil
}

// indexed reports whether there is an index by which MongoDB can shard: it begins with the fields of the key, none of
// them descending, and none of its fields has several values, as those of words have. Unique ones of ours have one
// value of each field; of any other only one of the very fields of the key counts. The one on _id is always there.
func (k ShardKey) indexed(indexes []Index) bool {
	if slices.Equal(k, ByID) {
		return true
	}

	return slices.ContainsFunc(indexes, func(i Index) bool {
		ascending := len(i.Fields) >= len(k) && slices.Equal(i.Fields[:len(k)], k)
		return ascending && (i.Unique || len(i.Fields) == len(k))
	})
}
