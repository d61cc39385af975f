// Package demo plays the whole story of the service by the command line, as a person and the person's agent would, and
// checks what comes out.
package demo

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/deploy/internal/cli"
	"github.com/subrosa-legal/subrosa/deploy/internal/devidp"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

// Story is one playing of the demonstration.
type Story struct {
	Out     io.Writer
	Site    string // address of the service
	Folder  string // under which .local/local.json names the local service
	Config  string // for the sign-in and key of the story; thrown away by the caller
	Samples string // folder of the sample filings
	Card    string // address of the agent's card; "" has the command line serve a sample one on this machine
	Person  devidp.Person
	Browser *http.Client // trusts the local authority
	Now     func() time.Time

	step    int
	caseID  string
	phaseID string // of the evaluation
}

// Play runs every step and returns the first failure.
func (s *Story) Play(ctx context.Context) error {
	steps := []struct {
		title string
		do    func(context.Context) error
	}{
		{"sign in as " + s.Person.Name, s.signIn},
		{"connect the sample agent: token, card, registration, key", s.connect},
		{"the agent exchanges its key for a bearer, and asks who it is", s.whoAmI},
		{"the agent creates a case", s.createCase},
		{"the agent adds a complaint, a lease and an employment agreement", s.addFiles},
		{"the agent names the parties, by label", s.addParties},
		{"the agent has the case evaluated: the tier, streamed", s.evaluate},
		{"the agent asks a question: passages, quoted and sourced", s.ask},
		{"the same question by A2A, the protocol between agents, and a task that there is not", s.askByA2A},
		{"a prompt with an e-mail address in it is refused", s.refuse},
		{"the user sees what waits, and signs the evaluation off", s.review},
		{"the user exports the case, and checks every chain of the audit record", s.export},
		{"the user looks at the agent", s.status},
		{"the user disconnects the agent: its bearer ends at once", s.disconnect},
	}
	for _, step := range steps {
		s.step++
		fmt.Fprintf(s.Out, "\n%2d. %s\n", s.step, step.title)
		if err := step.do(ctx); err != nil {
			return fmt.Errorf("step %d (%s): %w", s.step, step.title, err)
		}
	}
	fmt.Fprintf(s.Out, "\nAll %d steps went through.\n", s.step)

	return nil
}

// command runs one command of the command line and shows it with what it prints.
func (s *Story) command(ctx context.Context, args ...string) (string, error) {
	fmt.Fprintf(s.Out, "    $ subrosa %s\n", strings.Join(quoted(args), " "))

	out, err := s.quiet(ctx, args...)
	for line := range strings.Lines(out) {
		fmt.Fprint(s.Out, "      ", line)
	}

	return out, err
}

func quoted(args []string) []string {
	shown := make([]string, len(args))
	for i, a := range args {
		if shown[i] = a; strings.Contains(a, " ") {
			shown[i] = `"` + a + `"`
		}
		shown[i] = strings.ReplaceAll(shown[i], "\n", " ")
	}

	return shown
}

func (s *Story) quiet(ctx context.Context, args ...string) (string, error) {
	var out, problems bytes.Buffer
	code := cli.Run(ctx, args, cli.Terminal{
		In: strings.NewReader(""), Out: &out, Err: &problems, Folder: s.Folder, Config: s.Config, Now: s.Now,
		Open: func(address string) error { return s.browse(ctx, address) },
	})
	if code != 0 {
		return out.String(), fmt.Errorf("exit code %d: %s", code, strings.TrimSpace(problems.String()))
	}

	return out.String(), nil
}

// asked runs a command whose answer is JSON.
func asked[T any](ctx context.Context, s *Story, args ...string) (T, error) {
	var v T
	out, err := s.quiet(ctx, append([]string{"--json"}, args...)...)
	if err != nil {
		return v, err
	}

	return v, json.Unmarshal([]byte(out), &v)
}

// browse is the person with the browser.
func (s *Story) browse(ctx context.Context, address string) error {
	// Not waited for: the command itself waits until the browser comes back.
	go func() { _ = devidp.Visit(ctx, s.Browser, address, s.Person) }()
	return nil
}

func (s *Story) signIn(ctx context.Context) error {
	if _, err := s.command(ctx, "login"); err != nil {
		return err
	}
	me, err := asked[api.Me](ctx, s, "me")
	if err != nil || me.Agent == nil {
		return err
	}
	fmt.Fprintln(s.Out, "      an agent of an earlier demonstration is still connected")
	_, err = s.command(ctx, "agent", "disconnect")

	return err
}

