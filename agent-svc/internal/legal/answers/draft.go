package answers

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/casereading"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/drafting"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/intent"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/layout"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/wording"
)

// Forms of a draft.
const (
	markdownType = "text/markdown"
	wordType     = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
)

// mostPlaceholders bounds those that the text of an answer names; its drafts list all.
const mostPlaceholders = 40

// errHeldBack means that the gate does not let a draft pass even without the words of the files.
var errHeldBack = errors.New("the draft could be read as naming somebody")

var _ = offer(ability{
	intent: intent.Draft, prompt: "Draft an answer to the complaint",
	does: "fills one of fourteen forms, from demand letter to settlement outline, with labels and " +
		"sourced facts, and keeps it as Markdown and Word files; what no file says stays a placeholder",
	run: (*job).draft,
})

// draft fills the skeleton that the prompt names with what the files say, and puts it among the files of the case.
func (j *job) draft(ctx context.Context) (api.PhaseResponse, error) {
	choice := j.templates.Choose(j.Prompt)
	if !choice.Named {
		return j.whichDraft(choice.Others), nil
	}
	j.report.Plan("Plan: read the files, fill a skeleton, keep the draft",
		"list_files", "read_files", "draft_skeleton", "save_draft")
	d, h, err := j.survey(ctx, casereading.Keep{Dates: true, Sums: true, Allegations: true, Events: true})
	if err != nil {
		return api.PhaseResponse{}, err
	}

	rests, err := j.ticked(ctx, d, h)
	if err != nil {
		return api.PhaseResponse{}, err
	}

	r := legal.NewAnswer(api.KindDraft)
	if j.Written != nil {
		// The limits of the model's own answer say already what it did.
		r.Limits = nil
	}

	for _, o := range choice.Others {
		r.SuggestedNext = append(r.SuggestedNext, suggestions(o.Prompt)...)
	}
	r.SuggestedNext = append(r.SuggestedNext,
		suggestions("Build a chronology", "List the deadlines", "List the authorities")...)
	done := j.report.Tool("draft_skeleton", "Filling a skeleton")
	matter := drafting.Matter{
		Case: j.Container.Case, Dossier: d, Files: h.records,
		To: choice.To, Relief: choice.Relief, Written: j.Written,
		Today: casereading.Today(j.Container.Case, j.Now),
	}
	made, forms, err := j.fill(ctx, choice, matter)
	written := j.Written
	// The form alone is better than nothing, and the limits say what was left out.
	if errors.Is(err, errHeldBack) && written != nil {
		matter.Written, written = nil, nil
		made, forms, err = j.fill(ctx, choice, matter)
		r.Limits = append(r.Limits, "What the language model wrote was left out of the draft: together with the form "+
			"it could be read as naming somebody.")
	}
	if errors.Is(err, errHeldBack) {
		done("refused", "The draft could not be shown to name nobody")
		r.Kind = api.KindAnswer
		r.Text = "The draft was held back: put together, its words could be read as the name of somebody. " +
			"Ask for it with fewer files in fileIds.\n\n" + wording.Capital(h.told()) + "\n"

		return r, nil
	}
	if err != nil {
		done("failed", "The skeleton could not be filled")
		return api.PhaseResponse{}, err
	}
	done("ok", wording.Count(len(made.Sources), "source", "sources")+", "+
		wording.Count(len(made.Placeholders), "placeholder", "placeholders"))
	kept, err := j.save(ctx, &r, made, named(forms, made.Name, h.known, j.PhaseID))
	if err != nil {
		return api.PhaseResponse{}, err
	}
	var n layout.Notes
	r.Text = draftText(made, written, kept, h, &n)
	r.Citations = n.List
	if strings.Contains(made.Document.Text(), "{{clientLabel}}") {
		r.Questions = append(r.Questions, "For which label is the draft, and against which? "+
			"The case does not say which side the client is on.")
	}
	r.Limits = append(r.Limits, draftLimits(made, rests)...)
	limits(&r, d)
	j.reviewed(&r, hasDraft)

	return r, nil
}

