package phasework

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/a2a"
	"github.com/subrosa-legal/subrosa/pkg/a2aext"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/idempotency"
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

// A client that knows the card alone asks for an evaluation in words, and gets one.
func TestWordsAskForAnEvaluation(t *testing.T) {
	t.Parallel()
	const caseID = "01a21860-e08a-7173-a0f1-882bf746a81c"
	w := &Worker{Base: "https://subrosa.example"}

	for _, tc := range []struct {
		text string
		said map[string]any
		task api.A2ATask
		want string
	}{
		{text: "Evaluate this complaint.", want: api.EvalReq},
		{text: "Rate the complexity of this case.", want: api.EvalReq},
		{text: "What is the notice period for termination?", want: api.CaseReq},
		{text: "Evaluate this complaint.", said: map[string]any{"requestType": api.CaseReq}, want: api.CaseReq},
		{text: caseID, task: api.A2ATask{Turns: []api.A2ATurn{{Text: "Evaluate this complaint."}}}, want: api.EvalReq},
		{
			text: "Evaluate it again.", want: api.CaseReq,
			task: api.A2ATask{
				ContainerType: api.ContainerCase, ContainerID: caseID, Turns: []api.A2ATurn{{PhaseID: caseID}},
			},
		},
	} {
		said := map[string]any{"caseId": caseID}
		maps.Copy(said, tc.said)
		m := a2a.Message{
			Parts:    []a2a.Part{{Text: &tc.text}},
			Metadata: map[string]any{w.Base + "/a2a/ext/legal-phase/v1": said},
		}
		at, missing, err := w.Place(t.Context(), m, nil, tc.task)
		if err != nil || missing || at.RequestType != tc.want {
			t.Errorf("%q with %v is %s, %v, %v; want %s", tc.text, tc.said, at.RequestType, missing, err, tc.want)
		}
	}
}

// A case opened for a message goes only with files for which every copy of the message would be refused: another may be
// at work in it.
func TestWhatTakesACaseAway(t *testing.T) {
	t.Parallel()

	for err, want := range map[error]bool{
		guard.ErrRefused: true, extract.ErrUnsupported: true, extract.ErrMacro: true, extract.ErrTooLarge: true,
		errs.New(errs.Invalid, "validation_failed", "The name is malformed."): true,
		guard.ErrUnverifiable: false, errs.New(errs.TooLarge, "case_quota_exceeded", "Full."): false,
		errs.New(errs.Forbidden, "access_ended", "Gone."): false, nil: false,
		idempotency.ErrInProgress: false, errs.ErrNotFound: false, context.DeadlineExceeded: false,
		errs.New(errs.Unavailable, "unavailable", "Try again."): false, errs.New(errs.TooMany, "rate", "Wait."): false,
	} {
		failed := err
		if err != nil {
			failed = fmt.Errorf("a file: %w", err)
		}
		if got := refused(failed); got != want {
			t.Errorf("%v: %t", err, got)
		}
	}
}
