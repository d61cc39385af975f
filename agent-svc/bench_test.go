package agentsvc_test

import (
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/google/uuid"
	agentsvc "github.com/subrosa-legal/subrosa/agent-svc"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/model/modeltest"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
	"github.com/subrosa-legal/subrosa/pkg/testkit/servicetest"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

const sentence = "The Tenant pays $1,250.50 on the first day of each month."

// ledger is a case-svc that keeps phases in memory and has one file of one sentence in every case.
func ledger(b *testing.B) string {
	var mu sync.Mutex
	phases := map[string]api.Phase{}
	file := api.File{FileID: "00000000-0000-7000-8000-000000000001", Name: "Lease.txt", AgentReadable: true, DocType: "unknown"}
	hit := api.SearchHit{FileName: file.Name, Text: sentence, Score: 1, Matched: []string{"rent"}, Source: api.SourceRef{FileID: file.FileID, TextVersion: 1, CharEnd: len(sentence), Quote: sentence}}
	answer := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v)
	}
	read := func(r *http.Request, v any) { _ = json.NewDecoder(r.Body).Decode(v) }
	box := func(id string) api.Container {
		return api.Container{ContainerID: id, ContainerType: api.ContainerCase, TimelineID: id, Case: &api.Case{CaseID: id, Confidentiality: api.Confidentiality{AIPolicy: "model_allowed"}}}
	}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /internal/phases", func(w http.ResponseWriter, r *http.Request) {
		var in api.BeginPhase
		read(r, &in)
		at := api.At(time.Now())
		p := api.Phase{
			PhaseID: in.PhaseID, BranchID: uuid.NewString(), TimelineID: in.ContainerID, Sequence: 1,
			ContainerType: in.ContainerType, ContainerID: in.ContainerID, RequestType: in.RequestType,
			Status: api.PhaseRunning, Attempt: 1, Engine: in.Engine, CreatedAt: at, StartedAt: &at,
		}
		p.CreatedBy.UserID = "ann"
		mu.Lock()
		phases[p.PhaseID] = p
		mu.Unlock()
		answer(w, api.BegunPhase{Phase: p, Run: true, Container: box(in.ContainerID)})
	})
	mux.HandleFunc("GET /internal/phases/{id}", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		p := phases[r.PathValue("id")]
		mu.Unlock()
		answer(w, p)
	})
	mux.HandleFunc("POST /internal/phases/{id}/end", func(w http.ResponseWriter, r *http.Request) {
		var in api.EndPhase
		read(r, &in)
		mu.Lock()
		p := phases[r.PathValue("id")]
		p.Status, p.Response, p.ResponseSHA256 = in.Status, in.Response, in.ResponseSHA256
		p.Stream, p.Engine, p.Error = in.Stream, in.Engine, in.Error
		phases[p.PhaseID] = p
		mu.Unlock()
		answer(w, p)
	})
	mux.HandleFunc("GET /internal/containers/case/{id}", func(w http.ResponseWriter, r *http.Request) { answer(w, box(r.PathValue("id"))) })
	mux.HandleFunc("GET /internal/open-phases", func(w http.ResponseWriter, _ *http.Request) { answer(w, map[string]any{"items": []any{}}) })
	mux.HandleFunc("GET /internal/settings/allowed-words", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"allowedWords": []string{}})
	})
	mux.HandleFunc("GET /v1/cases/{id}/files", func(w http.ResponseWriter, _ *http.Request) { answer(w, api.Page[api.File]{Items: []api.File{file}}) })
	mux.HandleFunc("POST /internal/cases/{id}/search", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, api.SearchResult{Hits: []api.SearchHit{hit}, FilesRead: 1})
	})
	s := httptest.NewServer(mux)
	b.Cleanup(func() { s.CloseClientConnections(); s.Close() })

	return s.URL
}

// fast is a language model that answers at once: it asks for a search, and then quotes what that found.
func fast(_ int, r modeltest.Request) modeltest.Turn {
	if r.Messages[len(r.Messages)-1].Role == "tool" {
		return modeltest.Turn{Text: []string{sentence[:len(sentence)-1] + " [1]."}}
	}

	return modeltest.Turn{Calls: []modeltest.Call{{ID: "call_1", Name: "search_passages", Arguments: []string{`{"query":`, `"rent"}`}}}}
}

// bench is an agent-svc on a real Redis with case-svc in memory, and an agent that calls it.
type bench struct {
	base, token string
	client      *http.Client
}

func startBench(b *testing.B) bench {
	env := servicetest.Environ(b, "agent-svc", "")
	delete(env, "MONGODB_URI")
	delete(env, "MONGODB_TIMEOUT")
	cases := ledger(b)
	maps.Copy(env, map[string]string{
		"AGENT_ADDR": "127.0.0.1:0", "AGENT_INTERNAL_ADDR": "127.0.0.1:0",
		"CASE_URL": cases, "PARTY_URL": cases, "AUTH_URL": cases, "REDIS_URL": stores.RedisURL(b),
		"AGENT_RUNS_PER_CALLER": "256", "AGENT_STREAMS_PER_CALLER": "256", "AGENT_A2A_RUNS_PER_MINUTE": "1000000",
		"AGENT_MODEL_PROVIDER": "openai", "AGENT_MODEL_URL": modeltest.OpenAI(b, fast).URL,
		"AGENT_MODEL_NAME": modeltest.Name, "AGENT_MODEL_KEY": modeltest.Key, "AGENT_MODEL_LOCAL": "true",
		"AGENT_MODEL_TRAINS_ON_INPUT": "false", "AGENT_MODEL_RETENTION_DAYS": "0", "AGENT_MODEL_REGION": "here",
	})
	d := servicetest.Open(b, agentsvc.New, env, telemetry.Discard("agent-svc", io.Discard), time.Now)
	token, err := d.Signer.Token(servicetest.Agent("o:oak", "ann"))
	if err != nil {
		b.Fatal(err)
	}

	return bench{base: d.Base, token: token, client: d.Client}
}

