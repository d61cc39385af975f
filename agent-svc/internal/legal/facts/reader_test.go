package facts_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
	"pgregory.net/rapid"
)

func topics(text string, f facts.Facts) []string {
	var list []string
	for _, h := range f.Topics {
		list = append(list, h.Topic+": "+strings.ToLower(facts.Fold(h.In(text))))
	}

	return list
}

func TestTopics(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       []string
	}{
		{"class action", "CLASS ACTION COMPLAINT\n\nOn behalf of all others similarly situated.", []string{"type.class: class action", "type.class: all others similarly situated"}},
		{"waiver of class actions", "COMPLAINT\n\nThe class action waiver is void. Class actions are common.", nil},
		{"similarly situated employees", "COMPLAINT\n\nSimilarly situated employees were kept.", nil},
		{"injunction asked", "COMPLAINT\n\nPlaintiff is entitled to injunctive relief.", []string{"type.injunction: injunctive relief"}},
		{"injunction over a line", "MOTION\n\nmoves for a temporary\nrestraining order", []string{"type.injunction: temporary restraining order"}},
		{"injunction provided by contract", "EMPLOYMENT AGREEMENT\n\nThe Company may seek injunctive relief.", []string{"stakes.employment: employment agreement"}},
		{"remedies in a contract count for nothing", "LEASE\n\nLandlord may bring an eviction action or a criminal complaint.", nil},
		{"employment in a contract counts", "EMPLOYMENT AGREEMENT\n\nThe non-compete covenant.", []string{"stakes.employment: employment agreement", "stakes.employment: non-compete"}},
		{"custody of documents", "COMPLAINT\n\nin the possession, custody and control; police custody", nil},
		{"custody of a child", "PETITION\n\nsole legal custody of the minor child", []string{"stakes.custody: legal custody"}},
		{"no related case", "COMPLAINT\n\nThere are no related cases.", nil},
		{"related action", "COMPLAINT\n\nThis is a companion case.", []string{"coordination.related: companion case"}},
		{"foreign law", "AGREEMENT\n\nunder the laws of Germany", []string{"forum.foreign: laws of germany"}},
		{"new mexico is not foreign", "AGREEMENT\n\nthe laws of New Mexico", nil},
		{"protective order of discovery", "MOTION\n\nfor a protective order", nil},
		{"shouting", "COMPLAINT\n\nTITLE VII OF THE CIVIL RIGHTS ACT OF 1964", []string{"stakes.employment: title vii", "stakes.civil_rights: civil rights act"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := topics(tc.text, facts.NewReader().Read(tc.text, ""))
			if !slices.Equal(got, tc.want) {
				t.Errorf("topics of %q = %q, want %q", tc.text, got, tc.want)
			}
		})
	}
}

func TestClaims(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       int
	}{
		{"roman counts", "COUNT I\nBreach of Contract\ntext\nCOUNT II - FRAUD\nCOUNT III: NEGLIGENCE", 3},
		{"contents and body count once", "COUNT I\nCOUNT II\n\nCOUNT I\ntext\nCOUNT II\ntext", 2},
		{"words", "COUNT ONE\nCOUNT TWENTY-ONE", 2},
		{"causes of action", "FIRST CAUSE OF ACTION\n(Fraud)\nSECOND CAUSE OF ACTION\nThird Cause of Action", 3},
		{"claims for relief", "FIRST CLAIM FOR RELIEF\nSECOND CLAIM FOR RELIEF", 2},
		{"numbered causes", "CAUSE OF ACTION NO. 1\nCause of Action II", 2},
		{"markdown and numbered paper", "## COUNT I\n12 COUNT II", 2},
		{"sentence that mentions a count", "Count I of the complaint fails.\nCount two people.\nFirst cause for concern.", 0},
		{"families are not added", "COUNT I\nCOUNT II\nFIRST CAUSE OF ACTION", 2},
		{"none", "A letter.\n\nClaims are denied.", 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := facts.Claims(tc.text); len(got) != tc.want {
				t.Errorf("Claims(%q) = %d, want %d", tc.text, len(got), tc.want)
			}
		})
	}
}

func TestHeadsAreCutAtLines(t *testing.T) {
	for pad := range 8 {
		text := strings.Repeat("x", 5960+pad) + "\nCOMPLAINT " + strings.Repeat("é", 30)
		f := facts.NewReader().Read(text, "")
		if s := f.Title.In(text); !utf8.ValidString(s) || s != "" {
			t.Errorf("title %q of a text whose head ends within it, want none", s)
		}
	}
}

