package intent

import "slices"

// Operations that need the real identity of somebody, named as the actions of deep links are.
const (
	Contact       = "contact"
	FileWithCourt = "file_with_court"
	Serve         = "serve"
	Sign          = "sign"
	Reveal        = "reveal"
	ExportNamed   = "export_named"
)

// Operation returns the operation that a prompt asks for, "" when it asks for none. A question about such an operation
// ("Was [Party 1] served?", "When must the answer be filed?") asks for none, nor does what stands in quotation marks.
func Operation(prompt string) string {
	for _, s := range sentences(prompt) {
		if action := s.operation(); action != "" {
			return action
		}
	}

	return ""
}

func (s sentence) operation() string {
	at, question := s.verb()
	// Even a question asks for an identity: "Who is behind [Party 1]?"
	if s.reveals(at) {
		return Reveal
	}
	if question {
		return ""
	}
	if action := s.operationAt(at); action != "" {
		return action
	}

	// A second command may hang on the first: "draft a letter and send it to the client".
	for i := at + 1; i < len(s); i++ {
		switch s[i] {
		case "must", "shall", "should", "may", "can", "could", "would", "will", "whether", "if", "when", "that",
			"which", "who", "how", "has", "have", "had", "did", "does", "was", "were", "is", "are", "to":
			return "" // what follows is told of, not asked for
		case "and", "then", "or":
			next := i + 1
			for next < len(s) && (s[next] == "then" || s[next] == "please" || s[next] == "also") {
				next++
			}
			if action := s.operationAt(next); action != "" {
				return action
			}
		}
	}

	return ""
}

// operationAt returns the operation whose verb stands at i.
func (s sentence) operationAt(i int) string {
	switch s.at(i) {
	case "email", "mail", "phone", "telephone", "call", "text", "message", "contact", "notify", "fax", "inform", "tell":
		takesThing := s.at(i) != "tell" && s.at(i) != "contact" // "mail the letter to the client"
		if s.person(i+1) && !s.toldOf(i+1) || takesThing && s.sendsThing(i+1) {
			return Contact
		}
	case "write":
		if s.at(i+1) == "to" && s.person(i+2) || isLabel(s.at(i+1)) && s.toPerson(i+1) {
			return Contact // "write a letter to the client" asks for a draft
		}
	case "send", "forward", "deliver", "speak", "talk", "reply", "respond":
		if s.at(i) == "send" && s.person(i+1) || s.addressed(i+1) {
			return Contact
		}
	case "reach":
		if s.follows(i+1, "out", "to") && s.person(i+3) {
			return Contact
		}
	case "get":
		if s.follows(i+1, "in", "touch", "with") || s.follows(i+1, "in", "contact", "with") {
			return Contact
		}
	case "schedule", "arrange":
		if s.index(i, "call", "meeting") > 0 && s.index(i, "with") > 0 {
			return Contact
		}
	case "file", "efile":
		if s.thing(i+1) || s.follows(i+1, "with", "the", "court") || s.at(i+1) == "for" {
			return FileWithCourt
		}
	case "submit", "lodge", "upload":
		if s.thing(i+1) && s.index(i+1, "court", "clerk", "docket", "judge", "tribunal", "ecf") > 0 {
			return FileWithCourt
		}
	case "serve":
		if s.thing(i+1) || s.person(i+1) {
			return Serve
		}
	case "sign", "esign", "countersign", "notarize", "notarise":
		if s.thing(i+1) || s.follows(i+1, "on", "behalf") || s.follows(i+1, "for") {
			return Sign
		}
	case "execute":
		if s.thing(i+1) && s.index(i+1, "agreement", "contract", "lease", "deed", "document", "settlement") > 0 {
			return Sign
		}
	case "export", "download", "print", "fill", "replace", "restore", "put", "insert", "swap", "substitute":
		if s.named(i + 1) {
			return ExportNamed
		}
	}

	return ""
}

// sendsThing reports whether a thing stands at i and somebody behind it to whom it goes: "the letter to the client".
func (s sentence) sendsThing(i int) bool { return s.thing(i) && s.toPerson(i) }

// addressed reports whether what stands at i goes to somebody: a thing, a label, or nothing before the "to".
func (s sentence) addressed(i int) bool {
	return s.toPerson(i) && (s.thing(i) || s.at(i) == "to" || isLabel(s.at(i)))
}

// thing reports whether a thing that can be sent, filed, served or signed stands at i: what has an article or points at
// something.
func (s sentence) thing(i int) bool {
	switch s.at(i) {
	case "this", "that", "it", "these", "them", "the", "a", "an", "my", "our", "your", "his", "her", "their", "all":
		switch s.at(i + 1) {
		case "name", "names", "list", "size", "type", "version":
			return false // "file the names by date"
		}

		return true
	case quoted:
		return true
	}

	return false
}

