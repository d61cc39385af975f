package modelengine_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/answers"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/modelengine"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/model/modeltest"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
)

const goodAnswer = "The Tenant pays $1,250.50 on the first day of each month [1]. The lease calls this “Rent” [1]."

// TestAModelLearnsWhatIsOnlyNear wants hints told apart from matches in what a search gives a model.
func TestAModelLearnsWhatIsOnlyNear(t *testing.T) {
	t.Parallel()

	for _, near := range []bool{false, true} {
		e, s := engine(t, modeltest.Script(calls("search_passages", `{"query":"rent"}`), says(goodAnswer)))
		files := leaseCase()
		files.near = near
		if _, err := e.Do(t.Context(), question(aboutRent), files, &notebook{}); err != nil {
			t.Fatal(err)
		}
		if given := s.Requests()[1].Messages[2].Text; strings.Contains(given, "near to one in meaning") != near {
			t.Errorf("near %v: the tool gave %q", near, given)
		}
	}
}

func TestAnswers(t *testing.T) {
	t.Parallel()

	for name, start := range map[string]func(testing.TB, func(int, modeltest.Request) modeltest.Turn) (*modelengine.Engine, *modeltest.Server){"openai": engine, "anthropic": otherEngine} {
		t.Run(name, func(t *testing.T) {
			e, s := start(t, modeltest.Script(calls("search_passages", `{"query":"rent"}`), says(goodAnswer)))
			files, notes := leaseCase(), &notebook{}
			r, err := e.Do(t.Context(), question(aboutRent), files, notes)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasPrefix(r.Text, goodAnswer+"\n") || !strings.Contains(r.Text, "Read: 1 passage of 1 file, of 1 that can be read; 1 cannot be read") {
				t.Errorf("text = %q", r.Text)
			}
			if len(r.Citations) != 1 || r.Citations[0].Source.FileID != fileID(1) || !strings.Contains(r.Citations[0].Source.Quote, "$1,250.50") {
				t.Errorf("citations = %+v", r.Citations)
			}
			if !r.HumanReview.Required || r.HumanReview.DeepLink != "https://app.test/i/review" || len(r.Limits) != 1 || !strings.HasPrefix(r.Limits[0], "A language model wrote this") {
				t.Errorf("review %+v, limits %q", r.HumanReview, r.Limits)
			}
			if diff := cmp.Diff([]string{"list_files ok", "search_passages ok"}, notes.tools); diff != "" || notes.open != 0 || notes.read != 1 || notes.in != 200 || notes.out != 40 || notes.engine != nil {
				t.Errorf("%+v\n%s", notes, diff)
			}

			for _, said := range notes.said {
				if len(guard.New().Check(t.Context(), guard.Event, said)) > 0 || strings.Contains(said, "1,250") {
					t.Errorf("the run said %q", said)
				}
			}
			requests := s.Requests()
			if len(requests) != 2 || requests[0].System != requests[1].System || strings.Contains(requests[0].System, "Lease") || requests[0].MaxTokens != 1000 {
				t.Fatalf("requests = %+v", requests)
			}
			first := requests[0].Messages
			if len(first) != 1 || !strings.Contains(first[0].Text, "title: Lease of [Party 2]") || !strings.HasSuffix(first[0].Text, aboutRent) {
				t.Errorf("the request begins with %q", first)
			}
			if result := requests[1].Messages[2].Text; !strings.Contains(result, "<<passage 1 | ") || !strings.Contains(result, "file 1, Lease.txt") || !strings.Contains(result, "$1,250.50") {
				t.Errorf("the tool gave %q", result)
			}
		})
	}
}

