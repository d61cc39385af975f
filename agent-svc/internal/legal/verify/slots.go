package verify

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
	"github.com/subrosa-legal/subrosa/pkg/search"
)

// token is one word, number, day or actor of a text, in the form in which two texts are laid beside each other.
type token struct {
	form string
	kind tokenKind
	stem string // of a plain word, whose form is cut
}

type tokenKind int

// Kinds of tokens. A relation is a word such as "before" or "unless", which changes what a sentence says of the rest.
const (
	plainToken tokenKind = iota
	figureToken
	actorToken
	relationToken
	unitToken
)

// units are what figures count, and for what a sum is paid.
var units = set("hour hours day days week weeks month months quarter quarters year years monthly weekly yearly " +
	"annually " +
	"quarterly percent mph kph feet miles")

// narrowing are the relations that change a statement which has none.
var narrowing = set("before after until unless only outside below above except despite since")

// sameRelation has the form in which relations meet that say the same.
var sameRelation = map[string]string{"without": "unless", "till": "until", "every": "each", "either": "each"}

// same reports whether two tokens are one: a word with the same beginning, or one that lawyers use for it.
func (t token) same(other token) bool {
	if t.kind != other.kind {
		return false
	}

	return t.form == other.form || t.kind == plainToken && search.Synonymous(t.stem, other.stem)
}

// has reports whether a list holds a token.
func has(list []token, t token) bool { return slices.ContainsFunc(list, t.same) }

// relations are small words by which one sentence says another thing than a second one of the same words.
var relations = set("before after until till from since if unless only outside within above below under over without " +
	"despite except at through every each either both")

// joints are words that say nothing in their place.
var joints = set("a an the of to in for on by and or as it is are was were be been being has have had do does " +
	"did that " +
	"this these those its his her their any such with which who whom shall must will may can than then there so also " +
	"about up out into upon per due")

var slotForm = regexp.MustCompile(`\[\p{Lu}\p{L}+(?: \p{L}+)* \d{1,4}\]|[\p{L}]+(?:[-'’][\p{L}]+)*|\d+(?:[,.]\d+)*`)

// tokens cuts a text into what is compared place by place. Callers do not change the list, which is kept.
func (k *knowledge) tokens(text string) []token {
	list, ok := k.cut[text]
	if !ok {
		list = slices.Clip(k.cutUp(text))
		k.cut[text] = list
	}

	return list
}

func (k *knowledge) cutUp(text string) []token {
	var list []token
	dates := facts.Dates(text)

	for _, at := range slotForm.FindAllStringIndex(text, -1) {
		if n := slices.IndexFunc(dates, func(d facts.Date) bool { return at[0] < d.End && d.Start < at[1] }); n >= 0 {
			// A date is one figure, at the place of its first word.
			if at[0] <= dates[n].Start {
				list = append(list, token{form: dates[n].String(), kind: figureToken})
			}

			continue
		}

		for _, word := range parts(text[at[0]:at[1]]) {
			t, ok := k.token(word)
			if ok && (len(list) == 0 || !list[len(list)-1].same(t)) { // "thirty (30)" is one number
				list = append(list, t)
			}
		}
	}

	return list
}

// parts cuts "one-year" into its words; a label stays whole.
func parts(word string) []string {
	if _, number := facts.NumberWord(strings.ToLower(word)); number || word[0] == '[' {
		return []string{word}
	}

	return strings.Split(word, "-")
}

func (k *knowledge) token(word string) (token, bool) {
	if word[0] == '[' {
		return token{form: word, kind: actorToken}, true
	}

	lower := strings.ToLower(word)
	for _, ending := range [...]string{"'s", "’s"} {
		lower = strings.TrimSuffix(lower, ending)
	}
	// Negations are compared as a whole, since their place differs between wordings.
	if lower == "" || joints[lower] || negations[lower] {
		return token{}, false
	}
	if isDigit(lower[0]) {
		digits := strings.ReplaceAll(lower, ",", "")
		// $5,000.00 and $5,000 are one figure.
		return token{form: strings.TrimSuffix(digits, ".00"), kind: figureToken}, true
	}
	if n, ok := facts.NumberWord(lower); ok {
		return token{form: strconv.Itoa(n), kind: figureToken}, true
	}
	if singular := strings.TrimSuffix(lower, "s"); roles[lower] || roles[singular] {
		if !roles[lower] {
			lower = singular
		}
		if label := k.called(lower); label != "" {
			lower = label
		}

		return token{form: lower, kind: actorToken}, true
	}

	switch same, ok := sameRelation[lower]; {
	case ok:
		return token{form: same, kind: relationToken}, true
	case relations[lower]:
		return token{form: lower, kind: relationToken}, true
	case units[lower]:
		return token{form: stem(lower), kind: unitToken}, true
	}
	whole := stem(lower)
	form := token{form: whole[:min(len(whole), sameLetters)], kind: plainToken, stem: whole}

	return form, len(lower) >= shortest
}

