package guard

import (
	"encoding/binary"
	"math/bits"
	"strings"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"
)

// wordSet is a set of lower-case words. Its words lie in the order of their marks, so that a word that is asked for
// is compared with those of its own mark alone, and most words with none.
type wordSet struct {
	*wordTable
}

type wordTable struct {
	marks []uint64 // a bit for each mark that a word has
	shift uint32   // a mark is what is left of 32 bits
	ranks []uint16 // how many bits are set in those before
	first []uint16 // for each bit that is set, the first word of that mark; and len(words)
	words []string
}

// A set has about so many marks for each word, since the marks of all sets share the processor's cache, and at least as
// many as one number has bits.
const (
	marksAWord = 16
	fewestBits = 6
	mostBits   = 13
)

func setOf(words string) wordSet {
	list := strings.Fields(words)
	t := &wordTable{words: make([]string, len(list))}
	size := min(max(bits.Len(uint(len(list)*marksAWord)), fewestBits), mostBits)
	t.shift = uint32(32 - size)
	t.marks, t.ranks = make([]uint64, 1<<size/64), make([]uint16, 1<<size/64)

	for _, w := range list {
		m := t.markOf(w)
		t.marks[m>>6] |= 1 << (m & 63)
	}
	marked := 0

	for i, bitsOf := range t.marks {
		t.ranks[i] = uint16(marked)
		marked += bits.OnesCount64(bitsOf)
	}
	t.first = make([]uint16, marked+1)

	for _, w := range list {
		t.first[t.rank(t.markOf(w))+1]++
	}

	for i := range marked {
		t.first[i+1] += t.first[i]
	}
	// A counting sort by mark: the words of one mark lie together.
	next := append([]uint16(nil), t.first...)

	for _, w := range list {
		rank := t.rank(t.markOf(w))
		t.words[next[rank]] = w
		next[rank]++
	}

	return wordSet{t}
}

// rank counts the marks of words before mark m.
func (t *wordTable) rank(m uint32) int {
	return int(t.ranks[m>>6]) + bits.OnesCount64(t.marks[m>>6]&(1<<(m&63)-1))
}

// markOf is the mark of a word that is not empty, by its length and some of its letters.
func (t *wordTable) markOf(w string) uint32 {
	return lettersOf(w) >> (t.shift & 31)
}

// lettersOf hashes the length and some of the letters of a word that is not empty.
func lettersOf(w string) uint32 {
	last := len(w) - 1
	h := uint32(w[0])<<24 | uint32(w[last>>1])<<16 | uint32(w[last])<<8 | uint32(len(w)&0xff)

	return h * 2654435769 // Fibonacci hashing
}

func (s wordSet) has(w string) bool {
	if w == "" {
		return false
	}
	m := s.markOf(w)
	if s.marks[m>>6]>>(m&63)&1 == 0 {
		return false
	}

	return s.holds(w, m)
}

// holds is has for a word whose mark m some word of the set has too.
func (t *wordTable) holds(w string, m uint32) bool {
	rank := t.rank(m)

	for _, of := range t.words[t.first[rank]:t.first[rank+1]] {
		if of == w {
			return true
		}
	}

	return false
}

// neighbours bounds how many words before a number say what it is, and neighbourBytes how far they are looked for.
const (
	neighbours     = 4
	neighbourBytes = 60
)

// lead is the words before a number on the same line, nearest first, in lower case.
type lead struct {
	words [neighbours]string
	n     int
}

// leadTo reads the words before byte i of text. small is the text with its ASCII letters in lower case.
func leadTo(text, small string, i int) (c lead) {
	limit := max(0, i-neighbourBytes)
	for i > limit && c.n < neighbours {
		for i > limit && text[i-1] < utf8.RuneSelf && !alphanumeric(text[i-1]) && text[i-1] != '\n' {
			i--
		}

		end := i
		for i > limit && (text[i-1] >= utf8.RuneSelf || alphanumeric(text[i-1])) {
			i--
		}
		// A line end stops the words: what stands above announces nothing.
		if i == end {
			break
		}
		if c.words[c.n] = small[i:end]; !ascii(text[i:end]) {
			c.words[c.n] = strings.ToLower(text[i:end])
		}
		c.n++
	}

	return c
}

