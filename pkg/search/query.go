package search

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/search/kindred"
)

// query is what a caller asks for.
type query struct {
	groups  []group
	wants   kindOfAnswer
	phrases [][]string // words as written, in lower case
}

// group is one word of a query with its other forms; any of them answers it.
type group struct {
	forms    []form
	required bool // part of a phrase
	label    bool // one of the case, such as [Party 1]
	rarity   float64
	word     string // as the query has it, in lower case
}

// form is a stem and its weight.
type form struct {
	stem   string
	weight float64
	near   bool // only near in meaning to the word of the query
	own    bool // a word of the saying itself
}

// view is an index with the files that decide what a query means. Files beside them must not: from what a query finds
// in its own files a caller could tell what stands in others.
type view struct {
	*Index
	among   []bool // nil for all
	tongues []language
	count   float64 // passages of these files
	average float64 // words of one of them
}

// viewOf returns the view of an index from some files, nil for all. It takes a step for each file, not for each
// passage.
func (x *Index) viewOf(among []bool) view {
	v := view{Index: x, among: among, tongues: x.tongues, count: float64(len(x.entries)), average: x.average}
	if among == nil {
		return v
	}
	v.tongues, v.count = nil, 0
	words := 0

	for i, m := range x.measures {
		if !among[i] || m.passages == 0 {
			continue
		}
		if !slices.Contains(v.tongues, m.tongue) {
			v.tongues = append(v.tongues, m.tongue)
		}
		v.count += float64(m.passages)
		words += m.words
	}
	// Averages are of these files alone, since those of others would change the order of hits.
	v.average = float64(words) / max(1, v.count)

	return v
}

// frequency returns in how many passages of these files a term is.
func (x view) frequency(term uint32) float64 {
	list := x.postings[x.first[term]:x.first[term+1]]
	if x.among == nil {
		return float64(len(list))
	}
	n := 0

	for _, p := range list {
		if x.among[x.fileOf[p.passage]] {
			n++
		}
	}

	return float64(n)
}

// weightOf returns how much a term says that n passages of these files have: the fewer, the more.
func (x view) weightOf(n float64) float64 { return math.Log(1 + (x.count-n+0.5)/(n+0.5)) }

// holds reports whether a passage of these files has a stem.
func (x view) holds(stem string) bool {
	t, ok := x.terms[stem]
	if !ok || x.among == nil {
		return ok
	}

	return slices.ContainsFunc(x.postings[x.first[t]:x.first[t+1]], func(p posting) bool {
		return x.among[x.fileOf[p.passage]]
	})
}

// parse reads a query; broad tells whether everyday words and words near in meaning count. Words that say nothing are
// dropped, unless there are no others or they are quoted.
func (x view) parse(text string, broad bool) query {
	q := query{wants: wanted(text)}
	tongue := languageOf(text)
	// Words that say nothing are kept for a query that has no others.
	var empty []group
	seen := map[string]bool{}
	// Sayings go behind the query's own words, which say what they mean.
	var others []group
	quoted := false

	for piece := range strings.SplitSeq(straight(text[:min(len(text), MaxQuery)]), `"`) {
		var words []string
		eachToken(piece, func(_, _ int, word string) { words = append(words, word) })
		if quoted && len(words) > 0 {
			q.phrases = append(q.phrases, words)
		}

		for i := 0; i < len(words); i++ {
			word := words[i]
			if said, ok := sayingAt(words[i:]); ok && broad && !quoted && len(q.groups)+len(others) < MaxTerms {
				// Otherwise each word of the saying is looked for by itself.
				if g := sayingGroup(said); x.has(g) {
					others = append(others, g)
					i += len(said.words) - 1

					continue
				}
			}
			s := tongue.stem(word)
			if !quoted && tongue.stopWord(word) {
				empty = append(empty, group{forms: []form{{stem: s, weight: 1}}, required: true, word: word})
			} else if !seen[s] && len(q.groups) < MaxTerms {
				seen[s] = true
				q.groups = append(q.groups, x.group(word, s, quoted, broad))
			}
		}
		quoted = !quoted
	}
	q.groups = append(q.groups, slices.DeleteFunc(others, func(g group) bool {
		// A word of the query says it already.
		return slices.ContainsFunc(g.forms, func(f form) bool { return !f.own && seen[f.stem] })
	})...)
	if broad {
		x.widen(&q)
	}
	if len(q.groups) == 0 {
		for _, g := range empty[:min(len(empty), MaxTerms)] {
			if s := g.forms[0].stem; !seen[s] {
				seen[s] = true
				q.groups = append(q.groups, g)
			}
		}
	}

	return q
}

