package egress

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/hostname"
)

const maxAddress = 2048 // bytes

// insideNames are suffixes of names that only mean something inside a network, or nothing at all.
var insideNames = []string{
	".local", ".internal", ".intranet", ".lan", ".localhost", ".localdomain", ".svc", ".cluster.local", ".home.arpa",
	".onion", ".test", ".invalid", ".example",
}

// Peer is an address that the development exception admits.
type Peer struct {
	Addr netip.Addr
	Port uint16 // 0 means any
}

// ParsePeers reads a comma list of exact address:port pairs, or 127.0.0.1:* for any port of this host.
func ParsePeers(list []string) ([]Peer, bool) {
	var peers []Peer

	for _, text := range list {
		if text = strings.TrimSpace(text); text == "127.0.0.1:*" {
			peers = append(peers, Peer{Addr: netip.MustParseAddr("127.0.0.1")})
			continue
		}
		ap, err := netip.ParseAddrPort(text)
		if err != nil || ap.Port() == 0 {
			return nil, false
		}
		peers = append(peers, Peer{ap.Addr().Unmap(), ap.Port()})
	}

	return peers, true
}

func admitted(peers []Peer, ap netip.AddrPort) bool {
	for _, p := range peers {
		if p.Addr == ap.Addr() && (p.Port == 0 || p.Port == ap.Port()) {
			return true
		}
	}

	return false
}

// Parse accepts the one form that an address may have, before any network is used; all else is ErrForm. Literal
// addresses are refused but for what Dev names; every other host must look like a public name.
func (g *Guard) Parse(raw string) (*url.URL, error) {
	// Parsers differ in what they make of backslashes, blanks and bytes beyond ASCII. None of them is in an address
	// that is written properly.
	strange := func(r rune) bool { return r <= ' ' || r == '\\' || r >= 0x7f }
	if raw == "" || len(raw) > maxAddress || strings.ContainsFunc(raw, strange) {
		return nil, ErrForm
	}
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "https" || u.User != nil || strings.Contains(raw, "#") {
		return nil, ErrForm
	}
	if u.Opaque != "" || u.Host == "" {
		return nil, ErrForm
	}
	host, port := strings.ToLower(u.Hostname()), u.Port()
	// An empty port is the default to some clients and an error to others.
	if strings.HasSuffix(u.Host, ":") {
		return nil, ErrForm
	}
	// Forms such as 0x7f.1 or 2130706433 are no address to this parser. They have no dot or end in a number, which
	// publicName refuses.
	if ip, err := netip.ParseAddr(host); err == nil {
		return devLiteral(u, ip, port, g.cfg.Dev)
	}
	if port != "" && port != "443" {
		return nil, ErrForm
	}
	if !publicName(host) {
		return nil, ErrForm
	}

	return u, nil
}

func devLiteral(u *url.URL, ip netip.Addr, port string, dev []Peer) (*url.URL, error) {
	n := uint64(443)
	if port != "" {
		var err error
		if n, err = strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
			return nil, ErrForm
		}
	}
	// ::ffff:127.0.0.1 is a second way to write an address, and a zone names an interface of this machine.
	if ip.Is4In6() || ip.Zone() != "" || !admitted(dev, netip.AddrPortFrom(ip, uint16(n))) {
		return nil, ErrForm
	}

	return u, nil
}

func publicName(host string) bool {
	if !strings.Contains(host, ".") {
		return false
	}

	for _, suffix := range insideNames {
		if strings.HasSuffix("."+host, suffix) {
			return false
		}
	}

	return hostname.Valid(host)
}
