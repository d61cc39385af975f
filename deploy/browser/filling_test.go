package browser_test

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/subrosa-legal/subrosa/gateway/web"
)

// filling is a document that the page has filled, and with what.
type filling struct {
	Document string // in base64url
	Names    map[string]string
	GiveUp   int // after so many milliseconds; 0 for not
}

// filled is how it went.
type filled struct {
	Filled, Failure string
	Count           int
	Missing         []string
	Shares          []float64
	Took, Longest   float64 // milliseconds: in all, and the longest for which the page did nothing else
}

// shippedWorker names the worker among the files that the gateway serves.
func shippedWorker(t *testing.T) string {
	t.Helper()
	names := must(fs.Glob(web.Dist(), "docxworker-*.js"))(t)
	if len(names) != 1 {
		t.Fatalf("workers = %q, want one", names)
	}

	return names[0]
}

// fillingPage is a page of a browser that fills documents with the worker that is shipped, under the gateway's own
// policies.
func fillingPage(t *testing.T) context.Context {
	t.Helper()
	page := bundled(t, "filling.ts", api.FormatESModule, map[string]string{
		"DOCX_WORKER": `"/assets/` + shippedWorker(t) + `"`,
	})
	script := func(w http.ResponseWriter, content []byte) {
		w.Header().Set("Content-Type", "text/javascript")
		w.Header().Set("Content-Security-Policy", web.WorkerPolicy)
		_, _ = w.Write(content)
	}

	return open(t, func(w http.ResponseWriter, r *http.Request) {
		name, asset := strings.CutPrefix(r.URL.Path, "/assets/")
		if name == "filling.js" {
			script(w, page)
			return
		}
		if content, err := fs.ReadFile(web.Dist(), name); asset && err == nil {
			script(w, content)
			return
		}

		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Security-Policy", web.Policy)
		_, _ = fmt.Fprint(w, `<!doctype html><title>filling</title><script type="module" src="/assets/filling.js"></script>`)
	})
}

// wordDocument is one with so many paragraphs, each with a label.
func wordDocument(t *testing.T, paragraphs int) string {
	t.Helper()
	const (
		types = `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/word/document.xml" ` +
			`ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`
		begin     = `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>`
		paragraph = `<w:p><w:r><w:t>[Party 1] owes [Org 9].</w:t></w:r></w:p>`
		end       = `</w:body></w:document>`
	)
	var out bytes.Buffer
	archive := zip.NewWriter(&out)

	for _, part := range []struct{ name, text string }{
		{"[Content_Types].xml", types},
		{"word/document.xml", begin + strings.Repeat(paragraph, paragraphs) + end},
	} {
		w, err := archive.Create(part.name)
		if err == nil {
			_, err = io.WriteString(w, part.text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}

	return base64.RawURLEncoding.EncodeToString(out.Bytes())
}

// textOf is the XML of what was filled.
func textOf(t *testing.T, document string) string {
	t.Helper()
	content := must(base64.RawURLEncoding.DecodeString(document))(t)
	archive := must(zip.NewReader(bytes.NewReader(content), int64(len(content))))(t)
	part := must(archive.Open("word/document.xml"))(t)

	return string(must(io.ReadAll(part))(t))
}

func TestABigDocumentIsFilledWhileThePageAnswers(t *testing.T) {
	t.Parallel()
	const paragraphs = 60_000
	page := fillingPage(t)

	got := inPage[filled](page, t, "fillWhileCounting", filling{
		Document: wordDocument(t, paragraphs), Names: map[string]string{"[Party 1]": "Ada Söhne"},
	})
	t.Logf("took %.0f ms; the page did nothing else for %.0f ms at most", got.Took, got.Longest)
	if got.Failure != "" || got.Count != paragraphs || !slices.Equal(got.Missing, []string{"[Org 9]"}) {
		t.Fatalf("failure %q, %d filled, missing %q", got.Failure, got.Count, got.Missing)
	}
	if n := strings.Count(textOf(t, got.Filled), "Ada Söhne owes [Org 9]."); n != paragraphs {
		t.Errorf("%d paragraphs have the name, want %d", n, paragraphs)
	}
	if len(got.Shares) != 2 || got.Shares[1] != 1 {
		t.Errorf("progress = %v, want two steps that end with 1", got.Shares)
	}
	if got.Longest > got.Took/2 {
		t.Errorf("the page stood still for %.0f of %.0f ms", got.Longest, got.Took)
	}
}

func TestADocumentIsGivenUp(t *testing.T) {
	t.Parallel()
	page := fillingPage(t)
	document := wordDocument(t, 60_000)

	got := inPage[filled](page, t, "fillWhileCounting", filling{Document: document, GiveUp: 20})
	if got.Failure != "AbortError" || got.Filled != "" {
		t.Errorf("failure %q with %d characters, want AbortError and none", got.Failure, len(got.Filled))
	}
}

func TestWhatIsNoWordDocumentIsNotFilled(t *testing.T) {
	t.Parallel()
	page := fillingPage(t)

	got := inPage[filled](page, t, "fillWhileCounting", filling{Document: "bm8gYXJjaGl2ZQ"})
	if got.Failure != "Error" || got.Filled != "" || got.Count != 0 {
		t.Errorf("failure %q, %d filled, %q", got.Failure, got.Count, got.Filled)
	}
}
