package pdf

import (
	"html"
	"math"
	"slices"
	"strings"
)

// readDocument reads everything that the file says.
func (f *file) readDocument() *Document {
	doc := &Document{}
	root := f.dict(f.trailer["Root"])
	if root == nil {
		damaged("no catalog")
	}
	w := &walker{file: f, doc: doc, seen: map[ref]bool{}, drawn: map[string]bool{}}
	w.pages(root["Pages"], inherited{}, 0)
	// What is damaged from here on belongs to no page.
	f.page = 0
	if len(doc.Pages) == 0 {
		damaged("no pages")
	}
	w.structureTree(f.dict(root["StructTreeRoot"]))
	names := f.dict(root["Names"])
	doc.Attachments = doc.Attachments || names["EmbeddedFiles"] != nil || root["AF"] != nil || root["Collection"] != nil
	doc.Dynamic = f.resolve(root["NeedsRendering"]) == true
	// It comes after the last page, since it compares with the words of all.
	w.settleAlts()
	w.sweep()
	f.surplus()
	doc.Dropped = f.dropped

	return doc
}

// walker goes through the tree of pages.
type walker struct {
	*file
	doc   *Document
	seen  map[ref]bool
	drawn map[string]bool // texts of annotations
	alts  []string        // what stands for parts of pages
}

// inherited is what a page has from the nodes above it.
type inherited struct {
	resources dict
	box       array // of the page
}

// once reports whether an object is visited for the first time; one that is written in place always is.
func (w *walker) once(o any) bool {
	r, ok := o.(ref)
	if !ok {
		return true
	}
	first := !w.seen[r]
	w.seen[r] = true

	return first
}

// pages reads a node of the tree.
func (w *walker) pages(node any, from inherited, depth int) {
	// A tree whose nodes lead back to one another would never end.
	if depth > w.lim.Nesting || !w.once(node) {
		damaged("pages in a circle")
	}
	d := w.dict(node)
	if d == nil {
		damaged("page missing")
	}
	if own := w.dict(d["Resources"]); own != nil {
		from.resources = own
	}
	if own := w.array(d["MediaBox"]); own != nil {
		from.box = own
	}
	kids, ok := w.resolve(d["Kids"]).(array)
	if !ok {
		w.page(d, from)
		return
	}

	for _, kid := range kids {
		w.pages(kid, from, depth+1)
	}
}

func (w *walker) page(d dict, from inherited) {
	if len(w.doc.Pages) >= w.lim.Pages {
		panic(failure{ErrPages})
	}
	w.file.page = len(w.doc.Pages) + 1
	p := newPainter(w.file, w.doc)
	p.content(w.contents(d["Contents"]), from.resources, 0)
	seen, unseen := p.texts()
	if unseen.text != "" {
		w.doc.Hidden = append(w.doc.Hidden, unseen.text)
	}
	w.alts = append(w.alts, p.alts...)
	page := Page{Text: seen.text, Sizes: seen.sizes, Tables: seen.tables, Bold: seen.bold}
	if values := w.annotations(d, &p.shown); values != "" {
		page.Text = strings.TrimPrefix(page.Text+"\n\n"+values, "\n\n")
	}
	page.judge(p.shown, w.area(from.box))
	w.doc.Pages = append(w.doc.Pages, page)
}

// area returns the area of a page in units of the page; that of US Letter when nothing says it.
func (w *walker) area(box array) float64 {
	const letter = 612 * 792
	if len(box) != 4 {
		return letter
	}
	area := math.Abs((w.float(box[2]) - w.float(box[0])) * (w.float(box[3]) - w.float(box[1])))
	if area < 1 {
		return letter
	}

	return area
}

// contents returns the operators of a page, which may be in several streams.
func (w *walker) contents(o any) []byte {
	switch o := w.resolve(o).(type) {
	case stream:
		return w.unpack(o)
	case array:
		var all []byte

		for _, part := range o {
			s, ok := w.resolve(part).(stream)
			if !ok {
				damaged("contents missing")
			}
			// PDF 32000-1, 7.8.2: streams are joined as if a blank stood between them.
			all = append(append(all, w.unpack(s)...), '\n')
		}

		return all
	case nil:
		return nil
	}
	damaged("contents missing")

	return nil
}

// annotations keeps the notes and links of a page, and returns the values of the form fields that stand on it.
func (w *walker) annotations(page dict, shown *shown) string {
	var values []string

	for _, o := range w.array(page["Annots"]) {
		a := w.dict(o)
		w.captions(a)

		switch kind := w.name(a["Subtype"]); kind {
		case "Widget":
			values = w.widget(values, a)
		case "FileAttachment":
			w.doc.Attachments = true
		case "RichMedia", "3D", "Movie", "Screen", "Sound":
			shown.pictures++
		default:
			w.comment(a)
		}
		if s, ok := w.resolve(w.dict(a["A"])["URI"]).(str); ok {
			w.linked[s] = true
			w.doc.Links = w.keep(w.doc.Links, s)
		}
		w.appearance(w.dict(a["AP"])["N"], values, shown)
	}

	return strings.Join(values, "\n")
}

// comment keeps what a note says. Its rich form is kept where that says something else.
func (w *walker) comment(a dict) {
	for _, key := range []name{"Subj", "Contents"} {
		if s, ok := w.resolve(a[key]).(str); ok {
			w.doc.Comments = w.keep(w.doc.Comments, s)
		}
	}
	rich, ok := w.resolve(a["RC"]).(str)
	if !ok {
		return
	}
	plain, _ := w.resolve(a["Contents"]).(str)
	text := withoutTags(plainText(rich))
	// Most programs write the same words in both forms.
	if slices.Equal(strings.Fields(text), strings.Fields(plainText(plain))) {
		w.dropped["alternatives"]++
		return
	}
	w.doc.Comments = w.keep(w.doc.Comments, str("\xef\xbb\xbf"+text))
}

// withoutTags returns the characters of XML, blanks in the place of tags.
func withoutTags(text string) string {
	var out strings.Builder

	for text != "" {
		before, rest, found := strings.Cut(text, "<")
		out.WriteString(html.UnescapeString(before))
		if !found {
			break
		}
		_, text, _ = strings.Cut(rest, ">")
		out.WriteByte(' ')
	}

	return out.String()
}
