package httpapi

import (
	"net/http"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
)

func etagOf(version int64) string { return `"` + strconv.FormatInt(version, 10) + `"` }

// tags reads a list of entity tags; any is true for *. What is no tag is left out, so that it matches nothing.
func tags(values []string) (list []string, any bool) {
	for _, part := range strings.Split(strings.Join(values, ","), ",") {
		switch part = strings.TrimSpace(part); {
		case part == "*":
			any = true
		case len(part) >= 2 && strings.HasPrefix(part, `"`) && strings.HasSuffix(part, `"`), strings.HasPrefix(part, `W/"`):
			list = append(list, part)
		}
	}
	return list, any
}

// unchanged answers 304 when the caller has what etag names, and sets the tag for the answer otherwise.
func unchanged(c *gin.Context, etag string) bool {
	c.Header("ETag", etag)
	list, any := tags(c.Request.Header.Values("If-None-Match"))
	for _, tag := range list {
		any = any || strings.TrimPrefix(tag, "W/") == etag
	}
	if any {
		c.Status(http.StatusNotModified)
		c.Writer.WriteHeaderNow()
	}
	return any
}

// expected returns the versions that If-Match names. Weak tags never match, as the standard says.
func expected(c *gin.Context) cases.Expected {
	values := c.Request.Header.Values("If-Match")
	list, any := tags(values)
	if len(values) == 0 || any {
		return nil
	}
	versions := cases.Expected{}
	for _, tag := range list {
		if v, err := strconv.ParseInt(strings.Trim(tag, `"`), 10, 64); err == nil && tag == etagOf(v) {
			versions = append(versions, v)
		}
	}
	return versions
}
