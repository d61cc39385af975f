package answers_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/answers"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/procedure"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// due writes what an answer computes, such as "answer_complaint 2026-03-23".
func due(r api.PhaseResponse) string {
	var list []string

	for _, d := range r.Deadlines {
		if d.Computation != nil {
			list = append(list, d.Computation.RuleID+" "+d.DueOn)
		}
	}

	return strings.Join(list, "; ")
}

const proof = "PROOF OF SERVICE\n\nOn March 2, 2026, I personally served the Summons and Complaint on [Party 2] by leaving them with the manager.\n"

// asOf is a case_req on a day, in a forum ("" for none) and a jurisdiction.
func asOf(day, prompt, system, jurisdiction string) legal.Task {
	tk := task(api.CaseReq, prompt)
	tk.Now, _ = time.Parse(time.DateOnly, day)
	if system != "" {
		tk.Container.Case.Forum = &api.Forum{System: system}
	}
	tk.Container.Case.Jurisdiction = jurisdiction

	return tk
}

// TestComputedDeadlines wants the deadlines of events that files and prompts report, and questions for what they leave open.
func TestComputedDeadlines(t *testing.T) {
	const complaint = "UNITED STATES DISTRICT COURT\nDISTRICT OF OREGON\n\n[Party 1],\nPlaintiff,\nv.\n[Party 2],\nDefendant.\n\nCOMPLAINT\n\nPlaintiff alleges breach.\n"
	for _, tc := range []struct {
		name   string
		files  []string
		task   legal.Task
		want   string
		text   []string // in the text, the questions or the limits
		lacks  []string
		review bool
	}{
		{
			"a proof of service",
			[]string{proof},
			asOf("2026-03-10", "List the deadlines", "federal", "US-OR"), "answer_complaint 2026-03-23; amend_of_course 2026-03-23",
			[]string{"**2026-03-23**, in 13 days: answer the complaint ([Party 2]), Fed. R. Civ. P. 12(a)(1)(A)(i)", "Document 1.txt [1]: “On March 2", "That day is not counted", "21 days later", "no local rule or order changes the period"},
			[]string{"names no forum", "none is computed"},
			true,
		},
		{
			"the question itself", nil, asOf("2026-03-10", "Served on March 2, 2026 by mail: when is the answer due?", "federal", ""), "answer_complaint 2026-03-23; amend_of_course 2026-03-23",
			[]string{"your question, “March 2, 2026”", "Service by mail adds no days to this period (Fed. R. Civ. P. 6(d))", "that of the question", "**Computed besides**"},
			[]string{"[1]"},
			true,
		},
		{
			"a question about discovery", nil, asOf("2026-06-12", "Interrogatories were served by mail on June 11, 2026. When are our answers due?", "federal", ""), "rog_answers 2026-07-16",
			[]string{"3 days more for service by mail"},
			nil, true,
		},
		{
			"a question that names the judgment last", nil, asOf("2026-05-10", "When is the notice of appeal due for a judgment entered on May 4, 2026?", "federal", ""),
			"appeal_civil 2026-06-03; fee_motion 2026-05-18; jmol_renew 2026-06-01; new_trial 2026-06-01; alter_amend 2026-06-01",
			[]string{"30 days later"},
			nil, true,
		},
		{
			"the United States as a party", nil, asOf("2026-05-10", "Judgment against the United States was entered on May 4, 2026. How long do we have to appeal?", "federal", ""),
			"appeal_us_party 2026-07-03; fee_motion 2026-05-18; jmol_renew 2026-06-01; new_trial 2026-06-01; alter_amend 2026-06-01",
			[]string{"At the latest it is 2026-07-06"},
			nil, true,
		},
		{
			"an agency in other words", nil, asOf("2026-03-10", "The Social Security Administration was served with the complaint on March 2, 2026. When is its answer due?", "federal", ""),
			"answer_us 2026-05-01; amend_of_course 2026-03-23", nil,
			[]string{"2026-03-23**, in 13 days: answer"},
			true,
		},
		{
			"an officer in a caption",
			[]string{"UNITED STATES DISTRICT COURT\nDISTRICT OF OREGON\n\n[Party 1], Plaintiff,\nv.\nSecretary of Labor, Defendant.\n\nJUDGMENT\n\nJudgment was entered on March 2, 2026.\n"},
			asOf("2026-03-10", "How long do we have to appeal?", "", ""), "appeal_civil 2026-04-01; appeal_us_party 2026-05-01; fee_motion 2026-03-16; jmol_renew 2026-03-30; new_trial 2026-03-30; alter_amend 2026-03-30", nil, nil, true,
		},
		{
			"supposed only", nil, asOf("2026-03-01", "When is the answer due if [Party 2] was served on March 2, 2026?", "federal", ""), "",
			[]string{"**2026-03-23**, in 22 days", "supposes its events"},
			nil, true,
		},
		{
			"an ambiguous day is asked for",
			[]string{"[Party 2] was served with the summons and complaint on 03/04/2026.\n"},
			asOf("2026-03-10", "List the deadlines", "federal", ""), "",
			[]string{"On which day was the service of the summons and complaint on [Party 2]: 2026-03-04 or 2026-04-03?", "No deadline was computed"},
			[]string{"2026-03-25"},
			false,
		},
		{
			"and not when another file settles it",
			[]string{"[Party 2] was served with the complaint on 03/02/2026.\n", proof},
			asOf("2026-03-10", "List the deadlines", "federal", ""),
			"answer_complaint 2026-03-23; amend_of_course 2026-03-23", nil,
			[]string{"On which day"},
			true,
		},
		{
			"about a day",
			[]string{"[Party 2] was served with the complaint on or about March 2, 2026.\n"},
			asOf("2026-03-10", "List the deadlines", "federal", ""), "",
			[]string{"Was the service of the summons and complaint on [Party 2] on 2026-03-02?"},
			nil, false,
		},
		{
			"a day to come in a file is asked for",
			[]string{proof},
			asOf("2026-03-01", "List the deadlines", "federal", ""), "",
			[]string{"Was the service of the summons and complaint on [Party 2] on 2026-03-02? That day is still to come."},
			nil, false,
		},
		{
			"a day to come in a question is supposed", nil, asOf("2026-03-01", "[Party 2] was served on March 2, 2026. When is the answer due?", "federal", ""), "",
			[]string{"**2026-03-23**, in 22 days", "supposes its events"},
			nil, true,
		},
		{
			"two days for one service",
			[]string{proof, "[Party 2] was served with the summons and complaint on March 5, 2026.\n"},
			asOf("2026-03-10", "List the deadlines", "federal", ""),
			"answer_complaint 2026-03-23; amend_of_course 2026-03-23; answer_complaint 2026-03-26; amend_of_course 2026-03-26",
			[]string{"The texts give 2026-03-02 and 2026-03-05 for the service of the summons and complaint on [Party 2]: which day is right?"},
			nil, true,
		},
		{
			"a certificate of service by mail",
			[]string{"REQUESTS FOR ADMISSION\n\n1. Admit it.\n\nI certify that on March 4, 2026 the foregoing was served on counsel by first-class mail.\n"},
			asOf("2026-03-10", "List the deadlines", "federal", ""), "rfa_answers 2026-04-06", nil, nil, true, // 04-03 is a Friday; three days on is a Monday
		},
		{
			"an amended complaint within the time for the first",
			[]string{proof, "On March 4, 2026 the First Amended Complaint was served on [Party 2] by e-mail.\n"},
			asOf("2026-03-10", "List the deadlines", "federal", ""),
			"answer_complaint 2026-03-23; amend_of_course 2026-03-23; respond_amended 2026-03-23",
			[]string{"runs until Monday, 2026-03-23, which is later and counts"},
			nil, true,
		},
		{
			"the forum is not known",
			[]string{proof},
			asOf("2026-03-10", "List the deadlines", "", ""), "",
			[]string{"whose forum is not on record", "none are built in for this forum"},
			[]string{"2026-03-23", "Fed. R."},
			false,
		},
		{
			"a caption names the court",
			[]string{complaint, proof},
			asOf("2026-03-10", "List the deadlines", "", ""), "answer_complaint 2026-03-23; amend_of_course 2026-03-23",
			[]string{"the court is the one that the caption of Document 1.txt names"},
			[]string{"The case names no forum"},
			true,
		},
		{
			"a state court has the time to remove alone",
			[]string{proof},
			asOf("2026-03-10", "List the deadlines, removal first", "state", "US-OR"), "removal 2026-04-01",
			[]string{"Not built in: the periods of state courts"},
			[]string{"Fed. R. Civ. P. 12"},
			true,
		},
		{
			"no court", []string{proof}, asOf("2026-03-10", "List the deadlines", "arbitration", ""), "", []string{"Not built in: the rules of arbitral institutions"}, nil, false,
		},
		{
			"past days are shown and not proposed",
			[]string{proof},
			asOf("2026-04-10", "List the deadlines", "federal", ""), "",
			[]string{"**2026-03-23**, past: answer the complaint", "2 deadlines that are past were not proposed"},
			nil, true,
		},
		{
			"older than the rules",
			[]string{"[Party 2] was served with the summons and complaint on March 2, 2015.\n"},
			asOf("2026-04-10", "List the deadlines", "federal", ""), "",
			[]string{"1 event before 2016-12-01 gave no deadline"},
			nil, false,
		},
		{
			"nothing says when the complaint was served",
			[]string{complaint},
			asOf("2026-04-10", "List the deadlines", "", ""), "",
			[]string{"On what date, and how, were the summons and complaint served on [Party 2]?", "On what date was the complaint filed?"},
			[]string{"judgment entered"},
			false,
		},
		{
			"what was asked for lacks its event", nil, asOf("2026-04-10", "How long do we have to appeal?", "federal", ""), "", []string{"On what date was the judgment entered?"}, []string{"complaint served"}, false,
		},
		{
			"an answer is on file", []string{complaint, "ANSWER\n\nDefendant denies.\n"}, asOf("2026-04-10", "List the deadlines", "", ""), "", nil, []string{"were the summons and complaint served"}, false,
		},
		{
			"stated days are proposed too",
			[]string{"Pay on or before June 12, 2026.\n\nThe report is due by 05/06/2026.\n\nReply no later than March 1, 2026.\n"},
			asOf("2026-04-10", "List the deadlines", "federal", ""), "",
			[]string{"**2026-06-12**, in 63 days", "1 deadline that is past was not proposed"},
			nil, true,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s, work := newCaseFiles(), newRecord()
			for i, text := range tc.files {
				s.add("Document "+string(rune('1'+i))+".txt", text)
			}
			tc.task.Work = work
			r, d := do(t, tc.task, s)
			if got := due(r); got != tc.want {
				t.Errorf("computed %s\nwant %s", got, tc.want)
			}

			all := r.Text + strings.Join(r.Questions, "\n") + "\n" + strings.Join(r.Limits, "\n")
			for _, w := range tc.text {
				if !strings.Contains(all, w) {
					t.Errorf("lacks %q:\n%s", w, all)
				}
			}

			for _, w := range tc.lacks {
				if strings.Contains(all, w) {
					t.Errorf("holds %q:\n%s", w, all)
				}
			}
			if r.Kind != api.KindDeadlines || r.HumanReview.Required != tc.review || d.open != 0 || len(dirty(r)) > 0 {
				t.Errorf("kind %s, review %+v, %d tools open, %q would be held back", r.Kind, r.HumanReview, d.open, dirty(r))
			}
			if len(work.entries) != len(r.Deadlines) {
				t.Errorf("%d entries in the timeline, %d in the answer", len(work.entries), len(r.Deadlines))
			}
			checkCitations(t, r, s)

			for _, e := range r.Deadlines {
				if e.EntryID == "" || e.Kind != api.EntryDeadline || e.DueOn == "" || e.DueOn < tc.task.Now.Format(time.DateOnly) && !e.When.Ambiguous {
					t.Errorf("proposal %+v", e)
				}

				for _, source := range e.Sources {
					checkSource(t, source, s)
				}
				if c := e.Computation; c != nil && (e.Certainty != "computed" || len(c.Assumptions) == 0 || len(c.Assumptions) > 20 || (c.TriggerSource == nil) != (len(e.Sources) == 0)) {
					t.Errorf("computation %+v of a deadline that is %s", c, e.Certainty)
				}
			}
		})
	}
}

