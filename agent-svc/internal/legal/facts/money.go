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

// Amounts returns the sums of money of a text in their order: a sign or code with a number, or a number, also in words,
// with "dollars", "cents", "euros", a code or a sign behind it. A dollar sign alone means US dollars. A sum in words
// that its number in brackets repeats counts once.
func Amounts(text string) []Amount {
	var list []Amount

	anchor := bytesOf("$\xE2\xC2" + currencyInitials + digits)
	for i := anchored(text, 0, &anchor); i < len(text) && len(list) < mostOfAKind; i = anchored(text, i+1, &anchor) {
		var a Amount
		ok := false

		switch c := text[i]; {
		case c == '$':
			a, ok = signed(text, i, 1, dollarsOf(text, i))
		case c == 0xE2 && strings.HasPrefix(text[i:], "€"):
			a, ok = signed(text, i, len("€"), "EUR")
		case c == 0xC2 && strings.HasPrefix(text[i:], "£"):
			a, ok = signed(text, i, len("£"), "GBP")
		case c == 0xC2 && strings.HasPrefix(text[i:], "¥"):
			a, ok = signed(text, i, len("¥"), "JPY")
		case wordBefore(text, i):
		case !isDigit(c):
			a, ok = coded(text, i)
		default:
			var end int
			// The scan goes on behind the number, not within it: its last digits could pass for another sum.
			if a, end, ok = named(text, i); !ok {
				i = end - 1
			}
		}
		if ok {
			// The unit of a range often stands at one of its ends only, so each end is looked for from the other.
			list = ranged(text, list, &a)
			list, i = append(list, a), a.End-1
			if far, ok := farEnd(text, a); ok {
				list = append(ranged(text, list, &far), far)
				i = far.End - 1
			}
		}
	}

	return merged(text, list, written(text))
}

