package guard

import (
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"
)

// Streets are named in three ways: with the kind of street behind the name (12 Long Lane), before it (12, rue
// de la Paix; Via Roma 12) or grown into it (Hauptstraße 5).
var (
	streetBehind = setOf(`trace glen knoll ridge landing cove spur bluff hollow wharf meadow meadows ranch street st
		road rd avenue ave av lane ln drive dr boulevard blvd way place pl square sq close crescent cres terrace ter
		gardens gdns row mews parkway pkwy highway hwy walk grove rise quay court ct circle cir trail trl pike hill
		alley turnpike tpke expressway freeway plaza esplanade parade loop crossing commons heights green vale view
		sokak sokağı sk caddesi cad cd mahallesi mah bulvarı utca utcája út útja tér körút ulitsa prospekt bulevar gata
		väg vägen gränd katu tie pde bvd mkt marg chowk salai nagar path cadde sok çıkmazı çıkmaz blv bulvar esp`)
	streetBefore = setOf(`rue avenue av boulevard bd place chemin allée allee impasse quai route cours square passage
		sentier faubourg villa via viale piazza corso largo vicolo strada piazzale calle c/ c avenida avda av. paseo
		plaza pza carrer ronda travesía camino carretera rua travessa praça alameda estrada ul ulica al aleja aleje os
		osiedle pl plac ulitsa ul. prospekt str bulevardul calea šetalište trg sráid bóthar rodovia rod lungomare
		contrada quadra jalan lorong odos nám náměstí nám. tř třída ulice obere untere heol ffordd rúa camiño passeig
		passatge gran`)
	streetEndings = []string{
		"strasse", "straße", "str", "gasse", "gatan", "gade", "straat", "laan", "katu", "utca", "allee", "platz", "weg",
		"gata", "gränd", "torget", "plass", "plads", "stræde", "vej", "vägen", "veien", "gaten", "gate", "gracht",
		"plein", "kade", "singel", "dijk", "steeg", "tie", "ring", "damm", "ufer", "chaussee", "promenade", "kai",
		"stieg", "hof", "dreef",
	}
	// streetsLast stand between the name of a street and the number.
	streetsLast = setOf(`caddesi cadde cad cd sokak sokağı sok sk bulvarı bulvar blv çıkmazı çıkmaz mahallesi mah
		utca út tér`)
	// dwellings are counted with "No." before the number of a house.
	dwellings = setOf(`flat plot shop house door h villa bungalow apartment unit room`)
	units     = setOf(`apt apartment unit suite ste floor fl flat room rm building bldg no daire kat m lok stock
		og etg bis ter esc piso puerta int`)
	boxes = setOf(`box postfach boîte bp apartado postbus skrytka skr casella caixa boks postboks postilokero
		lokero`)
	boxWords = setOf(`no nr postale postal poczt pocztowa correos number nº`)
)

// address judges the number at the token as the number of a house, of a post-office box or as a postcode.
func (c *codes) address(t *token, before *lead, _ int) int {
	if c.placedCode(t) {
		return c.add(kindAddress, rulePostcode, t.start, t.end)
	}
	// "128/130 Long Lane" has six digits, and more than five are no number of a house.
	ranged := t.slashes+t.dashes == 1 && t.digits <= 8 // 128/130
	if t.digits > 5 && !ranged || t.letters > 4 || standards.has(before.next()) {
		return 0
	}
	if end := c.houseFirst(t); end > 0 {
		return c.located(c.unitBefore(t.start), c.rest(end))
	}
	if end := c.beforeTown(t); end > 0 && c.suite(t) < 0 {
		return c.located(t.start, end)
	}
	if start := c.houseLast(t); start >= 0 {
		return c.located(start, c.rest(t.end))
	}
	if c.townBehind(t.end) > 0 && c.suite(t) < 0 {
		if start := c.capitalsBefore(t.start); start >= 0 {
			return c.add(kindAddress, ruleStreet, start, c.townBehind(t.end))
		}
	}
	if before.n > 1 && before.next() == "no" && dwellings.has(before.words[1]) {
		return c.add(kindAddress, ruleStreet, t.start, c.rest(t.end))
	}
	if t.letters == 0 && formBox(c.text[t.end:]) && !postBox(c.text[:t.start]) {
		return 0
	}
	if t.letters == 0 && (boxes.has(before.next()) || before.has(boxes, 2) && boxWords.has(before.next())) {
		return c.add(kindAddress, ruleStreet, t.start, c.rest(t.end))
	}
	// Before postcodes, since "2026 CH 04417" begins like the Dutch "1015 CJ".
	if end := yearDocket(c.text, t.start); end > 0 {
		return c.add(kindCode, ruleNumbered, t.start, end)
	}
	if end := postcode(c.text, t.start); end > 0 {
		// Where a court sits is public, and part of how papers are addressed.
		if c.courtBefore(t.start) {
			c.cited.seats = append(c.cited.seats, span{start: t.start, end: end})
			return end
		}

		return c.add(kindAddress, rulePostcode, t.start, end)
	}
	if start := c.suite(t); start >= 0 {
		return c.add(kindAddress, ruleStreet, start, c.rest(t.end))
	}
	if end := c.floor(t, before); end > 0 {
		return c.add(kindAddress, ruleStreet, t.start, c.rest(end))
	}
	if start := c.spelledState(t); start >= 0 {
		return c.add(kindAddress, rulePostcode, start, t.end)
	}
	if start := c.stateBefore(t); start >= 0 {
		return c.add(kindAddress, rulePostcode, start, t.end)
	}

	return 0
}