// TestStatedDaysAreProposed wants a time limit as a deadline, a day to appear as a hearing, and both readings of a day that has two.
func TestStatedDaysAreProposed(t *testing.T) {
	tk := asOf("2026-04-10", "List the deadlines", "federal", "")
	tk.Work = newRecord()
	r, _ := do(t, tk, newCaseFiles().add("Order.txt", "Pay on or before June 12, 2026.\n\nA hearing is set for July 1, 2026; the hearing on July 8, 2026 is off.\n\nThe report is due by 05/06/2026.\n\nReply within 10 days after April 8, 2026.\n"))
	var got []string

	for _, p := range slices.Concat(r.Deadlines, r.Entries) {
		if p.EntryID == "" {
			t.Errorf("%q has no id", p.Title)
		}
		got = append(got, strings.TrimSpace(strings.Join([]string{p.Kind, p.When.On, p.When.AlternativeOn, p.DueOn, p.Certainty}, " ")))
	}
	want := []string{
		"deadline 2026-06-12  2026-06-12 explicit", "deadline 2026-05-06 2026-06-05 2026-05-06 explicit", "deadline 2026-04-18  2026-04-18 inferred", "hearing 2026-07-01",
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("proposed\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestRuleFile wants a firm's own rules and days off to be used where they apply, and told where they cannot be.
func TestRuleFile(t *testing.T) {
	file := &api.DeadlineRules{Version: "or-2", Rules: []api.DeadlineRule{
		{RuleID: "or_answer", Jurisdiction: "US-OR", Trigger: "service_complaint", Act: "appear and defend", Citation: "ORCP 7 C", Count: 30, Unit: "days", Direction: "forward"},
		{RuleID: "or_hearing", Jurisdiction: "US-OR", Trigger: "filing of a demurrer", Act: "set a demurrer for hearing", Citation: "Local Rule 3", Count: 10, Unit: "days", Direction: "forward"},
		{RuleID: "or_hours", Jurisdiction: "US-OR", Trigger: "service of the summons and complaint", Act: "object", Citation: "Local Rule 4", Count: 36, Unit: "hours", Direction: "forward"},
		{RuleID: "answer_complaint", Jurisdiction: "US", Trigger: "service_complaint", Act: "answer the complaint", Citation: "Local Rule 9", Count: 10, Unit: "days", Direction: "forward"},
	}, Holidays: []api.HolidayList{{Jurisdiction: "US-OR", Days: []string{"2026-04-01"}}}}

	broken := &api.DeadlineRules{Rules: []api.DeadlineRule{{RuleID: "x", Jurisdiction: "US", Count: 1, Unit: "weeks"}}}
	for _, tc := range []struct {
		name, prompt, system string
		file                 *api.DeadlineRules
		want                 string
		text                 []string
	}{
		{"state", "List the deadlines", "state", file, "or_answer 2026-04-02", []string{"ORCP 7 C", "(holiday of US-OR)", "version or-2", "1 period in hours was not computed"}},
		{
			"state, a trigger that no text is searched for", "List the deadlines. When must we set a demurrer for hearing?", "state", file, "or_answer 2026-04-02",
			[]string{"On what date was this event: filing of a demurrer? From it runs the time to set a demurrer for hearing (Local Rule 3)."},
		},
		{"federal, in place of the built-in rule", "List the deadlines", "federal", file, "answer_complaint 2026-03-12; amend_of_course 2026-03-23", []string{"Local Rule 9"}},
		{"a file that cannot be used", "List the deadlines", "federal", broken, "answer_complaint 2026-03-23; amend_of_course 2026-03-23", []string{"it was left out as a whole"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tk := asOf("2026-03-10", tc.prompt, tc.system, "US-OR")
			tk.Work, tk.Container.DeadlineRules = newRecord(), tc.file
			r, _ := do(t, tk, newCaseFiles().add("Proof.txt", proof))
			if got := due(r); got != tc.want {
				t.Errorf("computed %s\nwant %s", got, tc.want)
			}

			all := r.Text + strings.Join(append(r.Questions, r.Limits...), "\n")
			for _, w := range tc.text {
				if !strings.Contains(all, w) {
					t.Errorf("lacks %q:\n%s", w, all)
				}
			}
		})
	}
}

// TestAQuestionIsAnsweredFirst wants the period that is asked for with its steps, the others in a line each, and what else the files state
// counted only.
func TestAQuestionIsAnsweredFirst(t *testing.T) {
	s := newCaseFiles().add("Proof.txt", proof).add("Lease.txt", "LEASE\n\nRent is due within five days after written notice.\n\nThe Tenant may appeal the bill within ten days after delivery.\n")

	r, _ := do(t, asOf("2026-03-10", "When is the answer due?", "federal", ""), s)
	for _, want := range []string{
		"- **2026-03-23**, in 13 days: answer the complaint ([Party 2]), Fed. R. Civ. P. 12(a)(1)(A)(i)\n  - From: ", "**Computed besides**, without their steps\n\n- **2026-03-23**, in 13 days: amend the complaint once as of course, Fed. R. Civ. P. 15(a)(1)(A) [1]\n",
		"2 entries are not shown here: periods whose first day no file gives",
	} {
		if !strings.Contains(r.Text, want) {
			t.Errorf("lacks %q:\n%s", want, r.Text)
		}
	}
	if strings.Contains(r.Text, "five days") || len(r.Questions) > 0 || strings.Count(r.Text, "Steps:") != 1 {
		t.Errorf("questions %q, text\n%s", r.Questions, r.Text)
	}
	all, _ := do(t, asOf("2026-03-10", "List the deadlines", "federal", ""), s)
	if strings.Count(all.Text, "no local rule or order changes the period") != 1 || !strings.Contains(all.Text, "All of these assume: ") || !strings.Contains(all.Text, "five days") || len(all.Questions) == 0 {
		t.Errorf("questions %q; what all assume is to be said once, and every time limit shown:\n%s", all.Questions, all.Text)
	}
}

// TestAQuestionNamesAllThatItLeavesOut wants the sentence that counts what is not shown to name each kind of it.
func TestAQuestionNamesAllThatItLeavesOut(t *testing.T) {
	for kind, text := range map[string]string{
		"periods whose first day no file gives": "LEASE\n\nRent is due within five days after written notice.\n",
		"that the words tell of as done":        "The survey was received on May 4, 2027.\n",
		"months without a day":                  "The survey shall be delivered in June 2027.\n",
	} {
		s := newCaseFiles().add("Proof.txt", proof).add("Paper.txt", text)
		r, _ := do(t, asOf("2026-03-10", "When is the answer due?", "federal", ""), s)
		_, said, _ := strings.Cut(r.Text, "1 entry is not shown here: ")
		said, _, _ = strings.Cut(said, "\n")

		if !strings.Contains(said, kind) {
			t.Errorf("%q does not name %s:\n%s", said, kind, r.Text)
		}
	}
}

// TestWhoWasServedIsQuestioned wants a question where the one who is said to have been served is the plaintiff of the files.
func TestWhoWasServedIsQuestioned(t *testing.T) {
	s := newCaseFiles().add("Complaint.txt", "UNITED STATES DISTRICT COURT\nDISTRICT OF OREGON\n\n[Party 1],\nPlaintiff,\nv.\n[Party 2],\nDefendant.\n\nCOMPLAINT\n\nPlaintiff alleges breach.\n")
	const question = "The files have [Party 1] as plaintiff: was the complaint served on it, or by it on another party?"

	for label, want := range map[string]bool{"[Party 1]": true, "[Party 2]": false} {
		r, _ := do(t, asOf("2026-03-10", label+" was served by mail on March 2, 2026: when is the answer due?", "", ""), s)
		if slices.Contains(r.Questions, question) != want || !strings.Contains(r.Text, "2026-03-23") {
			t.Errorf("%s: questions %q:\n%s", label, r.Questions, r.Text)
		}
	}
}

// strictSteps refuses texts that count days.
type strictSteps struct{ guard.Gate }

func (g strictSteps) Check(ctx context.Context, door guard.Channel, text string) []guard.Finding {
	if strings.Contains(text, "every day counted") {
		return []guard.Finding{{Kind: "account", End: 1}}
	}

	return g.Gate.Check(ctx, door, text)
}

// TestStepsThatMayNotBeShown wants the day to stand where its steps would be held back.
func TestStepsThatMayNotBeShown(t *testing.T) {
	tk := asOf("2026-03-10", "List the deadlines", "federal", "")
	tk.Work = newRecord()
	s := newCaseFiles().add("Proof.txt", proof)
	r, err := answers.NewEngine(strictSteps{guard.New()}).Do(t.Context(), tk, s, &diary{})
	if err != nil || !strings.Contains(r.Text, "answer the complaint ([Party 2]), Fed. R. Civ. P. 12(a)(1)(A)(i) [1] (the steps are not shown") || strings.Contains(r.Text, "every day") {
		t.Errorf("%v:\n%s", err, r.Text)
	}
	checkCitations(t, r, s)
	if len(r.Deadlines) != 2 || r.Deadlines[0].EntryID == "" || r.Deadlines[0].Detail != "" {
		t.Errorf("proposals %+v", r.Deadlines)
	}
}

// TestEveryTriggerIsFound wants each trigger of the federal table to be an event that texts are searched for.
func TestEveryTriggerIsFound(t *testing.T) {
	sentences := map[string]string{
		"service_complaint": "The complaint was served on March 2, 2026.", "service_us_attorney": "The complaint was served on the United States attorney on March 2, 2026.",
		"waiver_request": "The request to waive service was sent on March 2, 2026.", "complaint_filed": "The complaint was filed on March 2, 2026.",
		"motion_denied": "The motion to dismiss was denied on March 2, 2026.", "service_counterclaim": "The counterclaim was served on March 2, 2026.",
		"service_response": "The answer was served on March 2, 2026.", "service_last_pleading": "The answer was served on March 2, 2026.",
		"service_amended": "The amended complaint was served on March 2, 2026.", "conference_26f": "The Rule 26(f) conference was held on March 2, 2026.",
		"service_interrogatories": "The interrogatories were served on March 2, 2026.", "service_rfp": "The requests for production were served on March 2, 2026.",
		"service_rfa": "The requests for admission were served on March 2, 2026.", "judgment_entered": "Judgment was entered on March 2, 2026.",
		"removal_filed": "The notice of removal was filed on March 2, 2026.", "receipt_complaint": "[Party 2] received the complaint on March 2, 2026.",
	}

	for _, rule := range procedure.FederalRules() {
		system := "federal"
		if rule.Forum != "" {
			system = rule.Forum
		}
		prompt := "List the deadlines, removal too"
		if rule.Government {
			prompt += ", against the United States"
		}
		tk := asOf("2026-03-03", prompt, system, "")
		text := sentences[rule.Trigger]
		if rule.Region == "abroad" {
			text = strings.Replace(text, "sent", "sent to a place outside the United States", 1)
		}
		tk.Work = newRecord()
		r, _ := do(t, tk, newCaseFiles().add("Note.txt", text+"\n"))
		if !slices.ContainsFunc(r.Deadlines, func(p api.Proposal) bool { return p.Computation != nil && p.Computation.RuleID == rule.ID }) {
			t.Errorf("%q gives %q, want %s (%d events)", text, due(r), rule.ID, len(facts.Events(text, facts.Dates(text), "", false)))
		}
	}
}
