package drafting_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/casereading"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/drafting"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/document"
	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/label"
)

var update = flag.Bool("update", false, "write the golden files anew")

// matter is a case with the files of these names; none means a case without files.
func matter(t testing.TB, side string, names ...string) drafting.Matter {
	t.Helper()
	d := casereading.New(facts.NewReader(), guard.New(), casereading.Keep{Dates: true, Sums: true, Allegations: true})
	m := drafting.Matter{Case: &api.Case{MatterKind: "litigation", Side: side, Status: "open", Jurisdiction: "US-NJ"}, Dossier: d}

	for i, name := range names {
		text, err := os.ReadFile(filepath.Join("..", "answers", "testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		f := api.File{FileID: "00000000-0000-7000-8000-00000000000" + string(rune('1'+i)), Name: "Document " + string(rune('1'+i)) + ".txt", DocType: "unknown", Privilege: "none"}
		if i == 1 {
			f.Privilege, f.DocumentOn = "work_product", "2025-02-03"
		}
		d.Add(t.Context(), f, api.FileText{FileID: f.FileID, TextVersion: 1, Text: string(text)})
		m.Files = append(m.Files, f)
	}

	return m
}

// long is a case whose drafts have more than a hundred footnotes.
func long(t testing.TB) drafting.Matter {
	t.Helper()
	var b strings.Builder
	b.WriteString("UNITED STATES DISTRICT COURT\n\n[Party 1], Plaintiff,\nv.\n[Party 2], Defendant.\n\nCOMPLAINT\n\n")

	for i := range 140 {
		day := time.Date(2023, 1, 1+3*i, 0, 0, 0, 0, time.UTC).Format("January 2, 2006")
		fmt.Fprintf(&b, "%d. On %s [Party 2] paid $%d to [Party 1] under 29 U.S.C. § %d.\n\n", i+1, day, 500+i, 2601+i)
	}
	m := matter(t, "respondent")
	f := api.File{FileID: "f", Name: "Complaint_[Docket 1].txt", Privilege: "none"}
	m.Dossier.Add(t.Context(), f, api.FileText{FileID: "f", TextVersion: 1, Text: b.String()})
	m.Files = []api.File{f}

	return m
}

func matters(t testing.TB) map[string]drafting.Matter {
	to := matter(t, "claimant", "complaint.txt", "lease.txt", "notice.md")
	to.To = "[Party 2]"
	unquoted := matter(t, "respondent", "complaint.txt")
	unquoted.Unquoted = true

	return map[string]drafting.Matter{
		"long": long(t), "nothing": matter(t, ""), "complaint": matter(t, "respondent", "complaint.txt"), "lease": matter(t, "neutral", "lease.txt"), "all": to, "unquoted": unquoted,
	}
}

func fill(t testing.TB, s drafting.Skeleton, m drafting.Matter) drafting.Draft {
	t.Helper()
	d, err := s.Fill(m)
	if err != nil {
		t.Fatalf("Fill: %v", err)
	}

	return d
}

var bracket = regexp.MustCompile(`\[[^\]]*\]`)

// TestEveryDraftKeepsTheRules wants of every skeleton on every matter: nothing that the gate would hold back, in either form; only labels, the mark
// of a missing source and footnotes in brackets; placeholders in camelCase, all of them listed; a header; and the Word file to read the same.
func TestEveryDraftKeepsTheRules(t *testing.T) {
	t.Parallel()

	for name, m := range matters(t) {
		for _, s := range drafting.NewTemplates().All() {
			t.Run(name+"/"+s.Name, func(t *testing.T) {
				d := fill(t, s, m)

				md := d.Document.Markdown()
				for _, f := range guard.New().Check(t.Context(), guard.FileText, md) {
					t.Errorf("the gate would hold back %q: %s", md[max(0, f.Start-60):f.End], f.Why)
				}
				if !strings.Contains(md, drafting.Header) || strings.ContainsAny(md, "\x01\x02\x03\x04\x05") || strings.Contains(md, "<no value>") || strings.Contains(md, "%!") {
					t.Errorf("Markdown is not as it should be:\n%s", md)
				}

				for _, b := range bracket.FindAllString(md, -1) {
					if b != drafting.NeedsSource && b[1] != '^' && !label.Valid(b) {
						t.Errorf("bracket %s", b)
					}
				}

				for _, p := range regexp.MustCompile(`\{+[^}]*\}+`).FindAllString(md, -1) {
					if !slices.Contains(d.Placeholders, p) {
						t.Errorf("placeholder %s is not listed in %q", p, d.Placeholders)
					}
				}
				if strings.Count(md, drafting.NeedsSource) != d.Unsourced {
					t.Errorf("%d places need a source, %d are counted", strings.Count(md, drafting.NeedsSource), d.Unsourced)
				}
				if len(d.Sources) == 0 && name != "nothing" && name != "lease" {
					t.Error("no source")
				}
				readsBack(t, d.Document)
			})
		}
	}
}

// readsBack wants the Word file to hold the words of the document, as the reader of uploads reads them, and nothing that the gate stops at.
func readsBack(t *testing.T, d document.Document) {
	t.Helper()
	file, err := d.DOCX()
	if err != nil {
		t.Fatalf("DOCX: %v", err)
	}
	doc, err := extract.Extract(context.Background(), strings.NewReader(string(file)), int64(len(file)), "application/vnd.openxmlformats-officedocument.wordprocessingml.document", extract.DefaultLimits())
	if err != nil || !doc.Status.Readable() {
		t.Fatalf("Extract = %s, %v", doc.Status, err)
	}
	if got, want := strings.Join(strings.Fields(doc.Text), " "), strings.Join(strings.Fields(d.Text()), " "); got != want {
		t.Errorf("the Word file reads %q, want %q", got, want)
	}

	for _, p := range doc.Parts {
		door := guard.FileMeta
		if p.Kind == extract.Body {
			door = guard.FileText
		}

		for _, f := range guard.New().Check(t.Context(), door, p.Text) {
			t.Errorf("the gate would hold back %q of %s: %s", p.Text[max(0, f.Start-60):f.End], p.Path, f.Why)
		}
	}
}

func TestTheSameMatterGivesTheSameBytes(t *testing.T) {
	t.Parallel()
	one, another := matters(t)["all"], matters(t)["all"] // the same files, each read once more

	for _, s := range drafting.NewTemplates().All() {
		first, second := fill(t, s, one), fill(t, s, another)
		a, err := first.Document.DOCX()
		if err != nil {
			t.Fatal(err)
		}
		b, _ := second.Document.DOCX()
		if string(a) != string(b) || first.Document.Markdown() != second.Document.Markdown() {
			t.Errorf("%s differs from itself", s.Name)
		}
	}
}

// TestGolden holds two drafts against their golden files; -update writes them anew.
func TestGolden(t *testing.T) {
	t.Parallel()

	for _, s := range drafting.NewTemplates().All() {
		if s.Name != "answer-draft" && s.Name != "interrogatories-draft" {
			continue
		}
		m := matters(t)["complaint"]
		if s.Name == "interrogatories-draft" {
			m = matters(t)["all"]
		}
		path := filepath.Join("testdata", s.Name+".golden.md")
		got := fill(t, s, m).Document.Markdown()
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got != string(want) {
			t.Errorf("%s is not as its golden file has it; go test -update writes it anew. Got:\n%s", s.Name, got)
		}
	}
}

// TestSourcesAreWordForWord wants every source of every draft to be what stands at its place.
func TestSourcesAreWordForWord(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join("..", "answers", "testdata", "complaint.txt"))
	if err != nil {
		t.Fatal(err)
	}
	runes, m := []rune(string(text)), matters(t)["complaint"]

	for _, s := range drafting.NewTemplates().All() {
		d := fill(t, s, m)
		for _, source := range d.Sources {
			if got := facts.Fold(string(runes[source.CharStart:source.CharEnd])); got != source.Quote {
				t.Errorf("%s quotes %q, there stands %q", s.Name, source.Quote, got)
			}
		}
	}
}

// TestGivenWordsCannotBecomeForm wants what a file says to stay words: no heading, no placeholder, no footnote, no cell of a table.
func TestGivenWordsCannotBecomeForm(t *testing.T) {
	t.Parallel()
	d := casereading.New(facts.NewReader(), guard.New(), casereading.Keep{Dates: true, Sums: true, Allegations: true})
	hostile := "COMPLAINT\n\n1. On March 4, 2024 | {{fake}} **bold** [^9] \x02\x04 [NEEDS SOURCE] <<.Us>> | was said.\n"
	d.Add(t.Context(), api.File{FileID: "f", Name: "a|b.txt"}, api.FileText{FileID: "f", TextVersion: 1, Text: hostile})

	for _, s := range drafting.NewTemplates().All() {
		draft := fill(t, s, drafting.Matter{Dossier: d})
		if slices.Contains(draft.Placeholders, "{{fake}}") {
			t.Errorf("%s takes a file's words for a placeholder", s.Name)
		}
		if md := draft.Document.Markdown(); strings.Contains(md, "**bold**") || strings.Contains(md, "[^9]") && !strings.Contains(md, `\[^9]`) {
			t.Errorf("%s: a file's words are form:\n%s", s.Name, md)
		}
	}
}

func TestChoose(t *testing.T) {
	t.Parallel()
	templates := drafting.NewTemplates()

	for _, tc := range []struct{ prompt, best, others, docType, to string }{
		{"Draft an answer", "answer-draft", "", "answer", ""},
		{"Draft an answer to the complaint", "answer-draft", "", "answer", ""},
		{"Write a litigation hold letter", "litigation-hold-draft", "", "litigation_hold", ""},
		{"Prepare first interrogatories to [Party 2]", "interrogatories-draft", "", "interrogatories", "[Party 2]"},
		{"Draft a motion to dismiss the complaint", "motion-draft", "complaint-draft", "motion_dismiss", ""},
		{"Draft a motion for summary judgment against [Company 1]", "motion-draft", "", "summary_judgment_motion", "[Company 1]"},
		{"Draft a motion with memorandum", "motion-draft", "", "other", ""},
		{"Draft requests for production and requests for admission", "requests-for-production-draft", "requests-for-admission-draft", "rfp", ""},
		{"Draft a chronology memo", "chronology-draft", "", "chronology", ""},
		{"Draft a case assessment memo", "case-assessment-draft", "", "other", ""},
		{"Draft a demand letter to [Party 2]", "demand-letter-draft", "", "demand_letter", "[Party 2]"},
		{"Draft a client status letter", "status-letter-draft", "", "other", ""},
		{"Draft a settlement agreement", "settlement-agreement-draft", "", "draft_agreement", ""},
		{"Draft an NDA issue list", "nda-issues-draft", "", "other", ""},
		{"Draft a set of interrogatories", "interrogatories-draft", "", "interrogatories", ""},
		{"Draft a first set of requests for production to [Party 2]", "requests-for-production-draft", "", "rfp", "[Party 2]"},
		{"Prepare a first draft of the answer", "answer-draft", "", "answer", ""},
		{"Draft an opposition to the first set of interrogatories", "", "interrogatories-draft", "", ""},
		{"Draft a letter to the client about the status", "status-letter-draft", "", "other", ""},
		{"Draft a privilege log", "privilege-log-draft", "", "privilege_log", ""},
		{"Draft the complaint", "complaint-draft", "", "complaint", ""},
		{"Draft an opposition to the demand letter", "", "demand-letter-draft", "", ""},
		{"Draft something", "", "", "", ""},
		{"Draft a will", "", "", "", ""},
	} {
		t.Run(tc.prompt, func(t *testing.T) {
			c := templates.Choose(tc.prompt)

			var others []string
			for _, o := range c.Others {
				others = append(others, o.Name)
			}
			if c.Best.Name != tc.best || c.Named != (tc.best != "") || strings.Join(others, " ") != tc.others || c.Best.DocType != tc.docType || c.To != tc.to {
				t.Errorf("Choose = %s %s, others %q, to %s", c.Best.Name, c.Best.DocType, others, c.To)
			}
		})
	}
}

// TestSentencesReadAsWritten wants facts with the word that their date takes, and one stop at the end of a sentence.
func TestSentencesReadAsWritten(t *testing.T) {
	t.Parallel()
	d := casereading.New(facts.NewReader(), guard.New(), casereading.Keep{Dates: true, Sums: true})
	d.Add(t.Context(), api.File{FileID: "f", Name: "Notes.txt"}, api.FileText{
		FileID: "f", TextVersion: 1,
		Text: "In January 2022, [Party 1] asked for the keys.\n\nOn May 5, 2023, [Party 2] sold them;\n\nthe rest is lost.\n",
	})

	for prompt, want := range map[string][]string{
		"Draft a demand letter":     {"In January 2022: “In January 2022, [Party 1] asked for the keys.”[^n.3]\n", "On May 5, 2023: “On May 5, 2023, [Party 2] sold them.”[^n.4]\n"},
		"Draft a complaint":         {"In or about January 2022: “In January 2022, [Party 1] asked for the keys.”[^n.", "On or about May 5, 2023: “"},
		"Draft a motion to dismiss": {"In January 2022: “In January 2022, [Party 1] asked for the keys.”[^n."},
	} {
		md := fill(t, drafting.NewTemplates().Choose(prompt).Best, drafting.Matter{Dossier: d}).Document.Markdown()
		for _, w := range want {
			if !strings.Contains(md, w) {
				t.Errorf("%s lacks %q:\n%s", prompt, w, md)
			}
		}
	}
}

// TestFactsHaveHappened leaves out of the facts of a motion the days that were vacated or moved and those to come.
func TestFactsHaveHappened(t *testing.T) {
	t.Parallel()
	d := casereading.New(facts.NewReader(), guard.New(), casereading.Keep{Dates: true, Events: true})
	d.Add(t.Context(), api.File{FileID: "f", Name: "Order.txt"}, api.FileText{
		FileID: "f", TextVersion: 1,
		Text: "SCHEDULING ORDER\n\nOn May 4, 2026, [Party 1] served its requests.\n\n" +
			"The hearing set for October 5, 2026 is vacated.\n\n" +
			"On October 5, 2026, [Party 2] destroyed the server logs.\n\nDiscovery closes on February 1, 2027.\n\n" +
			"The hearing will be held on January 12, 2027 at 9:00 a.m.\n",
	})

	for _, tc := range []struct {
		name      string
		today     time.Time
		has, lack []string
	}{
		{
			"before the hearing", time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC),
			[]string{"On May 4, 2026", "destroyed the server logs"},
			[]string{"The hearing set for October 5", "On February 1, 2027", "On January 12, 2027"},
		},
		{
			"on its eve in a western zone", time.Date(2027, 1, 11, 22, 0, 0, 0, time.FixedZone("", -8*60*60)),
			[]string{"On May 4, 2026", "destroyed the server logs"},
			[]string{"On February 1, 2027", "On January 12, 2027"},
		},
		{
			"after the hearing", time.Date(2027, 1, 20, 0, 0, 0, 0, time.UTC),
			[]string{"On May 4, 2026", "destroyed the server logs", "On January 12, 2027"},
			[]string{"The hearing set for October 5", "On February 1, 2027"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			best := drafting.NewTemplates().Choose("Draft a motion to compel").Best
			md := fill(t, best, drafting.Matter{Dossier: d, Today: tc.today}).Document.Markdown()
			_, md, _ = strings.Cut(md, "Statement of facts")
			md, _, _ = strings.Cut(md, "Procedural history")

			for _, w := range tc.has {
				if !strings.Contains(md, w) {
					t.Errorf("no %q in\n%s", w, md)
				}
			}

			for _, w := range tc.lack {
				if strings.Contains(md, w) {
					t.Errorf("%q in\n%s", w, md)
				}
			}
		})
	}
}

