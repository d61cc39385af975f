// Package intent tells from the words of a prompt what is asked for: which of the things that the engine can do, and
// whether it is an operation that needs a real identity and so is not for this service. It goes by verbs and objects
// and guesses nothing beyond them.
package intent

import (
	"slices"
	"strings"
	"unicode"

	"github.com/subrosa-legal/subrosa/pkg/label"
)

// sentence is the words of one sentence in lower case. A label is one word and keeps its brackets; what stood in
// quotation marks is one word, quoted; a possessive ending is a word of its own.
type sentence []string

const (
	quoted     = "\"\""
	possessive = "'s"
)

// Bounds of what is read of a prompt.
const (
	mostSentences = 200
	mostWords     = 400 // of one sentence; the rest is left out
)

// sentences cuts a prompt into sentences.
func sentences(prompt string) []sentence {
	var all []sentence
	var words sentence
	end := func() {
		if len(words) > 0 && len(all) < mostSentences {
			all = append(all, words)
		}
		words = nil
	}
	add := func(word string) {
		if len(words) < mostWords {
			words = append(words, word)
		}
	}

	for i := 0; i < len(prompt); {
		switch c := prompt[i]; {
		case c == '[':
			if l, width, ok := label.At(prompt, i); ok {
				add(strings.ToLower(l.String()))
				i += width

				continue
			}
			i++
		case c == '"' || strings.HasPrefix(prompt[i:], "“"):
			if stop := quoteEnd(prompt, i); stop > i {
				// Words in quotation marks are looked for in files, so no verb among them is an order.
				add(quoted)
				i = stop

				continue
			}
			i++
		case c == '?' || c == '!' || c == ';' || c == '\n':
			if c == '?' {
				add("?")
			}
			end()
			i++
		case c == '.' && (i+1 == len(prompt) || prompt[i+1] == ' ' || prompt[i+1] == '\n'):
			end()
			i++
		default:
			stop := wordEnd(prompt, i)
			if stop == i {
				i++
				continue
			}
			word, ending := plain(prompt[i:stop])
			if word != "" {
				add(word)
			}
			if ending {
				add(possessive)
			}
			i = stop
		}
	}
	end()

	return all
}

// quoteEnd returns where a quotation that opens at byte i ends, i if it does not end.
func quoteEnd(s string, i int) int {
	mark := `"`
	start := i + 1
	if s[i] != '"' {
		mark, start = "”", i+len("“")
	}
	if n := strings.Index(s[start:], mark); n >= 0 {
		return start + n + len(mark)
	}

	return i
}

func wordEnd(s string, i int) int {
	for n, r := range s[i:] {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("'’-", r) {
			return i + n
		}
	}

	return len(s)
}

// plain brings a word into the form in which it is compared: "E-mail" and "email" are one.
func plain(word string) (s string, owns bool) {
	s = strings.ReplaceAll(strings.ToLower(word), "’", "'")
	s, owns = strings.CutSuffix(s, possessive)
	s = strings.Trim(s, "'-")
	// "e-mail", "e-file" and "e-sign" are written both ways.
	if rest, ok := strings.CutPrefix(s, "e-"); ok {
		s = "e" + rest
	}

	return s, owns
}

func (s sentence) at(i int) string {
	if i < 0 || i >= len(s) {
		return ""
	}

	return s[i]
}

// follows reports whether words stand at i.
func (s sentence) follows(i int, words ...string) bool {
	return i >= 0 && i+len(words) <= len(s) && slices.Equal(s[i:i+len(words)], words)
}

// index returns where one of words stands first from i on, -1 if none does.
func (s sentence) index(i int, words ...string) int {
	for ; i < len(s); i++ {
		if slices.Contains(words, s[i]) {
			return i
		}
	}

	return -1
}

// holds reports whether a phrase of words stands anywhere.
func (s sentence) holds(phrase string) bool {
	words := strings.Fields(phrase)
	for i := range s {
		if s.follows(i, words...) {
			return true
		}
	}

	return false
}

func isLabel(word string) bool { return len(word) > 2 && word[0] == '[' }

// polite are the ways in which a request may begin before its verb, the longer first.
func polite() [][]string {
	var all [][]string
	for _, words := range []string{
		"i would like you to", "i'd like you to", "i want you to", "i need you to", "i would like to", "i'd like to",
		"i want to", "i need to", "could you please", "can you please", "would you please", "will you please",
		"please go ahead and", "go ahead and", "can you", "could you", "would you", "will you", "help me to", "help me",
		"make sure to", "you should", "you must", "let us", "let 's", "lets", "please", "kindly", "now", "then", "also",
		"just", "finally", "next", "ok", "okay", "hi", "hello", "hey", "and", "first", "immediately", "quickly",
	} {
		all = append(all, strings.Fields(words))
	}

	return all
}

// verb returns where the verb of a request stands, and whether the sentence asks a question instead: whether, when or
// how something is.
func (s sentence) verb() (at int, question bool) {
	openings := polite()

	// Politeness comes in layers: "please could you help me to".
	for again := true; again; {
		again = false

		for _, words := range openings {
			if s.follows(at, words...) {
				at += len(words)
				again = true

				break
			}
		}
	}

	switch s.at(at) {
	case "when", "what", "who", "whom", "whose", "which", "where", "why", "how", "is", "are", "was", "were", "did",
		"does", "do", "has", "have", "had", "should", "shall", "must", "may", "might", "can", "could", "would", "will",
		"if", "whether", "don't", "never", "not":
		return at, true
	}

	return at, false
}