func TestTitleAndCaption(t *testing.T) {
	for _, tc := range []struct {
		name, text, docType string
		kind                facts.Kind
		title, system       string
		first, second       string
	}{
		{"federal complaint", "UNITED STATES DISTRICT COURT\nDISTRICT OF NEW JERSEY\n\n[Party 1],\n  Plaintiff,\nv.\n[Company 1] and [Party 2],\n\nCOMPLAINT\n", "", facts.Pleading, "complaint", "federal", "[Party 1]", "[Company 1]"},
		{"state petition", "IN THE SUPERIOR COURT OF THE STATE OF ARIZONA\n\nPETITION FOR DISSOLUTION", "", facts.Pleading, "petition", "state", "", ""},
		{"agency", "UNITED STATES DEPARTMENT OF JUSTICE\nEXECUTIVE OFFICE FOR IMMIGRATION REVIEW\nIMMIGRATION COURT\n\nMEMORANDUM OF LAW", "", facts.Motion, "memorandum of law", "agency", "", ""},
		{"lease", "COMMERCIAL LEASE AGREEMENT\n\nbetween [Party 1] and [Party 2].\nThe parties submit to the\nUnited States District Court for the District of Utah.", "", facts.Contract, "commercial lease", "", "", ""},
		{"title in capitals of a title", "# Employment Agreement\n\nThis agreement is made", "", facts.Contract, "employment agreement", "", "", ""},
		{"sentence is no title", "the complaint was filed yesterday and the answer is due", "", facts.Plain, "", "", "", ""},
		{"type on the record", "Some text without a title", "nda", facts.Contract, "", "", "", ""},
		{"appeal", "UNITED STATES COURT OF APPEALS\nFOR THE SECOND CIRCUIT\n\nNOTICE OF APPEAL", "", facts.AppealDoc, "notice of appeal", "federal", "", ""},
		{"arbitration", "AMERICAN ARBITRATION ASSOCIATION\n\nDEMAND FOR ARBITRATION", "", facts.Plain, "", "arbitration", "", ""},
		{"only one side is labelled", "SUPERIOR COURT\n[Party 1] v. the State", "", facts.Plain, "", "state", "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := facts.NewReader().Read(tc.text, tc.docType)
			if f.Title.Kind != tc.kind || f.Title.Name != tc.title || f.Caption.System != tc.system {
				t.Errorf("kind %q title %q system %q, want %q %q %q", f.Title.Kind, f.Title.Name, f.Caption.System, tc.kind, tc.title, tc.system)
			}
			if first, second := f.Caption.First.In(tc.text), f.Caption.Second.In(tc.text); first != tc.first || second != tc.second {
				t.Errorf("sides %q and %q, want %q and %q", first, second, tc.first, tc.second)
			}
		})
	}
}

func TestDeadlines(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       []string
	}{
		{"no later than", "You must respond no later than March 4, 2026.", []string{"2026-03-04"}},
		{"hour and weekday between", "Not later than 5:00 p.m. on Friday, March 6, 2026, file it.", []string{"2026-03-06"}},
		{"on or before", "Pay on or before 6/30/2026.", []string{"2026-06-30"}},
		{"within days of an event", "An answer is due within twenty-one (21) days after service of the summons on [Party 1].", []string{"21 day from service of the summons on [Party 1]"}},
		{"business days", "within 20 business days following receipt", []string{"20 business day from receipt"}},
		{"within days of a date", "within 30 days of March 1, 2026, the Tenant", []string{"2026-03-31 computed"}},
		{"months are not computed", "within 2 months of March 1, 2026", []string{"2 month from March 1, 2026"}},
		{"without an event", "cure within ten (10) days.", []string{"10 day from "}},
		{"hearing", "A hearing is set for April 9, 2026 in Room 5.", []string{"2026-04-09 hearing"}},
		{"within a place", "within the State; within Section 5 of this Lease; within 300 feet of", nil},
		{"date of the next sentence", "The rent is due by mail. On March 1, 2026 it came.", nil},
		{"month without a day", "no later than March 2026", nil},
		{"before an event is not counted forward", "not later than 14 days before June 1, 2026", []string{"14 day from June 1, 2026"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got []string

			for _, d := range facts.NewReader().Read(tc.text, "").Deadlines {
				s := fmt.Sprintf("%d %s from %s", d.Period, d.Unit, d.Event.In(tc.text))
				if d.HasDate {
					s = d.Date.String()
				}
				if d.Computed {
					s += " computed"
				}
				if d.Hearing {
					s += " hearing"
				}
				got = append(got, s)
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("deadlines of %q = %q, want %q", tc.text, got, tc.want)
			}
		})
	}
}

