package answers_test

import (
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/api"
)

func TestCrossReferences(t *testing.T) {
	const lease = `LEASE

1. Rent. Tenant pays the rent of Section 3.

2. Use. As Schedule B says, and subject to Section 4.2 and Article IX.

3. Amount. The sum in Exhibit A. See section 240 of the Immigration and Nationality Act and 42 U.S.C. Section 1983.

4.1 Repairs. Clause 2 applies.

SCHEDULE B

Hours.
`
	s := newCaseFiles().add("Lease.txt", lease).add("Exhibit A.txt", "EXHIBIT A\n\n$500 a month.\n")

	r, _ := do(t, task(api.CaseReq, "List the cross-references that point nowhere"), s)
	if !strings.HasPrefix(r.Text, "6 references were found; 2 point to a part that no file has.") {
		t.Errorf("text %q", r.Text)
	}

	for _, want := range []string{"- **4.2** (Lease.txt) [1]: “As Schedule B says", "- **9** (Lease.txt)"} {
		if !strings.Contains(r.Text, want) {
			t.Errorf("lacks %q:\n%s", want, r.Text)
		}
	}
	checkCitations(t, r, s)
	if bad := dirty(r); len(bad) > 0 {
		t.Errorf("the gate would hold back %q", bad)
	}

	r, _ = do(
		t,
		task(api.CaseReq, "Are there broken references?"),
		newCaseFiles().add("Lease.txt", "1. Rent. See Section 1.\n"),
	)
	if !strings.Contains(r.Text, "1 reference was found, and each points to a part that a file has.") {
		t.Errorf("text %q", r.Text)
	}
	if help, _ := do(t, task(api.CaseReq, "Help"), s); !strings.Contains(help.Text, "point nowhere") {
		t.Errorf("Help does not show it:\n%s", help.Text)
	}
}
