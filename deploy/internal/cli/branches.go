package cli

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/subrosa-legal/subrosa/deploy/internal/client"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
)

type branchCmd struct {
	Create  branchCreateCmd  `cmd:"" help:"Fork the work at an ended phase."`
	Show    branchShowCmd    `cmd:"" help:"Show a branch with its lineage."`
	Rename  branchRenameCmd  `cmd:"" help:"Give a branch another title."`
	Archive branchArchiveCmd `cmd:"" help:"Archive a branch, or with --reopen open it again."`
}

type branchCreateCmd struct {
	whichTimeline `embed:""`
	Title         string `help:"Title, by label. Default: Branch n." placeholder:"TEXT"`
	Purpose       string `help:"Purpose: ${enum}." enum:",alternative,opposing_view,draft" default:""`
	From          string `help:"Ended phase to fork at. Default: the head of the parent." placeholder:"PHASE"`
	Parent        string `help:"Branch to fork from. Default: that of --from, or the active one." placeholder:"BRANCH"`
	Key           string `name:"idempotency-key" help:"Makes the command safe to repeat for 24 hours." placeholder:"KEY"`
}

// Run forks.
func (cmd *branchCreateCmd) Run(sh *shell) error {
	c, err := sh.caller()
	if err != nil {
		return err
	}
	id, err := cmd.id(sh, c)
	if err != nil {
		return err
	}
	in := api.NewBranch{
		TimelineID:     id,
		FromPhaseID:    cmd.From,
		ParentBranchID: cmd.Parent,
		Title:          cmd.Title,
		Purpose:        cmd.Purpose,
	}
	a, err := call[api.Branch](
		sh,
		c,
		httpcall.Request{Method: http.MethodPost, Path: "/v1/branch", In: in, Header: idempotent(cmd.Key)},
	)
	if err != nil {
		return err
	}

	return show(sh, a, func(w io.Writer, b api.Branch) {
		fmt.Fprintf(w, "Created branch %s: %s (%s), %d phases inherited\n", b.BranchID, b.Title, b.Purpose,
			b.InheritedPhaseCount)
	})
}

type branchShowCmd struct {
	Branch string `arg:"" help:"Id of the branch."`
}

// Run shows a branch.
func (cmd *branchShowCmd) Run(sh *shell) error {
	return one(sh, get("v1", "branch", cmd.Branch), branchFacts)
}

func branchFacts(w io.Writer, b api.Branch) {
	steps := make([]string, len(b.Lineage))
	for i, s := range b.Lineage {
		steps[i] = fmt.Sprintf("%s (%d)", s.Title, s.PhaseCount)
	}
	sheet(w,
		"branch", b.BranchID,
		"title", b.Title,
		"purpose", b.Purpose,
		"status", b.Status,
		"of", b.ContainerType+" "+b.ContainerID,
		"timeline", b.TimelineID,
		"phases", fmt.Sprintf("%d own, %d inherited", b.OwnPhaseCount, b.InheritedPhaseCount),
		"lineage", strings.Join(steps, " > "),
		"parent", deref(b.ParentBranchID),
		"forked at", deref(b.ForkPhaseID),
		"head", deref(b.HeadPhaseID),
		"running", deref(b.RunningPhaseID),
		"version", b.Version,
		"changed", local(b.UpdatedAt))
}

type branchRenameCmd struct {
	Branch string   `arg:"" help:"Id of the branch."`
	Title  []string `arg:"" help:"New title, by label."`
}

// Run renames a branch.
func (cmd *branchRenameCmd) Run(sh *shell) error {
	r := httpcall.Request{
		Method: http.MethodPatch,
		Path:   httpcall.Path("v1", "branch", cmd.Branch),
		In:     fields{"title": strings.Join(cmd.Title, " ")},
	}

	return one(
		sh,
		r,
		func(w io.Writer, b api.Branch) { fmt.Fprintf(w, "Branch %s is now called %s\n", b.BranchID, b.Title) },
	)
}

type branchArchiveCmd struct {
	Branch string `arg:"" help:"Id of the branch."`
	Reopen bool   `help:"Open it again."`
}

// Run archives a branch or opens it again.
func (cmd *branchArchiveCmd) Run(sh *shell) error {
	status := api.BranchArchived
	if cmd.Reopen {
		status = api.BranchActive
	}
	r := httpcall.Request{
		Method: http.MethodPatch,
		Path:   httpcall.Path("v1", "branch", cmd.Branch),
		In:     fields{"status": status},
	}

	// Agents may rename a branch, but only a person puts one away.
	return person(sh, r, func(w io.Writer, b api.Branch) {
		fmt.Fprintf(w, "Branch %s (%s) is %s\n", b.BranchID, b.Title, b.Status)
	})
}

type phaseCmd struct {
	List phaseListCmd `cmd:"" help:"List the phases of a branch, or your own."`
	Show phaseShowCmd `cmd:"" help:"Show what a phase was asked and what it answered."`
}

