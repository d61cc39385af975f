package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/deploy/internal/cli"
)

// answered is an answer with all that Markdown has.
const answered = "# Deadlines\n\nThe **answer** is due on 2026-03-23 [1], counted from the service in Notice\\_1.md.\n\n" +
	"- first point\n- second point\n\n1. one\n2. two\n\n> Service was made on March 2, 2026.\n\n" +
	"| Sum | Place |\n|--:|---|\n| 500.00 USD | page 2 |\n| 80000.00 USD | page 11 |\n\n```\nverbatim  text\n```\n\n- [ ] reply brief\n"

// withAnswer makes the phase one that waits for a review of that text, with one source.
func (s *service) withAnswer(text string) {
	quoted, err := json.Marshal(text)
	if err != nil {
		s.t.Fatal(err)
	}
	response := `{"kind":"deadlines","text":` + string(quoted) + `,"citations":[{"n":1,"source":{"fileId":"` + fileID + `","textVersion":1,"page":2,"charStart":420,"charEnd":429,"quote":"The lease"}}],"authorities":[],"evaluation":null,` +
		`"questions":[],"suggestedNext":[],"limits":["No language model was used."],"refusal":null,"humanReview":{"required":true,"reasons":["states_deadline"]}}`
	s.answers["GET /v1/phases?phaseId="+phaseID] = strings.Replace(aPhase, `"review":{"required":true,"status":"approved"`, `"response":`+response+`,"review":{"required":true,"status":"pending"`, 1)
	s.answers["GET /v1/workspace/case/"+caseID] = `{"containerType":"case","containerId":"` + caseID + `","container":` + aCase + `,"timeline":{"timelineId":"` + lineID + `","activeBranchId":"` + branchID + `","branches":[]},"recentPhases":[],"parties":[],` +
		`"files":{"items":[],"nextCursor":null},"deadlines":[],"checklist":null,"pendingReviews":[{"phaseId":"` + phaseID + `","reasons":["states_deadline"]}],"partners":[],"permissions":{"canRunAgent":true,"canUpload":true,"canInvite":true,"allowedRequestTypes":["case_req"]},` +
		`"engine":{"mode":"deterministic","modelConfigured":false},"links":{"browser":"https://subrosa.test/c/x"},"unavailable":[]}`
	s.answers["GET /v1/cases/"+caseID+"/files/"+fileID+"/text"] = `{"fileId":"` + fileID + `","textVersion":1,"from":20,"to":440,"total":900,"text":"` + strings.Repeat("x", 399) + ` The lease ends then.","pageStarts":[]}`
}

// typed runs a command at a terminal of that many columns, with answers typed.
func (s *service) typed(width int, answers string, edit func(ctx context.Context, text string) (string, error), args ...string) (code int, out, problems string) {
	s.t.Helper()
	var stdout, stderr bytes.Buffer
	term := terminal(s.folder)
	term.In, term.Out, term.Err, term.Width, term.Edit = strings.NewReader(answers), &stdout, &stderr, width, edit
	code = cli.Run(s.t.Context(), args, term)

	return code, stdout.String(), stderr.String()
}

func TestAnswersAreLaidOutForATerminal(t *testing.T) {
	s := newService(t)
	s.withAnswer(answered)

	_, out, _ := s.typed(60, "", nil, "phase", "show", phaseID)
	for _, want := range []string{
		"Deadlines\n", "The answer is due on 2026-03-23 [1], counted from the\nservice in Notice_1.md.\n", "• first point\n• second point\n", "1. one\n2. two\n", "│ Service was made on March 2, 2026.\n",
		"         Sum  Place\n  500.00 USD  page 2\n80000.00 USD  page 11\n", "    verbatim  text\n", "• [ ] reply brief\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the layout lacks %q:\n%s", want, out)
		}
	}
	if _, out, _ = s.typed(20, "", nil, "phase", "show", phaseID); !strings.Contains(out, "Sum: 500.00 USD\nPlace: page 2\n\nSum: 80000.00 USD\n") {
		t.Errorf("a table that does not fit is shown as\n%s", out)
	}
	if _, out, _ = s.typed(0, "", nil, "phase", "show", phaseID); !strings.Contains(out, strings.TrimRight(answered, "\n")+"\n") {
		t.Errorf("where no terminal is, the Markdown is\n%s", out)
	}
}

