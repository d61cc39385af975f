package guard_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/pkg/guard"
)

func found(t *testing.T, door guard.Channel, text string) string {
	t.Helper()
	return show(text, guard.Guard{}.Check(t.Context(), door, text))
}

func TestGuardPassesLegalWork(t *testing.T) {
	for _, text := range []string{
		"Plaintiff relies on Bell Atl. Corp. v. Twombly, 550 U.S. 544, 555-56 (2007), and Ashcroft v. Iqbal, 556 U.S. 662, 678 (2009).",
		"Under Fed. R. Civ. P. 12(b)(6), the Court accepts the well-pleaded allegations as true. Fed. R. Civ. P. 8(a)(2).",
		"See Anderson v. Liberty Lobby, Inc., 477 U.S. 242, 248 (1986); Celotex Corp. v. Catrett, 477 U.S. 317, 322-23 (1986).",
		"Gorzynski v. JetBlue Airways Corp., 596 F.3d 93, 110 (2d Cir. 2010), and In re Enron Corp. Sec. Litig., 235 F. Supp. 2d 549, 570 (S.D. Tex. 2002).",
		"Doe v. Roe, 2018 U.S. Dist. LEXIS 123456, at *12-13 (N.D. Cal. July 3, 2018); 2019 WL 1234567, at *3 (S.D.N.Y. Mar. 4, 2019).",
		"Hively v. Ivy Tech Cmty. Coll. of Ind., 853 F.3d 339 (7th Cir. 2017) (en banc).",
		"Roe v. Wade, 410 U.S. 113, 93 S. Ct. 705, 35 L. Ed. 2d 147 (1973)",
		"Donoghue v Stevenson [1932] AC 562 was followed in Caparo v Dickman [1990] 2 AC 605.",
		"Harmsworth v. the United Kingdom, judgment of 3 May 2011",
		"Title VII of the Civil Rights Act of 1964, 42 U.S.C. § 2000e et seq., and attorney's fees under 42 U.S.C. §§ 1988 and 2000e-5(k), 29 U.S.C. § 2617(a)(3).",
		"Cal. Lab. Code §§ 201-203; 815 ILCS 505/2; Fla. Stat. § 440.192; N.J.S.A. 2A:18-61.1; RCW 19.86.020; 29 C.F.R. § 825.300(b)",
		"[Party 1] worked for [Party 2] from March 4, 2016 until June 30, 2019 at a base salary of $185,000, 12.5% of 1,234,567 shares.",
		"The Southern District of New York is the proper venue; the Second Circuit and the Supreme Court of California agree.",
		"The Securities and Exchange Commission filed under Section 10(b) of the Securities Exchange Act of 1934 and Rule 10b-5.",
		"WHEREFORE, Plaintiff respectfully requests judgment against Defendants, jointly and severally.\n\nCOUNT II: BREACH OF THE IMPLIED COVENANT OF GOOD FAITH AND FAIR DEALING",
		"The Provincial Court (Audiencia Provincial) and the Bundesgerichtshof refused leave; the Kostenfestsetzungsbeschluss was quashed.",
		"Black employees were denied awards; Plaintiff, a Black woman, complained to the Equal Employment Opportunity Commission.",
		"[Company 1] owes our client 40,000 dollars and paid the customer 25,000.50 euros.",
		"https://www.fedex.com/track and https://dropbox.com/s/lease are no pages of a person.",
		"What did the court hold in Obergefell v. Hodges and Marbury v. Madison, and does Frye or Twombly apply? Seek an Anton Piller order.",
		"MOTION TO DISMISS AND INCORPORATED MEMORANDUM OF LAW under Cal. Bus. & Prof. Code and the UCL",
		"Q. Did you sign?\nA. I did, with Form I-864 and I-693.",
		"at 3:30 pm on 04/03/2026, 2026-03-04T05:06:07.089Z, pp. 12-15 and ¶¶ 212-214, ABC00012345, xxxx-xxxx-1234",
		"0190f5e2-7b3c-7cc3-98c4-dc0c0c07398f 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
		"Send POST /v1/auth/token with an Idempotency-Key over HTTPS; cards name a2a/1.0; files of 25 MiB are JSON, PDF or DOCX.",
		"case C-131/12, Article 6 § 1 of the Convention, Law no. 2845, and the Official Gazette of 5 May 2004",
	} {
		if got := found(t, guard.FileText, text); got != "" {
			t.Errorf("%s\n\tholds %s, want nothing", text, got)
		}
	}
}

