package edge_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/gateway/internal/edge"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// A body that would not be read as its sender means it is refused; the header of a request without one means nothing.
func TestBodiesAreTakenAsTheyAre(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct {
		header http.Header
		empty  bool
		want   string // code of the refusal
	}{
		"as it is":                {nil, false, ""},
		"the coding that is none": {http.Header{"Content-Encoding": {"identity"}}, false, ""},
		"the same in capitals":    {http.Header{"Content-Encoding": {"Identity"}}, false, ""},
		"an empty coding":         {http.Header{"Content-Encoding": {""}}, false, ""},
		"gzip":                    {http.Header{"Content-Encoding": {"gzip"}}, false, "unsupported_media_type"},
		"gzip in capitals":        {http.Header{"Content-Encoding": {"GZIP"}}, false, "unsupported_media_type"},
		"its old name":            {http.Header{"Content-Encoding": {"x-gzip"}}, false, "unsupported_media_type"},
		"br":                      {http.Header{"Content-Encoding": {"br"}}, false, "unsupported_media_type"},
		"zstd":                    {http.Header{"Content-Encoding": {"zstd"}}, false, "unsupported_media_type"},
		"deflate":                 {http.Header{"Content-Encoding": {"deflate"}}, false, "unsupported_media_type"},
		"of AWS, in pieces":       {http.Header{"Content-Encoding": {"aws-chunked"}}, false, "unsupported_media_type"},
		"a coding behind none":    {http.Header{"Content-Encoding": {"identity, gzip"}}, false, "unsupported_media_type"},
		"a coding of its own":     {http.Header{"Content-Encoding": {"identity", "br"}}, false, "unsupported_media_type"},
		"a made-up coding":        {http.Header{"Content-Encoding": {"none"}}, false, "unsupported_media_type"},
		"a part":                  {http.Header{"Content-Range": {"bytes 0-99/200"}}, false, "invalid_parameter"},
		"a part of unknown size":  {http.Header{"Content-Range": {"bytes 0-99/*"}}, false, "invalid_parameter"},
		"the whole as a part":     {http.Header{"Content-Range": {"bytes 0-1/2"}}, false, "invalid_parameter"},
		"an empty part":           {http.Header{"Content-Range": {""}}, false, "invalid_parameter"},
		"a coding of nothing":     {http.Header{"Content-Encoding": {"gzip"}}, true, ""},
		"a part of nothing":       {http.Header{"Content-Range": {"bytes */200"}}, true, ""},
	} {
		c, _ := gin.CreateTestContext(httptest.NewRecorder())
		c.Request = httptest.NewRequest(http.MethodPost, "/", strings.NewReader("{}"))
		if tc.empty {
			c.Request = httptest.NewRequest(http.MethodGet, "/", http.NoBody)
		}
		c.Request.Header = tc.header

		got := ""
		if err := edge.BodyAsItIs(c); err != nil {
			got = errs.From(err).Code
		}
		if got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
		asked := c.Writer.Header().Get("Accept-Encoding")
		if told := asked == "identity"; told != (tc.want == "unsupported_media_type") {
			t.Errorf("%s: Accept-Encoding is %q", name, asked)
		}
	}
}
