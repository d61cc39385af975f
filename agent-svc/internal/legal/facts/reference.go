package facts

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Reference points back to what was cited before: "Id. at 5", or "Alder, supra, at 12".
type Reference struct {
	Span
	Supra bool // else "Id." or "Ibid."
	Pin   Span // the pages or paragraphs that it points to; empty when it gives none
	Name  Span // of "supra": the name before it; empty when none stands there
}

// References returns the references of a text in their order. A "supra" that points to a part, section, note or page of
// the text itself is none.
func References(text string) []Reference {
	var list []Reference
	for _, word := range [...]string{"Id.", "id.", "Ibid.", "upra"} {
		for from := 0; len(list) < mostOfAKind; {
			at := strings.Index(text[from:], word)
			if at < 0 {
				break
			}
			at += from
			from = at + len(word)
			if word[0] == 'u' {
				// "upra" finds both cases of the word at once.
				if at--; at < 0 || text[at]|0x20 != 's' {
					continue
				}
			}
			if wordBefore(text, at) || wordGoesOn(text, from) || at > 0 && text[at-1] == '.' {
				continue
			}
			r := Reference{Span: Span{at, from}, Supra: word[0] == 'u'}
			if r.Supra && !r.bind(text) {
				continue
			}
			if !r.Supra && from < len(text) && !behindReference(text[from]) {
				continue
			}
			r.Pin = r.pinned(text)
			list = append(list, r)
		}
	}
	// The words were looked for one after the other.
	slices.SortFunc(list, func(a, b Reference) int { return a.Start - b.Start })

	return list
}

// behindReference reports whether a byte can follow "Id.", which else begins something longer, such as "Id.No".
func behindReference(c byte) bool {
	return c >= utf8.RuneSelf || isSpace(c) || strings.IndexByte(",;)]\"'*", c) >= 0
}

// bind reads the name before "supra". It reports whether the reference is one to an authority.
func (r *Reference) bind(text string) bool {
	behind, ok := blanks(text, r.End)
	if ok && behind < len(text) {
		word := strings.ToLower(text[behind:wordAt(text, behind)])
		// These point to a part of the text itself: "supra Part II".
		switch word {
		case "part", "parts", "section", "sections", "note", "notes", "p", "pp", "page", "pages", "ch", "chapter":
			return false
		}
		if strings.HasPrefix(text[behind:], "§") || strings.HasPrefix(text[behind:], "¶") {
			return false
		}
	}
	end := backBlanks(text, r.Start)

	start := end
	for start > 0 && end-start < 40 && !isSpace(text[start-1]) && strings.IndexByte(";()[]", text[start-1]) < 0 {
		start--
	}
	word := text[start:end]
	if !canName(word) {
		return isUpper(text[r.Start]) || word != "" && !isUpper(word[0]) && word != "see"
	}
	if isDigit(word[0]) || romanNumber(word) {
		// A number before the word is that of a part of the text: "Section 4, supra".
		return false
	}
	r.Name = Span{start, end}

	return true
}

// canName reports whether the word before "supra" can name an authority, or number a part of the text.
func canName(word string) bool {
	return word != "" && word != "See" && (isUpper(word[0]) || isDigit(word[0]))
}

// romanNumber reports whether a word is a short number in Roman capitals.
func romanNumber(word string) bool { return len(word) < 6 && strings.Trim(word, "IVX") == "" }

// pinned reads the pages behind a reference.
func (r *Reference) pinned(text string) Span {
	at := r.End
	if at < len(text) && text[at] == ',' {
		at++
	}
	at, ok := blanks(text, at)
	if !ok {
		return Span{}
	}

	switch {
	case strings.HasPrefix(text[at:], "at "):
		at += len("at ")
	case strings.HasPrefix(text[at:], "¶"), strings.HasPrefix(text[at:], "§"):
	default:
		return Span{}
	}

	return pinAt(text, at)
}

const longestName = 140 // bytes of the name of a case

// NameBefore returns the name of the case that stands before a citation, as "Alder v. Birch" or "In re Cedar"; empty
// when none does.
func NameBefore(text string, c Citation) Span {
	if c.Kind != CaseLaw || c.Parallel {
		return Span{}
	}
	floor := max(0, c.Start-longestName)
	end := backBlanks(text, c.Start)
	if end == c.Start || end <= floor || !strings.Contains(text[end:c.Start], ",") {
		return Span{}
	}
	// A docket number may stand between the name and a citation of a database.
	if at := strings.LastIndex(text[floor:end], ", No. "); at >= 0 && !strings.Contains(text[floor+at:end], " v. ") {
		end = floor + at
	}
	window := text[floor:end]
	versus := strings.LastIndex(window, " v. ")
	if at := strings.LastIndex(window, " vs. "); at > versus {
		versus = at
	}

	// The form that stands nearer to the citation is the name.
	for _, head := range [...]string{"In re ", "Ex parte ", "Matter of "} {
		if at := strings.LastIndex(window, head); at > versus && !broken(window[at:]) {
			return Span{floor + at, end}
		}
	}
	if versus < 0 || broken(window[versus+len(" v. "):]) {
		return Span{}
	}
	start := partyBefore(text, floor, floor+versus)
	if start == floor+versus {
		return Span{}
	}

	return Span{start, end}
}

