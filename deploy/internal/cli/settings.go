package cli

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
)

type settingsCmd struct {
	Show settingsShowCmd `cmd:"" help:"Show your organization's settings."`
	Set  settingsSetCmd  `cmd:"" help:"Change your organization's settings; needs the role admin."`
}

type settingsShowCmd struct{}

// Run shows the settings.
func (settingsShowCmd) Run(sh *shell) error {
	return one(sh, get("v1", "settings"), settingsFacts)
}

func settingsFacts(w io.Writer, s api.Settings) {
	var kept, cuts []string
	// The order of a map changes from run to run; sorted puts it right.
	for code, years := range s.Retention {
		kept = append(kept, fmt.Sprintf("%s %d years", code, years))
	}

	for _, n := range s.TierCutPoints {
		cuts = append(cuts, strconv.Itoa(n))
	}
	archive, rules := "never", "built in"
	if s.ArchiveAfterDays != nil {
		archive = fmt.Sprintf("%d days after closing", *s.ArchiveAfterDays)
	}
	if s.DeadlineRules != nil {
		rules = fmt.Sprintf("version %s, %d rules", s.DeadlineRules.Version, len(s.DeadlineRules.Rules))
	}
	sheet(w,
		"kept for", strings.Join(sorted(kept), ", "),
		"archived", archive,
		"opened by", s.OpenedBy,
		"conflicts", s.ConflictPolicy,
		"tiers from", strings.Join(cuts, ", "),
		"deadline rules", rules,
		"allowed words", len(s.AllowedWords),
		"authorities", len(s.Authorities),
		"ai policy", s.DefaultAIPolicy,
		"a2a without a case", s.A2ADefaultContainer,
		"old originals", originals(s),
		"version", s.Version)
}

// originals says what there is of files that were stored before only renditions were kept; "" when there is nothing.
func originals(s api.Settings) string {
	o := s.Originals
	if o == nil {
		return ""
	}
	told := fmt.Sprintf("%d files of %d bytes are set aside", o.SetAside, o.SizeBytes)
	if s.RemoveOriginals {
		told += ", and go 30 days after that"
	} else if o.SetAside > 0 {
		told += ", and stay until subrosa settings set --remove-originals"
	}
	if o.Waiting > 0 {
		told += fmt.Sprintf("; %d wait for their rendition", o.Waiting)
	}
	if o.Unreadable > 0 {
		told += fmt.Sprintf("; %d cannot be rendered, and their bytes stay", o.Unreadable)
	}

	return told
}

func sorted(texts []string) []string {
	slices.Sort(texts)
	return texts
}

type settingsSetCmd struct {
	OpenedBy  string         `name:"opened-by" help:"Who may open cases: ${enum}." enum:",owners,users,agents" default:""`
	Conflicts string         `name:"conflict-policy" help:"What a conflict does: ${enum}." enum:",flag,block" default:""`
	AIPolicy  string         `name:"default-ai-policy" help:"For new cases: ${enum}." enum:",${aiPolicies}" default:""`
	A2A       string         `name:"a2a-default-container" help:"A message that names no case: ${enum}." enum:",ask,new_case" default:""`
	Archive   int            `name:"archive-after-days" help:"Days from closing to the archive." placeholder:"N"`
	Tiers     []int          `help:"Where tiers 2, 3 and 4 begin, such as 20,40,60." placeholder:"N"`
	Retention map[string]int `help:"Years by policy code, such as default=7." placeholder:"CODE=YEARS"`
	Words     []string       `name:"allowed-words" help:"Words that are no identities; replaces the list." placeholder:"WORD"`
	Citations []string       `name:"authorities" help:"Citations that models may name, or @FILE." placeholder:"CITATION" sep:"none"`
	Remove    bool           `name:"remove-originals" help:"${removeOriginals}"`
	Set       string         `help:"More settings as a JSON object, or @FILE with one; null clears." placeholder:"JSON"`
	IfVersion int            `name:"if-version" help:"Only if the settings still have this version." placeholder:"N"`
}

// Run changes settings.
func (cmd *settingsSetCmd) Run(sh *shell) error {
	in := fields{}
	in.text("openedBy", cmd.OpenedBy)
	in.text("conflictPolicy", cmd.Conflicts)
	in.text("defaultAiPolicy", cmd.AIPolicy)
	in.text("a2aDefaultContainer", cmd.A2A)
	in.texts("allowedWords", cmd.Words)
	if len(cmd.Citations) > 0 {
		list, err := linesOf(cmd.Citations)
		if err != nil {
			return err
		}
		in["authorities"] = list
	}
	if cmd.Archive != 0 {
		in["archiveAfterDays"] = cmd.Archive
	}
	if cmd.Remove {
		// There is no flag to take it back: what was deleted stays deleted.
		in["removeOriginals"] = true
	}
	if len(cmd.Tiers) > 0 {
		in["tierCutPoints"] = cmd.Tiers
	}
	if len(cmd.Retention) > 0 {
		in["retention"] = cmd.Retention
	}
	if err := in.merged(cmd.Set); err != nil {
		return err
	}
	if len(in) == 0 {
		return &misuse{"say what to change, for example: subrosa settings set --opened-by owners"}
	}

	return person(
		sh,
		httpcall.Request{Method: http.MethodPatch, Path: "/v1/settings", In: in, Header: match(cmd.IfVersion)},
		settingsFacts,
	)
}

// linesOf returns values, with the lines of FILE in the place of @FILE.
func linesOf(values []string) ([]string, error) {
	list := []string{}

	for _, value := range values {
		if path, ok := strings.CutPrefix(value, "@"); ok {
			text, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			value = string(text)
		}

		for line := range strings.Lines(value) {
			if line = strings.TrimSpace(line); line != "" {
				list = append(list, line)
			}
		}
	}

	return list, nil
}
