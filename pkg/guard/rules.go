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
	ruleSpelt:        "digits with blanks or marks between them",
	ruleMixedCode:    "letters and digits as in a case or file number",
	ruleDigitsInWord: "digits in place of letters",
	ruleNumbered:     "a number after a word such as case, file or no.",
	ruleStroke:       "a case or application number",
	ruleLongNumber:   "a long number that is not a date or an amount",
	ruleAccount:      "a number after a word such as account",
	ruleIBAN:         "an IBAN with valid check digits",
	ruleCard:         "a card number with a valid check digit",
	ruleNINO:         "a National Insurance number",
	ruleNationalID:   "a national identity or tax number with a valid check digit",
	rulePapers:       "a number after a word such as passport or licence",
	ruleVehicle:      "a vehicle registration or identification number",
	ruleNetwork:      "a network address",
	ruleBirth:        "a date of birth",
	ruleStreet:       "a street address",
	rulePostcode:     "a postcode",
	ruleMail:         "an e-mail address",
	ruleHandle:       "a person's handle on a network",
	ruleURL:          "the address of a person's page",
	rulePhone:        "a telephone number",
	ruleSocial:       "a US social security or taxpayer number",
	ruleNearLabel:    "a bracket that looks like a label but is not one",
	ruleHonorific:    "a name after a title",
	ruleFullName:     "several words that are names",
	ruleUnknownName:  "a capitalised word that no dictionary holds",
	ruleNameWord:     "a word that is also a name, where a name would stand",
	ruleInitials:     "initials",
	ruleVersus:       "a party to a case without a published citation",
	ruleRecurs:       "a name that occurs elsewhere in the text",
	ruleCompany:      "a company",
	ruleInstitution:  "an institution",
	rulePlace:        "a place",
	ruleTerm:         "a term",
	ruleCitation:     "a published decision",
	ruleCapitals:     "a word in capitals that no dictionary holds",
	ruleSpaced:       "letters spaced out or in changing case",
	ruleEncoded:      "encoded text",
	ruleScript:       "a word in another script",
	ruleLowerName:    "a name in lower case",
	ruleUnknownWord:  "a word that no dictionary holds",
	ruleSpoken:       "a number spelt out digit by digit",
	ruleCoordinates:  "the coordinates of a place",
	ruleAcronym:      "initials in the place of a party",
	ruleUnread:       "a word in a language that the guard does not know",
	ruleCell:         "a name, by the heading of its column or by its field",
	ruleDoubt:        "words that may be a name",
}
