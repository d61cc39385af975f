package extract

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// styleSheets are what the style sheets in a page say that is followed here.
type styleSheets struct {
	lists   listRules
	content sheetContent
}

// listRules says how lists count by the style sheets in a page: by element, class, or both, such as ol.terms.
type listRules map[string]string

// mostListRules bounds the rules for lists that are kept of a page.
const mostListRules = 256

// mostSheetNesting bounds rules within rules.
const mostSheetNesting = 8

// readSheets reads the style sheets of a page, which hold for what stands before them too.
func (p *page) readSheets(text string) {
	p.sheets = styleSheets{lists: listRules{}}
	p.sheets.rules(plainSheet(p.linked), "", false, 0)
	if lower := strings.ToLower(text); !strings.Contains(lower, "<style") && !strings.Contains(lower, "<link") {
		return
	}
	z := html.NewTokenizer(strings.NewReader(text))
	in, loose := false, false

	for {
		switch z.Next() {
		case html.ErrorToken:
			return
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			media := strings.ToLower(tokenAttr(t, "media"))
			in = t.DataAtom == atom.Style
			loose = media != "" && media != "all" && media != "screen"
			if rel := strings.Fields(strings.ToLower(tokenAttr(t, "rel"))); slices.Contains(rel, "stylesheet") {
				p.sheets.rules(plainSheet(dataSheet(tokenAttr(t, "href"))), "", loose, 0)
			}
		case html.TextToken:
			if in {
				p.sheets.rules(plainSheet(string(z.Text())), "", loose, 0)
			}
		case html.EndTagToken:
			in = false
		}
	}
}

// rules reads the rules of a style sheet, or what stands in a rule whose selector is outer. They are loose when they
// may hold or not.
func (s *styleSheets) rules(sheet, outer string, loose bool, depth int) {
	// The declarations of the rule itself.
	var own strings.Builder

	for sheet != "" && depth <= mostSheetNesting {
		end := cssIndex(sheet, ";{}")
		if end == len(sheet) || sheet[end] != '{' {
			if strings.HasPrefix(strings.TrimSpace(sheet[:end]), "@") {
				s.imported(sheet[:end], loose, depth)
			} else {
				own.WriteString(sheet[:end] + ";")
			}
			sheet = sheet[min(end+1, len(sheet)):]

			continue
		}
		before := strings.TrimSpace(sheet[:end])
		body, after := cssBlock(sheet[end+1:], '{', '}')
		sheet = after

		switch name, rest, _ := strings.Cut(before, " "); {
		case name == "@layer":
			s.rules(body, outer, loose, depth+1)
		case name == "@media":
			rest = strings.ToLower(strings.TrimSpace(rest))
			s.rules(body, outer, loose || rest != "all" && rest != "screen", depth+1)
		case maybeRules[name]:
			s.rules(body, outer, true, depth+1)
		case name == "@page", strings.HasSuffix(name, "keyframes"):
			s.edges(body)
		case name == "@counter-style":
			s.content.beyond = s.content.beyond || quotesWords(body) || quotelessWords(body)
		// Rules for fonts and the like show no text.
		case strings.HasPrefix(name, "@"):
		default:
			s.rules(body, within(outer, before), loose, depth+1)
		}
	}
	if outer != "" {
		s.rule(outer, own.String(), loose)
	}
}

// maybeRules are at-rules around rules that may hold or not.
var maybeRules = map[string]bool{
	"@supports":       true,
	"@container":      true,
	"@scope":          true,
	"@starting-style": true,
	"@document":       true,
	"@-moz-document":  true,
}

// longestSelector bounds selectors of rules within rules, in bytes.
const longestSelector = 4096

// within returns the selectors of a rule that stands in another.
func within(outer, inner string) string {
	if outer == "" {
		return inner
	}
	var all []string
	size := 0

	for a := range strings.SplitSeq(outer, ",") {
		for b := range strings.SplitSeq(inner, ",") {
			joined := strings.ReplaceAll(b, "&", a)
			if joined == b {
				joined = a + " " + b
			}
			if size += len(joined); size < longestSelector {
				all = append(all, joined)
			}
		}
	}

	return strings.Join(all, ",")
}

