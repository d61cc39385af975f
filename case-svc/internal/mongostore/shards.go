package mongostore

import (
	"github.com/subrosa-legal/subrosa/pkg/audit/chain"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
)

// ShardKeys says how each collection is spread over a cluster.
func ShardKeys() map[string]mongox.ShardKey {
	return map[string]mongox.ShardKey{
		// What is unique within a tenant beside the _id.
		casesCollection:    mongox.ByTenant,
		phasesCollection:   mongox.ByTenant,
		branchesCollection: mongox.ByTenant,
		filesCollection:    mongox.ByTenant,

		// What is listed.
		entriesCollection:     mongox.ByTenantAndID,
		grantsCollection:      mongox.ByTenantAndID,
		uploadsCollection:     mongox.ByTenantAndID,
		successionsCollection: mongox.ByTenantAndID,
		clearancesCollection:  mongox.ByTenantAndID,
		tasksCollection:       mongox.ByTenantAndID,

		// What is found by its _id.
		containersCollection: mongox.ByID,
		timelinesCollection:  mongox.ByID,
		claimsCollection:     mongox.ByID,
		sessionsCollection:   mongox.ByID,
		textsCollection:      mongox.ByID,
		settingsCollection:   mongox.ByID,
		receiptsCollection:   mongox.ByID,
		previewsCollection:   mongox.ByID,
		intentsCollection:    mongox.ByID,
		chain.Collection:     mongox.ByID, // the tenant and the number are the rule of the chain
		blobsCollection:      mongox.ByID,
		piecesCollection:     mongox.ByFile,
	}
}
