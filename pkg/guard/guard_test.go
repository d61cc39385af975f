package guard_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/label"
)

func check(t *testing.T, text string) []guard.Finding {
	t.Helper()
	return guard.New().Check(t.Context(), guard.FileText, text)
}

// show writes findings as kind=text, so that a failing test says what was cut where. The texts of these tests are invented.
func show(text string, found []guard.Finding) string {
	var parts []string
	for _, f := range found {
		parts = append(parts, fmt.Sprintf("%s=%q", f.Kind, text[f.Start:f.End]))
	}

	return strings.Join(parts, " ")
}

func TestCleanLegalProsePasses(t *testing.T) {
	for name, text := range map[string]string{
		"citations":          "See Bell Atl. Corp. v. Twombly, 550 U.S. 544, 555-56 (2007); Ashcroft v. Iqbal, 556 U.S. 662, 678 (2009); 2019 WL 1234567, at *3 (S.D.N.Y. Mar. 4, 2019).",
		"lexis":              "Doe v. Roe, 2018 U.S. Dist. LEXIS 123456, at *12-13 (N.D. Cal. July 3, 2018).",
		"parallel citations": "410 U.S. 113, 93 S. Ct. 705, 35 L. Ed. 2d 147 (1973)",
		"federal statutes":   "under 42 U.S.C. §§ 2000e-2000e-17, 29 U.S.C. § 216(b), 28 U.S.C. §§ 1331, 1332, 1367 and 29 C.F.R. § 1604.11",
		"state statutes":     "Cal. Lab. Code §§ 201-203; 815 ILCS 505/2; 735 ILCS 5/2-615; Fla. Stat. § 440.192; Tenn. Code § 47-18-104; N.J.S.A. 2A:18-61.1; RCW 19.86.020",
		"rules shaped alike": "OAR 413-200-0301 and WAC 388-71-0520, see also Wash. Admin. Code § 388-450-0015 and OAR 461-235-2010.",
		"rules of procedure": "Fed. R. Civ. P. 12(b)(6), 26(a)(1)(A)(i)-(iv), 56(c)(1)",
		"written dates":      "On March 4, 2026, and again on 4 March 2026, [Party 1] wrote.",
		"numeric dates":      "Dates: 03/04/2026, 3-4-2026, 04.03.2026, 2026-03-04, 2026/03/04, 12-31-99.",
		"instants":           "2026-03-04T05:06:07.089Z and 20260304T050607Z",
		"years":              "from 2019-2024, fiscal years 2018 2019 2020 2021",
		"money":              "$80,000.00, $1,250,300, $2125551234, USD 1.250.300,00, €12 500 000, and $ 3450000000",
		"percentages":        "12.5% of 1,234,567 shares at $0.2125551234",
		"page ranges":        "pp. 212-555, pages 550-560, 1234-1245 and 2001-2099; Tr. 212:5-213:14; at 1034–1041",
		"paragraph lists":    "¶¶ 12-15, 212-214, 300-302",
		"docket labels":      "Case [Docket 1], Dkt. 45-2, ECF No. 212-5, Doc. 123-4",
		"columns":            "250  30  4500  and  212  555  0134",
		"book and patent":    "ISBN 978-0-306-40615-7, U.S. Patent No. 10,123,456",
		"exhibits":           "[Exhibit 3], [Count 2], [Section 4], [sic], [Id. at 5], [Ref. 12], [T]he court",
		"placeholders":       "[Date], [Company Name], [Date of filing], [Address], [Property description]",
		"well-formed labels": "[Party 1] [Person 2] [Minor 3] [Witness 4] [Org 5] [Company 6] [Address 7] [Phone 8] [Email 9] [Account 10] [Id 11] [Docket 12] [Ref 13] [Vehicle 14] [Property 15] [Url 16] [Date 9999]",
		"masked numbers":     "a card xxxx-xxxx-xxxx-1234, ****6789, XXX-XXX-1234",
		"bates numbers":      "SMTH0001234 through SMTH0001299; ABC00012345",
		"phone-like labels":  "the phone records, pages 1234-1240, and mobile home lot 12-345; cell 4512 of the sheet; fax dated 03-04-2026",
		"called":             "was called on 2019-2020 and at 12-1234567; the text at 1234-1245; roll call at 555-1234x",
		"reach":              "damages may reach 5000000 dollars",
		"table of numbers":   "250 300 4500 260 310 4600 270 320 4700 280 330 4800",
		"long table":         strings.Repeat("212 555 0134 ", 40),
		"month columns":      "01 02 03 04 05 06 07 08 09 10 11 12",
		"five lines":         "01 02 03 04 05",
		"uuid":               "0190f5e2-7b3c-7cc3-98c4-dc0c0c07398f 12345678-1234-4567-8901-123456789012",
		"sha256":             "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
		"versions and hosts": "version 1.2.3.4567, TLS 1.2, RFC 3339, 127.0.0.1:8443",
		"handles and rates":  "5 units @ $3.50, [Person 1] (@ the meeting), a@b, 3 @ 4.5",
		"measurements":       "a 212 x 555 foot lot of 3.75 acres, 1-1/2 inch; +10,000; +5 and +2.5",
		"nothing":            "",
		"invalid utf-8":      "\xff\xfe[\xf0 1\x80] @\xff.\xff 2\xff1\xff2",
	} {
		t.Run(name, func(t *testing.T) {
			if found := check(t, text); len(found) > 0 {
				t.Errorf("Check found %s, want nothing", show(text, found))
			}
		})
	}
}

