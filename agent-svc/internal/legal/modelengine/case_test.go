package modelengine_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/answers"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/modelengine"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/model"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/model/anthropicapi"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/model/modeltest"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/model/openaiapi"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// cabinet is a case's files in memory. It notes what is asked of it.
type cabinet struct {
	files []api.File
	texts []string
	asked []string
	// listed are the authorities that the firm has loaded
	listed []string
	fail   error
	// unlisted is why that list cannot be read, and gone are files that are not there any more
	unlisted error
	gone     []string
	near     bool // what a search finds is only near in meaning
}

func fileID(n int) string { return fmt.Sprintf("00000000-0000-7000-8000-%012d", n) }

func (c *cabinet) add(name, text string) *cabinet {
	c.files = append(c.files, api.File{FileID: fileID(len(c.files) + 1), Name: name, AgentReadable: text != "", DocType: "unknown"})
	c.texts = append(c.texts, text)

	return c
}

func (c *cabinet) Files(ctx context.Context) ([]api.File, error) {
	c.asked = append(c.asked, "files")
	return slices.Clone(c.files), ctx.Err()
}

func (c *cabinet) Texts(ctx context.Context, ids []string) ([]api.FileText, int, error) {
	return legal.OneByOne(ctx, c, ids)
}

func (c *cabinet) Text(ctx context.Context, id string) (api.FileText, error) {
	c.asked = append(c.asked, "text "+id)
	at := slices.IndexFunc(c.files, func(f api.File) bool { return f.FileID == id })
	if c.fail != nil || at < 0 || slices.Contains(c.gone, id) {
		return api.FileText{}, errsOr(c.fail)
	}

	return api.FileText{FileID: id, TextVersion: 1, Text: c.texts[at]}, ctx.Err()
}

func errsOr(err error) error {
	if err == nil {
		return errs.ErrNotFound
	}

	return err
}

func (c *cabinet) Search(_ context.Context, query string, ids []string, limit int) (api.SearchResult, error) {
	c.asked = append(c.asked, fmt.Sprintf("search %s in %d", query, len(ids)))
	var r api.SearchResult
	if c.fail != nil {
		return r, c.fail
	}

	for i, f := range c.files {
		if !f.AgentReadable || len(ids) > 0 && !slices.Contains(ids, f.FileID) {
			continue
		}

		for _, p := range extract.Passages(extract.Document{Status: extract.OK, Text: c.texts[i]}) {
			if len(r.Hits) == limit || !slices.ContainsFunc(strings.Fields(strings.ToLower(query)), func(w string) bool { return strings.Contains(strings.ToLower(p.Text), w) }) {
				continue
			}
			quote := []rune(p.Text)
			quote = quote[:min(len(quote), facts.MaxQuote)]
			var near []string
			if c.near {
				near = []string{"tenant"}
			}
			hit := api.SearchHit{FileName: f.Name, Matched: []string{"tenant"}, Near: near, Text: p.Text}
			r.Hits = append(r.Hits, hit)
			r.Hits[len(r.Hits)-1].Source = api.SourceRef{
				FileID: f.FileID, TextVersion: 1, CharStart: p.CharStart, CharEnd: p.CharStart + len(quote), Quote: facts.Fold(string(quote)),
			}
		}
	}

	return r, nil
}

func (c *cabinet) Checklist(ctx context.Context) (api.DocumentChecklist, error) {
	return api.DocumentChecklist{Phase: "L200", Present: []string{"complaint"}, Missing: []string{"answer"}}, ctx.Err()
}

// notebook keeps what a run reports.
type notebook struct {
	tools   []string
	said    []string
	open    int
	read    int
	in, out int
	engine  *api.Engine
}

func (n *notebook) Plan(message string, steps ...string) {
	n.said = append(append(n.said, message), steps...)
}

