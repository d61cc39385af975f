package testkit_test

import (
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

func TestStoresProgram(t *testing.T) {
	if path := testkit.StoresProgram(t); !strings.Contains(path, "subrosa-stores") {
		t.Errorf("StoresProgram = %s", path)
	}
}