func TestFaultsAreMendedOrTakenOut(t *testing.T) {
	t.Parallel()

	search := calls("search_passages", `{"query":"rent"}`)
	for _, tc := range []struct {
		name   string
		turns  []modeltest.Turn
		text   string
		limits []string
		asks   []string // what the last request holds
	}{
		{
			"mended",
			[]modeltest.Turn{search, says("The rent is $1,300 [1]."), says(goodAnswer)},
			goodAnswer,
			[]string{"sent back to the language model"},
			[]string{"Sentence 1 (“The rent is $1,300 [1]. …”) says “$1,300”"},
		},
		{
			"taken out",
			[]modeltest.Turn{search, says(goodAnswer + " The deposit is $900 [1]."), says(goodAnswer + " The deposit is $900 [1]. It is held by [Party 7] [1].")},
			goodAnswer,
			[]string{"sent back", "Removed for want of proof: 2 sentences."},
			nil,
		},
		{
			"reads more to mend",
			[]modeltest.Turn{search, says("The term ends on February 28, 2027."), calls("extract_dates", `{"file":1}`), says("The term ends on February 28, 2027 [2].")},
			"The term ends on February 28, 2027 [1].",
			[]string{"sent back"},
			[]string{"file 1, Lease.txt: 2024-03-01", "file 1, Lease.txt: 2027-02-28"},
		},
		{
			"an authority of nobody's",
			[]modeltest.Turn{
				search,
				says(goodAnswer + " Such a charge is void under 410 U.S. 113."),
				says(goodAnswer + " It is void under 410 U.S. 113."),
			},
			goodAnswer,
			[]string{
				"sent back", "Removed for want of proof: 1 sentence.",
				"Removed, since neither the files nor the list of the firm has them: 1 mention of authorities.",
			},
			nil,
		},
		{
			"identity mended at the second try",
			[]modeltest.Turn{search, says("The Tenant is ann@example.com [1]."), says("The Tenant is Ms Zorbanek [1]."), says(goodAnswer)},
			goodAnswer,
			[]string{"sent back"},
			[]string{"could identify a real person", "(left out)"},
		},
		{"thoughts are no answer", []modeltest.Turn{search, says("<think>The rent is $77, ann@example.com</think>\n" + goodAnswer)}, goodAnswer, nil, nil},
		{"cut off", []modeltest.Turn{search, {Text: []string{goodAnswer + " And the"}, Stop: "length"}}, goodAnswer, []string{"reached the bound"}, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e, s := engine(t, modeltest.Script(tc.turns...))
			r, err := e.Do(t.Context(), question(aboutRent), leaseCase(), &notebook{})
			if err != nil {
				t.Fatal(err)
			}
			if text, _, _ := strings.Cut(r.Text, "\n\n*Read: "); strings.TrimSpace(text) != tc.text {
				t.Errorf("text = %q", r.Text)
			}
			if len(r.Limits) != 1+len(tc.limits) {
				t.Errorf("limits = %q", r.Limits)
			}

			for i, want := range tc.limits {
				if i+1 < len(r.Limits) && !strings.Contains(r.Limits[i+1], want) {
					t.Errorf("limit %q, want %q", r.Limits[i+1], want)
				}
			}
			requests := s.Requests()

			raw := requests[len(requests)-1].Messages
			for _, want := range tc.asks {
				if !strings.Contains(joined(raw), want) {
					t.Errorf("%q is not asked in %q", want, joined(raw))
				}
			}

			for _, request := range requests {
				if strings.Contains(string(request.Raw), "example.com") || strings.Contains(string(request.Raw), "Zorbanek") {
					t.Errorf("an identity went back to the model: %s", request.Raw)
				}
			}
		})
	}
}

func joined(messages []modeltest.Message) string {
	var b strings.Builder
	for _, m := range messages {
		b.WriteString(m.Text + "\n")
	}

	return b.String()
}

