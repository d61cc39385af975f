package model_test

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/model"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/model/anthropicapi"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/model/modeltest"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/model/openaiapi"
)

type provider struct {
	name   string
	serve  func(testing.TB, func(int, modeltest.Request) modeltest.Turn) *modeltest.Server
	dial   func(base, key string, client *http.Client) model.Model
	length string // its word for a reply that was too long
	refuse string // its word for a refusal
}

func providers() []provider {
	return []provider{
		{"anthropic", modeltest.Anthropic, func(base, key string, c *http.Client) model.Model {
			return anthropicapi.New(base, key, modeltest.Name, c)
		}, "max_tokens", "refusal"},
		{"openai", modeltest.OpenAI, func(base, key string, c *http.Client) model.Model { return openaiapi.New(base, key, modeltest.Name, c) }, "length", "content_filter"},
	}
}

// TestEveryClientIsTried wants a provider for each folder with a client: the other tests know what providers lists.
func TestEveryClientIsTried(t *testing.T) {
	t.Parallel()
	clients, err := filepath.Glob("*api")
	if err != nil || len(clients) == 0 {
		t.Fatalf("Glob = %q, %v", clients, err)
	}

	for _, folder := range clients {
		name := strings.TrimSuffix(folder, "api")
		if !slices.ContainsFunc(providers(), func(p provider) bool { return p.name == name }) {
			t.Errorf("no provider of the tests is %s", name)
		}
	}
}

func client(t testing.TB, patience time.Duration) *http.Client {
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)

	return model.Client(transport, patience)
}

func question() model.Request {
	return model.Request{System: "Answer.", Messages: []model.Message{{Role: model.User, Text: "What is the rent?"}}, MaxTokens: 500, Tools: []model.Tool{{
		Name: "search", Description: "Searches.", Schema: model.Schema{Fields: []model.Field{{Name: "query", Type: model.Text, Required: true, Least: 1, Most: 100}}},
	}}}
}

func TestReplies(t *testing.T) {
	t.Parallel()
	calls := []modeltest.Call{
		{ID: "call_1", Name: "search", Arguments: []string{`{"que`, `ry":"re`, `nt"}`}},
		{ID: "call_2", Name: "search", Arguments: []string{`{"query"`, `:"deposit"}`}},
	}

	usage := model.Usage{Input: 100, Output: 20}
	for _, p := range providers() {
		for _, tc := range []struct {
			name string
			turn modeltest.Turn
			want model.Reply
		}{
			{"text in pieces", modeltest.Turn{Text: []string{"The r", "ent is due", "."}}, model.Reply{Text: "The rent is due.", Stop: model.Ended, Usage: usage}},
			{"nothing", modeltest.Turn{}, model.Reply{Stop: model.Ended, Usage: usage}},
			{"calls in pieces, at once", modeltest.Turn{Text: []string{"I look."}, Calls: calls}, model.Reply{Text: "I look.", Stop: model.Called, Usage: usage, Calls: []model.Call{
				{ID: "call_1", Name: "search", Arguments: `{"query":"rent"}`}, {ID: "call_2", Name: "search", Arguments: `{"query":"deposit"}`},
			}}},
			{
				"arguments that are no JSON",
				modeltest.Turn{Calls: []modeltest.Call{{ID: "c", Name: "search", Arguments: []string{`{"query":`}}}},
				model.Reply{Stop: model.Called, Usage: usage, Calls: []model.Call{{ID: "c", Name: "search", Arguments: `{"query":`}}},
			},
			{"too long", modeltest.Turn{Text: []string{"The rent is"}, Stop: p.length}, model.Reply{Text: "The rent is", Stop: model.Length, Usage: usage}},
			{"slow", modeltest.Turn{Text: strings.Split("word by word by word", ""), Pause: 25 * time.Millisecond}, model.Reply{Text: "word by word by word", Stop: model.Ended, Usage: usage}},
		} {
			t.Run(p.name+"/"+tc.name, func(t *testing.T) {
				s := p.serve(t, modeltest.Script(tc.turn))
				heard := 0
				got, err := p.dial(s.URL, modeltest.Key, client(t, 400*time.Millisecond)).Chat(t.Context(), question(), func(n int) { heard += n })
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tc.want, got); diff != "" || heard != len(tc.want.Text) {
					t.Errorf("heard %d bytes (-want +got):\n%s", heard, diff)
				}
			})
		}
	}
}

