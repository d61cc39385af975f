// Package protocol speaks MCP: one endpoint without sessions for both eras of the protocol, which judges the scopes of
// a call before anything else reads it, and gives every tool its deadline, its progress and the one shape of failures.
package protocol

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

// Path is where the endpoint is mounted.
const Path = "/api/mcp"

// Instructions tell a host's model how the two tools share the work.
const Instructions = "Use legal_lookup for anything that only reads. Use legal_agent to have work done; " +
	"it may take minutes: when state is working, call it again with taskId."

// listsLive is how long a host may keep lists, in milliseconds. They change with releases only.
const listsLive = 300_000

// Config says what an endpoint offers.
type Config struct {
	// Versions are the protocol versions that are offered, of those the library knows; none means all of them.
	Versions []string
	// Base is the public address of the service, without a slash at its end; challenges name the metadata under it.
	Base string
	Log  *slog.Logger
	// Tasks announces the extension for tasks; AddTasks must follow.
	Tasks bool
	// Adjust changes how the server is made; nil for the product.
	Adjust func(*mcp.ServerOptions)
}

// Versions returns the protocol versions that can be offered, the newest first.
func Versions() []string { return mcp.SupportedProtocolVersions() }

// CheckVersions tells what is wrong with a list of versions, "" when nothing is.
func CheckVersions(list []string) string {
	known := Versions()
	for _, v := range list {
		if !slices.Contains(known, v) {
			return "must be a comma list of " + strings.Join(known, ", ")
		}
	}

	return ""
}

// Endpoint is the MCP server behind its guard. It keeps nothing between requests, so that any replica can answer any of
// them.
type Endpoint struct {
	cfg     Config
	server  *mcp.Server
	handler http.Handler
	needs   map[string]Needs // by tool

	tasks      Tasker // nil without the extension for tasks
	taskTool   Tool   // whose results tasks have
	taskScopes []string
}

// New returns an endpoint without tools.
func New(cfg Config) *Endpoint {
	options := &mcp.ServerOptions{
		Instructions:              Instructions,
		SupportedProtocolVersions: cfg.Versions,
		// Declared though empty: the library answers their lists anyway, and discovery should say so.
		Capabilities: &mcp.ServerCapabilities{
			Tools:     &mcp.ToolCapabilities{},
			Prompts:   &mcp.PromptCapabilities{},
			Resources: &mcp.ResourceCapabilities{},
		},
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) {
			c.TTLMs, c.CacheScope = listsLive, "private"
		},
	}
	if cfg.Tasks {
		options.Capabilities.AddExtension(TasksExtension, nil)
	}
	if cfg.Adjust != nil {
		cfg.Adjust(options)
	}
	e := &Endpoint{cfg: cfg, needs: map[string]Needs{}}
	e.server = mcp.NewServer(&mcp.Implementation{Name: "subrosa", Title: "Subrosa", Version: api.CardVersion}, options)
	e.server.AddReceivingMiddleware(withoutSchemas)
	server := func(*http.Request) *mcp.Server { return e.server }
	e.handler = mcp.NewStreamableHTTPHandler(server, &mcp.StreamableHTTPOptions{
		Stateless:                    true,
		PropagateRequestCancellation: true,
		MaxRequestBodyBytes:          maxBody,
		// Services listen on loopback behind the gateway, which checks Host and Origin.
		DisableLocalhostProtection: true,
	})

	return e
}

// Server is the library's server, for what the product does not have: a test binary adds prompts and resources to it.
func (e *Endpoint) Server() *mcp.Server { return e.server }

// readerKey holds the context of the HTTP request that a call came with. The library ends a call with its request in
// the newer era only.
type readerKey struct{}

// ServeHTTP answers one request, whose context names its caller.
func (e *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	// Proxies must pass progress on as it comes.
	w.Header().Set("X-Accel-Buffering", "no")
	w.Header().Set("Cache-Control", "no-store")
	c, ok := e.admit(w, r)
	if !ok {
		return
	}
	reading := context.WithValue(r.Context(), readerKey{}, r.Context())
	e.handler.ServeHTTP(&plain{ResponseWriter: w, id: c.id}, r.WithContext(reading))
}

// Tool is one tool of the endpoint.
type Tool struct {
	Name, Title, Description string
	Input, Output            json.RawMessage // JSON Schemas; of the output it may be nil
	Hints                    Hints
	// Needs names the scopes that a call with these arguments needs; nil means none.
	Needs Needs
	// Limit is how long a call with these arguments may take.
	Limit func(arguments json.RawMessage) time.Duration
	// Paths are the arguments of the tool by the names that the services behind it have for them; failures are told by
	// those of the tool.
	Paths map[string]string
	// Do carries a call out. An error becomes a result that says so in the shape of every error answer.
	Do func(ctx context.Context, call *Call) (Answer, error)
}

// Hints are what a host shows of a tool before it lets a model call it.
type Hints struct{ ReadOnly, Destructive, Idempotent, OpenWorld bool }