// edges notes words that stand at the edges of printed pages.
func (s *styleSheets) edges(body string) {
	for body != "" {
		end := cssIndex(body, "{")
		inner, after := cssBlock(body[min(end+1, len(body)):], '{', '}')
		r := contentRule{}
		r.read(inner)

		for _, p := range r.parts {
			s.content.beyond = s.content.beyond || p.kind != partCounter && !countingWords(p.text)
		}
		s.content.beyond = s.content.beyond || r.unknown
		s.content.miss(contentRule{elsewhere: r.elsewhere})
		body = after
	}
}

// countingWords reports whether words say no more than that the number of a page stands beside them.
func countingWords(text string) bool {
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !alphanumeric(r) }) {
		if !pageWords[word] {
			return false
		}
	}

	return true
}

// rule keeps what the declarations say for selectors.
func (s *styleSheets) rule(selectors, declarations string, loose bool) {
	format := ""
	if !loose {
		format = listFormatIn(declarations)
	}
	said := contentRule{}
	said.read(declarations)

	for text := range strings.SplitSeq(selectors, ",") {
		text = strings.TrimSpace(text)
		if format != "" && !strings.ContainsAny(text, " >+~:#[*@\t\n\r") && len(s.lists) < mostListRules {
			s.lists[text] = format
		}
		if said.empty() {
			continue
		}
		read, ok := readSelector(text)
		if !ok {
			s.content.miss(said)
			continue
		}
		r := said
		r.selector, r.place, r.loose = read.selector, read.place, loose || read.loose
		// The content of an element itself is what it holds already.
		r.says = r.says && r.place != ""
		s.content.add(r)
	}
}

// read takes declarations of content and counters.
func (r *contentRule) read(declarations string) {
	for declarations != "" {
		end := cssIndex(declarations, ";")
		name, value, _ := strings.Cut(declarations[:end], ":")
		declarations = declarations[min(end+1, len(declarations)):]
		value = strings.TrimSpace(value)

		switch name = strings.ToLower(strings.TrimSpace(name)); name {
		case "content":
			r.says, r.unknown, r.parts = true, false, nil
			r.readContent(value)
		case "counter-reset", "counter-increment", "counter-set":
			r.readCounts(name, value)
		default:
			r.elsewhere.read(name, value)
		}
	}
}

// readContent reads what a declaration writes.
func (r *contentRule) readContent(value string) {
	for value != "" {
		switch c := value[0]; {
		case c == '"' || c == '\'':
			end := cssString(value)
			r.parts = append(r.parts, contentPart{text: cssText(value[1:max(1, end-1)])})
			value = value[end:]
		// The words behind the stroke are for those who do not see the page.
		case c == '/':
			return
		case c == '!', c <= ' ':
			value = value[1:]
		default:
			value = r.readWord(value)
		}
	}
}

// readWord reads a word of a declaration, with its brackets, and returns what follows.
func (r *contentRule) readWord(value string) (after string) {
	name := selectorName(value)
	after = value[len(name):]
	if name == "" {
		r.unknown = true
		return ""
	}
	inner := ""
	if strings.HasPrefix(after, "(") {
		inner, after = cssBlock(after[1:], '(', ')')
	}

	switch strings.ToLower(name) {
	case "none", "normal", "initial", "unset", "important",
		"open-quote", "close-quote", "no-open-quote", "no-close-quote":
	case "attr":
		if inner = strings.TrimSpace(inner); inner != selectorName(inner) {
			r.unknown = true
		}
		r.parts = append(r.parts, contentPart{kind: partAttribute, text: strings.ToLower(inner)})
	case "counter", "counters":
		r.readCounter(inner, len(name) > len("counter"))
	default:
		r.unknown = true
	}

	return after
}

// readCounter reads which counter is written, and how.
func (r *contentRule) readCounter(inner string, nested bool) {
	part := contentPart{kind: partCounter, format: "decimal", nested: nested}
	name, rest, _ := strings.Cut(inner, ",")
	part.text = strings.TrimSpace(name)
	rest = strings.TrimSpace(rest)
	if nested && rest != "" && (rest[0] == '"' || rest[0] == '\'') {
		end := cssString(rest)
		part.joint = cssText(rest[1:max(1, end-1)])
		rest = strings.TrimLeft(rest[end:], ", \t\n")
	}
	if rest != "" {
		if part.format = listFormats[strings.ToLower(rest)]; part.format == "" {
			r.unknown = true
		}
	}
	r.parts = append(r.parts, part)
}

