package oauth

import (
	"errors"
	"fmt"

	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// Refusal is an error of the OAuth protocol. Its code is one of those that the specifications list; its text never
// quotes the caller.
type Refusal struct {
	Code string
	Text string
}

// Error returns the code.
func (r *Refusal) Error() string { return r.Code }

// Is reports whether target is a Refusal of the same code.
func (r *Refusal) Is(target error) bool {
	t, ok := target.(*Refusal)
	return ok && t.Code == r.Code
}

func refuse(code, text string) *Refusal { return &Refusal{code, text} }

// Refusals that callers tell apart.
var (
	ErrInvalidGrant = refuse(
		"invalid_grant",
		"The code or refresh token is not valid, not this client's, or was used before. Ask the user to sign in again.",
	)
	ErrInvalidClient = refuse("invalid_client", "There is no such client. Register again.")
	errTarget        = refuse("invalid_target", "resource must be the address of the MCP endpoint, once.")
	errScope         = refuse("invalid_scope", "scope may have cases:read, cases:write, agent:run and offline_access.")
	errWiderScope    = refuse("invalid_scope", "scope may not be wider than what the user granted.")
)

// Failures that are shown to the person at the browser and not to the client.
var (
	ErrUnknownClient = errs.New(
		errs.Invalid,
		"unknown_client",
		"The application that sent you here is not known, or its description cannot be read. "+
			"Go back to it and connect again.",
	)
	ErrRedirect = errs.New(
		errs.Invalid,
		"bad_redirect",
		"The application that sent you here asked to be called back at an address that is not its own. "+
			"Nothing was given to it.",
	)
	ErrNoRequest = errs.New(
		errs.Invalid,
		"request_gone",
		"This sign-in has expired, or was begun in another browser. Go back to the application and connect again.",
	)
	ErrDecided = errs.New(
		errs.Conflict,
		"already_decided",
		"This was already decided. Go back to the application; if it is not connected, connect again.",
	)
	ErrMalformed = errs.New(
		errs.Invalid,
		"malformed_request",
		"The address that sent you here is not complete. Go back to the application and connect again.",
	)
)

// ErrDocumentGone is ErrUnknownClient by the word of the host that had the client's document.
var ErrDocumentGone = fmt.Errorf("%w: its host has no such document", ErrUnknownClient)

// Answers of stores.
var (
	ErrNoGrant  = errs.ErrNotFound
	ErrNoClient = errors.New("no such client")
	ErrNoCode   = errors.New("no such code")
)
