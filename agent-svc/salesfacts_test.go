package agentsvc

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSalesFacts(t *testing.T) {
	t.Parallel()
	write := func(text string) string {
		t.Helper()
		path := filepath.Join(t.TempDir(), "facts.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}

		return path
	}
	if s, err := salesFacts(t.Context(), ""); s != nil || err != nil {
		t.Errorf("without a path: %v, %v", s, err)
	}
	if s, err := salesFacts(t.Context(), "../deploy/samples/sales-facts.json"); s == nil || err != nil {
		t.Errorf("the sample: %v, %v", s, err)
	}

	for path, want := range map[string]string{
		filepath.Join(t.TempDir(), "none.json"): "no such file",
		write(`{"version":"1"}`):                "facts must be 1 to 200",
		write(`{"version":"1","facts":[{"topic":"plans","title":"Team","text":"Call 415-555-0134 for an offer."}]}`): "facts[0].text holds what could be a real identity",
	} {
		if _, err := salesFacts(t.Context(), path); err == nil || !strings.HasPrefix(err.Error(), "AGENT_SALES_FACTS: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("salesFacts = %v, want %q", err, want)
		}
	}
}
