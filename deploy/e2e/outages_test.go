package e2e_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/uuid"
	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/gateway"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
	"go.mongodb.org/mongo-driver/v2/bson"
)

func TestS31RedisStopped(t *testing.T) {
	t.Parallel()
	store := stores.RedisServer(t)
	w := start(t, unlimited("REDIS_URL", store.URL()))
	agent := w.connect(ada)
	caseID, _ := w.newCase(agent.bearer)
	token := w.registrationToken(ben)
	host := w.cardHost()
	header, claims, _ := parts(t, agent.bearer)
	forged := signed(t, jwt.SigningMethodES256, signingKey(t), header, claims)
	fresh := w.token(cara) // signed in at the provider, and never seen by the service
	store.Stop()

	for _, route := range gateway.Routes() {
		if route.Public || route.Users || route.Apps {
			continue
		}
		path := strings.NewReplacer(":caseId", caseID, ":agentId", agent.AgentID).Replace(route.Path)
		a := w.send(route.Method, address(path), agent.bearer, "")
		a.refused(t, route.Method+" "+path+" with a valid bearer", http.StatusServiceUnavailable, "unavailable")
		a.discreet(t, path)
		w.send(route.Method, address(path), forged, "").refused(t, route.Method+" "+path+" with a forged bearer", http.StatusUnauthorized, "unauthenticated")
	}
	w.send(http.MethodGet, "/v1/me", "", "").refused(t, "no credential", http.StatusUnauthorized, "unauthenticated")

	for what, a := range map[string]answer{
		"exchange": w.send(http.MethodPost, "/v1/auth/token", "", `{"api_key":"`+agent.SharedAPIKey+`"}`), "registration": w.register(token, host.url),
		"registration token": w.send(http.MethodPost, "/v1/agents/registration-token", w.token(ben), ""), "a first sign-in": w.send(http.MethodGet, "/v1/me", fresh, ""),
		"run": w.post(w.token(ben), task(uuid.NewString(), api.CaseReq, question)).answer, "disconnection": w.send(http.MethodDelete, "/v1/agents/"+agent.AgentID, w.token(ada), ""),
	} {
		if a.status < 500 && a.status >= 400 && what == "run" {
			continue // nothing is granted where there is no case
		}
		a.refused(t, what, http.StatusServiceUnavailable, "unavailable")
		a.discreet(t, what)
	}
	if !store.Durable() {
		return // what the embedded Redis knew is gone
	}
	store.Start()
	testkit.Until(t, testkit.Patience, func() error {
		if a := w.send(http.MethodGet, "/v1/cases", agent.bearer, ""); a.status != http.StatusOK && a.status != http.StatusUnauthorized {
			return fmt.Errorf("%d %s", a.status, a.body)
		}

		return nil
	})
	// The disconnection that broke off half way is finished or can be repeated; either way nothing of the agent is
	// left then. Each service sees for itself that Redis is back, and says until then that the call is to be
	// repeated.
	testkit.Until(t, testkit.Patience, func() error {
		a := w.send(http.MethodDelete, "/v1/agents/"+agent.AgentID, w.token(ada), "")
		if a.status != http.StatusNoContent && a.status != http.StatusNotFound {
			return fmt.Errorf("disconnect again: %d %s", a.status, a.body)
		}

		return nil
	})
	w.refuses("the bearer of the agent", agent.bearer)
	testkit.Until(t, testkit.Patience, func() error { // the token that could not be used is as good as before
		if a := w.register(token, host.url); a.status != http.StatusCreated {
			return fmt.Errorf("register: %d %s", a.status, a.body)
		}

		return nil
	})
}

func TestS31RedisAwayForAMoment(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	link := stores.Cut(t, w.redis)
	if err := w.stop(); err != nil {
		t.Fatal(err)
	}
	w = start(t, unlimited("REDIS_URL", link.URL()))
	agent := w.connect(ada)
	w.takes("before", agent.bearer)

	for name, fault := range map[string]func(){"cut": link.Break, "stalled": link.Stall} {
		t.Run(name, func(t *testing.T) {
			w := w.in(t)
			fault()

			for range 3 {
				w.send(http.MethodGet, "/v1/cases", agent.bearer, "").refused(t, "while it lasts", http.StatusServiceUnavailable, "unavailable")
			}
			link.Mend()
			testkit.Until(t, testkit.Patience, func() error {
				if a := w.send(http.MethodGet, "/v1/cases", agent.bearer, ""); a.status != http.StatusOK {
					return fmt.Errorf("%d %s", a.status, a.body)
				}

				return nil
			})
		})
	}
}

