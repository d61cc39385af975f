package facts

import "strings"

// Bounds of what is kept of one contract.
const (
	mostTerms       = 40
	mostObligations = 12
	longestDefined  = 48 // bytes of a defined term
)

// Defined returns the terms that a text defines in brackets and quotation marks, as in (the “Premises”), each once and
// at its first place.
func Defined(text string) []Span {
	var list []Span

	seen := map[string]bool{}
	// Terms are defined in brackets, so only those are looked at.
	for i := strings.IndexByte(text, '('); i >= 0 && len(list) < mostTerms; {
		if s, ok := definedAt(text, i+1); ok && !seen[s.In(text)] {
			seen[s.In(text)] = true
			list = append(list, s)
		}
		next := strings.IndexByte(text[i+1:], '(')
		if next < 0 {
			break
		}
		i += 1 + next
	}

	return list
}

// definedAt reads the quoted term that brackets which open before byte i end with.
func definedAt(text string, i int) (Span, bool) {
	const lead = 24 // bytes before the term, such as "collectively, the "
	for at := i; at < min(len(text), i+lead); at++ {
		open, shut := 1, `"`

		switch {
		case text[at] == ')':
			return Span{}, false
		case strings.HasPrefix(text[at:], "“"):
			open, shut = len("“"), "”"
		case text[at] != '"':
			continue
		}
		start := at + open
		n := strings.Index(text[start:min(len(text), start+longestDefined)], shut)
		// Defined terms have a capital; other words in quotation marks are quoted, not defined.
		if n < 1 || !isUpper(text[start]) && text[start] != '[' {
			return Span{}, false
		}

		return Span{start, start + n}, true
	}

	return Span{}, false
}

// addObligation keeps the sentence of a word such as "shall" of a contract, if there is room and the sentence is a new
// one.
func (f *Facts) addObligation(text string, s Span) {
	n := len(f.Obligations)
	// In other papers "shall" mostly quotes a law or an order.
	if f.Title.Kind != Contract || n == mostObligations || n > 0 && s.Start < f.Obligations[n-1].End {
		return
	}
	f.Obligations = append(f.Obligations, Around(text, s))
}
