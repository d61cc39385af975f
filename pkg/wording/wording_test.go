package wording_test

import (
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/wording"
)

func TestWording(t *testing.T) {
	for _, tc := range []struct{ got, want string }{
		{wording.Count(0, "party", "parties"), "0 parties"},
		{wording.Count(1, "party", "parties"), "1 party"},
		{wording.Counted(1, "day"), "1 day"},
		{wording.Counted(12, "day"), "12 days"},
		{wording.Capital("no day is due"), "No day is due"},
		{wording.Capital(""), ""},
	} {
		if tc.got != tc.want {
			t.Errorf("%q, want %q", tc.got, tc.want)
		}
	}
}
