package search

import "testing"

func TestFormsOfAWordMeet(t *testing.T) {
	for _, forms := range [][]string{
		{"lease", "leases", "leased", "leasing"},
		{"party", "parties"},
		{"notice", "notices"},
		{"terminate", "terminates", "terminated", "terminating"},
		{"submit", "submits", "submitted", "submitting"},
		{"notify", "notified", "notifies"},
		{"cancel", "cancels", "cancelled", "canceled", "cancelling"},
		{"call", "calls"},
		{"witness", "witnesses"},
		{"breach", "breaches", "breached"},
		{"tax", "taxes"},
		{"employee", "employees"},
		{"damage", "damages", "damaged"},
	} {
		for _, form := range forms {
			if got, want := stem(form), stem(forms[0]); got != want {
				t.Errorf("stem(%s) = %s, want %s as of %s", form, got, want, forms[0])
			}
		}
	}

	for _, apart := range [][2]string{{"this", "thi"}, {"[party 1]", "[party 11]"}, {"basis", "basi"}, {"string", "str"}, {"2019", "201"}} {
		if stem(apart[0]) == stem(apart[1]) {
			t.Errorf("%s and %s have the same stem", apart[0], apart[1])
		}
	}
}

func TestTokens(t *testing.T) {
	for text, want := range map[string]string{
		"The Tenant's lease":      "the|tenant|lease",
		"$4,500.00, or 12(b)(6)":  "4500.00|or|12|b|6",
		"42 U.S.C. § 2000e-2(a).": "42|usc|2000e|2|a",
		"A.B. and C.D.E.":         "ab|and|cde",
		"e.g. this. That":         "eg|this|that",
		"don't; 'quoted' l’été":   "dont|quoted|lété",
		"[Party 1]'s [Party x]":   "[party 1]|s|party|x",
		"end.Next v1.2 1.2.3":     "end|next|v1.2|1.2.3",
		"non-compete":             "non|compete",
		"MÜLLER":                  "müller",
		"' . , [ ] ...":           "",
	} {
		got := ""
		last := 0
		eachToken(text, func(start, end int, word string) {
			if start < last || end <= start || end > len(text) {
				t.Errorf("%q: token %d to %d after %d", text, start, end, last)
			}
			last = end
			if got += "|" + word; got[0] == '|' {
				got = got[1:]
			}
		})
		if got != want {
			t.Errorf("tokens of %q = %q, want %q", text, got, want)
		}
	}
}

func TestHeadings(t *testing.T) {
	for line, want := range map[string]string{
		"4. Rent. The tenant shall pay.":          "4. Rent",
		"4.2 Notice Period: ten consecutive days": "4.2 Notice Period",
		"COUNT II: RETALIATION":                   "COUNT II: RETALIATION",
		"## Facts of the case":                    "## Facts of the case",
		"## Factual Background":                   "## Factual Background",
		"**Term.** Two years":                     "**Term",
		"12. On March 4, [Party 1] wrote to us.":  "",
		"JURISDICTION AND VENUE":                  "JURISDICTION AND VENUE",
		"The tenant shall pay the rent":           "",
		"Section 4. Default":                      "Section 4. Default",
		"(a) Late Fees. A fee of five percent":    "(a) Late Fees",
		"":                                        "",
		"7":                                       "",
		"IV. Relief":                              "IV. Relief",
	} {
		got := ""
		if n := headingLength(line); n > 0 {
			got = line[:n]
		}
		if got != want {
			t.Errorf("heading of %q = %q, want %q", line, got, want)
		}
	}
}
