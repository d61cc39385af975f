package guard

// A number that is dictated is written in words: "two one two, five five five, oh one seven three". Seven
// digits in a row are a telephone number or one of the numbers that stand for a person.

// longestSpoken is the length of the longest word of a digit, "double", in bytes.
const longestSpoken int32 = 6

// fewestSpoken is how many spoken digits make a number.
const fewestSpoken = 7

// spoken finds numbers of which every digit is a word.
func (n *names) spoken() {
	for i := 0; i < len(n.words); {
		if !spokenLetters[n.text[n.words[i].start]] || n.words[i].end-n.words[i].start > longestSpoken {
			i++
			continue // most words
		}

		digits, j := 0, i
		for j < len(n.words) && (j == i || n.spokenOn(j)) {
			value := n.spokenDigit(j)
			if value == 0 {
				break
			}
			digits += value
			j++
		}
		// Fewer digits in words are a count: "one or two, three at most".
		if digits >= fewestSpoken {
			n.add(kindPhone, ruleSpoken, i, j)
		}
		i = max(j, i+1)
	}
}

// spokenOn reports whether nothing but a blank, a comma or a hyphen stands before word i.
func (n *names) spokenOn(i int) bool {
	switch n.text[n.words[i-1].end:n.words[i].start] {
	case " ", ", ", "-", " - ", ",", ". ", "\n":
		return true
	}

	return false
}

// spokenDigit is how many digits word i says: one, none of which "double" and "triple" say before another.
func (n *names) spokenDigit(i int) int {
	w := &n.words[i]
	if w.end-w.start < 2 || w.end-w.start > longestSpoken || !spokenLetters[n.text[w.start]] {
		return 0
	}

	switch n.lowered(i) {
	case "triple", "treble":
		return 2
	case "zero", "oh", "nought", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "niner",
		"double":
		return 1
	}

	return 0
}

// spokenLetters begin the words of digits.
var spokenLetters = stopsAt(func(c byte) bool {
	switch c | 0x20 {
	case 'z', 'o', 'n', 't', 'f', 's', 'e', 'd':
		return true
	}

	return false
})
