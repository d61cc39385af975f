package facts_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
)

// TestNamesOfCasesAreNoReporters has parties who are called like a reporter.
func TestNamesOfCasesAreNoReporters(t *testing.T) {
	for _, text := range []string{
		"See Smith v. Jones, 347 U.S. 483 (1954).", "See Miles v. Howard, 12 F.3d 100 (9th Cir. 1993).",
		"See Black v. Wheaton, 5 Cal. 4th 200 (1993).",
	} {
		if list := facts.Citations(text); len(list) != 1 || list[0].Core.In(text)[0] < '0' ||
			list[0].Core.In(text)[0] > '9' {
			t.Errorf("%q has %+v", text, list)
		}
	}
}

func TestCitations(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       []string // core, kind, key, then "ok" for a good form and "short" or "parallel"
	}{
		{"case with court and year", "See 197 F.3d 1276, 1280 (9th Cir. 1999).", []string{"197 F.3d 1276|case|197 F.3d 1276|ok"}},
		{"supreme court", "Twombly, 550 U.S. 544 (2007)", []string{"550 U.S. 544|case|550 U.S. 544|ok"}},
		{"parallel", "550 U.S. 544, 555, 127 S. Ct. 1955, 167 L. Ed. 2d 929 (2007)", []string{
			"550 U.S. 544|case|550 U.S. 544|ok", "127 S. Ct. 1955|case|550 U.S. 544|ok|parallel", "167 L. Ed. 2d 929|case|550 U.S. 544|ok|parallel",
		}},
		{"two cases are not parallel", "550 U.S. 544 (2007), 556 U.S. 662 (2009)", []string{"550 U.S. 544|case|550 U.S. 544|ok", "556 U.S. 662|case|556 U.S. 662|ok"}},
		{"short form", "550 U.S. at 556", []string{"550 U.S. at 556|case|550 U.S.|ok|short"}},
		{"no year, form unchecked", "550 U.S. 544 holds", []string{"550 U.S. 544|case|550 U.S. 544"}},
		{"year outside the edition", "100 F.3d 12 (2d Cir. 1955)", []string{"100 F.3d 12|case|100 F.3d 12"}},
		{"volume outside the edition", "72 Cal. 2d 33 (1968)", []string{"72 Cal. 2d 33|case|72 Cal.2d 33"}},
		{"state series", "12 Cal. App. 4th 345 (1993); 88 N.Y.2d 100 (1996); 45 So. 3d 22 (Fla. 2010)", []string{
			"12 Cal. App. 4th 345|case|12 Cal.App.4th 345|ok", "88 N.Y.2d 100|case|88 N.Y.2d 100|ok", "45 So. 3d 22|case|45 So.3d 22|ok",
		}},
		{"over a line", "127 S.\nCt. 1955 (2007)", []string{"127 S. Ct. 1955|case|127 S.Ct. 1955|ok"}},
		{"westlaw and lexis", "2009 WL 123456 (S.D.N.Y. 2009); 2008 U.S. Dist. LEXIS 555", []string{"2009 WL 123456|case|2009 wl 123456|ok", "2008 U.S. Dist. LEXIS 555|case|2008 u.s. dist. lexis 555|ok"}},
		{"statutes", "42 U.S.C. § 1983 and 28 USC 1331(a)(1) and 15 U.S.C. §§ 1", []string{"42 U.S.C. § 1983|statute|usc 42 1983|ok", "28 USC 1331|statute|usc 28 1331|ok", "15 U.S.C. §§ 1|statute|usc 15 1|ok"}},
		{"no such title", "99 U.S.C. § 5", []string{"99 U.S.C. § 5|statute|usc 99 5"}},
		{"regulation", "29 C.F.R. § 1614.105(a)", []string{"29 C.F.R. § 1614.105|regulation|cfr 29 1614.105|ok"}},
		{"rules", "Fed. R. Civ. P. 12(b)(6), Federal Rule of Evidence 702", []string{"Fed. R. Civ. P. 12|rule|frcp 12|ok", "Federal Rule of Evidence 702|rule|fre 702|ok"}},
		{"state codes", "Cal. Civ. Code § 1942.4; N.Y. Real Prop. Acts. Law § 711; Tex. Prop. Code § 24.005; Mass. Gen. Laws ch. 93A, § 2; 735 ILCS 5/9-209; O.C.G.A. § 9-3-33", []string{
			"Cal. Civ. Code § 1942.4|statute|CA calcivcode 1942.4|ok", "N.Y. Real Prop. Acts. Law § 711|statute|NY nyrealpropactslaw 711|ok",
			"Tex. Prop. Code § 24.005|statute|TX texpropcode 24.005|ok", "Mass. Gen. Laws ch. 93A, § 2|statute|MA massgenlawsch93a 2|ok",
			"735 ILCS 5/9-209|statute|ilcs 735 5/9-209|ok", "O.C.G.A. § 9-3-33|statute|GA ocga 9-3-33|ok",
		}},
		{"west virginia", "W. Va. Code § 55-2-6", []string{"W. Va. Code § 55-2-6|statute|WV wvacode 55-2-6|ok"}},
		{"section of a contract", "as § 4.2 of the Lease and under § 7 provide", nil},
		{"ordinary numbers", "in 2020 U.S. 500 firms; 12 Angry 3; 5 A. 12 units; 3 P. 4; room 12 A.D", nil},
		{"amounts and fractions", "$550 U.S. 544 and 1.550 U.S. 544", nil},
		{"cut off", "550 U.S.", nil},
		{"id and supra", "Id. at 5; supra at 3", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got []string

			for _, c := range facts.Citations(tc.text) {
				s := fmt.Sprintf("%s|%s|%s", facts.Fold(c.Core.In(tc.text)), c.Kind, c.Key)
				for _, flag := range []struct {
					set  bool
					name string
				}{{c.FormOK, "ok"}, {c.Short, "short"}, {c.Parallel, "parallel"}} {
					if flag.set {
						s += "|" + flag.name
					}
				}
				got = append(got, s)
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("Citations(%q)\n got %q\nwant %q", tc.text, got, tc.want)
			}
		})
	}
}

func FuzzCitations(f *testing.F) {
	for _, s := range []string{"550 U.S. 544, 555, 127 S. Ct. 1955 (2007)", "W. Va. Code § 55-2-6", "2008 U.S. Dist. LEXIS 5", "1 F. § ", "§", "735 ILCS 5/9-", "Fed. R. Civ. P.", "1 U.S.C. ."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "?")

		last := 0
		for _, c := range facts.Citations(text) {
			if c.Start < last || c.End > len(text) || c.Core.Start < c.Start || c.Core.End > c.End || c.Core.Start >= c.Core.End {
				t.Fatalf("%+v overlaps or leaves the text", c)
			}
			last = c.End
			if c.Key == "" || c.Kind == "" {
				t.Fatalf("%+v names nothing", c)
			}
		}
	})
}
