package answers_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/answers"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// silent is a Report that notes nothing.
type silent struct{}

func (silent) Plan(string, ...string)                              {}
func (silent) Tool(string, string, ...string) func(string, string) { return func(string, string) {} }
func (silent) Working(string, int, int)                            {}
func (silent) Reasoning(string)                                    {}
func (silent) Tokens(int, int)                                     {}
func (silent) AnsweredBy(api.Engine)                               {}
func (silent) Read(int)                                            {}

// BenchmarkEvaluate evaluates a full case: 500 files with 50 MB of text.
func BenchmarkEvaluate(b *testing.B) {
	const files, each = 500, 100_000
	unit := sample(b, "complaint.txt") + "\n\n" + sample(b, "lease.txt") + "\n\n"
	text := strings.Repeat(unit, each/len(unit)+1)[:each]

	s := newCaseFiles()
	for i := range files {
		s.add(fmt.Sprintf("Document %d.txt", i+1), text)
	}

	for _, tk := range []legal.Task{task(api.EvalReq, "Evaluate"), task(api.CaseReq, "Build a chronology")} {
		b.Run(strings.ReplaceAll(tk.RequestType, "_", ""), func(b *testing.B) {
			engine := answers.NewEngine(guard.New())
			b.SetBytes(files * each)
			b.ReportAllocs()

			for b.Loop() {
				if _, err := engine.Do(context.Background(), tk, s, silent{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
