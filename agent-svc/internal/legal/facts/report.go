package facts

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Report is the day on which a text says that something was done: an order entered, a notice received, an agreement
// made effective. Periods run from such days.
type Report struct {
	Span           // of the clause
	Date  Date     // with its day, read in one way only
	Act   string   // one of the acts of words/acts.txt: "entry", "service", "receipt"
	Words []string // of the clause besides, in lower case
	Own   bool     // it says when the paper itself was made, as "ENTERED this 20th day of November" does
}

//go:embed words/acts.txt
var actWordsFile string

// actLists are the words of each act, by its name.
var actLists = sync.OnceValue(func() map[string]*wordList { return readWords(actWordsFile) })

// ActIn returns the act that words name first, or last, and what they say besides; "" when they name none.
func ActIn(words []string, last bool) (act string, rest []string) {
	found, length := -1, 0
	// "reached [Party 1]" is told as "reached them" is, so the lists have the pronoun alone.
	unnamed := slices.Clone(words)

	for i, w := range unnamed {
		if strings.HasPrefix(w, "[") {
			unnamed[i] = "them"
		}
	}

	// The order of a map is random. Place and length decide, so the result is not.
	for name, list := range actLists() {
		for at := range words {
			n := list.leading(unnamed[at:])
			// "the signed authorization" tells no signing.
			// "Served by personal delivery" tells how it was served, and no delivery besides.
			if n == 1 && describes(words, at) || onlyHow(words, at) {
				n = 0
			}

			switch {
			case n == 0, found == at && length >= n:
			case found < 0, last == (at > found), at == found:
				act, found, length = name, at, n
			}
		}
	}
	if found < 0 {
		return "", words
	}

	// Labels within the act say who it reached, and are kept with the rest.
	whom := slices.DeleteFunc(slices.Clone(words[found:found+length]), func(w string) bool {
		return !strings.HasPrefix(w, "[")
	})

	return act, slices.Concat(words[:found], whom, words[found+length:])
}

// onlyHow reports whether the noun at a word only says how something was served or given: "served by hand delivery".
func onlyHow(words []string, at int) bool {
	from := at
	for from > 0 && slices.Contains(manners, words[from-1]) {
		from--
	}
	if from == 0 || words[from-1] != "by" && words[from-1] != "via" {
		return false
	}
	act, _ := ActIn(words[:from-1], true)

	return act != "" && slices.Contains(manners, words[at])
}

// manners are words for how a paper reaches somebody.
var manners = []string{
	"personal", "hand", "certified", "registered", "first-class", "overnight", "courier", "electronic", "substituted",
	"service", "delivery", "mailing", "mail", "posting", "a", "the", "of", "and",
}

// describes reports whether the participle at a word only describes a thing: "the signed authorization".
func describes(words []string, at int) bool {
	if at == 0 || at+1 >= len(words) || !strings.HasSuffix(words[at], "ed") {
		return false
	}
	if !slices.Contains(determiners, words[at-1]) && words[at-1] != "fully" && words[at-1] != "duly" {
		return false
	}

	return !slices.Contains(joints, words[at+1]) && !strings.HasPrefix(words[at+1], "[")
}

// joints are words behind a participle that is a verb.
var joints = []string{
	"on", "upon", "by", "of", "to", "in", "at", "with", "from", "for", "as", "this", "and", "or", "the", "a", "an",
	"and/or",
}

const (
	actWordsReach = 14  // words to either side of a day in which its act is looked for
	mostReports   = 500 // of one text
)