func TestGuardFindsIdentities(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"title":                       {"It was sent to Mr Halvard Ostrowe yesterday.", `person="Mr Halvard Ostrowe"`},
		"title, office":               {"Ms Ostrowe Managing Director", `person="Ms Ostrowe"`},
		"given and surname":           {"The lease with Petra Holzmann ended.", `person="Petra Holzmann"`},
		"particle":                    {"The lease with Joost van der Meulen ended.", `person="Joost van der Meulen"`},
		"initials":                    {"The lease with J. R. Holzmann ended.", `person="J. R. Holzmann"`},
		"initials only":               {"The applicant, A.K., lives abroad.", `person="A.K"`},
		"lone surname":                {"Then Holzmann paid.", `person="Holzmann"`},
		"days of the week":            {"Hearings are held on Wednesdays and Fridays in Courtroom 4.", ""},
		"a word and a name":           {"I met Baker on Monday.", `person="Baker"`},
		"inverted":                    {"Holzmann, Petra", `person="Holzmann, Petra"`},
		"all capitals":                {"PETRA HOLZMANN signed", `person="PETRA HOLZMANN"`},
		"diacritics":                  {"Zoë Ångström-Ødegård", `person="Zoë Ångström-Ødegård"`},
		"possessive":                  {"Holzmann's lease", `person="Holzmann"`},
		"a full name against a State": {"Our client Halvard Ostrowe v. State is due.", `person="Halvard Ostrowe"`},
		"and in a caption":            {"MOTION\n\nHalvard Ostrowe v. United States of America\n\nThe defendant moves", `person="Halvard Ostrowe"`},
		"a surname against a State":   {"In Ostrowe v. State the court held, as in Van Orden v. Texas, Moreno Gómez v. Spain.", ""},
		"a full name that is cited":   {"See Halvard Ostrowe v. State, 123 So. 2d 45 (Fla. 1990).", ""},
		"a role that ends a sentence": {"[Party 2], Defendant. United States District Court. Plaintiff. United States of America", ""},
		"not published":               {"In Holzmann v. Ostrowe the parties settled.", `person="Holzmann" person="Ostrowe"`},
		"learnt":                      {"Mr Baker paid. Then Baker left.", `person="Mr Baker" person="Baker"`},
		"company":                     {"Holzmann Maschinenbau GmbH", `org="Holzmann Maschinenbau GmbH"`},
		"zero width":                  {"Pe\u200btra Hol\u200bzmann", "person=\"Pe\\u200btra Hol\\u200bzmann\""},
		"look-alikes":                 {"Реtra Hоlzmann", `person="Реtra Hоlzmann"`},
		"full width":                  {"Ｐｅｔｒａ Ｈｏｌｚｍａｎｎ", `person="Ｐｅｔｒａ Ｈｏｌｚｍａｎｎ"`},
		"combining":                   {"Zoe\u0308 Holzmann", "person=\"Zoe\u0308 Holzmann\""},
		"letters apart":               {"write to P e t r a now", `person="P e t r a"`},
		"digits for letters":          {"P3tra", `person="P3tra"`},
		"percent signs":               {"%50%65%74%72%61", `person="%50%65%74%72%61"`},
		"references":                  {"&#80;&#101;&#116;", `person="&#80;&#101;&#116;"`},
		"quoted-printable":            {"sent =50=65=74=72=61 away", `person="=50=65=74=72=61"`},
		"quoted-printable, accents":   {"sent =D0=98=D0=B2=D0=B0=D0=BD away", `person="=D0=98=D0=B2=D0=B0=D0=BD"`},
		"quoted-printable in a word":  {"name=50=65=74=72=61", `person="=50=65=74=72=61"`},
		"a dash in quoted-printable":  {"The rent =E2=80=94 and the deposit =E2=80=9C are due, a=10=20=30, b==0A=0D=09.", ""},
		"escapes of programs":         {`sent \x50\x65\x74 away`, `person="\\x50\\x65\\x74"`},
		"escapes of rich text":        {`sent \'50\'65\'74\'72\'61 away`, `person="\\'50\\'65\\'74\\'72\\'61"`},
		"backslashes":                 {`C:\xaa\bb\x, \'e, \xe2\x80\x94`, ""},
		"base64":                      {"UGV0cmEgSG9sem1hbm4=", `person="UGV0cmEgSG9sem1hbm4="`},
		"docket":                      {"No. 1:17-cv-00072", `docket="1:17-cv-00072"`},
		"application":                 {"application no. 71236/09", `docket="71236/09"`},
		"list":                        {"nos. 81234/11 and 81239/11", `docket="81234/11" docket="81239/11"`},
		"court's prefix":              {"IV Kz 777/19", `docket="IV Kz 777/19"`},
		"policy":                      {"policy number AB-4471", `docket="AB-4471"`},
		"born":                        {"born on 4 March 1975 in Ankara", `birth_date="4 March 1975"`},
		"born, American":              {"born on March 4, 1975 in", `birth_date="March 4, 1975"`},
		"born, figures":               {"DOB: 04/03/1975", `birth_date="04/03/1975"`},
		"IBAN":                        {"GB82 WEST 1234 5698 7654 32.", `account="GB82 WEST 1234 5698 7654 32"`},
		"card":                        {"4111 1111 1111 1111", `account="4111 1111 1111 1111"`},
		"account":                     {"account 12345678", `account="12345678"`},
		"NINO":                        {"AB 12 34 56 C", `id_number="AB 12 34 56 C"`},
		"DNI":                         {"12345678Z", `id_number="12345678Z"`},
		"codice fiscale":              {"RSSMRA85T10A562S", `id_number="RSSMRA85T10A562S"`},
		"PESEL":                       {"PESEL 44051401359", `id_number="44051401359"`},
		"Steuer-ID":                   {"tax id 86095742719", `id_number="86095742719"`},
		"TCKN":                        {"identity no 10000000146", `id_number="10000000146"`},
		"AHV":                         {"insurance number 756.9217.0769.85", `id_number="756.9217.0769.85"`},
		"passport":                    {"passport 533401372", `id_number="533401372"`},
		"VIN":                         {"1M8GDM9AXKP042788", `vehicle="1M8GDM9AXKP042788"`},
		"plate":                       {"licence plate KX07 ABC", `vehicle="KX07"`},
		"IPv4":                        {"from 203.0.113.7 at", `id_number="203.0.113.7"`},
		"MAC":                         {"00:1B:44:11:3A:B7", `id_number="00:1B:44:11:3A:B7"`},
		"mail spelt out":              {"jane at mail dot example", `email="jane at mail dot example"`},
		"mail in brackets":            {"jane [at] mail.example", `email="jane [at] mail.example"`},
		"page by its host":            {"see x.com/petraholz9 or https://x.com/petraholz9", `url="https://x.com/petraholz9"`},
		"against a namesake":          {"Holzmann v. Madison", `person="Holzmann" person="Madison"`},
		"behind an article":           {"Summarise the Zorbanek deposition, then draft a Zorbanek demand.", `person="Zorbanek" person="Zorbanek"`},
		"a full name there":           {"He met a Petra Holzmann at the station.", `person="Petra Holzmann"`},
		"in a transcript":             {"Q: Who signed?\nA: Zorbanek signed.", `person="Zorbanek"`},
		"in a list":                   {"(a) Petra Zorbanek, the tenant", `person="Petra Zorbanek"`},
		"handle":                      {"ask @petra_holz on it", `url="@petra_holz"`},
		"page of a person":            {"https://www.linkedin.com/in/petra-holzmann-1", `url="https://www.linkedin.com/in/petra-holzmann-1"`},
		"street, English":             {"at 12 Long Lane, London SE1 4PG.", `address="12 Long Lane, London SE1 4PG"`},
		"street, American":            {"350 Fifth Avenue, Suite 3300, New York, NY 10118", `address="350 Fifth Avenue, Suite 3300, New York, NY 10118"`},
		"street, German":              {"in der Hauptstraße 5, 10115 Berlin.", `address="Hauptstraße 5, 10115 Berlin"`},
		"street, French":              {"12, rue de la Paix, 75002 Paris.", `address="12, rue de la Paix, 75002 Paris"`},
		"street, Italian":             {"in Via Roma 12, 00184 Roma", `address="Via Roma 12, 00184 Roma"`},
		"street, Spanish":             {"en Calle Mayor 5, 28013 Madrid", `address="Calle Mayor 5, 28013 Madrid"`},
		"street, Dutch":               {"Keizersgracht 123, 1015 CJ", `address="Keizersgracht 123, 1015 CJ"`},
		"street, Polish":              {"ul. Marszałkowska 10/5, 00-590", `address="ul. Marszałkowska 10/5, 00-590"`},
		"street, Hungarian":           {"Váci utca 12, 1052 Budapest", `address="Váci utca 12, 1052 Budapest"`},
		"street, Canadian":            {"100 King Street West, Toronto, ON M5X 1A9", `address="100 King Street West, Toronto, ON M5X 1A9"`},
		"suite":                       {"at Suite 2740, 27th Floor\nBoston", `address="Suite 2740" address="27th Floor"`},
		"floor":                       {"6th Floor, Harbor Centre\nBoston", `address="6th Floor, Harbor Centre"`},
		"floor in running text":       {"a fall on the 3rd floor, and the 2nd Floor Courtroom", ""},
		"ZIP, spelled-out state":      {"Orrington, Oregon 97299\nand New Hampshire 03999", `address="Oregon 97299" address="New Hampshire 03999"`},
		"street without a kind":       {"38 West Quill\nor 72 S Quill, Suite 5", `address="38 West Quill" address="72 S Quill, Suite 5"`},
		"road with a number":          {"at 48 County Road 771", `address="48 County Road 771"`},
		"building with a numeral":     {"One Zorbanek Harbor Plaza, Boston", `address="One Zorbanek Harbor Plaza"`},
		"a court behind a year":       {"June 9, 2004 UNITED STATES COURT OF APPEALS", ""},
		"a surname before a noun":     {"Summarize Smith deposition and the Baker deposition.", `person="Smith" person="Baker"`},
		"a surname that opens":        {"Smith deposition outline", `person="Smith"`},
		"words that act":              {"Grace Park fired me", `person="Grace Park"`},
		"behind somebody's":           {"PLAINTIFF'S FIRST SET OF INTERROGATORIES", ""},
		"signature":                   {"/s/ DB QUILL\nDirector", `person="DB QUILL"`},
		"salutation":                  {"Dear Ada:\nThank you", `person="Ada"`},
		"inverted in brackets":        {"entered (Marsh, Adele) on 7/2/14", `person="Marsh, Adele"`},
		"suffix":                      {"Halvard U. Ostrowe, III, signed", `person="Halvard U. Ostrowe, III"`},
		"company with a comma":        {"Blue Harbor Foods, Inc., a Delaware corporation, pays", `org="Blue Harbor Foods, Inc."`},
		"company without":             {"paid by Second Harvest Logistics LLC.", `org="Second Harvest Logistics LLC"`},
		"company in capitals":         {"BETWEEN BLUE HARBOR FOODS, INC. AND [Party 2]", `org="BLUE HARBOR FOODS, INC."`},
		"short form":                  {"Blue Harbor Foods, Inc. (“BHF”) sold. BHF paid.", `org="Blue Harbor Foods, Inc." person="BHF" person="BHF"`},
		"name without the form":       {"Blue Harbor Foods, Inc. sold. Then Blue Harbor Foods paid.", `org="Blue Harbor Foods, Inc." org="Blue Harbor Foods"`},
		"law firm":                    {"counsel at Holloway & Finchley are", `org="Holloway & Finchley"`},
		"bank":                        {"an account at First Harbor National Bank in", `org="First Harbor National Bank"`},
		"plan":                        {"the ZQX Retirement Savings Plan pays", `org="ZQX Retirement Savings Plan"`},
		"union":                       {"and Harbor Pilots Union, Local 999", `org="Harbor Pilots Union, Local 999"`},
		"a kind of company":           {"a Delaware limited liability company, the LLC, and any Surviving Corporation", ""},
		"telephone":                   {"call 212-555-0134", `phone="212-555-0134"`},
		"social security":             {"SSN 123-45-6789", `id_number="123-45-6789"`},
		"label gone wrong":            {"[party 1]", `label="[party 1]"`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := found(t, guard.FileText, tc.text); got != tc.want {
				t.Errorf("found %s, want %s", got, tc.want)
			}
		})
	}
}

