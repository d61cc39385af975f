package observability_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
	"sigs.k8s.io/yaml"

	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// ruleFile is a file of rules as Prometheus reads it; a field that is not here is a mistake.
type ruleFile struct {
	Groups []struct {
		Name  string `json:"name"`
		Rules []rule `json:"rules"`
	} `json:"groups"`
}

type rule struct {
	Record      string            `json:"record"`
	Alert       string            `json:"alert"`
	Expr        string            `json:"expr"`
	For         string            `json:"for"`
	Labels      map[string]string `json:"labels"`
	Annotations map[string]string `json:"annotations"`
}

func rules(t *testing.T) []rule {
	t.Helper()
	files, err := filepath.Glob("rules/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no rules: %v", err)
	}
	var all []rule

	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var read ruleFile
		if err := yaml.UnmarshalStrict(text, &read); err != nil {
			t.Fatalf("%s: %v", file, err)
		}

		for _, g := range read.Groups {
			all = append(all, g.Rules...)
		}
	}

	return all
}

// variables stand in dashboards for what Grafana puts in their place.
var variables = strings.NewReplacer("$__rate_interval", "5m", "$service", "registry-svc")

// queries returns the expressions of the dashboards, by where they stand.
func queries(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob("dashboards/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no dashboards: %v", err)
	}
	all, uids := map[string]string{}, map[string]string{}

	for _, file := range files {
		var board struct {
			UID    string
			Title  string
			Panels []struct {
				ID      int
				Title   string
				GridPos struct{ X, Y, W, H int }
				Targets []struct{ Expr, RefID string }
			}
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &board); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		if board.UID+".json" != filepath.Base(file) || board.Title == "" || uids[board.Title] != "" || len(board.Panels) == 0 {
			t.Errorf("%s: its uid is not its name, its title is taken, or it is empty", file)
		}

		uids[board.Title] = file
		for i, p := range board.Panels {
			if p.Title == "" || p.GridPos.W == 0 || p.GridPos.X+p.GridPos.W > 24 || len(p.Targets) == 0 {
				t.Errorf("%s: panel %d has no title, no place or no query", file, p.ID)
			}

			for j, other := range board.Panels[:i] {
				a, b := p.GridPos, other.GridPos
				if a.X < b.X+b.W && b.X < a.X+a.W && a.Y < b.Y+b.H && b.Y < a.Y+a.H || p.ID == other.ID {
					t.Errorf("%s: panels %d and %d lie on one another", file, i, j)
				}
			}

			for _, q := range p.Targets {
				all[fmt.Sprintf("%s: %s (%s)", file, p.Title, q.RefID)] = variables.Replace(q.Expr)
			}
		}
	}

	return all
}

// outcomes are labels whose values a story does not all bring about: what goes wrong, and how things end.
var outcomes = []string{"code", "status", "http_response_status_code", "alertstate"}

// labelsOf returns the labels of each metric.
func labelsOf(all []series) map[string]map[string]bool {
	known := map[string]map[string]bool{}

	for _, s := range all {
		if known[s["__name__"]] == nil {
			known[s["__name__"]] = map[string]bool{}
		}

		for l := range s {
			known[s["__name__"]][l] = true
		}
	}

	return known
}

// faults tells what of an expression is not exposed: a metric, a label of it, or the places that its plain matchers
// name. known are the labels of each metric.
func faults(expr string, all []series, known map[string]map[string]bool) []string {
	parsed, err := parser.NewParser(parser.Options{}).ParseExpr(expr)
	if err != nil {
		return []string{err.Error()}
	}
	var found, names []string
	parser.Inspect(parsed, func(node parser.Node, _ []parser.Node) error {
		selector, is := node.(*parser.VectorSelector)
		if !is {
			return nil
		}
		names = append(names, selector.Name)
		if known[selector.Name] == nil {
			found = append(found, "nobody exposes "+selector.Name)
			return nil
		}

		for _, m := range selector.LabelMatchers {
			if !known[selector.Name][m.Name] {
				found = append(found, selector.Name+" has no label "+m.Name)
			}
		}
		if !slices.ContainsFunc(all, func(s series) bool { return chooses(selector.LabelMatchers, s) }) {
			found = append(found, selector.String()+" selects nothing")
		}

		return nil
	})
	parser.Inspect(parsed, func(node parser.Node, _ []parser.Node) error {
		grouped, is := node.(*parser.AggregateExpr)
		if !is {
			return nil
		}

		for _, l := range grouped.Grouping {
			if !slices.ContainsFunc(names, func(name string) bool { return known[name][l] }) {
				found = append(found, "nothing has the label "+l+" to group by")
			}
		}

		return nil
	})
	if len(names) == 0 {
		found = append(found, "it asks for no metric")
	}

	return found
}

