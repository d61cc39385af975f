package stream_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/stream"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/redisx"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

// arrivals is a reader that notes when each heartbeat arrives.
type arrivals struct {
	*httptest.ResponseRecorder
	mu    sync.Mutex
	since time.Time
	beats []time.Duration
	last  api.HeartbeatEvent
}

func (a *arrivals) Write(p []byte) (int, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if data, ok := bytes.CutPrefix(p, []byte("event: heartbeat\ndata: ")); ok {
		a.beats = append(a.beats, time.Since(a.since))
		if err := json.Unmarshal(bytes.TrimSpace(data), &a.last); err != nil {
			return 0, err
		}
	}

	return a.ResponseRecorder.Write(p)
}

// alwaysAlive stands for a process that runs the run, however long it takes.
type alwaysAlive struct{}

func (alwaysAlive) Alive(context.Context, stream.Key) (bool, error) { return true, nil }

func TestHeartbeatsComeEveryThreeSeconds(t *testing.T) {
	t.Parallel()
	url := stores.RedisURL(t)
	synctest.Test(t, func(t *testing.T) {
		rdb, err := redisx.Open(t.Context(), redisx.Config{URL: url})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = rdb.Close() }()
		log, k := stream.NewLog(rdb, 24*time.Hour), key()
		working := stream.Event{Seq: 1, Kind: "status", Data: []byte(`{"status":"working"}`), Status: "working"}
		if err := log.Append(t.Context(), k, working); err != nil {
			t.Fatal(err)
		}
		feeds := stream.NewFeeds(log, alwaysAlive{}, 3*time.Second, slog.New(slog.DiscardHandler))
		server := &stream.Server{Feeds: feeds, Heartbeat: 3 * time.Second, Patience: time.Second, Now: time.Now, Draining: make(chan struct{})}
		ctx, leave := context.WithCancel(t.Context())
		reader := &arrivals{ResponseRecorder: httptest.NewRecorder(), since: time.Now()}
		var serving sync.WaitGroup
		serving.Go(func() {
			if err := server.Serve(reader, httptest.NewRequestWithContext(ctx, http.MethodPost, "/", nil), k, 0); err != nil {
				t.Error(err)
			}
		})
		time.Sleep(time.Minute + time.Second) //nolint:forbidigo // the bubble's clock
		leave()
		serving.Wait()
		synctest.Wait()
		if len(reader.beats) != 20 {
			t.Fatalf("%d heartbeats in a minute, want 20", len(reader.beats))
		}

		for i, at := range reader.beats {
			if want := time.Duration(i+1) * 3 * time.Second; at < want-500*time.Millisecond || at > want+500*time.Millisecond {
				t.Errorf("heartbeat %d came after %v, want %v ± 0.5 s", i+1, at, want)
			}
		}
		if reader.last.LastSeq != 1 || reader.last.Status != "working" || reader.last.PhaseID != k.PhaseID {
			t.Errorf("heartbeat = %+v", reader.last)
		}
		body := reader.Body.String()
		if strings.Count(body, "id: ") != 1 || !strings.HasPrefix(body, "retry: 2000\nid: ") {
			t.Errorf("the stream has other ids than the event's, or does not begin with retry:\n%.200s", body)
		}
	})
}