func TestGuardIsStricterWherePeopleWriteCarelessly(t *testing.T) {
	for name, tc := range map[string]struct {
		text string
		door guard.Channel
		want string
	}{
		"name in lower case":      {"call petra holzmann about the lease", guard.Prompt, `person="petra" person="holzmann"`},
		"in a note in a file":     {"call petra holzmann about the lease", guard.FileText, `person="petra holzmann"`},
		"in prose in a file":      {"They call petra holzmann about the lease", guard.FileText, ""},
		"mistyped":                {"summarise the agremeent and the defendxnt's answr", guard.Prompt, ""},
		"file name":               {"lease_draft_2.docx", guard.FileName, ""},
		"file name with names":    {"holzmann_ostrowe.pdf", guard.FileName, `person="holzmann" person="ostrowe"`},
		"institution in a prompt": {"find filings before the Holzmann Court", guard.Prompt, ""},
		"institution in a record": {"before the Holzmann Court", guard.PartyRecord, `org="Holzmann"`},
		"word of another script":  {"call Петра about it", guard.Prompt, `person="Петра"`},
		"clean query":             {"notice of termination", guard.Query, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := found(t, tc.door, tc.text); got != tc.want {
				t.Errorf("found %s, want %s", got, tc.want)
			}
		})
	}
}

