package guard

import "strings"

// account finds IBANs, payment cards and numbers announced as accounts.
func (c *codes) account(t *token, before *lead, i int) int {
	if end := iban(c.text, t.start); end > 0 {
		return c.add(kindAccount, ruleIBAN, t.start, end)
	}
	if t.letters > 0 {
		return 0
	}
	l := looseAt(c.text, i)
	if paymentCard(l.digit[:l.n]) {
		return c.add(kindAccount, ruleCard, i, l.end)
	}
	if t.digits < 5 || t.slashes > 0 || before.n == 0 {
		return 0
	}
	if banking.has(before.next()) && !dateLike(t.text) {
		return c.add(kindAccount, ruleAccount, t.start, max(t.end, l.end))
	}

	return 0
}

// paymentCard reports whether digits have the length, the beginning and the check digit of a payment card. Issuers of
// cards have the first digits 2 to 6 (ISO/IEC 7812-1).
func paymentCard(digits []byte) bool {
	if len(digits) < 13 || len(digits) > 19 {
		return false
	}

	return digits[0] >= 2 && digits[0] <= 6 && luhn(digits)
}

// The lengths of an International Bank Account Number (ISO 13616).
const (
	shortestIBAN = 15
	longestIBAN  = 34
)

// iban returns the end of the account number that begins at byte i, with or without blanks between its groups, and 0
// for none. Its check digits are those of ISO 7064, MOD 97-10.
func iban(text string, i int) int {
	if i+shortestIBAN > len(text) || !shaped(text[i:i+4], "LL99") {
		return 0 // a country and two check digits come first
	}
	var s [longestIBAN]byte

	n := 0
	for i < len(text) && n < len(s) {
		switch c := text[i]; {
		case ibanByte(c):
			s[n] = c
			n++
			i++
			if n >= shortestIBAN && (i == len(text) || !alphanumeric(text[i])) && mod97(s[:n]) {
				return i
			}
		case (c == ' ' || c == '-') && i+1 < len(text) && ibanByte(text[i+1]):
			i++
		default:
			return 0
		}
	}

	return 0
}

func ibanByte(c byte) bool { return digit(c) || upper(c) }

func mod97(s []byte) bool {
	m := 0

	for i := range s {
		c := s[(i+4)%len(s)]
		if digit(c) {
			m = (m*10 + int(c-'0')) % 97
		} else {
			m = (m*100 + int(c-'A') + 10) % 97
		}
	}

	return m == 1
}

// luhn reports whether the last digit is the check digit of ISO/IEC 7812-1.
func luhn(digits []byte) bool {
	sum := 0

	for i := range digits {
		d := int(digits[len(digits)-1-i])
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}

	return sum%10 == 0
}

// document finds national identity, insurance and tax numbers that carry a check digit or a shape of their own.
func (c *codes) document(t *token, before *lead, _ int) int {
	if t.digits < 2 {
		return 0
	}

	for _, start := range []int{t.start, t.start - len("AB ")} {
		if start >= 0 && (start == 0 || !wordByte(c.text[start-1])) {
			if end := nino(c.text, start); end > 0 {
				return c.add(kindID, ruleNINO, start, end)
			}
		}
	}
	if t.digits+t.letters >= shortestID && t.colons+t.underscores == 0 && nationalNumber(t, before) {
		return c.add(kindID, ruleNationalID, t.start, t.end)
	}
	if employerNumber(t) && before.has(taxing, neighbours) {
		return c.add(kindID, ruleNationalID, t.start, t.end)
	}
	if l := looseAt(c.text, t.start); t.letters == 0 && l.n >= 7 && l.blanks > 0 && before.has(papers, 3) {
		return c.add(kindID, rulePapers, t.start, l.end)
	}
	numberOfPaper := t.digits >= 4 && t.letters <= 4 && t.slashes == 0
	if numberOfPaper && before.has(papers, 3) && !dateLike(t.text) && !yearLike(t) {
		return c.add(kindID, rulePapers, t.start, t.end)
	}
	if t.letters > 0 && before.has(vehicles, 3) && t.digits >= 2 || vin(t.text) {
		return c.add(kindVehicle, ruleVehicle, t.start, t.end)
	}
	if start := c.plate(t, before); start < t.start {
		return c.add(kindVehicle, ruleVehicle, start, t.end)
	}
	if start := c.halfHidden(t, before); start >= 0 {
		return c.add(kindID, ruleSocial, start, t.end)
	}

	return 0
}

