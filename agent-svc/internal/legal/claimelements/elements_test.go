package claimelements_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/casereading"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/claimelements"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/guard"
)

func matrixOf(t testing.TB, texts ...string) *claimelements.Matrix {
	m := claimelements.NewFinder().New()

	for i, text := range texts {
		file := api.File{FileID: fmt.Sprint("f", i), Name: fmt.Sprintf("File %d.txt", i)}
		m.Add(text, casereading.NewQuoter(t.Context(), guard.New(), file, api.FileText{FileID: file.FileID, TextVersion: 1, Text: text}))
	}

	return m
}

func quotes(list []claimelements.Passage) string {
	var all []string
	for _, p := range list {
		all = append(all, p.At.Quote)
	}

	return strings.Join(all, " | ")
}

// TestTable wants twelve claims with names of their own, each element with terms of both sides, and no term on two places of one claim.
func TestTable(t *testing.T) {
	claims := claimelements.Claims()
	if len(claims) != 12 {
		t.Errorf("%d claims, want 12", len(claims))
	}
	aliases := map[string]string{}

	for _, c := range claims {
		for _, a := range c.Aliases {
			if other, taken := aliases[a]; taken {
				t.Errorf("%q names %s and %s", a, other, c.ID)
			}
			aliases[a] = c.ID
		}
		if len(c.Elements) < 3 {
			t.Errorf("%s has %d elements", c.ID, len(c.Elements))
		}
		seen := map[string]bool{}

		for _, e := range c.Elements {
			if len(e.For) < 3 || len(e.Against) < 2 {
				t.Errorf("%s, %s has too few terms", c.ID, e.Name)
			}

			for _, term := range slices.Concat(e.For, e.Against) {
				phrase := strings.TrimSuffix(term, "!")
				if seen[phrase] {
					t.Errorf("%s has %q in two places", c.ID, phrase)
				}
				seen[phrase] = true
				if phrase != strings.ToLower(strings.Join(strings.Fields(phrase), " ")) {
					t.Errorf("%s: %q is not of the form of a term", c.ID, phrase)
				}
			}
		}
	}
}

func TestNamed(t *testing.T) {
	for text, want := range map[string]string{
		"What are the elements of negligence?":                     "negligence",
		"COUNT II: Negligent Misrepresentation":                    "negligent_misrepresentation",
		"Count I - breach of contract; Count II unjust enrichment": "breach_of_contract unjust_enrichment",
		"Do we have a defense to the eviction?":                    "eviction_defense",
		"What does the lease say?":                                 "",
		"negligence and negligent misrepresentation":               "negligence negligent_misrepresentation",
	} {
		var got []string
		for _, c := range claimelements.Named(text) {
			got = append(got, c.ID)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q names %q, want %q", text, got, want)
		}
	}
}

func TestMatrix(t *testing.T) {
	m := matrixOf(t, "[Party 1] and [Party 2] signed the agreement in March. [Party 1] performed all of the work. [Party 2] has not paid, and breached the agreement. "+
		"[Party 1] suffered lost profits.\n\n[Party 2] was not in breach. The weather was fine.\n")

	const claim = "breach_of_contract"
	for element, want := range []struct{ yes, no string }{
		{"signed the agreement in March", ""},
		{"performed all of the work", ""},
		{"has not paid, and breached", "was not in breach"},
		{"suffered lost profits", ""},
	} {
		yes, no := quotes(m.For(claim, element)), quotes(m.Against(claim, element))
		if !strings.Contains(yes, want.yes) || !strings.Contains(no, want.no) || want.no == "" && no != "" {
			t.Errorf("element %d: for %q, against %q; want %+v", element, yes, no, want)
		}
		if strings.Contains(yes+no, "weather") {
			t.Errorf("element %d quotes what says nothing: %q", element, yes+no)
		}
	}
}

