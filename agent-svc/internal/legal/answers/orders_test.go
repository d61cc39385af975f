package answers_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/api"
)

// TestOrders lists the deadlines of orders whose days were marked by hand: each dated duty must be there, with its
// hour and room, computed where it follows from another day, and no day of service or filing may.
func TestOrders(t *testing.T) {
	files, err := filepath.Glob("testdata/orders/*.txt")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d orders, %v", len(files), err)
	}

	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			text, gold, _ := strings.Cut(string(b), "=====\n")
			r, _ := do(t, asOf("2026-11-24", "List the deadlines", "", ""), newCaseFiles().add("Order.txt", text))
			if bad := dirty(r); len(bad) > 0 {
				t.Errorf("the gate would hold back %q", bad)
			}
			checkCitations(t, r, newCaseFiles().add("Order.txt", text))
			lines := strings.Split(withoutDone(r.Text), "\n")

			for line := range strings.Lines(gold) {
				f := strings.Fields(line)
				kind, day := f[0], f[1]

				row := rowOf(lines, day, kind == "hearing")
				switch {
				case kind == "never" && row != "":
					t.Errorf("%s stands among the days: %s", day, row)
				case kind == "never":
				case (kind == "gone") != strings.Contains(row, "no longer counts"):
					t.Errorf("whether %s still counts, want %s: %q", day, kind, row)
				case row == "":
					t.Errorf("%s %s is missing:\n%s", kind, day, r.Text)
				case kind == "ambiguous" && !strings.Contains(strings.Join(r.Questions, "\n"), day):
					t.Errorf("nothing asks about %s: %q", day, r.Questions)
				}

				for _, part := range f[2:] {
					if row != "" && !strings.Contains(row, part) {
						t.Errorf("%s lacks %q: %s", day, part, row)
					}
				}
			}
		})
	}
}

// withoutDone leaves out of an answer the days that it gives as what was done.
func withoutDone(text string) string {
	before, after, _ := strings.Cut(text, "**To come, though the words tell of what was done")
	// The section ends with its list.
	_, list, _ := strings.Cut(after, "\n\n")
	_, rest, _ := strings.Cut(list, "\n\n")

	return before + rest
}

// rowOf returns the row of a list that has a day as its own, the safe or the latest one; of a day to appear the one
// that says so.
func rowOf(lines []string, day string, appear bool) string {
	for i, line := range lines {
		if appear && !strings.Contains(line, "(to appear)") {
			continue
		}
		if strings.HasPrefix(line, "- **") && strings.Contains(strings.SplitAfter(line, "**")[1], day) {
			return line
		}
		if strings.Contains(line, "At the latest it is "+day) {
			return lines[max(0, i-2)]
		}
	}

	return ""
}

