package e2e_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/deploy/internal/contract"
	"github.com/subrosa-legal/subrosa/deploy/internal/devidp"
	"github.com/subrosa-legal/subrosa/deploy/internal/local"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

// target is a running Subrosa for fuzzing: one for each process that looks for crashes.
type target struct {
	base, token string
	http        *http.Client
	judge       *contract.Judge
	ids         bindings
}

func startTarget(f *testing.F) *target {
	f.Helper()

	environ := unlimited(
		"AGENT_STREAM_STAGGER",
		"0s",
		"REDIS_URL",
		stores.RedisURL(f),
		"MONGODB_URI",
		stores.MongoURI(f),
	)
	for _, setting := range []string{"AUTH_DATABASE", "REGISTRY_DATABASE", "CASE_DATABASE", "PARTY_DATABASE"} {
		environ[setting] = stores.MongoName(f)
	}

	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var l *local.Local

	err := error(syscall.EADDRINUSE)
	for range 5 {
		if l, err = local.Start(ctx, local.Options{
			Dir: filepath.Join(f.TempDir(), ".local"), Addr: testkit.FreeAddr(f), OIDCAddr: testkit.FreeAddr(f), People: []devidp.Person{ada}, Environ: environ,
			Log: io.Discard, Level: slog.LevelError, Now: time.Now,
		}); !errors.Is(err, syscall.EADDRINUSE) {
			break
		}
	}
	if err != nil {
		f.Fatal(err)
	}
	t := &target{base: l.Facts.BaseURL, judge: newJudge(f, l.Facts.BaseURL), ids: strangers()}
	f.Cleanup(func() {
		if err := l.Close(); err != nil {
			f.Log(err)
		}
	})
	bare := l.Client()
	t.http = &http.Client{Transport: t.judge.Over(bare.Transport), Timeout: time.Minute}
	if t.token, err = devidp.SignIn(ctx, bare, l.Facts.Issuer, ada); err != nil {
		f.Fatal(err)
	}
	t.furnish(f)

	return t
}

// furnish makes a case with a party, an entry and a branch, so that what is sent meets something.
func (g *target) furnish(f *testing.F) {
	f.Helper()
	make := func(path, body string) map[string]any {
		req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, g.base+path, strings.NewReader(body))
		if err != nil {
			f.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+g.token)
		req.Header.Set("Content-Type", "application/json")
		resp, err := g.http.Do(req)
		if err != nil {
			f.Fatal(err)
		}

		defer func() { _ = resp.Body.Close() }()
		var made map[string]any
		if err := json.NewDecoder(resp.Body).Decode(&made); err != nil || resp.StatusCode != http.StatusCreated {
			f.Fatalf("%s: %d %v %v", path, resp.StatusCode, made, err)
		}

		return made
	}
	keep := func(made map[string]any, names ...string) {
		for _, name := range names {
			g.ids[name], _ = made[name].(string)
		}
	}
	keep(make("/v1/cases", "{}"), "caseId", "timelineId")
	g.ids["containerId"] = g.ids["caseId"]
	keep(make("/v1/branch", `{"timelineId":"`+g.ids["timelineId"]+`"}`), "branchId")
	keep(make("/v1/parties", `{"caseId":"`+g.ids["caseId"]+`","kind":"individual","role":"plaintiff"}`), "partyId")
	keep(make("/v1/timeline/"+g.ids["timelineId"]+"/entries", `{"kind":"fact","when":{"on":"2026-02-03","precision":"day"},"title":"[Party 1] gave notice"}`), "entryId")
}

// send makes one request, and fails the test when the answer is a fault of ours or not as the OpenAPI document says.
func (g *target) send(t *testing.T, method, path, mediaType string, body []byte) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, g.base+path, bytes.NewReader(body))
	if err != nil {
		t.Skip() // what is no request cannot be sent
	}
	req.Header.Set("Authorization", "Bearer "+g.token)
	if mediaType != "" {
		req.Header.Set("Content-Type", mediaType)
	}
	resp, err := g.http.Do(req)
	if err != nil {
		t.Fatalf("%s: %v", method, err)
	}
	answer, err := io.ReadAll(resp.Body)
	_ = resp.Body.Close()
	if err != nil {
		t.Fatalf("%s: %v", method, err)
	}
	if resp.StatusCode >= 500 {
		t.Errorf("%s %s: %d %s", method, path, resp.StatusCode, answer)
	}

	for _, departure := range g.judge.Departures() {
		t.Errorf("not as the OpenAPI document says: %s", departure)
	}
}

// FuzzBodies sends bodies to every operation that takes JSON.
func FuzzBodies(f *testing.F) {
	g := startTarget(f)
	var ops []documented

	for _, o := range everyOperation(f) {
		if strings.HasSuffix(o.mediaType, "json") && !o.open() && o.id != "runAgent" {
			ops = append(ops, o)
		}
	}

	for i, o := range ops {
		for name := range o.bodies {
			f.Add(uint8(i), []byte(o.body(f, name, g.ids)))
		}
	}
	f.Add(uint8(0), []byte(`{"title":"\ud800","tags":[null],"forum":{"system":1e999}}`))
	f.Fuzz(func(t *testing.T, which uint8, body []byte) {
		o := ops[int(which)%len(ops)]
		g.send(t, o.method, o.address(g.ids), o.mediaType, body)
	})
}

// FuzzQueries sends query strings, cursors among them, to every operation that reads.
func FuzzQueries(f *testing.F) {
	g := startTarget(f)
	var ops []documented

	for _, o := range everyOperation(f) {
		if o.method == http.MethodGet && !o.open() && o.id != "followRun" {
			ops = append(ops, o)
		}
	}

	for i, o := range ops {
		query := url.Values{"limit": {"2"}, "cursor": {uuid.NewString()}}

		for _, p := range o.parameters {
			if p.Value.In == "query" && p.Value.Schema.Value != nil && len(p.Value.Schema.Value.Enum) > 0 {
				if s, ok := p.Value.Schema.Value.Enum[0].(string); ok {
					query.Set(p.Value.Name, s)
				}
			}
		}
		f.Add(uint8(i), query.Encode())
	}
	f.Fuzz(func(t *testing.T, which uint8, query string) {
		if strings.ContainsAny(query, "# \x00") || slices.ContainsFunc([]byte(query), func(b byte) bool { return b < ' ' || b >= 0x7f }) {
			t.Skip() // such a request cannot be sent
		}
		o := ops[int(which)%len(ops)]
		path, _, _ := strings.Cut(o.address(g.ids), "?")
		g.send(t, o.method, path+"?"+query, "", nil)
	})
}
