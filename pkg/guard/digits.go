package guard

import (
	"strings"
	"unicode/utf8"
)

// A run of digit groups is at most maxGroups long; a longer one, such as a table of numbers, is read in overlapping
// pieces.
const (
	maxGroups    = 24
	groupOverlap = 8
	longestRun   = 20 // digits kept of one group; a longer group is no telephone number
	maxIgnored   = 16 // invisible runes read through between two digits
	maxJoin      = 4  // runes between two groups
	fewestDigits = 7  // a run with less spells nothing
)

// group is a stretch of digits.
type group struct {
	start, end int // bytes
	n          int // digits, counted beyond longestRun too
	digit      [longestRun]byte
	before     join // what joins it to the group before
}

// join is what stands between two groups of digits. The zero join joins nothing.
type join struct {
	any, space  bool
	mark        rune // the last of - . / in it, dashes folded to '-'
	open, close bool // parentheses
}

// tight reports whether the join makes one token of two groups.
func (j join) tight() bool { return j.plain() && !j.space }

// spaceOnly reports whether the join is nothing but blank.
func (j join) spaceOnly() bool { return j.plain() && j.space && j.mark == 0 }

// plain reports whether there is a join, and no parenthesis in it.
func (j join) plain() bool { return j.any && !j.open && !j.close }

// number is a run of groups with what stands before and after it.
type number struct {
	g    []group
	plus bool // a plus sign stands before the first group
	prev rune // before the first group, its plus and its parenthesis; utf8.RuneError at the start
	next rune // behind the last group
}

// digits reads the run that begins at byte i, judges it and returns where to go on.
func (s *scan) digits(i int) int {
	if end := s.fewDigits(i); end > 0 {
		return end
	}
	num := &s.number
	*num = number{g: s.store[:0]}
	num.prev, num.plus = s.lookBack(i)

	var before join
	for {
		end, full := s.groups(i, before, num)
		if !full {
			s.judge(num, len(num.g))
			return end
		}
		// Go on with the last groups, so that nothing is lost where the pieces meet.
		first := num.g[s.judge(num, len(num.g)-groupOverlap)]
		i, before = first.start, first.before
		*num = number{g: s.store[:0], prev: utf8.RuneError}
	}
}

// fewDigits returns where a run ends that begins at byte i and is one group of less than fewestDigits, as most are, and
// 0 where there may be more.
func (s *scan) fewDigits(i int) int {
	end := i
	for end < len(s.text) && digit(s.text[end]) {
		end++
	}
	if end-i >= fewestDigits {
		return 0
	}

	next := end
	if next < len(s.text) && s.text[next] == ' ' {
		next++
	}
	// What follows may join more digits: the long way decides.
	if next < len(s.text) && !unjoined[s.text[next]] {
		return 0
	}

	return end
}

// unjoined are the bytes that join no digits.
var unjoined = stopsAt(func(c byte) bool {
	return c > ' ' && c < utf8.RuneSelf && !digit(c) && strings.IndexByte("-./()", c) < 0
})

// lookBack reports the rune before a run, and whether a plus belongs to it. An opening parenthesis belongs to it too.
func (s *scan) lookBack(i int) (prev rune, plus bool) {
	for range 3 {
		r, width := utf8.DecodeLastRuneInString(s.text[:i])
		switch {
		case r == '+' || r == '＋':
			plus = true
		case r == '(' || ignorable(r):
		default:
			return r, plus
		}
		i -= width
	}

	return ' ', plus
}

// groups appends the groups from byte i on. It returns where the run ends, and whether it stopped because num is full.
func (s *scan) groups(i int, before join, num *number) (end int, full bool) {
	for {
		g := s.group(i)
		g.before = before
		num.g = append(num.g, g)
		next, j, ok := s.join(g.end)
		if !ok {
			num.next, _ = utf8.DecodeRuneInString(s.text[g.end:])
			return g.end, false
		}
		if len(num.g) == maxGroups {
			return g.end, true
		}
		i, before = next, j
	}
}

// group reads digits from byte i on, through invisible runes.
func (s *scan) group(i int) group {
	g := group{start: i}

	ignored := 0
	for i < len(s.text) && ignored <= maxIgnored {
		r, width := rune(s.text[i]), 1
		if r >= utf8.RuneSelf {
			r, width = utf8.DecodeRuneInString(s.text[i:])
		}
		if v, ok := digitValue(r); ok {
			// The digits are cut and the count is not, so that a long number never passes for a short one.
			if g.n < longestRun {
				g.digit[g.n] = v
			}
			g.n++
			g.end = i + width
			ignored = 0
		} else if !ignorable(r) {
			break
		} else {
			// The bound keeps a text of invisible characters linear.
			ignored++
		}
		i += width
	}

	return g
}

