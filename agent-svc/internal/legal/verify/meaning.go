package verify

import (
	"regexp"
	"slices"
	"strings"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
	"github.com/subrosa-legal/subrosa/pkg/search"
)

const (
	likeShare = 0.6 // of the words of a sentence that the sentence of a passage has, from which it says the same thing
	likeWords = 3   // that it must share besides, or all it has
	scope     = 4   // words behind a negation that it denies
)

// statement is a sentence of a passage, or a clause of one, with its words.
type statement struct {
	text   string
	words  map[string]bool
	list   []string        // the words in their order
	whole  string          // the sentence that it stands in
	before string          // the sentence before that
	around map[string]bool // the words that say something in whole and before
	parts  bool            // it has clauses, which are statements too
	given  []figure        // made when they are asked for, see figures
	read   bool            // they were
}

var clauses = regexp.MustCompile(`(?i);|\|\s+\||,\s+(?:and|but|while|whereas|provided that|except that|or)\s|\s(?:but|` +
	`whereas|while)\s`)

// statements cuts a passage into its sentences and their clauses, once.
func (e *evidence) statements() []statement {
	if e.stated != nil {
		return e.stated
	}
	before := ""

	for _, whole := range sentencesOf(e.folded) {
		e.stated = append(e.stated, newStatement(whole, whole, before))

		if parts := clauses.Split(whole, -1); len(parts) > 1 {
			e.stated[len(e.stated)-1].parts = true

			for _, part := range parts {
				e.stated = append(e.stated, newStatement(part, whole, before))
			}
		}
		before = whole
	}

	return e.stated
}

// lateStop ends a sentence behind a sum, a decimal or an hour, which may also be the number of a part.
var lateStop = regexp.MustCompile(`(?:\d[.,]\d+|\d{3,}|\d[ap]m)\.\s+(?:\p{Lu}\p{Ll}|\d+\. \p{Lu}|\[)`)

// sentencesOf cuts a passage into its sentences, and those at full stops behind sums.
func sentencesOf(text string) []string {
	var list []string
	spans, _ := facts.Sentences(text)

	for _, s := range spans {
		rest := s.In(text)
		for _, at := range lateStop.FindAllStringIndex(rest, -1) {
			from := len(s.In(text)) - len(rest)
			stop := at[0] + strings.Index(s.In(text)[at[0]:], ". ") + 1
			// Two matches may overlap in one number.
			if stop <= from {
				continue
			}
			list = append(list, s.In(text)[from:stop])
			rest = strings.TrimSpace(s.In(text)[stop:])
		}
		list = append(list, rest)
	}

	return list
}

func newStatement(text, whole, before string) statement {
	return statement{
		text: text, words: content(text), list: search.Words(text), whole: whole, before: before,
		around: content(before + " " + whole),
	}
}

// like returns the statement of the passages that says most nearly what words say, the shortest of those that are as
// near; ok is false when none is near.
func like(words string, cited []*evidence) (best statement, ok bool) {
	said := content(words)
	most := 0

	for _, e := range cited {
		for w := range content(e.name) {
			// A sentence may say which paper it tells of, and the passage need not.
			delete(said, w)
		}
	}

	for _, e := range cited {
		for _, s := range e.statements() {
			n := shared(said, s.words)
			// Of equals the shorter says less besides, and is what the sentence rests on.
			if n > most || n == most && n > 0 && len(s.words) < len(best.words) {
				best, most = s, n
			}
		}
	}

	return best, near(most, len(said))
}

// near reports whether so many words in common are enough of a sentence with so many.
func near(most, all int) bool {
	return most > 0 && most >= min(likeWords, all) && float64(most) >= likeShare*float64(all)
}

func shared(said, source map[string]bool) int {
	n := 0

	for w := range said {
		if source[w] {
			n++
		}
	}

	return n
}

// meaning compares what a sentence says with the statements of its passages that are most like it, as a whole or
// clause by clause: a negation or an opposite that one of the two has and the other has not, and parties that have
// changed places. It is a comparison of words, and errs on the side of removing. It returns false where a sentence is
// so much in words of its own that nothing could be compared.
func (k *knowledge) meaning(words string, cited []*evidence, add func(Kind, string)) bool {
	// Who is said to have said it is not part of what is compared.
	words = attributed(words)
	if source, ok := like(words, cited); ok {
		return k.compare(words, source, add) && !novel(words, cited)
	}
	parts := clauses.Split(words, -1)
	compared := len(parts) > 1

	for _, part := range parts {
		source, ok := like(part, cited)
		if !ok || !k.compare(part, source, add) {
			compared = false
		}
	}

	return compared && !novel(words, cited)
}

const (
	novelWords = 2 // that stand in no passage, from which a sentence says something of its own
	fewWords   = 3 // of a sentence in which one of them is enough
)

// novel reports whether a sentence has words that no passage that it cites has.
func novel(words string, cited []*evidence) bool {
	said := content(words)
	missing := 0

	for w := range said {
		if !anyOf(cited, func(e *evidence) bool { return e.words()[w] }) {
			missing++
		}
	}

	return missing >= novelWords || missing > 0 && len(said) <= fewWords
}