// yearDocket returns where the number of a case ends that begins with its year at byte i, then the letters of its kind
// and five figures or more with a nought before them: "2026 CH 04417". It returns 0 for none.
func yearDocket(text string, i int) int {
	s := text[i:min(len(text), i+len("2026 ABC 0123456 "))]
	if len(s) < len("2026 C 01234") || s[:2] != "20" && s[:2] != "19" || s[4] != ' ' {
		return 0
	}
	letters := len(s[5:]) - len(strings.TrimLeft(s[5:], capitalLetters))
	number, ok := strings.CutPrefix(s[5+letters:], " 0")
	if !ok || letters == 0 || letters > 3 {
		return 0
	}
	figures := len(number) - len(strings.TrimLeft(number, tenDigits))
	if figures < 4 {
		return 0
	}

	return i + 5 + letters + len(" 0") + figures
}

// formBox reports whether rest goes on as behind the box of a form: "Box 14, Code AE", "Box 1 of Form W-2".
func formBox(rest string) bool {
	for _, s := range []string{
		", Code ", ", code ", " of Form ", " of the Form", " of the K-1", " of Schedule", " of the W-2", " (Code",
	} {
		if strings.HasPrefix(rest, s) {
			return true
		}
	}

	return false
}

// postBox reports whether a text ends in the words of a box at a post office: "P.O. Box".
func postBox(before string) bool {
	before = strings.ToLower(strings.NewReplacer(" ", "", ".", "").Replace(before[max(0, len(before)-longestMailbox):]))
	before = strings.TrimSuffix(before, "box")

	return strings.HasSuffix(before, "po") || strings.HasSuffix(before, "postoffice")
}

// located adds an address, unless a court stands right before it: its own address is public.
func (c *codes) located(start, end int) int {
	if c.cited.inCourt(start) {
		return 0 // "Oh. Ct. Com. Pl., Highland 2019"
	}
	before := strings.TrimRight(c.text[max(0, start-longestCourtName):start], " ,\n:(")
	line := before[strings.LastIndexAny(before, "\n;]")+1:]
	// The chamber stands between the court's name and its address: look at the line above.
	if courtPart(line) {
		before = strings.TrimRight(before[:len(before)-len(line)], " \n,")
		line = before[strings.LastIndexAny(before, "\n;]")+1:]
	}

	for _, court := range courtNames {
		if strings.Contains(line, court) {
			c.cited.seats = append(c.cited.seats, span{start: start, end: end})
			return end
		}
	}

	return c.add(kindAddress, ruleStreet, start, end)
}

// courtBefore reports whether a court's name stands on one of the lines before byte i, which go on with its address.
func (c *codes) courtBefore(i int) bool {
	before := c.text[max(0, i-longestCourtName):i]
	if cut := strings.LastIndex(before, "\n\n"); cut >= 0 {
		before = before[cut:]
	}

	return strings.Contains(before, "Courts of Justice") || strings.Contains(before, "Justice Centre") ||
		strings.Contains(before, "APPEAL TRIBUNAL")
}

