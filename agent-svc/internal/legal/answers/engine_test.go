package answers_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/answers"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/intent"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/wording"
)

// prompts ask for everything that a case_req can be.
// TestMatchedWordsStandInTheQuote wants no word named as matched that the quotation beside it does not have.
func TestMatchedWordsStandInTheQuote(t *testing.T) {
	text := "2. Use. The premises serve as a bakery and for nothing else, and the tenant keeps them clean.\n\n" +
		strings.Repeat("The landlord may enter at reasonable hours to look after the boiler. ", 12) + "Late charges are five percent."
	r, _ := do(t, task(api.CaseReq, "Which late charges and which use does the lease have for the bakery?"), newCaseFiles().add("Lease.txt", text))
	quote := ""

	for line := range strings.Lines(r.Text) {
		if rest, ok := strings.CutPrefix(line, "> "); ok {
			quote = strings.ToLower(rest)
		}
		words, ok := strings.CutPrefix(strings.TrimSpace(line), "Matched: ")
		if !ok {
			continue
		}

		for w := range strings.SplitSeq(words, ", ") {
			if !strings.Contains(quote, w) {
				t.Errorf("%q is no word of %q", w, quote)
			}
		}
	}
	if quote == "" {
		t.Fatalf("nothing is quoted:\n%s", r.Text)
	}
}

func prompts() []string {
	return []string{
		"When must commissions be paid?", `"base rent"`, "zebra crossing", "Who are the parties?", "List the amounts", "Build a chronology", "List the deadlines", "List the authorities",
		"Served on March 2, 2026 by mail: when is the answer due?", "How long do we have to appeal?",
		"Summarise the files", "What are the next steps?", "Help", "Draft an answer", "Draft a demand letter to [Party 2]", "Draft a letter", "Compare the leases", "Which documents are missing?", "How complex is it?", "What are our chances?",
		"E-mail the client", "File this with the court", "What is the name of [Party 1]?",
	}
}

var mark = regexp.MustCompile(`\[(\d+)\]`)

// TestEveryAnswerKeepsTheRules wants of every kind of answer on every sample: nothing the gate would hold back, every quote word for word
// where its source says, marks and citations that belong together, the limits stated, and a report whose tools all end.
func TestEveryAnswerKeepsTheRules(t *testing.T) {
	for name, s := range samples(t) {
		tasks := []legal.Task{task(api.EvalReq, "Evaluate the case"), task(api.SupportReq, "My stream broke off"), task(api.SupportReq, "qwertz"), task(api.SalesReq, "What does it cost?"), task(api.AdminReq, "help")}
		for _, p := range prompts() {
			tasks = append(tasks, task(api.CaseReq, p))
		}

		for _, tk := range tasks {
			t.Run(name+"/"+tk.RequestType+"/"+tk.Prompt, func(t *testing.T) {
				r, d := do(t, tk, s)
				for _, text := range dirty(r) {
					t.Errorf("the gate would hold back %q", text)
				}
				checkCitations(t, r, s)
				if len(r.Limits) == 0 || !strings.Contains(r.Limits[0], "No language model was used") {
					t.Errorf("limits %q do not say that no model was used", r.Limits)
				}
				if r.Text == "" || !strings.HasSuffix(r.Text, "\n") || strings.Contains(r.Text, "%!") {
					t.Errorf("text %q", r.Text)
				}
				if d.plans != 1 || d.entries[0] != "plan" || d.open != 0 {
					t.Errorf("report %q: want one plan first, and every tool ended", d.entries)
				}

				for _, m := range d.messages {
					if strings.Contains(m, "[Party") || strings.Contains(m, "Document") || strings.Contains(m, tk.Prompt) && len(tk.Prompt) > 5 {
						t.Errorf("message %q holds what is not the engine's own", m)
					}
				}
				if (r.Kind == api.KindRefusal) != (r.Refusal != nil) {
					t.Errorf("kind %s with refusal %+v", r.Kind, r.Refusal)
				}
				if r.HumanReview.Required != (len(r.HumanReview.Reasons) > 0) {
					t.Errorf("review %+v", r.HumanReview)
				}
			})
		}
	}
}

