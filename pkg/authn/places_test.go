package authn_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/httpauth"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
)

// Those who are not known share places by the network that the gateway says they call from, so that one of them leaves
// room for the others. Whoever is known cannot get more by naming networks.
func TestPlacesOfThoseWhoAreNotKnown(t *testing.T) {
	t.Parallel()
	seeds, trust := internals(t)
	nobody := access.Caller{Kind: access.Public}

	for _, tc := range []struct {
		name   string
		caller access.Caller
		held   int // of 16 places, by calls from 203.0.113.7
		from   string
		want   int
	}{
		{"one network has spent its share", nobody, 11, "203.0.113.7", http.StatusServiceUnavailable},
		{"another one has not", nobody, 11, "203.0.113.8", http.StatusNoContent},
		{"nor has one of IPv6", nobody, 11, "2001:db8:1:2::/64", http.StatusNoContent},
		{"a user has spent theirs, whatever network is named", user, 13, "203.0.113.8", http.StatusServiceUnavailable},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			tel := telemetry.Discard("x", io.Discard)
			fail := func(c *gin.Context, err error) { httpx.Fail(c, tel.Log, err) }
			v := &httpauth.Gate{
				Verifier: &authn.Verifier{Trust: trust, Now: at(0)},
				InFlight: httpx.NewInFlight(16, time.Millisecond),
			}

			entered, release := make(chan struct{}), make(chan struct{})
			defer close(release)
			engine := httpx.NewEngine(tel)
			engine.Use(v.Middleware(fail))
			engine.GET("/held", func(*gin.Context) { entered <- struct{}{}; <-release })
			engine.GET("/quick", func(c *gin.Context) { c.Status(http.StatusNoContent) })

			token := sign(t, "gateway", seeds["gateway"], tc.caller)
			ask := func(path, from string) int {
				req := httptest.NewRequest(http.MethodGet, path, http.NoBody)
				req.Header.Set("Authorization", "Bearer "+token)
				req.Header.Set(httpx.HeaderClientAddress, from)
				rec := httptest.NewRecorder()
				engine.ServeHTTP(rec, req)

				return rec.Code
			}

			for range tc.held {
				go ask("/held", "203.0.113.7")
				<-entered
			}
			if got := ask("/quick", tc.from); got != tc.want {
				t.Errorf("the next call from %s is answered %d, want %d", tc.from, got, tc.want)
			}
		})
	}
}