// dollarsOf returns whose dollars the sign at byte i means.
func dollarsOf(text string, i int) string {
	for _, p := range [...]struct{ prefix, code string }{
		{"CA", "CAD"}, {"C", "CAD"}, {"AU", "AUD"}, {"A", "AUD"}, {"NZ", "NZD"}, {"HK", "HKD"},
	} {
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
	// Accounts write a loss in brackets.
	if at+1 < len(text) && text[at] == '(' && isDigit(text[at+1]) {
		at++ // as a loss in an account
	}
	if cents, end, ok := misreadSum(text, at); ok {
		return Amount{Span: Span{i, end}, Currency: currency, Cents: cents}, true
	}
	cents, end, ok := sum(text, at, currency == "EUR")

	return Amount{Span: Span{i, end}, Currency: currency, Cents: cents}, ok
}

// misreadSum reads a sum in whose digits a bad scan has put letters that look like them, as in "1,25O.00" and "l,400".
func misreadSum(text string, i int) (cents int64, end int, ok bool) {
	var digits [16]byte
	letters := 0

	for end = i; end < len(text) && end-i < len(digits); end++ {
		c := text[end]
		switch c {
		case 'O', 'o':
			c, letters = '0', letters+1
		case 'l', 'I':
			c, letters = '1', letters+1
		}
		if !isDigit(c) && c != ',' && c != '.' {
			break
		}
		digits[end-i] = c
	}
	// Most of it must be digits, so that "$Ill" and other words are no sums.
	if letters == 0 || end-i < 2*letters+1 || end < len(text) && isWord(text[end]) {
		return 0, i, false
	}
	read := strings.TrimRight(string(digits[:end-i]), ".,")
	cents, stop, ok := sum(read, 0, false)

	return cents, i + stop, ok && stop == len(read)
}

const currencyInitials = "UEGCAJMNHSIDBKZP" // of the codes that currencyAt knows

// currencyAt reads the code of a currency at byte i.
func currencyAt(text string, i int) (code string, end int, ok bool) {
	if len(text)-i < 3 || len(text)-i > 3 && isWord(text[i+3]) {
		return "", i, false
	}

	switch code = text[i : i+3]; code {
	case "USD", "EUR", "GBP", "CAD", "AUD", "CHF", "JPY", "MXN", "NZD", "HKD", "SEK", "NOK", "DKK", "INR", "CNY", "SGD",
		"BRL", "KRW", "ZAR", "PLN", "ILS":
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

// named reads a sum whose currency stands behind the number: "5,000 dollars", "5,000 USD", "50 cents", "1.250,50 EUR".
// end is where to go on if it is none.
func named(text string, i int) (a Amount, end int, ok bool) {
	cents, end, ok := sum(text, i, false)
	if !ok || goesOnApart(text, end) {
		// Read in the American way, "1.250,50" would break off at its comma.
		if cents, stop, european := continental(text, i); european {
			return Amount{Span: Span{i, stop}, Currency: "EUR", Cents: cents}, stop, true
		}
	}
	if !ok {
		for end = i; end < len(text) && (isWord(text[end]) || text[end] == ',' || text[end] == '.'); end++ {
		}

		return Amount{}, max(end, i+1), false
	}
	at := end
	if at < len(text) && text[at] == ')' && i > 0 && text[i-1] == '(' {
		at++ // "thirty-five thousand (35,000) dollars"
	}
	if at, ok = blanks(text, at); !ok || at == len(text) {
		return Amount{}, end, false
	}
	if currency, hundredth, stop, ok := currencyUnit(text, at, at == end); ok {
		if hundredth {
			cents /= 100
		}

		return Amount{Span: Span{i, stop}, Currency: currency, Cents: cents}, stop, true
	}

	return Amount{}, end, false
}

// goesOnApart reports whether a mark or a blank and then a digit stand at byte i, as within a number of Europe.
func goesOnApart(text string, i int) bool {
	return i+1 < len(text) && isDigit(text[i+1]) && strings.IndexByte(",. ", text[i]) >= 0
}

// currencyUnit reads the unit behind a number: a code, a sign or a word. beside says that it stands there without a
// blank, which only signs and what a hyphen joins may.
func currencyUnit(text string, i int, beside bool) (currency string, hundredth bool, end int, ok bool) {
	switch {
	case strings.HasPrefix(text[i:], "¢"):
		return "USD", true, i + len("¢"), true
	case strings.HasPrefix(text[i:], "€"):
		return "EUR", false, i + len("€"), true
	case text[i] == '-':
		end = wordAt(text, i+1)
		return "USD", false, end, strings.EqualFold(text[i+1:end], "dollar")
	// "50euros" is a product or a name, but words may follow a bracket: "(35,000) dollars".
	case beside && text[i-1] != ')':
		return "", false, i, false
	}
	if c := text[i]; isUpper(c) {
		if code, stop, ok := currencyAt(text, i); ok {
			return code, false, stop, true
		}
	} else if strings.IndexByte("dcepu", c) < 0 { // the initials of the words below
		return "", false, i, false
	}
	currency = "USD"

	for _, country := range [...]struct{ name, code string }{
		{"us ", "USD"},
		{"u.s. ", "USD"},
		{"united states ", "USD"},
		{"canadian ", "CAD"},
		{"australian ", "AUD"},
		{"new zealand ", "NZD"},
		{"hong kong ", "HKD"},
	} {
		if text[i]|0x20 == country.name[0] && foldedPrefix(text, i, country.name) {
			currency, i = country.code, i+len(country.name)
			break
		}
	}

	switch end = wordAt(text, i); strings.ToLower(text[i:min(end, i+8)]) {
	case "dollar", "dollars":
		return currency, false, end, true
	case "cents":
		return currency, true, end, true
	case "euro", "euros":
		return "EUR", false, end, true
	case "pounds":
		// Pounds alone are a weight.
		stop, ok := foldedAfter(text, end, " sterling")
		return "GBP", false, stop, ok
	}

	return "", false, i, false
}

// continental reads a number of euros as it is written in Europe, with the unit behind: "1.250,50 EUR", "12 500,00 €".
func continental(text string, i int) (cents int64, end int, ok bool) {
	for _, separator := range [...]byte{'.', ' '} {
		whole, at, ok := grouped(text, i, separator)
		if !ok || whole > mostCents/100 {
			continue
		}
		fraction := int64(0)
		grouped := at-i > 3
		if at < len(text) && text[at] == ',' {
			n, stop, ok := number(text, at+1, 2)
			if !ok || stop != at+3 {
				continue
			}
			fraction, at, grouped = int64(n), stop, true
		}
		unit, ok := blanks(text, at)
		if !grouped || !ok || unit == len(text) {
			continue
		}
		if currency, _, stop, ok := currencyUnit(text, unit, unit == at); ok && currency == "EUR" {
			return whole*100 + fraction, stop, true
		}
	}

	return 0, i, false
}

// sum reads a number with its scale at byte i, in hundredths. In european form points part the thousands and a comma
// the cents.
func sum(text string, i int, european bool) (cents int64, end int, ok bool) {
	thousands, decimal := byte(','), byte('.')
	if european && pointsPart(text, i) {
		thousands, decimal = decimal, thousands
	}
	whole, end, ok := grouped(text, i, thousands)
	if !ok {
		if !onlyCents(text, i) {
			return 0, i, false
		}
		end = i
	}
	if european && decimal == '.' && fractionAt(text, end, ',') {
		decimal = ','
	}
	fraction, scale := int64(0), int64(100)
	if fractionAt(text, end, decimal) {
		for end++; end < len(text) && isDigit(text[end]); end++ {
			// Further digits would overflow, and are worth nothing.
			if scale < 1e8 { // further digits are worth nothing
				fraction, scale = fraction*10+int64(text[end]-'0'), scale*10
			}
		}
	}
	times, end := scaleAt(text, end)
	// The check comes before the multiplication, which could overflow.
	if whole > mostCents/100/times || wordGoesOn(text, end) {
		return 0, end, false
	}

	return whole*100*times + fraction*100*times/(scale/100), end, true
}

// onlyCents reports whether a sum without a whole number stands at byte i: ".50".
func onlyCents(text string, i int) bool {
	if i > 0 && isDigit(text[i-1]) {
		return false
	}

	return i+2 < len(text) && text[i] == '.' && isDigit(text[i+1]) && isDigit(text[i+2])
}

// fractionAt reports whether a mark and a digit of a fraction stand at byte i.
func fractionAt(text string, i int, mark byte) bool {
	return i+1 < len(text) && text[i] == mark && isDigit(text[i+1])
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
			// Fifteen digits are safe in hundredths; more are an account number.
			if digits++; digits > 15 {
				return 0, end, false
			}
			n = n*10 + int64(c-'0')
			end++

			continue
		case digits > 0 && (c == separator || c == '\''):
			// A separator stands before exactly three digits, else it ends the number: "$5,000, 3 of them".
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
	if at == len(text) {
		return 1, i
	}

	// This runs behind each number; four initials are all there are.
	switch text[at] | 0x20 {
	case 't', 'm', 'b', 'k':
	default:
		return 1, i
	}

	end = wordAt(text, at)
	word := text[at:end]
	if times := shortScale(word); times > 0 && at == i {
		return times, end
	}

	switch {
	case strings.EqualFold(word, "thousand"):
		return 1e3, end
	case strings.EqualFold(word, "million"):
		return 1e6, end
	case strings.EqualFold(word, "billion"):
		return 1e9, end
	}

	return 1, i
}

// shortScale returns the scale that letters right behind a number stand for, 0 for none.
func shortScale(letters string) int64 {
	switch letters {
	case "K", "k":
		return 1e3
	case "M", "MM", "mm", "m":
		return 1e6
	case "B", "bn":
		return 1e9
	}

	return 0
}

const (
	roleBefore = 90 // bytes before a sum that say what it is for
	roleAfter  = 50
)

// NameAndRoleIn tells from the words of its sentence what a sum is called, such as "purchase price", "" when it is not,
// and what it is for; words before it count more than words behind, and those of its own clause more than those of
// another sum.
func (a Amount) NameAndRoleIn(text string) (string, Role) {
	before, after := a.around(text)
	own, behind := ownClause(before, after)
	name := nameBeside(own, behind)

	if nearDemand(before) {
		return name, DemandRole
	}
	// With a name of its own, words of an earlier clause would only mislead.
	if name != "" {
		before = "" // the clause says what it is for
	}

	for _, words := range []string{own, behind, before} {
		if role := roleIn(words); role != OtherRole {
			return name, role
		}
	}

	return name, OtherRole
}

// roleIn looks for the words of each role, the strongest first.
func roleIn(words string) Role {
	for _, r := range [...]struct {
		role  Role
		words []string
	}{
		{PenaltyRole, []string{"penalt", "liquidated damages", "late charge", "late fee", "forfeit", "civil fine"}},
		{CapRole, []string{
			"not to exceed", "not exceed", "in no event", "maximum", "up to", "no more than", "limited to", "cap of",
			"capped at", "limit of",
		}},
		{FeeRole, []string{"fees", "fee of", "fee in", "fee:", "fee is", "commission of", "court costs", "retainer"}},
		{DemandRole, []string{"in damages", "in controversy"}},
		{PaymentRole, []string{
			"pay", "paid", "rent", "salary", "wage", "deposit", "purchase price", "price of", "bonus", "compensation",
			"installment", "per month", "per year", "per annum", "invoice", "owed", "owing", "reimburse",
		}},
	} {
		for _, w := range r.words {
			if holdsAny(words, w) {
				return r.role
			}
		}
	}

	return OtherRole
}
