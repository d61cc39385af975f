package answers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/casereading"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/layout"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/wording"
)

// holdings are the files that a task may use.
type holdings struct {
	readable   []api.File
	unreadable []string   // names
	records    []api.File // of all of these
	known      []api.File // all of the case
	drafts     int        // files made by runs, which are no sources
	unnamed    int        // files left out, since the prompt names others
}

const namedFiles = 10 // unreadable files that an answer names

// told says which files were read, and which could not be.
func (h holdings) told() string {
	s := wording.Count(len(h.readable), "file was", "files were") + " read"
	if h.drafts > 0 {
		s += ", " + wording.Count(h.drafts, "draft of ours was", "drafts of ours were") + " left out"
	}
	if h.unnamed > 0 {
		s += ", " + wording.Count(h.unnamed, "other was", "others were") +
			" left out since the prompt does not name them"
	}
	if places, names := h.places(); places > 0 {
		s += fmt.Sprintf(
			", but for %s in %s",
			wording.Count(places, "page or picture", "pages and pictures"),
			strings.Join(names, ", "),
		)
	}
	n := len(h.unreadable)
	if n == 0 {
		return s + "."
	}

	var names []string
	for _, name := range h.unreadable[:min(n, namedFiles)] {
		names = append(names, layout.Escape(name))
	}
	if n > namedFiles {
		names = append(names, "…")
	}

	return fmt.Sprintf("%s; %s not be read (%s): scans and the like, or not proved to be de-identified.",
		s, wording.Count(n, "file could", "files could"), strings.Join(names, ", "),
	)
}

// places counts the pages and pictures that nobody read in the files that were, and names these files.
func (h holdings) places() (n int, names []string) {
	for _, f := range h.readable {
		if f.Unread.Count == 0 {
			continue
		}
		if n += f.Unread.Count; len(names) < namedFiles {
			names = append(names, layout.Escape(f.Name))
		} else if len(names) == namedFiles {
			names = append(names, "…")
		}
	}

	return n, names
}

// hold lists the files of the case, those that the task names when it names any.
func (j *job) hold(ctx context.Context) (holdings, error) {
	done := j.report.Tool("list_files", "Listing the files of the case")
	all, err := j.sources.Files(ctx)
	if err != nil {
		done("failed", "The files could not be listed")
		return holdings{}, err
	}
	h := holdings{known: all}
	var missing []string

	for _, id := range j.FileIDs {
		// A file that is not the case's and one that agents cannot read get the same answer: it must not tell that the
		// first exists.
		if !slices.ContainsFunc(all, func(f api.File) bool { return f.FileID == id && f.AgentReadable }) {
			missing = append(missing, id)
		}
	}

	for _, f := range all {
		switch {
		case len(j.FileIDs) > 0 && !slices.Contains(j.FileIDs, f.FileID):
		case f.AgentReadable:
			h.readable, h.records = append(h.readable, f), append(h.records, f)
		default:
			h.unreadable, h.records = append(h.unreadable, f.Name), append(h.records, f)
		}
	}
	if missing != nil {
		done("refused", wording.Count(len(missing), "named file cannot be read", "named files cannot be read"))
		some := strings.Join(missing[:min(len(missing), 5)], ", ")

		return holdings{}, legal.ErrFileUnreadable.WithMessage("Not readable, or not of this case: " + some +
			". Leave them out of fileIds, or add readable versions.")
	}
	outcome := "ok"
	if len(all) == 0 {
		outcome = "empty"
	}
	done(outcome, fmt.Sprintf("%s, %d readable", wording.Count(len(all), "file", "files"), len(h.readable)))

	return h, nil
}

// leaveDrafts takes out what runs made themselves, unless the task names it: a draft repeats what files say and is no
// source of its own.
func (h *holdings) leaveDrafts(named []string) {
	made := func(f api.File) bool { return generated(f) && !slices.Contains(named, f.FileID) }
	before := len(h.readable)
	h.readable, h.records = slices.DeleteFunc(h.readable, made), slices.DeleteFunc(h.records, made)
	h.drafts = before - len(h.readable)
}

