package legal_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/api"
)

// Scores of an answer.
const (
	rightAnswer   = "right"
	refusedAnswer = "refused"
	unhelpful     = "unhelpful"
	wrongAnswer   = "wrong"
)

// question is one of the questions with gold answers; see testdata/answers/README.md.
type question struct{ matter, forum, jurisdiction, class, prompt, gold string }

func questions(t *testing.T) []question {
	t.Helper()
	b, err := os.ReadFile("testdata/answers/questions.txt")
	if err != nil {
		t.Fatal(err)
	}
	var list []question

	for line := range strings.Lines(string(b)) {
		f := strings.SplitN(strings.TrimSpace(line), " | ", 6)
		if len(f) != 6 {
			t.Fatalf("a question has six fields: %q", line)
		}
		list = append(list, question{f[0], strings.TrimSuffix(f[1], "none"), f[2], f[3], f[4], f[5]})
	}

	return list
}

// papers puts the papers of each case on a shelf.
func papers(t *testing.T) map[string]*shelf {
	t.Helper()
	b, err := os.ReadFile("testdata/answers/papers.txt")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*shelf{}

	for part := range strings.SplitSeq(string(b), "#### ") {
		head, text, _ := strings.Cut(part, "\n")
		matter, name, ok := strings.Cut(head, "/")
		if !ok {
			continue
		}
		if all[matter] == nil {
			all[matter] = newShelf()
		}
		all[matter].add(name, text)
	}

	return all
}

// TestAnswers asks the questions with gold answers and holds the score against its floor. make answers prints it.
func TestAnswers(t *testing.T) {
	shelves := papers(t)
	scores, classes := map[string]map[string]int{}, []string{}
	total := map[string]int{}
	matters := 0

	for _, s := range shelves {
		matters += len(s.files)
	}
	list := questions(t)
	if matters < 30 || len(list) < 120 {
		t.Fatalf("%d papers and %d questions", matters, len(list))
	}

	for _, q := range list {
		tk := asOf("2026-11-24", q.prompt, q.forum, q.jurisdiction)
		r, _ := do(t, tk, shelves[q.matter])
		if bad := dirty(r); len(bad) > 0 {
			t.Errorf("%s: the gate would hold back %q", q.prompt, bad)
		}
		checkCitations(t, r, shelves[q.matter])
		score := q.score(r)
		if scores[q.class] == nil {
			scores[q.class], classes = map[string]int{}, append(classes, q.class)
		}
		scores[q.class][score]++
		total[score]++
		if score != rightAnswer && score != refusedAnswer {
			t.Logf("%s: %s/%s %q wants %q", score, q.matter, q.class, q.prompt, q.gold)
			if os.Getenv("ANSWERS") != "" {
				t.Logf("%s", r.Text)
			}
		}
	}
	slices.Sort(classes)
	t.Logf("%-12s %6s %8s %10s %6s", "class", "right", "refused", "unhelpful", "wrong")

	for _, c := range append(classes, "all") {
		s := scores[c]
		if c == "all" {
			s = total
		}
		t.Logf("%-12s %6d %8d %10d %6d", c, s[rightAnswer], s[refusedAnswer], s[unhelpful], s[wrongAnswer])
	}
	if good := total[rightAnswer] + total[refusedAnswer]; good*100 < 85*len(list) {
		t.Errorf("%d of %d right or refused with a reason, want 85 %%", good, len(list))
	}
	if total[wrongAnswer] > 0 {
		t.Errorf("%d wrong", total[wrongAnswer])
	}
	if got := scores["contract"][rightAnswer]; got < 27 {
		t.Errorf("%d of 30 facts of contracts in the first quotation, want 27", got)
	}
}

// score holds an answer against the gold one.
func (q question) score(r api.PhaseResponse) string {
	text := r.Text + "\n" + strings.Join(r.Questions, "\n")
	for _, d := range r.Drafts {
		text += fmt.Sprintf("\n%+v", d)
	}
	if q.class == "contract" {
		_, first, _ := strings.Cut(r.Text, "\n> ")
		text, _, _ = strings.Cut(first, "\n")
	}
	text = strings.NewReplacer(`\`, "").Replace(text)

	for part := range strings.SplitSeq(q.gold, " & ") {
		if bad, ok := strings.CutPrefix(part, "!"); ok {
			if strings.Contains(text, bad) {
				return wrongAnswer
			}

			continue
		}
		holds := slices.ContainsFunc(strings.Split(part, " / "), func(w string) bool { return strings.Contains(text, strings.TrimSpace(w)) })
		if !holds {
			if q.class == "none" && r.Kind == api.KindRefusal {
				return refusedAnswer
			}

			return unhelpful
		}
	}

	return rightAnswer
}
