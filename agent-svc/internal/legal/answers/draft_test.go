package answers_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/answers"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/drafting"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// cabinet keeps drafts among the files of a case, the same bytes once.
type cabinet struct {
	record
	caseFiles *caseFiles
	calls     int
	err       error
}

func (c *cabinet) SaveDraft(_ context.Context, docType string, forms []api.DraftFile) ([]api.File, error) {
	c.calls++
	if c.err != nil {
		return nil, c.err
	}
	var kept []api.File

	for _, form := range forms {
		sum := sha256.Sum256(form.Content)
		sha := hex.EncodeToString(sum[:])
		at := slices.IndexFunc(c.caseFiles.files, func(f api.File) bool { return f.SHA256 == sha })
		if at >= 0 {
			f := c.caseFiles.files[at]
			f.Duplicate = true
			kept = append(kept, f)

			continue
		}
		c.caseFiles.add(form.Name, string(form.Content))
		f := &c.caseFiles.files[len(c.caseFiles.files)-1]
		f.SHA256, f.DocType, f.MediaType, f.Source = sha, docType, form.MediaType, api.FileSource{Origin: "generated", PhaseID: "p"}
		kept = append(kept, *f)
	}

	return kept, nil
}

func draftTask(prompt string, work legal.Work) legal.Task {
	tk := task(api.CaseReq, prompt)
	tk.Work = work

	return tk
}

func TestADraftIsMadeAndKept(t *testing.T) {
	s := samples(t)["all"]
	before := len(s.files)
	work := &cabinet{caseFiles: s}
	r, d := do(t, draftTask("Draft an answer to the complaint", work), s)
	if r.Kind != api.KindDraft || len(r.Drafts) != 2 || len(s.files) != before+2 {
		t.Fatalf("kind %s, drafts %+v, %d files", r.Kind, r.Drafts, len(s.files))
	}
	md, word := s.files[before], s.files[before+1]
	if md.Name != "answer-draft.md" || word.Name != "answer-draft.docx" || md.DocType != "answer" || r.Drafts[0].FileID != md.FileID || r.Drafts[1].FileID != word.FileID {
		t.Errorf("files %s, %s of type %s, drafts %+v", md.Name, word.Name, md.DocType, r.Drafts)
	}

	text := s.texts[md.FileID]
	for _, p := range r.Drafts[0].Placeholders {
		if !strings.Contains(text, p) {
			t.Errorf("placeholder %s does not stand in the draft", p)
		}
	}

	for _, p := range regexp.MustCompile(`\{\{[^}]*\}\}`).FindAllString(text, -1) {
		if !slices.Contains(r.Drafts[0].Placeholders, p) {
			t.Errorf("placeholder %s is not listed", p)
		}
	}
	if !strings.HasPrefix(text, "> "+drafting.Header) || !strings.Contains(text, "Answering paragraph 4") {
		t.Errorf("draft =\n%s", text)
	}
	if len(r.Citations) == 0 || !strings.Contains(r.Text, "answer-draft.md and answer-draft.docx") || !strings.Contains(r.Text, "RESPONSES TO THE ALLEGATIONS") ||
		!strings.Contains(r.Text, "`{{responseToParagraph1}}` to `{{responseToParagraph") || strings.Contains(r.Text, "`{{responseToParagraph2}}`,") {
		t.Errorf("%d citations, text %q", len(r.Citations), r.Text)
	}
	checkCitations(t, r, s)
	if r.HumanReview.DeepLink != links("review") || !slices.Equal(r.HumanReview.Reasons, []string{"has_draft"}) {
		t.Errorf("review %+v", r.HumanReview)
	}
	if !slices.Contains(d.entries, "tool ok") || d.open != 0 {
		t.Errorf("report %q", d.entries)
	}
}

// TestADraftMadeAgainIsTheSame wants a run that is repeated, with its own drafts among the files, to add nothing.
func TestADraftMadeAgainIsTheSame(t *testing.T) {
	for _, prompt := range []string{"Draft an answer", "Prepare first interrogatories to [Party 2]", "Draft a case assessment memo", "Draft a privilege log"} {
		s := samples(t)["all"]
		work := &cabinet{caseFiles: s}
		first, _ := do(t, draftTask(prompt, work), s)
		files := len(s.files)
		second, _ := do(t, draftTask(prompt, work), s)
		if len(s.files) != files || len(first.Drafts) != 2 || second.Drafts[0].FileID != first.Drafts[0].FileID || second.Drafts[1].FileID != first.Drafts[1].FileID {
			t.Errorf("%s: %d files after one run, %d after two", prompt, files, len(s.files))
		}
		if !strings.Contains(second.Text, "2 drafts of ours were left out") {
			t.Errorf("%s: the answer does not say that drafts are no sources: %s", prompt, second.Text)
		}
	}
}

func TestAnotherDraftGetsAnotherName(t *testing.T) {
	s := samples(t)["complaint"]
	work := &cabinet{caseFiles: s}
	do(t, draftTask("Draft a demand letter", work), s)
	s.add("Letter 1.txt", "On May 2, 2024 [Company 1] paid $500 to [Party 1].\n")
	do(t, draftTask("Draft a demand letter", work), s)
	last := s.files[len(s.files)-1]
	if last.Name != "demand-letter-draft-2.docx" {
		t.Errorf("the second draft is called %s", last.Name)
	}
}

