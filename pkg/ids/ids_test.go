package ids_test

import (
	"testing"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/pkg/ids"
)

func TestValid(t *testing.T) {
	for s, want := range map[string]bool{
		ids.New(): true, "0190a3b1-0000-7000-8000-000000000001": true, "0190A3B1-0000-7000-8000-000000000001": false,
		"{0190a3b1-0000-7000-8000-000000000001}": false, "urn:uuid:0190a3b1-0000-7000-8000-000000000001": false, "0190a3b1000070008000000000000001": false, "": false,
	} {
		if got := ids.Valid(s); got != want {
			t.Errorf("Valid(%q) = %t, want %t", s, got, want)
		}
	}
}

func TestDerivedIDsAreToldApart(t *testing.T) {
	here, there := ids.Space(uuid.MustParse("5f1c2a44-6f5d-5c1e-9a38-6f3c2d1b7e90")), ids.Space(uuid.MustParse("b1a6f0de-7a3c-5d0a-8f55-21c4d97c3b10"))
	id := here.Derive("a", "b")
	if got := here.Derive("a", "b"); got != id || !ids.Valid(id) {
		t.Errorf("Derive = %s, then %s", id, got)
	}

	for name, other := range map[string]string{"parts joined": here.Derive("ab"), "a part more": here.Derive("a", "b", ""), "other space": there.Derive("a", "b")} {
		if other == id {
			t.Errorf("%s: the same id", name)
		}
	}
}