// mongoWorld starts a world whose way to MongoDB can be cut.
func mongoWorld(t *testing.T, more ...string) (*world, *stores.Link) {
	t.Helper()
	link := stores.Cut(t, stores.MongoURI(t))

	return start(t, unlimited(append([]string{"MONGODB_URI", link.URL(), "MONGODB_TIMEOUT", "2s"}, more...)...)), link
}

func TestMongoDBDown(t *testing.T) {
	t.Parallel()
	w, link := mongoWorld(t)
	agent := w.connect(ada)
	caseID, fileID := w.newCase(agent.bearer)
	token, host := w.registrationToken(ben), w.cardHost()
	job := task(caseID, api.CaseReq, question)
	link.Break()
	requests := map[string]*http.Request{
		"create a case": w.request(http.MethodPost, "/v1/cases", agent.bearer, strings.NewReader(`{"title":"Never"}`)), "list cases": w.request(http.MethodGet, "/v1/cases", agent.bearer, nil),
		"read a case": w.request(http.MethodGet, "/v1/cases/"+caseID, agent.bearer, nil), "delete a case": w.request(http.MethodDelete, "/v1/cases/"+caseID, w.token(ada), nil),
		"upload":      w.request(http.MethodPost, "/v1/cases/"+caseID+"/files", agent.bearer, strings.NewReader("Another text."), "Content-Type", "text/plain"),
		"read a text": w.request(http.MethodGet, "/v1/cases/"+caseID+"/files/"+fileID+"/text", agent.bearer, nil), "read bytes": w.request(http.MethodGet, "/v1/cases/"+caseID+"/files/"+fileID+"/content", agent.bearer, nil),
		"run": w.request(http.MethodPost, "/v1/agent", agent.bearer, strings.NewReader(encoded(t, job))), "refuse an identity": w.request(http.MethodPost, "/v1/cases", agent.bearer, strings.NewReader(`{"email":"x"}`)),
		"exchange": w.request(http.MethodPost, "/v1/auth/token", "", strings.NewReader(`{"api_key":"`+agent.SharedAPIKey+`"}`)), "ask for a registration token": w.request(http.MethodPost, "/v1/agents/registration-token", w.token(cara), nil),
		"register": w.request(http.MethodPost, "/v1/agents/register", "", strings.NewReader(registration(t, token, host.url))), "disconnect": w.request(http.MethodDelete, "/v1/agents/"+agent.AgentID, w.token(ada), nil),
		"my agent": w.request(http.MethodGet, "/v1/agents/me", w.token(ada), nil), "me": w.request(http.MethodGet, "/v1/me", agent.bearer, nil),
	}

	var names []string
	for name := range requests {
		names = append(names, name)
	}

	for i, a := range w.race(len(names), func(i int) *http.Request { return requests[names[i]] }) {
		a.refused(t, names[i], http.StatusServiceUnavailable, "unavailable")
		a.discreet(t, names[i])
	}
	link.Mend()
	testkit.Until(t, testkit.Patience, func() error {
		if a := w.send(http.MethodGet, "/v1/cases", agent.bearer, ""); a.status != http.StatusOK {
			return fmt.Errorf("%d %s", a.status, a.body)
		}

		return nil
	})
	page := into[api.Page[api.CaseRow]](t, w.send(http.MethodGet, "/v1/cases", agent.bearer, ""), http.StatusOK)
	files := into[api.Page[api.File]](t, w.send(http.MethodGet, "/v1/cases/"+caseID+"/files", agent.bearer, ""), http.StatusOK)
	if len(page.Items) != 1 || len(files.Items) != 1 || files.Items[0].FileID != fileID {
		t.Errorf("after the outage there are %d cases and %d files, want what was there before", len(page.Items), len(files.Items))
	}
	w.watch(agent.bearer, job.SeedPhase.PhaseID).answer.refused(t, "the phase that was not begun", http.StatusNotFound, "not_found")
	checkStream(t, job.SeedPhase.PhaseID, w.post(agent.bearer, job).all())
	into[api.RegisteredAgent](t, w.register(token, host.url), http.StatusCreated)
}