// Answer is what a tool gives back.
type Answer struct {
	Value any // encoded as it is, as structure and as text
	Links []Link
	// Task is given instead of a value to a host that follows tasks.
	Task *Task
}

// Link names a document that the user can open.
type Link struct {
	URI, Name, Title, MediaType string
	Bytes                       int64
}

// Add offers a tool.
func (e *Endpoint) Add(t Tool) {
	if t.Needs != nil {
		e.needs[t.Name] = t.Needs
	}
	offered := &mcp.Tool{
		Name:        t.Name,
		Title:       t.Title,
		Description: t.Description,
		InputSchema: t.Input,
		Annotations: &mcp.ToolAnnotations{
			Title:           t.Title,
			ReadOnlyHint:    t.Hints.ReadOnly,
			DestructiveHint: &t.Hints.Destructive,
			IdempotentHint:  t.Hints.Idempotent,
			OpenWorldHint:   &t.Hints.OpenWorld,
		},
	}
	if t.Output != nil {
		offered.OutputSchema = t.Output
	}
	e.server.AddTool(offered, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return e.call(ctx, t, req), nil
	})
}

// errTime ends a call whose time is over.
var errTime = errors.New("the time of the call is over")

func (e *Endpoint) call(ctx context.Context, t Tool, req *mcp.CallToolRequest) *mcp.CallToolResult {
	arguments := req.Params.Arguments
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}

	ctx, cancel := context.WithTimeoutCause(ctx, t.Limit(arguments), errTime)
	defer cancel()
	// The older era keeps a call alive after its reader has left; the work that it asked for is the run's, not the
	// call's.
	if reader, ok := ctx.Value(readerKey{}).(context.Context); ok {
		defer context.AfterFunc(reader, cancel)()
	}
	call := &Call{Arguments: arguments, Host: HostOf(req.Params.Meta)}
	call.Host.Tasks = call.Host.Tasks && e.tasks != nil
	if token := req.Params.GetProgressToken(); token != nil {
		call.notify = func(n int, message string) {
			// A reader who left needs no progress.
			_ = req.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
				ProgressToken: token,
				Progress:      float64(n),
				Message:       message,
			})
		}
	}
	answer, err := e.do(ctx, t, call)
	if err == nil && call.Host.Tasks && answer.Task != nil && BecomeTask(ctx, *answer.Task) {
		return &mcp.CallToolResult{} // the host gets the task
	}

	result := e.result(ctx, t, answer, err)
	if !structured(req.Session) {
		result.StructuredContent = nil
	}

	return result
}

// structured reports whether the protocol version of a session has structured results. The versions before have only
// the text, so nothing is sent twice. Later ones want both, for hosts that show a model the text alone.
func structured(s mcp.Session) bool {
	server, ok := s.(*mcp.ServerSession)
	if !ok || server.InitializeParams() == nil {
		return true
	}

	return server.InitializeParams().ProtocolVersion >= "2025-06-18"
}

// withoutSchemas takes from a list of tools what the versions before structured results do not have: a host that reads
// it all the same would miss the structure.
func withoutSchemas(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		if list, ok := res.(*mcp.ListToolsResult); ok && err == nil && !structured(req.GetSession()) {
			tools := make([]*mcp.Tool, len(list.Tools))
			for i, t := range list.Tools {
				// The library hands the same tools to every session, so the schema is taken out of a copy.
				plain := *t
				plain.OutputSchema, tools[i] = nil, &plain
			}
			list.Tools = tools
		}

		return res, err
	}
}

// result is what a tool gave back, or why it failed, as hosts get it.
func (e *Endpoint) result(ctx context.Context, t Tool, answer Answer, err error) *mcp.CallToolResult {
	if err != nil {
		return e.failed(ctx, t, err)
	}
	text, err := encode(answer.Value)
	if err != nil {
		return e.failed(ctx, t, err)
	}
	content := []mcp.Content{&mcp.TextContent{Text: string(text)}}

	for _, l := range answer.Links {
		link := &mcp.ResourceLink{
			URI:      l.URI,
			Name:     l.Name,
			Title:    l.Title,
			MIMEType: l.MediaType,
		}
		if l.Bytes > 0 {
			link.Size = &l.Bytes
		}
		content = append(content, link)
	}

	return &mcp.CallToolResult{StructuredContent: json.RawMessage(text), Content: content}
}

// Call is one call of a tool.
type Call struct {
	Arguments json.RawMessage // one JSON object
	Host      Host
	notify    func(n int, message string)
	sent      int
}

// Watched reports whether the caller wants to be told how the call comes on.
func (c *Call) Watched() bool { return c.notify != nil }

// Progress tells the caller what is being done, if it wants to know. It must not be called from several goroutines at
// once.
func (c *Call) Progress(message string) {
	if c.notify == nil {
		return
	}
	c.sent++
	c.notify(c.sent, message)
}
