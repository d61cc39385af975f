package config

import (
	"maps"
	"net/url"
	"slices"
)

// PeerTLS names the files of the TLS between services, for the settings of each of them. Without them services speak
// plain HTTP.
type PeerTLS struct {
	CertFile string `env:"INTERNAL_TLS_CERT_FILE" help:"this service's certificate chain for the other services, PEM, read again when it changes; plain HTTP between services by default"`
	KeyFile  string `env:"INTERNAL_TLS_KEY_FILE" help:"its private key, PEM, read again when it changes"`
	CAFile   string `env:"INTERNAL_TLS_CA_FILE" help:"PEM file with the certificates that other services' certificates are checked against, read again when it changes"`
}

// Problems says what is wrong with the three together, and with the addresses of other services by the names of their
// settings.
func (p PeerTLS) Problems(addresses map[string]string) []string {
	var all []string
	on := p != PeerTLS{}
	if on && (p.CertFile == "" || p.KeyFile == "" || p.CAFile == "") {
		all = append(all, "INTERNAL_TLS_CERT_FILE, INTERNAL_TLS_KEY_FILE and INTERNAL_TLS_CA_FILE go together")
	}

	for _, name := range slices.Sorted(maps.Keys(addresses)) {
		if u, err := url.Parse(addresses[name]); on && err == nil && u.Scheme == "http" {
			all = append(all, name+" must begin with https://, since services speak TLS among themselves")
		}
	}

	return all
}
