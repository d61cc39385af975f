package e2e_test

import (
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/deploy/internal/client"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// replicas are two processes of agent-svc behind one address, and the case-svc that both call.
type replicas struct {
	*world
	front         *front
	first, second *program
	cases         *weir
}

func startReplicas(t *testing.T, more ...string) replicas {
	t.Helper()
	f := newFront(t)
	w, cases := heldWorld(t, append([]string{"AGENT_URL", f.url()}, more...)...)

	r := replicas{world: w, front: f, cases: cases}
	for _, p := range []**program{&r.first, &r.second} {
		*p = w.process("agent-svc", "AGENT_ADDR", testkit.FreeAddr(t))
		(*p).start()
	}
	f.to(r.first.addr, r.second.addr)

	return r
}

// resumed plays a client that sends its task again and again, as it is told to, until the stream comes to its end. It returns all events
// and how often the stream broke off.
func (r replicas) resumed(bearer string, job api.AgentTask, got []frame) ([]frame, int) {
	r.t.Helper()
	breaks := 0
	deadline := time.Now().Add(60 * time.Second)

	for {
		headers := []string{}
		if kept := stored(got); len(kept) > 0 {
			headers = []string{"Last-Event-ID", kept[len(kept)-1].id}
		}
		stream := r.post(bearer, job, headers...)
		if stream.status == http.StatusOK {
			got = append(got, stream.all()...)
			if slices.ContainsFunc(got, kind(api.EventPhaseEnd)) {
				return got, breaks
			}
		} else {
			stream.answer.refused(r.t, "resume", http.StatusServiceUnavailable, "unavailable")
		}
		if breaks++; time.Now().After(deadline) {
			r.t.Fatalf("no end after %d tries:\n%s", breaks, texts(got))
		}
		pause(r.t, 100*time.Millisecond)
	}
}

// silence returns the longest time between two events of one connection.
func silence(frames []frame) time.Duration {
	longest := time.Duration(0)
	for i := 1; i < len(frames); i++ {
		longest = max(longest, frames[i].at.Sub(frames[i-1].at))
	}

	return longest
}

func TestAgentSvcKilledDuringARun(t *testing.T) {
	t.Parallel()
	r := startReplicas(t)
	agent := r.connect(ada)
	caseID, _ := r.newCase(agent.bearer)
	r.cases.hold(false, searches)
	job := task(caseID, api.CaseReq, question)
	stream := r.post(agent.bearer, job)
	r.cases.awaitHeld(t)
	watching := r.watch(r.token(ada), job.SeedPhase.PhaseID)
	watching.until("phase_start", kind(api.EventPhaseStart))
	r.first.kill()
	r.cases.drop(r.t)
	frames := stream.all() // it ends at once: the connection is gone with the process
	if len(frames) == 0 || slices.ContainsFunc(frames, kind(api.EventPhaseEnd)) {
		t.Fatalf("the stream of the process that was killed:\n%s", texts(frames))
	}
	whole, breaks := r.resumed(agent.bearer, job, frames)
	if end := checkStream(t, job.SeedPhase.PhaseID, whole); end != api.PhaseCompleted {
		t.Errorf("the run ended %s after %d breaks:\n%s", end, breaks, texts(whole))
	}
	var attempts []int

	for _, f := range whole {
		if f.kind == api.EventPhaseStart {
			attempts = append(attempts, f.payload(t).Attempt)
		}
	}
	if !slices.Equal(attempts, []int{1, 2}) {
		t.Errorf("attempts = %v, want the one that was killed and another", attempts)
	}
	if longest := silence(whole); longest > 6*time.Second { // twice the time between heartbeats: a bound on what is wrong
		t.Errorf("for %v nothing came", longest)
	}
	// Everybody else sees the same events; the one who watched was cut off and comes back.
	watching.all()
	if again := stored(r.watch(r.token(ada), job.SeedPhase.PhaseID).all()); texts(again) != texts(stored(whole)) {
		t.Errorf("the union of the resumed streams is\n%s\nthe whole stream\n%s", texts(stored(whole)), texts(again))
	}
	// The branch is free for the next task.
	next := task(caseID, api.CaseReq, question)
	if end := checkStream(t, next.SeedPhase.PhaseID, r.post(agent.bearer, next).all()); end != api.PhaseCompleted {
		t.Errorf("the next run ended %s", end)
	}
}

func TestAgentSvcReplicasShareRuns(t *testing.T) {
	t.Parallel()
	r := startReplicas(t)
	agent := r.connect(ada)
	caseID, _ := r.newCase(agent.bearer)
	r.cases.hold(false, searches)
	job := task(caseID, api.CaseReq, question)
	begun := r.post(agent.bearer, job)
	r.cases.awaitHeld(t)
	// From now on new connections come to the other replica; those that are open stay. The gateway may reuse an idle one, so many watch.
	r.front.to(r.second.addr, r.first.addr)

	var all []*follower
	for range 8 {
		all = append(all, r.post(agent.bearer, job), r.watch(r.token(cara), job.SeedPhase.PhaseID))
	}

	for _, f := range all {
		f.until("phase_start", kind(api.EventPhaseStart))
	}
	r.cases.letGo()
	want := stored(begun.all())
	checkStream(t, job.SeedPhase.PhaseID, want)

	for i, f := range all {
		if got := stored(f.all()); texts(got) != texts(want) {
			t.Errorf("reader %d saw\n%s\nwant\n%s", i, texts(got), texts(want))
		}
	}
	// After its end the stream is replayed by either.
	r.first.kill()
	if got := stored(r.replay(agent.bearer, job)); texts(got) != texts(want) {
		t.Errorf("the other replica replays\n%s\nwant\n%s", texts(got), texts(want))
	}
}

// replay sends the task again until a replica takes the connection.
func (r replicas) replay(bearer string, job api.AgentTask) []frame {
	r.t.Helper()
	var frames []frame
	testkit.UntilTrue(r.t, 20*time.Second, "a replica answers", func() bool {
		stream := r.post(bearer, job)
		if stream.status != http.StatusOK {
			return false
		}
		frames = stream.all()

		return slices.ContainsFunc(frames, kind(api.EventPhaseEnd))
	})

	return frames
}

func TestAgentSvcStoppedDuringARun(t *testing.T) {
	t.Parallel()
	r := startReplicas(t)
	agent := r.connect(ada)
	caseID, _ := r.newCase(agent.bearer)
	r.cases.hold(false, searches)
	job := task(caseID, api.CaseReq, question)
	var events []client.Event
	var losses int
	var running sync.WaitGroup
	running.Go(func() {
		err := r.as(agent.bearer).Run(t.Context(), job, func(e client.Event) error {
			if e.ID != "" {
				events = append(events, e)
			}

			return nil
		}, func(int, error) { losses++ })
		if err != nil {
			t.Errorf("the client gave up: %v", err)
		}
	})
	r.cases.awaitHeld(t)
	r.first.stop()
	r.cases.letGo()
	running.Wait()
	want := stored(r.watch(agent.bearer, job.SeedPhase.PhaseID).all())
	if end := checkStream(t, job.SeedPhase.PhaseID, want); end != api.PhaseCompleted {
		t.Errorf("the run ended %s", end)
	}

	var got strings.Builder
	for _, e := range events {
		got.WriteString(frame{id: e.ID, kind: e.Kind, data: e.Data}.text())
	}
	if got.String() != texts(want) || losses == 0 {
		t.Errorf("after %d losses the client has\n%s\nwant\n%s", losses, got.String(), texts(want))
	}
}
