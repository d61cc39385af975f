package verify_test

import (
	"testing"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/verify"
	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// TestWhatGoesBeyondItsPassageIsMarked has false sentences of the words of their passage, and true ones.
func TestWhatGoesBeyondItsPassageIsMarked(t *testing.T) {
	const (
		window = "[Witness 1] saw [Party 2] break the window in March."
		roof   = "[Witness 1] told [Party 2] that the roof was sound."
		enter  = "The Landlord may enter on 24 hours' notice, except in an emergency."
		heat   = "[Party 2] alleges that the heating failed in February."
		repair = "The Tenant shall repair the windows if they break."
		rent   = "The Tenant shall pay the rent to the Landlord on the first day of each month."
		either = "The Tenant shall repair the roof or the cellar of the house."
	)

	for _, tc := range []struct {
		says, source string
		passes       bool
	}{
		{"[Witness 1] saw [Party 2] break the window in March", window, true},
		{"[Party 2] saw [Witness 1] break the window", window, false},
		{"[Witness 1] broke the window", window, false},
		{"The window was broken by [Witness 1]", window, false},
		{"[Party 2] told [Witness 1] that the roof was sound", roof, false},
		{"The Landlord may enter on 24 hours' notice, except in an emergency", enter, true},
		{"The Landlord must enter on 24 hours' notice", enter, false},
		{"The Landlord may enter", enter, false},
		{"The heating failed in February", heat, false},
		{"[Party 2] alleges that the heating failed in February", heat, true},
		{"The Tenant shall repair all windows", repair, false},
		{"The Tenant alone shall repair the windows", repair, false},
		{"The Tenant shall repair the windows twice", repair, false},
		{"The Tenant shall automatically repair the windows", repair, false},
		{"The Tenant shall repair the windows whenever they break", repair, false},
		{"The Tenant shall repair the windows if they break", repair, true},
		{"The rent is paid by the Landlord", rent, false},
		{"The rent is paid by the Tenant to the Landlord", rent, true},
		{"The Tenant shall repair the roof and the cellar of the house", either, false},
		{"[Witness 1] saw [Party 2] break the window and the heating", window, false},
	} {
		t.Run(tc.says, func(t *testing.T) {
			r := verify.Check(t.Context(), guard.New(), tc.says+" [1].", recordOf("Paper.txt", tc.source))
			if a := r.Answer(); (a.Removed+a.Own == 0) != tc.passes {
				t.Errorf("removed %d, marked %d: %v", a.Removed, a.Own, r.Faults)
			}
		})
	}
}
