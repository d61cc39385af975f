package testkit_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// another is set in the process that TestFreeAddrIsGivenOnce starts.
const another = "TESTKIT_ANOTHER_PROCESS"

func TestFreeAddrIsGivenOnce(t *testing.T) {
	seen := map[string]bool{}

	for range 200 {
		addr := testkit.FreeAddr(t)
		if seen[addr] {
			t.Fatalf("%s was given twice", addr)
		}
		seen[addr] = true
	}
	if os.Getenv(another) != "" {
		for addr := range seen {
			fmt.Println("given", addr)
		}

		return
	}

	for addr := range seen {
		if ln, err := net.Listen("tcp", addr); err != nil {
			t.Errorf("nobody can listen: %v", err)
		} else {
			_ = ln.Close()
		}

		break
	}
	other := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$")
	other.Env = append(os.Environ(), another+"=1")
	said, err := other.Output()
	if err != nil {
		t.Fatal(err)
	}
	given := 0

	for line := range strings.Lines(string(said)) {
		addr, ok := strings.CutPrefix(strings.TrimSpace(line), "given ")
		if !ok {
			continue
		}
		given++
		if seen[addr] {
			t.Errorf("%s was given to two processes", addr)
		}
	}
	if given != len(seen) {
		t.Errorf("the other process was given %d addresses", given)
	}
}
