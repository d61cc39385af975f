package httpx_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/pkg/errs"
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

func TestDecodeBytes(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       error
		path       string
	}{
		{"whole", `{"title":"t","inner":{"n":1,"tags":["a"]},"list":[{"n":2}],"any":{"x":[1,{"y":2}]}}`, nil, ""},
		{"empty object", `{}`, nil, ""},
		{"unknown field", `{"titel":"t"}`, httpx.ErrUnknown, "titel"},
		{"other case is another field", `{"Title":"t"}`, httpx.ErrUnknown, "Title"},
		{"unknown field deep down", `{"list":[{"m":1}]}`, httpx.ErrUnknown, "list[].m"},
		{"a field that asks for an identity", `{"first_name":""}`, httpx.ErrRefusedName, "first_name"},
		{"such a field deep down", `{"inner":{"e-Mail":"x"}}`, httpx.ErrRefusedName, "inner.e-Mail"},
		{"a key that is content is not repeated", `{"jane.roe@mail.example":1}`, httpx.ErrUnknown, "?"},
		{"a key of words that are a name is not repeated", `{"inner":{"quillonZorbanek":1}}`, httpx.ErrUnknown, "inner.?"},
		{"a key that is a name is not repeated", `{"zorbanek":1}`, httpx.ErrUnknown, "?"},
		{"a key of several words", `{"createdAt_by-user2":1}`, httpx.ErrUnknown, "createdAt_by-user2"},
		{"doubled key", `{"title":"a","title":"b"}`, httpx.ErrMalformed, ""},
		{"doubled key written otherwise", `{"title":"a","t\u0069tle":"b"}`, httpx.ErrMalformed, ""},
		{"wrong type", `{"title":1}`, httpx.ErrValidation, "title"},
		{"wrong type deep down", `{"inner":{"n":"x"}}`, httpx.ErrValidation, "inner.n"},
		{"object for a string", `{"title":{"$ne":null}}`, httpx.ErrValidation, "title"},
		{"a whole number with a fraction", `{"inner":{"n":24.0},"list":[{"n":2.4e1},{"n":-0.0}]}`, nil, ""},
		{"fraction for a number", `{"inner":{"n":1.5}}`, httpx.ErrValidation, "inner.n"},
		{"array", `[]`, httpx.ErrValidation, ""},
		{"null", ` null `, httpx.ErrValidation, ""},
		{"nothing", ``, httpx.ErrMalformed, ""},
		{"cut off", `{"title":"t"`, httpx.ErrMalformed, ""},
		{"two values", `{} {}`, httpx.ErrMalformed, ""},
		{"trailing text", `{} x`, httpx.ErrMalformed, ""},
		{"not UTF-8", "{\"title\":\"\xff\"}", httpx.ErrMalformed, ""},
		{"half a surrogate pair", `{"title":"a\ud800b"}`, httpx.ErrMalformed, ""},
		{"the other half", `{"title":"\udc00"}`, httpx.ErrMalformed, ""},
		{"two first halves", `{"title":"\ud83d\ud83d\ude00"}`, httpx.ErrMalformed, ""},
		{"half a pair in a key", `{"\uDBFF":1}`, httpx.ErrMalformed, ""},
		{"half a pair at the end", `{"title":"\ud800`, httpx.ErrMalformed, ""},
		{"a pair", `{"title":"\ud83d\ude00 \u00e9"}`, nil, ""},
		{"a backslash before what looks like half a pair", `{"title":"\\ud800"}`, nil, ""},
		{"too deep", `{"any":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `}`, httpx.ErrMalformed, ""},
		{"NaN", `{"inner":{"n":NaN}}`, httpx.ErrMalformed, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var v body
			err := httpx.DecodeBytes([]byte(tc.text), &v)
			if !errors.Is(err, tc.want) {
				t.Fatalf("err = %v, want %v", err, tc.want)
			}
			if tc.path != "" {
				if d := errs.From(err).Details; len(d) != 1 || d[0].Path != tc.path {
					t.Errorf("details = %+v, want path %q", d, tc.path)
				}
			}
		})
	}
}

func FuzzDecodeBytes(f *testing.F) {
	for _, s := range []string{`{"title":"t","list":[{"n":1}]}`, `{"any":[[[1]]]}`, `{"a":{"a":{}}}`, "\xff", `{"title":"\ud800"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var v body
		err := httpx.DecodeBytes(text, &v)
		if err == nil && !json.Valid(text) {
			t.Errorf("accepted %q", text)
		}
		if err != nil && errs.From(err).Kind == errs.Internal {
			t.Errorf("%q is an internal error: %v", text, err)
		}
	})
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
		if _, err := httpx.Query(c, "limit"); err != nil {
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
