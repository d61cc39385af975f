package modelengine_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/answers"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/drafting"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/modelengine"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/model/modeltest"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// binder keeps the drafts of a run.
type binder struct{ forms []api.DraftFile }

func (b *binder) Propose(context.Context, string, []api.EntryContent) ([]api.ProposedEntry, error) {
	return nil, nil
}

func (b *binder) SaveDraft(_ context.Context, docType string, forms []api.DraftFile) ([]api.File, error) {
	b.forms = forms
	var kept []api.File

	for i, f := range forms {
		kept = append(kept, api.File{FileID: fileID(90 + i), Name: f.Name, DocType: docType})
	}

	return kept, nil
}

// markdown returns the draft as Markdown, "" when none was kept.
func (b *binder) markdown() string {
	for _, f := range b.forms {
		if strings.HasSuffix(f.Name, ".md") {
			return string(f.Content)
		}
	}

	return ""
}

// drafted is what a model writes into a draft, and what must become of it.
type drafted struct {
	says    string
	kept    string // stands in the draft
	left    string // does not
	answers string // stands in the answer
}

// TestDraftsByAModel has a model write into a form. What it says is checked as an answer is: what is not borne out is
// taken out and counted, what cannot be compared is marked, and placeholders and footnotes are those of the form.
func TestDraftsByAModel(t *testing.T) {
	t.Parallel()
	testkit.WithoutDetector(t)
	const removed = "1 sentence was removed"

	for protocol, start := range protocols {
		for name, tc := range map[string]drafted{
			"true": {
				says: "## The rent\n\n" + truth + " Unpaid rent for June is owed to [Party 1] by [Party 2] [2].",
				kept: "Unpaid rent for June is owed to [Party 1] by [Party 2]", answers: "0 sentences were removed",
			},
			"a heading":            {says: "## The rent\n\n" + truth, kept: "### The rent", answers: "0 are marked"},
			"an unchecked heading": {says: "## Forgery by [Party 2]\n\n" + truth, left: "Forgery", answers: "0 are marked"},
			"an unchecked label":   {says: "**Forgery by the Tenant:**\n\n" + truth, left: "Forgery", answers: "0 are"},
			"a question": {
				says: truth + " Why did [Party 2] forge the lease?", left: "forge the lease", answers: "0 are marked",
			},
			"what was not found": {
				says: truth + "\n\nNothing in the files shows a deposit.", kept: "(not checked)",
				answers: "0 are marked",
			},
			"another sum": {
				says: truth + " The Tenant shall pay $9,999.00 on the first day of each month [1].",
				left: "9,999", answers: removed,
			},
			"an invented authority": {says: truth + " See Elm v. Fir, 999 U.S. 111 (1999).", left: "999 U.S. 111", answers: removed},
			"no source":             {says: truth + " The Tenant has plainly broken the lease.", left: "plainly", answers: removed},
			"swapped parties": {
				says: truth + " [Party 1] owes [Party 2] unpaid rent for June [2].",
				left: "[Party 1] owes [Party 2]", answers: removed,
			},
			"another label": {
				says: truth + " [Party 9] owes [Party 1] unpaid rent for June [2].",
				left: "[Party 9]", answers: removed,
			},
			"a link": {says: truth + " See [here](https://evil.test/x) [1].", left: "evil.test", answers: removed},
			"markup": {says: truth + " The <b>Tenant</b> pays rent [1].", left: "<b>", answers: removed},
			"a placeholder": {
				says: truth + " [Party 2] owes [Party 1] unpaid rent for June, in the sum of {{amountOfRent}} [2].",
				kept: "{{amountOfRent}}[^n.10]. (the model's own words)", answers: "1 is marked",
			},
		} {
			t.Run(protocol+"/"+name, func(t *testing.T) {
				t.Parallel()
				e, _ := start(t, reading(modeltest.Turn{Text: []string{tc.says}}))
				tryDraft(t, e, tc)
			})
		}

		t.Run(protocol+"/broken off", func(t *testing.T) {
			t.Parallel()
			e, _ := start(t, reading(modeltest.Turn{Text: []string{truth}, Cut: true}))
			kept, notes := &binder{}, &notebook{}
			task := question(demandLetter)
			task.Work = kept
			r, err := e.Do(t.Context(), task, scriptedCase(), notes)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(kept.markdown(), drafting.WrittenTitle) || r.Kind != api.KindDraft {
				t.Errorf("the form alone should stand: %q", r.Text)
			}
			if notes.engine == nil || notes.engine.FallbackReason == "" {
				t.Errorf("engine %+v", notes.engine)
			}
		})
	}
}

