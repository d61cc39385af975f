// Package localca is a certificate authority for one machine: it vouches for names of this host only, so that trusting
// it costs little, and issues the certificates that development needs.
package localca

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

const (
	caLife   = 10 * 365 * 24 * time.Hour
	leafLife = 90 * 24 * time.Hour
	renew    = 7 * 24 * time.Hour // a leaf with less left is issued anew
	backdate = time.Hour          // clocks of one machine's containers may differ
)

// CA signs certificates for localhost and loopback addresses.
type CA struct {
	CertFile string
	cert     *x509.Certificate
	key      *ecdsa.PrivateKey
	now      func() time.Time
}

// Open loads the authority kept in dir, or makes one. The private key's file has mode 0600.
func Open(dir string, now func() time.Time) (*CA, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make folder of the local CA: %w", err)
	}
	ca := &CA{CertFile: filepath.Join(dir, "ca.pem"), now: now}
	pair, err := tls.LoadX509KeyPair(ca.CertFile, filepath.Join(dir, "ca-key.pem"))
	if errors.Is(err, fs.ErrNotExist) {
		return ca, ca.create(dir)
	}
	if err != nil {
		return nil, fmt.Errorf("load local CA: %w", err)
	}
	key, ok := pair.PrivateKey.(*ecdsa.PrivateKey)
	if !ok {
		return nil, errors.New("the local CA's key is not one of ours")
	}
	ca.cert, ca.key = pair.Leaf, key

	return ca, nil
}

func (ca *CA) create(dir string) error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return fmt.Errorf("make local CA: %w", err)
	}
	host, _ := os.Hostname()
	template := &x509.Certificate{
		SerialNumber: serial(),
		Subject: pkix.Name{
			CommonName:   "Subrosa local CA " + host,
			Organization: []string{"Subrosa development"},
		},
		NotBefore:             ca.now().Add(-backdate),
		NotAfter:              ca.now().Add(caLife),
		IsCA:                  true,
		BasicConstraintsValid: true,
		MaxPathLenZero:        true,
		KeyUsage:              x509.KeyUsageCertSign | x509.KeyUsageCRLSign,
		// Whoever trusts this authority trusts it for this host alone.
		PermittedDNSDomainsCritical: true,
		PermittedDNSDomains:         []string{"localhost"},
		PermittedIPRanges: []*net.IPNet{
			{IP: net.IPv4(127, 0, 0, 0).To4(), Mask: net.CIDRMask(8, 32)},
			{IP: net.IPv6loopback, Mask: net.CIDRMask(128, 128)},
		},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return fmt.Errorf("make local CA: %w", err)
	}
	if ca.cert, err = x509.ParseCertificate(der); err != nil {
		return fmt.Errorf("read local CA: %w", err)
	}
	ca.key = key

	return write(ca.CertFile, filepath.Join(dir, "ca-key.pem"), [][]byte{der}, key)
}

// Leaf makes sure that certFile and keyFile hold a certificate of this authority for localhost and the loopback
// addresses that is good for at least another week.
func (ca *CA) Leaf(certFile, keyFile string) error {
	if pair, err := tls.LoadX509KeyPair(certFile, keyFile); err == nil && ca.good(pair.Leaf) {
		return nil
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return fmt.Errorf("make certificate: %w", err)
	}
	template := &x509.Certificate{
		SerialNumber: serial(),
		Subject:      pkix.Name{CommonName: "localhost"},
		NotBefore:    ca.now().Add(-backdate),
		NotAfter:     ca.now().Add(leafLife),
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
		DNSNames:     []string{"localhost"},
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, ca.cert, &key.PublicKey, ca.key)
	if err != nil {
		return fmt.Errorf("make certificate: %w", err)
	}

	// The authority goes along, so that clients can be shown the whole chain.
	return write(certFile, keyFile, [][]byte{der, ca.cert.Raw}, key)
}

// good reports whether a certificate is of this authority and need not be renewed yet.
func (ca *CA) good(leaf *x509.Certificate) bool {
	return leaf.CheckSignatureFrom(ca.cert) == nil && leaf.NotAfter.Sub(ca.now()) > renew
}

// Pool returns a pool that trusts this authority alone.
func (ca *CA) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AddCert(ca.cert)

	return pool
}

func serial() *big.Int {
	n, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127))
	if err != nil {
		// Randomness of the system does not fail; without it no key could be made either.
		panic(err)
	}

	return n
}

// write puts the key down first: a certificate without its key would look usable.
func write(certFile, keyFile string, chain [][]byte, key *ecdsa.PrivateKey) error {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return fmt.Errorf("encode key: %w", err)
	}
	if err := replace(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), 0o600); err != nil {
		return err
	}

	var text []byte
	for _, cert := range chain {
		text = append(text, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert})...)
	}

	return replace(certFile, text, 0o644)
}

// replace writes a file whole or not at all.
func replace(name string, text []byte, mode fs.FileMode) error {
	// A service reads the file again when it changes, and must never find half of one.
	tmp := name + ".new"
	if err := os.WriteFile(tmp, text, mode); err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(name), err)
	}
	if err := os.Rename(tmp, name); err != nil {
		return fmt.Errorf("write %s: %w", filepath.Base(name), err)
	}

	return nil
}
