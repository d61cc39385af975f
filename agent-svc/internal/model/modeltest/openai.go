package modeltest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// OpenAI starts a server that speaks chat completions, under the path /v1 of its address.
func OpenAI(t testing.TB, answer func(n int, r Request) Turn) *Server {
	s := serve(t, protocol{
		path: "/v1/chat/completions",
		key:  func(h http.Header) string { return strings.TrimPrefix(h.Get("Authorization"), "Bearer ") },
		read: readOpenAI,
		refuse: func(_ int, kind string) string {
			return `{"error":{"message":"refused","type":"` + kind + `","param":null,"code":null}}`
		},
		write: writeOpenAI,
	}, answer)
	s.URL += "/v1"

	return s
}

func readOpenAI(body []byte) (Request, error) {
	var in struct {
		Model         string `json:"model"`
		MaxTokens     int    `json:"max_tokens"`
		Stream        bool   `json:"stream"`
		StreamOptions struct {
			IncludeUsage bool `json:"include_usage"`
		} `json:"stream_options"`
		Messages []struct {
			Role       string  `json:"role"`
			Content    *string `json:"content"`
			ToolCallID string  `json:"tool_call_id"`
			ToolCalls  []struct {
				ID       string `json:"id"`
				Type     string `json:"type"`
				Function struct {
					Name      string `json:"name"`
					Arguments string `json:"arguments"`
				} `json:"function"`
			} `json:"tool_calls"`
		} `json:"messages"`
		Tools []struct {
			Type     string `json:"type"`
			Function struct {
				Name       string          `json:"name"`
				Parameters json.RawMessage `json:"parameters"`
			} `json:"function"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return Request{}, err
	}
	if in.Model != Name || in.MaxTokens < 1 {
		return Request{}, fmt.Errorf("model %q, max_tokens %d", in.Model, in.MaxTokens)
	}
	if !in.Stream || !in.StreamOptions.IncludeUsage {
		return Request{}, fmt.Errorf("stream %v, usage %v: want both", in.Stream, in.StreamOptions.IncludeUsage)
	}
	if len(in.Messages) < 2 || in.Messages[0].Role != "system" {
		return Request{}, fmt.Errorf("%d messages, want that of the system and one more", len(in.Messages))
	}

	r := Request{MaxTokens: in.MaxTokens, Schemas: map[string]json.RawMessage{}}
	for _, t := range in.Tools {
		r.Tools, r.Schemas[t.Function.Name] = append(r.Tools, t.Function.Name), t.Function.Parameters
	}

	for i, m := range in.Messages {
		said := Message{Role: m.Role, CallID: m.ToolCallID}
		if m.Content != nil {
			said.Text = *m.Content
		}

		for _, c := range m.ToolCalls {
			if c.Type != "function" {
				return r, fmt.Errorf("message %d has a call of type %q", i, c.Type)
			}
			call := Call{ID: c.ID, Name: c.Function.Name, Arguments: []string{c.Function.Arguments}}
			said.Calls = append(said.Calls, call)
		}
		if i == 0 {
			r.System = said.Text
			continue
		}
		r.Messages = append(r.Messages, said)
	}

	return r, paired(r.Messages)
}

func writeOpenAI(e *events, t Turn) {
	type object = map[string]any
	chunk := func(delta object, finish any) {
		e.send("", object{
			"id":      "chatcmpl-1",
			"object":  "chat.completion.chunk",
			"created": 1,
			"model":   Name,
			"choices": []object{{"index": 0, "delta": delta, "finish_reason": finish}},
		})
	}
	chunk(object{"role": "assistant", "content": ""}, nil)

	for _, piece := range t.Text {
		chunk(object{"content": piece}, nil)
	}

	calls := func(call object) { chunk(object{"tool_calls": []object{call}}, nil) }

	for i, c := range t.Calls {
		function := object{"name": c.Name, "arguments": ""}
		calls(object{"index": i, "id": c.ID, "type": "function", "function": function})
	}

	// The pieces of parallel calls come in turns.
	for step, more := 0, true; more; step++ {
		more = false

		for i, c := range t.Calls {
			if step < len(c.Arguments) {
				more = true
				calls(object{"index": i, "function": object{"arguments": c.Arguments[step]}})
			}
		}
	}

	switch {
	case t.Mangled:
		e.raw("data: {\"id\":,\n\n")
	case t.Fail != "":
		e.send("", object{"error": object{"message": "it failed", "type": t.Fail, "code": nil}})
		return
	case t.Cut:
		e.cut()
	case t.Unfinished:
		return
	}
	stop := t.Stop
	if stop == "" {
		stop = "stop"
		if len(t.Calls) > 0 {
			stop = "tool_calls"
		}
	}
	chunk(object{}, stop)
	e.send("", object{
		"id":      "chatcmpl-1",
		"object":  "chat.completion.chunk",
		"created": 1,
		"model":   Name,
		"choices": []any{},
		"usage":   object{"prompt_tokens": t.Input, "completion_tokens": t.Output, "total_tokens": t.Input + t.Output},
	})
	e.raw("data: [DONE]\n\n")
}
