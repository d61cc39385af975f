package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// revisions are those whose requirements the suite has.
var revisions = []string{"2026-07-28", "2025-11-25"}

// checks lists all runs, in their order.
func (s *stage) checks() []check {
	var all []check
	for _, revision := range revisions {
		all = append(all,
			check{
				"conformance server " + revision + ", the product through gateway and OAuth",
				func(ctx context.Context) (string, error) {
					return s.conform(ctx, s.direct, revision, filepath.Join(s.tools, "baseline-"+revision+".yml"))
				},
			})
	}

	for _, revision := range revisions {
		all = append(all,
			check{
				"conformance server " + revision + ", its handler chain with the suite's fixtures",
				func(ctx context.Context) (string, error) {
					return s.conform(ctx, s.fixed, revision,
						filepath.Join(s.tools, "baseline-fixtures-"+revision+".yml"))
				},
			})
	}
	all = append(all, check{"conformance of the tasks extension, the handler chain with the suite's fixtures", s.tasks})
	all = append(all, check{"conformance authorization", s.authorization})

	return append(append(all, s.hosts()...), s.inspections()...)
}

// node prepares a run of a script of one of the packages.
func (s *stage) node(ctx context.Context, script string, args ...string) *exec.Cmd {
	modules := filepath.Join(s.tools, "node_modules")
	cmd := exec.CommandContext(ctx, filepath.Join(modules, ".bin", "node"),
		append([]string{filepath.Join(modules, script)}, args...)...)
	cmd.Dir = s.scratch
	cmd.Env = append(os.Environ(), "HOME="+s.scratch, "NODE_EXTRA_CA_CERTS="+s.service.Facts.CAFile, "NO_COLOR=1",
		"MCP_INSPECTOR_SECRET_STORE=memory")

	return cmd
}

const suiteScript = "@modelcontextprotocol/conformance/dist/index.js"

var (
	scenario  = regexp.MustCompile(`(?m)^([✓✗~]) ([a-z0-9-]+): (\d+) passed, (\d+) failed`)
	expected  = regexp.MustCompile(`(?m)^  ~ ([a-z0-9-]+)`)
	wrongText = 4000 // characters of what a failed run said
)

// conform runs the server scenarios of one revision's requirements.
func (s *stage) conform(ctx context.Context, address, revision, baseline string) (string, error) {
	args := []string{"server", "--url", address, "--requirements", revision, "-o", filepath.Join(s.scratch, "results")}
	if _, err := os.Stat(baseline); err == nil {
		args = append(args, "--expected-failures", baseline)
	}
	out, err := s.node(ctx, suiteScript, args...).CombinedOutput()
	text := string(out)
	if err != nil {
		return "", fmt.Errorf("%w\n%s", err, tail(text))
	}

	listed := map[string]bool{}
	for _, m := range expected.FindAllStringSubmatch(text, -1) {
		listed[m[1]] = true
	}
	var whole, passed, short, unscored int

	for _, m := range scenario.FindAllStringSubmatch(text, -1) {
		n, _ := strconv.Atoi(m[3]) // of digits

		passed += n
		switch {
		case listed[m[2]]:
			short++
		case m[4] == "0" && n > 0:
			whole++
		default:
			// Otherwise the suite would not have ended well.
			unscored++
		}
	}
	if whole == 0 {
		return "", errors.New("it passed no scenario\n" + tail(text))
	}
	said := fmt.Sprintf("%d scenarios pass, %d checks; failing without being scored: %d", whole, passed, unscored)
	if short > 0 {
		said += fmt.Sprintf("; failing in whole or in part as %s says: %d", filepath.Base(baseline), short)
	}

	return said, nil
}

// taskScenarios are the scenarios of the extension for tasks that the suite can play. It has one more, of
// notifications, that it skips itself. No revision requires them.
var taskScenarios = []string{
	"lifecycle", "capability-negotiation", "wire-fields", "request-state-removal", "mrtr-input", "request-headers",
	"dispatch-and-envelope", "required-task-error", "mrtr-composition",
}

var passedOf = regexp.MustCompile(`(?m)^Passed: (\d+)/(\d+), 0 failed, 0 warnings`)

