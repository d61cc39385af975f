package mongox_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

// Every value in the commands below is "planted": none may come out.
func TestSpansKeepContentsOut(t *testing.T) {
	t.Parallel()
	spans := tracetest.NewSpanRecorder()
	traces := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))
	reader := sdkmetric.NewManualReader()
	db := open(t, mongox.Config{
		URI: stores.MongoURI(t), Database: stores.MongoName(t), Timeout: 10 * time.Second,
		TracerProvider: traces, MeterProvider: sdkmetric.NewMeterProvider(sdkmetric.WithReader(reader)),
	})
	ctx, parent := traces.Tracer("test").Start(t.Context(), "request")

	c := db.Collection("cases")
	for range 2 { // the second is a duplicate
		_, _ = c.InsertOne(ctx, bson.D{{Key: "_id", Value: "planted"}, {Key: "name", Value: "planted"}})
	}
	_ = c.FindOne(ctx, bson.D{{Key: "name", Value: "planted"}}).Err()
	_, bad := c.Find(ctx, bson.D{{Key: "$planted", Value: 1}})
	gone, cancel := context.WithCancel(ctx)
	cancel()
	_ = c.FindOne(gone, bson.D{{Key: "name", Value: "planted"}}).Err()
	parent.End()
	if bad == nil {
		t.Fatal("a filter that no server knows was accepted")
	}
	got := map[string]int{}

	for _, s := range spans.Ended() {
		if text := fmt.Sprint(s.Name(), s.Attributes(), s.Events(), s.Status()); strings.Contains(text, "planted") {
			t.Errorf("a span shows contents: %s", text)
		}
		if s.Name() != "request" && s.Parent().SpanID() != parent.SpanContext().SpanID() {
			t.Errorf("%s is not a child of the request", s.Name())
		}
		got[s.Name()+"|"+s.Status().Description]++
	}

	for name, want := range map[string]int{"insert cases|": 2, "find cases|": 1, "find cases|command failed": 1} {
		if got[name] != want {
			t.Errorf("spans %q = %d, want %d of %v", name, got[name], want, got)
		}
	}
	var figures metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &figures); err != nil {
		t.Fatalf("collect: %v", err)
	}
	if text := fmt.Sprint(figures); !strings.Contains(text, "db.client.operation.duration") || strings.Contains(text, "planted") {
		t.Errorf("metrics = %s, want durations without contents", text)
	}
}
