// Package guard finds what could identify a client in text, so that every door of the service can refuse it.
//
// Guard is the one Gate: it normalises a text, sets labels and citations aside, judges numbers by shape, check digits
// and the words before them, and capitalised words by what accounts for them, so that one that no dictionary holds is
// suspect. What it cannot find: a name that is an ordinary word and stands alone, a nickname, a description of a role.
//
// All scanning is by hand, in time linear in the text; the package keeps no state and imports no file, network or
// clock, so that a browser can run it as it is.
package guard

import "context"

// Channel names the place at which text enters or leaves the service. Rules may be stricter on one channel than on
// another.
type Channel uint8

// The channels.
const (
	Prompt      Channel = iota // what a caller asks the agent
	Title                      // titles and other short free text of a record
	PartyRecord                // free text of a party
	Query                      // a search query
	FileName                   // the name of an uploaded file
	FileText                   // the body of a file
	FileMeta                   // metadata, comments, tracked changes and hidden text of a file
	ModelIn                    // what is sent to a language model
	ModelOut                   // what a language model answers
	Event                      // what a stream or an answer carries to the caller
	ChosenID                   // an id that a caller chose, such as that of a session: any letters and digits
	Reference                  // a firm's own reference for a matter: numbers of any kind, and no name
	Reread                     // a labelled text that its author reads once more: stricter than any other channel
)

// String returns the name of the channel as it appears in the audit record.
func (c Channel) String() string {
	names := [...]string{
		"prompt", "title", "partyRecord", "query", "fileName", "fileText", "fileMeta", "modelIn", "modelOut", "event",
		"chosenId", "reference", "reread",
	}
	if int(c) < len(names) {
		return names[c]
	}

	return "unknown"
}

// The kinds of finding, as they appear in the details of a refusal. Not all have rules yet.
const (
	KindPerson    = "person"
	KindOrg       = "org"
	KindAddress   = "address"
	KindPhone     = "phone"
	KindEmail     = "email"
	KindAccount   = "account"
	KindIDNumber  = "id_number"
	KindBirthDate = "birth_date"
	KindDocket    = "docket"
	KindVehicle   = "vehicle"
	KindProperty  = "property"
	KindURL       = "url"
	KindFieldName = "field_name" // a field that may not exist; see RefusedField
	KindOperation = "operation"  // something asked for that needs the real identity
	KindLabel     = "label"      // a bracket that looks like a label and is not one; see Check
	KindLanguage  = "language"   // words in a language that the guard does not know; see Told
)

// Finding is one place in a text that must not pass. Offsets are UTF-8 bytes of the text as given, End exclusive, both
// on rune boundaries where the text is valid UTF-8. The text itself is never part of a finding. Why is a reason for
// people, the same for all finds of one rule.
type Finding struct {
	Kind       string
	Start, End int
	Why        string

	// Unread says that the place is a word in a language that the guard does not know. It may be no name at all.
	Unread bool
	// Chosen says that the text is an id that its sender chose, for which another one can be chosen.
	Chosen bool
}

// Gate checks text on its way into or out of the service. Implementations are safe for concurrent use.
type Gate interface {
	// Check returns the findings that must not pass this channel, in order and without overlaps, or nil when the text
	// may pass. It returns at most MaxFindings, and never keeps or logs the text.
	Check(ctx context.Context, door Channel, text string) []Finding
}

// MaxFindings bounds what one Check returns. A text with more is refused just as well.
const MaxFindings = 1000
