package e2e_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/deploy/internal/client"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"go.mongodb.org/mongo-driver/v2/bson"
)

// withinAMinute is what a run may take to end after the death of its process.
const withinAMinute = time.Minute

// phaseEnds waits until a phase has ended and returns it.
func (w *world) phaseEnds(bearer, phaseID string) api.Phase {
	w.t.Helper()
	var p api.Phase
	testkit.Until(w.t, withinAMinute, func() error {
		a := w.send(http.MethodGet, "/v1/phases?phaseId="+phaseID, bearer, "")
		p = into[api.Phase](w.t, a, http.StatusOK)
		if p.EndedAt == nil {
			return fmt.Errorf("phase %s is %s, attempt %d", phaseID, p.Status, p.Attempt)
		}

		return nil
	})

	return p
}

// attemptsOf returns the numbers of the attempts that a stream tells of, and how many responses it has.
func attemptsOf(t *testing.T, frames []frame) (attempts []int, responses int) {
	t.Helper()

	for _, f := range frames {
		switch f.kind {
		case api.EventPhaseStart:
			attempts = append(attempts, f.payload(t).Attempt)
		case api.EventDirectResponse:
			responses++
		}
	}

	return attempts, responses
}

// reader follows a run as a client does, and notes each event once.
type reader struct {
	job    api.AgentTask
	events []client.Event
	err    error
}

// hasSeenAll wants a client to have seen each event of its run once.
func (r replicas) hasSeenAll(bearer string, rd reader) {
	r.t.Helper()

	var got strings.Builder
	for _, e := range rd.events {
		got.WriteString(frame{id: e.ID, kind: e.Kind, data: e.Data}.text())
	}

	want := texts(stored(r.watch(bearer, rd.job.SeedPhase.PhaseID).all()))
	if rd.err != nil || got.String() != want {
		r.t.Errorf("a client (%v) has seen\n%s\nof\n%s", rd.err, got.String(), want)
	}
}

// TestRunsSurviveTheirProcess kills one of two replicas while ten clients follow their runs there and ten have left
// theirs, twice: all of them end, with one response each, and every client has seen each event once.
func TestRunsSurviveTheirProcess(t *testing.T) {
	t.Parallel()
	const runs = 10
	r := startReplicas(t, "AGENT_SWEEP", "500ms")
	agent := r.connect(ada)
	var places []string

	for range 2 * runs {
		caseID, _ := r.newCase(agent.bearer)
		places = append(places, caseID)
	}

	for round, victim := range []*program{r.first, r.second} {
		r.front.to(victim.addr)
		r.cases.hold(false, searches)
		var following sync.WaitGroup
		readers := make([]reader, runs)

		for i := range readers {
			readers[i].job = task(places[i], api.CaseReq, question)
			following.Go(func() {
				readers[i].err = r.as(agent.bearer).Run(t.Context(), readers[i].job, func(e client.Event) error {
					if e.ID != "" {
						readers[i].events = append(readers[i].events, e)
					}

					return nil
				}, nil)
			})
		}

		jobs := make([]api.AgentTask, 0, 2*runs)
		for i := range runs {
			job := task(places[runs+i], api.CaseReq, question)
			left := r.post(agent.bearer, job)
			left.until("phase_start", kind(api.EventPhaseStart))
			left.leave()
			jobs = append(jobs, job, readers[i].job)
		}

		for range 2 * runs {
			r.cases.awaitHeld(t)
		}
		other := []*program{r.second, r.first}[round]
		r.front.to(other.addr)
		died := time.Now()
		victim.kill()
		r.cases.drop(r.t)
		var longest time.Duration

		for _, job := range jobs {
			p := r.phaseEnds(agent.bearer, job.SeedPhase.PhaseID)
			longest = max(longest, p.EndedAt.Sub(died))
			if p.Status != api.PhaseCompleted || p.Attempt != 2 {
				t.Errorf("phase %s ended %s after %d attempts", p.PhaseID, p.Status, p.Attempt)
			}
			whole := stored(r.watch(agent.bearer, job.SeedPhase.PhaseID).all())
			checkStream(t, job.SeedPhase.PhaseID, whole)
			if attempts, responses := attemptsOf(t, whole); !slices.Equal(attempts, []int{1, 2}) || responses != 1 {
				t.Errorf("attempts %v and %d responses", attempts, responses)
			}
		}
		following.Wait()

		for _, rd := range readers {
			r.hasSeenAll(agent.bearer, rd)
		}
		t.Logf("round %d: %d runs have ended %.1f s after their process died", round+1, len(jobs), longest.Seconds())
		victim.start()
	}
}

