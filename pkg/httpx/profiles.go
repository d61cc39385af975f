package httpx

import (
	"net/http"
	"net/http/pprof" // adds its routes to http.DefaultServeMux as well, which nothing here serves
)

// mountProfiles serves what go tool pprof asks for. Profiles name functions and count; they hold no memory and no
// command line.
func mountProfiles(mux *http.ServeMux) {
	mux.HandleFunc("GET /debug/pprof/{$}", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)

	for _, name := range []string{"allocs", "block", "goroutine", "heap", "mutex", "threadcreate"} {
		mux.Handle("GET /debug/pprof/"+name, pprof.Handler(name))
	}
}
