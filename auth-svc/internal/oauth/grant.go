package oauth

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/instant"
)

// Lives of grants and their tokens.
const (
	GrantIdle    = 30 * 24 * time.Hour // without use
	GrantLongest = 90 * 24 * time.Hour // however it is used
	Grace        = 30 * time.Second    // in which a refresh token that was just replaced gets the same successor
	KeepEnded    = 24 * time.Hour      // that a grant stays on record after its end
	maxGrants    = 50                  // live grants of a user
	CodeLife     = time.Minute
)

// State says whether a grant lives.
type State string

// The states. What is Ending has ended; its live record, or the audit event of its end, may be left over.
const (
	Live   State = "live"
	Ending State = "ending"
	Over   State = "over"
)

// Reason says why a grant ended.
type Reason string

// The reasons.
const (
	ByUser     Reason = "user"       // the user disconnected the application
	ByClient   Reason = "client"     // the application gave its token back
	Reused     Reason = "reused"     // an old refresh token was used
	Replayed   Reason = "replayed"   // its code was used twice
	Unfinished Reason = "unfinished" // its first tokens could not be handed out
	Expired    Reason = "expired"    // it was not used for too long, or its longest life had passed
	Superseded Reason = "superseded" // a newer one of the same application has all that it had
	Departed   Reason = "departed"   // the firm has ended the user's access
	Vanished   Reason = "vanished"   // the application's document is gone
	Changed    Reason = "changed"    // the application's document does not say any more what the user allowed
	Crowded    Reason = "crowded"    // the user has too many, and it was the oldest
)

// Grant is a user's consent to an application at work. Its refresh tokens are counted, not kept.
type Grant struct {
	ID           string // a UUIDv7
	Tenant       string
	UserID       string
	Roles        []string // the user's when they signed in
	ClientID     string
	ClientName   string
	RedirectHost string
	Document     bool // see Client
	Refresh      bool // likewise
	Scopes       []string
	Generation   int       // of the refresh token that is valid now, from 1
	RotatedAt    time.Time // when the generation before was replaced
	CreatedAt    time.Time
	LastUsedAt   time.Time
	ExpiresAt    time.Time
	State        State
	EndedAt      time.Time
	EndReason    Reason
	Version      int
}

// Code is what an authorization code stands for.
type Code struct {
	GrantID   string
	User      access.Caller
	Client    Client // as in Request
	Redirect  string
	Challenge string
	Scopes    []string
	Expires   time.Time
}

// newGrant returns the grant of a code.
func newGrant(c Code, now time.Time) Grant {
	now = instant.Of(now)
	g := Grant{
		ID:           c.GrantID,
		Tenant:       c.User.Tenant,
		UserID:       c.User.UserID,
		Roles:        c.User.Roles,
		ClientID:     c.Client.ID,
		ClientName:   c.Client.Name,
		RedirectHost: RedirectHost(c.Redirect),
		Document:     c.Client.Document,
		Refresh:      c.Client.Refresh,
		Scopes:       c.Scopes,
		Generation:   1,
		RotatedAt:    now,
		CreatedAt:    now,
		State:        Live,
		Version:      1,
	}
	g.use(now)

	return g
}

// stillOf reports whether what a client says of itself now has what the user allowed: it refreshes, and is led back to
// the host that the user was shown.
func (g *Grant) stillOf(c Client) bool {
	shown := func(r string) bool { return RedirectHost(r) == g.RedirectHost }

	return c.Refresh && slices.ContainsFunc(c.Redirects, shown)
}

// use notes that an access token is given out.
func (g *Grant) use(now time.Time) {
	g.LastUsedAt = now
	g.ExpiresAt = g.LastUsedAt.Add(GrantIdle)
	if longest := g.CreatedAt.Add(GrantLongest); g.ExpiresAt.After(longest) {
		g.ExpiresAt = longest
	}
}

// end ends the grant; the first reason stays.
func (g *Grant) end(why Reason, now time.Time) error {
	if g.State != Live || why == Expired && g.Alive(now) {
		return errOver
	}
	g.State, g.EndReason, g.EndedAt = Ending, why, instant.Of(now)

	return nil
}

// sameConnection reports whether two grants are one connection to a user: their application is the same and led back to
// the same host.
func (g Grant) sameConnection(o Grant) bool {
	return g.ClientID == o.ClientID && g.RedirectHost == o.RedirectHost
}

// supersedes reports whether nobody needs the older grant o beside g. A program on the user's computer may be at work
// on another computer of theirs under the same id, so its grants stay apart.
func (g Grant) supersedes(o Grant) bool {
	return g.sameConnection(o) && !slices.Contains(
		loopbackHosts, g.RedirectHost,
	) && o.ID < g.ID && covers(g.Scopes, o.Scopes)
}

// Removable returns from when on the grant may leave the record.
func (g Grant) Removable() time.Time {
	if g.State == Live {
		return g.ExpiresAt.Add(KeepEnded)
	}

	return g.EndedAt.Add(KeepEnded)
}

// Alive reports whether the grant can give tokens.
func (g Grant) Alive(now time.Time) bool { return g.State == Live && now.Before(g.ExpiresAt) }

// What rotating a refresh token can come to besides the next generation.
var (
	errOver   = errors.New("the grant has ended")
	errAgain  = errors.New("the token was replaced a moment ago")
	errReuse  = errors.New("an old refresh token")
	errFuture = errors.New("a refresh token that this record has not given")
)

// rotate moves on from the refresh token of generation n. errAgain means that g stands as it is and its present token
// is the answer; errReuse that the grant must end.
func (g *Grant) rotate(n int, now time.Time) error {
	switch {
	case !g.Alive(now) || !g.Refresh:
		return errOver
	case n == g.Generation:
		now = instant.Of(now)
		g.Generation, g.RotatedAt = n+1, now
		g.use(now)

		return nil
	case n > g.Generation:
		return errFuture
	case n == g.Generation-1 && now.Sub(g.RotatedAt) <= Grace:
		return errAgain
	}

	return errReuse
}

// RefreshTokens computes refresh tokens, so that none is stored. A token names its grant and its generation.
type RefreshTokens struct{ keys [][]byte } // the first makes, all check

// NewRefreshTokens returns the tokens under key. previous keys still check.
func NewRefreshTokens(key []byte, previous ...[]byte) RefreshTokens {
	return RefreshTokens{append([][]byte{key}, previous...)}
}

func sealed(key []byte, body string) string {
	m := hmac.New(sha256.New, key)
	m.Write([]byte(body))

	return base64.RawURLEncoding.EncodeToString(m.Sum(nil))
}

// of returns the token of a generation.
func (t RefreshTokens) of(gid string, n int) string {
	body := gid + "." + strconv.Itoa(n)
	return body + "." + sealed(t.keys[0], body)
}

var refreshForm = regexp.MustCompile(
	`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\.[1-9][0-9]{0,8}\.[A-Za-z0-9_-]{43}$`,
)

// parse returns what a token names; false means that we never made it.
func (t RefreshTokens) parse(token string) (gid string, n int, ok bool) {
	if !refreshForm.MatchString(token) {
		return "", 0, false
	}

	body, seal := token[:strings.LastIndexByte(token, '.')], token[strings.LastIndexByte(token, '.')+1:]
	for _, key := range t.keys {
		ok = hmac.Equal([]byte(seal), []byte(sealed(key, body))) || ok
	}
	gid, count, _ := strings.Cut(body, ".")
	n, err := strconv.Atoi(count)

	return gid, n, ok && err == nil
}