// abandoned begins a run at a replica that then dies, and returns its phase. end is called while nobody runs it.
func (r replicas) abandoned(bearer, caseID string, end func()) string {
	r.t.Helper()
	r.front.to(r.first.addr)
	r.cases.hold(false, searches)
	job := task(caseID, api.CaseReq, question)
	r.post(bearer, job)
	r.cases.awaitHeld(r.t)
	r.first.kill()
	end()
	r.cases.drop(r.t)
	r.front.to(r.second.addr)

	return job.SeedPhase.PhaseID
}

func TestARunWhoseCallerIsGone(t *testing.T) {
	t.Parallel()
	r := startReplicas(t, "AGENT_SWEEP", "500ms")
	var mu sync.Mutex
	read := map[string]int{} // what was asked of case-svc for the case, by path

	watching := func(r *http.Request) bool {
		mu.Lock()
		defer mu.Unlock()
		read[r.URL.Path]++

		return false
	}
	gone := func(phaseID, caseID string, asks ...string) { // asks are paths that may be asked all the same
		t.Helper()
		p := r.phaseEnds(r.token(ada), phaseID)
		if p.Status != api.PhaseCancelled || p.Error == nil || p.Error.Error != "caller_gone" || p.Attempt != 1 {
			t.Errorf("the run ended %s, %+v, after %d attempts", p.Status, p.Error, p.Attempt)
		}
		end := r.watch(r.token(ada), phaseID).all()
		if status := checkStream(t, phaseID, end); status != api.PhaseCancelled {
			t.Errorf("its readers are told %s", status)
		}
		mu.Lock()
		defer mu.Unlock()

		for path, n := range read {
			if slices.Contains(asks, path) {
				continue
			}
			if strings.Contains(path, caseID) || strings.HasSuffix(path, "/internal/phases") ||
				strings.HasSuffix(path, "/entries") {
				t.Errorf("in the name of who is gone %s was asked %d times", path, n)
			}
		}
	}

	t.Run("the agent was disconnected", func(t *testing.T) {
		agent := r.connect(ada)
		caseID, _ := r.newCase(agent.bearer)
		phaseID := r.abandoned(agent.bearer, caseID, func() { r.disconnect(ada) })
		r.cases.hold(false, watching)
		gone(phaseID, caseID)
		// The branch is free for whoever is there.
		next := task(caseID, api.CaseReq, question)
		if end := checkStream(t, next.SeedPhase.PhaseID, r.post(r.token(ada), next).all()); end != api.PhaseCompleted {
			t.Errorf("the next run ended %s", end)
		}
	})
	r.first.start()
	t.Run("the grant was revoked", func(t *testing.T) {
		caseID, _ := r.newCase(r.token(ada))
		app := r.letIn(ada, "agent:run")
		grants := into[api.Page[api.AppGrant]](t, r.send(http.MethodGet, "/v1/grants", r.token(ada), ""), http.StatusOK)
		r.front.to(r.first.addr)
		r.cases.hold(false, searches)
		begun := r.tool(
			app.access,
			"legal_agent",
			map[string]any{"message": question, "caseId": caseID, "requestType": "case_req", "waitSeconds": 0},
		)
		var told struct {
			TaskID string `json:"taskId"`
		}
		if err := json.Unmarshal(begun.Data, &told); err != nil || told.TaskID == "" {
			t.Fatalf("%v: %s", err, begun.Data)
		}
		phaseID := told.TaskID
		r.cases.awaitHeld(t)
		r.first.kill()
		if a := r.send(
			http.MethodDelete,
			"/v1/grants/"+grants.Items[0].GrantID,
			r.token(ada),
			"",
		); a.status != http.StatusNoContent {
			t.Fatalf("revoke: %d %s", a.status, a.body)
		}
		mu.Lock()
		clear(read)
		mu.Unlock()
		r.cases.letGo()
		r.front.to(r.second.addr)
		r.cases.hold(false, watching)
		gone(phaseID, caseID)
	})
	r.first.start()
	r.first, r.second = r.second, r.first // the gateway goes on with its connections to the one that was left
	t.Run("the partner's invite ended", func(t *testing.T) {
		caseID, _ := r.newCase(r.token(ada))
		inviteID := r.invite(r.token(ada), caseID, r.partner(r.token(ada)))
		r.decide(r.token(ben), inviteID, `{"decision":"accept","conflictAttested":true}`)
		into[api.Case](t, r.send(http.MethodGet, "/v1/cases/"+caseID, r.token(ben), ""), http.StatusOK)
		r.front.to(r.first.addr)
		begun := r.post(r.token(ben), task(caseID, api.CaseReq, question))
		begun.answer.refused(t, "a run of a partner", http.StatusNotFound, "not_found")

		// No door lets a partner begin a run, so the record of a run is made a partner's behind the doors, while nobody
		// runs it.
		phases := r.database("CASE_DATABASE").Collection("phases")
		phaseID := r.abandoned(r.token(ada), caseID, func() {
			r.decide(r.token(ada), inviteID, `{"decision":"end"}`)
			partner := bson.D{
				{Key: "tenant", Value: "o:elm"},
				{Key: "userId", Value: "ben"},
				{Key: "kind", Value: "user"},
				{Key: "roles", Value: bson.A{"owner", "member"}},
			}
			open := bson.D{{Key: "open", Value: true}, {Key: "containerId", Value: caseID}}
			change := bson.D{{Key: "$set", Value: bson.D{{Key: "caller", Value: partner}}}}
			got, err := phases.UpdateOne(t.Context(), open, change)
			if err != nil || got.ModifiedCount != 1 {
				t.Fatalf("%+v, %v", got, err)
			}
			mu.Lock()
			defer mu.Unlock()
			clear(read)
		})
		r.cases.hold(false, watching)
		gone(phaseID, caseID, "/internal/phases") // which says that there is no such phase for the partner
	})
	r.first.start()
	r.first, r.second = r.second, r.first
	t.Run("the member was offboarded", func(t *testing.T) {
		agent := r.connect(cara)
		r.send(http.MethodGet, "/v1/me", r.token(otto), "")
		caseID, _ := r.newCase(agent.bearer)
		phaseID := r.abandoned(agent.bearer, caseID, func() {
			r.offboard(otto, "cara")
			mu.Lock()
			defer mu.Unlock()
			clear(read)
		})
		r.cases.hold(false, watching)
		gone(phaseID, caseID)
		r.reinstate(otto, "cara")
	})
}

