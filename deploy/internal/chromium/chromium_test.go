package chromium_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/deploy/internal/chromium"
)

const small = `<!doctype html><html lang="en"><title>t</title><main><h1>Hello</h1><form><label for="a">Name</label><input id="a"><label><input type="checkbox" id="c">Sure</label>
<button type="button" onclick="document.querySelector('h1').textContent = 'Hello ' + document.querySelector('#a').value + ' ' + document.querySelector('#c').checked">Greet</button></form></main></html>`

func TestATabIsUsedByWhatStandsOnIt(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(strings.ReplaceAll(small, "Hello<", "Hello "+r.Host+"<")))
	}))
	defer server.Close()
	b := chromium.Start(t, map[string]string{"127.0.0.1:4999": strings.TrimPrefix(server.URL, "https://")})
	tab := b.Tab(t)
	tab.Visit("https://127.0.0.1:4999/")
	tab.Shows("Hello 127.0.0.1:4999")
	tab.Fill("Name", "Ada")
	tab.Fill("Sure", "on")
	tab.Press("Greet")
	tab.Shows("Hello Ada true")
	tab.Accessible("a small page")
	tab.Size(360, 640, true)
	tab.Fits("a small page")
	if picture := tab.Screenshot(); len(picture) < 100 {
		t.Errorf("a picture of %d bytes", len(picture))
	}
	chromium.Eval[bool](tab, "(console.error('no'), true)")
	tab.Shows("Hello")

	for range 100 {
		if got := tab.Complaints(); len(got) == 1 && strings.Contains(got[0], "no") {
			return
		}
		tab.Shows("Hello")
	}
	t.Error("a complaint was not heard")
}