func TestIdentitiesAreFound(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"mail":                  {"Write to jane.roe@example.com.", `email="jane.roe@example.com"`},
		"mail with tag":         {"<j_roe+case-1@mail.example.co.uk>", `email="j_roe+case-1@mail.example.co.uk"`},
		"mail, other letters":   {"an müller@bücher.example", `email="müller@bücher.example"`},
		"mail in a link":        {"mailto:jane@example.com?subject=x", `email="jane@example.com"`},
		"mail torn by blanks":   {"jane @ example.com", `email="jane @ example.com"`},
		"mail, full width":      {"jane＠example.com", `email="jane＠example.com"`},
		"mail, zero width":      {"ja\u200bne@exa\u200bmple.com", "email=\"ja\\u200bne@exa\\u200bmple.com\""},
		"two mails":             {"a1@example.com,b2@example.org", `email="a1@example.com" email="b2@example.org"`},
		"mail in a file name":   {"letter_to_jane@example.com.pdf", `email="letter_to_jane@example.com.pdf"`},
		"phone, hyphens":        {"at 212-555-0134.", `phone="212-555-0134"`},
		"phone, dots":           {"at 212.555.0134.", `phone="212.555.0134"`},
		"phone, blanks":         {"at 212 555 0134, or", `phone="212 555 0134"`},
		"phone, parentheses":    {"(212) 555-0134", `phone="212) 555-0134"`},
		"phone, tight":          {"(212)555-0134", `phone="212)555-0134"`},
		"phone, seven joined":   {"(212) 5550134", `phone="212) 5550134"`},
		"phone, country":        {"+1 (212) 555-0134", `phone="1 (212) 555-0134"`},
		"phone, leading one":    {"1-212-555-0134", `phone="1-212-555-0134"`},
		"phone, slash":          {"212/555-0134", `phone="212/555-0134"`},
		"phone, mixed":          {"see no. 7 212 555-0134 now", `phone="212 555-0134"`},
		"phone, en dashes":      {"212–555–0134", `phone="212–555–0134"`},
		"phone, hard blanks":    {"212\u00a0555\u00a00134", `phone="212\u00a0555\u00a00134"`},
		"phone, zero width":     {"2\u200b12-555-0134", `phone="2\u200b12-555-0134"`},
		"phone, full width":     {"２１２-５５５-０１３４", `phone="２１２-５５５-０１３４"`},
		"phone, broken line":    {"212-555-\n0134", `phone="212-555-\n0134"`},
		"phone, bare":           {"His number is 2125550134.", `phone="2125550134"`},
		"phone, bare with 1":    {"12125550134", `phone="12125550134"`},
		"phone, extension":      {"212-555-0134x22", `phone="212-555-0134x22"`},
		"docket, federal":       {"No. 1:17-cv-00072", `docket="1:17-cv-00072"`},
		"docket, without dots":  {"see 2:2021cv01234", `docket="2:2021cv01234"`},
		"docket, index":         {"Index No. 650123/2024", `docket="650123/2024"`},
		"docket, county":        {"Case No. 2021-CA-001234-O", `docket="2021-CA-001234-O"`},
		"docket, appeal":        {"A-1234-21T2", `docket="A-1234-21T2"`},
		"docket, stamp":         {"Case 1:17-cv-00072 Document 12 Filed 03/04/20 Page 5 of 30", `docket="1:17-cv-00072"`},
		"no social, a number":   {"666-12-3456", `docket="666-12-3456"`},
		"handle":                {"ask @todo", `url="@todo"`},
		"phone, glued":          {"Tel212-555-0134", `phone="Tel212-555-0134"`},
		"phone, UK":             {"+44 20 7946 0958", `phone="44 20 7946 0958"`},
		"phone, German":         {"+49 (0)30 901820-12", `phone="49 (0)30 901820-12"`},
		"phone, bare plus":      {"+442079460958", `phone="442079460958"`},
		"phone, 00":             {"0044 20 7946 0958", `phone="0044 20 7946 0958"`},
		"phone, UK national":    {"020 7946 0958", `phone="020 7946 0958"`},
		"phone, UK mobile":      {"07700 900123", `phone="07700 900123"`},
		"phone, Australian":     {"(02) 9876 5432", `phone="02) 9876 5432"`},
		"phone, French":         {"01 23 45 67 89", `phone="01 23 45 67 89"`},
		"phone, local":          {"call 555-0134 after noon", `phone="555-0134"`},
		"phone, local, word":    {"Phone number is: 555 0134", `phone="555 0134"`},
		"phone, local, bare":    {"fax 5550134", `phone="5550134"`},
		"phone, call me at":     {"call me at 555-0134", `phone="555-0134"`},
		"phone, odd, announced": {"Tel.: 030 / 90 18 20 12", `phone="030 / 90 18 20"`},
		"phone, next to mail":   {"jane@example.com 212-555-0134", `email="jane@example.com" phone="212-555-0134"`},
		"phone in a file name":  {"notes_212-555-0134.txt", `phone="notes_212-555-0134.txt"`},
		"two phones":            {"212-555-0134/212-555-0135", `phone="212-555-0134/212-555-0135"`},
		"social":                {"SSN 123-45-6789", `id_number="123-45-6789"`},
		"social, blanks":        {"number 123 45 6789.", `id_number="123 45 6789"`},
		"social, dots":          {"123.45.6789", `id_number="123.45.6789"`},
		"social, dashes":        {"123–45–6789", `id_number="123–45–6789"`},
		"social, glued":         {"SSN123-45-6789", `id_number="SSN123-45-6789"`},
		"social, bare":          {"social security number: 123456789", `id_number="123456789"`},
		"social, bare SSN":      {"SSN: 123456789", `id_number="123456789"`},
		"social, broken line":   {"123-45-\n6789", `id_number="123-45-\n6789"`},
		"taxpayer":              {"ITIN 912-70-1234", `id_number="912-70-1234"`},
		"social before phone":   {"123-45-6789 212-555-0134", `id_number="123-45-6789" phone="212-555-0134"`},
		"in a long run":         {strings.Repeat("7 ", 40) + "123-45-6789", `id_number="123-45-6789"`},
		"label, zero":           {"[Party 0]", `label="[Party 0]"`},
		"label, too high":       {"[Party 10000]", `label="[Party 10000]"`},
		"label, leading zero":   {"[Party 01]", `label="[Party 01]"`},
		"label, lower case":     {"by [party 1] and", `label="[party 1]"`},
		"label, upper case":     {"[PARTY 1]", `label="[PARTY 1]"`},
		"label, no blank":       {"[Party1]", `label="[Party1]"`},
		"label, two blanks":     {"[Party  1]", `label="[Party  1]"`},
		"label, padded":         {"[ Party 1 ]", `label="[ Party 1 ]"`},
		"label, hyphen":         {"[Party-1]", `label="[Party-1]"`},
		"label, hard blank":     {"[Party\u00a01]", `label="[Party\u00a01]"`},
		"label, word":           {"[Party one]", `label="[Party one]"`},
		"label, letter":         {"[Company A]", `label="[Company A]"`},
		"label, Roman":          {"[Witness IV]", `label="[Witness IV]"`},
		"label, number sign":    {"[Party #1]", `label="[Party #1]"`},
		"label, No.":            {"[Party No. 1]", `label="[Party No. 1]"`},
		"label, plural":         {"[Parties 1] [Partys 1]", `label="[Partys 1]"`},
		"label, account number": {"[Account 12345678]", `label="[Account 12345678]"`},
		"inside brackets":       {"[[Party 1] [party 2]]", `label="[party 2]"`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := show(tc.text, check(t, tc.text)); got != tc.want {
				t.Errorf("Check found %s, want %s", got, tc.want)
			}
		})
	}
}

