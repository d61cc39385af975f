package guard

import (
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"
)

// Cards of addresses and entries of calendars write names behind labels of their own.

// cards finds the names of vCards and iCalendar entries, and takes their words for parts of the form.
func (n *names) cards() {
	card, calendar := strings.Contains(n.text, "BEGIN:VCARD"), strings.Contains(n.text, "BEGIN:VCALENDAR")
	if !card && !calendar {
		return
	}

	for i := range n.words {
		// Labels of the form would else be names: "Org", "Adr" and "Uid" are in no dictionary.
		if w := &n.words[i]; cardWords.has(n.lowered(i)) && w.end-w.start >= 4 {
			w.is |= lexicon.Law
			w.shape &^= capitalised
		}
	}

	for from := 0; card && from < len(n.text); {
		end := len(n.text)
		if at := strings.IndexByte(n.text[from:], '\n'); at >= 0 {
			end = from + at
		}
		label, value, _ := strings.Cut(n.text[from:end], ":")
		label, _, _ = strings.Cut(label, ";")
		n.cardValue(strings.ToUpper(label), end-len(value), end)
		from = end + 1
	}
}

// cardValue judges the value of a line of a vCard, from byte start to byte stop.
func (n *names) cardValue(label string, start, stop int) {
	switch label {
	case "N":
		// RFC 6350 parts the surname from the given names by semicolons.
		for part := range strings.SplitSeq(n.text[start:stop], ";") {
			n.cell(start, start+len(part), columnPart)
			start += len(part) + 1
		}
	case "FN", "NICKNAME":
		n.cell(start, stop, columnParty)
	case "ORG":
		part, _, _ := strings.Cut(n.text[start:stop], ";")
		n.cell(start, start+len(part), columnFirm)
	}
}

// cardWords are words of these forms.
var cardWords = setOf(`vcard vcalendar vevent vtodo valarm vtimezone mailto dtstart dtend dtstamp partstat rsvp tzid
	prodid organizer attendee rrule`)

// mailNames finds who is named before an address in angle brackets: "Grace Park <".
func (n *names) mailNames() {
	for at := strings.IndexByte(n.text, '<'); at >= 0 && at < len(n.text); {
		stop := strings.IndexByte(n.text[at:min(len(n.text), at+longestMailbox+longestDomain)], '>')
		if stop > 0 {
			inside := n.text[at+1 : at+stop]
			if strings.IndexByte(inside, '@') > 0 || strings.HasPrefix(inside, "[Email ") {
				n.nameBefore(at)
			}
		}
		next := strings.IndexByte(n.text[at+1:], '<')
		if next < 0 {
			return
		}
		at += 1 + next
	}
}

// nameBefore judges the words before the address whose bracket is byte at.
func (n *names) nameBefore(at int) {
	begin := max(0, at-longestMailbox)
	begin += strings.LastIndexAny(n.text[begin:at], "\n:,;>") + 1
	n.cell(begin, at, columnParty)
}

// attributions finds who is named on the line above what a mail quotes: "On Tuesday, 20 August 2024, John Hall wrote:".
func (n *names) attributions() {
	for at := 0; ; {
		next := strings.Index(n.text[at:], " wrote:\n")
		if next < 0 {
			return
		}
		at += next
		rest := strings.TrimLeft(n.text[at+len(" wrote:"):], "\n> ")
		quoted := strings.IndexByte(n.text[at:len(n.text)-len(rest)], '>') >= 0

		line := strings.LastIndexByte(n.text[:at], '\n') + 1
		if quoted || strings.HasPrefix(strings.TrimLeft(n.text[line:at], "> "), "On ") {
			begin := max(line, at-longestMailbox)
			begin += strings.LastIndexAny(n.text[begin:at], ",>:)0123456789") + 1
			n.cell(begin, at, columnParty)
		}
		at += len(" wrote:")
	}
}
