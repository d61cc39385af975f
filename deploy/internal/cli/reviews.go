package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"

	"github.com/subrosa-legal/subrosa/deploy/internal/client"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
)

type reviewCmd struct {
	Walk    reviewWalkCmd    `cmd:"" default:"withargs" help:"Decide what waits for your review, one by one. The default."`
	List    reviewListCmd    `cmd:"" help:"List what waits for your review, in one case or in all."`
	Approve reviewApproveCmd `cmd:"" help:"Approve what a phase produced."`
	Amend   reviewAmendCmd   `cmd:"" help:"Put your own text in place of what a phase produced."`
	Reject  reviewRejectCmd  `cmd:"" help:"Reject what a phase produced."`
	Comment reviewCommentCmd `cmd:"" help:"Comment on a phase."`
}

type reviewListCmd struct {
	Case string `help:"Only this case." placeholder:"CASE"`
}

// pendingReview is a phase that waits, with the case that it belongs to.
type pendingReview struct {
	CaseID string `json:"caseId"`
	Title  string `json:"title"`
	api.PendingReview
}

// Run lists pending reviews: those that the workspaces of the cases name.
func (cmd *reviewListCmd) Run(sh *shell) error {
	c, err := sh.person()
	if err != nil {
		return err
	}
	waiting, err := pendingReviews(sh, c, cmd.Case)
	if err != nil {
		return err
	}
	if sh.root.JSON {
		whole, err := json.Marshal(waiting)
		if err != nil {
			return err
		}

		return printRaw(sh.Out, whole)
	}
	if len(waiting) == 0 {
		fmt.Fprintln(sh.Out, "Nothing waits for a review.")
		return nil
	}
	table(sh.Out, []string{"PHASE", "CASE", "WHY", "TITLE"}, func(row func(...any)) {
		for _, p := range waiting {
			row(p.PhaseID, p.CaseID, strings.Join(p.Reasons, ","), p.Title)
		}
	})
	fmt.Fprintln(sh.Out, "Read one: subrosa phase show PHASE. Decide: subrosa review approve PHASE")

	return nil
}

// pendingReviews returns what waits in a case, or in all.
func pendingReviews(sh *shell, c *client.Client, caseID string) (waiting []pendingReview, err error) {
	cases := []string{caseID}
	if caseID == "" {
		if cases, err = casesToReview(sh, c); err != nil {
			return nil, err
		}
	}
	// An empty list and not null, for whoever reads the JSON.
	waiting = []pendingReview{}

	for _, id := range cases {
		ws, err := call[api.Workspace[api.Case]](sh, c, get("v1", "workspace", api.ContainerCase, id))
		if err != nil {
			return nil, err
		}

		for _, p := range ws.v.PendingReviews {
			waiting = append(waiting, pendingReview{id, ws.v.Container.Title, p})
		}
	}

	return waiting, nil
}

func casesToReview(sh *shell, c *client.Client) (ids []string, err error) {
	q := url.Values{"hasPendingReview": {"true"}, "limit": {"100"}}
	for {
		page, err := call[api.Page[api.CaseRow]](sh, c, find(q, "v1", "cases"))
		if err != nil {
			return nil, err
		}

		for _, k := range page.v.Items {
			ids = append(ids, k.CaseID)
		}
		if page.v.NextCursor == nil {
			return ids, nil
		}
		q.Set("cursor", *page.v.NextCursor)
	}
}

// review sends a decision or a comment.
func review(sh *shell, phase string, in api.ReviewPhase) error {
	return person(
		sh,
		httpcall.Request{Method: http.MethodPost, Path: httpcall.Path("v1", "phases", phase, "review"), In: in},
		func(w io.Writer, p api.Phase) {
			if in.Comment != "" {
				fmt.Fprintf(w, "Phase %s has %d comments\n", p.PhaseID, len(p.Review.Comments))
				return
			}
			fmt.Fprintf(
				w,
				"Phase %s is %s; signed was the response with the SHA-256 %s\n",
				p.PhaseID,
				p.Review.Status,
				p.Review.ResponseSHA256,
			)
		},
	)
}

type reviewApproveCmd struct {
	Phase string `arg:"" help:"Id of the phase."`
	Note  string `help:"Note." placeholder:"TEXT"`
}

// Run approves.
func (cmd *reviewApproveCmd) Run(sh *shell) error {
	return review(sh, cmd.Phase, api.ReviewPhase{Decision: api.ReviewApproved, Note: cmd.Note})
}

type reviewAmendCmd struct {
	Phase string `arg:"" help:"Id of the phase."`
	Text  string `help:"File with the text that holds instead, by label; - for standard input." default:"-" placeholder:"FILE"`
	Note  string `help:"Note." placeholder:"TEXT"`
}

const maxAmended = 1 << 20 // bytes; the service takes no larger body

// Run amends.
func (cmd *reviewAmendCmd) Run(sh *shell) error {
	in := sh.In
	if cmd.Text != "-" {
		f, err := os.Open(cmd.Text)
		if err != nil {
			return err
		}
		defer func() { _ = f.Close() }()
		in = f
	}
	// The limit bounds memory; a longer body the service refuses anyway.
	text, err := io.ReadAll(io.LimitReader(in, maxAmended))
	if err != nil {
		return err
	}
	if strings.TrimSpace(string(text)) == "" {
		return errors.New("there is no text to put in its place")
	}

	return review(sh, cmd.Phase, api.ReviewPhase{
		Decision:    api.ReviewAmended,
		AmendedText: string(text),
		Note:        cmd.Note,
	})
}

type reviewRejectCmd struct {
	Phase string `arg:"" help:"Id of the phase."`
	Note  string `help:"Why." placeholder:"TEXT"`
}

// Run rejects.
func (cmd *reviewRejectCmd) Run(sh *shell) error {
	return review(sh, cmd.Phase, api.ReviewPhase{Decision: api.ReviewRejected, Note: cmd.Note})
}

type reviewCommentCmd struct {
	Phase string   `arg:"" help:"Id of the phase."`
	Text  []string `arg:"" help:"The comment, by label."`
}

// Run comments.
func (cmd *reviewCommentCmd) Run(sh *shell) error {
	return review(sh, cmd.Phase, api.ReviewPhase{Comment: strings.Join(cmd.Text, " ")})
}