// straight turns all double quotes into plain ones, and drops one that has no partner.
func straight(text string) string {
	text = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`).Replace(strings.ToValidUTF8(text, " "))
	if strings.Count(text, `"`)%2 == 1 {
		last := strings.LastIndex(text, `"`)
		text = text[:last] + " " + text[last+1:]
	}

	return text
}

// group returns a word with its synonyms. A quoted word has none.
func (x view) group(word, s string, quoted, broad bool) group {
	g := group{forms: []form{{stem: s, weight: 1}}, required: quoted, label: isLabel(s), word: word}
	// A file in another language has other stems for the same word.
	for _, tongue := range x.tongues {
		if other := tongue.stem(word); other != s {
			g.forms = append(g.forms, form{stem: other, weight: 1})
		}
	}
	if !quoted {
		for _, other := range x.synonyms[s] {
			g.forms = append(g.forms, form{stem: other, weight: synonymShare})
		}
		g.forms = append(g.forms, x.compounds(word)...)
		if broad && !x.has(g) {
			g.forms = append(g.forms, x.everyday(word, s)...)
		}
		if broad && !x.has(g) {
			g.forms = append(g.forms, x.pieces(word)...)
		}
	}

	return g
}

// widen gives the first words that no passage has the words near to them in meaning, but for those that are another
// word of the query.
func (x view) widen(q *query) {
	own := map[string]bool{}

	for _, g := range q.groups {
		for _, f := range g.forms {
			own[f.stem] = own[f.stem] || f.weight == 1
		}
	}
	left := mostKindred

	for i := range q.groups {
		g := &q.groups[i]
		if left == 0 {
			break
		}
		if g.required || g.label || x.has(*g) {
			continue
		}
		left--
		g.forms = append(g.forms, slices.DeleteFunc(x.kindred(g.word), func(f form) bool { return own[f.stem] })...)
	}
}

// has reports whether a passage has a form of a word, and not only one that is near to it in meaning.
func (x view) has(g group) bool {
	return slices.ContainsFunc(g.forms, func(f form) bool { return !f.near && x.holds(f.stem) })
}

// everyday returns what papers may say for a word that no file has, nor a synonym of it: other words for the same
// thing, and in German files compounds with the same beginning, such as "Urlaubsanspruch" for "Urlaubstage".
func (x view) everyday(word, s string) []form {
	var list []form
	for _, other := range everydayTable()[s] {
		list = append(list, form{stem: other, weight: everydayShare})
	}
	if !slices.Contains(x.tongues, german) {
		return list
	}

	for _, other := range everydayTable()[german.stem(word)] {
		list = append(list, form{stem: other, weight: everydayShare})
	}
	begins := len(list)

	for term := range x.terms {
		if len(word) >= leastBeginning+compoundEnding && len(term) >= leastBeginning+compoundEnding &&
			strings.HasPrefix(term, word[:leastBeginning]) && x.holds(term) {
			list = append(list, form{stem: term, weight: everydayShare})
		}
	}
	// The order of a map differs each time, and the list is cut below.
	slices.SortFunc(list[begins:], func(a, b form) int { return strings.Compare(a.stem, b.stem) })

	return list[:min(len(list), begins+mostCompounds)]
}

// kindred returns the words of the files that are nearest in meaning to one that no file has, the nearest first.
func (x view) kindred(word string) []form {
	nearest := map[string]float64{}
	kindred.Each(word, leastNear, func(other string, n float64) {
		s := english.stem(other)
		if !english.stopWord(other) && x.holds(s) {
			nearest[s] = max(nearest[s], n)
		}
	})

	list := make([]form, 0, len(nearest))
	for s, n := range nearest {
		list = append(list, form{stem: s, weight: nearShare * n, near: true})
	}
	slices.SortFunc(list, func(a, b form) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), strings.Compare(a.stem, b.stem))
	})

	return list[:min(len(list), mostNear)]
}

