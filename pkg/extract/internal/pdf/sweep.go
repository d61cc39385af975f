package pdf

import (
	"cmp"
	"errors"
	"slices"
	"strings"
)

// sweep walks everything that can be reached from the trailer. Each string and stream is one that has been read, or
// is counted by a kind.
func (w *walker) sweep() {
	s := &sweeper{walker: w, met: map[int]bool{}}

	for _, key := range sortedKeys(w.trailer) {
		switch key {
		case "Root", "Info", "ID":
			s.push(w.trailer[key], key, "", inheritedKind(key))
		case "Size", "Prev", "XRefStm", "Type", "W", "Index", "Length", "Filter", "DecodeParms":
		default:
			s.push(w.trailer[key], key, "", "unknownEntries")
		}
	}

	for len(s.todo) > 0 {
		next := s.todo[len(s.todo)-1]
		s.todo = s.todo[:len(s.todo)-1]
		w.step()
		s.guarded(func() { s.visit(next) })
	}
	s.unused()
}

// reach is an object with the way on which it was reached.
type reach struct {
	object any
	key    name   // under which it stands
	above  name   // the key before that
	kind   string // as which everything in it is counted; empty where its own keys decide
	num    int    // of the object, 0 for one that is written in place
}

// sweeper counts what has not been read.
type sweeper struct {
	*walker
	todo []reach
	met  map[int]bool // numbers of objects
}

func (s *sweeper) push(o any, key, above name, kind string) {
	switch o.(type) {
	case nil, bool, int, float64:
		return
	}
	s.todo = append(s.todo, reach{object: o, key: key, above: above, kind: kind})
}

// guarded does something to an object that nobody needed to read: a broken one is counted and does no harm.
func (s *sweeper) guarded(do func()) {
	defer func() {
		r := recover()
		if r == nil {
			return
		}
		if f, ok := r.(failure); !ok || !errors.Is(f.err, ErrDamaged) {
			panic(r)
		}
		s.loading = 0
		s.dropped["unknownEntries"]++
	}()
	do()
}

func (s *sweeper) visit(x reach) {
	if r, ok := x.object.(ref); ok {
		if s.met[r.num] {
			return
		}
		s.met[r.num] = true
		x.object, x.num = s.resolve(r), r.num
	}

	switch o := x.object.(type) {
	case str:
		s.count(s.kindOfString(x, o))
	case name:
		if strange(string(o)) {
			s.count(cmp.Or(x.kind, "unknownEntries"))
		}
	case array:
		for _, item := range o {
			s.push(item, x.key, x.above, x.kind)
		}
	case stream:
		s.count(s.kindOfStream(x, o))
		s.entries(x, o.dict)
	case dict:
		s.entries(x, o)
	}
}

func (s *sweeper) count(kind string) {
	if kind != "" {
		s.dropped[kind]++
	}
}

// entries walks a dictionary.
func (s *sweeper) entries(x reach, d dict) {
	kind := x.kind
	if ownKinds[s.name(d["Type"])] {
		kind = ""
	}
	if kind == "" && (d["ByteRange"] != nil || d["Type"] == name("Sig")) {
		kind = "signatures"
	}
	if kind == "" && d["Type"] == name("Font") {
		s.count("fonts")
	}
	role := roleOf(s.file, x.key, d)

	for _, key := range sortedKeys(d) {
		if strange(string(key)) {
			s.count(cmp.Or(kind, "unknownEntries"))
		}
		below := kind
		if below == "" {
			below = inheritedKind(key)
		}
		if x.key == "AP" && key != "N" {
			below = "alternatives"
		}
		if text, ok := d[key].(str); ok && below == "" {
			s.count(s.kindInRole(role, key, text))
			continue
		}
		s.push(d[key], key, x.key, below)
	}
}

// ownKinds are the types of objects that are part of no other, from wherever they are reached.
var ownKinds = map[name]bool{
	"Catalog":        true,
	"Pages":          true,
	"Page":           true,
	"StructTreeRoot": true,
	"StructElem":     true,
	"Annot":          true,
	"Font":           true,
	"XObject":        true,
}

// The roles of dictionaries whose strings have the same keys and are something else.
const (
	noteRole  = "note"
	fieldRole = "field"
	treeRole  = "tree"
)

// roleOf tells notes, fields of forms and elements of the structure apart.
func roleOf(f *file, key name, d dict) string {
	kind := f.name(d["Subtype"])
	untyped := kind == "" && d["S"] == nil && d["Type"] == nil
	named := key == "Kids" || key == "Parent" || key == "Fields"

	switch {
	case kind == "Widget", d["FT"] != nil, untyped && named:
		return fieldRole
	case kind != "" && (d["Rect"] != nil || key == "Annots"):
		return noteRole
	case d["S"] != nil && (d["P"] != nil || d["K"] != nil):
		return treeRole
	}

	return ""
}

