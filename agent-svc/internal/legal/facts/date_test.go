package facts_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
)

func TestDates(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       []string // an ambiguous one with both readings
	}{
		{"month first", "signed on March 4, 2026.", []string{"2026-03-04"}},
		{"short month", "(D.N.J. Sept. 14, 2011) and Dec 1, 2020", []string{"2011-09-14", "2020-12-01"}},
		{"without comma", "as of March 4 2026", []string{"2026-03-04"}},
		{"ordinal", "on January 21st, 2020", []string{"2020-01-21"}},
		{"day first", "dated 4 March 2026", []string{"2026-03-04"}},
		{"day of", "this 20th day of May, 2011", []string{"2011-05-20"}},
		{"split ordinal", "this 20t h day of May, 2011", []string{"2011-05-20"}},
		{"ordinal and space", "the 3 rd day of June 1999", []string{"1999-06-03"}},
		{"ordinal in words", "this twenty-first day of April, 2015", []string{"2015-04-21"}},
		{"upper case", "DATED: JANUARY 7, 2022", []string{"2022-01-07"}},
		{"over a line break", "on January\n7, 2022", []string{"2022-01-07"}},
		{"month alone", "in March 2026 and May, 2027", []string{"2026-03", "2027-05"}},
		{"iso", "2026-03-04", []string{"2026-03-04"}},
		{"iso with strokes", "2026/03/04", []string{"2026-03-04"}},
		{"day above twelve first", "on 13/4/2026", []string{"2026-04-13"}},
		{"day above twelve second", "on 4/13/2026", []string{"2026-04-13"}},
		{"ambiguous", "on 3/4/2026", []string{"2026-03-04 or 2026-04-03"}},
		{"same parts are not ambiguous", "on 4/4/2026", []string{"2026-04-04"}},
		{"two digits of a year", "on 12/31/99 and 1/15/24", []string{"1999-12-31", "2024-01-15"}},
		{"points", "on 31.12.2019", []string{"2019-12-31"}},
		{"hyphens", "on 12-31-2019", []string{"2019-12-31"}},
		{"leap day", "February 29, 2024", []string{"2024-02-29"}},
		{"no such day", "February 30, 2024 and 2023-02-29", nil},
		{"modal verb", "the Tenant may 2026 times; You May 5 times", nil},
		{"no year", "on March 4 the", nil},
		{"word that begins like a month", "Marching 4, 2026; Octopus 3, 2020", nil},
		{"section number", "Section 12.3.2014.1 and 1.2.3", nil},
		{"version, amount, range", "$3/4/2026 a3/4/2026 pp. 10-12-14", nil},
		{"longer number", "3/4/20267 and 13/14/2020/1", nil},
		{"label is no date", "[Date 4] and [Docket 12]", nil},
		{"after a section", "Section 4. March 2026 was", []string{"2026-03"}},
		{"several", "Between Jan. 2, 2020 and Jan. 3, 2020", []string{"2020-01-02", "2020-01-03"}},
		{"at the very end", "May 1, 2020", []string{"2020-05-01"}},
		{"cut off", "May 1, 202", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got []string

			for _, d := range facts.Dates(tc.text) {
				s := d.String()
				if d.Ambiguous {
					s += " or " + d.Swapped().String()
				}
				got = append(got, s)
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("Dates(%q) = %q, want %q", tc.text, got, tc.want)
			}
		})
	}
}

func TestDateSpans(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{"on the 20th day of May, 2011, the", "20th day of May, 2011"},
		{"on Jan. 3, 2020.", "Jan. 3, 2020"},
		{"§ 3/4/2026 on 3/4/2026.", "3/4/2026"},
		{"the first day of June 2020", "first day of June 2020"},
	} {
		got := facts.Dates(tc.text)
		if len(got) == 0 || got[0].In(tc.text) != tc.want {
			t.Errorf("Dates(%q) = %v, want a span of %q", tc.text, got, tc.want)
		}
	}
}

func FuzzDates(f *testing.F) {
	for _, s := range []string{"20t h day of May, 2011", "3/4/2026", "twenty-first day of Dec. 1, 2020", "May ,", "\u00a0May\u00a01,\u00a02020", "éMay 1, 2020"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "?")

		last := 0
		for _, d := range facts.Dates(text) {
			if d.Start < last || d.Start >= d.End || d.End > len(text) {
				t.Fatalf("%+v overlaps or leaves the text", d)
			}
			last = d.End
			if d.Month < 1 || d.Month > 12 || d.Day > 31 || d.Time().Year() != d.Year {
				t.Fatalf("%+v is no date", d)
			}
		}
	})
}