// words returns the stems of all that a text says, once, with those of the name of its file.
func (e *evidence) words() map[string]bool {
	if e.said == nil {
		e.said = content(e.folded + " " + e.name)
	}

	return e.said
}

var attribution = regexp.MustCompile(`(?i)^\s*(?:according to [^,]{1,80},\s|(?:the |a |an )?\S+(?: \d+\])? ` +
	`(?:alleges?|claims?|says?|states?|pleads?|contends?|asserts?|argues?|provides?|requires?) that\s|` +
	`in (?:the|its|their|his|her) [^,]{1,60},\s)`)

// attributed returns what somebody is said to have said, without who it was.
func attributed(words string) string {
	if m := attribution.FindStringIndex(words); m != nil && len(content(words[m[1]:])) > 0 {
		return words[m[1]:]
	}

	return words
}

// compare holds a sentence against the statement that is most like it. It returns false where the two differ in no
// more than the word "only" before a condition, by which one says more than the other but not its opposite.
func (k *knowledge) compare(words string, source statement, add func(Kind, string)) bool {
	moved := k.misplaced(words, source)
	if hasAny(search.Words(words), conditions) { // else it has lost the condition of what it permits
		words, source.text = withCondition(words), withCondition(source.text)
	}
	alike := !opposed(words, source, conditional)
	only := onlyIf.MatchString(words) != onlyIf.MatchString(source.text)
	// With "only" in one of the two, one says more than the other, but not its opposite.
	half := !alike && only && !opposed(words, source, unconditional)
	if !alike && !half {
		add(Negation, "")
	}
	if moved {
		add(Role, "")
	}

	return !half
}

// opposed reports whether a sentence and a statement differ in a negation, an opposite or the side of a bound, each
// of them in the wording that plain gives it.
func opposed(words string, source statement, plain func(string) string) bool {
	said := newStatement(plain(words), words, "")
	stated := search.Words(plain(source.text))
	both := map[string]bool{}

	for w := range said.words {
		if source.words[w] {
			both[w] = true
		}
	}
	denied, sourceDenied := denials(said.list, both), denials(stated, both)
	// A negation that the whole statement lacks is the model's own.
	alone := negated(said.list) && !negated(search.Words(plain(source.whole)))

	if denied != sourceDenied || alone {
		return true
	}

	return contradicts(said.list, stated, denied > 0) || outOfBounds(said.list, stated)
}

// Phrases that have a negation or an opposite in them, and say what another phrase says without.
var (
	atMost = regexp.MustCompile(`(?i)\b(?:(?:no|not|never|neither|without) (?:more|longer|greater|higher|later) than|` +
		`(?:not|never|cannot) (?:to )?exceed(?:ing)?)\b`)
	atLeast = regexp.MustCompile(`(?i)\b(?:no|not|never) (?:less|fewer|lower|smaller|shorter|earlier|sooner) than\b`)
	upTo    = regexp.MustCompile(`(?i)\bup to ([$€£]?\d)`)
	byThen  = regexp.MustCompile(
		`(?i)\b(?:no|not) (later|earlier) than ([^.;|]{1,40}?) (before|after|following|prior to)\b`,
	)
	onlyIf = regexp.MustCompile(`(?i)\bonly (if|when|with|after|upon)\b`)
	notBut = regexp.MustCompile(
		`(?i)\b(?:(may|shall|must|can|will) not|(can)not)\b([^.;]{1,120}?)\b(without|unless)\b`,
	)
	capped  = regexp.MustCompile(`(?i)\b(?:capped at|limited to)\b`)
	notMore = regexp.MustCompile(`(?i)\b(?:neither \p{L}+ is|(?:is|are) not) liable for more than\b`)
	nonForm = regexp.MustCompile(`(?i)\bnon-(\p{L}+)`)
)

// plain puts one wording in the place of several that say the same: "no more than" is "at most", and "no later than
// ten days before" is "at least ten days before".
func plain(words string) string {
	words = notMore.ReplaceAllString(words, "is liable for at most")
	words = capped.ReplaceAllString(words, "at most")
	words = nonForm.ReplaceAllString(words, "not $1")
	words = byThen.ReplaceAllStringFunc(words, byThenPlain)
	words = atMost.ReplaceAllString(words, "at most")
	words = atLeast.ReplaceAllString(words, "at least")

	return upTo.ReplaceAllString(words, "at most $1")
}

// withCondition says of what may not be done without a thing that it may be done only with it.
func withCondition(words string) string { return notBut.ReplaceAllStringFunc(words, notButPlain) }

// notButPlain says "may do only with" of what may not be done without.
func notButPlain(phrase string) string {
	m := notBut.FindStringSubmatch(phrase)
	if strings.EqualFold(m[4], "unless") {
		return "may" + m[3] + "only if"
	}

	return "may" + m[3] + "only with"
}

