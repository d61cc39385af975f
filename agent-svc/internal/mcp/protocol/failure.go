package protocol

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

var errPanic = errors.New("a tool panicked")

// do keeps a panic of a tool, which works with what anybody may have sent, from ending the process. What was panicked
// with may hold anything, so only the stack is logged.
func (e *Endpoint) do(ctx context.Context, t Tool, call *Call) (answer Answer, err error) {
	defer func() {
		if recover() != nil {
			e.cfg.Log.ErrorContext(ctx, "a tool panicked", "tool", t.Name, "stack", string(debug.Stack()))
			err = errPanic
		}
	}()

	return t.Do(ctx, call)
}

// failed tells a failure to the model that made the call, in the shape of every error answer.
func (e *Endpoint) failed(ctx context.Context, t Tool, err error) *mcp.CallToolResult {
	text, err := encode(e.wire(ctx, t, e.known(ctx, t, err)))
	// Only strings and numbers are in it, so it can always be encoded.
	if err != nil {
		panic("protocol: " + err.Error())
	}

	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}}
}

// known classifies a failure. What nobody classified is logged here, once, and hidden.
func (e *Endpoint) known(ctx context.Context, t Tool, err error) *errs.Error {
	known := errs.From(err)
	late := known.Kind == errs.Internal && errors.Is(err, context.DeadlineExceeded)

	switch {
	//nolint:errorlint // the cause is ours, as it is
	case late, context.Cause(ctx) == errTime:
		// Nobody knows what became of it; whoever only reads is told otherwise below.
		known = errs.ErrUncertain
	case known.Kind == errs.Internal && ctx.Err() == nil && !errors.Is(err, errPanic):
		e.cfg.Log.ErrorContext(ctx, "a tool failed", "tool", t.Name, "err", err)
	case known.Kind == errs.Unavailable:
		e.cfg.Log.WarnContext(ctx, "a tool could not be served", "tool", t.Name, "err", err)
	}

	return httpcall.Told(ctx, t.Hints.ReadOnly, known)
}

type wireError = httpx.WireError

// wire is a failure in the shape of every error answer, in the words of the tool.
func (e *Endpoint) wire(ctx context.Context, t Tool, known *errs.Error) wireError {
	return wireError{
		Error:     known.Code,
		Message:   worded(known),
		RequestID: httpx.RequestID(ctx),
		DeepLink:  known.DeepLink,
		Details:   t.named(known.Details),
	}
}

// worded is the sentence of a failure for a caller who sees no headers and sends none.
func worded(e *errs.Error) string {
	return strings.NewReplacer(
		"after the time in Retry-After", "in "+errs.Seconds(e.RetryAfter),
		"Idempotency-Key", "idempotencyKey", "If-Match", "ifMatch",
	).Replace(e.Message)
}

// named tells places by the tool's own names.
func (t Tool) named(details []errs.Detail) []errs.Detail {
	details = slices.Clone(details)
	for i, d := range details {
		if own, ok := t.Paths[d.Path]; ok {
			details[i].Path = own
		}
	}

	return details
}

// Cut returns the first characters of a text, marked where something is missing.
func Cut(s string, most int) string {
	n := 0
	for i := range s {
		if n == most {
			return s[:i] + " …"
		}
		n++
	}

	return s
}

// encode writes a value as the interface does: no escapes for HTML, no line break.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}

	return bytes.TrimRight(b.Bytes(), "\n"), nil
}
