package edge_test

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/gateway/internal/edge"
)

// reference is a server of the document and its page.
func reference(t *testing.T) *httptest.Server {
	t.Helper()
	contract, err := edge.NewContract("https://subrosa.example.com")
	if err != nil {
		t.Fatal(err)
	}

	engine := gin.New()
	for path, handler := range map[string]func(*gin.Context) error{
		"/openapi.yaml": contract.YAML, "/openapi.json": contract.JSON, "/docs": edge.ReferencePage, "/docs/:asset": contract.Asset,
	} {
		engine.GET(path, func(c *gin.Context) {
			if err := handler(c); err != nil {
				c.Status(http.StatusNotFound)
			}
		})
	}
	s := httptest.NewServer(engine)
	t.Cleanup(s.Close)

	return s
}

func fetch(t *testing.T, s *httptest.Server, path string, headers ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}

	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := (&http.Client{Transport: &http.Transport{DisableCompression: true}}).Do(req)
	if err != nil {
		t.Fatal(err)
	}

	defer func() { _ = resp.Body.Close() }()
	var body io.Reader = resp.Body
	if resp.Header.Get("Content-Encoding") == "gzip" {
		if body, err = gzip.NewReader(resp.Body); err != nil {
			t.Fatal(err)
		}
	}
	text, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}

	return resp, string(text)
}

func TestTheDocumentNamesTheServiceItself(t *testing.T) {
	t.Parallel()

	s := reference(t)
	for _, path := range []string{"/openapi.yaml", "/openapi.json"} {
		_, text := fetch(t, s, path)
		if !strings.Contains(text, "https://subrosa.example.com") || strings.Contains(text, "localhost") {
			t.Errorf("%s does not name the service's own address alone", path)
		}
	}
	var doc struct {
		OpenAPI string                    `json:"openapi"`
		Paths   map[string]map[string]any `json:"paths"`
	}
	if _, text := fetch(t, s, "/openapi.json"); json.Unmarshal([]byte(text), &doc) != nil || doc.OpenAPI != "3.1.0" || doc.Paths["/v1/cases"]["post"] == nil {
		t.Errorf("the document as JSON is version %q with %d paths", doc.OpenAPI, len(doc.Paths))
	}
}

func TestTheDocumentIsAnsweredWhole(t *testing.T) {
	t.Parallel()
	s := reference(t)

	plain, text := fetch(t, s, "/openapi.yaml")
	for name, headers := range map[string][]string{"gzip": {"Accept-Encoding", "br, gzip"}, "gzip refused": {"Accept-Encoding", "gzip;q=0"}} {
		resp, got := fetch(t, s, "/openapi.yaml", headers...)
		if got != text || (resp.Header.Get("Content-Encoding") == "gzip") != (name == "gzip") {
			t.Errorf("%s: encoding %q, the same text: %t", name, resp.Header.Get("Content-Encoding"), got == text)
		}
	}
	if resp, _ := fetch(t, s, "/openapi.yaml", "If-None-Match", plain.Header.Get("ETag")); resp.StatusCode != http.StatusNotModified {
		t.Errorf("status for who has it = %d", resp.StatusCode)
	}
}

// The page must need nothing from elsewhere, and all that it needs must be there.
func TestTheReferencePageNeedsNothingFromElsewhere(t *testing.T) {
	t.Parallel()
	s := reference(t)
	resp, page := fetch(t, s, "/docs")
	if policy := resp.Header.Get("Content-Security-Policy"); strings.Contains(policy, "unsafe") || !strings.HasPrefix(policy, "default-src 'none'") {
		t.Errorf("policy = %s", policy)
	}

	for _, m := range regexp.MustCompile(`(?:src|href)="([^"]+)"`).FindAllStringSubmatch(page, -1) {
		if !strings.HasPrefix(m[1], "/") {
			t.Errorf("the page names %s", m[1])
			continue
		}
		if resp, text := fetch(t, s, m[1]); resp.StatusCode != http.StatusOK || text == "" {
			t.Errorf("%s: %d, %d bytes", m[1], resp.StatusCode, len(text))
		}
	}
	if resp, _ := fetch(t, s, "/docs/nothing.js"); resp.StatusCode != http.StatusNotFound {
		t.Errorf("an unknown file = %d", resp.StatusCode)
	}
}
