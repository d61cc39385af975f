package facts

import (
	"regexp"
	"slices"
	"strings"
)

// clauseOf returns the clause of a date: its sentence, or its entry of a list or table.
func clauseOf(text string, d Span) Span {
	s := Span{sentenceStart(text, d.Start, clauseReach), sentenceEnd(text, d.End, clauseReach)}
	for i := d.Start; i > s.Start; i-- {
		if text[i-1] == '\n' && entryBreak(text, i) {
			s.Start = i
			break
		}
	}

	for i := d.End; i < s.End; i++ {
		if i > 0 && text[i-1] == '\n' && entryBreak(text, i) {
			s.End = i
			break
		}
	}

	// Rows of CSV have no marks at their ends that a sentence would have, so the line is the clause.
	if row := lineOf(text, d.Start); d.End <= row.End && edged(text, d) {
		s = Span{max(s.Start, row.Start), min(s.End, row.End)}
	}

	return trim(text, s)
}

// entryBreak reports whether the line at byte i begins an entry of its own: an item of a list, a row, or a line
// behind one that has ended.
func entryBreak(text string, i int) bool {
	at := i
	for at < len(text) && (text[at] == ' ' || text[at] == '\t') {
		at++
	}
	if at == len(text) {
		return false
	}
	if text[at] == '|' || pointAt(text, i) || lettered(text, at) || rowBreak(text, i) {
		return true
	}

	// Without a mark of its own the line begins an entry only where the one before it has ended.
	end := i - 1
	for end > 0 && isSpace(text[end-1]) {
		end--
	}
	if end == 0 {
		return true
	}
	// A line that goes on in small letters is a wrapped sentence.
	if !isUpper(text[at]) && !isDigit(text[at]) {
		return false
	}
	if tagged(text, at) {
		return true
	}
	c := text[end-1]

	return endsEntry(c) || end > 1 && isUpper(c) && isUpper(text[end-2])
}

// endsEntry reports whether a byte can be the last one of an entry, so that the next line begins another.
func endsEntry(c byte) bool { return strings.IndexByte(".;:)|]", c) >= 0 || isDigit(c) }

const longestTag = 90 // bytes of what stands before the colon of an entry

// tagged reports whether the line at byte i names a thing and then, behind a colon, says something of it.
func tagged(text string, i int) bool {
	line := text[i:min(len(text), i+longestTag)]
	if at := strings.IndexByte(line, '\n'); at >= 0 {
		line = line[:at]
	}

	return strings.Contains(line, ": ")
}

// lettered reports whether an item such as "A. " or "iv. " begins at byte i.
func lettered(text string, i int) bool {
	end := wordAt(text, i)
	if end == i || end+1 >= len(text) || text[end] != '.' || text[end+1] != ' ' {
		return false
	}

	return end == i+1 || strings.Trim(text[i:end], "ivxIVX") == ""
}

// introduced reports whether what stands before a date names a thing and then only parts it from its day: "Reply
// brief: ", "| Trial | ".
func introduced(before string) bool {
	// Leaders of dots and dashes part what from when in schedules that were typed.
	trimmed := strings.TrimRight(before, " \t\n")
	for _, mark := range [...]string{":", "|", "..", "–", "—", "-"} {
		if strings.HasSuffix(trimmed, mark) {
			return true
		}
	}

	return false
}

const jointReach = 40 // bytes between two days of a list

// joinedDays reports whether only what joins the days of a list stands between two dates.
func joinedDays(between string) bool {
	if len(between) > jointReach {
		return false
	}

	switch strings.Join(plainWords(between), " ") {
	case "", "and", "or", "to", "through", "and on", "then", "und", "et", "y":
		return true
	}

	return false
}

var (
	placeForm = regexp.MustCompile(`\b(?:` + rooms + `)\s(?:No\.\s)?[0-9A-Z][0-9A-Za-z-]*`)
	rooms     = `Courtroom|Hearing Room|Room|Department|Dept\.|Part|Chambers|Floor|Suite|` +
		`Saal|Sitzungssaal|Raum|Salle|Sala`

	dayNames = regexp.MustCompile(`(?i)\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b,?|` +
		`\b(?:` + germanDays + `|` + frenchDays + `)\b,?`)
	germanDays = `montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend`
	frenchDays = `lundi|mardi|mercredi|jeudi|vendredi|samedi`
)

