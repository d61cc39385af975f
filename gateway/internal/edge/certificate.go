package edge

import (
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"
)

const certificateCheck = 5 * time.Second // how often a handshake looks whether the files changed

// Certificate serves a certificate from two files and takes up new ones without a restart. A pair that cannot be read leaves the
// one in use.
type Certificate struct {
	certFile, keyFile string
	now               func() time.Time
	log               *slog.Logger

	mu      sync.Mutex
	current *tls.Certificate
	stamp   [2]time.Time
	checked time.Time
}

// LoadCertificate reads both files, which must fit together.
func LoadCertificate(certFile, keyFile string, now func() time.Time, log *slog.Logger) (*Certificate, error) {
	c := &Certificate{certFile: certFile, keyFile: keyFile, now: now, log: log}
	stamp, err := c.stat()
	if err != nil {
		return nil, fmt.Errorf("find the TLS certificate: %w", err)
	}
	pair, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		return nil, fmt.Errorf("load the TLS certificate: %w", err)
	}
	c.current, c.stamp, c.checked = &pair, stamp, now()
	return c, nil
}

// Config returns the listener's settings: TLS 1.2 and up, HTTP/2 offered.
func (c *Certificate) Config() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: c.get, NextProtos: []string{"h2", "http/1.1"}}
}

func (c *Certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := c.now(); now.Sub(c.checked) >= certificateCheck {
		c.checked = now
		c.reload()
	}
	return c.current, nil
}

func (c *Certificate) reload() {
	stamp, err := c.stat()
	if err == nil && stamp == c.stamp {
		return
	}
	pair, loadErr := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil || loadErr != nil {
		c.log.Warn("the new TLS certificate cannot be used; the old one stays", "file", c.certFile)
		return
	}
	c.current, c.stamp = &pair, stamp
	c.log.Info("took up a new TLS certificate")
}

func (c *Certificate) stat() (stamp [2]time.Time, err error) {
	for i, name := range []string{c.certFile, c.keyFile} {
		info, err := os.Stat(name)
		if err != nil {
			return stamp, err
		}
		stamp[i] = info.ModTime()
	}
	return stamp, nil
}