// employerNumber reports whether a token has the form of an American employer's number for taxes: "12-3456789".
func employerNumber(t *token) bool {
	return t.letters == 0 && t.digits == 9 && t.dashes == 1 && t.text[2] == '-'
}

// nationalNumber reports whether a token is a national number whose check digits are right.
func nationalNumber(t *token, before *lead) bool {
	compact, n := packed(t.text)
	for _, id := range nationals {
		if n == id.length && (!id.announced || before.has(numbering, neighbours)) && id.valid(compact[:n]) {
			return true
		}
	}

	return false
}

// plate returns where a registration plate begins whose letters stand before its digits and a blank: "B-MW
// 4711". It is the start of the token where there are none, or no word says that a vehicle is meant.
func (c *codes) plate(t *token, before *lead) int {
	if t.letters > 0 || t.digits > 4 || t.marks() > 0 || !before.has(vehicles, neighbours) {
		return t.start
	}
	start := t.start - 1
	if start < 0 || c.text[start] != ' ' {
		return t.start
	}

	for start > 0 && t.start-start <= len("ABC-AB ") && (upper(c.text[start-1]) || c.text[start-1] == '-') {
		start--
	}
	if start == t.start-1 || start > 0 && wordByte(c.text[start-1]) {
		return t.start
	}

	return start
}

// halfHidden returns where a social security number begins of which the last four digits were left, which banks
// and agencies ask for to know a person: "xxx-xx-1234", "SSN ending in 1234". It is -1 for any other number.
func (c *codes) halfHidden(t *token, before *lead) int {
	const signs = "xxx-xx-"
	last := t.end - len("1234")
	if t.digits != 4 || last < t.start || strings.Trim(c.text[last:t.end], tenDigits) != "" {
		return -1
	}

	if start := last - len(signs); start >= 0 && c.text[last-1] == '-' && c.text[last-4] == '-' {
		hidden := c.text[start:start+3] + c.text[start+4:start+6]
		if strings.Trim(hidden, "xX*#") == "" {
			return start
		}
	}
	ending := before.next() == "in" && before.n > 1 && before.words[1] == "ending" || before.next() == "digits"
	if ending && before.has(socials, neighbours) {
		return t.start
	}

	return -1
}

var (
	taxing  = setOf(`ein tin itin tax taxpayer employer fein`)
	socials = setOf(`ssn ssns security itin`)
	papers  = setOf(`passport licence license permit visa driver driver's driving residence ssn nino ein itin pesel
		dni nie bsn cpr cnp egn oib amka nhs siren siret rcs hrb hra cif nif utr crn abn acn tfn medicare kvk krs nip regon`)
	vehicles = setOf(`plate plates vin vehicle car registration chassis`)
)

// packed returns the letters in upper case and the digits of a token of up to 18 of them, 0 where there are more.
func packed(s string) (out [18]byte, n int) {
	for i := range len(s) {
		c := s[i]
		if !alphanumeric(c) {
			continue
		}
		if n == len(out) {
			return out, 0
		}
		if lower(c) {
			c -= 'a' - 'A'
		}
		out[n] = c
		n++
	}

	return out, n
}

// nino returns the end of a UK National Insurance number, written with or without blanks: two letters of those in use,
// six digits and a letter from A to D (HM Revenue and Customs, National Insurance Manual NIM39110).
func nino(text string, i int) int {
	const form = "LL999999S"
	n := 0

	for i < len(text) {
		c := text[i]
		if c == ' ' && n > 0 && n < len(form) {
			i++
			continue
		}
		if n == len(form) {
			break
		}

		switch form[n] {
		case 'L':
			if !upper(c) || strings.IndexByte("DFIQUV", c) >= 0 {
				return 0
			}
		case '9':
			if !digit(c) {
				return 0
			}
		default:
			if c < 'A' || c > 'D' {
				return 0
			}
		}
		n++
		i++
	}
	if n < len(form) || i < len(text) && wordByte(text[i]) {
		return 0
	}

	return i
}

