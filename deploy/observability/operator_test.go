package observability_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "make the PrometheusRules of deploy/k8s anew from the rules")

// wrapped is the PrometheusRule of a file of rules: its text, comments and all, as the spec.
func wrapped(name string, rules []byte) string {
	var b strings.Builder
	fmt.Fprintf(&b, "---\napiVersion: monitoring.coreos.com/v1\nkind: PrometheusRule\nmetadata:\n  name: subrosa-%s\nspec:\n", name)

	for line := range bytes.Lines(rules) {
		if len(bytes.TrimSpace(line)) > 0 {
			b.WriteString("  ")
		}
		b.Write(line)
	}

	return b.String()
}

// The rules have one source, from which the operator's form is made: go test ./deploy/observability -run Operator -update
func TestTheOperatorGetsTheRules(t *testing.T) {
	files, err := filepath.Glob("rules/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no rules: %v", err)
	}
	want := "# Made of deploy/observability/rules by go test ./deploy/observability -run Operator -update; change them there.\n"

	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want += wrapped(strings.TrimSuffix(filepath.Base(file), ".yaml"), text)
	}
	made := filepath.Join("..", "k8s", "components", "alerts", "rules.yaml")
	if *update {
		if err := os.WriteFile(made, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(made); err != nil || string(got) != want {
		t.Errorf("%s is not what the rules make (-update): %v", made, err)
	}
}
