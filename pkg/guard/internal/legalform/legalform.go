// Package legalform knows the legal forms of companies: "Inc.", "GmbH", "S.p.A.".
package legalform

import (
	_ "embed"
	"strings"
	"unicode/utf8"
)

//go:generate go run ./gen -source $ISO20275 -out forms.txt

// Class says how much a word says for itself.
type Class uint8

// The classes.
const (
	None    Class = iota
	Sure          // closes the name of a company and hardly anything else: Inc., LLC, GmbH
	Soft          // an ordinary noun too: company, holdings
	Foreign       // one of the many abbreviations of the register, some of which mean other things too
)

// register is the abbreviations of ISO 20275 in Latin letters, in lower case, without dots and blanks, in
// order.
//
//go:embed forms.txt
var register string

var (
	forms = classes()
	// upright are forms of two letters, which count in capitals or behind dots only.
	upright = set("ag sa nv bv kg se ab as lp oy na pc ad kk oü sl ca og")
	// inWords are forms that count with a small first letter too, as their laws write them.
	inWords = set("plc doo kft sro spzoo dd ad zrt rt bt kg asa")
)

const (
	sure = `inc ltd llc llp lllp plc corp gmbh kgaa mbh sarl srl spa oyj pty pte bhd sdn ltda ltée ltee pllc ulc
		pc lp kft zrt spzoo sro doo sas sàrl bvba sprl eurl snc sapi rl kk aps asa aktiengesellschaft
		gesellschaft pjsc ojsc jsc psc fze fzco ohg gbr ag sa nv bv kg se ab as oy na ad oü sl og`
	soft = `company co corporation incorporated limited holding holdings group partnership partners associates lines`
)

func classes() map[string]Class {
	m := map[string]Class{}
	for w := range strings.FieldsSeq(register) {
		m[w] = Foreign
	}

	for w := range strings.FieldsSeq(soft) {
		m[w] = Soft
	}

	for w := range strings.FieldsSeq(sure) {
		m[w] = Sure
	}

	return m
}

// starts tells most words from forms by their first two bytes and their length.
var starts = func() (t [1 << 12]bool) {
	for w := range forms {
		t[startOf(w[0], w[1], len(w))] = true
	}

	return t
}()

func startOf(first, second byte, length int) uint32 {
	return (uint32(first)<<16 | uint32(second)<<8 | uint32(length)) * 2654435769 >> 20 // Fibonacci hashing
}

func set(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[w] = true
	}

	return m
}

// longest bounds the length of a form, in bytes.
const longest = 24

// Of returns what a word is, which may be several parts of an abbreviation put together; dotted says that dots
// stood between them.
func Of(word string, dotted bool) Class {
	if len(word) < 2 || len(word) > longest {
		return None
	}
	c, small := find(word)

	switch {
	case c == None:
		return None
	// As small words these are everyday ones of some language.
	case upright[small]:
		if dotted || word == strings.ToUpper(word) || word == "Oy" || word == "Ab" {
			return c
		}

		return None
	case word[0] >= 'a' && word[0] <= 'z' && !inWords[small] && !dotted:
		return None
	case dotted && len(word) < 3 && c != Sure:
		return None
	}

	return c
}

// find looks a word up in any case, and returns it in lower case.
func find(word string) (Class, string) {
	var room [longest]byte

	for i := range len(word) {
		b := word[i]
		if b >= utf8.RuneSelf {
			small := strings.ToLower(word)
			return forms[small], small
		}
		if b-'A' < 26 {
			b += 'a' - 'A'
		}
		room[i] = b
	}
	if !starts[startOf(room[0], room[1], len(word))] {
		return None, "" // most words
	}
	c, ok := forms[string(room[:len(word)])]
	if !ok {
		return None, ""
	}

	return c, strings.ToLower(word)
}

// Lower reports whether a word may begin a form that is written small: "d.o.o.", "plc".
func Lower(word string) bool {
	switch word {
	case "d", "s", "a", "plc", "doo", "kft", "sp":
		return true
	}

	return false
}
