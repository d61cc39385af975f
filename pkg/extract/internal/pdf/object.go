package pdf

import (
	"bytes"
	"strconv"
)

// The objects of a PDF file are nil, bool, int, float64 and these.
type (
	name    string
	str     string
	keyword string // an operator or a delimiter; never inside another object
	ref     struct{ num, gen int }
	array   []any
	dict    map[name]any
	stream  struct {
		dict
		raw []byte // still packed
	}
)

// lexer cuts bytes into tokens.
type lexer struct {
	f    *file
	data []byte
	pos  int
	refs bool // "1 0 R" is a reference; not so in page contents
	live int  // objects read since the last one that was done with

	asides bool // comments are counted
}

// maxLive bounds how many objects are held together: those of one indirect object, or of one operator.
const maxLive = 1 << 20

// endOfData is the token at the end.
const endOfData = keyword("")

func space(c byte) bool {
	switch c {
	case ' ', '\n', '\r', '\t', '\f', 0:
		return true
	}

	return false
}

func delimiter(c byte) bool {
	switch c {
	case '(', ')', '<', '>', '[', ']', '{', '}', '/', '%':
		return true
	}

	return false
}

// skipSpace moves on to the next byte that is neither blank nor comment.
func (l *lexer) skipSpace() {
	for l.pos < len(l.data) {
		c := l.data[l.pos]
		switch {
		case space(c):
			l.pos++
		case c == '%':
			if l.asides {
				l.f.dropped["markup"]++
			}
			end := bytes.IndexAny(l.data[l.pos:], "\r\n")
			if end < 0 {
				l.pos = len(l.data)
				return
			}
			l.pos += end
		default:
			return
		}
	}
}

// token returns the next token: a number, name, string or keyword.
func (l *lexer) token() any {
	l.f.step()
	l.skipSpace()
	if l.pos >= len(l.data) {
		return endOfData
	}

	c := l.data[l.pos]
	switch c {
	case '/':
		return l.name()
	case '(':
		return l.literal()
	case '<', '>':
		if l.pos+1 < len(l.data) && l.data[l.pos+1] == c {
			l.pos += 2
			return keyword(l.data[l.pos-2 : l.pos])
		}
		if c == '<' {
			return l.hex()
		}
		damaged("stray >")
	case '[', ']', '{', '}':
		l.pos++
		return keyword(c)
	case ')':
		damaged("stray )")
	}

	return l.word()
}

// word reads a number or keyword.
func (l *lexer) word() any {
	start := l.pos
	for l.pos < len(l.data) && !space(l.data[l.pos]) && !delimiter(l.data[l.pos]) {
		l.pos++
	}

	word := l.data[start:l.pos]
	switch c := word[0]; {
	case c >= '0' && c <= '9', c == '-', c == '+', c == '.':
		if n, ok := number(word); ok {
			return n
		}
	}

	return keyword(word)
}

// number reads an integer or real number. Integers beyond 15 digits become real.
func number(word []byte) (any, bool) {
	digits := word
	if digits[0] == '-' || digits[0] == '+' {
		digits = digits[1:]
	}

	integer := len(digits) > 0 && len(digits) <= 15
	for _, c := range digits {
		if c == '.' {
			integer = false
		} else if c < '0' || c > '9' {
			return nil, false
		}
	}
	if integer {
		n, err := strconv.Atoi(string(word))
		return n, err == nil
	}
	// The parser of the library takes digits without end.
	if len(word) > 64 {
		return nil, false
	}
	x, err := strconv.ParseFloat(string(word), 64)

	return x, err == nil
}

// name reads a name behind its slash.
func (l *lexer) name() name {
	l.pos++
	start := l.pos

	escaped := false
	for l.pos < len(l.data) && !space(l.data[l.pos]) && !delimiter(l.data[l.pos]) {
		escaped = escaped || l.data[l.pos] == '#'
		l.pos++
	}
	raw := l.data[start:l.pos]
	if !escaped {
		return name(raw)
	}

	out := make([]byte, 0, len(raw))
	for i := 0; i < len(raw); i++ {
		if raw[i] == '#' && i+2 < len(raw) {
			if hi, lo := nibble(raw[i+1]), nibble(raw[i+2]); hi >= 0 && lo >= 0 {
				out = append(out, byte(hi<<4|lo))
				i += 2

				continue
			}
		}
		out = append(out, raw[i])
	}

	return name(out)
}

func nibble(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}

	return -1
}

// hex reads a string between angle brackets.
func (l *lexer) hex() str {
	end := bytes.IndexByte(l.data[l.pos:], '>')
	if end < 0 {
		damaged("hexadecimal string without end")
	}
	body := l.data[l.pos+1 : l.pos+end]
	l.pos += end + 1

	return str(unhex(body))
}

// unhex decodes hexadecimal digits between blanks; a missing last one is zero.
func unhex(body []byte) []byte {
	out := make([]byte, 0, len(body)/2+1)
	high := -1

	for _, c := range body {
		if space(c) {
			continue
		}

		n := nibble(c)
		switch {
		case n < 0:
			damaged("bad hexadecimal digit")
		case high < 0:
			high = n
		default:
			out = append(out, byte(high<<4|n))
			high = -1
		}
	}
	if high >= 0 {
		out = append(out, byte(high<<4))
	}

	return out
}

// literal reads a string between parentheses.
func (l *lexer) literal() str {
	l.pos++
	var out []byte

	for depth := 1; ; {
		if l.pos >= len(l.data) {
			damaged("string without end")
		}
		c := l.data[l.pos]
		l.pos++

		switch c {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return str(out)
			}
		case '\\':
			out = l.escape(out)
			continue
		case '\r':
			if l.pos < len(l.data) && l.data[l.pos] == '\n' {
				l.pos++
			}
			c = '\n'
		}
		out = append(out, c)
	}
}