// Reports returns the days on which a text says that something was done. What shall, may or did not happen is none.
func Reports(text string, dates []Date) []Report {
	var list []Report

	for i, d := range dates {
		if d.Day == 0 || d.Ambiguous || len(list) == mostReports {
			continue
		}
		clause := clauseOf(text, d.Span)
		from, to := clause.Start, clause.End
		// Each date has the words that stand between its neighbours.
		if i > 0 && dates[i-1].End > from {
			from = min(dates[i-1].End, d.Start)
		}
		if i+1 < len(dates) && dates[i+1].Start < to {
			to = max(dates[i+1].Start, d.End)
		}
		left, right := plainWords(text[from:d.Start]), plainWords(text[d.End:to])
		if r, ok := reportOf(left, right, introduced(text[from:d.Start])); ok {
			r.Span, r.Date = clause, d
			// The subject of a second verb stands before the first date: "the decree was signed on May 3 and entered on
			// May 7".
			if from > clause.Start {
				lead := plainWords(withoutDates(text[clause.Start:from]))
				r.Words = slices.Concat(lead, r.Words)
				r.Own = ownPaper(lead) || r.Own && !slices.ContainsFunc(lead, tellsWhat)
			}
			list = append(list, r)
		}
	}

	return list
}

// reportOf reads the act of a day from the words before it, or from those behind it where it stands at the head of
// its clause.
func reportOf(left, right []string, tagged bool) (Report, bool) {
	// "the order dated May 3 is vacated" tells of its making, whatever follows; so only the words before the day count.
	near := left[max(0, len(left)-actWordsReach):]
	// One word of what is yet to be makes the act one that nobody has reported.
	if slices.ContainsFunc(near, unreported) || orders(near) {
		return Report{}, false
	}
	act, rest := ActIn(near, true)
	if act != "" && (tagged || joinsDay(near)) {
		rest = slices.Concat(left[:len(left)-len(near)], rest)
		own := !slices.ContainsFunc(rest, tellsWhat) || handsOver(act) && !slices.ContainsFunc(rest, tellsMore)

		return Report{Act: act, Words: rest, Own: own || ownPaper(rest)}, true
	}
	behind := right[:min(len(right), actWordsReach)]
	// Words behind the day count only where it stands at the head of its clause.
	if act != "" || len(left) > 2 || slices.ContainsFunc(behind, unreported) || orders(behind) {
		return Report{}, false
	}
	if len(left) > 0 && left[len(left)-1] != "on" {
		return Report{}, false
	}
	if act, rest = ActIn(behind, false); act == "" {
		return Report{}, false
	}

	return Report{Act: act, Words: rest, Own: ownPaper(rest)}, true
}

// unreported reports whether a word makes its clause one of what did not happen, or is yet to.
func unreported(word string) bool {
	switch word {
	case "shall", "must", "may", "might", "will", "would", "should", "if", "unless", "not", "never", "whether":
		return true
	}

	return false
}

// joinsDay reports whether the last words before a day let it be the day of what they tell.
func joinsDay(words []string) bool {
	// Only joining words may part the act from the day, and few of them.
	for n := len(words) - 1; n >= max(0, len(words)-4); n-- {
		switch words[n] {
		case "on", "of", "as", "the", "this", "day", "date", "is", "was", "at", "and", "about", "or":
		default:
			if n+1 < len(words) && (words[n+1] == "on" || words[n+1] == "this") {
				return true
			}
			act, _ := ActIn(words[max(0, n-1):n+1], true)

			return act != ""
		}
	}

	return true
}

// tellsWhat reports whether a word says what was done or to whom: it is none of those that only join.
func tellsWhat(word string) bool {
	switch word {
	case "on", "of", "as", "the", "this", "day", "date", "is", "was", "were", "at", "and", "in", "so", "a", "an", "by",
		"it", "ordered", "done", "dated", "signed", "entered", "open", "court", "chambers", "and/or", "nunc", "pro",
		"tunc":
		return false
	}

	return len(word) > 1 && (word[0] < '0' || word[0] > '9')
}

// ownPaper reports whether words say only of the paper in which they stand what was done: "this order was", "the within
// notice is hereby". A paper "amended by this order" is another one.
func ownPaper(words []string) bool {
	for i, w := range words[:max(0, len(words)-1)] {
		if !pointing(w) || !daysLexicon()[madePapers].phrases[words[i+1]] {
			continue
		}

		// "this order, which amends the order entered on" tells of another paper, though it names itself.
		return !slices.ContainsFunc(slices.Concat(words[:i], words[i+2:]), tellsMore)
	}

	return false
}