// post sends a request and returns its answer, a stream to its end.
func (c bench) post(b *testing.B, address, body string) string {
	req, err := http.NewRequestWithContext(context.Background(), http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		b.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+c.token)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("A2A-Version", "1.0")
	resp, err := c.client.Do(req)
	if err != nil {
		b.Fatal(err)
	}

	defer func() { _ = resp.Body.Close() }()
	out, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		b.Fatalf("%d %s, %v", resp.StatusCode, out, err)
	}

	return string(out)
}

// BenchmarkRuns carries runs through, each from its POST to the end of its stream, on a real Redis with case-svc in
// memory: by rules alone, and by a language model that answers at once. Beside them stands a handler of the same stack
// that only returns what it is sent.
func BenchmarkRuns(b *testing.B) {
	d := startBench(b)
	task := func(mode string) string {
		return `{"sessionId":"s","seedPhase":{"phaseId":"` + uuid.NewString() + `"},"containerId":"` + uuid.NewString() + `","containerType":"case","requestType":"case_req","prompt":"When is the rent due?","options":{"mode":"` + mode + `"}}`
	}
	echo := httptest.NewServer(echoing())
	b.Cleanup(echo.Close)

	for name, one := range map[string]func(*testing.B){
		"echo": func(b *testing.B) { d.post(b, echo.URL+"/v1/agent", task("auto")) },
		"rules": func(b *testing.B) {
			out := d.post(b, d.base+"/v1/agent", task("deterministic"))
			if !strings.Contains(out, `"status":"completed"`) {
				b.Fatalf("the run did not complete: %s", out)
			}
		},
		"model": func(b *testing.B) {
			out := d.post(b, d.base+"/v1/agent", task("model"))
			if !strings.Contains(out, `"mode":"model"`) || !strings.Contains(out, `"status":"completed"`) {
				b.Fatalf("the run did not complete: %s", out)
			}
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetParallelism(8) // callers for each core
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					one(b)
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "runs/s")
		})
	}
}

// BenchmarkA2A streams the same task, by rules over a case of one sentence, by the protocol for agents and by our own
// interface, in turns of fifty. ratio is the processor time of the first over that of the second, the median of the
// turns, with all that stands around them: Redis is another process, case-svc and the caller are in this one.
func BenchmarkA2A(b *testing.B) {
	const turns, prompt = 50, "When is the rent due?"
	d := startBench(b)
	caseID := uuid.NewString()
	ways := []func(){
		func() {
			body := `{"message":{"messageId":"` + uuid.NewString() + `","role":"ROLE_USER",` +
				`"parts":[{"text":"` + prompt + `"}],"metadata":{"https://subrosa.test/a2a/ext/legal-phase/v1":{"caseId":"` + caseID +
				`","options":{"mode":"deterministic"}}}}}`
			out := d.post(b, d.base+"/a2a/rest/message:stream", body)
			if !strings.Contains(out, "TASK_STATE_COMPLETED") {
				b.Fatalf("the task did not complete: %s", out)
			}
		},
		func() {
			body := `{"sessionId":"s","seedPhase":{"phaseId":"` + uuid.NewString() + `"},"containerId":"` + caseID +
				`","containerType":"case","requestType":"case_req","prompt":"` + prompt +
				`","options":{"mode":"deterministic"}}`
			out := d.post(b, d.base+"/v1/agent", body)
			if !strings.Contains(out, `"status":"completed"`) {
				b.Fatalf("the run did not complete: %s", out)
			}
		},
	}
	var spent [2]time.Duration
	var ratios []float64

	for b.Loop() {
		var took [2]time.Duration

		for way, one := range ways {
			before := processorTime(b)

			for range turns {
				one()
			}
			took[way] = processorTime(b) - before
			spent[way] += took[way]
		}
		ratios = append(ratios, took[0].Seconds()/took[1].Seconds())
	}
	b.ReportMetric(float64(spent[0].Microseconds())/float64(b.N*turns), "a2a-µs/task")
	b.ReportMetric(float64(spent[1].Microseconds())/float64(b.N*turns), "agent-µs/task")
	slices.Sort(ratios)
	ratio := ratios[len(ratios)/2]
	b.ReportMetric(ratio, "ratio")
	if len(ratios) >= enoughTurns && ratio > mostOfA2A {
		b.Errorf("a task costs %.3f times as much by A2A, more than %.2f", ratio, mostOfA2A)
	}
}

// The bar of BenchmarkA2A. It is held once there are turns enough for their median to mean something.
const (
	mostOfA2A   = 1.15
	enoughTurns = 10
)

// processorTime is what this process has used.
func processorTime(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}

	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// echoing is the stack of a service with a handler that returns what it is sent.
func echoing() http.Handler {
	r := httpx.NewEngine(telemetry.Discard("agent-svc", io.Discard))
	r.POST("/v1/agent", func(c *gin.Context) {
		var in api.AgentTask
		if httpx.Decode(c, &in) != nil {
			c.Status(http.StatusBadRequest)
			return
		}
		_ = httpx.JSON(c, http.StatusOK, in)
	})

	return r
}