// sameLetters are those by which forms of a word are taken for the same: "contributes" and "contribution".
const sameLetters = 7

// slipped reports whether a sentence has, in a place of the statement that it rests on, another word than that has: its
// own actor, number, day or relation, or a word that the passage does not have. What the two say in the same places
// agrees; a sentence that leaves things out, or says them in another order, is none.
func (k *knowledge) slipped(words string, cited []*evidence) bool {
	if k.otherPaper(words, cited) {
		return true
	}

	told := hasAny(search.Words(words), reports)

	for _, sentence := range fullStops.Split(attributed(words), -1) {
		if source, ok := k.nearest(sentence, cited); ok && k.otherWay(sentence, source.whole) {
			return true
		}
		list := k.predicates(sentence)
		if k.plainless(sentence) {
			// A sentence of labels and numbers alone has no clauses to cut at.
			list = []string{sentence} // "[Minor 1] is nine and [Minor 2] is six"
		}

		for _, part := range list {
			source, ok := k.nearest(part, cited)
			if ok && (k.slippedFrom(part, source.text, source.whole) || k.strays(part, source, told)) {
				return true
			}
		}
	}

	return false
}

// nearest is like, but that figures and labels say nothing of how near a statement is; of those that are as near it
// takes the one with the most of the sentence's figures. "4. Rent." is no statement on which a sum rests.
func (k *knowledge) nearest(words string, cited []*evidence) (best statement, ok bool) {
	plainly := withoutRelations(number.ReplaceAllString(withoutLabels(withoutDates(words)), " "))
	if k.plainless(words) {
		return k.sharing(words, cited)
	}
	if best, ok = like(plainly, cited); !ok {
		return best, false
	}
	said, most, held := content(plainly), shared(content(plainly), best.words), -1
	figures := slices.DeleteFunc(slices.Clone(k.tokens(words)), func(t token) bool { return t.kind != figureToken })

	for _, e := range cited {
		for _, s := range e.statements() {
			if shared(said, s.words) < most {
				continue
			}
			// Among the nearest, the one with the sentence's own figures is what it rests on.
			if n := len(shareOf(figures, k.tokens(s.whole), figureToken)); n > held {
				best, held = s, n
			}
		}
	}

	return best, true
}

// plainless reports whether a sentence has nothing but actors, figures and small words.
func (k *knowledge) plainless(words string) bool {
	return !slices.ContainsFunc(k.tokens(words), func(t token) bool { return t.kind == plainToken })
}

// sharing returns the statement with the most of the figures and actors of a sentence that says little else: "[Minor 1]
// is nine and [Minor 2] is six". ok is false when none has two of them.
func (k *knowledge) sharing(words string, cited []*evidence) (best statement, ok bool) {
	said := k.tokens(words)
	most := 1

	for _, e := range cited {
		for _, s := range e.statements() {
			stated := k.tokens(s.whole)
			n := len(shareOf(said, stated, figureToken)) + len(shareOf(said, stated, actorToken))
			if n > most {
				best, most = s, n
			}
		}
	}

	return best, most > 1
}

// predicates cuts a sentence into its clauses, and each at an "and" behind which somebody else acts.
func (k *knowledge) predicates(sentence string) []string {
	var list []string

	for _, part := range clauses.Split(sentence, -1) {
		from := 0

		for _, at := range andThen.FindAllStringIndex(part, -1) {
			next := wordForm.FindString(part[at[1]:])
			if strings.HasPrefix(part[at[1]:], "[") || roles[strings.ToLower(next)] {
				list, from = append(list, part[from:at[0]]), at[1]
			}
		}
		list = append(list, part[from:])
	}

	return list
}

var andThen = regexp.MustCompile(`(?i)\sand\s(?:the\s)?`)

// withoutRelations leaves out the small words by which two statements of the same thing differ.
func withoutRelations(text string) string {
	return wordForm.ReplaceAllStringFunc(text, func(word string) string {
		if relations[strings.ToLower(word)] {
			return ""
		}

		return word
	})
}

func withoutDates(text string) string {
	b := []byte(text)
	for _, d := range facts.Dates(text) {
		for i := d.Start; i < d.End; i++ {
			b[i] = ' '
		}
	}

	return string(b)
}