func TestFailures(t *testing.T) {
	t.Parallel()

	for _, p := range providers() {
		for _, tc := range []struct {
			name string
			turn modeltest.Turn
			want model.Error
		}{
			{"rate limit", modeltest.Turn{Status: 429, RetryAfter: "7"}, model.Error{Kind: model.RateLimited, Status: 429, RetryAfter: 7 * time.Second}},
			{"away", modeltest.Turn{Status: 503}, model.Error{Kind: model.Unavailable, Status: 503}},
			{"overloaded", modeltest.Turn{Status: 529}, model.Error{Kind: model.Unavailable, Status: 529}},
			{"not taken", modeltest.Turn{Status: 400}, model.Error{Kind: model.Rejected, Status: 400}},
			{"sent elsewhere", modeltest.Turn{Status: 307}, model.Error{Kind: model.Rejected, Status: 307}},
			{"refusal", modeltest.Turn{Text: []string{"I can"}, Stop: p.refuse}, model.Error{Kind: model.Refused}},
			{"overload in the stream", modeltest.Turn{Text: []string{"The"}, Fail: "overloaded_error"}, model.Error{Kind: model.Unavailable}},
			{"rate limit in the stream", modeltest.Turn{Text: []string{"The"}, Fail: "rate_limit_error"}, model.Error{Kind: model.RateLimited}},
			{"bad request in the stream", modeltest.Turn{Fail: "invalid_request_error"}, model.Error{Kind: model.Rejected}},
			{"no JSON in the stream", modeltest.Turn{Text: []string{"The"}, Mangled: true}, model.Error{Kind: model.BadStream}},
			{"cut", modeltest.Turn{Text: []string{"The"}, Cut: true}, model.Error{Kind: model.BadStream}},
			{"cut in a call", modeltest.Turn{Calls: []modeltest.Call{{ID: "c", Name: "search", Arguments: []string{`{"q`}}}, Cut: true}, model.Error{Kind: model.BadStream}},
			{"ends without an end", modeltest.Turn{Text: []string{"The"}, Unfinished: true}, model.Error{Kind: model.BadStream}},
			{"silent", modeltest.Turn{Text: []string{"The"}, Pause: time.Minute}, model.Error{Kind: model.Unavailable}},
			{"endless", modeltest.Turn{Text: []string{strings.Repeat("word ", model.MaxText/5), "word"}}, model.Error{Kind: model.BadStream}},
			{"a call without a name", modeltest.Turn{Calls: []modeltest.Call{{ID: "c", Arguments: []string{"{}"}}}}, model.Error{Kind: model.BadStream}},
		} {
			t.Run(p.name+"/"+tc.name, func(t *testing.T) {
				s := p.serve(t, modeltest.Script(tc.turn))
				_, err := p.dial(s.URL, modeltest.Key, client(t, 300*time.Millisecond)).Chat(t.Context(), question(), nil)
				var got *model.Error
				if !errors.As(err, &got) {
					t.Fatalf("Chat = %v", err)
				}
				if tc.name == "silent" && got.Kind == model.BadStream {
					got.Kind = model.Unavailable // as the headers of an answer may have come or not
				}
				if *got != tc.want {
					t.Errorf("Chat = %+v, want %+v", *got, tc.want)
				}
				if len(s.Requests()) != 1 {
					t.Errorf("%d requests", len(s.Requests()))
				}
			})
		}
		t.Run(p.name+"/wrong key", func(t *testing.T) {
			s := p.serve(t, modeltest.Script(modeltest.Turn{}))
			_, err := p.dial(s.URL, "another", client(t, time.Second)).Chat(t.Context(), question(), nil)
			var got *model.Error
			if !errors.As(err, &got) || got.Kind != model.Rejected || strings.Contains(err.Error(), "another") {
				t.Errorf("Chat = %v", err)
			}
		})
		t.Run(p.name+"/nobody there", func(t *testing.T) {
			_, err := p.dial("http://127.0.0.1:1/v1", modeltest.Key, client(t, time.Second)).Chat(t.Context(), question(), nil)
			var got *model.Error
			if !errors.As(err, &got) || got.Kind != model.Unavailable {
				t.Errorf("Chat = %v", err)
			}
		})
		t.Run(p.name+"/caller leaves", func(t *testing.T) {
			s := p.serve(t, modeltest.Script(modeltest.Turn{Text: []string{"The"}, Pause: time.Minute}))

			ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
			defer cancel()
			if _, err := p.dial(s.URL, modeltest.Key, client(t, time.Minute)).Chat(ctx, question(), nil); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("Chat = %v", err)
			}
		})
	}
}

