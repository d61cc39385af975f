package edge

import (
	"net/http"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

var (
	errCoded = errs.New(
		errs.UnsupportedMedia,
		"unsupported_media_type",
		"A body under Content-Encoding is not taken. Send it as it is, without that header.",
	)
	errPart = httpx.ErrParameter.
		WithMessage("A part of a body is not taken. Send the whole in one request, without Content-Range.").
		WithDetails(errs.Detail{Path: "Content-Range"})
)

// BodyAsItIs refuses a body that would not be read as its sender means it: one that is compressed or coded in another
// way, and one that is a part of something larger (RFC 9110, sections 8.4 and 14.5). The coding "identity" is none.
func BodyAsItIs(c *gin.Context) error {
	r := c.Request
	if r.Body == nil || r.Body == http.NoBody {
		return nil
	}

	for _, line := range r.Header["Content-Encoding"] {
		for coding := range strings.SplitSeq(line, ",") {
			if coding = strings.TrimSpace(coding); coding != "" && !strings.EqualFold(coding, "identity") {
				// RFC 9110, section 15.5.16: the answer names what would be taken.
				c.Header("Accept-Encoding", "identity")
				return errCoded
			}
		}
	}
	if len(r.Header["Content-Range"]) > 0 {
		return errPart
	}

	return nil
}