// tellsMore reports whether a word beside "this order" may be another subject or another verb than its making. Who
// hands it over or gets it, and how, is no other paper.
func tellsMore(word string) bool {
	if strings.HasPrefix(word, "[") || strings.HasSuffix(word, "]") || HandsOver(word) {
		return false
	}

	return tellsWhat(word) && !slices.Contains(helpers, word) && !slices.Contains(stresses, word)
}

// ownerless takes the ending of an owner off a word: "employer's".
func ownerless(word string) string {
	for _, ending := range [...]string{"'s", "’s", "'", "’"} {
		if rest, ok := strings.CutSuffix(word, ending); ok {
			return rest
		}
	}

	return word
}

// HandsOver reports whether a word says who hands a paper over or gets it, or how.
func HandsOver(word string) bool { return daysLexicon()[wayWords].phrases[ownerless(word)] }

const wayWords = "way"

// handsOver reports whether an act brings a paper to somebody: its service, receipt and the like.
func handsOver(act string) bool {
	return slices.Contains([]string{"service", "mailing", "receipt", "knowledge", "notice"}, act)
}

// NamesMeeting reports whether words name a day to appear that nobody calls a hearing: a trial, a conference, a
// deposition.
func NamesMeeting(words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return daysLexicon()[meetingWords].phrases[w] })
}

const meetingWords = "meeting"

// NamesAnotherPaper reports whether words name a paper other than one called noun.
func NamesAnotherPaper(words []string, noun string) bool {
	papers := daysLexicon()[madePapers].phrases

	return slices.ContainsFunc(words, func(w string) bool { return w != noun && papers[w] })
}

func pointing(word string) bool { return word == "this" || word == "within" || word == "foregoing" }

// told reports whether a period counted from a day of its own sentence only tells when something happened, "ten days
// after May 3 [Party 2] changed the locks": the words outside of its event have a verb in the past, and order and
// promise nothing.
func (d *Deadline) told(text string) bool {
	if d.Period == 0 || d.from.End != 0 {
		return false
	}
	clause := clauseOf(text, d.Span)
	before := text[min(clause.Start, d.Start):d.Start]
	if introduced(before) {
		return false
	}
	words := plainWords(withoutDates(clause.In(text)))
	if orders(words) || slices.ContainsFunc(words, stillHolds) {
		return false
	}
	dates := Dates(d.Event.In(text))
	// The event itself has a verb in the past: "after the tenant received the notice".
	words = d.outsideEvent(text, clause, dates)
	if promises(words) {
		return false
	}

	if len(dates) == 0 {
		// Without a day the subject decides: "filed 21 days after the brief" is due, "he moved 21 days after it" is
		// told.
		return subjectAndPast(words)
	}

	return slices.ContainsFunc(words, inThePast) || pastVerb(words)
}

// measured finds the words before a period that only measure a time by it: "the fees paid in the" twelve months before.
var measured = regexp.MustCompile(`(?i)\b(?:in|during|for|over|throughout|of|covering)\s+(?:the|any|each|such)\s+` +
	`(?:(?:entire|whole|last|immediate|immediately|calendar|full)\s+)*(?:period of\s+)?$`)

// measuring finds the words of a clause that measure a sum or a cap by a period, whatever else it orders; counted right
// before such a period the words of what is added up in it.
var (
	measuring = regexp.MustCompile(`(?i)\b(?:exceed\w*|liab\w+|capped|limited to|equal to|average|multiplied|` +
		`aggregate)\b`)
	counted = regexp.MustCompile(`(?i)\b(?:paid|payable|received|incurred|earned|accrued|invoiced|billed|charged|` +
		`fees|sales|revenues?|turnover|salary|wages)\s+(?:[\w\[\]]+\s+){0,6}$`)
)

const measureReach = 60 // bytes before a period in which these words stand