// bodyOf returns the body of a request, which can be read again afterwards.
func bodyOf(r *http.Request) string {
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))

	return string(body)
}

// A prompt that kills whoever carries it out is given up after two take-ups, and nothing else comes to harm.
func TestAPromptThatKillsItsProcess(t *testing.T) {
	t.Parallel()
	f := newFront(t)
	w := start(
		t,
		unlimited("AGENT_URL", f.url(), "AGENT_SWEEP", "24h"),
	) // the services of the world themselves take nothing up
	var replicas []*program
	var doors []*weir
	var addrs []string

	for range 2 {
		door := newWeir(t)
		door.to(w.Services["case-svc"].Addr())
		p := w.process(
			"agent-svc",
			"AGENT_ADDR",
			testkit.FreeAddr(t),
			"CASE_URL",
			door.server.URL,
			"AGENT_LEASE",
			"1500ms",
			"AGENT_SWEEP",
			"300ms",
		)
		p.start()
		replicas, doors, addrs = append(replicas, p), append(doors, door), append(addrs, p.addr)
	}
	f.to(addrs...)
	agent := w.connect(ada)
	deaths := make(chan int, 10)

	for i, door := range doors {
		door.hold(false, func(r *http.Request) bool { return searches(r) && strings.Contains(bodyOf(r), lethal) })
		go func() {
			for range door.arrived { // it reads the prompt, and dies of it
				deaths <- i
			}
		}()
	}
	caseID, _ := w.newCase(agent.bearer)
	job := task(caseID, api.CaseReq, poison)
	watched := w.post(agent.bearer, job)

	for death := range 3 {
		select {
		case i := <-deaths:
			replicas[i].kill()
			replicas[i].start()
		case <-time.After(withinAMinute):
			t.Fatalf("after %d deaths nobody takes the run up", death)
		}
		// Another run beside it ends as it should.
		other, _ := w.newCase(agent.bearer)
		beside := task(other, api.CaseReq, question)
		testkit.Until(t, withinAMinute, func() error {
			stream := w.post(agent.bearer, beside)
			if stream.status != http.StatusOK {
				return fmt.Errorf("%d %s", stream.status, stream.answer.body)
			}
			if frames := stream.all(); !slices.ContainsFunc(frames, kind(api.EventPhaseEnd)) {
				return fmt.Errorf("no end yet:\n%s", texts(frames))
			}

			return nil
		})
		if p := w.phaseEnds(agent.bearer, beside.SeedPhase.PhaseID); p.Status != api.PhaseCompleted {
			t.Errorf("a run beside it ended %s", p.Status)
		}
	}
	p := w.phaseEnds(agent.bearer, job.SeedPhase.PhaseID)
	if p.Status != api.PhaseFailed || p.Error == nil || p.Error.Error != "interrupted" || p.Attempt != 3 {
		t.Errorf("the run ended %s, %+v, after %d attempts", p.Status, p.Error, p.Attempt)
	}
	watched.leave()
	whole := stored(w.watch(agent.bearer, job.SeedPhase.PhaseID).all())
	checkStream(t, job.SeedPhase.PhaseID, whole)
	if attempts, responses := attemptsOf(t, whole); !slices.Equal(attempts, []int{1, 2, 3}) || responses != 0 {
		t.Errorf("attempts %v and %d responses", attempts, responses)
	}
	next := task(caseID, api.CaseReq, question)
	if end := checkStream(t, next.SeedPhase.PhaseID, w.post(agent.bearer, next).all()); end != api.PhaseCompleted {
		t.Errorf("the next run on the branch ended %s", end)
	}
}