// TestDaysOfEvents counts periods from the day on which a paper says that their event was, and states a doubt where
// the event may be another one.
func TestDaysOfEvents(t *testing.T) {
	for _, tc := range []struct{ name, text, day, doubt string }{
		{"entry is told", "ORDER\n\nObjections shall be filed within 14 days after the entry of this order. ENTERED this 20th day of November, 2026.", "2026-12-04", ""},
		{"only the making is told", "ORDER\n\nDated: November 20, 2026\n\nDefendant shall answer within 21 days after service of this order. The order of November 2, 2026 is set aside.", "2026-12-11", "runs from the service"},
		{"receipt of what may be another notice", "NOTICE OF DEFAULT\n\nYou received our notice on November 16, 2026. You must cure the default within 15 days after receipt of the notice.", "2026-12-01", "another receipt"},
		{"the paper served is another one", "ORDER\n\nThe answer is due within 21 days of service of the amended complaint. The complaint was served on October 1, 2026.", "", ""},
		{"of two papers the one that is meant", "ORDER\n\nThe answer is due within 21 days of service of the amended complaint. The complaint was served on October 1, 2026. The amended complaint was served on November 18, 2026.", "2026-12-09", "another service"},
		{"what shall be is no event", "ORDER\n\nJudgment shall be entered on December 1, 2026. The writ issues within 15 days from the entry of judgment.", "", ""},
		{"a vacated hearing", "ORDER\n\nThe hearing of December 4, 2026 is vacated. Within 14 days after the hearing the parties shall file findings. A hearing on fees is set for January 12, 2027.", "2027-01-26", "vacated or moved"},
		{"an order in a memo", "MEMO\n\nDated: November 22, 2026\n\nOn November 20, 2026 the court entered an order. Objections must be filed within 14 days of entry of the order.", "2026-12-04", ""},
		{"what this order vacates", "ORDER\n\nObjections are due within 14 days of entry of this order. This order vacates the order entered on October 2, 2026.", "", ""},
		{"what this order amends", "ORDER\n\nObjections are due within 14 days of entry of this order. The judgment amended by this order was entered on October 2, 2026.", "", ""},
		{"what this order refers to", "ORDER\n\nObjections are due within 14 days of entry of this order. The decree to which this order refers was entered on October 2, 2026.", "", ""},
		{"the entry of this order", "ORDER\n\nObjections are due within 14 days of entry of this order. This order was entered on November 20, 2026.", "2026-12-04", ""},
		{"the end of this lease", "LEASE\n\nMade as of: November 20, 2026\n\nThe tenant shall leave the keys within 30 days after the end of this lease.", "", ""},
		{"a breach of this lease", "LEASE\n\nDated: November 20, 2026\n\nThe tenant shall pay within 30 days after breach of this lease.", "", ""},
		{"the date of this lease", "LEASE\n\nDated: November 20, 2026\n\nThe tenant shall pay within 28 days after the date of this lease.", "2026-12-18", ""},
		{"a final order", "ORDER\n\nDated: November 20, 2026\n\nThe answer is due 14 days after the order becomes final.", "", ""},
		{"another court's order", "ORDER\n\nDated: November 20, 2026\n\nThe answer is due 14 days after the order of the Court of Appeals.", "", ""},
		{"a refused entry", "MEMO\n\nThe motion is due 28 days after entry of judgment. The clerk refused entry of the judgment on November 2, 2026.", "2026-11-30", "another one"},
		{"a default judgment", "MEMO\n\nThe motion is due 28 days after entry of judgment. The default judgment was entered on November 2, 2026.", "2026-11-30", "another one"},
		{"receiving this order", "ORDER\n\nDated: November 20, 2026\n\n[Party 2] shall answer within fourteen days of receiving this order. [Party 2] received this order on December 7, 2026.", "2026-12-21", ""},
		{"an order that reached a party", "ORDER\n\nDated: November 20, 2026\n\n[Party 2] shall answer within fourteen days of receiving this order. This order reached [Party 2] on December 7, 2026.", "2026-12-21", ""},
		{"an order that reached another party", "ORDER\n\nDated: November 20, 2026\n\n[Party 2] shall answer within fourteen days of receiving this order. This order reached [Party 3] on December 7, 2026.", "2026-12-21", "may tell of another one"},
		{"another party received it", "ORDER\n\nDated: November 20, 2026\n\n[Party 2] shall answer within fourteen days of receiving this order. [Party 3] received this order on December 7, 2026.", "2026-12-21", "may tell of another one"},
		{"learning of this order", "ORDER\n\nEntered November 20, 2026.\n\nWithin 14 days of learning of this order the respondent shall file a declaration. The respondent learned of this order on December 7, 2026.", "2026-12-21", ""},
		{"reading this order", "ORDER\n\nDated: November 20, 2026\n\nWithin 14 days of reading this order the respondent shall file a declaration.", "2026-12-04", "something else than the making"},
		{"receipt by somebody unclear", "ORDER\n\nDated: November 20, 2026\n\nThe employer shall reinstate him within 14 days of receiving this order. Its counsel acknowledged that it received the order on December 7, 2026.", "2026-12-04", "does not say clearly"},
		{"served by posting", "NOTICE TO QUIT\n\nDated: November 20, 2026\n\nYou must leave within 10 days of service of this notice. Served by posting on November 23, 2026.", "2026-12-03", ""},
		{"a named notice", "CONTRACT\n\nContractor shall finish within 91 days after the Notice to Proceed is issued. The Notice to Proceed was issued on November 16, 2026.", "2027-02-15", ""},
		{"a day with a name", "AGREEMENT\n\nThis Agreement is made as of November 20, 2026 (the \"Effective Date\"). [Party 1] shall deliver the plan within 28 days after the Effective Date.", "2026-12-18", ""},
		{"a clause gives the day", "ORDER\n\nThe report is due within 12 days after the closing, which happened on December 3, 2026.", "2026-12-15", ""},
		{"a period begins", "NOTICE\n\nYou have thirty days to object. The period begins on December 2, 2026.", "2026-12-31", ""},
		{"two judgments", "MEMO\n\nAn appeal is due 30 days after entry of the judgment. The divorce judgment was entered on November 10, 2026. The custody judgment was entered on November 12, 2026.", "2026-12-10", "another one"},
		{"another court's judgment", "JUDGMENT\n\nDated November 20, 2026.\n\nThe appeal is due 28 days after entry of this judgment. The judgment of November 2, 2026 was entered on November 3, 2026 in another court.", "2026-12-18", "runs from the entry"},
		{"an adjective is no act", "ORDER\n\nThe employer shall produce the file within 10 days of receipt of the Signed Authorization. The employer received the signed authorization on November 20, 2026.", "2026-11-30", ""},
		{"to appear and show cause", "ORDER\n\nYou shall appear on January 15, 2027 at 9:00 a.m. and show cause why relief should not be granted. Papers are due five court days before the show cause hearing.", "2027-01-08", ""},
		{"the first of two ends", "OPTION\n\nThe term expires on August 31, 2027. Tenant must give notice not more than 180 and not less than 120 days before the expiration of the term.", "2027-03-04", ""},
		{"the second of two ends", "OPTION\n\nThe term expires on August 31, 2027. Tenant must give notice between 180 and 120 days before the expiration of the term.", "2027-05-03", ""},
		{"a summons and its proof of service", "SUMMONS\n\nTo: [Party 2]\n\nWithin 21 days after service of this summons on you (not counting the day you received it) you must serve an answer.\n\nPROOF OF SERVICE\n\nThis summons was received by me on November 10, 2026. I personally served the summons on [Party 2] on November 16, 2026.", "2026-12-07", ""},
		{"a summons served on you", "SUMMONS\n\nYou must answer within 21 days after the summons was served on you. The summons was served on [Party 2] on November 16, 2026.", "2026-12-07", "have been on somebody else"},
		{"a summons and a service of something", "SUMMONS\n\nYou must answer within 21 days after service of this summons upon you.\n\nServed on [Party 2] by personal delivery on November 16, 2026.", "2026-12-07", "does not say clearly"},
		{"a summons and a day of service", "SUMMONS\n\nYou must respond within 30 calendar days after this summons is served on you.\n\nDate of service: November 16, 2026", "2026-12-16", "does not say clearly"},
		{"a summons served on two", "SUMMONS\n\nYou must answer within 21 days after service of this summons on you. The summons was served on [Party 2] on November 16, 2026, and on [Party 3] on November 18, 2026.", "2026-12-07", "have been on somebody else"},
		{"a summons, and two who are sued", "SUMMONS\n\n[Party 1], Plaintiff,\n\nv.\n\n[Party 2] and [Party 3], Defendants.\n\nTo: [Party 2]\n\nYou must answer within 21 days after service of this summons on you. The summons was served on [Party 3] on November 16, 2026.", "2026-12-07", "have been on somebody else"},
		{"a summons that was only issued", "SUMMONS\n\nIssued: November 2, 2026\n\nYou must answer within 30 days after service of this summons on you.", "", ""},
		{"a summons, and another paper served", "SUMMONS\n\nYou must answer within 30 days after service of this summons on you.\n\nThe notice of pendency was served on [Party 3] on November 9, 2026.", "", ""},
		{"a subpoena served by mail", "SUBPOENA\n\nYou may object within 14 days after the subpoena is served.\n\nI served this subpoena on [Person 1] by certified mail on November 16, 2026.", "2026-11-30", "have been on somebody else"},
		{"a summons to one, served on another", "SUMMONS\n\nTo: [Party 2]\n\nYou must answer within 21 days after service of this summons on you. The summons was served on [Party 3] on November 16, 2026.", "2026-12-07", "have been on somebody else"},
		{"a summons to one, served on that one", "SUMMONS\n\nTo: [Party 2]\n\nYou must answer within 21 days after service of this summons on you. The summons was served on [Party 2] on November 16, 2026.", "2026-12-07", ""},
		{"a summons to one, line by line", "SUMMONS\nTo: [Party 2]\nYou must answer within 21 days after service of this summons on you. The summons was served on [Party 3] on November 16, 2026.", "2026-12-07", "have been on somebody else"},
		{"a summons to two", "SUMMONS\n\nTo: [Party 2] and [Party 3]\n\nYou must answer within 21 days after service of this summons on you. The summons was served on [Party 2] on November 16, 2026.", "2026-12-07", "have been on somebody else"},
		{"a summons to one and others", "SUMMONS\n\nTo: [Party 2] and all other occupants\n\nYou must answer within 21 days after service of this summons on you. The summons was served on [Party 2] on November 16, 2026.", "2026-12-07", "have been on somebody else"},
		{"a summons and names below its line", "SUMMONS\n\nTo: \n[Party 2]\n[Party 3]\n\nYou must answer within 21 days after service of this summons on you. The summons was served on [Party 2] on November 16, 2026.", "2026-12-07", "have been on somebody else"},
		{"a subpoena served on another", "SUBPOENA\n\nTo: [Person 1]\n\nYou may object within 14 days after the subpoena is served.\n\nI served the subpoena on [Person 2] on November 16, 2026.", "2026-11-30", "have been on somebody else"},
		{"a measure of time", "POLICY\n\nThe liability shall not exceed the fees paid in the twelve months before the claim.", "", ""},
		{"a notice that lapses", "AGREED ENTRY\n\n[Party 1] shall vacate within 60 days from entry of this order. Unless renewed,\nthis order lapses on May 24, 2027.", "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			files := newCaseFiles().add("Paper.txt", tc.text)
			r, _ := do(t, asOf("2026-11-24", "List the deadlines", "state", "US-OR"), files)
			_, counted, found := strings.Cut(r.Text, "**Counted from another day of the case**")

			switch {
			case tc.day == "" && found:
				t.Errorf("a day was counted:\n%s", r.Text)
			case tc.day != "" && !strings.Contains(counted, "- **"+tc.day+"**"):
				t.Errorf("%s is missing:\n%s", tc.day, r.Text)
			case strings.Contains(counted, "In doubt:") != (tc.doubt != "") || !strings.Contains(counted, tc.doubt):
				t.Errorf("the doubt should be %q:\n%s", tc.doubt, r.Text)
			case strings.Contains(r.Text, "only tells or measures"): // such a period asks nothing
			case (len(r.Questions) == 0) != (tc.day != "" && tc.doubt == ""):
				t.Errorf("questions %q", r.Questions)
			}
		})
	}
}

