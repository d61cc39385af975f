package verify_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/verify"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/label"
)

func record() verify.Record {
	passage := func(file, text string, page int) verify.Passage {
		return verify.Passage{FileName: file, Text: text, Source: api.SourceRef{FileID: file, TextVersion: 1, Page: page, CharEnd: len(text), Quote: text}}
	}

	return verify.Record{
		Passages: []verify.Passage{
			passage("Lease.txt", "4. Rent. The Tenant shall pay $1,250.50 on the first day of each\nmonth. A late charge of five percent (5%) is due after thirty (30) days.", 2),
			passage("Notice 7.txt", "On March 4, 2026, [Party 1] gave notice under Section 9.2 of the lease. See Smith v. Jones, 347 U.S. 483 (1954). The “Term” ends 12/11/2027.", 0),
			passage("Odd.txt", "Press <enter> to go on; paragraph 3 says nothing.", 0),
		},
		Computed: []string{"30 days from 2026-03-04: 2026-04-03", "Amounts: USD 2501.00"},
		Labels:   map[label.Label]bool{{Kind: "Party", N: 1}: true, {Kind: "Address", N: 2}: true},
	}
}

func TestSentences(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       []verify.Kind
	}{
		{"borne out", "The rent is $1,250.50 and is due on the first day of each month [1].", nil},
		{"the mark behind the full stop", "The rent is $1,250.50. [1]", nil},
		{"two sentences with a mark each", "The rent is $1,250.50.[1] Notice was given on 4 March 2026. [2]", nil},
		{"a range of marks", "The rent and the notice are told of [1-2].", nil},
		{"a list of marks", "The rent and the notice are told of [1, 2].", nil},
		{"no such passage", "The rent is due on the first day [4].", []verify.Kind{verify.Citation}},
		{"passage zero", "The rent is due on the first day [0].", []verify.Kind{verify.Citation}},
		{"a range beyond what was read", "The rent is due on the first day [1-9].", slices.Repeat([]verify.Kind{verify.Citation}, 6)},
		{"no source", "The tenant has plainly broken the lease.", []verify.Kind{verify.Uncited}},
		{"no source in a list", "- The tenant has plainly broken the lease.", []verify.Kind{verify.Uncited}},
		{"no source behind one with a source", "The rent is $1,250.50 [1]. The tenant has plainly broken the lease.", []verify.Kind{verify.Uncited}},
		{"a long heading that states something", "## The tenant has plainly broken the lease and owes the landlord all that the landlord asks for and more", []verify.Kind{verify.Uncited}},
		{"a short claim", "Rent waived.", []verify.Kind{verify.Uncited}},
		{"one word", "Yes.", []verify.Kind{verify.Uncited}},
		{"a heading that states something", "## The rent is waived", []verify.Kind{verify.Uncited}},
		{"a heading that states something by its verb", "## Tenant breached the lease", []verify.Kind{verify.Uncited}},
		{"a line in bold that states something", "**The tenant owes nothing**", []verify.Kind{verify.Uncited}},
		{"a lead that states something", "The rent was waived for these reasons:", []verify.Kind{verify.Uncited}},
		{"a heading that states something, with its source", "## The rent is $1,250.50 [1]", nil},
		{"signs only", "—", nil},
		{"a heading, a lead, a question", "## Rent\n\n**Late charges**\n\nWhat the lease says:\n\nIs the rent still due today?", nil},
		{"what was not found", "No passage says who paid the deposit.", nil},
		{"what was not found and a claim", "No passage says who paid the deposit, so the tenant must have paid it.", []verify.Kind{verify.Uncited}},

		{"a quote, other white space", "The lease says “on the first day of each month” [1].", nil},
		{"a quote with its own marks", "The notice names the \"Term\" [2].", nil},
		{"a quote with a comma inside", "It says “a late charge,” or nearly so [1].", []verify.Kind{verify.Quote}},
		{"a quote with a full stop inside", "It says “Rent.” at its head [1].", nil},
		{"a quote with a gap", "It says “The Tenant shall pay … on the first day” [1].", nil},
		{"a quote with its pieces turned", "It says “on the first day … The Tenant shall pay” [1].", []verify.Kind{verify.Quote}},
		{"a quote that is made up", "It says “the Tenant may withhold rent” [1].", []verify.Kind{verify.Quote}},
		{"a quote of another passage", "It says “gave notice” [1].", []verify.Kind{verify.Quote}},
		{"a quote that is never closed", "It says \"the Tenant may withhold rent [1].", []verify.Kind{verify.Quote}},
		{"a block of quotation", "> The Tenant shall pay $1,250.50 on the first day of each month. [1]", nil},
		{"a made up block", "> The Tenant shall pay nothing. [1]", []verify.Kind{verify.Negation, verify.Quote}},
		{"a quote of signs that are shown otherwise", "It says “Press ‹enter› to go on” [3].", nil},
		{"a quote in a heading", "## “Withhold rent”", []verify.Kind{verify.Quote}},

		{"a date in other words", "Notice was given on 2026-03-04 [2].", nil},
		{"only the month of a date", "Notice was given in March 2026 [2].", nil},
		{"another date", "Notice was given on March 5, 2026 [2].", []verify.Kind{verify.Figure}},
		{"the date of another passage", "The term ends on December 11, 2027 [1].", []verify.Kind{verify.Figure}},
		{"a computed date", "The time ends on April 3, 2026 [2].", nil},
		{"one reading of a date with two", "The term ends on November 12, 2027 [2].", nil},
		{"another amount", "The rent is $1,350.50 [1].", []verify.Kind{verify.Figure}},
		{"another currency", "The rent is €1,250.50 [1].", []verify.Kind{verify.Figure}},
		{"a computed amount", "Both months make $2,501.00 [1].", nil},
		{"a section", "Notice was given under § 9.2 [2].", nil},
		{"another section", "Notice was given under Section 9.3 [2].", []verify.Kind{verify.Figure}},
		{"a section of the number at a paragraph", "Section 4 is about the rent [1].", nil},
		{"a number that is no section", "Section 30 is about the rent [1].", []verify.Kind{verify.Figure}},
		{"a number in words", "The charge is due after thirty days [1].", nil},
		{"a number in digits for one in words", "The charge of 5 percent is due [1].", nil},
		{"another number in words", "The charge is due after sixty days [1].", []verify.Kind{verify.Figure}},
		{"another number", "The charge of 6% is due [1].", []verify.Kind{verify.Figure}},
		{"a number in a table", "| Item | Rate |\n|---|--:|\n| Late charge | 5% [1] |\n| Interest | 9% [1] |", []verify.Kind{verify.Figure}},
		{"a number in the head of a table", "| Item | 88% |\n|---|--:|\n| Late charge | 5% [1] |", []verify.Kind{verify.Figure}},
		{"a claim in the head of a table", "| The rent is waived | Rate |\n|---|--:|\n| Late charge | 5% [1] |", []verify.Kind{verify.Uncited}},
		{"page and file", "Page 2 of the lease and Notice 7 say so [1] [2].", nil},

		{"an authority of the files", "The notice cites 347 U.S. 483 [2].", nil},
		{"an authority of nobody", "Such a clause is void under 410 U.S. 113.", []verify.Kind{verify.Unknown}},
		{"a label of the case", "[Party 1] gave the notice, as is said [2].", nil},
		{
			"a label of which the passage does not speak", "[Party 1] lives at [Address 2], as is said [2].",
			[]verify.Kind{verify.Stranger},
		},
		{"a label of no case", "[Party 2] gave the notice [2].", []verify.Kind{
			verify.Label, verify.Role,
			verify.Stranger,
		}},

		{"a link", "See [the lease](https://evil.example/?q=rent) for this [1].", []verify.Kind{verify.Link}},
		{"a picture", "The rent is due ![x](//evil.example/a.png) [1].", []verify.Kind{verify.Link}},
		{"a bare address", "The rent is due, see https://evil.example [1].", []verify.Kind{verify.Link}},
		{"a host with a path", "The rent is due, see evil.example/rent [1].", []verify.Kind{verify.Link}},
		{"a host with a query", "The rent is due, see evil.example?q=rent [1].", []verify.Kind{verify.Link}},
		{"a host with a port", "The rent is due, see a.evil.example:8080 [1].", []verify.Kind{verify.Link}},
		{"a reference", "[1]: //evil.example", []verify.Kind{verify.Link}},
		{"markup", "The rent is due <img src=x> [1].", []verify.Kind{verify.Link}},
		{"an entity", "The rent is due &#60;b [1].", []verify.Kind{verify.Link}},

		{"an identity", "The tenant is ann@example.com, as is said [1].", []verify.Kind{verify.Identity}},
		{"an identity in a heading", "## ann@example.com\n\nThe rent is due [1].", []verify.Kind{verify.Identity}},
		{
			"an identity in the head of a table", "| ann@example.com | b |\n|---|---|\n| Late charge | 5% [1] |",
			[]verify.Kind{verify.Identity},
		},
		{"that of a state neither", "Under Cal. Civ. Code and Tex. Prop. Code the lease stands [1].", nil},
		{"an abbreviation ends nothing", "Under Fed. R. Civ. P. 6 and the U.S. Code the lease stands [1].", []verify.Kind{verify.Unknown}},

		{"a letter behind ex. in small letters", "As ex. A shows, the rent is due on the first day of each month [1].", nil},
		{"a letter behind app.", "As app. B says, the rent is due on the first day of each month [1].", nil},
		{"a letter and a number behind no.", "As no. A-1 says, the rent is due on the first day [1].", []verify.Kind{verify.Figure}},
		{
			"a claim behind an everyday word", "The landlord teaches arts. The rent is due on the first day [1].",
			[]verify.Kind{verify.Uncited},
		},
		{
			"a claim that ends with a state", "The rent was waived in Cal. The rent is due on the first day [1].",
			[]verify.Kind{verify.Uncited},
		},
		{
			"a claim that ends with another state", "The rent was waived in Wash. The rent is due on the first day [1].",
			[]verify.Kind{verify.Uncited},
		},
		{
			"a claim that ends with proc.", "The rent was waived in the proc. The rent is due on the first day [1].",
			[]verify.Kind{verify.Uncited},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got []verify.Kind

			report := verify.Check(t.Context(), guard.New(), tc.text, record())
			for _, f := range report.Faults {
				got = append(got, f.Kind)
				if f.String() == "" || strings.Contains(f.String(), "%!") {
					t.Errorf("fault %+v says %q", f, f)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%v (-want +got):\n%s", report.Faults, diff)
			}
		})
	}
}