func TestRoles(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       []string // of each label in its order
	}{
		{"before", "Plaintiff [Party 1] sues", []string{"plaintiff"}},
		{"before, with a comma", "The Plaintiff, [Party 1], sues", []string{"plaintiff"}},
		{"behind", "[Party 1], Plaintiff,", []string{"plaintiff"}},
		{"behind, in a caption", "[Party 1],\n                    Plaintiff,\nv.\n[Party 2]\n     Defendant.", []string{"plaintiff", "defendant"}},
		{"a list", "[Company 1] and [Party 2],\n   Defendants.", []string{"defendant", "defendant"}},
		{"a list behind its role", "Defendants [Party 2], [Party 3] and [Person 1] deny", []string{"defendant", "defendant", "defendant"}},
		{"defined", "[Party 1] (the “Landlord”) and [Party 2] (\"Tenant\")", []string{"landlord", "tenant"}},
		{"defined behind an address", "[Party 1], a New York company with its office at [Address 1] (the \"Landlord\"), and [Party 2], who lives at [Address 2] (the \"Tenant\")", []string{"landlord", "landlord", "tenant", "tenant"}},
		{"one for the last only", "between [Party 1] and [Party 2] (the “Tenant”)", []string{"", "tenant"}},
		{"block of a signature", "[Person 1]\n[Org 1]\n[Address 3]\n*Attorney for Plaintiff [Party 1]*", []string{"attorney", "attorney", "attorney", "plaintiff"}},
		{"who acts for somebody", "for the Landlord, [Person 1] at [Email 1]", []string{"", ""}},
		{"who signs for somebody", "Landlord: [Party 1], by [Person 3], its managing member", []string{"landlord", ""}},
		{"in a sentence", "[Party 1] told the tenant. Defendant left", []string{""}},
		{"another word behind", "[Person 1], a neighbor of Defendant, saw it", []string{""}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var got []string
			for _, l := range facts.Labels(tc.text) {
				got = append(got, facts.RoleOf(tc.text, l))
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("roles in %q = %q, want %q", tc.text, got, tc.want)
			}
		})
	}
}

func TestReadLeavesOutDatesOfDecisions(t *testing.T) {
	text := "On May 1, 2020 it began. See 100 F.3d 12 (2d Cir. Sept. 14, 1996)."
	f := facts.NewReader().Read(text, "")
	if len(f.Dates) != 1 || f.Dates[0].String() != "2020-05-01" {
		t.Errorf("dates %v, want only that of the text", f.Dates)
	}
}

func TestIssuesAndWitnesses(t *testing.T) {
	text := "NOTICE OF DEFAULT\n\nTenant has breached Section 4.2 and is in default under Section 7. It will call twelve fact witnesses."
	f := facts.NewReader().Read(text, "")
	if len(f.Issues) != 2 || f.Issues[0].Section != "4.2" || f.Issues[1].Section != "7" {
		t.Errorf("issues %+v, want sections 4.2 and 7", f.Issues)
	}
	if f.Witnesses != 12 {
		t.Errorf("%d witnesses, want 12", f.Witnesses)
	}
}

func TestGoverningLaw(t *testing.T) {
	text := "LEASE\n\n1. Rent. Paid monthly.\n\n22. Governing Law. This Lease shall be governed by the laws of the State of Oregon. Next."
	f := facts.NewReader().Read(text, "")
	if got := f.Law.In(text); !strings.Contains(got, "laws of the State of Oregon") || strings.Contains(got, "Next") {
		t.Errorf("governing law %q, want its sentence", got)
	}
}

