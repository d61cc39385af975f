package guard_test

import (
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// foundIn returns what the guard finds in a text at a door, in order, with bars between.
func foundIn(t *testing.T, door guard.Channel, text string) string {
	t.Helper()
	var words []string

	for _, f := range (guard.Guard{}).Check(t.Context(), door, text) {
		words = append(words, text[f.Start:f.End])
	}

	return strings.Join(words, "|")
}

// Rows and cells are borders, and a heading says what stands below it.
func TestNamesInTables(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"under name and employer": {
			"name\trole\temployer\nIvy Stone\ttenant\tHappy Harbor\nRuby Field\tguarantor\tNorth Pier Title\n",
			"Ivy Stone|Happy Harbor|Ruby Field|North Pier Title",
		},
		"no heading":                {"Ivy Stone\t4\tpaid\nRuby Field\t5\topen\n", "Ivy Stone|Ruby Field"},
		"given name, surname":       {"first name\tlast name\trent\nHope\tMarsh\t900\nMay\tPage\t950\n", "Hope|Marsh|May|Page"},
		"Markdown":                  {"| Tenant | Rent |\n|---|---|\n| Ivy Stone | 900 |\n| Ruby Field | 950 |\n", "Ivy Stone|Ruby Field"},
		"two rows, two people":      {"Tenant\tAgent\nIvy Stone\tPaige Rivers\nRuby Field\tHunter Banks\n", "Ivy Stone|Paige Rivers|Ruby Field|Hunter Banks"},
		"a firm behind a name":      {"Tenant\tOwner\nIvy Stone\tHappy Harbor LLC\n", "Ivy Stone|Happy Harbor LLC"},
		"things alone":              {"Document name\tStatus\nMaster Lease\tOpen\nRent Roll\tPaid\n", ""},
		"no name in the cell":       {"Tenant\tRent\nNone\t0\nVacant\t0\n", ""},
		"words alone in a column":   {"Tenant\tRent\nBanks\t1200\nHope\t900\nGrace\t800\nEarly Bird\t700\n", "Banks|Hope|Grace|Early Bird"},
		"small letters in a column": {"client_name\tamount\nwinter stone\t1200\nhope marsh\t900\n", "winter stone|hope marsh"},
		"below a part of a name":    {"Vorname\tNachname\nSummer\tDay\nReady\tForest\n", "Summer|Day|Ready|Forest"},
		"fields of data":            {"tenant: Banks\nitems:\n    client: Hope\n    name: Green Valley\nclientName: winter stone\n", "Banks|Hope|Green Valley|winter stone"},
		"a list below a field":      {"tenants:\n- Banks\n- Early Bird\nrooms:\n- Kitchen\n", "Banks|Early Bird"},
		"fields below each other":   {"Tenant\tBanks\nRent\t1200\nGuarantor\tEarly Bird\n", "Banks|Early Bird"},
		"a heading about a thing":   {"Debtor disposition\tTenant deposit\nStandard Discharge\tFull Refund\n", ""},
		"a heading about a firm's":  {"Bank fees\tEmployer contribution\nWire Transfer\tSafe Harbor\n", ""},
		"a thing that comes last":   {"Last visit: Front Door\nFirst payment: Motion Denied\nName of ship: Silver Gull\n", ""},
		"bracketed thing":           {"Tenant (present)\tRent\nHope\t900\n", "Hope"},
		"owner of record":           {"Owner of record\tRent\nBanks\t900\n", "Banks"},
		"a field in a field":        {"Loan: Lender: Kestrel Ridge\n- Lease: Tenant: Banks\nRent: Date: May 4\n", "Kestrel Ridge|Banks"},
		"a list below such a field": {"Lease: Tenants:\n- Banks\n", "Banks"},
		"an answer":                 {"THE WITNESS: Correct.\nThe witness: Objection.\n", ""},
		"mail headers":              {"From: Ivy Stone <[Email 1]>\nTo: Ruby Field <[Email 2]>\nDate: Tue, 5 May 2026 10:00:00 +0000\n", "Ivy Stone|Ruby Field"},
		"an employer's field":       {"Tenant since 2020\nEmployer: Happy Harbor\nRent: $900\n", "Happy Harbor"},
		"a vCard":                   {"BEGIN:VCARD\nVERSION:3.0\nN:Stone;Ivy;;;\nFN:Ivy Stone\nORG:Happy Harbor;Sales\nEND:VCARD\n", "Stone|Ivy|Ivy Stone|Happy Harbor"},
		"a calendar":                {"BEGIN:VCALENDAR\nBEGIN:VEVENT\nORGANIZER;CN=Ivy Stone:mailto:[Email 1]\nEND:VEVENT\nEND:VCALENDAR\n", "Ivy Stone"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := foundIn(t, guard.FileText, tc.text); got != tc.want {
				t.Errorf("found %q, want %q", got, tc.want)
			}
		})
	}
}

