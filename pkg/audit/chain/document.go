package chain

import (
	"strconv"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/audit/record"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
)

// Collection is the usual name of the collection that holds a service's chains.
const Collection = "audit"

// Indexes are what List needs; a service makes them at start. The order of a chain needs none: it lies in the _id.
func Indexes() []mongox.Index {
	return []mongox.Index{
		{Fields: []string{"tenant", "seq", "at"}},
		{Fields: []string{"tenant", "resource.id", "seq"}},
		{Fields: []string{"tenant", "action", "seq"}},
	}
}

// document is an event as it is stored. Its _id is {tenant}/{seq}: the insert decides who has the number.
type document struct {
	ID            string           `bson:"_id"`
	Tenant        string           `bson:"tenant"`
	Seq           int64            `bson:"seq"`
	At            time.Time        `bson:"at"`
	Actor         actorDocument    `bson:"actor"`
	Action        string           `bson:"action"`
	Resource      resourceDocument `bson:"resource"`
	Outcome       string           `bson:"outcome"`
	RequestID     string           `bson:"requestId"`
	ContentSHA256 string           `bson:"contentSha256"`
	PrevHash      string           `bson:"prevHash"`
	Hash          string           `bson:"hash"`
}

type actorDocument struct {
	Kind   string `bson:"kind"`
	ID     string `bson:"id"`
	UserID string `bson:"userId,omitempty"`
}

type resourceDocument struct {
	Type string `bson:"type"`
	ID   string `bson:"id"`
}

// hint says how far a tenant's chain had come once, so that a process that starts need not look from the beginning. It
// may lag behind, and be missing. It has no seq, so lists of events do not see it.
type hint struct {
	ID     string `bson:"_id"` // {tenant}/hint
	Tenant string `bson:"tenant"`
	Hint   int64  `bson:"hint"`
}

func eventKey(tenant string, seq int64) string { return tenant + "/" + strconv.FormatInt(seq, 10) }

func hintKey(tenant string) string { return tenant + "/hint" }

func toDocument(tenant string, e record.Event) document {
	return document{
		ID: eventKey(tenant, e.Seq), Tenant: tenant, Seq: e.Seq, At: e.At,
		Actor: actorDocument(e.Actor), Action: e.Action, Resource: resourceDocument(e.Resource), Outcome: e.Outcome,
		RequestID: e.RequestID, ContentSHA256: e.ContentSHA256, PrevHash: e.PrevHash, Hash: e.Hash,
	}
}

func (d document) event() record.Event {
	return record.Event{
		Seq: d.Seq, At: d.At.UTC(), Actor: record.Actor(d.Actor), Action: d.Action,
		Resource: record.Resource(d.Resource), Outcome: d.Outcome,
		RequestID: d.RequestID, ContentSHA256: d.ContentSHA256, PrevHash: d.PrevHash, Hash: d.Hash,
	}
}
