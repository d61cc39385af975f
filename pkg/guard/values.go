package guard

import (
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/guard/internal/census"
	"github.com/subrosa-legal/subrosa/pkg/guard/internal/lexicon"
)

// A value in a form, a JSON object or a row of CSV is a name by what stands around it, though both of its words
// are ordinary ones: "Tenant: Will Page", {"tenant": "Will Page"}, "Will Page,tenant,1200".

// longestValue bounds the words of a name that is a value.
const longestValue = 4

// values finds people's names that fill a field of their own.
func (n *names) values() {
	for _, i := range n.large {
		w := &n.words[i]
		if !w.has(capitalised) || w.has(joined) && !w.has(opening) || w.is&(lexicon.Given|lexicon.Surname) == 0 {
			continue
		}

		labelled, cell := n.valueBegins(i)
		if !labelled && !cell {
			continue
		}

		end := i + 1
		for end < i+longestValue && n.goesOn(end) && n.text[n.words[end-1].end:n.words[end].start] == " " {
			end++
		}
		if !n.valueEnds(i, end, cell) || !n.valueName(i, end, labelled) {
			continue
		}
		n.learn(i, end, false)
		n.add(kindPerson, ruleFullName, i, end)
	}
}

// valueBegins reports whether word i begins the value behind a label for a person, or a cell of a row.
func (n *names) valueBegins(i int) (labelled, cell bool) {
	start := int(n.words[i].start)
	if start == 0 || strings.IndexByte("\n,\t|", n.text[start-1]) >= 0 {
		return false, true
	}
	if lead := n.text[max(0, start-2):start]; lead == "| " || lead == "- " && n.listItem(start-2) {
		return false, true
	}
	if i == 0 {
		return false, false
	}

	gap := n.text[n.words[i-1].end:start]
	if len(gap) > 6 || !strings.ContainsAny(gap, ":=") || strings.Trim(gap, `":=' `) != "" {
		return false, false
	}
	label := n.lowered(i - 1)

	return roles.has(label) || partyLabels.has(label), false
}

// valueEnds reports whether what stands before word end closes a value: the end of a line or a text, a quotation
// mark, a comma without a blank in a cell.
func (n *names) valueEnds(first, end int, cell bool) bool {
	rest := strings.TrimLeft(n.text[n.words[end-1].end:], "\"'")
	if !cell {
		rest = strings.TrimLeft(rest, " ")
		return rest == "" || strings.IndexByte("\n\r\t,;.}])|<:", rest[0]) >= 0
	}
	if border := strings.TrimLeft(rest, " "); border != "" && strings.IndexByte("\t|", border[0]) >= 0 {
		return true
	}
	start := int(n.words[first].start)
	if rest == "" && start == 0 && n.careless {
		return true // a title that is nothing but a name
	}
	if rest == "" || rest[0] == '\n' || rest[0] == '\r' {
		return start > 0 && n.text[start-1] != '\n' && (n.text[start-1] != ',' || row(lineAround(n.text, start)))
	}

	return len(rest) > 1 && rest[0] == ',' && rest[1] != ' ' && rest[1] != '\n'
}

// listItem reports whether the dash at byte i begins a line, behind blanks.
func (n *names) listItem(i int) bool {
	for i > 0 && n.text[i-1] == ' ' {
		i--
	}

	return i == 0 || n.text[i-1] == '\n'
}

// valueName reports whether the words from first to end can be the name of a person, two of them or one that is
// labelled.
func (n *names) valueName(first, end int, labelled bool) bool {
	g, s := &n.words[first], &n.words[end-1]
	if s.is&lexicon.Surname == 0 || s.is&lexicon.Calendar != 0 {
		return false
	}
	if end-first == 1 {
		return labelled && s.is&(publicWord|lexicon.Everyday) == 0 && census.Surname(n.lowered(first)) > 0
	}
	if g.is&lexicon.Given == 0 || g.is&lexicon.Place != 0 && s.is&lexicon.Place != 0 {
		return false
	}

	return s.is&lexicon.KnownProper != 0 && !party(n.lowered(first))
}

// partyLabels are labels of fields that hold a person, besides roles.
var partyLabels = setOf(`lessee lessor payee payer drawer obligor insured assured claimant signatory signed attn
	attention custodian deponent affiant declarant mediator arbitrator guarantor insurer customer consultant
	executive holder investor landlords tenants sender recipient from to cc bcc reporter fn cn nickname organizer
	attendee organiser`)
