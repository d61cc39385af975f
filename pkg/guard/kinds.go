package guard

// kind is what a find is, finer than the kinds of the wire.
type kind uint8

const (
	kindPerson   kind = iota + 1 // a name that context or shape makes sure
	kindName                     // a word that nothing else accounts for
	kindInitials                 // initials that stand for a person
	kindCompany                  // a name with a company's ending
	kindCode                     // a number of a case, a file, a person
	kindID                       // a national id, passport or licence
	kindAccount                  // IBAN, card or account
	kindEmail
	kindPhone
	kindAddress
	kindBirth
	kindURL     // an address or handle of a person on a network
	kindNetwork // an IP or MAC address
	kindVehicle
	kindLabel
	kindHidden  // a word made unreadable to machines on purpose
	kindScript  // a word of a script that the text is not in
	kindUnknown // a word in lower case that no dictionary holds
	// What follows is found and passes at most doors.
	kindOrg
	kindPlace
	kindTerm
	kindCitation
	kindDoubt // words that may be a name, for who looks through what was labelled
	kinds
)

// wire returns the kind as it stands in the details of a refusal.
func (k kind) wire() string {
	switch k {
	case kindPerson, kindName, kindInitials, kindHidden, kindScript, kindUnknown, kindDoubt:
		return KindPerson
	case kindCompany, kindOrg:
		return KindOrg
	case kindCode:
		return KindDocket
	case kindID, kindNetwork:
		return KindIDNumber
	case kindAccount:
		return KindAccount
	case kindEmail:
		return KindEmail
	case kindPhone:
		return KindPhone
	case kindAddress, kindPlace:
		return KindAddress
	case kindBirth:
		return KindBirthDate
	case kindURL:
		return KindURL
	case kindVehicle:
		return KindVehicle
	case kindLabel:
		return KindLabel
	}

	return KindPerson
}
