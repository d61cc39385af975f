package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// eachToken calls use for every word of a text in lower case, with the bytes it stands in. A label is one word and keeps its
// brackets. Digits keep their points ("12.3") and lose their commas; letters with points between become one word ("U.S.C.");
// a possessive ending is dropped; a hyphen parts words.
func eachToken(text string, use func(start, end int, word string)) {
	for i := 0; i < len(text); {
		if text[i] == '[' {
			if l, width, ok := guard.LabelAt(text, i); ok {
				use(i, i+width, strings.ToLower(l.String()))
				i += width

				continue
			}
		}
		if end, plain := plainWord(text, i); plain {
			use(i, end, strings.ToLower(text[i:end]))
			i = end

			continue
		}
		r, width := utf8.DecodeRuneInString(text[i:])
		if !wordRune(r) {
			i += width
			continue
		}
		end := wordEnd(text, i)
		if word := fold(text[i:end]); word != "" {
			use(i, end, word)
		}
		i = end
	}
}

// isLabel reports whether a word of a text is a label.
func isLabel(word string) bool { return word != "" && word[0] == '[' }

// written gives a label back the form in which it is written; other words stay as they are compared.
func written(word string) string {
	if !isLabel(word) {
		return word
	}

	return "[" + strings.ToUpper(word[1:2]) + word[2:]
}

func wordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return wordByte(byte(r))
	}

	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r)
}

func wordByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// plainWord returns where the run of ASCII letters and digits at byte start ends, and whether nothing behind it can belong to
// the same word: most words are of this kind.
func plainWord(text string, start int) (end int, plain bool) {
	end = start
	for end < len(text) && wordByte(text[end]) {
		end++
	}
	if end == start {
		return end, false
	}
	if end == len(text) {
		return end, true
	}

	switch c := text[end]; c {
	case '.', ',', '\'':
		return end, end+1 == len(text) || text[end+1] < utf8.RuneSelf && !wordByte(text[end+1])
	default:
		return end, c < utf8.RuneSelf
	}
}

// wordEnd returns where the word that begins at byte start ends.
func wordEnd(text string, start int) int {
	letters := 0 // since the last point
	acronym := true

	for i := start; ; {
		r, width := utf8.DecodeRuneInString(text[i:])
		if i < len(text) && wordRune(r) {
			letters++
			i += width

			continue
		}
		next, _ := utf8.DecodeRuneInString(text[min(len(text), i+width):])

		before, _ := utf8.DecodeLastRuneInString(text[:i])
		switch {
		case i == len(text):
			return i
		case r == '\'' || r == '’':
			if !unicode.IsLetter(before) || !unicode.IsLetter(next) {
				return i
			}
		case r == ',' || r == '.' && unicode.IsDigit(before):
			if !unicode.IsDigit(before) || !unicode.IsDigit(next) {
				return i
			}
		case r == '.':
			acronym = acronym && letters == 1
			if !acronym || !unicode.IsLetter(next) {
				return i
			}
			letters = 0
		default:
			return i
		}
		i += width
	}
}

// fold brings a word that is not plain into the form in which it is compared.
func fold(word string) string {
	word = strings.ToLower(word)
	word = strings.TrimSuffix(strings.TrimSuffix(word, "'s"), "’s")
	if !strings.ContainsAny(word, ".,'’") {
		return word
	}
	digits := strings.ContainsAny(word, "0123456789")

	return strings.Map(func(r rune) rune {
		if r == '.' && digits {
			return r
		}
		if r == '.' || r == ',' || r == '\'' || r == '’' {
			return -1
		}

		return r
	}, word)
}

// stem cuts the commonest English endings off a folded word, so that forms of one word meet. It is careful rather than
// thorough: what it does not join, the synonyms may.
func stem(word string) string {
	if len(word) < 4 || isLabel(word) || word[0] < 'a' || word[0] > 'z' {
		return word
	}

	switch {
	case strings.HasSuffix(word, "sses"), strings.HasSuffix(word, "xes"), strings.HasSuffix(word, "ches"), strings.HasSuffix(word, "shes"):
		word = word[:len(word)-2]
	case strings.HasSuffix(word, "ies") && len(word) > 4:
		word = word[:len(word)-3] + "y"
	case strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && !strings.HasSuffix(word, "us") && !strings.HasSuffix(word, "is"):
		word = word[:len(word)-1]
	}
	if rest, ok := verbStem(word); ok {
		word = rest
	}
	if len(word) > 4 && strings.HasSuffix(word, "e") {
		word = word[:len(word)-1]
	}
	if strings.HasSuffix(word, "ll") {
		word = word[:len(word)-1] // "cancelled" and "cancel", "called" and "call"
	}

	return word
}

