package answers_test

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

func questions(t *testing.T, file string) []question {
	t.Helper()
	b, err := os.ReadFile("testdata/answers/" + file)
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

// papers sorts the papers by their case.
func papers(t *testing.T, file string) map[string]*caseFiles {
	t.Helper()
	b, err := os.ReadFile("testdata/answers/" + file)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*caseFiles{}

	for part := range strings.SplitSeq(string(b), "#### ") {
		head, text, _ := strings.Cut(part, "\n")
		matter, name, ok := strings.Cut(head, "/")
		if !ok {
			continue
		}
		if all[matter] == nil {
			all[matter] = newCaseFiles()
		}
		all[matter].add(name, text)
	}

	return all
}

// misses are the questions that are known to have no good answer, as "set | matter | question".
func misses(t *testing.T) []string {
	t.Helper()
	b, err := os.ReadFile("testdata/answers/misses.txt")
	if err != nil {
		t.Fatal(err)
	}

	return strings.Split(strings.TrimSpace(string(b)), "\n")
}

// TestAnswers asks the questions with gold answers, of each set, and holds the score against its floor: so many right
// in a hundred, and so many of the facts of contracts in the first quotation. Only the questions of misses.txt may go
// without a good answer, and each of them does. make answers prints the score.
func TestAnswers(t *testing.T) {
	known := misses(t)

	for _, set := range []struct {
		name, papers, questions string
		leastPapers             int
		leastQuestions          int
		right, facts            int
	}{
		{"first set", "papers.txt", "questions.txt", 30, 120, 85, 27},
		{"second set", "papers-second.txt", "questions-second.txt", 9, 60, 85, 30},
		{"third set", "papers-third.txt", "questions-third.txt", 6, 40, 85, 9},
		{"fourth set", "papers-fourth.txt", "questions-fourth.txt", 3, 20, 70, 14},
		{"fifth set", "papers-fifth.txt", "questions-fifth.txt", 2, 16, 75, 12},
	} {
		t.Run(set.name, func(t *testing.T) {
			cases := papers(t, set.papers)
			list := questions(t, set.questions)
			n := 0

			for _, s := range cases {
				n += len(s.files)
			}
			if n < set.leastPapers || len(list) < set.leastQuestions {
				t.Fatalf("%d papers and %d questions", n, len(list))
			}
			known = checkMisses(t, set.name, scoreAll(t, cases, list, set.right, set.facts), known)
		})
	}

	for _, miss := range known {
		t.Errorf("misses.txt lists a question that no set asks or that is answered well now: %s", miss)
	}
}

// checkMisses wants every question that a set has no good answer to among the known ones, and returns the others of
// them.
func checkMisses(t *testing.T, set string, missed []question, known []string) []string {
	t.Helper()

	for _, q := range missed {
		line := set + " | " + q.matter + " | " + q.prompt
		at := slices.Index(known, line)
		if at < 0 {
			t.Errorf("this has no good answer, and is not in misses.txt: %s", line)
			continue
		}
		known = slices.Delete(known, at, at+1)
	}

	return known
}

// scoreAll asks the questions of one set, prints its score by class, and returns those without a good answer.
func scoreAll(t *testing.T, cases map[string]*caseFiles, list []question, right, facts int) (missed []question) {
	t.Helper()
	scores, classes := map[string]map[string]int{}, []string{}
	total := map[string]int{}
	silent := 0 // answers that say that no passage matches, where one does

	for _, q := range list {
		tk := asOf("2026-11-24", q.prompt, q.forum, q.jurisdiction)
		r, _ := do(t, tk, cases[q.matter])
		if bad := dirty(r); len(bad) > 0 {
			t.Errorf("%s: the gate would hold back %q", q.prompt, bad)
		}
		checkCitations(t, r, cases[q.matter])
		score := q.score(r)
		if q.deniedAPassage(r) {
			silent++
			t.Logf("no passage: %s/%s %q wants %q", q.matter, q.class, q.prompt, q.gold)
		}
		if scores[q.class] == nil {
			scores[q.class], classes = map[string]int{}, append(classes, q.class)
		}
		scores[q.class][score]++
		total[score]++
		if score != rightAnswer && score != refusedAnswer {
			missed = append(missed, q)
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
	t.Logf("%d say that no passage matches where one does", silent)
	if silent > 0 {
		t.Errorf("%d say that no passage matches where one does", silent)
	}
	if good := total[rightAnswer] + total[refusedAnswer]; good*100 < right*len(list) {
		t.Errorf("%d of %d right or refused with a reason, want %d %%", good, len(list), right)
	}
	if total[wrongAnswer] > 0 {
		t.Errorf("%d wrong", total[wrongAnswer])
	}
	if got := scores["contract"][rightAnswer]; got < facts {
		t.Errorf("%d facts of contracts in the first quotation, want %d", got, facts)
	}

	return missed
}

// deniedAPassage reports whether an answer says that no passage has what was asked, of a question whose gold answer
// stands in one.
func (q question) deniedAPassage(r api.PhaseResponse) bool {
	denied := strings.Contains(r.Text, "No passage of") || strings.Contains(r.Text, "no readable file")
	return denied && !strings.Contains(q.gold, "No passage")
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