// generated reports whether a run made a file.
func generated(f api.File) bool { return f.Source.Origin == "generated" }

// keepNamed leaves only the files that a prompt names, and reports whether it names any.
func (h *holdings) keepNamed(prompt string) bool {
	named := namedIn(prompt, h.readable)
	if len(named) == 0 {
		return false
	}
	h.unnamed = len(h.readable) - len(named)
	h.readable, h.records, h.unreadable = named, named, nil

	return true
}

// namedIn returns the files that a prompt names: by their name, with or without its ending and with spaces for its
// signs, or by their type, which drafts of ours only seem to have.
func namedIn(prompt string, files []api.File) []api.File {
	text := phrase(prompt)
	var named []api.File

	for _, f := range files {
		stem, kind := phrase(strings.TrimSuffix(f.Name, ext(f.Name))), phrase(f.DocType)
		switch {
		case strings.Contains(text, phrase(f.Name)), len(stem) > shortestName && strings.Contains(text, stem):
		case tellingType(f) && (strings.Contains(text, " the"+kind) || strings.Contains(text, " this"+kind)):
		default:
			continue
		}
		named = append(named, f)
	}
	// A name that is part of another one was perhaps not meant.
	return slices.DeleteFunc(slices.Clone(named), func(f api.File) bool {
		return len(named) > 2 && slices.ContainsFunc(named, func(other api.File) bool {
			stem := strings.TrimRight(phrase(strings.TrimSuffix(f.Name, ext(f.Name))), " ")
			return other.FileID != f.FileID && strings.Contains(phrase(other.Name), stem)
		})
	})
}

// tellingType reports whether the type of a file says which one it is. A draft of ours has the type of the document
// that it may become one day.
func tellingType(f api.File) bool {
	return !generated(f) && !slices.Contains([]string{"", "other", "unknown"}, f.DocType)
}

const shortestName = 5 // letters of a name without its ending, and the spaces around it, that are not taken for one

// phrase writes a text as words in small letters with one space around each, so that whole words are found in it.
func phrase(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})

	return " " + strings.Join(words, " ") + " "
}

func ext(name string) string {
	if at := strings.LastIndexByte(name, '.'); at > 0 {
		return name[at:]
	}

	return ""
}

// mostUpdates bounds how often a run says how far its reading has come.
const mostUpdates = 40

// study hands over the files one after the other. A file that has gone meanwhile counts as unreadable.
func (j *job) study(ctx context.Context, h *holdings, read func(api.File, api.FileText)) error {
	if len(h.readable) == 0 {
		return nil
	}
	total := len(h.readable)
	done := j.report.Tool("read_files", "Reading "+wording.Count(total, "file", "files"))
	j.report.Working(fmt.Sprintf("Read 0 of %d files", total), 0, total)
	var there []api.File
	updates := 0

	for i := 0; i < total; {
		texts, n, err := j.texts(ctx, h.readable[i:])
		if err != nil {
			done("failed", "A file could not be read")
			return err
		}

		for _, f := range h.readable[i : i+n] {
			// The check stands within the batch too: a batch of large files takes a while to read.
			if ctx.Err() != nil {
				done("failed", "A file could not be read")
				return ctx.Err()
			}
			if at := slices.IndexFunc(texts, func(t api.FileText) bool { return t.FileID == f.FileID }); at >= 0 {
				read(f, texts[at])
				there = append(there, f)
				j.report.Read(1)
			} else {
				// Somebody deleted the file after it was listed. The answer says that it was not read.
				h.unreadable = append(h.unreadable, f.Name)
			}
			i++
			// Each report is an event in the stream of the run, so a case of 500 files must not send one for each.
			if due := i * mostUpdates / max(total, mostUpdates); due > updates || i == total {
				updates = due
				j.report.Working(fmt.Sprintf("Read %d of %d files", i, total), i, total)
			}
		}
	}
	h.readable = there
	done("ok", wording.Count(len(there), "file", "files")+" read")

	return nil
}

