package e2e_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/deploy/internal/client"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// heldWorld starts a world in which calls to case-svc can be held back.
func heldWorld(t *testing.T, more ...string) (*world, *weir) {
	t.Helper()
	cases := newWeir(t)
	w := start(t, unlimited(append([]string{"CASE_URL", cases.server.URL, "AGENT_LEASE", "1500ms"}, more...)...))
	cases.to(w.Services["case-svc"].Addr())

	return w, cases
}

// searches fits the calls by which a run looks for passages.
func searches(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/search") }

const question = "What is agreed about termination and notice?"

func TestStreamsShowEveryEventAndEveryStatus(t *testing.T) {
	t.Parallel()
	w, cases := heldWorld(t)
	agent := w.connect(ada)
	caseID, _ := w.newCase(agent.bearer)
	seen := map[string]bool{}
	note := func(frames []frame) {
		for _, f := range frames {
			seen[f.kind] = true
			if f.kind == api.EventStatus {
				seen["status "+f.payload(t).Status] = true
			}
		}
	}

	cases.hold(false, searches)
	slow := task(caseID, api.CaseReq, question)
	stream := w.post(agent.bearer, slow)
	began := time.Now()
	older := w.in(t)
	older.http = w.http1()
	watched := older.watch(agent.bearer, slow.SeedPhase.PhaseID)

	for name, want := range map[string]string{"Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-store", "X-Accel-Buffering": "no", "Phase-Replay": ""} {
		if got := stream.header.Get(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	beat := stream.until("heartbeat", kind(api.EventHeartbeat))
	// A bound on what is wrong, no measurement.
	if after := beat.at.Sub(began); after < 2*time.Second || after > 12*time.Second {
		t.Errorf("the first heartbeat came after %v, want about 3 s", after)
	}
	if stream.proto != "HTTP/2.0" || watched.proto != "HTTP/1.1" {
		t.Errorf("protocols = %s and %s, want HTTP/2.0 and HTTP/1.1", stream.proto, watched.proto)
	}
	watched.until("heartbeat over HTTP/1.1", kind(api.EventHeartbeat))
	cases.letGo()
	frames := stream.all()
	if got := stored(watched.all()); texts(got) != texts(stored(frames)) {
		t.Errorf("over HTTP/1.1 came\n%s\nover HTTP/2\n%s", texts(got), texts(frames))
	}
	if end := checkStream(t, slow.SeedPhase.PhaseID, frames); end != api.PhaseCompleted {
		t.Errorf("the slow run ended %s:\n%s", end, texts(frames))
	}
	note(frames)

	evaluation := task(caseID, api.EvalReq, "Evaluate this case.")
	frames = w.post(agent.bearer, evaluation).all()
	if end := checkStream(t, evaluation.SeedPhase.PhaseID, frames); end != api.PhaseCompleted {
		t.Errorf("the evaluation ended %s:\n%s", end, texts(frames))
	}
	note(frames)

	cases.hold(false, searches)
	cancelled := task(caseID, api.CaseReq, question)
	stream = w.post(agent.bearer, cancelled)
	cases.awaitHeld(t)
	cases.awaitHeld(t) // the first arrival was that of the slow run
	if a := w.send(http.MethodDelete, "/v1/agent/"+cancelled.SeedPhase.PhaseID, agent.bearer, ""); a.status != http.StatusAccepted {
		t.Errorf("cancel: %d %s, want 202", a.status, a.body)
	}
	frames = stream.all()
	cases.letGo()
	if end := checkStream(t, cancelled.SeedPhase.PhaseID, frames); end != api.PhaseCancelled {
		t.Errorf("the cancelled run ended %s:\n%s", end, texts(frames))
	}
	if e := stream.until("error", kind(api.EventError)).payload(t); e.Error != "cancelled" {
		t.Errorf("error = %q, want cancelled", e.Error)
	}
	note(frames)
	w.send(http.MethodDelete, "/v1/agent/"+cancelled.SeedPhase.PhaseID, agent.bearer, "").refused(t, "cancel twice", http.StatusConflict, "invalid_transition")

	for _, k := range kinds {
		if !seen[k] {
			t.Errorf("no %s event occurred", k)
		}
	}

	for _, s := range statusesOfRuns {
		if !seen["status "+s] {
			t.Errorf("no status %s occurred", s)
		}
	}
}

func TestStreamsAreResumedAndReplayed(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	agent := w.connect(ada)
	caseID, _ := w.newCase(agent.bearer)
	job := task(caseID, api.CaseReq, question)
	phaseID := job.SeedPhase.PhaseID
	whole := stored(w.post(agent.bearer, job).all())
	checkStream(t, phaseID, whole)
	id := func(n int) string { return fmt.Sprintf("%s:%d", phaseID, n) }

	t.Run("places", func(t *testing.T) {
		w := w.in(t)

		last := len(whole)
		for _, tc := range []struct{ after, first int }{{0, 1}, {1, 2}, {2, 3}, {last - 2, last - 1}, {last - 1, last}, {last, 0}, {last + 1, 1}, {999_999_999, 1}} {
			want := whole[last:]
			if tc.first > 0 {
				want = whole[tc.first-1:]
			}

			for how, stream := range map[string]*follower{
				"POST by the agent": w.post(agent.bearer, job, "Last-Event-ID", id(tc.after)), "GET by the agent": w.watch(agent.bearer, phaseID, "Last-Event-ID", id(tc.after)),
				"GET by its user": w.watch(w.token(ada), phaseID, "Last-Event-ID", id(tc.after)), "GET by a colleague": w.watch(w.token(cara), phaseID, "Last-Event-ID", id(tc.after)),
			} {
				if tc.after == last && strings.HasPrefix(how, "GET") {
					if stream.status != http.StatusNoContent || len(stream.answer.body) > 0 {
						t.Errorf("%s after the last event: %d %s, want 204", how, stream.status, stream.answer.body)
					}

					continue
				}
				if got := stored(stream.all()); texts(got) != texts(want) {
					t.Errorf("%s after %d:\n%s\nwant\n%s", how, tc.after, texts(got), texts(want))
				}
				if stream.header.Get("Phase-Replay") != "true" {
					t.Errorf("%s: no Phase-Replay: true", how)
				}
			}
		}
	})
	t.Run("places that are none", func(t *testing.T) {
		w := w.in(t)
		for _, place := range []string{uuid.NewString() + ":3", phaseID, phaseID + ":", phaseID + ":-1", phaseID + ":1.5", phaseID + ":1 ", phaseID + ":0x1", phaseID + ":1234567890", "3", strings.ToUpper(phaseID) + ":1", phaseID + ":１"} {
			for how, stream := range map[string]*follower{"POST": w.post(agent.bearer, job, "Last-Event-ID", place), "GET": w.watch(agent.bearer, phaseID, "Last-Event-ID", place)} {
				if strings.HasSuffix(place, " ") { // white space around a header's value is not part of it
					stream.leave()
					continue
				}
				stream.answer.refused(t, how+" after "+place, http.StatusBadRequest, "invalid_parameter")
			}
		}
	})
	t.Run("same phase, another body", func(t *testing.T) {
		w := w.in(t)

		for name, change := range map[string]func(*api.AgentTask){
			"prompt": func(a *api.AgentTask) { a.Prompt += " Please." }, "type": func(a *api.AgentTask) { a.RequestType = api.EvalReq },
			"session": func(a *api.AgentTask) { a.SessionID = "session-" + uuid.NewString() }, "options": func(a *api.AgentTask) { a.Options = &api.TaskOptions{MaxSeconds: 60} },
		} {
			other := job
			change(&other)
			w.post(agent.bearer, other).answer.refused(t, name, http.StatusConflict, "phase_conflict")
		}
	})
	t.Run("another tenant", func(t *testing.T) {
		w := w.in(t)
		rival := w.connect(ben)
		random := w.watch(rival.bearer, uuid.NewString()).answer
		random.refused(t, "random id", http.StatusNotFound, "not_found")

		for who, bearer := range map[string]string{"agent": rival.bearer, "user": w.token(ben)} {
			for what, a := range map[string]answer{
				"GET": w.watch(bearer, phaseID).answer, "POST": w.post(bearer, job).answer, "DELETE": w.send(http.MethodDelete, "/v1/agent/"+phaseID, bearer, ""),
				"GET with a place": w.watch(bearer, phaseID, "Last-Event-ID", id(2)).answer,
			} {
				a.refused(t, what+" by the "+who, http.StatusNotFound, "not_found")
				if !bytes.Equal(withoutRequestID(a), withoutRequestID(random)) {
					t.Errorf("%s by the %s: %s, want what a random id gets: %s", what, who, a.body, random.body)
				}
			}
		}
		// A phase id is the client's own: the same one in another tenant is another phase.
		theirs, _ := w.newCase(rival.bearer)
		own := task(theirs, api.CaseReq, question)
		own.SeedPhase.PhaseID = phaseID
		frames := w.post(rival.bearer, own).all()
		if end := checkStream(t, phaseID, frames); end != api.PhaseCompleted {
			t.Errorf("the other tenant's run ended %s", end)
		}
		if got := stored(w.watch(agent.bearer, phaseID).all()); texts(got) != texts(whole) {
			t.Errorf("the first tenant's stream has changed:\n%s", texts(got))
		}
	})
	t.Run("what is accepted", func(t *testing.T) {
		w := w.in(t)
		for accept, want := range map[string]int{
			"text/event-stream": 200, "*/*": 200, "": 200, "text/*": 200, "application/json, text/event-stream;q=0.5": 200, "TEXT/EVENT-STREAM": 200,
			"application/json": 406, "text/html": 406, "text/event-stream;q=0": 406, "application/*": 406,
		} {
			for how, stream := range map[string]*follower{"POST": w.post(agent.bearer, job, "Accept", accept), "GET": w.watch(agent.bearer, phaseID, "Accept", accept)} {
				if stream.leave(); stream.status != want {
					t.Errorf("%s with Accept %q: %d, want %d", how, accept, stream.status, want)
				} else if want == http.StatusNotAcceptable {
					stream.answer.refused(t, how+" "+accept, want, "not_acceptable")
				}
			}
		}
	})
	t.Run("32 who send the same at once", func(t *testing.T) {
		w := w.in(t)
		raced := task(caseID, api.CaseReq, question)
		body, err := json.Marshal(raced)
		if err != nil {
			t.Fatal(err)
		}
		answers := w.race(32, func(int) *http.Request {
			return w.request(http.MethodPost, "/v1/agent", agent.bearer, bytes.NewReader(body), "Accept", "text/event-stream")
		})
		starts := 0

		for i, a := range answers {
			var frames []frame
			if err := readFrames(bufio.NewReader(bytes.NewReader(a.body)), func(f frame) { frames = append(frames, f) }); err != nil || a.status != http.StatusOK {
				t.Fatalf("reader %d: %d, %v: %s", i, a.status, err, a.body)
			}
			checkStream(t, raced.SeedPhase.PhaseID, frames)
			if a.header.Get("Phase-Replay") == "" {
				starts++
			}
			if i > 0 && !bytes.Equal(withoutBeats(a.body), withoutBeats(answers[0].body)) {
				t.Errorf("reader %d got other events than reader 0", i)
			}
		}
		if starts != 1 {
			t.Errorf("%d of them began the run, want 1", starts)
		}
	})
}

// withoutBeats is the events of a whole stream.
func withoutBeats(body []byte) []byte {
	var kept []frame
	_ = readFrames(bufio.NewReader(bytes.NewReader(body)), func(f frame) { kept = append(kept, f) })

	return []byte(texts(stored(kept)))
}

// TestStreamsCutAnywhere cuts connections at random bytes, of the answer as it comes over the connection, and resumes until the end.
func TestStreamsCutAnywhere(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	agent := w.connect(ada)
	caseID, _ := w.newCase(agent.bearer)
	first := task(caseID, api.CaseReq, question)
	whole := stored(w.post(agent.bearer, first).all())
	size := len(texts(whole))

	// cutOnce sends the task with the place reached, reads on for n bytes and hangs up; it reports whether the stream came to its end.
	cutOnce := func(job api.AgentTask, got []frame, n int) ([]frame, bool) {
		body, err := json.Marshal(job)
		if err != nil {
			t.Fatal(err)
		}
		req := w.request(http.MethodPost, "/v1/agent", agent.bearer, bytes.NewReader(body), "Accept", "text/event-stream")
		if len(got) > 0 {
			req.Header.Set("Last-Event-ID", got[len(got)-1].id)
		}
		resp, err := w.http.Do(req)
		if err != nil {
			t.Fatal(err)
		}

		defer func() { _ = resp.Body.Close() }()
		if resp.StatusCode != http.StatusOK {
			text, _ := io.ReadAll(resp.Body)
			t.Fatalf("resume after %d: %d %s", len(got), resp.StatusCode, text)
		}
		if err := readFrames(bufio.NewReader(io.LimitReader(resp.Body, int64(n))), func(f frame) { got = append(got, stored([]frame{f})...) }); err != nil {
			t.Fatal(err)
		}

		return got, len(got) > 0 && got[len(got)-1].kind == api.EventPhaseEnd
	}
	// Streams that have ended, cut once at any byte.
	for range 40 {
		at := rand.IntN(size + 20)
		got, ended := cutOnce(first, nil, at)
		if !ended {
			got, ended = cutOnce(first, got, 10*size)
		}
		if !ended || texts(got) != texts(whole) {
			t.Errorf("cut at byte %d of %d: the union is\n%s\nwant\n%s", at, size, texts(got), texts(whole))
		}
	}
	// Runs under way, cut again and again until they end.
	for range 5 {
		job := task(caseID, api.CaseReq, question)
		var got []frame

		cuts, ended := 0, false
		for ; !ended && cuts < 200; cuts++ {
			got, ended = cutOnce(job, got, 1+rand.IntN(size/2))
		}
		checkStream(t, job.SeedPhase.PhaseID, got)
		if again := stored(w.watch(agent.bearer, job.SeedPhase.PhaseID).all()); texts(again) != texts(got) {
			t.Errorf("after %d cuts the union is\n%s\nwant\n%s", cuts, texts(got), texts(again))
		}
	}
	// The client that people use resumes by itself.
	job := task(caseID, api.CaseReq, question)
	var events []client.Event
	if err := w.as(agent.bearer).Run(t.Context(), job, func(e client.Event) error { events = append(events, e); return nil }, nil); err != nil {
		t.Fatal(err)
	}
	events = slices.DeleteFunc(events, func(e client.Event) bool { return e.ID == "" })
	want := stored(w.watch(agent.bearer, job.SeedPhase.PhaseID).all())
	if len(events) != len(want) {
		t.Fatalf("the client saw %d events, want %d", len(events), len(want))
	}

	for i, e := range events {
		if e.ID != want[i].id || e.Kind != want[i].kind || !bytes.Equal(e.Data, want[i].data) {
			t.Errorf("event %d at the client: %s %s", i, e.ID, e.Kind)
		}
	}
}

func TestStreamsAtOnceAreCounted(t *testing.T) {
	t.Parallel()
	w, cases := heldWorld(t, "AGENT_STREAMS_PER_CALLER", "2", oneProcess, "agent-svc")
	agent := w.connect(ada)
	caseID, _ := w.newCase(agent.bearer)
	cases.hold(false, searches)
	job := task(caseID, api.CaseReq, question)
	first := w.post(agent.bearer, job)
	first.until("phase_start", kind(api.EventPhaseStart))
	second := w.watch(agent.bearer, job.SeedPhase.PhaseID)
	second.until("phase_start", kind(api.EventPhaseStart))
	w.watch(agent.bearer, job.SeedPhase.PhaseID).answer.refused(t, "a third", http.StatusTooManyRequests, "too_many_streams")
	w.post(agent.bearer, job).answer.refused(t, "the same task again", http.StatusTooManyRequests, "too_many_streams")
	others := w.watch(w.token(ada), job.SeedPhase.PhaseID)
	others.until("phase_start", kind(api.EventPhaseStart))
	second.leave()
	testkit.UntilTrue(t, 10*time.Second, "a place is free again", func() bool {
		third := w.watch(agent.bearer, job.SeedPhase.PhaseID)
		third.leave()

		return third.status == http.StatusOK
	})
	cases.letGo()
	checkStream(t, job.SeedPhase.PhaseID, first.all())
	checkStream(t, job.SeedPhase.PhaseID, others.all())
}

func TestS22DisconnectingAnAgentEndsItsStreams(t *testing.T) {
	t.Parallel()
	w, cases := heldWorld(t)
	agent, bystander := w.connect(ada), w.connect(ben)
	caseID, _ := w.newCase(agent.bearer)
	cases.hold(false, searches)
	job := task(caseID, api.CaseReq, question)
	stream, users := w.post(agent.bearer, job), w.watch(w.token(ada), job.SeedPhase.PhaseID)
	stream.until("phase_start", kind(api.EventPhaseStart))
	cases.awaitHeld(t)
	w.disconnect(ada)
	w.send(http.MethodGet, "/v1/me", agent.bearer, "").refused(t, "the next call", http.StatusUnauthorized, "unauthenticated")
	w.watch(agent.bearer, job.SeedPhase.PhaseID).answer.refused(t, "a stream", http.StatusUnauthorized, "unauthenticated")
	w.send(http.MethodPost, "/v1/auth/token", "", `{"api_key":"`+agent.SharedAPIKey+`"}`).refused(t, "an exchange", http.StatusUnauthorized, "invalid_api_key")
	testkit.UntilTrue(t, 10*time.Second, "the open stream ends", func() bool {
		stream.mu.Lock()
		defer stream.mu.Unlock()

		return stream.ended
	})

	for _, f := range stream.all() {
		if f.kind == api.EventPhaseEnd {
			t.Error("the stream has a phase_end although the run goes on")
		}
	}
	w.takes("another agent", bystander.bearer)
	// The run is the user's: it ends, and the user reads it to its end.
	cases.letGo()
	checkStream(t, job.SeedPhase.PhaseID, users.all())
}

func TestS22DisconnectingAnAgentEndsItsCalls(t *testing.T) {
	t.Parallel()
	registry := newWeir(t)
	w, cases := heldWorld(t, "REGISTRY_URL", registry.server.URL)
	registry.to(w.Services["registry-svc"].Addr())

	for path, held := range map[string]*weir{"/v1/cases": cases, "/v1/me": registry} {
		t.Run(path, func(t *testing.T) {
			w := w.in(t)
			agent := w.connect(ada)
			held.hold(false, func(r *http.Request) bool {
				return r.Method == http.MethodGet && (r.URL.Path == "/v1/cases" || r.URL.Path == "/internal/agents/me")
			})
			answered := make(chan answer, 1)

			req := w.request(http.MethodGet, path, agent.bearer, nil)
			go func() {
				a, err := fetch(w.http, req)
				if err != nil {
					t.Error(err)
				}
				answered <- a
			}()
			held.awaitHeld(t)
			if a := w.send(http.MethodDelete, "/v1/agents/"+agent.AgentID, w.token(ada), ""); a.status != http.StatusNoContent {
				t.Errorf("disconnect: %d %s", a.status, a.body)
			}
			(<-answered).refused(t, "the call under way", http.StatusUnauthorized, "unauthenticated")
			held.letGo()
		})
	}
}

// TestEventsThatRedisLost reads a run again of whose events Redis has lost some, as by a failover: what is kept comes as it was, the end is
// there whatever was lost, and each jump is announced.
func TestEventsThatRedisLost(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	agent := w.connect(ada)
	caseID, _ := w.newCase(agent.bearer)
	rdb := w.rdb()

	const all = 1 << 20
	for name, tc := range map[string]struct {
		kept  func(seq, n int) bool // of n events
		after int                   // how many before the last
		want  func(n int) string
	}{
		"its end":                      {func(seq, n int) bool { return seq <= n-2 }, all, func(n int) string { return span(1, n) }},
		"some in the middle":           {func(seq, _ int) bool { return seq < 3 || seq > 4 }, all, func(n int) string { return "1 2 gap3-4 " + span(5, n) }},
		"the newest":                   {func(seq, _ int) bool { return seq <= 3 }, all, func(n int) string { return fmt.Sprintf("1 2 3 gap4-%d %d %d", n-2, n-1, n) }},
		"the newest, read from beyond": {func(seq, _ int) bool { return seq <= 3 }, 2, func(n int) string { return fmt.Sprintf("%d %d", n-1, n) }},
		"all":                          {func(int, int) bool { return false }, all, func(n int) string { return fmt.Sprintf("gap1-1 2 gap3-%d %d %d", n-2, n-1, n) }},
		"all, read before the last":    {func(int, int) bool { return false }, 1, func(n int) string { return strconv.Itoa(n) }},
		"all, read from the last":      {func(int, int) bool { return false }, 0, func(int) string { return "" }},
	} {
		t.Run(name, func(t *testing.T) {
			w := w.in(t)
			job := task(caseID, api.CaseReq, question)
			whole := stored(w.post(agent.bearer, job).all())
			key := "ev:{o:oak/" + job.SeedPhase.PhaseID + "}"
			events, err := rdb.XRange(t.Context(), key, "-", "+").Result()
			if err != nil || len(events) != len(whole) || rdb.Del(t.Context(), key).Err() != nil {
				t.Fatalf("%d of %d events in Redis, %v", len(events), len(whole), err)
			}

			n := len(events)
			for i, e := range events {
				if !tc.kept(i+1, n) {
					continue
				}
				if err := rdb.XAdd(t.Context(), &redis.XAddArgs{Stream: key, ID: e.ID, Values: e.Values}).Err(); err != nil {
					t.Fatal(err)
				}
			}

			for range 2 { // the second reader gets what the first got
				place := fmt.Sprintf("%s:%d", job.SeedPhase.PhaseID, max(0, n-tc.after))
				reader := w.watch(agent.bearer, job.SeedPhase.PhaseID, "Last-Event-ID", place)
				if reader.status == http.StatusNoContent && tc.after == 0 {
					continue // whoever has the last event is told that nothing comes
				}
				frames := reader.all()
				var got []string

				for _, f := range frames {
					p := f.payload(t)
					switch {
					case f.id != "":
						got = append(got, strconv.Itoa(seqOf(f)))
						if was := whole[seqOf(f)-1]; f.kind != was.kind || f.kind != api.EventPhaseStart && !bytes.Equal(f.data, was.data) {
							t.Errorf("number %d reads %s, was %s", seqOf(f), f.text(), was.text())
						}
					case f.kind == api.EventStatus && p.Seq == 0 && p.Gap != nil:
						got = append(got, fmt.Sprintf("gap%d-%d", p.Gap.From, p.Gap.To))
					case f.kind != api.EventHeartbeat:
						t.Errorf("%s without a number", f.text())
					}
				}
				if strings.Join(got, " ") != tc.want(n) {
					t.Errorf("got %s, want %s", strings.Join(got, " "), tc.want(n))
				}
			}
		})
	}
}

func span(from, to int) string {
	var all []string
	for n := from; n <= to; n++ {
		all = append(all, strconv.Itoa(n))
	}

	return strings.Join(all, " ")
}
