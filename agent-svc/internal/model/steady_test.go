package model_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/model"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/model/modeltest"
)

// clock is a time that moves when somebody waits.
type clock struct {
	now    time.Time
	waited []time.Duration
}

func (c *clock) Now() time.Time { return c.now }

func (c *clock) wait(ctx context.Context, d time.Duration) error {
	c.waited = append(c.waited, d)
	c.now = c.now.Add(d)

	return ctx.Err()
}

func steady(t testing.TB, p provider, answer func(int, modeltest.Request) modeltest.Turn) (*model.Steady, *modeltest.Server, *clock) {
	s := p.serve(t, answer)
	c := &clock{now: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}
	m := model.Usual(p.dial(s.URL, modeltest.Key, client(t, time.Second)), c.Now)
	m.Wait = c.wait

	return m, s, c
}

func TestTriesAgain(t *testing.T) {
	t.Parallel()
	answer := modeltest.Turn{Text: []string{"The rent is due."}}

	for _, p := range providers() {
		t.Run(p.name+"/after what the provider asks for", func(t *testing.T) {
			m, s, c := steady(t, p, modeltest.Script(modeltest.Turn{Status: 429, RetryAfter: "3"}, answer))
			if reply, err := m.Chat(t.Context(), question(), nil); err != nil || reply.Text != "The rent is due." {
				t.Fatalf("Chat = %+v, %v", reply, err)
			}
			if len(s.Requests()) != 2 || len(c.waited) != 1 || c.waited[0] < 3*time.Second || c.waited[0] > 3*time.Second+m.Pause {
				t.Errorf("%d requests, waited %v", len(s.Requests()), c.waited)
			}
		})
		t.Run(p.name+"/longer each time", func(t *testing.T) {
			m, s, c := steady(t, p, modeltest.Script(modeltest.Turn{Status: 529}, modeltest.Turn{Text: []string{"x"}, Cut: true}, modeltest.Turn{Fail: "overloaded_error"}, answer))
			if reply, err := m.Chat(t.Context(), question(), nil); err != nil || reply.Text != "The rent is due." {
				t.Fatalf("Chat = %+v, %v", reply, err)
			}
			if len(s.Requests()) != 4 || len(c.waited) != 3 {
				t.Fatalf("%d requests, waited %v", len(s.Requests()), c.waited)
			}

			for i, d := range c.waited {
				if bound := m.Pause << i; d < bound/2 || d > bound {
					t.Errorf("pause %d = %v, want %v to %v", i, d, bound/2, bound)
				}
			}
		})
		t.Run(p.name+"/not for long waits", func(t *testing.T) {
			m, s, _ := steady(t, p, modeltest.Script(modeltest.Turn{Status: 429, RetryAfter: "31"}))
			var e *model.Error
			if _, err := m.Chat(t.Context(), question(), nil); !errors.As(err, &e) || e.Kind != model.RateLimited || e.RetryAfter != 31*time.Second || len(s.Requests()) != 1 {
				t.Errorf("Chat = %v after %d requests", err, len(s.Requests()))
			}
		})
		t.Run(p.name+"/not what stays", func(t *testing.T) {
			for _, turn := range []modeltest.Turn{{Status: 400}, {Stop: p.refuse}} {
				m, s, _ := steady(t, p, modeltest.Script(turn))
				if _, err := m.Chat(t.Context(), question(), nil); err == nil || len(s.Requests()) != 1 {
					t.Errorf("%+v: Chat = %v after %d requests", turn, err, len(s.Requests()))
				}
			}
		})
		t.Run(p.name+"/not when the run is over", func(t *testing.T) {
			m, s, _ := steady(t, p, modeltest.Script(modeltest.Turn{Status: 503}))
			ctx, cancel := context.WithCancel(t.Context())
			m.Wait = func(context.Context, time.Duration) error { cancel(); return context.Canceled }
			if _, err := m.Chat(ctx, question(), nil); !errors.Is(err, context.Canceled) || len(s.Requests()) != 1 {
				t.Errorf("Chat = %v after %d requests", err, len(s.Requests()))
			}
		})
	}
}

