package facts

import (
	"strconv"
	"strings"
)

// ruleSet returns which federal rules a name at byte i means, and where the name ends.
func ruleSet(text string, i int) (key string, end int, ok bool) {
	for _, set := range [...]struct{ name, key string }{
		{"Civ.P.", "frcp"},
		{"Crim.P.", "frcrp"},
		{"Evid.", "fre"},
		{"App.P.", "frap"},
		{"Bankr.P.", "frbp"},
		{"CivilProcedure", "frcp"},
		{"CriminalProcedure", "frcrp"},
		{"Evidence", "fre"},
		{"AppellateProcedure", "frap"},
		{"BankruptcyProcedure", "frbp"},
	} {
		if end, ok := spacedFold(text, i, set.name); ok {
			return set.key, end, true
		}
	}

	return "", i, false
}

// spacedFold is spaced in any case of letters.
func spacedFold(text string, i int, name string) (end int, ok bool) {
	at := i

	for n := range len(name) {
		if n > 0 {
			at = behindGap(text, at)
		}
		if at >= len(text) || text[at] != name[n] && (!isLetter(name[n]) || text[at]|0x20 != name[n]|0x20) {
			return 0, false
		}
		at++
	}

	return at, true
}

// courtRule reads "Fed. R. Civ. P. 12(b)(6)" and "Federal Rule of Evidence 702".
func courtRule(text string, i int) (Citation, bool) {
	for _, head := range [...]string{"Fed.R.", "FederalRuleof", "FederalRulesof"} {
		end, ok := spacedFold(text, i, head)
		if !ok {
			continue
		}
		if end, ok = blanks(text, end); !ok {
			return Citation{}, false
		}
		key, end, ok := ruleSet(text, end)
		if !ok {
			return Citation{}, false
		}
		at, ok := blanks(text, end)
		if !ok {
			return Citation{}, false
		}
		n, stop, ok := number(text, at, 4)
		if !ok {
			return Citation{}, false
		}

		return Citation{
			Span:   Span{i, stop},
			Core:   Span{i, stop},
			Kind:   CourtRule,
			Key:    key + " " + strconv.Itoa(n),
			FormOK: true,
		}, true
	}

	return Citation{}, false
}

// ruleOf reads, from the R at byte i, "Rule 23 of the Federal Rules of Civil Procedure", and the rules of a state or
// court, whose name stands before: "Tex. R. Civ. P. 91a", "Cal. R. Ct. 8.204", "Sup. Ct. R. 10".
func ruleOf(text string, i int) (Citation, bool) {
	if strings.HasPrefix(text[i:], "Rule") {
		return ruleWithin(text, i)
	}
	if !strings.HasPrefix(text[i:], "R.") {
		return Citation{}, false
	}

	// The Supreme Court's own rules name no state, so they are looked for before the names of states.
	start, court := i, ""
	for _, name := range [...]string{"Sup. Ct. ", "S. Ct. "} {
		if strings.HasSuffix(text[:i], name) {
			start, court = i-len(name), "fed"
		}
	}
	end := i + len("R.")
	if court == "" {
		before := backBlanks(text, i)
		for start = before; start > 0 && before-start < 12 &&
			(isLetter(text[start-1]) || text[start-1] == '.'); start-- {
		}
		state, ok := stateOf(text[start:before], text, start)
		if !ok {
			return Citation{}, false
		}
		start, court = state.start, state.code
		set := false

		for _, name := range [...]string{
			"Civ.P.", "Crim.P.", "App.P.", "Evid.", "Ct.", "Prof'lConduct", "Prof.Conduct", "Juv.P.", "Prob.P.",
		} {
			at, ok := blanks(text, end)
			if stop, found := spaced(text, at, name); ok && found {
				end, set = stop, true
				break
			}
		}
		if !set {
			return Citation{}, false
		}
	}
	name, stop, ok := section(text, end)
	// No rule has a longer number: what goes on is text that was joined to it.
	if !ok || stop-end > 12 {
		return Citation{}, false
	}
	span := Span{start, stop}
	key := court + " " + strings.ToLower(strings.Map(letterOrDigit, text[i:end])) + " " + name

	return Citation{Span: span, Core: span, Kind: CourtRule, Key: key, FormOK: true}, true
}

