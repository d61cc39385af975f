package cli

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/subrosa-legal/subrosa/deploy/internal/client"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
)

type timelineCmd struct {
	Show     timelineShowCmd     `cmd:"" help:"Show what happened and what is due; --calendar: deadlines as iCalendar."`
	Add      timelineAddCmd      `cmd:"" help:"Add an entry or a deadline."`
	Confirm  timelineConfirmCmd  `cmd:"" help:"Confirm an entry; this puts a deadline into the calendar."`
	Reject   timelineRejectCmd   `cmd:"" help:"Reject an entry."`
	Undo     timelineUndoCmd     `cmd:"" help:"Take a confirmation or rejection back."`
	Edit     timelineEditCmd     `cmd:"" help:"Change the words, the day or the hour of an entry."`
	Deadline timelineDeadlineCmd `cmd:"" help:"Set the status of a deadline: proposed, confirmed, met or vacated."`
}

// whichTimeline names a timeline, directly or by its case.
type whichTimeline struct {
	Case     string `help:"Case whose timeline it is." placeholder:"CASE" xor:"record"`
	Timeline string `help:"Id of the timeline." placeholder:"TIMELINE" xor:"record"`
}

// Validate wants one of the two.
func (r whichTimeline) Validate() error {
	if r.Case == "" && r.Timeline == "" {
		return errors.New("name the timeline with --case or --timeline")
	}

	return nil
}

func (r whichTimeline) id(sh *shell, c *client.Client) (string, error) {
	if r.Timeline != "" {
		return r.Timeline, nil
	}
	k, err := call[api.Case](sh, c, get("v1", "cases", r.Case))

	return k.v.TimelineID, err
}

type timelineShowCmd struct {
	whichTimeline `embed:""`
	Branch        string   `help:"Branch. Default: the active one." placeholder:"BRANCH"`
	Kinds         []string `help:"Only these kinds: ${enum}." enum:"${entryKinds},${ownEntryKinds}" placeholder:"KIND"`
	From          string   `help:"On or after." placeholder:"DATE"`
	To            string   `help:"On or before." placeholder:"DATE"`
	Origin        string   `help:"Where it comes from: ${enum}." enum:",extracted,computed,agent,user,system" default:""`
	Review        string   `help:"State of review: ${enum}." enum:",unreviewed,confirmed,rejected" default:""`
	Query         string   `short:"q" help:"Words." placeholder:"TEXT"`
	Sort          string   `help:"Order: ${enum}." enum:"when,-when,createdAt" default:"when"`
	Calendar      bool     `help:"The confirmed deadlines as iCalendar, by label."`
	Remind        []int    `help:"With --calendar: remind so many days before, up to five times." placeholder:"DAYS"`
	Out           string   `short:"o" help:"With --calendar: file to write." placeholder:"FILE" default:"-"`
	paging        `embed:""`
}

// Validate checks what both of its parts check, since neither hides the other.
func (cmd *timelineShowCmd) Validate() error {
	return cmp.Or(cmd.whichTimeline.Validate(), cmd.paging.Validate())
}

// Run shows a timeline.
func (cmd *timelineShowCmd) Run(sh *shell) error {
	c, err := sh.caller()
	if err != nil {
		return err
	}
	id, err := cmd.id(sh, c)
	if err != nil {
		return err
	}
	path := httpcall.Path("v1", "timeline", id)
	if cmd.Calendar {
		q := url.Values{}

		days := make([]string, len(cmd.Remind))
		for i, n := range cmd.Remind {
			days[i] = strconv.Itoa(n)
		}
		params(q).texts("remindDaysBefore", days)

		return fetch(
			sh,
			c,
			httpcall.Request{
				Method: http.MethodGet,
				Path:   path,
				Query:  q,
				Header: http.Header{"Accept": {"text/calendar"}},
			},
			cmd.Out,
		)
	}

	q := cmd.query()
	for name, value := range map[string]string{
		"branchId":     cmd.Branch,
		"from":         cmd.From,
		"to":           cmd.To,
		"origin":       cmd.Origin,
		"reviewStatus": cmd.Review,
		"q":            cmd.Query,
		"sort":         cmd.Sort,
	} {
		params(q).text(name, value)
	}
	params(q).texts("kinds", cmd.Kinds)

	return cmd.pages(sh, c, path, q)
}