// What a draft leaves open passes where people write carelessly, and is no way around the guard.
func TestBlanksOfDrafts(t *testing.T) {
	for text, found := range map[string]int{
		"Fill in {{plaintiffLabel}}, {{dateOfService}}, {{failureToStateAClaim}} and {{counterclaimsOrNone}}.": 0,
		"Fill in {{johnSmith}} and {{thessalyWrexcombe}} now.":                                                 2,
		"Fill in {{garcia}} and {{garciaName}} now.":                                                           2,
		"Fill in plaintiffLabel} and {plaintiffLabel now.":                                                     2,
	} {
		if got := guard.New().Check(t.Context(), guard.Title, text); len(got) != found {
			t.Errorf("%q: %d findings, want %d", text, len(got), found)
		}
	}
}

func TestCheckReturnsABoundedNumber(t *testing.T) {
	if got := len(check(t, strings.Repeat("a1@example.com ", 3*guard.MaxFindings))); got != guard.MaxFindings {
		t.Errorf("Check returned %d findings, want %d", got, guard.MaxFindings)
	}
}

func TestLabels(t *testing.T) {
	text := "[Party 1] met [Party 11], [party 2], [Org 3] and [Party 1] at [Address 9999]; [Client 4] [Party 0] [Party 12345] [[Date 7]"

	var got []string
	for _, l := range label.All(text) {
		got = append(got, l.String())
	}
	want := []string{"[Party 1]", "[Party 11]", "[Org 3]", "[Address 9999]", "[Date 7]"}
	if !slices.Equal(got, want) {
		t.Errorf("Labels = %v, want %v", got, want)
	}
}