// vin reports whether a token is a vehicle identification number with its check digit (49 CFR 565.15).
func vin(s string) bool {
	if len(s) != 17 {
		return false
	}
	weights := [17]int{8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2}
	const letters, values = "ABCDEFGHJKLMNPRSTUVWXYZ", "12345678123457923456789"
	sum := 0

	for i := range len(s) {
		if digit(s[i]) {
			sum += int(s[i]-'0') * weights[i]
		} else if k := strings.IndexByte(letters, s[i]); k >= 0 {
			sum += int(values[k]-'0') * weights[i]
		} else {
			return false
		}
	}

	return s[8] == "0123456789X"[sum%11]
}

// national is a number that a state gives to a person: its length in letters and digits, and its check. One that many
// other numbers pass by chance has to be announced by a word before it.
type national struct {
	length    int
	announced bool
	valid     func(s []byte) bool
}

// shortestID is the least length of the numbers below.
const shortestID = 9

// The checks are those that the issuing authorities publish.
var nationals = []national{
	{9, false, func(s []byte) bool { // Spain, DNI and NIE
		const letters = "TRWAGMYFPDXBNJZSQVHLCKE"
		v := strings.IndexByte("XYZ", s[0])
		if v < 0 {
			if !digit(s[0]) {
				return false
			}
			v = int(s[0] - '0')
		}
		n, ok := value(s[1:8])

		return ok && s[8] == letters[(v*10_000_000+n)%23]
	}},
	{11, true, func(s []byte) bool { return weighted(s, "1379137913", 10, 10) }}, // Poland, PESEL
	{11, true, func(s []byte) bool { return iso11x10(s) }},                       // Germany, Steuer-ID; Croatia, OIB
	{11, true, func(s []byte) bool {
		n, ok := value(s[:9])
		c, _ := value(s[9:])

		return ok && (97-n%97 == c || 97-(n+2_000_000_000)%97 == c)
	}}, // Belgium
	{11, true, func(s []byte) bool { // Norway, fødselsnummer
		return weighted(s[:10], "376189452", 11, 11) && weighted(s, "5432765432", 11, 11)
	}},
	{11, true, func(s []byte) bool { return digits(s) && luhnText(s) }}, // Greece, AMKA
	{11, true, turkish},
	{10, true, func(s []byte) bool { return digits(s) && luhnText(s) }},     // Sweden, personnummer
	{12, true, func(s []byte) bool { return digits(s) && luhnText(s[2:]) }}, // Sweden, with the century
	// Czechia, Slovakia; Denmark before 2007 has its own.
	{10, true, func(s []byte) bool { n, ok := value(s); return ok && n%11 == 0 }},
	{10, true, func(s []byte) bool { return weighted(s, "4327654321", 11, 11) }}, // Denmark, CPR
	{10, true, func(s []byte) bool { // Bulgaria, EGN
		w := []int{2, 4, 8, 5, 10, 9, 7, 3, 6}
		if !digits(s) {
			return false
		}

		sum := 0
		for i := range w {
			sum += w[i] * int(s[i]-'0')
		}

		return sum%11%10 == int(s[9]-'0')
	}},
	{10, true, func(s []byte) bool { // United Kingdom, NHS
		if !digits(s) {
			return false
		}

		sum := 0
		for i := range 9 {
			sum += (10 - i) * int(s[i]-'0')
		}

		return (11-sum%11)%11 == int(s[9]-'0')
	}},
	{9, true, func(s []byte) bool { // Netherlands, BSN
		if !digits(s) {
			return false
		}

		sum := -int(s[8] - '0')
		for i := range 8 {
			sum += (9 - i) * int(s[i]-'0')
		}

		return sum%11 == 0
	}},
	{9, true, func(s []byte) bool { // Portugal, NIF
		if !digits(s) {
			return false
		}

		sum := 0
		for i := range 8 {
			sum += (9 - i) * int(s[i]-'0')
		}

		return max(0, 11-sum%11)%11%10 == int(s[8]-'0') || sum%11 < 2 && s[8] == '0'
	}},
	{13, true, func(s []byte) bool { return weighted(s, "279146358279", 11, 11) }}, // Romania, CNP
	{13, true, func(s []byte) bool { return swiss(s) }},
	{15, true, func(s []byte) bool { // France, NIR
		n, ok := value(s[:13])
		c, _ := value(s[13:])

		return ok && 97-n%97 == c
	}},
	{16, false, codiceFiscale},
	{11, false, hetu},
}

func digits(s []byte) bool {
	for _, c := range s {
		if !digit(c) {
			return false
		}
	}

	return true
}

