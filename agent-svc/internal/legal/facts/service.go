package facts

import (
	"slices"
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/label"
)

// received says that a party received the complaint; a process server who did tells nothing.
func (r report) received(e Event, d deed, left int) []Event {
	e.Name, e.Who = ComplaintReceived, r.whoBefore(d.Start, left)
	if r.passive(d.Span) {
		return r.receivedBy(e, d)
	}
	// What a process server or a court received starts no period.
	if e.Who == "" && !r.supposed && !holdsAny(r.lower[left:d.Start], "defendant", "defendants", "respondent", "we") {
		return nil
	}

	return []Event{e}
}

// receivedBy says who received the complaint, from the words behind "was received"; nothing where they name no party.
func (r report) receivedBy(e Event, d deed) []Event {
	// "received by [Party 2]" names who got it. In the passive nobody else does.
	by, ok := strings.CutPrefix(r.lower[d.End:], " by ")
	if !ok {
		return nil
	}
	if l, _, ok := label.At(r.text, r.at+len(r.lower)-len(by)); ok && IsParty(l) {
		e.Who = l.String()
		return []Event{e}
	}
	if !holdsFirst(by, "defendant", "the defendant", "respondent") {
		return nil
	}
	e.Who = ""

	return []Event{e}
}

// served says which papers were served, how, and on whom.
func (r report) served(e Event, d deed, left, right int) []Event {
	e.Way = way(r.lower[left:right])
	if d.verb == "mail" {
		e.Way = ByMail
	}
	// Filing serves those who are registered with the court's system (Fed. R. Civ. P. 5(b)(2)(E)).
	if d.verb == "email" || d.verb == "file" {
		e.Way = ByWire
	}
	e.Who = r.servedOn(d.Span, left, right)
	named := slices.DeleteFunc(slices.Clone(d.papers), func(p string) bool { return p == paperForegoing })
	if len(named) < len(d.papers) {
		// "the foregoing" in a certificate of service is the file itself.
		named = append(named, r.own...)
	}
	proof := slices.Contains(r.own, paperProof)
	if d.verb == "serve" && (len(d.papers) == 0 || proof && slices.Equal(d.papers, []string{paperForegoing})) {
		// Waiters serve, too. Without a paper, a party must be what was served.
		if !r.supposed && !proof && !r.onParty(d.Span) {
			return nil
		}
		e.Name, e.Unnamed = ComplaintServed, true

		return []Event{e}
	}
	var list []Event

	for _, paper := range named {
		name := servicesOf[paper]
		switch {
		case paper == paperWaiver:
			name = WaiverRequested
		case d.verb == "send":
			// Sending is not service. It counts only where the text says so.
			name = ""
		case name == ComplaintServed && holdsAny(r.lower, "united states attorney", "u.s. attorney"):
			name = ComplaintServedOnUS
		}
		if name != "" && !slices.ContainsFunc(list, func(o Event) bool { return o.Name == name }) {
			e.Name = name
			list = append(list, e)
		}
		// Papers behind an unknown one are often part of its name.
		if paper == paperOther {
			break
		}
	}

	return list
}

// inCourt reports whether a complaint is one to a court: "a complaint with the agency" is none.
func (r report) inCourt() bool {
	_, behind, ok := strings.Cut(r.lower, "complaint")
	if !ok || !holdsFirst(behind, " with ", " to ") {
		return true
	}

	return holdsAny(behind[:min(len(behind), 60)], "court", "clerk")
}

// onParty reports whether a verb without a paper speaks of a party that was served: "[Party 2] was served", "served
// Defendant".
func (r report) onParty(v Span) bool {
	if l, _, ok := label.At(r.text, r.at+v.End+1); ok {
		return IsParty(l)
	}
	if holdsFirst(r.lower[v.End:], " defendant", " respondent", " the defendant", " the respondent") {
		return true
	}

	before := strings.TrimRight(r.lower[:v.Start], " ")
	for _, word := range [...]string{
		" personally", " duly", " properly", " electronically", " was", " were", " been", " has", " had", " have",
	} {
		before = strings.TrimSuffix(before, word)
	}
	if !r.passive(v) {
		return false
	}
	if strings.HasSuffix(before, "]") {
		labels := Labels(r.text[r.at : r.at+len(before)])
		return len(labels) > 0 && IsParty(labels[len(labels)-1].Label)
	}

	for _, word := range [...]string{
		"defendant", "defendants", "respondent", "respondents", "they", "he", "she", "we", "both",
	} {
		if before == word || strings.HasSuffix(before, " "+word) {
			return true
		}
	}

	return false
}

// way reads how something was served.
func way(lower string) string {
	switch {
	// The narrower ways stand first: "e-mail" holds "mail", and "hand delivery by courier" is a courier's.
	case holdsAny(lower, "email", "e-mail", "electronic", "cm/ecf", "by ecf", "via ecf", "through ecf", "court's ecf"):
		return ByWire
	case holdsAny(lower, "with the clerk", "on the clerk"):
		return ByClerk
	case holdsAny(lower, "courier", "fedex", "overnight", "by fax", "facsimile"):
		return ByAgreement
	case holdsAny(
		lower, "personal", "in person", "by hand", "hand delivery", "hand-delivered", "leaving a copy",
		"process server", "leaving it with", "leaving them with",
	):
		return ByHand
	case holdsAny(lower, "mail"):
		return ByMail
	}

	return ""
}

// servedOn returns the label of who was served: the subject of "was served", or who stands behind "on", "upon" or "to".
func (r report) servedOn(v Span, left, right int) string {
	for _, mark := range [...]string{" on ", " upon ", " to "} {
		at := strings.Index(r.lower[v.End:right], mark)
		// "on May 4 on [Party 2]": the first "on" need not be the one before the party.
		for at >= 0 {
			i := v.End + at + len(mark)
			for _, word := range [...]string{"the ", "defendant ", "plaintiff ", "defendants ", "respondent "} {
				i += len(r.lower[i:]) - len(strings.TrimPrefix(r.lower[i:], word))
			}
			if l, _, ok := label.At(r.text, r.at+i); ok && IsParty(l) {
				return l.String()
			}
			next := strings.Index(r.lower[v.End+at+1:right], mark)
			if next < 0 {
				break
			}
			at += 1 + next
		}
	}
	if r.passive(v) {
		return r.whoBefore(v.Start, left)
	}

	return ""
}

// whoBefore returns the last label of a party between two bytes of the sentence.
func (r report) whoBefore(end, left int) string {
	who := ""

	for _, l := range Labels(r.text[r.at+left : r.at+end]) {
		if IsParty(l.Label) {
			who = l.String()
		}
	}

	return who
}
