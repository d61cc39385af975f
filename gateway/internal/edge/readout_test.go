package edge_test

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/gateway/internal/edge"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

// TestWhatIsReadOfARefusedBody sends more than the buffers of a connection hold: after most refusals it is taken, and
// from callers who shall call less often it is not.
func TestWhatIsReadOfARefusedBody(t *testing.T) {
	t.Parallel()
	certificate := httptest.NewUnstartedServer(nil)

	certificate.StartTLS()
	defer certificate.Close()
	engine := gin.New()
	engine.Use(edge.ReadOut)
	engine.POST("/:status", func(c *gin.Context) {
		status, _ := strconv.Atoi(c.Param("status"))
		c.String(status, "no")
	})
	s, err := httpx.Listen(httpx.ServerConfig{
		Addr:    "127.0.0.1:0",
		TLS:     &tls.Config{Certificates: certificate.TLS.Certificates, NextProtos: []string{"http/1.1"}},
		Handler: engine,
		Early:   func(int) []byte { return nil },
		Log:     slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())

	ended := make(chan error)
	go func() { ended <- s.Serve(ctx) }()

	defer func() {
		stop()
		<-ended
	}()

	const size = 30 << 20

	for _, tc := range []struct {
		status int
		whole  bool
	}{
		{http.StatusUnauthorized, true},
		{http.StatusRequestEntityTooLarge, true},
		{http.StatusTooManyRequests, false},
	} {
		conn, err := tls.Dial("tcp", s.Addr(), &tls.Config{InsecureSkipVerify: true})
		if err != nil {
			t.Fatal(err)
		}
		_ = conn.SetDeadline(time.Now().Add(time.Minute))
		fmt.Fprintf(conn, "POST /%d HTTP/1.1\r\nHost: a.example\r\nContent-Length: %d\r\n\r\n", tc.status, size)
		if _, err = io.Copy(conn, strings.NewReader(strings.Repeat(" ", size))); (err == nil) != tc.whole {
			t.Errorf("%d: the body is taken whole: %t (%v), want %t", tc.status, err == nil, err, tc.whole)
		}
		_ = conn.Close()
	}
}
