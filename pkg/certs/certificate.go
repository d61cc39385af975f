// Package certs serves TLS certificates that are renewed on disk while a process runs: the gateway's to the public, and
// each service's to the others.
package certs

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/telemetry"
)

// Certificate serves a certificate from two files and takes up new ones without a restart. A pair that cannot be read
// leaves the one in use.
type Certificate struct {
	pair *renewed[*tls.Certificate]
}

// Load reads both files of the certificate that the public is shown; they must fit together.
func Load(certFile, keyFile string, now func() time.Time, tel *telemetry.Telemetry) (*Certificate, error) {
	return load("public", certFile, keyFile, now, tel)
}

func load(purpose, certFile, keyFile string, now func() time.Time, tel *telemetry.Telemetry) (*Certificate, error) {
	pair, err := open(purpose, []string{certFile, keyFile}, func() (*tls.Certificate, *x509.Certificate, error) {
		read, err := tls.LoadX509KeyPair(certFile, keyFile)
		if err != nil {
			return nil, nil, err
		}
		first, err := firstToEnd(read)

		return &read, first, err
	}, now, tel)
	if err != nil {
		return nil, fmt.Errorf("load the TLS certificate: %w", err)
	}

	return &Certificate{pair}, nil
}

// firstToEnd returns the certificate of the chain whose end ends the chain: an intermediate one may run out before the
// leaf.
func firstToEnd(chain tls.Certificate) (*x509.Certificate, error) {
	first := chain.Leaf
	// Only the leaf is parsed by the loader.
	for _, der := range chain.Certificate[1:] {
		cert, err := x509.ParseCertificate(der)
		if err != nil {
			return nil, err
		}
		if cert.NotAfter.Before(first.NotAfter) {
			first = cert
		}
	}

	return first, nil
}

// Config returns the settings of a listener that anybody may reach: TLS 1.2 and up, HTTP/2 offered.
func (c *Certificate) Config() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: c.served, NextProtos: []string{"h2", "http/1.1"}}
}

func (c *Certificate) served(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	return c.pair.get(), nil
}

func (c *Certificate) shown(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
	return c.pair.get(), nil
}
