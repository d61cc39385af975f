package verify_test

import (
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/verify"
	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// prose is a long text that cites nothing.
func prose(bytes int) string {
	const s = "The Tenant pays the Rent to the Landlord on the first day of each Month, and the Landlord keeps the Roof dry. "
	return strings.Repeat(s, bytes/len(s)+1)
}

// Names of cases and of laws are found wherever they stand in a long text, close to one another or far apart.
func TestAuthoritiesAreFoundInLongTexts(t *testing.T) {
	t.Parallel()

	for _, name := range []string{
		"Cedar v. Dogwood", "Cedar v Dogwood", "Cedar vs. Dogwood", "In re Cedar Holdings", "Ex parte Dogwood",
		"Matter of Cedar",
		"Fair Labor Standards Act", "Fair Labor Standards Act of 1938", "Civil Rights of the Elderly Act", "BGB", "ERISA",
		"Kündigungsschutzgesetz", "Restatement (Second) of Contracts",
	} {
		for _, text := range []string{
			name, prose(3000) + name + " decides. " + prose(3000), prose(500) + "as in " + name,
			name + ". " + prose(500),
			prose(300) + "Oak v. Elm or " + name + " or the Antitrust Act decide. " + prose(300),
		} {
			known := &verify.Authorities{}
			known.Add(text, verify.InFiles)
			draft := "A court follows " + name + " here."
			found := verify.Check(t.Context(), guard.New(), draft, verify.Record{Known: known})
			if found.Has(verify.Unknown) {
				t.Errorf("%q is not found in a text of %d bytes", name, len(text))
			}
			found = verify.Check(t.Context(), guard.New(), draft, verify.Record{Known: &verify.Authorities{}})
			if !found.Has(verify.Unknown) {
				t.Errorf("%q is no name", name)
			}
		}
	}
}

// BenchmarkSurvey takes up what a long file without citations cites.
func BenchmarkSurvey(b *testing.B) {
	text := prose(1000)
	b.SetBytes(int64(len(text)))

	for b.Loop() {
		(&verify.Authorities{}).Add(text, verify.InFiles)
	}
}
