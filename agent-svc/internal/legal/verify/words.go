package verify

import (
	_ "embed"
	"regexp"
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/search"
)

var (
	//go:embed words/negations.txt
	negationWords string
	//go:embed words/opposites.txt
	oppositeWords string
	//go:embed words/roles.txt
	roleWords string
	//go:embed words/authorities.txt
	lawWords string
	//go:embed words/irregular.txt
	irregularWords string
)

var (
	negations = set(negationWords)
	roles     = set(roleWords)
	// irregular has the form that a word is compared as.
	irregular = forms(irregularWords)
	// opposites has, for each line of its file, what excludes one another.
	opposites = groups(oppositeWords)
	// law is the name of a law that ends in one of the words of the file.
	law = regexp.MustCompile(`(?:\p{Lu}[\p{L}'’-]+ (?:(?:of|and|the|for|on|to) )*)*(?:` + strings.Join(fields(lawWords),
		"|") + `)\b(?: of \d{4})?`)
)

// lines returns the lines of a file of words without its remarks.
func lines(file string) []string {
	var list []string

	for line := range strings.Lines(file) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			list = append(list, line)
		}
	}

	return list
}

func fields(file string) []string { return strings.Fields(strings.Join(lines(file), " ")) }

func set(file string) map[string]bool {
	words := map[string]bool{}
	for _, w := range fields(file) {
		words[w] = true
	}

	return words
}

// alternative is one side of what excludes one another.
type alternative map[string]bool

func (a alternative) in(words []string) bool {
	for _, w := range words {
		if a[w] {
			return true
		}
	}

	return false
}

func groups(file string) [][]alternative {
	var list [][]alternative

	for _, line := range lines(file) {
		var group []alternative
		for side := range strings.SplitSeq(line, "|") {
			group = append(group, set(side))
		}
		list = append(list, group)
	}

	return list
}

// contradicts reports whether a text has a word whose opposite the other text has in its place. What both deny may be
// said by "may not" as well as by "shall not".
func contradicts(said, source []string, bothDeny bool) bool {
	for _, group := range opposites {
		for i, one := range group {
			// A statement that has both sides of a pair is about the difference itself.
			if !one.in(said) || one.in(source) || bothDeny && one.modal() {
				continue
			}

			for j, other := range group {
				if i != j && other.in(source) && !other.in(said) {
					return true
				}
			}
		}
	}

	return false
}

func (a alternative) modal() bool { return a["may"] || a["must"] }

// filler are words of three letters and more that say nothing by themselves.
var filler = set("the and for was were has had have are its his her their with that this from upon under such " +
	"each any all been will would shall may " +
	"must can who whom which what when where than then there these those also only both either into onto about " +
	"between does did being per one " +
	"calls called says said states stated names named provides provided tells told describes described mentions " +
	"mentioned according")

// content returns the stems of the words that say something, labels among them; negations and numbers are not.
func content(text string) map[string]bool {
	words := map[string]bool{}

	for _, w := range search.Words(text) {
		// Numbers and negations are judged elsewhere, and exactly.
		if len(w) < shortest || negations[w] || filler[w] || strings.ContainsAny(w, "0123456789") {
			continue
		}
		words[stem(w)] = true
	}

	return words
}

// stem returns what a word is compared as.
func stem(word string) string {
	if base := irregular[word]; base != "" {
		word = base
	}

	return search.Stem(word)
}

func forms(file string) map[string]string {
	base := map[string]string{}

	for _, line := range lines(file) {
		words := strings.Fields(line)
		for _, w := range words {
			base[w] = words[0]
		}
	}

	return base
}

const shortest = 3 // letters of a word that says something