func TestWhichDraftIsMeant(t *testing.T) {
	s := samples(t)["complaint"]
	work := &cabinet{caseFiles: s}
	r, _ := do(t, draftTask("Draft something nice", work), s)
	if r.Kind != api.KindClarification || len(r.SuggestedNext) != 14 || len(r.Questions) != 1 || work.calls != 0 || r.HumanReview.Required {
		t.Errorf("kind %s, %d suggestions, questions %q, %d calls", r.Kind, len(r.SuggestedNext), r.Questions, work.calls)
	}
	r, _ = do(t, draftTask("Draft a reply to the demand letter", work), s)
	if r.Kind != api.KindClarification || r.SuggestedNext[0].Prompt != "Draft a demand letter" {
		t.Errorf("kind %s, suggestions %+v", r.Kind, r.SuggestedNext)
	}
	r, _ = do(t, draftTask("Draft an answer and a litigation hold letter", work), s)
	if r.Kind != api.KindDraft || r.Drafts[0].DocType != "answer" || r.SuggestedNext[0].Prompt != "Draft a litigation hold letter" {
		t.Errorf("kind %s, drafts %+v, suggestions %+v", r.Kind, r.Drafts, r.SuggestedNext)
	}
}

func TestADraftThatCannotBeKept(t *testing.T) {
	for name, tc := range map[string]struct {
		err  error
		want string // of the limits; "" when the run fails
	}{
		"no right":  {fmt.Errorf("save draft: %w", errs.New(errs.Forbidden, "scope_missing", "The scope files:write is missing.")), "The draft was not kept: The scope files:write is missing."},
		"no room":   {errs.New(errs.TooLarge, "case_quota_exceeded", "The case is full."), "The draft was not kept: The case is full."},
		"no store":  {errs.ErrUnavailable, ""},
		"no reason": {errors.New("broken"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := samples(t)["complaint"]
			d := &diary{}
			r, err := answers.NewEngine(guard.New()).Do(
				t.Context(), draftTask("Draft an answer", &cabinet{caseFiles: s, err: tc.err}), s, d,
			)
			if d.open != 0 {
				t.Errorf("%d tools did not end", d.open)
			}
			if tc.want == "" {
				if !errors.Is(err, tc.err) {
					t.Errorf("Do = %v, want %v", err, tc.err)
				}

				return
			}
			if err != nil || r.Kind != api.KindDraft || len(r.Drafts) != 0 || !slices.Contains(r.Limits, tc.want) || strings.Contains(r.Text, "kept among the files") {
				t.Errorf("Do = %+v, %v", r, err)
			}
		})
	}
	s := samples(t)["complaint"]
	if r, _ := do(t, task(api.CaseReq, "Draft an answer"), s); len(r.Drafts) != 0 || !slices.Contains(r.Limits, "The draft was not kept: nothing may be written here.") {
		t.Errorf("drafts %+v, limits %q", r.Drafts, r.Limits)
	}
}

// suspicious is a gate that finds somebody in every text of a file that holds a phrase.
type suspicious struct {
	guard.Guard
	phrase string
}

func (s suspicious) Check(ctx context.Context, door guard.Channel, text string) []guard.Finding {
	if at := strings.Index(text, s.phrase); door == guard.FileText && at >= 0 {
		return []guard.Finding{{Kind: guard.KindPerson, Start: at, End: at + len(s.phrase)}}
	}

	return s.Guard.Check(ctx, door, text)
}

// TestADraftThatTheGateStops wants the words of the files to be left out first, and then the draft.
func TestADraftThatTheGateStops(t *testing.T) {
	for phrase, want := range map[string]string{"distribution agreement": api.KindDraft, "ANSWER": api.KindAnswer} {
		s := samples(t)["complaint"]
		work := &cabinet{caseFiles: s}
		e := answers.NewEngine(suspicious{phrase: phrase})
		r, err := e.Do(t.Context(), draftTask("Draft an answer", work), s, &diary{})
		if err != nil || r.Kind != want || len(r.Drafts) > 0 != (want == api.KindDraft) {
			t.Errorf("a gate that stops at %q: kind %s, drafts %+v, %v", phrase, r.Kind, r.Drafts, err)
		}

		for _, f := range s.files[1:] {
			if strings.Contains(s.texts[f.FileID], phrase) {
				t.Errorf("%s holds %q", f.Name, phrase)
			}
		}
	}
}

// TestDraftsAreNoSources wants what reads the files to leave out what runs made, unless the task names it.
func TestDraftsAreNoSources(t *testing.T) {
	s := samples(t)["complaint"]
	plain, _ := do(t, task(api.CaseReq, "List the amounts"), s)
	do(t, draftTask("Draft a demand letter", &cabinet{caseFiles: s}), s)
	again, _ := do(t, task(api.CaseReq, "List the amounts"), s)
	if len(again.Citations) != len(plain.Citations) {
		t.Errorf("%d citations before a draft, %d after it", len(plain.Citations), len(again.Citations))
	}
	tk := task(api.CaseReq, "List the amounts")
	tk.FileIDs = []string{s.files[1].FileID}
	if named, _ := do(t, tk, s); len(named.Citations) == 0 {
		t.Error("a draft that the task names is not read")
	}
}