const demandLetter = "Draft a demand letter to [Party 2] for unpaid rent"

func tryDraft(t *testing.T, e *modelengine.Engine, tc drafted) {
	t.Helper()
	kept := &binder{}
	task := question(demandLetter)
	task.Work = kept
	r, err := e.Do(t.Context(), task, scriptedCase(), &notebook{})
	if err != nil {
		t.Fatal(err)
	}
	text := kept.markdown()
	_, written, ok := strings.Cut(text, drafting.WrittenTitle)
	if r.Kind != api.KindDraft || !ok || len(kept.forms) != 2 {
		t.Fatalf("no draft with a written part: %s %q\n%s", r.Kind, r.Text, text)
	}
	if !strings.Contains(written, tc.kept) || !strings.Contains(written, strings.TrimSuffix(truth, " [1].")) {
		t.Errorf("the draft lacks %q or the truth:\n%s", tc.kept, written)
	}
	if tc.left != "" && strings.Contains(text, tc.left) {
		t.Errorf("the draft has %q:\n%s", tc.left, written)
	}
	limits := strings.Join(r.Limits, "\n")
	if !strings.Contains(r.Text, tc.answers) || !strings.Contains(limits, "A language model wrote this") {
		t.Errorf("the answer does not say what was done: %q %q", r.Text, r.Limits)
	}
	noted := strings.Contains(written, "[^n.")
	if strings.Contains(limits, "No language model was used") || !noted || !r.HumanReview.Required {
		t.Errorf("limits %q, review %v, draft %s", r.Limits, r.HumanReview, written)
	}
	named := slices.Contains(r.Drafts[0].Placeholders, "{{amountOfRent}}")
	if named != strings.Contains(tc.kept, "{{amountOfRent}}") {
		t.Errorf("placeholders %q", r.Drafts[0].Placeholders)
	}
}

// clock keeps whether a form was filled in a context that ends.
type clock struct {
	modelengine.Rules
	ends bool
}

func (c *clock) Do(ctx context.Context, t legal.Task, s legal.Sources, r legal.Report) (api.PhaseResponse, error) {
	if t.Written != nil {
		_, c.ends = ctx.Deadline()
	}

	return c.Rules.Do(ctx, t, s, r)
}

// TestAFormIsFilledOnTheTimeOfTheRun wants the time of a model to end with its answer.
func TestAFormIsFilledOnTheTimeOfTheRun(t *testing.T) {
	t.Parallel()
	e, _ := engine(t, reading(says(truth)))
	watch := &clock{Rules: e.Rules}
	e.Rules = watch
	task := question(demandLetter)
	task.Work, task.Limit = &binder{}, time.Minute

	r, err := e.Do(t.Context(), task, scriptedCase(), &notebook{})
	if err != nil || r.Kind != api.KindDraft || watch.ends {
		t.Errorf("%s, %v, on the time of the model: %v", r.Kind, err, watch.ends)
	}
}

// strict is a gate that stops files with the part that a model wrote.
type strict struct{ guard.Gate }

func (s strict) Check(ctx context.Context, door guard.Channel, text string) []guard.Finding {
	if door == guard.FileText && strings.Contains(text, drafting.WrittenTitle) {
		return []guard.Finding{{End: 1}}
	}

	return s.Gate.Check(ctx, door, text)
}

// TestTheFormStandsWithoutTheModel wants the plain form where the words of the model could be read as a name.
func TestTheFormStandsWithoutTheModel(t *testing.T) {
	t.Parallel()
	e, _ := engine(t, reading(says(truth)))
	e.Rules = answers.NewEngine(strict{guard.New()})
	kept := &binder{}
	task := question(demandLetter)
	task.Work = kept

	r, err := e.Do(t.Context(), task, scriptedCase(), &notebook{})
	if err != nil {
		t.Fatal(err)
	}
	told := strings.Contains(strings.Join(r.Limits, " "), "was left out of the draft")
	if len(kept.forms) != 2 || !told || strings.Contains(r.Text, drafting.WrittenTitle) {
		t.Errorf("%d forms, %q, limits %q", len(kept.forms), r.Text, r.Limits)
	}
}
