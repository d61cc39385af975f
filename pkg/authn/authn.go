// Package authn turns what a request carries into an access.Caller: the three kinds of bearer at the gateway, and
// inside the one short internal token that services accept.
package authn

import (
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/access"
)

// BearerToken returns the one token in the Authorization headers of a request: the scheme Bearer, one header, at most 8
// KiB.
func BearerToken(headers []string) (string, error) {
	// Of two headers a proxy may have looked at the other one.
	if len(headers) != 1 {
		return "", access.ErrUnauthenticated
	}
	scheme, token, ok := strings.Cut(headers[0], " ")
	fits := token != "" && len(token) <= 8<<10 && !strings.ContainsAny(token, " \t,")
	if !ok || !strings.EqualFold(scheme, "Bearer") || !fits {
		return "", access.ErrUnauthenticated
	}

	return token, nil
}
