package guard

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// leadBytes bounds how far before a number its announcing word may stand.
const leadBytes = 56

// lead returns the text before byte i that may announce a number: at most leadBytes, cut at a paragraph or clause
// break.
func (s *scan) lead(i int) string {
	lead := s.text[max(0, i-leadBytes):i]
	if cut := strings.LastIndexAny(lead, ";!?"); cut >= 0 {
		lead = lead[cut+1:]
	}

	return lead[strings.LastIndex(lead, "\n\n")+1:]
}

// lastWord cuts the last word off text: its letters in lower case, and what stands before it. Punctuation and digits
// between words are dropped. The word is empty at the start of text.
func lastWord(text string) (word, before string) {
	end := len(text)
	for end > 0 {
		letter, width := letterBefore(text[:end])
		if letter {
			break
		}
		end -= width
	}

	start := end
	for start > 0 {
		letter, width := letterBefore(text[:start])
		if !letter {
			break
		}
		start -= width
	}

	return toLower(text[start:end]), text[:start]
}

// letterBefore reports whether text ends in a letter, and how wide its last character is.
func letterBefore(text string) (letter bool, width int) {
	if c := text[len(text)-1]; c < utf8.RuneSelf {
		return upper(c) || lower(c), 1
	}
	r, width := utf8.DecodeLastRuneInString(text)

	return unicode.IsLetter(r), width
}

// maxFillers bounds the words between an announcing word and its number.
const maxFillers = 6

// afterWord reports whether the words before byte i lead back to an announcing word over nothing but fillers.
func (s *scan) afterWord(i int, announces func(before, word, after string) bool) bool {
	rest, after := s.lead(i), ""

	for range maxFillers {
		var word string
		word, rest = lastWord(rest)
		if word == "" {
			return false
		}
		if announces(rest, word, after) {
			return true
		}
		// A word with a meaning of its own ends the announcement.
		if !fillers.has(word) {
			return false
		}
		after = word
	}

	return false
}

// socialWord reports whether a word announces a social security or taxpayer number.
func socialWord(before, word, _ string) bool {
	switch word {
	case "ssn", "ssns", "itin":
		return true
	case "security":
		prior, _ := lastWord(before)
		return prior == "social"
	}

	return false
}

// citedBefore reports whether the number at byte i is a section of a code, some of which have the shape of a telephone
// or social security number (OAR 413-200-0301, WAC 388-71-0520).
func (s *scan) citedBefore(i int) bool {
	lead := strings.TrimRight(s.lead(i), " \u00a0(")
	if strings.HasSuffix(lead, "§") {
		return true
	}

	cut := strings.LastIndexAny(lead, " \u00a0(")
	switch strings.TrimRight(lead[cut+1:], ".,") {
	case "OAR", "WAC", "RCW", "IDAPA", "Sec", "Section", "Sections", "section", "sections", "Rule", "Rules", "Code",
		"Reg", "Regs", "Admin", "R", "Stat":
		return true
	}

	return false
}