// slippedFrom lays a sentence beside a statement and looks at what stands between the words that they share.
func (k *knowledge) slippedFrom(words, source, whole string) bool {
	source, whole = entryNumber.ReplaceAllString(source, ""), entryNumber.ReplaceAllString(whole, "")
	said, stated := k.tokens(conditional(words)), k.tokens(conditional(source))
	if all := k.tokens(conditional(whole)); len(all) <= mostAligned {
		stated = all
	}
	// The alignment takes the product of both lengths.
	if len(said) > mostAligned || len(stated) > mostAligned || len(stated) <= leastAligned {
		return false
	}
	if strange(said, stated) || reordered(said, stated) || k.foreignFigure(said, stated) {
		return true
	}
	free := k.tokens(k.computed.folded) // what may stand in any place
	if passive(words) != passive(whole) {
		free = append(free, shareOf(said, stated, actorToken)...) // who acts stands elsewhere, see misplaced
	}
	i, j := 0, 0

	// Between two words that both share, what stands in the gap must agree as well.
	for _, m := range append(common(said, stated), [2]int{len(said), len(stated)}) {
		own, other := said[i:m[0]], stated[j:m[1]]
		if slices.ContainsFunc(own, func(t token) bool { return narrowing[t.form] && !has(stated, t) }) {
			return true
		}
		if n, o := len(own), len(other); n > 0 && o > 0 {
			behind := i > 0 && unlike(own[0], other[0], said, stated) && !has(free, own[0])
			ahead := m[0] < len(said) && unlike(own[n-1], other[o-1], said, stated) && !has(free, own[n-1])
			if behind || ahead {
				return true
			}
		}
		i, j = m[0]+1, m[1]+1
	}

	return false
}

// names reports whether a token is a word for something, be it a unit.
func (t token) names() bool { return t.kind == plainToken || t.kind == unitToken }

// entryNumber is that of a paragraph, at its head.
var entryNumber = regexp.MustCompile(`^\s*\(?\d+(?:\.\d+)*[.)]?\s`)

// strange reports whether a sentence names an actor of whom its statement does not speak, though that names others.
func strange(said, stated []token) bool {
	others := slices.ContainsFunc(stated, func(t token) bool { return t.kind == actorToken })

	return others && slices.ContainsFunc(said, func(t token) bool {
		return t.kind == actorToken && !has(stated, t)
	})
}

// foreignFigure reports whether a sentence has a figure that neither its statement nor a computed result has: it is one
// of another statement.
func (k *knowledge) foreignFigure(said, stated []token) bool {
	computed := k.tokens(k.computed.folded)

	return slices.ContainsFunc(said, func(t token) bool {
		return t.kind == figureToken && !has(stated, t) && !has(computed, t)
	})
}

// reordered reports whether a sentence has the figures of its statement in another order, and the words in the same.
func reordered(said, stated []token) bool {
	figures, other := shareOf(said, stated, figureToken), shareOf(stated, said, figureToken)
	if len(figures) < 2 || slices.EqualFunc(figures, other, token.same) {
		return false
	}
	words, order := shareOf(said, stated, plainToken), shareOf(stated, said, plainToken)

	return slices.EqualFunc(words, order, token.same)
}

// shareOf returns the tokens of a kind that another list has too, in their order.
func shareOf(list, other []token, kind tokenKind) []token {
	return slices.DeleteFunc(slices.Clone(list), func(t token) bool {
		return t.kind != kind || !has(other, t)
	})
}

const (
	mostAligned  = 120 // tokens of a text that is laid beside another
	leastAligned = 2   // up to which a text is a heading
)

// unlike reports whether a token of a sentence, in the place that another one has in the statement, says something
// else. A plain word does only if neither text has the word of the other one anywhere.
func unlike(own, other token, said, stated []token) bool {
	if own.kind == other.kind && own.kind != plainToken {
		return true
	}
	if !own.names() || !other.names() {
		return false
	}

	stands := func(list []token, t token) bool {
		return slices.ContainsFunc(list, func(o token) bool { return o.kind == t.kind && o.form == t.form })
	}

	return !stands(stated, own) && !stands(said, other)
}

// common returns the places of a longest common sequence of two lists, in order.
func common(a, b []token) [][2]int {
	length := make([][]int, len(a)+1)
	for i := range length {
		length[i] = make([]int, len(b)+1)
	}

	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i].same(b[j]) {
				length[i][j] = length[i+1][j+1] + 1
			} else {
				length[i][j] = max(length[i+1][j], length[i][j+1])
			}
		}
	}
	var pairs [][2]int

	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i].same(b[j]):
			pairs = append(pairs, [2]int{i, j})
			i, j = i+1, j+1
		case length[i+1][j] >= length[i][j+1]:
			i++
		default:
			j++
		}
	}

	return pairs
}

// paper finds what a sentence says which paper it tells of.
var paper = regexp.MustCompile(`(?i)\b(?:the|under the|in the|according to the) ([a-z]+(?: [a-z]+)?),? ` +
	`(?:says?|states?|provides?|requires?|tells?|that)\b`)

// otherPaper reports whether a sentence names a paper as its source that its passages do not name.
func (k *knowledge) otherPaper(words string, cited []*evidence) bool {
	m := paper.FindStringSubmatch(words)
	if m == nil {
		return false
	}

	// Every telling word of the paper's name must stand in a passage or in the name of its file.
	return slices.ContainsFunc(search.Words(m[1]), func(w string) bool {
		return len(w) >= shortest && !filler[w] && !anyOf(cited, func(e *evidence) bool { return e.words()[stem(w)] })
	})
}
