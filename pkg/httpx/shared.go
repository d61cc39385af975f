package httpx

import (
	"context"

	"github.com/subrosa-legal/subrosa/pkg/httpcall"
)

// What both ends of a call share has its home in httpcall. Handlers write and read it under these names.
const (
	HeaderRequestID   = httpcall.HeaderRequestID
	HeaderDeadline    = httpcall.HeaderDeadline
	CodeInternalToken = httpcall.CodeInternalToken
)

// WireError is the one shape of every error answer.
type WireError = httpcall.WireError

// RequestID returns the id of the request that ctx belongs to, or "".
func RequestID(ctx context.Context) string { return httpcall.RequestID(ctx) }
