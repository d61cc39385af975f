package facts

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
)

//go:embed words/reporters.txt
var reporterNames string

const longestReporter = 44 // bytes of a name without its blanks

// listed is a reporter or code of the table.
type listed struct {
	name        string // of the edition, without blanks
	kind        string
	first, last int // years; 0 when they are not known
}

// reporterTable has the reporters and codes by their names without blanks, those that few papers cite among them.
var reporterTable = sync.OnceValue(func() map[string]listed {
	table := map[string]listed{}

	for line := range strings.Lines(reporterNames) {
		part := strings.Split(strings.TrimRight(line, "\n"), "\t")
		if len(part) < 3 || strings.HasPrefix(line, "#") {
			continue
		}
		one := listed{name: part[1], kind: map[string]string{"c": CaseLaw, "s": Statute, "r": Regulation}[part[2]]}
		if one.name == "" {
			one.name = part[0]
		}
		if len(part) > 3 {
			one.first, _ = strconv.Atoi(part[3])
		}
		if len(part) > 4 {
			one.last, _ = strconv.Atoi(part[4])
		}
		table[part[0]] = one
	}

	return table
})

// listedAt returns the reporter or code of the table whose name begins at byte i, the longest of several, and where
// the name ends.
func listedAt(text string, i int) (found listed, name string, end int) {
	var buffer [longestReporter]byte
	n := 0

	for at := i; at < len(text) && n < len(buffer); at++ {
		c := text[at]
		switch {
		case c == ' ' || c == '\n':
			continue
		case strings.HasPrefix(text[at:], "’"):
			c = '\''
		case !isWord(c) && strings.IndexByte(".'&-(),", c) < 0 || c >= 0x80:
			return found, name, end
		}
		buffer[n] = c
		n++
		if c == '\'' && text[at] != c {
			at += len("’") - 1
		}
		if at+1 < len(text) && isWord(text[at+1]) && c != '.' {
			continue // within a word
		}
		if one, ok := reporterTable()[string(buffer[:n])]; ok {
			found, name, end = one, string(buffer[:n]), at+1
		}
	}

	return found, name, end
}

// fromTable reads a citation by the table: a volume or year that ends at byte end, a name, and a page or section;
// without a volume end is i.
func fromTable(text string, i, end int) (Citation, bool) {
	volume, at, ok := behindVolume(text, i, end)
	if !ok {
		return Citation{}, false
	}
	one, name, stop := listedAt(text, at)
	if name == "" {
		return Citation{}, false
	}
	page, last, ok := pageAt(text, stop)
	if !ok {
		return Citation{}, false
	}
	c := Citation{Span: Span{i, last}, Core: Span{i, last}, Kind: one.kind, FormOK: true}
	if ordinal(page) {
		return Citation{}, false // a street
	}
	if _, closed := parenthetical(text, last); closed == last && !one.sure(name, page, end-i) {
		return Citation{}, false // the year is that of another citation, or there is none
	}
	c.Key = strings.ToLower(strings.TrimSpace(Fold(text[i:volume]) + " " + one.name + " " + page))
	if one.kind == CaseLaw {
		c.Year, c.End = parenthetical(text, last)
		c.FormOK = one.covers(c.Year)
	}

	return c, true
}

// preliminary returns the end of a roman number of two and more at byte i, as pages of front matter have it; i when
// none stands there.
func preliminary(text string, i int) int {
	end := wordAt(text, i)
	word := strings.ToLower(text[i:end])
	if len(word) < 2 || len(word) > 8 || strings.Trim(word, "ivxlc") != "" {
		return i
	}

	return end
}

// hyphenated reads "2005-NMCA-078" from the year that ends at byte end.
func hyphenated(text string, i, end int) (Citation, bool) {
	at, ok := blanks(text, end)
	if !ok || end-i != 4 || at >= len(text) || text[at] != '-' {
		return Citation{}, false
	}
	word := wordAt(text, at+1)
	one, known := reporterTable()[text[at+1:word]]
	if !known || word >= len(text) || text[word] != '-' {
		return Citation{}, false
	}
	from, ok := blanks(text, word+1)
	if !ok {
		return Citation{}, false
	}
	n, stop, ok := number(text, from, 6)
	year, _, _ := number(text, i, 4)
	core := Span{i, stop}

	return Citation{
		Span: core, Core: core, Kind: CaseLaw,
		Key: strconv.Itoa(year) + "-" + strings.ToLower(one.name) + "-" + strconv.Itoa(n), Year: year,
		FormOK: year >= one.first && year <= lastYear,
	}, ok
}

// bareName reads a citation that begins with the name of a reporter or code of the table, at a capital letter. Only
// what has a number not far behind it is looked at.
func bareName(text string, i int) (Citation, bool) {
	if !isUpper(text[i]) || wordBefore(text, i) {
		return Citation{}, false
	}
	if c, ok := numberedLaw(text, i); ok {
		return c, true
	}
	if !abbreviated(text, i) {
		return Citation{}, false
	}
	reach := text[i:min(len(text), i+longestReporter+10)]
	if sign := strings.Index(reach, "§"); sign >= 0 {
		if c, ok := sectioned(text, i+sign); ok && c.Start <= i+sign {
			return Citation{}, false // the code of a state, which is read at its section sign
		}
	}

	return fromTable(text, i, i)
}

