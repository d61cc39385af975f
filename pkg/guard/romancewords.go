package guard

import _ "embed"

// romanceList is words of courts, contracts, families, work and letters in French and Spanish, one a line, in the
// singular and the masculine, where they are no names, or hardly ever.
//
//go:embed romance.txt
var romanceList string

var romanceNouns = setOf(romanceList)
