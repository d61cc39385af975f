package cli

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/deploy/internal/client"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

type askCmd struct {
	Prompt     []string `arg:"" optional:"" help:"What to do, in plain words and labels. An evaluation needs none."`
	Case       string   `help:"Id of the case." placeholder:"CASE" xor:"container"`
	Support    string   `help:"Id of a support ticket; a new UUID opens one." placeholder:"ID" xor:"container"`
	Sales      string   `help:"Id of a sales inquiry; a new UUID opens one." placeholder:"ID" xor:"container"`
	Type       string   `help:"Type: ${enum}. Default: by the container." enum:",${requestTypes}" default:""`
	File       []string `help:"Only use this file." placeholder:"FILE"`
	Mode       string   `help:"What answers: ${enum}. Default: auto." enum:",auto,deterministic,model" default:""`
	Language   string   `help:"Language of the answer, such as en or es-MX." placeholder:"TAG"`
	MaxSeconds int      `help:"Longest time for the run, 5 to 600." default:"180"`
	Phase      string   `help:"Id for the phase; it makes the command safe to repeat." placeholder:"UUID"`
	Session    string   `help:"Id of the session." default:"subrosa-cli" placeholder:"NAME"`
}

var errFailed = errors.New("the run did not complete")

// Run sends the task and follows its stream to the end, resuming by itself.
func (cmd *askCmd) Run(sh *shell) error {
	task, err := cmd.task()
	if err != nil {
		return err
	}
	c, err := sh.caller()
	if err != nil {
		return err
	}
	show := &display{sh: sh, phase: task.SeedPhase.PhaseID}
	if err := c.Run(sh.ctx, task, show.event, show.lost); err != nil {
		show.clear()
		if sh.ctx.Err() != nil {
			return fmt.Errorf("you stopped following the run: if it had begun, it goes on, and if it waited for its "+
				"branch, it has left the line; either way repeat the command with --phase %s", task.SeedPhase.PhaseID)
		}

		// Nobody knows whether the run began, so the phase is named: asking for it again never starts a second run.
		return fmt.Errorf("%w (the run may go on: repeat with --phase %s)", err, task.SeedPhase.PhaseID)
	}

	return show.end()
}

func (cmd *askCmd) task() (api.AgentTask, error) {
	t := api.AgentTask{
		SessionID: cmd.Session,
		SeedPhase: api.SeedPhase{PhaseID: cmd.Phase},
		Prompt:    strings.Join(cmd.Prompt, " "),
		FileIDs:   cmd.File,
		Options:   &api.TaskOptions{Mode: cmd.Mode, MaxSeconds: cmd.MaxSeconds, Language: cmd.Language},
	}
	switch {
	case cmd.Case != "":
		t.ContainerType, t.ContainerID, t.RequestType = api.ContainerCase, cmd.Case, api.CaseReq
	case cmd.Support != "":
		t.ContainerType, t.ContainerID, t.RequestType = api.ContainerSupport, cmd.Support, api.SupportReq
	case cmd.Sales != "":
		t.ContainerType, t.ContainerID, t.RequestType = api.ContainerSales, cmd.Sales, api.SalesReq
	default:
		return t, &misuse{"name what it is about with --case, --support or --sales"}
	}
	if cmd.Type != "" {
		t.RequestType = cmd.Type + "_req"
	}
	if t.Prompt == "" && t.RequestType == api.EvalReq {
		t.Prompt = "Evaluate this case."
	}
	if t.Prompt == "" {
		return t, &misuse{"say what to do, for example: subrosa ask --case CASE What is the notice period?"}
	}
	// The id is made here and not by the service, so that a repeated command finds the same run.
	if t.SeedPhase.PhaseID == "" {
		t.SeedPhase.PhaseID = uuid.NewString()
	}

	return t, nil
}

// display shows what a run is doing on one line while it works, then its answer with its sources, once: what an
// attempt wrote that did not end is void.
type display struct {
	sh       *shell
	line     bool // a status line stands on the terminal
	response *api.PhaseResponse
	phase    string
	status   string
	failure  *api.ErrorEvent
}

func (d *display) event(e client.Event) error {
	if d.sh.root.JSON {
		// Every event is printed as it came, but the exit code still has to tell how the run ended.
		if e.Kind == api.EventPhaseEnd {
			d.ended(e)
		}
		_, err := fmt.Fprintln(d.sh.Out, string(e.Data))

		return err
	}

	switch e.Kind {
	case api.EventPhaseStart:
		return d.started(e)
	case api.EventStatus:
		return d.working(e)
	case api.EventDirectResponse:
		response, err := client.Decode[api.DirectResponseEvent](e)
		d.response = &response.Response

		return err
	case api.EventError:
		failure, err := client.Decode[api.ErrorEvent](e)
		d.failure = &failure

		return err
	case api.EventPhaseEnd:
		d.ended(e)
	}

	return nil
}

func (d *display) ended(e client.Event) {
	if end, err := client.Decode[api.PhaseEndEvent](e); err == nil {
		d.status = end.Status
	}
}

