package facts

import "strings"

// Term is a set phrase with what it stands for.
type Term struct {
	Topic  string
	Detail string // which of several things of the topic, in words of ours
	Phrase string // words in lower case, parted by blanks
}

// Hit is a phrase found.
type Hit struct {
	Span
	Topic, Detail string
}

// Lexicon finds set phrases. It is immutable and safe for concurrent use.
type Lexicon struct {
	root *node
	word [256]bool // whether a byte belongs to a word
	// of the words that begin a phrase, a bit each, by their first byte: most words are told by it to begin none
	lengths [256]uint32
}

// node is reached by the words of a phrase so far.
type node struct {
	next map[string]*node
	term *Term // a phrase that ends here
}

// NewLexicon makes a Lexicon. Of two phrases that begin at the same word the longer one is found; a phrase without a
// topic hides what it begins with, as "class action waiver" hides "class action".
func NewLexicon(terms []Term) *Lexicon {
	root := &node{next: map[string]*node{}}

	l := &Lexicon{root: root}
	for c := range l.word {
		l.word[c] = isWord(byte(c))
	}

	for _, t := range terms {
		n := root

		first, _, _ := strings.Cut(t.Phrase, " ")
		// A phrase can begin a sentence, so its first letter may be large.
		for _, c := range []byte{first[0], first[0] &^ 0x20} {
			l.lengths[c] |= 1 << len(first)
		}

		for word := range strings.FieldsSeq(t.Phrase) {
			child, ok := n.next[word]
			if !ok {
				child = &node{next: map[string]*node{}}
				n.next[word] = child
			}
			n = child
		}
		n.term = &t
	}

	return l
}

const longestTermWord = 24 // bytes; no phrase has a longer word

// Scan calls found for every phrase of text, in order and without overlaps. Words are compared in any case, and may be
// parted by white space, hyphens or apostrophes.
func (l *Lexicon) Scan(text string, found func(Hit)) {
	// One buffer for all words saves an allocation at each of them.
	var word [longestTermWord]byte
	for i := 0; i < len(text); {
		if !l.word[text[i]] {
			i++
			continue
		}

		end := i + 1
		for end < len(text) && l.word[text[end]] {
			end++
		}
		// The bits tell of most words that no phrase begins with them, without a look into the map.
		if end-i > longestTermWord || l.lengths[text[i]]&(1<<(end-i)) == 0 {
			i = end
			continue
		}
		n := l.root.step(text[i:end], &word)
		if n == nil {
			i = end
			continue
		}
		term, last := n.longest(text, end, &word)
		if term == nil {
			i = end
			continue
		}
		// A phrase without a topic is there to hide the one that it begins with.
		if term.Topic != "" {
			found(Hit{Span{i, last}, term.Topic, term.Detail})
		}
		i = last
	}
}

// longest returns the longest phrase that goes on from n, and where it ends.
func (n *node) longest(text string, end int, word *[longestTermWord]byte) (*Term, int) {
	term, last := n.term, end
	for len(n.next) > 0 {
		next, ok := gap(text, end)
		if !ok {
			break
		}
		end = termWordEnd(text, next)
		if n = n.step(text[next:end], word); n == nil {
			break
		}
		if n.term != nil {
			term, last = n.term, end
		}
	}

	return term, last
}

// step follows a word, nil when no phrase has it here.
func (n *node) step(written string, word *[longestTermWord]byte) *node {
	if len(written) > longestTermWord {
		return nil
	}

	for i := range len(written) {
		c := written[i]
		if isUpper(c) {
			c += 'a' - 'A'
		}
		word[i] = c
	}

	// The compiler allocates nothing for a conversion of this very form.
	return n.next[string(word[:len(written)])]
}

func termWordEnd(text string, i int) int {
	for i < len(text) && isWord(text[i]) {
		i++
	}

	return i
}

// withinTerm reports whether a byte may part the words of a phrase.
func withinTerm(c byte) bool { return isSpace(c) || c == '-' || c == '\'' }

// gap returns where the next word of a phrase begins.
func gap(text string, i int) (next int, ok bool) {
	start := i
	for i < len(text) && i-start <= maxBlank && withinTerm(text[i]) {
		i++
	}

	return i, i > start && i < len(text) && isWord(text[i])
}
