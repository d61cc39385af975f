package admin

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/layout"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/wording"
)

var idForm = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

func isID(s string) bool { return idForm.MatchString(s) }

const mostFaults = 20 // that an answer lists

// notDone reports whether err says that something cannot be done as it was asked, and how that is told.
func notDone(err error) (ours bool, text string) {
	// Only what the administrator can change is told. A failure of the service stays an error of the run.
	var e *errs.Error
	told := []errs.Kind{errs.Invalid, errs.NotFound, errs.TooLarge, errs.Conflict, errs.Forbidden}
	if !errors.As(err, &e) || !slices.Contains(told, e.Kind) {
		return false, ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Nothing was done: %s (`%s`)\n", e.Message, e.Code)

	for i, d := range e.Details {
		if i == mostFaults {
			fmt.Fprintf(&b, "- and %s more\n", wording.Count(len(e.Details)-i, "place", "places"))
			break
		}
		// A detail without a place only repeats the sentence above.
		if d.Path == "" {
			continue
		}
		if i == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "- %s\n", layout.Escape(strings.TrimSpace(d.Path+" "+d.Message)))
	}

	return true, b.String()
}

// refusedBy makes what the service refused the answer of a run, and returns what is no refusal.
func refusedBy(r *api.PhaseResponse, err error) error {
	ours, text := notDone(err)
	if !ours {
		return err
	}
	r.Text = text

	return nil
}

func (o *order) previewRetention(ctx context.Context, _ string, r *api.PhaseResponse) error {
	p, err := o.Office.PreviewRetention(ctx)
	if err != nil {
		return refusedBy(r, err)
	}
	var b strings.Builder
	if len(p.Due) == 0 {
		b.WriteString("No cases are due.\n")
	} else {
		b.WriteString("Cases that are due:\n\n| case | why | since |\n|---|---|---|\n")

		for _, d := range p.Due {
			why := "archived, and its retention is over"
			if d.Reason == api.DueDeleted {
				why = "deleted, and can no longer be restored"
			}
			fmt.Fprintf(&b, "| %s | %s | %s |\n", d.CaseID, why, layout.Moment(d.DueAt))
		}
		if p.More {
			fmt.Fprintf(&b, "\nThere are more; these %d come first.\n", len(p.Due))
		}
		fmt.Fprintf(&b, "\nTo remove exactly these, for good, send until %s:\n\n`retention_run %s`\n",
			layout.Moment(p.ExpiresAt), p.Token,
		)
		// Nothing is taken away yet: the token of the preview has to come back within its time.
		r.Questions = []string{"Shall these cases be removed for good?"}
	}
	fmt.Fprintf(&b, "\nUnder legal hold, and never removed: %s. Due within 30 days: %s.\n",
		layout.Grouped(int64(p.Held)), layout.Grouped(int64(p.Soon)),
	)
	r.Text = b.String()
	r.Limits = append(r.Limits, "The service removes such cases by itself, a hundred a round; "+
		"this verb does it at once, and the record names you.")

	return nil
}

// retentionRounds bounds how often a run goes on: each round takes some seconds.
const retentionRounds = 200

func (o *order) runRetention(ctx context.Context, token string, r *api.PhaseResponse) error {
	if !isID(token) {
		r.Text = "Nothing was done: the verb takes the token that retention_preview gave.\n"
		return nil
	}
	removed := 0
	var ran api.RetentionRun

	// A round takes some seconds. The bound keeps a run within its time when cases keep failing.
	for range retentionRounds {
		var err error
		ran, err = o.Office.RunRetention(ctx, token)
		// Once cases are gone, a refusal is no longer the whole truth, so it ends the run as an error.
		if ours, text := notDone(err); ours && removed == 0 {
			r.Text = text
			return nil
		}
		if err != nil {
			return err
		}
		removed += ran.Removed
		o.report.Working("Removing cases", removed, ran.Previewed)
		if ran.Left == 0 {
			break
		}
	}
	r.Text = fmt.Sprintf("Removed: %s of %s in the preview.\n",
		layout.Grouped(int64(removed)), layout.Grouped(int64(ran.Previewed)),
	)
	if gone := ran.Previewed - removed - ran.Left; gone > 0 {
		r.Text += fmt.Sprintf("\nNot due any more, and left alone: %d. They were restored, put under legal hold, "+
			"or gone already.\n", gone)
	}
	if ran.Left > 0 {
		r.Text += fmt.Sprintf("\nLeft: %d. Send the verb again, while the token is good.\n", ran.Left)
	}

	return nil
}

func (o *order) reindex(ctx context.Context, caseID string, r *api.PhaseResponse) error {
	if !isID(caseID) {
		r.Text = "Nothing was done: the verb takes the id of a case.\n"
		return nil
	}
	made, err := o.Office.Reindex(ctx, caseID)
	if err != nil {
		return refusedBy(r, err)
	}
	r.Text = fmt.Sprintf("The search index was rebuilt. Passages: %s. Files: %s.\n",
		layout.Grouped(int64(made.Passages)), layout.Grouped(int64(made.Files)),
	)
	if made.Unreadable > 0 {
		r.Text += fmt.Sprintf("\nFiles that are not in it, for want of text or of memory for an index: %s.\n",
			layout.Grouped(int64(made.Unreadable)),
		)
	}
	r.Limits = append(r.Limits, "Each server keeps indexes of its own and rebuilds them when the files of a case "+
		"change; this verb rebuilt that of the server that answered.")

	return nil
}

func (o *order) importPartners(ctx context.Context, lines string, r *api.PhaseResponse) error {
	var entries []json.RawMessage

	number := 0
	for text := range strings.Lines(lines) {
		number++
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		// The number of the line is all that is said of it: the lines hold names.
		if !strings.HasPrefix(text, "{") || !json.Valid([]byte(text)) {
			r.Text = fmt.Sprintf("Nothing was done: line %d after the verb is not a JSON object. "+
				"Each line holds one entry, in the form of the entries of a seed file.\n", number)

			return nil
		}
		entries = append(entries, json.RawMessage(text))
	}
	if len(entries) == 0 {
		r.Text = "Nothing was done: the verb takes lines of JSON, one partner on each, " +
			"in the form of the entries of a seed file.\n"

		return nil
	}
	done, err := o.Office.ImportPartners(ctx, entries)
	if err != nil {
		return refusedBy(r, err)
	}
	r.Text = fmt.Sprintf("Loaded into the organization's own directory: %d added, %d changed, %d as they were.\n",
		done.Added, done.Changed, done.Unchanged,
	)
	r.Limits = append(r.Limits, "The lines of this import are not kept with the phase.")

	return nil
}