func TestEveryFindHasAReason(t *testing.T) {
	for _, f := range (guard.Guard{}).Check(t.Context(), guard.PartyRecord, written(t, 50_000)) {
		if f.Why == "" || f.Kind == "" {
			t.Fatalf("%+v has no reason or kind", f)
		}
	}
}

// FuzzGuard wants finds in order, inside the text, apart and on rune boundaries, with reasons, and the same ones when asked again.
func FuzzGuard(f *testing.F) {
	for _, p := range pieces {
		f.Add(p)
	}
	f.Add(strings.Join(pieces, ""))

	// Letters that take more bytes in lower case.
	f.Add("IN THE HIGH COURT OF JUSTICE\nBefore:\n" + strings.Repeat("\u023a ", 20) + "\nBetween:")
	f.Add(strings.Repeat("\u023e", 12) + "Rev")
	f.Fuzz(func(t *testing.T, text string) {
		for _, door := range []guard.Channel{guard.Prompt, guard.FileText, guard.PartyRecord} {
			last := 0

			finds := guard.Guard{}.Check(t.Context(), door, text)
			for _, x := range finds {
				if x.Start < last || x.End <= x.Start || x.End > len(text) || x.Kind == "" || x.Why == "" {
					t.Fatalf("%+v after byte %d of %d", x, last, len(text))
				}
				if utf8.ValidString(text) && (!utf8.RuneStart(text[x.Start]) || x.End < len(text) && !utf8.RuneStart(text[x.End])) {
					t.Fatalf("%+v cuts a rune", x)
				}
				last = x.End
			}
			if again := (guard.Guard{}).Check(t.Context(), door, text); fmt.Sprint(again) != fmt.Sprint(finds) {
				t.Fatalf("two answers for one text: %v and %v", finds, again)
			}
		}
	})
}

