package oauth

import (
	"net/url"
	"strconv"
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/hostname"
)

// loopbackHosts are the ways in which a program says "this computer".
var loopbackHosts = []string{"localhost", "127.0.0.1", "[::1]"}

// ValidRedirect reports whether a code may be sent to the address at all: https with a host name, or http or https on
// this computer; no user name, no fragment, nothing that two programs could read differently.
func ValidRedirect(raw string) bool {
	_, _, ok := splitRedirect(raw)
	return ok
}

// splitRedirect returns the address without its port, and whether it is one of this computer.
func splitRedirect(raw string) (withoutPort string, loopback, ok bool) {
	if len(raw) > maxRedirect || !printable(raw) || strings.ContainsAny(raw, "#\\\"<>^`{|}") {
		return "", false, false
	}
	scheme, rest, found := strings.Cut(raw, "://")
	if !found || scheme != "https" && scheme != "http" {
		return "", false, false
	}
	authority, path := rest, ""
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		authority, path = rest[:i], rest[i:]
	}
	host, port := authority, ""
	if i := strings.LastIndexByte(authority, ':'); i >= 0 && !strings.HasSuffix(authority, "]") {
		host, port = authority[:i], authority[i+1:]
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 || strconv.FormatUint(n, 10) != port {
			return "", false, false
		}
	}
	u, err := url.Parse(raw)
	if err != nil || u.User != nil || u.Host != authority {
		return "", false, false
	}

	for _, l := range loopbackHosts {
		loopback = loopback || host == l
	}
	if !loopback && (scheme != "https" || !hostname.Valid(host)) {
		return "", false, false
	}

	return scheme + "://" + host + path, loopback, true
}

// IsLoopback reports whether the address is one of the user's own computer.
func IsLoopback(redirect string) bool {
	_, loopback, ok := splitRedirect(redirect)
	return ok && loopback
}

// RedirectHost returns the host of a valid redirect address, with its port unless it is this computer, where the port
// says nothing.
func RedirectHost(redirect string) string {
	if plain, loopback, _ := splitRedirect(redirect); loopback {
		redirect = plain
	}
	_, host, _ := strings.Cut(redirect, "://")
	if i := strings.IndexAny(host, "/?"); i >= 0 {
		host = host[:i]
	}

	return host
}

// Takes reports whether asked is one of the client's redirect addresses, letter by letter. On this computer any port
// will do, since programs take one that is free; real hosts register "localhost" so, too.
func (c Client) Takes(asked string) bool {
	plain, loopback, ok := splitRedirect(asked)
	if !ok {
		return false
	}

	for _, registered := range c.Redirects {
		if registered == asked {
			return true
		}
		if p, l, ok := splitRedirect(registered); ok && l && loopback && p == plain {
			return true
		}
	}

	return false
}

// back returns the address that takes an answer to the client: the redirect as it was registered, with the answer's
// parameters after its own.
func back(redirect string, answer url.Values) string {
	separator := "?"
	if strings.Contains(redirect, "?") {
		separator = "&"
	}

	return redirect + separator + answer.Encode()
}
