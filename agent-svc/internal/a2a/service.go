package a2a

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/pkg/a2aerr"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/ids"
)

// Tasks keeps the records of tasks, each for the caller of ctx alone: another one's is errs.ErrNotFound.
type Tasks interface {
	PutA2ATask(ctx context.Context, in api.A2ATask) (api.A2ATask, error)
	A2ATask(ctx context.Context, taskID string) (api.A2ATask, error)
	A2ATasks(ctx context.Context, q api.A2AQuery) (api.A2ATaskPage, error)
}

// Worker carries out the turns of tasks, with the rights of the caller of ctx.
type Worker interface {
	// Place says where a message of a task is worked on. Missing reports that the client has to say so first. more is
	// the metadata of the request beside that of the message.
	Place(
		ctx context.Context, m Message, more map[string]any, task api.A2ATask,
	) (at Destination, missing bool, err error)
	// Begin begins a turn and puts it into the record of its task, or finds the one that has begun before. Where the
	// place of o is still to be opened, it opens it and says in o.At where it is.
	Begin(ctx context.Context, o *Order) (Turn, error)
	// Look returns how a turn stands, or errs.ErrNotFound.
	Look(ctx context.Context, turnID string) (Turn, error)
	// Watch is Follow from the first event, for a turn that Begin of the same caller has just returned: it asks nobody
	// whose the turn is and whether it lives.
	Watch(ctx context.Context, turnID string, each func(Event)) (ended bool, err error)
	// Follow tells each event of a turn beyond after, in order, and reports whether the last was told. It returns
	// without it when ctx ends, the process stops, or the events are kept no longer.
	Follow(ctx context.Context, turnID string, after int, each func(Event)) (ended bool, err error)
	// Cancel has a turn end that nobody wants any more.
	Cancel(ctx context.Context, turnID string) error
}

// Destination is where a message is worked on, and how.
type Destination struct {
	ContainerType string
	ContainerID   string
	RequestType   string
	BranchID      string
	FileIDs       []string
	Options       *api.TaskOptions
	New           bool // the container is opened for the task, once its message is admitted
}

// Order is a turn that is to begin.
type Order struct {
	TurnID string
	Task   api.A2ABegin
	Text   string
	Files  []Part // with bytes
	At     Destination
}

// Turn is how one message of a task was answered, as far as it is.
type Turn struct {
	ID        string
	State     string // of the task, while this is its newest turn
	At        time.Time
	Note      string // what the client is told beside the state
	DeepLink  string // where a person has to do something
	Review    bool   // that is to decide on the answer, which no message of an agent does
	Prompt    string
	Artifacts []Artifact
	Events    int // of an ended turn
	Details   map[string]any
}

// Event is one event of a turn; Seq counts them from 1 without a gap.
type Event struct {
	Seq      int
	Status   *Status
	Artifact *ArtifactUpdate // without the ids of its task
	// Details are for those who know the extension, and made for them alone; nil for none.
	Details func() map[string]any
	Last    bool  // the turn has ended
	End     *Turn // how, where the events told it; else Look says
}

// Service does the operations of the protocol.
type Service struct {
	Work  Worker
	Tasks Tasks
	Base  string        // public address of the service
	Beat  time.Duration // between signs of life on a stream
	Wait  time.Duration // how long SendMessage waits for the end of a turn, at most
	Look  time.Duration // between looks at a task that waits for a person
	Stops func() bool   // reports whether the process stops
	Now   func() time.Time
	// Replies is what is answered to a message that begins no task, false for one that does; nil where all do.
	Replies func(m Message) ([]Part, bool)
}

// space is the name space of ids that must come out the same on every replica.
var space = ids.Space(uuid.MustParse("6b0a0b1e-7f2c-5c0a-9a57-3f5f1d2b8c44"))

// noPush is why the operations on push configurations are refused.
const noPush = "This service sends no push notifications. Subscribe to the task, or ask for it."

