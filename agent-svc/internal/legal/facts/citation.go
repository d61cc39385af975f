package facts

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Kind of what is cited.
const (
	CaseLaw    = "case"
	Statute    = "statute"
	Regulation = "regulation"
	CourtRule  = "rule"
)

// Citation is a place where a text cites a case, statute, regulation or rule. What it says is reported, not vouched
// for.
type Citation struct {
	Span          // with the years and pages behind it
	Core   Span   // the citation itself: volume, reporter and page, or title and section
	Kind   string // CaseLaw, Statute, Regulation or CourtRule
	Key    string // the same for all citations of one authority, as far as its form tells
	Short  bool   // a short form, which names a volume but not where the case begins
	FormOK bool   // volume and page are in range, and the year inside the years of the edition
	Year   int    // of a case, 0 when it does not stand there
	// Parallel says that it names the same case as the citation before it, in another reporter.
	Parallel bool
	Pin      Span // the pages, paragraphs or subsections that it points to; empty when it points to the whole
}

// Citations returns the citations of a text in their order. "Id." and "supra" are not among them: they name no
// authority of their own.
func Citations(text string) []Citation {
	var list []Citation

	// Citations begin with a digit, a capital or a section sign. Passing over all other bytes at once makes most of the
	// speed.
	anchor := bytesOf("\xC2ABCDEFGHIJKLMNOPQRSTUVWXYZ" + digits)
	for i := anchored(text, 0, &anchor); i < len(text) && len(list) < mostOfAKind; i = anchored(text, i+1, &anchor) {
		var c Citation
		ok := false

		switch b := text[i]; {
		case isDigit(b):
			end := i
			for end < len(text) && isDigit(text[end]) {
				end++
			}
			if c, ok = numberedOrListed(text, i, end); !ok {
				// No part of these digits can begin a citation, so the scan goes on behind them.
				i = end - 1
			}
		case b == 0xC2:
			if strings.HasPrefix(text[i:], "§") {
				c, ok = sectioned(text, i)
			}
		// A capital within a word, as in "McDonald", begins nothing.
		case wordBefore(text, i):
		case b == 'F' && (strings.HasPrefix(text[i:], "Fed") || strings.HasPrefix(text[i:], "FED")):
			c, ok = courtRule(text, i)
		case b == 'R' && ruleLike(text, i):
			if c, ok = ruleOf(text, i); !ok {
				c, ok = bareCode(text, i)
			}
		case codeLike(text, i):
			c, ok = bareCode(text, i)
		}
		if !ok {
			c, ok = bareName(text, i)
		}
		// A reading from a section sign begins before byte i, and may reach into the citation before it.
		if !ok || len(list) > 0 && c.Start < list[len(list)-1].End {
			continue
		}
		if n := len(list); n > 0 {
			c.Parallel = parallel(text, list[n-1], c)
		}
		c.Pin = pinBehind(text, c)
		list = further(text, append(list, c))
		i = list[len(list)-1].End - 1
	}

	return settle(list)
}

// settle gives parallel citations one key.
func settle(list []Citation) []Citation {
	for i := range list {
		if list[i].Parallel {
			list[i].Key = list[i-1].Key
		}
	}

	return list
}

// parallel reports whether a citation names the same case as the one before it: only a comma and page numbers stand
// between them, and not the brackets with the year.
func parallel(text string, before, c Citation) bool {
	if !c.inFull() || !before.inFull() || before.End != before.Core.End {
		return false
	}
	between := text[before.End:c.Start]

	return len(between) <= 24 && strings.HasPrefix(between, ",") && strings.Trim(between, " \n,-–0123456789") == ""
}

// inFull reports whether a citation says where a case begins, and not only a page of one that was cited before.
func (c Citation) inFull() bool { return c.Kind == CaseLaw && !c.Short }

// numberedOrListed reads what begins with the number from i to end, by what most papers cite and else by the table.
func numberedOrListed(text string, i, end int) (Citation, bool) {
	if end-i > 4 || i > 0 && (isWord(text[i-1]) || strings.IndexByte(".$/-", text[i-1]) >= 0) {
		return Citation{}, false
	}
	if c, ok := numbered(text, i, end); ok {
		return c, true
	}

	return fromTable(text, i, end)
}

// numbered reads what begins with the number from i to end: a volume or a title.
func numbered(text string, i, end int) (Citation, bool) {
	if c, ok := ohio(text, i, end); ok {
		return c, true
	}
	if c, ok := spelled(text, i, end); ok {
		return c, true
	}
	if c, ok := hyphenated(text, i, end); ok {
		return c, true
	}
	at, ok := blanks(text, end)
	if !ok || at == end || at >= len(text) || !isUpper(text[at]) {
		return Citation{}, false
	}
	volume, _, _ := number(text, i, 4)
	if c, ok := titled(text, i, volume, at); ok {
		return c, true
	}
	if c, ok := database(text, i, volume, at); ok {
		return c, true
	}

	return reported(text, i, volume, at)
}

