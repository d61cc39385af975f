package facts

import (
	"slices"
	"strings"
)

// written returns the sums whose number is written in words, in their order.
func written(text string) []Amount {
	var list []Amount
	// The unit is rarer than number words, so the search begins there and reads back.
	for _, unit := range [...]string{"ollar", "DOLLAR", " cents", " euros"} { // the first in either case
		for from := 0; len(list) < mostOfAKind; {
			at := strings.Index(text[from:], unit)
			if at < 0 {
				break
			}
			at += from

			from = at + len(unit)
			switch unit[0] {
			case ' ':
				at++
			case 'o':
				at--
			}
			if at > 0 && !wordBefore(text, at) {
				if a, ok := inWords(text, at); ok {
					list = append(list, a)
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b Amount) int { return a.Start - b.Start })

	return list
}

// inWords reads the sum whose unit, or its main word, begins at byte i.
func inWords(text string, i int) (Amount, bool) {
	currency, hundredth, end, ok := currencyUnit(text, i, false)
	if !ok {
		return Amount{}, false
	}

	for _, country := range [...]struct{ name, code string }{
		{"U.S. ", "USD"},
		{"US ", "USD"},
		{"United States ", "USD"},
		{"Canadian ", "CAD"},
		{"Australian ", "AUD"},
		{"New Zealand ", "NZD"},
		{"Hong Kong ", "HKD"},
	} {
		if strings.HasSuffix(text[:i], country.name) {
			i -= len(country.name)
			// The unit may have named the country already.
			if currency == "USD" {
				currency = country.code
			}

			break
		}
	}
	at, parts := hundredths(text, i)
	n, start, ok := cardinalBefore(text, at)
	// More than ninety-nine cents in words are a slip or another number.
	if !ok || n > mostCents/100 || hundredth && n > 99 {
		return Amount{}, false
	}
	a := Amount{Span: Span{start, end}, Currency: currency, Cents: n*100 + parts}
	if hundredth {
		a.Cents = n
	}

	return a, true
}

// hundredths reads "and 50/100" or "and No/100" before the unit at byte i, and returns where it begins.
func hundredths(text string, i int) (at int, parts int64) {
	end := backBlanks(text, i)
	if !strings.HasSuffix(text[:end], "/100") {
		return i, 0
	}
	end -= len("/100")

	start := end
	for start > 0 && end-start < 2 && (isDigit(text[start-1]) || isLetter(text[start-1])) {
		start--
	}
	if n, stop, ok := number(text, start, 2); ok && stop == end {
		parts = int64(n)
	}
	// "and 50/100" is how checks and deeds write the cents.
	start = backBlanks(text, start)
	if at, ok := backWord(text, start, "and"); ok {
		start = backBlanks(text, at)
	}

	return start, parts
}

// ranged gives both ends of a range their unit and scale: "$2-3 million", "$10 to $15 million", "5,000 to 10,000
// dollars". a is the end that was read; the list with the beginning is returned.
func ranged(text string, list []Amount, a *Amount) []Amount {
	if n := len(list); n > 0 && list[n-1].Currency == a.Currency && list[n-1].End < a.Start {
		before := &list[n-1]
		// In "$2-3 million" the scale stands behind the end alone.
		scale, _ := scaleOf(text, *a)
		if own, _ := scaleOf(text, *before); scale > 1 && own == 1 && before.Cents*scale < a.Cents &&
			isRange(text, before.Span, a.Start) {
			before.Cents *= scale
		}

		return list
	}
	// A sum with a sign of its own takes none from its neighbour.
	if !isDigit(text[a.Start]) {
		return list
	}

	for _, joint := range [...]string{" to ", "-", "–"} {
		if !strings.HasSuffix(text[:a.Start], joint) {
			continue
		}
		end := a.Start - len(joint)

		start := end
		for start > 0 && end-start < 16 && (isDigit(text[start-1]) || text[start-1] == ',') {
			start--
		}
		taken := len(list) > 0 && start < list[len(list)-1].End
		marked := start > 0 && strings.IndexByte("$.-/§#", text[start-1]) >= 0 // the end of another number or sum
		if start == end || wordBefore(text, start) || taken || marked {
			break
		}
		cents, stop, ok := sum(text, start, false)
		if scale, _ := scaleOf(text, *a); ok && stop == end && cents*scale < a.Cents {
			list = append(list, Amount{Span: Span{start, end}, Currency: a.Currency, Cents: cents * scale})
		}

		break
	}

	return list
}

// farEnd reads the end of a range behind a sum whose sign stands only before its beginning: "$350-475", "$2 to 3
// million".
func farEnd(text string, near Amount) (Amount, bool) {
	for _, joint := range [...]string{"-", "–", " to "} {
		at := near.End + len(joint)
		if at >= len(text) || text[near.End:at] != joint || !isDigit(text[at]) {
			continue
		}
		cents, end, ok := sum(text, at, false)
		far := Amount{Span: Span{at, end}, Currency: near.Currency, Cents: cents}
		// The end of a range is larger, and what goes on with a hyphen, a stroke or a per cent sign is no sum.
		if !ok || cents <= near.Cents || end < len(text) && strings.IndexByte("-/%", text[end]) >= 0 {
			return Amount{}, false
		}
		if scale, _ := scaleOf(text, far); scale == 1 && joint == " to " {
			return Amount{}, false // as likely another number
		}

		return far, true
	}

	return Amount{}, false
}

// isRange reports whether a sum and what begins at byte next are the two ends of a range.
func isRange(text string, first Span, next int) bool {
	switch text[first.End:next] {
	case "-", "–", " to ", " - ", " – ":
		return true
	case " and ":
		_, ok := backWord(text, backBlanks(text, first.Start), "between")
		return ok
	}

	return false
}

// scaleOf returns the "million" of a sum, 1 when it has none.
func scaleOf(text string, a Amount) (times int64, ok bool) {
	at := a.Start
	for at < a.End && !isDigit(text[at]) {
		at++
	}

	for at < a.End && (isDigit(text[at]) || text[at] == ',' || text[at] == '.') {
		at++
	}
	times, end := scaleAt(text, at)

	return times, end <= a.End
}

// merged puts the sums in words among the others. What the number in brackets behind or before the words repeats counts
// once, and cents are added to the dollars before them.
func merged(text string, list, words []Amount) []Amount {
	if len(words) == 0 {
		return joinCents(text, list)
	}
	all := make([]Amount, 0, len(list)+len(words))

	next := 0
	for _, w := range words {
		for next < len(list) && list[next].Start < w.Start {
			all, next = append(all, list[next]), next+1
		}

		n := len(all)
		switch {
		// The words lie within a sum that was read already.
		case n > 0 && all[n-1].End > w.Start:
		case n > 0 && all[n-1].says(w) && strings.Trim(text[all[n-1].End:w.Start], " \n(") == "":
		case next < len(list) && list[next].Start < w.End:
		case next < len(list) && list[next].says(w) && strings.Trim(text[w.End:list[next].Start], " \n(") == "":
		default:
			all = append(all, w)
		}
	}
	all = append(all, list[next:]...)
	if len(all) > mostOfAKind {
		all = all[:mostOfAKind]
	}

	return joinCents(text, all)
}

func (a Amount) says(b Amount) bool { return a.Cents == b.Cents && a.Currency == b.Currency }

// joinCents makes one sum of "seven dollars and fifty cents".
func joinCents(text string, list []Amount) []Amount {
	// The list is filtered in place: each sum that is kept stands at or before its old index.
	kept := list[:0]
	for _, a := range list {
		if n := len(kept); n > 0 && a.inCents(text) && kept[n-1].inDollars(text) {
			if between := strings.TrimSpace(text[kept[n-1].End:a.Start]); between == "and" || between == "" ||
				between == "," {
				kept[n-1].Cents, kept[n-1].End = kept[n-1].Cents+a.Cents, a.End
				continue
			}
		}
		kept = append(kept, a)
	}

	return kept
}

// inCents reports whether a sum is one of less than a dollar that is named in cents.
func (a Amount) inCents(text string) bool { return a.Cents < 100 && foldedSuffix(a.In(text), "cents") }

// inDollars reports whether a sum is one of whole dollars.
func (a Amount) inDollars(text string) bool {
	return foldedSuffix(a.In(text), "dollars") && a.Cents%100 == 0
}

func foldedSuffix(s, suffix string) bool {
	return len(s) >= len(suffix) && strings.EqualFold(s[len(s)-len(suffix):], suffix)
}
