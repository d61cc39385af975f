package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// library is one of the official libraries that hosts are made with.
type library struct {
	name       string // as its makers call it, with its version
	script     string
	generation string
	python     bool
	tasks      bool // has what the extension for tasks needs
	stepsUp    bool // has its user sign in again when a call needs more than was granted
}

var libraries = []library{
	{name: "TypeScript sdk 1.32.2", script: "typescript.mjs", generation: "1"},
	{name: "TypeScript client 2.4.0", script: "typescript.mjs", generation: "2", tasks: true, stepsUp: true},
	{name: "Python mcp 1.30.0", script: "python.py", generation: "1", python: true, stepsUp: true},
	{name: "Python mcp 2.3.0", script: "python.py", generation: "2", python: true, tasks: true, stepsUp: true},
}

// outcome is what a script says of its run.
type outcome struct {
	Version    string
	Tools      []string
	Lookup     string // view of the answer
	Agent      string // state of the answer, or why there is none
	SignIns    int
	Registered bool
	Task       *struct {
		Asked  []string
		State  string
		Review string // of the answer that a person has to review
	}
}

// hosts lists the runs of the official libraries. Each is a host that knows nothing yet.
func (s *stage) hosts() []check {
	var all []check

	for _, l := range libraries {
		add := func(how string, run func(context.Context) (string, error)) {
			all = append(all, check{"host on " + l.name + ", " + how, run})
		}
		add("by registration", func(ctx context.Context) (string, error) { return s.whole(ctx, l, "-") })
		add("by its document", func(ctx context.Context) (string, error) { return s.documented(ctx, l) })
		add("granted reading only", func(ctx context.Context) (string, error) { return s.stepping(ctx, l) })
		if l.tasks {
			add("long work as a task", func(ctx context.Context) (string, error) { return s.following(ctx, l) })
		}
	}

	return all
}

var errSkipped = errors.New("skipped")

// play runs the script of a library against the service, as a person who clears the boxes of the scopes in
// without at the first sign-in.
func (s *stage) play(
	ctx context.Context, l library, document string, without []string, more ...string,
) (outcome, error) {
	var said outcome
	addr, err := freeAddr(ctx)
	if err != nil {
		return said, err
	}
	// RFC 8252, section 7.3: the port of a loopback address does not count.
	redirect := "http://" + addr + "/callback"
	arguments := append([]string{l.generation, s.service.Facts.BaseURL + "/api/mcp", redirect, document}, more...)
	cmd, err := s.command(ctx, l, arguments)
	if err != nil {
		return said, err
	}
	visited := &visits{s: s, ctx: ctx, redirect: redirect, without: without}
	cmd.Stdout, cmd.Stderr = visited, visited
	err = cmd.Run()
	// The browser may still be on its way when the program has ended.
	visited.going.Wait()
	text := visited.text.String()
	if err = errors.Join(err, visited.err); err != nil {
		return said, fmt.Errorf("%w\n%s", err, tail(text))
	}
	_, result, found := strings.Cut(text, "\nRESULT ")
	if !found {
		return said, errors.New("it came to no end: " + tail(text))
	}

	return said, json.NewDecoder(strings.NewReader(result)).Decode(&said)
}

// command is the run of a script, by the Node of the checkers or by the Python that has the library.
func (s *stage) command(ctx context.Context, l library, arguments []string) (*exec.Cmd, error) {
	script, err := filepath.Abs(filepath.Join(s.tools, "hosts", l.script))
	if err != nil {
		return nil, err
	}
	if !l.python {
		cmd := s.node(ctx, filepath.Join("..", "hosts", l.script), arguments...)
		return cmd, nil
	}
	python := filepath.Join(s.pythons, l.generation, "bin", "python")
	if _, err := os.Stat(python); err != nil {
		return nil, fmt.Errorf("%w: there is no Python with this library at hand", errSkipped)
	}
	cmd := exec.CommandContext(ctx, python, append([]string{script}, arguments...)...)
	cmd.Dir = s.scratch
	cmd.Env = append(os.Environ(),
		"HOME="+s.scratch, "SSL_CERT_FILE="+s.service.Facts.CAFile, "PYTHONDONTWRITEBYTECODE=1")

	return cmd, nil
}