func TestSourcesOpenTheirPassage(t *testing.T) {
	s := newService(t)
	s.withAnswer(answered)
	code, out, problems := s.typed(0, "", nil, "source", phaseID, "1")
	if code != 0 || !strings.Contains(out, "[1] file "+fileID+", page 2, characters 420 to 429") || !strings.Contains(out, "x ⟦The lease⟧ ends then.") {
		t.Errorf("code %d, printed %q and %q", code, out, problems)
	}
	if got := s.last().line; got != "GET /v1/cases/"+caseID+"/files/"+fileID+"/text?from=20&to=829" {
		t.Errorf("asked for %s", got)
	}

	for _, number := range []string{"0", "2"} {
		if code, _, problems := s.typed(0, "", nil, "source", phaseID, number); code != 1 || !strings.Contains(problems, "has no source") {
			t.Errorf("source %s: code %d, %q", number, code, problems)
		}
	}
}

func TestReviewWalksTheQueue(t *testing.T) {
	edited := func(_ context.Context, text string) (string, error) {
		return strings.Replace(text, "2026-03-23", "2026-03-24", 1), nil
	}
	for name, tc := range map[string]struct {
		answers string
		edit    func(ctx context.Context, text string) (string, error)
		sent    string // of the last review, "" for none
		says    string
	}{
		"approve":                {"a\n", nil, `{"decision":"approved"}`, "1 approved, 0 amended, 0 rejected, 0 left"},
		"reject":                 {"r\nThe date is another one.\n", nil, `{"decision":"rejected","note":"The date is another one."}`, "0 approved, 0 amended, 1 rejected, 0 left"},
		"amend":                  {"m\n", edited, "2026-03-24", "0 approved, 1 amended, 0 rejected, 0 left"},
		"amend without a change": {"m\ns\n", func(_ context.Context, text string) (string, error) { return text, nil }, "", "nothing was amended"},
		"amend without editor":   {"m\ns\n", nil, "", "set EDITOR"},
		"an editor that fails":   {"m\ns\n", func(context.Context, string) (string, error) { return "", errors.New("the editor ended badly") }, "", "the editor ended badly"},
		"comment, then skip":     {"c\nSee 4.\ns\n", nil, `{"comment":"See 4."}`, "1 left as they are"},
		"open a source":          {"1\nq\n", nil, "", "⟦The lease⟧"},
		"no such source":         {"7\nq\n", nil, "", "has no source [7]"},
		"none of the answers":    {"perhaps\ns\n", nil, "", "not one of the answers"},
		"the person leaves":      {"", nil, "", "1 left as they are"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newService(t)
			s.withAnswer(answered)
			code, out, problems := s.typed(0, tc.answers, tc.edit, "review")
			if code != 0 || !strings.Contains(out+problems, tc.says) || !strings.Contains(out, "1 of 1: Lease dispute") || !strings.Contains(out, "The **answer** is due") {
				t.Errorf("code %d, printed\n%s\nand\n%s\nwant %q", code, out, problems, tc.says)
			}
			sent := ""

			for _, a := range s.asked {
				if a.line == "POST /v1/phases/"+phaseID+"/review" {
					sent = a.body
				}
			}
			if (tc.sent == "") != (sent == "") || !strings.Contains(sent, tc.sent) {
				t.Errorf("sent %q, want %q", sent, tc.sent)
			}
		})
	}
}

// TestADecisionThatDoesNotHoldIsNotCounted has somebody else decide first.
func TestADecisionThatDoesNotHoldIsNotCounted(t *testing.T) {
	s := newService(t)
	s.withAnswer(answered)
	s.answers["POST /v1/phases/"+phaseID+"/review"] = `!409{"error":"already_reviewed","message":"Somebody has decided this already."}`
	code, out, problems := s.typed(0, "a\ns\n", nil, "review")
	if code != 0 || !strings.Contains(problems, "Somebody has decided this already.") || !strings.Contains(out, "0 approved, 0 amended, 0 rejected, 1 left") {
		t.Errorf("code %d, printed\n%s\nand\n%s", code, out, problems)
	}
}

func TestEditorOf(t *testing.T) {
	if cli.EditorOf("  ") != nil {
		t.Error("no program makes an editor")
	}
	got, err := cli.EditorOf("sed -i s/one/two/")(t.Context(), "one\n")
	if err != nil || got != "two\n" {
		t.Errorf("the editor made %q, %v", got, err)
	}
	if _, err := cli.EditorOf("false")(t.Context(), "one\n"); err == nil {
		t.Error("an editor that fails makes a text")
	}
}
