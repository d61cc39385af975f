package guard

import (
	"sort"
	"strings"
)

// partnerships takes both sides of an ampersand into what was found beside it: "Ropes & Gray", of which one word
// alone looks like a name, and "Zorbanek Naval Architects & Marine Engineers".
func (n *names) partnerships() {
	for i := range n.found {
		s := &n.found[i]
		if s.kind != kindCompany && s.kind != kindPerson && s.kind != kindName {
			continue
		}

		end := n.wordAt(s.end)
		if next := n.ampersands(end); next > end && n.mayPartner(end, next) {
			for n.goesOn(next) && n.words[next].is&publicWord == 0 {
				next++
			}
			s.end, s.kind, s.rule = int(n.words[next-1].end), kindCompany, ruleCompany
		}

		first := n.wordAt(s.start)
		if first > 0 && n.gap(first-1) == "&" && n.mayPartner(first-1, first) {
			s.start, s.kind, s.rule = int(n.words[first-1].start), kindCompany, ruleCompany
			first--
		}
		if strings.IndexByte(n.text[s.start:s.end], '&') < 0 {
			continue
		}

		// Only with an ampersand does the name go back over ordinary words.
		least := max(0, first-mostNameWords)
		for first > least && n.words[first].shape&(joined|opening) == joined && !n.words[first-1].has(opening) &&
			n.mayPartner(first-1, first) {
			first--
		}
		s.start = int(n.words[first].start)
	}
}

// mayPartner reports whether none of the words from first to end is one of law, of the calendar or of a party's role.
func (n *names) mayPartner(first, end int) bool {
	for i := first; i < end; i++ {
		s := n.lowered(i)
		if s == "amp" {
			continue // &amp;
		}
		if !n.words[i].has(capitalised) || party(s) || n.words[i].is&publicWord != 0 {
			return false
		}
	}

	return true
}

// wordAt returns the first word that begins at byte at or behind it.
//
//go:noinline
func (n *names) wordAt(at int) int {
	return sort.Search(len(n.words), func(i int) bool { return int(n.words[i].start) >= at })
}
