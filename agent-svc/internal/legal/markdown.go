package legal

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/casereading"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/complexity"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/facts"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

// mostCitations bounds the sources of one answer.
const mostCitations = 200

// notes numbers the sources of an answer: the same place has one number however often it is named.
type notes struct {
	list []api.Citation
	seen map[api.SourceRef]int // by place
}

// mark returns the marks of sources, such as " [1] [2]", or "" when there are none.
func (n *notes) mark(sources ...api.SourceRef) string {
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
			if len(n.list) == mostCitations {
				continue
			}
			number = len(n.list) + 1
			n.seen[key] = number
			n.list = append(n.list, api.Citation{N: number, Source: s})
		}
		if m := " [" + strconv.Itoa(number) + "]"; !strings.Contains(marks+" ", m+" ") {
			marks += m
		}
	}

	return marks
}

// escape keeps what comes from files from being taken for Markdown. Labels stay as they are. Addresses become code:
// programs that show Markdown make a link of a bare one, whatever is escaped in it, and a document must not have
// readers go anywhere.
func escape(s string) string {
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

// quotation writes a quote as a block of its own.
func quotation(quote string) string { return "> " + escape(quote) + "\n" }

// passage writes what a search found. The words of a source are folded, so an empty cell is lost there and the sum
// behind it moves to another column. Rows of a table are therefore written line by line, with a stroke between cells.
func passage(h api.SearchHit) string {
	start, ok := passageStart(h)
	runes := []rune(h.Text)
	from, to := h.Source.CharStart-start, h.Source.CharEnd-start

	// The offsets come from a service and a stored text, which a newer version of the file may not match.
	inside := ok && 0 <= from && from <= to && to <= len(runes)
	if !inside || !slices.Contains(runes[from:to], '\t') {
		return quotation(h.Source.Quote)
	}

	// A row may begin with an empty cell.
	for from > 0 && (runes[from-1] == '\t' || runes[from-1] == ' ') {
		from--
	}

	var rows []string

	for line := range strings.SplitSeq(string(runes[from:to]), "\n") {
		cells := strings.Split(line, "\t")
		for i, cell := range cells {
			cells[i] = facts.Fold(cell)
		}
		if row := strings.Join(cells, " | "); strings.Trim(row, " |") != "" {
			rows = append(rows, escape(row))
		}
	}

	return "> " + strings.Join(rows, "  \n> ") + "\n"
}

// cut shortens a text to at most that many code points and a mark that it goes on. It ends between words and keeps
// labels whole: half a word may read as somebody's name. One word that is longer than all that is cut within.
func cut(s string, most int) string {
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

// where names the file and page of a place.
func where(p casereading.Place) string {
	name := escape(p.FileName)
	if p.Page > 0 {
		return fmt.Sprintf("%s, page %d", name, p.Page)
	}

	return name
}

// money writes a sum as "612,500.00 USD".
func money(a facts.Amount) string { return complexity.Grouped(a.Cents) + " " + a.Currency }

// points writes points without zeros that say nothing.
func points(p float64) string { return strconv.FormatFloat(p, 'f', -1, 64) }
