package modelengine

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/answers"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/intent"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/verify"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/model"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/wording"
)

// errUnproved means that nothing of an answer is borne out.
var errUnproved = errors.New("nothing of the model's answer can be borne out")

// talk is one task in the hands of a model.
type talk struct {
	*Engine
	Gate     guard.Gate // that of the engine, with what people have cleared in the case
	box      *toolbox
	report   legal.Report
	tools    []tool
	chat     model.Request
	rounds   int
	calls    int
	tokens   int
	cut      bool // the last draft reached the bound of a reply
	warned   bool // the model was told that it has no more calls
	repaired bool
}

// saying is what a model said to a task, checked: the answer, and what goes into a form where one is asked for.
type saying struct {
	talk     *talk
	checked  verify.Answer
	response api.PhaseResponse
	drafts   bool
}

// ask has the model answer a task, and checks what it says.
func (e *Engine) ask(
	ctx context.Context,
	task legal.Task,
	sources legal.Sources,
	report legal.Report,
) (saying, error) {
	t := &talk{Engine: e, Gate: legal.Clearing(e.Gate, sources), report: report, tools: tools()}

	names := make([]string, len(t.tools))
	for i, tool := range t.tools {
		names[i] = tool.Name
		t.chat.Tools = append(t.chat.Tools, tool.Tool)
	}
	report.Plan("Plan: a language model reads with these tools and answers; each sentence is checked against what "+
		"was read", names...)
	var err error
	// The code of the frame is made with the box, and the instructions have to name it.
	if t.box, err = newToolbox(ctx, task, sources, e.Rules, report, t.Gate); err != nil {
		return saying{}, err
	}
	t.chat.System = fmt.Sprintf(instructions, t.box.code)
	drafts := answers.Asked(task.Prompt).Best == intent.Draft
	if drafts {
		t.chat.System += draftInstructions
	}
	if err := t.begin(ctx, task); err != nil {
		return saying{}, err
	}
	checked, err := t.checked(ctx)
	if err != nil {
		return saying{}, err
	}

	r, err := t.response(ctx, task, checked)

	return saying{talk: t, checked: checked, response: r, drafts: drafts}, err
}

// begin puts the request to the model, with the case in short.
func (t *talk) begin(ctx context.Context, task legal.Task) error {
	// The prompt has passed the gate of prompts. What leaves for a model goes through one of its own.
	if !t.box.clean(ctx, task.Prompt) {
		return legal.ErrModelRefused // by us: it may not be sent on
	}
	text := ""
	if c := card(task.Container, func(s string) bool { return t.box.clean(ctx, s) }); c != "" {
		text = "What is on record about the case:\n" + encloseResult(t.box.code, c) + "\n"
	}
	t.chat.Messages = []model.Message{{Role: model.User, Text: text + "The request:\n" + verify.Shown(task.Prompt)}}

	return nil
}

// Repairs of an answer that a model is given.
const (
	repairs         = 1
	identityRepairs = 2
)

// checked returns an answer whose sentences all passed, or what is left of it after its repairs.
func (t *talk) checked(ctx context.Context) (verify.Answer, error) {
	for round := 0; ; round++ {
		draft, err := t.draft(ctx)
		if err != nil {
			return verify.Answer{}, err
		}
		found, err := t.verified(ctx, draft)
		if err != nil {
			return verify.Answer{}, err
		}
		t.report.Working(
			wording.Counted(found.Sentences, "sentence")+" checked against what was read", found.Sentences,
			found.Sentences,
		)

		switch identity := found.Has(verify.Identity); {
		case len(found.Faults) > 0 && (round < repairs || identity && round < identityRepairs):
			// Identities get one more try than other faults: they withhold the whole answer.
			t.repair(ctx, draft, found)
			continue
		case identity:
			return verify.Answer{}, legal.ErrOutputBlocked
		}
		t.repaired = round > 0
		// What is still faulty is cut out. The rest of the answer is worth having.
		answer := found.Answer()
		if answer.Empty {
			return verify.Answer{}, errUnproved
		}
		// Sentences can say together what none says alone, so what is left goes through the gate again.
		if len(t.Gate.Check(ctx, guard.ModelOut, answer.Text)) > 0 {
			return verify.Answer{}, legal.ErrOutputBlocked
		}

		return answer, nil
	}
}

const listedFaults = 30

// repair tells the model what is wrong with its draft.
func (t *talk) repair(ctx context.Context, draft string, found verify.Report) {
	t.report.Reasoning("The language model mends what could not be borne out")
	var b strings.Builder
	b.WriteString("A program checked your answer. Mend what follows and give the whole answer again, " +
		"without a word about the mending. What you cannot mend, leave out.\n")

	for _, f := range found.Faults[:min(len(found.Faults), listedFaults)] {
		// A fault quotes the answer, which may hold what must not go back.
		if line := f.String(); t.box.clean(ctx, line) {
			b.WriteString("- " + verify.Shown(line) + "\n")
		} else {
			fmt.Fprintf(&b, "- Sentence %d cannot be borne out.\n", f.Sentence)
		}
	}
	t.chat.Messages = append(
		t.chat.Messages, model.Message{Role: model.Assistant, Text: t.withoutIdentities(ctx, draft)},
		model.Message{Role: model.User, Text: b.String()},
	)
}

