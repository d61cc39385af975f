package runs

import (
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/stream"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

// retryBusy is after how long a branch that did not become free may be asked for again.
const retryBusy = 10 * time.Second

// tail makes the last two events of a phase that has ended, with the numbers on record: so whoever finds them missing
// can write them. What they say passed the gate before it went on record.
func tail(p api.Phase, now time.Time) []payload {
	at := api.At(now)
	// Two processes may write the end. Only the time on record makes their bytes equal.
	if p.EndedAt != nil {
		at = *p.EndedAt
	}
	head := func(kind string, seq int) api.EventHead {
		return api.EventHead{
			Type:    kind,
			Seq:     seq,
			PhaseID: p.PhaseID,
			TS:      at,
		}
	}
	var first payload
	if p.Response != nil {
		first = payload{kind: api.EventDirectResponse, body: api.DirectResponseEvent{
			EventHead:      head(api.EventDirectResponse, p.Stream.ResponseSeq),
			Response:       *p.Response,
			ResponseSHA256: p.ResponseSHA256,
			Sources:        p.Response.Sources(p.EndedAt),
		}}
	} else {
		e := api.ErrorEvent{
			EventHead: head(api.EventError, p.Stream.ResponseSeq),
			Error:     "internal",
			Message:   "The run ended without an answer. Start a new phase.",
		}
		if p.Error != nil {
			e.Error, e.Message, e.Retryable = p.Error.Error, p.Error.Message, p.Error.Retryable
			// A client that finds the branch busy should not come back at once; the run ahead is likely still there.
			if e.Error == "branch_busy" {
				e.RetryAfterMs = new(retryBusy.Milliseconds())
			}
		}
		first = payload{kind: api.EventError, body: e}
	}
	end := api.PhaseEndEvent{
		EventHead:      head(api.EventPhaseEnd, p.Stream.EndSeq),
		Status:         p.Status,
		Review:         p.Review,
		Usage:          p.Usage,
		HeadPhaseID:    p.PhaseID,
		ResponseSHA256: p.ResponseSHA256,
	}
	first.passed = true

	return []payload{first, {kind: api.EventPhaseEnd, body: end, passed: true}}
}

// Rebuilt returns the events of an ended phase whose stream is no longer kept: those beyond after, each jump announced
// by a status without a number.
func Rebuilt(p api.Phase, after int, now time.Time) ([][]byte, error) {
	start := api.PhaseStartEvent{
		EventHead: api.EventHead{
			Type:    api.EventPhaseStart,
			Seq:     p.Stream.PhaseStartSeq,
			PhaseID: p.PhaseID,
			TS:      startedAt(p),
		},
		BranchID:      p.BranchID,
		TimelineID:    p.TimelineID,
		Sequence:      p.Sequence,
		ParentPhaseID: p.ParentPhaseID,
		RequestType:   p.RequestType,
		ContainerType: p.ContainerType,
		ContainerID:   p.ContainerID,
		Attempt:       p.Attempt,
		Engine:        p.Engine,
	}
	events := append([]payload{{kind: api.EventPhaseStart, body: start}}, tail(p, now)...)
	numbers := []int{p.Stream.PhaseStartSeq, p.Stream.ResponseSeq, p.Stream.EndSeq}
	var frames [][]byte

	for i, e := range events {
		if numbers[i] <= after {
			continue
		}
		// Readers count numbers, so a jump without a word would look like lost events.
		if numbers[i] > after+1 {
			gap, err := stream.GapFrame(p.PhaseID, after+1, numbers[i]-1, now)
			if err != nil {
				return nil, err
			}
			frames = append(frames, gap)
		}
		data, err := stream.Encode(e.body)
		if err != nil {
			return nil, err
		}
		frames = append(frames, stream.FrameOf(p.PhaseID, stream.Event{Seq: numbers[i], Kind: e.kind, Data: data}))
		after = numbers[i]
	}

	return frames, nil
}

func startedAt(p api.Phase) api.Instant {
	if p.StartedAt != nil {
		return *p.StartedAt
	}

	return p.CreatedAt
}
