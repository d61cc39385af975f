package authorities_test

import (
	"bytes"
	"crypto/x509"
	"encoding/pem"
	"testing"

	"github.com/subrosa-legal/subrosa/deploy/internal/authorities"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

func TestTheAuthoritiesAreThoseWithoutConditions(t *testing.T) {
	text, err := authorities.PEM()
	if err != nil {
		t.Fatal(err)
	}
	if again, err := authorities.PEM(); err != nil || !bytes.Equal(again, text) {
		t.Errorf("a second call gives other bytes: %v", err)
	}
	if !x509.NewCertPool().AppendCertsFromPEM(text) {
		t.Error("no pool takes them")
	}
	inside, authority := map[string]bool{}, map[string]bool{}

	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil || !cert.IsCA {
			t.Fatalf("no authority: %v", err)
		}
		inside[string(block.Bytes)], authority[cert.Subject.CommonName] = true, true
	}
	left := 0

	for root := range bundle.Roots() {
		if inside[string(root.Certificate)] == (root.Constraint != nil) {
			t.Errorf("constrained: %t, inside: %t", root.Constraint != nil, root.Constraint == nil)
		}
		if root.Constraint != nil {
			left++
		}
	}
	if len(inside) < 100 || left > len(inside)/10 || !authority["ISRG Root X1"] {
		t.Errorf("%d authorities, %d left out", len(inside), left)
	}
}
