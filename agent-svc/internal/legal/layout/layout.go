// Package layout writes the parts of an answer in Markdown: sources with their numbers, quotes, places, sums and
// counts.
package layout

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/casereading"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/complexity"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

// mostCitations bounds the sources of one answer.
const mostCitations = 200

// Notes numbers the sources of an answer: the same place has one number however often it is named.
type Notes struct {
	// List holds the sources in the order of their numbers.
	List []api.Citation
	seen map[api.SourceRef]int // by place
}

// Mark returns the marks of sources, such as " [1] [2]", or "" when there are none.
func (n *Notes) Mark(sources ...api.SourceRef) string {
	if n.seen == nil {
		n.seen = map[api.SourceRef]int{}
	}
	marks := ""

	for _, s := range sources {
		// The quote is no part of the key: one place may be quoted with more or less around it.
		key := s.Place()
		number, known := n.seen[key]
		if !known {
			// Beyond the bound a statement has no mark, which is better than the number of another source.
			if len(n.List) == mostCitations {
				continue
			}
			number = len(n.List) + 1
			n.seen[key] = number
			n.List = append(n.List, api.Citation{N: number, Source: s})
		}
		if m := " [" + strconv.Itoa(number) + "]"; !strings.Contains(marks+" ", m+" ") {
			marks += m
		}
	}

	return marks
}

// Escape keeps what comes from files from being taken for Markdown. Labels stay as they are. Addresses become code:
// programs that show Markdown make a link of a bare one, whatever is escaped in it, and a document must not have
// readers go anywhere.
func Escape(s string) string {
	if !strings.ContainsAny(s, ":/?@") && !hasWWW.MatchString(s) {
		return escapeWords(s)
	}
	var b strings.Builder
	from := 0

	for _, at := range bareLink.FindAllStringIndex(s, -1) {
		// Marks at the end belong to the sentence. Within code they would change the address.
		address := strings.TrimRight(s[at[0]:at[1]], ".,;:!?)'")
		b.WriteString(escapeWords(s[from:at[0]]))
		b.WriteString("`" + address + "`")
		from = at[0] + len(address)
	}
	b.WriteString(escapeWords(s[from:]))

	return b.String()
}

var (
	hasWWW = regexp.MustCompile(`(?i)\bwww\.`)
	// bareLink finds what a program may make a link of: addresses with a scheme, hosts that begin with www, addresses
	// of e-mail, and hosts with a path. None has a character that would end code or a cell.
	bareLink = regexp.MustCompile("(?i)" +
		"[a-z][a-z0-9+.-]*://[^\\s<>|`]+" +
		"|\\b(?:www\\.|mailto:|xmpp:|tel:)[^\\s<>|`]+" +
		"|[a-z0-9._%+-]+@[a-z0-9-]+(?:\\.[a-z0-9-]+)+" +
		"|\\b[a-z0-9-]{2,}(?:\\.[a-z0-9-]{2,})*\\.[a-z]{2,}[/?:][^\\s<>|`]+")
)

// escapeWords escapes text without addresses.
func escapeWords(s string) string {
	if !strings.ContainsAny(s, "\\`*_<>|]#~") {
		return s
	}

	return markup.Replace(s)
}

var markup = strings.NewReplacer(
	`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "<", `\<`, ">", `\>`, "|", `\|`, "](", `]\(`, "]:", `]\:`, "~", `\~`,
	"#", `\#`,
)

// Quotation writes a quote as a block of its own.
func Quotation(quote string) string { return "> " + Escape(quote) + "\n" }

// Cut shortens a text to at most that many code points and a mark that it goes on. It ends between words and keeps
// labels whole: half a word may read as somebody's name. One word that is longer than all that is cut within.
func Cut(s string, most int) string {
	n, word, label := 0, 0, -1
	for i, r := range s {
		if n == most {
			if r != ' ' && word > 0 {
				i = word
			}
			// Half a label would be a word of its own, which no gate has judged.
			if label >= 0 && label < i {
				i = label
			}

			return strings.TrimRight(s[:i], " ") + "…"
		}

		switch r {
		case ' ', '\n', '\t':
			word = i
		case '[':
			label = i
		case ']':
			label = -1
		}
		n++
	}

	return s
}

// Where names the file and page of a place.
func Where(p casereading.Place) string {
	name := Escape(p.FileName)
	if p.Page > 0 {
		return fmt.Sprintf("%s, page %d", name, p.Page)
	}

	return name
}

// Money writes a sum as "612,500.00 USD".
func Money(a facts.Amount) string { return complexity.Grouped(a.Cents) + " " + a.Currency }

// Points writes points without zeros that say nothing.
func Points(p float64) string { return strconv.FormatFloat(p, 'f', -1, 64) }

// Moment writes an instant to the second, in UTC.
func Moment(at api.Instant) string { return at.UTC().Format("2006-01-02 15:04:05") + " UTC" }

// Grouped writes a number with commas: seven digits in a row could be a telephone number.
func Grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	// From the right, so that the places of the commas further left stay true.
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}

	return text
}

const shownSentence = 220 // code points of a sentence in a list; the citation holds it whole

// Sentence quotes the sentence of a place, cut where it is long, or says that it is not quoted.
func Sentence(p casereading.Place) string {
	if p.Withheld {
		return "(not quoted)"
	}

	return "“" + Escape(Cut(strings.TrimLeft(p.Quote, "#*> "), shownSentence)) + "”"
}
