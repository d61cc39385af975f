package guard

import "strings"

// Numbers of cases in shapes that no other rule reads: with the long dash that print puts in, with a blank before the
// stroke, and in groups with the letters of a list between.

// longestDashed bounds a number with long dashes, in bytes.
const longestDashed = 64

// dashed finds the number of a case whose dashes are long ones: "8:07–cv–02142–EAK", "2018–07852".
func (c *codes) dashed(t *token, _ *lead, _ int) int {
	if !strings.HasPrefix(c.text[t.end:], "–") {
		return 0 // most numbers
	}

	end := t.end
	for end < len(c.text) && end-t.start < longestDashed {
		width := 0

		switch rest := c.text[end:]; {
		case alphanumeric(rest[0]):
			width = 1
		case strings.HasPrefix(rest, "–") && len(rest) > len("–") && alphanumeric(rest[len("–")]):
			width = len("–")
		}
		if width == 0 {
			break
		}
		end += width
	}
	parts := strings.Split(c.text[t.start:end], "–")
	last := parts[len(parts)-1]

	switch {
	case len(parts) >= 3 && caseLetters.has(strings.ToLower(parts[1])):
	case len(parts) == 2 && len(parts[0]) == 4 && len(last) >= 5 && strings.Trim(parts[0]+last, tenDigits) == "":
	default:
		return 0
	}

	return c.add(kindCode, ruleMixedCode, t.start, end)
}

// caseLetters say of what kind a case of an American court is.
var caseLetters = setOf(`cv cr mc md mj bk ap civ crim ca cp`)

// grouped finds the number of a case in groups: its year, its number and the letters of its list, "2003 9169 P", or
// the year of the century first, "06 B 08771". A word for a number stands before it.
func (c *codes) grouped(t *token, before *lead, _ int) int {
	if t.letters+t.marks() > 0 || t.digits != 2 && t.digits != 4 || !before.has(numbering, 1) {
		return 0
	}
	rest := c.text[t.end:min(len(c.text), t.end+len(" 12345 PIR."))]
	fields := strings.Fields(rest)
	if len(fields) < 2 || !strings.HasPrefix(rest, " ") {
		return 0
	}
	number, letters := fields[0], fields[1]
	if t.digits == 2 {
		number, letters = letters, number
	}
	number, letters = strings.Trim(number, ".,;)]"), strings.Trim(letters, ".,;)]")
	if len(number) < 3 || strings.Trim(number, tenDigits) != "" {
		return 0
	}
	if letters == "" || len(letters) > 3 || strings.Trim(letters, capitalLetters) != "" {
		return 0
	}
	end := t.end + max(strings.Index(rest, number)+len(number), strings.Index(rest, letters)+len(letters))

	return c.add(kindCode, ruleNumbered, t.start, end)
}

// parted finds the number of a case with a blank before the stroke and its year: "345 /2005".
func (c *codes) parted(t *token, _ *lead, _ int) int {
	rest, ok := strings.CutPrefix(c.text[t.end:], " /")
	if !ok || t.letters+t.marks() > 0 || len(rest) < 4 || strings.Trim(rest[:4], tenDigits) != "" {
		return 0
	}
	if rest[:2] != "19" && rest[:2] != "20" || len(rest) > 4 && alphanumeric(rest[4]) {
		return 0
	}

	return c.add(kindCode, ruleStroke, t.start, t.end+len(" /2005"))
}