func value(s []byte) (n int, ok bool) {
	for _, c := range s {
		if !digit(c) {
			return 0, false
		}
		n = n*10 + int(c-'0')
	}

	return n, true
}

// weighted reports whether the sum of the digits times their weights, taken modulo m and from full, gives the last
// digit.
func weighted(s []byte, weights string, m, full int) bool {
	if !digits(s) {
		return false
	}

	sum := 0
	for i := range len(weights) {
		sum += int(weights[i]-'0') * int(s[i]-'0')
	}
	if len(weights) == len(s) {
		return sum%m == 0
	}
	check := sum % m

	return int(s[len(weights)]-'0') == (full-check)%full || int(s[len(weights)]-'0') == check
}

// iso11x10 is the check of ISO 7064, MOD 11,10.
func iso11x10(s []byte) bool {
	if !digits(s) {
		return false
	}

	p := 10
	for _, c := range s[:len(s)-1] {
		p = (p + int(c-'0')) % 10
		if p == 0 {
			p = 10
		}
		p = p * 2 % 11
	}

	return (11-p)%10 == int(s[len(s)-1]-'0')
}

func luhnText(s []byte) bool {
	var d [18]byte
	for i, c := range s {
		d[i] = c - '0'
	}

	return luhn(d[:len(s)])
}

// turkish is the check of the Turkish identity number.
func turkish(s []byte) bool {
	if !digits(s) || s[0] == '0' {
		return false
	}
	odd, even := 0, 0

	for i := range 9 {
		if i%2 == 0 {
			odd += int(s[i] - '0')
		} else {
			even += int(s[i] - '0')
		}
	}
	tenth := int(s[9] - '0')

	return ((odd*7-even)%10+10)%10 == tenth && (odd+even+tenth)%10 == int(s[10]-'0')
}

// swiss is the check of the Swiss AHV number, an EAN-13 that begins with 756.
func swiss(s []byte) bool {
	if !digits(s) || string(s[:3]) != "756" {
		return false
	}

	sum := 0
	for i, c := range s[:12] {
		sum += int(c-'0') * (1 + i%2*2)
	}

	return (10-sum%10)%10 == int(s[12]-'0')
}

// codiceFiscale is the shape and check letter of the Italian tax code.
func codiceFiscale(s []byte) bool {
	const form = "LLLLLL99L99L999L"
	odd := [26]int{1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23}
	sum := 0

	for i, c := range s {
		if form[i] == 'L' && !upper(c) || form[i] == '9' && !digit(c) {
			return false
		}
		if i == 15 {
			break
		}
		v := int(c - '0')
		if upper(c) {
			v = int(c - 'A')
		}
		if i%2 == 0 {
			v = odd[v]
		}
		sum += v
	}

	return int(s[15]-'A') == sum%26
}

// hetu is the Finnish identity code without its mark: six digits of a date of birth, a mark of the century that packed
// drops unless it is a letter, three digits and a check character.
func hetu(s []byte) bool {
	const letters = "0123456789ABCDEFHJKLMNPRSTUVWXY"
	if strings.IndexByte("ABCDEFYXWVU", s[6]) < 0 {
		return false
	}
	birth, ok := value(s[:6])
	own, ok2 := value(s[7:10])

	return ok && ok2 && s[10] == letters[(birth*1000+own)%31]
}

// network finds IP addresses of version 4 and MAC addresses.
func (c *codes) network(t *token, before *lead, _ int) int {
	quad := t.dots == 3 && t.letters == 0 && t.slashes+t.dashes == 0
	if quad && octets(t.text) && !before.has(citing, 1) {
		return c.add(kindNetwork, ruleNetwork, t.start, t.end)
	}
	if len(t.text) == 17 && (t.colons == 5 || t.dashes == 5) && hexPairs(t.text) {
		return c.add(kindNetwork, ruleNetwork, t.start, t.end)
	}

	return 0
}

func octets(s string) bool {
	for part := range strings.SplitSeq(s, ".") {
		n, ok := value([]byte(part))
		if !ok || n > 255 || len(part) > 3 {
			return false
		}
	}

	return s != "127.0.0.1" && s != "0.0.0.0"
}

func hexPairs(s string) bool {
	for i := range len(s) {
		if i%3 == 2 {
			continue
		}
		if !hexDigit(s[i]) {
			return false
		}
	}

	return true
}

func hexDigit(c byte) bool { return digit(c) || (c|0x20)-'a' < 6 }
