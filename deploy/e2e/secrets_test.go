package e2e_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/deploy/internal/client"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// collector takes in what services export by OTLP.
type collector struct {
	server *httptest.Server
	mu     sync.Mutex
	bytes  map[string][]byte // by path
}

func newCollector(t *testing.T) *collector {
	t.Helper()
	c := &collector{bytes: map[string][]byte{}}
	c.server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		c.mu.Lock()
		defer c.mu.Unlock()
		c.bytes[r.URL.Path] = append(c.bytes[r.URL.Path], body...)
	}))
	t.Cleanup(c.server.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", c.server.URL)
	t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf")
	t.Setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none")
	t.Setenv("OTEL_TRACES_SAMPLER", "always_on")

	return c
}

func (c *collector) all(path string) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()

	return bytes.Clone(c.bytes[path])
}

// forms are the ways in which a secret could have been written down.
func forms(secret string) map[string]string {
	return map[string]string{
		"as it is": secret, "in base64": base64.StdEncoding.EncodeToString([]byte(secret)), "in base64url": base64.RawURLEncoding.EncodeToString([]byte(secret)),
		"in hex": hex.EncodeToString([]byte(secret)), "in a query": url.QueryEscape(secret), "its second half": secret[len(secret)/2:],
	}
}

// dumpRedis returns every key with its value.
func (w *world) dumpRedis() []byte {
	w.t.Helper()
	rdb, ctx := w.rdb(), w.t.Context()
	var out bytes.Buffer

	keys := rdb.Scan(ctx, 0, "*", 1000).Iterator()
	for keys.Next(ctx) {
		key := keys.Val()
		fmt.Fprintf(&out, "\n%s ", key)
		var value any
		var err error

		switch kind := rdb.Type(ctx, key).Val(); kind {
		case "none":
			continue // it has run out since
		case "string":
			value, err = rdb.Get(ctx, key).Result()
		case "hash":
			value, err = rdb.HGetAll(ctx, key).Result()
		case "zset":
			value, err = rdb.ZRangeWithScores(ctx, key, 0, -1).Result()
		case "set":
			value, err = rdb.SMembers(ctx, key).Result()
		case "stream":
			value, err = rdb.XRange(ctx, key, "-", "+").Result()
		default:
			w.t.Fatalf("a key of type %q", kind)
		}
		if err != nil && err != redis.Nil { //nolint:errorlint // the client returns this value itself
			w.t.Fatal(err)
		}
		fmt.Fprint(&out, value)
	}
	if err := keys.Err(); err != nil {
		w.t.Fatal(err)
	}

	return out.Bytes()
}

// dumpMongo returns every document of every collection as it is stored.
func (w *world) dumpMongo() []byte {
	w.t.Helper()
	var out []byte

	for _, setting := range []string{"AUTH_DATABASE", "REGISTRY_DATABASE", "CASE_DATABASE", "PARTY_DATABASE"} {
		db := w.database(setting)
		names, err := db.ListCollectionNames(w.t.Context(), map[string]any{})
		if err != nil {
			w.t.Fatal(err)
		}

		for _, name := range names {
			for _, doc := range w.documents(db, name) {
				out = append(out, doc...)
			}
		}
	}

	return out
}

// files returns what lies in the folder of the world, but for the keys that are made to lie there.
func (w *world) files() []byte {
	w.t.Helper()
	var out []byte
	err := filepath.WalkDir(w.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		out = append(out, text...)

		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}

	return out
}