func checkCitations(t *testing.T, r api.PhaseResponse, s *caseFiles) {
	t.Helper()
	sources := map[string]bool{}

	for i, c := range r.Citations {
		if c.N != i+1 {
			t.Errorf("citation %d has number %d", i+1, c.N)
		}
		checkSource(t, c.Source, s)
		sources[fmt.Sprint(c.Source)] = true
	}
	named := map[int]bool{}

	for _, m := range mark.FindAllStringSubmatch(r.Text, -1) {
		n, _ := strconv.Atoi(m[1])
		named[n] = true
		if n < 1 || n > len(r.Citations) {
			t.Errorf("mark [%d] has no citation", n)
		}
	}

	for _, c := range r.Citations {
		if !named[c.N] {
			t.Errorf("citation %d stands nowhere in the text", c.N)
		}
	}
	if r.Evaluation == nil {
		return
	}

	for _, f := range r.Evaluation.Breakdown {
		for _, source := range f.Sources {
			checkSource(t, source, s)
			if !sources[fmt.Sprint(source)] {
				t.Errorf("a source of %s is not among the citations", f.Feature)
			}
		}
	}
}

// checkSource wants the quote of a source to be what stands there.
func checkSource(t *testing.T, source api.SourceRef, s *caseFiles) {
	t.Helper()
	runes := []rune(s.texts[source.FileID])
	if source.CharStart < 0 || source.CharEnd > len(runes) || source.CharStart >= source.CharEnd {
		t.Fatalf("source %+v of a text of %d code points", source, len(runes))
	}
	if got := facts.Fold(string(runes[source.CharStart:source.CharEnd])); got != source.Quote {
		t.Errorf("quote %q, there stands %q", source.Quote, got)
	}
	if n := utf8.RuneCountInString(source.Quote); n == 0 || n > facts.MaxQuote {
		t.Errorf("a quote of %d code points", n)
	}
	page := 0

	for i, at := range s.pages[source.FileID] {
		if at <= source.CharStart {
			page = i + 1
		}
	}
	if source.Page != page {
		t.Errorf("source on page %d, want %d", source.Page, page)
	}
}

func TestFind(t *testing.T) {
	for _, tc := range []struct {
		name, caseFiles, prompt string
		want                    []string
		citations               int
	}{
		{"a passage", "lease", "late charge", []string{"1 passage matches", "Lease\\_[Address 1].txt", "Matched: ", "1 file was read; 1 file could not be read"}, 1},
		{"none matches", "complaint", "zebra crossing", []string{"No passage of 1 readable file matches"}, 0},
		{"no file", "nothing", "anything at all", []string{"There is no readable file", "0 files were read"}, 0},
		{"a phrase", "all", `"demands judgment against Defendants"`, []string{"Document 1.txt, page 2"}, 1},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r, _ := do(t, task(api.CaseReq, tc.prompt), samples(t)[tc.caseFiles])
			for _, w := range tc.want {
				if !strings.Contains(r.Text, w) {
					t.Errorf("text\n%s\nlacks %q", r.Text, w)
				}
			}
			if len(r.Citations) != tc.citations || r.Kind != api.KindAnswer {
				t.Errorf("%d citations in a response of kind %s, want %d", len(r.Citations), r.Kind, tc.citations)
			}
		})
	}
}

