package web_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/gateway/web"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// serve answers one GET with a handler of the app, under the route that the gateway gives it.
func serve(t *testing.T, route, path string, handle func(*gin.Context) error, headers ...string) (*httptest.ResponseRecorder, error) {
	t.Helper()
	gin.SetMode(gin.TestMode)
	engine := gin.New()
	var failed error
	engine.GET(route, func(c *gin.Context) { failed = handle(c) })

	req := httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil)
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	engine.ServeHTTP(w, req)

	return w, failed
}

func app(t *testing.T, wasm string) *web.App {
	t.Helper()
	a, err := web.New(wasm)
	if err != nil {
		t.Fatal(err)
	}

	return a
}

var loaded = regexp.MustCompile(`(?:href|src)="(/assets/[^"]+)"`)

func TestThePageLoadsOnlyWhatIsServed(t *testing.T) {
	t.Parallel()
	a := app(t, "")
	page, err := serve(t, "/app/*page", "/app/cases", a.Page)
	if err != nil || page.Code != http.StatusOK {
		t.Fatalf("%d %v", page.Code, err)
	}

	policy := page.Header().Get("Content-Security-Policy")
	for _, part := range []string{"default-src 'none'", "require-trusted-types-for 'script'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"} {
		if !strings.Contains(policy, part) {
			t.Errorf("the policy %q has no %q", policy, part)
		}
	}

	for _, part := range []string{"unsafe-inline", "unsafe-eval'; ", "*", "http:", "https:", "data:", "blob:"} {
		if strings.Contains(strings.ReplaceAll(policy, "'wasm-unsafe-eval'", ""), part) {
			t.Errorf("the policy allows %q", part)
		}
	}
	body := page.Body.String()
	if strings.Contains(body, "<style") || regexp.MustCompile(`<script[^>]*>[^<]`).MatchString(body) || regexp.MustCompile(` on[a-z]+=`).MatchString(body) {
		t.Errorf("something stands within the page: %s", body)
	}
	files := loaded.FindAllStringSubmatch(body, -1)
	if len(files) < 3 {
		t.Fatalf("the page loads %v", files)
	}

	for _, file := range files {
		w, err := serve(t, "/assets/*file", file[1], a.Asset, "Accept-Encoding", "gzip")
		if err != nil || w.Code != http.StatusOK || w.Header().Get("Content-Encoding") != "gzip" {
			t.Errorf("%s: %d %v %v", file[1], w.Code, w.Header(), err)
			continue
		}
		r, err := gzip.NewReader(w.Body)
		if err != nil {
			t.Fatal(err)
		}
		unpacked, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := serve(t, "/assets/*file", file[1], a.Asset)
		if err != nil || !bytes.Equal(plain.Body.Bytes(), unpacked) || plain.Header().Get("Content-Encoding") != "" {
			t.Errorf("%s differs without compression: %v", file[1], err)
		}
		again, err := serve(t, "/assets/*file", file[1], a.Asset, "If-None-Match", w.Header().Get("ETag"))
		if err != nil || again.Code != http.StatusNotModified || again.Body.Len() > 0 {
			t.Errorf("%s again: %d, %d bytes, %v", file[1], again.Code, again.Body.Len(), err)
		}
	}
}

func TestAddressesThatAreNone(t *testing.T) {
	t.Parallel()

	a := app(t, "")
	for _, tt := range []struct {
		route, path string
		handle      func(*gin.Context) error
	}{
		{"/app/*page", "/app/Ada", a.Page},
		{"/app/*page", "/app/ada@oak.example", a.Page},
		{"/app/*page", "/app/a%20b", a.Page},
		{"/app/*page", "/app/" + strings.Repeat("a", 300), a.Page},
		{"/i/*action", "/i/nothing", a.Link},
		{"/i/*action", "/i/", a.Link},
		{"/i/*action", "/i/agent/x", a.Link},
		{"/c/:caseId", "/c/Ada", a.Case},
		{"/c/:caseId", "/c/ada@oak.example", a.Case},
		{"/assets/*file", "/assets/nothing.js", a.Asset},
		{"/assets/*file", "/assets/index.html", a.Asset},
		{"/assets/*file", "/assets/", a.Asset},
		{"/assets/*file", "/assets/wasm/other", a.Asset},
		{"/assets/*file", "/assets/wasm/../web.go", a.Asset},
		{"/assets/*file", "/assets/wasm/guard.wasm.gz", a.Asset},
	} {
		if w, err := serve(t, tt.route, tt.path, tt.handle); !errors.Is(err, errs.ErrNotFound) {
			t.Errorf("%s: %d %v", tt.path, w.Code, err)
		}
	}

	for _, action := range web.Actions() {
		if w, err := serve(t, "/i/*action", "/i/"+action+"?case=x", a.Link); err != nil || w.Code != http.StatusOK {
			t.Errorf("%s: %d %v", action, w.Code, err)
		}
	}
}

func TestTheWebAssemblyFilesComeFromTheirFolder(t *testing.T) {
	t.Parallel()
	if _, err := serve(t, "/assets/*file", "/assets/wasm/guard.wasm", app(t, "").Asset); !errors.Is(err, web.ErrNoWASM) {
		t.Errorf("without a folder: %v", err)
	}
	if _, err := web.New(t.TempDir()); err == nil {
		t.Error("an empty folder is taken")
	}
	dir := t.TempDir()
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write([]byte("wasm")); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "guard.wasm.gz"), packed.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	a := app(t, dir)
	got, err := serve(t, "/assets/*file", "/assets/wasm/guard.wasm", a.Asset)
	if err != nil || got.Code != http.StatusOK || got.Header().Get("Content-Type") != "application/wasm" || got.Header().Get("Content-Encoding") != "gzip" || !bytes.Equal(got.Body.Bytes(), packed.Bytes()) {
		t.Errorf("%d %v %v", got.Code, got.Header(), err)
	}
	again, err := serve(t, "/assets/*file", "/assets/wasm/guard.wasm", a.Asset, "If-None-Match", got.Header().Get("ETag"))
	if err != nil || again.Code != http.StatusNotModified {
		t.Errorf("again: %d %v", again.Code, err)
	}
	if _, err := serve(t, "/assets/*file", "/assets/wasm/extract.wasm", a.Asset); !errors.Is(err, web.ErrNoWASM) {
		t.Errorf("a file that is not there: %v", err)
	}
}
