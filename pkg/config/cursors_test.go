package config_test

import (
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/config"
)

func TestSecretOfCursors(t *testing.T) {
	c := config.Common{InternalKey: config.NewSecret("seed")}

	for _, tc := range []struct{ name, own, want string }{
		{"a setting of its own", "own", "own"},
		{"no setting", "", "seed"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := c.CursorSecret(config.NewSecret(tc.own)); got != tc.want {
				t.Errorf("CursorSecret = %q, want %q", got, tc.want)
			}
		})
	}
}