// text returns the text of a file, unless the run is over.
func (j *job) text(ctx context.Context, f api.File) (api.FileText, error) {
	if err := ctx.Err(); err != nil {
		return api.FileText{}, err
	}
	body, err := j.sources.Text(ctx, f.FileID)
	if err == nil {
		// Everything below counts characters, which broken UTF-8 would shift.
		body.Text = strings.ToValidUTF8(body.Text, "\uFFFD")
	}

	return body, err
}

// texts returns the texts of the first of some files, and how many of the files these are, unless the run is over.
func (j *job) texts(ctx context.Context, all []api.File) ([]api.FileText, int, error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}

	fileIDs := make([]string, len(all))
	for i, f := range all {
		fileIDs[i] = f.FileID
	}
	texts, n, err := j.sources.Texts(ctx, fileIDs)
	if err == nil && (n < 1 || n > len(all)) {
		// A service that has looked at no file would be asked for ever.
		err = errs.ErrInternal
	}

	for i := range texts {
		texts[i].Text = strings.ToValidUTF8(texts[i].Text, "\uFFFD")
	}

	return texts, n, err
}

// survey reads all files but drafts of ours into one dossier, and hands each to what else reads it.
func (j *job) survey(
	ctx context.Context,
	keep casereading.Keep,
	besides ...func(api.File, api.FileText),
) (*casereading.Dossier, holdings, error) {
	h, err := j.hold(ctx)
	if err != nil {
		return nil, h, err
	}
	h.leaveDrafts(j.FileIDs)
	d := casereading.New(j.reader, j.gate, keep)
	files := len(h.readable)
	err = j.study(ctx, &h, func(f api.File, body api.FileText) {
		d.Add(ctx, f, body)

		for _, read := range besides {
			read(f, body)
		}
	})
	if err == nil {
		err = ctx.Err()
	}
	// Only the end of the run's own time saves what was found: whoever cancels wants nothing written.
	if errors.Is(context.Cause(ctx), legal.ErrTimeLimit) {
		return nil, h, j.unfinished(ctx, d, files)
	}

	return d, h, err
}

// savingTime bounds how long a run whose time is used up goes on to save what it found.
const savingTime = 3 * time.Second

// unfinished proposes what was found before the time was used up, and says how far the run came.
func (j *job) unfinished(ctx context.Context, d *casereading.Dossier, files int) error {
	// The context of the run has ended. Saving gets a few seconds of its own.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), savingTime)
	defer cancel()
	end := &legal.Unfinished{Read: len(d.Files), Files: files}
	var r api.PhaseResponse

	plain, double := casereading.InOrder(d.Dates)
	for _, p := range j.propose(ctx, &r, extracted, dated(slices.Concat(plain, double))) {
		if p.EntryID != "" {
			end.Proposed++
		}
	}

	return end
}

// limits adds to an answer what the dossier left out.
func limits(r *api.PhaseResponse, dossiers ...*casereading.Dossier) {
	withheld, dropped, full := 0, 0, 0
	for _, d := range dossiers {
		withheld += d.Withheld
		dropped += d.Dropped
		full += d.Full
	}
	if full > 0 {
		files := wording.Count(full, "very long file", "very long files")
		r.Limits = append(r.Limits, "Of "+files+" only the first facts of each kind were read.")
	}
	if withheld > 0 {
		r.Limits = append(r.Limits, notQuoted(withheld))
	}
	if dropped > 0 {
		more := wording.Count(dropped, "further fact was", "further facts were")
		r.Limits = append(r.Limits, more+" found beyond what one answer holds, and left out.")
	}
}

// notQuoted says how many places an answer counts without their words.
func notQuoted(places int) string {
	return wording.Count(
		places,
		"place was counted but not quoted, because its words",
		"places were counted but not quoted, because their words",
	) + ", put on one line, could be read as an identity."
}
