// Package settings holds the list of settings in the documentation to what the programs themselves say.
package settings_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	agentsvc "github.com/subrosa-legal/subrosa/agent-svc"
	authsvc "github.com/subrosa-legal/subrosa/auth-svc"
	casesvc "github.com/subrosa-legal/subrosa/case-svc"
	"github.com/subrosa-legal/subrosa/gateway"
	partysvc "github.com/subrosa-legal/subrosa/party-svc"
	"github.com/subrosa-legal/subrosa/pkg/config"
	"github.com/subrosa-legal/subrosa/pkg/launch"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	registrysvc "github.com/subrosa-legal/subrosa/registry-svc"
)

var update = flag.Bool("update", false, "write the list of settings anew")

// begins is the line of the document behind which the list stands.
const begins = "## Every setting"

func TestEverySettingIsInTheDocument(t *testing.T) {
	path := filepath.Join(testkit.Tree(t), "docs", "settings.md")
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, have, found := strings.Cut(string(raw), begins)
	if !found {
		t.Fatalf("%s has no line %q", path, begins)
	}
	want := list([]launch.Entry{
		gateway.Entry(), registrysvc.Entry(), authsvc.Entry(), agentsvc.Entry(), casesvc.Entry(), partysvc.Entry(),
	})

	if *update {
		if err := os.WriteFile(path, []byte(before+begins+want), 0o644); err != nil {
			t.Fatal(err)
		}

		return
	}
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("docs/settings.md is not of today; go test ./deploy/settings -update writes it (-want +have):\n%s", diff)
	}
}

// list writes a table of the settings that several services have, and one for each service of its own.
func list(services []launch.Entry) string {
	users := map[config.Setting][]string{}
	var all []config.Setting

	for _, s := range services {
		for _, one := range s.Settings {
			if users[one] == nil {
				all = append(all, one)
			}
			users[one] = append(users[one], s.Name)
		}
	}
	var b strings.Builder
	b.WriteString("\n\nWritten by `go test ./deploy/settings -update` from what the programs say with `--help`.\n")

	b.WriteString("\n### Of several services\n\n| setting | default | of | meaning |\n|---|---|---|---|\n")

	for _, one := range all {
		if len(users[one]) > 1 {
			of := strings.Join(users[one], ", ")
			if len(users[one]) == len(services) {
				of = "all"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", one.Name, preset(one), of, cell(one.Help))
		}
	}

	for _, s := range services {
		fmt.Fprintf(&b, "\n### Of %s\n\n| setting | default | meaning |\n|---|---|---|\n", s.Name)

		own := slices.DeleteFunc(slices.Clone(s.Settings), func(one config.Setting) bool { return len(users[one]) > 1 })
		for _, one := range own {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", one.Name, preset(one), cell(one.Help))
		}
	}

	return b.String()
}

// preset says what holds when a setting is not set.
func preset(s config.Setting) string {
	switch {
	case s.Required:
		return "**required**"
	case s.Default == "":
		return ""
	}

	return "`" + s.Default + "`"
}

// cell writes text for a cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
