package certs

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/config"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
)

const dialTime = 2 * time.Second // for a connection and its handshake together

// Peers is the TLS that services speak among themselves: each shows a certificate of the installation's authority and
// asks the other for one. It proves that the other side belongs to the installation; which service calls, and for whom,
// the internal token says. nil means plain HTTP.
type Peers struct {
	own       *Certificate
	authority *renewed[*x509.CertPool]
}

// NewPeers reads the files that the settings name, and again whenever they change. Settings that name none give nil.
func NewPeers(files config.PeerTLS, now func() time.Time, tel *telemetry.Telemetry) (*Peers, error) {
	if files == (config.PeerTLS{}) {
		return nil, nil //nolint:nilnil // no TLS between services is no error, and nil works
	}
	own, err := load("peers", files.CertFile, files.KeyFile, now, tel)
	if err != nil {
		return nil, fmt.Errorf("INTERNAL_TLS_CERT_FILE and INTERNAL_TLS_KEY_FILE: %w", err)
	}
	authority, err := open("authority", []string{files.CAFile}, func() (*x509.CertPool, *x509.Certificate, error) {
		text, err := os.ReadFile(files.CAFile)
		if err != nil {
			return nil, nil, err
		}

		return authorities(text)
	}, now, tel)
	if err != nil {
		return nil, fmt.Errorf("INTERNAL_TLS_CA_FILE: %w", err)
	}

	return &Peers{own, authority}, nil
}

// authorities reads certificates in PEM, without those that cannot be read, and tells which of them lasts longest:
// while one is replaced, the file holds both.
func authorities(text []byte) (pool *x509.CertPool, last *x509.Certificate, err error) {
	pool = x509.NewCertPool()

	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		cert, err := x509.ParseCertificate(block.Bytes)
		// A bundle may hold keys or comments of other tools. One bad block must not lock out all services.
		if block.Type != "CERTIFICATE" || err != nil {
			continue
		}
		pool.AddCert(cert)
		if last == nil || cert.NotAfter.After(last.NotAfter) {
			last = cert
		}
	}
	if last == nil {
		return nil, nil, errors.New("the file holds no certificate that can be read")
	}

	return pool, last, nil
}

// Server returns the settings of a listener that other services reach and nobody else: TLS 1.3, with their certificate
// asked for.
func (p *Peers) Server() *tls.Config {
	if p == nil {
		return nil
	}

	return &tls.Config{
		MinVersion: tls.VersionTLS13,
		// The authorities are taken anew for each connection, since their file may have been renewed.
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
			return &tls.Config{
				MinVersion:     tls.VersionTLS13,
				GetCertificate: p.own.served,
				ClientAuth:     tls.RequireAndVerifyClientCert,
				ClientCAs:      p.authority.get(),
				NextProtos:     []string{"http/1.1"}, // calls are spread over the replicas by connections
			}, nil
		},
	}
}

// Transport returns the transport for calls to other services.
func (p *Peers) Transport() *http.Transport {
	t := httpcall.NewTransport()
	if p == nil {
		return t
	}
	// Each connection takes the authorities anew, as Server does: a configuration of the transport would keep the first
	// ones.
	t.DialTLSContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		d := tls.Dialer{
			NetDialer: &net.Dialer{Timeout: dialTime, KeepAlive: 30 * time.Second},
			Config: &tls.Config{
				MinVersion:           tls.VersionTLS13,
				GetClientCertificate: p.own.shown,
				RootCAs:              p.authority.get(),
			},
		}

		return d.DialContext(ctx, network, addr)
	}

	return t
}
