package cli

import (
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/api"
)

type workspaceCmd struct {
	Case    string `arg:"" optional:"" help:"Id of the case."`
	Support string `help:"Id of a support ticket instead." placeholder:"ID" xor:"container"`
	Sales   string `help:"Id of a sales inquiry instead." placeholder:"ID" xor:"container"`
	Branch  string `help:"Branch whose phases are shown. Default: the active one." placeholder:"BRANCH"`
}

// container is what cases, tickets and inquiries have in common.
type container struct {
	Title  string `json:"title"`
	Status string `json:"status"`
}

// Run shows a workspace.
func (cmd *workspaceCmd) Run(sh *shell) error {
	kind, id := api.ContainerCase, cmd.Case
	switch {
	case cmd.Support != "" && cmd.Case == "":
		kind, id = api.ContainerSupport, cmd.Support
	case cmd.Sales != "" && cmd.Case == "":
		kind, id = api.ContainerSales, cmd.Sales
	case id == "" || cmd.Support != "" || cmd.Sales != "":
		return &misuse{"name a case, or one of --support and --sales"}
	}
	q := url.Values{}
	params(q).text("branchId", cmd.Branch)

	return one(sh, find(q, "v1", "workspace", kind, id), workspaceText)
}

func workspaceText(w io.Writer, ws api.Workspace[container]) {
	checklist := ""
	if c := ws.Checklist; c != nil {
		checklist = fmt.Sprintf("%s: %d present, %d missing", c.Phase, c.Present, c.Missing)
	}
	var may []string

	for what, allowed := range map[string]bool{
		"upload":        ws.Permissions.CanUpload,
		"run the agent": ws.Permissions.CanRunAgent,
		"invite":        ws.Permissions.CanInvite,
	} {
		if allowed {
			may = append(may, what)
		}
	}
	sheet(w,
		ws.ContainerType, ws.ContainerID,
		"title", ws.Container.Title,
		"status", ws.Container.Status,
		"engine", ws.Engine.Mode,
		"timeline", ws.Timeline.TimelineID,
		"active branch", ws.Timeline.ActiveBranchID,
		"branches", len(ws.Timeline.Branches),
		"documents", checklist,
		"you may", strings.Join(sorted(may), ", "),
		"not in time", strings.Join(ws.Unavailable, ", "),
		"in the browser", ws.Links.Browser)
	if len(ws.Parties) > 0 {
		fmt.Fprintln(w)
		partyRows(w, ws.Parties)
	}
	if len(ws.Files.Items) > 0 {
		fmt.Fprintln(w)
		table(w, []string{"FILE", "TYPE", "TEXT", "NAME"}, func(row func(...any)) {
			for _, f := range ws.Files.Items {
				row(f.FileID, f.DocType, f.Extraction.Status, f.Name)
			}
		})
	}
	if len(ws.Deadlines) > 0 {
		fmt.Fprintln(w)
		deadlineRows(w, ws.Deadlines)
	}
	if len(ws.RecentPhases) > 0 {
		fmt.Fprintln(w)
		table(w, []string{"PHASE", "TYPE", "STATUS", "REVIEW", "PROMPT"}, func(row func(...any)) {
			for _, p := range ws.RecentPhases {
				row(p.PhaseID, p.RequestType, p.Status, p.Review.Status, short(p.Prompt))
			}
		})
	}
	if len(ws.Partners) > 0 {
		fmt.Fprintln(w)
		table(w, []string{"INVITE", "PARTNER", "STATUS"}, func(row func(...any)) {
			for _, p := range ws.Partners {
				row(p.InviteID, p.PartnerID, p.Status)
			}
		})
	}
}

type exportCmd struct {
	Case string `arg:"" help:"Id of the case."`
	Out  string `short:"o" help:"File to write; - for standard output. Default: case-CASE.zip" placeholder:"FILE"`
}

// Run exports a case.
func (cmd *exportCmd) Run(sh *shell) error {
	c, err := sh.person()
	if err != nil {
		return err
	}
	out := cmd.Out
	if out == "" {
		out = "case-" + sanitized(cmd.Case) + ".zip"
	}

	return fetch(sh, c, get("v1", "cases", cmd.Case, "export"), out)
}

// sanitized keeps what an id is made of.
func sanitized(id string) string {
	// An id that the person typed becomes the name of a file: no part of it may lead to another folder.
	return strings.Map(func(r rune) rune {
		switch {
		case r == '-', r >= '0' && r <= '9', r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z':
			return r
		}

		return '_'
	}, id)
}
