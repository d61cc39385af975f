package pdf

import (
	"bytes"
	"strconv"
)

// entry says where an object is.
type entry struct {
	packed bool
	at     int // offset in the file, or number of the object stream that holds it
}

// objectStream is an unpacked stream of objects.
type objectStream struct {
	data    []byte
	offsets map[int]int // object number to offset in data
}

const (
	maxEntries   = 1 << 19 // objects of a file
	maxSections  = 4096    // revisions of a file
	tailBytes    = 2048    // where the end of a file is looked for
	maxKept      = 1 << 19 // cells of parsed objects held at a time
	maxPackBytes = 32 << 20
)

// latestHeader is how far into a file readers look for its header.
const latestHeader = 1024

// Header returns where the header of a file begins, behind what programs of printing or mail left before it; -1 when
// there is none in the first 1,024 bytes.
func Header(data []byte) int {
	return bytes.Index(data[:min(len(data), latestHeader)], []byte("%PDF-"))
}

// tableAt reports whether what stands at an offset begins as a table of objects does, in plain text or as a stream.
func (f *file) tableAt(pos int) bool {
	if pos < 0 || pos >= len(f.data) {
		return false
	}
	words := bytes.Fields(f.data[pos:min(len(f.data), pos+maxTableStart)])
	if len(words) > 0 && bytes.Equal(words[0], []byte("xref")) {
		return true
	}

	return len(words) > 2 && bytes.HasPrefix(words[2], []byte("obj")) && digitsOnly(words[0]) && digitsOnly(words[1])
}

// maxTableStart is where a table of objects has said that it is one, in bytes.
const maxTableStart = 64

func digitsOnly(word []byte) bool { return len(bytes.Trim(word, "0123456789")) == 0 }

// readStructure reads the tables of objects, the newest revision first.
func (f *file) readStructure() {
	junk := Header(f.data)
	if junk < 0 {
		damaged("no header")
	}
	tail := max(0, len(f.data)-tailBytes)
	at := bytes.LastIndex(f.data[tail:], []byte("startxref"))
	if at < 0 {
		damaged("no startxref")
	}
	l := f.lexer(tail + at + len("startxref"))
	pos, ok := l.token().(int)
	if !ok {
		damaged("no offset behind startxref")
	}
	// Most readers count offsets from the header.
	if junk > 0 && !f.tableAt(pos) {
		f.data = f.data[junk:]
		f.dropped["surplusBytes"]++
	}
	f.xref, f.objects, f.packed = map[int]entry{}, map[int]any{}, map[int]*objectStream{}
	seen := map[int]bool{}

	for todo := []int{pos}; len(todo) > 0; {
		pos, todo = todo[0], todo[1:]
		if seen[pos] || len(seen) > maxSections {
			damaged("tables of objects in a circle")
		}
		seen[pos] = true
		f.revised = false
		t := f.section(pos)
		if f.revised {
			f.dropped["earlierRevisions"]++
		}
		if f.trailer == nil {
			f.trailer = t
		}
		if t["Encrypt"] != nil {
			panic(failure{ErrEncrypted})
		}

		for _, key := range []name{"XRefStm", "Prev"} {
			if next, ok := integer(t[key]); ok {
				todo = append(todo, next)
			}
		}
	}
}

// integer reads a whole number, also one written with a decimal point.
func integer(o any) (int, bool) {
	switch n := o.(type) {
	case int:
		return n, true
	case float64:
		if n == float64(int(n)) {
			return int(n), true
		}
	}

	return 0, false
}

// lexer returns a lexer for the objects of the file at offset pos.
func (f *file) lexer(pos int) *lexer {
	if pos < 0 || pos >= len(f.data) {
		damaged("offset outside the file")
	}

	return &lexer{f: f, data: f.data, pos: pos, refs: true, asides: true}
}

// section reads one table of objects and returns its trailer.
func (f *file) section(pos int) dict {
	l := f.lexer(pos)
	defer func() { f.spans[pos] = l.pos }()
	if l.token() == keyword("xref") {
		return f.table(l)
	}
	l = f.lexer(pos)
	_, o := l.indirect()
	s, ok := o.(stream)
	if !ok || s.dict["Type"] != name("XRef") {
		damaged("no table of objects")
	}
	f.tableStream(s)

	return s.dict
}

// table reads a table in plain text.
func (f *file) table(l *lexer) dict {
	for {
		first := l.token()
		if first == keyword("trailer") {
			d, ok := l.object(0).(dict)
			if !ok {
				damaged("no trailer")
			}

			return d
		}
		num, ok1 := first.(int)
		count, ok2 := l.token().(int)
		if !ok1 || !ok2 || num < 0 || count < 0 {
			damaged("bad table of objects")
		}

		for i := range count {
			at, ok1 := l.token().(int)
			_, ok2 := l.token().(int)
			use := l.token()
			if !ok1 || !ok2 || use != keyword("n") && use != keyword("f") {
				damaged("bad table of objects")
			}
			if use == keyword("n") && at > 0 {
				f.addEntry(num+i, entry{at: at})
			}
		}
	}
}

