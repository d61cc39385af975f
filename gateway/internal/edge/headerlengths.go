package edge

import (
	"log/slog"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

// headerLengths are the most characters of each header that the interface gives a length, as the OpenAPI document says.
var headerLengths = map[string]int{
	"If-Match":            200,
	"If-None-Match":       200,
	"Idempotency-Key":     255,
	"Last-Event-Id":       100,
	"Content-Disposition": 2048,
}

// HeadersWithin refuses requests for /v1 with a header that is longer than the document allows.
func HeadersWithin(log *slog.Logger) gin.HandlerFunc {
	return func(c *gin.Context) {
		if !strings.HasPrefix(c.Request.URL.Path, "/v1/") {
			return
		}

		for name, most := range headerLengths {
			for _, value := range c.Request.Header[name] {
				// Characters and not bytes, as JSON Schema counts maxLength.
				if utf8.RuneCountInString(value) > most {
					httpx.Fail(c, log, httpx.ErrParameter.WithDetails(
						errs.Detail{Path: name, Message: "must be at most " + strconv.Itoa(most) + " characters"},
					))

					return
				}
			}
		}
	}
}
