package faults

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/deploy/internal/client"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// limits of the rows about runs.
const (
	takeUpWithin = time.Minute // from the death of a process to the end of its runs
	followed     = 20          // runs with a reader, and as many without
	seats        = 8           // runs that may wait for a branch
)

// asked is a run as its client has it.
type asked struct {
	job    api.AgentTask
	events []client.Event
	err    error
}

// ask returns a task on a case of its own.
func (s *site) ask(bearer string) api.AgentTask {
	s.t.Helper()
	k, err := s.as(bearer).CreateCase(s.t.Context(), client.NewCase{Jurisdiction: "US"})
	if err != nil {
		s.t.Fatal(err)
	}

	return s.again(k.CaseID)
}

// again returns a further task on a case.
func (s *site) again(caseID string) api.AgentTask {
	return api.AgentTask{
		SessionID:     "session-" + uuid.NewString(),
		SeedPhase:     api.SeedPhase{PhaseID: uuid.NewString()},
		ContainerID:   caseID,
		ContainerType: api.ContainerCase,
		RequestType:   api.CaseReq,
		Prompt:        "What is agreed about termination and notice?",
	}
}

// begun begins a run and leaves it. What is away for a moment, while so many begin at once, is asked again.
func (s *site) begun(bearer string, job api.AgentTask) error {
	for tries := 1; ; tries++ {
		ctx, cancel := context.WithCancel(s.t.Context())
		err := s.as(bearer).Attach(ctx, job, "", func(e client.Event) error {
			if e.Kind == api.EventPhaseStart {
				cancel()
			}

			return nil
		})
		begun := ctx.Err() != nil
		cancel()

		switch {
		case begun:
			return nil
		case tries == 20, errs.From(err).Kind != errs.Unavailable:
			return err
		}
		wait(s.t, 500*time.Millisecond)
	}
}

// replay returns the stored events of a run that has ended.
func (s *site) replay(bearer string, job api.AgentTask) (all []client.Event, err error) {
	err = s.as(bearer).Attach(s.t.Context(), job, "", func(e client.Event) error {
		if e.ID != "" {
			all = append(all, e)
		}

		return nil
	})

	return all, err
}

func count(events []client.Event, kind string) (n int) {
	for _, e := range events {
		if e.Kind == kind {
			n++
		}
	}

	return n
}

// ids are the places of events in their run.
func ids(events []client.Event) []string {
	all := make([]string, len(events))
	for i, e := range events {
		all[i] = e.ID
	}

	return all
}

// F17: one of two processes of agent-svc is killed under runs, of which half have a reader, again and again.
func takenUp(t *testing.T, r *result) {
	d := newDoor(t)
	s := begin(t, options{
		hold:   3 * time.Second,
		doors:  map[string]string{"agent-svc": d.Addr().String()},
		before: func(s *site) { d.leadTo(s.places["agent-svc"]) },
	})
	pair := []*one{s.ones["agent-svc"], s.one("agent-svc", testkit.FreeAddr(t), testkit.FreeAddr(t))}
	pair[1].start()
	s.ready(pair[1].inside)
	bearer, rounds := s.connect(0).bearer, max(1, kills/2)
	r.load = fmt.Sprintf("%d runs followed, %d left, %d times", followed, followed, rounds)
	var longest time.Duration
	ended := 0

	for n := range rounds {
		victim, other := pair[n%2], pair[(n+1)%2]
		d.leadTo(victim.addr)
		took, done := s.killUnder(r, bearer, victim, func() { d.leadTo(other.addr) })
		longest, ended = max(longest, took), ended+done
		victim.start()
		s.ready(victim.inside)
	}
	r.back("the last of the runs", longest, takeUpWithin)
	r.note(
		"%d of %d runs ended, each with one response, the last %.1f s after the death of its process",
		ended,
		2*followed*rounds,
		longest.Seconds(),
	)
}