// A heading with the name of a part of names, or with a word for a firm, may say more of it.
func TestHeadingsThatSayMore(t *testing.T) {
	for _, part := range []string{
		"First Name (Required)", "Last Name (required)", "Apellido materno", "Apellido paterno", "Nom de famille",
		"Nom de jeune fille", "First name in full", "Last name as on passport", "Given names/aliases",
		"Nachname des Kindes", "Last name contacted via post",
	} {
		text := "Rent\t" + part + "\n900\tHope\n950\tBanks\n"
		if got := foundIn(t, guard.FileText, text); !strings.HasSuffix(got, "Hope|Banks") {
			t.Errorf("%q: found %q", part, got)
		}
	}

	for _, firm := range []string{"Employer at hire", "Bank used", "Company acquired", "Lender (required)"} {
		for _, text := range []string{
			"Year\t" + firm + "\n2020\tHappy Harbor\n", firm + ": Happy Harbor",
			"| " + firm + " | Year |\n|---|---|\n| Happy Harbor | 2020 |\n",
		} {
			if got := foundIn(t, guard.FileText, text); got != "Happy Harbor" {
				t.Errorf("%q: found %q", text, got)
			}
		}
	}
}

// Words of which none is ever a name only may be one below a heading: the doors pass them, and whoever reads a labelled
// text once more is shown them. Where one is a name, the cell is one.
func TestOrdinaryWordsInCells(t *testing.T) {
	for text, doubt := range map[string]string{
		"Buyer: Premium Feature Set": "Premium Feature Set", "Patient: Stable Overnight": "Stable Overnight",
		"Witness: Not Present": "Not Present", "Client: Mobile App": "Mobile App", "Client: Web Browser": "Web Browser",
		"| Name |\n|---|\n| Storage Unit |\n": "Storage Unit", "Buyer\tRent\nTakes Delivery\t4\n": "Takes Delivery",
		"Surname\tRent\nNot Present\t4\n": "Not Present",
	} {
		if got := foundIn(t, guard.FileText, text); got != "" {
			t.Errorf("%q: found %q", text, got)
		}
		if got := foundIn(t, guard.Reread, text); !strings.Contains(got, doubt) {
			t.Errorf("%q: doubted %q", text, got)
		}
	}

	for text, want := range map[string]string{
		"Buyer: Hope": "Hope", "Buyer: Grace Park": "Grace Park", "Buyer: Early Bird": "Early Bird",
		"Buyer: Happy Harbor": "Happy Harbor", "Client: Copper Kettle": "Copper Kettle", "Lender: Web Browser": "Web Browser",
	} {
		if got := foundIn(t, guard.FileText, text); got != want {
			t.Errorf("%q: found %q", text, got)
		}
	}

	settings := "Name\tUnit\nmax size\t3\npage count\t4\ngrace period\t30\ngrant type\tcode\n"
	if got := foundIn(t, guard.Reread, settings); got != "" {
		t.Errorf("settings: doubted %q", got)
	}
}

// Whoever reads a labelled text once more is shown what may be a name.
func TestRereadingDoubts(t *testing.T) {
	for text, want := range map[string]string{
		"We met at Forest Hill before noon.":                 "Forest Hill",
		"Vendor: [Org 1]\nSite: Forest Hill\n":               "Forest Hill",
		"Banks\t1200\nHope\t900\n":                           "Banks|Hope",
		"key: Banks\nlist:\n    - Hope\n    - Page\n":        "Banks|Hope|Page",
		"Tenant\nBanks\nHope\n":                              "Banks|Hope",
		"Name\tStatus\nWillow\tOpen\n":                       "Willow|Open",
		"The tenant left.\n\nGrace\n":                        "Grace",
		"The tenant asked Wallace twice.":                    "Wallace",
		"The Tenant shall pay Base Rent on the first day.":   "",
		"Notices\n\nGoverning Law\n\nEntire Agreement\n":     "",
		"Roe v. Wade, 410 U.S. 113 (1973), does not govern.": "",
	} {
		if got := foundIn(t, guard.Reread, text); got != want {
			t.Errorf("%q: found %q, want %q", text, got, want)
		}
	}
}