// join reads what joins the group that ends at byte i to the next, and returns where that one begins. Two blanks and
// nothing else join nothing: they stand between columns.
func (s *scan) join(i int) (next int, j join, ok bool) {
	blanks := 0

	for range maxJoin + 1 {
		r, width := utf8.DecodeRuneInString(s.text[i:])
		if _, digit := digitValue(r); digit {
			return i, j, j.any && !(blanks > 1 && j.spaceOnly())
		}
		j.any = true

		switch r {
		case ' ', '\u00a0', '\u2002', '\u2003', '\u2007', '\u2009', '\u202f':
			j.space = true
			blanks++
		case '\n', '\r':
			// A number goes on in the next line behind a hyphen or a bracket, and not between two blanks.
			if j.mark == 0 && !j.close {
				return 0, join{}, false // a new line, unless a number is broken there
			}
			j.space = true
		case '-', '\u2010', '\u2011', '\u2012', '\u2013', '\u2014', '\u2212', '－':
			j.mark = '-'
		case '.', '/', '·':
			j.mark = r
		case '(', '（':
			j.open = true
		case ')', '）':
			j.close = true
		default:
			if !ignorable(r) {
				return 0, join{}, false
			}
		}
		i += width
	}

	return 0, join{}, false
}

// judge records what the groups of a run spell, each group at most once, looking at those before end. It returns the
// first group that it has not judged.
func (s *scan) judge(num *number, end int) int {
	if num.digits() < fewestDigits {
		return end
	}

	i := 0
	for i < end {
		kind, took := s.window(num, i)
		if took == 0 {
			i++
			continue
		}
		s.add(kind, num.g[i].start, num.g[i+took-1].end)
		i += took
	}

	return i
}

// window reports what the groups from i on spell and how many of them belong to it, 0 for nothing.
func (s *scan) window(num *number, i int) (kind string, took int) {
	// First, since its shape is the narrower one.
	if n := s.social(num, i); n > 0 {
		return KindIDNumber, n
	}
	if n := s.phone(num, i); n > 0 {
		return KindPhone, n
	}

	return "", 0
}

// apart reports whether groups i to i+n-1 stand apart from the rest of the run: a tight join to a neighbour makes a
// longer token of them, unless it is the stroke between two numbers, and so does a blank when they are joined by blanks
// only.
func (num *number) apart(i, n int, blanks bool) bool {
	for _, j := range []join{num.at(i).before, num.at(i + n).before} {
		// Two numbers are often listed with a stroke: "555-0134/555-0135".
		if j.tight() && j.mark != '/' || blanks && j.any {
			return false
		}
	}

	return true
}

// digits counts the digits of the run.
func (num *number) digits() int {
	n := 0
	for i := range num.g {
		n += num.g[i].n
	}

	return n
}

// at returns group i, or one that joins nothing beyond the ends.
func (num *number) at(i int) group {
	if i < 0 || i >= len(num.g) {
		return group{}
	}

	return num.g[i]
}

// glued reports whether a run of n groups from i on continues a word, a sum or a longer token on either side.
func (num *number) glued(i, n int) bool {
	// A sign of a currency or of an equation makes an amount of the digits.
	if i == 0 {
		switch p := num.prev; {
		case p == '-', p == '.', p == '/', p == '_', p == '$', p == '€', p == '£', p == '¥', p == '=', wordRune(p):
			return true
		}
	}

	return i+n == len(num.g) && (num.next == '_' || num.next == '%' || wordRune(num.next))
}

// wordRune reports whether r is a letter of a word.
func wordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return upper(byte(r)) || lower(byte(r))
	}
	punctuation := r >= 0x2000 && r <= 0x303f // from General Punctuation to the punctuation of CJK

	return r > 0xbf && r != utf8.RuneError && !punctuation && !ignorable(r)
}

// value returns the number that the first n digits spell.
func (g group) value(n int) int {
	v := 0
	for _, d := range g.digit[:min(n, g.n, longestRun)] {
		v = v*10 + int(d)
	}

	return v
}