// killUnder begins runs at a process, kills it, and returns how long the last of them took to end after that.
func (s *site) killUnder(r *result, bearer string, victim *one, elsewhere func()) (longest time.Duration, ended int) {
	var following, beginning sync.WaitGroup
	runs := make([]asked, 2*followed)

	for i := range runs {
		runs[i].job = s.ask(bearer)
		if i >= followed {
			beginning.Go(func() { runs[i].err = s.begun(bearer, runs[i].job) })
			continue
		}
		beginning.Add(1)
		started := sync.OnceFunc(beginning.Done)
		following.Go(func() {
			defer started()
			runs[i].err = s.as(bearer).Run(s.t.Context(), runs[i].job, func(e client.Event) error {
				if e.ID != "" {
					runs[i].events = append(runs[i].events, e)
				}
				if e.Kind == api.EventPhaseStart {
					started()
				}

				return nil
			}, nil)
		})
	}
	beginning.Wait()
	elsewhere()
	died := time.Now()
	victim.kill()

	for i := range runs {
		whole, err := s.whole(bearer, runs[i].job, died)
		p, failed := s.record(bearer, runs[i].job.SeedPhase.PhaseID)

		switch {
		case err != nil || failed != nil:
			r.lost++
			r.fail("a run has not ended within %v: %v", takeUpWithin, errors.Join(err, failed))

			continue
		case p.Status != api.PhaseCompleted:
			r.wrong++
			r.fail("a run ended %s in attempt %d: %+v", p.Status, p.Attempt, p.Error)
		case count(whole, api.EventDirectResponse) != 1 || count(whole, api.EventPhaseEnd) != 1:
			r.doubled++
		}
		ended++
		if p.EndedAt != nil {
			longest = max(longest, p.EndedAt.Sub(died))
		}
	}
	following.Wait()

	for i := range runs[:followed] {
		whole, err := s.replay(bearer, runs[i].job)
		if err != nil || runs[i].err != nil || !slices.Equal(ids(whole), ids(runs[i].events)) {
			r.doubled++
			r.fail(
				"a reader saw %d of %d events, or one twice: %v",
				len(runs[i].events),
				len(whole),
				errors.Join(err, runs[i].err),
			)
		}
	}

	return longest, ended
}

// whole waits until a run has ended and returns its events.
func (s *site) whole(bearer string, job api.AgentTask, died time.Time) ([]client.Event, error) {
	for {
		p, err := s.record(bearer, job.SeedPhase.PhaseID)
		if err == nil && p.EndedAt != nil {
			return s.replay(bearer, job)
		}
		if time.Since(died) > takeUpWithin {
			return nil, fmt.Errorf("the phase is %s, attempt %d: %w", p.Status, p.Attempt, err)
		}
		wait(s.t, 250*time.Millisecond)
	}
}

// record reads a phase.
func (s *site) record(bearer, phaseID string) (p api.Phase, err error) {
	a := s.send(http.MethodGet, "/v1/phases?phaseId="+phaseID, bearer, "")
	if !a.good() {
		return p, errors.New(a.class())
	}

	return p, json.Unmarshal(a.body, &p)
}

// F18: a run has a branch, and eight more are asked for at once; then a ninth.
func inLine(t *testing.T, r *result) {
	s := begin(t, options{hold: 1500 * time.Millisecond})
	bearer := s.connect(0).bearer
	first := s.ask(bearer)
	r.load = fmt.Sprintf("%d runs at once, and one more", seats)
	if err := s.begun(bearer, first); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	runs := make([]asked, seats)
	waiting := make(chan struct{}, seats)

	for i := range runs {
		runs[i].job = s.again(first.ContainerID)
		all.Go(func() {
			told := false
			runs[i].err = s.as(bearer).Run(t.Context(), runs[i].job, func(e client.Event) error {
				if e.ID != "" {
					runs[i].events = append(runs[i].events, e)
				}
				if !told && e.Kind == api.EventStatus {
					told = true
					waiting <- struct{}{}
				}

				return nil
			}, nil)
		})
	}

	for range seats {
		<-waiting
	}
	err := s.as(bearer).Attach(t.Context(), s.again(first.ContainerID), "", func(client.Event) error { return nil })
	if e := errs.From(err); e.Code != "branch_busy" || e.RetryAfter <= 0 {
		r.fail("the ninth: %v, to come again after %v", err, e.RetryAfter)
	} else {
		r.count("409 branch_busy")
		r.note("the ninth is told to come again after %v", e.RetryAfter)
	}
	began := time.Now()
	all.Wait()
	arrived := make([]int, seats) // by place, the number on the branch

	for i := range runs {
		p, err := s.record(bearer, runs[i].job.SeedPhase.PhaseID)
		place := placeIn(runs[i].events)

		switch {
		case err != nil || runs[i].err != nil || p.Status != api.PhaseCompleted ||
			count(runs[i].events, api.EventDirectResponse) != 1:
			r.lost++
			r.fail("a run that waited ended %s: %v", p.Status, errors.Join(err, runs[i].err))
		case place < 1 || place > seats:
			r.fail("a run was told place %d in line", place)
		default:
			r.count("200")
			arrived[place-1] = p.Sequence
		}
	}
	if !slices.IsSorted(arrived) {
		r.fail("they ran in the order %v, by arrival", arrived)
	}
	r.note("the last of %d ended after %.1f s", seats, time.Since(began).Seconds())
}

// placeIn returns the first place in line that the events of a run tell of.
func placeIn(events []client.Event) (place int) {
	for _, e := range events {
		s, err := client.Decode[api.StatusEvent](e)
		if e.Kind == api.EventStatus && err == nil {
			if _, err := fmt.Sscanf(s.Message, "Waiting for the branch: place %d in line", &place); err == nil {
				return place
			}
		}
	}

	return 0
}
