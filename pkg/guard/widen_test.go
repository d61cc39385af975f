package guard_test

import (
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// What was found of a name takes the given name before it and the surname behind it along, whatever else they mean.
func TestNamesAreFoundWhole(t *testing.T) {
	for text, want := range map[string]string{
		"Arun Chabrol and Navin Kothe were heard.":               "Arun Chabrol|Navin Kothe",
		"GERALD QUINLAVEN and ANN QUINLAVEN\nPlaintiffs":         "GERALD QUINLAVEN|ANN QUINLAVEN",
		"BLAKE GURLOCK; FARA GURLOCK; DEAN GURLOCK, Plaintiffs":  "BLAKE GURLOCK|FARA GURLOCK|DEAN GURLOCK",
		"She sued Jordan Zelenko in May.":                        "Jordan Zelenko",
		"Keenan George Dander, Thomas John Dander, Tampa, FL.":   "Keenan George Dander|Thomas John Dander",
		"SYLVIA O. HINDLE–RADIX wrote.":                          "SYLVIA O. HINDLE–RADIX",
		"RIVERTON, Circuit Judge: Dorothy Reeves was a servant.": "Dorothy Reeves",
		"MR A BURNS (of Counsel)":                                "MR A BURNS",
		"MS A WALLENBERGER APPELLANT":                            "MS A WALLENBERGER",
		"The United States moved. A COMPLAINT WAS FILED.":        "",
		"Dorothy Quillfeather Motion to Dismiss":                 "Dorothy Quillfeather",
	} {
		if got := foundIn(t, guard.FileText, text); got != want {
			t.Errorf("%q: found %q, want %q", text, got, want)
		}
	}
}

// What a judge sits as is nobody's initials, and a title of the bench without a name is nobody.
func TestTheBenchIsNoIdentity(t *testing.T) {
	for text, want := range map[string]string{
		"RUTH C. BALKWILL, J.P., JJ.":                    "RUTH C. BALKWILL",
		"VOGLER, P.J.":                                   "VOGLER",
		"JUDGMENT of Ms. Justice delivered on 3 May":     "",
		"HON'BLE MR. JUSTICE\n":                          "",
		"In the interest of J.P., a minor":               "J.P",
		"The mother of A.B., J.P., and C.D. was served.": "A.B|J.P|C.D",
		"the home of Angela, J.P.'s mother":              "Angela|J.P",
	} {
		if got := foundIn(t, guard.FileText, text); got != want {
			t.Errorf("%q: found %q, want %q", text, got, want)
		}
	}
}

// A company of one everyday word is known by the side it takes, or by its partners, and where it stands again. A short
// form needs no quotation marks behind a word that announces it.
func TestCompaniesByTheirPlace(t *testing.T) {
	for text, want := range map[string]string{
		"Defendant Summit Corporation moved. Summit Corporation paid.":         "Summit Corporation|Summit Corporation",
		"SUMMIT CORPORATION,\n   Defendant.":                                   "SUMMIT CORPORATION",
		"The sellers are TALLOW & COMPANY LIMITED.":                            "TALLOW & COMPANY LIMITED",
		"The Holding Company paid the Insurance Company.":                      "",
		"It sued Quillon & Wakefort, Inc. (hereinafter Q & W). Q & W replied.": "Quillon & Wakefort, Inc.|Q & W|Q & W",
		"He sued Orbis Freight, Inc. (hereinafter OFX). OFX replied.":          "Orbis Freight, Inc.|OFX|OFX",
	} {
		if got := foundIn(t, guard.FileText, text); got != want {
			t.Errorf("%q: found %q, want %q", text, got, want)
		}
	}
}

// A full name in brackets is no original of a term, and the house of a court is nobody.
func TestNamesInBrackets(t *testing.T) {
	for text, want := range map[string]string{
		"New York, N.Y. (Sheila Brodowska of counsel), for appellants.": "Sheila Brodowska",
		"The appeal (Cheryl Altermann of counsel) was heard.":           "Cheryl Altermann",
		"an order of the Supreme Court (Debra Silbert, J.) was entered": "",
		"the Court of Appeal (Sąd Apelacyjny) ruled":                    "",
		"the Provincial Court (Audiencia Provincial) ruled":             "",
		"a draft (Scott Schedule format)":                               "",
		"CENTRAL DISTRICT (STANLEY MOSS COURTHOUSE)":                    "",
	} {
		if got := foundIn(t, guard.FileText, text); got != want {
			t.Errorf("%q: found %q, want %q", text, got, want)
		}
	}
}

// Numbers of cases and people in more shapes, and years and dates that are none.
// TestWhoOnlyLooksExcused wants names and numbers found that stand where a judge, a town or a season could stand.
func TestWhoOnlyLooksExcused(t *testing.T) {
	for text, want := range map[string]string{
		"The tenant was Rusty Tarnley, Texas.":                 "Rusty Tarnley",
		"The tenant, Sunny Okavor, Texas, has not paid.":       "Sunny Okavor",
		"Royal Kovalzyk, Miss. was absent.":                    "Royal Kovalzyk",
		"Kapadiya, Wash., was absent":                          "Kapadiya",
		"Angela, J.P. came to my office before noon.":          "Angela|J.P",
		"In my opinion Angela, J.P. came before noon.":         "Angela|J.P",
		"There was no justice. Angela, A.J. was left out.":     "Angela|A.J",
		"Ms. Justice owes rent.":                               "Ms. Justice",
		"Dr. Judge examined the child.":                        "Dr. Judge",
		"Case No. 1998/99 was filed.":                          "1998/99",
		"Passport No. 1987/88":                                 "1987/88",
		"The minor, whose mother is Angela, J.P., was placed.": "Angela|J.P",
		"In the matter of Kovalzyk, J.A., a minor.":            "Kovalzyk|J.A",
	} {
		var got []string
		for _, f := range guard.New().Check(t.Context(), guard.FileText, text) {
			got = append(got, text[f.Start:f.End])
		}
		if strings.Join(got, "|") != want {
			t.Errorf("%q: found %q, want %q", text, strings.Join(got, "|"), want)
		}
	}
}

func TestNumbersInMoreShapes(t *testing.T) {
	for text, want := range map[string]string{
		"Docket No. 8:07–cv–02142–EAK–TGW": "8:07–cv–02142–EAK–TGW",
		"2018–07852":                               "2018–07852",
		"the years 2018–2020 and 2018–19":          "",
		"Docket: T-1499-16":                        "T-1499-16",
		"Bankruptcy No. 06 B 08771":                "06 B 08771",
		"Record Number: 2003 9169 P":               "2003 9169 P",
		"RECURSO DE APELACION 345 /2005":           "345 /2005",
		"C.(C) 12156/2018":                         "12156/2018",
		"Medicare: 3456 78901 2, TFN: 123 456 789": "3456 78901 2|123 456 789",
		"(SBN 262361)":                             "SBN 262361",
		"the budget of 1987/88 and of 1999/00":     "",
		"26-FEB-1987":                              "",
		"Olathe, Kan., and Olathe again":           "",
	} {
		if got := foundIn(t, guard.FileText, text); got != want {
			t.Errorf("%q: found %q, want %q", text, got, want)
		}
	}
}

// A mail names on a line of its own whom it quotes, whatever else the words mean.
func TestMailsNameWhomTheyQuote(t *testing.T) {
	for text, want := range map[string]string{
		"On Tuesday, August 20, 2002, at 12:09 PM, John Hall wrote:\n> Yes.\n": "John Hall",
		"Grace Park wrote:\n> Yes.\n":                                          "Grace Park",
		"On Aug 6 Rose Banks wrote:\nYes.\n":                                   "Rose Banks",
		"The court wrote:\n\"It is so ordered.\"\n":                            "",
		"As the Supreme Court wrote:\nThe statute is clear.\n":                 "",
	} {
		if got := foundIn(t, guard.FileText, text); got != want {
			t.Errorf("%q: found %q, want %q", text, got, want)
		}
	}
}