// tasks runs the scenarios of the extension for tasks, one by one.
func (s *stage) tasks(ctx context.Context) (string, error) {
	checks := 0

	for _, name := range taskScenarios {
		out, err := s.node(ctx, suiteScript, "server", "--url", s.fixed, "--scenario", "tasks-"+name,
			"-o", filepath.Join(s.scratch, "results")).CombinedOutput()
		passed := passedOf.FindStringSubmatch(string(out))
		if err != nil || passed == nil || passed[1] != passed[2] || passed[1] == "0" {
			return "", errors.Join(errors.New("tasks-"+name+"\n"+tail(string(out))), err)
		}
		n, _ := strconv.Atoi(passed[1]) // of digits
		checks += n
	}

	return fmt.Sprintf("%d scenarios pass, %d checks", len(taskScenarios), checks), nil
}

// tail returns the end of a text.
func tail(text string) string {
	if len(text) > wrongText {
		return "…" + text[len(text)-wrongText:]
	}

	return text
}

// authorization runs the scenarios of authorization servers, which want a person at a browser.
func (s *stage) authorization(ctx context.Context) (string, error) {
	addr, err := freeAddr(ctx)
	if err != nil {
		return "", err
	}
	redirect := "http://" + addr + "/callback"
	id, err := s.client(ctx, redirect)
	if err != nil {
		return "", err
	}
	_, port, _ := strings.Cut(addr, ":")
	base := s.service.Facts.BaseURL
	cmd := s.node(ctx, suiteScript, "authorization", "--url", base, "--client-id", id, "--resource", base+"/api/mcp",
		"-p", port, "-o", filepath.Join(s.scratch, "results"))
	visited := &visits{s: s, ctx: ctx, redirect: redirect}
	cmd.Stdout, cmd.Stderr = visited, visited
	err = cmd.Run()
	visited.going.Wait()
	if err = errors.Join(err, visited.err); err != nil {
		return "", fmt.Errorf("%w\n%s", err, tail(visited.text.String()))
	}
	var scenarios, passed int

	for _, m := range scenario.FindAllStringSubmatch(visited.text.String(), -1) {
		n, _ := strconv.Atoi(m[3]) // of digits
		scenarios, passed = scenarios+1, passed+n
		if m[4] != "0" {
			return "", errors.New(tail(visited.text.String()))
		}
	}
	if scenarios == 0 {
		return "", errors.New("no scenario was run\n" + tail(visited.text.String()))
	}

	return fmt.Sprintf("%d of %d scenarios pass, %d checks", scenarios, scenarios, passed), nil
}

// visits reads what a program prints, and opens each address of the sign-in in a browser, once.
type visits struct {
	s        *stage
	ctx      context.Context //nolint:containedctx // a writer has no other way to it
	redirect string          // where the program waits for the browser
	without  []string        // boxes that the person clears at the first sign-in

	mu    sync.Mutex
	text  strings.Builder
	seen  map[string]bool
	going sync.WaitGroup
	err   error
}

// Write takes what the program prints.
func (v *visits) Write(p []byte) (int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.text.Write(p)

	for _, address := range v.addresses(v.text.String()) {
		if v.seen == nil {
			v.seen = map[string]bool{}
		}
		if v.seen[address] {
			continue
		}
		v.seen[address] = true
		without := v.without
		v.without = nil
		v.going.Go(func() {
			if err := v.open(address, without); err != nil {
				v.mu.Lock()
				defer v.mu.Unlock()
				v.err = errors.Join(v.err, err)
			}
		})
	}

	return len(p), nil
}

// addresses finds those of the sign-in and of reviews that are followed by something else, so that none is cut off.
func (v *visits) addresses(text string) []string {
	pages := regexp.MustCompile(
		regexp.QuoteMeta(v.s.service.Facts.BaseURL) + `/(oauth/authorize|i/review)\?([!-~]+)[\s\x00-\x1f]`,
	)

	all := pages.FindAllString(text, -1)
	for i, a := range all {
		all[i] = a[:len(a)-1]
	}

	return all
}

// open signs in, decides, and goes back to the program. On the page of a review it approves.
func (v *visits) open(address string, without []string) error {
	if strings.Contains(address, "/i/review?") {
		return v.s.approve(v.ctx, address)
	}
	browser := v.s.browser()
	browser.Without = without
	back, err := browser.Open(v.ctx, address, v.redirect)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(v.ctx, http.MethodGet, back.String(), nil)
	if err != nil {
		return err
	}
	resp, err := v.s.http.Do(req)
	if err != nil {
		return err
	}

	return resp.Body.Close()
}
