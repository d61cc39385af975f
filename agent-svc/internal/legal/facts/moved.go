package facts

import (
	"slices"
	"strings"
)

// Sections of the list of words that tell of a day which no longer counts.
const (
	cancellingWords = "cancelling"
	insteadWords    = "instead"
	onceWords       = "once"
	wasToWords      = "was to"
	nowWords        = "now"
	keptWords       = "kept"
	movingWords     = "moving"
	movedToWords    = "moved to"
)

const movedReach = 7 // words between a day and the verb that says that it no longer counts

// gone reports whether the text says that the day no longer counts: another one has taken its place, or none has.
func (r *reading) gone() bool {
	lists := daysLexicon()
	switch {
	// Marks and words of replacement are plainest, and outweigh what the rest of the clause says.
	case r.struck(), lists[insteadWords].ends(r.tail), r.leftBehind(), r.traded():
		return true
	case r.kept():
		return false
	case lists[onceWords].ends(r.tail), r.wasOnce():
		return r.goesOn()
	}

	return r.cancelled()
}

// struck reports whether the day is struck out in Markdown: "~~May 3~~ extended to May 10".
func (r *reading) struck() bool {
	return strings.HasSuffix(r.text[:r.date.Start], "~~") && strings.HasPrefix(r.text[r.date.End:], "~~")
}

// leftBehind reports whether the day is the one from which something is moved: "continued from May 3, 2027 to May 10".
func (r *reading) leftBehind() bool {
	n := len(r.tail)
	// "from May 3 to May 10" is also how a stretch of days is written, so a verb of moving has to come before.
	if n == 0 || !slices.Contains([]string{"from", "von", "vom"}, r.tail[n-1]) || !r.aimsOn() {
		return false
	}
	done, _ := daysLexicon()[cancellingWords].last(r.lead)
	order, _ := daysLexicon()[movingWords].last(r.lead)

	return done >= 0 || order >= 0
}

// aimsOn reports whether the clause goes on from the day to the next one with "to" or "until".
func (r *reading) aimsOn() bool {
	words := r.right
	if n := len(words); r.more && n > 0 && words[n-1] == "on" {
		words = words[:n-1]
	}

	return r.more && daysLexicon()[aimingWords].ends(words)
}

// traded reports whether the day is one for which another is put: "substitute January 20, 2027 for December 18".
func (r *reading) traded() bool {
	return len(r.left) == 1 && r.left[0] == "for" && slices.ContainsFunc(r.lead, func(w string) bool {
		return w == "substitute" || w == "substituted" || w == "substituting"
	})
}

// kept reports whether the clause says that the day stands as it was fixed.
func (r *reading) kept() bool {
	at, _ := daysLexicon()[keptWords].last(r.right)
	return at >= 0
}

// wasOnce reports whether a verb in the past says what was to be on the day: "was to close on".
func (r *reading) wasOnce() bool {
	lists := daysLexicon()
	at, n := lists[wasToWords].last(r.left)
	if at < 0 || at+n+movedReach < len(r.left) {
		return false
	}
	// A verb between starts another clause: "was to close and was paid on".
	between := r.left[at+n:]

	return !orders(between) && !slices.ContainsFunc(between, participle)
}

// goesOn reports whether the words behind the day give the same thing another one: "shall be held on", "and is now set
// for", and a day follows. "And briefs are due" or "and will last until" does not.
func (r *reading) goesOn() bool {
	if r.cancelled() {
		return true
	}
	if !r.more || len(r.right) == 0 {
		return false
	}
	moves, _ := daysLexicon()[cancellingWords].last(r.right)
	moves = max(moves, slices.Index(r.right, "now"))

	words := r.right
	switch {
	case slices.Contains([]string{"and", "but"}, words[0]):
		words = words[1:]
		return moves >= 0 && daysLexicon()[nowWords].begins(words)
	case moves < 0 && slices.ContainsFunc(words, lasts):
		return false
	}

	return daysLexicon()[nowWords].begins(r.behindName())
}

// lasts reports whether a word says that something goes on to the next day, or orders another thing by it.
func lasts(word string) bool {
	return slices.Contains([]string{"last", "until", "through", "run", "and", "or"}, word)
}