// Search returns the passages that match the query best, best first; equal ones stand in the order of the files and
// of their text. A passage matches when it holds a word of the query that means something, or a form or synonym of
// it, and all quoted phrases word for word. A query of nothing but small words matches what holds them all.
func (x *Index) Search(text string, opt Options) []Hit {
	hits, _ := x.Find(text, opt)
	return hits
}

// Find is Search that reads the query once and returns besides the words of it that mean something and that no passage
// of opt.Among has in any form, nor a synonym of them, as they are written in lower case.
func (x *Index) Find(text string, opt Options) (hits []Hit, absent []string) {
	among := opt.Among
	if among == nil {
		among = opt.FileIDs
	}
	v := x.viewOf(x.wanted(among))
	q := v.parse(text, opt.Broad)

	return v.best(q, opt), v.absent(q)
}

func (x view) best(q query, opt Options) []Hit {
	limit := opt.Limit
	if limit <= 0 {
		limit = DefaultLimit
	}
	limit = min(limit, MaxLimit)
	var best []candidate

	r := newReader(q)
	for _, c := range x.candidates(q, x.wanted(opt.FileIDs)) {
		if r.look(x.entries[c.passage], &c) {
			best = append(best, c)
		}
		if len(best) == max(reranked, limit) {
			break
		}
	}
	slices.SortFunc(best, better)

	hits := make([]Hit, 0, min(limit, len(best)))
	for _, c := range best[:min(limit, len(best))] {
		e := x.entries[c.passage]
		f := x.files[e.file]
		hits = append(
			hits,
			Hit{
				FileID:      f.ID,
				TextVersion: f.TextVersion,
				Passage:     e.Passage,
				Score:       c.score,
				Matched:     c.matched,
				Near:        c.near,
				QuoteStart:  c.from,
				QuoteEnd:    c.to,
			},
		)
	}

	return hits
}

// wanted returns which files to search, nil for all.
func (x *Index) wanted(ids []string) []bool {
	if ids == nil {
		return nil
	}

	named := make(map[string]bool, len(ids))
	for _, id := range ids {
		named[id] = true
	}

	list := make([]bool, len(x.files))
	all := true

	for i, f := range x.files {
		list[i] = named[f.ID]
		all = all && list[i]
	}
	if all {
		return nil
	}

	return list
}

// candidate is a passage that may be a hit.
type candidate struct {
	passage uint32
	score   float64
	matched []string
	near    []string
	from    int // of the quote, in code points
	to      int
}

// better orders candidates.
func better(a, b candidate) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.passage, b.passage))
}

// candidates returns the passages that hold words of the query, best first.
func (x view) candidates(q query, wanted []bool) []candidate {
	score := make([]float64, len(x.entries))
	// One count of groups for each passage: MaxTerms fits.
	answered := make([]uint8, len(x.entries))
	required := make([]uint8, len(x.entries))
	// Whether a passage answers more than labels.
	topical := make([]bool, len(x.entries))
	mustHave := 0
	group := make([]float64, len(x.entries))
	aside := q.aside()
	var touched []uint32

	for i := range q.groups {
		g := &q.groups[i]
		said := x.frequencies(*g)
		g.rarity = x.weightOf(slices.Max(said))
		if g.required {
			mustHave++
		}

		touched = x.rate(*g, said, wanted, group, touched[:0])
		for _, p := range touched {
			if aside && g.label {
				group[p] *= labelShare
			} else {
				topical[p] = true
			}
			score[p] += group[p]
			group[p] = 0
			answered[p]++
			if g.required {
				required[p]++
			}
		}
	}
	var list []candidate

	for p := range score {
		if answered[p] == 0 || int(required[p]) < mustHave {
			continue
		}
		share := float64(answered[p]) / float64(len(q.groups))
		if !topical[p] {
			share, score[p] = 0, score[p]*bareLabelShare
		}
		list = append(list, candidate{passage: uint32(p), score: score[p] * (1 + share) / 2})
	}
	slices.SortFunc(list, better)

	return list
}