// kindInRole names what a string of a dictionary is, empty when it has been read or says nothing.
func (s *sweeper) kindInRole(role string, key name, text str) string {
	switch key {
	case "T":
		switch role {
		case noteRole:
			return "authors"
		case treeRole:
			return "bookmarks"
		}

		return "formNames"
	case "Contents", "RC", "Subj":
		if role == noteRole {
			return "" // read
		}

		return "unknownEntries"
	case "V":
		if role == fieldRole {
			return s.kindOfValue(text)
		}

		return "unknownEntries"
	}

	return s.kindOfString(reach{key: key}, text)
}

// stringKinds names what the strings under a key are. Those that have been read have no kind.
var stringKinds = map[name]string{
	"Alt":                       "",
	"ActualText":                "",
	"E":                         "",
	"DV":                        "formDefaults",
	"Opt":                       "formOptions",
	"TU":                        "formNames",
	"TM":                        "formNames",
	"CA":                        "formNames",
	"AC":                        "formNames",
	"DA":                        "styles",
	"DS":                        "styles",
	"OutputCondition":           "styles",
	"OutputConditionIdentifier": "styles",
	"RegistryName":              "styles",
	"ID":                        "identifiers",
	"NM":                        "identifiers",
	"JS":                        "scripts",
	"F":                         "linkTargets",
	"UF":                        "linkTargets",
	"DOS":                       "linkTargets",
	"Unix":                      "linkTargets",
	"Mac":                       "linkTargets",
	"Base":                      "linkTargets",
	"Dest":                      "bookmarks",
	"D":                         "bookmarks",
	"Title":                     "bookmarks",
	"Registry":                  "fonts",
	"Ordering":                  "fonts",
	"FontFamily":                "fonts",
	"CharSet":                   "fonts",
	"FontName":                  "fonts",
	"Panose":                    "fonts",
	"Name":                      "layers",
	"P":                         "layers",
	"Creator":                   "layers",
	"ColorSpace":                "pictures",
	"CS":                        "pictures",
}

// kindOfString names what a string is by the way to it.
func (s *sweeper) kindOfString(x reach, text str) string {
	if kind, known := s.told[text]; known && (slices.Contains(captionKeys, x.key) || valueKeys[x.key]) {
		return kind
	}
	if x.kind != "" {
		return x.kind
	}
	if x.key == "URI" {
		if s.linked[text] {
			return "" // read
		}

		return "linkTargets"
	}
	if kind, known := stringKinds[x.key]; known {
		return kind
	}
	if x.above == "ColorSpace" || len(text) == 0 || machineString(text) {
		return ""
	}

	return "unknownEntries"
}

// valueKeys are those of the values of fields and of their options.
var valueKeys = map[name]bool{"V": true, "Opt": true}

// kindOfValue names what the value of a field is: that of one that stands on no page is not read.
func (s *sweeper) kindOfValue(text str) string {
	if kind, known := s.told[text]; known || text == "" {
		return kind
	}

	return "formDefaults"
}

// machineString reports whether a string is a date, or the code of a language.
func machineString(s str) bool {
	if date, ok := strings.CutPrefix(string(s), "D:"); ok {
		return strings.Trim(date, "0123456789+-Z'") == ""
	}

	return len(s) == 2 || len(s) == 5 && s[2] == '-'
}

// inheritedKind names what everything below a key is.
func inheritedKind(key name) string {
	switch key {
	case "Info", "I":
		return "properties"
	case "ID":
		return "identifiers"
	case "PieceInfo":
		return "pieceInfo"
	case "Outlines", "Dests":
		return "bookmarks"
	case "XFA":
		return "customXml"
	case "JavaScript":
		return "scripts"
	case "OutputIntents", "RoleMap", "ClassMap":
		return "styles"
	case "IDTree", "Headers":
		return "identifiers"
	case "MK":
		return "formNames"
	case "PageLabels", "OCProperties":
		return "layers"
	case "Perms", "DSS", "Cert", "Reference":
		return "signatures"
	case "Threads", "SpiderInfo", "Legal", "WebCapture", "IDS", "URLS", "AlternatePresentations", "Renditions":
		return "unknownEntries"
	}

	return ""
}

// kindOfStream names what a stream is that has not been read, empty when it has.
func (s *sweeper) kindOfStream(x reach, o stream) string {
	if x.kind != "" {
		return x.kind
	}

	switch x.key {
	case "Metadata":
		return "xmp"
	case "FontFile", "FontFile2", "FontFile3", "CIDSet", "CIDToGIDMap":
		return "fonts"
	case "JS":
		return "scripts"
	case "Thumb", "SMask", "Mask", "Image":
		return "pictures"
	}

	switch kind := s.name(o.dict["Subtype"]); {
	case kind == "Image", x.above == "Pattern", x.key == "G":
		return "pictures"
	case s.name(o.dict["Type"]) == "Metadata":
		return "xmp"
	case x.above == "CharProcs":
		return "fonts"
	case kind == "Form" && !s.painted[x.num]:
		return "unusedObjects"
	case kind == "Form", streamKeys[x.key], streamKeys[x.above]:
		return ""
	}

	return "unknownEntries"
}