func TestAnswerKeepsWhatIsBorneOut(t *testing.T) {
	const text = `## The notice

Notice was given on March 4, 2026 [2]. It was late by 45 days [2]. The rent is $1,250.50 [1].

## The deposit

What is known:

- The deposit is $9,999 [1].

## Law

A court held so in 410 U.S. 113. The notice relies on 347 U.S. 483 [2].

| Item | Rate |
|---|--:|
| Late charge | 5% [1] |
| Interest | 9% [1] |
`
	got := verify.Check(t.Context(), guard.New(), text, record()).Answer()
	want := verify.Answer{
		Text: `## The notice

Notice was given on March 4, 2026 [1]. The rent is $1,250.50 [2].

## Law

The notice relies on 347 U.S. 483 [1]. *(the model's own words)*

| Item | Rate |
|---|--:|
| Late charge | 5% [2] |
`,
		Citations:   []api.Citation{{N: 1, Source: record().Passages[1].Source}, {N: 2, Source: record().Passages[0].Source}},
		Authorities: []api.Authority{{Text: "347 U.S. 483", Kind: "case", Verification: "matched_in_files"}},
		Removed:     4, Unknown: 1, Own: 1,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestAnswerIsEmptyWhenNothingAnswers(t *testing.T) {
	for text, want := range map[string]bool{
		"":                                       true,
		"## Rent":                                true,
		"The tenant owes $77 [1].":               true,
		"Hello there.":                           true,
		"No passage says who paid.":              false,
		"The rent is due on the first day [1].":  false,
		"No passage says so. It was $77 [1].":    true,
		"What else do you want me to look into?": true,
	} {
		if a := verify.Check(t.Context(), guard.New(), text, record()).Answer(); a.Empty != want {
			t.Errorf("%q: %+v, want empty %v", text, a, want)
		}
	}
}

func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{"The rent is $1,250.50 [1].", "> “a … b” [1-99]", "| a | b |\n|---|\n| [2] |", "**x**\n- [0] 9.9.9 § 4 [Party 9]", "\"", "[1]: <a"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		first := verify.Check(t.Context(), guard.New(), text, record())
		a := first.Answer()
		if first.Has(verify.Identity) {
			return // such an answer is never sent
		}

		for _, c := range a.Citations {
			if c.N < 1 || c.N > len(a.Citations) {
				t.Errorf("citation %d of %d", c.N, len(a.Citations))
			}
		}
		left := record()

		left.Passages = nil
		for _, c := range a.Citations {
			i := slices.IndexFunc(record().Passages, func(p verify.Passage) bool { return p.Source.FileID == c.Source.FileID })
			left.Passages = append(left.Passages, record().Passages[i])
		}

		for _, fault := range verify.Check(t.Context(), guard.New(), a.Text, left).Faults {
			if fault.Kind == verify.Link || fault.Kind == verify.Citation {
				t.Errorf("%q became %q, which still has %v", text, a.Text, fault)
			}
		}
	})
}
