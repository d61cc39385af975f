package guard

import "golang.org/x/text/unicode/norm"

// withoutMark returns the plain letters that a Latin letter with a mark is written as elsewhere, and "" for any other
// rune.
func withoutMark(r rune) string {
	switch r {
	case 'ß':
		return "ss"
	case 'æ':
		return "ae"
	case 'œ':
		return "oe"
	case 'ø':
		return "o"
	case 'đ', 'ð':
		return "d"
	case 'ł':
		return "l"
	case 'ı':
		return "i"
	case 'þ':
		return "th"
	case 'ħ':
		return "h"
	case 'ə':
		return "a"
	}
	// Latin letters with marks lie in these blocks; the rest of Unicode is not decomposed.
	if r < 0xc0 || r > 0x24f && (r < 0x1e00 || r > 0x1eff) {
		return ""
	}
	var room [8]byte
	form := norm.NFD.AppendString(room[:0], string(r))
	if form[0] < 'a' || form[0] > 'z' {
		return ""
	}

	return letters[form[0]-'a' : form[0]-'a'+1]
}

const letters = "abcdefghijklmnopqrstuvwxyz"
