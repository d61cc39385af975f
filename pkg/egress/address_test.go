package egress_test

import (
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/egress"
)

func TestParsePeers(t *testing.T) {
	for _, tc := range []struct {
		list []string
		ok   bool
	}{
		{nil, true},
		{[]string{"127.0.0.1:*"}, true},
		{[]string{"127.0.0.1:9000", " [::1]:9000"}, true},
		{[]string{"127.0.0.1"}, false},
		{[]string{"127.0.0.1:0"}, false},
		{[]string{"10.0.0.1:*"}, false},
		{[]string{"localhost:9000"}, false},
	} {
		if _, ok := egress.ParsePeers(tc.list); ok != tc.ok {
			t.Errorf("ParsePeers(%q) = %v, want %v", tc.list, ok, tc.ok)
		}
	}
}
