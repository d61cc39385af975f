package agentsvc_test

import (
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// The service starts goroutines for runs, readers and hosts; none may outlive it.
func TestMain(m *testing.M) { testkit.Main(m) }
