// Package record says what an entry of the audit record is: who did what to which thing, without content, and how
// hashes chain the entries of a tenant. It knows no store, so that anybody who holds a list of entries can check it.
package record

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Event is one entry of a tenant's chain. What it says is set by the service; Seq, At, PrevHash and Hash by the chain
// that it is appended to.
type Event struct {
	Seq           int64     // from 1, without a gap
	At            time.Time // UTC, to the millisecond, by the clock of the process that appended it
	Actor         Actor
	Action        string // such as case.create
	Resource      Resource
	Outcome       string // such as ok or refused
	RequestID     string // up to 128 bytes; empty for background work
	ContentSHA256 string // of the content that was written or read, in lower-case hex; empty when there is none
	PrevHash      string // Hash of the event before; of the first, Genesis of the tenant
	Hash          string // lower-case hex
}

// Actor is who acted: a kind of the internal token or "partner", and an id within that kind.
type Actor struct {
	Kind   string
	ID     string // up to 256 bytes
	UserID string // whom the actor acts for, up to 256 bytes; empty when it acts for itself
}

// Acting returns the actor of that kind and id that acts for the user; one that has no id of its own is the user.
func Acting(kind, id, userID string) Actor {
	if id == "" || id == userID {
		return Actor{Kind: kind, ID: userID}
	}

	return Actor{Kind: kind, ID: id, UserID: userID}
}

// Resource is what was acted on. Both fields are empty where an action has no resource.
type Resource struct {
	Type string
	ID   string // up to 256 bytes
}

// Limits of an Event's fields in bytes.
const (
	MaxID        = 256
	MaxRequestID = 128
)

// ErrEvent is returned for an event that cannot be appended as it is. It is a mistake of the service, not of its
// caller.
var ErrEvent = errors.New("audit event is not well formed")

// ErrTenant is returned for a tenant's id that is empty, holds a "/" or is longer than 512 bytes.
var ErrTenant = errors.New("audit tenant is not well formed")

var (
	wordForm = regexp.MustCompile(`^[a-z][a-z0-9_.:-]{0,63}$`)
	hashForm = regexp.MustCompile(`^[0-9a-f]{64}$`)
)

// Check refuses what could be content, or would make the record hard to read.
func (e Event) Check() error {
	switch {
	case !wordForm.MatchString(e.Actor.Kind):
		return fmt.Errorf("%w: actor.kind", ErrEvent)
	case !isID(e.Actor.ID, MaxID):
		return fmt.Errorf("%w: actor.id", ErrEvent)
	case !isID(e.Actor.UserID, MaxID):
		return fmt.Errorf("%w: actor.userId", ErrEvent)
	case !wordForm.MatchString(e.Action):
		return fmt.Errorf("%w: action", ErrEvent)
	case e.Resource.Type != "" && !wordForm.MatchString(e.Resource.Type):
		return fmt.Errorf("%w: resource.type", ErrEvent)
	case !isID(e.Resource.ID, MaxID):
		return fmt.Errorf("%w: resource.id", ErrEvent)
	case !wordForm.MatchString(e.Outcome):
		return fmt.Errorf("%w: outcome", ErrEvent)
	case !isID(e.RequestID, MaxRequestID):
		return fmt.Errorf("%w: requestId", ErrEvent)
	case e.ContentSHA256 != "" && !hashForm.MatchString(e.ContentSHA256):
		return fmt.Errorf("%w: contentSha256", ErrEvent)
	}

	return nil
}

// isID accepts an opaque id: printable, in one line, possibly empty.
func isID(s string, limit int) bool {
	unprintable := func(r rune) bool { return !unicode.IsPrint(r) }

	return len(s) <= limit && utf8.ValidString(s) && !strings.ContainsFunc(s, unprintable)
}

// CheckTenant returns ErrTenant for a tenant that cannot have a chain.
func CheckTenant(tenant string) error {
	if tenant == "" || len(tenant) > 512 || strings.Contains(tenant, "/") || !utf8.ValidString(tenant) {
		return ErrTenant
	}

	return nil
}

// hashVersion begins everything that is hashed, so that a later form cannot be taken for this one.
const hashVersion = "subrosa-audit-1"

// instant is the form of times in hashes.
const instant = "2006-01-02T15:04:05.000Z"

// Genesis is the PrevHash of the first event of a tenant's chain, so that one tenant's chain cannot pass for another's:
// the SHA-256, in lower-case hex, of the netstrings of "subrosa-audit-1", "genesis" and the tenant's id.
func Genesis(tenant string) string { return sum(hashVersion, "genesis", tenant) }

// Sum computes the Hash that e should have: the SHA-256, in lower-case hex, of the netstrings (the length in bytes in
// decimal, ":", the bytes, ",") of these texts in this order: "subrosa-audit-1", "event", seq in decimal, at as
// 2006-01-02T15:04:05.000Z, actor.kind, actor.id, action, resource.type, resource.id, outcome, requestId,
// contentSha256, prevHash. What is absent is an empty text. Where actor.userId is not empty, it follows as one text
// more: events without it have the hash that they had before the field existed.
func (e Event) Sum() string {
	texts := []string{
		hashVersion, "event", strconv.FormatInt(e.Seq, 10), e.At.UTC().Format(instant),
		e.Actor.Kind, e.Actor.ID, e.Action,
		e.Resource.Type, e.Resource.ID, e.Outcome, e.RequestID, e.ContentSHA256, e.PrevHash,
	}
	// It came later than the others: an event without it must keep the hash that it was stored with.
	if e.Actor.UserID != "" {
		texts = append(texts, e.Actor.UserID)
	}

	return sum(texts...)
}

func sum(texts ...string) string {
	h := sha256.New()
	for _, text := range texts {
		// Netstrings: without lengths a text could take over a part of the next one and leave the hash as it was.
		fmt.Fprintf(h, "%d:%s,", len(text), text)
	}

	return hex.EncodeToString(h.Sum(nil))
}
