package verify_test

import (
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/verify"
	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// BenchmarkCheck checks an answer of twenty sentences against six long passages, each of which every sentence cites.
func BenchmarkCheck(b *testing.B) {
	clause := "Tenant shall pay Landlord the base rent of $4,250.00 within 30 days after January 5, 2027, unless Landlord has " +
		"agreed in writing to a later day; a late charge of five percent is due after ten days. "
	var r verify.Record

	for i := range 6 {
		r.Passages = append(r.Passages, verify.Passage{FileName: "Lease.txt", Text: strings.Repeat(clause, 12+i)})
	}
	answer := strings.Repeat("Tenant must pay the base rent of $4,250.00 within 30 days after January 5, 2027 [1][2][3][4][5][6].\n\n", 20)
	gate := guard.New()

	for b.Loop() {
		verify.Check(b.Context(), gate, answer, r)
	}
}
