package testkit

import (
	"testing"

	"go.uber.org/goleak"
)

// Main runs the tests of a package and fails it when goroutines outlive them. Call it from TestMain in packages that
// start goroutines per request. What looks after the servers of this process may stay, since those end with the
// process.
func Main(m *testing.M) {
	const here = "github.com/subrosa-legal/subrosa/pkg/testkit/stores."
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction(here+"run.func1"),
		goleak.IgnoreAnyFunction("os/exec.(*Cmd).Start.func2"), // copies what a server prints
	)
}
