package facts

import (
	"strconv"
	"strings"
)

// Amount is a sum of money found in a text.
type Amount struct {
	Span
	Currency string // ISO 4217
	Cents    int64  // hundredths of the unit
}

// Role says what a sum is for, as far as the words beside it tell.
type Role string

// The roles.
const (
	DemandRole  Role = "demand"
	PaymentRole Role = "payment"
	CapRole     Role = "cap"
	FeeRole     Role = "fee"
	PenaltyRole Role = "penalty"
	OtherRole   Role = "other"
)

// Decimal writes the amount without its currency, such as "1250.50".
func (a Amount) Decimal() string {
	return strconv.FormatInt(a.Cents/100, 10) + "." + strconv.Itoa(int(a.Cents/10%10)) + strconv.Itoa(int(a.Cents%10))
}

const mostCents = int64(1e17) // a million billion; what is more is no sum of money

// Amounts returns the sums of money of a text in their order: a sign or code with a number, or a number with "dollars" or a code behind
// it. A dollar sign alone means US dollars.
func Amounts(text string) []Amount {
	var list []Amount
	anchor := bytesOf("$\xE2\xC2" + currencyInitials + digits)
	for i := 0; i < len(text) && len(list) < mostOfAKind; i++ {
		if !anchor[text[i]] {
			continue
		}
		var a Amount
		ok := false
		switch c := text[i]; {
		case c == '$':
			a, ok = signed(text, i, 1, dollarsOf(text, i))
		case c == 0xE2 && strings.HasPrefix(text[i:], "€"):
			a, ok = signed(text, i, len("€"), "EUR")
		case c == 0xC2 && strings.HasPrefix(text[i:], "£"):
			a, ok = signed(text, i, len("£"), "GBP")
		case wordBefore(text, i):
		case !isDigit(c):
			a, ok = coded(text, i)
		default:
			var end int
			if a, end, ok = named(text, i); !ok {
				i = end - 1
			}
		}
		if ok {
			list, i = append(list, a), a.End-1
		}
	}
	return list
}

// dollarsOf returns whose dollars the sign at byte i means.
func dollarsOf(text string, i int) string {
	for _, p := range [...]struct{ prefix, code string }{{"CA", "CAD"}, {"C", "CAD"}, {"AU", "AUD"}, {"A", "AUD"}, {"NZ", "NZD"}, {"HK", "HKD"}} {
		if strings.HasSuffix(text[:i], p.prefix) && !wordBefore(text, i-len(p.prefix)) {
			return p.code
		}
	}
	return "USD"
}

// signed reads a sum whose sign of some bytes begins at byte i.
func signed(text string, i, width int, currency string) (Amount, bool) {
	at, ok := blanks(text, i+width)
	if !ok || at > i+width+2 {
		return Amount{}, false
	}
	cents, end, ok := sum(text, at, currency == "EUR")
	return Amount{Span: Span{i, end}, Currency: currency, Cents: cents}, ok
}

const currencyInitials = "UEGCAJMNH" // of the codes that currencyAt knows

// currencyAt reads the code of a currency at byte i.
func currencyAt(text string, i int) (code string, end int, ok bool) {
	if len(text)-i < 3 || len(text)-i > 3 && isWord(text[i+3]) {
		return "", i, false
	}
	switch code = text[i : i+3]; code {
	case "USD", "EUR", "GBP", "CAD", "AUD", "CHF", "JPY", "MXN", "NZD", "HKD":
		return code, i + 3, true
	}
	return "", i, false
}

// coded reads a sum that begins with the code of its currency: "USD 5,000", "USD $5,000".
func coded(text string, i int) (Amount, bool) {
	code, end, ok := currencyAt(text, i)
	if !ok {
		return Amount{}, false
	}
	at, ok := blanks(text, end)
	if ok && at < len(text) && text[at] == '$' {
		at++
	}
	if !ok {
		return Amount{}, false
	}
	cents, end, ok := sum(text, at, code == "EUR")
	return Amount{Span: Span{i, end}, Currency: code, Cents: cents}, ok
}

// named reads a sum whose currency stands behind the number: "5,000 dollars", "5,000 USD". end is where to go on if it is none.
func named(text string, i int) (a Amount, end int, ok bool) {
	cents, end, ok := sum(text, i, false)
	if !ok {
		for end = i; end < len(text) && (isWord(text[end]) || text[end] == ',' || text[end] == '.'); end++ {
		}
		return Amount{}, max(end, i+1), false
	}
	at, ok := blanks(text, end)
	if !ok || at == end {
		return Amount{}, end, false
	}
	if code, stop, ok := currencyAt(text, at); ok {
		return Amount{Span: Span{i, stop}, Currency: code, Cents: cents}, stop, true
	}
	for _, country := range [...]string{"us ", "u.s. ", "united states "} {
		if foldedPrefix(text, at, country) {
			at += len(country)
		}
	}
	if stop := wordAt(text, at); strings.EqualFold(text[at:stop], "dollars") {
		return Amount{Span: Span{i, stop}, Currency: "USD", Cents: cents}, stop, true
	}
	return Amount{}, end, false
}