// broken reports whether a name cannot go on through s, since something ends within it.
func broken(s string) bool { return strings.ContainsAny(s, ";()\f") || strings.Contains(s, "\n\n") }

// partyBefore walks back from byte end over the words of a party's name: those with a capital, labels, and small words
// between them.
func partyBefore(text string, floor, end int) int {
	start := end
	for at := end; at > floor; {
		stop := at
		for stop > floor && isSpace(text[stop-1]) {
			stop--
		}
		// An empty line ends whatever stood before.
		if at-stop > 1 && strings.Count(text[stop:at], "\n") > 1 {
			break
		}
		from := stop
		if from > floor && text[from-1] == ']' {
			open := strings.LastIndexByte(text[floor:from], '[')
			// A bracket that nothing opens belongs to no label.
			if open < 0 {
				break
			}
			from = floor + open
		} else {
			for from > floor && !isSpace(text[from-1]) && strings.IndexByte("();[]“\"", text[from-1]) < 0 {
				from--
			}
		}
		if from == stop {
			break
		}
		word := text[from:stop]
		if signal(word) || endsBeforeName(word, start < end) {
			break
		}

		switch {
		case isUpper(word[0]) || word[0] == '[' || isDigit(word[0]) || word == "&":
			start = from
		case word == "of", word == "the", word == "and", word == "for", word == "de", word == "la", word == "rel.",
			word == "ex", word == "on", word == "behalf", word == "van", word == "von":
		// A word in small letters is the sentence around the name.
		default:
			return start
		}
		at = from
	}

	return start
}

// signal reports whether a word introduces a citation.
func signal(word string) bool {
	switch strings.TrimRight(word, ",.") {
	case "See", "Accord", "But", "Cf", "Compare", "In", "E.g", "Contra", "Under", "With", "And", "Quoting", "Citing",
		"Both":
		return true
	}

	return false
}

// endsBeforeName reports whether something ends with a word that stands before the name of a party. inside says that
// words of the name were found behind it already: only then does its full stop count as one of a sentence.
func endsBeforeName(word string, inside bool) bool {
	switch word[len(word)-1] {
	case ';', ':':
		return true
	case '.':
		return inside && endsSentence(word)
	}

	return false
}

// endsSentence reports whether a word with a full stop is more than an abbreviation.
func endsSentence(word string) bool {
	return len(word) > 5 && !stopOfAbbreviation(word, len(word)-1) && !strings.ContainsAny(word[:len(word)-1], ".'’")
}

// SameCase reports whether two names, as NameBefore returns them, can be those of one case, however they are
// abbreviated: each side of the one shares the beginning of a word with that side of the other.
func SameCase(a, b string) bool {
	a1, a2 := parties(a)
	b1, b2 := parties(b)

	return alike(a1, b1) && alike(a2, b2)
}

// NamesParty reports whether a short name, as it stands before "supra", is that of a party of a case.
func NamesParty(name, short string) bool {
	first, second := parties(name)
	words := nameWords(short)

	return len(words) > 0 && (alike(first, words) || alike(second, words))
}

func parties(name string) (first, second []string) {
	before, after, found := strings.Cut(strings.Replace(name, " vs. ", " v. ", 1), " v. ")
	if !found {
		return nil, nameWords(before)
	}

	return nameWords(before), nameWords(after)
}

// nameWords returns the words of a party by which it can be told.
func nameWords(name string) []string {
	// The party has two words in full and one when abbreviated, which would share no beginning.
	name = strings.ReplaceAll(strings.ToLower(name), "united states", "u.s.")
	var words []string

	for len(name) > 0 {
		if name[0] == '[' {
			if label, rest, ok := strings.Cut(name, "]"); ok {
				words, name = append(words, label+"]"), rest
				continue
			}
		}
		end := strings.IndexAny(name, " \n[")
		if end < 0 {
			end = len(name)
		}

		word := strings.Trim(name[:end], ".,'’\"“”()")
		switch word {
		case "", "inc", "corp", "co", "ltd", "llc", "l.l.c", "lp", "the", "of", "and", "&", "in", "re", "ex", "parte",
			"rel", "matter", "v", "vs", "et", "al":
		default:
			words = append(words, word)
		}
		name = name[end:]
		if end == 0 || len(name) > 0 && name[0] != '[' {
			name = name[1:]
		}
	}

	return words
}

// alike reports whether two parties share a word or the beginning of one, or neither has any.
func alike(a, b []string) bool {
	if len(a) == 0 || len(b) == 0 {
		return len(a) == len(b)
	}

	for _, x := range a {
		for _, y := range b {
			// Reporters abbreviate names, so their beginnings are compared. Labels share theirs anyway: they must be
			// equal.
			if x == y || x[0] != '[' && y[0] != '[' && sharedStart(x, y) >= 3 {
				return true
			}
		}
	}

	return false
}

func sharedStart(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}

	return n
}

// HasParagraphs reports whether the authority of a key is cited by paragraphs, as decisions with neutral citations are.
func HasParagraphs(key string) bool {
	year, rest, ok := strings.Cut(strings.ReplaceAll(key, "-", " "), " ")
	return ok && len(year) == 4 && !strings.HasPrefix(rest, "wl") && !strings.Contains(rest, "lexis")
}