// aside reports whether the labels of a query stand beside words: then they say whom the words are about, and a passage
// that has the words comes before one that has the label alone.
func (q query) aside() bool {
	return slices.ContainsFunc(q.groups, func(g group) bool { return !g.label })
}

func (x view) absent(q query) []string {
	var list []string

	for _, g := range q.groups {
		if !g.label && !x.has(g) {
			list = append(list, g.word)
		}
	}

	return list
}

// frequencies returns in how many passages each form of a group is. A group says as much as its commonest form.
func (x view) frequencies(g group) []float64 {
	list := make([]float64, len(g.forms))

	for i, f := range g.forms {
		if t, ok := x.terms[f.stem]; ok {
			list[i] = x.frequency(t)
		}
	}

	return list
}

const (
	leastCompound  = 5   // bytes of a word that is looked for within longer ones
	compoundShare  = 0.5 // of the weight of the word itself
	mostCompounds  = 8
	compoundEnding = 4 // bytes that a longer word has besides, at least
	leastBeginning = 6 // bytes that two compounds have in common

	leastNear = 0.5  // nearness of a word that is near in meaning
	nearShare = 0.35 // of the weight of the word itself, times the nearness
	mostNear  = 4    // words that stand in the place of one

	mostKindred = 8 // words of a query that get any: each is compared with all words that are known
)

// compounds returns the longer words of German files that end with a word or begin with it: "Miete" in "Nettomiete",
// and "Deckung" in "Deckungszusage", of which the ending is no ending there.
func (x view) compounds(word string) []form {
	s, whole := german.stem(word), withoutUmlauts(word)
	if len(whole) < leastCompound || !slices.Contains(x.tongues, german) {
		return nil
	}
	var list []form

	for term := range x.terms {
		begins := strings.HasPrefix(term, whole) && len(term) >= len(whole)+compoundEnding
		if (begins || compounded(term, s)) && x.holds(term) {
			list = append(list, form{stem: term, weight: compoundShare})
		}
	}
	slices.SortFunc(list, func(a, b form) int { return strings.Compare(a.stem, b.stem) })

	return list[:min(len(list), mostCompounds)]
}

// pieces returns the words of German files of which a word is made up: "Frist" and "Kündigung" for "Kündigungsfrist".
func (x view) pieces(word string) []form {
	s := german.stem(word)
	if len(s) < leastCompound+compoundEnding || !slices.Contains(x.tongues, german) {
		return nil
	}
	var list []form

	for term := range x.terms {
		if compounded(s, term) && x.holds(term) {
			list = append(list, form{stem: term, weight: compoundShare})
		}
	}
	slices.SortFunc(list, func(a, b form) int { return strings.Compare(a.stem, b.stem) })

	return list[:min(len(list), mostCompounds)]
}

// compounded reports whether a longer word has a shorter one at its end, or at its beginning.
func compounded(longer, shorter string) bool {
	if len(shorter) < leastCompound || len(longer) < len(shorter)+compoundEnding {
		return false
	}

	return strings.HasSuffix(longer, shorter) || strings.HasPrefix(longer, shorter)
}

// rate writes, for each passage of the wanted files that answers a group, the score of the form that answers best, and
// returns these passages. said has in how many passages each form is.
func (x view) rate(g group, said []float64, wanted []bool, score []float64, touched []uint32) []uint32 {
	for i, f := range g.forms {
		t, ok := x.terms[f.stem]
		if !ok {
			continue
		}
		rarity := x.weightOf(said[i])

		for _, p := range x.postings[x.first[t]:x.first[t+1]] {
			if wanted != nil && !wanted[x.fileOf[p.passage]] {
				continue
			}
			count := float64(p.count) + headingBonus*float64(p.heading)
			length := 1 - lengthWeight + lengthWeight*float64(x.entries[p.passage].length)/x.average
			s := f.weight * rarity * count * (saturation + 1) / (count + saturation*length)
			if score[p.passage] == 0 {
				touched = append(touched, p.passage)
			}
			score[p.passage] = max(score[p.passage], s)
		}
	}

	return touched
}