// pages prints a timeline; with --all and JSON the entries of all pages as one array.
func (cmd *timelineShowCmd) pages(sh *shell, c *client.Client, path string, q url.Values) error {
	if sh.root.JSON && cmd.All {
		return allEntries(sh, c, path, q)
	}
	first, err := call[api.Timeline](sh, c, httpcall.Request{Method: http.MethodGet, Path: path, Query: q})
	if err != nil {
		return err
	}

	for next := first.v.NextCursor; cmd.All && next != nil; next = first.v.NextCursor {
		q.Set("cursor", *next)
		more, err := call[api.Timeline](sh, c, httpcall.Request{Method: http.MethodGet, Path: path, Query: q})
		if err != nil {
			return err
		}
		first.v.Entries, first.v.NextCursor = append(first.v.Entries, more.v.Entries...), more.v.NextCursor
	}

	return show(sh, first, func(w io.Writer, t api.Timeline) {
		fmt.Fprintf(w, "Timeline %s: %d entries, %d open deadlines, %d branches\n", t.TimelineID, t.Counts.Entries,
			t.Counts.OpenDeadlines, t.Counts.Branches)
		if len(t.Deadlines) > 0 {
			fmt.Fprintln(w)
			deadlineRows(w, t.Deadlines)
		}
		fmt.Fprintln(w)
		entryRows(w, t.Entries)
		if t.NextCursor != nil {
			fmt.Fprintln(w, "There are more: --all")
		}
	})
}

// allEntries prints the entries of all pages as they came, in one array.
func allEntries(sh *shell, c *client.Client, path string, q url.Values) error {
	entries := []json.RawMessage{}
	// Deadlines and counts would come with every page, and nobody reads them here.
	q.Set("include", "entries")

	for {
		page, err := call[struct {
			Entries    []json.RawMessage `json:"entries"`
			NextCursor *string           `json:"nextCursor"`
		}](sh, c, httpcall.Request{Method: http.MethodGet, Path: path, Query: q})
		if err != nil {
			return err
		}
		if entries = append(entries, page.v.Entries...); page.v.NextCursor == nil {
			break
		}
		q.Set("cursor", *page.v.NextCursor)
	}

	return printRaw(sh.Out, array(entries))
}

func deadlineRows(w io.Writer, deadlines []api.TimelineEntry) {
	table(w, []string{"DEADLINE", "DUE", "STATUS", "CERTAINTY", "TITLE"}, func(row func(...any)) {
		for _, d := range deadlines {
			due := deref(d.Deadline)
			row(d.EntryID, strings.TrimSpace(due.DueOn+" "+due.TimeZone), due.Status, due.Certainty, d.Title)
		}
	})
}

func entryRows(w io.Writer, entries []api.TimelineEntry) {
	table(w, []string{"ENTRY", "ON", "KIND", "ORIGIN", "REVIEW", "TITLE"}, func(row func(...any)) {
		for _, e := range entries {
			on := e.When.On
			// 3/4/2026 is a day in March or in April, and a reviewer has to see both.
			if e.When.Ambiguous {
				on += " or " + e.When.AlternativeOn
			}
			row(e.EntryID, on, e.Kind, e.Origin, e.ReviewStatus, e.Title)
		}
	})
}

type timelineAddCmd struct {
	whichTimeline `embed:""`
	Title         []string `arg:"" help:"What it is, by label."`
	Kind          string   `help:"Kind: ${enum}." enum:"${entryKinds}" default:"fact"`
	On            string   `help:"When." placeholder:"DATE"`
	Precision     string   `help:"How precisely: ${enum}." enum:"day,month,year,approximate" default:"day"`
	Detail        string   `help:"More of it, by label." placeholder:"TEXT"`
	Amount        string   `help:"Amount, such as '80000.00 USD'." placeholder:"AMOUNT"`
	DueOn         string   `name:"due-on" help:"Of a deadline: when it is due." placeholder:"DATE"`
	DueAt         string   `name:"due-at" help:"Of a deadline that states an hour: the instant." placeholder:"INSTANT"`
	Zone          string   `help:"Of a deadline: its time zone. Default: that of the forum." placeholder:"ZONE"`
	Responsible   string   `help:"Of a deadline: who answers for it." placeholder:"USER"`
	Set           string   `help:"Further fields, such as sources, as a JSON object, or @FILE that holds one." placeholder:"JSON"`
	Key           string   `name:"idempotency-key" help:"Makes the command safe to repeat for 24 hours." placeholder:"KEY"`
}

// Run adds an entry.
func (cmd *timelineAddCmd) Run(sh *shell) error {
	in, err := cmd.body()
	if err != nil {
		return err
	}
	c, err := sh.caller()
	if err != nil {
		return err
	}
	id, err := cmd.id(sh, c)
	if err != nil {
		return err
	}
	a, err := call[api.TimelineEntry](sh, c, httpcall.Request{
		Method: http.MethodPost,
		Path:   httpcall.Path("v1", "timeline", id, "entries"),
		In:     in,
		Header: idempotent(cmd.Key),
	})
	if err != nil {
		return err
	}

	return show(sh, a, entryLine("Added"))
}

