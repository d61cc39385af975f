package guard

import (
	"slices"
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/guard/internal/census"
	"github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"
)

// Captions in capitals set a party below, beside or behind a court in capitals, where no small letter parts the one
// from the other: "SUPERIOR COURT OF CALIFORNIA, COUNTY OF ALAMEDA", and "DWAYNE PELLETIER" on the line below.

// headReach bounds how far a name may stand from the court or agency of its caption, in bytes.
const headReach = 400

// mostCaptionWords bounds the words of a name in a caption.
const mostCaptionWords = 4

// captionNames finds the people whom a caption in capitals names.
func (n *names) captionNames() {
	heads := captionHeads(n.text)
	if len(heads) == 0 {
		return
	}
	next := 0 // the first head that is not too far before the word

	for i := 0; i+1 < len(n.words); i++ {
		w := &n.words[i]
		if !n.inCapitals(i) || w.end-w.start < 2 {
			continue // most words
		}

		// Both lists ascend, so that a long paper is passed over once.
		for next < len(heads) && heads[next] < int(w.start)-headReach {
			next++
		}
		if next == len(heads) {
			return
		}
		if heads[next] > int(w.start)+headReach {
			continue
		}
		if courtSides.has(n.lowered(i)) && n.lowered(i+1) == "district" {
			w.is |= lexicon.Law
		}
		if !n.captionBegins(i) {
			continue
		}
		if end := n.captionName(i); end > i {
			n.add(kindPerson, ruleFullName, i, end)
			i = end - 1
		}
	}
}

// captionHeads returns where courts and agencies in capitals stand, in order.
func captionHeads(text string) (at []int) {
	for _, head := range captionBodies {
		for from := 0; ; {
			i := strings.Index(text[from:], head)
			if i < 0 {
				break
			}
			at = append(at, from+i)
			from += i + len(head)
		}
	}

	slices.Sort(at)

	return at
}

var captionBodies = []string{
	" COURT", "TRIBUNAL", " BOARD", "COMMISSION", "ARBITRATION", "DEPARTMENT OF", " AGENCY", " DIVISION",
	"ADMINISTRATION",
}

// inCapitals reports whether word i is written in capitals, whatever rules have made of it.
func (n *names) inCapitals(i int) bool {
	w := &n.words[i]
	return upper(n.text[w.start]) && strings.ToUpper(n.text[w.start:w.end]) == n.text[w.start:w.end]
}

// captionBegins reports whether a name may begin with word i: the line does, or a word of a court or a number ends
// before it.
func (n *names) captionBegins(i int) bool {
	if i == 0 {
		return true
	}
	gap := n.text[n.words[i-1].end:n.words[i].start]
	if strings.IndexByte(gap, '\n') >= 0 || n.inCapitals(i-1) && n.bodyWord(i-1) {
		return true
	}
	if i > 2 && n.lowered(i-2) == "of" && n.inCapitals(i-3) && n.bodyWord(i-3) {
		return true // COUNTY OF ALAMEDA, whose line was joined to the next
	}

	return strings.ContainsAny(gap, tenDigits) && strings.Trim(gap, tenDigits+" ,.") == ""
}

// bodyWord reports whether word i is one of courts, agencies and places, and hardly one of a name.
func (n *names) bodyWord(i int) bool {
	s := n.lowered(i)
	return captionWords.has(s) || n.words[i].is&publicWord != 0 && !namesMany(s)
}

// captionName returns the end of the name that begins with word i, and i for none: a given name and a surname, before
// the end of the line, the party's role or the next court.
func (n *names) captionName(i int) int {
	s := n.lowered(i)
	const listed = lexicon.Given | lexicon.KnownProper
	if captionWords.has(s) || s == "roll" || census.Given(s) == 0 && n.words[i].is&listed != listed {
		return i
	}
	end := i + 1

	for end < len(n.words) && end-i < mostCaptionWords && n.inCapitals(end) && !n.bodyWord(end) {
		gap := n.text[n.words[end-1].end:n.words[end].start]
		if gap != " " && gap != ". " || captionRoles.has(n.lowered(end)) {
			break
		}
		end++
	}
	last := n.lowered(end - 1)
	if end-i < 2 || contractTitles.has(last) || !n.captionEnds(end) {
		return i
	}
	// "GRACE COURT" below a head is a court, unless a role behind it says that it is somebody.
	if defined.has(last) && census.Surname(last) == 0 && !n.roleBehind(end) {
		return i
	}
	surname := census.Surname(last) > 0 || n.words[end-1].is&lexicon.Surname != 0
	// A given name by itself makes a person of two or three words, not of a heading.
	if !surname && (known(last)&lexicon.Ordinary != 0 || end-i > 3) {
		return i
	}

	return end
}

// captionEnds reports whether a name may end before word k: the line or the text does, a role of a party follows or a
// court.
func (n *names) captionEnds(k int) bool {
	rest := strings.TrimLeft(n.text[n.words[k-1].end:], " ,;)")
	if rest == "" || rest[0] == '\n' || rest[0] == '\r' {
		return true
	}
	if n.roleBehind(k) {
		return true
	}

	return k < len(n.words) && n.inCapitals(k) && n.bodyWord(k)
}

// roleBehind reports whether word k is the role of a party in a proceeding.
func (n *names) roleBehind(k int) bool {
	if k >= len(n.words) || n.words[k].start-n.words[k-1].end > 12 {
		return false
	}
	s := n.lowered(k)

	return captionRoles.has(s) || captionRoles.has(strings.TrimSuffix(s, "s"))
}

var (
	captionRoles = setOf(`plaintiff defendant claimant respondent petitioner complainant applicant appellant appellee
		charging employee debtor movant grievant vs v et against individually and as on deceased`)
	courtSides   = setOf(`northern southern eastern western middle central`)
	captionWords = setOf(`in the of for before court superior supreme circuit district county state united states
		northern southern eastern western central middle division bench king queen kings queens high justice board
		commission agency department labor association american arbitration tribunal tribunals region civil criminal
		family probate chancery law equity city unlimited limited jurisdiction branch term part`)
)
