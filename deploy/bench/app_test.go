package bench

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/subrosa-legal/subrosa/deploy/internal/chromium"
)

const bare = `<!doctype html><html lang="en"><meta charset="utf-8"><title>bare</title><main><h1>Bare</h1></main></html>`

// paint is when the page could be used, in milliseconds since its navigation began, and what it loaded, in bytes as they came.
type paint struct {
	Ready float64 `json:"ready"`
	Bytes float64 `json:"bytes"`
}

// measured is a script that waits for the first heading and notes when it stood there; it runs before the page's own.
const measured = `(async () => {
	while (!document.querySelector("main h1")) await new Promise(requestAnimationFrame);
	await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
	const ready = performance.now();
	const all = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
	return {ready, bytes: all.reduce((sum, e) => sum + e.transferSize, 0)};
})()`

// BenchmarkAppReady opens the app in Chromium with an empty cache until a person can act, beside a page that is nothing but a heading.
func BenchmarkAppReady(b *testing.B) {
	dir := b.TempDir()
	s := serve(b, dir, authority(b, dir))

	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(bare))
	}))
	defer server.Close()
	browser := chromium.Start(b, nil)
	open := func(address string) paint {
		tab := browser.Tab(b) // with a cache of its own
		tab.Visit(address)
		got := chromium.Eval[paint](tab, measured)
		tab.Complaints() // a browser notes the 401 by which the app learns that nobody is signed in

		return got
	}
	var app, plain []float64
	size := 0.0

	for b.Loop() {
		plain = append(plain, open(server.URL).Ready)
		p := open(s.base + "/app/cases")
		app = append(app, p.Ready)
		size = p.Bytes
	}
	slices.Sort(app)
	slices.Sort(plain)
	b.ReportMetric(app[len(app)/2], "ms-ready")
	b.ReportMetric(plain[len(plain)/2], "ms-bare")
	b.ReportMetric(app[len(app)/2]/plain[len(plain)/2], "ratio")
	b.ReportMetric(size/1000, "kB")
}