// measures reports whether a period back from an event measures something, such as the fees of a year, and runs for
// nobody.
func (d *Deadline) measures(text string) bool {
	before := text[max(0, d.Set.End-measureReach):d.Set.End]
	if foldedPrefix(text, d.Set.End, "the ") {
		before += "the " // the number is read from its article on
	}
	at := measured.FindStringIndex(before)
	// Only a period that runs back can be the time over which something is added up.
	if !d.Before || at == nil {
		return false
	}
	clause := clauseOf(text, d.Span).In(text)
	if !orders(plainWords(clause)) {
		return true
	}
	// Nobody adds up fees over days or hours: a short period is one to act in.
	long := d.Unit == "month" || d.Unit == "year"

	return long && (measuring.MatchString(clause) || counted.MatchString(before[:at[0]]))
}

// outsideEvent returns the words of a clause without those of the event, up to its day where it names one.
func (d *Deadline) outsideEvent(text string, clause Span, dates []Date) []string {
	start, end := max(clause.Start, d.Event.Start), d.Event.End
	if len(dates) > 0 {
		end = d.Event.Start + dates[0].End
	}
	// The event was read with another reach than the clause, and may lie outside of it.
	if start > clause.End || end < start {
		return plainWords(withoutDates(clause.In(text)))
	}
	before := plainWords(withoutDates(text[clause.Start:start]))

	return slices.Concat(before, plainWords(withoutDates(text[end:max(end, clause.End)])))
}

// promises reports whether words hold a promise, a grant or an order, or may: a verb of one, "that", or an infinitive.
func promises(words []string) bool {
	promise := daysLexicon()[promiseWords]

	for i, w := range words {
		if w == "that" || promise.phrases[w] {
			return true
		}
		// Before a determiner or a label "to" says whither; before another word it begins an infinitive.
		if w == "to" && i+1 < len(words) && !strings.HasPrefix(words[i+1], "[") &&
			!slices.Contains(determiners, words[i+1]) {
			return true
		}
	}

	return false
}

const promiseWords = "promise"

// subjectAndPast reports whether a label or a pronoun stands right before a verb in the past.
func subjectAndPast(words []string) bool {
	for i, w := range words[min(1, len(words)):] {
		if acts(words[i]) && (inThePast(w) || pastVerb([]string{w})) {
			return true
		}
	}

	return false
}

// withoutDates puts blanks in place of the dates of a text: "May" is no verb.
func withoutDates(text string) string {
	b := []byte(text)
	for _, d := range Dates(text) {
		for i := d.Start; i < d.End; i++ {
			b[i] = ' '
		}
	}

	return string(b)
}

// acts reports whether a word of a clause stands for somebody: a pronoun, or the end of a label.
func acts(word string) bool {
	return slices.Contains([]string{"he", "she", "they", "it", "we", "i"}, word) || strings.HasSuffix(word, "]")
}

// inThePast reports whether a word is a verb in the past without the ending of one.
func inThePast(word string) bool { return daysLexicon()[pastWords].phrases[word] }

const pastWords = "past"

// stillHolds reports whether a word says that its clause speaks of what is, or is to be.
func stillHolds(word string) bool {
	return daysLexicon()[presentWords].phrases[word]
}

const presentWords = "present"

// pastVerb reports whether a word with the ending of the past stands where a verb does: behind a label, a noun or a
// pronoun, and not behind a form of "be" in the present.
func pastVerb(words []string) bool {
	before := ""
	for i, w := range words {
		// Behind these the word only describes: "as agreed", "the named plaintiff".
		named := slices.Contains([]string{"as", "the", "a", "any"}, before)
		before = w
		if w == "moved" && i+1 < len(words) && slices.Contains([]string{"out", "in", "into"}, words[i+1]) {
			return true // out of a home, and no hearing to another day
		}
		if named || len(w) <= len("ed")+1 || !strings.HasSuffix(w, "ed") || daysLexicon()[fixingWords].phrases[w] {
			continue
		}

		return true
	}

	return false
}
