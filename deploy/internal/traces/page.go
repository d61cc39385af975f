package traces

import (
	_ "embed"
	"fmt"
	"html/template"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

const listed = 100 // traces on the first page

//go:embed page.html
var pageText string

//go:embed style.css
var style []byte

var page = template.Must(template.New("page").Funcs(template.FuncMap{
	"took": took,
	"hue":  hue,
	"join": strings.Join,
}).Parse(pageText))

// Handler serves the pages, and takes exports at POST /v1/traces. It answers requests that name this machine, and
// others by 421: a page of somebody else whose name is made to point here (DNS rebinding) would read the traces.
func (b *Book) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/traces", b.receive)
	mux.HandleFunc("GET /{$}", b.list)
	mux.HandleFunc("GET /{trace}", b.waterfall)
	mux.HandleFunc("GET /style.css", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/css; charset=utf-8")
		_, _ = w.Write(style)
	})

	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !loopback(r.Host) {
			http.Error(w,
				"the traces are for this machine alone: call it localhost or 127.0.0.1", http.StatusMisdirectedRequest)

			return
		}
		w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; form-action 'self'; "+
			"frame-ancestors 'none'; base-uri 'none'")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cache-Control", "no-store")
		mux.ServeHTTP(w, r)
	})
}

// loopback reports whether host, a name or an address with a port or without, is this machine and nothing that a
// resolver decides on.
func loopback(host string) bool {
	name := (&url.URL{Host: host}).Hostname()
	addr, err := netip.ParseAddr(name)

	return strings.EqualFold(name, "localhost") || err == nil && addr.IsLoopback()
}

// heading is a trace on the first page.
type heading struct {
	Trace
	Began    time.Time
	Took     time.Duration
	Failures int
}

func (b *Book) list(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	name, service, own := q.Get("name"), q.Get("service"), q.Get("own") != ""
	all := b.Latest(listed, Filter{Name: name, Service: service, Calls: !own && name == "" && service == ""})

	headings := make([]heading, 0, len(all))
	for _, t := range all {
		headings = append(headings, headingOf(t))
	}
	show(w, http.StatusOK, map[string]any{"Traces": headings, "Name": name, "Service": service, "Own": own})
}

func headingOf(t Trace) heading {
	from, to := t.Bounds()

	h := heading{Trace: t, Began: from, Took: to.Sub(from)}
	for _, s := range t.Spans {
		if s.Failed {
			h.Failures++
		}
	}

	return h
}

// bar is a span as it is drawn: At and Width in thousandths of the trace's time.
type bar struct {
	Row
	At, Width float64
}

func (b *Book) waterfall(w http.ResponseWriter, r *http.Request) {
	t, ok := b.Trace(r.PathValue("trace"))
	if !ok {
		show(w, http.StatusNotFound, map[string]any{"Missing": true})
		return
	}
	h := headingOf(t)
	whole := max(float64(h.Took), 1)
	rows := t.Tree()

	bars := make([]bar, 0, len(rows))
	for _, row := range rows {
		bars = append(bars,
			bar{
				row, float64(row.Start.Sub(h.Began)) / whole * 1000,
				max(float64(row.End.Sub(row.Start))/whole*1000, 2),
			})
	}
	show(w, http.StatusOK, map[string]any{"Trace": h, "Bars": bars})
}

func show(w http.ResponseWriter, status int, data map[string]any) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	// A browser that has left is not told anything.
	_ = page.Execute(w, data)
}

func took(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return fmt.Sprintf("%d µs", d.Microseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
	default:
		return fmt.Sprintf("%.1f s", d.Seconds())
	}
}

// hue gives each service one of eight colours.
func hue(service string) int {
	sum := 0
	for _, c := range service {
		sum = sum*31 + int(c)
	}

	// The sum may have overflowed and be negative.
	return (sum%8 + 8) % 8
}