func TestParse(t *testing.T) {
	for _, kind := range label.Kinds() {
		for _, n := range []int{1, 42, label.MaxNumber} {
			want := label.Label{Kind: kind, N: n}
			if got, err := label.Parse(want.String()); err != nil || got != want {
				t.Errorf("Parse(%q) = %v, %v", want, got, err)
			}
		}
	}

	for _, s := range []string{
		"", "[", "[]", "[Party]", "[Party ]", "[Party 0]", "[Party 10000]", "[Party 1] ", " [Party 1]", "Party 1",
		"[party 1]", "[Client 1]", "[Party 1", "[Party +1]", "[Party １]", "[Party\t1]",
	} {
		if _, err := label.Parse(s); !errors.Is(err, label.ErrUnknown) {
			t.Errorf("Parse(%q) = %v, want ErrUnknown", s, err)
		}
		if label.Valid(s) {
			t.Errorf("Valid(%q) = true", s)
		}
	}
}

func TestRefusedField(t *testing.T) {
	for _, name := range []string{
		"name", "Name", "firstName", "first_name", "FIRST-NAME", "first name", "lastName", "last_name", "email",
		"e-mail", "E_Mail", "phone", "address", "dateOfBirth", "date_of_birth", "ssn", "S.S.N.", "taxId", "tax_id", "passport", "na\u200bme",
	} {
		if !guard.RefusedField(name) {
			t.Errorf("RefusedField(%q) = false", name)
		}
	}

	for _, name := range []string{"", "title", "label", "kind", "names", "fileName", "displayname", "emailed", "addressee", strings.Repeat("-", 100) + "name"} {
		if guard.RefusedField(name) {
			t.Errorf("RefusedField(%q) = true", name)
		}
	}
}

func TestRefusal(t *testing.T) {
	text := "call jane@example.com"
	found := append(guard.At("prompt", check(t, text)), guard.Located{Path: "party.ssn", Finding: guard.Finding{Kind: guard.KindFieldName}})
	err := guard.Refusal("https://app.example/i/add_identity?case=c", found)
	if !errors.Is(err, guard.ErrRefused) || err.Kind != errs.Forbidden || err.Code != "identity_refused" {
		t.Errorf("Refusal = %v", err)
	}
	if err.DeepLink != "https://app.example/i/add_identity?case=c" || len(err.Details) != 2 {
		t.Fatalf("Refusal = %+v", err)
	}
	d := err.Details[0]
	if d.Path != "prompt" || d.Kind != "email" || d.Start == nil || text[*d.Start:*d.End] != "jane@example.com" {
		t.Errorf("first detail = %+v", d)
	}
	if d := err.Details[1]; d.Path != "party.ssn" || d.Kind != "field_name" || d.Start != nil || d.End != nil {
		t.Errorf("second detail = %+v", d)
	}
	if strings.Contains(fmt.Sprintf("%+v %v", *err, err), "jane") {
		t.Error("the refusal holds the matched text")
	}
	if guard.ErrRefused.Details != nil || guard.ErrRefused.DeepLink != "" {
		t.Error("the refusal changed the variable it comes from")
	}
}