// chooses reports whether matchers choose s, outcomes apart.
func chooses(matchers []*labels.Matcher, s series) bool {
	for _, m := range matchers {
		if !slices.Contains(outcomes, m.Name) && !m.Matches(s[m.Name]) {
			return false
		}
	}

	return true
}

func TestRulesAndDashboardsAskForWhatIsExposed(t *testing.T) {
	all := exposed(t)

	written := rules(t)
	for _, r := range written {
		if r.Record != "" {
			all = append(all, series{"__name__": r.Record})
		}
	}

	known := labelsOf(all)
	for _, r := range written {
		for _, fault := range faults(r.Expr, all, known) {
			t.Errorf("rule %s%s: %s", r.Record, r.Alert, fault)
		}
	}

	for place, expr := range queries(t) {
		for _, fault := range faults(expr, all, known) {
			t.Errorf("%s: %s", place, fault)
		}
	}

	for _, tc := range []struct{ expr, want string }{
		{`rate(subrosa_streams_lost_total[5m])`, "nobody exposes subrosa_streams_lost_total"},
		{`sum(subrosa_streams_active{replica="a"})`, "has no label replica"},
		{`sum by (tenant) (subrosa_streams_active)`, "tenant to group by"},
		{`up{service="agents"}`, "selects nothing"},
		{`http_server_request_duration_seconds_bucket{le="0.55"}`, "selects nothing"},
		{`sum(rate(subrosa_streams_active)`, "unclosed"},
		{`1 + 1`, "asks for no metric"},
	} {
		if found := strings.Join(faults(tc.expr, all, known), "; "); !strings.Contains(found, tc.want) {
			t.Errorf("planted %s: found %q, want %q", tc.expr, found, tc.want)
		}
	}
	nothingOfCallers(t, all)
}

// nothingOfCallers: no label holds an id or an address of somebody.
func nothingOfCallers(t *testing.T, all []series) {
	t.Helper()
	telling := regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-|@|\bsk_|Bearer|\[(Party|Person)`)

	for _, s := range all {
		for name, value := range s {
			if telling.MatchString(value) {
				t.Errorf("%s has %s=%q", s["__name__"], name, value)
			}
		}
	}
}

func TestAlertsHaveTheirRunbooks(t *testing.T) {
	const home = "https://github.com/subrosa-legal/subrosa/blob/main/docs/runbooks/"

	recorded, linked := map[string]bool{}, map[string]bool{}
	for _, r := range rules(t) {
		if (r.Record == "") == (r.Alert == "") || recorded[r.Record] && r.Record != "" {
			t.Errorf("%s%s: neither or both of record and alert, or recorded twice", r.Record, r.Alert)
		}
		recorded[r.Record] = true
		if r.Alert == "" {
			continue
		}
		page := strings.TrimPrefix(r.Annotations["runbook_url"], home)
		if page != r.Alert+".md" || r.For == "" || r.Annotations["summary"] == "" || r.Labels["severity"] != "page" && r.Labels["severity"] != "ticket" {
			t.Errorf("%s: no runbook of its own, no time, no summary, or a severity that is neither page nor ticket", r.Alert)
		}
		linked[r.Alert+".md"] = true
	}

	folder := testkit.Tree(t, "docs", "runbooks")
	for page := range linked {
		text, err := os.ReadFile(filepath.Join(folder, page))
		if err != nil {
			t.Error(err)
			continue
		}

		for _, part := range []string{"# " + strings.TrimSuffix(page, ".md") + "\n", "\n## What it means\n", "\n## What to look at\n", "\n## What to do\n"} {
			if !strings.Contains(string(text), part) {
				t.Errorf("%s has no %q", page, strings.TrimSpace(part))
			}
		}
	}
	pages, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}

	for _, p := range pages {
		if !linked[p.Name()] && p.Name() != "README.md" {
			t.Errorf("no alert links to %s", p.Name())
		}
	}
}