// TestStoriesAreListed wants periods that only tell or measure something listed, and not dropped without a word.
func TestStoriesAreListed(t *testing.T) {
	const text = "MEMO\n\nOn May 3, 2026 [Party 1] signed the lease. Ten days after May 3, 2026 [Party 2] changed the locks. " +
		"Two weeks later the heating failed. The liability is capped at the fees paid in the six months before the claim.\n"

	r, _ := do(t, asOf("2026-11-24", "List the deadlines", "state", "US-OR"), newCaseFiles().add("Memo.txt", text))
	_, seen, _ := strings.Cut(r.Text, "**Seen and not counted")

	for _, want := range []string{"**10 days**", "**2 weeks**", "**6 months**"} {
		if !strings.Contains(seen, want) {
			t.Errorf("%s is not listed:\n%s", want, r.Text)
		}
	}
	if !strings.Contains(r.Text, "3 periods seen that only tell or measure something") {
		t.Errorf("the first line does not count them:\n%s", r.Text)
	}
}

// TestTheHourOfADeadline wants the hour of a paper in the entry, as a moment where the zone of the forum is known.
func TestTheHourOfADeadline(t *testing.T) {
	const text = "ORDER\n\nThe brief is due by 5:00 p.m. ten days before the hearing. The hearing is set for January 22, 2027 at 9:00 a.m. The bond is due on January 15, 2027 by noon.\n"

	for _, zone := range []string{"", "America/Los_Angeles"} {
		tk := asOf("2026-11-24", "List the deadlines", "state", "US-OR")
		tk.Container.Case.Forum.TimeZone = zone
		tk.Work = newRecord()
		r, _ := do(t, tk, newCaseFiles().add("Order.txt", text))

		for _, want := range []struct{ on, words, at string }{
			{"2027-01-12", "By 5:00 p.m.", "2027-01-13T01:00:00Z"},
			{"2027-01-15", "", "2027-01-15T20:00:00Z"},
		} {
			at := slices.IndexFunc(r.Deadlines, func(p api.Proposal) bool { return p.DueOn == want.on })
			if at < 0 {
				t.Fatalf("%s is not proposed: %+v", want.on, r.Deadlines)
			}
			p := r.Deadlines[at]
			if !strings.Contains(p.Detail, want.words) {
				t.Errorf("zone %q: %s lost its hour: %q", zone, want.on, p.Detail)
			}
			got := ""
			if p.DueAt != nil {
				got = p.DueAt.Format(time.RFC3339)
			}
			if zone == "" && got != "" || zone != "" && got != want.at {
				t.Errorf("zone %q: %s at %q, want %q", zone, want.on, got, want.at)
			}
		}
	}
}

