package mongostore

import "github.com/subrosa-legal/subrosa/pkg/mongox"

// ShardKeys says how each collection is spread over a cluster. Keys, grants and their like are found by a hash or an id
// before a tenant is known.
func ShardKeys() map[string]mongox.ShardKey {
	return map[string]mongox.ShardKey{
		keysCollection:           mongox.ByID,
		retiredCollection:        mongox.ByID,
		endedCollection:          mongox.ByID,
		grantsCollection:         mongox.ByID,
		clientsCollection:        mongox.ByID,
		providerTokensCollection: mongox.ByID,
		membersCollection:        mongox.ByTenantAndID,
		"audit":                  mongox.ByID, // its _id, the tenant and the number, is the rule of the chain
	}
}
