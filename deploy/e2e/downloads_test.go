package e2e_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// slowReader returns a client of the first gateway whose connections take in hardly anything that nobody reads, one for
// each request.
func (w *world) slowReader() *http.Client {
	var oldest http.Protocols
	oldest.SetHTTP1(true)
	dialer := &net.Dialer{Control: func(_, _ string, raw syscall.RawConn) error {
		var failed error
		if err := raw.Control(func(fd uintptr) {
			failed = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 4096)
		}); err != nil {
			return err
		}

		return failed
	}}
	trust := w.bare.TLSClientConfig.Clone()
	trust.NextProtos = []string{"http/1.1"}
	transport := &http.Transport{
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			return dialer.DialContext(ctx, network, w.straight(addr))
		},
		TLSClientConfig: trust, Protocols: &oldest,
		DisableKeepAlives: true, DisableCompression: true,
	}
	w.t.Cleanup(transport.CloseIdleConnections)

	return &http.Client{Transport: transport}
}

// A caller who reads two files slowly is told to come again with the third, and keeps nobody else from theirs.
func TestACallerHasTwoDownloadsOpen(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited("GATEWAY_DOWNLOADS_PER_CALLER", "2"))
	agent, colleague := w.connect(cara), w.connect(ada)
	caseID, _ := w.newCase(agent.bearer)
	line := "The goods were late, and nobody said why, and this went on for weeks on end.\n"
	large := strings.Repeat(line, 4_500_000/len(line))
	up := w.send(http.MethodPost, "/v1/cases/"+caseID+"/files", agent.bearer, large, "Content-Type", "text/markdown")
	file := into[struct {
		Items []struct {
			FileID string `json:"fileId"`
		}
	}](t, up, http.StatusCreated).Items[0].FileID
	path := "/v1/cases/" + caseID + "/files/" + file + "/content"
	slow := w.slowReader()

	const most = 2

	var open []io.Closer
	begin := func(bearer string) *http.Response {
		t.Helper()
		resp, err := slow.Do(w.request(http.MethodGet, path, bearer, nil))
		if err != nil {
			t.Fatal(err)
		}
		open = append(open, resp.Body)

		return resp
	}
	var refused *http.Response

	for n := range most + 1 {
		resp := begin(agent.bearer)
		if resp.StatusCode == http.StatusTooManyRequests {
			if refused = resp; n < most {
				t.Fatalf("download %d is refused", n+1)
			}

			break
		}
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("download %d: %d", n+1, resp.StatusCode)
		}
	}
	if refused == nil {
		t.Fatalf("%d downloads of one caller are open", most+1)
	}
	text, _ := io.ReadAll(refused.Body)
	if !strings.Contains(string(text), `"error":"too_many_downloads"`) || refused.Header.Get("Retry-After") == "" || !refused.Close {
		t.Errorf("refused with %v %s", refused.Header, text)
	}

	if resp := begin(colleague.bearer); resp.StatusCode != http.StatusOK {
		t.Errorf("a colleague's download: %d", resp.StatusCode)
	}
	w.takes("another call of the same caller", agent.bearer)

	for _, body := range open {
		_ = body.Close()
	}
	testkit.Until(t, testkit.Patience, func() error {
		a := w.send(http.MethodGet, path, agent.bearer, "")
		if a.status != http.StatusOK || len(a.body) != len(large) {
			return fmt.Errorf("once those are closed: %d with %d bytes", a.status, len(a.body))
		}

		return nil
	})
}