// titled reads a section of a code that has numbered titles: "42 U.S.C. § 1983", "29 C.F.R. 1614.105", "735 ILCS
// 5/9-209".
func titled(text string, i, title, at int) (Citation, bool) {
	for _, code := range [...]struct{ name, short, kind string }{
		{"U.S.C.A.", "usc", Statute},
		{"U.S.C.", "usc", Statute},
		{"USCA", "usc", Statute},
		{"USC", "usc", Statute},
		{"C.F.R.", "cfr", Regulation},
		{"CFR", "cfr", Regulation},
		{"ILCS", "ilcs", Statute},
		{"Ill.Comp.Stat.", "ilcs", Statute},
		{"Fed.Reg.", "fedreg", Regulation},
		{"Stat.", "stat", Statute},
		{"Pa.C.S.", "PA pacs", Statute},
		{"V.S.A.", "VT vsa", Statute},
		{"M.R.S.", "ME mrs", Statute},
		{"Del.C.", "DE delc", Statute},
	} {
		// Names with the same beginning stand with the longest first, so the first that fits is right.
		if code.name[0] != text[at] {
			continue
		}
		end, ok := spaced(text, at, code.name)
		if !ok || end < len(text) && isWord(text[end]) {
			continue
		}
		section, core, ok := section(text, end)
		if !ok {
			return Citation{}, false
		}
		if code.short == "stat" && strings.ContainsAny(section, ".-/:") {
			// Statutes at Large are cited by page. What has a section is another code that is cut short the same way.
			return Citation{}, false
		}
		key := code.short + " " + strconv.Itoa(title) + " " + section

		return Citation{
			Span:   Span{i, core},
			Core:   Span{i, core},
			Kind:   code.kind,
			Key:    key,
			FormOK: hasTitle(code.short, title),
		}, true
	}

	return Citation{}, false
}

// hasTitle reports whether a code can have a title of a number: the United States Code has 54, the Code of Federal
// Regulations 50. Of the other codes nothing is known here.
func hasTitle(code string, title int) bool {
	switch code {
	case "usc":
		return title >= 1 && title <= 54
	case "cfr":
		return title >= 1 && title <= 50
	}

	return title >= 1
}

const longestSection = 24 // bytes of the number of a section

// inSection reports whether a byte can belong to the number of a section, "300aa-25" or "1614.105".
func inSection(c byte) bool { return isDigit(c) || isLetter(c) || partsSection(c) }

func partsSection(c byte) bool { return strings.IndexByte(".-/:", c) >= 0 }

// sectionRange reports whether two numbers with a hyphen between them are the first and the last section of a range,
// "1331-1332", and no section whose own number has a hyphen, such as "2-314".
func sectionRange(first, last string) bool {
	if len(first) < 3 || len(first) > len(last) || first > last {
		return false
	}

	return strings.Trim(first+last, digits) == ""
}

// section reads the number of a section at byte i, behind a section sign or not, without its subsections in brackets.
func section(text string, i int) (name string, end int, ok bool) {
	at, ok := blanks(text, i)
	if !ok {
		return "", i, false
	}

	for range 2 {
		if strings.HasPrefix(text[at:], "§") {
			at += len("§")
		}
	}

	for _, word := range [...]string{
		"Sections ", "Section ", "Sec. ", "sections ", "section ", "secs. ", "sec. ",
		"Parts ", "Part ", "pts. ", "pt. ", "parts ", "part ", "ch. ", "art. ",
	} {
		at += len(text[at:]) - len(strings.TrimPrefix(text[at:], word))
	}
	if at, ok = blanks(text, at); !ok || at >= len(text) || !isDigit(text[at]) {
		return "", i, false
	}

	end = at
	for end < len(text) && end-at < longestSection && inSection(text[end]) {
		end++
	}

	for partsSection(text[end-1]) {
		end--
	}
	if first, last, ok := strings.Cut(text[at:end], "-"); ok && sectionRange(first, last) {
		// Of a range its first section is what is cited.
		end = at + len(first)
	}

	return strings.ToLower(text[at:end]), end, true
}