// TestDenialTurnsATerm wants a term behind a denial to speak for the other side.
func TestDenialTurnsATerm(t *testing.T) {
	m := matrixOf(t, "[Party 2] never breached it.\n\n[Party 2] denies that it was injured by the fall.\n")
	if got := quotes(m.Against("breach_of_contract", 2)); !strings.Contains(got, "never breached") {
		t.Errorf("against the breach speaks %q", got)
	}
	if got := quotes(m.For("breach_of_contract", 2)); got != "" {
		t.Errorf("for the breach speaks %q", got)
	}
}

// TestWeightiestAreKept wants at most three passages of a spot, the weightiest first and, of two alike, the earlier.
func TestWeightiestAreKept(t *testing.T) {
	var b strings.Builder
	for i := range 20 {
		fmt.Fprintf(&b, "Line %d says that [Party 2] breached it.\n\n", i)
	}
	b.WriteString("[Party 2] breached it, repudiated it and refused to pay.\n")
	list := matrixOf(t, b.String()).For("breach_of_contract", 2)
	if len(list) != 3 || !strings.Contains(list[0].At.Quote, "repudiated") || !strings.Contains(list[1].At.Quote, "Line 0 ") || !strings.Contains(list[2].At.Quote, "Line 1 ") {
		t.Errorf("kept are %q", quotes(list))
	}
}

// TestIdentitiesAreNotQuoted wants a sentence that the gate would hold back to be passed over.
func TestIdentitiesAreNotQuoted(t *testing.T) {
	m := matrixOf(t, "Quillon Zorbanek breached the agreement and refused to pay.\n")
	if got := quotes(m.For("breach_of_contract", 2)); got != "" {
		t.Errorf("quoted is %q", got)
	}
}

func FuzzMatrix(f *testing.F) {
	f.Add("[Party 1] never breached it.\n\nHe was negligent; without notice!\x80")
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "\uFFFD")
		m := matrixOf(t, text)

		for _, c := range claimelements.Claims() {
			for i := range c.Elements {
				for _, p := range slices.Concat(m.For(c.ID, i), m.Against(c.ID, i)) {
					runes := []rune(text)
					if got := facts.Fold(string(runes[p.At.CharStart:p.At.CharEnd])); got != p.At.Quote {
						t.Fatalf("quote %q, there stands %q", p.At.Quote, got)
					}
				}
			}
		}
	})
}

// BenchmarkMatrix reads a text for all claims, beside a scan for the phrases of the rubric.
func BenchmarkMatrix(b *testing.B) {
	text := strings.Repeat("[Party 2] has not paid the rent, and the roof leaked since the parties signed the lease. The hearing was held in spring.\n\n", 4000)
	finder, terms := claimelements.NewFinder(), facts.NewLexicon(facts.Terms())
	b.Run("matrix", func(b *testing.B) {
		b.SetBytes(int64(len(text)))

		for b.Loop() {
			finder.New().Add(text, casereading.NewQuoter(b.Context(), guard.New(), api.File{FileID: "f"}, api.FileText{FileID: "f", Text: text}))
		}
	})
	b.Run("rubric", func(b *testing.B) {
		b.SetBytes(int64(len(text)))

		for b.Loop() {
			terms.Scan(text, func(facts.Hit) {})
		}
	})
}

// TestLiquidatedDamagesAreNoDefense wants a prayer for liquidated damages on the side of who claims, and not against a loss too.
func TestLiquidatedDamagesAreNoDefense(t *testing.T) {
	m := matrixOf(t, "Plaintiff seeks back pay and liquidated damages.\n")
	if got := quotes(m.Against("breach_of_contract", 3)); got != "" || quotes(m.For("breach_of_contract", 3)) == "" {
		t.Errorf("against the loss: %q, for it: %q", got, quotes(m.For("breach_of_contract", 3)))
	}
}

// TestAContractSpeaksForItself wants the opening of a contract to speak for there being one.
func TestAContractSpeaksForItself(t *testing.T) {
	m := matrixOf(t, "SUPPLY AGREEMENT\n\nThis Supply Agreement is made as of January 5, 2026 between [Party 1] and [Party 2].\n\nThe Buyer shall pay.\n")
	if got := quotes(m.For("breach_of_contract", 0)); !strings.Contains(got, "is made as of January 5, 2026") {
		t.Errorf("for a contract: %q", got)
	}
}
