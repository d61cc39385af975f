// Package web serves the browser app: its page, for every address of the app, and the files that the page loads. They
// are built from src by make web and embedded; the WebAssembly files are built by make wasm and lie in a folder.
package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

//go:embed dist
var embedded embed.FS

//go:embed icon.svg
var icon []byte

// Dist returns the built files.
func Dist() fs.FS {
	dist, err := fs.Sub(embedded, "dist")
	if err != nil {
		panic(err) // the folder is named in the line above
	}

	return dist
}

// Policy is what the page may load and do: files of ours alone, no script or style within the page, and no text turned
// into code but by the two named policies. WebAssembly is the guard, the extractor and Argon2id.
const Policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; " +
	"connect-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; " +
	"frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types lit-html subrosa"

// WorkerPolicy is what a script may do that runs apart from the page: load WebAssembly of ours and the program that
// starts it.
const WorkerPolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'"

// ErrNoWASM is for a service that was started without the WebAssembly files.
var ErrNoWASM = errs.New(errs.NotFound, "not_installed",
	"This service was started without the files by which a browser reads and checks documents. "+
		"Ask its operator to build them (make wasm) and to set GATEWAY_WASM_DIR; until then, subrosa file redact does "+
		"the same on the command line.")

// asset is one file, ready to be sent.
type asset struct {
	plain, gzipped []byte
	mediaType      string
	etag           string
}

// App is the browser app.
type App struct {
	page   asset
	assets map[string]asset
	wasm   fs.FS // nil when there is none
}

// New readies the app. wasmDir holds the WebAssembly files; "" means none.
func New(wasmDir string) (*App, error) {
	built, err := builtIn()
	if err != nil {
		return nil, err
	}
	a := *built
	if wasmDir == "" {
		return &a, nil
	}

	a.wasm = os.DirFS(wasmDir)
	// Found out at the start, and not by the first person who opens a document.
	if _, err := fs.Stat(a.wasm, wasmFiles[0]+".gz"); err != nil {
		return nil, fmt.Errorf("GATEWAY_WASM_DIR: %w", err)
	}

	return &a, nil
}

// builtIn is the app as it is embedded, compressed once for all gateways of a process. Nobody changes it.
var builtIn = sync.OnceValues(func() (*App, error) {
	a := &App{assets: map[string]asset{"icon.svg": pack("icon.svg", icon)}}
	dist := Dist()
	entries, err := fs.ReadDir(dist, ".")
	if err != nil {
		return nil, err
	}

	for _, entry := range entries {
		content, err := fs.ReadFile(dist, entry.Name())
		if err != nil {
			return nil, err
		}
		if entry.Name() == "index.html" {
			a.page = pack(entry.Name(), content)
			continue
		}
		a.assets[entry.Name()] = pack(entry.Name(), content)
	}
	if a.page.plain == nil {
		return nil, errors.New("the app has no page")
	}

	return a, nil
})

var mediaTypes = map[string]string{
	".js":   "text/javascript; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".html": "text/html; charset=utf-8",
	".svg":  "image/svg+xml",
	".txt":  "text/plain; charset=utf-8",
	".wasm": "application/wasm",
}

func mediaType(name string) string {
	if known, ok := mediaTypes[path.Ext(name)]; ok {
		return known
	}

	return mime.TypeByExtension(path.Ext(name))
}

func pack(name string, content []byte) asset {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(content)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		// Cannot fail: the level is a constant and memory takes every write.
		panic(err)
	}
	sum := sha256.Sum256(content)

	return asset{content, out.Bytes(), mediaType(name), `"` + hex.EncodeToString(sum[:16]) + `"`}
}

// addresses are those of the app: names of pages and ids. Nothing else stands in one, so that no identity can.
var addresses = regexp.MustCompile(`^[a-z0-9/-]{0,200}$`)

// Page answers every address of the app with its page; the script in it shows what the address names.
func (a *App) Page(c *gin.Context) error {
	if !addresses.MatchString(c.Param("page")) {
		return errs.ErrNotFound
	}
	h := c.Writer.Header()
	h.Set("Content-Security-Policy", Policy)
	// A page that opened ours gets no handle on it, nor one that ours opens.
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	// The page names the built files, so browsers must ask whether there is a newer one.
	h.Set("Cache-Control", "no-cache")
	a.page.send(c)

	return nil
}

