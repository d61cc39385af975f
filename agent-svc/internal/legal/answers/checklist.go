package answers

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/intent"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/layout"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/wording"
)

// stages names the stages of a matter.
var stages = map[string]string{
	"L100":        "assessment (L100)",
	"L200":        "pleadings and motions (L200)",
	"L300":        "discovery (L300)",
	"L400":        "trial (L400)",
	"L500":        "appeal (L500)",
	"transaction": "a transaction",
}

var _ = offer(ability{
	intent: intent.Checklist, prompt: "Which documents are missing?",
	does: "compares the documents of the case with those that are usual at its stage",
	run:  (*job).checklist,
})

// checklist compares the documents of the case with those that are usual at its stage.
func (j *job) checklist(ctx context.Context) (api.PhaseResponse, error) {
	j.report.Plan("Plan: compare the documents with those that the stage expects", "list_files", "document_checklist")
	h, err := j.hold(ctx)
	if err != nil {
		return api.PhaseResponse{}, err
	}
	// A draft is not yet the document that the stage expects.
	h.leaveDrafts(nil)
	done := j.report.Tool("document_checklist", "Comparing the documents with the stage of the case")
	list, err := j.sources.Checklist(ctx)
	if err != nil {
		done("failed", "The checklist could not be made")
		return api.PhaseResponse{}, err
	}
	done("ok", fmt.Sprintf("%d there, %d missing", len(list.Present), len(list.Missing)))
	r := legal.NewAnswer(api.KindChecklist)
	r.Checklist = &list
	r.Text = checklistText(list, h)
	r.Limits = append(r.Limits, "The list is what is usual at this stage, not what this matter needs by law. "+
		"Types are told from the first pages of a file unless a person gave them.")
	r.SuggestedNext = suggestions("What are the next steps?")

	return r, nil
}

func checklistText(list api.DocumentChecklist, h holdings) string {
	stage := stages[list.Phase]
	if stage == "" {
		stage = layout.Escape(list.Phase)
	}

	files := map[string][]string{}
	for _, f := range h.readable {
		files[f.DocType] = append(files[f.DocType], layout.Escape(f.Name))
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Documents that are usual at the stage of %s:\n\n", stage)

	for _, t := range list.Present {
		fmt.Fprintf(&b, "- [x] %s", words(t))
		if names := files[t]; len(names) > 0 {
			fmt.Fprintf(&b, ": %s", strings.Join(names[:min(len(names), namedFiles)], ", "))
		}
		b.WriteString("\n")
	}

	for _, t := range list.Missing {
		fmt.Fprintf(&b, "- [ ] %s\n", words(t))
	}
	if len(list.Present)+len(list.Missing) == 0 {
		b.WriteString("- none is expected\n")
	}
	var others []string

	for _, f := range h.readable {
		if f.DocType != "" && f.DocType != "unknown" && !slices.Contains(list.Present, f.DocType) {
			others = append(others, layout.Escape(f.Name)+" ("+words(f.DocType)+")")
		}
	}
	if len(others) > 0 {
		fmt.Fprintf(&b, "\nThere, but not usual at this stage: %s.\n",
			strings.Join(others[:min(len(others), namedFiles)], ", "),
		)
	}
	fmt.Fprintf(&b, "\n%s, %d missing. What is there without a readable file was not read.\n",
		wording.Count(len(list.Present), "type is there", "types are there"), len(list.Missing),
	)

	return b.String()
}

// words writes a type of document, such as proof_of_service, in words.
func words(docType string) string { return strings.ReplaceAll(docType, "_", " ") }