// draftLimits says what a draft leaves to people, and what it leaves out. rests says on what its facts rest.
func draftLimits(made drafting.Draft, rests string) []string {
	list := []string{
		"No law is stated: rules, elements of claims, periods and statutes are placeholders for a lawyer to fill.",
		rests,
		"Nothing was filed, served or sent. Real names are filled in by a user in the browser.",
	}
	if made.Omitted > 0 {
		list = append(list, wording.Count(made.Omitted, "further fact was", "further facts were")+
			" left out of the draft for want of room.")
	}
	if made.Unquoted {
		list = append(list, "The draft names the places of its facts without their words, "+
			"because put together these could be read as the name of somebody.")
	}

	return list
}

// fill makes a draft that the gate lets pass: with the words of the files, else with their places alone.
func (j *job) fill(
	ctx context.Context,
	choice drafting.Choice,
	m drafting.Matter,
) (drafting.Draft, []api.DraftFile, error) {
	// Words that pass one by one may read as a name side by side, so the places alone are the second try.
	for _, m.Unquoted = range []bool{false, true} {
		made, err := choice.Best.Fill(m)
		if err != nil {
			return made, nil, err
		}
		markdown := made.Document.Markdown()
		// Both forms are judged: marks of Markdown can hide a name from the gate, or part it.
		if len(j.gate.Check(ctx, guard.FileText, markdown)) > 0 ||
			len(j.gate.Check(ctx, guard.FileText, made.Document.Text())) > 0 {
			continue
		}
		word, err := made.Document.DOCX()

		return made, []api.DraftFile{
			{Name: ".md", MediaType: markdownType, Content: []byte(markdown)},
			{Name: ".docx", MediaType: wordType, Content: word},
		}, err
	}
	// A gate whose run has ended finds fault with everything.
	if err := ctx.Err(); err != nil {
		return drafting.Draft{}, nil, err
	}

	return drafting.Draft{}, nil, errHeldBack
}

// named gives the forms a name that no other file of the case has. The same bytes keep their name, and what an
// earlier attempt of the phase left gives its own up, so that a run which is repeated asks for the same.
func named(forms []api.DraftFile, base string, known []api.File, phaseID string) []api.DraftFile {
	name := base
	// A repeated run must give its files the names that they had, or it would keep them twice.
	known = slices.DeleteFunc(
		slices.Clone(known),
		func(f api.File) bool { return phaseID != "" && f.Source.PhaseID == phaseID },
	)

	taken := func(form api.DraftFile) bool {
		sum := sha256.Sum256(form.Content)

		return slices.ContainsFunc(known, func(f api.File) bool {
			return f.Name == name+form.Name && f.SHA256 != hex.EncodeToString(sum[:])
		})
	}
	// Both forms of a draft share one number, so that they stand together in the list.
	for n := 2; slices.ContainsFunc(forms, taken); n++ {
		name = fmt.Sprintf("%s-%d", base, n)
	}

	for i := range forms {
		forms[i].Name = name + forms[i].Name
	}

	return forms
}

// save puts the forms of a draft among the files of the case. What forbids it is told in the limits of the answer,
// which stands without it.
func (j *job) save(
	ctx context.Context,
	r *api.PhaseResponse,
	made drafting.Draft,
	forms []api.DraftFile,
) ([]api.File, error) {
	if j.Work == nil {
		r.Limits = append(r.Limits, "The draft was not kept: nothing may be written here.")
		return nil, nil
	}
	done := j.report.Tool("save_draft", "Putting the draft among the files of the case")
	kept, err := j.Work.SaveDraft(ctx, made.DocType, forms)

	var known *errs.Error
	switch {
	case err == nil:
	// A full case, or a caller who may not add files, still gets the answer.
	case errors.As(err, &known) && (known.Kind == errs.Forbidden || known.Kind == errs.TooLarge):
		done("refused", "The draft may not be kept")
		r.Limits = append(r.Limits, "The draft was not kept: "+known.Message)

		return nil, nil
	default:
		done("failed", "The draft could not be kept")
		return nil, err
	}
	added := 0

	for _, f := range kept {
		if !f.Duplicate {
			added++
		}
		r.Drafts = append(r.Drafts, api.DraftRef{
			FileID:       f.FileID,
			DocType:      f.DocType,
			Placeholders: append([]string{}, made.Placeholders...),
		})
	}
	done("ok", fmt.Sprintf("%s added, %s there already",
		wording.Counted(added, "file"), wording.Count(len(kept)-added, "was", "were")))

	return kept, nil
}

