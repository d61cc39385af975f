package extract

import (
	"cmp"
	"strings"

	"golang.org/x/net/html"
)

// mostListRules bounds the rules for lists that are kept of a page.
const mostListRules = 256

// listRules says how lists count by the style sheets in a page: by element, class, or both, such as ol.terms.
type listRules map[string]string

// read takes the rules of a style sheet that have the simplest selectors. Rules within rules, as for printing, are not
// followed.
func (r listRules) read(sheet string) {
	for sheet != "" {
		before, rest, found := strings.Cut(sheet, "{")
		if !found {
			return
		}
		body, after, _ := strings.Cut(rest, "}")
		if strings.Contains(before, "@") {
			body, after = "", behindBlock(rest)
		}
		if format := listFormatIn(body); format != "" {
			for selector := range strings.SplitSeq(withoutComments(before), ",") {
				selector = strings.TrimSpace(selector)
				if !strings.ContainsAny(selector, " >+~:#[*@\t\n\r") && len(r) < mostListRules {
					r[selector] = format
				}
			}
		}
		sheet = after
	}
}

// behindBlock returns what follows the block that is open.
func behindBlock(sheet string) string {
	depth := 1

	for i := range len(sheet) {
		switch sheet[i] {
		case '{':
			depth++
		case '}':
			depth--
		}
		if depth == 0 {
			return sheet[i+1:]
		}
	}

	return ""
}

// withoutComments returns a piece of a style sheet without its comments.
func withoutComments(sheet string) string {
	var out strings.Builder

	for {
		before, rest, found := strings.Cut(sheet, "/*")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		_, sheet, _ = strings.Cut(rest, "*/")
	}
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
