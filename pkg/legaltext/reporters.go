// Package legaltext knows the conventions of legal writing that several packages need: today the reports that
// decisions are published in.
package legaltext

import (
	_ "embed"
	"strings"
)

//go:generate go run ./gen -source $REPORTERS_DB -out reporters.txt

// reporterList is the abbreviations of American reports, as normalised by Plain, one a line.
//
//go:embed reporters.txt
var reporterList string

var reporters = read(reporterList)

func read(list string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		m[w] = true
	}

	return m
}

// Reporter reports whether plain is the abbreviation of a series of American reports, in lower case, without
// dots, blanks and apostrophes: "fsupp2d" for "F. Supp. 2d".
func Reporter(plain []byte) bool { return reporters[string(plain)] }
