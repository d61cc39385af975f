package facts

import "strings"

const longestCode = 64 // bytes of the name of a state's code before its section sign

// sectioned reads a section of a state's code: the name before the section sign at byte i and the number behind it. A
// section sign without the name of a code before it, as in a contract, is none.
func sectioned(text string, i int) (Citation, bool) {
	start, state, ok := codeBefore(text, i)
	if !ok {
		return Citation{}, false
	}
	name, end, ok := section(text, i)
	if !ok {
		return Citation{}, false
	}
	span := Span{start, end}
	key := state + " " + strings.ToLower(strings.Map(letterOrDigit, text[start:i])) + " " + name

	return Citation{Span: span, Core: span, Kind: Statute, Key: key, FormOK: true}, true
}

// letterOrDigit drops all else, so that one code has one key however it is written.
func letterOrDigit(r rune) rune {
	if r < 0x80 && isWord(byte(r)) {
		return r
	}

	return -1
}

// codeBefore walks back over the words of a code's name to the name of a state.
func codeBefore(text string, i int) (start int, state string, ok bool) {
	at, code := i, false
	// A code's name is short, and a section sign in a contract has none before it.
	for i-at < longestCode {
		end := at
		for end > 0 && (text[end-1] == ' ' || text[end-1] == '\n' || text[end-1] == ',') {
			end--
		}

		at = end
		for at > 0 && i-at < 2*longestCode && (isWord(text[at-1]) || strings.IndexByte(".&'-", text[at-1]) >= 0) {
			at--
		}
		if at == end {
			return 0, "", false
		}
		word := text[at:end]
		if state, ok := namedCode(word); ok {
			return titleBefore(text, at), state, true
		}
		// "Cal. § 5" may abbreviate anything: a word for a code has to follow the state.
		if state, ok := stateOf(word, text, at); ok && code {
			return titleBefore(text, state.start), state.code, true
		}

		switch {
		case codeWord(word):
			code = true
		case !inCodeName(word):
			return 0, "", false
		}
	}

	return 0, "", false
}

// inCodeName reports whether a word can stand in the name of a code, its chapter or title included.
func inCodeName(word string) bool {
	switch word {
	case "&", "and", "ch.", "tit.", "c.", "art.":
		return true
	}

	return isUpper(word[0]) || isDigit(word[0])
}

// codeWord reports whether a word makes the name before a section sign that of a code.
func codeWord(word string) bool {
	switch word {
	case "Code", "Stat.", "Stat", "Stats.", "Law", "Laws", "Statutes", "Ann.", "L.", "C.L.S.", "Comp.", "Rev.", "C.",
		"R.S.", "Proc.":
		return true
	}

	return false
}

// namedCode returns whose code a word is that names one by itself, "fed" for a uniform or federal one.
func namedCode(word string) (state string, ok bool) {
	for _, c := range [...]struct{ name, code string }{
		{"O.C.G.A.", "GA"},
		{"N.J.S.A.", "NJ"},
		{"A.R.S.", "AZ"},
		{"M.G.L.", "MA"},
		{"G.L.", "MA"},
		{"Pa.C.S.", "PA"},
		{"Pa.C.S.A.", "PA"},
		{"U.C.C.", "fed"},
		{"UCC", "fed"},
		{"I.R.C.", "fed"},
		{"IRC", "fed"},
		{"CPLR", "NY"},
		{"C.P.L.R.", "NY"},
		{"RCW", "WA"},
		{"NRS", "NV"},
		{"ORS", "OR"},
		{"KRS", "KY"},
		{"MCL", "MI"},
		{"T.C.A.", "TN"},
		{"K.S.A.", "KS"},
		{"A.C.A.", "AR"},
		{"H.R.S.", "HI"},
		{"V.S.A.", "VT"},
		{"M.C.L.", "MI"},
		{"Treas.", "fed"},
	} {
		if word == c.name {
			return c.code, true
		}
	}

	return "", false
}

// titleBefore includes the number of a title before the name of a code: "42 Pa. Cons. Stat."
func titleBefore(text string, i int) int {
	end := backBlanks(text, i)
	if end == i || text[end:i] != " " {
		return i
	}

	start := end
	for start > 0 && end-start < 3 && isDigit(text[start-1]) {
		start--
	}
	if start == end || wordBefore(text, start) || start > 0 && strings.IndexByte(".$/-", text[start-1]) >= 0 {
		return i
	}

	return start
}

// stateName is a state of the United States as a code's name has it.
type stateName struct {
	start int    // where its name begins
	code  string // ISO 3166-2 without the country
}

// stateOf reads the last word of a state's name in a citation, and looks back for the word before it where the name has
// two.
func stateOf(word, text string, at int) (stateName, bool) {
	for _, s := range [...]struct{ name, code string }{
		{"Ala.", "AL"},
		{"Alaska", "AK"},
		{"Ariz.", "AZ"},
		{"Ark.", "AR"},
		{"Cal.", "CA"},
		{"California", "CA"},
		{"Colo.", "CO"},
		{"Conn.", "CT"},
		{"Del.", "DE"},
		{"D.C.", "DC"},
		{"Fla.", "FL"},
		{"Florida", "FL"},
		{"Ga.", "GA"},
		{"Haw.", "HI"},
		{"Idaho", "ID"},
		{"Ill.", "IL"},
		{"Ind.", "IN"},
		{"Iowa", "IA"},
		{"Kan.", "KS"},
		{"Ky.", "KY"},
		{"La.", "LA"},
		{"Me.", "ME"},
		{"Md.", "MD"},
		{"Mass.", "MA"},
		{"Mich.", "MI"},
		{"Minn.", "MN"},
		{"Miss.", "MS"},
		{"Mo.", "MO"},
		{"Mont.", "MT"},
		{"Neb.", "NE"},
		{"Nev.", "NV"},
		{"N.H.", "NH"},
		{"N.J.", "NJ"},
		{"N.M.", "NM"},
		{"N.Y.", "NY"},
		{"N.C.", "NC"},
		{"N.D.", "ND"},
		{"Ohio", "OH"},
		{"Okla.", "OK"},
		{"Or.", "OR"},
		{"Pa.", "PA"},
		{"R.I.", "RI"},
		{"S.C.", "SC"},
		{"S.D.", "SD"},
		{"Tenn.", "TN"},
		{"Tex.", "TX"},
		{"Texas", "TX"},
		{"Utah", "UT"},
		{"Vt.", "VT"},
		{"Va.", "VA"},
		{"Wash.", "WA"},
		{"Wis.", "WI"},
		{"Wyo.", "WY"},
	} {
		if s.name != word {
			continue
		}
		// "Va." may be the second half of "W. Va."
		if two, ok := west(word, text, at); ok {
			return two, true
		}

		return stateName{at, s.code}, true
	}

	return stateName{}, false
}

// west reads "W. Va.", the one state whose short name has a blank.
func west(word, text string, at int) (stateName, bool) {
	const before = "W. "
	if word != "Va." || !strings.HasSuffix(text[:at], before) {
		return stateName{}, false
	}

	return stateName{at - len(before), "WV"}, true
}