// courtPart reports whether a line is the part of a court that hears a case, below the court's name: "19. Zivilsenat".
func courtPart(line string) bool {
	for _, part := range []string{"senat", "kammer", "Kammer", "Abteilung", "Division", "Part "} {
		if strings.Contains(line, part) {
			return true
		}
	}

	return false
}

// longestCourtName is how far before an address the name of a court may begin, in bytes.
const longestCourtName = 90

var courtNames = []string{
	"gericht ",
	"gericht, ",
	"Courthouse",
	"United States District Court",
	"Court of Appeal",
	"Supreme Court",
	"High Court",
	"Courts of Justice",
	"County Court",
	"Crown Court",
	"Superior Court",
	"Employment Tribunal",
	"Justice Centre",
	"APPEAL TRIBUNAL",
	"EMPLOYMENT TRIBUNAL",
	"Law Courts",
}

// compass are the points of the compass that American streets begin with: "38 West Harbor", "72 S Harbor".
var compass = setOf(`n s e w nw ne sw se north south east west`)

// compassStreet returns the end of a street without a kind that begins with a point of the compass, at byte i,
// where the line or the clause ends behind it. It is 0 for none.
func (c *codes) compassStreet(i int) int {
	word, end := c.word(i)
	if len(word) > len("north") || !capital(word) || !compass.has(c.smallWord(word, end)) {
		return 0
	}

	own := false

	for range longestStreet {
		at := c.skip(c.dot(end), " ")
		name, stop := c.word(at)
		if name == "" || at == end || !capital(name) && !digit(name[0]) {
			return 0
		}
		// Letters tell the name of a street from a case: only "6 W 45/09" has nothing but numbers behind the point.
		own = own || !digit(name[0]) || strings.Trim(name, tenDigits) != "" && strings.IndexByte(name, '/') < 0
		end = stop
		if end == len(c.text) || strings.IndexByte("\n,", c.text[end]) >= 0 {
			if !own {
				return 0 // "6 W 45/09" is the number of a case
			}

			return end
		}
	}

	return 0
}

// longestStreet is how many words the name of a street may have, and streetBytes how long it may be.
const (
	longestStreet = 7
	streetBytes   = 80
)

// houseFirst reads "12 Long Lane", "12, rue de la Paix" and "5 bis avenue Foch" behind a number, and returns
// the end, 0 for none.
func (c *codes) houseFirst(t *token) int {
	if t.letters > 1 || t.slashes+t.dots > 1 || c.behindThousands(t) {
		return 0
	}
	at := c.skip(t.end, ", ")
	word, end := c.word(at)
	// The "bis" of "5 bis avenue Foch" stands between the number and the street.
	if len(word) <= 3 && units.has(c.smallWord(word, end)) {
		at = c.skip(end, ", ")
		word, end = c.word(at)
	}
	if word == "" || at == t.end || strings.Trim(word, tenDigits) == "" {
		return 0
	}
	if end := c.compassStreet(at); end > 0 && t.letters == 0 && t.digits <= 5 {
		return end
	}
	first := c.smallWord(word, end)
	if streetBefore.has(first) && !streetBehind.has(first) || frenchStreets.has(word) {
		if end := c.nameAfter(end); end > 0 {
			return end
		}
	}

	for n := 0; n < longestStreet && end-t.end < streetBytes; n++ {
		low := c.smallWord(word, end)
		if capital(word) && (n > 0 && streetBehind.has(low) || grown(low)) {
			// "1998 Supreme Court of Texas" has the shape of a house in a court.
			if low == "court" && (strings.HasPrefix(c.cited.small()[end:], " of ") || yearLike(t)) {
				return 0 // a court of law behind a year
			}

			return c.routeNumber(c.direction(c.dot(c.streetOn(end))))
		}
		if !capital(word) && known(word)&lexicon.Particle == 0 || known(word)&lexicon.Calendar != 0 {
			return 0
		}
		next := c.dot(end)
		if next == len(c.text) || c.text[next] != ' ' {
			return 0
		}
		word, end = c.word(next + 1)
		if word == "" {
			return 0
		}
	}

	return 0
}

// behindThousands reports whether the token goes on a number before a comma: the "500" of "12,500 shares".
func (c *codes) behindThousands(t *token) bool {
	return t.start > 1 && c.text[t.start-1] == ',' && digit(c.text[t.start-2])
}