func TestFailures(t *testing.T) {
	t.Parallel()

	search := calls("search_passages", `{"query":"rent"}`)
	for _, tc := range []struct {
		name   string
		turns  []modeltest.Turn
		reason string // of the fallback when the model is not demanded, "" when the run fails then too
		err    error  // when it is; nil when the rules answer then too
	}{
		{"away", []modeltest.Turn{{Status: 503}}, "could not be reached", legal.ErrModelUnavailable},
		{"away in the middle", []modeltest.Turn{search, {Text: []string{"The"}, Cut: true}}, "could not be reached", legal.ErrModelUnavailable},
		{"wrong key or model", []modeltest.Turn{{Status: 404}}, "could not be reached", legal.ErrModelUnavailable},
		{"rate limit", []modeltest.Turn{{Status: 429, RetryAfter: "60"}}, "limits requests", legal.ErrModelRateLimited},
		{"refusal", []modeltest.Turn{{Stop: "content_filter"}}, "refused", legal.ErrModelRefused},
		{"calls without end", []modeltest.Turn{search}, "used up", legal.ErrModelBudget},
		{"tokens", []modeltest.Turn{{Calls: search.Calls, Input: 100_000}}, "used up", legal.ErrModelBudget},
		{"no answer", []modeltest.Turn{search, says("")}, "could be borne out", nil},
		{"nothing borne out", []modeltest.Turn{search, says("The rent is $99 [1]. The deposit is $98 [1].")}, "could be borne out", nil},
		{"only structure left", []modeltest.Turn{search, says("## Rent\n\nThe rent is $99 [1].")}, "could be borne out", nil},
		{"identity", []modeltest.Turn{search, says("The Tenant is ann@example.com [1].")}, "", legal.ErrOutputBlocked},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rules := answers.NewEngine(guard.New())
			byRules, err := rules.Do(t.Context(), question(aboutRent), leaseCase(), &notebook{})
			if err != nil {
				t.Fatal(err)
			}

			for _, mode := range []string{"auto", "model"} {
				e, s := engine(t, modeltest.Script(tc.turns...))
				tk, notes := question(aboutRent), &notebook{}
				tk.Mode = mode
				r, err := e.Do(t.Context(), tk, leaseCase(), notes)
				want := tc.err
				if mode == "auto" && tc.reason != "" {
					want = nil
				}
				if !errors.Is(err, want) || (err == nil) != (want == nil) {
					t.Fatalf("%s: Do = %v, want %v", mode, err, want)
				}
				if notes.open != 0 {
					t.Errorf("%s: %d tools are open", mode, notes.open)
				}

				for _, request := range s.Requests() {
					if strings.Contains(string(request.Raw), "example.com") {
						t.Errorf("an identity went back to the model")
					}
				}
				if want != nil {
					continue
				}
				if notes.engine == nil || notes.engine.Mode != api.ModeDeterministic || notes.engine.Model != nil || !strings.Contains(notes.engine.FallbackReason, tc.reason) || len(notes.engine.FallbackReason) > 200 {
					t.Fatalf("%s: engine = %+v", mode, notes.engine)
				}
				byRules := byRules
				byRules.Limits = append([]string{notes.engine.FallbackReason}, legal.AfterModel(byRules.Limits)...)
				if strings.Contains(strings.Join(r.Limits, " "), "No language model was used") {
					t.Errorf("%s: limits %q deny the model", mode, r.Limits)
				}
				if diff := cmp.Diff(byRules, r); diff != "" {
					t.Errorf("%s (-rules +got):\n%s", mode, diff)
				}
			}
		})
	}
}

