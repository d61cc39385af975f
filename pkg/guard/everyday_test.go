package guard_test

import (
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// Words that no dictionary holds as they stand are accounted for by what they are made of, by the number beside them
// and by the body before them.
func TestWordsOfPapersPass(t *testing.T) {
	for _, tc := range []struct {
		door guard.Channel
		text string
	}{
		{guard.FileText, "Dispositive motions are due in June. Appellative Relief"},
		{guard.FileText, "By Videoconference. Telehearing Protocol. Microfilmed Records"},
		{guard.FileText, "Escrowed funds shall be released. Indemnitying Language"},
		{guard.FileText, "Meet in Room W-291, Courtroom 12-B or Rm. C-459 of the courthouse."},
		{guard.ModelOut, "Termin: 3. Mai 2024, 9:30 Uhr, Sitzungssaal C-459"},
		{guard.ModelOut, "Verhandlung am 3. März 2024, 10 Uhr, Saal B 129, Zimmer A-204, Raum 307."},
		{guard.ModelOut, "Audience le 3 mai à 9h30, salle E-104."},
		{guard.ModelOut, "Probezeit: 6 Monate"},
		{guard.ModelOut, "The Probezeit clause is invalid; the Kündigungsfrist runs."},
		{guard.ModelOut, "Beweis: Anlage K 7, Blatt 12 der Akte."},
		{guard.FileName, "wasm.pdf"},
		{guard.FileName, "sqlite_export.csv"},
		{guard.FileText, "the Tribunale di Milano, the Corte d'Appello di Torino and the Tribunal Judicial da Comarca de Braga"},
		{guard.FileText, "under EU Law and UK Law; GDPR Law requires it; IP Law classes"},
		{guard.FileText, "A bleed in the circle of Willis and the islets of Langerhans was seen."},
		{guard.FileText, "He was hurt in the Hiawatha National Forest."},
		{guard.Title, "Summer Camp Agreement"},
		{guard.Title, "Job Post Contract"},
		{guard.Title, "Summer Day Schedule"},
		{guard.Title, "Spring Break Custody Schedule"},
		{guard.FileText, "He attends Anger Management classes and works at Human Resources."},
		{guard.FileText, "The tenant may sue; the buyer will assign; the plaintiff in fact paid. Then grace period ended."},
		{guard.FileText, "Signed by Judge Leonard Davis on 8/16/07."},
		{guard.FileText, "The Company's address is on file."},
		{guard.FileText, "See OLG Düsseldorf, 9 December 2009, 6 W 45/09; OGH 4 Ob 112/17; 12 F. 45 (1880)."},
		{guard.FileName, "roe-v-wade.pdf"},
		{guard.FileText, "SO ORDERED. Hon. Wilhelmina Prock, J.S.C."},
		{guard.Prompt, "Answer Interrogatory Nos. 4-9 and Request for Production No. 12"},
		{guard.FileText, "Robert's Rules of Order govern. Lis pendens. Workers' Comp Claim"},
		{guard.FileText, "Dx: cervicalgia. Rx: Naproxen. Pt rests at Thanksgiving."},
	} {
		if got := found(t, tc.door, tc.text); got != "" {
			t.Errorf("%s: %s: found %s, want nothing", tc.door, tc.text, got)
		}
	}
}

// What excuses words of papers excuses no name that stands as they do.
func TestNamesThatLookLikeThemAreFound(t *testing.T) {
	for _, tc := range []struct {
		door       guard.Channel
		text, want string
	}{
		{guard.FileText, "Suite W-291 is the office of Ada Saal.", `address="Suite W-291" person="Ada Saal"`},
		{guard.FileText, "Mr. Blatt signed. Frau Zimmer denied it.", `person="Mr. Blatt" person="Frau Zimmer"`},
		{guard.FileName, "kovacz.pdf", `person="kovacz"`},
		{guard.FileText, "She met Chiara di Milano.", `person="Chiara di Milano"`},
		{guard.FileText, "Ranger Ada Zorbanek National Park Service", `person="Ranger Ada Zorbanek"`},
		{guard.FileText, "Thaddeus Wexmoor National Park", `person="Thaddeus Wexmoor"`},
		{guard.FileText, "The Zorbanek National Cemetery grave was empty.", `person="Zorbanek"`},
		{guard.FileText, "The inner circle of Zorbanek met.", `person="Zorbanek"`},
		{guard.FileText, "Kafka refused to sign the lease.", `person="Kafka"`},
		{guard.FileText, "Perl testified that it rained.", `person="Perl"`},
		{guard.FileText, "The patient Zorbaprofen paid.", `person="Zorbaprofen"`},
		{guard.FileText, "Braden Scale told me that he left.", `person="Braden"`},
		{guard.FileText, "Ordine di Zorbanek paid.", `person="Ordine di Zorbanek"`},
		{guard.FileText, "In 2019 Zimmer moved to Ohio.", `person="Zimmer"`},
		{guard.FileText, "On March 3 Zimmer moved to Ohio.", `person="Zimmer"`},
		{guard.FileText, "She met Zimmer 3 times.", `person="Zimmer"`},
		{guard.FileText, "12 Zimmer testified that it rained.", `person="Zimmer"`},
		{guard.FileText, "Then on June 5 Blatt called.", `person="Blatt"`},
		{guard.FileText, "3. Mai signed the deed.", `person="Mai"`},
		{guard.ModelOut, "Room W-291482 is no room.", `docket="W-291482"`},
		{guard.FileText, "the estate of Willis", `person="Willis"`},
		{guard.FileText, "Hon. Wilhelmina Prock, my client", `person="Wilhelmina Prock"`},
		{guard.FileText, "Notes: call w/ thaddeus hrytsenko re: visa", `person="thaddeus hrytsenko"`},
		{guard.FileText, "pay to the order of Juniper Peak Lending", `org="Juniper Peak Lending"`},
		{guard.Prompt, "Is Sunrise Senior Living liable for the fall?", `org="Sunrise Senior Living"`},
		{guard.FileText, "Request No. 2024-118834", `id_number="2024-118834"`},
		{guard.FileText, "Amtsgericht Hagen, Az. 216 C 88/24. Termin in Saal II/142.", `docket="216 C 88/24"`},
		{guard.FileText, "Geschäftsnummer: 12 F 45/24", `docket="12 F 45/24"`},
		{guard.FileText, "Az. 12 Cg 45/24x", `docket="12 Cg 45/24x"`},
		{guard.FileName, "smith-v-acme-complaint.pdf", `person="smith"`},
		{guard.FileText, "Gifford Pinchot met us in the National Forest.", `person="Gifford Pinchot"`},
		{guard.FileText, "Sir Geoffrey Voss called.", `person="Sir Geoffrey Voss"`},
		{guard.FileText, "Thaddeus Orange booked it.", `person="Thaddeus Orange"`},
		{guard.Title, "Chase Rivers lease", `person="Chase Rivers"`},
		{guard.FileText, "Rose Field Custody Schedule", `person="Rose Field"`},
		{guard.Title, "Rusty Gates Service Contract", `person="Rusty Gates"`},
		{guard.Prompt, "Draft the Summer Brooks engagement letter", `person="Summer Brooks"`},
		{guard.Prompt, "Summarize Park's prior convictions", `person="Park"`},
		{guard.Prompt, "List Day's prior addresses", `person="Day"`},
		{guard.FileText, "BLM Law filed the answer.", `org="BLM Law"`},
		{guard.FileText, "The child attends Creation Station. Creation Station closed.", `org="Creation Station" org="Creation Station"`},
		{guard.FileText, "She was employed by Rapid Response.", `org="Rapid Response"`},
		{guard.FileText, "The tenant ada zorbanek paid the rent.", `person="ada zorbanek"`},
		{guard.FileText, "Our client said that john smith signed the lease.", `person="john smith"`},
		{guard.FileText, "Then thaddeus wexmoor testified that he saw the car.", `person="thaddeus wexmoor"`},
		{guard.FileText, "He met with thaddeus wexmoor on Monday.", `person="thaddeus wexmoor"`},
	} {
		if got := found(t, tc.door, tc.text); got != tc.want {
			t.Errorf("%s: %s: found %s, want %s", tc.door, tc.text, got, tc.want)
		}
	}
}

// A company is found from its first word to its legal form, and no further.
func TestCompaniesEndWithTheirForm(t *testing.T) {
	for text, want := range map[string]string{
		"gegen die Beklagte. Die Spedition Hollerbach GmbH & Co. KG haftet.": `org="Spedition Hollerbach GmbH & Co. KG"`,
		"La società Ferrante Impianti S.r.l. è debitrice.":                   `org="Ferrante Impianti S.r.l."`,
		"Il debito di Quellmark S.p.A. è provato.":                           `org="Quellmark S.p.A."`,
	} {
		if got := found(t, guard.FileText, text); got != want {
			t.Errorf("%s: found %s, want %s", text, got, want)
		}
	}
}
