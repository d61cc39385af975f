package guard

import "github.com/subrosa-legal/subrosa/pkg/guard/internal/census"

// speaker reports whether word i is a frequent surname of somebody who says something, or to whom something is
// owed to have been said: "Young said that", "according to Price".
func (n *names) speaker(i int, a *around) bool {
	rank := census.Surname(n.lowered(i))
	if rank == 0 || rank > mostFrequent || n.words[i].has(allCapitals) {
		return false
	}
	if n.words[i].is&publicWord != 0 || party(n.lowered(i)) {
		return false
	}

	switch {
	case n.words[i].has(possessive) && n.ownedByPeople(i) && !determiners.has(a.before):
		return true // Park's prior convictions
	case a.before == "to" && a.before2 == "according":
		return true
	case a.before == "to", a.before == "from":
		return correspondence.has(a.before2)
	case a.before == "of":
		return personalMatters.has(a.before2)
	case spokenTo.has(a.before):
		return !nounBehind.has(a.next)
	}

	return humanVerbs.has(a.next) && int(n.words[i+1].start) == int(n.words[i].end)+1
}

// ownedByPeople reports whether what word i is said to have is had by people alone, with an adjective before it or
// without: "prior convictions", "wife".
func (n *names) ownedByPeople(i int) bool {
	next := i + 1
	if next+1 < len(n.words) && formerly.has(n.lowered(next)) {
		next++
	}

	return next < len(n.words) && !n.words[next].has(capitalised) && ownedThings.has(n.lowered(next))
}

var (
	formerly = setOf(`prior former late ex first second second-degree criminal own recorded sworn trial estranged
		elderly`)
	ownedThings = setOf(`wife husband spouse son daughter mother father brother sister children child widow girlfriend
		boyfriend testimony deposition affidavit declaration alibi arrest conviction convictions confession injuries
		death marriage divorce funeral pregnancy diagnosis surgery passport salary address addresses birthday birthplace
		employer wages hospitalization sobriety drinking addiction whereabouts ex-wife ex-husband fiancée fiancé résumé
		resume parole probation`)
)

var (
	correspondence = setOf(`letter letters email emails e-mail mail memo memorandum fax invoice demand text message
		note`)
	// personalMatters are those of one person or couple.
	personalMatters = setOf(`marriage estate guardianship conservatorship adoption custody parentage deposition
		testimony affidavit declaration interview funeral arrest`)
)

// humanVerbs are done by people alone: a bank states, and a price does not lie.
var humanVerbs = setOf(`said says told testified lied died fled married resigned swore thinks believes knew remembered
	remembers recalls recalled apologized apologised promised begged shouted screamed whispered wept drove walked signed
	wrote phoned texted emailed replied drank slept smoked hugged slapped punched retired swam undressed`)

// spokenTo stand before whoever is spoken to or dealt with in person.
var spokenTo = setOf(`told asked informed thanked warned begged reminded hugged kissed punched married divorced phoned
	texted`)