// has reports whether one of the n nearest words is in set.
func (c *lead) has(set wordSet, n int) bool {
	for _, w := range c.words[:min(n, c.n)] {
		if set.has(w) {
			return true
		}
	}

	return false
}

// next is the nearest word, "" where there is none.
func (c *lead) next() string { return c.words[0] }

// wordAfter reads the word behind byte i in lower case, over a blank, hyphen or parenthesis.
func wordAfter(text string, i int) string {
	for i < len(text) && (text[i] == ' ' || text[i] == '(' || text[i] == '-') {
		i++
	}

	start := i
	for i < len(text) && i-start < 20 && (alphanumeric(text[i]) || text[i] >= utf8.RuneSelf) {
		i++
	}

	return strings.ToLower(text[start:i])
}

// toLower is strings.ToLower that looks at words in lower case once.
func toLower(s string) string {
	for i := range len(s) {
		if s[i]-'a' >= 26 && !digit(s[i]) {
			return strings.ToLower(s)
		}
	}

	return s
}

// smallASCII is text with its ASCII letters in lower case: every byte stays where it is.
func smallASCII(text string) string {
	b := []byte(text)

	i := 0
	for ; i+8 <= len(b); i += 8 {
		binary.LittleEndian.PutUint64(b[i:], smallEight(binary.LittleEndian.Uint64(b[i:])))
	}

	for ; i < len(b); i++ {
		if upper(b[i]) {
			b[i] |= 0x20
		}
	}

	return string(b)
}

// smallEight is eight bytes with the large ASCII letters among them in lower case.
func smallEight(eight uint64) uint64 {
	const each = 0x0101010101010101
	seven := eight & (0x7f * each)
	from, behind := seven+(0x80-'A')*each, seven+(0x80-'Z'-1)*each // the highest bit of each byte tells

	return eight | (from&^behind&^eight)&(0x80*each)>>2
}

// known looks a word up in any case. That a word is one of another language says nothing in an English sentence and is
// left out.
func known(word string) lexicon.Flags { return knownAnywhere(word) &^ lexicon.Foreign }

// knownAnywhere is known with the words of other languages.
func knownAnywhere(word string) lexicon.Flags {
	// Most words are ASCII, and are hashed without a copy.
	if f, ascii := lexicon.Fold(word); ascii {
		return f
	}
	var room [64]byte

	lower := room[:0]
	for _, r := range word {
		if len(lower) > len(room)-utf8.UTFMax {
			return 0
		}
		lower = utf8.AppendRune(lower, lowerRune(r))
	}

	return lexicon.Of(lower)
}

// bytesOf is a table of the bytes that a scan stops at: most bytes of a text are none.
type bytesOf [256]bool

func stopsAt(is func(c byte) bool) (t bytesOf) {
	for c := range t {
		t[c] = is(byte(c))
	}

	return t
}

// after returns where the next such byte stands from byte i on, the length of text for none.
func (t *bytesOf) after(text string, i int) int {
	for i < len(text) && !t[text[i]] {
		i++
	}

	return i
}

func digit(c byte) bool        { return c-'0' < 10 }
func upper(c byte) bool        { return c-'A' < 26 }
func lower(c byte) bool        { return c-'a' < 26 }
func alphanumeric(c byte) bool { return digit(c) || (c|0x20)-'a' < 26 }

// wordByte reports whether a byte is of a word: a letter, a digit or anything beyond ASCII.
func wordByte(c byte) bool { return alphanumeric(c) || c >= utf8.RuneSelf }

