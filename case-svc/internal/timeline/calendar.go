package timeline

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"
)

// lineWidth is where RFC 5545 has lines folded, in bytes.
const lineWidth = 75

// Calendar writes deadlines as an iCalendar object (RFC 5545), each with an alarm for every number of days in remind.
// It is the same bytes for the same entries: stamps are those of the entries. matter is the title of the case, which a
// reader of several calendars needs beside the title of a deadline.
func Calendar(matter string, deadlines []Entry, remind []int) []byte {
	var b strings.Builder
	line := func(name, value string) { fold(&b, name+":"+value) }
	line("BEGIN", "VCALENDAR")
	line("VERSION", "2.0")
	line("PRODID", "-//Subrosa//Timeline//EN")
	line("CALSCALE", "GREGORIAN")
	line("METHOD", "PUBLISH")
	if matter != "" {
		line("X-WR-CALNAME", escape(matter))
	}

	for _, e := range deadlines {
		if e.Deadline != nil {
			event(line, matter, e, remind)
		}
	}
	line("END", "VCALENDAR")

	return []byte(b.String())
}

const stamp = "20060102T150405Z"

func event(line func(name, value string), matter string, e Entry, remind []int) {
	d := e.Deadline
	summary := e.Title
	if matter != "" {
		summary += " (" + matter + ")"
	}
	line("BEGIN", "VEVENT")
	line("UID", e.ID+"@subrosa")
	line("DTSTAMP", e.UpdatedAt.UTC().Format(stamp))
	line("SEQUENCE", fmt.Sprint(e.Version))
	if !d.DueAt.IsZero() {
		line("DTSTART", d.DueAt.UTC().Format(stamp))
	} else {
		day, err := time.Parse(dateForm, d.DueOn)
		if err != nil {
			day = e.CreatedAt // no stored deadline is without a date
		}
		line("DTSTART;VALUE=DATE", day.Format("20060102"))
		line("DTEND;VALUE=DATE", day.AddDate(0, 0, 1).Format("20060102"))
	}
	line("SUMMARY", escape(summary))
	if text := describe(e); text != "" {
		line("DESCRIPTION", escape(text))
	}
	line("STATUS", "CONFIRMED")
	line("TRANSP", "TRANSPARENT")
	line("CATEGORIES", "DEADLINE")

	for _, days := range remind {
		line("BEGIN", "VALARM")
		line("ACTION", "DISPLAY")
		line("DESCRIPTION", escape(summary))
		line("TRIGGER", fmt.Sprintf("-P%dD", days))
		line("END", "VALARM")
	}
	line("END", "VEVENT")
}

// describe says what a reader needs to check the date.
func describe(e Entry) string {
	var parts []string
	if e.Detail != "" {
		parts = append(parts, e.Detail)
	}
	if on := e.Deadline.LatestOn; on != "" {
		parts = append(
			parts,
			"The safe day is shown. At the latest it is "+on+", as the rules or the files may be read.",
		)
	}
	if c := e.Deadline.Computation; c != nil {
		parts = append(parts, "Rule: "+c.RuleCitation, runsFrom(*c))
		for _, a := range c.Assumptions {
			parts = append(parts, "Assumes: "+a)
		}
	}
	if len(e.Sources) > 0 && e.Deadline.Computation == nil {
		parts = append(parts, "The file says: “"+e.Sources[0].Quote+"”")
	}
	if e.Deadline.DueAt.IsZero() {
		parts = append(parts, "Due in the zone "+e.Deadline.TimeZone)
	}

	return strings.Join(parts, "\n")
}

// runsFrom says from which event a deadline is counted, in the words of the file where they are known.
func runsFrom(c Computation) string {
	direction := "after"
	if c.Direction == "backward" {
		direction = "before"
	}
	said := fmt.Sprintf("Runs from %s: %d %s %s it", c.TriggerOn, c.Count, c.Unit, direction)
	if c.ServiceDaysAdded > 0 {
		said += fmt.Sprintf(", and %d days more for the way of service", c.ServiceDaysAdded)
	}
	if s := c.TriggerSource; s != nil {
		said += ". The event, as the file tells it: “" + s.Quote + "”"
	}

	return said
}

var escapes = strings.NewReplacer(`\`, `\\`, ";", `\;`, ",", `\,`, "\r\n", `\n`, "\n", `\n`)

func escape(text string) string { return escapes.Replace(text) }

// fold writes a content line, cut between characters where it is too long, with CRLF at its end.
func fold(b *strings.Builder, text string) {
	room := lineWidth
	for len(text) > room {
		cut := room
		for !utf8.RuneStart(text[cut]) {
			cut--
		}
		b.WriteString(text[:cut])
		b.WriteString("\r\n ")
		text, room = text[cut:], lineWidth-1 // the blank counts
	}
	b.WriteString(text)
	b.WriteString("\r\n")
}
