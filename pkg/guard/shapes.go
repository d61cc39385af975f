package guard

// social reports how many groups from i on are a US social security or individual taxpayer number.
func (s *scan) social(num *number, i int) int {
	if n := s.socialParts(num, i); n > 0 {
		return n
	}
	g := num.g[i]
	if g.n == 9 && !num.glued(i, 1) && num.apart(i, 1, false) && s.afterWord(g.start, socialWord) {
		return 1
	}

	return 0
}

// socialParts wants three, two and four digits, joined alike, in a range that has been issued.
func (s *scan) socialParts(num *number, i int) int {
	a, b, c := num.g[i], num.at(i+1), num.at(i+2)
	if a.n != 3 || b.n != 2 || c.n != 4 {
		return 0
	}
	if !alike(b.before, c.before) || !num.apart(i, 3, b.before.spaceOnly()) {
		return 0
	}
	if middle := b.value(2); middle == 0 || c.value(4) == 0 || !issuedArea(a.value(3), middle) {
		return 0
	}
	if s.citedBefore(a.start) {
		return 0
	}

	return 3
}

// issuedArea reports whether social security numbers of an area, the first three digits, were issued. Those from 900 on
// are numbers for taxes (ITIN), whose middle part begins at 50.
func issuedArea(area, middle int) bool {
	return area != 0 && area != 666 && (area < 900 || middle >= 50)
}

// alike reports whether two joins are of one sort: blanks, or the same mark.
func alike(a, b join) bool {
	return a.plain() && b.plain() && a.mark == b.mark
}

// phone reports how many groups from i on are a telephone number.
func (s *scan) phone(num *number, i int) int {
	for _, rule := range []func(*number, int) int{s.abroad, s.american, s.solid, s.trunk, s.announced, s.domestic} {
		if n := rule(num, i); n > 0 {
			return n
		}
	}

	return 0
}

// abroad reads an international number: a plus, or 00 and at least three groups.
func (s *scan) abroad(num *number, i int) int {
	g := num.g[i]
	plus := i == 0 && num.plus && g.digit[0] != 0
	prefix := g.n >= 3 && g.n <= 5 && g.value(3) > 0 && g.value(3) < 10 // two zeros and the code of a country
	zeros := prefix && !g.before.any && !num.glued(i, 1)
	if !plus && !zeros {
		return 0
	}
	took, digits := num.upTo(i, 15)
	if plus && digits >= 8 {
		return took
	}
	if zeros && digits >= 10 && took >= 3 {
		return took
	}

	return 0
}

// upTo counts the groups from i on that hold at most most digits in all.
func (num *number) upTo(i, most int) (groups, digits int) {
	for ; i+groups < len(num.g) && digits+num.g[i+groups].n <= most; groups++ {
		digits += num.g[i+groups].n
	}

	return groups, digits
}

// american reads area code, exchange and line in three groups, with or without the country code before them.
func (s *scan) american(num *number, i int) int {
	lead := 0
	if g := num.g[i]; g.n == 1 && g.digit[0] == 1 && num.at(i+1).before.any {
		lead = 1
	}
	a, b, c := num.at(i+lead), num.at(i+lead+1), num.at(i+lead+2)
	if a.n != 3 || !areaCode(a) {
		return 0
	}
	paren := b.before.close
	if paren && b.n == 7 && exchange(b) {
		return lead + 2 // (212) 5550123
	}
	if b.n != 3 || c.n != 4 || !exchange(b) || c.before.close {
		return 0
	}
	blanks := b.before.spaceOnly() && c.before.spaceOnly()
	if !num.apart(i, lead+3, blanks) || !paren && s.citedBefore(num.g[i].start) {
		return 0
	}

	return lead + 3
}

// solid reads ten or eleven digits without a break.
func (s *scan) solid(num *number, i int) int {
	g := num.g[i]
	if num.glued(i, 1) || !num.apart(i, 1, false) {
		return 0
	}
	rest := g
	if g.n == 11 && g.digit[0] == 1 {
		copy(rest.digit[:], g.digit[1:])
		rest.n = 10
	}
	if rest.n != 10 || !areaCode(rest) {
		return 0
	}
	line := rest
	copy(line.digit[:], rest.digit[3:])
	// Amounts and counts of ten digits end in noughts.
	if exchange(line) && line.value(7)%1000 != 0 {
		return 1
	}

	return 0
}

