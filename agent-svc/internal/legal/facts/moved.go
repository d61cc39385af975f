package facts

import "slices"

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
	case lists[insteadWords].ends(r.tail), r.leftBehind(), r.traded():
		return true
	case r.kept():
		return false
	case lists[onceWords].ends(r.tail), r.wasOnce():
		return r.goesOn()
	}

	return r.cancelled()
}

// leftBehind reports whether the day is the one from which something is moved: "continued from May 3, 2027 to May 10".
func (r *reading) leftBehind() bool {
	n := len(r.tail)
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
	between := r.left[at+n:]

	return !orders(between) && !slices.ContainsFunc(between, participle)
}

// goesOn reports whether the words behind the day give another one: they say that it is now so, and a day follows, or
// say that it was moved.
func (r *reading) goesOn() bool {
	if r.cancelled() {
		return true
	}
	at, _ := daysLexicon()[nowWords].last(r.right)

	return r.more && at >= 0
}

// cancelled reports whether the words right behind the day say that it no longer counts. A name for it may stand
// between, "the December 14 deadline for reports is vacated", or its hour and room.
func (r *reading) cancelled() bool {
	if len(r.lead) < 2 && len(r.tail) > 0 && r.tail[len(r.tail)-1] == "on" {
		return false // "On May 3, 2027 the hearing was continued": the day on which it was
	}
	lists := daysLexicon()

	for at := 0; at <= min(movedReach, len(r.right)-1); at++ {
		rest := r.right[at:]
		if slices.Contains([]string{"may", "might", "can", "could", "would", "not", "if", "unless", "only"}, rest[0]) {
			return false // what may be is not so yet
		}
		if lists[movedWords].begins(rest) {
			return true
		}
		if n := passive(rest); n > 0 {
			return lists[cancellingWords].begins(rest[n:]) && !r.sameDay(rest[n:])
		}
		if at > 0 && slices.Contains([]string{"the", "a", "an"}, rest[0]) && r.begins(rest[1:]) {
			return false // another day's hearing: "... until May 4. The hearing is vacated"
		}
	}

	return false
}

// sameDay reports whether only the hour of the day is changed: "is moved to 2:00 p.m.", and no other day follows.
func (r *reading) sameDay(words []string) bool {
	behind := Span{r.date.End, r.clause.End}

	return !r.more && daysLexicon()[movedToWords].begins(words) && firstClock(behind.In(r.text)) != nil
}

// begins reports whether words begin with the name of a hearing or of a paper.
func (r *reading) begins(words []string) bool {
	return daysLexicon()[hearingWords].begins(words) || daysLexicon()[thingWords].begins(words)
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