func TestLists(t *testing.T) {
	for _, tc := range []struct {
		name, caseFiles, prompt string
		want, not               []string
	}{
		{"parties", "complaint", "List the parties", []string{"| [Party 1] | plaintiff |", "| [Company 1] | ", "| [Party 2] | ", "Other labels: [Docket 1], [Address 1], [Witness 1], [Person 1] (attorney)"}, []string{"| [Person 1] |"}},
		{"parties of a lease", "lease", "Who are the parties?", []string{"| [Party 1] | landlord |", "| [Party 2] | tenant |"}, []string{"| [Address"}},
		{"amounts", "complaint", "List the amounts", []string{
			"| demand: judgment | 374,250.00 USD |",
			"| other | 214,000,000.00 USD |", "Demanded most plainly: 374,250.00 USD",
		}, nil},
		{"amounts of a lease", "lease", "List the amounts", []string{
			"| penalty: late charge | 625.00 USD |",
			"| cap | 500,000.00 USD |", "| payment: base rent | 12,500.00 USD |",
			"amount in controversy is unstated",
		}, nil},
		{"chronology", "complaint", "Build a chronology", []string{"**2024-03-04**", "**2025-09-08**", "Can be read in two ways", "**2025-03-04 or 2025-04-03**"}, []string{"1997", "2004"}},
		{"deadlines", "all", "List the deadlines", []string{"**2025-09-12**, in 2 days", "**2025-09-30**, in 20 days", "**2027-11-30**", "**30 days**", "**10 business days**"}, nil},
		{"authorities", "complaint", "List the authorities", []string{
			"| 28 U.S.C. § 1332 | statute | 1 | none | Document 1.txt, page 1 | known reporter and form |",
			"| 148 N.J. 396 | case | 1 | 1: 420 | Document 1.txt, page 2 | known reporter and form |",
			"| 550 U.S. 544 | case | 2 | 2: 570; 556 | Document 1.txt, page 2 | known reporter and form |",
			"| Fed. R. Civ. P. 9 | rule | 1 | 1: (b) |",
		}, []string{"127 S. Ct. 1955"}},
		{"card", "lease", "Summarise the files", []string{"Type: commercial lease", "[Party 1] (landlord)", "Defined terms: Landlord", "laws of the State of Oregon", "  - “Tenant shall pay base rent of $12,500 per month"}, nil},
		{"card of a complaint", "complaint", "Summarise the files", []string{"Type: complaint", "Court: federal", "Claims: COUNT I", "2 pages"}, []string{"estimated"}},
		{"next steps", "lease", "What are the next steps?", []string{"Set the jurisdiction", "Add readable, de-identified versions", "conflict check"}, nil},
		{"nothing to list", "nothing", "List the deadlines", []string{"No time limit is stated", "0 files were read"}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r, _ := do(t, task(api.CaseReq, tc.prompt), samples(t)[tc.caseFiles])
			for _, w := range tc.want {
				if !strings.Contains(r.Text, w) {
					t.Errorf("lacks %q:\n%s", w, r.Text)
				}
			}

			for _, w := range tc.not {
				if strings.Contains(r.Text, w) {
					t.Errorf("holds %q:\n%s", w, r.Text)
				}
			}
		})
	}
}

func TestDeadlinesAskForTheirEvents(t *testing.T) {
	r, _ := do(t, task(api.CaseReq, "List the deadlines"), samples(t)["lease"])
	if len(r.Questions) == 0 || !strings.Contains(strings.Join(r.Questions, "\n"), "When was this: written notice? From it run the 10 business days that Lease_[Address 1].txt states.") {
		t.Errorf("questions %q, want one for the notice", r.Questions)
	}
	if !r.HumanReview.Required || r.HumanReview.Reasons[0] != "states_deadline" || r.HumanReview.DeepLink != links("review") {
		t.Errorf("review %+v, want one for a deadline", r.HumanReview)
	}
}

func TestMarkdownOfFilesStaysText(t *testing.T) {
	s := newCaseFiles().add("a|b<c>.md", "Rent is due. See [here](https://example.org/x) and ![x](y) <script> | *all* of [Party 1] on May 1, 2025.")
	for _, prompt := range []string{"rent due here", "Build a chronology", "Summarise the files"} {
		r, _ := do(t, task(api.CaseReq, prompt), s)
		for _, bad := range []string{"](", "<script>", "a|b<c>"} {
			if strings.Contains(r.Text, bad) {
				t.Errorf("%s: the text holds %q:\n%s", prompt, bad, r.Text)
			}
		}
		if !strings.Contains(r.Text, "[Party 1]") {
			t.Errorf("%s: the label is lost:\n%s", prompt, r.Text)
		}
	}
}

// cleared stands in a file because a person has cleared it; what a run says passes the gate as ever.
const cleared = "[Party 1] owes $500 since May 1, 2025 and is to be asked with account\n\n45127 about it."

