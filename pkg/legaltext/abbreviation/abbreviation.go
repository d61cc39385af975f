// Package abbreviation knows the words whose dot ends no sentence. It stands apart from legaltext, whose sources are
// part of the version of the guard's rules: another version has every stored file checked again.
package abbreviation

import "strings"

// anyhow are words that a dot shortens, in lower case, however they are written. Those of one letter and those
// with a dot within are told by their form.
var anyhow = set(`vs nos arts secs ch cl para paras pp cf al ed vol exh approx mr mrs ms dr st inc corp co ltd
	cir ct civ crim evid supp rev stat dkt proc jan feb apr jun jul aug sep sept oct nov dec`)

// capitals are everyday words or names too: with a capital they are shortened, and in lower case before a number.
var capitals = set(`No Ex App Art Sec Fed Id Cr Gen Bus Prof Prop Ann Cal Tex Fla Ill Mass Pa Va Wash Mar`)

// Is reports whether the dot behind word is that of an abbreviation rather than of a sentence, as in "Fed. R.
// Civ. P. 12". next is the text behind the dot. A dot within word, as in "U.S", and a lone letter are for the caller to
// judge.
func Is(word, next string) bool {
	lower := strings.ToLower(word)
	if capitals[word] || anyhow[lower] {
		return true
	}
	if word == "" || !capitals[strings.ToUpper(lower[:1])+lower[1:]] {
		return false
	}
	next = strings.TrimLeft(next, " \t")

	return next != "" && next[0] >= '0' && next[0] <= '9'
}

func set(list string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		m[w] = true
	}

	return m
}
