// Package openaiapi takes the turns of a chat by OpenAI's chat completions, the form that Ollama, vLLM and many hosts
// speak too.
package openaiapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"
	"github.com/openai/openai-go/v3/shared"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/model"
)

// Chat is a model.Model behind chat completions.
type Chat struct {
	completions openai.ChatCompletionService
	name        model.Name
	own         bool // the server is OpenAI's own, which knows options that others may refuse
}

// New returns the model name at base, an address without "chat/completions". Nothing is taken from the environment. A
// key may be "" where the server wants none.
func New(base, key, name string, client *http.Client) *Chat {
	options := []option.RequestOption{option.WithBaseURL(base), option.WithHTTPClient(client), option.WithMaxRetries(0)}
	if key != "" {
		options = append(options, option.WithAPIKey(key))
	}
	own := false
	if u, err := url.Parse(base); err == nil {
		own = u.Hostname() == "api.openai.com" || strings.HasSuffix(u.Hostname(), ".api.openai.com")
	}

	return &Chat{
		completions: openai.NewChatCompletionService(options...),
		name:        model.Name{Provider: "openai", Model: name},
		own:         own,
	}
}

// Name implements model.Model.
func (c *Chat) Name() model.Name { return c.name }

// Chat implements model.Model.
func (c *Chat) Chat(ctx context.Context, r model.Request, heard func(bytes int)) (model.Reply, error) {
	stream := c.completions.NewStreaming(ctx, c.params(r))
	defer stream.Close() //nolint:errcheck // what came is whole or refused before

	in := incoming{calls: map[int64]int{}, heard: heard}
	for stream.Next() {
		if err := in.take(stream.Current()); err != nil {
			return model.Reply{}, err
		}
	}
	if err := stream.Err(); err != nil {
		return model.Reply{}, model.Ending(ctx, classify(err, in.begun))
	}
	reply, ok := in.growing.Reply(in.stop, in.usage)
	// Without a reason to stop the stream was cut off, however well it ended.
	if in.stop == "" || !ok {
		return model.Reply{}, model.Ending(ctx, &model.Error{Kind: model.BadStream})
	}

	return reply, nil
}

func (c *Chat) params(r model.Request) openai.ChatCompletionNewParams {
	p := openai.ChatCompletionNewParams{
		Model:         c.name.Model,
		Messages:      []openai.ChatCompletionMessageParamUnion{openai.SystemMessage(r.System)},
		StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)},
	}
	// Only OpenAI's own server knows these two; it keeps chats unless it is told not to, and others refuse the fields.
	if c.own {
		p.Store, p.MaxCompletionTokens = openai.Bool(false), openai.Int(int64(r.MaxTokens))
	} else {
		p.MaxTokens = openai.Int(int64(r.MaxTokens))
	}

	for _, m := range r.Messages {
		p.Messages = append(p.Messages, messages(m)...)
	}

	for _, t := range r.Tools {
		p.Tools = append(p.Tools, openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
			Name:        t.Name,
			Description: openai.String(t.Description),
			Parameters:  t.Schema.JSON(),
		}))
	}

	return p
}

// messages returns a message in the form of the API, in which each result of a tool is one of its own.
func messages(m model.Message) []openai.ChatCompletionMessageParamUnion {
	var all []openai.ChatCompletionMessageParamUnion
	if m.Role == model.Assistant {
		said := openai.ChatCompletionAssistantMessageParam{}
		if m.Text != "" {
			said.Content.OfString = openai.String(m.Text)
		}

		for _, call := range m.Calls {
			function := openai.ChatCompletionMessageFunctionToolCallFunctionParam{
				Name:      call.Name,
				Arguments: call.Object(),
			}
			one := openai.ChatCompletionMessageFunctionToolCallParam{ID: call.ID, Function: function}
			said.ToolCalls = append(said.ToolCalls, openai.ChatCompletionMessageToolCallUnionParam{OfFunction: &one})
		}

		return append(all, openai.ChatCompletionMessageParamUnion{OfAssistant: &said})
	}

	for _, result := range m.Results {
		all = append(all, openai.ToolMessage(result.Text, result.CallID))
	}
	if m.Text != "" {
		all = append(all, openai.UserMessage(m.Text))
	}

	return all
}

// incoming gathers the chunks of one reply.
type incoming struct {
	growing model.Growing
	calls   map[int64]int // numbers of calls by their index
	stop    model.Stop
	usage   model.Usage
	begun   bool
	heard   func(bytes int)
}

func (in *incoming) take(c openai.ChatCompletionChunk) error {
	in.begun = true
	// Most servers send the usage in a chunk of its own at the end, some with every chunk.
	if c.Usage.TotalTokens > 0 {
		in.usage = model.Usage{Input: int(c.Usage.PromptTokens), Output: int(c.Usage.CompletionTokens)}
	}

	for _, choice := range c.Choices {
		// One answer was asked for; a server that sends others must not mix their text.
		if choice.Index != 0 {
			continue
		}
		if choice.Delta.Refusal != "" {
			return &model.Error{Kind: model.Refused}
		}
		if in.heard != nil && choice.Delta.Content != "" {
			in.heard(len(choice.Delta.Content))
		}

		ok := in.growing.AddText(choice.Delta.Content)
		for _, call := range choice.Delta.ToolCalls {
			ok = ok && in.call(call)
		}
		if !ok {
			return &model.Error{Kind: model.BadStream}
		}
		if err := in.stopped(choice.FinishReason); err != nil {
			return err
		}
	}

	return nil
}

// call takes a piece of a call. Some servers send several whole calls under one index, each with an id of its own.
func (in *incoming) call(c openai.ChatCompletionChunkChoiceDeltaToolCall) bool {
	number, known := in.calls[c.Index]
	if !known || c.ID != "" && c.Function.Name != "" && !in.growing.Unnamed(number, c.ID) {
		var ok bool
		if number, ok = in.growing.Open(c.ID, c.Function.Name); !ok {
			return false
		}
		in.calls[c.Index] = number
	} else {
		in.growing.Name(number, c.ID, c.Function.Name)
	}

	return in.growing.AddArguments(number, c.Function.Arguments)
}

func (in *incoming) stopped(why string) error {
	switch why {
	case "":
	case "length":
		in.stop = model.Length
	case "tool_calls", "function_call":
		in.stop = model.Called
	case "content_filter":
		return &model.Error{Kind: model.Refused}
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
	var answered *openai.Error
	if errors.As(err, &answered) {
		return model.FromStatus(answered.StatusCode, answered.Response.Header)
	}
	var told *ssestream.StreamError
	if errors.As(err, &told) {
		var body struct {
			Error struct {
				Type string `json:"type"`
				Code any    `json:"code"`
			} `json:"error"`
		}
		// What cannot be read has no type, and counts as a failure that may pass.
		_ = json.Unmarshal(told.Event.Data, &body)
		code, _ := body.Error.Code.(string)

		return model.Told(body.Error.Type + " " + code)
	}
	var malformed *json.SyntaxError
	if begun || errors.As(err, &malformed) {
		return &model.Error{Kind: model.BadStream}
	}

	return &model.Error{Kind: model.Unavailable}
}
