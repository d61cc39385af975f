package redisx

import (
	"errors"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

// maxURL bounds the length of an address setting in bytes; a cluster has a handful of seeds.
const maxURL = 4096

// Target is what an address setting means.
type Target struct {
	Addrs    []string // host:port, at least one
	Username string
	Password string
	Database int  // always 0 for a Cluster
	TLS      bool // rediss://
	Cluster  bool
}

// The mistakes that ParseURL finds. None of them quotes the setting.
var (
	ErrURLForm = errors.New("must be redis://host:port/database, rediss://…, " +
		"or a comma-separated list of such addresses for a cluster")
	ErrURLQuery    = errors.New("takes no parameter but cluster=true")
	ErrURLDatabase = errors.New("the database must be a number from 0 to 65535, and a cluster has none but 0")
	ErrURLMixed    = errors.New("all addresses of a cluster must share scheme, user and password")
)

// ParseURL reads an address setting:
//
//	redis://[user:password@]host[:port][/database]   one server
//	rediss://…                                       the same over TLS
//	redis://host:port?cluster=true                   a Cluster, known by one address
//	redis://a:1,redis://b:2,c:3                      a Cluster, known by several
//
// Scheme and user may be left out after the first of several.
//
// The port defaults to 6379. Anything else is refused; every mistake is one of the errors of this package.
func ParseURL(setting string) (Target, error) {
	if len(setting) > maxURL {
		return Target{}, ErrURLForm
	}
	parts := strings.Split(setting, ",")
	target, err := parseOne(strings.TrimSpace(parts[0]))
	if err != nil {
		return Target{}, err
	}

	for _, part := range parts[1:] {
		part = strings.TrimSpace(part)
		// Operators write the scheme once and the further seeds as host:port.
		bare := !strings.Contains(part, "://")
		if bare {
			part = "redis://" + part
		}
		next, err := parseOne(part)
		if err != nil {
			return Target{}, err
		}
		// A password that is sent to a seed without TLS would be on the wire in plain text.
		differs := next.TLS != target.TLS || next.Username != target.Username || next.Password != target.Password
		if differs && (!bare || next.Username != "" || next.Password != "") {
			return Target{}, ErrURLMixed
		}
		target.Addrs = append(target.Addrs, next.Addrs...)
		target.Database = max(target.Database, next.Database)
		target.Cluster = true
	}
	if target.Cluster && target.Database != 0 {
		return Target{}, ErrURLDatabase
	}

	return target, nil
}

func parseOne(s string) (Target, error) {
	u, err := url.Parse(s)
	if err != nil || (u.Scheme != "redis" && u.Scheme != "rediss") {
		return Target{}, ErrURLForm
	}
	if u.Opaque != "" || u.Fragment != "" {
		return Target{}, ErrURLForm
	}
	addr, ok := address(u)
	if !ok {
		return Target{}, ErrURLForm
	}
	target := Target{Addrs: []string{addr}, TLS: u.Scheme == "rediss"}
	if u.User != nil {
		target.Username = u.User.Username()
		target.Password, _ = u.User.Password()
	}

	switch u.RawQuery {
	case "":
	case "cluster=true":
		target.Cluster = true
	default:
		return Target{}, ErrURLQuery
	}
	// Redis counts its databases by 16 bits.
	if path := strings.TrimPrefix(u.Path, "/"); path != "" {
		n, err := strconv.ParseUint(path, 10, 16)
		if err != nil {
			return Target{}, ErrURLDatabase
		}
		target.Database = int(n)
	}

	return target, nil
}

// address gives host:port of u with the usual port filled in.
func address(u *url.URL) (string, bool) {
	host, port := u.Hostname(), u.Port()
	// "host:" is a port that was forgotten, or a variable that was empty.
	if host == "" || strings.HasSuffix(u.Host, ":") {
		return "", false
	}
	if strings.ContainsRune(host, ':') {
		if _, err := netip.ParseAddr(host); err != nil {
			return "", false
		}
	}
	if port == "" {
		port = "6379"
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return "", false
	}

	return net.JoinHostPort(host, port), true
}