// TestMongoDBLostWhileWriting cuts the way to MongoDB at random moments of a creation with its upload. What was acknowledged must be
// there whole; what was not must be there whole or not at all, and a repetition under the same key must give one thing.
func TestMongoDBLostWhileWriting(t *testing.T) {
	t.Parallel()
	w, link := mongoWorld(t)
	agent := w.connect(ada)
	into[api.Case](t, w.send(http.MethodPost, "/v1/cases", agent.bearer, "{}"), http.StatusCreated)
	var all []write

	for round := range 6 {
		body := fmt.Sprintf("# Agreement %d\n\n1. [Party 1] pays [Party 2] within %d days.\n", round, round+10)
		key := uuid.NewString()
		var made, kept answer
		var done sync.WaitGroup
		done.Go(func() {
			made, _ = fetch(w.http, w.request(http.MethodPost, "/v1/cases", agent.bearer, strings.NewReader(`{"tags":["cut"]}`), "Idempotency-Key", key))
			if location := made.header.Get("Location"); made.status == http.StatusCreated {
				kept, _ = fetch(w.http, w.request(http.MethodPost, location+"/files", agent.bearer, strings.NewReader(body), "Content-Type", "text/markdown"))
			}
		})
		pause := time.NewTimer(time.Duration(rand.IntN(40_000)) * time.Microsecond)
		<-pause.C
		link.Break()
		pause.Reset(50 * time.Millisecond)
		<-pause.C
		link.Mend()
		done.Wait()

		for what, a := range map[string]answer{"create": made, "upload": kept} {
			if a.status != 0 && a.status != http.StatusCreated {
				a.refused(t, what, http.StatusServiceUnavailable, "unavailable")
				a.discreet(t, what)
			}
		}
		all = append(all, write{key, body, made, kept})
	}

	for _, one := range all { // a key whose work failed without a trace is free again after its lease, so all wait at once
		w.repeated(agent.bearer, one)
	}
}

// write is a creation and its upload, and what they were answered.
type write struct {
	key, body  string
	made, kept answer
}

// repeated sends a creation, under its key, and its upload again until both are done, and checks that there is one of each.
func (w *world) repeated(bearer string, one write) {
	w.t.Helper()
	key, body, made, kept := one.key, one.body, one.made, one.kept
	again := func(path, body string, headers ...string) answer {
		var a answer
		testkit.Until(w.t, testkit.Patience, func() error {
			a = w.send(http.MethodPost, path, bearer, body, headers...)
			if a.status == http.StatusServiceUnavailable || a.status == http.StatusConflict && a.err.Error == "idempotency_in_progress" {
				return errors.New(a.err.Error)
			}

			return nil
		})

		return a
	}
	second := into[api.Case](w.t, again("/v1/cases", `{"tags":["cut"]}`, "Idempotency-Key", key), http.StatusCreated)
	if made.status == http.StatusCreated && into[api.Case](w.t, made, http.StatusCreated).CaseID != second.CaseID {
		w.t.Errorf("the creation was done twice: %s and %s", made.body, second.CaseID)
	}
	a := again("/v1/cases/"+second.CaseID+"/files", body, "Content-Type", "text/markdown")
	if a.status != http.StatusCreated && a.status != http.StatusOK {
		w.t.Fatalf("upload again: %d %s", a.status, a.body)
	}
	files := into[api.Page[api.File]](w.t, w.send(http.MethodGet, "/v1/cases/"+second.CaseID+"/files", bearer, ""), http.StatusOK).Items
	if len(files) != 1 || files[0].Status != "active" {
		w.t.Fatalf("the case has the files %+v, want one", files)
	}
	if kept.status == http.StatusCreated && !bytes.Contains(kept.body, []byte(files[0].FileID)) {
		w.t.Errorf("the file is %s, acknowledged was %s", files[0].FileID, kept.body)
	}
	path := "/v1/cases/" + second.CaseID + "/files/" + files[0].FileID
	if content := w.send(http.MethodGet, path+"/content", bearer, ""); content.status != http.StatusOK || string(content.body) != body {
		w.t.Errorf("content: %d %q, want %q", content.status, content.body, body)
	}
	if text := into[api.FileText](w.t, w.send(http.MethodGet, path+"/text", bearer, ""), http.StatusOK); !strings.Contains(text.Text, "pays [Party 2]") {
		w.t.Errorf("text = %q", text.Text)
	}
	w.oneRootBranch(second)
}

