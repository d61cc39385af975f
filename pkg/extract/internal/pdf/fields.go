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
	for range fieldDepth {
		if o := w.resolve(a[key]); o != nil || a == nil {
			return o
		}
		a = w.dict(a["Parent"])
	}

	return nil
}