// TestEveryPromptChoosesItsSkeleton wants the prompt that a skeleton is offered by to lead to it alone.
func TestEveryPromptChoosesItsSkeleton(t *testing.T) {
	t.Parallel()
	templates := drafting.NewTemplates()
	if n := len(templates.All()); n != 14 {
		t.Errorf("%d skeletons, want 14", n)
	}

	for _, s := range templates.All() {
		if c := templates.Choose(s.Prompt); c.Best.Name != s.Name || len(c.Others) > 0 {
			t.Errorf("%q chooses %s and %d others", s.Prompt, c.Best.Name, len(c.Others))
		}
	}
}

func TestSidesFollowThePromptAndTheCase(t *testing.T) {
	t.Parallel()
	templates := drafting.NewTemplates()

	for _, tc := range []struct{ name, side, to, want string }{
		{"claimant", "claimant", "", "| Propounding party | [Party 1] |"},
		{"respondent", "respondent", "", "| Responding party | [Party 1] |"},
		{"to a defendant", "neutral", "[Party 2]", "| Propounding party | [Party 1] |"},
		{"to the plaintiff", "neutral", "[Party 1]", "| Propounding party | [Company 1] and [Party 2] |"},
		{"unknown", "neutral", "", "| Propounding party | {{clientLabel}} |"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			m := matter(t, tc.side, "complaint.txt")
			m.To = tc.to
			c := templates.Choose("Prepare interrogatories")
			if md := fill(t, c.Best, m).Document.Markdown(); !strings.Contains(md, tc.want) {
				t.Errorf("no %q in\n%s", tc.want, md[:600])
			}
		})
	}
}
