package local_test

import (
	"io"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/deploy/internal/local"
)

func TestItDoesNotRunInProduction(t *testing.T) {
	_, err := local.Start(t.Context(), local.Options{Dir: t.TempDir(), Environ: map[string]string{"ENVIRONMENT": "production"}, Log: io.Discard, Now: time.Now})
	if err == nil || !strings.Contains(err.Error(), "ENVIRONMENT=production") {
		t.Errorf("Start = %v", err)
	}
}

func TestWithoutStoresItSaysWhichAreMissing(t *testing.T) {
	_, err := local.Start(t.Context(), local.Options{Dir: t.TempDir(), Addr: "127.0.0.1:0", OIDCAddr: "127.0.0.1:0", Log: io.Discard, Now: time.Now})
	if err == nil || !strings.Contains(err.Error(), "REDIS_URL and MONGODB_URI") {
		t.Errorf("Start = %v", err)
	}
}