func TestLeavesAProviderAloneThatKeepsFailing(t *testing.T) {
	t.Parallel()

	for _, p := range providers() {
		t.Run(p.name, func(t *testing.T) {
			back := false
			m, s, c := steady(t, p, func(int, modeltest.Request) modeltest.Turn {
				if back {
					return modeltest.Turn{Text: []string{"Here."}}
				}

				return modeltest.Turn{Status: 503}
			})
			m.Tries = 1

			ask := func() error { _, err := m.Chat(t.Context(), question(), nil); return err }
			for range m.Threshold {
				if ask() == nil {
					t.Fatal("a failing provider answered")
				}
			}
			var e *model.Error
			if err := ask(); !errors.As(err, &e) || e.Kind != model.Unavailable || e.RetryAfter != m.Rest || len(s.Requests()) != m.Threshold {
				t.Fatalf("after %d failures: %+v, %d requests", m.Threshold, e, len(s.Requests()))
			}
			c.now = c.now.Add(m.Rest)
			if ask() == nil || len(s.Requests()) != m.Threshold+1 {
				t.Fatalf("no trial: %d requests", len(s.Requests()))
			}
			if ask() == nil || len(s.Requests()) != m.Threshold+1 {
				t.Fatalf("a failed trial did not close the way again: %d requests", len(s.Requests()))
			}
			c.now, back = c.now.Add(m.Rest), true

			for range 3 {
				if err := ask(); err != nil {
					t.Errorf("the provider is back: %v", err)
				}
			}
		})
	}
}

// Who gives up while trying whether the provider is back must not keep the others from trying.
func TestATrialThatIsGivenUpIsNoFailure(t *testing.T) {
	t.Parallel()
	p := providers()[0]
	m, s, c := steady(t, p, func(n int, _ modeltest.Request) modeltest.Turn {
		switch {
		case n <= 5:
			return modeltest.Turn{Status: 503}
		case n == 6:
			return modeltest.Turn{Pause: time.Minute}
		}

		return modeltest.Turn{Text: []string{"Here."}}
	})

	m.Tries = 1
	for range 5 {
		_, _ = m.Chat(t.Context(), question(), nil)
	}
	c.now = c.now.Add(m.Rest)

	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := m.Chat(ctx, question(), nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("Chat = %v", err)
	}
	if reply, err := m.Chat(t.Context(), question(), nil); err != nil || reply.Text != "Here." || len(s.Requests()) != 7 {
		t.Errorf("Chat = %+v, %v after %d requests", reply, err, len(s.Requests()))
	}
}

func TestSchemaTakesWhatItSaysAndNothingElse(t *testing.T) {
	t.Parallel()

	schema := model.Schema{Fields: []model.Field{
		{Name: "query", Type: model.Text, Required: true, Least: 1, Most: 10},
		{Name: "limit", Type: model.Whole, Least: 1, Most: 5},
		{Name: "files", Type: model.Numbers, Least: 1, Most: 99, MostItems: 3},
	}}
	for arguments, want := range map[string]string{
		`{"query":"rent"}`: "",
		` {"query":"rent","limit":5,"files":[1,99]} `: "",
		`{"query":"rént déu!"}`:                       "",
		``:                                            "query is missing",
		`{}`:                                          "query is missing",
		`{"query":""}`:                                "query must be text of 1 to 10 characters",
		`{"query":"rent rent rent"}`:                  "query must be text of 1 to 10 characters",
		`{"query":7}`:                                 "query must be text of 1 to 10 characters",
		`{"query":null}`:                              "query must be text of 1 to 10 characters",
		`{"query":"rent","limit":"5"}`:                "limit must be a whole number from 1 to 5",
		`{"query":"rent","limit":5.5}`:                "limit must be a whole number from 1 to 5",
		`{"query":"rent","limit":6}`:                  "limit must be a whole number from 1 to 5",
		`{"query":"rent","files":[1,2,3,4]}`:          "files must be a list of at most 3 whole numbers from 1 to 99",
		`{"query":"rent","files":[null]}`:             "files must be a list of at most 3 whole numbers from 1 to 99",
		`{"query":"rent","files":["1"]}`:              "files must be a list of at most 3 whole numbers from 1 to 99",
		`{"query":"rent","query":"rent"}`:             "query is given twice",
		`{"query":"rent","to":"somebody"}`:            "there is an argument that the tool does not have",
		`{"query":"rent"} {}`:                         "the arguments must be one JSON object",
		`["rent"]`:                                    "the arguments must be one JSON object",
		`{"query":"re`:                                "the arguments must be one JSON object",
		`rent`:                                        "the arguments must be one JSON object",
	} {
		_, err := schema.Read(arguments)
		if got := errorText(err); got != want {
			t.Errorf("Read(%s) = %q, want %q", arguments, got, want)
		}
	}
	a, err := schema.Read(`{"query":"rent","files":[2,3]}`)
	if err != nil || a.Text("query") != "rent" || a.Whole("limit", 4) != 4 || len(a.Numbers("files")) != 2 {
		t.Errorf("Read = %+v, %v", a, err)
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}

	return strings.TrimSpace(err.Error())
}
