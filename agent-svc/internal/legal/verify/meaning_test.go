package verify_test

import (
	"slices"
	"testing"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/verify"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/label"
)

// TestMeaning has sentences of a model that repeat the words of their passage and say something else.
func TestMeaning(t *testing.T) {
	labels := map[label.Label]bool{}

	for _, name := range []string{"[Party 1]", "[Party 2]", "[Company 1]"} {
		l, _, _ := label.At(name, 0)
		labels[l] = true
	}
	record := verify.Record{Labels: labels, Passages: []verify.Passage{{FileName: "Lease.txt", Text: "[Party 2] owes [Party 1] unpaid rent for the month of June. " +
		"The Tenant may not sublet the premises without written consent. [Company 1] was indemnified by [Party 1] against loss of the equipment. " +
		"The deposit is returned within thirty days. The court relied on 347 U.S. 483 in its opinion. " +
		"The notice of termination takes effect only upon receipt. The bond remains in force after delivery of the keys.", Source: api.SourceRef{FileID: "f"}}}}

	for _, tc := range []struct {
		sentence string
		want     []verify.Kind
	}{
		{"[Party 2] owes [Party 1] unpaid rent for June [1].", nil},
		{"[Party 1] owes [Party 2] unpaid rent for June [1].", []verify.Kind{verify.Role}},
		{"Unpaid rent for June is owed to [Party 1] by [Party 2] [1].", nil},
		{"The Tenant may not sublet the premises without written consent [1].", nil},
		{"The Tenant may sublet the premises [1].", []verify.Kind{verify.Negation}},
		{"The deposit is returned within thirty days [1].", nil},
		{"The deposit is not returned within thirty days [1].", []verify.Kind{verify.Negation}},
		{"[Company 1] was indemnified by [Party 1] against loss of the equipment [1].", nil},
		{"[Party 1] was indemnified by [Company 1] against loss of the equipment [1].", []verify.Kind{verify.Role}},
		{"The opinion relied on 347 U.S. 483 [1].", nil},
		{"The opinion relied on 410 U.S. 113 [1].", []verify.Kind{verify.Unknown}},
		{"The notice of termination takes effect only upon receipt [1].", nil},
		{"The notice of termination does not take effect without receipt [1].", nil},
		{"The notice of termination takes no effect upon receipt [1].", []verify.Kind{verify.Negation}},
	} {
		t.Run(tc.sentence, func(t *testing.T) {
			var got []verify.Kind
			for _, f := range verify.Check(t.Context(), guard.New(), tc.sentence, record).Faults {
				got = append(got, f.Kind)
			}
			if !slices.Equal(got, tc.want) {
				t.Errorf("faults %q, want %q", got, tc.want)
			}
		})
	}
}

// TestOnlyIsMarked has sentences that say the condition of their passage without "only", or the other way round: they
// are neither borne out nor its opposite.
func TestOnlyIsMarked(t *testing.T) {
	for says, source := range map[string]string{
		"The notice takes effect upon receipt [1].":                "The notice takes effect only upon receipt.",
		"The notice takes effect only upon receipt [1].":           "The notice takes effect upon receipt.",
		"Subcontractors may be used if approved in writing [1].":   "Subcontractors may be used only if approved in writing.",
		"The tenant may sublet the flat with written consent [1].": "The tenant may sublet the flat only with written consent.",
		"The tenant may let the flat with written consent [1].":    "The tenant may not let the flat without written consent.",
	} {
		t.Run(says, func(t *testing.T) {
			r := verify.Check(t.Context(), guard.New(), says, recordOf("Notice.txt", source))
			if a := r.Answer(); a.Removed != 0 || a.Own != 1 {
				t.Errorf("removed %d, marked %d, want it marked: %v", a.Removed, a.Own, r.Faults)
			}
		})
	}
}

// TestSayingsOfTheSame has true sentences in words that deny what their passage says without a denial, and false ones
// beside them.
func TestSayingsOfTheSame(t *testing.T) {
	const terms = "The joining fee is not refundable. Invoices are payable Net-20. Rent after the term is one hundred sixty " +
		"percent of the last rent. The deposit earns no interest and is returned within 45 days. Notice is given in " +
		"writing or by e-mail. A call is not enough. The fee is $900.00. Provider may change the terms."

	for says, checked := range map[string]bool{
		"The joining fee is non-refundable [1].":                                     true,
		"The joining fee is refundable [1].":                                         false,
		"Invoices are payable within 15 days [1].":                                   false,
		"Rent after the term is 160 percent of the last rent [1].":                   true,
		"Rent after the term is 150 percent of the last rent [1].":                   false,
		"The deposit is returned within 45 days [1].":                                true,
		"The deposit is not returned within 45 days [1].":                            false,
		"Notice is given in writing or by e-mail, and also by a call [1].":           false,
		"Provider may change the terms [1].":                                         true,
		"Customer may change the terms [1].":                                         false,
		"The deposit earns interest and is returned within 45 days [1].":             false,
		"The deposit earns no interest and is not returned within 45 days [1].":      false,
		"Rent after the term is one hundred fifty percent of the last rent [1].":     false,
		"Rent after the term is one hundred and sixty percent of the last rent [1].": true,
	} {
		t.Run(says, func(t *testing.T) {
			r := verify.Check(t.Context(), guard.New(), says, recordOf("Terms.txt", terms))
			if a := r.Answer(); (a.Removed+a.Own == 0) != checked {
				t.Errorf("removed %d, marked %d, want checked %v: %v", a.Removed, a.Own, checked, r.Faults)
			}
		})
	}
}

// TestAFigureOfSomethingElseIsMarked has figures of other statements of the passage, and those of a computed result.
func TestAFigureOfSomethingElseIsMarked(t *testing.T) {
	const order = "[Party 2] shall answer the complaint within 21 days after service. " +
		"[Party 2] shall pay the costs of the complaint by May 4, 2026. The motion of [Party 1] is heard on July 9, 2026."

	for says, own := range map[string]int{
		"[Party 2] shall pay the costs by May 4, 2026 [1].":                    0,
		"[Party 2] shall pay the costs by July 9, 2026 [1].":                   1,
		"[Party 2] shall pay the costs of the complaint by June 29, 2026 [1].": 0,
		"[Party 2] shall answer the complaint within 21 days [1].":             0,
		"[Party 2] shall answer the complaint 21 days after service [1].":      0,
	} {
		t.Run(says, func(t *testing.T) {
			record := recordOf("Order.txt", order)
			record.Computed = []string{"With two months more the costs are due on June 29, 2026."}
			r := verify.Check(t.Context(), guard.New(), says, record)
			if a := r.Answer(); a.Removed != 0 || a.Own != own {
				t.Errorf("removed %d, marked %d, want %d marked: %v", a.Removed, a.Own, own, r.Faults)
			}
		})
	}
}
