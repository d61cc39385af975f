package runs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"github.com/subrosa-legal/subrosa/pkg/api"
)

// emit stores one event of the work; a failure ends the run at the engine's next step.
func (a *attempt) emit(body func(head api.EventHead) any, kind, status string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.emitLocked(body, kind, status)
}

func (a *attempt) emitLocked(body func(head api.EventHead) any, kind, status string) {
	if a.failed != nil {
		return
	}

	// base, not the run's context: what the engine reports must be stored even while the run is being told to end.
	ctx, cancel := context.WithTimeout(a.base, a.Timing.Patch)
	defer cancel()
	if a.failed = a.append(ctx, payload{kind: kind, body: body(a.head(kind)), status: status}); a.failed != nil {
		a.abort(a.failed)
	}
}

func (a *attempt) status(e api.StatusEvent) {
	a.emit(func(head api.EventHead) any { e.EventHead = head; return e }, api.EventStatus, e.Status)
}

// Plan implements legal.Report.
func (a *attempt) Plan(message string, steps ...string) {
	a.status(api.StatusEvent{Status: api.StatusOrchestrating, Message: message, Plan: steps})
}

// Working implements legal.Report.
func (a *attempt) Working(message string, done, total int) {
	progress := &api.Progress{Done: done, Total: total}
	a.status(api.StatusEvent{Status: api.StatusWorking, Message: message, Progress: progress})
}

// Reasoning implements legal.Report.
func (a *attempt) Reasoning(message string) {
	a.status(api.StatusEvent{Status: api.StatusReasoning, Message: message})
}

// Read implements legal.Report.
func (a *attempt) Read(passages int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.usage.PassagesRead += passages
}

// Tokens implements legal.Report.
func (a *attempt) Tokens(input, output int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.usage.InputTokens += input
	a.usage.OutputTokens += output
}

// AnsweredBy implements legal.Report.
func (a *attempt) AnsweredBy(e api.Engine) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.job.Phase.Engine = e
}

// Tool implements legal.Report.
func (a *attempt) Tool(name, summary string, args ...string) func(outcome, summary string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.usage.ToolCallCount++
	id := fmt.Sprintf("c%d", a.usage.ToolCallCount)

	digest := sha256.New()
	for _, arg := range args {
		// The length before each argument keeps ("ab", "c") apart from ("a", "bc").
		fmt.Fprintf(digest, "%d:%s", len(arg), arg)
	}
	begun := &api.ToolStatus{CallID: id, Name: name, Summary: summary}
	a.emitLocked(func(head api.EventHead) any {
		return api.StatusEvent{EventHead: head, Status: api.StatusTool, Tool: begun}
	}, api.EventStatus, api.StatusTool)
	if a.failed == nil {
		call := api.ToolCall{CallID: id, Name: name, ArgsDigest: hex.EncodeToString(digest.Sum(nil)[:16])}
		a.open[id] = openTool{call, a.Now()}
	}

	return func(outcome, summary string) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.closeTool(id, outcome, summary)
	}
}

func (a *attempt) closeTool(id, outcome, summary string) {
	tool, ok := a.open[id]
	if !ok {
		return
	}
	took := a.Now().Sub(tool.began).Milliseconds()
	tool.call.Outcome, tool.call.Summary, tool.call.DurationMs = outcome, summary, took
	ended := &api.ToolStatus{
		CallID:     id,
		Name:       tool.call.Name,
		Outcome:    &outcome,
		Summary:    summary,
		DurationMs: &took,
	}
	a.emitLocked(func(head api.EventHead) any {
		return api.StatusEvent{EventHead: head, Status: api.StatusTool, Tool: ended}
	}, api.EventStatus, api.StatusTool)
	// It stays open and ends with the run: what did not leave is not put on record either.
	if a.failed != nil {
		return
	}
	delete(a.open, id)
	a.calls = append(a.calls, tool.call)
}
