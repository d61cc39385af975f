package pdf

import (
	"maps"
	"slices"
	"strings"
)

// maxAppearances bounds the appearances of one annotation, such as those of a box that is ticked and of one that is not.
const maxAppearances = 16

// appearance keeps the text that an annotation draws and that none of its values says: that of a stamp stands nowhere else.
func (w *walker) appearance(o any, values []string) {
	forms := []any{o}
	if states, ok := w.resolve(o).(dict); ok {
		forms = forms[:0]
		for _, state := range slices.Sorted(maps.Keys(states)) {
			forms = append(forms, states[state])
		}
	}

	for _, form := range forms[:min(len(forms), maxAppearances)] {
		s, ok := w.resolve(form).(stream)
		if !ok {
			continue
		}
		p := newPainter(w.file, w.doc)
		p.content(p.form(form, s), w.dict(s.dict["Resources"]), 1)

		seen, unseen := p.texts()
		for _, text := range []string{seen, unseen} {
			if text != "" && !w.drawn[text] && !slices.Contains(values, text) {
				w.drawn[text] = true
				w.doc.Hidden = append(w.doc.Hidden, text)
			}
		}
	}
}

// fieldNames keeps what a form field is called in words, and what it held before anybody filled it in. Names that programs give, such as
// topmostSubform[0].f1_02[0], say nothing.
func (w *walker) fieldNames(a dict) {
	if w.name(a["Subtype"]) != "Widget" {
		return
	}

	for depth := 0; a != nil && depth < 8; depth++ {
		for _, key := range []name{"T", "TU", "DV"} {
			if s, ok := w.resolve(a[key]).(str); ok && (key != "T" || strings.ContainsAny(plainText(s), " @")) {
				w.doc.Hidden = w.keep(w.doc.Hidden, s)
			}
		}
		a = w.dict(a["Parent"])
	}
}

// signature keeps what a digital signature says of who signed; its bytes are for machines.
func (w *walker) signature(v dict) {
	for _, key := range []name{"Name", "ContactInfo", "Location", "Reason"} {
		if s, ok := w.resolve(v[key]).(str); ok {
			w.doc.Hidden = w.keep(w.doc.Hidden, s)
		}
	}
}

// script keeps the program of an action, which nothing here runs.
func (w *walker) script(action any) {
	switch s := w.resolve(w.dict(action)["JS"]).(type) {
	case str:
		w.doc.Hidden = w.keep(w.doc.Hidden, s)
	case stream:
		w.doc.Hidden = w.keep(w.doc.Hidden, str(w.unpack(s)))
	}
}

// scripts keeps the programs of a tree of names, and their names.
func (w *walker) scripts(tree any) {
	for todo := []any{tree}; len(todo) > 0; {
		o := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		d := w.dict(o)
		if d == nil || !w.once(o) {
			continue
		}

		for _, entry := range w.array(d["Names"]) {
			if s, ok := w.resolve(entry).(str); ok {
				w.doc.Hidden = w.keep(w.doc.Hidden, s)
				continue
			}
			w.script(entry)
		}
		todo = append(todo, w.array(d["Kids"])...)
	}
}

// structureTree keeps the texts that stand for parts of the document when it is read aloud.
func (w *walker) structureTree(root dict) {
	for todo := []any{root["K"]}; len(todo) > 0; {
		o := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		w.step()
		if list, ok := w.resolve(o).(array); ok {
			todo = append(todo, list...)
			continue
		}
		d := w.dict(o)
		if d == nil || !w.once(o) {
			continue
		}

		for _, key := range []name{"Alt", "ActualText", "E", "T"} {
			if s, ok := w.resolve(d[key]).(str); ok {
				w.doc.Hidden = w.keep(w.doc.Hidden, s)
			}
		}
		todo = append(todo, d["K"])
	}
}
