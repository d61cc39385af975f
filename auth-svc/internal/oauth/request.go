package oauth

import (
	"encoding/base64"
	"maps"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/access"
)

// Lives and limits of a request.
const (
	RequestLife = 10 * time.Minute
	maxState    = 4096 // bytes
)

// Stage is how far a request has come.
type Stage string

// The stages, in their order.
const (
	Sent    Stage = "sent"    // the person is at the identity provider
	Asked   Stage = "asked"   // the person is signed in and sees what is asked for
	Decided Stage = "decided" // the person has said yes or no
)

// Request is an authorization request in progress. Its id is the state that goes to the identity provider.
type Request struct {
	// Client is kept without its redirect addresses, which whoever registers may make long.
	Client    Client
	Redirect  string
	State     string // of the client, "" for none
	Challenge string // PKCE, S256
	Scopes    []string
	Browser   string // hash of the cookie of the browser that began
	Nonce     string // of our own sign-in
	Verifier  string // likewise, PKCE
	CSRF      string // of the form; set with Asked
	User      access.Caller
	Expires   time.Time
	Stage     Stage
}

// Asks are the parameters of an authorization request before they are checked.
type Asks struct{ values url.Values }

// ParseAsks reads the query of GET /oauth/authorize. A query that cannot be read, or that gives the client or the
// redirect address twice or not at all, is ErrMalformed.
func ParseAsks(rawQuery string) (Asks, error) {
	if len(rawQuery) > 8<<10 {
		return Asks{}, ErrMalformed
	}
	values, err := url.ParseQuery(rawQuery)
	if err != nil || len(values["client_id"]) != 1 || len(values["redirect_uri"]) != 1 || len(values["state"]) > 1 {
		return Asks{}, ErrMalformed
	}

	return Asks{values}, nil
}

// ClientID returns who asks.
func (a Asks) ClientID() string { return a.values.Get("client_id") }

// Redirect returns where the answer is to go.
func (a Asks) Redirect() string { return a.values.Get("redirect_uri") }

// Anew says whether the application wants the person to sign in at the identity provider even if somebody is signed in
// here already, and what the provider is to be asked for then: a prompt, and how old, in seconds, its own sign-in may
// be; "" means nothing.
func (a Asks) Anew() (anew bool, prompt, maxAge string) {
	prompts := strings.Fields(strings.Join(a.values["prompt"], " "))
	for _, p := range []string{"login", "select_account"} {
		if slices.Contains(prompts, p) {
			anew, prompt = true, p
			break
		}
	}
	if a.values.Has("max_age") {
		anew, maxAge = true, a.values.Get("max_age")
		if !isSeconds(maxAge) {
			maxAge = "0"
		}
	}

	return anew, prompt, maxAge
}

func isSeconds(s string) bool {
	return s != "" && len(s) <= 9 && !strings.ContainsFunc(s, func(r rune) bool { return r < '0' || r > '9' })
}

// WithLogin returns the query of the same request with a sign-in at the identity provider.
func (a Asks) WithLogin() string {
	v := maps.Clone(a.values)
	v.Set("prompt", "login")

	return v.Encode()
}

// check fills a request of a known client with a redirect address of its own. A Refusal goes to the client.
func (a Asks) check(r *Request, resource string) error {
	v := a.values

	once := []string{"response_type", "code_challenge", "code_challenge_method", "scope", "response_mode"}
	for _, name := range once {
		if len(v[name]) > 1 {
			return refuse("invalid_request", name+" may be given once.")
		}
	}

	switch {
	// The state comes first: refusals after it go back to the client with the state, so it must be fit to be sent.
	case len(r.State) > maxState || !visible(r.State):
		r.State = ""
		return refuse("invalid_request", "state must be at most 4096 visible characters of ASCII.")
	case v.Has("request"):
		return refuse("request_not_supported", "Send the parameters themselves.")
	case v.Has("request_uri"):
		return refuse("request_uri_not_supported", "Send the parameters themselves.")
	case v.Get("response_type") == "":
		return refuse("invalid_request", "response_type must be code.")
	case v.Get("response_type") != "code":
		return refuse("unsupported_response_type", "response_type must be code.")
	case v.Has("response_mode") && v.Get("response_mode") != "query":
		return refuse("invalid_request", "response_mode must be query.")
	// plain is no protection against whoever reads the request, so S256 is the only method (OAuth 2.1, 4.1.1).
	case v.Get("code_challenge_method") != "S256" || !isChallenge(v.Get("code_challenge")):
		return refuse(
			"invalid_request",
			"PKCE is required: code_challenge_method must be S256, and code_challenge 43 characters.",
		)
	case !isResource(v["resource"], resource):
		return errTarget
	}
	scopes, err := ParseScope(v.Get("scope"))
	if err != nil {
		return err
	}
	if len(scopes) == 0 {
		scopes = []string{access.ScopeRead}
	}
	r.Challenge, r.Scopes = v.Get("code_challenge"), scopes

	return nil
}

// visible accepts what RFC 6749 lets a state have: visible ASCII and spaces.
func visible(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' })
}

// isChallenge accepts a SHA-256 in base64url.
func isChallenge(s string) bool {
	b, err := base64.RawURLEncoding.Strict().DecodeString(s)
	return err == nil && len(b) == 32
}

// unreserved are the characters of a verifier.
const unreserved = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"

// isVerifier accepts what RFC 7636 lets a verifier be.
func isVerifier(s string) bool {
	return len(s) >= 43 && len(s) <= 128 && strings.Trim(s, unreserved) == ""
}

// isResource reports whether given names our only resource, or nothing. Scheme and host may be in capitals.
func isResource(given []string, resource string) bool {
	switch {
	case len(given) == 0:
		return true
	case len(given) > 1:
		return false
	}
	u, err := url.Parse(strings.TrimSuffix(given[0], "/"))
	if err != nil || u.User != nil {
		return false
	}
	u.Scheme, u.Host = strings.ToLower(u.Scheme), strings.ToLower(u.Host)

	return u.String() == resource
}

// ParseScope reads a list of scopes in the order of access.GrantScopes. offline_access is accepted and left out:
// whoever may refresh gets a refresh token. An unknown scope is refused.
func ParseScope(s string) ([]string, error) {
	asked := strings.Fields(s)
	var known []string

	for _, scope := range access.GrantScopes() {
		if slices.Contains(asked, scope) {
			known = append(known, scope)
		}
	}

	for _, scope := range asked {
		if scope != offline && !slices.Contains(known, scope) {
			return nil, errScope
		}
	}

	return known, nil
}

const offline = "offline_access"

// Scopes returns what clients may ask for.
func Scopes() []string { return append(access.GrantScopes(), offline) }

// covers reports whether granted has all of asked.
func covers(granted, asked []string) bool {
	return !slices.ContainsFunc(asked, func(s string) bool { return !slices.Contains(granted, s) })
}
