package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every mistake still finds the place where it is to be planted: who changes a file that is deployed sees at once what to change here.
func TestMistakesHaveTheirPlace(t *testing.T) {
	names := map[string]bool{}
	for _, m := range mistakes() {
		if m.want == "" || names[m.validator+m.name] {
			t.Errorf("%s: %s wants nothing, or is there twice", m.validator, m.name)
		}
		names[m.validator+m.name] = true
		text, err := os.ReadFile(filepath.Join("..", "..", "..", m.file))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.into(string(text)); err != nil {
			t.Errorf("%s: %s: %v", m.validator, m.name, err)
		}
	}
	if _, err := (mistake{was: "a", planted: "b"}).into("a a"); err == nil {
		t.Error("a mistake is planted in one of two places")
	}
	if _, err := (mistake{was: "a", planted: "a"}).into("a"); err == nil {
		t.Error("nothing is planted")
	}
}

// Every alert has a mistake planted for its unit tests.
func TestEveryAlertHasItsMistake(t *testing.T) {
	var planted strings.Builder
	for _, m := range mistakes() {
		planted.WriteString(m.validator + ": " + m.name + "\n")
	}
	text, err := os.ReadFile("../../observability/rules/causes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	alerts := 0

	for line := range strings.Lines(string(text)) {
		alert, is := strings.CutPrefix(strings.TrimSpace(line), "- alert: ")
		if !is {
			continue
		}
		alerts++
		if !strings.Contains(planted.String(), "rule tests: "+alert+" by ") {
			t.Errorf("nothing is planted for %s", alert)
		}
	}
	if alerts < 10 {
		t.Errorf("only %d alerts were found", alerts)
	}
}
