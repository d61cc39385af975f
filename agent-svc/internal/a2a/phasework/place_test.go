package phasework

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// The metadata of a message hold before those of its request, and each field stands for itself.
func TestWhereAMessageIsWorkedOn(t *testing.T) {
	t.Parallel()
	const base = "https://subrosa.example"
	w := &Worker{Base: base}
	under := func(fields map[string]any) map[string]any {
		return map[string]any{base + "/a2a/ext/legal-phase/v1": fields}
	}

	for name, tc := range map[string]struct {
		message, request map[string]any
		want             where
	}{
		"nothing":              {nil, nil, where{}},
		"a case by itself":     {map[string]any{"caseId": "A"}, nil, where{CaseID: "A"}},
		"under the address":    {under(map[string]any{"caseId": "A"}), nil, where{CaseID: "A"}},
		"of the request":       {nil, under(map[string]any{"caseId": "B"}), where{CaseID: "B"}},
		"two cases":            {under(map[string]any{"caseId": "A"}), under(map[string]any{"caseId": "B"}), where{CaseID: "A"}},
		"two ways":             {map[string]any{"caseId": "A"}, under(map[string]any{"caseId": "B"}), where{CaseID: "A"}},
		"a case and a branch":  {under(map[string]any{"caseId": "A"}), under(map[string]any{"branchId": "B"}), where{CaseID: "A", BranchID: "B"}},
		"a container and case": {under(map[string]any{"containerId": "C"}), map[string]any{"caseId": "B"}, where{ContainerID: "C"}},
		"a case and a type": {
			map[string]any{"caseId": "A", base + "/a2a/ext/legal-phase/v1": map[string]any{"requestType": "eval_req"}},
			nil,
			where{CaseID: "A", RequestType: "eval_req"},
		},
	} {
		got, err := w.said(tc.message, tc.request)
		if diff := cmp.Diff(tc.want, got); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}

	for name, metadata := range map[string]map[string]any{
		"a misspelt field": under(map[string]any{"caseID": "A"}), "a number": {"caseId": 7}, "a text": {base + "/a2a/ext/legal-phase/v1": "A"},
	} {
		if _, err := w.said(metadata, nil); errs.From(err).Kind != errs.Invalid {
			t.Errorf("%s: %v", name, err)
		}
	}
}
