package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

type tool = mcp.ToolHandler

func text(format string, values ...any) mcp.Content {
	return &mcp.TextContent{Text: fmt.Sprintf(format, values...)}
}

func says(content ...mcp.Content) *mcp.CallToolResult { return &mcp.CallToolResult{Content: content} }

// always is a tool that answers the same to everybody.
func always(content ...mcp.Content) tool {
	return func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return says(content...), nil }
}

// pixel is a picture of one red point, silence a sound without samples.
var (
	pixel = decoded("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAF" +
		"BQIAX8jx0gAAAABJRU5ErkJggg==")
	silence = decoded("UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA=")
)

func decoded(s string) []byte {
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		panic("fixtureserver: " + err.Error())
	}

	return b
}

func embedded(uri string) mcp.Content {
	return &mcp.EmbeddedResource{
		Resource: &mcp.ResourceContents{URI: uri, MIMEType: "text/plain", Text: "A resource that came along."},
	}
}

// tools returns the tools of the suite by their names.
func tools(server *mcp.Server) map[string]tool {
	all := map[string]tool{
		"test_simple_text":       always(text("This is a simple text response for testing.")),
		"test_image_content":     always(&mcp.ImageContent{Data: pixel, MIMEType: "image/png"}),
		"test_audio_content":     always(&mcp.AudioContent{Data: silence, MIMEType: "audio/wav"}),
		"test_embedded_resource": always(embedded("test://embedded-resource")),
		"test_multiple_content_types": always(
			text("One of three."),
			&mcp.ImageContent{Data: pixel, MIMEType: "image/png"},
			embedded("test://mixed-content-resource"),
		),
		"test_streaming_elicitation": always(text("Nothing was asked of the client on this stream.")),
		"test_tool_with_logging":     logging,
		"test_logging_tool":          logging,
		"test_tool_with_progress":    progress,
		"test_error_handling":        failing,
		"test_missing_capability":    demanding,
		"test_sampling":              sampling,
		"test_reconnection":          reconnecting,
		"json_schema_2020_12_tool":   echoing,
		"test_x_mcp_header":          echoing,
		"test_trigger_tool_change": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			server.AddTool(
				&mcp.Tool{Name: "passing_tool", Description: fixture, InputSchema: object},
				always(text("still here")),
			)

			return says(text("the list of tools has changed")), nil
		},
		"test_trigger_prompt_change": func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			server.AddPrompt(
				&mcp.Prompt{Name: "passing_prompt", Description: fixture},
				prompt("still here", text("still here")),
			)

			return says(text("the list of prompts has changed")), nil
		},
	}
	for name, form := range forms {
		all[name] = eliciting(form)
	}

	for name, do := range rounds() {
		all[name] = do
	}

	return all
}

const step = 50 * time.Millisecond

func logging(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	for _, line := range []string{"begun", "under way", "done"} {
		//nolint:staticcheck // the suite tests it while it lasts
		_ = req.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: line})
		pause(ctx)
	}

	return says(text("three lines were logged for whoever wants them")), nil
}

func pause(ctx context.Context) {
	timer := time.NewTimer(step)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

func progress(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	token := req.Params.GetProgressToken()
	for _, done := range []float64{0, 50, 100} {
		if token != nil {
			note := &mcp.ProgressNotificationParams{
				ProgressToken: token,
				Progress:      done,
				Total:         100,
				Message:       "on its way",
			}
			if err := req.Session.NotifyProgress(ctx, note); err != nil {
				return nil, err
			}
		}
		pause(ctx)
	}

	return says(text("%v", token)), nil
}

func failing(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	r := says(text("This tool intentionally returns an error for testing"))
	r.IsError = true

	return r, nil
}

// demanding needs a client that can sample.
func demanding(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if can := req.ClientCapabilities(); can != nil && can.Sampling != nil { //nolint:staticcheck // as above
		return says(text("the client can sample")), nil
	}
	//nolint:staticcheck // as above
	needs := &mcp.ClientCapabilities{Sampling: &mcp.SamplingCapabilities{}}
	data, err := json.Marshal(mcp.MissingRequiredClientCapabilityData{RequiredCapabilities: needs})
	if err != nil {
		return nil, err
	}

	return nil, &jsonrpc.Error{
		Code:    mcp.CodeMissingRequiredClientCapabilities,
		Message: "this tool needs a client that can sample",
		Data:    data,
	}
}

func sampling(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	var in struct{ Prompt string }
	if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
		return nil, err
	}
	r, err := req.Session.CreateMessage(ctx, sample(in.Prompt)) //nolint:staticcheck // as above
	if err != nil {
		return refused(err), nil
	}
	answer, ok := r.Content.(*mcp.TextContent)
	if !ok {
		return refused(errors.New("the client's answer is no text")), nil
	}

	return says(text("LLM response: %s", answer.Text)), nil
}

func refused(err error) *mcp.CallToolResult {
	r := says(text("%v", err))
	r.IsError = true

	return r
}

func reconnecting(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if req.Extra != nil && req.Extra.CloseSSEStream != nil {
		req.Extra.CloseSSEStream(mcp.CloseSSEStreamArgs{RetryAfter: 10 * time.Millisecond})
	}
	pause(ctx)

	return says(text("the stream was closed in between")), nil
}

func echoing(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	return says(text("called with %s", req.Params.Arguments)), nil
}

var object = json.RawMessage(`{"type":"object"}`)

// schemas are of the tools that take something.
var schemas = map[string]json.RawMessage{
	"test_sampling": json.RawMessage(
		`{"type":"object","required":["prompt"],"properties":{"prompt":{"type":"string"}}}`,
	),
	"test_elicitation": json.RawMessage(
		`{"type":"object","required":["message"],"properties":{"message":{"type":"string"}}}`,
	),
	"test_x_mcp_header": json.RawMessage(`{"type":"object","properties":{
	"region":{"type":"string","x-mcp-header":"Region"},"level":{"type":"integer"}}}`),
	"json_schema_2020_12_tool": json.RawMessage(`{"$schema":"https://json-schema.org/draft/2020-12/schema",
	"type":"object","additionalProperties":false,
	"$defs":{"address":{"$anchor":"addressDef","type":"object",
	"properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
	"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},
	"contactMethod":{"type":"string","enum":["phone","email"]},"phone":{"type":"string"},"email":{"type":"string"}},
	"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
	"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},
	"then":{"required":["phone"]},"else":{"required":["email"]}}`),
}

func schemaOf(name string) json.RawMessage {
	if s, ok := schemas[name]; ok {
		return s
	}

	return object
}

// fixture describes whatever is here.
const fixture = "A fixture of the conformance suite."