// inLine fits the status that tells a place in line.
func inLine(place int) func(frame) bool {
	return func(f frame) bool {
		return f.kind == api.EventStatus && strings.Contains(string(f.data), "place "+strconv.Itoa(place)+" in line")
	}
}

// Eight runs wait for a branch and get it in the order of their arrival, however long that takes; the ninth is told
// when to come again.
func TestRunsWaitForTheirBranch(t *testing.T) {
	t.Parallel()
	w, cases := heldWorld(t)
	agent := w.connect(ada)
	caseID, _ := w.newCase(agent.bearer)
	cases.hold(false, searches)
	ahead := task(caseID, api.CaseReq, question)
	running := w.post(agent.bearer, ahead)
	cases.awaitHeld(t)
	began := time.Now()
	var jobs []api.AgentTask
	var streams []*follower

	for place := 1; place <= 8; place++ {
		job := task(caseID, api.CaseReq, question)
		job.Options = &api.TaskOptions{MaxSeconds: 5} // of which the wait is no part
		stream := w.post(agent.bearer, job)
		stream.until("a place in line", inLine(place))
		if p := into[api.Phase](
			t,
			w.send(http.MethodGet, "/v1/phases?phaseId="+job.SeedPhase.PhaseID, agent.bearer, ""),
			http.StatusOK,
		); p.Status != api.PhaseQueued {
			t.Errorf("a phase that waits is %s", p.Status)
		}
		jobs, streams = append(jobs, job), append(streams, stream)
	}
	ninth := w.post(agent.bearer, task(caseID, api.CaseReq, question))
	ninth.answer.refused(t, "the ninth in line", http.StatusConflict, "branch_busy")
	if after, err := strconv.Atoi(ninth.header.Get("Retry-After")); err != nil || after < 1 {
		t.Errorf("the ninth is told to come again after %q", ninth.header.Get("Retry-After"))
	}
	// One leaves, one is cancelled; those behind them move up.
	streams[1].leave()
	streams[2].until("a better place", inLine(2))
	if a := w.send(
		http.MethodDelete,
		"/v1/agent/"+jobs[3].SeedPhase.PhaseID,
		agent.bearer,
		"",
	); a.status != http.StatusAccepted {
		t.Errorf("cancel one that waits: %d %s", a.status, a.body)
	}
	if end := checkStream(t, jobs[3].SeedPhase.PhaseID, streams[3].all()); end != api.PhaseCancelled {
		t.Errorf("the one that was cancelled ended %s", end)
	}
	streams[4].until("a better place", inLine(3))
	w.send(
		http.MethodGet,
		"/v1/phases?phaseId="+jobs[1].SeedPhase.PhaseID,
		agent.bearer,
		"",
	).refused(
		t,
		"the one that left",
		http.StatusNotFound,
		"not_found",
	)
	pause(t, max(0, 6*time.Second-time.Since(began))) // longer than the runs that wait may take
	cases.letGo()
	checkStream(t, ahead.SeedPhase.PhaseID, running.all())
	last := 1

	for i, stream := range streams {
		if i == 1 || i == 3 {
			continue
		}
		if end := checkStream(t, jobs[i].SeedPhase.PhaseID, stream.all()); end != api.PhaseCompleted {
			t.Errorf("run %d ended %s", i+1, end)
		}
		p := into[api.Phase](
			t,
			w.send(http.MethodGet, "/v1/phases?phaseId="+jobs[i].SeedPhase.PhaseID, agent.bearer, ""),
			http.StatusOK,
		)
		if p.Sequence != last+1 || p.Attempt != 1 {
			t.Errorf("run %d has number %d on the branch after %d, attempt %d", i+1, p.Sequence, last, p.Attempt)
		}
		last = p.Sequence
	}
}