func TestPlan(t *testing.T) {
	t.Parallel()
	with, _ := engine(t, modeltest.Script(says("")))
	local := *with
	local.Local = true
	without := *with
	without.Model = nil

	const modelMode, rules = "model", "deterministic"
	for _, tc := range []struct {
		name   string
		e      *modelengine.Engine
		change func(*legal.Task)
		want   string
		reason string
		err    error
	}{
		{"a question", with, func(*legal.Task) {}, modelMode, "", nil},
		{"a summary", with, func(tk *legal.Task) { tk.Prompt = "Summarise the files" }, modelMode, "", nil},
		{"elements", with, func(tk *legal.Task) { tk.Prompt = "What are the elements of negligence here?" }, modelMode, "", nil},
		{"a list is the rules' own", with, func(tk *legal.Task) { tk.Prompt = "List the deadlines" }, rules, "", nil},
		{"unless it is demanded", with, func(tk *legal.Task) { tk.Prompt, tk.Mode = "List the deadlines", "model" }, modelMode, "", nil},
		{"by choice", with, func(tk *legal.Task) { tk.Mode = "deterministic" }, rules, "", nil},
		{"an evaluation", with, func(tk *legal.Task) { tk.RequestType = api.EvalReq }, rules, "", nil},
		{"an evaluation by demand", with, func(tk *legal.Task) { tk.RequestType, tk.Mode = api.EvalReq, "model" }, "", "", errs.New(errs.Invalid, "validation_failed", "")},
		{"support", with, func(tk *legal.Task) { tk.RequestType = api.SupportReq }, rules, "", nil},
		{"help", with, func(tk *legal.Task) { tk.Prompt = "Help" }, rules, "", nil},
		{"help by demand", with, func(tk *legal.Task) { tk.Prompt, tk.Mode = "Help", "model" }, rules, "fixed text", nil},
		{"a draft by demand", with, func(tk *legal.Task) { tk.Prompt, tk.Mode = "Draft a demand letter", "model" }, "model", "", nil},
		{"a draft", with, func(tk *legal.Task) { tk.Prompt = "Draft a demand letter" }, "model", "", nil},
		{"a draft for which there is no form", with, func(tk *legal.Task) { tk.Prompt = "Draft a poem" }, rules, "", nil},
		{"what the service never does", with, func(tk *legal.Task) { tk.Prompt, tk.Mode = "Send an email to [Party 1]", "model" }, rules, "fixed text", nil},
		{"no policy", with, func(tk *legal.Task) { tk.Container.Case.Confidentiality.AIPolicy = "" }, rules, "does not allow", nil},
		{"no model", with, func(tk *legal.Task) { tk.Container.Case.Confidentiality.AIPolicy = "no_model" }, rules, "does not allow", nil},
		{"no model by demand", with, func(tk *legal.Task) {
			tk.Container.Case.Confidentiality.AIPolicy, tk.Mode = "no_model", "model"
		}, "", "", legal.ErrPolicy},
		{"only local", with, func(tk *legal.Task) { tk.Container.Case.Confidentiality.AIPolicy = "local_model_only" }, rules, "local", nil},
		{"only local by demand", with, func(tk *legal.Task) {
			tk.Container.Case.Confidentiality.AIPolicy, tk.Mode = "local_model_only", "model"
		}, "", "", legal.ErrPolicy},
		{"only local, and it is", &local, func(tk *legal.Task) { tk.Container.Case.Confidentiality.AIPolicy = "local_model_only" }, modelMode, "", nil},
		{"no model, though local", &local, func(tk *legal.Task) { tk.Container.Case.Confidentiality.AIPolicy = "no_model" }, rules, "does not allow", nil},
		{"outside a case", with, func(tk *legal.Task) { tk.Container.Case = nil }, rules, "does not allow", nil},
		{"none configured", &without, func(*legal.Task) {}, rules, "", nil},
		{"none configured, by demand", &without, func(tk *legal.Task) { tk.Mode = "model" }, "", "", legal.ErrNoModel},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tk := question(aboutRent)
			tc.change(&tk)
			got, err := tc.e.Plan(tk)
			if !errors.Is(err, tc.err) || (err == nil) != (tc.err == nil) {
				t.Fatalf("Plan = %v, want %v", err, tc.err)
			}
			if err != nil {
				return
			}
			if got.Mode != tc.want || !strings.Contains(got.FallbackReason, tc.reason) || (tc.reason == "") != (got.FallbackReason == "") || (got.Model != nil) != (tc.want == modelMode) {
				t.Errorf("Plan = %+v", got)
			}
			if got.RulesVersion != legal.RulesVersion || got.Model != nil && *got.Model != (api.EngineModel{Provider: "openai", Name: modeltest.Name, TemplateVersion: modelengine.TemplateVersion}) {
				t.Errorf("Plan = %+v, model %+v", got, got.Model)
			}
		})
	}
}

// What a model does wrong goes back to it and ends nothing.
func TestMistakesOfTheModelGoBackToIt(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct{ name, tool, arguments, want string }{
		{"no such tool", "send_email", `{"to":"[Party 1]"}`, "There is no such tool."},
		{"no JSON", "search_passages", `{"query":`, "The call was not made: the arguments must be one JSON object."},
		{"another argument", "search_passages", `{"query":"rent","caseId":"x"}`, "The call was not made: there is an argument that the tool does not have."},
		{"out of bounds", "search_passages", `{"query":"rent","limit":999}`, "The call was not made: limit must be a whole number from 1 to 10."},
		{"no such file", "read_passage", `{"file":3}`, "There is no file of this number. list_files gives the numbers."},
		{"an unreadable file", "read_passage", `{"file":2}`, "This file cannot be read."},
		{"beyond the end", "read_passage", `{"file":1,"from":50}`, "The file has 1 passages."},
		{"an identity", "search_passages", `{"query":"ann@example.com"}`, "The call could identify a real person or organization. Use labels only."},
		{"an identity in a name", "ann@example.com", `{}`, "The call could identify a real person or organization. Use labels only."},
		{"nothing found", "search_passages", `{"query":"zebra"}`, "No passage matches these words."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			e, s := engine(t, modeltest.Script(calls(tc.tool, tc.arguments), calls("search_passages", `{"query":"rent"}`), says(goodAnswer)))
			notes := &notebook{}
			if r, err := e.Do(t.Context(), question(aboutRent), leaseCase(), notes); err != nil || !strings.HasPrefix(r.Text, goodAnswer) {
				t.Fatalf("Do = %q, %v", r.Text, err)
			}
			got := s.Requests()[1].Messages[2]
			if got.Text != tc.want || notes.open != 0 {
				t.Errorf("the model was told %q, want %q", got.Text, tc.want)
			}
			if strings.Contains(string(s.Requests()[1].Raw), "example.com") {
				t.Error("an identity went back to the model")
			}
		})
	}
}

