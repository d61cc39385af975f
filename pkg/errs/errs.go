// Package errs names the kinds of failure that services report to their callers, so that a rule deep in a domain can
// say what went wrong without knowing HTTP, and one table elsewhere can turn it into an answer.
package errs

import (
	"errors"
	"strconv"
	"time"
)

// Kind says what sort of failure an Error is. The zero Kind is Internal, so that what nobody classified stays hidden.
type Kind uint8

// The kinds. Each stands for one status of the interface.
const (
	Internal         Kind = iota // a bug or an unclassified failure of ours
	Invalid                      // input that cannot be accepted
	Unauthenticated              // no valid credential
	Forbidden                    // the caller may see the thing but not do this to it
	NotFound                     // does not exist, or lies outside the caller's view
	MethodNotAllowed             // the path exists, the method does not
	NotAcceptable                // the caller does not accept the only form there is
	Conflict                     // fights the present state
	Stale                        // an If-Match that no longer holds
	TooLarge                     // beyond a stated limit
	UnsupportedMedia             // a media type that is not taken
	TooMany                      // rate or concurrency budget used up
	Unavailable                  // a store or service cannot be reached, or overload
	HeadTooLarge                 // the headers of a request are beyond their limit
	Misdirected                  // meant for another host
)

// Detail points at one place in the caller's input, or names what an Error's code speaks of. It never quotes a value.
type Detail struct {
	Path           string   `json:"path,omitempty"`
	Code           string   `json:"code,omitempty"`
	Kind           string   `json:"kind,omitempty"`
	Message        string   `json:"message,omitempty"`
	Start          *int     `json:"start,omitempty"` // UTF-8 bytes of the value as sent
	End            *int     `json:"end,omitempty"`   // exclusive
	Unmet          []string `json:"unmet,omitempty"`
	From           string   `json:"from,omitempty"`
	To             string   `json:"to,omitempty"`
	RunningPhaseID string   `json:"runningPhaseId,omitempty"`
	InviteID       string   `json:"inviteId,omitempty"`
}

// Error is a failure that may be shown to the caller as it stands. Values are immutable: the With methods return
// copies, so that package-level variables can be refined at the place of failure and still be found by errors.Is.
type Error struct {
	Kind       Kind
	Code       string // stable snake_case name
	Message    string // one sentence that says what to do next; never holds the caller's content
	Details    []Detail
	DeepLink   string
	RetryAfter time.Duration // sent as Retry-After, rounded up to whole seconds; 0 means none
	Untouched  bool          // holds only where nothing was changed; see Truthful. It is not sent
}

// New returns an Error of kind with a stable code and a sentence that is safe to show.
func New(kind Kind, code, message string) *Error {
	return &Error{Kind: kind, Code: code, Message: message}
}

// Error returns the code and the sentence.
func (e *Error) Error() string { return e.Code + ": " + e.Message }

// Is reports whether target is an Error of the same code, so that a refined copy still matches the variable it came
// from.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code && t.Kind == e.Kind
}

// WithMessage returns a copy of e with another sentence, of which it is not known whether it holds only where
// nothing was changed.
func (e *Error) WithMessage(message string) *Error {
	c := *e
	c.Message, c.Untouched = message, false

	return &c
}

// WithDetails returns a copy of e with details in place of its own.
func (e *Error) WithDetails(details ...Detail) *Error {
	c := *e
	c.Details = details

	return &c
}

// WithDeepLink returns a copy of e that sends the user to link.
func (e *Error) WithDeepLink(link string) *Error {
	c := *e
	c.DeepLink = link

	return &c
}

// WithRetryAfter returns a copy of e that asks the caller to wait for d.
func (e *Error) WithRetryAfter(d time.Duration) *Error {
	c := *e
	c.RetryAfter = d

	return &c
}

// WithUntouched returns a copy of e that holds only where nothing was changed.
func (e *Error) WithUntouched() *Error {
	c := *e
	c.Untouched = true

	return &c
}

// Seconds is a time to wait in words, such as "2 seconds": rounded up, and at least one.
func Seconds(d time.Duration) string {
	n := max(1, int((d+time.Second-1)/time.Second))
	if n == 1 {
		return "1 second"
	}

	return strconv.Itoa(n) + " seconds"
}

// ErrInternal stands for every failure that nobody classified.
var ErrInternal = New(
	Internal,
	"internal",
	"Something went wrong on our side. Try again, and give the requestId to support if it happens again.",
)

// ErrUnavailable stands for a store or service that cannot be reached; nothing was done.
var ErrUnavailable = New(
	Unavailable,
	"unavailable",
	"The service cannot answer at the moment and nothing was changed. Try again after the time in Retry-After.",
).WithRetryAfter(2 * time.Second).WithUntouched()

// ErrUncertain stands for a call that was lost on its way to a service or a store, or whose answer was: nobody knows
// whether it was carried out, or how much of it. errors.Is takes it for ErrUnavailable, whose code it has.
var ErrUncertain = New(
	Unavailable,
	"unavailable",
	"There was no answer, and the call may have been carried out. Look whether it was before you repeat it.",
).WithRetryAfter(2 * time.Second)

// ErrTaken is what a store says to whoever lost a race, unless the store has an error of its own for it: an insert met
// what is there already, or a replacement met another version than the one it was made for. It is no answer to a
// caller: read again, and decide anew.
var ErrTaken = errors.New("taken")

// ErrNotFound is the one answer for what does not exist, was purged or belongs to somebody else.
var ErrNotFound = New(
	NotFound,
	"not_found",
	"There is nothing here that you can see. Check the id and who you are signed in as.",
)

// ErrVersion is the answer to an If-Match that no longer holds.
var ErrVersion = New(
	Stale,
	"version_mismatch",
	"This has changed since you read it. Read it again and repeat the change on the new version.",
)

// Refusals that several services give. Each has its sentence here alone; domains name them anew where their contracts
// speak of them.
var (
	// ErrBusy means that other writers kept winning.
	ErrBusy = New(
		Conflict,
		"write_conflict",
		"Others are changing this at the same time. Try again after the time in Retry-After.",
	).WithRetryAfter(time.Second)
	// ErrCaseClosed refuses a change of a case that is over.
	ErrCaseClosed = New(Conflict, "case_closed", "The case is closed or archived. A user has to reopen it first.")
	// ErrHuman refuses a machine what only a person may do. It goes out with a deep link.
	ErrHuman = New(Forbidden, "human_required", "Only a person may do this. Ask the user to open the deep link.")
	// ErrKeyReused refuses an Idempotency-Key that came with another request before.
	ErrKeyReused = New(
		Invalid,
		"idempotency_key_reused",
		"This Idempotency-Key was used with another body. Use a new key for a new request.",
	)
)

// From returns the Error inside err, or ErrInternal when there is none. It returns nil for nil.
func From(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}

	return ErrInternal
}
