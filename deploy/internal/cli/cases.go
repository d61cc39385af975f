package cli

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
)

type caseCmd struct {
	Create   caseCreateCmd   `cmd:"" help:"Create a case."`
	List     caseListCmd     `cmd:"" help:"List cases, the latest changed first."`
	Show     caseShowCmd     `cmd:"" help:"Show a case."`
	Update   caseUpdateCmd   `cmd:"" help:"Change a case."`
	Delete   caseDeleteCmd   `cmd:"" help:"Delete a case; a person can restore it for 30 days."`
	Restore  caseRestoreCmd  `cmd:"" help:"Bring back a deleted case."`
	Conflict caseConflictCmd `cmd:"" help:"Record your decision on conflicts of interest."`
}

type caseCreateCmd struct {
	caseFields `embed:""`
	Key        string `name:"idempotency-key" help:"Makes the command safe to repeat for 24 hours." placeholder:"KEY"`
}

// Run creates a case.
func (cmd *caseCreateCmd) Run(sh *shell) error {
	in, err := cmd.body()
	if err != nil {
		return err
	}
	// A code of a stage means nothing without its set. On a change the case has one already; a new case needs it.
	if stage, ok := in["stage"].(fields); ok && stage["codeSet"] == nil {
		stage["codeSet"] = "litigation"
	}
	r := httpcall.Request{Method: http.MethodPost, Path: "/v1/cases", In: in, Header: idempotent(cmd.Key)}

	return one(sh, r, func(w io.Writer, k api.Case) {
		fmt.Fprintf(w, "Created case %s: %s (%s)\n", k.CaseID, k.Title, k.Status)
	})
}

// idempotent is the header that makes a request safe to repeat.
func idempotent(key string) http.Header {
	if key == "" {
		return nil
	}

	return http.Header{"Idempotency-Key": {key}}
}

type caseListCmd struct {
	Query        string   `short:"q" help:"Words of title, summary and tags; quotes for phrases." placeholder:"TEXT"`
	Status       []string `help:"Status: ${enum}." enum:"intake,open,on_hold,closed,archived" placeholder:"STATUS"`
	Tier         []string `help:"Tier: ${enum}." enum:"1,2,3,4,unrated" placeholder:"TIER"`
	Jurisdiction string   `help:"US-CA exactly, or US for all of the country." placeholder:"CODE"`
	Practice     string   `help:"LIST code, its beginning (HO, HO-02) or name (housing)." placeholder:"AREA"`
	Stage        string   `help:"Beginning of a UTBMS code, such as L2." placeholder:"CODE"`
	Kind         string   `help:"Kind of matter: ${enum}." enum:",${matterKinds}" default:""`
	Side         string   `help:"Side: ${enum}." enum:",${sides}" default:""`
	Tag          string   `help:"Tag." placeholder:"TAG"`
	Responsible  string   `help:"User who answers for the matter." placeholder:"USER"`
	Privilege    string   `help:"Privilege: ${enum}." enum:",${privileges}" default:""`
	Ref          string   `help:"Your own reference." placeholder:"REF"`
	DueBefore    string   `name:"due-before" help:"With an open deadline on or before this date." placeholder:"DATE"`
	Review       string   `help:"With work that waits for a review: yes or no." enum:",yes,no" default:""`
	Hold         string   `help:"Under legal hold: yes or no." enum:",yes,no" default:""`
	Since        string   `help:"Changed at or after this instant; with --sort updatedAt a feed to follow." placeholder:"INSTANT"`
	Deleted      bool     `help:"With --since: tombstones of deleted cases too."`
	Sort         string   `help:"Order: ${enum}; - for the other way round." enum:"${caseOrders}" default:"-updatedAt"`
	Full         bool     `help:"Whole cases instead of rows; of use with --json."`
	Total        bool     `help:"Count them all."`
	paging       `embed:""`
}

// Run lists cases.
func (cmd *caseListCmd) Run(sh *shell) error {
	q := url.Values{}

	p := params(q)
	for name, value := range map[string]string{
		"q":                 cmd.Query,
		"jurisdiction":      cmd.Jurisdiction,
		"practiceArea":      cmd.Practice,
		"stage":             cmd.Stage,
		"matterKind":        cmd.Kind,
		"side":              cmd.Side,
		"tag":               cmd.Tag,
		"responsibleUserId": cmd.Responsible,
		"privilege":         cmd.Privilege,
		"externalRef":       cmd.Ref,
		"deadlineBefore":    cmd.DueBefore,
		"updatedSince":      cmd.Since,
		"sort":              cmd.Sort,
	} {
		p.text(name, value)
	}
	p.texts("status", cmd.Status)
	p.texts("tier", cmd.Tier)
	p.decided("hasPendingReview", cmd.Review)
	p.decided("legalHold", cmd.Hold)
	p.flag("includeDeleted", cmd.Deleted)
	p.flag("includeTotal", cmd.Total)
	if cmd.Full {
		p.text("fields", "full")
	}
	c, err := sh.caller()
	if err != nil {
		return err
	}

	return listed(sh, c, cmd.paging, "/v1/cases", q, func(w io.Writer, cases []api.CaseChange) {
		table(w, []string{"CASE", "STATUS", "TIER", "FILES", "DUE", "UPDATED", "TITLE"}, func(row func(...any)) {
			for _, k := range cases {
				// A tombstone has an id and a time; everything else is gone.
				if k.Deleted {
					row(k.CaseID, "deleted", "", "", "", local(k.UpdatedAt), "")
					continue
				}
				tier := ""
				if k.Tier != nil {
					tier = fmt.Sprint(*k.Tier)
				}
				row(k.CaseID, k.Status, tier, k.Counts.Files, deref(k.NextDeadline).DueOn, local(k.UpdatedAt), k.Title)
			}
		})
	})
}

