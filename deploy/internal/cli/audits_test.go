package cli_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// auditChain is a right chain of n events of a user and one of an application, with hashes counted as the record's description says and not by the code that checks them.
func auditChain(tenant string, n int) (events []string) {
	sum := func(texts ...string) string {
		h := sha256.New()
		for _, text := range texts {
			fmt.Fprintf(h, "%d:%s,", len(text), text)
		}

		return hex.EncodeToString(h.Sum(nil))
	}

	last := sum("subrosa-audit-1", "genesis", tenant)
	for seq := 1; seq <= n; seq++ {
		hash := sum("subrosa-audit-1", "event", fmt.Sprint(seq), moment, "user", "ada", "case.create", "case", caseID, "ok", "", "", last)
		events = append(events, fmt.Sprintf(`{"seq":%d,"at":%q,"actor":{"kind":"user","id":"ada"},"action":"case.create","resource":{"type":"case","id":%q},"outcome":"ok","prevHash":%q,"hash":%q}`, seq, moment, caseID, last, hash))
		last = hash
	}
	// One by an application, which has the user it acted for as one text more.
	hash := sum("subrosa-audit-1", "event", fmt.Sprint(n+1), moment, "oauth", "c1", "case.read", "case", caseID, "ok", "", "", last, "ada")

	return append(events, fmt.Sprintf(`{"seq":%d,"at":%q,"actor":{"kind":"oauth","id":"c1","userId":"ada"},"action":"case.read","resource":{"type":"case","id":%q},"outcome":"ok","prevHash":%q,"hash":%q}`, n+1, moment, caseID, last, hash))
}

func TestAuditVerifyFindsWhatIsWrong(t *testing.T) {
	events := auditChain("o:oak", 3)
	for _, tc := range []struct {
		name  string
		items []string
		code  int
		says  string
	}{
		{"a whole chain", events, 0, "whole"},
		{"an event is missing", []string{events[0], events[2]}, 1, "broken at event 2: it is missing"},
		{"an event was changed", []string{events[0], strings.Replace(events[1], "case.create", "case.delete", 1), events[2]}, 1, "broken at event 2"},
		{"another user's application", append(slices.Clone(events[:3]), strings.Replace(events[3], `"userId":"ada"`, `"userId":"ben"`, 1)), 1, "broken at event 4"},
		{"another tenant's chain", auditChain("o:elm", 2), 1, "does not begin this tenant's chain"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s := newService(t)
			for _, chain := range []string{"party", "agents", "auth"} {
				s.answers["GET /v1/audit/"+chain] = page()
			}
			s.answers["GET /v1/audit/case"] = page(tc.items...)
			code, out, problems := s.run("audit", "verify")
			if code != tc.code || !strings.Contains(out, tc.says) {
				t.Errorf("code %d, printed %s%s, want %d and %q", code, out, problems, tc.code, tc.says)
			}
		})
	}
	t.Run("cut short since the last time", func(t *testing.T) {
		s := newService(t)
		for _, chain := range []string{"party", "agents", "auth"} {
			s.answers["GET /v1/audit/"+chain] = page()
		}
		s.answers["GET /v1/audit/case"] = page(events...)
		if code, out, _ := s.run("audit", "verify"); code != 0 {
			t.Fatal(out)
		}
		s.answers["GET /v1/audit/case"] = page(events[:2]...)
		if code, out, _ := s.run("audit", "verify"); code != 1 || !strings.Contains(out, "it ends at event 2") {
			t.Errorf("code %d: %s", code, out)
		}
		if code, out, _ := s.run("audit", "verify", "--forget"); code != 0 {
			t.Errorf("--forget: code %d: %s", code, out)
		}
	})
}