type phaseListCmd struct {
	Case      string `help:"Those of the active branch of this case." placeholder:"CASE" xor:"of"`
	Branch    string `help:"Those of this branch." placeholder:"BRANCH" xor:"of"`
	Mine      bool   `help:"Those of your user, the newest first." xor:"of"`
	Container string `help:"With --mine: of this case, ticket or inquiry only." placeholder:"ID"`
	Own       bool   `help:"Without what the branch inherits."`
	Status    string `help:"Status: ${enum}." enum:",${phaseStatuses}" default:""`
	Type      string `help:"Type: ${enum}." enum:",${requestTypes}" default:""`
	Review    string `help:"State of review: ${enum}." enum:",${reviewStates}" default:""`
	Since     string `help:"Made at or after." placeholder:"INSTANT"`
	Newest    bool   `help:"The newest first."`
	Full      bool   `help:"Whole phases instead of summaries; of use with --json."`
	paging    `embed:""`
}

// Validate wants to know whose phases.
func (cmd *phaseListCmd) Validate() error {
	if !cmd.Mine && cmd.Branch == "" && cmd.Case == "" {
		return errors.New("name whose phases with --case, --branch or --mine")
	}

	return cmd.paging.Validate()
}

// Run lists phases.
func (cmd *phaseListCmd) Run(sh *shell) error {
	c, err := sh.caller()
	if err != nil {
		return err
	}
	q := url.Values{}

	switch {
	case cmd.Mine:
		q.Set("mine", "true")
	case cmd.Branch != "":
		q.Set("branchId", cmd.Branch)
	case cmd.Case != "":
		k, err := call[api.Case](sh, c, get("v1", "cases", cmd.Case))
		if err != nil {
			return err
		}
		// The list is asked by branch, so the active one has to be looked up first.
		q.Set("branchId", k.v.ActiveBranchID)
	}

	for name, value := range map[string]string{
		"containerId":  cmd.Container,
		"status":       cmd.Status,
		"reviewStatus": cmd.Review,
		"since":        cmd.Since,
	} {
		params(q).text(name, value)
	}
	if cmd.Type != "" {
		q.Set("requestType", cmd.Type+"_req")
	}
	if cmd.Own {
		q.Set("includeInherited", "false")
	}
	if cmd.Newest {
		q.Set("order", "desc")
	}
	// Whole phases hold their answers, which make a page many times as large.
	if !cmd.Full {
		q.Set("view", "summary")
	}

	return cmd.print(sh, c, q)
}

func (cmd *phaseListCmd) print(sh *shell, c *client.Client, q url.Values) error {
	return listed(sh, c, cmd.paging, "/v1/phases", q, func(w io.Writer, phases []api.PhaseSummary) {
		table(w, []string{"PHASE", "NO", "TYPE", "STATUS", "REVIEW", "MADE", "PROMPT"}, func(row func(...any)) {
			for _, p := range phases {
				row(p.PhaseID, p.Sequence, p.RequestType, p.Status, p.Review.Status, local(p.CreatedAt),
					short(p.Prompt))
			}
		})
	})
}

type phaseShowCmd struct {
	Phase string `arg:"" help:"Id of the phase."`
}

// Run shows a phase.
func (cmd *phaseShowCmd) Run(sh *shell) error {
	r := find(url.Values{"phaseId": {cmd.Phase}}, "v1", "phases")

	return one(sh, r, func(w io.Writer, p api.Phase) {
		sheet(w,
			"phase", p.PhaseID,
			"number", fmt.Sprintf("%d on branch %s", p.Sequence, p.BranchID),
			"of", p.ContainerType+" "+p.ContainerID,
			"type", p.RequestType,
			"prompt", p.Prompt,
			"status", p.Status,
			"engine", p.Engine.Mode+" "+p.Engine.RulesVersion,
			"directed by", p.DirectedBy.UserID+" ("+p.DirectedBy.Capacity+")",
			"review", reviewOf(p.Review),
			"note", p.Review.Note,
			"made", local(p.CreatedAt),
			"ended", localOf(p.EndedAt),
			"response sha256", p.ResponseSHA256,
			"hash", p.Hash)

		switch {
		// What the reviewer wrote holds in the place of the answer.
		case p.Review.AmendedText != "":
			fmt.Fprintln(w)
			_ = sh.answerText(w, p.Review.AmendedText)
		case p.Response != nil:
			fmt.Fprintln(w)
			_ = sh.answerText(w, p.Response.Text)
		case p.Error != nil:
			fmt.Fprintf(w, "\n%s [%s]\n", p.Error.Message, p.Error.Error)
		}

		for _, c := range p.Review.Comments {
			fmt.Fprintf(w, "  %s, %s: %s\n", c.UserID, local(c.At), c.Text)
		}
	})
}

func reviewOf(r api.Review) string {
	if r.ReviewerUserID == "" {
		return r.Status
	}

	return r.Status + " by " + r.ReviewerUserID + ", " + localOf(r.At)
}