// sum reads a number with its scale at byte i, in hundredths. In european form points part the thousands and a comma the cents.
func sum(text string, i int, european bool) (cents int64, end int, ok bool) {
	thousands, decimal := byte(','), byte('.')
	if european && pointsPart(text, i) {
		thousands, decimal = decimal, thousands
	}
	whole, end, ok := grouped(text, i, thousands)
	if !ok {
		return 0, i, false
	}
	fraction, scale := int64(0), int64(100)
	if end+1 < len(text) && text[end] == decimal && isDigit(text[end+1]) {
		for end++; end < len(text) && isDigit(text[end]); end++ {
			if scale < 1e8 { // further digits are worth nothing
				fraction, scale = fraction*10+int64(text[end]-'0'), scale*10
			}
		}
	}
	times, end := scaleAt(text, end)
	if whole > mostCents/100/times || end < len(text) && isWord(text[end]) {
		return 0, end, false
	}
	return whole*100*times + fraction*100*times/(scale/100), end, true
}

// pointsPart reports whether the number at byte i is written as 1.250.000 or 1.250,50.
func pointsPart(text string, i int) bool {
	for n := 0; i+n < len(text) && n <= 3; n++ {
		if text[i+n] == '.' {
			_, end, ok := number(text, i+n+1, 3)
			return n > 0 && ok && end == i+n+4
		}
	}
	return false
}

// grouped reads digits with or without separators between groups of three.
func grouped(text string, i int, separator byte) (n int64, end int, ok bool) {
	end = i
	digits := 0
	for end < len(text) {
		switch c := text[end]; {
		case isDigit(c):
			if digits++; digits > 15 {
				return 0, end, false
			}
			n = n*10 + int64(c-'0')
			end++
			continue
		case c == separator && digits > 0:
			if _, group, ok := number(text, end+1, 3); ok && group == end+4 {
				end++
				continue
			}
		}
		break
	}
	return n, end, digits > 0
}

// scaleAt reads "million" and the like at byte i.
func scaleAt(text string, i int) (times int64, end int) {
	at, ok := blanks(text, i)
	if !ok {
		return 1, i
	}
	if at < len(text) && text[at] == '-' {
		at++
	}
	end = wordAt(text, at)
	switch word := text[at:end]; {
	case strings.EqualFold(word, "thousand"), at == i && (word == "K" || word == "k"):
		return 1e3, end
	case strings.EqualFold(word, "million"), at == i && (word == "M" || word == "MM" || word == "mm" || word == "m"):
		return 1e6, end
	case strings.EqualFold(word, "billion"), at == i && (word == "B" || word == "bn"):
		return 1e9, end
	}
	return 1, i
}

const (
	roleBefore = 90 // bytes before a sum that say what it is for
	roleAfter  = 50
)

// RoleIn tells from the words of its sentence what a sum is for; words before it count more than words behind.
func (a Amount) RoleIn(text string) Role {
	start := sentenceStart(text, a.Start, roleBefore)
	end := sentenceEnd(text, a.End, roleAfter)
	before, after := Fold(strings.ToLower(text[start:a.Start])), Fold(strings.ToLower(text[a.End:end]))
	if nearDemand(before) {
		return DemandRole
	}
	for _, words := range []string{before, after} {
		if role := roleIn(words); role != OtherRole {
			return role
		}
	}
	return OtherRole
}

// roleIn looks for the words of each role, the strongest first.
func roleIn(words string) Role {
	for _, r := range [...]struct {
		role  Role
		words []string
	}{
		{PenaltyRole, []string{"penalt", "liquidated damages", "late charge", "late fee", "forfeit", "civil fine"}},
		{CapRole, []string{"not to exceed", "not exceed", "in no event", "maximum", "up to", "no more than", "limited to", "cap of", "capped at", "limit of"}},
		{FeeRole, []string{"fees", "fee of", "fee in", "fee:", "fee is", "commission of", "court costs", "retainer"}},
		{DemandRole, []string{"in damages", "in controversy"}},
		{PaymentRole, []string{"pay", "paid", "rent", "salary", "wage", "deposit", "purchase price", "price of", "bonus", "compensation", "installment", "per month", "per year", "per annum", "invoice", "owed", "owing", "reimburse"}},
	} {
		for _, w := range r.words {
			if holdsAny(words, w) {
				return r.role
			}
		}
	}
	return OtherRole
}