// A task of an application that waits in line goes with the process that waits for it. Whoever began it is told so, and
// nobody else is told that there was one.
func TestATaskThatWaitedAtAProcessThatDied(t *testing.T) {
	t.Parallel()
	r := startReplicas(t, "AGENT_SWEEP", "500ms", "CASE_SWEEP_EVERY", "1s")
	caseID, _ := r.newCase(r.token(ada))
	app, colleague := r.letIn(ada, "agent:run cases:read"), r.letIn(cara, "agent:run cases:read")
	r.cases.hold(false, searches)
	r.front.to(r.first.addr)

	read := func(a answer) (state, taskID, text string) {
		t.Helper()
		got := resultOf(t, a)
		var told struct{ TaskID, State, Message, Next string }
		_ = json.Unmarshal(got.Data, &told) // a refusal has its words in the content

		for _, c := range got.Content {
			text += c.Text
		}

		return told.State, told.TaskID, told.Message + " " + told.Next + text
	}
	ask := func(access string, arguments map[string]any) (state, taskID, text string) {
		t.Helper()
		return read(r.callTool(access, "legal_agent", arguments))
	}
	begin := map[string]any{"message": question, "caseId": caseID, "requestType": "case_req", "waitSeconds": 0}
	if state, _, _ := ask(app.access, begin); state != "working" {
		t.Fatalf("the task ahead is %s", state)
	}
	r.cases.awaitHeld(t)
	begin["message"] = question + " And for renewal?"
	state, taskID, text := ask(app.access, begin)
	if state != "working" {
		t.Fatalf("a task in line is %s: %s", state, text)
	}
	r.first.kill()
	r.front.to(r.second.addr)
	testkit.Until(t, withinAMinute, func() error {
		a := r.callTool(app.access, "legal_agent", map[string]any{"taskId": taskID, "waitSeconds": 0})
		// The gateway may still hold a connection to the process that died.
		if a.status == http.StatusServiceUnavailable {
			return fmt.Errorf("%d %s", a.status, a.body)
		}
		if state, _, text = read(a); state == "working" {
			return errors.New("the task is still in line")
		}

		return nil
	})
	why, next := strings.Contains(text, "waited for its branch"), strings.Contains(text, "start it again")
	if state != "failed" || !why || !next {
		t.Errorf("a task that was lost is %q: %s", state, text)
	}
	if state, _, text := ask(colleague.access, map[string]any{"taskId": taskID, "waitSeconds": 0}); state != "" {
		t.Errorf("a colleague is told %s: %s", state, text)
	}

	for who, tc := range map[string]struct{ access, want string }{
		"its owner": {app.access, `"status":"failed"`}, "a colleague": {colleague.access, "not_found"},
	} {
		seen := r.tool(tc.access, "legal_lookup", map[string]any{"view": "task", "id": taskID, "detail": "full"})
		if told, _ := json.Marshal(seen); !strings.Contains(string(told), tc.want) {
			t.Errorf("%s looks the lost task up: %s", who, told)
		}
	}
	r.cases.letGo()
}