// TestWithheld has a passage that may not be quoted: no kind of answer shows it, and none hides that it is there.
func TestWithheld(t *testing.T) {
	s := newCaseFiles().add(
		"Document 1.txt",
		cleared,
	).add(
		"Document 2.txt",
		"[Party 2] owes nothing and asked for nothing.",
	).
		add(
			"Document 3.txt",
			"Ring the bank with account number 45127123 today.",
		)
	for _, p := range []string{"owes asked", "List the parties", "List the amounts", "Build a chronology", "Summarise the files"} {
		r, _ := do(t, task(api.CaseReq, p), s)
		if bad := dirty(r); len(bad) > 0 {
			t.Errorf("%s: the gate would hold back %q", p, bad)
		}
	}

	for _, tc := range []struct{ prompt, first string }{
		{"owes asked", "Of 1 passage only a part is quoted: the words that fit best, put on one line, could be read as an identity."},
		{"ring the bank", "1 passage that matches was found and is held back, because its words, put on one line, could be read as an identity"},
		{"zebra", "No passage of 3 readable files matches"},
		{"owes zebra", "No file has these words of the question, or others for them: zebra."},
	} {
		r, _ := do(t, task(api.CaseReq, tc.prompt), s)
		first, _, _ := strings.Cut(r.Text, "\n")
		if !strings.Contains(first, wording.Capital(tc.first)) {
			t.Errorf("%s: the answer begins %q, want %q", tc.prompt, first, tc.first)
		}
		named := strings.Contains(r.Text, "- Document 3.txt: the words were taken for")
		if strings.Contains(tc.first, "held back") && !named {
			t.Errorf("%s: the place is not named:\n%s", tc.prompt, r.Text)
		}
	}
}

// TestClearedWordsAreQuoted has a person say that a number is nobody's: answers quote the passage like any other. What
// was cleared says nothing of other words. What the run writes into the timeline and into drafts is judged likewise.
func TestClearedWordsAreQuoted(t *testing.T) {
	s := newCaseFiles().add("Document 1.txt", "Ring the bank with account number 45127123 today.").
		add("Document 2.txt", "The courier has account number 88120045 with the carrier.")
	s.cleared = []string{"45127123"}

	for prompt, want := range map[string]struct{ shown, hidden string }{
		"ring the bank": {"45127123", "88120045"},
		"the courier":   {"", "88120045"},
	} {
		r, _ := do(t, task(api.CaseReq, prompt), s)
		if !strings.Contains(r.Text, want.shown) || strings.Contains(r.Text, want.hidden) {
			t.Errorf("%s: the answer is to show %q and to hide %q:\n%s", prompt, want.shown, want.hidden, r.Text)
		}
	}

	gate := legal.Clearing(guard.New(), s)
	for _, tc := range []struct {
		channel guard.Channel
		found   int
	}{
		{guard.Event, 0},
		{guard.ModelIn, 0},
		{guard.ModelOut, 0},
		{guard.Title, 0},
		{guard.FileText, 0},
	} {
		if n := len(gate.Check(t.Context(), tc.channel, "the account number 45127123")); n != tc.found {
			t.Errorf("%v: %d findings, want %d", tc.channel, n, tc.found)
		}
		if n := len(gate.Check(t.Context(), tc.channel, "the account number 88120045")); n != 1 {
			t.Errorf("%v: %d findings of what nobody cleared, want 1", tc.channel, n)
		}
	}
}

// TestLabelsHideNothing wants a question with a label to find what the question without it finds.
func TestLabelsHideNothing(t *testing.T) {
	s := samples(t)["all"]
	for _, q := range []string{
		"What late charge does %s pay?", "When does the term of %s begin?", "What did %s agree about the security deposit?", "Which commissions are owed to %s?",
		"Did %s get written notice?", "governing law %s", "%s insurance",
	} {
		bare, _ := do(t, task(api.CaseReq, strings.Join(strings.Fields(strings.ReplaceAll(q, "%s", "")), " ")), s)

		for _, label := range []string{"[Party 1]", "[Party 2]", "[Party 11]", "[Company 4]"} {
			with, _ := do(t, task(api.CaseReq, fmt.Sprintf(q, label)), s)
			for i, c := range bare.Citations[:min(len(bare.Citations), 3)] {
				if !slices.ContainsFunc(with.Citations, func(o api.Citation) bool {
					return overlap(c.Source, o.Source) || i > 0 && c.Source.FileID == o.Source.FileID
				}) {
					t.Errorf("%q with %s loses the passage %q", q, label, c.Source.Quote)
				}
			}
		}
	}
}

