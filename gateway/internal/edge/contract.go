package edge

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"maps"
	"net/http"
	"path"
	"strings"
	"sync"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/pkg/a2aext"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/swaggest/swgui/v5/static"
)

// keptServer is the address that stands in the document as it is kept: that of the development service.
const keptServer = "https://localhost:8443"

// Contract serves the OpenAPI document of the interface, and a page to read it on that needs nothing from elsewhere.
type Contract struct {
	yaml, json document
	assets     map[string]document // by name
}

// document is a file with what goes out beside it.
type document struct {
	mediaType  string
	plain      []byte
	compressed func() ([]byte, error) // by gzip; nil when it would not help
	etag       string
}

// NewContract prepares the document for the service at base.
func NewContract(base string) (*Contract, error) {
	asJSON, err := api.ContractJSON()
	if err != nil {
		return nil, fmt.Errorf("read the OpenAPI document: %w", err)
	}
	// The document names the development service, and readers should find their own.
	here := func(kept []byte) []byte { return bytes.ReplaceAll(kept, []byte(keptServer), []byte(base)) }
	assets, err := referenceAssets()
	if err != nil {
		return nil, err
	}
	k := &Contract{assets: maps.Clone(assets)}
	extensions, err := a2aext.Files(base)
	if err != nil {
		return nil, fmt.Errorf("read the documents of extensions: %w", err)
	}

	for _, f := range extensions {
		k.assets[f.Name] = pack(f.MediaType, f.Body)
	}
	k.yaml, k.json = pack("application/yaml", here(api.Contract())), pack("application/json", here(asJSON))

	return k, nil
}

// referenceAssets are the files of the reference page, unpacked once for all gateways of a process. Nobody changes
// them.
var referenceAssets = sync.OnceValues(func() (map[string]document, error) {
	var err error

	assets := map[string]document{}
	for name, mediaType := range map[string]string{
		"swagger-ui.css": "text/css; charset=utf-8", "swagger-ui-bundle.js": "text/javascript; charset=utf-8",
		"swagger-ui-standalone-preset.js": "text/javascript; charset=utf-8",
	} {
		if assets[name], err = unpack(mediaType, name+".gz"); err != nil {
			return nil, err
		}
	}
	icon, err := static.FS.ReadFile("favicon-32x32.png")
	if err != nil {
		return nil, fmt.Errorf("read the icon of the reference page: %w", err)
	}
	assets["favicon.png"] = document{mediaType: "image/png", plain: icon, etag: etagOf(icon)}
	assets["init.js"] = pack("text/javascript; charset=utf-8", []byte(referenceScript))

	return assets, nil
})

func etagOf(b []byte) string {
	sum := sha256.Sum256(b)
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}

// pack returns the document of b. It is compressed when somebody first asks for it so, since a start need not wait.
func pack(mediaType string, b []byte) document {
	compressed := sync.OnceValues(func() ([]byte, error) {
		var packed bytes.Buffer
		w := gzip.NewWriter(&packed)
		if _, err := w.Write(b); err != nil {
			return nil, err
		}
		if err := w.Close(); err != nil {
			return nil, err
		}

		return packed.Bytes(), nil
	})

	return document{mediaType: mediaType, plain: b, compressed: compressed, etag: etagOf(b)}
}

// unpack takes a file of the reference page as its module keeps it, compressed.
func unpack(mediaType, name string) (document, error) {
	compressed, err := static.FS.ReadFile(name)
	if err != nil {
		return document{}, fmt.Errorf("read %s of the reference page: %w", name, err)
	}
	r, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return document{}, fmt.Errorf("unpack %s of the reference page: %w", name, err)
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		return document{}, fmt.Errorf("unpack %s of the reference page: %w", name, err)
	}

	asKept := func() ([]byte, error) { return compressed, nil }

	return document{mediaType: mediaType, plain: plain, compressed: asKept, etag: etagOf(plain)}, nil
}

// YAML answers with the document as it is kept.
func (k *Contract) YAML(c *gin.Context) error { return k.yaml.serve(c) }

// JSON answers with the document as JSON.
func (k *Contract) JSON(c *gin.Context) error { return k.json.serve(c) }

// Asset answers with a file of the reference page.
func (k *Contract) Asset(c *gin.Context) error {
	d, ok := k.assets[path.Base(c.Param("asset"))]
	if !ok {
		return errs.ErrNotFound
	}

	return d.serve(c)
}

// Extension answers at the address that names an extension of A2A with the document of the extension.
func (k *Contract) Extension(c *gin.Context) error {
	d, ok := k.assets[c.Param("extension")+"-"+c.Param("version")]
	if !ok {
		return errs.ErrNotFound
	}

	return d.serve(c)
}

func (d document) serve(c *gin.Context) error {
	if _, err := httpx.Query(c); err != nil {
		return err
	}
	c.Header("ETag", d.etag)
	c.Header("Cache-Control", "public, max-age=300")
	// Or a cache would give compressed bytes to a client that cannot read them.
	c.Header("Vary", "Accept-Encoding")
	if strings.HasPrefix(d.mediaType, "text/html") {
		c.Header("Content-Security-Policy", pagePolicy)
	}
	if matches(c.GetHeader("If-None-Match"), d.etag) {
		c.Status(http.StatusNotModified)
		c.Writer.WriteHeaderNow()

		return nil
	}
	if d.compressed != nil && acceptsGzip(c.GetHeader("Accept-Encoding")) {
		compressed, err := d.compressed()
		if err != nil {
			return err
		}
		c.Header("Content-Encoding", "gzip")
		c.Data(http.StatusOK, d.mediaType, compressed)

		return nil
	}
	c.Data(http.StatusOK, d.mediaType, d.plain)

	return nil
}

// acceptsGzip reports whether an Accept-Encoding names gzip without refusing it.
func acceptsGzip(header string) bool {
	for coding := range strings.SplitSeq(header, ",") {
		name, weight, _ := strings.Cut(strings.TrimSpace(coding), ";")
		if strings.EqualFold(strings.TrimSpace(name), "gzip") {
			weight = strings.ReplaceAll(weight, " ", "")
			// RFC 9110, section 12.4.2: a weight of 0 means "not acceptable", with up to three digits.
			return weight != "q=0" && !strings.HasPrefix(weight, "q=0.000")
		}
	}

	return false
}

// pagePolicy lets a page of text load our style and nothing else.
const pagePolicy = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// referencePolicy lets the reference page load what the gateway itself serves, and nothing else.
const referencePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const referencePage = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Subrosa: reference</title>
<link rel="icon" href="/docs/favicon.png"><link rel="stylesheet" href="/docs/swagger-ui.css">
</head><body>
<noscript>This page needs JavaScript. The same document is at <a href="/openapi.yaml">/openapi.yaml</a>.</noscript>
<main id="reference"></main>
<script src="/docs/swagger-ui-bundle.js"></script><script src="/docs/init.js"></script>
</body></html>
`

const referenceScript = `"use strict";
SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  validatorUrl: null,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  filter: true,
  supportedSubmitMethods: ["get", "post", "put", "patch", "delete"],
  persistAuthorization: false
});
`

// ReferencePage answers with the page that shows the document.
func ReferencePage(c *gin.Context) error {
	if _, err := httpx.Query(c); err != nil {
		return err
	}
	c.Header("Content-Security-Policy", referencePolicy)
	c.Header("Cache-Control", "public, max-age=300")
	c.Data(http.StatusOK, "text/html; charset=utf-8", []byte(referencePage))

	return nil
}