// A whole exchange goes back in the provider's own form, which the servers check.
func TestConversationGoesBackWhole(t *testing.T) {
	t.Parallel()

	for _, p := range providers() {
		t.Run(p.name, func(t *testing.T) {
			s := p.serve(t, modeltest.Script(modeltest.Turn{Text: []string{"Done."}}))
			r := question()
			r.Messages = append(r.Messages,
				model.Message{Role: model.Assistant, Text: "I look.", Calls: []model.Call{{ID: "a", Name: "search", Arguments: `{"query":"rent"}`}, {ID: "b", Name: "search", Arguments: `{"quer`}}},
				model.Message{Role: model.User, Results: []model.Result{{CallID: "a", Text: "1 passage"}, {CallID: "b", Text: "bad arguments", Failed: true}}},
				model.Message{Role: model.Assistant, Text: "The rent is 5."},
				model.Message{Role: model.User, Text: "Mend it."},
			)
			if _, err := p.dial(s.URL, modeltest.Key, client(t, time.Second)).Chat(t.Context(), r, nil); err != nil {
				t.Fatal(err)
			}
			want := []modeltest.Message{
				{Role: "user", Text: "What is the rent?"},
				{Role: "assistant", Text: "I look.", Calls: []modeltest.Call{{ID: "a", Name: "search", Arguments: []string{`{"query":"rent"}`}}, {ID: "b", Name: "search", Arguments: []string{`{}`}}}},
				{Role: "tool", CallID: "a", Text: "1 passage"},
				{Role: "tool", CallID: "b", Text: "bad arguments"},
				{Role: "assistant", Text: "The rent is 5."},
				{Role: "user", Text: "Mend it."},
			}
			got := s.Requests()[0]
			if diff := cmp.Diff(want, got.Messages); diff != "" || got.System != "Answer." || got.MaxTokens != 500 {
				t.Errorf("%+v (-want +got):\n%s", got, diff)
			}

			schema := string(got.Schemas["search"])
			for _, part := range []string{`"additionalProperties":false`, `"required":["query"]`, `"maxLength":100`, `"type":"object"`} {
				if !strings.Contains(schema, part) {
					t.Errorf("%s is missing in %s", part, schema)
				}
			}
		})
	}
}

// What the process has in its environment for other programs changes nothing.
func TestTheEnvironmentIsNotRead(t *testing.T) {
	for name, value := range map[string]string{
		"ANTHROPIC_API_KEY": "another", "ANTHROPIC_AUTH_TOKEN": "another", "ANTHROPIC_BASE_URL": "http://127.0.0.1:1", "ANTHROPIC_CUSTOM_HEADERS": "X-Api-Key: another",
		"OPENAI_API_KEY": "another", "OPENAI_BASE_URL": "http://127.0.0.1:1", "OPENAI_ORG_ID": "another", "OPENAI_PROJECT_ID": "another",
	} {
		t.Setenv(name, value)
	}

	for _, p := range providers() {
		var headers http.Header
		look := lookingTransport{func(h http.Header) { headers = h }}
		s := p.serve(t, modeltest.Script(modeltest.Turn{Text: []string{"Here."}}))
		if reply, err := p.dial(s.URL, modeltest.Key, &http.Client{Transport: look}).Chat(t.Context(), question(), nil); err != nil || reply.Text != "Here." {
			t.Fatalf("%s: %+v, %v", p.name, reply, err)
		}

		for name, values := range headers {
			if slices.Contains(values, "another") || slices.Contains(values, "Bearer another") || name == "Traceparent" {
				t.Errorf("%s: the header %s was sent", p.name, name)
			}
		}
	}
}

// lookingTransport shows the headers of requests on their way.
type lookingTransport struct{ look func(http.Header) }

func (l lookingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	l.look(r.Header)
	return http.DefaultTransport.RoundTrip(r) //nolint:forbidigo // to a server of the test
}