// byThenPlain says "at least" or "at most" of a period that something must come no later or earlier than.
func byThenPlain(phrase string) string {
	m := byThen.FindStringSubmatch(phrase)
	behind := strings.EqualFold(m[3], "after") || strings.EqualFold(m[3], "following")
	if strings.EqualFold(m[1], "later") == behind {
		return "at most " + m[2] + " " + m[3]
	}

	return "at least " + m[2] + " " + m[3]
}

// conditional is plain, and says that what may be done only if something is may not be done without it.
func conditional(words string) string { return onlyIf.ReplaceAllString(plain(words), "not without") }

// unconditional is plain without the "only" of a condition.
func unconditional(words string) string { return onlyIf.ReplaceAllString(plain(words), "$1") }

// auxiliaries begin a predicate of their own behind "and".
var auxiliaries = set("is are was were be has have had shall must may will can does did")

func negated(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return negations[w] })
}

// denials counts the negations that deny one of the words that two texts have in common.
func denials(words []string, both map[string]bool) int {
	n := 0

	for i, w := range words {
		if !negations[w] {
			continue
		}
		left := scope

		for at, next := range words[i+1:] {
			if left == 0 || next == "and" && i+at+2 < len(words) && auxiliaries[words[i+at+2]] {
				// A second predicate begins: "earns no interest and is returned" denies nothing of what is returned.
				break
			}
			if len(next) < shortest || filler[next] || negations[next] {
				continue
			}
			if both[stem(next)] {
				n++
				break
			}
			left--
		}
	}

	return n
}

var fullStops = regexp.MustCompile(`[.!?]["”)]*\s+`)

// misbound returns the numbers of a sentence that its passages have only beside something else: no sentence with the
// number says nearly as much of what the sentence says as another one without it.
func (k *knowledge) misbound(words string, cited []*evidence) []string {
	var list []string

	for _, sentence := range fullStops.Split(words, -1) {
		for _, part := range clauses.Split(sentence, -1) {
			list = append(list, k.misboundIn(part, cited)...)
		}
	}

	return list
}

func (k *knowledge) misboundIn(words string, cited []*evidence) []string {
	said := content(number.ReplaceAllString(words, " "))
	if len(said) == 0 {
		return nil
	}
	var list []string

	for _, n := range numbers(withoutLabels(words)) {
		// A computed result may stand beside anything, since code has borne it out.
		if k.computed.numbers[n] {
			continue
		}
		with, without, stands := 0, 0, false

		for _, e := range cited {
			for _, s := range e.statements() {
				near := shared(said, s.around)
				if k.counts(s.whole, n) {
					with, stands = max(with, near), true
				} else {
					without = max(without, shared(said, s.words))
				}
			}
		}
		// The factor leaves room for a sentence that joins two statements.
		if stands && 2*with < without {
			list = append(list, n)
		}
	}

	return list
}

// doubtful reports whether a sentence gives a figure that stands only in statements which say less of what the sentence
// says than another one with another figure of the same kind: it may have taken the figure of something else.
func (k *knowledge) doubtful(words string, cited []*evidence) bool {
	for _, sentence := range fullStops.Split(words, -1) {
		for _, part := range clauses.Split(sentence, -1) {
			if k.doubtfulIn(part, cited) {
				return true
			}
		}
	}

	return false
}

func (k *knowledge) doubtfulIn(words string, cited []*evidence) bool {
	said := content(number.ReplaceAllString(words, " "))
	computed := figures(k.computed.folded)

	for _, f := range figures(withoutLabels(words)) {
		if slices.Contains(computed, f) {
			continue
		}
		with, without := 0, 0

		for _, e := range cited {
			for i := range e.statements() {
				s := &e.stated[i]
				list := s.figures()
				// The clauses of a sentence are statements too, and tell more closely what a figure belongs to.
				if s.parts || len(list) == 0 {
					continue
				}
				if slices.Contains(list, f) || k.counts(s.text, f.digits) {
					with = max(with, shared(said, s.words))
				} else if slices.ContainsFunc(list, func(o figure) bool { return o.kind == f.kind }) {
					without = max(without, shared(said, s.words))
				}
			}
		}
		if with < without {
			return true
		}
	}

	return false
}

// counts reports whether a text has a number, in digits or in words before a unit: "thirty-six months". A text is read
// once.
func (k *knowledge) counts(text, n string) bool {
	// The same statements are asked about for each number of each sentence.
	have, ok := k.counted[text]
	if !ok {
		have = map[string]bool{}
		for _, n := range numbers(text) {
			have[n] = true
		}

		for _, c := range countsIn(text) {
			number, _, _ := strings.Cut(c.key, " ")
			have[number] = true
		}
		k.counted[text] = have
	}

	return have[n]
}

func withoutLabels(words string) string {
	b := []byte(words)
	for _, l := range facts.Labels(words) {
		for i := l.Start; i < l.End; i++ {
			b[i] = ' '
		}
	}

	return strings.ToValidUTF8(string(b), " ")
}
