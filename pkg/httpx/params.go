package httpx

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
	"github.com/subrosa-legal/subrosa/pkg/ids"
)

// NoStore keeps what cases say out of every cache.
func NoStore(c *gin.Context) { c.Header("Cache-Control", "no-store") }

// PathID returns an id of the path. What has not the form of an id names nothing: errs.ErrNotFound.
func PathID(c *gin.Context, name string) (string, error) {
	id := c.Param(name)
	// The store is never asked for what cannot be there.
	if !ids.Valid(id) {
		return "", errs.ErrNotFound
	}

	return id, nil
}

// Parameter refuses one query parameter. remedy says what it must be.
func Parameter(name, remedy string) error {
	return ErrParameter.WithDetails(errs.Detail{Path: name, Message: remedy})
}

// Flag reads a parameter that is true or false; one that is not there is false.
func Flag(params map[string]string, name string) (bool, error) {
	switch params[name] {
	case "true":
		return true, nil
	case "", "false":
		return false, nil
	}

	return false, Parameter(name, "must be true or false")
}

// Number reads a whole number from a query or a path, in the one way to write it: digits alone, and no zero before
// others. What two readers could write down differently must not name one thing.
func Number(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || strconv.Itoa(n) != text {
		return 0, errNumber
	}

	return n, nil
}

var errNumber = errors.New("not a whole number in its usual form")

// Limit reads how many items a page may have: 1 to 100, and 25 when limit is not there.
func Limit(params map[string]string) (int, error) {
	s, ok := params["limit"]
	if !ok {
		return 25, nil
	}
	n, err := Number(s)
	if err != nil || n < 1 || n > 100 {
		return 0, Parameter("limit", "must be 1 to 100")
	}

	return n, nil
}

// MaxTotal is how far lists are counted.
const MaxTotal = 10_000

// Capped returns a count as lists tell it, and whether it was cut at MaxTotal.
func Capped(n int) (total *int, capped bool) {
	capped = n > MaxTotal
	n = min(n, MaxTotal)

	return &n, capped
}

// BodyTag is the entity tag of an answer that has no version of its own.
func BodyTag(body []byte) string {
	sum := sha256.Sum256(body)
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}

// TagOf is the strong entity tag of an answer that holds v.
func TagOf(v any) (string, error) {
	body, err := httpcall.Encode(v)
	return BodyTag(body), err
}