func (cmd *timelineAddCmd) body() (fields, error) {
	in := fields{"kind": cmd.Kind, "title": strings.Join(cmd.Title, " ")}
	for name, value := range map[string]string{
		"detail":            cmd.Detail,
		"dueOn":             cmd.DueOn,
		"dueAt":             cmd.DueAt,
		"timeZone":          cmd.Zone,
		"responsibleUserId": cmd.Responsible,
	} {
		in.text(name, value)
	}
	if cmd.On != "" {
		in["when"] = fields{"on": cmd.On, "precision": cmd.Precision}
	}
	if cmd.Amount != "" {
		amount, currency, err := money(cmd.Amount)
		if err != nil {
			return nil, err
		}
		in["amount"] = fields{"amount": amount, "currency": currency}
	}

	return in, in.merged(cmd.Set)
}

func entryLine(verb string) func(io.Writer, api.TimelineEntry) {
	return func(w io.Writer, e api.TimelineEntry) {
		state := e.ReviewStatus
		if e.Deadline != nil {
			// For a deadline its own status says more than that of its review.
			state = "due " + e.DueOn + ", " + e.Status
		}
		fmt.Fprintf(w, "%s %s %s: %s (%s)\n", verb, e.Kind, e.EntryID, e.Title, state)
	}
}

// review changes what a person says of an entry.
func (r whichTimeline) review(sh *shell, entry string, in fields) error {
	c, err := sh.person()
	if err != nil {
		return err
	}
	id, err := r.id(sh, c)
	if err != nil {
		return err
	}
	a, err := call[api.TimelineEntry](
		sh,
		c,
		httpcall.Request{Method: http.MethodPatch, Path: httpcall.Path("v1", "timeline", id, "entries", entry), In: in},
	)
	if err != nil {
		return err
	}

	return show(sh, a, entryLine("Changed"))
}

type timelineConfirmCmd struct {
	Entry         string `arg:"" help:"Id of the entry."`
	whichTimeline `embed:""`
}

// Run confirms an entry.
func (cmd *timelineConfirmCmd) Run(sh *shell) error {
	return cmd.review(sh, cmd.Entry, fields{"reviewStatus": "confirmed"})
}

type timelineRejectCmd struct {
	Entry         string `arg:"" help:"Id of the entry."`
	whichTimeline `embed:""`
}

// Run rejects an entry.
func (cmd *timelineRejectCmd) Run(sh *shell) error {
	return cmd.review(sh, cmd.Entry, fields{"reviewStatus": "rejected"})
}

type timelineUndoCmd struct {
	Entry         string `arg:"" help:"Id of the entry."`
	whichTimeline `embed:""`
}

// Run takes a decision on an entry back.
func (cmd *timelineUndoCmd) Run(sh *shell) error {
	return cmd.review(sh, cmd.Entry, fields{"reviewStatus": "unreviewed"})
}

type timelineEditCmd struct {
	Entry         string `arg:"" help:"Id of the entry."`
	Title         string `help:"New title." placeholder:"TEXT"`
	Detail        string `help:"New detail." placeholder:"TEXT"`
	On            string `help:"Day of an entry that is no deadline." placeholder:"DATE"`
	DueOn         string `name:"due-on" help:"Day of a deadline." placeholder:"DATE"`
	DueAt         string `name:"due-at" help:"Hour of a deadline, such as 2026-03-04T17:00:00-05:00." placeholder:"TIME"`
	TimeZone      string `name:"time-zone" help:"Zone of a deadline, such as America/New_York." placeholder:"ZONE"`
	whichTimeline `embed:""`
}

// Run changes an entry.
func (cmd *timelineEditCmd) Run(sh *shell) error {
	in := fields{}
	for name, value := range map[string]string{
		"title": cmd.Title, "detail": cmd.Detail, "on": cmd.On, "dueOn": cmd.DueOn, "dueAt": cmd.DueAt,
		"timeZone": cmd.TimeZone,
	} {
		in.text(name, value)
	}
	if len(in) == 0 {
		return &misuse{"say what to change, for example: subrosa timeline edit ENTRY --due-on 2026-03-04 " +
			"--case CASE"}
	}

	return cmd.review(sh, cmd.Entry, in)
}

type timelineDeadlineCmd struct {
	Entry         string `arg:"" help:"Id of the deadline."`
	Status        string `arg:"" optional:"" enum:",proposed,confirmed,met,vacated" default:"" help:"${enum}."`
	Responsible   string `help:"Who answers for it." placeholder:"USER"`
	whichTimeline `embed:""`
}

// Run moves a deadline on.
func (cmd *timelineDeadlineCmd) Run(sh *shell) error {
	in := fields{}
	in.text("status", cmd.Status)
	in.text("responsibleUserId", cmd.Responsible)
	if len(in) == 0 {
		return &misuse{"say confirmed, met or vacated, or who answers for it with --responsible"}
	}

	return cmd.review(sh, cmd.Entry, in)
}
