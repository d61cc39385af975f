package answers_test

import (
	"strings"
	"testing"
)

// A quoted row keeps its empty cells: without them a sum would stand in another column.
func TestAQuotedRowKeepsItsColumns(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct{ text, want, not string }{
		"an empty cell in the middle": {
			"The fees are as follows.\n\nItem\t2026\t2027\nRent\t\t1,200\nTotal\t300\t1,600\n",
			"Rent \\|  \\| 1,200", "Rent 1,200",
		},
		"an empty cell at the beginning": {
			"Item\t2026\t2027\n\tRent 300\tRent 400\n", "\\| Rent 300 \\| Rent 400", "2027 Rent 300",
		},
		"no table": {"The rent is 1,200\nfor the year 2027.\n", "> The rent is 1,200 for the year 2027.", "\\|"},
	} {
		r, _ := do(t, asOf("2026-11-24", "What is the rent in 2027?", "", ""), newCaseFiles().add("Fees.docx", tc.text))
		if !strings.Contains(r.Text, tc.want) || strings.Contains(r.Text, tc.not) {
			t.Errorf("%s: %s", name, r.Text)
		}
	}
}