// TestADayThatMoves wants a chained day to move with the day from which it is counted.
func TestADayThatMoves(t *testing.T) {
	const first = "ORDER\n\nThe evidentiary hearing is set for March 10, 2027 at 9:00 a.m. Exhibit lists are due seven days before the evidentiary hearing.\n"
	const second = "ORDER\n\nThe evidentiary hearing set for March 10, 2027 is continued to April 14, 2027 at 9:00 a.m.\n"

	r, _ := do(t, asOf("2026-11-24", "List the deadlines", "state", "US-OR"), newCaseFiles().add("Order 1.txt", first))
	if !strings.Contains(r.Text, "- **2027-03-03**") || !strings.Contains(r.Text, "7 days earlier than Wednesday, 2027-03-10 is Wednesday, 2027-03-03") {
		t.Errorf("the chain is missing:\n%s", r.Text)
	}
	r, _ = do(
		t,
		asOf("2026-11-24", "List the deadlines", "state", "US-OR"),
		newCaseFiles().add("Order 1.txt", first).add("Order 2.txt", second),
	)
	if !strings.Contains(r.Text, "- **2027-04-07**") || strings.Contains(r.Text, "- **2027-03-03**") {
		t.Errorf("the day did not move:\n%s", r.Text)
	}
}

// TestNoLawOfAnotherForum wants federal rules in federal cases alone, and every other answer to say what is not built
// in.
func TestNoLawOfAnotherForum(t *testing.T) {
	const served = "On March 2, 2026, I personally served the Summons and Complaint on [Party 2].\n"
	const judged = "JUDGMENT\n\nJudgment was entered on March 2, 2026 against [Party 2].\n"
	federal := []string{"Fed. R. Civ. P.", "Fed. R. App. P.", "FRCP", "federal holiday of"}

	questions := []string{
		"When is the answer due?",
		"List the deadlines",
		"How long does [Party 2] have to appeal?",
		"By when must [Party 2] respond to the complaint?",
	}
	for _, tc := range []struct {
		system, jurisdiction, caption, says string
		federal                             bool
	}{
		{"federal", "", "", "", true},
		{"", "US", "", "", true},
		{"", "", "UNITED STATES DISTRICT COURT\nDISTRICT OF OREGON\n\n[Party 1], Plaintiff,\nv.\n[Party 2], Defendant.\n\nCOMPLAINT\n\n", "", true},
		{"state", "US-CA", "", "Not built in: the periods of state courts", false},
		{"state", "US-NY", "SUPREME COURT OF THE STATE OF NEW YORK\n\n", "Not built in: the periods of state courts", false},
		{"foreign", "GB-ENG", "IN THE HIGH COURT OF JUSTICE\n\n", "Not built in: the rules of courts outside", false},
		{"foreign", "DE", "Landgericht Hamburg\n\n", "Not built in: the rules of courts outside", false},
		{"arbitration", "", "", "Not built in: the rules of arbitral institutions", false},
		{"agency", "US", "", "Not built in: the rules of agency proceedings", false},
		{"", "", "", "whose forum is not on record", false},
	} {
		for _, question := range questions {
			t.Run(tc.system+"/"+tc.jurisdiction+"/"+question, func(t *testing.T) {
				r, _ := do(
					t,
					asOf("2026-03-10", question, tc.system, tc.jurisdiction),
					newCaseFiles().add("Proof.txt", tc.caption+served).add("Judgment.txt", judged),
				)
				said := ""

				for _, w := range federal {
					if strings.Contains(r.Text, w) {
						said = w
					}
				}
				if (said != "") != tc.federal {
					t.Errorf("the answer has %q of federal law:\n%s", said, r.Text)
				}
				if !strings.Contains(r.Text, tc.says) {
					t.Errorf("the answer lacks %q:\n%s", tc.says, r.Text)
				}
				if !tc.federal && len(due(r)) > 0 && !strings.HasPrefix(due(r), "removal ") {
					t.Errorf("computed %s", due(r))
				}
			})
		}
	}

	r, _ := do(
		t,
		asOf("2026-03-10", "When would the answer be due under the FRCP?", "state", "US-CA"),
		newCaseFiles().add("Proof.txt", served),
	)
	if !strings.Contains(r.Text, "Fed. R. Civ. P. 12(a)") || !strings.Contains(r.Text, "asks for them by name") {
		t.Errorf("rules asked for by name are not applied:\n%s", r.Text)
	}
	if r.Kind != api.KindDeadlines {
		t.Errorf("kind %s", r.Kind)
	}
}