func TestS19SecretsAreShownOnceAndKeptNowhere(t *testing.T) {
	if !inOwnProcess(t) {
		return
	}

	otlp := newCollector(t)
	var metrics []string
	settings := unlimited()

	for _, setting := range []string{"GATEWAY", "AUTH", "REGISTRY", "CASE", "AGENT"} {
		addr := testkit.FreeAddr(t)
		settings[setting+"_INTERNAL_ADDR"] = addr
		metrics = append(metrics, "http://"+addr+"/metrics")
	}
	w := start(t, settings)

	var answers []byte // of everything but the three that give a secret
	remember := func(a answer) answer {
		answers = append(answers, a.body...)
		for name, values := range a.header {
			answers = append(answers, name+": "+strings.Join(values, ", ")+"\n"...)
		}

		return a
	}
	host := w.cardHost()
	token := w.registrationToken(ada)
	bad := w.cardHost()
	bad.serve("{}")
	remember(w.register(token, bad.url))
	agent := into[api.RegisteredAgent](t, w.register(token, host.url), http.StatusCreated)
	remember(w.register(token, host.url))
	bearer := into[api.BearerToken](t, w.send(http.MethodPost, "/v1/auth/token", "", `{"api_key":"`+agent.SharedAPIKey+`"}`), http.StatusOK).BearerToken
	remember(w.send(http.MethodPost, "/v1/auth/token", "", `{"api_key":"`+agent.SharedAPIKey+`","x":1}`))
	remember(w.send(http.MethodPost, "/v1/auth/token", "", `{"api_key":"`+agent.SharedAPIKey+`x"}`))
	remember(w.send(http.MethodGet, "/v1/cases", bearer+"x", ""))

	// Content, too, belongs into the case and its stream and nowhere else.
	const title, prompt, body = "Mongoose matter", "Where does the platypus clause stand?", "# Agreement\n\n1. The platypus clause binds [Party 1] to the armadillo.\n"
	caseID := into[api.Case](t, w.send(http.MethodPost, "/v1/cases", bearer, `{"title":"`+title+`"}`), http.StatusCreated).CaseID
	if _, err := w.as(bearer).Upload(t.Context(), caseID, "porcupine.md", "text/markdown", strings.NewReader(body)); err != nil {
		t.Fatal(err)
	}
	said := 0

	for _, kind := range []string{api.CaseReq, api.EvalReq} {
		if err := w.as(bearer).Run(t.Context(), task(caseID, kind, prompt), func(e client.Event) error {
			said += bytes.Count(e.Data, []byte("armadillo"))
			return nil
		}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if said == 0 {
		t.Error("the run did not quote the clause, so its way was not tried")
	}

	for _, path := range []string{"/v1/me", "/v1/agents/" + agent.AgentID + "/health", "/v1/cases", "/v1/cases?caseId=" + caseID, "/v1/cases/" + caseID + "/files", "/.well-known/agent.json", "/.well-known/jwks.json"} {
		remember(w.send(http.MethodGet, path, bearer, ""))
		remember(w.send(http.MethodGet, path, w.token(ada), ""))
	}
	remember(w.send(http.MethodGet, "/v1/agents/me", w.token(ada), ""))
	var scraped []byte

	for _, address := range metrics {
		resp, err := http.Get(address)
		if err != nil {
			t.Fatal(err)
		}
		page, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("metrics: %d, %v", resp.StatusCode, err)
		}
		_ = resp.Body.Close()
		scraped = append(scraped, page...)
	}
	places := map[string][]byte{"answers": answers, "metrics": scraped, "Redis": w.dumpRedis(), "MongoDB": w.dumpMongo(), "files": w.files()}
	if err := w.stop(); err != nil { // everything that is held back goes out
		t.Fatal(err)
	}
	places["logs"], places["exported traces"], places["exported logs"], places["exported metrics"] = []byte(w.logs.String()), otlp.all("/v1/traces"), otlp.all("/v1/logs"), otlp.all("/v1/metrics")

	// Each place must have been looked into for real.
	for place, sign := range map[string]string{
		"answers": agent.AgentID, "metrics": "http_server", "Redis": "at:{" + agent.AgentID, "MongoDB": agent.AgentID, "files": w.Facts.BaseURL,
		"logs": `"service":"registry-svc"`, "exported traces": "/v1/agents/register", "exported logs": "registry-svc", "exported metrics": "http.server",
	} {
		if !bytes.Contains(places[place], []byte(sign)) {
			t.Errorf("%s (%d bytes) do not hold %q: they were not collected", place, len(places[place]), sign)
		}
	}

	for what, secret := range map[string]string{"API key": agent.SharedAPIKey, "registration token": token, "bearer": bearer, "user's token": w.token(ada)} {
		for place, text := range places {
			for form, written := range forms(secret) {
				if bytes.Contains(text, []byte(written)) {
					t.Errorf("%s: the %s stands there %s", place, what, form)
				}
			}
		}
	}

	for _, place := range []string{"logs", "metrics", "exported traces", "exported logs", "exported metrics", "files"} {
		for what, content := range map[string]string{
			"title": "ongoose matter", "prompt or file": "platypus", "file": "armadillo", "name of a file": "porcupine", "address of a card": strings.TrimPrefix(host.url, "https://127.0.0.1"),
		} {
			if at := bytes.Index(bytes.ToLower(places[place]), bytes.ToLower([]byte(content))); at >= 0 {
				t.Errorf("%s: content of the %s stands there: %q", place, what, places[place][max(0, at-150):min(len(places[place]), at+60)])
			}
		}
	}
}
