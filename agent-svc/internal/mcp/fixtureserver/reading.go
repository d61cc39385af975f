package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// prompt is a prompt of these contents, one message each.
func prompt(about string, contents ...mcp.Content) mcp.PromptHandler {
	return func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return messages(about, contents...), nil
	}
}

func messages(about string, contents ...mcp.Content) *mcp.GetPromptResult {
	r := &mcp.GetPromptResult{Description: about}
	for _, c := range contents {
		r.Messages = append(r.Messages, &mcp.PromptMessage{Role: "user", Content: c})
	}

	return r
}

func addPrompts(s *mcp.Server) {
	needs := func(name string) *mcp.PromptArgument { return &mcp.PromptArgument{Name: name, Required: true} }
	s.AddPrompt(
		&mcp.Prompt{Name: "test_simple_prompt", Description: fixture},
		prompt("without arguments", text("This is a simple prompt for testing.")),
	)
	s.AddPrompt(
		&mcp.Prompt{Name: "test_prompt_with_image", Description: fixture},
		prompt(
			"with a picture",
			&mcp.ImageContent{Data: pixel, MIMEType: "image/png"},
			text("What does the picture show?"),
		),
	)
	s.AddPrompt(&mcp.Prompt{
		Name:        "test_prompt_with_arguments",
		Description: fixture,
		Arguments:   []*mcp.PromptArgument{needs("arg1"), needs("arg2")},
	},
		func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return messages(
				"with arguments",
				text(
					"Prompt with arguments: arg1='%s', arg2='%s'",
					req.Params.Arguments["arg1"],
					req.Params.Arguments["arg2"],
				),
			), nil
		})
	s.AddPrompt(&mcp.Prompt{
		Name:        "test_prompt_with_embedded_resource",
		Description: fixture,
		Arguments:   []*mcp.PromptArgument{needs("resourceUri")},
	},
		func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return messages(
				"with a resource", embedded(req.Params.Arguments["resourceUri"]), text("What does the resource say?"),
			), nil
		})
	s.AddPrompt(&mcp.Prompt{
		Name:        "test_input_required_result_prompt",
		Description: fixture,
	}, func(_ context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		if said := accepted(req.Params.InputResponses, "user_context"); said != nil {
			return messages("with what the user said", text("Context: %v", said["context"])), nil
		}
		form := ask(
			`{"type":"object","required":["context"],"properties":{"context":{"type":"string"}}}`,
			"What should the prompt know?",
		)

		return &mcp.GetPromptResult{InputRequests: mcp.InputRequestMap{"user_context": form}}, nil
	})
}

func addResources(s *mcp.Server) {
	for uri, c := range map[string]*mcp.ResourceContents{
		"test://static-text":      {MIMEType: "text/plain", Text: "This is the content of the static text resource."},
		"test://static-binary":    {MIMEType: "image/png", Blob: pixel},
		"test://watched-resource": {MIMEType: "text/plain", Text: "Nothing changes here."},
	} {
		s.AddResource(&mcp.Resource{
			Name:     strings.TrimPrefix(uri, "test://"),
			URI:      uri,
			MIMEType: c.MIMEType,
		}, func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			one := *c
			one.URI = req.Params.URI

			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{&one}}, nil
		})
	}
	s.AddResourceTemplate(&mcp.ResourceTemplate{
		Name:        "template",
		MIMEType:    "application/json",
		URITemplate: "test://template/{id}/data",
	},
		func(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			id := strings.TrimSuffix(strings.TrimPrefix(req.Params.URI, "test://template/"), "/data")
			data := fmt.Sprintf(`{"id":%q,"templateTest":true,"data":%q}`, id, "Data for ID: "+id)

			return &mcp.ReadResourceResult{
				Contents: []*mcp.ResourceContents{{URI: req.Params.URI, MIMEType: "application/json", Text: data}},
			}, nil
		})
}

func complete(context.Context, *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{}}}, nil
}