// oneRootBranch checks that a case has its timeline and its root branch, once each.
func (w *world) oneRootBranch(c api.Case) {
	w.t.Helper()

	for collection, id := range map[string]string{"timelines": c.TimelineID, "branches": c.ActiveBranchID} {
		n, err := w.database("CASE_DATABASE").Collection(collection).CountDocuments(w.t.Context(), bson.D{{Key: "_id", Value: "o:oak/" + id}})
		if err != nil {
			w.t.Fatal(err)
		}
		if n != 1 {
			w.t.Errorf("case %s has %d of its %s", c.CaseID, n, collection)
		}
	}
}

func TestRedisLostDuringARun(t *testing.T) {
	t.Parallel()
	store := stores.RedisServer(t)
	if !store.Durable() {
		t.Skip("needs a Redis that keeps what it has acknowledged")
	}
	w, cases := heldWorld(t, "REDIS_URL", store.URL())
	agent := w.connect(ada)
	caseID, _ := w.newCase(agent.bearer)
	cases.hold(false, searches)
	job := task(caseID, api.CaseReq, question)
	stream := w.post(agent.bearer, job)
	cases.awaitHeld(t)
	store.Stop()
	w.post(agent.bearer, job).answer.refused(t, "the same task while Redis is away", http.StatusServiceUnavailable, "unavailable")
	w.watch(agent.bearer, job.SeedPhase.PhaseID).answer.refused(t, "its stream while Redis is away", http.StatusServiceUnavailable, "unavailable")
	stream.until("heartbeat while Redis is away", kind(api.EventHeartbeat))
	store.Start()
	cases.letGo()
	frames := stored(stream.all())
	if !slices.ContainsFunc(frames, kind(api.EventPhaseEnd)) { // the stream may break off, never fall silent
		var got []frame
		testkit.Until(t, testkit.Patience, func() error {
			again := w.post(agent.bearer, job, "Last-Event-ID", frames[len(frames)-1].id)
			if again.status != http.StatusOK {
				return fmt.Errorf("%d %s", again.status, again.answer.body)
			}
			got = stored(again.all())

			return nil
		})
		frames = append(frames, got...)
	}
	if end := checkStream(t, job.SeedPhase.PhaseID, frames); end != api.PhaseCompleted && end != api.PhaseFailed {
		t.Errorf("the run ended %s", end)
	}
}

