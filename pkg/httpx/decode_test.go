package httpx_test

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

type inner struct {
	N    int      `json:"n"`
	Tags []string `json:"tags"`
}

type body struct {
	Title string          `json:"title"`
	Inner *inner          `json:"inner"`
	List  []inner         `json:"list"`
	Any   json.RawMessage `json:"any"`
	inner
}

// serve answers one request with a handler that decodes a body.
func serve(t *testing.T, r *http.Request) (*httptest.ResponseRecorder, httpx.WireError) {
	t.Helper()
	log := slog.New(slog.DiscardHandler)
	engine := gin.New()
	engine.POST("/", httpx.Handle(log, func(c *gin.Context) error {
		var v body
		if err := httpx.Decode(c, &v); err != nil {
			return err
		}
		if _, err := httpx.Query(c, "limit", "cursor"); err != nil {
			return err
		}

		return httpx.JSON(c, http.StatusOK, map[string]string{"title": v.Title})
	}))
	rec := httptest.NewRecorder()
	engine.ServeHTTP(rec, r)
	var e httpx.WireError
	if rec.Code >= 400 {
		if err := json.Unmarshal(rec.Body.Bytes(), &e); err != nil {
			t.Fatalf("%d with %q", rec.Code, rec.Body)
		}
	}

	return rec, e
}

func TestDecodeOverHTTP(t *testing.T) {
	for _, tc := range []struct {
		name, media, query string
		body               io.Reader
		status             int
		code               string
	}{
		{"good", "application/json; charset=utf-8", "", strings.NewReader(`{"title":"<t>"}`), 200, ""},
		{"another media type", "text/plain", "", strings.NewReader(`{}`), 415, "unsupported_media_type"},
		{"no media type", "", "", strings.NewReader(`{}`), 415, "unsupported_media_type"},
		{"too large", "application/json", "", bytes.NewReader(make([]byte, httpx.MaxBody+1)), 413, "body_too_large"},
		{"too large without a length", "application/json", "", io.MultiReader(bytes.NewReader(make([]byte, httpx.MaxBody+1))), 413, "body_too_large"},
		{"known parameter", "application/json", "?limit=1", strings.NewReader(`{}`), 200, ""},
		{"a cursor", "application/json", "?cursor=x", strings.NewReader(`{}`), 200, ""},
		{"empty cursor", "application/json", "?cursor=", strings.NewReader(`{}`), 400, "invalid_parameter"},
		{"cursor without a value", "application/json", "?cursor", strings.NewReader(`{}`), 400, "invalid_parameter"},
		{"empty parameter", "application/json", "?limit=", strings.NewReader(`{}`), 400, "invalid_parameter"},
		{"unknown parameter", "application/json", "?owner=ben", strings.NewReader(`{}`), 400, "invalid_parameter"},
		{"doubled parameter", "application/json", "?limit=1&limit=2", strings.NewReader(`{}`), 400, "invalid_parameter"},
		{"broken parameter", "application/json", "?limit=%zz", strings.NewReader(`{}`), 400, "invalid_parameter"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/"+tc.query, tc.body)
			if tc.media != "" {
				r.Header.Set("Content-Type", tc.media)
			}
			rec, e := serve(t, r)
			if rec.Code != tc.status || e.Error != tc.code {
				t.Errorf("%d %s, want %d %s", rec.Code, e.Error, tc.status, tc.code)
			}
			if tc.status == 200 && tc.name == "good" && rec.Body.String() != `{"title":"<t>"}` {
				t.Errorf("body = %s", rec.Body)
			}
		})
	}
}