// database reads "2009 WL 123456" and "2008 U.S. Dist. LEXIS 12345".
func database(text string, i, year, at int) (Citation, bool) {
	if year < 1900 || year > lastYear {
		return Citation{}, false
	}
	end := at
	neutral := neutralAt(text, at)
	if neutral > at {
		end = neutral
	} else if strings.HasPrefix(text[at:], "WL") {
		end += len("WL")
	} else {
		reach := min(len(text), at+30)
		// The name of a court stands between the year and the word, as in "U.S. Dist. LEXIS".
		lexis := strings.Index(text[at:reach], "LEXIS")
		if lexis < 0 || strings.ContainsAny(text[at:at+lexis], ",;()") {
			return Citation{}, false
		}
		end += lexis + len("LEXIS")
	}
	from, ok := blanks(text, end)
	if !ok || from == end {
		return Citation{}, false
	}
	_, stop, ok := number(text, from, 9)
	if !ok || neutral > at && stop < len(text) && isWord(text[stop]) {
		return Citation{}, false
	}
	c := Citation{
		Span:   Span{i, stop},
		Core:   Span{i, stop},
		Kind:   CaseLaw,
		Key:    strings.ToLower(Fold(text[i:stop])),
		Year:   year,
		FormOK: true,
	}
	page, starred := starPage(text, stop)
	if _, c.End = parenthetical(text, page); starred && c.End == page && neutral == at {
		// Without court and day behind it, a page with a star repeats an earlier citation.
		c.Short, c.Core.End = true, page
	}

	return c, true
}

// reported reads volume, reporter and page, or the short form "550 U.S. at 556".
func reported(text string, i, volume, at int) (Citation, bool) {
	e, end, ok := editionAt(text, at)
	if !ok || volume > mostVolumes {
		return Citation{}, false
	}
	key := strconv.Itoa(volume) + " " + e.name
	if strings.HasPrefix(text[end:], ", at ") {
		end++
	}
	from, ok := blanks(text, end)
	if !ok || from == end {
		return Citation{}, false
	}
	short := strings.HasPrefix(text[from:], "at ")
	if short {
		from += len("at ")
	}
	page, stop, ok := number(text, from, 5)
	if !ok {
		// New decisions are cited with a line in place of the page until the volume is out.
		stop, ok = blankPage(text, from)
	}
	if !ok || stop < len(text) && isWord(text[stop]) || streetBehind(text, e, stop) {
		return Citation{}, false
	}
	c := Citation{Span: Span{i, stop}, Core: Span{i, stop}, Kind: CaseLaw, Key: key, Short: short}
	inRange := volume >= 1 && page >= 1 && (e.volumes == 0 || volume <= e.volumes)
	if (len(e.name) == len("F.") || !strings.Contains(e.name, ".")) && (short || !yearBehindPage(text, stop)) {
		// A lone letter between two numbers is more often the head of a list than a reporter.
		return Citation{}, false
	}
	if short {
		c.FormOK = inRange
		return c, true
	}
	c.Key += " " + strconv.Itoa(page)
	c.Year, c.End = parenthetical(text, stop)
	c.FormOK = inRange && c.Year >= e.first && (e.last == 0 || c.Year <= e.last)

	return c, true
}

// blankPage reads the line that stands for a page that is not known yet, as in "601 U.S. ___".
func blankPage(text string, i int) (end int, ok bool) {
	end = i
	for end < len(text) && text[end] == '_' {
		end++
	}

	return end, end-i >= len("__")
}

const mostVolumes = 999 // no edition has more

func yearBehindPage(text string, i int) bool {
	year, _ := parenthetical(text, i)
	return year > 0
}

const farthestYear = 90 // bytes from the page to the end of the brackets with the year

// parenthetical reads pages and the brackets with court and year behind a citation; without them the year is 0 and end
// is i.
func parenthetical(text string, i int) (year, end int) {
	at := i
	for at < len(text) && at-i < farthestYear && !opens(text[at]) {
		if c := text[at]; !pageByte(c) && !parallelByte(c) {
			return 0, i
		}
		at++
	}
	if at >= len(text) || !opens(text[at]) {
		return 0, i
	}
	// The brackets have to match: a stray one would take the year of another citation.
	closing := byte(')')
	if text[at] == '[' { // as courts of New York write
		closing = ']'
	}
	length := strings.IndexByte(text[at:min(len(text), at+farthestYear)], closing)
	if length < 5 {
		return 0, i
	}
	// The year stands last in its brackets, behind the court and the day.
	year, _, ok := yearAt(text, at+length-4)
	if !ok || wordBefore(text, at+length-4) {
		return 0, i
	}
	if strings.ContainsFunc(text[i:at], func(r rune) bool { return r >= 'A' && r <= 'Z' }) {
		// A parallel citation stands between. The brackets are its own, while the year is that of both.
		return year, i
	}

	return year, at + length + 1
}

// opens reports whether a byte opens the brackets of a year.
func opens(c byte) bool { return c == '(' || c == '[' }

// pageByte reports whether a byte can belong to the pages and notes between a citation and its year.
func pageByte(c byte) bool {
	return isDigit(c) || isSpace(c) || strings.IndexByte(",-*n.&", c) >= 0 || c >= utf8.RuneSelf
}

// parallelByte reports whether a byte can belong to a parallel citation: those of "S. Ct.", "F. Supp.", "2d", "4th".
func parallelByte(c byte) bool { return isUpper(c) || strings.IndexByte("dthprul", c) >= 0 }