// streetOn returns where a street ends whose name goes on behind a kind of street: "Hollow Creek Parkway".
func (c *codes) streetOn(end int) int {
	at := end
	for range 2 {
		word, stop := c.word(c.skip(at, " "))
		if !capital(word) || stop == at || digit(word[0]) {
			return end
		}
		low := strings.ToLower(word)
		if streetBehind.has(low) && !buildings.has(low) {
			return stop
		}
		if known(word)&(lexicon.Law|lexicon.Head|lexicon.Calendar) != 0 {
			return end
		}
		at = stop
	}

	return end
}

// beforeTown reads what stands behind the number of a house where a town with its State and ZIP code follows,
// whatever the street is called: "3310 Alder Pass, Unit B, Beaverton, Oregon 97005". It returns the end, 0 for none.
func (c *codes) beforeTown(t *token) int {
	if t.letters > 0 || t.digits > 5 || t.marks() > 0 || !strings.HasPrefix(c.text[t.end:], " ") {
		return 0
	}

	at, words, commas := t.end, 0, 0
	for words < mostTownWords {
		at = c.skip(at, " ")
		if at < len(c.text) && (c.text[at] == ',' || c.text[at] == '\n') {
			commas++
			at = c.skip(at+1, " ")
		}
		word, stop := c.word(at)
		if word == "" || commas > 3 {
			return 0
		}
		if commas > 0 && words > 1 && americanState(word) {
			if zip := c.zipAt(c.skip(stop, " ,")); zip > 0 {
				return zip
			}
		}
		if !capital(word) && !digit(word[0]) {
			return 0 // the street has ended
		}
		at, words = c.dot(stop), words+1
	}

	return 0
}

// americanState reports whether a word is a State in full, or its two capitals.
func americanState(word string) bool {
	low := strings.ToLower(word)
	return domesticStates.has(low) || stateCodes.has(low) && strings.ToUpper(word) == word
}

// mostTownWords bounds the words between the number of a house and a ZIP code.
const mostTownWords = 10

// zipAt returns the end of the ZIP code at byte i, 0 for none.
func (c *codes) zipAt(i int) int {
	word, stop := c.word(i)
	if len(word) != 5 && len(word) != len("12345-6789") || strings.Trim(word[:5], tenDigits) != "" ||
		strings.Trim(word[5:], tenDigits+"-") != "" {
		return 0
	}

	return stop
}

// routeNumber takes in the number of a road that has one: "County Road 771", "Loop 94".
func (c *codes) routeNumber(end int) int {
	word, stop := c.word(c.skip(end, " "))
	if word == "" || len(word) > 4 || strings.Trim(word, tenDigits) != "" || stop == end {
		return end
	}

	return stop
}

// frenchStreets begin the names of streets, in small letters, as French addresses do.
var frenchStreets = setOf(`rue avenue boulevard place chemin allée impasse quai route cours square passage faubourg av
	bd boul bld fbg imp rte`)

// joinsStreet are the small words in names of streets that the lexicon does not hold as particles.
var joinsStreet = setOf(`du des de la le les l d et aux au dei delle del dos das da do`)

// nameAfter reads the name of a street behind its kind: capitalised words, and particles between them.
func (c *codes) nameAfter(at int) int {
	end := 0

	for range longestStreet {
		next := c.skip(c.dot(at), " ")
		word, stop := c.word(next)
		if word == "" || next == at {
			break
		}

		switch {
		case capital(word):
			end = stop
		case known(word)&lexicon.Particle == 0 && !joinsStreet.has(word):
			return end
		}
		at = stop
	}

	return end
}

