package e2e_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// written are the ways in which a text could stand somewhere, as bytes to look for in what has no capitals; base64 is looked for as it is.
func written(text string) (folded, exact map[string]string) {
	folded, exact = map[string]string{}, map[string]string{}

	for how, form := range forms(text) {
		if strings.Contains(how, "base64") {
			exact[how] = form
		} else if how != "its second half" {
			folded[how] = strings.ToLower(form)
		}
	}
	folded["in a path"] = strings.ToLower(url.PathEscape(text))

	folded["in JSON"] = strings.ToLower(strings.Trim(strconv.Quote(text), `"`))
	for _, capital := range []string{text, strings.ToUpper(text[:1]) + text[1:]} {
		for shift := range 3 { // as it comes out of the middle of something longer
			code := base64.RawStdEncoding.EncodeToString([]byte(strings.Repeat("x", shift) + capital))
			exact[fmt.Sprintf("within base64, %s, %d", capital, shift)] = code[(shift*8+5)/6 : len(code)-1]
		}
	}

	known := map[string]bool{strings.ToLower(text): true}
	for how, form := range folded {
		if how != "as it is" && known[form] {
			delete(folded, how) // most are the same for a plain word
		}
		known[form] = true
	}

	return folded, exact
}

// small returns text with its ASCII in small letters and everything else where it is.
func small(text []byte) []byte {
	out := bytes.Clone(text)
	for i, c := range out {
		if c >= 'A' && c <= 'Z' {
			out[i] = c + 'a' - 'A'
		}
	}

	return out
}

// nowhere checks that the places hold no mark in any form.
func nowhere(t *testing.T, places map[string][]byte, marks ...string) {
	t.Helper()

	for name, text := range places {
		lower := small(text)

		for _, mark := range marks {
			folded, exact := written(mark)
			for how, form := range folded {
				if at := bytes.Index(lower, []byte(form)); at >= 0 {
					t.Errorf("%s: %q stands there %s: %q", name, mark, how, text[max(0, at-200):min(len(text), at+80)])
				}
			}

			for how, form := range exact {
				if at := bytes.Index(text, []byte(form)); at >= 0 {
					t.Errorf("%s: %q stands there %s: %q", name, mark, how, text[max(0, at-200):min(len(text), at+80)])
				}
			}
		}
	}
}

// observed starts a world with everything about it in view: the addresses of its metrics, and what it exports. more are settings.
func observed(t *testing.T, more ...string) (w *world, otlp *collector, metrics []string) {
	t.Helper()
	otlp = newCollector(t)
	settings := unlimited(more...)

	for _, setting := range []string{"GATEWAY", "AUTH", "REGISTRY", "CASE", "AGENT", "PARTY"} {
		addr := testkit.FreeAddr(t)
		settings[setting+"_INTERNAL_ADDR"] = addr
		metrics = append(metrics, "http://"+addr+"/metrics")
	}

	return start(t, settings), otlp, metrics
}

// everywhere collects what a world has said and kept, and ends it. looked holds a sign of each place that was looked into.
func (w *world) everywhere(otlp *collector, metrics []string, answers []byte) map[string][]byte {
	w.t.Helper()
	var scraped []byte

	for _, address := range metrics {
		req, err := http.NewRequestWithContext(w.t.Context(), http.MethodGet, address, nil)
		if err != nil {
			w.t.Fatal(err)
		}
		a, err := fetch(&http.Client{Transport: w.bare}, req)
		if err != nil || a.status != http.StatusOK {
			w.t.Fatalf("metrics: %d, %v", a.status, err)
		}
		scraped = append(scraped, a.body...)
	}
	places := map[string][]byte{"answers": answers, "metrics": scraped, "Redis": w.dumpRedis(), "MongoDB": w.dumpMongo(), "files": w.files()}
	if err := w.stop(); err != nil { // everything that is held back goes out
		w.t.Fatal(err)
	}
	places["logs"], places["exported traces"], places["exported logs"], places["exported metrics"] = []byte(w.logs.String()), otlp.all("/v1/traces"), otlp.all("/v1/logs"), otlp.all("/v1/metrics")

	return places
}