var (
	errNoTask = a2aerr.New(
		a2aerr.TaskNotFound, "There is no such task that you can see. Check its id and that you use the right key.",
	)
	errKey = a2aerr.New(
		a2aerr.InvalidParams,
		"This Idempotency-Key belongs to another message. Send a new key for a new message.",
	)
	errBusy = a2aerr.New(
		a2aerr.Unsupported,
		"The task is still working. Subscribe to it, and send the next message when it asks for one.",
	)
	errEnded = a2aerr.New(
		a2aerr.Unsupported, "The task has ended. Send the message without a taskId to begin a new task.",
	)
	errOver    = a2aerr.New(a2aerr.TaskNotCancelable, "The task has ended and cannot be cancelled any more.")
	errNothing = a2aerr.New(
		a2aerr.TaskNotCancelable,
		"The work on this task has not begun, or was lost. Get the task in two minutes: its state shows which.",
	)
	errOther = a2aerr.New(
		a2aerr.InvalidParams, "The contextId is not that of the task. Leave it out, or send the contextId of the task.",
	)
	errTurns = a2aerr.New(
		a2aerr.Unsupported, "The task has reached its limit of messages. Begin a new one without a taskId.",
	)
	errHomeless = a2aerr.New(
		a2aerr.InvalidParams, "Files go into a case, and this message names none. Name it in the metadata.",
	)
	errNoText = a2aerr.New(a2aerr.ContentNotSupported, "The message has nothing to read. Send a part with text.")
)

// errReview refuses a message to a task whose answer waits for a person's decision.
func errReview(link string) error {
	f := a2aerr.New(
		a2aerr.Unsupported,
		"A person has to decide on the answer of this task first: send them to the deep link. "+
			"A message without a taskId, with the contextId or the id of the case, begins a new task.",
	)
	f.Meta = map[string]string{"deepLink": link}

	return f
}

// owned maps a store's not-found to TaskNotFound, so that a missing task and another owner's look alike.
func owned(err error) error {
	if errors.Is(err, errs.ErrNotFound) {
		return errNoTask
	}

	return err
}

// reply answers a message that begins no task, which is nil for every other one.
func (s *Service) reply(m Message) *Message {
	if s.Replies == nil || m.TaskID != "" {
		return nil
	}
	parts, ok := s.Replies(m)
	if !ok {
		return nil
	}

	return &Message{
		MessageID: ids.New(),
		ContextID: cmp.Or(m.ContextID, ids.New()),
		Role:      RoleAgent,
		Parts:     parts,
	}
}

// record returns the record of a task of the caller.
func (s *Service) record(ctx context.Context, id string) (api.A2ATask, error) {
	if !ids.Valid(id) {
		return api.A2ATask{}, errNoTask
	}
	t, err := s.Tasks.A2ATask(ctx, id)

	return t, owned(err)
}

// accepted is a message that became a turn of a task, or a question.
type accepted struct {
	task  api.A2ATask
	turn  int  // index of the message
	begun bool // by this request
}

// accept makes a message a turn of its task. owner and key make a request that is sent again the same turn.
func (s *Service) accept(ctx context.Context, p SendParams, owner, key string) (accepted, error) {
	if p.Message.TaskID != "" {
		return s.answer(ctx, p, key)
	}
	t := api.A2ATask{TaskID: ids.New(), ContextID: p.Message.ContextID}

	// The id follows from the key, so a message that is sent again finds its task on every replica.
	if key != "" {
		t.TaskID = space.Derive("task", owner, key)
		before, err := s.Tasks.A2ATask(ctx, t.TaskID)
		if err == nil {
			return s.repeat(ctx, before, 0, p)
		}
		if !errors.Is(err, errs.ErrNotFound) {
			return accepted{}, err
		}
	}
	if t.ContextID == "" {
		t.ContextID = space.Derive("context", t.TaskID)
		return s.next(ctx, t, p, turnKey{turnID: t.TaskID})
	}

	return s.join(ctx, t, p)
}

// join begins a task in a context that may have others: it is worked on where the newest of them was, unless its
// message says otherwise.
func (s *Service) join(ctx context.Context, t api.A2ATask, p SendParams) (accepted, error) {
	others, err := s.Tasks.A2ATasks(ctx, api.A2AQuery{ContextID: t.ContextID, Limit: 1})
	if err != nil {
		return accepted{}, err
	}
	if len(others.Items) > 0 {
		t.ContainerType, t.ContainerID = others.Items[0].ContainerType, others.Items[0].ContainerID
	}

	return s.next(ctx, t, p, turnKey{turnID: t.TaskID})
}

// turnKey is what a message of a task is known by when it is sent again.
type turnKey struct {
	turnID string
	keyed  bool // turnID is made of the key that came with the message, so that the turn is found by it
}

