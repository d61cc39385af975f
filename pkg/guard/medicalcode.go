package guard

import "strings"

// Codes of diseases, treatments and errors, which have the shape of file numbers.

// catalogued reports whether a token is an entry of a catalogue of diseases, treatments or errors: "ICD-10 M54.2 and
// S13.4XXA", "HCPCS E0601", "the fault code P0171". The shape alone is no proof; the catalogue stands before it in the
// same paragraph, and no word by which numbers name somebody right before it.
func (c *codes) catalogued(t *token, before *lead) bool {
	if len(t.text) < 3 || !upper(t.text[0]) || !digit(t.text[1]) {
		return false // most numbers
	}
	dotted := disease(t)
	if !dotted && !procedure(t) || before.has(numbering, 2) {
		return false
	}
	// Lists of codes name their catalogue once, at the head.
	lead := c.text[max(0, t.start-longestList):t.start]
	lead = toLower(lead[strings.LastIndex(lead, "\n\n")+1:])

	for _, name := range catalogues {
		if strings.Contains(lead, name) {
			return true
		}
	}

	return dotted && strings.Contains(lead, "code")
}

// longestList bounds how far behind the name of its catalogue a code stands, in bytes.
const longestList = 200

// catalogues are what stands before lists of such codes.
var catalogues = []string{
	"icd-", "icd ", "icd9", "icd10", "hcpcs", "cpt ", "diagnosis", "diagnoses", "dx code", "dx:", "billing code",
	"procedure code", "fault code", "error code", "trouble code",
}

// disease reports whether a token has the shape of ICD-10: a letter, two digits (the second may be A or B), and up to
// four more signs behind a dot.
func disease(t *token) bool {
	s := t.text
	if t.marks() > 1 || !digit(s[2]) && s[2] != 'A' && s[2] != 'B' {
		return false
	}
	if len(s) == 3 {
		return true
	}

	return s[3] == '.' && len(s) >= 5 && len(s) <= 8 && strings.Trim(s[4:], tenDigits+capitalLetters) == ""
}

// procedure reports whether a token is a letter with four digits, as HCPCS and the errors of engines have it.
func procedure(t *token) bool { return len(t.text) == 5 && t.letters == 1 && t.digits == 4 }
