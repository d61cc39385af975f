package cli_test

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/deploy/internal/cli"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

const asYou = "This is done as you and not as the connected agent: only a person may do it.\n"

// TestWhoActsIsSaid walks over the examples of all commands, from where an agent is connected: a command acts as the
// agent, or says once that it does not.
func TestWhoActsIsSaid(t *testing.T) {
	testkit.WithoutDetector(t)
	t.Chdir(t.TempDir()) // some examples write files
	ids := strings.NewReplacer(
		"CASE", caseID, "PARTY", partyID, "FILE", fileID, "PHASE", phaseID, "ENTRY", entryID, "BRANCH", branchID,
		"PARTNER", mateID, "INVITE", inviteID, "GRANT", entryID, "USER", "cara",
	)
	acted := map[string]string{} // who, by command

	for _, name := range slices.Sorted(maps.Keys(cli.Examples)) {
		for line := range strings.Lines(cli.Examples[name]) {
			args, ok := strings.CutPrefix(strings.TrimSpace(line), "subrosa ")
			// These begin to sign in, go on until somebody ends them, or speak a protocol that is for agents alone.
			group, _, _ := strings.Cut(name, " ")
			apart := slices.Contains([]string{"login", "connect", "agent serve"}, name) || group == "a2a"
			if !ok || apart {
				continue
			}
			s := newService(t)
			s.connectAgent()

			for _, chain := range []string{"case", "party", "agents", "auth"} {
				s.answers["GET /v1/audit/"+chain] = page()
			}

			_, _, problems := s.run(words(ids.Replace(args))...)

			who := ""
			for _, a := range s.asked {
				who += strings.TrimPrefix(a.bearer, "Bearer ") + " "
			}
			named := strings.Contains(args, "--as user")
			asUser := strings.Contains(who, "user-token") && !named
			if got := strings.Count(problems, asYou); got > 1 || asUser != (got == 1) {
				t.Errorf("%s: acted as %q, and says %q", args, who, problems)
			}
			if !named {
				acted[name] += who
			}
		}
	}

	for who, some := range map[string][]string{
		"user-token": {
			"timeline confirm", "timeline edit", "case restore", "settings set", "export", "audit list", "review list",
			"vault status", "agent status", "member list",
		},
		"agent-bearer": {"case create", "case show", "timeline show", "timeline add", "file list", "party list", "ask"},
	} {
		for _, name := range some {
			if fields := strings.Fields(acted[name]); len(fields) == 0 || fields[0] != who {
				t.Errorf("%s acts as %q, want %s", name, acted[name], who)
			}
		}
	}
}

// TestNobodyIsToldWhereNobodyElseCouldAct has nothing said where no agent is connected, or where the command says who.
func TestNobodyIsToldWhereNobodyElseCouldAct(t *testing.T) {
	alone := newService(t)
	if code, _, problems := alone.run("case", "restore", caseID); code != 0 || problems != "" {
		t.Errorf("without an agent: code %d, says %q", code, problems)
	}
	named := newService(t)
	named.connectAgent()
	if code, _, problems := named.run("--as", "user", "case", "restore", caseID); code != 0 || problems != "" {
		t.Errorf("as the user: code %d, says %q", code, problems)
	}
	if code, _, problems := named.run("--as", "agent", "case", "restore", caseID); code != 0 || problems != "" {
		t.Errorf("as the agent: code %d, says %q", code, problems)
	}
	if got := named.last(); got.bearer != "Bearer agent-bearer" {
		t.Errorf("--as agent acts as %q", got.bearer)
	}
}

// connectAgent has the settings know an agent, beside the user who signed in.
func (s *service) connectAgent() {
	s.t.Helper()
	name := filepath.Join(s.folder, "config", "sites.json")
	text, err := os.ReadFile(name)
	if err != nil {
		s.t.Fatal(err)
	}
	with := strings.Replace(string(text), `"token":`,
		`"agent":{"id":"a","key":"k","bearer":"agent-bearer","until":"2100-01-01T00:00:00Z"},"token":`, 1)
	if err := os.WriteFile(name, []byte(with), 0o600); err != nil {
		s.t.Fatal(err)
	}
}

// words are those of a line of an example, as a shell would part them.
func words(line string) (all []string) {
	for i, piece := range strings.Split(line, "'") {
		// Every second piece stood between quotation marks.
		if i%2 == 1 {
			all = append(all, piece)
			continue
		}
		all = append(all, strings.Fields(piece)...)
	}

	return all
}