func TestToolsReadWhatTheTaskMayUse(t *testing.T) {
	t.Parallel()
	files := new(cabinet).add("Lease.txt", lease).add("Notice.txt", "On March 4, 2026 the rent of [Party 2] was late, see 347 U.S. 483 (1954). Call (212) 555-0142 about the rent.").add("Memo.txt", "The rent is a secret.")
	var results []string
	script := []modeltest.Turn{
		calls("get_case", ``), calls("document_checklist", ``), calls("list_files", `{}`), calls("list_parties", `{}`), calls("search_passages", `{"query":"rent","files":[1]}`), calls("read_passage", `{"file":1,"count":2}`),
		calls("extract_dates", `{"file":1}`), calls("extract_money", `{"file":1}`), calls("extract_citations", `{"file":1}`), calls("search_passages", `{"query":"rent"}`), says(goodAnswer),
	}
	e, _ := engine(t, func(n int, r modeltest.Request) modeltest.Turn {
		if last := r.Messages[len(r.Messages)-1]; last.Role == "tool" {
			results = append(results, last.Text)
		}

		return script[n-1]
	})
	e.Budget = modelengine.Budget{Rounds: 20, Calls: 20, Tokens: 100_000, ReplyTokens: 500}
	tk, notes := question(aboutRent), &notebook{}
	tk.FileIDs = []string{fileID(1), fileID(2)}
	r, err := e.Do(t.Context(), tk, files, notes)
	if err != nil {
		t.Fatal(err)
	}

	all := strings.Join(results, "\n")
	for _, want := range []string{"title: Lease of [Party 2]", "missing: answer", "1: Lease.txt", "[Party 1]: landlord", "passages 1 to 1 of 1", "2024-03-01", "USD 1250.50", "None was found."} {
		if !strings.Contains(all, want) {
			t.Errorf("%q is missing in what the tools gave", want)
		}
	}

	for _, secret := range []string{"Memo", "secret", "555-0142"} {
		if strings.Contains(all, secret) {
			t.Errorf("the model was given %q", secret)
		}
	}

	for _, asked := range files.asked {
		if strings.Contains(asked, fileID(3)) || strings.HasSuffix(asked, "in 0") {
			t.Errorf("the run asked for %s", asked)
		}
	}
	if !strings.Contains(strings.Join(r.Limits, " "), "Kept from the language model, since they could be read as an identity: 1 passage.") {
		t.Errorf("limits = %q", r.Limits)
	}
	files.files[2].Source.Origin = "generated"
	tk.FileIDs, files.asked = nil, nil
	e, _ = engine(t, modeltest.Script(calls("search_passages", `{"query":"secret"}`), calls("search_passages", `{"query":"rent"}`), says(goodAnswer)))
	if r, err := e.Do(t.Context(), tk, files, &notebook{}); err != nil || !strings.Contains(r.Text, "of 2 that can be read") {
		t.Errorf("what a run made is a source: %q, %v", r.Text, err)
	}
	tk.FileIDs = []string{fileID(9)}
	if _, err := e.Do(t.Context(), tk, files, &notebook{}); !errors.Is(err, legal.ErrFileUnreadable) {
		t.Errorf("a file of nobody: %v", err)
	}
}