// The words that say what a number is. They are the field's own: what stands before numbers in pleadings, contracts and
// forms.
var (
	// citing words stand before numbers of statutes, rules, pages and exhibits, which identify nobody.
	citing = setOf(`order orders article articles art arts section sections s ss sec rule rules protocol law laws act
		acts regulation regulations directive decree resolution recommendation chapter paragraph paragraphs para paras
		annex schedule part title book series vol volume page pages p pp code statute bill point points clause item
		footnote note table figure exhibit appendix step convention ordinance ec eu eec gazette version legislative
		instruction circular protocols decree-law ord party ref witness question issue option chamber ecf dkt doc count
		lines line bates ch c at tr isbn patent patents dkts document docs`)
	// rooms stand before the number of a room in a court or another public building, which many people use. A suite or
	// a flat is somebody's address.
	rooms = setOf(`room rooms rm courtroom courtrooms saal sitzungssaal gerichtssaal verhandlungssaal raum sitzungsraum
		zimmer salle sala aula courthouse auditorium`)
	// numbering words stand before numbers that identify a person, a thing of theirs or their case.
	numbering = setOf(`sbn passport id identity identification insurance nino ssn security tax tin vat licence license
		policy member membership patient customer client employee registration file case docket claim reference
		application applications indictment record plot plots parcel invoice plate serial badge permit visa certificate
		matter appeal complaint petition personal medical nhs mrn pesel prisoner inmate deed folio sheet no nos nr
		number num numbers ref under`)
	banking   = setOf(`account acct iban sort routing bic swift card wallet konto compte a/c`)
	forms     = setOf(`form forms standard stage version bulletin alert advisory model edition release`)
	standards = setOf(`apache cc-by cc-by-sa cc-by-nc mpl gpl lgpl agpl bsd epl sha iso iec rfc utf md aes rsa ed
		tls ieee ansi nist din asc fas ifrs ias ssae ds sf astm nfpa ul asce api en sae bs pas nzs as/nzs cve cwe osha
		cg
		asme awwa aashto uji nccn apa dsm icd hl7 icc iccpr gaap gaas pcaob sas cas`)
	// makers of vehicles and aircraft stand before the names of their models.
	makers = setOf(`ford chevrolet chevy toyota honda nissan dodge gmc ram bmw audi mercedes škoda seat renault peugeot
		citroën fiat opel volkswagen vw kia hyundai mazda subaru volvo jeep lexus tesla boeing airbus cessna piper
		beechcraft embraer gulfstream bombardier sikorsky caterpillar komatsu kenworth peterbilt freightliner mack
		harley-davidson yamaha kawasaki suzuki skoda cadillac buick chrysler pontiac oldsmobile acura infiniti porsche
		ferrari lamborghini maserati bentley jaguar mitsubishi isuzu daimler scania iveco kubota hitachi doosan takeuchi
		bobcat massey-ferguson john-deere new-holland case-ih ducati triumph vespa piaggio citroen dacia lada saab
		lancia fendt claas navistar winnebago airstream`)
	counted = setOf(`no nos nr number numbers`)
	// measures stand beside amounts and quantities.
	measures = setOf(`eur euro euros usd gbp chf try trl tl ytl pln rub rur uah czk skk huf sek dkk nok frf dem itl ats
		esp pte grd cyp nlg bef luf iep fim ron rol bgn bgl hrk rsd mdl mtl sit ltl lvl eek isk mkd all bam azn amd gel
		jpy cny inr aud cad percent per million billion thousand hundred years year months month days day hours hour
		minutes weeks km metres meters m2 sq square hectares ha kg grams roubles rubles liras lira zlotys zloty francs
		marks pounds dollars forints korunas kroner kronor kunas hryvnias lei leva copies persons people times pages
		words bytes votes shares units employees feet foot acres miles cents percentage points basis`)
	// suffixes close a number and make no code of it: 21st, 10pm, 5kg.
	suffixes = setOf(`st nd rd th s am pm kg km cm mm m g mg ml m2 km2 h hrs bis ter a b c d e f k mb gb x ff et er o bn
		sq ft`)
)
