package guard

import "strings"

// logins finds the names by which people are known to a network: "Instagram handle harborfox88", "PACER Login:
// z.harker".
func (n *names) logins() {
	for i := range n.words {
		w := &n.words[i]
		if length := w.end - w.start; length < 5 || length > 10 || !loginWords.has(n.lowered(i)) {
			continue // most words
		}

		start := int(w.end)
		for start < len(n.text) && start-int(w.end) < 3 && strings.IndexByte(" :=\"", n.text[start]) >= 0 {
			start++
		}

		end := start
		for end < len(n.text) && end-start < longestLogin && (alphanumeric(n.text[end]) ||
			strings.IndexByte("._-", n.text[end]) >= 0) {
			end++
		}
		if name := strings.TrimRight(n.text[start:end], "._-"); loginLike(name) {
			n.found = append(n.found, span{start, start + len(name), kindURL, ruleHandle})
		}
	}
}

// longestLogin bounds the name of an account, in bytes.
const longestLogin = 40

// loginWords stand before the name of an account.
var loginWords = setOf(`handle username login screenname nickname gamertag`)

// loginLike reports whether s is no word of a sentence: letters with digits, dots or underscores among them.
func loginLike(s string) bool {
	letters, others := 0, 0

	for i := range len(s) {
		if alphanumeric(s[i]) && !digit(s[i]) {
			letters++
		} else if s[i] != '-' {
			others++
		}
	}

	return letters >= 3 && others > 0
}
