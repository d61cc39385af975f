package modelengine_test

import (
	"context"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/answers"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/model/modeltest"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/guard"
)

const complaint = `COMPLAINT

UNITED STATES DISTRICT COURT

[Party 1], Plaintiff, v. [Party 2], Defendant.

COUNT I: Breach of contract

1. [Party 2] broke the agreement of January 5, 2026 and has not paid and refuses to pay since.
`

const service = `PROOF OF SERVICE

[Party 2] was served with the summons and complaint on January 12, 2026.
`

// What the rules compute the model may state, with the numbers by which this run cites; what it computes itself it may not.
func TestRulesWorkForTheModel(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct{ tool, want string }{
		{"compute_deadline", "2026-02-02"}, {"build_chronology", "2026-01-12"}, {"element_matrix", "Breach of contract"},
	} {
		t.Run(tc.tool, func(t *testing.T) {
			var given string
			e, _ := engine(t, func(n int, r modeltest.Request) modeltest.Turn {
				switch n {
				case 1:
					return calls("search_passages", `{"query":"agreement served"}`)
				case 2:
					return calls(tc.tool, `{}`)
				case 3:
					given = r.Messages[len(r.Messages)-1].Text
					number := regexp.MustCompile(`<<passage (\d+) \|`).FindStringSubmatch(given)
					if number == nil {
						t.Errorf("no source in %q", given)
						return says(goodAnswer)
					}

					return says("[Party 2] was served on January 12, 2026 [2]. The answer is due on February 2, 2026 [" + number[1] + "].")
				}

				return says("[Party 2] was served on January 12, 2026 [2]. The answer is due on February 2, 2026 [1].")
			})
			tk, work, notes := question("What does the complaint say about the agreement?"), &untouched{}, &notebook{}
			tk.Now = tk.Now.AddDate(0, 0, 20)
			tk.Work, tk.Container.Case.Forum = work, &api.Forum{System: "federal"}
			r, err := e.Do(t.Context(), tk, new(cabinet).add("Complaint.txt", complaint).add("Proof.txt", service), notes)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(given, tc.want) || len(work.done) > 0 || notes.open != 0 {
				t.Errorf("the tool gave %q, work %v", given, work.done)
			}
			if computed := tc.tool == "compute_deadline"; strings.Contains(r.Text, "February 2, 2026") != computed {
				t.Errorf("text = %q", r.Text)
			}
		})
	}
}

// TestRulesCompareScoreAndMatchForTheModel wants what the rules find to reach the model, and mistakes in its arguments to come back to it.
func TestRulesCompareScoreAndMatchForTheModel(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct{ tool, arguments, want string }{
		{"compare_files", `{"file":1,"other":2}`, "2026-03-01 → 2026-04-01"},
		{"compare_files", `{"file":1,"other":1}`, "These are the same file"},
		{"compare_files", `{"file":1,"other":9}`, "There is no file of this number"},
		{"evaluate_complexity", `{}`, "rubric 2026.1"},
		{"find_partners", `{}`, "No professional of the directory fits"},
	} {
		t.Run(tc.tool+" "+tc.arguments, func(t *testing.T) {
			var given string
			e, _ := engine(t, func(n int, r modeltest.Request) modeltest.Turn {
				switch n {
				case 1:
					return calls("search_passages", `{"query":"rent"}`)
				case 2:
					return calls(tc.tool, tc.arguments)
				}
				given = r.Messages[len(r.Messages)-1].Text

				return says("The rent is due on the first day [1].")
			})
			tk, work, notes := question("When is the rent due?"), &untouched{}, &notebook{}
			tk.Work = work
			files := new(cabinet).add("Old.txt", "The term begins on March 1, 2026. The rent is due on the first day.\n").add("New.txt", "The term begins on April 1, 2026. The rent is due on the first day.\n")
			if _, err := e.Do(t.Context(), tk, files, notes); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(given, tc.want) || len(work.done) > 0 || notes.open != 0 {
				t.Errorf("the tool gave %q, work %v, %d tools open", given, work.done, notes.open)
			}
		})
	}
}

// TestTheRulesServeSeveralAtOnce has one engine with one list of allowed words at several tasks at once, under the race
// detector: the packages of the rules and of the guard start nothing themselves, and are tested without it.
func TestTheRulesServeSeveralAtOnce(t *testing.T) {
	t.Parallel()
	type tenant struct{}
	var asked sync.Map
	allowed := &guard.AllowList{
		Tenant: func(ctx context.Context) string { return ctx.Value(tenant{}).(string) },
		Read: func(_ context.Context, who string) ([]string, error) {
			asked.Store(who, true)
			return []string{"Zorbanek"}, nil
		},
		Now: time.Now,
	}
	e := answers.NewEngine(allowed.Gate())

	answer := func(who, prompt string) (api.PhaseResponse, error) {
		ctx := context.WithValue(t.Context(), tenant{}, who)
		files := new(cabinet).add("Complaint.txt", complaint).add("Lease.txt", fullLease).
			add("Proof.txt", service+"\nThe server of the papers was Ms Zorbanek, who swore to it on January 12, 2026.\n")

		return e.Do(ctx, question(prompt), files, &notebook{})
	}

	var under sync.WaitGroup

	for _, prompt := range []string{
		"Who served the papers?", aboutRent, "List the deadlines", "Build a chronology", "Draft an answer",
		"Evaluate the case", "List the parties", "Compare Complaint.txt and Lease.txt", "Which elements are missing?",
	} {
		under.Go(func() {
			for _, who := range []string{"tenant-1", "tenant-2"} {
				r, err := answer(who, prompt)
				again, errAgain := answer(who, prompt)

				if diff := cmp.Diff(r, again); diff != "" || err != nil || errAgain != nil || r.Text == "" {
					t.Errorf("%s: %v, %v, the second answer differs: %s", prompt, err, errAgain, diff)
				}
			}
		})
	}
	under.Wait()

	for _, who := range []string{"tenant-1", "tenant-2"} {
		if _, ok := asked.Load(who); !ok {
			t.Errorf("nobody asked for the words of %s", who)
		}
	}
}