// readCounts reads which counters change, and by how much.
func (r *contentRule) readCounts(property, value string) {
	words := strings.Fields(strings.TrimSuffix(value, "!important"))

	for i, word := range words {
		if _, err := strconv.Atoi(word); err == nil || word == "none" {
			continue
		}
		change := counterChange{property: property, name: word}
		if property == "counter-increment" {
			change.by = 1
		}
		if i+1 < len(words) {
			if by, err := strconv.Atoi(words[i+1]); err == nil {
				change.by = min(max(by, -mostCounted), mostCounted)
			}
		}
		r.counts = append(r.counts, change)
	}
}

// cssIndex returns where the first of some signs stands in a piece of a style sheet, outside of strings and brackets;
// the length of the piece when there is none.
func cssIndex(sheet, signs string) int {
	depth := 0

	for i := 0; i < len(sheet); i++ {
		switch c := sheet[i]; {
		case c == '\\':
			i++
		case c == '"' || c == '\'':
			i += cssString(sheet[i:]) - 1
		case depth == 0 && strings.IndexByte(signs, c) >= 0:
			return i
		case c == '(':
			depth++
		case c == ')':
			depth = max(0, depth-1)
		}
	}

	return len(sheet)
}

// cssBlock parts what stands in brackets that are open from what follows them.
func cssBlock(sheet string, open, shut byte) (inner, after string) {
	depth := 1

	for i := 0; i < len(sheet); i++ {
		switch sheet[i] {
		case '\\':
			i++
		case '"', '\'':
			i += cssString(sheet[i:]) - 1
		case open:
			depth++
		case shut:
			depth--
		}
		if depth == 0 {
			return sheet[:i], sheet[i+1:]
		}
	}

	return sheet, ""
}

// cssString returns the length of the string with which a piece of a style sheet begins, quotation marks included.
func cssString(sheet string) int {
	for i := 1; i < len(sheet); i++ {
		switch sheet[i] {
		case '\\':
			i++
		case sheet[0], '\n':
			return i + 1
		}
	}

	return len(sheet)
}

// cssText returns what a string says whose characters may be written as numbers.
func cssText(raw string) string {
	var out strings.Builder

	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			out.WriteByte(raw[i])
			continue
		}

		digits := 0
		for digits < 6 && i+1+digits < len(raw) && unhex(raw[i+1+digits]) >= 0 {
			digits++
		}
		if digits == 0 {
			if i+1 < len(raw) && (raw[i+1] == '\n' || raw[i+1] == '\f') {
				// The string goes on in the next line.
				i++
			}

			// Any other character behind a backslash stands for itself.
			continue
		}

		n, _ := strconv.ParseInt(raw[i+1:i+1+digits], 16, 32)
		r := rune(n)
		if !utf8.ValidRune(r) || r == 0 {
			r = utf8.RuneError
		}
		out.WriteRune(r)
		if i += digits; i+1 < len(raw) && strings.IndexByte(" \t\n", raw[i+1]) >= 0 {
			i++
		}
	}

	return out.String()
}

// listFormatIn returns how the declarations of a rule let lists count, empty when they do not say.
func listFormatIn(declarations string) (format string) {
	for declaration := range strings.SplitSeq(strings.ToLower(declarations), ";") {
		name, value, _ := strings.Cut(declaration, ":")
		if name = strings.TrimSpace(name); name != listStyle && name != listStyle+"-type" {
			continue
		}

		for word := range strings.FieldsSeq(value) {
			if listFormats[word] != "" {
				format = word
			}
		}
	}

	return format
}

// of returns how the style sheets let an element count, empty when they do not say.
func (r listRules) of(t html.Token) (format string) {
	if len(r) == 0 {
		return ""
	}
	byClass := ""

	for class := range strings.FieldsSeq(tokenAttr(t, "class")) {
		byClass = cmp.Or(r[t.Data+"."+class], byClass, r["."+class])
	}

	return cmp.Or(byClass, r[t.Data])
}
