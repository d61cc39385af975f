package pdf

import "strings"

// pushButton is the flag of a field that is a button with a caption; the others are boxes and circles.
const pushButton = 1 << 16

// boxMarks are the captions of boxes and circles: the letters for a tick, a cross and so on in the font of signs.
const boxMarks = "48lunH"

// captionKeys are the captions of a button as it is, under the mouse and when pressed.
var captionKeys = []name{"CA", "RC", "AC"}

// captions keeps what is written on a button. A viewer draws it where the file has no drawing of the button.
func (w *walker) captions(a dict) {
	looks := w.dict(a["MK"])

	for _, key := range captionKeys {
		s, ok := w.resolve(looks[key]).(str)
		if !ok || w.boxMark(a, s) {
			continue
		}

		for _, text := range w.keep(nil, s) {
			w.told[s] = ""
			w.doc.Drawn = w.drawnOnce(w.doc.Drawn, strings.TrimSpace(text), nil)
		}
	}
}

// boxMark reports whether a caption is the sign of a box or circle.
func (w *walker) boxMark(a dict, caption str) bool {
	return len(caption) == 1 && strings.Contains(boxMarks, string(caption)) &&
		int(w.float(w.ofField(a, "Ff")))&pushButton == 0
}

// fieldDepth bounds the fields above a field.
const fieldDepth = 8

// ofField returns an entry of a field, which may be kept by a field above it.
func (w *walker) ofField(a dict, key name) any {
	// Parents may form a circle.
	for range fieldDepth {
		if o := w.resolve(a[key]); o != nil || a == nil {
			return o
		}
		a = w.dict(a["Parent"])
	}

	return nil
}

// widget appends what a form field shows: its value, or for a list the words of the chosen options.
func (w *walker) widget(values []string, a dict) []string {
	said := w.fieldValues(a)
	if w.name(w.ofField(a, "FT")) == "Ch" {
		said = w.chosen(a, said)
	}

	for _, s := range said {
		w.told[s] = ""
		values = w.keep(values, s)
	}

	return values
}

// fieldValues returns the value of a field, which may be kept by a field above it. A list may have several.
func (w *walker) fieldValues(a dict) (said []str) {
	for depth := 0; a != nil && depth < fieldDepth; depth++ {
		switch v := w.resolve(a["V"]).(type) {
		case str:
			return []str{v}
		case array:
			for _, one := range v {
				if s, ok := w.resolve(one).(str); ok {
					said = append(said, s)
				}
			}

			return said
		// A dictionary is the value of a signature.
		case dict:
			return nil
		}
		a = w.dict(a["Parent"])
	}

	return nil
}

// chosen returns the words of the chosen options of a list. They are chosen by their codes or by their places, and
// where these differ it depends on the viewer which it shows. A value that is no code is shown itself.
func (w *walker) chosen(a dict, said []str) []str {
	options := w.array(w.ofField(a, "Opt"))
	places := w.array(w.ofField(a, "I"))
	if len(options) == 0 {
		return said
	}
	words := make([]str, len(options))
	byCode := map[string][]int{}

	for i, o := range options {
		w.step()
		code, word := w.option(o)
		words[i] = word
		byCode[plainText(code)] = append(byCode[plainText(code)], i)
	}
	var shown []str
	met := map[int]bool{}

	show := func(i int) {
		w.step()
		if !met[i] {
			met[i] = true
			shown = append(shown, words[i])
		}
	}

	for _, s := range said {
		w.step()
		found := byCode[plainText(s)]
		if len(found) == 0 {
			shown = append(shown, s)
		} else if _, known := w.told[s]; !known {
			// The export name of an option is no text, unless it is also the word that is shown.
			w.told[s] = "formOptions"
		}

		for _, i := range found {
			show(i)
		}
	}

	for _, place := range places {
		if i, ok := w.resolve(place).(int); ok && i >= 0 && i < len(words) {
			show(i)
		}
	}

	return shown
}

// option returns the code of an option and the words that stand for it, which are the same where it has only one.
func (w *walker) option(o any) (code, word str) {
	switch o := w.resolve(o).(type) {
	case str:
		return o, o
	case array:
		if len(o) > 0 {
			code, _ = w.resolve(o[0]).(str)
			word, _ = w.resolve(o[len(o)-1]).(str)
		}
	}

	return code, word
}
