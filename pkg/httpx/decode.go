package httpx

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/strictjson"
)

// Limits of a JSON body.
const (
	MaxBody      = 1 << 20          // bytes
	bodyDeadline = 10 * time.Second // for the whole body to arrive
)

// Failures of decoding.
var (
	ErrBodyTooBig = errs.New(errs.TooLarge, "body_too_large", "The body is larger than 1 MiB. Send less per request.")
	ErrMediaType  = errs.New(errs.UnsupportedMedia, "unsupported_media_type", "Send the body as application/json.")
)

// What a body is refused for that is not of the form that it should have.
var (
	ErrMalformed   = strictjson.ErrMalformed
	ErrUnknown     = strictjson.ErrUnknown
	ErrRefusedName = strictjson.ErrRefusedName
	ErrValidation  = strictjson.ErrValidation
)

// Decode reads the one JSON object of the request's body into v, a pointer to a struct. Unknown fields, doubled keys,
// wrong types, a second value, more than MaxBody bytes and more than 32 levels are refused; a field whose name asks for
// an identity is refused as such. Field names match exactly, unlike in encoding/json alone.
func Decode(c *gin.Context, v any) error {
	if mt, _, err := mime.ParseMediaType(c.GetHeader("Content-Type")); err != nil || mt != "application/json" {
		return ErrMediaType
	}
	body, err := ReadBody(c, MaxBody)
	if err != nil {
		return err
	}

	return strictjson.Decode(body, v)
}

// DecodeOptional is Decode for a body that may be absent; v stays as it is then.
func DecodeOptional(c *gin.Context, v any) error {
	body, err := ReadBody(c, MaxBody)
	if err != nil || len(bytes.TrimSpace(body)) == 0 {
		return err
	}
	if mt, _, err := mime.ParseMediaType(c.GetHeader("Content-Type")); err != nil || mt != "application/json" {
		return ErrMediaType
	}

	return strictjson.Decode(body, v)
}

// ReadBody reads a body of at most limit bytes; a sender that is too slow is cut off.
func ReadBody(c *gin.Context, limit int64) ([]byte, error) {
	// The length is only the sender's word: the reader below is bounded as well.
	if c.Request.ContentLength > limit {
		return nil, ErrBodyTooBig
	}
	// Not every writer can do it (an in-memory recorder); the server's own listener can.
	//nolint:forbidigo // a socket deadline is on the wall clock
	_ = http.NewResponseController(c.Writer).SetReadDeadline(time.Now().Add(bodyDeadline))
	body, err := io.ReadAll(http.MaxBytesReader(c.Writer, c.Request.Body, limit))

	var tooBig *http.MaxBytesError
	switch {
	case errors.As(err, &tooBig):
		return nil, ErrBodyTooBig
	case err != nil:
		return nil, ErrMalformed
	}
	// A connection that is kept must not carry the deadline over to its next request.
	_ = http.NewResponseController(c.Writer).SetReadDeadline(time.Time{})

	return body, nil
}

// LinkRefusal sends whoever used the name of a field that would carry an identity to link, where a person can keep one.
// Other failures stay as they are.
func LinkRefusal(err error, link string) error {
	if errors.Is(err, ErrRefusedName) {
		return errs.From(err).WithDeepLink(link)
	}

	return err
}

// NoQuery refuses every query parameter, for routes that take none.
func NoQuery(log *slog.Logger) gin.HandlerFunc {
	return func(c *gin.Context) {
		if _, err := Query(c); err != nil {
			Fail(c, log, err)
		}
	}
}

// Query returns the query parameters of the request after checking that each is one of allowed, stands there once and
// has a value: what is empty could mean "any" or "none", so it is refused. An empty cursor is what a program sends that
// goes on behind the last page, and the first page again would have it never end.
func Query(c *gin.Context, allowed ...string) (map[string]string, error) {
	values := map[string]string{}
	query, err := parseQuery(c.Request.URL.RawQuery)
	if err != nil {
		return nil, ErrParameter
	}

	for name, list := range query {
		once := slices.Contains(allowed, name) && len(list) == 1
		// A doubled parameter is read differently by different programs in between: the first, the last, or both.
		if !once || !utf8.ValidString(list[0]) || list[0] == "" {
			return nil, ErrParameter.WithDetails(errs.Detail{Path: strictjson.Join("", name)})
		}
		values[name] = list[0]
	}

	return values, nil
}

// ErrParameter refuses a query parameter that is unknown, doubled, empty or of the wrong form.
var ErrParameter = errs.New(
	errs.Invalid,
	"invalid_parameter",
	"A query parameter is unknown, repeated, empty or malformed. See details.",
)