// in returns the index of the turn of a message that came before, below 0 for none.
func (k turnKey) in(t api.A2ATask) int {
	if !k.keyed {
		return -1
	}

	return slices.IndexFunc(t.Turns, func(turn api.A2ATurn) bool {
		return turn.PhaseID == k.turnID || turn.Key == k.turnID
	})
}

// repeat answers a message that came before. A turn that was recorded and did not begin, since the process that
// recorded it died in between, begins now.
func (s *Service) repeat(ctx context.Context, t api.A2ATask, turn int, p SendParams) (accepted, error) {
	got, err := repeated(t, turn, p)
	// Only the newest turn can still be begun; whatever came after it was said in answer to it.
	if err != nil || turn < len(t.Turns)-1 || t.Turns[turn].PhaseID == "" || settled(t.State) {
		return got, err
	}

	phaseID := t.Turns[turn].PhaseID
	if _, err := s.Work.Look(ctx, phaseID); !errors.Is(err, errs.ErrNotFound) {
		return got, err
	}
	t.Turns = slices.Clip(t.Turns[:turn])

	return s.next(ctx, t, p, turnKey{turnID: phaseID})
}

// repeated returns a turn that has begun before, if it is of the same message.
func repeated(t api.A2ATask, turn int, p SendParams) (accepted, error) {
	other := p.Message.ContextID != "" && p.Message.ContextID != t.ContextID
	if t.Turns[turn].MessageID != p.Message.MessageID || t.Turns[turn].Print != printOf(p) || other {
		return accepted{}, errKey
	}

	return accepted{task: t, turn: turn}, nil
}

// printOf tells whether two messages say the same: what they hold and what is said of them.
func printOf(p SendParams) string {
	text, err := json.Marshal([]any{p.Message.Parts, p.Message.Metadata, p.Metadata})
	if err != nil {
		return "" // it was JSON a moment ago
	}
	sum := sha256.Sum256(text)

	return hex.EncodeToString(sum[:])
}

// answer makes a message the next turn of a task that waits for one.
func (s *Service) answer(ctx context.Context, p SendParams, key string) (accepted, error) {
	t, err := s.record(ctx, p.Message.TaskID)
	if err != nil {
		return accepted{}, err
	}
	if p.Message.ContextID != "" && p.Message.ContextID != t.ContextID {
		return accepted{}, errOther
	}
	// Of equal answers at once one is the next message; the others find the task busy.
	m := turnKey{turnID: ids.New()}

	if key != "" {
		m = turnKey{turnID: space.Derive("answer", t.TaskID, key), keyed: true}
		if i := m.in(t); i >= 0 {
			return s.repeat(ctx, t, i, p)
		}
	}
	newest, err := s.newest(ctx, t)

	switch {
	case err != nil:
		return accepted{}, err
	case api.A2AEnded(newest.State):
		return accepted{}, errEnded
	case !waits(newest.State):
		return accepted{}, errBusy
	case newest.Review:
		return accepted{}, errReview(newest.DeepLink)
	case len(t.Turns) >= api.MaxA2ATurns:
		return accepted{}, errTurns
	}

	return s.extend(ctx, t, p, m)
}

// extend adds an answer to its task. Where another message came first, that may have been a copy of this one.
func (s *Service) extend(ctx context.Context, t api.A2ATask, p SendParams, m turnKey) (accepted, error) {
	got, err := s.next(ctx, t, p, m)
	if err == nil || errs.From(err).Kind != errs.Conflict {
		return got, err
	}

	// The conflict may be with a copy of this very message; the record tells.
	now, unread := s.record(ctx, t.TaskID)
	if unread != nil {
		return accepted{}, err
	}
	if i := m.in(now); i >= 0 {
		return s.repeat(ctx, now, i, p)
	}

	return accepted{}, err
}

// stands returns the state of a task now: that of its newest turn, unless the task has ended.
func (s *Service) stands(ctx context.Context, t api.A2ATask) (string, error) {
	turn, err := s.newest(ctx, t)
	return turn.State, err
}

// newest returns how the newest turn of a task stands. Where nothing answers it, or the task has ended, the record is
// all there is to say.
func (s *Service) newest(ctx context.Context, t api.A2ATask) (Turn, error) {
	newest := t.Turns[len(t.Turns)-1]
	if newest.PhaseID == "" || api.A2AEnded(t.State) {
		return Turn{State: t.State}, nil
	}

	turn, err := s.Work.Look(ctx, newest.PhaseID)
	if errors.Is(err, errs.ErrNotFound) {
		return missing(t), nil
	}

	return turn, err
}