// draftText says what was made, its outline, and where its facts stand.
func draftText(made drafting.Draft, written *drafting.Written, kept []api.File, h holdings, n *layout.Notes) string {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**: a first draft by software, not reviewed.", made.Title)

	var names []string
	for _, f := range kept {
		names = append(names, layout.Escape(f.Name))
	}
	if len(names) > 0 {
		fmt.Fprintf(&b, " It is kept among the files of the case as %s.", strings.Join(names, " and "))
	}
	b.WriteString(writtenText(written))
	fmt.Fprintf(&b, "\n\nIt rests on %s in the files, each with a footnote. A person fills in %s",
		wording.Counted(len(made.Sources), "place"), wording.Counted(len(made.Placeholders), "placeholder"),
	)
	if made.Unsourced > 0 {
		fmt.Fprintf(&b, " and finds a source for %s marked %s",
			wording.Count(made.Unsourced, "place", "places"), drafting.NeedsSource,
		)
	}
	b.WriteString(".\n\n**Outline**\n\n")

	for _, s := range made.Sections() {
		b.WriteString("- " + layout.Escape(s) + "\n")
	}
	if len(made.Sources) > 0 {
		b.WriteString("\n**Sources, by file**\n\n")
	}

	for _, f := range h.readable {
		marks := ""

		for _, s := range made.Sources {
			if s.FileID == f.FileID {
				marks += n.Mark(s)
			}
		}
		if marks != "" {
			fmt.Fprintf(&b, "- %s:%s\n", layout.Escape(f.Name), marks)
		}
	}
	if len(made.Placeholders) > 0 {
		all := series(made.Placeholders)
		shown := all[:min(len(all), mostPlaceholders)]
		fmt.Fprintf(&b, "\n**To fill in**: %s", strings.Join(shown, ", "))
		if more := len(all) - len(shown); more > 0 {
			fmt.Fprintf(&b, " and %d more", more)
		}
		b.WriteString(".\n")
	}

	return b.String() + "\n" + wording.Capital(h.told()) + "\n"
}

// writtenText says what of a draft a language model wrote, "" when it wrote nothing.
func writtenText(w *drafting.Written) string {
	if w == nil {
		return ""
	}
	text := fmt.Sprintf(" The part %q was written by a language model from %s of the files and checked sentence "+
		"by sentence: %s.",
		drafting.WrittenTitle, wording.Count(len(w.Citations), "passage", "passages"),
		wording.Count(w.Removed, "sentence was removed", "sentences were removed")+" for want of proof, "+
			wording.Count(w.Own, "is marked", "are marked")+" as the model's own words")

	return text + " The rest is the form."
}

// DraftNamed reports whether a prompt names a form that can be drafted.
func DraftNamed(prompt string) bool { return drafting.NewTemplates().Choose(prompt).Named }

// series writes placeholders as code, those of one name with numbers as its first and last.
func series(placeholders []string) []string {
	var order []string
	last := map[string]string{} // by the first of a name
	first := map[string]string{}

	for _, p := range placeholders {
		// A form with thirty numbered blanks would fill the answer with their names.
		name := strings.TrimRight(strings.TrimSuffix(p, "}}"), "0123456789")
		if _, known := first[name]; !known {
			first[name] = p
			order = append(order, p)
		}
		last[first[name]] = p
	}

	for i, p := range order {
		order[i] = "`" + p + "`"
		if last[p] != p {
			order[i] += " to `" + last[p] + "`"
		}
	}

	return order
}

// whichDraft asks which draft is meant, those that the prompt at least mentions first.
func (j *job) whichDraft(first []drafting.Skeleton) api.PhaseResponse {
	j.report.Plan("Plan: ask which draft is meant", "help")
	r := legal.NewAnswer(api.KindClarification)
	r.Questions = []string{"Which draft is meant?"}

	all := slices.Clone(first)
	for _, s := range j.templates.All() {
		if !slices.ContainsFunc(first, func(f drafting.Skeleton) bool { return f.Name == s.Name }) {
			all = append(all, s)
		}
	}
	var b strings.Builder
	b.WriteString("No form fits what was asked for, so nothing was drafted. There are forms for these:\n\n")

	for _, s := range all {
		b.WriteString("- " + s.Prompt + "\n")
		r.SuggestedNext = append(r.SuggestedNext, suggestions(s.Prompt)...)
	}
	r.Text = b.String() + "\nNothing was read or written.\n"

	return r
}