func TestDoorNames(t *testing.T) {
	seen := map[string]bool{}
	for d := guard.Prompt; d <= guard.Reread; d++ {
		if name := d.String(); name == "unknown" || seen[name] {
			t.Errorf("door %d has the name %q", d, name)
		}
		seen[d.String()] = true
	}
	if got := (guard.Reread + 1).String(); got != "unknown" {
		t.Errorf("a door that does not exist is called %q", got)
	}
}

// TestCheckReadsAnyText holds texts on which the guard once fell over: a line that is cut at the limit inside a
// capitalised word, and the name of a file whose only figure is in its extension.
func TestCheckReadsAnyText(t *testing.T) {
	cut := strings.Repeat("word, ", 128) + "Loan: tenant: Wordsworthington-Smythe and others"
	for lead := range 40 {
		for _, text := range []string{strings.Repeat(" x", lead) + cut, "session_agenda.mp4", "sesison_agenda.mp4"} {
			for channel := guard.Prompt; channel <= guard.Reread; channel++ {
				guard.New().Check(t.Context(), channel, text)
			}
		}
	}
}

// TestReferences wants the numbers of a firm to pass as its reference for a matter, and names not to.
func TestReferences(t *testing.T) {
	for ref, passes := range map[string]bool{
		"ABC-123": true, "2026-0042": true, "M/17": true, "OAK-17-b": true, "k3J9xQ2": true, "matter_0042": true, "LIT2026-001": true, "FILE#12": true, "INTAKE-2026-17": true,
		"zorbanek": false, "quillon_zorbanek": false, "q.zorbanek": false, "Quillon Zorbanek": false, "Zorbanek-2026": false, "q@zorbanek.example": false, "078-05-1120": false,
	} {
		if found := guard.New().Check(t.Context(), guard.Reference, ref); (len(found) == 0) != passes {
			t.Errorf("%q: %v, want that it passes: %v", ref, found, passes)
		}
	}
}

// FuzzCheck wants findings in order, inside the text, apart, and on rune boundaries, and labels that the text holds.
func FuzzCheck(f *testing.F) {
	for _, seed := range []string{
		"jane@example.com 212-555-0134 [party 1] 123-45-6789", "[Party 1]", "+44 (0)20 7946 0958", "§ 1.2.3-4",
		"２１２\u200b 555 0134", "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 212-555-0134", "\xff@\xff.com",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		found := guard.New().Check(t.Context(), guard.Prompt, text)

		last := 0
		for _, x := range found {
			if x.Start < last || x.End <= x.Start || x.End > len(text) || x.Kind == "" {
				t.Fatalf("finding %+v after byte %d of %d", x, last, len(text))
			}
			if utf8.ValidString(text) && (!utf8.RuneStart(text[x.Start]) || x.End < len(text) && !utf8.RuneStart(text[x.End])) {
				t.Fatalf("finding %+v cuts a rune", x)
			}
			last = x.End
		}

		for _, l := range label.All(text) {
			if !label.Valid(l.String()) || !strings.Contains(text, l.String()) {
				t.Fatalf("label %v is not one of the text", l)
			}
		}
	})
}

func FuzzParse(f *testing.F) {
	f.Add("[Party 1]")
	f.Fuzz(func(t *testing.T, s string) {
		l, err := label.Parse(s)
		if err == nil && l.String() != s {
			t.Fatalf("Parse(%q) reads %q", s, l)
		}
		if (err == nil) != label.Valid(s) {
			t.Fatalf("Parse and Valid differ on %q", s)
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	for name, part := range map[string]string{
		"prose":   "On March 4, 2026, [Party 1] gave notice under Section 12.3 of the Lease, see 550 U.S. 544, 555-56 (2007), for $80,000.00. ",
		"digits":  "1 2 3 4 5 6 7 8 9 0 ",
		"ats":     "a@a@a@a@a@",
		"hyphens": "212-555-0-",
		"marks":   "1\u200b\u200b\u200b\u200b",
		"bracket": "[[[[[[[Party ",
	} {
		text := strings.Repeat(part, 1<<20/len(part))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))

			for b.Loop() {
				guard.New().Check(b.Context(), guard.FileText, text)
			}
		})
	}
}
