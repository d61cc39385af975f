package record

import "github.com/subrosa-legal/subrosa/pkg/api"

// Names of the chains, as in the path.
const (
	Case   = "case"
	Party  = "party"
	Agents = "agents"
	Auth   = "auth"
)

// Wire is an event as the interface shows it.
func Wire(e Event) api.AuditEvent {
	return api.AuditEvent{
		Seq: e.Seq, At: api.At(e.At), Actor: api.AuditActor(e.Actor), Action: e.Action,
		Resource: api.AuditResource(e.Resource), Outcome: e.Outcome,
		RequestID: e.RequestID, ContentSHA256: e.ContentSHA256, PrevHash: e.PrevHash, Hash: e.Hash,
	}
}

// EventOf returns the event that an answer tells of, to be checked with Verify.
func EventOf(e api.AuditEvent) Event {
	return Event{
		Seq: e.Seq, At: e.At.Time, Actor: Actor(e.Actor), Action: e.Action, Resource: Resource(e.Resource),
		Outcome:   e.Outcome,
		RequestID: e.RequestID, ContentSHA256: e.ContentSHA256, PrevHash: e.PrevHash, Hash: e.Hash,
	}
}
