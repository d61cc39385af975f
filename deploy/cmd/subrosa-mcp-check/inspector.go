package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/creack/pty"
)

const inspectorScript = "@modelcontextprotocol/inspector/clients/launcher/build/index.js"

// eras are the ways in which the Inspector begins to talk.
var eras = []string{"legacy", "auto", "modern"}

// inspections are the runs of the Inspector. Each is a host of its own that knows nothing yet: it registers, and a
// person signs in and consents.
func (s *stage) inspections() []check {
	var all []check

	add := func(name, era, scopes string, args ...string) {
		all = append(all,
			check{
				"inspector " + era + ", " + name,
				func(ctx context.Context) (string, error) { return s.inspect(ctx, era, scopes, args...) },
			})
	}
	for _, era := range eras {
		add("tools/list --strict", era, "", "--method", "tools/list", "--strict")
		add("legal_lookup", era, "", "--method", "tools/call", "--tool-name", "legal_lookup", "--tool-arg",
			"view=cases")
		// The Inspector does not step up while it holds a refresh token, so it asks for what this needs at once.
		add("legal_agent", era, "cases:read agent:run", "--method", "tools/call", "--tool-name", "legal_agent",
			"--tool-args-json", `{"message":"What can you do?","waitSeconds":60}`)
	}

	return all
}

// inspect runs the Inspector's command line against the service, at a terminal, without which it does not sign in.
// scopes are those it is told to ask for; "" means what the service's challenge says.
func (s *stage) inspect(ctx context.Context, era, scopes string, args ...string) (string, error) {
	addr, err := freeAddr(ctx)
	if err != nil {
		return "", err
	}
	home, err := os.MkdirTemp(s.scratch, "inspector-*")
	if err != nil {
		return "", err
	}
	servers, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"subrosa": map[string]any{
		"type":  "streamable-http",
		"url":   s.service.Facts.BaseURL + "/api/mcp",
		"oauth": map[string]string{"scopes": scopes},
	}}})
	if err != nil {
		return "", err
	}
	config := filepath.Join(home, "servers.json")
	if err := os.WriteFile(config, servers, 0o600); err != nil {
		return "", err
	}
	visited := &visits{s: s, ctx: ctx, redirect: "http://" + addr + "/oauth/callback"}
	cmd := s.node(ctx, inspectorScript, append([]string{
		"--cli", "--config", config, "--server", "subrosa", "--protocol-era", era, "--callback-url", visited.redirect,
		"--format", "json",
	}, args...)...)
	cmd.Env = append(cmd.Env, "HOME="+home)
	err = atTerminal(cmd, visited)
	visited.going.Wait()
	if err = errors.Join(err, visited.err); err != nil {
		return "", fmt.Errorf("%w\n%s", err, tail(visited.text.String()))
	}

	return summary(visited.text.String(), len(visited.seen))
}

// atTerminal runs cmd at a terminal of its own and shows what it prints to out.
func atTerminal(cmd *exec.Cmd, out io.Writer) error {
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 50, Cols: 4000})
	if err != nil {
		return err
	}
	defer func() { _ = terminal.Close() }()
	// This ends in an error on Linux when the other end of a terminal is closed.
	_, _ = io.Copy(out, terminal)

	return cmd.Wait()
}

// summary says what the answer in the Inspector's words holds, or why there is none.
func summary(text string, signIns int) (string, error) {
	for at := range text {
		// The Inspector prints words before its JSON, so the first object that can be read is looked for.
		if text[at] != '{' {
			continue
		}
		var wrapped struct{ Result json.RawMessage }
		raw, answer := json.RawMessage{}, answer{}
		if json.NewDecoder(strings.NewReader(text[at:])).Decode(&raw) != nil {
			continue
		}
		if json.Unmarshal(raw, &wrapped) == nil && wrapped.Result != nil {
			raw = wrapped.Result
		}
		if json.Unmarshal(raw, &answer) != nil {
			continue
		}

		var said []string
		for _, t := range answer.Tools {
			said = append(said, t.Name)
		}
		if answer.IsError {
			return "", errors.New("the tool answered with an error: " + tail(string(raw)))
		}
		if len(answer.Data) > 0 {
			said = append(said, fmt.Sprintf("%d bytes of structured content", len(answer.Data)))
		}
		if len(said) > 0 {
			return fmt.Sprintf("%s (sign-ins: %d)", strings.Join(said, ", "), signIns), nil
		}
	}

	return "", errors.New("no answer was found in what it printed: " + tail(text))
}

// answer is what is looked at of a result.
type answer struct {
	Tools   []struct{ Name string }
	Data    json.RawMessage `json:"structuredContent"`
	IsError bool            `json:"isError"`
}
