package stream_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/stream"
	"github.com/subrosa-legal/subrosa/pkg/redisx"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

func TestSilencesThatAreTooLongAreCounted(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		beat time.Duration
		late int64
	}{{3 * time.Second, 0}, {4 * time.Second, 5}} {
		url := stores.RedisURL(t)
		synctest.Test(t, func(t *testing.T) {
			rdb, err := redisx.Open(t.Context(), redisx.Config{URL: url})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = rdb.Close() }()
			log, k := stream.NewLog(rdb, 24*time.Hour), key()
			if err := log.Append(t.Context(), k, stream.Event{Seq: 1, Kind: "status", Data: []byte(`{"status":"working"}`), Status: "working"}); err != nil {
				t.Fatal(err)
			}
			server := &stream.Server{
				Feeds: stream.NewFeeds(log, alwaysAlive{}, tc.beat, slog.New(slog.DiscardHandler)), Heartbeat: tc.beat, Patience: time.Second, Now: time.Now, Draining: make(chan struct{}),
			}
			ctx, leave := context.WithCancel(t.Context())
			var serving sync.WaitGroup
			serving.Go(func() {
				if err := server.Serve(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, http.MethodPost, "/", nil), k, 0); err != nil {
					t.Error(err)
				}
			})
			time.Sleep(21 * time.Second) //nolint:forbidigo // the bubble's clock
			leave()
			serving.Wait()
			synctest.Wait()
			if server.Late.Load() != tc.late || server.Sent.Load() < 5 {
				t.Errorf("with a heartbeat every %v: %d of %d writes came late, want %d", tc.beat, server.Late.Load(), server.Sent.Load(), tc.late)
			}
		})
	}
}
