package e2e_test

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/deploy/internal/demo"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

// TestOnARedisCluster plays everything that Redis has a part in on a real Cluster of three masters. A key without its hash tag, a script or
// a pipeline over two slots, or a command to the wrong node fails there and nowhere else.
func TestOnARedisCluster(t *testing.T) {
	t.Parallel()
	cluster := stores.RedisNodes(t, 3, 0)
	w := start(t, unlimited("REDIS_URL", cluster.URL(), "GATEWAY_RATE_REGISTRATION_TOKEN", "10"))

	t.Run("the story of the tour", func(t *testing.T) {
		var out bytes.Buffer
		story := demo.Story{
			Out: &out, Site: w.Facts.BaseURL, Folder: w.dir, Config: filepath.Join(w.dir, "config"), Samples: "../samples", Person: ben, Browser: w.http, Now: time.Now,
		}
		if err := story.Play(t.Context()); err != nil {
			t.Fatalf("%v\n%s", err, out.String())
		}
	})
	t.Run("one token, one agent, and its end", func(t *testing.T) {
		w := w.in(t)
		host, token := w.cardHost(), w.registrationToken(ada)
		made := w.onlyWinner(w.race(16, func(int) *http.Request {
			return w.request(http.MethodPost, "/v1/agents/register", "", bytes.NewReader([]byte(registration(t, token, host.url))))
		}), http.StatusUnauthorized, http.StatusConflict)
		var bearers []string

		for range 6 {
			bearer, err := w.as("").Exchange(t.Context(), made.SharedAPIKey)
			if err != nil {
				t.Fatal(err)
			}
			w.takes("a bearer", bearer.BearerToken)
			bearers = append(bearers, bearer.BearerToken)
		}
		w.disconnect(ada)

		for _, bearer := range bearers {
			w.refuses("a bearer of the agent that was disconnected", bearer)
		}
	})
	t.Run("runs and their streams", func(t *testing.T) {
		w := w.in(t)
		agent := w.connect(ada)

		caseID, _ := w.newCase(agent.bearer)
		for range 6 { // the slots of their events differ
			job := task(caseID, api.CaseReq, question)
			phaseID := job.SeedPhase.PhaseID
			whole := stored(w.post(agent.bearer, job).all())
			if end := checkStream(t, phaseID, whole); end != api.PhaseCompleted {
				t.Errorf("the run ended %s", end)
			}
			if rest := stored(w.watch(w.token(ada), phaseID, "Last-Event-ID", phaseID+":2").all()); texts(rest) != texts(whole[2:]) {
				t.Errorf("resumed after 2:\n%s\nwant\n%s", texts(rest), texts(whole[2:]))
			}
		}
		w.disconnect(ada)
	})
	t.Run("applications", func(t *testing.T) {
		w := w.in(t)
		for range 4 {
			mine := w.letIn(ada, "cases:read")
			if !w.alive(mine.access) {
				t.Fatal("the token does not open its door")
			}
			next := w.tokensOf(mine.id, w.renew(mine.id, mine.refresh))
			if !w.alive(next.access) {
				t.Error("the renewed token does not open its door")
			}
			if a := w.form("/oauth/revoke", url.Values{"token": {next.refresh}, "client_id": {mine.id}}); a.status != http.StatusOK || w.alive(next.access) || w.alive(mine.access) {
				t.Errorf("revocation: %d %s", a.status, a.body)
			}
		}
	})
	t.Run("sessions of browsers", func(t *testing.T) {
		w := w.in(t)
		for range 4 {
			phone, desk := w.signedIn(ada), w.signedIn(ada)
			into[api.Me](t, w.page(phone, http.MethodGet, "/v1/me", ""), http.StatusOK)
			into[api.SignedOut](t, w.page(phone, http.MethodPost, "/auth/logout", `{"everywhere":true}`), http.StatusOK)
			w.page(desk, http.MethodGet, "/v1/me", "").refused(t, "another browser", http.StatusUnauthorized, "unauthenticated")
		}
	})
	t.Run("rate limits", func(t *testing.T) {
		w := w.in(t)
		counts := statuses(w.race(30, func(int) *http.Request {
			return w.request(http.MethodPost, "/v1/agents/registration-token", w.token(otto), nil)
		}))
		if counts[http.StatusCreated] != 10 || counts[http.StatusTooManyRequests] != 20 {
			t.Errorf("30 at once with a limit of 10: %v", counts)
		}
	})
	var shares atomic.Int32
	err := w.rdb().(*redis.ClusterClient).ForEachMaster(t.Context(), func(ctx context.Context, node *redis.Client) error {
		n, err := node.DBSize(ctx).Result()
		if n > 0 {
			shares.Add(1)
		}

		return err
	})
	if err != nil || shares.Load() != 3 {
		t.Errorf("%d of 3 masters hold keys, %v", shares.Load(), err)
	}
}