// overlap reports whether two sources have words in common.
func overlap(a, b api.SourceRef) bool {
	return a.FileID == b.FileID && a.CharStart < b.CharEnd && b.CharStart < a.CharEnd
}

func TestRefusals(t *testing.T) {
	for _, tc := range []struct{ requestType, prompt, action string }{
		{api.CaseReq, "E-mail the client", intent.Contact},
		{api.CaseReq, "Please file the answer with the court", intent.FileWithCourt},
		{api.CaseReq, "Serve the summons on [Party 2]", intent.Serve},
		{api.CaseReq, "Sign the lease", intent.Sign},
		{api.CaseReq, "Reveal the name of [Party 1]", intent.Reveal},
		{api.CaseReq, "Export the letter with real names", intent.ExportNamed},
		{api.EvalReq, "Evaluate the case and e-mail the client", intent.Contact},
		{api.SupportReq, "Tell me the real name of [Party 1]", intent.Reveal},
	} {
		t.Run(tc.prompt, func(t *testing.T) {
			r, _ := do(t, task(tc.requestType, tc.prompt), samples(t)["all"])
			if r.Kind != api.KindRefusal || r.Refusal == nil || r.Refusal.DeepLink != links(tc.action) || r.Refusal.Reason == "" {
				t.Errorf("kind %s, refusal %+v; want one that links to %s", r.Kind, r.Refusal, tc.action)
			}
		})
	}

	for _, prompt := range []string{"When must the answer be filed?", "Was [Party 1] served?"} {
		if r, _ := do(t, task(api.CaseReq, prompt), samples(t)["all"]); r.Kind == api.KindRefusal {
			t.Errorf("%q gives a response of kind %s", prompt, r.Kind)
		}
	}
}

// TestSuggestionsAreUnderstood wants every prompt that an answer suggests to be one that the engine understands.
func TestSuggestionsAreUnderstood(t *testing.T) {
	for _, p := range prompts() {
		r, _ := do(t, task(api.CaseReq, p), samples(t)["all"])
		for _, s := range r.SuggestedNext {
			next, _ := do(t, task(s.RequestType, s.Prompt), samples(t)["all"])
			if next.Kind == api.KindRefusal || strings.Contains(next.Text, "This release does not") || s.RequestType == api.CaseReq && intent.Read(s.Prompt).Best == intent.Find {
				t.Errorf("%q suggests %q, which gives a %s", p, s.Prompt, next.Kind)
			}
		}
	}
	r, _ := do(t, task(api.CaseReq, "List the deadlines and the parties"), samples(t)["all"])
	if len(r.SuggestedNext) == 0 || r.SuggestedNext[0].Prompt != "List the parties" {
		t.Errorf("suggestions %+v, want the second reading first", r.SuggestedNext)
	}
}

func TestNamedFiles(t *testing.T) {
	s := samples(t)["all"]
	one := task(api.CaseReq, "List the parties")
	one.FileIDs = []string{s.files[1].FileID}
	if r, _ := do(t, one, s); strings.Contains(r.Text, "[Company 1]") || !strings.Contains(r.Text, "1 file was read") {
		t.Errorf("the answer goes beyond the named file:\n%s", r.Text)
	}

	for _, tc := range []struct{ name, prompt, id string }{
		{"a scan, list", "List the parties", s.files[3].FileID}, {"a scan, search", "rent", s.files[3].FileID}, {"another case's file", "rent", "00000000-0000-7000-8000-999999999999"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			bad := task(api.CaseReq, tc.prompt)
			bad.FileIDs = []string{s.files[0].FileID, tc.id}
			_, err := answers.NewEngine(guard.New()).Do(t.Context(), bad, s, &diary{})
			if !errors.Is(err, legal.ErrFileUnreadable) || !strings.Contains(err.Error(), tc.id) {
				t.Errorf("Do = %v, want file_unreadable with the id", err)
			}
		})
	}
}

