package runs_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/runs"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

// planned is the engine that a run with a language model begins with. Its name has digits that are nobody's.
func planned() api.Engine {
	return api.Engine{Mode: api.ModeModel, RulesVersion: legal.RulesVersion, Model: &api.EngineModel{Provider: "anthropic", Name: "m-sonnet-4-5-20250929", TemplateVersion: "2026.1"}}
}

func TestTheRecordSaysWhatAnswered(t *testing.T) {
	fallback := api.Engine{Mode: api.ModeDeterministic, RulesVersion: legal.RulesVersion, FallbackReason: "The language model could not be reached."}
	for _, tc := range []struct {
		name string
		does engine
		want api.Engine
	}{
		{"a model", func(_ context.Context, _ legal.Task, r legal.Report) (api.PhaseResponse, error) {
			r.Tokens(100, 20)
			r.Tokens(200, 30)

			return api.PhaseResponse{Kind: api.KindAnswer, Text: "The rent is due."}, nil
		}, planned()},
		{"the rules in its place", func(_ context.Context, _ legal.Task, r legal.Report) (api.PhaseResponse, error) {
			r.Tokens(300, 50)
			r.AnsweredBy(fallback)

			return api.PhaseResponse{Kind: api.KindAnswer, Text: "The rent is due."}, nil
		}, fallback},
	} {
		t.Run(tc.name, func(t *testing.T) {
			w := newWorld(t, stores.Redis(t), newLedger(), tc.does, quick())
			k, p := w.ledger.begin("o:oak")
			p.Engine = planned()
			w.start(t, k, p, time.Minute)
			events := w.events(t, k)
			checkGrammar(t, events)
			var start api.PhaseStartEvent
			var end api.PhaseEndEvent
			if err := json.Unmarshal(events[1].Data, &start); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(events[len(events)-1].Data, &end); err != nil {
				t.Fatal(err)
			}
			record, err := w.ledger.Phase(t.Context(), k.PhaseID)
			if err != nil {
				t.Fatal(err)
			}
			if start.Engine.Model == nil || *start.Engine.Model != *planned().Model {
				t.Errorf("the stream began with %+v", start.Engine)
			}
			got, want := record.Engine, tc.want
			if (got.Model == nil) != (want.Model == nil) || got.Model != nil && *got.Model != *want.Model || got.Mode != want.Mode || got.FallbackReason != want.FallbackReason {
				t.Errorf("engine = %+v, want %+v", got, want)
			}
			if record.Usage.InputTokens != 300 || record.Usage.OutputTokens != 50 || end.Usage != record.Usage {
				t.Errorf("usage = %+v, at the end of the stream %+v", record.Usage, end.Usage)
			}
		})
	}
}

func TestFailuresOfAModelAreToldBesideOthers(t *testing.T) {
	for _, tc := range []struct {
		err       error
		code      string
		retryable bool
	}{
		{legal.ErrModelUnavailable.WithRetryAfter(time.Second), "model_unavailable", true},
		{legal.ErrModelRateLimited, "model_rate_limited", true},
		{legal.ErrModelRefused, "model_refused", false},
		{legal.ErrOutputBlocked, "output_blocked", false},
		{legal.ErrModelBudget, "budget_exceeded", false},
	} {
		t.Run(tc.code, func(t *testing.T) {
			w := newWorld(
				t,
				stores.Redis(t),
				newLedger(),
				engine(func(context.Context, legal.Task, legal.Report) (api.PhaseResponse, error) {
					return api.PhaseResponse{}, tc.err
				}),
				quick(),
			)
			k, p := w.ledger.begin("o:oak")
			p.Engine = planned()
			w.start(t, k, p, time.Minute)
			events := w.events(t, k)
			checkGrammar(t, events)
			var told api.ErrorEvent
			if err := json.Unmarshal(events[len(events)-2].Data, &told); err != nil {
				t.Fatal(err)
			}
			if told.Type != api.EventError || told.Error != tc.code || told.Retryable != tc.retryable || told.Message == "" {
				t.Errorf("told %+v", told)
			}
			if record, err := w.ledger.Phase(t.Context(), k.PhaseID); err != nil || record.Status != api.PhaseFailed || !runs.Ended(record) {
				t.Errorf("%+v, %v", record, err)
			}
		})
	}
}
