package mongostore

import (
	"github.com/subrosa-legal/subrosa/pkg/audit/chain"
	"github.com/subrosa-legal/subrosa/pkg/idempotency"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
)

// ShardKeys says how each collection is spread over a cluster.
func ShardKeys() map[string]mongox.ShardKey {
	return map[string]mongox.ShardKey{
		// What is unique within a tenant beside the _id.
		partiesCollection: mongox.ByTenant,
		invitesCollection: mongox.ByTenant,

		// What is listed.
		partnersCollection: mongox.ByTenantAndID,
		grantsCollection:   mongox.ByTenantAndID,
		vaultsCollection:   mongox.ByTenantAndID,
		firmKeysCollection: mongox.ByTenantAndID,
		heldCollection:     mongox.ByTenantAndID,
		labelsCollection:   mongox.ByTenantAndID,

		// What is found by its _id, also before a tenant is known.
		addressesCollection:    mongox.ByID,
		turnsCollection:        mongox.ByID,
		noticesCollection:      mongox.ByID,
		editionsCollection:     mongox.ByID,
		idempotency.Collection: mongox.ByID,
		chain.Collection:       mongox.ByID, // the tenant and the number are the rule of the chain
	}
}
