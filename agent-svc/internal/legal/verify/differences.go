package verify

import (
	"regexp"
	"slices"

	"github.com/subrosa-legal/subrosa/pkg/search"
)

// Kinds of small words by which a sentence says more or less than the statement of nearly the same words.
var (
	duties      = set("must shall required requires obliged obligated")
	permissions = set("may can allowed permitted entitled free")
	conditions  = set("unless except if only without until notice consent provided providing subject when after before " +
		"upon approval with")
	reports = set("allege alleges alleged allegedly alleging allegation allegations claims claimed contends " +
		"contended asserts " +
		"asserted argues argued believes believed according testified testifies complaint says said stated " +
		"states told " +
		"reported reports recalls recalled pleads pleaded denies denied complains")
	tellings   = set("alleges alleged allegedly contends asserts argues believes claims")
	wholesales = set("all every each always alone solely entirely twice automatically immediately whenever wherever " +
		"exclusively forever")
)

// payment begins what a statement says of when a sum is paid, which is no condition of the rest.
var payment = regexp.MustCompile(`(?i),\s+(?:paid|payable|due)\b`)

// strays reports whether a sentence goes beyond its statement by a small word, by who acts, or by one more thing.
// told says that the sentence is told as what somebody says.
func (k *knowledge) strays(words string, source statement, told bool) bool {
	said, stated := search.Words(withoutDates(words)), search.Words(withoutDates(source.text)) // May is a month
	whole := search.Words(withoutDates(source.whole))
	if otherModality(said, stated, whole) || otherJoint(said, whole) {
		return true
	}
	// When a sum is payable is no condition of what may be done.
	permitted := search.Words(payment.Split(source.whole, 2)[0])
	if hasAny(said, permissions) && hasAny(permitted, conditions) && !hasAny(said, conditions) {
		return true // what is permitted has lost its condition
	}
	if hasAny(whole, tellings) && !told {
		return true // what somebody alleges is told as a fact
	}

	return k.wholesale(said, whole) || k.longer(words, source.whole) || k.otherDoer(words, source.whole)
}

func hasAny(words []string, of map[string]bool) bool {
	return slices.ContainsFunc(words, func(w string) bool { return of[w] })
}

// otherModality reports whether a duty stands for a permission or the other way round.
func otherModality(said, stated, whole []string) bool {
	duty, permission := hasAny(said, duties), hasAny(said, permissions)
	switch {
	case duty && !permission && hasAny(stated, permissions):
		return !hasAny(whole, duties)
	// "may not" orders as "shall not" does, so a negation makes the two agree.
	case permission && !duty && hasAny(stated, duties) && !negated(said):
		return !hasAny(whole, permissions)
	}

	return false
}

// otherJoint reports whether a sentence has "and" where its statement has no more than "or", or the other way round.
func otherJoint(said, whole []string) bool {
	lone := func(list []string, own, other string) bool {
		return slices.Contains(list, own) && !slices.Contains(list, other)
	}

	return lone(said, "and", "or") && lone(whole, "or", "and") || lone(said, "or", "and") && lone(whole, "and", "or")
}

// wholesale reports whether a sentence says of all, or of every time, what its statement does not.
func (k *knowledge) wholesale(said, whole []string) bool {
	return slices.ContainsFunc(said, func(w string) bool {
		// Lawyers write "each" for it.
		if w == "every" {
			w = "each"
		}

		if w == "twice" && slices.Contains(whole, "two") {
			return false
		}

		return wholesales[w] && !slices.ContainsFunc(whole, func(o string) bool {
			return o == w || w == "each" && sameRelation[o] == w
		})
	})
}

var furtherItem = regexp.MustCompile(`(?i)(?:,|\band|\bor)\s+(?:(?:also|by|in|on|to|for|with|from|of|the|an?|his|her|its|` +
	`their|both)\s+)*(\p{L}+)`)

// linking are words that begin a clause, not one more thing.
var linking = set("when where while because if although though unless until not")

