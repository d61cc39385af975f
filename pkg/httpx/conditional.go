package httpx

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
)

// ETag is the strong entity tag of a version.
func ETag(version int64) string { return `"` + strconv.FormatInt(version, 10) + `"` }

// entityTags reads a list of entity tags; any is true for *. What is no tag is left out, so that it matches nothing.
func entityTags(values []string) (list []string, any bool) {
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

// Unchanged answers 304 when the caller has what etag names, and sets the tag for the answer otherwise.
func Unchanged(c *gin.Context, etag string) bool {
	c.Header("ETag", etag)

	// RFC 9110, 13.1.2: If-None-Match compares weakly.
	list, any := entityTags(c.Request.Header.Values("If-None-Match"))
	for _, tag := range list {
		any = any || strings.TrimPrefix(tag, "W/") == etag
	}
	if any {
		c.Status(http.StatusNotModified)
		c.Writer.WriteHeaderNow()
	}

	return any
}

// IfMatch returns the versions that If-Match names; nil means that any will do. Weak tags never match, as the standard
// says.
func IfMatch(c *gin.Context) []int64 {
	values := c.Request.Header.Values("If-Match")
	list, any := entityTags(values)
	if len(values) == 0 || any {
		return nil
	}
	versions := []int64{}

	for _, tag := range list {
		// A tag such as "007" is none of ours, although it has the number of one.
		if v, err := strconv.ParseInt(strings.Trim(tag, `"`), 10, 64); err == nil && tag == ETag(v) {
			versions = append(versions, v)
		}
	}

	return versions
}

// Holds reports whether If-Match lets a write go on over what there is, whose tag is etag; over nothing only a write
// without If-Match.
func Holds(c *gin.Context, there bool, etag string) bool {
	values := c.Request.Header.Values("If-Match")
	if len(values) == 0 {
		return true
	}
	list, any := entityTags(values)

	return there && (any || slices.Contains(list, etag))
}

// Page answers with a page of a list, which withCursor returns with the cursor given. The page's tag is that of its
// items and of whether more follow, since a cursor differs each time it is made.
func Page(c *gin.Context, cursor *string, withCursor func(*string) any) error {
	var mark *string
	if cursor != nil {
		// With the cursor itself no two answers would have the same tag, and no client could ever be told 304.
		mark = new("more")
	}
	body, err := httpcall.Encode(withCursor(mark))
	if err != nil {
		return err
	}
	if Unchanged(c, BodyTag(body)) {
		return nil
	}

	return JSON(c, http.StatusOK, withCursor(cursor))
}
