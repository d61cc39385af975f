package phasework

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/subrosa-legal/subrosa/pkg/a2aext"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// The metadata of a message hold before those of its request, and each field stands for itself. The cases are those
// that the document of the extension gives to other implementations.
func TestWhereAMessageIsWorkedOn(t *testing.T) {
	t.Parallel()
	const base = "https://subrosa.example"
	text, err := a2aext.Cases("legal-phase-v1", base)
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		Places []struct {
			Name    string         `json:"name"`
			Message map[string]any `json:"message"`
			Request map[string]any `json:"request"`
			Place   where          `json:"place"`
			Refused bool           `json:"refused"`
		} `json:"places"`
	}
	if err := json.Unmarshal(text, &all); err != nil || len(all.Places) == 0 {
		t.Fatalf("%d cases, %v", len(all.Places), err)
	}
	w := &Worker{Base: base}

	for _, tc := range all.Places {
		got, err := w.said(tc.Message, tc.Request)
		if tc.Refused {
			if errs.From(err) == nil || errs.From(err).Kind != errs.Invalid {
				t.Errorf("%s: %v", tc.Name, err)
			}

			continue
		}
		if diff := cmp.Diff(tc.Place, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", tc.Name, err, diff)
		}
	}
}
