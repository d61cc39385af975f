package testkit_test

import (
	"errors"
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
	// Another temporary folder is no reason for ports of its own.
	elsewhere := t.TempDir()
	other.Env = append(os.Environ(), another+"=1", "TMPDIR="+elsewhere)
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
	if left, err := os.ReadDir(elsewhere); err != nil || len(left) > 0 {
		t.Errorf("the other process kept its ports apart: %v, %v", left, err)
	}
}

// TestPortsOutliveTheirProcess has a process end before a program that it started.
func TestPortsOutliveTheirProcess(t *testing.T) {
	if os.Getenv(another) != "" {
		addr := testkit.FreeAddr(t)
		orphan := exec.Command("sleep", "60")
		if err := orphan.Start(); err != nil {
			t.Fatal(err)
		}
		fmt.Println("given", addr, orphan.Process.Pid)

		return
	}

	other := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$")
	other.Env = append(os.Environ(), another+"=1")
	said, err := other.Output()
	if err != nil {
		t.Fatal(err)
	}

	var port, pid int
	if _, err := fmt.Sscanf(string(said), "given 127.0.0.1:%d %d", &port, &pid); err != nil {
		t.Fatalf("%v in %q", err, said)
	}
	orphan, err := os.FindProcess(pid)
	if err != nil {
		t.Fatal(err)
	}
	if free := testkit.BlockIsFree(t, port); free {
		t.Error("others are given the ports at which a program may still listen")
	}
	if err := orphan.Kill(); err != nil {
		t.Fatal(err)
	}

	testkit.Until(t, testkit.Patience, func() error {
		if !testkit.BlockIsFree(t, port) {
			return errors.New("the ports stay taken though the program has ended")
		}

		return nil
	})
}