func TestS62FailuresSayNothingOfTheInside(t *testing.T) {
	t.Parallel()
	w, link := mongoWorld(t, "GATEWAY_CALL_TIME", "3s")
	agent := w.connect(ada)

	caseID, _ := w.newCase(agent.bearer)
	for what, a := range map[string]answer{
		"broken JSON": w.send(http.MethodPost, "/v1/cases", agent.bearer, `{"title":`), "type": w.send(http.MethodPost, "/v1/cases", agent.bearer, `{"title":{"a":1}}`),
		"number too large": w.send(http.MethodPost, "/v1/cases", agent.bearer, `{"title":1e999}`), "id": w.send(http.MethodGet, "/v1/cases/%24where", agent.bearer, ""),
		"cursor": w.send(http.MethodGet, "/v1/cases?cursor=AAAA", agent.bearer, ""), "boundary": w.send(http.MethodPost, "/v1/cases/"+caseID+"/files", agent.bearer, "--x\r\n", "Content-Type", "multipart/form-data; boundary=x"),
		"range": w.send(http.MethodGet, "/v1/cases?updatedSince=99999-01-01T00:00:00Z", agent.bearer, ""), "method": w.send("FOO", "/v1/cases", agent.bearer, ""), "route": w.send(http.MethodGet, "/v1/../etc/passwd", agent.bearer, ""),
		"damaged PDF":  w.send(http.MethodPost, "/v1/cases/"+caseID+"/files", agent.bearer, "%PDF-1.7\nbroken", "Content-Type", "application/pdf"),
		"damaged DOCX": w.send(http.MethodPost, "/v1/cases/"+caseID+"/files", agent.bearer, "PK\x03\x04broken", "Content-Type", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
	} {
		if a.status < 400 || a.status >= 500 {
			t.Errorf("%s: %d %s, want 4xx", what, a.status, a.body)
		}
		a.refused(t, what, a.status)
		a.discreet(t, what)
	}
	link.Stall()
	a := w.send(http.MethodGet, "/v1/cases/"+caseID, agent.bearer, "")
	a.refused(t, "a store that does not answer", http.StatusServiceUnavailable, "unavailable")
	a.discreet(t, "a store that does not answer")
	link.Mend()
}

// Redis loses the newest events of a run that goes on. A reader that saw them gets the rest and no number twice; one
// that did not is told which are gone.
func TestARedisThatLostEventsOfARun(t *testing.T) {
	t.Parallel()
	store := stores.RedisServer(t)
	if !store.Durable() {
		t.Skip("needs a Redis that keeps what it has acknowledged")
	}
	w, cases := heldWorld(t, "REDIS_URL", store.URL())
	agent := w.connect(ada)
	caseID, _ := w.newCase(agent.bearer)
	cases.hold(false, searches)
	job := task(caseID, api.CaseReq, question)
	stream := w.post(agent.bearer, job)
	cases.awaitHeld(t)
	seen := stream.until("heartbeat behind the search", kind(api.EventHeartbeat)).payload(t).LastSeq

	const lost = 2
	store.Stop()
	store.Start()
	loseNewest(t, store.URL(), "ev:{o:oak/"+job.SeedPhase.PhaseID+"}", lost)
	cases.letGo()

	for name, tc := range map[string]struct {
		after int
		want  string
	}{
		"who saw them":          {seen, ""},
		"who saw one of them":   {seen - 1, fmt.Sprintf("%d-%d", seen, seen)},
		"who saw none of them":  {seen - lost, fmt.Sprintf("%d-%d", seen-1, seen)},
		"who saw nothing":       {0, fmt.Sprintf("%d-%d", seen-1, seen)},
		"who saw them, again":   {seen, ""},
		"who saw nothing again": {0, fmt.Sprintf("%d-%d", seen-1, seen)},
	} {
		if gaps := strings.Join(w.gapsAfter(t, agent.bearer, job, tc.after), " "); gaps != tc.want {
			t.Errorf("%s is told of the gaps %q, want %q", name, gaps, tc.want)
		}
	}
}

// gapsAfter reads a run to its end from behind a number, and returns the gaps that it is told of. Apart from them no
// number may be missing or come twice.
func (w *world) gapsAfter(t *testing.T, bearer string, job api.AgentTask, seen int) (gaps []string) {
	t.Helper()
	var frames []frame
	testkit.Until(t, testkit.Patience, func() error {
		again := w.post(bearer, job, "Last-Event-ID", fmt.Sprintf("%s:%d", job.SeedPhase.PhaseID, seen))
		if again.status != http.StatusOK {
			return fmt.Errorf("%d %s", again.status, again.answer.body)
		}
		if frames = again.all(); !slices.ContainsFunc(frames, kind(api.EventPhaseEnd)) {
			return errors.New("the stream broke off before its end")
		}

		return nil
	})

	next := seen + 1

	for _, f := range frames {
		p := f.payload(t)
		switch {
		case p.Gap != nil && p.Gap.From == next:
			gaps = append(gaps, fmt.Sprintf("%d-%d", p.Gap.From, p.Gap.To))
			next = p.Gap.To + 1
		case p.Gap != nil:
			t.Errorf("a gap from %d to %d, want one from %d", p.Gap.From, p.Gap.To, next)
		case f.id != "" && seqOf(f) != next:
			t.Fatalf("number %d, want %d: %s", seqOf(f), next, f.text())
		case f.id != "":
			next++
		}
	}

	return gaps
}

// loseNewest takes the newest events out of a log, as a Redis that failed over may have.
func loseNewest(t *testing.T, url, key string, n int64) {
	t.Helper()
	options, err := redis.ParseURL(url)
	if err != nil {
		t.Fatal(err)
	}
	rdb := redis.NewClient(options)
	t.Cleanup(func() { _ = rdb.Close() })

	newest, err := rdb.XRevRangeN(t.Context(), key, "+", "-", n).Result()
	if err != nil || len(newest) != int(n) {
		t.Fatalf("%d events, %v", len(newest), err)
	}
	all, err := rdb.XRange(t.Context(), key, "-", "+").Result()
	if err != nil || rdb.Del(t.Context(), key).Err() != nil {
		t.Fatalf("take the log away: %v", err)
	}

	for _, e := range all[:len(all)-int(n)] { // written anew, since a log remembers its highest number
		if err := rdb.XAdd(t.Context(), &redis.XAddArgs{Stream: key, ID: e.ID, Values: e.Values}).Err(); err != nil {
			t.Fatal(err)
		}
	}
}