func (s *Story) connect(ctx context.Context) error {
	args := []string{"connect"}
	if s.Card != "" {
		args = append(args, "--card-url", s.Card)
	}
	_, err := s.command(ctx, args...)

	return err
}

func (s *Story) whoAmI(ctx context.Context) error {
	out, err := s.command(ctx, "me")
	if err == nil && !strings.Contains(out, "as      agent") {
		err = errors.New("the agent is not who it should be")
	}

	return err
}

func (s *Story) createCase(ctx context.Context) error {
	made, err := asked[api.Case](ctx, s, "case", "create", "--jurisdiction", "US", "--kind", "litigation")
	if err != nil {
		return err
	}
	s.caseID = made.CaseID
	_, err = s.command(ctx, "case", "show", s.caseID)

	return err
}

// Filings are the sample documents, the complaint first.
var Filings = []string{"complaint.md", "commercial-lease.docx", "employment-agreement.pdf"}

func (s *Story) addFiles(ctx context.Context) error {
	for _, name := range Filings {
		if _, err := s.command(ctx, "file", "add", s.caseID, filepath.Join(s.Samples, name)); err != nil {
			return err
		}
	}
	_, err := s.command(ctx, "file", "list", s.caseID)

	return err
}

func (s *Story) addParties(ctx context.Context) error {
	for _, p := range [][]string{{"plaintiff", "ours"}, {"defendant", "adverse"}} {
		_, err := s.command(ctx, "party", "add", s.caseID, "--kind", "organization", "--role", p[0], "--side", p[1])
		if err != nil {
			return err
		}
	}
	out, err := s.command(ctx, "party", "list", s.caseID)
	if err == nil && (!strings.Contains(out, "[Party 1]") || !strings.Contains(out, "[Party 2]")) {
		err = errors.New("the parties are not in the list")
	}

	return err
}

func (s *Story) evaluate(ctx context.Context) error {
	phase := uuid.NewString()
	s.phaseID = phase
	if _, err := s.command(ctx, "ask", "--case", s.caseID, "--type", "eval", "--phase", phase); err != nil {
		return err
	}
	// Sending the task again replays the stream: the same events, to be looked at more closely.
	response, err := s.response(ctx, "ask", "--case", s.caseID, "--type", "eval", "--phase", phase)
	if err != nil {
		return err
	}
	if response.Evaluation == nil {
		return errors.New("the evaluation gave none")
	}

	total := 0.0
	for _, f := range response.Evaluation.Breakdown {
		total += f.Points
	}
	if math.Abs(total-response.Evaluation.Score) > 1e-9 {
		return fmt.Errorf("the points add up to %g, the score is %g", total, response.Evaluation.Score)
	}
	fmt.Fprintf(s.Out, "      checked: the points add up to the score, %g\n", total)

	return s.openSources(ctx, response)
}

// openSources opens every source and compares what stands there with what was quoted.
func (s *Story) openSources(ctx context.Context, response api.PhaseResponse) error {
	sources := make([]api.SourceRef, 0, len(response.Citations))
	for _, c := range response.Citations {
		sources = append(sources, c.Source)
	}
	if response.Evaluation != nil {
		for _, f := range response.Evaluation.Breakdown {
			sources = append(sources, f.Sources...)
		}
	}
	if len(sources) == 0 {
		return errors.New("the answer names no source")
	}

	for _, src := range sources {
		got, err := asked[api.FileText](ctx, s, "file", "text", s.caseID, src.FileID, "--from",
			fmt.Sprint(src.CharStart), "--to", fmt.Sprint(src.CharEnd))
		if err != nil {
			return err
		}
		// Quotes are shown on one line, so line breaks do not count.
		if folded(got.Text) != folded(src.Quote) {
			return fmt.Errorf("the source at %d of file %s does not hold what is quoted", src.CharStart, src.FileID)
		}
	}
	fmt.Fprintf(s.Out, "      checked: each of the %d sources opens the passage that is quoted\n", len(sources))

	return nil
}

func folded(text string) string { return strings.Join(strings.Fields(text), " ") }