func (n *notebook) Tool(name, summary string, _ ...string) func(outcome, summary string) {
	n.open++
	n.said = append(n.said, name, summary)

	return func(outcome, summary string) {
		n.open--
		n.tools = append(n.tools, name+" "+outcome)
		n.said = append(n.said, summary)
	}
}

func (n *notebook) Working(message string, _, _ int) { n.said = append(n.said, message) }
func (n *notebook) Reasoning(message string)         { n.said = append(n.said, message) }
func (n *notebook) Read(passages int)                { n.read += passages }
func (n *notebook) Tokens(in, out int)               { n.in += in; n.out += out }
func (n *notebook) AnsweredBy(e api.Engine)          { n.engine = &e }

const lease = `LEASE

1. Parties. This lease is between [Party 1] (the "Landlord") and [Party 2] (the "Tenant").

2. Rent. The Tenant shall pay $1,250.50 on the first day of each month. A late charge of five percent (5%) is due after ten (10) days.

3. Term. The term began on March 1, 2024 and ends on February 28, 2027.
`

func leaseCase() *cabinet {
	return new(cabinet).add("Lease.txt", lease).add("Scan.pdf", "")
}

func question(prompt string) legal.Task {
	return legal.Task{
		RequestType: api.CaseReq, Prompt: prompt, Now: time.Date(2026, 1, 2, 0, 0, 0, 0, time.UTC), Links: func(a string) string { return "https://app.test/i/" + a },
		Container: api.Container{ContainerType: api.ContainerCase, Case: &api.Case{Title: "Lease of [Party 2]", MatterKind: "litigation", Confidentiality: api.Confidentiality{AIPolicy: "model_allowed"}}},
	}
}

const aboutRent = "What does the lease say about the rent?"

func budget() modelengine.Budget {
	return modelengine.Budget{Rounds: 4, Calls: 8, Tokens: 100_000, ReplyTokens: 1000}
}

func client(t testing.TB) *http.Client {
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)

	return model.Client(transport, 5*time.Second)
}

// engine is an engine whose model is at a server of OpenAI's form.
func engine(t testing.TB, answer func(int, modeltest.Request) modeltest.Turn) (*modelengine.Engine, *modeltest.Server) {
	s := modeltest.OpenAI(t, answer)

	return &modelengine.Engine{
		Rules:  answers.NewEngine(guard.New()),
		Model:  openaiapi.New(s.URL, modeltest.Key, modeltest.Name, client(t)),
		Budget: budget(),
		Gate:   guard.New(),
	}, s
}

// otherEngine is one whose model is at a server of Anthropic's form.
func otherEngine(t testing.TB, answer func(int, modeltest.Request) modeltest.Turn) (*modelengine.Engine, *modeltest.Server) {
	s := modeltest.Anthropic(t, answer)

	return &modelengine.Engine{
		Rules:  answers.NewEngine(guard.New()),
		Model:  anthropicapi.New(s.URL, modeltest.Key, modeltest.Name, client(t)),
		Budget: budget(),
		Gate:   guard.New(),
	}, s
}

func calls(name, arguments string) modeltest.Turn {
	half := len(arguments) / 2
	return modeltest.Turn{Calls: []modeltest.Call{{ID: "call_" + name, Name: name, Arguments: []string{arguments[:half], arguments[half:]}}}}
}

func says(text string) modeltest.Turn { return modeltest.Turn{Text: []string{text}} }

func (*cabinet) Parties(context.Context) ([]api.Party, error) { return nil, nil }

func (c *cabinet) Authorities(ctx context.Context) ([]string, error) {
	c.asked = append(c.asked, "authorities")
	if c.unlisted != nil {
		return nil, c.unlisted
	}

	return c.listed, ctx.Err()
}

func (*cabinet) Judged(context.Context) ([]api.TimelineEntry, bool, error) { return nil, true, nil }

func (*cabinet) Cleared(context.Context) ([]string, error) { return nil, nil }

func (*cabinet) Partners(context.Context, int) ([]api.Partner, error) { return nil, nil }
