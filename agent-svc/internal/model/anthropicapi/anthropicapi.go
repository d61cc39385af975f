// Package anthropicapi takes the turns of a chat by Anthropic's Messages API.
package anthropicapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/model"
)

// Chat is a model.Model at Anthropic, or at a server that speaks as it does.
type Chat struct {
	messages anthropic.MessageService
	name     model.Name
}

// New returns the model name at base, an address without "v1/messages". Nothing is taken from the environment, and no
// trace is made of a request: it would hold content.
func New(base, key, name string, client *http.Client) *Chat {
	return &Chat{
		messages: anthropic.NewMessageService(
			option.WithBaseURL(base),
			option.WithAPIKey(key),
			option.WithHTTPClient(client),
			// Steady tries again; two of them would try sixteen times.
			option.WithMaxRetries(0),
			option.WithoutOpenTelemetry(),
			option.WithOpenTelemetryTracesContentMode(option.OpenTelemetryContentModeMetadataOnly),
		),
		name: model.Name{Provider: "anthropic", Model: name},
	}
}

// Name implements model.Model.
func (c *Chat) Name() model.Name { return c.name }

// Chat implements model.Model.
func (c *Chat) Chat(ctx context.Context, r model.Request, heard func(bytes int)) (model.Reply, error) {
	stream := c.messages.NewStreaming(ctx, c.params(r))
	defer stream.Close() //nolint:errcheck // what came is whole or refused before

	in := incoming{blocks: map[int64]int{}, heard: heard}
	for stream.Next() {
		if err := in.take(stream.Current()); err != nil {
			return model.Reply{}, err
		}
		if in.over {
			break
		}
	}
	if err := stream.Err(); err != nil {
		return model.Reply{}, model.Ending(ctx, classify(err, in.begun))
	}
	// A stream may end in good form without its last event; only message_stop says that the reply is whole.
	reply, ok := in.growing.Reply(in.stop, in.usage)
	if !in.over || in.stop == "" || !ok {
		return model.Reply{}, model.Ending(ctx, &model.Error{Kind: model.BadStream})
	}

	return reply, nil
}

func (c *Chat) params(r model.Request) anthropic.MessageNewParams {
	p := anthropic.MessageNewParams{
		Model:     c.name.Model,
		MaxTokens: int64(r.MaxTokens),
		System:    []anthropic.TextBlockParam{{Text: r.System}},
	}
	for _, m := range r.Messages {
		var blocks []anthropic.ContentBlockParamUnion
		// The API wants the results of tools before any text of the same turn.
		for _, result := range m.Results {
			blocks = append(blocks, anthropic.NewToolResultBlock(result.CallID, result.Text, result.Failed))
		}
		if m.Text != "" {
			blocks = append(blocks, anthropic.NewTextBlock(m.Text))
		}

		for _, call := range m.Calls {
			blocks = append(blocks, anthropic.NewToolUseBlock(call.ID, json.RawMessage(call.Object()), call.Name))
		}
		if m.Role == model.Assistant {
			p.Messages = append(p.Messages, anthropic.NewAssistantMessage(blocks...))
		} else {
			p.Messages = append(p.Messages, anthropic.NewUserMessage(blocks...))
		}
	}

	for _, t := range r.Tools {
		p.Tools = append(p.Tools, anthropic.ToolUnionParam{OfTool: &anthropic.ToolParam{
			Name:        t.Name,
			Description: anthropic.String(t.Description),
			InputSchema: anthropic.ToolInputSchemaParam{
				Properties:  t.Schema.Properties(),
				Required:    t.Schema.Required(),
				ExtraFields: map[string]any{"additionalProperties": false},
			},
		}})
	}

	return p
}

// incoming gathers the events of one reply. The SDK's own accumulator is not used, since it turns arguments that are no
// JSON into none.
type incoming struct {
	growing model.Growing
	blocks  map[int64]int // calls by the index of their block
	stop    model.Stop
	usage   model.Usage
	begun   bool
	over    bool
	heard   func(bytes int)
}

func (in *incoming) take(e anthropic.MessageStreamEventUnion) error {
	in.begun = true
	ok := true

	switch e.Type {
	case "message_start":
		in.usage = model.Usage{Input: input(e.Message.Usage), Output: int(e.Message.Usage.OutputTokens)}
	case "content_block_start":
		switch e.ContentBlock.Type {
		case "text":
			ok = in.text(e.ContentBlock.Text)
		case "tool_use":
			in.blocks[e.Index], ok = in.growing.Open(e.ContentBlock.ID, e.ContentBlock.Name)
		}
	case "content_block_delta":
		ok = in.delta(e)
	case "message_delta":
		// Each delta has the count so far, and some servers send none at the end.
		in.usage.Output = max(in.usage.Output, int(e.Usage.OutputTokens))
		return in.stopped(e.Delta.StopReason)
	case "message_stop":
		in.over = true
	}
	if !ok {
		return &model.Error{Kind: model.BadStream}
	}

	return nil
}

// input counts all tokens that went in, those from a cache too.
func input(u anthropic.Usage) int {
	return int(u.InputTokens + u.CacheCreationInputTokens + u.CacheReadInputTokens)
}

func (in *incoming) text(piece string) bool {
	if in.heard != nil && piece != "" {
		in.heard(len(piece))
	}

	return in.growing.AddText(piece)
}

func (in *incoming) delta(e anthropic.MessageStreamEventUnion) bool {
	switch e.Delta.Type {
	case "text_delta":
		return in.text(e.Delta.Text)
	case "input_json_delta":
		call, known := in.blocks[e.Index]
		return known && in.growing.AddArguments(call, e.Delta.PartialJSON)
	}

	return true
}

func (in *incoming) stopped(why anthropic.StopReason) error {
	switch why {
	case "":
	case anthropic.StopReasonMaxTokens:
		in.stop = model.Length
	case anthropic.StopReasonToolUse:
		in.stop = model.Called
	case anthropic.StopReasonRefusal:
		return &model.Error{Kind: model.Refused}
	case anthropic.StopReasonModelContextWindowExceeded:
		return &model.Error{Kind: model.Rejected}
	default:
		in.stop = model.Ended
	}

	return nil
}

// classify says what an error of the SDK means, without what it quotes.
func classify(err error, begun bool) *model.Error {
	var ours *model.Error
	if errors.As(err, &ours) {
		return ours
	}

	var answered *anthropic.Error
	switch {
	case errors.As(err, &answered) && answered.StatusCode != http.StatusOK:
		return model.FromStatus(answered.StatusCode, answered.Response.Header)
	case errors.As(err, &answered):
		return model.Told(string(answered.Type()))
	// After the first event the provider was reached; what broke then is the stream.
	case begun:
		return &model.Error{Kind: model.BadStream}
	}
	var malformed *json.SyntaxError
	if errors.As(err, &malformed) {
		return &model.Error{Kind: model.BadStream}
	}

	return &model.Error{Kind: model.Unavailable}
}