// longer reports whether a sentence has one more thing in a list than its statement, which has it nowhere.
func (k *knowledge) longer(words, whole string) bool {
	stated := k.tokens(whole)

	return slices.ContainsFunc(furtherItem.FindAllStringSubmatch(words, -1), func(m []string) bool {
		t, ok := k.token(m[1])
		told := ok && t.kind == plainToken && !filler[t.form] && !linking[t.form]

		return told && !has(stated, t)
	})
}

// furtherWay ends a sentence with one more way, place or receiver: "in writing or by e-mail, and also by a call".
var furtherWay = regexp.MustCompile(`(?i)(?:,|\band|\bor)\s+(?:also\s+)?(?:by|in|on|to|for|with|from)\s+` +
	`(?:(?:the|an?|his|her|its|their)\s+)?(\p{L}+)[.\s]*$`)

// otherWay reports whether the last way that a sentence has is none of its statement.
func (k *knowledge) otherWay(words, whole string) bool {
	m := furtherWay.FindStringSubmatch(words)
	if m == nil {
		return false
	}
	t, ok := k.token(m[1])

	return ok && t.kind == plainToken && !has(k.tokens(whole), t)
}

var byActor = regexp.MustCompile(`(?i)\bby (?:the |an? |that |said )?(\[[^\]]+\]|\p{L}+)`)

// agentBehind returns who does what a text tells in the passive voice.
func (k *knowledge) agentBehind(text string) (token, bool) {
	for _, m := range byActor.FindAllStringSubmatch(text, -1) {
		if t, ok := k.token(m[1]); ok && t.kind == actorToken {
			return t, true
		}
	}

	return token{}, false
}

// otherDoer reports whether another one acts in a sentence than in its statement: those whom both name stand in another
// order, or somebody whom only the statement names stands between an actor and what that one is said to do.
func (k *knowledge) otherDoer(words, whole string) bool {
	said, stated := k.tokens(words), k.tokens(whole)
	doer, passively := k.agentBehind(words)
	_, statedPassively := k.agentBehind(whole)
	there := distinct(actorsAmong(stated))
	// A statement that names nobody leaves open who acts.
	if len(there) == 0 {
		return false
	}
	if passively && !statedPassively {
		return (!there[0].same(doer) || k.behindAnother(said, stated, doer))
	}
	ours, theirs := distinct(shareOf(said, stated, actorToken)), distinct(shareOf(stated, said, actorToken))
	// Only within one voice is the order of the names the order of their parts.
	if passively == statedPassively && !slices.EqualFunc(ours, theirs, token.same) {
		return true
	}

	return parted(said, stated)
}

// behindAnother reports whether what a sentence in the passive says of its doer stands in the active statement behind
// somebody else, whom the sentence does not name.
func (k *knowledge) behindAnother(said, stated []token, doer token) bool {
	from := slices.IndexFunc(stated, doer.same)

	other := slices.IndexFunc(stated[from:], func(t token) bool { return t.another(said) })
	if other < 0 {
		return false
	}

	return len(shareOf(said, stated[from+other:], plainToken)) > 0 &&
		len(shareOf(said, stated[from:from+other], plainToken)) == 0
}

// another reports whether a token is an actor whom a sentence does not name. Insurance is a thing in most statements.
func (t token) another(said []token) bool {
	return t.kind == actorToken && t.form != "insurance" && !has(said, t)
}

func actorsAmong(list []token) []token { return shareOf(list, list, actorToken) }

// distinct returns each token of a list once, in the order in which they come first.
func distinct(list []token) []token {
	var once []token

	for _, t := range list {
		if !has(once, t) {
			once = append(once, t)
		}
	}

	return once
}

// parted reports whether an actor of a sentence and the word behind it have somebody between them in the statement whom
// the sentence does not name: "[Witness 1] broke it" from "[Witness 1] saw [Party 2] break it".
func parted(said, stated []token) bool {
	for i, actor := range said {
		if actor.kind != actorToken || i+1 == len(said) {
			continue
		}
		from := slices.IndexFunc(stated, actor.same)
		to := slices.IndexFunc(stated, said[i+1].same)
		if from < 0 || to <= from {
			continue
		}
		// Whoever stands between is the one who did it.
		if slices.ContainsFunc(stated[from:to], func(t token) bool { return t.another(said) }) {
			return true
		}
	}

	return false
}
