package modelengine

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/verify"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/model"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

// ruleWork is a tool by which the model has the rules do what they do for people: it may explain what they find and
// must not compute it itself. Nothing is written for it.
func ruleWork(name, description, summary, requestType, prompt string, computes bool) tool {
	return tool{
		model.Tool{Name: name, Description: description},
		summary,
		func(b *toolbox, ctx context.Context, _ model.Arguments) (outcome, error) {
			task := b.task
			task.RequestType, task.Prompt = requestType, prompt

			return b.byRules(ctx, task, computes)
		},
	}
}

// compare has the rules compare two files.
func (b *toolbox) compare(ctx context.Context, a model.Arguments) (outcome, error) {
	task := b.task
	task.Prompt, task.FileIDs = "Compare the two files", nil

	for _, name := range [...]string{"file", "other"} {
		f, err := b.file(a.Whole(name, 0))
		if err != nil {
			return outcome{}, err
		}
		task.FileIDs = append(task.FileIDs, f.FileID)
	}
	if task.FileIDs[0] == task.FileIDs[1] {
		return outcome{}, mistake("These are the same file. It takes two.")
	}

	return b.byRules(ctx, task, true)
}

var ruleMark = regexp.MustCompile(`\[(\d{1,3})\]`)

// byRules has the rules answer a task of ours, and gives their answer with its sources as passages. What they computed
// may be stated.
func (b *toolbox) byRules(ctx context.Context, task legal.Task, computes bool) (outcome, error) {
	// The rules would propose entries and keep drafts, which nobody has asked for.
	task.Work = nil
	r, err := b.rules.Do(ctx, task, b.sources, quiet{})
	if err != nil {
		return outcome{}, err
	}

	sources := map[string]api.SourceRef{}
	for _, c := range r.Citations {
		sources[strconv.Itoa(c.N)] = c.Source
	}
	var text, passages strings.Builder
	given := map[string]int{}

	for line := range strings.Lines(r.Text) {
		if text.Len()+passages.Len() > mostResult {
			text.WriteString("What follows is left out.\n")
			break
		}
		// The answer was made for the reader's gate, and what a model gets goes through another one.
		if !b.clean(ctx, line) {
			continue
		}
		line = ruleMark.ReplaceAllStringFunc(line, func(m string) string {
			source, ok := sources[strings.Trim(m, "[]")]
			if !ok {
				return m
			}
			// The marks of the rules' answer become the numbers of passages, so that the model can cite them.
			number, framed := b.cite(ctx, source)
			if number == 0 {
				return ""
			}
			if given[m] == 0 {
				given[m] = number
				passages.WriteString(framed)
			}

			return fmt.Sprintf("[%d]", number)
		})
		if computes {
			b.record.Computed = append(b.record.Computed, line)
		}
		b.learn(line)
		text.WriteString(line)
	}

	for _, limit := range r.Limits {
		// The model must not repeat that no model was used.
		if !strings.HasPrefix(limit, "No language model") && b.clean(ctx, limit) {
			text.WriteString("limit: " + limit + "\n")
		}
	}

	return outcome{
		text:    encloseResult(b.code, text.String()) + passages.String(),
		summary: fmt.Sprintf("%d sources", len(given)),
		empty:   len(given) == 0 && !computes,
	}, nil
}

// cite puts a source of the rules on record as a passage; its number is 0 when it must not be shown.
func (b *toolbox) cite(ctx context.Context, s api.SourceRef) (number int, framed string) {
	for i, f := range b.files {
		if f.FileID != s.FileID {
			continue
		}
		framed = b.give(ctx, b.head(b.files[i], s.Page), verify.Passage{Source: s, FileName: f.Name, Text: s.Quote})
	}

	// Zero for a passage that was withheld, or whose file the task may not use.
	return b.numbers[s.Place()], framed
}

// quiet is a report that says nothing: the tool that has the rules work is what a run reports.
type quiet struct{}

func (quiet) Plan(string, ...string) {}
func (quiet) Tool(string, string, ...string) func(outcome, summary string) {
	return func(string, string) {}
}
func (quiet) Working(string, int, int) {}
func (quiet) Reasoning(string)         {}
func (quiet) Read(int)                 {}
func (quiet) Tokens(int, int)          {}
func (quiet) AnsweredBy(api.Engine)    {}
