package telemetry

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"strings"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
)

// listen has OpenTelemetry speak of itself in the log of ours, whose form it would not keep and to which it would write what headers hold.
// It is one for a process, however many services run in it.
func listen(log *slog.Logger) {
	otel.SetLogger(logr.New(sink{log}))
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) { log.Warn("telemetry does not work as it should", "err", err) }))
}

// sink writes what OpenTelemetry says, and none of the values that it says it of.
type sink struct{ log *slog.Logger }

func (sink) Init(logr.RuntimeInfo)                  {}
func (sink) Enabled(level int) bool                 { return level <= 1 } // 1 is a warning; above it is what only its authors want to know
func (s sink) WithValues(...any) logr.LogSink       { return s }
func (s sink) WithName(string) logr.LogSink         { return s }
func (s sink) Info(_ int, message string, _ ...any) { s.say(message) }

func (s sink) Error(_ error, message string, _ ...any) { s.say(message) }

func (s sink) say(message string) {
	s.log.WarnContext(context.Background(), "OpenTelemetry finds fault with its settings or its data", "about", message)
}

// headers refuses headers for exporters that cannot be read, since what cannot be read would be left out, or told.
func headers() error {
	for _, signal := range []string{"", "TRACES_", "METRICS_", "LOGS_"} {
		name := "OTEL_EXPORTER_OTLP_" + signal + "HEADERS"
		if given := os.Getenv(name); given != "" && !readable(given) {
			return fmt.Errorf("%s must be a comma list of name=value, the values percent-encoded", name)
		}
	}
	return nil
}

func readable(list string) bool {
	for pair := range strings.SplitSeq(list, ",") {
		name, value, ok := strings.Cut(pair, "=")
		if _, err := url.PathUnescape(value); !ok || err != nil || strings.TrimSpace(name) == "" {
			return false
		}
	}
	return true
}
