package redisstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/stream"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/redisx"
)

// Handles remembers for applications, which send a request again after a broken answer without saying so, which task
// a request began.
type Handles struct {
	rdb  redis.UniversalClient
	keep time.Duration
}

// NewHandles returns handles in rdb; tasks are kept for keep.
func NewHandles(rdb redis.UniversalClient, keep time.Duration) *Handles { return &Handles{rdb, keep} }

const repeats = 10 * time.Minute // within which the same request is the same task, as long as nobody was told its end

func sentKey(digest string) string      { return "mcp:sent:{" + digest + "}" }
func bondKey(k stream.Key) string       { return "mcp:bond:{" + k.String() + "}" }
func stored(what string, e error) error { return fmt.Errorf("%s: %w", what, redisx.Unavailable(e)) }

// WaitingTask is what is known of a task that waits for its branch.
type WaitingTask struct {
	UserID        string `json:"userId"`
	SessionID     string `json:"sessionId"`
	RequestType   string `json:"requestType"`
	ContainerType string `json:"containerType"`
	ContainerID   string `json:"containerId"`
}

func placeKey(k stream.Key) string { return "mcp:line:{" + k.String() + "}" }

// Waits keeps that a task waits in line: its phase goes when the process dies that waits for it.
func (h *Handles) Waits(ctx context.Context, k stream.Key, p WaitingTask) error {
	text, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("encode place: %w", err)
	}
	if err := h.rdb.Set(ctx, placeKey(k), text, h.keep).Err(); err != nil {
		return stored("keep place", err)
	}

	return nil
}

// Waited returns what was known of a task that waited in line; ok is false for one that did not.
func (h *Handles) Waited(ctx context.Context, k stream.Key) (p WaitingTask, ok bool, err error) {
	text, err := h.rdb.Get(ctx, placeKey(k)).Bytes()
	if errors.Is(err, redis.Nil) {
		return WaitingTask{}, false, nil
	}
	if err != nil {
		return WaitingTask{}, false, stored("look for place", err)
	}
	err = json.Unmarshal(text, &p)

	return p, err == nil, err
}

// Lost returns a task of a user whose place in line went with the process that waited for it: it has failed, and no
// phase of it is on record. That of another user is not told from one that never was.
func (h *Handles) Lost(ctx context.Context, k stream.Key, userID string) (api.Phase, error) {
	place, ok, err := h.Waited(ctx, k)
	if err != nil {
		return api.Phase{}, err
	}
	// Whose task it is stands in the record, not in the key: an id that somebody guessed must not tell that the task
	// exists.
	if !ok || place.UserID != userID {
		return api.Phase{}, fmt.Errorf("find task: %w", errs.ErrNotFound)
	}

	return api.Phase{
		PhaseID:       k.PhaseID,
		SessionID:     place.SessionID,
		RequestType:   place.RequestType,
		Status:        api.PhaseFailed,
		ContainerType: place.ContainerType,
		ContainerID:   place.ContainerID,
		Error: &api.PhaseError{
			Error: "interrupted",
			Message: "The task waited for its branch, and the server that kept its place in line stopped. " +
				"Nothing was done.",
			Retryable: true,
		},
	}, nil
}

// Once returns the id under which the request of a digest was sent in the last ten minutes, or keeps fresh as that id
// and returns it.
func (h *Handles) Once(ctx context.Context, digest, fresh string) (string, error) {
	// What was there may end between the two commands, so the first one is tried again.
	for range 3 {
		if ok, err := h.rdb.SetNX(ctx, sentKey(digest), fresh, repeats).Result(); err != nil {
			return "", stored("remember request", err)
		} else if ok {
			return fresh, nil
		}
		id, err := h.rdb.Get(ctx, sentKey(digest)).Result()
		if err == nil {
			return id, nil
		}
		if !errors.Is(err, redis.Nil) {
			return "", stored("remember request", err)
		}
	}

	// Three times the entry ended at the wrong moment. Doing the request twice is better than refusing it.
	return fresh, nil
}

// Sent returns the id of a request that was sent in the last ten minutes; ok is false for one that was not.
func (h *Handles) Sent(ctx context.Context, digest string) (id string, ok bool, err error) {
	id, err = h.rdb.Get(ctx, sentKey(digest)).Result()
	if errors.Is(err, redis.Nil) {
		return "", false, nil
	}
	if err != nil {
		return "", false, stored("look for request", err)
	}

	return id, true, nil
}

// Sends keeps id as that under which the request of a digest was sent, in place of any before: for ten minutes, or as
// long as tasks are kept when the caller named the request by a key.
func (h *Handles) Sends(ctx context.Context, digest, id string, keyed bool) error {
	// A key is the caller's promise that both are the same request, so it is kept as long as the task it names.
	life := repeats
	if keyed {
		life = h.keep
	}
	if err := h.rdb.Set(ctx, sentKey(digest), id, life).Err(); err != nil {
		return stored("remember request", err)
	}

	return nil
}

// bond joins what is needed to forget a request; neither part holds the byte between them.
const bond = "|"

// Bind has the request of a digest, sent under id, forgotten by Forget of the run that answers it.
func (h *Handles) Bind(ctx context.Context, k stream.Key, digest, id string) error {
	if err := h.rdb.Set(ctx, bondKey(k), digest+bond+id, repeats).Err(); err != nil {
		return stored("bind request", err)
	}

	return nil
}

var forget = redis.NewScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end
return 1
`)

// Forget forgets the request that a run answers, unless the same words were sent again for another run: from now on
// they are a new request.
func (h *Handles) Forget(ctx context.Context, k stream.Key) error {
	bound, err := h.rdb.Get(ctx, bondKey(k)).Result()
	if errors.Is(err, redis.Nil) {
		return nil
	}
	if err != nil {
		return stored("forget request", err)
	}
	// The script compares before it deletes: the same words may have been sent again under another id meanwhile.
	digest, id, _ := strings.Cut(bound, bond)
	if err := forget.Run(ctx, h.rdb, []string{sentKey(digest)}, id).Err(); err != nil {
		return stored("forget request", err)
	}

	return nil
}

func saidKey(k stream.Key) string { return "mcp:said:{" + k.String() + "}" }

// say keeps a word unless there is another one than ARGV[2] already.
var say = redis.NewScript(`
local had = redis.call('GET', KEYS[1])
if had and had ~= ARGV[2] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[3])
return 1
`)

// Say keeps the first that a user said to a request that a run has made of them. Of what was said before, it replaces
// instead alone; "" replaces nothing. What it does not keep it drops.
func (h *Handles) Say(ctx context.Context, k stream.Key, said, instead string) error {
	if err := say.Run(ctx, h.rdb, []string{saidKey(k)}, said, instead, h.keep.Milliseconds()).Err(); err != nil {
		return stored("keep response", err)
	}

	return nil
}

// Kept is how long the word of a user is kept after they said it.
func (h *Handles) Kept() time.Duration { return h.keep }

// Said returns what Say has kept, "" for nothing.
func (h *Handles) Said(ctx context.Context, k stream.Key) (string, error) {
	said, err := h.rdb.Get(ctx, saidKey(k)).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		return "", stored("look for response", err)
	}

	return said, nil
}
