package guard_test

import (
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/guard"
)

func TestGuardFindsFullNamesOfPublicWords(t *testing.T) {
	for text, want := range map[string]string{
		"We represent Thomas Davis in this.":                                     `person="Thomas Davis"`,
		"Victoria Nelson sued Wayne Knox.":                                       `person="Victoria Nelson" person="Wayne Knox"`,
		"Juan Davis signed":                                                      `person="Juan Davis"`,
		"Write to Sofia Rosario.":                                                `person="Sofia Rosario"`,
		"The lease names Sarah Law.":                                             `person="Sarah Law"`,
		"A letter from James Hall came.":                                         `person="James Hall"`,
		"The tenant Emily Case left.":                                            `person="Emily Case"`,
		"It was Thomas B. Hall who signed.":                                      `person="Thomas B. Hall"`,
		"He met Jordan Baker in Victoria.":                                       `person="Jordan Baker"`,
		"2024-03-04 Thomas Davis will.pdf":                                       `person="Thomas Davis"`,
		"Hope Young's deposition is due.":                                        `person="Hope Young"`,
		"Helena Howe v. Darwin Lyon":                                             `person="Helena Howe" person="Darwin Lyon"`,
		"It was Ann Davis who signed.":                                           `person="Ann Davis"`,
		"We represent Bill Holzmann.":                                            `person="Bill Holzmann"`,
		"Ask April Baker about it.":                                              `person="April Baker"`,
		"The tenant is Sydney King.":                                             `person="Sydney King"`,
		"Bill Number 12 of April 2020":                                           "",
		"the Sunday Times and the May Sessions":                                  "",
		"He flew from Jordan to Victoria.":                                       "",
		"San Juan, New York, Fort Wayne":                                         "",
		"in St. Thomas, Costa Rica and Hong Kong":                                "",
		"the County of Davis, near Jordan River":                                 "",
		"The Supreme Court of Georgia and the Florida Bar sit in West Virginia.": "",
	} {
		for _, door := range []guard.Channel{guard.Prompt, guard.FileName, guard.FileText} {
			if got := found(t, door, text); got != want {
				t.Errorf("%s at %v: found %s, want %s", text, door, got, want)
			}
		}
	}
}

func TestGuardFindsSurnamesBehindOpeners(t *testing.T) {
	for text, want := range map[string]string{
		"Ask Sarah Law.":                          `person="Sarah Law"`,
		"At Holzmann's request we filed it.":      `person="Holzmann"`,
		"Then Smith paid.":                        `person="Smith"`,
		"But Brown denied it.":                    `person="Brown"`,
		"Did Walker sign?":                        `person="Walker"`,
		"When Baker left, we went.":               `person="Baker"`,
		"Because King lied":                       `person="King"`,
		"When Landlord refused, Tenant sold it.":  "",
		"3.2 Rent Holiday. No Base Rent is due":   "",
		"Then Congress acted.":                    "",
		"Under Article 6 the Court agreed.":       "",
		"If Title is bad, Purchaser may withdraw": "",
	} {
		if got := found(t, guard.FileText, text); got != want {
			t.Errorf("%s: found %s, want %s", text, got, want)
		}
	}
}

func TestGuardTellsPartiesFromCitations(t *testing.T) {
	for text, want := range map[string]string{
		"Holzmann v. Ostrowe was filed (2021) in our court":                           `person="Holzmann" person="Ostrowe"`,
		"Holzmann v. Ostrowe (2021) was filed":                                        `person="Holzmann" person="Ostrowe"`,
		"Okafor v. London Properties":                                                 `person="Okafor"`,
		"Zorbanek v. Ostrowe the rent of 500 U.S. dollars":                            `person="Zorbanek" person="Ostrowe"`,
		"Zorbanek v. Ostrowe asks what Roe v. Wade, 410 U.S. 113 (1973), means":       `person="Zorbanek" person="Ostrowe"`,
		"Zorbanek v. Washington":                                                      `person="Zorbanek"`,
		"Holzmann v. Texas Instruments":                                               `person="Holzmann"`,
		"Holzmann v. Ostrowe, 2010 WL 123456 (S.D.N.Y. 2010)":                         "",
		"Hadley v Baxendale (1854) 9 Exch 341, Rylands v Fletcher (1868) LR 3 HL 330": "",
		"Holzmann v Ostrowe [2012] UKSC 12":                                           "",
		"Holzmann v Ostrowe, ECLI:EU:C:2014:317":                                      "",
		"Holzmann v. Moldova and Russia":                                              "",
		"Miranda v. Arizona":                                                          "",
	} {
		if got := found(t, guard.FileText, text); got != want {
			t.Errorf("%s: found %s, want %s", text, got, want)
		}
	}
}

func TestGuardFindsWordsOfOtherScripts(t *testing.T) {
	for text, want := range map[string]string{
		"The plaintiff 张伟 signed":       `person="张伟"`,
		"張 is the plaintiff":            `person="張"`,
		"the tenant محمد علي left":      `person="محمد" person="علي"`,
		"the tenant דוד כהן left":       `person="דוד" person="כהן"`,
		"the tenant さくら left":           `person="さくら"`,
		"the tenant 김민준 left":           `person="김민준"`,
		"原告于二零二一年提起诉讼":                  `person="原告于二零二一年提起诉讼"`,
		"東京都千代田区1-2":                    `person="東京都千代田区"`,
		"the angle α is 5 µm wide at Ω": "",
	} {
		for _, door := range []guard.Channel{guard.Prompt, guard.FileText, guard.FileName} {
			if got := found(t, door, text); got != want {
				t.Errorf("%s at %v: found %s, want %s", text, door, got, want)
			}
		}
	}
}

func TestGuardFindsCarelessNames(t *testing.T) {
	for text, want := range map[string]string{
		"thomas davis owes rent":         `person="thomas davis"`,
		"smith owes rent":                `person="smith"`,
		"landlord owes rent":             "",
		"call john":                      `person="john"`,
		"call counsel":                   "",
		"baker-will.pdf":                 `person="baker"`,
		"Baker-lease.pdf":                `person="Baker"`,
		"open lease-baker-2.docx now":    `person="baker"`,
		"price-list.pdf and case-law.md": "",
		"a well-known baker":             "",
	} {
		for _, door := range []guard.Channel{guard.Prompt, guard.FileName} {
			if got := found(t, door, text); got != want {
				t.Errorf("%s at %v: found %s, want %s", text, door, got, want)
			}
		}
	}
}

func TestGuardFindsChangingCaseAndWrittenBirths(t *testing.T) {
	for text, want := range map[string]string{
		"pEtRa hOlZmAnN signed":                              `person="pEtRa" person="hOlZmAnN"`,
		"the iPhone and macOS and a pgAdmin":                 "",
		"She was born on the fourth of March 1975 in Ankara": `birth_date="fourth of March 1975"`,
		"Her birthday is the 12th of June 1980.":             `birth_date="12th of June 1980"`,
		"born on the twenty-first of May, 1969":              `birth_date="twenty-first of May, 1969"`,
		"The lease of the fourth of March 1975 ended":        "",
	} {
		if got := found(t, guard.FileText, text); got != want {
			t.Errorf("%s: found %s, want %s", text, got, want)
		}
	}
}