func TestFileGoneWhileReading(t *testing.T) {
	s := samples(t)["all"]
	s.gone[s.files[1].FileID] = true
	r, _ := do(t, task(api.CaseReq, "List the parties"), s)
	if !strings.Contains(r.Text, "3 files were read; 2 files could not be read (Scan 1.pdf, Document 2.txt)") {
		t.Errorf("text does not tell of the lost file:\n%s", r.Text)
	}
}

// broken fails in one of its three ways.
type broken struct {
	*caseFiles
	files, text, search error
}

func (b broken) Files(ctx context.Context) ([]api.File, error) {
	if b.files != nil {
		return nil, b.files
	}

	return b.caseFiles.Files(ctx)
}

func (b broken) Texts(ctx context.Context, ids []string) ([]api.FileText, int, error) {
	return legal.OneByOne(ctx, b, ids)
}

func (b broken) Text(ctx context.Context, id string) (api.FileText, error) {
	if b.text != nil {
		return api.FileText{}, b.text
	}

	return b.caseFiles.Text(ctx, id)
}

func (b broken) Search(ctx context.Context, q string, ids []string, n int) (api.SearchResult, error) {
	if b.search != nil {
		return api.SearchResult{}, b.search
	}

	return b.caseFiles.Search(ctx, q, ids, n)
}

func TestFailuresOfSources(t *testing.T) {
	failure := errors.New("the store is away")
	for _, tc := range []struct {
		name, prompt string
		sources      broken
	}{
		{"listing", "List the parties", broken{files: failure}},
		{"reading", "List the parties", broken{text: failure}},
		{"searching", "rent", broken{search: failure}},
		{"listing for an evaluation", "", broken{files: failure}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.sources.caseFiles = samples(t)["all"]
			tk := task(api.CaseReq, tc.prompt)
			if tc.prompt == "" {
				tk = task(api.EvalReq, "Evaluate")
			}
			d := &diary{}
			if _, err := answers.NewEngine(guard.New()).Do(t.Context(), tk, tc.sources, d); !errors.Is(err, failure) {
				t.Errorf("Do = %v, want the failure", err)
			}
			if d.open != 0 {
				t.Errorf("%d tools never end: %q", d.open, d.entries)
			}
		})
	}
}

func TestCancelledBetweenFiles(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())

	s := newCaseFiles()
	for i := range 20 {
		s.add(fmt.Sprintf("Document %d.txt", i+1), "[Party 1] of May 1, 2025")
	}
	reads := 0
	s.read = func(string) {
		if reads++; reads == 3 {
			cancel()
		}
	}
	_, err := answers.NewEngine(guard.New()).Do(ctx, task(api.EvalReq, "Evaluate"), s, &diary{})
	if !errors.Is(err, context.Canceled) || reads != 3 {
		t.Errorf("Do = %v after %d reads, want canceled after 3", err, reads)
	}
	_, err = answers.NewEngine(guard.New()).Do(ctx, task(api.CaseReq, "Help"), s, &diary{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("Do = %v on an ended context", err)
	}
}

func TestManyFilesMakeFewUpdates(t *testing.T) {
	s := newCaseFiles()
	for i := range 500 {
		s.add(fmt.Sprintf("Document %d.txt", i+1), "[Party 1] paid $5 on May 1, 2025.")
	}
	_, d := do(t, task(api.EvalReq, "Evaluate"), s)
	if d.working < 10 || d.working > 50 || len(d.entries) > 100 {
		t.Errorf("%d updates in %d reports for 500 files", d.working, len(d.entries))
	}
}

func TestOtherLanguages(t *testing.T) {
	tk := task(api.CaseReq, "Help")
	tk.Language = "de-CH"
	if r, _ := do(t, tk, newCaseFiles()); !strings.Contains(strings.Join(r.Limits, " "), "English only") {
		t.Errorf("limits %q do not tell the language", r.Limits)
	}
}

// TestAQuestionOfLawIsNotAnswered wants the passages of a question of law to come with the word that they are no law.
func TestAQuestionOfLawIsNotAnswered(t *testing.T) {
	r, _ := do(t, task(api.CaseReq, "What is the statute of limitations for breach of contract?"), samples(t)["lease"])
	if !strings.Contains(strings.Join(r.Limits, " "), "what the law is, this answer does not say") {
		t.Errorf("limits %q", r.Limits)
	}
}