// A task waits in line on its own. When its turn comes, and its agent or its grant has ended meanwhile, nothing is read
// in its name.
func TestATurnOfACallerWhoIsGone(t *testing.T) {
	t.Parallel()
	r := startReplicas(t)
	r.front.to(r.first.addr)

	for name, tc := range map[string]struct {
		asks func(caseID string) (taskID string)
		ends func()
	}{
		"an agent": {
			asks: func(caseID string) string {
				body := `{"message":{"messageId":"m","role":"ROLE_USER","metadata":{"caseId":"` + caseID + `"},` +
					`"parts":[{"text":"` + question + `"}]},"configuration":{"returnImmediately":true}}`
				sent := r.rest(http.MethodPost, "/message:send", r.connect(ada).bearer, body)

				return into[struct{ Task struct{ ID string } }](t, sent, http.StatusOK).Task.ID
			},
			ends: func() { r.disconnect(ada) },
		},
		"an application": {
			asks: func(caseID string) string {
				asked := map[string]any{
					"message": question, "caseId": caseID, "requestType": "case_req", "waitSeconds": 0,
				}
				begun := r.tool(r.letIn(cara, "agent:run").access, "legal_agent", asked)
				var told struct {
					TaskID string `json:"taskId"`
				}
				if err := json.Unmarshal(begun.Data, &told); err != nil || told.TaskID == "" {
					t.Fatalf("%v: %s", err, begun.Data)
				}

				return told.TaskID
			},
			ends: func() {
				all := r.send(http.MethodGet, "/v1/grants", r.token(cara), "")
				path := "/v1/grants/" + into[api.Page[api.AppGrant]](t, all, http.StatusOK).Items[0].GrantID
				if a := r.send(http.MethodDelete, path, r.token(cara), ""); a.status != http.StatusNoContent {
					t.Fatalf("revoke: %d %s", a.status, a.body)
				}
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			caseID, _ := r.newCase(r.token(ada))
			r.cases.hold(false, searches)
			ahead := r.post(r.token(ada), task(caseID, api.CaseReq, question))
			r.cases.awaitHeld(t)
			taskID := tc.asks(caseID)
			tc.ends()
			r.cases.letGo()

			if end := ahead.all(); !slices.ContainsFunc(end, kind(api.EventPhaseEnd)) {
				t.Error("the run ahead has not ended")
			}
			p := r.phaseEnds(r.token(ada), taskID)
			gone := p.Status == api.PhaseCancelled && p.Error != nil && p.Error.Error == "caller_gone"
			if !gone || len(p.ToolCalls) > 0 {
				t.Errorf("the task that waited ended %s, %+v, after %d tools", p.Status, p.Error, len(p.ToolCalls))
			}
		})
	}
}