const leftOut = "(left out)"

// withoutIdentities returns a text of the model in the form in which it may be sent back to it.
func (t *talk) withoutIdentities(ctx context.Context, text string) string {
	found := t.Gate.Check(ctx, guard.ModelOut, text)
	// From the end, so that the places further left stay true.
	for i := len(found) - 1; i >= 0; i-- {
		text = text[:found[i].Start] + leftOut + text[found[i].End:]
	}
	if !t.box.clean(ctx, text) {
		return leftOut
	}

	return text
}

var thinking = regexp.MustCompile(`(?s)^\s*<think>.*?(?:</think>|$)`)

// draft lets the model work with the tools until it answers.
func (t *talk) draft(ctx context.Context) (string, error) {
	for {
		reply, err := t.turn(ctx)
		if err != nil {
			return "", err
		}
		if len(reply.Calls) == 0 {
			text := strings.TrimSpace(thinking.ReplaceAllString(reply.Text, ""))
			// With the code of the frame, whoever reads the answer could forge a part of it.
			text = strings.ReplaceAll(text, t.box.code, leftOut)
			t.cut = reply.Stop == model.Length
			if t.cut {
				// The last sentence is cut off, and half a sentence may say the opposite.
				text = text[:strings.LastIndexAny(text, ".!?]\n")+1]
			}
			if text == "" {
				return "", errUnproved
			}

			return text, nil
		}
		// It was told that there are no more calls, and asks for more instead of answering.
		if t.warned {
			return "", legal.ErrModelBudget
		}
		if err := t.answerCalls(ctx, reply); err != nil {
			return "", err
		}
	}
}

// turn has the model take its turn within the budget.
func (t *talk) turn(ctx context.Context) (model.Reply, error) {
	left := t.Budget.Tokens - t.tokens
	if left <= 0 {
		return model.Reply{}, legal.ErrModelBudget
	}
	if t.rounds == 0 {
		t.report.Reasoning("The language model reads the request")
	} else {
		t.report.Reasoning("The language model weighs what was read")
	}
	t.chat.MaxTokens = min(t.Budget.ReplyTokens, left)
	reply, err := t.Model.Chat(ctx, t.chat, nil)
	if err != nil {
		return reply, failure(err)
	}
	if reply.Usage == (model.Usage{}) {
		// Some local servers count nothing. The budget must hold all the same.
		reply.Usage = t.estimate(reply)
	}
	t.tokens += reply.Usage.Input + reply.Usage.Output
	t.report.Tokens(reply.Usage.Input, reply.Usage.Output)

	return reply, nil
}

const bytesPerToken = 4 // of English, roughly; for providers that do not count

func (t *talk) estimate(reply model.Reply) model.Usage {
	in := len(t.chat.System)
	for _, m := range t.chat.Messages {
		in += len(m.Text)
		for _, r := range m.Results {
			in += len(r.Text)
		}
	}

	out := len(reply.Text)
	for _, c := range reply.Calls {
		out += len(c.Arguments)
	}

	return model.Usage{Input: in / bytesPerToken, Output: out/bytesPerToken + 1}
}

// answerCalls does what the model asks for, one after the other, as far as the budget goes.
func (t *talk) answerCalls(ctx context.Context, reply model.Reply) error {
	t.rounds++
	// What the model said goes back to it, so it passes the gate like all that is sent.
	said := model.Message{
		Role: model.Assistant,
		Text: t.withoutIdentities(ctx, thinking.ReplaceAllString(reply.Text, "")),
	}
	answers := model.Message{Role: model.User}

	for _, call := range reply.Calls {
		t.calls++
		// Nothing that the model made up goes back unread, and an id is free text.
		call.ID = fmt.Sprintf("call_%d", t.calls)

		result := model.Result{CallID: call.ID, Failed: true}
		switch {
		case t.rounds > t.Budget.Rounds || t.calls > t.Budget.Calls:
			t.warned = true
			result.Text = "There are no more calls. Answer now from what you have read."
			call.Arguments = "{}"
		case len(t.Gate.Check(ctx, guard.ModelOut, call.Arguments)) > 0 ||
			len(t.Gate.Check(ctx, guard.ModelOut, call.Name)) > 0:
			result.Text = "The call could identify a real person or organization. Use labels only."
			call.Arguments = "{}"
			t.report.Tool("unknown_tool", "A call that could identify somebody")("refused", "The call was not made")
		default:
			var err error
			if result.Text, result.Failed, err = t.use(ctx, call); err != nil {
				return err
			}
		}
		// An invented name would go back as the model wrote it.
		if !known(t.tools, call.Name) {
			call.Name = "unknown_tool"
		}
		said.Calls = append(said.Calls, call)
		answers.Results = append(answers.Results, result)
	}
	t.chat.Messages = append(t.chat.Messages, said, answers)

	return nil
}

