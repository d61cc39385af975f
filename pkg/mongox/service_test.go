package mongox_test

import (
	"io"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/config"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
)

// Whoever mends a deployment has to read which settings are wrong, and must not read the address, which holds a
// password.
func TestServiceNamesItsSettings(t *testing.T) {
	s := mongox.Service{
		Documents: config.Documents{MongoURI: config.NewSecret("nowhere://user:pass@host")},
		Name:      "case-svc",
		Database:  "subrosa_case",
		Setting:   "CASE_DATABASE",
	}
	_, opened := s.Open(t.Context(), nil, nil)

	for what, err := range map[string]error{"Open": opened, "Migrate": s.Migrate(t.Context(), nil, true, io.Discard)} {
		if err == nil || !strings.HasPrefix(err.Error(), "MONGODB_URI or CASE_DATABASE: ") {
			t.Errorf("%s: %v", what, err)
		}
		if err != nil && strings.Contains(err.Error(), "pass") {
			t.Errorf("%s tells the password: %v", what, err)
		}
	}
}
