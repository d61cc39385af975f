package guard

import (
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"
)

// medical nouns stand behind the name of whoever described a disease or a part of the body.
var medical = setOf(`disease syndrome dementia palsy lymphoma sarcoma fissure catheter tumor tumour reflex anomaly
	gangrene neuropathy contracture aneurysm effusion fracture nerve artery duct gland node nodes slings`)

// diseaseOf reports whether such a noun, the next word, stands behind word i: "Sylvian fissure", "Johne's disease".
func (n *names) diseaseOf(i int, next string) bool {
	if n.words[i].has(possessive) && i+1 < len(n.words) {
		// In the genitive the noun stands behind the possessive, which ends the run.
		at := i + 1
		if (n.lowered(at) == "and" || n.lowered(at) == "or") && at+2 < len(n.words) && n.words[at+1].has(possessive) {
			at += 2 // Phalen's and Tinel's signs
		}

		return medical.has(n.lowered(at)) || medicalTests.has(n.lowered(at))
	}

	return medical.has(next)
}

// medicalTests are called by whoever thought of them, in the genitive.
var medicalTests = setOf(`test tests sign signs maneuver manoeuvre palsy area`)

// thingBehind reports whether word i, the last of a run, stands before or behind what makes it a thing.
func (n *names) thingBehind(i int, a *around) bool {
	return n.graded(i) || n.breeds(i, a.next) || n.branded(i, a)
}

// graded reports whether the word behind word i is that of a scale which is called by whoever made it: "Hunt and Hess
// grade II".
func (n *names) graded(i int) bool {
	next := i + 1
	if next >= len(n.words) || n.text[n.words[i].end:n.words[next].start] != " " || n.words[next].has(capitalised) {
		return false
	}

	switch n.lowered(next) {
	case "grade", "stage":
		return n.counted(next) || n.numberBehind(next)
	case "class", "type":
		return n.counted(next)
	}

	return false
}

// numberBehind reports whether a digit stands behind word i and a blank.
func (n *names) numberBehind(i int) bool {
	rest, ok := strings.CutPrefix(n.text[n.words[i].end:], " ")
	return ok && rest != "" && digit(rest[0])
}

// breeds reports whether the word behind word i, of no list of names, is a kind of animal: "Targhee sheep".
func (n *names) breeds(i int, next string) bool {
	return n.words[i].is&(lexicon.Given|lexicon.Surname) == 0 && animals.has(next) &&
		(i == 0 || !determiners.has(n.lowered(i-1)))
}

var animals = setOf(`sheep cattle goats ewes heifers ponies hens terriers spaniels retrievers pines firs maples oaks`)

// branded reports whether word i, of no list, is a thing by the word beside it: "sent home on Fioricet", "Protimeter
// readings".
func (n *names) branded(i int, a *around) bool {
	if n.words[i].is != 0 || n.words[i].has(allCapitals|possessive) || determiners.has(a.before) {
		return false
	}

	switch a.before {
	case "prescribed", "administered", "ingested", "took", "taking":
		return a.next != "to" && a.next != "from"
	case "on":
		return dosing.has(a.before2)
	case "of":
		return doses.has(a.before2)
	}

	return deviceNouns.has(a.next)
}

var (
	dosing      = setOf(`home discharged started maintained placed stabilized overdosed`)
	doses       = setOf(`dose doses mg tablets pills capsules bottle course milligrams injection injections vial`)
	deviceNouns = setOf(`readings drawings tablets capsules injections ointment inhaler`)
)

// oneName reports whether the words from from to to are one, or two with a hyphen between: "Guillain-Barré".
func (n *names) oneName(from, to int) bool {
	return to-from == 1 || to-from == 2 && n.text[n.words[from].end] == '-'
}
