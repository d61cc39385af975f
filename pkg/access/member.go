package access

import (
	"crypto/sha256"
	"encoding/base64"

	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// ErrSuspended means that a firm has ended the access of one of its members. It does not say so of an agent or an
// application: their credentials are simply no good any more.
var ErrSuspended = errs.New(
	errs.Forbidden,
	"access_ended",
	"Your access to this organization was ended. Ask an owner of the organization to lift the suspension.",
)

// MemberName names a member of a tenant where many tenants share a place. It tells nobody who the member is.
func MemberName(tenant, userID string) string {
	var text [256]byte
	// A zero byte between the two, so that they cannot run into one another.
	sum := sha256.Sum256(append(append(append(append(text[:0], "member\x00"...), tenant...), 0), userID...))

	var room [22]byte

	return string(base64.RawURLEncoding.AppendEncode(room[:0], sum[:16]))
}

// MemberOf names the member for whom a caller acts, "" for callers who act for nobody.
func MemberOf(c Caller) string {
	if c.UserID == "" || c.Tenant == "" {
		return ""
	}

	return MemberName(c.Tenant, c.UserID)
}
