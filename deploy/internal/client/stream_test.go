package client_test

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/deploy/internal/client"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
)

// script is a stream of n events with heartbeats, comments and a retry line in between.
func script(n int) (events []string) {
	for i := 1; i <= n; i++ {
		kind := api.EventContentChunk
		if i == n {
			kind = api.EventPhaseEnd
		}
		events = append(events, fmt.Sprintf("id: p:%d\nevent: %s\ndata: {\"seq\":%d,\"delta\":\"§ %s\"}\n\n", i, kind, i, strings.Repeat("x", i*50)))
	}

	return events
}

func TestReadTakesWholeEventsOnly(t *testing.T) {
	events := script(8)

	whole := "retry: 2000\n" + strings.Join(events[:4], "") +
		"event: heartbeat\ndata: {\"lastSeq\":4}\n\n: a comment\n\n" +
		strings.Join(events[4:], "")
	for cut := range len(whole) {
		var ids []string
		err := client.Read(strings.NewReader(whole[:cut]), func(e client.Event) error {
			if e.Kind != api.EventHeartbeat {
				ids = append(ids, e.ID)
			} else if e.ID != "" {
				t.Errorf("a heartbeat has the id %q", e.ID)
			}

			return nil
		})
		if !errors.Is(err, client.ErrBroken) {
			t.Fatalf("cut at %d: %v, want %v", cut, err, client.ErrBroken)
		}
		want := 0

		for i := range events {
			if strings.Contains(whole[:cut], events[i]) {
				want = i + 1
			}
		}
		if len(ids) != want {
			t.Fatalf("cut at %d: %d events, want %d", cut, len(ids), want)
		}
	}
	if err := client.Read(strings.NewReader(whole), func(client.Event) error { return nil }); err != nil {
		t.Errorf("a whole stream = %v", err)
	}
}

func TestReadRefusesAnEndlessEvent(t *testing.T) {
	err := client.Read(io.MultiReader(strings.NewReader("data: "), endless{}), func(client.Event) error { return nil })
	if !errors.Is(err, client.ErrBroken) {
		t.Errorf("err = %v, want %v", err, client.ErrBroken)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}

	return len(p), nil
}

func TestRunResumesWhereItWasCutOff(t *testing.T) {
	t.Parallel()
	events := script(24)
	var calls atomic.Int64
	// The client gives up after eight connections without an event; chance alone must not get that far, so the fourth one brings something.
	place, fruitless := 0, 0

	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		after := 0
		if seq, ok := strings.CutPrefix(r.Header.Get("Last-Event-ID"), "p:"); ok {
			after, _ = strconv.Atoi(seq)
		}
		if fruitless++; after != place {
			place, fruitless = after, 1
		}
		if fruitless < 4 && rand.IntN(10) == 0 {
			httpcall.WriteError(w, "r", errs.ErrUnavailable)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		rest := strings.Join(events[after:], "")
		cut := rand.IntN(len(rest) + len(rest)/4 + 1)
		// A run that nothing cuts off shows nothing, so chance does not decide about the first connection.
		if calls.Load() == 1 {
			cut = min(cut, len(rest)-1)
		}
		if fruitless >= 4 {
			cut = max(cut, len(events[after]))
		}
		if cut < len(rest) {
			_, _ = io.WriteString(w, rest[:cut])
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
		_, _ = io.WriteString(w, rest)
	}))
	defer server.Close()
	c, err := client.New(server.URL, nil, nil)
	if err != nil {
		t.Fatal(err)
	}

	const rounds = 2
	for range rounds {
		var ids []string
		if err := c.Run(t.Context(), api.AgentTask{}, func(e client.Event) error { ids = append(ids, e.ID); return nil }, nil); err != nil {
			t.Fatal(err)
		}

		var want []string
		for i := range events {
			want = append(want, fmt.Sprint("p:", i+1))
		}
		if !slices.Equal(ids, want) {
			t.Fatalf("got %d events, want %d, each once and in order", len(ids), len(want))
		}
	}
	if calls.Load() <= rounds {
		t.Error("no connection was cut; the test shows nothing")
	}
}

func TestRunDoesNotRepeatWhatWillNotChange(t *testing.T) {
	var calls atomic.Int64
	refusal := errs.New(errs.Forbidden, "identity_refused", "Use labels.")

	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		calls.Add(1)
		httpcall.WriteError(w, "r", refusal)
	}))
	defer server.Close()
	c, err := client.New(server.URL, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Run(t.Context(), api.AgentTask{}, func(client.Event) error { return nil }, nil); !errors.Is(err, refusal) || calls.Load() != 1 {
		t.Errorf("err = %v after %d calls, want %v after 1", err, calls.Load(), refusal)
	}
}

// A client that came before the time it was told would make a busy service busier.
func TestRunComesAgainWhenItWasTold(t *testing.T) {
	t.Parallel()
	var came []time.Time

	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if came = append(came, time.Now()); len(came) == 1 {
			httpcall.WriteError(w, "r", errs.ErrUnavailable.WithRetryAfter(time.Second))
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, strings.Join(script(3), ""))
	}))
	defer server.Close()
	c, err := client.New(server.URL, nil, nil)
	if err != nil {
		t.Fatal(err)
	}

	if err := c.Run(t.Context(), api.AgentTask{}, func(client.Event) error { return nil }, nil); err != nil {
		t.Fatal(err)
	}
	if len(came) != 2 || came[1].Sub(came[0]) < time.Second {
		t.Errorf("asked at %v, want twice and a second apart", came)
	}
}