// areaCode reports whether the first three digits can be a North American area code.
func areaCode(g group) bool { return g.digit[0] >= 2 && g.digit[1] != 9 && !service(g) }

// exchange reports whether the first three digits can be a North American exchange.
func exchange(g group) bool { return g.digit[0] >= 2 && !service(g) }

// service reports whether the first three digits are 211, 311 … 911, which no number begins with.
func service(g group) bool { return g.digit[1] == 1 && g.digit[2] == 1 }

// trunk reads a national number of other countries, which begins with a zero: "020 7946 0958", "(02) 9876 5432",
// "01 23 45 67 89".
func (s *scan) trunk(num *number, i int) int {
	g := num.g[i]
	if g.n < 2 || g.n > 5 || g.digit[0] != 0 || g.digit[1] == 0 {
		return 0
	}
	if g.before.any || num.glued(i, 1) {
		return 0
	}
	took, digits := 1, g.n

	pairs := g.n == 2
	for took < 5 && i+took < len(num.g) {
		next := num.g[i+took]
		if next.before.mark != 0 && next.before.mark != num.g[i+1].before.mark {
			break
		}
		pairs = pairs && next.n == 2
		if !pairs && next.n < 3 || digits+next.n > 12 {
			break
		}
		took++
		digits += next.n
	}
	paren := num.at(i + 1).before.close

	blanks := num.at(i + 1).before.spaceOnly()
	areaCode := blanks && !pairs && g.n >= 3 && took >= 2

	switch {
	case paren && !pairs && digits >= 9:
		return took
	// France writes ten digits in pairs; a longer run of pairs is a table.
	case pairs && took == 5 && len(num.g) == 5 && !rising(num.g):
		return took
	case areaCode && digits >= 10 && digits <= 11 && num.apart(i, took, true):
		return took
	}

	return 0
}

// rising reports whether each group is the number after the one before, as in a list of months or lines.
func rising(g []group) bool {
	for i := 1; i < len(g); i++ {
		if g[i].value(4) != g[i-1].value(4)+1 {
			return false
		}
	}

	return true
}

// announced reads shorter or unusual numbers that follow a word such as "phone": 555-0134, 5550134, 030 123456.
func (s *scan) announced(num *number, i int) int {
	g := num.g[i]
	if g.before.tight() || g.n > 15 || num.glued(i, 1) && wordRune(num.prev) {
		return 0
	}

	took, digits := num.upTo(i, 15)
	for took > 1 && num.g[i+took-1].before.space && digits-num.g[i+took-1].n >= 9 {
		took-- // what follows a whole number after a blank is something else
		digits -= num.g[i+took].n
	}
	local := took >= 2 && g.n == 3 && num.g[i+1].n == 4 && exchange(g)
	bare := g.n == 7 && exchange(g) && g.value(7)%1000 != 0
	// A date behind "called on" is none.
	long := digits >= 8 && !calendar(num.g[i:i+took]) && !day(g)
	if !(local || bare || long) || !s.afterWord(g.start, phoneWord) {
		return 0
	}

	switch {
	case long:
		return took
	case local:
		return 2
	}

	return 1
}

// day reports whether eight digits are a day written without marks, 20240311.
func day(g group) bool {
	if g.n != 8 {
		return false
	}
	v := g.value(8)

	return v >= 18000101 && v <= 21991231 && v/100%100 <= 12 && v%100 <= 31
}

// calendar reports whether groups begin like a date or a span of years.
func calendar(g []group) bool {
	if len(g) < 2 {
		return false
	}
	if len(g) == 2 {
		return year(g[0]) && year(g[1])
	}
	yearFirst := year(g[0]) && g[1].n <= 2 && g[2].n <= 2
	last := year(g[2]) || g[2].n == 2 && len(g) == 3
	yearLast := last && g[0].n <= 2 && g[1].n <= 2

	return yearFirst || yearLast
}

func year(g group) bool { v := g.value(4); return g.n == 4 && v >= 1800 && v <= 2199 }
