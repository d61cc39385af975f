package guard

// rule names what found a span, for the reason that a user sees. It never holds text.
type rule uint8

const (
	ruleNone rule = iota
	ruleInvisible
	ruleMixedScript
	ruleSpelt
	ruleMixedCode
	ruleDigitsInWord
	ruleNumbered
	ruleStroke
	ruleLongNumber
	ruleAccount
	ruleIBAN
	ruleCard
	ruleNINO
	ruleNationalID
	rulePapers
	ruleVehicle
	ruleNetwork
	ruleBirth
	ruleStreet
	rulePostcode
	ruleMail
	ruleHandle
	ruleURL
	rulePhone
	ruleSocial
	ruleNearLabel
	ruleHonorific
	ruleFullName
	ruleUnknownName
	ruleNameWord
	ruleInitials
	ruleVersus
	ruleRecurs
	ruleCompany
	ruleInstitution
	rulePlace
	ruleTerm
	ruleCitation
	ruleCapitals
	ruleSpaced
	ruleEncoded
	ruleScript
	ruleLowerName
	ruleUnknownWord
	ruleSpoken
	ruleCoordinates
	ruleAcronym
	ruleUnread
	ruleCell
	ruleDoubt
	rules
)

// reasons are the sentences for people, one for each rule.
var reasons = [rules]string{
	ruleInvisible:    "invisible characters inside a word",
	ruleMixedScript:  "letters of several scripts in one word",
	ruleSpelt:        "digits written apart",
	ruleMixedCode:    "letters and digits as in a case or file number",
	ruleDigitsInWord: "digits in place of letters",
	ruleNumbered:     "a number behind a word such as case, file or no.",
	ruleStroke:       "a number of a case or application",
	ruleLongNumber:   "a long number that is no date or amount",
	ruleAccount:      "a number behind a word such as account",
	ruleIBAN:         "an IBAN with right check digits",
	ruleCard:         "a card number with a right check digit",
	ruleNINO:         "a National Insurance number",
	ruleNationalID:   "a national identity or tax number with a right check digit",
	rulePapers:       "a number behind a word such as passport or licence",
	ruleVehicle:      "a number of a vehicle",
	ruleNetwork:      "an address in a network",
	ruleBirth:        "a date of birth",
	ruleStreet:       "a street address",
	rulePostcode:     "a postcode",
	ruleMail:         "an e-mail address",
	ruleHandle:       "a handle of a person on a network",
	ruleURL:          "an address of a person's page",
	rulePhone:        "a telephone number",
	ruleSocial:       "a US social security or taxpayer number",
	ruleNearLabel:    "a bracket meant as a label that is none",
	ruleHonorific:    "a name behind a title",
	ruleFullName:     "several words that are names",
	ruleUnknownName:  "a capitalised word that no dictionary holds",
	ruleNameWord:     "a word that is a name too, where a name stands",
	ruleInitials:     "initials",
	ruleVersus:       "a party of a case without a published citation",
	ruleRecurs:       "a name that stands elsewhere in the text",
	ruleCompany:      "a company",
	ruleInstitution:  "an institution",
	rulePlace:        "a place",
	ruleTerm:         "a term",
	ruleCitation:     "a published decision",
	ruleCapitals:     "a word in capitals that no dictionary holds",
	ruleSpaced:       "letters written apart or in changing case",
	ruleEncoded:      "encoded text",
	ruleScript:       "a word in another script",
	ruleLowerName:    "a name in lower case",
	ruleUnknownWord:  "a word that no dictionary holds",
	ruleSpoken:       "a number of which every digit is a word",
	ruleCoordinates:  "the coordinates of a place",
	ruleAcronym:      "initials where a party stands",
	ruleUnread:       "a word in a language that the guard does not know",
	ruleCell:         "a name by the heading of its column or by its field",
	ruleDoubt:        "words that can be a name",
}
