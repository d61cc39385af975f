package legal

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/dossier"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// ErrFileUnreadable means that a file that the task names is not one of the case that agents may read.
var ErrFileUnreadable = errs.New(errs.Invalid, "file_unreadable", "A file named in fileIds is not one of this case that agents can read. Leave it out, or add a readable version.")

// holdings are the files that a task may use.
type holdings struct {
	readable   []api.File
	unreadable []string // names
}

const namedFiles = 10 // unreadable files that an answer names

// told says how much was read and what could not be.
func (h holdings) told() string {
	s := count(len(h.readable), "file was", "files were") + " read"
	n := len(h.unreadable)
	if n == 0 {
		return s + "."
	}
	var names []string
	for _, name := range h.unreadable[:min(n, namedFiles)] {
		names = append(names, escape(name))
	}
	if n > namedFiles {
		names = append(names, "…")
	}
	return fmt.Sprintf("%s; %s not be read (%s): scans and the like, or not proved to be de-identified.", s, count(n, "file could", "files could"), strings.Join(names, ", "))
}

// hold lists the files of the case, those that the task names when it names any.
func (j *job) hold(ctx context.Context) (holdings, error) {
	done := j.report.Tool("list_files", "Listing the files of the case")
	all, err := j.sources.Files(ctx)
	if err != nil {
		done("failed", "The files could not be listed")
		return holdings{}, err
	}
	var h holdings
	var missing []string
	for _, id := range j.FileIDs {
		if !slices.ContainsFunc(all, func(f api.File) bool { return f.FileID == id && f.AgentReadable }) {
			missing = append(missing, id)
		}
	}
	for _, f := range all {
		switch {
		case len(j.FileIDs) > 0 && !slices.Contains(j.FileIDs, f.FileID):
		case f.AgentReadable:
			h.readable = append(h.readable, f)
		default:
			h.unreadable = append(h.unreadable, f.Name)
		}
	}
	if missing != nil {
		done("refused", count(len(missing), "named file cannot be read", "named files cannot be read"))
		return holdings{}, ErrFileUnreadable.WithMessage("Not readable, or not of this case: " + strings.Join(missing[:min(len(missing), 5)], ", ") + ". Leave them out of fileIds, or add readable versions.")
	}
	outcome := "ok"
	if len(all) == 0 {
		outcome = "empty"
	}
	done(outcome, fmt.Sprintf("%s, %d readable", count(len(all), "file", "files"), len(h.readable)))
	return h, nil
}

// mostUpdates bounds how often a run says how far its reading has come.
const mostUpdates = 40

// study reads the files one after the other, each of them into a dossier. A file that has gone meanwhile counts as unreadable.
func (j *job) study(ctx context.Context, h *holdings, into func(api.File) *dossier.Dossier) error {
	if len(h.readable) == 0 {
		return nil
	}
	total := len(h.readable)
	done := j.report.Tool("read_files", "Reading "+count(total, "file", "files"))
	j.report.Working(fmt.Sprintf("Read 0 of %d files", total), 0, total)
	var read []api.File
	updates := 0
	for i, f := range h.readable {
		body, err := j.text(ctx, f)
		switch {
		case errors.Is(err, errs.ErrNotFound):
			h.unreadable = append(h.unreadable, f.Name)
		case err != nil:
			done("failed", "A file could not be read")
			return err
		default:
			into(f).Add(ctx, f, body)
			read = append(read, f)
			j.report.Read(1)
		}
		if due := (i + 1) * mostUpdates / max(total, mostUpdates); due > updates || i+1 == total {
			updates = due
			j.report.Working(fmt.Sprintf("Read %d of %d files", i+1, total), i+1, total)
		}
	}
	h.readable = read
	done("ok", count(len(read), "file", "files")+" read")
	return nil
}

// text returns the text of a file, unless the run is over.
func (j *job) text(ctx context.Context, f api.File) (api.FileText, error) {
	if err := ctx.Err(); err != nil {
		return api.FileText{}, err
	}
	body, err := j.sources.Text(ctx, f.FileID)
	if err == nil {
		body.Text = strings.ToValidUTF8(body.Text, "\uFFFD")
	}
	return body, err
}

// survey reads all files into one dossier.
func (j *job) survey(ctx context.Context, keep dossier.Keep) (*dossier.Dossier, holdings, error) {
	h, err := j.hold(ctx)
	if err != nil {
		return nil, h, err
	}
	d := dossier.New(j.reader, j.gate, keep)
	if err := j.study(ctx, &h, func(api.File) *dossier.Dossier { return d }); err != nil {
		return nil, h, err
	}
	if err := ctx.Err(); err != nil {
		return nil, h, err
	}
	return d, h, nil
}

// limits adds to an answer what the dossier left out.
func limits(r *api.PhaseResponse, dossiers ...*dossier.Dossier) {
	withheld, dropped, full := 0, 0, 0
	for _, d := range dossiers {
		withheld += d.Withheld
		dropped += d.Dropped
		full += d.Full
	}
	if full > 0 {
		r.Limits = append(r.Limits, "Of "+count(full, "very long file", "very long files")+" only the first facts of each kind were read.")
	}
	if withheld > 0 {
		r.Limits = append(r.Limits, count(withheld, "place was", "places were")+" counted but not quoted, because on one line they could be read as an identity.")
	}
	if dropped > 0 {
		r.Limits = append(r.Limits, count(dropped, "further fact was", "further facts were")+" found beyond what one answer holds, and left out.")
	}
}