// houseLast reads "Hauptstraße 5", "Via Roma 12", "ul. Długa 7/3", "Calle Mayor, 5" before a number and returns
// the start, -1 for none.
func (c *codes) houseLast(t *token) int {
	if t.letters > 2 || t.dots > 0 || t.start < 4 {
		return -1
	}

	at := t.start
	for at > 0 && strings.IndexByte(" ,:", c.text[at-1]) >= 0 && t.start-at < 3 {
		at--
	}
	if at == t.start {
		return -1
	}
	start, word := c.wordBefore(at)
	if low := c.smallWord(word, start+len(word)); low == "no" || low == "nr" || low == "n" {
		at = c.trim(start)
		start, word = c.wordBefore(at)
	}

	for n := 0; n < longestStreet && word != ""; n++ {
		low := c.smallWord(word, start+len(word))
		// The B 27 has a number, and nobody lives at it.
		if n == 0 && publicRoads.has(low) {
			return -1
		}
		if n == 0 && capital(word) && grown(low) {
			return start
		}
		if n == 0 && streetsLast.has(low) {
			if first, name := c.wordBefore(c.trim(start)); name != "" && capital(name) {
				return first
			}
		}
		// "Smith et al. 12" is a citation, and "al." is the Polish avenue.
		if low == "al" && strings.HasSuffix(c.text[:start], "et ") {
			return -1
		}
		if n > 0 && streetBefore.has(low) {
			return start
		}
		if !capital(word) && known(word)&lexicon.Particle == 0 && !joinsStreet.has(low) {
			return -1
		}
		// "Order No. 5" and "March 5" are written like a street with its house.
		if low == "no" || n == 0 && known(word)&(lexicon.Law|lexicon.Calendar) != 0 {
			return -1
		}
		at = c.trim(start)
		if at == start {
			return -1
		}
		start, word = c.wordBefore(at)
	}

	return -1
}

// publicRoads are roads between places, which are called by a number.
var publicRoads = setOf(`bundesstraße landstraße landesstraße kreisstraße staatsstraße bundesstrasse landstrasse`)

// grown reports whether a word in lower case ends in the kind of a street.
func grown(word string) bool {
	if word == "" || !streetLast[word[len(word)-1]] {
		return false // most words
	}

	for _, e := range streetEndings {
		if len(word) > len(e)+2 && strings.HasSuffix(word, e) {
			// Short endings close ordinary words too: "Ring", "Hof", "Gate".
			return len(e) > 4 || known(word) == 0
		}
	}

	return false
}

// streetLast are the bytes that streetEndings end in.
var streetLast = func() (t bytesOf) {
	for _, e := range streetEndings {
		t[e[len(e)-1]] = true
	}

	return t
}()

// rest takes in what goes on behind the street: the flat, the place and its postcode, as far as they stand on
// the same or next line.
func (c *codes) rest(end int) int {
	for range 4 {
		at := end
		for at < len(c.text) && strings.IndexByte(" ,\n", c.text[at]) >= 0 && at-end < 3 {
			at++
		}
		if at == end {
			return end
		}
		word, stop := c.word(at)

		low := strings.ToLower(word)
		switch {
		case word == "":
			return end
		case units.has(low):
			token, last := c.word(c.skip(c.dot(stop), " "))
			if token == "" || !digit(token[0]) && len(token) > 2 {
				return end
			}
			end = last
		case c.streetAt(at) > 0:
			end = c.streetAt(at)
		case postcode(c.text, at) > 0:
			end = postcode(c.text, at)
		case continentalCode(word):
			end = stop
			if place, last := c.word(c.skip(stop, " ")); place != "" && capital(place) && !digit(place[0]) {
				end = last
			}
		// A town counts only with its postcode behind it: any capitalised word may begin the next sentence.
		case capital(word) && c.text[at-1] != '\n' && c.postcodeWithin(stop) > 0:
			end = c.postcodeWithin(stop)
		default:
			return end
		}
	}

	return end
}

// streetAt returns the end of a street whose house number begins at byte i, behind a suite: "Apt. 5C, 1290 Prairie
// Rose Drive". It is 0 for none.
func (c *codes) streetAt(i int) int {
	if !digit(c.text[i]) {
		return 0
	}
	t := tokenAt(c.text, i)

	return c.houseFirst(&t)
}

// continentalCode reports whether a word is a postcode that stands before its town: "50670", "31-042", "1000-205".
func continentalCode(word string) bool {
	digits := strings.Replace(word, "-", "", 1)
	return len(digits) >= 4 && len(digits) <= 7 && len(word) <= len("1000-205") && strings.Trim(digits, tenDigits) == ""
}

// direction takes in a point of the compass behind a street: King Street West, 5th Ave NW.
func (c *codes) direction(end int) int {
	word, stop := c.word(c.skip(end, " "))
	switch strings.ToLower(word) {
	case "n", "s", "e", "w", "nw", "ne", "sw", "se", "north", "south", "east", "west":
		return stop
	}

	return end
}