func TestContracts(t *testing.T) {
	text := "LEASE AGREEMENT\n\nbetween [Party 1] (“Landlord”) and [Party 2] (the \"Tenant\") (together, the “Parties”) (see Exhibit A) (the \"\").\n\n" +
		"1. Tenant shall pay rent. Landlord must repair the roof and shall insure it. Nothing else is said."
	f := facts.NewReader().Read(text, "")

	var terms, duties []string
	for _, s := range f.Terms {
		terms = append(terms, s.In(text))
	}

	for _, s := range f.Obligations {
		duties = append(duties, s.In(text))
	}
	if want := []string{"Landlord", "Tenant", "Parties"}; !slices.Equal(terms, want) {
		t.Errorf("terms %q, want %q", terms, want)
	}
	if want := []string{"1. Tenant shall pay rent.", "Landlord must repair the roof and shall insure it."}; !slices.Equal(duties, want) {
		t.Errorf("obligations %q, want %q", duties, want)
	}
}

func TestDaysFrom(t *testing.T) {
	now := time.Date(2026, 3, 1, 23, 30, 0, 0, time.UTC)
	for _, tc := range []struct {
		to   time.Time
		want int
	}{
		{time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), 0}, {time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC), 1}, {time.Date(2026, 2, 27, 0, 0, 0, 0, time.UTC), -2},
	} {
		if got := facts.DaysFrom(now, tc.to); got != tc.want {
			t.Errorf("DaysFrom(%v) = %d, want %d", tc.to, got, tc.want)
		}
	}
}

// words of which texts are made for properties: anchors of every scanner, and characters of several bytes.
func legalWords() []string {
	return []string{
		"Plaintiff", "[Party 1]", "[Company 12]", "demands judgment", "for", "$80,000", "March 4, 2026", "3/4/2026", "550 U.S. 544 (2007)", "Cal. Civ. Code § 1942", "no later than",
		"within", "thirty (30) days", "of", "service.", "COUNT I", "\n", "\n\n", "\f", "“Landlord”", "é", "日本", "\u00a0", "v.", "Inc.", "No.", "A. B.", "injunctive relief", "has breached Section 4",
		"governed by the laws of", "UNITED STATES DISTRICT COURT\n", "twelve witnesses", "x" + strings.Repeat("y", 350), "20t h day of May, 2011", "?", ";", "(", "(the “Premises”)", "LEASE AGREEMENT\n", "shall", "must",
	}
}

func legalText(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(legalWords()), 0, 60).Draw(t, "text"), rapid.SampledFrom([]string{" ", "", "\n"}).Draw(t, "joint"))
}

// TestQuotesAreWhatStandsThere wants, of everything found in any text: a span within the text on whole characters, and around it a quote
// that is short enough, holds the span where it can, and counts its place in code points rightly.
func TestQuotesAreWhatStandsThere(t *testing.T) {
	reader := facts.NewReader()
	rapid.Check(t, func(t *rapid.T) {
		text := legalText(t)
		ruler := facts.NewRuler(text)

		runes := []rune(text)
		for _, s := range spansOf(reader.Read(text, rapid.SampledFrom([]string{"", "nda", "complaint"}).Draw(t, "type"))) {
			if s.Start < 0 || s.End > len(text) || s.Start > s.End || !utf8.ValidString(s.In(text)) {
				t.Fatalf("span %+v of %q", s, text)
			}
			q := facts.Around(text, s)
			from, to := ruler.Char(q.Start), ruler.Char(q.End)
			if got, want := facts.Fold(string(runes[from:to])), facts.Fold(q.In(text)); got != want {
				t.Fatalf("code points %d to %d hold %q, want %q", from, to, got, want)
			}
			if n := utf8.RuneCountInString(q.In(text)); n > facts.MaxQuote {
				t.Fatalf("quote of %d code points", n)
			}
			short := utf8.RuneCountInString(s.In(text)) <= facts.MaxQuote
			if short && !strings.Contains(facts.Fold(q.In(text)), facts.Fold(s.In(text))) {
				t.Fatalf("quote %q without its span %q", q.In(text), s.In(text))
			}
		}
	})
}

func spansOf(f facts.Facts) []facts.Span {
	list := []facts.Span{f.Title.Span, f.Caption.Forum, f.Caption.First, f.Caption.Second, f.Law}
	for _, x := range f.Labels {
		list = append(list, x.Span)
	}

	for _, x := range f.Dates {
		list = append(list, x.Span)
	}

	for _, x := range f.Amounts {
		list = append(list, x.Span)
	}

	for _, x := range f.Citations {
		list = append(list, x.Span, x.Core)
	}

	for _, x := range f.Claims {
		list = append(list, x.Span)
	}

	for _, x := range f.Deadlines {
		list = append(list, x.Span, x.Set, x.Event)
	}

	for _, x := range f.Topics {
		list = append(list, x.Span)
	}

	for _, x := range f.Issues {
		list = append(list, x.Span)
	}
	list = append(list, f.Terms...)

	return append(list, f.Obligations...)
}

func TestRulerOnLongTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.SampledFrom([]string{"é", "日本 ", "ab", "x", "🜚y"}).Draw(t, "unit")
		text := strings.Repeat(unit, rapid.IntRange(0, 6000).Draw(t, "times"))
		ruler := facts.NewRuler(text)
		at := len(unit) * rapid.IntRange(0, len(text)/len(unit)).Draw(t, "at")
		if got, want := ruler.Char(at), utf8.RuneCountInString(text[:at]); got != want {
			t.Fatalf("byte %d stands behind %d code points, want %d", at, got, want)
		}
	})
}

// daysInRow are texts in which a day follows the day before it, without an hour behind them.
func daysInRow() []string {
	return []string{
		"Trial is set for May 3, 2027 and May 4, 2027 in Courtroom 5.",
		"May 3, 2027\n\nMay 4, 2027",
		"Signed May 3, 2027.\nMay 4, 2027.",
		"Der Termin ist am 3. Mai 2027 und 4. Mai 2027",
		"3/4/2027 3/5/2027 3/6/2027",
	}
}

func TestDaysInRow(t *testing.T) {
	for _, text := range daysInRow() {
		t.Run(text, func(t *testing.T) {
			f := facts.NewReader().Read(text, "order")
			if len(f.Dates) < 2 {
				t.Fatalf("%d dates in %q, want each day", len(f.Dates), text)
			}

			for _, d := range append(f.Deadlines, f.Listed...) {
				if d.Clock.End > 0 {
					t.Errorf("%s of %q has the hour %q, want none", d.Date, text, d.Clock.In(text))
				}
			}
		})
	}
}

// lettersThatGrow are texts with letters whose small form is longer or shorter than they are.
func lettersThatGrow() []string {
	const grow = "ȺȺȺȺȺȺȺȺȺ"

	return []string{
		"ORDER\nAnswer within 14 days after service of this order and " + grow + " within \n",
		"ORDER\nAnswer within 14 days after service of this order and KKKKKKKK within 7 days",
		"The purchase price " + grow + " is $4 million (" + grow + " the loan)",
		grow + " served " + grow + " on May 3, 2027 " + grow + ", $5,000 " + grow,
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range legalWords() {
		f.Add(s + " " + s)
	}

	for _, s := range slices.Concat(daysInRow(), lettersThatGrow()) {
		f.Add(s)
	}
	reader := facts.NewReader()
	f.Fuzz(func(t *testing.T, text string) {
		text = strings.ToValidUTF8(text, "?")
		for _, s := range spansOf(reader.Read(text, "")) {
			if s.Start < 0 || s.End > len(text) || s.Start > s.End {
				t.Fatalf("span %+v of a text of %d bytes", s, len(text))
			}
			if q := facts.Around(text, s); !utf8.ValidString(q.In(text)) {
				t.Fatalf("a quote cuts a character: %q", q.In(text))
			}
		}
	})
}

// TestWorkAndMemoryAreBounded reads texts made to have as many facts as they can; without bounds these take minutes, or all memory.
func TestWorkAndMemoryAreBounded(t *testing.T) {
	reader := facts.NewReader()

	for _, unit := range []string{"$1 ", "[Party 1]", "1/1/2020 ", "governed by ", "within ", "§", "(", "A", "1", "May 1, 2020 ", "1 F.3d 1 ", "shall ", "COUNT I\n", "no later than 1/1/2020 ", "no later than 1/1/2020. ", "has breached section 4 ", "\n", "#", "“", "one hundred witnesses ", "1 1 ", "twenty-"} {
		text := strings.Repeat(unit, 600_000/len(unit))

		f := reader.Read(text, "")
		for _, n := range []int{len(f.Labels), len(f.Amounts), len(f.Dates), len(f.Citations), len(f.Deadlines), len(f.Topics), len(f.Issues), len(f.Claims), len(f.Terms), len(f.Obligations)} {
			if n > 50_000 {
				t.Errorf("%q: %d facts of one kind", unit, n)
			}
		}
		if len(f.Labels) == 50_000 && !f.Full {
			t.Errorf("%q: full, but not said so", unit)
		}
	}
}
