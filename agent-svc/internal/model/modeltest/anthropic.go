package modeltest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// Anthropic starts a server that speaks the Messages API.
func Anthropic(t testing.TB, answer func(n int, r Request) Turn) *Server {
	return serve(t, protocol{
		path: "/v1/messages",
		key:  func(h http.Header) string { return h.Get("X-Api-Key") },
		read: readAnthropic,
		refuse: func(_ int, kind string) string {
			return `{"type":"error","error":{"type":"` + kind + `","message":"refused"}}`
		},
		write: writeAnthropic,
	}, answer)
}

type anthropicBlock struct {
	Type      string           `json:"type"`
	Text      string           `json:"text"`
	ID        string           `json:"id"`
	Name      string           `json:"name"`
	Input     json.RawMessage  `json:"input"`
	ToolUseID string           `json:"tool_use_id"`
	Content   []anthropicBlock `json:"content"`
}

func readAnthropic(body []byte) (Request, error) {
	var in struct {
		Model     string           `json:"model"`
		MaxTokens int              `json:"max_tokens"`
		Stream    bool             `json:"stream"`
		System    []anthropicBlock `json:"system"`
		Messages  []struct {
			Role    string           `json:"role"`
			Content []anthropicBlock `json:"content"`
		} `json:"messages"`
		Tools []struct {
			Name        string          `json:"name"`
			Description string          `json:"description"`
			InputSchema json.RawMessage `json:"input_schema"`
		} `json:"tools"`
	}
	if err := json.Unmarshal(body, &in); err != nil {
		return Request{}, err
	}
	if in.Model != Name || in.MaxTokens < 1 || !in.Stream {
		return Request{}, fmt.Errorf("model %q, max_tokens %d, stream %v", in.Model, in.MaxTokens, in.Stream)
	}
	if len(in.System) != 1 || in.System[0].Text == "" {
		return Request{}, fmt.Errorf("%d system blocks, want one that has text", len(in.System))
	}

	r := Request{System: in.System[0].Text, MaxTokens: in.MaxTokens, Schemas: map[string]json.RawMessage{}}
	for _, t := range in.Tools {
		r.Tools, r.Schemas[t.Name] = append(r.Tools, t.Name), t.InputSchema
	}

	last := "assistant"
	for i, m := range in.Messages {
		if m.Role == last {
			return r, fmt.Errorf("messages %d and %d are both of the role %s", i-1, i, last)
		}
		last = m.Role

		said := Message{Role: m.Role}
		for _, b := range m.Content {
			switch b.Type {
			case "text":
				said.Text += b.Text
			case "tool_use":
				said.Calls = append(said.Calls, Call{ID: b.ID, Name: b.Name, Arguments: []string{string(b.Input)}})
			case "tool_result":
				if said.Text != "" || len(b.Content) != 1 {
					return r, fmt.Errorf("message %d has text before a result, or a result that is not one text", i)
				}
				r.Messages = append(r.Messages, Message{Role: "tool", CallID: b.ToolUseID, Text: b.Content[0].Text})
			default:
				return r, fmt.Errorf("message %d has a block of type %q", i, b.Type)
			}
		}
		if said.Text != "" || len(said.Calls) > 0 {
			r.Messages = append(r.Messages, said)
		}
	}

	return r, paired(r.Messages)
}

func writeAnthropic(e *events, t Turn) {
	type object = map[string]any
	message := object{
		"id":            "msg_1",
		"type":          "message",
		"role":          "assistant",
		"model":         Name,
		"content":       []any{},
		"stop_reason":   nil,
		"stop_sequence": nil,
		"usage":         object{"input_tokens": t.Input, "output_tokens": 1},
	}

	e.send("message_start", object{"type": "message_start", "message": message})
	e.send("ping", object{"type": "ping"})
	index := 0
	block := func(start object, deltas ...object) {
		e.send("content_block_start", object{"type": "content_block_start", "index": index, "content_block": start})

		for _, d := range deltas {
			e.send("content_block_delta", object{"type": "content_block_delta", "index": index, "delta": d})
		}
		e.send("content_block_stop", object{"type": "content_block_stop", "index": index})
		index++
	}
	if len(t.Text) > 0 {
		var deltas []object
		for _, piece := range t.Text {
			deltas = append(deltas, object{"type": "text_delta", "text": piece})
		}
		block(object{"type": "text", "text": ""}, deltas...)
	}

	for _, c := range t.Calls {
		deltas := []object{{"type": "input_json_delta", "partial_json": ""}}
		for _, piece := range c.Arguments {
			deltas = append(deltas, object{"type": "input_json_delta", "partial_json": piece})
		}
		block(object{"type": "tool_use", "id": c.ID, "name": c.Name, "input": object{}}, deltas...)
	}

	switch {
	case t.Mangled:
		e.raw("event: message_delta\ndata: {\"type\":\"message_delta\",,\n\n")
	case t.Fail != "":
		e.send("error", object{"type": "error", "error": object{"type": t.Fail, "message": "it failed"}})
		return
	case t.Cut:
		e.cut()
	case t.Unfinished:
		return
	}
	stop := t.Stop
	if stop == "" {
		stop = "end_turn"
		if len(t.Calls) > 0 {
			stop = "tool_use"
		}
	}
	e.send("message_delta", object{
		"type":  "message_delta",
		"delta": object{"stop_reason": stop, "stop_sequence": nil},
		"usage": object{"output_tokens": t.Output},
	})
	e.send("message_stop", object{"type": "message_stop"})
}

// Joined returns the arguments of a call as they add up.
func (c Call) Joined() string { return strings.Join(c.Arguments, "") }
