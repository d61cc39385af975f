package main

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"time"

	"github.com/subrosa-legal/subrosa/deploy/internal/traces"
)

// view is the page with traces, or what stands in its place.
type view struct {
	at   string // where it is, or why it is not
	stop func()
}

// serveTraces shows traces at addr, and has the services export theirs to it through the standard variables of this
// process. Whoever has set one of those has a place for them already. An address that is taken is no reason not to
// start.
func serveTraces(addr string, environ map[string]string) (view, error) {
	none := func(why string) view { return view{why, func() {}} }
	if addr == "" {
		return none("none"), nil
	}

	for name, value := range environ {
		if strings.HasPrefix(name, "OTEL_") && value != "" {
			return none("as the OTEL_ variables say"), nil
		}
	}
	to, err := netip.ParseAddrPort(addr)
	// A name such as localhost could lead elsewhere by the time it is looked up.
	if err != nil || !to.Addr().IsLoopback() {
		return view{}, errors.New("-traces-addr must be a loopback address in figures with a port, " +
			"such as 127.0.0.1:8445: its pages ask nobody who they are")
	}
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		// Two local installations can run side by side; the second one goes without.
		return none("none: something listens at " + addr + " (-traces-addr)"), nil
	}

	server := &http.Server{
		Handler:           new(traces.Book).Handler(),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       time.Minute,
	}
	go func() { _ = server.Serve(ln) }()

	for name, value := range map[string]string{
		"OTEL_TRACES_EXPORTER":               "otlp",
		"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://" + ln.Addr().String() + "/v1/traces",
		"OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/protobuf",
		"OTEL_BSP_SCHEDULE_DELAY":            "1000",
	} {
		if err := os.Setenv(name, value); err != nil {
			return view{}, fmt.Errorf("set %s: %w", name, err)
		}
	}

	return view{"http://" + ln.Addr().String() + "/", func() { _ = server.Close() }}, nil
}