// ruleWithin reads "Rule 23(a) of the Federal Rules of Civil Procedure".
func ruleWithin(text string, i int) (Citation, bool) {
	at := wordAt(text, i)
	at, ok := blanks(text, at)
	if !ok {
		return Citation{}, false
	}
	n, end, ok := number(text, at, 4)
	if !ok {
		return Citation{}, false
	}
	end = brackets(text, end)
	if end, ok = blanks(text, end); !ok {
		return Citation{}, false
	}
	if end, ok = spaced(text, end, "oftheFederalRulesof"); !ok {
		return Citation{}, false
	}
	if end, ok = blanks(text, end); !ok {
		return Citation{}, false
	}
	key, end, ok := ruleSet(text, end)
	span := Span{i, end}

	return Citation{Span: span, Core: span, Kind: CourtRule, Key: key + " " + strconv.Itoa(n), FormOK: true}, ok
}

// ruleLike tells at a glance whether a rule of a court or a code can begin with the R at byte i: "R. Civ. P.", "Rule",
// "RCW".
func ruleLike(text string, i int) bool {
	return i+1 < len(text) && strings.IndexByte(".uC", text[i+1]) >= 0
}

// codeLike tells at a glance whether the name of a code can begin at byte i.
func codeLike(text string, i int) bool {
	if i+2 >= len(text) {
		return false
	}

	switch next, both := text[i+1], text[i+1:i+3]; text[i] {
	case 'P':
		return next == '.' || both == "ub"
	case 'L', 'T':
		return next == '.' || both == "a." || both == "re"
	default:
		return next == '.' || isUpper(next) && isUpper(text[i+2])
	}
}

// bareCode reads a section of a code that is often cited without a section sign: "CPLR 3211", "NRS 116.3116", "Pub. L.
// No. 117-58".
func bareCode(text string, i int) (Citation, bool) {
	for _, code := range [...]struct{ name, state string }{
		{"N.Y.C.P.L.R.", "NY"},
		{"CPLR", "NY"},
		{"C.P.L.R.", "NY"},
		{"NRS", "NV"},
		{"RCW", "WA"},
		{"ORS", "OR"},
		{"KRS", "KY"},
		{"MCL", "MI"},
		{"A.R.S.", "AZ"},
		{"N.J.S.A.", "NJ"},
		{"M.C.L.", "MI"},
		{"R.C.", "OH"},
		{"La.R.S.", "LA"},
		{"La.Civ.Codeart.", "LA"},
		{"La.C.C.art.", "LA"},
		{"La.CodeCiv.Proc.art.", "LA"},
		{"O.C.G.A.", "GA"},
		{"U.C.C.", "fed"},
		{"I.R.C.", "fed"},
		{"T.C.A.", "TN"},
		{"Treas.Reg.", "fed"},
		{"Pub.L.No.", "fed"},
		{"Pub.L.", "fed"},
		{"P.L.", "fed"},
	} {
		// The first letter rules out nearly all of the table before the slow comparison.
		if text[i] != code.name[0] {
			continue
		}
		end, ok := spaced(text, i, code.name)
		if !ok || end < len(text) && isWord(text[end]) {
			continue
		}
		at, ok := blanks(text, end)
		if !ok || at == end {
			return Citation{}, false
		}
		name, stop, ok := section(text, end)
		if !ok || len(name) < 2 {
			return Citation{}, false
		}

		kind, key := Statute, strings.ToLower(strings.Map(letterOrDigit, code.name))
		switch code.name {
		case "Treas.Reg.":
			kind = Regulation
		case "Pub.L.", "P.L.", "Pub.L.No.":
			// A public law has the number of its Congress and a hyphen: "P.L. 5" may be anything.
			if key = "publ"; !strings.Contains(name, "-") {
				return Citation{}, false
			}
		}

		return Citation{
			Span:   Span{i, stop},
			Core:   Span{i, stop},
			Kind:   kind,
			Key:    code.state + " " + key + " " + name,
			FormOK: true,
		}, true
	}

	return Citation{}, false
}