// Signs without which a text needs not be looked at for a room or the name of a day: that saves most of the work.
var (
	placeSigns = [...]string{"oom", "Dep", "Part ", "Chambers", "aal", "Raum", "Sal", "Floor", "Suite"}
	daySigns   = [...]string{
		"day",
		"DAY",
		"Day",
		"tag",
		"TAG",
		"abend",
		"woch",
		"undi",
		"ardi",
		"redi",
		"eudi",
		"amedi",
	}
)

func hasSign(text string, signs []string) bool {
	return slices.ContainsFunc(signs, func(s string) bool { return strings.Contains(text, s) })
}

func placeNear(text string, within Span) Span {
	if within.Start >= within.End || !hasSign(within.In(text), placeSigns[:]) {
		return Span{}
	}
	at := placeForm.FindStringIndex(within.In(text))
	if at == nil {
		return Span{}
	}

	return Span{within.Start + at[0], within.Start + at[1]}
}

// tailOf returns the last words before a date, without the weekday, the time of day and the article that may stand
// between.
func tailOf(before string) []string {
	// Only the last few words matter. Cutting first keeps the work small in a clause of any length.
	before = withoutClocks(before[max(0, len(before)-160):])
	if hasSign(before, daySigns[:]) {
		before = dayNames.ReplaceAllString(before, " ")
	}

	words := plainWords(before)
	for len(words) > 1 {
		switch last := words[len(words)-1]; {
		case last == "the", last == "den", last == "dem", last == "des", last == "le":
		case last == "on" && daysLexicon()[lastDayWords].ends(words[:len(words)-1]): // "by 4.00pm on"
		case last == "of" && words[len(words)-2] == "week":
			words = words[:len(words)-1]
		default:
			return words[max(0, len(words)-tailWords):]
		}
		words = words[:len(words)-1]
	}

	return words
}

// madeOn returns the day on which a paper says that it was made: the last that words say it of, else the only one that
// stands on a line of its own at the head or the foot, as that of a letter does. ok is false when it names none.
func madeOn(text string, dates []Date) (made Date, ok bool) {
	alone := 0

	// The day of making usually stands at the foot, beside the signature, so the last one that fits is the best.
	for _, d := range slices.Backward(dates) {
		if d.Day == 0 || d.Ambiguous {
			continue
		}

		line := d.Start
		for line > 0 && d.Start-line < clauseReach && text[line-1] != '\n' {
			line--
		}
		// A line of more words is no mention of when a paper was made, so the rest of it is not read. That matters in
		// texts with one day after another.
		words, few := fewPlainWords(text[line:d.Start], mostMadeWords)
		if few && saysMade(words) {
			return d, true
		}
		// A lone day in the middle of a paper is more likely one that the paper tells of.
		edge := d.Start < headBytes || len(text)-d.End < footBytes
		if edge && few && len(words) <= mostPlaceWords && endsLine(text, d.End) {
			made, alone = d, alone+1
		}
	}

	return made, alone == 1
}

// saysMade reports whether the words of a line before a day say that the paper was made on it: the line begins with
// them, "IT IS SO ORDERED this", "Dated:", or says it of the paper, "this order was entered on".
func saysMade(words []string) bool {
	act, rest := ActIn(words, true)
	n := len(words)

	switch {
	case n == 0 || unsaidOf(words):
		return false
	// Other acts, such as service, are not the making even where they stand on the paper.
	case act == "making", act == "entry":
		if !joinsDay(words) {
			return false
		}
	case words[n-1] == "date":
	default:
		return act == "" && n > 1 && words[n-2] == "day" && words[n-1] == "of"
	}

	return ownPaper(rest) || !slices.ContainsFunc(rest, tellsWhat)
}

func unsaidOf(words []string) bool { return slices.ContainsFunc(words, unsaid) }

// endsLine reports whether nothing but marks stands between byte i and the end of its line.
func endsLine(text string, i int) bool {
	line, _, _ := strings.Cut(text[i:], "\n")
	return strings.Trim(line, " .,;*_\t\r") == ""
}

const (
	mostMadeWords = 8 // of a line before the day on which the paper was made

	mostPlaceWords = 2 // before the day of a letter: "Lyon, le"
	headBytes      = 600
	footBytes      = 300
)
