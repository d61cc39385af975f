package pdf

import (
	"maps"
	"slices"
	"strings"
)

// maxAppearances bounds the appearances of one annotation, such as those of a box that is ticked and of one that is
// not.
const maxAppearances = 16

// appearance keeps the text that an annotation draws and that none of its values says: that of a stamp stands nowhere
// else.
func (w *walker) appearance(o any, values []string, shown *shown) {
	forms := []any{o}
	if states, ok := w.resolve(o).(dict); ok {
		forms = forms[:0]
		// Sorted, so that the same file always gives the same text.
		for _, state := range slices.Sorted(maps.Keys(states)) {
			forms = append(forms, states[state])
		}
	}

	for _, form := range forms[:min(len(forms), maxAppearances)] {
		s, ok := w.resolve(form).(stream)
		if !ok {
			continue
		}
		w.paints(form)
		p := newPainter(w.file, w.doc)
		p.content(p.form(form, s), w.dict(s.dict["Resources"]), 1)

		shown.add(p.shown)
		w.alts = append(w.alts, p.alts...)
		seen, unseen := p.texts()
		w.doc.Drawn = w.drawnOnce(w.doc.Drawn, seen.text, values)
		w.doc.Hidden = w.drawnOnce(w.doc.Hidden, unseen.text, values)
	}
}

// drawnOnce adds what an annotation draws, unless a value or another annotation says it.
func (w *walker) drawnOnce(list []string, text string, values []string) []string {
	if text == "" || w.drawn[text] || slices.Contains(values, text) {
		return list
	}
	w.drawn[text] = true

	return append(list, text)
}

// settleAlts keeps the replacement texts that say what no page says, and counts the others.
func (w *walker) settleAlts() {
	if len(w.alts) == 0 {
		return
	}
	words := map[string]bool{}

	for _, p := range w.doc.Pages {
		for word := range strings.FieldsSeq(p.Text) {
			w.step()
			words[word] = true
		}
	}
	kept := map[string]bool{}

	for _, alt := range w.alts {
		known := true

		for word := range strings.FieldsSeq(alt) {
			w.step()
			known = known && words[word]
		}

		switch {
		case known:
			w.dropped["alternatives"]++
		case !kept[alt]:
			kept[alt] = true
			w.doc.Alts = append(w.doc.Alts, alt)
		}
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

		for _, key := range []name{"Alt", "ActualText", "E"} {
			if s, ok := w.resolve(d[key]).(str); ok {
				w.alts = w.keep(w.alts, s)
			}
		}
		todo = append(todo, d["K"])
	}
}