// cancelled reports whether the words right behind the day say that it no longer counts. Only a name for it may stand
// between, "the December 14 deadline for reports is vacated", or its hour and room.
func (r *reading) cancelled() bool {
	// In "On May 3 the hearing was continued" the day is the one on which that was done.
	if len(r.lead) < 2 && len(r.tail) > 0 && r.tail[len(r.tail)-1] == "on" {
		return false // "On May 3, 2027 the hearing was continued": the day on which it was
	}
	rest := r.behindName()
	if len(rest) == 0 || denied(r.lead) {
		return false
	}

	lists := daysLexicon()
	if lists[movedWords].begins(rest) {
		return true
	}
	n := passive(rest)

	return n > 0 && lists[cancellingWords].begins(rest[n:]) && !r.sameDay(rest[n:])
}

// behindName returns the words behind the day from the first verb on, nothing when another thing than the day is its
// subject: "must be posted by May 3, 2027 or the stay is lifted".
func (r *reading) behindName() []string {
	// Only the name of the day, or its hour and room, may stand between it and the verb.
	for at := 0; at <= min(movedReach, len(r.right)-1); at++ {
		rest := r.right[at:]
		if passive(rest) > 0 || daysLexicon()[movedWords].begins(rest) || daysLexicon()[nowWords].begins(rest) {
			return rest
		}
		if slices.Contains(partings, rest[0]) || at == 0 && !r.dayNamed() {
			return nil
		}
		article := slices.Contains(articled, rest[0])
		if article && at > 0 && !slices.Contains(placing, r.right[at-1]) {
			return nil // another subject: "... until May 4. The hearing is vacated"
		}
	}

	return nil
}

// dayNamed reports whether a name of the day, or its room, stands right behind it.
func (r *reading) dayNamed() bool {
	between := strings.TrimLeft(r.text[r.date.End:max(r.date.End, r.clause.End)], " \t\n")
	if strings.HasPrefix(between, ";") {
		return false
	}
	if slices.Contains(placing, r.right[0]) {
		return true
	}
	named := slices.Contains(dayNouns, r.right[0]) || daysLexicon()[hearingWords].begins(r.right)

	return named && !strings.HasPrefix(between, ",")
}

// denied reports whether words speak of no day at all, "no hearing set for"; "no later than" and "No. 5" do not.
func denied(words []string) bool {
	for i, w := range words[:max(0, len(words)-1)] {
		// "no later than", "no longer" and "No. 5" deny nothing.
		next := words[i+1]
		if w == "no" && next != "later" && next != "longer" && !isDigit(next[0]) {
			return true
		}
	}

	return false
}

var (
	partings = []string{
		"and", "or", "when", "but", "which", "while", "may", "might", "can", "could", "would", "not", "if", "unless",
		"only", "no",
	}
	dayNouns = []string{"deadline", "deadlines", "date", "dates", "setting", "cutoff", "cut-off"}
	placing  = []string{"for", "of", "in", "at", "before", "to", "on"}
	articled = []string{"the", "a", "an"}
)

// sameDay reports whether only the hour of the day is changed: "is moved to 2:00 p.m.", and no other day follows.
func (r *reading) sameDay(words []string) bool {
	behind := Span{r.date.End, r.clause.End}

	return !r.more && daysLexicon()[movedToWords].begins(words) && firstClock(behind.In(r.text)) != nil
}

// newHour returns the hour to which the day's own is changed, "at 9:00 a.m. is moved to 2:00 p.m."; it is empty when
// none is.
func (r *reading) newHour() Span {
	// With another day in the clause, the hour may be that of the other one.
	if r.clock.End <= r.date.End || r.more {
		return Span{}
	}
	rest := r.behindName()
	if n := passive(rest); n == 0 || !daysLexicon()[movedToWords].begins(rest[n:]) {
		return Span{}
	}
	at := strings.LastIndex(r.text[r.clock.End:max(r.clock.End, r.clause.End)], " to ")
	if at < 0 {
		return Span{}
	}

	return clockAt(r.text, r.clock.End+at+len(" to "))
}

// passive returns how many words of a verb in the passive begin words, its adverbs included: "has been hereby".
func passive(words []string) int {
	n := 0
	for n < len(words) && slices.Contains(helpers, words[n]) {
		n++
	}
	if n == 0 {
		return 0
	}

	for n < len(words) && slices.Contains(stresses, words[n]) {
		n++
	}

	return n
}

var (
	helpers  = []string{"is", "are", "was", "were", "be", "has", "have", "been", "shall"}
	stresses = []string{"hereby", "now", "therefore", "accordingly", "also", "further"}
)
