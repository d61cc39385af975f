package main

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// forms are what tools ask of the client in the older era, by tool.
var forms = map[string]json.RawMessage{
	"test_elicitation": json.RawMessage(
		`{"type":"object","required":["username"],"properties":{"username":{"type":"string"}}}`,
	),
	"test_elicitation_sep1034_defaults": json.RawMessage(`{"type":"object","properties":{
"name":{"type":"string","default":"John Doe"},"age":{"type":"integer","default":30},
"score":{"type":"number","default":95.5},
"status":{"type":"string","enum":["active","inactive","pending"],"default":"active"},
"verified":{"type":"boolean","default":true}}}`),
	"test_elicitation_sep1330_enums": json.RawMessage(`{"type":"object","properties":{
"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
"titledSingle":{"type":"string","oneOf":[
{"const":"value1","title":"First Option"},
{"const":"value2","title":"Second Option"},
{"const":"value3","title":"Third Option"}]},
"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},
"untitledMulti":{"type":"array","minItems":1,"maxItems":3,
"items":{"type":"string","enum":["option1","option2","option3"]}},
"titledMulti":{"type":"array","minItems":1,"maxItems":3,"items":{"anyOf":[
{"const":"value1","title":"First Option"},
{"const":"value2","title":"Second Option"},
{"const":"value3","title":"Third Option"}]}}}}`),
}

func eliciting(form json.RawMessage) tool {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		var in struct{ Message string }
		if err := json.Unmarshal(req.Params.Arguments, &in); err != nil {
			return nil, err
		}
		r, err := req.Session.Elicit(ctx, &mcp.ElicitParams{Message: in.Message, RequestedSchema: form})
		if err != nil {
			return refused(err), nil
		}

		return says(text("the user chose to %s: %v", r.Action, r.Content)), nil
	}
}

// sealer signs what goes to the client and comes back, so that nobody can change it on the way.
type sealer []byte

func (k sealer) seal(state string) string {
	mac := hmac.New(sha256.New, k)
	mac.Write([]byte(state))

	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil)) + "." + state
}

// open returns what was sealed; ok is false for what was not sealed by k, or was changed.
func (k sealer) open(sealed string) (state string, ok bool) {
	_, state, _ = strings.Cut(sealed, ".")
	return state, hmac.Equal([]byte(sealed), []byte(k.seal(state)))
}

var errState = &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the requestState was not made by this server"}

// Requests that tools make of the client in the newer era.
var (
	askName = ask(
		`{"type":"object","required":["name"],"properties":{"name":{"type":"string"}}}`,
		"What is your name?",
	)
	askConfirm = ask(`{"type":"object","required":["ok"],"properties":{"ok":{"type":"boolean"}}}`, "Please confirm")
	askColour  = ask(
		`{"type":"object","required":["color"],"properties":{"color":{"type":"string"}}}`,
		"Which color do you like?",
	)
	askCapital  = sample("What is the capital of France?")
	askGreeting = sample("Write a greeting")
	askRoots    = &mcp.ListRootsParams{} //nolint:staticcheck // the suite tests it while it lasts
)

func ask(form, message string) *mcp.ElicitParams {
	return &mcp.ElicitParams{Message: message, RequestedSchema: json.RawMessage(form)}
}

func sample(prompt string) *mcp.CreateMessageParams { //nolint:staticcheck // likewise
	//nolint:staticcheck // likewise
	return &mcp.CreateMessageParams{
		MaxTokens: 100,
		Messages:  []*mcp.SamplingMessage{{Role: "user", Content: &mcp.TextContent{Text: prompt}}},
	}
}

// accepted is what the user filled in for a request, nil when there is none.
func accepted(all mcp.InputResponseMap, name string) map[string]any {
	if r, ok := all[name].(*mcp.ElicitResult); ok && r != nil && r.Action == "accept" {
		return r.Content
	}

	return nil
}

// sampled is what the client's model answered.
func sampled(all mcp.InputResponseMap, name string) (answer string, ok bool) {
	r, ok := all[name].(*mcp.CreateMessageWithToolsResult) //nolint:staticcheck // likewise
	if !ok || r == nil {
		return "", false
	}

	for _, c := range r.Content {
		if t, isText := c.(*mcp.TextContent); isText {
			return t.Text, true
		}
	}

	return "", true
}

func rootsOf(all mcp.InputResponseMap) (n int, ok bool) {
	r, ok := all["client_roots"].(*mcp.ListRootsResult) //nolint:staticcheck // likewise
	if !ok || r == nil {
		return 0, false
	}

	return len(r.Roots), true
}

