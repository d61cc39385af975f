package guard

import "strings"

// leadBytes bounds how far before a number its announcing word may stand.
const leadBytes = 56

// lead returns the text before byte i that may announce a number: at most leadBytes, cut at a paragraph or clause break.
func (s *scan) lead(i int) string {
	lead := s.text[max(0, i-leadBytes):i]
	if cut := strings.LastIndexAny(lead, ";!?"); cut >= 0 {
		lead = lead[cut+1:]
	}
	return lead[strings.LastIndex(lead, "\n\n")+1:]
}

// lastWord cuts the last word off text: its ASCII letters in lower case, and what stands before it. Punctuation and digits
// between words are dropped. The word is empty at the start of text.
func lastWord(text string) (word, before string) {
	end := len(text)
	for end > 0 && !asciiLetter(text[end-1]) {
		end--
	}
	start := end
	for start > 0 && asciiLetter(text[start-1]) {
		start--
	}
	return strings.ToLower(text[start:end]), text[:start]
}

func asciiLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

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
		if !filler(word) {
			return false
		}
		after = word
	}
	return false
}

// filler reports whether a word may stand between "phone" and the number.
func filler(word string) bool {
	switch word {
	case "number", "numbers", "no", "nos", "num", "nr", "at", "is", "was", "are", "on", "me", "him", "her", "us", "them", "you",
		"the", "my", "his", "their", "our", "your", "and", "or", "under", "line", "direct", "ext", "of", "a", "e":
		return true
	}
	return false
}

// phoneWord reports whether a word announces a telephone number. A verb does so right before the number or with a person
// behind it ("call me at"), so that "text at 1234" stays a page.
func phoneWord(_, word, after string) bool {
	person := after == "me" || after == "us" || after == "him" || after == "her" || after == "them" || after == "you"
	switch word {
	case "tel", "telephone", "phone", "phones", "cell", "cellphone", "cellular", "mobile", "fax", "telefax", "landline", "whatsapp":
		return true
	case "dial", "dialed", "call", "called":
		return person || after == ""
	case "reach", "text":
		return person
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

// citedBefore reports whether the number at byte i is a section of a code, some of which have the shape of a telephone or
// social security number (OAR 413-200-0301, WAC 388-71-0520).
func (s *scan) citedBefore(i int) bool {
	lead := strings.TrimRight(s.lead(i), " \u00a0(")
	if strings.HasSuffix(lead, "§") {
		return true
	}
	cut := strings.LastIndexAny(lead, " \u00a0(")
	switch strings.TrimRight(lead[cut+1:], ".,") {
	case "OAR", "WAC", "RCW", "IDAPA", "Sec", "Section", "Sections", "section", "sections", "Rule", "Rules", "Code", "Reg", "Regs",
		"Admin", "R", "Stat":
		return true
	}
	return false
}