// escape reads what follows a backslash.
func (l *lexer) escape(out []byte) []byte {
	if l.pos >= len(l.data) {
		damaged("string without end")
	}
	c := l.data[l.pos]
	l.pos++

	switch c {
	case 'n':
		return append(out, '\n')
	case 'r':
		return append(out, '\r')
	case 't':
		return append(out, '\t')
	case 'b':
		return append(out, '\b')
	case 'f':
		return append(out, '\f')
	case '\n':
		return out
	case '\r':
		if l.pos < len(l.data) && l.data[l.pos] == '\n' {
			l.pos++
		}

		return out
	}
	if c < '0' || c > '7' {
		return append(out, c)
	}

	n := int(c - '0')
	for i := 0; i < 2 && l.pos < len(l.data) && l.data[l.pos] >= '0' && l.data[l.pos] <= '7'; i++ {
		n = n<<3 | int(l.data[l.pos]-'0')
		l.pos++
	}

	return append(out, byte(n))
}

// object reads the next object. A keyword that is no object, an operator for instance, is returned as it stands.
func (l *lexer) object(depth int) any {
	l.f.cell()
	if l.live++; l.live > maxLive {
		panic(failure{ErrTooMuch})
	}
	if depth > l.f.lim.Nesting {
		damaged("objects nested too deeply")
	}
	switch t := l.token().(type) {
	case int:
		// Only a look ahead tells the number 1 from the reference "1 0 R".
		if l.refs && t >= 0 {
			if r, ok := l.reference(t); ok {
				return r
			}
		}

		return t
	case keyword:
		switch t {
		case "<<":
			return l.dict(depth)
		case "[":
			return l.array(depth)
		case "true", "false":
			return t == "true"
		case "null":
			return nil
		}

		return t
	default:
		return t
	}
}

// reference reads the rest of "num gen R", or nothing.
func (l *lexer) reference(num int) (ref, bool) {
	back := l.pos
	if gen, ok := l.plainInt(); ok {
		l.skipSpace()
		ends := func(at int) bool { return at == len(l.data) || space(l.data[at]) || delimiter(l.data[at]) }
		if l.pos < len(l.data) && l.data[l.pos] == 'R' && ends(l.pos+1) {
			l.pos++
			return ref{num, gen}, true
		}
	}
	l.pos = back

	return ref{}, false
}

// plainInt reads a number of one to five digits.
func (l *lexer) plainInt() (int, bool) {
	l.skipSpace()

	n, start := 0, l.pos
	for l.pos < len(l.data) && l.pos-start < 6 && l.data[l.pos] >= '0' && l.data[l.pos] <= '9' {
		n = n*10 + int(l.data[l.pos]-'0')
		l.pos++
	}

	return n, l.pos > start && l.pos-start < 6
}

func (l *lexer) array(depth int) array {
	var a array

	for {
		o := l.object(depth + 1)
		if k, ok := o.(keyword); ok {
			if k == "]" {
				return a
			}
			damaged("keyword in an array")
		}
		a = append(a, o)
	}
}

func (l *lexer) dict(depth int) dict {
	d := dict{}

	for {
		switch key := l.token().(type) {
		case name:
			o := l.object(depth + 1)
			if _, ok := o.(keyword); ok {
				damaged("keyword in a dictionary")
			}
			// Of two entries of one name the last one counts: a reader that took the first would show other text.
			d[key] = o
		case keyword:
			if key == ">>" {
				return d
			}
			damaged("dictionary without end")
		default:
			damaged("dictionary key that is no name")
		}
	}
}

// indirect reads "num gen obj … endobj", with the stream if there is one.
func (l *lexer) indirect() (r ref, o any) {
	l.live = 0
	num, ok1 := l.token().(int)
	gen, ok2 := l.token().(int)
	if !ok1 || !ok2 || l.token() != keyword("obj") {
		damaged("no object where one should be")
	}
	o = l.object(0)
	d, ok := o.(dict)
	if !ok {
		if _, bad := o.(keyword); bad {
			damaged("keyword for an object")
		}

		return ref{num, gen}, o
	}
	back := l.pos
	if l.token() == keyword("stream") {
		return ref{num, gen}, stream{d, l.streamBytes(d)}
	}
	l.pos = back

	return ref{num, gen}, d
}

// streamBytes returns the bytes of a stream whose keyword has just been read. A wrong length is put right by looking
// for the end, which other readers do as well.
func (l *lexer) streamBytes(d dict) []byte {
	if l.pos < len(l.data) && l.data[l.pos] == '\r' {
		l.pos++
	}
	if l.pos < len(l.data) && l.data[l.pos] == '\n' {
		l.pos++
	}
	rest := l.data[l.pos:]
	if n, ok := l.f.resolve(d["Length"]).(int); ok && n >= 0 && n <= len(rest) {
		// The length is believed only if the stream ends there.
		if tail := bytes.TrimLeft(rest[n:min(len(rest), n+16)], "\r\n \t"); bytes.HasPrefix(tail, []byte("endstream")) {
			l.pos += n + len("endstream") + min(len(rest), n+16) - n - len(tail)
			return rest[:n]
		}
	}
	end := bytes.Index(rest, []byte("endstream"))
	if end < 0 {
		damaged("stream without end")
	}

	// The search is work, too, so its length counts against the budget.
	for range end >> 12 {
		l.f.step()
	}
	l.pos += end + len("endstream")
	rest = bytes.TrimSuffix(rest[:end], []byte("\n"))

	return bytes.TrimSuffix(rest, []byte("\r"))
}
