package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"github.com/subrosa-legal/subrosa/deploy/internal/client"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
)

type reviewWalkCmd struct {
	Case string `help:"Only this case." placeholder:"CASE"`
}

// Run goes through all that waits for a review, one answer after the other.
func (cmd *reviewWalkCmd) Run(sh *shell) error {
	if sh.root.JSON {
		return &misuse{"a walk through the queue asks questions: use subrosa review list --json"}
	}
	c, err := sh.person()
	if err != nil {
		return err
	}
	waiting, err := pendingReviews(sh, c, cmd.Case)
	if err != nil {
		return err
	}
	if len(waiting) == 0 {
		fmt.Fprintln(sh.Out, "Nothing waits for a review.")
		return nil
	}

	w := walk{sh: sh, c: c, in: bufio.NewReader(sh.In)}
	for i, p := range waiting {
		fmt.Fprintf(sh.Out, "%s\n", sh.paint(bold, fmt.Sprintf("── %d of %d: %s", i+1, len(waiting), p.Title)))
		if err := w.one(p); errors.Is(err, errStop) {
			break
		} else if err != nil {
			return err
		}
	}
	fmt.Fprintf(sh.Out, "%d approved, %d amended, %d rejected, %d left as they are.\n", w.approved, w.amended,
		w.rejected, len(waiting)-w.approved-w.amended-w.rejected)

	return nil
}

// walk is a person's way through the queue.
type walk struct {
	sh                          *shell
	c                           *client.Client
	in                          *bufio.Reader
	approved, amended, rejected int
}

// errStop ends a walk; what was decided stays decided.
var errStop = errors.New("the walk ends")

// one shows a phase and does what the person says, until that decides it or leaves it.
func (w *walk) one(p pendingReview) error {
	phase, err := phaseOf(w.sh, w.c, p.PhaseID)
	if err != nil {
		return err
	}
	fmt.Fprintf(w.sh.Out, "phase %s of case %s, asked: %s\nwhy: %s\n\n", phase.PhaseID, phase.ContainerID,
		short(phase.Prompt), strings.Join(p.Reasons, ", "))
	sources := 0
	if phase.Response != nil {
		if err := w.sh.answerText(w.sh.Out, phase.Response.Text); err != nil {
			return err
		}
		sources = len(phase.Response.Citations)
		list(w.sh.Out, "Limits of this answer", phase.Response.Limits)
	}

	for {
		fmt.Fprintf(w.sh.Err, "\n[a]pprove, a[m]end, [r]eject, [c]omment, [s]kip, [q]uit, or the number of a source "+
			"(1 to %d): ", sources)
		word, err := w.line()
		if err != nil {
			return err
		}
		done, err := w.act(phase, word)
		if err != nil {
			// A refused decision does not end the walk: the person may answer again or skip.
			fmt.Fprintf(w.sh.Err, "%s\n", w.sh.explain(err))
		}
		if errors.Is(err, errStop) || errors.Is(err, context.Canceled) || done {
			return err
		}
	}
}

// act does what an answer says; done is true when that decides the phase or leaves it.
func (w *walk) act(phase api.Phase, word string) (done bool, err error) {
	if n, err := strconv.Atoi(word); err == nil {
		return false, w.sh.openSource(w.c, phase, n, sourceAround)
	}

	switch strings.ToLower(word) {
	case "a", "approve":
		return w.decide(phase, api.ReviewPhase{Decision: api.ReviewApproved}, &w.approved)
	case "r", "reject":
		fmt.Fprint(w.sh.Err, "Why? ")
		note, err := w.line()
		if err != nil {
			return false, err
		}

		return w.decide(phase, api.ReviewPhase{Decision: api.ReviewRejected, Note: note}, &w.rejected)
	case "m", "amend":
		if phase.Response == nil {
			return false, errors.New("the phase has no text to amend")
		}
		text, err := w.edited(phase.Response.Text)
		if err != nil {
			return false, err
		}

		return w.decide(phase, api.ReviewPhase{Decision: api.ReviewAmended, AmendedText: text}, &w.amended)
	case "c", "comment":
		fmt.Fprint(w.sh.Err, "Comment: ")
		text, err := w.line()
		if err != nil {
			return false, err
		}
		_, err = w.send(phase, api.ReviewPhase{Comment: text})

		return false, err
	case "s", "skip", "":
		return true, nil
	case "q", "quit":
		return true, errStop
	}

	return false, errors.New("that is not one of the answers")
}

// decide sends a decision, and counts it when it holds.
func (w *walk) decide(phase api.Phase, in api.ReviewPhase, count *int) (done bool, err error) {
	p, err := w.send(phase, in)
	if err != nil {
		return false, err
	}
	// Counted only here: what the service refused was not decided.
	*count++
	fmt.Fprintf(w.sh.Out, "%s; signed was the response with the SHA-256 %s\n\n", p.Review.Status,
		p.Review.ResponseSHA256)

	return true, nil
}

func (w *walk) send(phase api.Phase, in api.ReviewPhase) (api.Phase, error) {
	a, err := call[api.Phase](
		w.sh,
		w.c,
		httpcall.Request{Method: http.MethodPost, Path: httpcall.Path("v1", "phases", phase.PhaseID, "review"), In: in},
	)

	return a.v, err
}

const (
	sourceAround = 400  // characters
	longLine     = 2000 // bytes of an answer
)

// line reads one line; the end of the input ends the walk.
func (w *walk) line() (string, error) {
	text, err := w.sh.line(w.in, longLine)
	if errors.Is(err, io.EOF) {
		return "", errStop
	}

	return text, err
}

// edited has the person change a text in the editor of VISUAL or EDITOR, by way of a file that only they can read and
// that is gone afterwards.
func (w *walk) edited(text string) (string, error) {
	if w.sh.Edit == nil {
		return "", errors.New("no editor is set: set EDITOR, or use subrosa review amend PHASE --text FILE")
	}

	changed, err := w.sh.Edit(w.sh.ctx, text)
	switch {
	case err != nil:
		return "", err
	case strings.TrimSpace(changed) == "" || changed == text:
		return "", errors.New("the text was not changed, so nothing was amended")
	}

	return changed, nil
}

// EditorOf returns what edits a text with a program, "" for none. The program may have arguments.
func EditorOf(program string) func(ctx context.Context, text string) (string, error) {
	words := strings.Fields(program)
	if len(words) == 0 {
		return nil
	}

	return func(ctx context.Context, text string) (string, error) {
		// The mode is 0600 from the start. The text may be privileged.
		f, err := os.CreateTemp("", "subrosa-*.md")
		if err != nil {
			return "", err
		}
		defer func() { _ = os.Remove(f.Name()) }()
		_, err = io.WriteString(f, text)
		if err = errors.Join(err, f.Close()); err != nil {
			return "", err
		}
		cmd := exec.CommandContext(ctx, words[0], append(words[1:], f.Name())...)
		cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
		if err := cmd.Run(); err != nil {
			return "", fmt.Errorf("the editor failed: %w", err)
		}
		// Opened anew, because many editors write another file and rename it.
		out, err := os.Open(f.Name())
		if err != nil {
			return "", err
		}

		defer func() { _ = out.Close() }()
		changed, err := io.ReadAll(io.LimitReader(out, maxAmended))

		return string(changed), err
	}
}