// streamKeys are the keys under which streams stand that say how a page is drawn.
var streamKeys = map[name]bool{
	"Contents":          true,
	"N":                 true,
	"XObject":           true,
	"CharProcs":         true,
	"Pattern":           true,
	"Shading":           true,
	"ColorSpace":        true,
	"Function":          true,
	"Functions":         true,
	"ToUnicode":         true,
	"Encoding":          true,
	"G":                 true,
	"HT":                true,
	"TR":                true,
	"TR2":               true,
	"BG":                true,
	"BG2":               true,
	"UCR":               true,
	"UCR2":              true,
	"DestOutputProfile": true,
	"CS":                true,
	"Cs":                true,
	"UseCMap":           true,
	"AP":                true,
	"ExtGState":         true,
	"Default":           true,
}

// strange reports whether a name holds what programs do not put into names.
func strange(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r <= ' ' || r > '~' || r == '@' })
}

// unused counts the objects that nothing leads to.
func (s *sweeper) unused() {
	holders := map[int]bool{}

	for _, e := range s.xref {
		if e.packed {
			holders[e.at] = true
		}
	}

	for num, e := range s.xref {
		s.step()
		if !s.met[num] && !holders[num] && !s.tableAt(e) {
			s.count("unusedObjects")
		}
	}
}

// tableAt reports whether an entry is the one of a table of objects.
func (s *sweeper) tableAt(e entry) bool { return !e.packed && s.spans[e.at] > 0 }

func sortedKeys(d dict) []name {
	keys := make([]name, 0, len(d))
	for key := range d {
		keys = append(keys, key)
	}
	slices.Sort(keys)

	return keys
}

// surplus counts the stretches of the file that belong to no object and no table.
func (f *file) surplus() {
	starts := make([]int, 0, len(f.spans))
	for at := range f.spans {
		starts = append(starts, at)
	}

	// Objects that nobody needed are counted as such.
	for num, e := range f.xref {
		if f.step(); !e.packed && f.spans[e.at] == 0 && e.at > 0 && e.at < len(f.data) {
			if end := f.endOf(num, e); end > 0 {
				f.spans[e.at] = end
				starts = append(starts, e.at)
			}
		}
	}
	slices.Sort(starts)
	at := 0

	for _, start := range append(starts, len(f.data)) {
		if start > at && !plumbing(string(f.data[at:start]), at == 0) {
			f.dropped["surplusBytes"]++
		}
		if start < len(f.data) {
			at = max(at, f.spans[start])
		}
	}
}

// endOf returns where an object ends, 0 when it is broken.
func (f *file) endOf(num int, e entry) (end int) {
	defer func() {
		r := recover()
		if x, ok := r.(failure); r != nil && (!ok || !errors.Is(x.err, ErrDamaged)) {
			panic(r)
		}
	}()
	l := f.lexer(e.at)
	if r, _ := l.indirect(); r.num != num {
		return 0
	}

	return l.pos
}

// longestPlumbing bounds what stands between two objects of a file that hides nothing there.
const longestPlumbing = 4096

// plumbing reports whether what stands between objects is only what the format puts there.
func plumbing(gap string, first bool) bool {
	if first {
		line, rest, _ := strings.Cut(strings.ReplaceAll(gap, "\r", "\n"), "\n")
		if len(line) > len("%PDF-1.7")+8 {
			return false
		}
		gap = strings.TrimLeft(rest, "\n ")
		if mark, after, _ := strings.Cut(gap, "\n"); strings.HasPrefix(mark, "%") && binary(mark[1:]) {
			gap = after
		}
	}
	if len(gap) > longestPlumbing {
		return strings.Trim(gap, "\x00 \r\n\t") == ""
	}

	for _, word := range strings.Fields(strings.ReplaceAll(gap, "\x00", " ")) {
		switch word {
		case "endobj", "startxref", "%%EOF", "xref", "endstream":
			continue
		}
		if strings.Trim(word, "0123456789") != "" {
			return false
		}
	}

	return true
}

// binary reports whether a comment is the one that tells other programs that the file is no text: a few bytes that
// are no letters.
func binary(mark string) bool {
	mark = strings.TrimSpace(mark)

	return len(mark) <= 16 && !strings.ContainsFunc(mark, func(r rune) bool { return r < 0x80 && r > ' ' })
}
