package guard_test

import (
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// Dictionaries hold John, Mike and Tucker as words, and papers hold them as names.
func TestNamesThatDictionariesHoldAsWords(t *testing.T) {
	for text, want := range map[string]string{
		"The firm hired John Kettle last year.":              "John Kettle",
		"The lease names Peter Tower and Mike Thimble.":      "Peter Tower|Mike Thimble",
		"Roger Brest, the driver, was hurt.":                 "Roger Brest",
		"It was signed by Tom Drayee.":                       "Tom Drayee",
		"A letter from Bob Press arrived.":                   "Bob Press",
		"The company owes Matt Ladle two months of wages.":   "Matt Ladle",
		"Tucker, who keeps the books, accused them.":         "Tucker",
		"Hicks argued otherwise, and Griffin kept silent.":   "Hicks|Griffin",
		"Tony: the roof leaks again.":                        "Tony",
		"Many thanks\nPeter\n":                               "Peter",
		"The tenants are late (Billy is said to have left).": "Billy",
		"Two of them can be reached by mail (Robertson).":    "Robertson",
		"The columnist George F. Will wrote it.":             "George F|Will",
		"DeBase called this wrong, and LaPse agreed.":        "DeBase|LaPse",
		"Sorry, Peter The landlord has paid.":                "Peter",
		"I told Ann about the rent, and Ann agreed.":         "Ann|Ann",
		"The letter went to young Eli. Then he left.":        "Eli",
		"Tex. Gov't Code Ann. § 12.3 applies.":               "",
	} {
		if got := foundIn(t, guard.FileText, text); got != want {
			t.Errorf("%q: found %q, want %q", text, got, want)
		}
	}
}

// A given name that is an everyday word makes a person of the rarer word behind it where no heading and no term would
// be capitalised.
func TestGivenNamesThatAreWordsInRunningText(t *testing.T) {
	for text, want := range map[string]string{
		"The firm hired Mark Meek last year.":            "Mark Meek",
		"Mark Kettle testified for two hours.":           "Mark Kettle",
		"We wrote to April Meek, a clerk.":               "April Meek",
		"The firm sued Bill Meek in May.":                "Bill Meek",
		"Virginia Meek testified.":                       "Virginia Meek",
		"The Grant Date is the date of the award.":       "",
		"He paid on the Grant Date, and the Bill passed": "",
		"In Virginia State law governs.":                 "",
		"Mark Registration and Bill Payment":             "",
		"They met in April Court sessions.":              "",
	} {
		if got := foundIn(t, guard.FileText, text); got != want {
			t.Errorf("%q: found %q, want %q", text, got, want)
		}
	}
}

// What stands before a name says that a place or a term follows only where nothing lies between.
func TestNamesBehindConjunctionsAndSpeech(t *testing.T) {
	for text, want := range map[string]string{
		"We have the impression that Kessler orchestrated it.":  "Kessler",
		"She recommends that Robert be released.":               "Robert",
		"We believe that Zbrozek actively supported it.":        "Zbrozek",
		"It is likely that Nadia may have known.":               "Nadia",
		"He shouted at Gary about the rent.":                    "Gary",
		"\"They waited outside\", Benson said.":                 "Benson",
		"Do not come to town, Lori!":                            "Lori",
		"A truck from the prison, Overley remembers, was near.": "Overley",
		"The Robertson letters were read out.":                  "Robertson",
		"The hearing was outside Falkirk.":                      "",
		"a draft (Scott Schedule format)":                       "",
	} {
		if got := foundIn(t, guard.FileText, text); got != want {
			t.Errorf("%q: found %q, want %q", text, got, want)
		}
	}
}

// Nobody is called by what many people are or believe.
func TestPeoplesAndBeliefsAreNoNames(t *testing.T) {
	for _, text := range []string{
		"The policy covers Protestants and Baptists alike.",
		"He told Republicans that Communism had failed.",
		"The survey asked Southerners and Northerners.",
	} {
		if got := foundIn(t, guard.FileText, text); got != "" {
			t.Errorf("%q: found %q", text, got)
		}
	}
}

// Who presides is addressed by the office, and "Mr. Foreman" may be somebody.
func TestOfficesThatAreAddressed(t *testing.T) {
	for text, want := range map[string]string{
		"Thank you, Mr. Chairman. Madam Speaker, I rise.": "",
		"Mr. Vice President, may I answer?":               "",
		"Mr. Foreman, who owes rent, left.":               "Mr. Foreman",
		"Mr. Speaker owes rent.":                          "Mr. Speaker",
		"Ms. President Overley, the tenant, left.":        "Ms. President Overley",
		"The tenant is Mr. Speaker.":                      "Mr. Speaker",
		"I sued Mr. Speaker, my dentist.":                 "Mr. Speaker",
		"Mr. Vice Speaker, the tenant, left.":             "Mr. Vice Speaker",
		"Dr. Speaker, the dentist, agreed.":               "Dr. Speaker",
		"Dear Overley Mr. Speaker, I rise.":               "Overley|Mr. Speaker",
		"Thank you, Mr. Speaker, I shall be brief.":       "",
		"From Robert Overley Mr. Chairman, I have one.":   "Robert Overley|Mr. Chairman",
		"Q Overley Madam Foreperson, did you agree?":      "Q Overley|Madam Foreperson",
	} {
		if got := foundIn(t, guard.FileText, text); got != want {
			t.Errorf("%q: found %q, want %q", text, got, want)
		}
	}
}

// A statute is called after somebody long dead.
func TestStatutesThatAreCalledAfterPeople(t *testing.T) {
	for text, want := range map[string]string{
		"The Tucker Act governs.":              "",
		"The Miller Act asks for bonds.":       "",
		"Tenant Brannock Act of vandalism":     "Brannock",
		"Exhibit A: Fennimore Act of theft":    "Fennimore",
		"Why did Overley Act as she did?":      "Overley",
		"Fennimore Act, 4 May 2026, signed":    "Fennimore",
		"Landlord Fennimore Act as custodian":  "Fennimore",
		"Claims under the Martin Act fail.":    "",
		"The Acts of Peter Tower are in issue": "Peter Tower",
	} {
		if got := foundIn(t, guard.FileText, text); got != want {
			t.Errorf("%q: found %q, want %q", text, got, want)
		}
	}
}
