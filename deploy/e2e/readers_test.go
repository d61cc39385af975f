package e2e_test

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// dialTLS opens a connection to the gateway. Its receive buffer has the size that the system gives it. With a smaller
// one Linux may drop a packet while nobody reads; the sender's system then waits up to two minutes before it sends the
// packet again, and a connection that the gateway has closed long since still looks open.
func (w *world) dialTLS(protocol string) *tls.Conn {
	w.t.Helper()
	base, err := url.Parse(w.Facts.BaseURL)
	if err != nil {
		w.t.Fatal(err)
	}
	d := net.Dialer{Timeout: 5 * time.Second}
	raw, err := d.DialContext(w.t.Context(), "tcp", w.straight(base.Host))
	if err != nil {
		w.t.Fatal(err)
	}
	cfg := w.bare.TLSClientConfig.Clone()
	cfg.NextProtos, cfg.ServerName = []string{protocol}, base.Hostname()
	conn := tls.Client(raw, cfg)
	if err := conn.HandshakeContext(w.t.Context()); err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { _ = raw.Close() })

	return conn
}

// withoutWindow asks for a path over HTTP/2 and never allows the server to send a byte of the answer's body. It returns when the server
// gives the answer up.
func (w *world) withoutWindow(path, bearer string) error {
	w.t.Helper()
	conn := w.dialTLS("h2")
	if err := conn.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		w.t.Fatal(err)
	}
	var head bytes.Buffer
	encoder := hpack.NewEncoder(&head)
	fields := []hpack.HeaderField{{Name: ":method", Value: "GET"}, {Name: ":scheme", Value: "https"}, {Name: ":authority", Value: strings.TrimPrefix(w.Facts.BaseURL, "https://")}, {Name: ":path", Value: path}}
	if bearer != "" {
		fields = append(fields, hpack.HeaderField{Name: "authorization", Value: "Bearer " + bearer})
	}

	for _, field := range fields {
		if err := encoder.WriteField(field); err != nil {
			w.t.Fatal(err)
		}
	}
	framer := http2.NewFramer(conn, conn)
	_, err := io.WriteString(conn, http2.ClientPreface)
	err = errors.Join(err, framer.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0}), framer.WriteSettingsAck(),
		framer.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: head.Bytes(), EndHeaders: true, EndStream: true}))
	if err != nil {
		w.t.Fatal(err)
	}
	headers := false

	for {
		fr, err := framer.ReadFrame()
		if err != nil {
			return fmt.Errorf("the answer was not given up (headers came: %t): %w", headers, err)
		}
		switch fr := fr.(type) {
		case *http2.HeadersFrame:
			headers = true
		case *http2.DataFrame:
			if fr.Length > 0 {
				return errors.New("data came without a window")
			}
		case *http2.RSTStreamFrame:
			return nil
		case *http2.GoAwayFrame:
			return fmt.Errorf("the connection was ended: %v", fr.ErrCode)
		}
	}
}

// stretch replaces the kept events of a phase that has ended by a stream of many bytes, so that no buffer on the way can hold it.
func (w *world) stretch(tenant, phaseID string, bytesOfData int) (events int) {
	w.t.Helper()
	rdb, ctx := w.rdb(), w.t.Context()
	key := "ev:{" + tenant + "/" + phaseID + "}"
	kept, err := rdb.XRange(ctx, key, "-", "+").Result()
	if err != nil || len(kept) < 4 {
		w.t.Fatalf("the kept events: %d, %v", len(kept), err)
	}
	const each = 16 << 10
	if err := rdb.Del(ctx, key).Err(); err != nil {
		w.t.Fatal(err)
	}

	add := func(values map[string]any) {
		events++
		if err := rdb.XAdd(ctx, &redis.XAddArgs{Stream: key, ID: strconv.Itoa(events) + "-0", Values: values}).Err(); err != nil {
			w.t.Fatal(err)
		}
	}
	for _, m := range kept[:2] {
		add(m.Values)
	}

	for index := range bytesOfData/each + 1 {
		chunk, err := json.Marshal(api.ContentChunkEvent{
			EventHead: api.EventHead{Type: api.EventContentChunk, Seq: events + 1, PhaseID: phaseID, TS: api.At(time.Now())}, Index: index,
			Delta: strings.Repeat("x", each), Format: "text/markdown",
		})
		if err != nil {
			w.t.Fatal(err)
		}
		add(map[string]any{"kind": api.EventContentChunk, "data": string(chunk), "status": "", "last": "0"})
	}
	add(kept[len(kept)-1].Values)

	return events
}

