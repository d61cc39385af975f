package httpapi_test

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/admission"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/httpapi"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/redisstore"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/runs"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/stream"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/httpauth"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/ids"
	"github.com/subrosa-legal/subrosa/pkg/places"
	"github.com/subrosa-legal/subrosa/pkg/services"
	"github.com/subrosa-legal/subrosa/pkg/telemetry/export"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/servicetest"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// reader reads runs, with one place for each caller.
type reader struct {
	door   servicetest.Door
	log    *stream.Log
	api    *httpapi.API
	phases map[string]api.Phase // by id
}

func startReader(t *testing.T) *reader {
	t.Helper()
	tel, err := export.New(t.Context(), "agent-svc", io.Discard, nil)
	if err != nil {
		t.Fatal(err)
	}
	rdb := stores.Redis(t)
	r := &reader{log: stream.NewLog(rdb, time.Hour), phases: map[string]api.Phase{}}
	kept := httptest.NewServer(http.HandlerFunc(r.phase))
	t.Cleanup(kept.Close)
	calls, err := httpcall.NewClient(kept.URL, nil, tel, nil)
	if err != nil {
		t.Fatal(err)
	}
	cases := services.CaseClient{HTTP: calls}
	leases := redisstore.NewLeases(rdb, time.Minute)
	feeds := stream.NewFeeds(r.log, leases, time.Second, slog.New(slog.DiscardHandler))
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	var background sync.WaitGroup

	background.Go(func() { feeds.Run(ctx, rdb) })
	t.Cleanup(func() { stop(); background.Wait() })

	r.api = &httpapi.API{
		Admission: &admission.Service{
			Runs: &runs.Runs{Events: r.log, Phases: cases, Leases: leases, Now: time.Now}, Cases: cases, Now: time.Now,
		},
		Streams: &stream.Server{Feeds: feeds, Heartbeat: time.Second, Patience: time.Minute, Now: time.Now},
		Readers: places.New(places.Limits{All: 100, Caller: 1}), Now: time.Now, Log: tel.Log,
	}
	seed, public := servicetest.Seed(servicetest.Gateway)
	key, err := base64.RawURLEncoding.DecodeString(public)
	if err != nil {
		t.Fatal(err)
	}
	trust := authn.Trust{servicetest.Gateway: {ed25519.PublicKey(key)}}
	engine := httpx.NewEngine(tel)
	r.api.Mount(engine, &httpauth.Gate{Verifier: &authn.Verifier{Trust: trust, Now: time.Now}})
	served := httptest.NewServer(engine)
	t.Cleanup(served.Close)
	signer, err := authn.NewSigner(servicetest.Gateway, seed, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	r.door = servicetest.Door{Base: served.URL, Signer: signer, Client: served.Client()}

	return r
}

// phase answers as case-svc does.
func (r *reader) phase(w http.ResponseWriter, asked *http.Request) {
	_, id, _ := strings.Cut(asked.URL.Path, "/internal/phases/")
	found, ok := r.phases[id]
	w.Header().Set("Content-Type", "application/json")
	if !ok {
		w.WriteHeader(http.StatusNotFound)
		_ = json.NewEncoder(w).Encode(httpx.WireError{Error: "not_found", Message: "Not found."})

		return
	}
	_ = json.NewEncoder(w).Encode(found)
}

// TestAReaderGivesItsPlaceBack on every way that a request for a run can take, a panic among them.
func TestAReaderGivesItsPlaceBack(t *testing.T) {
	logged := []stream.Event{
		{Seq: 1, Kind: "content_chunk", Data: []byte(`{"delta":"a"}`)},
		{Seq: 2, Kind: "phase_end", Data: []byte(`{"status":"completed"}`), Last: true},
	}
	const events = "text/event-stream"

	for _, tc := range []struct {
		name, accept, place string // place: the number of the last event that the reader has
		events              []stream.Event
		unknown, panics     bool
		want                int
	}{
		{name: "wants no stream", accept: "text/html", want: http.StatusNotAcceptable},
		{name: "has a place of no phase", accept: events, place: "x", want: http.StatusBadRequest},
		{name: "asks for no phase", accept: events, unknown: true, want: http.StatusNotFound},
		{name: "reads to the end", accept: events, events: logged, want: http.StatusOK},
		{name: "has read all", accept: events, place: "2", events: logged, want: http.StatusNoContent},
		{name: "reads what is rebuilt", accept: events, want: http.StatusOK},
		{name: "reads the rest of what is rebuilt", accept: events, place: "2", want: http.StatusOK},
		{name: "has read all of what would be rebuilt", accept: events, place: "3", want: http.StatusNoContent},
		{name: "meets a mistake of ours", accept: events, panics: true, want: http.StatusInternalServerError},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := startReader(t)
			ann, id := servicetest.User("o:oak", "ann"), ids.New()
			if !tc.unknown {
				r.phases[id] = api.Phase{
					PhaseID: id, Status: api.PhaseCompleted,
					Stream: api.StreamMarks{PhaseStartSeq: 1, ResponseSeq: 2, EndSeq: 3},
				}
			}
			if len(tc.events) > 0 {
				if err := r.log.Append(t.Context(), admission.KeyOf(ann, id), tc.events...); err != nil {
					t.Fatal(err)
				}
			}
			if tc.panics {
				r.api.Admission.Runs.Events = nil
			}
			asks := servicetest.JSON(t, ann, http.MethodGet, "/v1/agent/"+id, nil, "Accept", tc.accept)
			if tc.place != "" {
				asks.Header["Last-Event-ID"] = id + ":" + tc.place
			}

			for range 2 { // who kept its place could not have it again
				if a := r.door.Do(t, asks); a.Status != tc.want {
					t.Fatalf("the answer is %d %s, want %d", a.Status, a.Body, tc.want)
				}
			}

			release, err := r.api.Place(ann)
			if err != nil {
				t.Fatalf("the place is not free: %v", err)
			}
			defer release()
			if tc.want == http.StatusOK {
				servicetest.Refused(t, r.door.Do(t, asks), http.StatusTooManyRequests, "too_many_streams")
			}
		})
	}
}