// abbreviated reports whether a number follows not far behind byte i, with a full stop, a comma or a bracket before
// it, as in all bare names.
func abbreviated(text string, i int) bool {
	marked := false

	for _, c := range []byte(text[i:min(len(text), i+longestReporter+10)]) {
		switch {
		case isDigit(c):
			return marked
		case c == '.' || c == ',' || c == ')':
			marked = true
		case c == ';' || c == ':' || c == '"':
			return false
		}
	}

	return false
}

// behindVolume returns where a volume ends, such as 71A or 93-1, and where the name behind it begins. Without a
// volume end is i.
func behindVolume(text string, i, end int) (volume, at int, ok bool) {
	volume = end
	for volume > i && volume < min(len(text), end+3) {
		if c := text[volume]; !isUpper(c) && c != '-' && (volume == end || !isDigit(c)) {
			break
		}
		volume++
	}
	at, ok = blanks(text, volume)
	if end > i && at == volume {
		return volume, at, false
	}

	return volume, at, ok && at < len(text) && isUpper(text[at])
}

// covers reports whether a year is one of the edition; 0 is a year that is not known.
func (l listed) covers(year int) bool {
	if year > 0 && year < l.first {
		return false
	}

	return l.last == 0 || year <= l.last
}

// sure reports whether a name and a page are a citation without a year behind them. volume is the length of the
// number before the name.
func (l listed) sure(name, page string, volume int) bool {
	switch {
	case l.kind != CaseLaw:
		return plainly(name, volume > 0)
	case volume == 0: // a service of loose leaves, or a page that begins with the year
		return strings.HasSuffix(name, ")") || strings.Count(name, ".") > 1 && yearThenNumber(page)
	}

	return volume < len("2009") && plainly(name, true)
}

// plainly reports whether a name can be nothing but that of a reporter or code: one that is long or has several
// abbreviations. What is short or without a stop needs a year behind its page.
func plainly(name string, volume bool) bool {
	stops := strings.Count(name, ".")
	if !volume {
		return stops >= 1 && len(name) >= len("Ala.Code")
	}

	if strings.HasSuffix(name, "Laws") || strings.HasSuffix(name, "Acts") {
		return true
	}

	return stops >= 2 || stops == 1 && len(name) >= len("Atl.")
}

const longestInset = 24 // bytes of the brackets between a reporter and its page

// pageAt reads the page, paragraph or section behind a name.
func pageAt(text string, i int) (page string, end int, ok bool) {
	at, ok := blanks(text, i)
	if !ok {
		return "", i, false
	}
	if at < len(text) && text[at] == ',' {
		if at, ok = blanks(text, at+1); !ok {
			return "", i, false
		}
	}
	if at, ok = behindInset(text, at); !ok {
		return "", i, false
	}
	at = behindPageWords(text, at)
	if end = preliminary(text, at); end > at {
		return strings.ToLower(text[at:end]), end, true
	}
	if end = pageEnd(text, at); end == at {
		return "", i, false
	}

	return strings.ToLower(strings.ReplaceAll(text[at:end], ",", "")), end, true
}

// behindInset returns what follows the brackets at byte i, as in "1 U.S. (1 Wall.) 12" and "2 Law Bul. (1857) 3"; i
// when there are none.
func behindInset(text string, i int) (at int, ok bool) {
	if i >= len(text) || text[i] != '(' {
		return i, true
	}
	length := strings.IndexByte(text[i:min(len(text), i+longestInset)], ')')
	if length < 0 {
		return i, false
	}

	return blanks(text, i+length+1)
}

// pageWords stand between a name and its page, the longer first.
var pageWords = [...]string{
	"§§", "§", "¶¶", "¶", "No.", "no.", "p.", "at", "Page", "page", "paras.", "para.", "par.", "art.",
	"art", "r.", "reg.",
	"ch.", "tit.", "P",
}

func behindPageWords(text string, at int) int {
	for range 2 {
		for _, word := range pageWords {
			rest := text[at:]
			if !strings.HasPrefix(rest, word) || len(rest) > len(word) && isLetter(rest[len(word)]) {
				continue
			}
			if next, ok := blanks(text, at+len(word)); ok {
				at = next
			}

			break
		}
	}

	return at
}

// pageEnd returns the end of the page or section at byte i; i when there is none.
func pageEnd(text string, i int) int {
	end := i
	if end+1 < len(text) && isUpper(text[end]) && isDigit(text[end+1]) {
		end++ // "D2629", of a weekly
	}

	for end < min(len(text), i+24) {
		if c := text[end]; !isDigit(c) && (end == i || !isLetter(c) && strings.IndexByte("-,.:/", c) < 0) {
			break
		}
		end++
	}

	for end > i && strings.IndexByte("-,.:/", text[end-1]) >= 0 {
		end--
	}
	if end > i && end+2 < len(text) && isUpper(text[end+1]) {
		if pair := text[end:end+1] + text[end+2:end+3]; pair == "()" || pair == "[]" {
			end += len("(U)") // of a table of unpublished decisions
		}
	}

	return end
}

// yearThenNumber reports whether a page is a year and a number, as in "2019-233".
func yearThenNumber(page string) bool {
	year, n, ok := strings.Cut(page, "-")
	return ok && len(year) == 4 && strings.Trim(year+n, digits) == ""
}

func ordinal(page string) bool {
	for _, ending := range [...]string{"st", "nd", "rd", "th"} {
		if strings.HasSuffix(page, ending) {
			return true
		}
	}

	return false
}