func known(list []tool, name string) bool {
	for _, tool := range list {
		if tool.Name == name {
			return true
		}
	}

	return false
}

// use makes one call. Its error ends the run; what the model did wrong goes back to the model.
func (t *talk) use(ctx context.Context, call model.Call) (text string, failed bool, err error) {
	for _, tool := range t.tools {
		if tool.Name != call.Name {
			continue
		}
		done := t.report.Tool(tool.Name, tool.summary, call.Arguments)
		// The provider may not hold the model to the schema.
		arguments, err := tool.Schema.Read(call.Arguments)
		if err != nil {
			done("refused", "The arguments are not those of the tool")
			return "The call was not made: " + err.Error() + ".", true, nil
		}
		out, err := tool.use(t.box, ctx, arguments)

		var wrong mistake
		switch {
		// What the model can mend goes back to it, and everything else ends the run.
		case errors.As(err, &wrong):
			done("refused", "Nothing of the case")
			return string(wrong), true, nil
		case err != nil:
			done("failed", "The tool failed")
			return "", true, err
		case out.empty:
			done("empty", out.summary)
		default:
			done("ok", out.summary)
		}

		return out.text, false, nil
	}
	t.report.Tool("unknown_tool", "A tool that does not exist", call.Name)("refused", "There is no such tool")

	return "There is no such tool.", true, nil
}

// response is the answer as it leaves.
func (t *talk) response(ctx context.Context, task legal.Task, a verify.Answer) (api.PhaseResponse, error) {
	r := api.PhaseResponse{
		Kind: api.KindAnswer, Text: a.Text + "\n" + t.told() + "\n", Citations: a.Citations, Authorities: a.Authorities,
		SuggestedNext: []api.Suggestion{
			{RequestType: api.CaseReq, Prompt: "Build a chronology"},
			{RequestType: api.CaseReq, Prompt: "List the deadlines"},
		},
		HumanReview: api.HumanReview{Required: true, Reasons: reasons(task), DeepLink: task.Links("review")},
	}
	limit := func(when bool, sentence string) {
		if when {
			r.Limits = append(r.Limits, sentence)
		}
	}
	limit(true, "A language model wrote this from the passages cited. A program checked that quotes, dates, amounts, "+
		"numbers and labels stand there, that authorities stand in the files or in the list of the firm, and that no "+
		"negation, opposite or party differs from the sentence that is most like it; whether a passage bears out what "+
		"is said of it is for the reader to judge.")
	limit(t.repaired, "The answer was sent back to the language model once or more, "+
		"to mend what could not be borne out.")
	limit(a.Removed > 0, "Removed for want of proof: "+wording.Counted(a.Removed, "sentence")+".")
	limit(a.Unknown > 0, "Removed, since neither the files nor the list of the firm has them: "+
		wording.Counted(a.Unknown, "mention")+" of authorities.")
	limit(t.box.unsurveyed > 0, "Not read, or not to the end, for the authorities that the answer names: "+
		wording.Counted(t.box.unsurveyed, "file")+". An authority that only stands there was removed.")
	limit(t.box.unlisted, "The list of the firm could not be read. An authority that only stands there was removed.")
	limit(a.Own > 0, "Marked as the model's own words, since no sentence of the passages is like them: "+
		wording.Counted(a.Own, "sentence")+". Nothing but figures, labels and quotes was checked in them.")
	limit(
		t.box.withheld > 0,
		"Kept from the language model, since they could be read as an identity: "+
			wording.Counted(t.box.withheld, "passage")+".",
	)
	limit(
		t.box.beyond > 0,
		fmt.Sprintf("Only the first %d files were open to the language model; %d more were not.",
			mostFiles, t.box.beyond,
		),
	)
	limit(t.cut, "The answer reached the bound of a reply and ends early.")
	limit(t.warned, "The language model had no more calls of tools; it may have missed passages.")
	limit(len(a.Authorities) > 0, "Authorities are reported, not vouched for: nothing was looked up.")
	limit(otherLanguage(task), "Answers are in English only.")
	if err := ctx.Err(); err != nil {
		return api.PhaseResponse{}, err
	}

	return r, nil
}

// told says how much was read.
func (t *talk) told() string {
	s := fmt.Sprintf("*Read: %s of %s, of %d that can be read",
		wording.Counted(len(t.box.record.Passages), "passage"), wording.Counted(len(t.box.opened), "file"),
		t.box.readable(),
	)
	if n := len(t.box.files) - t.box.readable(); n > 0 {
		s += fmt.Sprintf("; %d cannot be read (scans and the like, or not proved to be de-identified)", n)
	}

	if n := t.box.places(); n > 0 {
		s += "; in the files opened " + wording.Counted(n, "place") + " not read by anybody (pages and pictures)"
	}

	return s + ".*"
}

// reasons are why a person must sign an answer off.
func reasons(task legal.Task) []string {
	switch answers.Asked(task.Prompt).Best {
	case intent.Elements, intent.NextSteps:
		return []string{"states_law", "states_strategy"}
	case intent.Deadlines, intent.Dates:
		return []string{"states_law", "states_deadline"}
	}

	return []string{"states_law"}
}
