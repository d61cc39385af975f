package e2e_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/deploy/internal/demo"
	"github.com/subrosa-legal/subrosa/deploy/internal/localca"
)

func TestTheStoryWithTLSBetweenServices(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ca, err := localca.Open(filepath.Join(dir, "ca"), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	cert, key := filepath.Join(dir, "peer.pem"), filepath.Join(dir, "peer-key.pem")
	if err := ca.Leaf(cert, key); err != nil {
		t.Fatal(err)
	}
	w := start(t, map[string]string{"INTERNAL_TLS_CERT_FILE": cert, "INTERNAL_TLS_KEY_FILE": key, "INTERNAL_TLS_CA_FILE": ca.CertFile})
	var out bytes.Buffer
	story := demo.Story{
		Out: &out, Site: w.Facts.BaseURL, Folder: w.dir, Config: filepath.Join(w.dir, "config"), Samples: "../samples", Person: ben, Browser: w.http, Now: time.Now,
	}
	if err := story.Play(t.Context()); err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}

	for name, service := range w.Services {
		if name == "gateway" {
			continue // anybody may reach it
		}
		if err := greet(t.Context(), service.Addr()); !asksForACertificate(err) {
			t.Errorf("%s and a stranger: %v, want to be asked for a certificate", name, err)
		}
	}
}

// greet begins a connection as a stranger and waits for the first word.
func greet(ctx context.Context, addr string) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	d := tls.Dialer{NetDialer: &net.Dialer{}, Config: &tls.Config{InsecureSkipVerify: true}}
	conn, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return err
	}

	defer func() { _ = conn.Close() }()
	if end, ok := ctx.Deadline(); ok {
		if err := conn.SetDeadline(end); err != nil {
			return err
		}
	}
	_, err = conn.Read(make([]byte, 1)) // in TLS 1.3 a refusal comes after the caller's side of the handshake

	return err
}

func asksForACertificate(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "remote error" && strings.Contains(op.Err.Error(), "certificate required") // RFC 8446, 6.2; the type is not exported
}