// missing is the newest turn of a task where its work is not there. The record of a turn is made before its work, and
// says that it has failed once the work was looked for in vain; until then the same message may begin it. A turn that
// had an end is no longer kept.
func missing(t api.A2ATask) Turn {
	turn := Turn{State: t.State, At: t.StatusAt.Time}
	if settled(t.State) {
		turn.State, turn.Note = api.A2AFailed, notBegun
	}

	return turn
}

// next begins the turn of a message, or keeps the message and asks for what it lacks.
func (s *Service) next(ctx context.Context, t api.A2ATask, p SendParams, m turnKey) (accepted, error) {
	text, files, unread, err := contents(p.Message)
	if err != nil {
		return accepted{}, err
	}
	at, missing, err := s.Work.Place(ctx, p.Message, p.Metadata, t)
	if err != nil {
		return accepted{}, err
	}
	// Words can be kept until they are answered; files have no place yet.
	if missing && len(files) > 0 {
		return accepted{}, errHomeless
	}
	prompt := joined(t, text, at)
	if err := fit(text, prompt); err != nil {
		return accepted{}, err
	}
	if missing {
		t.State = api.A2AInputRequired
		turn := api.A2ATurn{
			MessageID: p.Message.MessageID,
			Text:      text,
			Print:     printOf(p),
			Unread:    unread,
		}
		if m.keyed {
			turn.Key = m.turnID
		}
		t.Turns = append(t.Turns, turn)
		saved, err := s.keep(ctx, t)

		return accepted{task: saved, turn: len(saved.Turns) - 1}, asSent(err)
	}
	o := &Order{
		TurnID: m.turnID,
		At:     at,
		Files:  files,
		Text:   prompt,
		Task: api.A2ABegin{
			TaskID:    t.TaskID,
			ContextID: t.ContextID,
			MessageID: p.Message.MessageID,
			Turn:      len(t.Turns),
			Print:     printOf(p),
			Unread:    unread,
		},
	}
	turn, err := s.Work.Begin(ctx, o)
	if err != nil {
		return accepted{}, asSent(err)
	}
	t.Turns = append(t.Turns, api.A2ATurn{
		MessageID: p.Message.MessageID,
		PhaseID:   m.turnID,
		Print:     o.Task.Print,
		Unread:    unread,
	})
	t.State, t.StatusAt = turn.State, api.At(turn.At)
	t.ContainerType, t.ContainerID = o.At.ContainerType, o.At.ContainerID

	return accepted{task: t, turn: len(t.Turns) - 1, begun: true}, nil
}

// keep saves a task that no work answers yet. A case-svc of the version before keeps no keys of messages.
func (s *Service) keep(ctx context.Context, t api.A2ATask) (api.A2ATask, error) {
	saved, err := s.Tasks.PutA2ATask(ctx, t)
	if err == nil || errs.From(err).Code != "unknown_field" {
		return saved, err
	}

	// The record that was refused stays as it is for whoever holds it.
	t.Turns = slices.Clone(t.Turns)
	for i := range t.Turns {
		t.Turns[i].Key = ""
	}

	return s.Tasks.PutA2ATask(ctx, t)
}

// joined builds the prompt of a turn: the messages before it that nobody has answered, then its own, unless that only
// named the case.
func joined(t api.A2ATask, text string, at Destination) string {
	asked := unanswered(t.Turns)
	if len(asked) == 0 || text != at.ContainerID {
		asked = append(asked, text)
	}

	return lines(asked)
}

// Keep adds an artifact to those of a turn, or a piece to one of them.
func (t *Turn) Keep(a Artifact, piece bool) {
	for i, there := range t.Artifacts {
		if there.ArtifactID != a.ArtifactID {
			continue
		}
		if piece {
			a.Parts = append(slices.Clone(there.Parts), a.Parts...)
		}
		// Another reader may hold the list, so a copy is changed.
		t.Artifacts = slices.Clone(t.Artifacts)
		t.Artifacts[i] = a

		return
	}
	t.Artifacts = append(slices.Clone(t.Artifacts), a)
}