// addEntry notes an object unless a newer revision has it.
func (f *file) addEntry(num int, e entry) {
	f.step()
	if newer, ok := f.xref[num]; ok {
		f.revised = f.revised || newer != e
		return
	}
	if len(f.xref) >= maxEntries {
		panic(failure{ErrTooMuch})
	}
	f.xref[num] = e
}

// tableStream reads a table in binary form.
func (f *file) tableStream(s stream) {
	var width [3]int
	w, _ := s.dict["W"].(array)
	if len(w) < 3 {
		damaged("bad table of objects")
	}
	row := 0

	for i := range width {
		n, ok := w[i].(int)
		if !ok || n < 0 || n > 8 {
			damaged("bad table of objects")
		}
		width[i] = n
		row += n
	}
	index, ok := s.dict["Index"].(array)
	if !ok {
		index = array{0, s.dict["Size"]}
	}
	data := f.unpack(s)

	for ; len(index) >= 2; index = index[2:] {
		num, ok1 := index[0].(int)
		count, ok2 := index[1].(int)
		read := ok1 && ok2 && row != 0
		if !read || num < 0 || count < 0 || count > len(data)/row {
			damaged("bad table of objects")
		}

		for i := range count {
			f.binaryEntry(num+i, data[i*row:], width)
		}
		data = data[count*row:]
	}
}

func (f *file) binaryEntry(num int, row []byte, width [3]int) {
	kind, row := bigEndian(row, width[0]), row[width[0]:]
	if width[0] == 0 {
		kind = 1
	}

	switch at := bigEndian(row, width[1]); kind {
	case 1:
		f.addEntry(num, entry{at: at})
	case 2:
		f.addEntry(num, entry{packed: true, at: at})
	}
}

// bigEndian reads an unsigned number of n bytes; one too big for an int comes out negative and fits no offset.
func bigEndian(b []byte, n int) int {
	v := 0
	for _, c := range b[:n] {
		v = v<<8 | int(c)
	}

	return v
}

// resolve follows references until something else is found. What does not exist is nil.
func (f *file) resolve(o any) any {
	r, ok := o.(ref)
	if !ok {
		return o
	}
	f.step()
	if o, ok := f.objects[r.num]; ok {
		return o
	}

	e, ok := f.xref[r.num]
	if !ok {
		return nil
	}
	if f.loading++; f.loading > f.lim.Nesting {
		damaged("references in a circle")
	}
	defer func() { f.loading-- }()
	o = f.resolve(f.load(r.num, e))
	if f.kept > maxKept {
		clear(f.objects)
		f.kept = 0
	}
	f.objects[r.num] = o

	return o
}

// load reads the object of number num.
func (f *file) load(num int, e entry) any {
	if !e.packed {
		l := f.lexer(e.at)
		r, o := l.indirect()
		if r.num != num {
			damaged("wrong object at " + strconv.Itoa(num))
		}
		f.spans[e.at] = l.pos

		return o
	}
	s := f.objectStream(e.at)
	at, ok := s.offsets[num]
	if !ok {
		damaged("object missing from its stream")
	}
	o := (&lexer{f: f, data: s.data, pos: at, refs: true}).object(0)
	if _, ok := o.(keyword); ok {
		damaged("keyword for an object")
	}

	return o
}

// objectStream unpacks the object stream of number num.
func (f *file) objectStream(num int) *objectStream {
	if s, ok := f.packed[num]; ok {
		return s
	}
	e, ok := f.xref[num]
	if !ok || e.packed {
		damaged("no object stream")
	}
	raw, ok := f.resolve(ref{num: num}).(stream)
	if !ok || raw.dict["Type"] != name("ObjStm") {
		damaged("no object stream")
	}
	count, ok1 := f.resolve(raw.dict["N"]).(int)
	first, ok2 := f.resolve(raw.dict["First"]).(int)
	s := &objectStream{data: f.unpack(raw), offsets: map[int]int{}}
	within := count >= 0 && count <= first && first <= len(s.data)
	if !ok1 || !ok2 || !within {
		damaged("bad object stream")
	}

	l := &lexer{f: f, data: s.data[:first]}
	for range count {
		num, ok1 := l.token().(int)
		at, ok2 := l.token().(int)
		within := at >= 0 && at <= len(s.data)-first
		if !ok1 || !ok2 || !within {
			damaged("bad object stream")
		}
		s.offsets[num] = first + at
	}
	f.keepPacked(num, s)

	return s
}

// keepPacked remembers an unpacked object stream, and forgets all others when they grow too big together.
func (f *file) keepPacked(num int, s *objectStream) {
	held := len(s.data)
	for _, other := range f.packed {
		held += len(other.data)
	}
	if held > maxPackBytes {
		clear(f.packed)
	}
	f.packed[num] = s
}

// The typed look-ups below return the zero value for what is missing or of another type.

func (f *file) dict(o any) dict {
	switch o := f.resolve(o).(type) {
	case dict:
		return o
	case stream:
		return o.dict
	}

	return nil
}

func (f *file) array(o any) array {
	a, _ := f.resolve(o).(array)
	return a
}

func (f *file) name(o any) name {
	n, _ := f.resolve(o).(name)
	return n
}

func (f *file) float(o any) float64 {
	switch n := f.resolve(o).(type) {
	case int:
		return float64(n)
	case float64:
		return n
	}

	return 0
}