// metric returns the sum of a metric's values on a service's page.
func metric(t *testing.T, page, name string) float64 {
	t.Helper()
	resp, err := http.Get(page)
	if err != nil {
		t.Fatal(err)
	}

	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile(`(?m)^`+name+`(?:\{[^}]*\})? ([0-9.e+]+)$`).FindAllSubmatch(text, -1)
	if found == nil {
		t.Fatalf("no metric %s", name)
	}
	sum := 0.0

	for _, m := range found {
		v, err := strconv.ParseFloat(string(m[1]), 64)
		if err != nil {
			t.Fatal(err)
		}
		sum += v
	}

	return sum
}

func TestReadersThatNeverReadAreCutOff(t *testing.T) {
	t.Parallel()
	inside := testkit.FreeAddr(t)
	// A reader whose turn comes late on a busy machine must not pass for one who never reads.
	const patience = 8 * time.Second
	w := start(t, unlimited(
		"AGENT_INTERNAL_ADDR", inside, oneProcess, "agent-svc", "GATEWAY_CALL_TIME", patience.String(),
	))
	open := func() float64 { return metric(t, "http://"+inside+"/metrics", "subrosa_streams_active") }
	agent := w.connect(ada)
	caseID, _ := w.newCase(agent.bearer)
	job := task(caseID, api.CaseReq, question)
	phaseID := job.SeedPhase.PhaseID
	checkStream(t, phaseID, w.post(agent.bearer, job).all())

	t.Run("over HTTP/2 without a window", func(t *testing.T) {
		w := w.in(t)

		var all sync.WaitGroup
		for path, bearer := range map[string]string{"/v1/agent/" + phaseID: agent.bearer, "/.well-known/agent.json": "", "/v1/cases": agent.bearer, "/v1/nothing": ""} {
			all.Go(func() {
				if err := w.withoutWindow(path, bearer); err != nil {
					t.Errorf("%s: %v", path, err)
				}
			})
		}
		all.Wait()
		testkit.UntilTrue(t, 40*time.Second, "the stream's place is free", func() bool { return open() == 0 })
	})
	t.Run("over HTTP/1.1 while others read", func(t *testing.T) {
		w := w.in(t)
		_, claims, _ := parts(t, agent.bearer)
		events := w.stretch(claims["tenant"].(string), phaseID, 24<<20)
		var stuck []*tls.Conn

		for range 4 {
			conn := w.dialTLS("http/1.1")
			// Left alone, a system may keep all of the stream for a program that does not read.
			if err := conn.NetConn().(*net.TCPConn).SetReadBuffer(64 << 10); err != nil {
				t.Fatal(err)
			}
			if _, err := fmt.Fprintf(conn, "GET /v1/agent/%s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n\r\n", phaseID, agent.bearer); err != nil {
				t.Fatal(err)
			}
			stuck = append(stuck, conn)
		}
		testkit.UntilTrue(t, 40*time.Second, "their streams are open", func() bool { return open() == 4 })
		// One who reads gets everything meanwhile: on a busy machine at more than one try.
		frames := stored(w.watch(agent.bearer, phaseID).all())
		for tries := 1; tries < 5 && len(frames) > 0 && frames[len(frames)-1].kind != api.EventPhaseEnd; tries++ {
			place := frames[len(frames)-1].id
			frames = append(frames, stored(w.watch(agent.bearer, phaseID, "Last-Event-ID", place).all())...)
		}
		if len(frames) != events || frames[len(frames)-1].kind != api.EventPhaseEnd {
			t.Errorf("the reader got %d of %d events", len(frames), events)
		}
		testkit.UntilTrue(t, time.Minute, "those who do not read have no place", func() bool { return open() == 0 })
		// Their places are free as soon as the system has taken what was left of the streams; the gateway waits longer.
		pause(t, patience+patience/2)

		for _, conn := range stuck {
			_ = conn.SetDeadline(time.Now().Add(150 * time.Second)) // longer than a system waits to send again
			answer := bufio.NewReader(conn)
			if line, err := answer.ReadString('\n'); err != nil || !strings.Contains(line, "200") {
				t.Fatalf("no stream was opened: %q, %v", line, err)
			}
			got, err := io.Copy(io.Discard, answer)
			if err == nil && got >= 24<<20 {
				t.Errorf("a reader that did not read got all %d bytes in the end", got)
			}
			var late net.Error
			if errors.As(err, &late) && late.Timeout() {
				t.Errorf("the connection of a reader that did not read is still open")
			}
		}
	})
}
