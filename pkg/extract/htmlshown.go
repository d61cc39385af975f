package extract

import (
	"encoding/base64"
	"strings"
	"unicode"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// shownElsewhere is what declarations show that is neither content nor a number, and that is not read here.
type shownElsewhere struct {
	words   bool // of bullets, of quotation marks and the like
	picture bool // behind an element, around it or as its bullet
}

func (s shownElsewhere) any() bool { return s.words || s.picture }

// read takes a declaration, whose name is in small letters.
func (s *shownElsewhere) read(name, value string) {
	switch name {
	case listStyle, listStyle + "-type", "quotes", "hyphenate-character", "text-overflow", "text-emphasis",
		"text-emphasis-style", "-webkit-text-emphasis", "-webkit-text-emphasis-style":
		s.words = s.words || quotesWords(value) || strings.Contains(strings.ToLower(value), "var(")
	}
	s.picture = s.picture || !pictureless[strings.TrimPrefix(name, "-webkit-")] && showsPicture(value)
}

// pictureless are the properties whose addresses show no picture on the page.
var pictureless = map[string]bool{
	"backdrop-filter": true,
	"behavior":        true,
	"clip-path":       true,
	"content":         true, // which has a mark of its own
	"cursor":          true,
	"fill":            true,
	"filter":          true,
	"marker":          true,
	"marker-end":      true,
	"marker-mid":      true,
	"marker-start":    true,
	"offset-path":     true,
	"shape-outside":   true,
	"src":             true,
	"stroke":          true,
}

// showsPicture reports whether a value of a declaration has a picture. An address within the page is none.
func showsPicture(value string) bool {
	for value != "" {
		end := cssIndex(value, "()")
		name := value[:end]
		if end == len(value) || value[end] != '(' {
			value = value[min(end+1, len(value)):]
			continue
		}
		inner, after := cssBlock(value[end+1:], '(', ')')
		value = after

		switch strings.ToLower(name[len(strings.TrimRightFunc(name, nameRune)):]) {
		case "url", "src":
			if inner = strings.Trim(inner, "\"' \t\n"); inner != "" && inner[0] != '#' {
				return true
			}
		case "image-set", "-webkit-image-set", "image", "cross-fade", "-webkit-cross-fade", "element", "-moz-element":
			return true
		default:
			if showsPicture(inner) {
				return true
			}
		}
	}

	return false
}

func nameRune(r rune) bool { return r >= 0x80 || nameByte(byte(r)) }

// quotesWords reports whether a string in a value has letters or figures.
func quotesWords(value string) bool {
	for value != "" {
		start := strings.IndexAny(value, `"'\`)
		if start < 0 {
			return false
		}
		value = value[start:]
		if value[0] == '\\' {
			value = value[min(2, len(value)):]
			continue
		}
		end := cssString(value)
		if strings.ContainsFunc(cssText(value[1:max(1, end-1)]), alphanumeric) {
			return true
		}
		value = value[end:]
	}

	return false
}

// elsewhere marks what rules show at the innermost open element and what is not read. Each rule has one mark, at the
// first element that is seen.
func (p *page) elsewhere(rules []*contentRule, t html.Token) {
	if p.unseen() {
		return
	}

	for _, r := range rules {
		if r.elsewhere.any() {
			p.markElsewhere(r.elsewhere, t)
			r.elsewhere = shownElsewhere{}
		}
	}
}

// markElsewhere leaves the marks of what an element shows. Ornaments make no page of little text a picture.
func (p *page) markElsewhere(s shownElsewhere, t html.Token) {
	pictures := p.pictures
	defer func() { p.pictures = pictures }()

	if s.words {
		// The size of the element does not matter.
		p.unread(html.Token{}, UnreadText)
	}
	if s.picture {
		p.unread(t, UnreadPicture)
	}
}

// styled marks what the attribute style of an element shows and what is not read.
func (p *page) styled(t html.Token) {
	r := contentRule{}
	r.read(plainSheet(tokenAttr(t, "style")))

	switch t.DataAtom {
	case atom.Body, atom.Table, atom.Thead, atom.Tbody, atom.Tfoot, atom.Tr, atom.Td, atom.Th:
		r.elsewhere.picture = r.elsewhere.picture || tokenAttr(t, "background") != ""
	}
	p.markElsewhere(r.elsewhere, t)
}

// dataSheet returns the style sheet that an address is itself. A page of the web has none. Browsers drop tabs and line
// ends wherever they stand in an address, and blanks and control characters around it.
func dataSheet(address string) string {
	address = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(address)
	address = strings.TrimFunc(address, func(r rune) bool { return r <= ' ' })
	scheme, rest, _ := strings.Cut(address, ":")
	kind, data, found := strings.Cut(rest, ",")
	if !strings.EqualFold(scheme, "data") || !found || strings.HasPrefix(strings.ToLower(kind), "image/") {
		return ""
	}
	data = unescapeAddress(data)
	if fields := strings.Split(kind, ";"); strings.EqualFold(strings.TrimSpace(fields[len(fields)-1]), "base64") {
		plain := strings.NewReplacer("\n", "", "\r", "", "\t", "", " ", "", "=", "").Replace(data)
		decoded, err := base64.RawStdEncoding.DecodeString(plain)
		if err != nil {
			return ""
		}
		data = string(decoded)
	}

	return strings.ToValidUTF8(data, "\ufffd")
}

// imported reads the style sheet that an at-rule such as @import url(data:text/css,...) is itself.
func (s *styleSheets) imported(rule string, loose bool, depth int) {
	name, rest, _ := strings.Cut(strings.TrimSpace(rule), " ")
	rest = strings.TrimSpace(rest)
	if name != "@import" || rest == "" {
		return
	}
	address, conditions := "", ""

	switch rest[0] {
	case '"', '\'':
		end := cssString(rest)
		address, conditions = rest[1:max(1, end-1)], rest[end:]
	default:
		opens := strings.IndexByte(rest, '(')
		if opens < 0 {
			return
		}
		address, conditions = cssBlock(rest[opens+1:], '(', ')')
		address = strings.Trim(address, "\"' \t\n")
	}
	conditions = strings.ToLower(strings.TrimSpace(conditions))
	loose = loose || conditions != "" && conditions != "all" && conditions != "screen"
	s.rules(plainSheet(dataSheet(cssText(address))), "", loose, depth+1)
}

// quotelessWords reports whether a counter style writes words that stand in no string: it counts by names.
func quotelessWords(body string) bool {
	for body != "" {
		end := cssIndex(body, ";")
		name, value, _ := strings.Cut(body[:end], ":")
		body = body[min(end+1, len(body)):]

		switch strings.ToLower(strings.TrimSpace(name)) {
		case "symbols", "additive-symbols", "prefix", "suffix", "negative":
		default:
			continue
		}

		for word := range strings.FieldsFuncSeq(value, func(r rune) bool { return r <= ' ' || r == ',' }) {
			if !strings.ContainsAny(word, `"'`) && strings.ContainsFunc(word, unicode.IsLetter) {
				return true
			}
		}
	}

	return false
}
