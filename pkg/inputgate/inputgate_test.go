package inputgate_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/inputgate"
)

func TestCheckTellsWhereAndNeverWhat(t *testing.T) {
	err := inputgate.Check(t.Context(), guard.New(), "https://app.test/i/add_identity",
		inputgate.Text{Channel: guard.Title, Path: "title", Value: "Lease of [Party 1]"}, inputgate.Text{Channel: guard.Title, Path: "summary", Value: "ask ann@example.com"})
	e := errs.From(err)
	start, end := 4, 19
	want := []errs.Detail{{Path: "summary", Kind: "email", Start: &start, End: &end}}
	if diff := cmp.Diff(want, e.Details); diff != "" || e.Code != "identity_refused" || e.DeepLink != "https://app.test/i/add_identity" {
		t.Errorf("Check = %v, link %s (-want +got):\n%s", err, e.DeepLink, diff)
	}
	if err := inputgate.Check(t.Context(), guard.New(), "", inputgate.Text{Path: "title", Value: "clean"}); err != nil {
		t.Errorf("Check of clean text = %v", err)
	}
}