// judgment is prose as lawyers write it, without identities: paragraphs of the clean set.
func judgment(b *testing.B) string {
	var text strings.Builder
	for i, s := range readSamples(b, "clean") {
		text.WriteString(s.Text)
		text.WriteString([]string{" ", " ", " ", "\n\n"}[i%4])
	}

	return text.String()
}

// BenchmarkGuard has ordinary prose, and texts made to keep each rule busy: their speeds at 256 KiB and 1 MiB must not differ by much.
func BenchmarkGuard(b *testing.B) {
	for name, part := range map[string]string{
		"judgment":  judgment(b),
		"numbers":   "On March 4, 2026, [Party 1] gave notice under Section 12.3 of the Lease, see 550 U.S. 544, 555-56 (2007), for $80,000.00. ",
		"names":     "Petra Holzmann met Halvard Ostrowe and J. R. Baker of Holzmann Maschinenbau GmbH at 12 Long Lane. ",
		"typograph": "“The lessee” – so the Court – “shall, under § 4, pay €80’000.00.” ",
		"digits":    "1 2 3 4 5 6 7 8 9 0 ",
		"dots":      "1.1.",
		"capitals":  "A B C D E F G H ",
		"versus":    "Aa v. Bb v. Cc v. ",
		"marks":     "a\u0301\u0301\u0301\u0301",
		"zero":      "a\u200b",
		"strokes":   "1/2/3/4/",
		"one word":  "x",
		"at":        "a at b dot ",
		"volumes":   "550 U.S. 550 U.S. ",
		"mixed":     "аa",
		"table":     "Witness\tBates No.\tDate\n",
		"flags":     "CLOSED, ",
		"division":  "HOUSTON DIVISION ",
		"court":     "12 Stone Court ",
		"heads":     "COURT ",
		"items":     "- Ab\n",
		"lines":     "Ab\n",
		"towns":     "Stone Hollow, Texas; ",
		"initials":  "A.B. ",
		"forms":     "Inc. AB Ltd, ",
		"phrases":   "Blue Harbor Foods, Inc. and Blue Harbor ",
		"partners":  "Smith & ",
		"signed":    "/s/ Ada Hale   ",
	} {
		for _, size := range []int{256 << 10, 1 << 20} {
			text := strings.Repeat(part, size/len(part))
			b.Run(fmt.Sprintf("%s/%dKiB", name, size>>10), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()

				for b.Loop() {
					if err := (guard.Guard{}).CheckReader(b.Context(), guard.FileText, strings.NewReader(text), func(guard.Finding) error { return nil }); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