func TestSourcesThatFailEndTheRun(t *testing.T) {
	t.Parallel()
	e, _ := engine(t, modeltest.Script(calls("search_passages", `{"query":"rent"}`)))
	files, notes := leaseCase(), &notebook{}
	files.fail = errs.ErrUnavailable
	if _, err := e.Do(t.Context(), question(aboutRent), files, notes); !errors.Is(err, errs.ErrUnavailable) || notes.open != 0 {
		t.Errorf("Do = %v, %d tools open", err, notes.open)
	}
	ctx, cancel := context.WithCancel(t.Context())
	e, _ = engine(t, func(int, modeltest.Request) modeltest.Turn { cancel(); return modeltest.Turn{Status: 503} })
	if _, err := e.Do(ctx, question(aboutRent), leaseCase(), &notebook{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Do = %v", err)
	}
}

// A slow model leaves the rules enough time for an answer, unless it was demanded.
func TestASlowModelLeavesTimeForTheRules(t *testing.T) {
	t.Parallel()

	for mode, answered := range map[string]bool{"auto": true, "model": false} {
		e, _ := engine(t, modeltest.Script(modeltest.Turn{Text: []string{"The"}, Pause: time.Minute}))
		tk, notes := question(aboutRent), &notebook{}
		tk.Mode, tk.Limit = mode, 200*time.Millisecond
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		r, err := e.Do(ctx, tk, leaseCase(), notes)
		cancel()
		if answered != (err == nil) || answered && (!strings.Contains(notes.engine.FallbackReason, "too long") || r.Text == "") || !answered && !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v, engine %+v", mode, err, notes.engine)
		}
	}
}

// Whoever changes the instructions gives them another version.
func TestInstructionsHaveAVersion(t *testing.T) {
	t.Parallel()
	e, s := engine(t, modeltest.Script(says(goodAnswer)))
	if _, err := e.Do(t.Context(), question(aboutRent), leaseCase(), &notebook{}); err != nil {
		t.Fatal(err)
	}
	system := s.Requests()[0].System
	_, rest, _ := strings.Cut(system, "<<passage 7 | ")
	code, _, _ := strings.Cut(rest, ">>")
	if len(code) < 20 {
		t.Fatalf("code %q", code)
	}
	if found := guard.New().Check(t.Context(), guard.ModelIn, strings.ReplaceAll(system, code, "")); len(found) > 0 {
		t.Errorf("the gate finds %v in the instructions", found)
	}
	e, s = engine(t, modeltest.Script(says(goodAnswer)))
	if _, err := e.Do(t.Context(), question("Draft a demand letter"), leaseCase(), &notebook{}); err != nil {
		t.Fatal(err)
	}
	_, drafts, _ := strings.Cut(s.Requests()[0].System, "The request asks for a draft:")
	if len(drafts) == 0 || len(guard.New().Check(t.Context(), guard.ModelIn, drafts)) > 0 {
		t.Errorf("the instructions for drafts: %q", drafts)
	}
	sum := sha256.Sum256([]byte(strings.ReplaceAll(system, code, "") + drafts))
	versions := map[string]string{"2026.2": "4e797e00ec7e"}
	if got := hex.EncodeToString(sum[:6]); versions[modelengine.TemplateVersion] != got {
		t.Errorf("the instructions of version %s have the sum %s, not %s: give them a new version", modelengine.TemplateVersion, got, versions[modelengine.TemplateVersion])
	}
}

// TestOfManyFilesTheNamedOneIsOpen wants a file that the task names to be open however late it stands, and files beyond the bound to be counted.
func TestOfManyFilesTheNamedOneIsOpen(t *testing.T) {
	t.Parallel()

	files := &cabinet{}
	for i := range 502 {
		files.add(fmt.Sprintf("Note %d.txt", i), "Nothing.")
	}
	files.add("Lease.txt", leaseCase().texts[0])
	tk := question(aboutRent)
	tk.FileIDs = []string{fileID(503)}
	script := func() []modeltest.Turn {
		return []modeltest.Turn{calls("search_passages", `{"query":"rent"}`), says(goodAnswer)}
	}
	e, _ := engine(t, modeltest.Script(script()...))
	r, err := e.Do(t.Context(), tk, files, &notebook{})
	if err != nil || !strings.Contains(r.Text, goodAnswer) || strings.Contains(strings.Join(r.Limits, " "), "open to the language model") {
		t.Errorf("%v, limits %q: %s", err, r.Limits, r.Text)
	}
	files.files[0], files.files[502] = files.files[502], files.files[0]
	files.texts[0], files.texts[502] = files.texts[502], files.texts[0]
	tk.FileIDs = nil
	e, _ = engine(t, modeltest.Script(script()...))
	if r, err = e.Do(t.Context(), tk, files, &notebook{}); err != nil || !strings.Contains(strings.Join(r.Limits, " "), "Only the first 500 files were open to the language model; 3 more were not.") {
		t.Errorf("%v, limits %q: %s", err, r.Limits, r.Text)
	}
}
