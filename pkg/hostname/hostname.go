// Package hostname knows the form of names of the domain name system.
package hostname

import "strings"

// Valid reports whether host is a name of the domain name system in lower case (RFC 1123), and no address to anybody
// who reads it.
func Valid(host string) bool {
	if len(host) > 253 {
		return false
	}

	labels := strings.Split(host, ".")
	for _, label := range labels {
		if label == "" || len(label) > 63 || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}

		for i := range len(label) {
			if !inLabel(label[i]) {
				return false
			}
		}
	}
	last := labels[len(labels)-1]

	// Some resolvers read what ends in a number as an IPv4 address, in whatever form.
	return last[0] < '0' || last[0] > '9'
}

// inLabel reports whether c may stand in a part between two dots.
func inLabel(c byte) bool {
	switch {
	case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '-':
		return true
	}

	return false
}
