// Package guard finds what could identify a client in text, so that every door of the service can refuse it.
//
// This is the first set of rules behind the one Gate: the grammar of labels, the names of fields that may not exist, and the
// shapes of e-mail addresses, telephone numbers and US social security numbers. It knows no names of people. All scanning is
// by hand, in one pass, in time linear in the text; the package keeps no state and imports no file, network or clock, so that
// a browser can run it as it is.
package guard

import "context"

// Door names the place at which text enters or leaves the service. Rules may be stricter at one door than at another.
type Door uint8

// The doors.
const (
	Prompt      Door = iota // what a caller asks the agent
	Title                   // titles and other short free text of a record
	PartyRecord             // free text of a party
	Query                   // a search query
	FileName                // the name of an uploaded file
	FileText                // the body of a file
	FileMeta                // metadata, comments, tracked changes and hidden text of a file
	ModelIn                 // what is sent to a language model
	ModelOut                // what a language model answers
	Event                   // what a stream or an answer carries to the caller
)

// String returns the name of the door as it appears in the audit record.
func (d Door) String() string {
	names := [...]string{"prompt", "title", "partyRecord", "query", "fileName", "fileText", "fileMeta", "modelIn", "modelOut", "event"}
	if int(d) < len(names) {
		return names[d]
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
	KindLabel     = "label"      // a bracket meant as a label that no reader would take for one; see Check
)

// Finding is one place in a text that must not pass. Offsets are UTF-8 bytes of the text as given, End exclusive, both on rune
// boundaries where the text is valid UTF-8. The text itself is never part of a finding.
type Finding struct {
	Kind       string
	Start, End int
}

// Gate looks at text on its way through a door. Implementations are safe for concurrent use.
type Gate interface {
	// Check returns what must not pass, ordered by offset and without overlaps, or nil when the text may pass. It returns at
	// most MaxFindings. It never keeps or logs the text.
	Check(ctx context.Context, door Door, text string) []Finding
}

// MaxFindings bounds what one Check returns. A text with more is refused just as well.
const MaxFindings = 1000

// Version names the rules, for the record kept of a check. It changes whenever a text could be judged differently.
func Version() string { return "shapes-1" }

// Rules is the Gate of the first rules. The zero value is ready to use.
type Rules struct{}

// New returns the Gate of the first rules.
func New() Rules { return Rules{} }

// Check applies the same rules at every door:
//
//   - e-mail addresses;
//   - telephone numbers: North American ones, international ones with a plus or 00, national ones with a leading zero, and
//     shorter ones after a word such as "phone";
//   - US social security and taxpayer numbers;
//   - brackets that mean a label but are none ([Party 0], [party 1], [Party one], [Party-1], [Company A]): nothing behind the
//     gate would recognise them, so they would neither be found by a search nor be put back into a name in the browser.
//     A bracket of other words, such as [Exhibit 3], [sic] or [Date of filing], is ordinary text.
//
// Dates, amounts, page ranges, citations and section numbers pass. The context is not used: the work takes milliseconds.
func (Rules) Check(_ context.Context, _ Door, text string) []Finding {
	s := scan{text: text}
	s.run()
	return s.found
}