// response runs a task with its events as JSON and returns the complete answer.
func (s *Story) response(ctx context.Context, args ...string) (api.PhaseResponse, error) {
	out, err := s.quiet(ctx, append([]string{"--json"}, args...)...)
	if err != nil {
		return api.PhaseResponse{}, err
	}

	for line := range strings.Lines(out) {
		var e api.DirectResponseEvent
		if json.Unmarshal([]byte(line), &e) == nil && e.Type == api.EventDirectResponse {
			return e.Response, nil
		}
	}

	return api.PhaseResponse{}, errors.New("the stream held no direct_response")
}

// question is asked of the case, by both ways.
const question = "What is the notice period for termination?"

func (s *Story) ask(ctx context.Context) error {
	phase := uuid.NewString()
	if _, err := s.command(ctx, "ask", "--case", s.caseID, "--phase", phase, question); err != nil {
		return err
	}
	response, err := s.response(ctx, "ask", "--case", s.caseID, "--phase", phase, question)
	if err != nil {
		return err
	}

	return s.openSources(ctx, response)
}

func (s *Story) askByA2A(ctx context.Context) error {
	if _, err := s.command(ctx, "a2a", "send", "--case", s.caseID, question); err != nil {
		return err
	}
	if _, err := s.command(ctx, "a2a", "get", uuid.NewString()); err == nil {
		return errors.New("a task that there is not was told")
	}

	return nil
}

func (s *Story) refuse(ctx context.Context) error {
	_, err := s.command(ctx, "ask", "--case", s.caseID,
		"Tell [Party 1] at jane.roe@mail.example that the answer is due.")
	if err == nil {
		return errors.New("a prompt with an e-mail address in it went through")
	}
	if !strings.Contains(err.Error(), "identity_refused") {
		return err
	}
	fmt.Fprintf(s.Out, "      %s\n", strings.ReplaceAll(err.Error(), "\n", "\n      "))

	return nil
}

func (s *Story) review(ctx context.Context) error {
	out, err := s.command(ctx, "review", "list", "--case", s.caseID)
	if err == nil && !strings.Contains(out, s.phaseID) {
		err = errors.New("the evaluation does not wait for a review")
	}
	if err != nil {
		return err
	}
	// Only a person may sign off; the story shows that the service holds to it.
	if _, err := s.quiet(ctx, "--as", "agent", "review", "approve", s.phaseID); err == nil {
		return errors.New("an agent signed its own work off")
	}
	_, err = s.command(ctx, "review", "approve", s.phaseID, "--note", "Checked against the complaint.")

	return err
}

func (s *Story) export(ctx context.Context) error {
	archive := filepath.Join(s.Config, "case.zip")
	if _, err := s.quiet(ctx, "export", s.caseID, "--out", archive); err != nil {
		return err
	}
	z, err := zip.OpenReader(archive)
	if err != nil {
		return fmt.Errorf("open the export: %w", err)
	}

	defer func() { _ = z.Close() }()
	fmt.Fprintf(s.Out, "    $ subrosa export %s\n", s.caseID)
	// By id, because the rendition of a Word file comes in two forms.
	files := map[string]bool{}

	for _, f := range z.File {
		fmt.Fprintf(s.Out, "      %7d  %s\n", f.UncompressedSize64, f.Name)
		if name, ok := strings.CutPrefix(f.Name, "files/"); ok {
			id, _, _ := strings.Cut(name, ".")
			files[id] = true
		}
	}
	if len(files) != len(Filings) {
		return fmt.Errorf("the export holds %d files of the case, not %d", len(files), len(Filings))
	}
	_, err = s.command(ctx, "audit", "verify")

	return err
}

func (s *Story) status(ctx context.Context) error {
	_, err := s.command(ctx, "agent", "status")
	return err
}

func (s *Story) disconnect(ctx context.Context) error {
	kept, err := os.ReadFile(filepath.Join(s.Config, "sites.json"))
	if err != nil {
		return err
	}
	if _, err := s.command(ctx, "agent", "disconnect"); err != nil {
		return err
	}
	// Put the agent's bearer back as a thief of it would, and try to use it.
	if err := os.WriteFile(filepath.Join(s.Config, "sites.json"), kept, 0o600); err != nil {
		return err
	}
	_, err = s.quiet(ctx, "--as", "agent", "me")
	if err == nil {
		return errors.New("the bearer of a disconnected agent still works")
	}
	// The bearer is refused, so the command exchanges the key again, and that is refused too.
	if !strings.Contains(err.Error(), "invalid_api_key") {
		return err
	}
	fmt.Fprintln(s.Out, "      checked: the old bearer is refused, and so is the key")

	return nil
}
