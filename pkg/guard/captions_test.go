package guard_test

import (
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// Captions, short forms and lists that real papers have, with invented names.
func TestWhatCaptionsHold(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       []string // parts of what is found, each of them
	}{
		{
			"a rule of brackets between the columns",
			"HALVARD OSTROWE and MERETE )\nSKAUGE, ) ) Plaintiffs, ) ) v. ) No. 21 C 0442 ) " +
				"BRINDLE LAWN SERVICES, ) LLC, ) Defendant. )",
			[]string{"HALVARD OSTROWE", "MERETE )\nSKAUGE", "BRINDLE LAWN SERVICES, ) LLC"},
		},
		{
			"a name that the rule parts",
			"IN THE DISTRICT COURT ) ) HALVARD ) OSTROWE, ) ) Petitioner. )",
			[]string{"HALVARD ) OSTROWE"},
		},
		{
			"a rule of section signs",
			"MERETE SKAUGE, §\n  Plaintiff, §\nv. § CAUSE NO. 2021-44120\nQUIET ORCHARD §\nHOMES, INC., §\n  Defendant. § 5TH JUDICIAL DISTRICT",
			[]string{"MERETE SKAUGE", "QUIET ORCHARD §\nHOMES, INC"},
		},
		{
			"a company behind the other column",
			"18 v. UNPAID WAGES, AND CALIFORNIA\nLANTERN GAMES, INC., LABOR CODE\n\nThe class sues LANTERN GAMES for wages.",
			[]string{"LANTERN GAMES, INC", "LANTERN GAMES"},
		},
		{
			"a short form without quotation marks",
			"Gallery Bookbinders LLC (Gallery) let the shop. In May Gallery paid, and the judge fined Gallery.",
			[]string{"Gallery Bookbinders LLC", "Gallery", "Gallery", "Gallery"},
		},
		{
			"a list that is no bench",
			"Visitors of the courts\nBefore:\nHalvard Ostrowe\nAfter:\nMerete Skauge\nBetween: nobody",
			[]string{"Halvard Ostrowe", "Merete Skauge"},
		},
		{
			"companies with the year of their making",
			"HARBOR 2017 LLP\nOSTROWE SOLICITORS (2009) LLP\nDefendants. He paid Quiet Orchard (1998) Limited.",
			[]string{"HARBOR 2017 LLP", "OSTROWE SOLICITORS (2009) LLP", "Quiet Orchard (1998) Limited"},
		},
		{
			"a company that begins with a small letter",
			"We amend our letter with iLantern Inc. (\"ILAN\" or the \"Company\"). ILAN pays. So does eOrchard Holdings, LLC.",
			[]string{"iLantern Inc", "ILAN", "ILAN", "eOrchard Holdings, LLC"},
		},
		{"a couple called as a town is", "Les époux Castelnau refusent de payer le prix de la vente et la commission.", []string{"Castelnau"}},
		{"a couple in Spanish", "Los cónyuges Toledo no pagaron la renta del mes de mayo y el juez lo declara.", []string{"Toledo"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			found := (guard.Guard{}).Check(t.Context(), guard.FileText, tc.text)
			for _, f := range found {
				if len(tc.want) > 0 && strings.Contains(tc.text[f.Start:f.End], tc.want[0]) {
					tc.want = tc.want[1:]
				}
			}
			if len(tc.want) > 0 {
				t.Errorf("%q is not found, in order, in\n%s", tc.want, listed(tc.text, found))
			}
		})
	}

	// What looks like one of the forms below, and names a party.
	for _, tc := range [][2]string{
		{"Ostrowe", "Der Beklagte Ostrowe, vgl. BGB § 823 Rn. 12, zahlte nicht."},
		{"Ostrowe", "Zahlen muss Herr Ostrowe, § 12 Rn. 3, und zwar bald."},
		{"Ostrowe", "It was paid by the vendor Ostrowe, § 12 of the Act Rn. 3."},
		{"Holzmann", "Verletzt wurde Petra Holzmann, § 823 Rn. 12, am Knie."},
		{"Ostrowe", "IN THE HIGH COURT OF JUSTICE\n\nBefore:\n\nMASTER LUND\nThe claimant Halvard Ostrowe, a registrar\n\nBetween:\n[Party 1]"},
		{"Ostrowe", "IN THE HIGH COURT OF JUSTICE\n\nBefore:\n\nMASTER LUND\nHalvard Ostrowe, whom no judge heard\n\nBetween:\n[Party 1]"},
		{"John", "Mr John Does lives here."},
		{"Jane", "She is Jane Does and paid."},
		{"J.R", "The guardian brought a J.R. claim for the child."},
		{"A.B", "This is an A.B. action of a minor."},
		{"J.R.S", "The teacher wrote a J.R.S. report."},
	} {
		if got := found(t, guard.FileText, tc[1]); !strings.Contains(got, tc[0]) {
			t.Errorf("%q holds %q, want %s", tc[1], got, tc[0])
		}
	}

	for name, text := range map[string]string{
		"many whom nobody knows": "Plaintiffs sue John Does 1-10, and Jane and John Does. John Does I-X and Jane Does (1 to 5) answer, as do John Does and Jane Does 1-3.",
		"a judge with a suffix":  "HALVARD OSTROWE, Jr., District Judge.\n\nThe motion is denied.",
		"the bench of a judgment": "[2019] EWHC 2762 (QB)\nIN THE HIGH COURT OF JUSTICE\n\nB e f o r e :\n\nLORD JUSTICE OSTROWE\n(Vice-President of the Court)\n" +
			"LADY JUSTICE SKAUGE\nand\nMASTER MERETE LUND\nMerete Zorbanek, Registrar\nHIS HONOUR JUDGE QUILL KC\n____\n\nBetween:\n[Party 1]\nClaimant\n\nLord Justice Ostrowe :\n\n1. The appeal fails.",
		"an English judge":            "MRS JUSTICE OSTROWE DBE\n\nThe claim is dismissed. Mr Justice Skauge agreed. Mrs Justice Ostrowe gave leave.",
		"a year before no form":       "In 2017 LLP agreements changed. The Limited Liability Partnerships Act 2000 applies since (2001) then.",
		"an article before initials":  "The landlord filed an F.E.D. action, and a T.R.O. hearing was set.",
		"a German commentary":         "Der Anspruch besteht nicht, vgl. BeckOGK/Riehm, § 280 Rn. 14 und Ostrowe/Skauge, ZPO, § 12 Rn. 3; Skauge, § 3 Rn. 2. Vgl. nur Ostrowe, BGB, § 7 Rn. 1.",
		"a German statute by section": "Die Frist nach § 4 KSchG ist gewahrt, und § 23 Abs. 1 Nr. 2 MarkenG hilft nicht.",
		"a short German paragraph":    "Der Betriebsrat widersprach der Kündigung. Mithin fehlt die Anhörung. Hilfsweise wird sie bestritten.",
		"a list with brackets":        "He must (a) pay, (b) leave and (c) stay away. See § 12 and § 14 of the Act, § 9.",
		"the bracket of a kind":       "Lease of [Property 1] to [Company 1] (Tenant). The Tenant pays. Tenant shall insure.",
	} {
		if got := found(t, guard.FileText, text); got != "" {
			t.Errorf("%s: %s\n    holds %s", name, text, got)
		}
	}
}
