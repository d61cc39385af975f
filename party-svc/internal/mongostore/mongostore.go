// Package mongostore keeps what party-svc owns in MongoDB. Every rule holds by the insert of a unique _id or of unique
// fields, the delete of one document, or a version in the filter of one replacement; a tenant's document has an _id
// that begins with the tenant.
package mongostore

import (
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/audit/chain"
	"github.com/subrosa-legal/subrosa/pkg/idempotency"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
)

// The collections.
const (
	partiesCollection   = "parties"
	turnsCollection     = "turns"
	noticesCollection   = "notices"
	partnersCollection  = "partners"
	editionsCollection  = "editions"
	invitesCollection   = "invites"
	addressesCollection = "addresses"
	grantsCollection    = "grants"
	vaultsCollection    = "vaults"
	firmKeysCollection  = "firm_keys"
	heldCollection      = "wrapped_keys"
	labelsCollection    = "sealed_labels"
)

// Schema lists the indexes. Those not led by the tenant serve the sweeps.
func Schema() mongox.Schema {
	return mongox.Schema{
		partiesCollection: {
			{Fields: []string{"tenant", "caseId", "label"}, Unique: true},
			{Fields: []string{"tenant", "caseId", "ordinal"}, Unique: true},
			{Fields: []string{"tenant", "conflictTokens", "side", "comparedAt", "id"}},
			{Fields: []string{"tenant", "sealed.keyVersion", "caseId", "ordinal"}},
			{Fields: []string{"tenant", "searchTokens", "caseId", "ordinal"}},
			{Fields: []string{"tenant", "caseId", "isClient", "status"}},
		},
		partnersCollection: {
			{Fields: []string{"tenant", "searchTokens"}},
			{Fields: []string{"tenant", "licenceKeys"}},
			{Fields: []string{"tenant", "jurisdictionKeys"}},
			{Fields: []string{"tenant", "practiceKeys"}},
			{Fields: []string{"tenant", "kind", "availability"}},
		},
		invitesCollection: {
			{Fields: []string{"tenant", "caseId", "openKey"}, Unique: true},
			{Fields: []string{"tenant", "caseId", "createdAt", "id"}},
			{Fields: []string{"dueAt"}},
		},
		// read before a tenant is known
		addressesCollection: {{Fields: []string{"userId", "createdAt", "inviteId"}}},
		grantsCollection:    {{Fields: []string{"tenant", "userId", "ended", "caseId"}}},
		noticesCollection:   {{Fields: []string{"dueAt"}}},
		vaultsCollection:    {{Fields: []string{"tenant", "userId"}}},
		firmKeysCollection:  {{Fields: []string{"tenant", "version"}}, {Fields: []string{"examineAt"}}},
		heldCollection: {
			{Fields: []string{"tenant", "userId", "keyVersion"}}, {Fields: []string{"tenant", "keyVersion"}},
		},
		labelsCollection:       {{Fields: []string{"tenant", "keyVersion"}}},
		idempotency.Collection: idempotency.Indexes(),
		chain.Collection:       chain.Indexes(),
	}
}

type actorDoc struct {
	Kind   string `bson:"kind"`
	ID     string `bson:"id"`
	UserID string `bson:"userId"`
}

func actorOf(d actorDoc) audit.Actor { return audit.Actor(d) }