// TestServiceInAnotherFile counts from a service that another file reports, and doubts it unless both papers name the
// same one.
func TestServiceInAnotherFile(t *testing.T) {
	const period = "You must answer within 21 days after the summons was served on you."

	for _, tc := range []struct {
		name, summons, proof string
		sure                 bool
	}{
		{
			"served on the one called", "To: [Party 2]",
			"I personally served the summons on [Party 2] on November 16, 2026.", true,
		},
		{"not on another", "To: [Party 2]", "I served the summons on [Party 3] on November 16, 2026.", false},
		{"not on two", "To: [Party 2]", "I served the summons on [Party 2] and [Party 3] on November 16, 2026.", false},
		{"not on nobody who is named", "To: [Party 2]", "I served the summons on November 16, 2026.", false},
		{"not without an addressee", "Clerk of the Court", "I served the summons on [Party 2] on November 16, 2026.", false},
		{"not where it is quashed", "To: [Party 2]", "Service of the summons on [Party 2] on November 16, 2026 is quashed.", false},
		{"not where it is set aside", "To: [Party 2]", "Service of the summons on [Party 2] on November 16, 2026 is set aside.", false},
		{"not where it is void", "To: [Party 2]", "Service of the summons on [Party 2] on November 16, 2026 is void.", false},
		{"not where it is defective", "To: [Party 2]", "Service of the summons on [Party 2] on November 16, 2026 was defective.", false},
		{"not where it failed", "To: [Party 2]", "Service of the summons on [Party 2] on November 16, 2026 failed.", false},
		{"not where it is disputed", "To: [Party 2]", "Service of the summons on [Party 2] on November 16, 2026 is disputed.", false},
		{"not where the paper is quashed", "To: [Party 2]", "The summons served on [Party 2] on November 16, 2026 is quashed.", false},
		{"not by the party", "To: [Party 2]", "The summons was served by [Party 2] on November 16, 2026.", false},
		{"not where the party served it", "To: [Party 2]", "[Party 2] served the summons on November 16, 2026.", false},
		{"not on counsel", "To: [Party 2]", "The summons was served on counsel for [Party 2] on November 16, 2026.", false},
		{"not where somebody asks", "To: [Party 2]", "Was the summons served on [Party 2] on November 16, 2026?", false},
		{"not by mail", "To: [Party 2]", "The summons was served on [Party 2] by certified mail on November 16, 2026.", false},
		{"not by posting", "To: [Party 2]", "The summons was served on [Party 2] by posting on November 16, 2026.", false},
		{"not by publication", "To: [Party 2]", "The summons was served by publication on [Party 2] on November 16, 2026.", false},
		{"not where it is challenged", "To: [Party 2]", "The service of the summons on [Party 2] on November 16, 2026 is challenged.", false},
		{"not where a motion attacks it", "To: [Party 2]", "[Party 2] moves to strike service of the summons on [Party 2] on November 16, 2026.", false},
		{"not where it had no effect", "To: [Party 2]", "The summons was served on [Party 2] on November 16, 2026 without effect.", false},
		{"not at the wrong place", "To: [Party 2]", "The summons was served on [Party 2] on November 16, 2026 at the wrong address.", false},
		{"not on a relative", "To: [Party 2]", "The summons was served on the mother of [Party 2] on November 16, 2026.", false},
		{"not on an agent", "To: [Party 2]", "The summons was served upon an agent of [Party 2] on November 16, 2026.", false},
		{"not left with somebody", "To: [Party 2]", "The summons was served on [Party 2] on November 16, 2026 by leaving it with a neighbor.", false},
		{"not as somebody says", "To: [Party 2]", "According to the landlord, the summons was served on [Party 2] on November 16, 2026.", false},
		{"not where it was tried", "To: [Party 2]", "I attempted service of the summons on [Party 2] on November 16, 2026.", false},
		{"not by mail behind the day", "To: [Party 2]", "I served the summons on [Party 2] on November 16, 2026 by first-class mail.", false},
		{"not at the instance of the party", "To: [Party 2]", "The summons served at the request of [Party 2] on November 16, 2026.", false},
		{"not where it was left behind", "To: [Party 2]", "Service of the summons on [Party 2] on November 16, 2026 was improper and is vacated.", false},
		{"served with it", "To: [Party 2]", "[Party 2] was personally served with the summons on November 16, 2026.", true},
		{"served at an hour", "To: [Party 2]", "The summons was served on Defendant [Party 2] on November 16, 2026 at 4:15 p.m.", true},
		{"served upon", "To: [Party 2]", "I duly served a copy of the summons upon [Party 2] on November 16, 2026.", true},
		{
			"not on an attorney", "To: [Party 2]",
			"The summons was served on the attorney of [Party 2] on November 16, 2026.", false,
		},
		{
			"not against the rule", "To: [Party 2]",
			"Service of the summons on [Party 2] on November 16, 2026 did not comply with the rule.", false,
		},
		{
			"not by email", "To: [Party 2]",
			"The summons was served on [Party 2] on November 16, 2026 by email.", false,
		},
		{
			"not where it came back", "To: [Party 2]",
			"The summons was served on [Party 2] on November 16, 2026 but returned.", false,
		},
		{
			"not of a paper that was amended", "To: [Party 2]",
			"The summons served on [Party 2] on November 16, 2026 was amended.", false,
		},
		{
			"not by the party behind the day", "To: [Party 2]",
			"The summons was served on November 16, 2026 by [Party 2].", false,
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			files := newCaseFiles().add("Summons.txt", "SUMMONS\n\n"+tc.summons+"\n\n"+period)
			files.add("Proof.txt", "PROOF OF SERVICE\n\n"+tc.proof)
			r, _ := do(t, asOf("2026-11-24", "List the deadlines", "state", "US-OR"), files)
			_, counted, _ := strings.Cut(r.Text, "**Counted from another day of the case**")

			doubted := strings.Contains(counted, "In doubt:")
			if !strings.Contains(counted, "- **2026-12-07**") || doubted == tc.sure {
				t.Errorf("the day is missing, or its doubt is wrong:\n%s", r.Text)
			}
		})
	}
}
