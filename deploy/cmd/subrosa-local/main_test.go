package main

import (
	"io"
	"log/slog"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/deploy/internal/local"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

// The banner says where health and metrics of every service are, and they are there.
func TestTheBannerLeadsToHealthAndMetrics(t *testing.T) {
	l, err := local.Start(t.Context(), local.Options{
		Dir: t.TempDir(), Addr: testkit.FreeAddr(t), OIDCAddr: testkit.FreeAddr(t), Log: io.Discard, Level: slog.LevelInfo, Now: time.Now,
		Environ: map[string]string{"REDIS_URL": stores.RedisURL(t), "MONGODB_URI": stores.MongoURI(t)},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	var banner strings.Builder
	greet(&banner, l, "none", "log", time.Second)
	named := regexp.MustCompile(`(gateway|[a-z]+-svc) (127\.0\.0\.1:\d+)`).FindAllStringSubmatch(banner.String(), -1)
	if len(named) != 6 {
		t.Fatalf("%d services are named, want 6:\n%s", len(named), &banner)
	}

	for _, n := range named {
		for _, path := range []string{"/readyz", "/metrics"} {
			resp, err := http.Get("http://" + n[2] + path)
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			if resp.StatusCode != http.StatusOK {
				t.Errorf("%s of %s: %d", path, n[1], resp.StatusCode)
			}
		}
	}
}
