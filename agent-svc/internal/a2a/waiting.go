package a2a

import (
	"context"
	"errors"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// Times of waiting.
const (
	cancelWait = 10 * time.Second
	pause      = 250 * time.Millisecond // between two looks at a turn whose events ended without its end
)

// Send makes a message a turn of its task, and waits for its end unless the client does not want to.
func (s *Service) Send(ctx context.Context, p SendParams, owner, key string) (Reply, error) {
	if said := s.reply(p.Message); said != nil {
		return Reply{Message: said}, nil
	}
	task, err := s.send(ctx, p, owner, key)

	return Reply{Task: &task}, err
}

func (s *Service) send(ctx context.Context, p SendParams, owner, key string) (Task, error) {
	got, err := s.accept(ctx, p, owner, key)
	if err != nil {
		return Task{}, err
	}
	if turn := got.task.Turns[got.turn]; turn.PhaseID != "" && !p.ReturnImmediately {
		waiting, done := context.WithTimeout(ctx, s.Wait)
		defer done()
		if err := s.ended(waiting, turn.PhaseID); err != nil {
			return Task{}, err
		}
	}
	t, err := s.record(ctx, got.task.TaskID)
	if err != nil {
		return Task{}, err
	}

	return s.view(ctx, t, p.HistoryLength, true)
}

// ended waits until a turn has ended, ctx ends, or the process stops.
func (s *Service) ended(ctx context.Context, turnID string) error {
	seq := 0

	for ctx.Err() == nil && !s.Stops() {
		done, err := s.Work.Follow(ctx, turnID, seq, func(e Event) { seq = e.Seq })
		// What is lost has ended too.
		if done || ctx.Err() != nil || errors.Is(err, errs.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		turn, err := s.Work.Look(context.WithoutCancel(ctx), turnID)
		if errors.Is(err, errs.ErrNotFound) {
			return nil
		}
		if err != nil || settled(turn.State) {
			return err
		}
		rest(ctx, pause)
	}

	return nil
}

// settled reports whether a turn in this state sends no more events.
func settled(state string) bool { return api.A2AEnded(state) || waits(state) }

// waits reports whether a task in this state goes on once somebody outside has done something.
func waits(state string) bool { return state == api.A2AInputRequired || state == api.A2AAuthRequired }

func rest(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