type caseShowCmd struct {
	Case    string   `arg:"" help:"Id of the case."`
	Include []string `help:"Show these too: ${enum}." enum:"parties,deadlines" placeholder:"WHAT"`
}

// Run shows a case.
func (cmd *caseShowCmd) Run(sh *shell) error {
	q := url.Values{}
	params(q).texts("include", cmd.Include)

	return one(sh, find(q, "v1", "cases", cmd.Case), func(w io.Writer, k api.CaseWith) {
		caseFacts(w, k.Case)
		if k.Parties != nil {
			fmt.Fprintln(w)
			partyRows(w, *k.Parties)
		}
		if k.Deadlines != nil {
			fmt.Fprintln(w)
			deadlineRows(w, *k.Deadlines)
		}
	})
}

type caseUpdateCmd struct {
	Case       string `arg:"" help:"Id of the case."`
	caseChange `embed:""`
	Pending    bool `name:"acknowledge-pending" help:"Close it although reviews are pending."`
	IfVersion  int  `name:"if-version" help:"Only if the case still has this version." placeholder:"N"`
}

// Run changes a case.
func (cmd *caseUpdateCmd) Run(sh *shell) error {
	in, err := cmd.body()
	if err != nil {
		return err
	}
	q := url.Values{}
	params(q).flag("acknowledgePending", cmd.Pending)
	r := httpcall.Request{
		Method: http.MethodPatch,
		Path:   httpcall.Path("v1", "cases", cmd.Case),
		Query:  q,
		In:     in,
		Header: match(cmd.IfVersion),
	}

	return one(sh, r, func(w io.Writer, k api.Case) {
		fmt.Fprintf(w, "Changed case %s: %s (%s), version %d\n", k.CaseID, k.Title, k.Status, k.Version)
	})
}

type caseDeleteCmd struct {
	Case      string `arg:"" help:"Id of the case."`
	Pending   bool   `name:"acknowledge-pending" help:"Delete it although reviews are pending."`
	IfVersion int    `name:"if-version" help:"Only if the case still has this version." placeholder:"N"`
}

// Run deletes a case.
func (cmd *caseDeleteCmd) Run(sh *shell) error {
	c, err := sh.caller()
	if err != nil {
		return err
	}
	q := url.Values{}
	params(q).flag("acknowledgePending", cmd.Pending)
	r := httpcall.Request{
		Method: http.MethodDelete,
		Path:   httpcall.Path("v1", "cases", cmd.Case),
		Query:  q,
		Header: match(cmd.IfVersion),
	}

	return do(
		sh,
		c,
		r,
		"Deleted case "+cmd.Case+". A person can bring it back for 30 days: subrosa case restore "+cmd.Case,
	)
}

type caseRestoreCmd struct {
	Case string `arg:"" help:"Id of the case."`
}

// Run restores a case.
func (cmd *caseRestoreCmd) Run(sh *shell) error {
	return person(
		sh,
		httpcall.Request{Method: http.MethodPost, Path: httpcall.Path("v1", "cases", cmd.Case, "restore")},
		func(w io.Writer, k api.Case) {
			fmt.Fprintf(w, "Restored case %s: %s (%s)\n", k.CaseID, k.Title, k.Status)
		},
	)
}

type caseConflictCmd struct {
	Case     string `arg:"" help:"Id of the case."`
	Decision string `arg:"" enum:"clear,waived,blocked" help:"${enum}."`
	Reason   string `help:"Why; it stays on record." placeholder:"TEXT"`
}

// Validate wants a reason. kong could demand the flag, but its message would not say why one is wanted.
func (cmd *caseConflictCmd) Validate() error {
	if cmd.Reason == "" {
		return errors.New("say why with --reason; it stays on record")
	}

	return nil
}

// Run records a decision.
func (cmd *caseConflictCmd) Run(sh *shell) error {
	in := api.DecideConflict{Decision: cmd.Decision, Reason: cmd.Reason}

	return person(
		sh,
		httpcall.Request{Method: http.MethodPost, Path: httpcall.Path("v1", "cases", cmd.Case, "conflict"), In: in},
		func(w io.Writer, k api.Case) {
			fmt.Fprintf(w, "Conflicts of case %s: %s\n", k.CaseID, k.Conflict.Status)
		},
	)
}
