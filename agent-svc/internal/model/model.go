// Package model is the one form in which the service talks to a language model: a turn of a chat with tools, whoever
// provides it. It knows no provider; those are adapters beside it.
package model

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// Model takes turns in a chat.
type Model interface {
	// Chat sends a request and returns the whole reply. heard is told of every piece of text as it arrives, which is no
	// promise that the reply will be whole; it may be nil. Errors are *Error, or ctx's own when ctx has ended.
	Chat(ctx context.Context, r Request, heard func(bytes int)) (Reply, error)
	// Name says what answers.
	Name() Name
}

// Name is a provider and one of its models.
type Name struct {
	Provider string
	Model    string
}

// Request is a chat up to the model's turn.
type Request struct {
	System    string // what the model must keep to; never holds content
	Messages  []Message
	Tools     []Tool
	MaxTokens int // of the reply
}

// Roles of a message.
const (
	User      = "user"
	Assistant = "assistant"
)

// Message is one turn of a chat. A user's message holds text, results of tools, or both; a model's holds text, calls,
// or both.
type Message struct {
	Role    string
	Text    string
	Calls   []Call   // of Assistant
	Results []Result // of User: one for each call of the message before it
}

// Tool is something that the model may ask for.
type Tool struct {
	Name        string
	Description string
	Schema      Schema
}

// Call asks for a tool. Arguments are as the model wrote them: they need not be JSON.
type Call struct {
	ID        string
	Name      string
	Arguments string
}

// Object returns the arguments as the object that a provider wants back. What was none is sent back empty.
func (c Call) Object() string {
	var fields map[string]json.RawMessage
	// A provider refuses a chat with a call that is no object, so one bad call would end the whole run.
	if json.Unmarshal([]byte(c.Arguments), &fields) != nil || fields == nil {
		return "{}"
	}

	return c.Arguments
}

// Result answers a call.
type Result struct {
	CallID string
	Text   string
	Failed bool
}

// Stop says why a reply ended.
type Stop string

// The reasons.
const (
	Ended  Stop = "ended"  // the model has said what it had to say
	Called Stop = "called" // it waits for the results of its calls
	Length Stop = "length" // it reached the bound of its reply
)

// Usage counts tokens as the provider counts them; 0 where it does not say.
type Usage struct {
	Input  int
	Output int
}

// Reply is a model's turn.
type Reply struct {
	Text  string
	Calls []Call
	Stop  Stop
	Usage Usage
}

// Bounds of a reply: what is more is a broken stream.
const (
	MaxText      = 1 << 20  // bytes of text
	MaxArguments = 64 << 10 // bytes of the arguments of one call
	MaxCalls     = 64
)

// Kind says what sort of failure an Error is.
type Kind string

// The kinds.
const (
	RateLimited Kind = "rate_limited" // the provider wants fewer requests
	Refused     Kind = "refused"      // the model or its provider will not answer this
	Unavailable Kind = "unavailable"  // the provider cannot be reached, is overloaded or silent
	BadStream   Kind = "bad_stream"   // what came was cut off or not of the provider's form
	Rejected    Kind = "rejected"     // the provider does not take the request: key, model or size
)

// Error is a turn that failed. It holds nothing of what was sent or came.
type Error struct {
	Kind       Kind
	Status     int           // of HTTP, 0 when there was none
	RetryAfter time.Duration // that the provider asks for, 0 when it does not
}

// Error names the kind and the status.
func (e *Error) Error() string {
	if e.Status != 0 {
		return fmt.Sprintf("language model: %s (status %d)", e.Kind, e.Status)
	}

	return "language model: " + string(e.Kind)
}

// Passing reports whether the same request may succeed later.
func (e *Error) Passing() bool {
	return e.Kind == RateLimited || e.Kind == Unavailable || e.Kind == BadStream
}
