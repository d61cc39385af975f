package testkit_test

import (
	"net"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

func TestFreeAddrIsGivenOnce(t *testing.T) {
	seen := map[string]bool{}

	for range 500 {
		addr := testkit.FreeAddr(t)
		if seen[addr] {
			t.Fatalf("%s was given twice", addr)
		}
		seen[addr] = true
	}

	for addr := range seen {
		if ln, err := net.Listen("tcp", addr); err != nil {
			t.Errorf("nobody can listen: %v", err)
		} else {
			_ = ln.Close()
		}

		break
	}
}
