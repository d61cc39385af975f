package guard

import (
	"sort"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// view is a text in the form in which the rules read it: composed, without invisible characters, with one kind of
// blank, hyphen and apostrophe, and with look-alikes of Latin letters folded. It maps each place back to the text as
// given.
type view struct {
	text   string
	pieces []piece // nil where the text is as given
	length int     // bytes of the text as given
	hidden []span  // what somebody did to keep words from being found, in bytes of the text as given
	under  *view   // the view that this one is of, nil where it is of the text as given
}

// piece is a stretch of the view. In a straight one offsets move together; anything else is one character made of
// others, which begins where its source does and ends where the next piece begins.
type piece struct {
	at, from int32
	straight bool
}

// span is a stretch of text of one kind, with the rule that found it.
type span struct {
	start, end int
	kind       kind
	rule       rule
}

// start maps the beginning of a find to the text as given.
func (v *view) start(i int) int {
	for ; v != nil; v = v.under {
		if v.pieces != nil {
			i = v.before(i)
		}
	}

	return i
}

// before maps the beginning of a find to the text that the view is of.
func (v *view) before(i int) int {
	p := v.piece(i)
	if v.pieces[p].straight {
		return int(v.pieces[p].from) + i - int(v.pieces[p].at)
	}

	return int(v.pieces[p].from)
}

// end maps the end of a find. One inside a character of the source takes in the whole of it.
func (v *view) end(i int) int {
	for ; v != nil; v = v.under {
		if v.pieces != nil {
			i = v.behind(i)
		}
	}

	return i
}

// behind maps the end of a find to the text that the view is of.
func (v *view) behind(i int) int {
	if i >= len(v.text) {
		return v.length
	}

	p := v.piece(i)
	switch {
	case v.pieces[p].straight:
		return int(v.pieces[p].from) + i - int(v.pieces[p].at)
	case i == int(v.pieces[p].at):
		return int(v.pieces[p].from)
	case p+1 < len(v.pieces):
		return int(v.pieces[p+1].from)
	}

	return v.length
}

// piece returns the index of the piece that holds byte i.
func (v *view) piece(i int) int {
	return sort.Search(len(v.pieces), func(k int) bool { return int(v.pieces[k].at) > i }) - 1
}

// newView normalises a text. ASCII is returned as it is.
func newView(text string) view {
	i := 0
	// Text in ASCII needs no view, which most English papers are in.
	for i < len(text) && text[i] < utf8.RuneSelf {
		i++
	}
	if i == len(text) {
		return view{text: text, length: len(text)}
	}
	b := builder{src: text, v: view{length: len(text), pieces: make([]piece, 1, 64)}}
	b.v.pieces[0].straight = true
	b.out = make([]byte, 0, len(text)+16)
	b.run(i)
	if b.foreign {
		return fold(b.v)
	}

	return b.v
}

// builder makes a view in one pass.
type builder struct {
	src      string
	v        view
	out      []byte
	copied   int      // bytes of src that are in out
	veiled   int      // where the last invisible character inside a word was
	foreign  bool     // letters of other scripts were seen
	scrawls  int      // marks in a row that belong on no such letter
	scrawled int      // where the last of them was
	room     [16]byte // for the forms of one rune
}

func (b *builder) run(i int) {
	b.veiled = -longestVeil
	for i < len(b.src) {
		if b.src[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, width := utf8.DecodeRuneInString(b.src[i:])
		if into, changes := b.change(i, r, width); changes {
			b.flush(i)
			if len(into) > 0 {
				b.v.pieces = append(b.v.pieces, piece{int32(len(b.out)), int32(i), false})
				b.out = append(b.out, into...)
			}
			b.copied = i + width
			b.v.pieces = append(b.v.pieces, piece{int32(len(b.out)), int32(b.copied), true})
		}
		i += width
	}
	b.flush(len(b.src))
	b.v.text = string(b.out)
}

func (b *builder) flush(to int) {
	b.out = append(b.out, b.src[b.copied:to]...)
	b.copied = to
}

// longestVeil is how far apart invisible characters may be to count as one attempt, in bytes.
const longestVeil = 8

// change tells what stands in the view for the rune at byte i, when it is something else.
func (b *builder) change(i int, r rune, width int) (into []byte, changes bool) {
	switch {
	case r >= 0xc0 && r < 0x250:
		return nil, false
	case ignorable(r):
		b.veil(i, r, width)
		return nil, true
	case unicode.Is(unicode.Mn, r):
		b.compose(i, r)
		return nil, true
	}
	if plain := typewritten(r); plain != 0 {
		return append(b.room[:0], plain), true
	}
	if typographic(r) {
		return nil, false
	}
	b.foreign = b.foreign || unicode.IsLetter(r) && !unicode.Is(unicode.Latin, r)
	form := norm.NFKC.AppendString(b.room[:0], b.src[i:i+width])

	return form, string(form) != b.src[i:i+width]
}

// typewritten returns the blank, line end, hyphen or apostrophe of ASCII that a sign stands for, 0 for any other.
func typewritten(r rune) byte {
	switch r {
	case 0xa0, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a,
		0x202f, 0x205f, 0x3000, 0x1680, 0x180e, 0x2800, 0x115f, 0x1160, 0x3164, 0xffa0, 0x2420, 0x2422, 0x2423:
		return ' '
	case 0x85, 0x2028, 0x2029:
		return '\n'
	case 0x2010, 0x2011, 0x2012, 0x2212, 0xfe63, 0xff0d:
		return '-'
	case '`', 0xb4, 0x2bc, 0x2018, 0x2019, 0x201b, 0x2032, 0xff07:
		return '\''
	}

	return 0
}

// typographic reports whether a sign stays as it is: a Latin letter, a dash, a quotation mark, the euro. What is not
// UTF-8 stays too, so that its bytes keep their places.
func typographic(r rune) bool {
	switch r {
	case '€', utf8.RuneError:
		return true
	}

	return r < 0x250 || r >= 0x2013 && r <= 0x2027
}

// veil notes an invisible character inside a word: nobody types one by chance. Soft hyphens and byte-order marks come
// from editors.
func (b *builder) veil(i int, r rune, width int) {
	if r == 0xad || r == 0xfeff {
		return
	}
	if i == 0 || i+width >= len(b.src) || !wordByte(b.src[i-1]) || !wordByte(b.src[i+width]) {
		return
	}
	if i-b.veiled > longestVeil {
		b.v.hidden = append(b.v.hidden, span{i, i + width, kindHidden, ruleInvisible})
	}
	b.veiled = i
}

// compose puts a combining mark on the letter before it where there is such a letter, and drops it where there is none.
func (b *builder) compose(i int, r rune) {
	b.flush(i)
	base, width := utf8.DecodeLastRune(b.out)
	if width == 0 || base == utf8.RuneError {
		return
	}
	var pair [2 * utf8.UTFMax]byte
	form := norm.NFC.Append(b.room[:0], utf8.AppendRune(append(pair[:0], b.out[len(b.out)-width:]...), r)...)
	if utf8.RuneCount(form) != 1 {
		b.scrawl(i, utf8.RuneLen(r))
		return
	}
	at := len(b.out) - width

	from := int32(b.v.start(at))
	// The letter is written anew with its mark, so that pieces that began at it are void.
	for len(b.v.pieces) > 1 && int(b.v.pieces[len(b.v.pieces)-1].at) >= at {
		b.v.pieces = b.v.pieces[:len(b.v.pieces)-1]
	}
	b.v.pieces = append(b.v.pieces, piece{int32(at), from, false})
	b.out = append(b.out[:at], form...)
}

// scrawl notes marks on characters that no alphabet writes with them, when there are several close together.
func (b *builder) scrawl(i, width int) {
	if i-b.scrawled > longestScrawl {
		b.scrawls = 0
	}
	b.scrawls++
	b.scrawled = i
	// One finding for each attempt, or a line of marks would fill the answer.
	if b.scrawls == fewestScrawls {
		b.v.hidden = append(b.v.hidden, span{i, i + width, kindHidden, ruleInvisible})
	}
}

// fewestScrawls marks at most longestScrawl bytes apart are on purpose.
const (
	fewestScrawls = 3
	longestScrawl = 8
)

// fold rewrites words that look Latin and are not, wholly or in part.
func fold(v view) view {
	f := folder{v: v, out: make([]byte, 0, len(v.text)), pieces: make([]piece, 0, len(v.pieces)+16)}
	for i := 0; i < len(v.text); {
		if begin := foreignWord(v.text, i); begin > i {
			f.copy(i, begin)
			i = begin

			continue
		}
		end, latin, like, other := f.word(i)
		if end == i {
			_, width := utf8.DecodeRuneInString(v.text[i:])
			f.copy(i, i+width)
			i += width

			continue
		}

		switch {
		// A word wholly of another script is no disguise.
		case like == 0 || latin == 0 && other > 0:
			f.copy(i, end)
		default:
			if latin > 0 {
				f.v.hidden = append(f.v.hidden, span{v.start(i), v.end(end), kindHidden, ruleMixedScript})
			}
			f.latin(i, end)
		}
		i = end
	}
	f.v.text, f.v.pieces = string(f.out), f.pieces

	return f.v
}

// folder makes a view of a view.
type folder struct {
	v      view // the one that is read
	out    []byte
	pieces []piece
}

// foreignWord returns where, from byte i on, the next word begins that is not all ASCII.
func foreignWord(text string, i int) int {
	begin := i
	for begin < len(text) && text[begin] < utf8.RuneSelf {
		begin++
	}

	for begin > i && (upper(text[begin-1]) || lower(text[begin-1])) {
		begin--
	}

	return begin
}

// word reads the letters from byte i on and counts those that are Latin, those that look so, and the others.
func (f *folder) word(i int) (end, latin, like, other int) {
	for i < len(f.v.text) {
		r, width := utf8.DecodeRuneInString(f.v.text[i:])
		if !unicode.IsLetter(r) {
			break
		}
		if unicode.Is(unicode.Latin, r) {
			latin++
		} else if _, ok := lookAlike(r); ok {
			like++
		} else {
			other++
		}
		i += width
	}

	return i, latin, like, other
}

// latin copies a word with its look-alikes replaced.
func (f *folder) latin(i, end int) {
	for i < end {
		r, width := utf8.DecodeRuneInString(f.v.text[i:end])
		if letter, ok := lookAlike(r); ok && !unicode.Is(unicode.Latin, r) {
			f.pieces = append(f.pieces, piece{int32(len(f.out)), int32(f.v.start(i)), false})
			f.out = append(f.out, letter)
		} else {
			f.copy(i, i+width)
		}
		i += width
	}
}

// copy takes over a stretch of the view as it is, with its pieces.
func (f *folder) copy(i, end int) {
	for i < end {
		p := f.v.piece(i)
		stop := end
		if p+1 < len(f.v.pieces) {
			stop = min(end, int(f.v.pieces[p+1].at))
		}
		f.pieces = append(f.pieces, piece{int32(len(f.out)), int32(f.v.start(i)), f.v.pieces[p].straight})
		f.out = append(f.out, f.v.text[i:stop]...)
		i = stop
	}
}
