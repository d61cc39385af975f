package export

import (
	"context"
	"log/slog"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/go-logr/logr"
	"go.opentelemetry.io/otel"
)

// listen has OpenTelemetry speak of itself in the log of ours, whose form it would not keep and to which it would write
// what headers hold. It is one for a process, however many services run in it.
func listen(log *slog.Logger) {
	otel.SetLogger(logr.New(sink{log}))
	otel.SetErrorHandler(otel.ErrorHandlerFunc(func(err error) {
		log.Warn("telemetry does not work as it should", "err", err)
	}))
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

// unexportable says what is wrong with the variables by which signal, which is TRACES, METRICS or LOGS, is exported, a
// sentence each. OpenTelemetry itself names no variable, or goes on without what it was told.
func unexportable(signal string) (problems []string) {
	names := []string{"otlp", "console", "none"}
	if signal == "METRICS" {
		names = append(names, "prometheus")
	}
	kind := os.Getenv("OTEL_" + signal + "_EXPORTER")
	if kind != "" && !slices.Contains(names, kind) {
		return []string{"OTEL_" + signal + "_EXPORTER must be one of " + strings.Join(names, ", ")}
	}
	if kind != "" && kind != "otlp" {
		return nil
	}
	if name, value := chosen(signal, "PROTOCOL"); value != "" && value != "grpc" && value != "http/protobuf" {
		problems = append(problems, name+" must be grpc or http/protobuf")
	}
	if name, value := chosen(signal, "ENDPOINT"); value != "" {
		if u, err := url.Parse(value); err != nil || !slices.Contains([]string{"http", "https", "unix"}, u.Scheme) {
			problems = append(problems, name+" must be an address such as http://collector:4318")
		}
	}

	for _, file := range []string{"CERTIFICATE", "CLIENT_CERTIFICATE", "CLIENT_KEY"} {
		if name, path := chosen(signal, file); path != "" {
			if _, err := os.ReadFile(path); err != nil {
				problems = append(problems, name+" names a file that cannot be read")
			}
		}
	}

	return problems
}

// chosen returns the variable that says what about the exporter of signal, and its value: that of the signal, or that
// of all.
func chosen(signal, what string) (name, value string) {
	name = "OTEL_EXPORTER_OTLP_" + signal + "_" + what
	if value = os.Getenv(name); value != "" {
		return name, value
	}
	name = "OTEL_EXPORTER_OTLP_" + what

	return name, os.Getenv(name)
}

// unreadable names the headers for exporters that cannot be read, since what cannot be read would be left out, or told.
func unreadable() (problems []string) {
	for _, signal := range []string{"", "TRACES_", "METRICS_", "LOGS_"} {
		name := "OTEL_EXPORTER_OTLP_" + signal + "HEADERS"
		if given := os.Getenv(name); given != "" && !readable(given) {
			problems = append(problems, name+" must be a comma list of name=value, the values percent-encoded")
		}
	}

	return problems
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