// whole is a host that is granted all that it asks for.
func (s *stage) whole(ctx context.Context, l library, document string) (string, error) {
	said, err := s.play(ctx, l, document, nil)
	if err != nil {
		return "", err
	}

	switch {
	case len(said.Tools) != 2 || !slices.Contains(said.Tools, "legal_agent"):
		return "", fmt.Errorf("it saw the tools %v", said.Tools)
	case said.Lookup != "cases":
		return "", fmt.Errorf("legal_lookup answered %q", said.Lookup)
	case said.Agent != "completed" && said.Agent != "input_required":
		return "", fmt.Errorf("legal_agent answered %q", said.Agent)
	case said.SignIns != 1:
		return "", fmt.Errorf("its user was sent to sign in %d times", said.SignIns)
	case said.Registered != (document == "-"):
		return "", errors.New("it did not go the way that it was told")
	}

	return fmt.Sprintf("version %s: sign-in, tools/list, both tools", said.Version), nil
}

// documented is a host that is described at an address of its own.
func (s *stage) documented(ctx context.Context, l library) (string, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	address := "https://" + listener.Addr().String() + "/client.json"
	describe := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		// A client that has left needs no answer.
		_ = json.NewEncoder(w).Encode(map[string]any{
			"client_id": address, "client_name": "Subrosa's own check", "token_endpoint_auth_method": "none",
			"redirect_uris": []string{"http://127.0.0.1/callback"},
			"grant_types":   []string{"authorization_code", "refresh_token"}, "response_types": []string{"code"},
		})
	}

	certs := filepath.Join(s.scratch, ".local", "tls")
	cert, key := filepath.Join(certs, "localhost.pem"), filepath.Join(certs, "localhost-key.pem")
	server := &http.Server{ReadHeaderTimeout: 5 * time.Second, Handler: http.HandlerFunc(describe)}

	go func() { _ = server.ServeTLS(listener, cert, key) }()

	defer func() { _ = server.Close() }()

	return s.whole(ctx, l, address)
}

// refuses is how a library says that it goes no further.
var refuses = regexp.MustCompile(`(?i)403|forbidden|insufficient|upscoping|scope`)

// stepping is a host whose user first grants reading only, and the rest when a call needs it.
func (s *stage) stepping(ctx context.Context, l library) (string, error) {
	said, err := s.play(ctx, l, "-", []string{"agent:run", "cases:write"})
	if err != nil {
		return "", err
	}
	done := said.Agent == "completed" || said.Agent == "input_required"

	switch {
	case said.Lookup != "cases":
		return "", fmt.Errorf("legal_lookup answered %q", said.Lookup)
	case l.stepsUp && done && said.SignIns == 2:
		return "it has its user sign in again, and the call goes through", nil
	case !l.stepsUp && !done && refuses.MatchString(said.Agent):
		return "reading works; it does not step up: " + protocolWords(said.Agent), nil
	}

	return "", fmt.Errorf("after %d sign-ins legal_agent answered %q", said.SignIns, said.Agent)
}

func protocolWords(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line[:min(len(line), 120)]
}

// following is a host that gets long work as a task, has its user answer a question by a form and review an answer at
// an address, and reads the results.
func (s *stage) following(ctx context.Context, l library) (string, error) {
	said, err := s.play(ctx, l, "-", nil, "tasks")
	if err != nil {
		return "", err
	}
	asked := said.Task != nil && slices.Contains(said.Task.Asked, "form") && slices.Contains(said.Task.Asked, "url")
	if !asked || said.Task.State != "completed" || said.Task.Review != "approved" {
		return "", fmt.Errorf("the tasks came to %+v", said.Task)
	}

	return fmt.Sprintf("asked of the user: %s; then %s, and %s by a person",
		strings.Join(said.Task.Asked, ", "), said.Task.State, said.Task.Review), nil
}
