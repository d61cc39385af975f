package mongostore

import "github.com/subrosa-legal/subrosa/pkg/mongox"

// ShardKeys says how each collection is spread over a cluster. The _id of a connection is the user's, of whom there is
// one whatever the tenant.
func ShardKeys() map[string]mongox.ShardKey {
	return map[string]mongox.ShardKey{
		agentsCollection:      mongox.ByTenant,
		connectionsCollection: mongox.ByID,
		intentsCollection:     mongox.ByID,
		"audit":               mongox.ByID, // its _id, the tenant and the number, is the rule of the chain
	}
}