// person reports whether somebody stands at i.
func (s sentence) person(i int) bool {
	if isLabel(s.at(i)) {
		return true
	}

	switch s.at(i) {
	case "him", "her", "them", "everyone", "everybody", "opposing", "clients", "counsel":
		return true
	case "the", "our", "my", "their", "his", "your", "each", "all", "both", "every", "that", "this":
		return somebody(s.at(i+1)) || somebody(s.at(i+2)) && s.at(i+2) != ""
	}

	return false
}

func somebody(word string) bool {
	switch word {
	case "client", "clients", "counsel", "attorney", "attorneys", "lawyer", "lawyers", "plaintiff", "plaintiffs",
		"defendant", "defendants", "landlord", "tenant", "employer", "employee", "court", "clerk", "judge", "party",
		"parties", "witness", "witnesses", "insurer", "opponent", "adversary", "respondent", "petitioner", "mother",
		"father", "debtor", "creditor", "buyer", "seller", "other":
		return true
	}

	return false
}

// toldOf reports whether a verb in the past follows the somebody at i, so that what stands before is a noun: "Email
// [Party 1] sent".
func (s sentence) toldOf(i int) bool {
	switch s.at(i + 1) {
	case "sent", "wrote", "received", "made", "had", "got", "forwarded", possessive, "dated":
		return true
	}

	return false
}

// toPerson reports whether "to" and somebody stand not far behind i.
func (s sentence) toPerson(i int) bool {
	const reach = 12
	for n := i; n < min(len(s), i+reach); n++ {
		if s[n] == "to" && s.person(n+1) {
			return true
		}
	}

	return false
}

// named reports whether the words from i on ask for names in place of labels.
func (s sentence) named(i int) bool {
	if i >= len(s) {
		return false
	}

	rest := s[i:]
	// Only these phrases ask for names: "export the timeline" does not.
	for _, phrase := range []string{
		"real names", "actual names", "true names", "original names", "real name", "with names", "with the names",
		"with all names", "names back", "the names in", "by names", "by the names", "labels with", "named version",
		"unredacted", "real identities",
	} {
		if rest.holds(phrase) {
			return true
		}
	}

	return false
}

// reveals reports whether a request or question whose verb stands at i asks who or what is behind a label.
func (s sentence) reveals(i int) bool {
	switch s.at(i) {
	case "reveal", "disclose", "unmask", "deanonymize", "deanonymise", "de-anonymize", "de-anonymise", "reidentify",
		"re-identify", "decrypt", "unseal", "uncover", "unredact":
		return s.behindLabel(i+1) || slices.ContainsFunc(s[i:], isLabel) ||
			s.index(i, "names", "name", "identity", "identities", "labels") > 0
	case "show", "give", "tell", "provide", "share", "find", "lookup", "list", "state":
		return s.behindLabel(i + 1)
	case "look":
		return s.at(i+1) == "up" && s.behindLabel(i+2)
	case "what":
		switch s.at(i + 1) {
		case "is", "are", "was", possessive:
			return s.behindLabel(i + 2)
		}
	case "who":
		return s.at(i+1) == "is" && s.asksWho(i+2)
	}

	return false
}

// asksWho reports whether the words from i on ask, after "who is", for the person behind a label: "behind [Party 1]",
// "really [Party 1]", "[Party 1] in real life".
func (s sentence) asksWho(i int) bool {
	if s.at(i) == "behind" || s.at(i) == "really" {
		return true
	}

	return isLabel(s.at(i)) && (s.at(i+1) == "really" || s.follows(i+1, "in", "real", "life"))
}

// behindLabel reports whether the words from i on ask for an identity: the real name of somebody, or the name, address
// and so on of a label.
func (s sentence) behindLabel(i int) bool {
	for n := max(i, 0); n < min(len(s), i+10); n++ {
		switch s[n] {
		case "real", "actual", "true":
			switch s.at(n + 1) {
			case "name", "names", "identity", "identities":
				return true
			}
		}
		width := s.identity(n)
		if width == 0 {
			continue
		}
		after := n + width
		if s.at(after) == "of" || s.at(after) == "behind" || s.at(after) == "for" {
			// "the name of [Party 1]'s boat" is no identity of the party.
			if isLabel(s.at(after+1)) && s.at(after+2) != possessive {
				return true
			}
		}
		if s.at(n-1) == possessive && isLabel(s.at(n-2)) {
			return true
		}
	}

	return false
}

// identity returns how many words from i on name a mark of identity, 0 for none.
func (s sentence) identity(i int) int {
	switch s.at(i) {
	case "name", "names", "identity", "birthday", "birthdate", "ssn", "whereabouts":
		return 1
	case "address":
		return 1
	// Two words are one mark of identity, and the caller looks behind both of them.
	case "full", "legal", "last", "first", "home", "street", "mailing":
		if s.at(i+1) == "name" || s.at(i+1) == "address" {
			return 2
		}
	case "phone", "telephone", "cell":
		if s.at(i+1) == "number" {
			return 2
		}
	case "email":
		if s.at(i+1) == "address" {
			return 2
		}
	case "social":
		if s.follows(i+1, "security", "number") {
			return 3
		}
	case "date":
		if s.follows(i+1, "of", "birth") {
			return 3
		}
	}

	return 0
}
