// Package observability_test holds the rules and dashboards against what the services really expose: a whole Subrosa is started, the
// story of the demonstration is played, and its metrics are scraped.
package observability_test

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/deploy/internal/demo"
	"github.com/subrosa-legal/subrosa/deploy/internal/devidp"
	"github.com/subrosa-legal/subrosa/deploy/internal/local"
	"github.com/subrosa-legal/subrosa/deploy/internal/traces"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

// series are the labels of one series, its name as __name__.
type series map[string]string

// services are the names under which the services are scraped, by the prefix of their variables.
var services = map[string]string{"GATEWAY": "gateway", "AUTH": "auth-svc", "REGISTRY": "registry-svc", "CASE": "case-svc", "PARTY": "party-svc", "AGENT": "agent-svc"}

// exposed plays the story and returns every series that the services expose after it, with the labels of the scrape, and what Prometheus
// itself adds.
func exposed(t *testing.T) []series {
	t.Helper()
	dir, addrs := t.TempDir(), map[string]string{}

	collector := httptest.NewServer(new(traces.Book).Handler())
	defer collector.Close()
	t.Setenv("OTEL_TRACES_EXPORTER", "otlp")
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", collector.URL+"/v1/traces")
	t.Setenv("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/protobuf")

	environ := map[string]string{"REDIS_URL": stores.RedisURL(t), "MONGODB_URI": stores.MongoURI(t)}
	for _, s := range []string{"AUTH", "REGISTRY", "CASE", "PARTY"} {
		environ[s+"_DATABASE"] = stores.MongoName(t)
	}

	for prefix := range services {
		addrs[prefix] = testkit.FreeAddr(t)
		environ[prefix+"_INTERNAL_ADDR"] = addrs[prefix]
	}

	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	l, err := local.Start(ctx, local.Options{Dir: filepath.Join(dir, ".local"), Addr: testkit.FreeAddr(t), OIDCAddr: testkit.FreeAddr(t), Environ: environ, Log: io.Discard, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}

	defer func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}()
	var told strings.Builder
	story := demo.Story{
		Out: &told, Site: l.Facts.BaseURL, Folder: dir, Config: filepath.Join(dir, "config"), Samples: "../samples", Person: devidp.People()[1], Browser: l.Client(), Now: time.Now,
	}
	if err := story.Play(ctx); err != nil {
		t.Fatalf("%v\n%s", err, &told)
	}
	refusedAtTheGateway(ctx, t, l)
	var all []series

	for prefix, service := range services {
		found := scrape(t, "http://"+addrs[prefix]+"/metrics")
		if len(found) == 0 {
			t.Fatalf("%s exposes nothing", service)
		}

		for _, s := range append(found, series{"__name__": "up"}) {
			s["service"], s["instance"], s["job"] = service, addrs[prefix], "subrosa"
			all = append(all, s)
		}
	}

	return append(all, series{"__name__": "ALERTS", "alertname": "", "alertstate": "", "severity": ""})
}

// refusedAtTheGateway has the gateway refuse a call of a route where codes are tried, by itself.
func refusedAtTheGateway(ctx context.Context, t *testing.T, l *local.Local) {
	t.Helper()
	body := strings.NewReader(strings.Repeat(" ", 2<<20))
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, l.Facts.BaseURL+"/v1/agents/register", body)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := l.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusRequestEntityTooLarge {
		t.Fatalf("a body of 2 MiB = %d", resp.StatusCode)
	}
}

var (
	sample = regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? \S+$`)
	label  = regexp.MustCompile(`([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"`)
)

// scrape reads the series at address in the text form of Prometheus.
func scrape(t *testing.T, address string) []series {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := (&http.Client{Timeout: 10 * time.Second}).Do(req)
	if err != nil {
		t.Fatal(err)
	}

	defer func() { _ = resp.Body.Close() }()
	var all []series
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 1<<20)

	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		parts := sample.FindStringSubmatch(lines.Text())
		if parts == nil {
			t.Fatalf("not a sample: %s", lines.Text())
		}

		s := series{"__name__": parts[1]}
		for _, l := range label.FindAllStringSubmatch(parts[2], -1) {
			s[l[1]] = l[2]
		}
		all = append(all, s)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}

	return all
}
