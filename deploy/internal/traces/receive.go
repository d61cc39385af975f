package traces

import (
	"cmp"
	"compress/gzip"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	collectorpb "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Limits of what comes in.
const (
	maxExport     = 16 << 20 // bytes of one export, unpacked
	maxText       = 256      // bytes of a name or of an attribute's value; longer ones are cut
	maxAttributes = 32       // of a span; those beyond are left out
	protobuf      = "application/x-protobuf"
)

// receive takes an export: OTLP/HTTP 1.x with binary protobuf, packed by gzip or not. It answers 415 for another form,
// 413 for too much, 400 for what cannot be read, and then keeps nothing of it.
func (b *Book) receive(w http.ResponseWriter, r *http.Request) {
	if media, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); media != protobuf {
		http.Error(w, "send "+protobuf, http.StatusUnsupportedMediaType)
		return
	}

	body, err := unpacked(r)
	switch {
	case errors.Is(err, errTooLarge):
		http.Error(w, err.Error(), http.StatusRequestEntityTooLarge)
		return
	case err != nil:
		http.Error(w, "the export cannot be read", http.StatusBadRequest)
		return
	}
	var export collectorpb.ExportTraceServiceRequest
	if err := proto.Unmarshal(body, &export); err != nil {
		http.Error(w, "the export is no OTLP", http.StatusBadRequest)
		return
	}

	for _, of := range export.GetResourceSpans() {
		service := serviceOf(of.GetResource())
		for _, scope := range of.GetScopeSpans() {
			for _, s := range scope.GetSpans() {
				if len(s.GetTraceId()) == 16 && len(s.GetSpanId()) == 8 {
					b.add(hexOf(s.GetTraceId()), []Span{spanOf(service, s)})
				}
			}
		}
	}
	// An empty answer says that the export was taken; spans with misshapen ids were left out.
	w.Header().Set("Content-Type", protobuf)
}

var errTooLarge = errors.New("an export has at most 16 MiB")

func unpacked(r *http.Request) ([]byte, error) {
	from := io.Reader(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(r.Body)
		if err != nil {
			return nil, err
		}
		from = z
	}
	// Limited after unpacking: a few KB of gzip can become gigabytes.
	body, err := io.ReadAll(io.LimitReader(from, maxExport+1))
	if err == nil && len(body) > maxExport {
		err = errTooLarge
	}

	return body, err
}

func serviceOf(r *resourcepb.Resource) string {
	for _, a := range r.GetAttributes() {
		if a.GetKey() == "service.name" {
			return cut(a.GetValue().GetStringValue())
		}
	}

	return "unknown"
}

var kinds = map[tracepb.Span_SpanKind]string{
	tracepb.Span_SPAN_KIND_SERVER:   "server",
	tracepb.Span_SPAN_KIND_CLIENT:   "client",
	tracepb.Span_SPAN_KIND_PRODUCER: "producer",
	tracepb.Span_SPAN_KIND_CONSUMER: "consumer",
}

func spanOf(service string, s *tracepb.Span) Span {
	span := Span{
		ID:      hexOf(s.GetSpanId()),
		Parent:  hexOf(s.GetParentSpanId()),
		Service: service,
		Name:    cut(s.GetName()),
		Kind:    cmp.Or(kinds[s.GetKind()], "internal"),
		Start:   at(s.GetStartTimeUnixNano()),
		End:     at(s.GetEndTimeUnixNano()),
		Failed:  s.GetStatus().GetCode() == tracepb.Status_STATUS_CODE_ERROR,
	}
	for _, a := range s.GetAttributes()[:min(len(s.GetAttributes()), maxAttributes)] {
		span.Attributes = append(span.Attributes, Attribute{cut(a.GetKey()), cut(valueOf(a.GetValue()))})
	}
	slices.SortStableFunc(span.Attributes, func(a, b Attribute) int { return cmp.Compare(a.Name, b.Name) })

	return span
}

func at(nano uint64) time.Time { return time.Unix(0, int64(min(nano, 1<<62))) }

func valueOf(v *commonpb.AnyValue) string {
	switch v := v.GetValue().(type) {
	case *commonpb.AnyValue_StringValue:
		return v.StringValue
	case *commonpb.AnyValue_BoolValue:
		return strconv.FormatBool(v.BoolValue)
	case *commonpb.AnyValue_IntValue:
		return strconv.FormatInt(v.IntValue, 10)
	case *commonpb.AnyValue_DoubleValue:
		return strconv.FormatFloat(v.DoubleValue, 'g', -1, 64)
	case *commonpb.AnyValue_ArrayValue:
		var all []string

		for _, each := range v.ArrayValue.GetValues()[:min(len(v.ArrayValue.GetValues()), maxAttributes)] {
			// Lists within lists could nest without end.
			if _, nested := each.GetValue().(*commonpb.AnyValue_ArrayValue); !nested {
				all = append(all, valueOf(each))
			}
		}

		return strings.Join(all, ", ")
	default:
		return ""
	}
}

// cut keeps a text within its limit.
func cut(s string) string {
	if len(s) <= maxText {
		return s
	}

	// The cut may have torn a character of up to four bytes.
	for s = s[:maxText]; !utf8.ValidString(s); {
		s = s[:len(s)-1]
	}

	return s + "…"
}
