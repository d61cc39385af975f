package pdf

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"maps"
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
	f.readInfo(doc)
	f.readXMP(doc, root)
	w := &walker{file: f, doc: doc, seen: map[ref]bool{}, drawn: map[string]bool{}}
	w.pages(root["Pages"], nil, 0)
	if len(doc.Pages) == 0 {
		damaged("no pages")
	}
	w.outline(f.dict(root["Outlines"]))
	w.structureTree(f.dict(root["StructTreeRoot"]))
	w.script(root["OpenAction"])
	w.scripts(f.dict(root["Names"])["JavaScript"])
	f.readForm(doc, f.dict(root["AcroForm"]))
	names := f.dict(root["Names"])
	doc.Attachments = doc.Attachments || names["EmbeddedFiles"] != nil || root["AF"] != nil || root["Collection"] != nil

	return doc
}

// readInfo reads the document information.
func (f *file) readInfo(doc *Document) {
	info := f.dict(f.trailer["Info"])
	for _, key := range slices.Sorted(maps.Keys(info)) {
		if key == "CreationDate" || key == "ModDate" {
			continue
		}
		text := ""
		switch v := f.resolve(info[key]).(type) {
		case str:
			text = plainText(v)
		case name:
			text = plainText(str(v))
		}
		if strings.TrimSpace(text) != "" {
			f.textBytes(len(text)+len(key), 1)
			doc.Fields = append(doc.Fields, Field{lowerFirst(plainText(str(key))), text})
		}
	}
}

// lowerFirst turns a key such as Author into the name of a field.
func lowerFirst(key string) string {
	if key != "" && key[0] >= 'A' && key[0] <= 'Z' {
		return strings.ToLower(key[:1]) + key[1:]
	}

	return key
}

// readXMP keeps the texts and attributes of the XML metadata, except what counts time and versions.
func (f *file) readXMP(doc *Document, root dict) {
	s, ok := f.resolve(root["Metadata"]).(stream)
	if !ok {
		return
	}
	d := xml.NewDecoder(bytes.NewReader(f.unpack(s)))
	d.Strict = false
	var texts []string
	skip := func(local string) bool {
		return strings.HasSuffix(local, "Date") || strings.HasSuffix(local, "ID") || local == "format" || local == "about"
	}
	element := ""

	for {
		t, err := d.RawToken()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			damaged("metadata is broken")
		}
		f.step()
		switch t := t.(type) {
		case xml.StartElement:
			element = t.Name.Local
			for _, a := range t.Attr {
				if a.Name.Space != "xmlns" && a.Name.Local != "xmlns" && a.Name.Space != "xml" && !skip(a.Name.Local) {
					texts = append(texts, a.Value)
				}
			}
		case xml.CharData:
			if text := strings.TrimSpace(string(t)); text != "" && !skip(element) {
				texts = append(texts, text)
			}
		}
	}
	if text := strings.Join(texts, "\n"); text != "" {
		f.textBytes(len(text), 1)
		doc.Fields = append(doc.Fields, Field{"xmp", text})
	}
}

// walker goes through the tree of pages.
type walker struct {
	*file
	doc   *Document
	seen  map[ref]bool
	drawn map[string]bool // texts of annotations
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

// pages reads a node of the tree; resources are those of the nodes above.
func (w *walker) pages(node any, resources dict, depth int) {
	if depth > w.lim.Nesting || !w.once(node) {
		damaged("pages in a circle")
	}
	d := w.dict(node)
	if d == nil {
		damaged("page missing")
	}
	if own := w.dict(d["Resources"]); own != nil {
		resources = own
	}
	kids, ok := w.resolve(d["Kids"]).(array)
	if !ok {
		w.page(d, resources)
		return
	}

	for _, kid := range kids {
		w.pages(kid, resources, depth+1)
	}
}

func (w *walker) page(d dict, resources dict) {
	if len(w.doc.Pages) >= w.lim.Pages {
		panic(failure{ErrPages})
	}
	p := newPainter(w.file, w.doc)
	p.content(w.contents(d["Contents"]), resources, 0)
	text, unseen := p.texts()
	if unseen != "" {
		w.doc.Hidden = append(w.doc.Hidden, unseen)
	}
	if values := w.annotations(d); values != "" {
		text = strings.TrimPrefix(text+"\n\n"+values, "\n\n")
	}
	w.doc.Pages = append(w.doc.Pages, text)
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
func (w *walker) annotations(page dict) string {
	var values []string

	for _, o := range w.array(page["Annots"]) {
		a := w.dict(o)
		switch w.name(a["Subtype"]) {
		case "Widget":
			values = w.widget(values, a)
		case "FileAttachment":
			w.doc.Attachments = true
		}

		for _, key := range []name{"T", "Subj", "Contents", "RC"} {
			if s, ok := w.resolve(a[key]).(str); ok && w.name(a["Subtype"]) != "Widget" {
				w.doc.Comments = w.keep(w.doc.Comments, s)
			}
		}
		if s, ok := w.resolve(w.dict(a["A"])["URI"]).(str); ok {
			w.doc.Hidden = w.keep(w.doc.Hidden, s)
		}
		w.script(a["A"])
		w.fieldNames(a)
		w.appearance(w.dict(a["AP"])["N"], values)
	}

	return strings.Join(values, "\n")
}

// widget appends the value of a form field, which may be kept by the field above it.
func (w *walker) widget(values []string, a dict) []string {
	for depth := 0; a != nil && depth < 8; depth++ {
		switch v := w.resolve(a["V"]).(type) {
		case str:
			return w.keep(values, v)
		case array:
			for _, one := range v {
				if s, ok := w.resolve(one).(str); ok {
					values = w.keep(values, s)
				}
			}

			return values
		case dict:
			w.signature(v)
			return values
		}
		a = w.dict(a["Parent"])
	}

	return values
}

// readForm keeps the data of forms that no page shows: the XML of dynamic forms.
func (f *file) readForm(doc *Document, form dict) {
	xfa := f.resolve(form["XFA"])
	parts, _ := xfa.(array)
	if s, ok := xfa.(stream); ok {
		parts = array{s}
	}

	for _, part := range parts {
		s, ok := f.resolve(part).(stream)
		if !ok {
			continue
		}
		d := xml.NewDecoder(bytes.NewReader(f.unpack(s)))

		d.Strict = false
		for {
			t, err := d.RawToken()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				damaged("form is broken")
			}
			f.step()
			if text, ok := t.(xml.CharData); ok {
				doc.Hidden = f.keep(doc.Hidden, str("\xef\xbb\xbf"+string(text)))
			}
		}
	}
}

// outline keeps the titles of the bookmarks.
func (w *walker) outline(first dict) {
	for todo := []any{first["First"]}; len(todo) > 0; {
		o := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		d := w.dict(o)
		if d == nil || !w.once(o) {
			continue
		}
		if s, ok := w.resolve(d["Title"]).(str); ok {
			w.doc.Hidden = w.keep(w.doc.Hidden, s)
		}
		todo = append(todo, d["Next"], d["First"])
	}
}
