package facts

import "strings"

// pinBehind returns the pages, paragraphs or subsections that stand behind a citation.
func pinBehind(text string, c Citation) Span {
	if c.Kind != CaseLaw {
		if end := brackets(text, c.Core.End); end > c.Core.End {
			return Span{c.Core.End, end}
		}

		return Span{}
	}
	// The page of a short form is within it: "550 U.S. at 556".
	if c.Short {
		at := strings.LastIndex(c.Core.In(text), "at ")
		if at < 0 {
			return Span{}
		}

		return pinAt(text, c.Core.Start+at+len("at "))
	}
	if at := c.Core.End; strings.HasPrefix(text[at:], ",") {
		from, ok := blanks(text, at+1)
		if ok && strings.HasPrefix(text[from:], "at ") {
			from += len("at ")
		}
		if ok {
			return pinAt(text, from)
		}
	}

	return Span{}
}

const longestPin = 40 // bytes

// pinAt reads the pages or paragraphs at byte i: "555", "14-15", "1280 & n.4", "*3", "¶ 12". A number with a reporter
// behind it is the volume of another citation.
func pinAt(text string, i int) Span {
	end, at := i, i
	for at < len(text) && at-i < longestPin {
		mark := at
		// The doubled mark comes first, else one of the two would be left over.
		for _, m := range [...]string{"¶¶", "¶", "§", "*", "n.", "nn."} {
			if strings.HasPrefix(text[at:], m) {
				at += len(m)
				break
			}
		}
		if next, ok := blanks(text, at); ok && mark < at {
			at = next
		}
		_, stop, ok := number(text, at, 5)
		if !ok || wordGoesOn(text, stop) && text[stop] != 0xE2 {
			break
		}
		if mark == at && capitalBehind(text, stop) {
			break
		}
		end = stop

		next := stop
		for _, joint := range [...]string{"-", "–", " & ", ", "} {
			if strings.HasPrefix(text[stop:], joint) {
				next = stop + len(joint)
				break
			}
		}
		if strings.HasPrefix(text[stop:], " n.") || strings.HasPrefix(text[stop:], " nn.") {
			next = stop + 1
		}
		if next == stop {
			break
		}
		at = next
	}

	return Span{i, end}
}

// capitalBehind reports whether a word with a capital follows byte i, blanks between, within the same sentence. Behind
// a number it is a reporter or a code, and the number its volume or title.
func capitalBehind(text string, i int) bool {
	next, ok := blanks(text, i)
	if !ok || next == i || next == len(text) {
		return false
	}

	return isUpper(text[next]) && !sentenceBreak(text, next)
}

// brackets returns the end of the subsections at byte i, such as "(b)(2)".
func brackets(text string, i int) int {
	for i < len(text) && text[i] == '(' {
		length := strings.IndexByte(text[i:min(len(text), i+8)], ')')
		// A subsection is short and has no blank; other brackets hold a remark.
		if length < 2 || strings.ContainsAny(text[i:i+length], " \n") {
			return i
		}
		i += length + 1
	}

	return i
}

// further appends the other sections of a list that the last citation begins: "28 U.S.C. §§ 1331, 1337(a) and 1343".
func further(text string, list []Citation) []Citation {
	first := list[len(list)-1]
	// Only a doubled section sign announces a list. Numbers behind a single one may be anything.
	if first.Kind != Statute && first.Kind != Regulation || !strings.Contains(first.Core.In(text), "§§") {
		return list
	}

	head := first.Key[:strings.LastIndexByte(first.Key, ' ')+1]
	for at := brackets(text, first.Core.End); len(list) < mostOfAKind; {
		next := joint(text, at)
		if next == at || next == len(text) || !isDigit(text[next]) {
			return list
		}
		name, end, ok := section(text, next)
		if !ok {
			return list
		}
		if capitalBehind(text, end) {
			return list // the title of another code, or a volume
		}
		core := Span{next, end}
		at = brackets(text, end)
		c := Citation{Span: core, Core: core, Kind: first.Kind, Key: head + name, FormOK: first.FormOK}
		if at > end {
			c.Pin = Span{end, at}
		}
		list = append(list, c)
	}

	return list
}

// starPage reads ", at *4" behind the number of a database.
func starPage(text string, i int) (end int, ok bool) {
	if !strings.HasPrefix(text[i:], ", at *") {
		return i, false
	}
	_, end, ok = number(text, i+len(", at *"), 5)

	return end, ok
}

// neutralAt returns where the court ends that a neutral citation names at byte i, behind its year: "2012 IL 112116",
// "2016 IL App (1st) 5". It returns i when none does.
func neutralAt(text string, i int) int {
	end := i
	for _, court := range [...]string{
		"IL", "WI", "ND", "SD", "MT", "UT", "VT", "ME", "OK", "WY", "NMSC", "NMCA", "CO", "COA", "AR", "PA", "MS", "NH",
		"NCSC",
	} {
		if strings.HasPrefix(text[i:], court) && i+len(court) < len(text) && text[i+len(court)] == ' ' {
			end = i + len(court)
		}
	}
	if end == i {
		return i
	}

	// Courts of appeal add themselves to the name of the state.
	for _, part := range [...]string{" App", " CIV APP", " CR"} {
		if strings.HasPrefix(text[end:], part+" ") {
			end += len(part)
			break
		}
	}
	if strings.HasPrefix(text[end:], " (") {
		if length := strings.IndexByte(text[end:min(len(text), end+8)], ')'); length > 0 {
			end += length + 1
		}
	}

	return end
}

// ohio reads "2015-Ohio-1234" from the year that ends at byte end.
func ohio(text string, i, end int) (Citation, bool) {
	const court = "-Ohio-"
	if end-i != 4 || !strings.HasPrefix(text[end:], court) {
		return Citation{}, false
	}
	_, stop, ok := number(text, end+len(court), 5)
	year, _, _ := number(text, i, 4)
	// Ohio has cited its decisions this way since May 2002, and gave numbers back to 1992.
	core := Span{i, stop}

	return Citation{
		Span:   core,
		Core:   core,
		Kind:   CaseLaw,
		Key:    strings.ToLower(core.In(text)),
		Year:   year,
		FormOK: year >= 1992 && year <= lastYear,
	}, ok
}

// streetBehind reports whether what looks like a reporter and page is the name of a street: "350 N.E. 12 Terrace".
func streetBehind(text string, e edition, i int) bool {
	switch e.name {
	case "N.E.", "N.W.", "S.E.", "S.W.":
	default:
		return false
	}
	at, ok := blanks(text, i)
	if !ok || at == i {
		return false
	}

	switch text[at:wordAt(text, at)] {
	case "Street", "St", "Avenue", "Ave", "Terrace", "Drive", "Dr", "Road", "Rd", "Court", "Place", "Lane", "Boulevard",
		"Blvd", "Way":
		return true
	}

	return false
}
