package guard

import "strings"

// American captions stand in two columns with a rule of brackets or section signs between: "JAMES )  No. 12 C 6032".
// The rule is no part of the words beside it.

// leastRules is how many lone signs make a rule.
const leastRules = 3

// withoutRules returns text with blanks in place of the signs of such rules. Every byte stays where it was.
func withoutRules(text string) string {
	for _, sign := range []string{")", "§"} {
		// The count is cheap, and nearly no text has a rule.
		if strings.Count(text, sign+" ")+strings.Count(text, sign+"\n") < leastRules {
			continue
		}
		places := loneSigns(text, sign)
		if len(places) < leastRules {
			continue
		}

		// Blanks of the same length keep every offset valid.
		out := []byte(text)

		for _, at := range places {
			for k := range len(sign) {
				out[at+k] = ' '
			}
		}
		text = string(out)
	}

	return text
}

// loneSigns returns where a sign stands by itself: blanks around it, no bracket of its line open before it, and no
// number behind it, which would make it the sign of a section.
func loneSigns(text, sign string) (places []int) {
	for at := strings.Index(text, sign); at >= 0; {
		if end := at + len(sign); alone(text, at, end) && !opened(text, at) && !numberAt(text, end) {
			places = append(places, at)
		}

		next := strings.Index(text[at+len(sign):], sign)
		if next < 0 {
			break
		}
		at += len(sign) + next
	}

	return places
}

// alone reports whether blanks or ends of lines are on both sides of text[start:end].
func alone(text string, start, end int) bool {
	return (start == 0 || blankByte(text[start-1])) && (end == len(text) || blankByte(text[end]))
}

func blankByte(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// longestAside bounds how far before a bracket the one that it closes stands, in bytes.
const longestAside = 400

// opened reports whether a bracket is open at byte at.
func opened(text string, at int) bool {
	before := text[max(0, at-longestAside):at]
	open := strings.LastIndexByte(before, '(')

	return open >= 0 && strings.IndexByte(before[open:], ')') < 0
}

// numberAt reports whether a number is the next thing in text from byte at on.
func numberAt(text string, at int) bool {
	rest := strings.TrimLeft(text[at:min(len(text), at+4)], " ")
	return rest != "" && digit(rest[0]) && text[at] == ' ' && !strings.HasPrefix(text[at:], "   ")
}