func wants(requests mcp.InputRequestMap, state string) *mcp.CallToolResult {
	return &mcp.CallToolResult{InputRequests: requests, RequestState: state}
}

// rounds are the tools that need something of the client before they answer.
func rounds() map[string]tool {
	key := make(sealer, 32)
	// Read never fails (crypto/rand, since Go 1.24).
	_, _ = rand.Read(key)
	confirm := func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		// The state is the only memory between the two calls, so one that a client made up must not pass for an answer.
		if sent := req.Params.RequestState; sent != "" {
			if _, ok := key.open(sent); !ok {
				return nil, errState
			}
			if accepted(req.Params.InputResponses, "confirm") != nil {
				return says(text("state-ok: the state came back as it was")), nil
			}
		}

		return wants(mcp.InputRequestMap{"confirm": askConfirm}, key.seal("asked")), nil
	}

	return map[string]tool{
		"test_input_required_result_request_state":  confirm,
		"test_input_required_result_tampered_state": confirm,
		"test_input_required_result_elicitation": func(
			_ context.Context, req *mcp.CallToolRequest,
		) (*mcp.CallToolResult, error) {
			if name, _ := accepted(req.Params.InputResponses, "user_name")["name"].(string); name != "" {
				return says(text("Hello, %s!", name)), nil
			}

			return wants(mcp.InputRequestMap{"user_name": askName}, ""), nil
		},
		"test_input_required_result_sampling": func(
			_ context.Context, req *mcp.CallToolRequest,
		) (*mcp.CallToolResult, error) {
			if answer, ok := sampled(req.Params.InputResponses, "capital_question"); ok {
				return says(text("the model says: %s", answer)), nil
			}

			return wants(mcp.InputRequestMap{"capital_question": askCapital}, ""), nil
		},
		"test_input_required_result_list_roots": func(
			_ context.Context, req *mcp.CallToolRequest,
		) (*mcp.CallToolResult, error) {
			if n, ok := rootsOf(req.Params.InputResponses); ok {
				return says(text("%d roots", n)), nil
			}

			return wants(mcp.InputRequestMap{"client_roots": askRoots}, ""), nil
		},
		"test_input_required_result_multiple_inputs": several(key),
		"test_input_required_result_multi_round":     twice(key),
		"test_input_required_result_capabilities":    suited,
	}
}

// several asks for three things at once.
func several(key sealer) tool {
	return func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		sent := req.Params.InputResponses
		name, _ := accepted(sent, "user_name")["name"].(string)
		greeting, greeted := sampled(sent, "greeting")
		if n, ok := rootsOf(sent); ok && greeted && name != "" {
			return says(text("%s %s, %d roots", greeting, name, n)), nil
		}

		return wants(
			mcp.InputRequestMap{"user_name": askName, "greeting": askGreeting, "client_roots": askRoots},
			key.seal("three"),
		), nil
	}
}

// twice asks two times; what was answered first comes back sealed.
func twice(key sealer) tool {
	return func(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		state := ""
		if req.Params.RequestState != "" {
			var ok bool
			if state, ok = key.open(req.Params.RequestState); !ok {
				return nil, errState
			}
		}

		name, second := strings.CutPrefix(state, "name=")
		switch {
		case second:
			colour, _ := accepted(req.Params.InputResponses, "step2")["color"].(string)
			return says(text("%s likes %s", name, colour)), nil
		case state == "first":
			name, _ := accepted(req.Params.InputResponses, "step1")["name"].(string)
			return wants(mcp.InputRequestMap{"step2": askColour}, key.seal("name="+name)), nil
		}

		return wants(mcp.InputRequestMap{"step1": askName}, key.seal("first")), nil
	}
}

// suited asks only for what the client can do.
func suited(_ context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if len(req.Params.InputResponses) > 0 {
		return says(text("thank you")), nil
	}
	requests := mcp.InputRequestMap{}
	if can := req.ClientCapabilities(); can != nil {
		if can.Elicitation != nil {
			requests["user_name"] = askName
		}
		if can.Sampling != nil { //nolint:staticcheck // likewise
			requests["greeting"] = askGreeting
		}
		if can.RootsV2 != nil { //nolint:staticcheck // likewise
			requests["client_roots"] = askRoots
		}
	}
	if len(requests) == 0 {
		return says(text("there is nothing that this client could be asked")), nil
	}

	return wants(requests, ""), nil
}