// started says that a run begins anew, whose process died or was stopped: what came before is void.
func (d *display) started(e client.Event) error {
	start, err := client.Decode[api.PhaseStartEvent](e)
	if err == nil && start.Attempt > 1 {
		d.say(fmt.Sprintf("[restarted] the server that did the work stopped; it starts over (attempt %d)",
			start.Attempt))
	}

	return err
}

func (d *display) working(e client.Event) error {
	s, err := client.Decode[api.StatusEvent](e)
	if err != nil {
		return err
	}

	text := s.Message
	switch {
	case s.Tool != nil && s.Tool.Outcome == nil:
		text = s.Tool.Name + ": " + s.Tool.Summary
	case s.Tool != nil:
		text = s.Tool.Name + ": " + s.Tool.Summary + " (" + *s.Tool.Outcome + ")"
	case s.Progress != nil:
		text = fmt.Sprintf("%s (%d of %d)", s.Message, s.Progress.Done, s.Progress.Total)
	}
	if text == "" {
		return nil
	}
	d.say("[" + s.Status + "] " + text)

	return nil
}

// say shows what is going on: over the line before on a terminal, else as a line of its own.
func (d *display) say(text string) {
	if !d.sh.Live {
		fmt.Fprintln(d.sh.Err, text)
		return
	}
	// Carriage return and "erase to the end of the line" put the next status over the last one.
	fmt.Fprintf(d.sh.Err, "\r\x1b[K%s", text)
	d.line = true
}

func (d *display) clear() {
	if d.line {
		fmt.Fprint(d.sh.Err, "\r\x1b[K")
		d.line = false
	}
}

func (d *display) lost(try int, _ error) {
	d.say(fmt.Sprintf("[reconnecting] the connection broke off, resuming (try %d)", try))
}

// end prints what follows the text, and tells whether the run completed.
func (d *display) end() error {
	d.clear()
	if d.sh.root.JSON {
		// A refusal is an answer too: the exit code is 0 as long as the run came to its end.
		if d.status != api.PhaseCompleted && d.status != api.PhaseRefused {
			return errFailed
		}

		return nil
	}
	if d.failure != nil {
		return fmt.Errorf("%w: %s [%s]", errFailed, d.failure.Message, d.failure.Error)
	}
	if d.response == nil {
		return errFailed
	}
	if err := d.sh.answerText(d.sh.Out, d.response.Text); err != nil {
		return err
	}
	d.sources()

	return nil
}

func (d *display) sources() {
	r := d.response
	if len(r.Citations) > 0 {
		fmt.Fprintf(d.sh.Out, "\nSources (open one: subrosa source %s NUMBER)\n", d.phase)
	}

	for _, c := range r.Citations {
		quote := short(c.Source.Quote)
		// What the answer does not quote stands here alone, so it must not be cut.
		if strings.Contains(r.Text, api.InSourcesAlone) {
			quote = c.Source.Quote
		}

		page := ""
		if c.Source.Page > 0 {
			page = fmt.Sprintf("page %d, ", c.Source.Page)
		}
		fmt.Fprintf(d.sh.Out, "  [%d] %s %scharacters %d to %d: %q\n", c.N, c.Source.FileID, page, c.Source.CharStart,
			c.Source.CharEnd, quote)
	}
	proposals(d.sh.Out, "deadline", r.Deadlines)
	proposals(d.sh.Out, "entry", r.Entries)

	for _, draft := range r.Drafts {
		fmt.Fprintf(d.sh.Out, "\nDraft: file %s (%s), %d placeholders to fill\n", draft.FileID, draft.DocType,
			len(draft.Placeholders))
	}
	list(d.sh.Out, "Limits of this answer", r.Limits)
	list(d.sh.Out, "Questions", r.Questions)
	if r.Refusal != nil {
		fmt.Fprintf(d.sh.Out, "\nRefused: %s\nA person can do it here: %s\n", r.Refusal.Reason, r.Refusal.DeepLink)
	}
	if r.HumanReview.DeepLink != "" && !r.HumanReview.Required {
		fmt.Fprintf(d.sh.Out, "\nThe deep link of this answer: %s\n", r.HumanReview.DeepLink)
	}
	if r.HumanReview.Required {
		fmt.Fprintf(d.sh.Out, "\nA person must review this before it is relied on (%s): subrosa review\n",
			strings.Join(r.HumanReview.Reasons, ", "))
	}
}

// proposals says what the run put into the timeline.
func proposals(w io.Writer, what string, all []api.Proposal) {
	kept := 0

	for _, p := range all {
		// A proposal without an id was not stored.
		if p.EntryID != "" {
			kept++
		}
	}
	if kept > 0 {
		fmt.Fprintf(w, "\nIn the timeline, to be confirmed (%s): %d\n", what, kept)
	}
}

const shownQuote = 60 // characters of a quote in the list of sources

func short(quote string) string {
	// A cut between bytes could tear a character in two.
	r := []rune(strings.Join(strings.Fields(quote), " "))
	if len(r) <= shownQuote {
		return string(r)
	}

	return string(r[:shownQuote]) + "…"
}

func list(w io.Writer, title string, items []string) {
	if len(items) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s\n", title)

	for _, item := range items {
		fmt.Fprintf(w, "  - %s\n", item)
	}
}