// actions are what deep links may name; src/errands.ts says where each leads.
var actions = []string{
	"reveal", "contact", "export_named", "file_with_court", "serve", "sign", "redact_file", "add_identity",
	"conflict_check", "confirm_invite", "review", "case_settings", "files", "export", "agent", "grants", "audit",
	"admin", "handoff", "members",
}

// Actions returns every action that a deep link may name.
func Actions() []string { return slices.Clone(actions) }

// Link answers a deep link with the page, which leads on to where its action is ready.
func (a *App) Link(c *gin.Context) error {
	if !slices.Contains(actions, strings.TrimPrefix(c.Param("action"), "/")) {
		return errs.ErrNotFound
	}

	return a.Page(c)
}

// Case answers the address of a case, which hosts and the command line show, with the page.
func (a *App) Case(c *gin.Context) error {
	if uuid.Validate(c.Param("caseId")) != nil {
		return errs.ErrNotFound
	}

	return a.Page(c)
}

// Asset answers one file that the page loads. A built file's name changes with its content, so that browsers may keep
// it for good.
func (a *App) Asset(c *gin.Context) error {
	name := strings.TrimPrefix(c.Param("file"), "/")
	if part, ok := strings.CutPrefix(name, "wasm/"); ok {
		return a.serveWASM(c, part)
	}
	file, ok := a.assets[name]
	if !ok {
		return errs.ErrNotFound
	}
	c.Header("Cache-Control", "public, max-age=31536000, immutable")
	// A script may run as a worker, and a worker has the policy of its own response.
	if path.Ext(name) == ".js" {
		c.Header("Content-Security-Policy", WorkerPolicy)
	}
	if name == "icon.svg" {
		c.Header("Cache-Control", "public, max-age=86400")
	}
	file.send(c)

	return nil
}

func (f asset) send(c *gin.Context) {
	h := c.Writer.Header()
	h.Set("Vary", "Accept-Encoding")
	h.Set("ETag", f.etag)
	if c.GetHeader("If-None-Match") == f.etag {
		c.Status(http.StatusNotModified)
		c.Writer.WriteHeaderNow()

		return
	}
	content := f.plain
	if strings.Contains(c.GetHeader("Accept-Encoding"), "gzip") {
		h.Set("Content-Encoding", "gzip")
		content = f.gzipped
	}
	h.Set("Content-Length", strconv.Itoa(len(content)))
	c.Data(http.StatusOK, f.mediaType, content)
}

// wasmFiles are the files that the folder holds, each with .gz at its end.
var wasmFiles = []string{"guard.wasm", "extract.wasm", "wasm_exec.js"}

// serveWASM streams a compressed file from the folder; every browser takes gzip.
func (a *App) serveWASM(c *gin.Context, name string) error {
	known := false
	for _, file := range wasmFiles {
		known = known || file == name
	}
	if !known {
		return errs.ErrNotFound
	}
	if a.wasm == nil {
		return ErrNoWASM
	}
	file, err := a.wasm.Open(name + ".gz")
	if err != nil {
		return ErrNoWASM
	}

	defer func() { _ = file.Close() }()
	info, err := file.Stat()
	if err != nil {
		return ErrNoWASM
	}
	h := c.Writer.Header()
	h.Set("Cache-Control", "no-cache")
	// Time and size tell builds apart without reading megabytes for a hash.
	h.Set("ETag", fmt.Sprintf(`"%x-%x"`, info.ModTime().UnixNano(), info.Size()))
	h.Set("Content-Encoding", "gzip")
	h.Set("Content-Length", strconv.FormatInt(info.Size(), 10))
	h.Set("Content-Type", mediaType(name))
	if c.GetHeader("If-None-Match") == h.Get("ETag") {
		// A 304 has no body that these could describe.
		h.Del("Content-Encoding")
		h.Del("Content-Length")
		c.Status(http.StatusNotModified)
		c.Writer.WriteHeaderNow()

		return nil
	}
	c.DataFromReader(http.StatusOK, info.Size(), mediaType(name), file, nil)

	return nil
}
