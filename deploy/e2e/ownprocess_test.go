package e2e_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// inOwnProcess runs a test in a process of its own, beside other tests, and reports whether this is that process; in
// the first one the test is over then. Telemetry reads its settings from the environment, which belongs to a whole
// process: a test that changes it would have to run while no other does.
func inOwnProcess(t *testing.T) bool {
	t.Helper()
	if os.Getenv("TEST_OWN_PROCESS") == t.Name() {
		return true
	}
	t.Parallel()

	self := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v", "-test.timeout=10m")
	self.Env = append(os.Environ(), "TEST_OWN_PROCESS="+t.Name())
	said, err := self.CombinedOutput()

	switch {
	case err != nil:
		t.Fatalf("in a process of its own: %v\n%s", err, said)
	case strings.Contains(string(said), "--- SKIP: "+t.Name()+" "):
		t.Skipf("in a process of its own:\n%s", said)
	case !strings.Contains(string(said), "--- PASS: "+t.Name()+" "):
		t.Fatalf("the process did not run the test:\n%s", said)
	}

	return false
}