// verbStem cuts -ed and -ing where at least four letters with a vowel stay.
func verbStem(word string) (string, bool) {
	for _, ending := range []string{"ing", "ed"} {
		rest, ok := strings.CutSuffix(word, ending)
		if !ok || len(rest) < 4 || !strings.ContainsAny(rest, "aeiouy") {
			continue
		}
		if n := len(rest); rest[n-1] == rest[n-2] && !strings.ContainsRune("sz", rune(rest[n-1])) {
			rest = rest[:n-1] // "submitted"
		}
		if strings.HasSuffix(rest, "i") {
			rest = rest[:len(rest)-1] + "y" // "notified"
		}

		return rest, true
	}

	return word, false
}

// stopWord reports whether a word says nothing about what is looked for.
func stopWord(word string) bool {
	switch word {
	case "a", "an", "the", "this", "that", "these", "those", "there", "here", "it", "its", "i", "me", "my", "we", "us", "our", "you",
		"your", "he", "him", "his", "she", "her", "they", "them", "their",
		"of", "to", "in", "on", "at", "by", "for", "from", "with", "under", "about", "as", "into", "upon", "and", "or", "but", "if",
		"then", "than", "so", "such", "any", "all", "each",
		"is", "are", "was", "were", "be", "been", "being", "am", "do", "does", "did", "done", "has", "have", "had", "having", "can",
		"could", "may", "might", "shall", "should", "will", "would", "must", "not",
		"what", "which", "who", "whom", "whose", "when", "where", "why", "how", "much", "many", "long",
		"tell", "show", "find", "say", "says", "said", "please", "explain", "describe", "give", "get", "mean", "means", "happen",
		"happens":
		return true
	}

	return false
}

// synonymTable returns, for each stem of the list, the stems that lawyers use in its place. A word may be in several groups.
func synonymTable() map[string][]string {
	table := map[string][]string{}

	for _, words := range [][]string{
		{"terminate", "termination", "cancel", "cancellation", "rescind", "rescission"},
		{"terminate", "termination", "dismiss", "dismissal", "discharge", "fire", "fired", "firing", "severance"},
		{"end", "ending", "expire", "expiration", "expiry", "terminate", "termination"},
		{"pay", "paid", "paying", "payment", "payable", "compensation", "remit"},
		{"salary", "wage", "compensation", "pay", "remuneration", "earnings"},
		{"rent", "rental"},
		{"landlord", "lessor"},
		{"tenant", "lessee"},
		{"lease", "tenancy"},
		{"premises", "property", "space"},
		{"sublet", "sublease", "assign", "assignment"},
		{"employer", "company"},
		{"employee", "worker", "executive"},
		{"employment", "job", "hire"},
		{"buy", "buyer", "purchase", "purchaser", "vendee"},
		{"sell", "seller", "vendor", "sale"},
		{"contract", "agreement"},
		{"breach", "default", "violation", "violate"},
		{"cure", "remedy", "remediate"},
		{"notice", "notify", "notification"},
		{"period", "term", "duration"},
		{"extend", "extension", "renew", "renewal"},
		{"begin", "start", "commence", "commencement"},
		{"deadline", "due"},
		{"damages", "harm", "loss", "injury"},
		{"sue", "suit", "action", "lawsuit", "litigation", "litigate"},
		{"demand", "prayer", "relief"},
		{"plaintiff", "complainant", "claimant", "petitioner"},
		{"defendant", "respondent"},
		{"claim", "count", "allegation"},
		{"complaint", "petition", "pleading"},
		{"attorney", "lawyer", "counsel"},
		{"court", "tribunal", "forum"},
		{"venue", "forum"},
		{"confidential", "confidentiality", "secret", "secrecy", "nondisclosure"},
		{"noncompete", "noncompetition", "compete", "competition"},
		{"indemnify", "indemnification", "indemnity"},
		{"insure", "insurance"},
		{"repair", "maintenance", "maintain"},
		{"deposit", "security"},
		{"evict", "eviction", "ejectment", "dispossess"},
		{"deed", "conveyance"},
		{"discriminate", "discrimination", "discriminatory"},
		{"retaliate", "retaliation", "retaliatory", "reprisal"},
		{"vacation", "holiday", "leave"},
		{"fee", "cost", "expense"},
		{"govern", "governing", "applicable"},
		{"dispute", "controversy"},
		{"arbitrate", "arbitration", "arbitrator"},
		{"child", "children", "minor"},
		{"divorce", "dissolution"},
		{"alimony", "maintenance", "support"},
	} {
		for _, word := range words {
			for _, other := range words {
				addSynonym(table, stem(word), stem(other))
			}
		}
	}

	return table
}

func addSynonym(table map[string][]string, word, other string) {
	if word == other {
		return
	}

	for _, known := range table[word] {
		if known == other {
			return
		}
	}
	table[word] = append(table[word], other)
}
