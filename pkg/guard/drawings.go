package guard

import "strings"

// Drawings, parts and models have numbers of their own, which a set of plans lists by the dozen. They say what a
// thing is, not whose.

// drawn reports whether a token is the number of a drawing or of what is made to one: "Hull No. B117", "40112-7RevC",
// "A-301 Second Floor Plan".
func (c *codes) drawn(t *token, before *lead) bool {
	if before.n > 1 && counted.has(before.next()) && madeThings.has(strings.TrimLeft(before.words[1], "“‘„")) ||
		madeThings.has(before.next()) {
		return true
	}
	if t.letters+t.dashes+t.slashes == 0 {
		return false
	}
	if t.letters == 1 && t.digits <= 4 && sheets.has(before.next()) {
		return true // Sheet A-201, Detail 5/A-501
	}

	return revised(t.text) || dayBeforeSentence(t.text) || c.titlesDrawing(t)
}

// madeThings are made to drawings, and numbered by whoever makes them.
var madeThings = setOf(`hull drawing drawings dwg dwgs blueprint blueprints part model catalog catalogue style sku
	revision rev`)

// sheets are numbered in a set of drawings.
var sheets = setOf(`sheet sheets detail details elevation elevations`)

// revised reports whether s ends as the number of a drawing in its third or later form does: "40112-7RevC".
func revised(s string) bool {
	at := strings.LastIndex(smallASCII(s), "rev")
	if at < 1 {
		return false
	}
	revision := strings.TrimLeft(s[at+len("rev"):], ".-_")

	return revision != "" && len(revision) <= 2 && (digit(s[at-1]) || strings.IndexByte("-_.", s[at-1]) >= 0)
}

// dayBeforeSentence reports whether s is a day with the first word of the next sentence written to it: "1/28/09.This".
func dayBeforeSentence(s string) bool {
	day, word, ok := strings.Cut(s, ".")
	if !ok || word == "" || !upper(word[0]) {
		return false
	}

	return strings.IndexByte(day, '/') > 0 && dateLike(day)
}

// titlesDrawing reports whether the rest of the line is the title of a drawing, and the token begins the line.
func (c *codes) titlesDrawing(t *token) bool {
	line := strings.TrimRight(c.text[max(0, t.start-longestDrawing):t.start], " \t")
	if !strings.HasSuffix(line, "\n") && t.start > 0 {
		return false
	}
	title, _, _ := strings.Cut(c.text[t.end:min(len(c.text), t.end+longestDrawing)], "\n")
	if title == "" || strings.IndexByte(" \t", title[0]) < 0 {
		return false
	}
	title = strings.TrimRight(title, " \t\r0123456789.")

	return drawingNouns.has(strings.ToLower(title[strings.LastIndexByte(title, ' ')+1:]))
}

// longestDrawing bounds the title of a drawing and what stands before its number, in bytes.
const longestDrawing = 80

// drawingNouns close the titles of drawings.
var drawingNouns = setOf(`plan plans drawing drawings sheet elevation elevations detail details layout layouts schematic
	schematics diagram diagrams arrangement survey sketch blueprint`)
