package extract

import (
	"strings"

	"github.com/tdewolff/parse/v2"
	"github.com/tdewolff/parse/v2/css"
)

// plainSheet returns a style sheet, or the value of an attribute style, in the form that is read here: without
// comments, with a blank behind the names of at-rules, which are in small letters, and with names as they are without
// escapes, where they can be written so.
func plainSheet(sheet string) string {
	sheet = strings.ReplaceAll(sheet, "\x00", "\ufffd")
	lexer := css.NewLexer(parse.NewInputString(sheet))
	var out strings.Builder

	for {
		kind, raw := lexer.Next()
		text := string(raw)

		switch kind {
		case css.ErrorToken:
			return out.String()
		case css.CommentToken, css.CDOToken, css.CDCToken:
		case css.AtKeywordToken:
			out.WriteString("@" + strings.ToLower(plainName(text[1:])) + " ")
		case css.IdentToken, css.CustomPropertyNameToken:
			out.WriteString(plainName(text))
		case css.FunctionToken, css.URLToken:
			name, rest, _ := strings.Cut(text, "(")
			out.WriteString(plainName(name) + "(" + rest)
		default:
			out.WriteString(text)
		}
	}
}

// plainName returns a name without escapes. One that cannot be written without them stays as it is.
func plainName(name string) string {
	if !strings.Contains(name, `\`) {
		return name
	}
	plain := cssText(name)
	if plain == "" || selectorName(plain) != plain || plain[0] >= '0' && plain[0] <= '9' {
		return name
	}

	return plain
}
