package authn

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"regexp"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/access"
)

// SessionCookie is the cookie of the browser app. The prefix lets only this host set it, over HTTPS, for all paths.
const SessionCookie = "__Host-subrosa-session"

// SessionRecord is what Redis holds for a browser session that is alive. Only auth-svc writes it.
type SessionRecord struct {
	Caller access.Caller `json:"caller"`
	Name   string        `json:"name"` // how the person is called, for the person alone
	// by which account the person knows the sign-in: an e-mail address where there is one
	Account string `json:"account"`
	Started int64  `json:"started"` // Unix milliseconds
	Expires int64  `json:"expires"` // Unix seconds; it decides, the key's own expiry only cleans up
}

// sessionForm is the value of the cookie: the place of the user's sessions, and 32 random bytes.
var sessionForm = regexp.MustCompile(`^([A-Za-z0-9_-]{22})\.[A-Za-z0-9_-]{43}$`)

// SessionPlace says where a user's sessions lie, whatever organization they are signed in to. It tells nobody who the
// user is.
func SessionPlace(userID string) string {
	sum := sha256.Sum256([]byte("session\x00" + userID))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// NewSession returns a fresh value of the cookie for a session of the user.
func NewSession(userID string) string {
	var b [32]byte
	// It never fails: the program would have ended.
	_, _ = rand.Read(b[:])

	return SessionPlace(userID) + "." + base64.RawURLEncoding.EncodeToString(b[:])
}

// SessionsKey names the Redis hash of all sessions of a user: all of them lie under one key, so that one command ends
// them.
func SessionsKey(userID string) string { return sessionsAt(SessionPlace(userID)) }

func sessionsAt(place string) string { return "auth:sessions:{" + place + "}" }

// SessionField names, within that hash, the record of the session whose cookie has the value.
func SessionField(value string) string {
	sum := sha256.Sum256([]byte(value))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// SessionsEndedChannel is the Redis channel on which auth-svc publishes which sessions were ended, by their
// names, so that open streams close. A name opens nothing.
const SessionsEndedChannel = "sessions-ended"

// SessionName names the session of a user under this field.
func SessionName(userID, field string) string { return SessionPlace(userID) + "." + field }

// ErrSession is ErrUnauthenticated for a browser.
var ErrSession = access.ErrUnauthenticated.WithMessage("You are no longer signed in with this browser. Sign in again.")

// Sessions checks the cookies of browser sessions: there is nothing to verify but the record in Redis, which ends with
// the session.
type Sessions struct {
	Records Records
	Now     func() time.Time
}

// Check returns the live session of a cookie's value, ErrSession, or errs.ErrUnavailable when Redis cannot say. No
// failure holds the value.
func (s *Sessions) Check(ctx context.Context, value string) (SessionRecord, error) {
	// What has not the form never reaches the store, and the value of a cookie never an error.
	m := sessionForm.FindStringSubmatch(value)
	if m == nil {
		return SessionRecord{}, ErrSession
	}
	raw, err := s.Records.Field(ctx, sessionsAt(m[1]), SessionField(value))
	if err != nil {
		return SessionRecord{}, fmt.Errorf("read session record: %w", err)
	}
	if raw == nil {
		return SessionRecord{}, ErrSession
	}
	var r SessionRecord
	// A record that lies at the place of another user was copied or forged.
	if json.Unmarshal(raw, &r) != nil || r.Caller.Kind != access.User || r.Caller.Tenant == "" ||
		SessionPlace(r.Caller.UserID) != m[1] {
		return SessionRecord{}, ErrSession
	}
	if !s.Now().Before(time.Unix(r.Expires, 0)) {
		return SessionRecord{}, ErrSession
	}

	return r, nil
}
