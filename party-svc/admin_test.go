package partysvc_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
	"github.com/subrosa-legal/subrosa/pkg/services"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
)

// as is the client that agent-svc uses, acting for caller.
func (w *world) as(caller access.Caller) services.PartyClient {
	w.t.Helper()
	client, err := httpcall.NewClient(
		w.Base,
		func(context.Context) (string, error) { return w.Signer.Token(caller) },
		telemetry.Discard("agent-svc", w.logs),
		w.Client.Transport,
	)
	if err != nil {
		w.t.Fatal(err)
	}

	return services.PartyClient{HTTP: client}
}

func imported(t *testing.T, entries ...m) api.ImportPartners {
	t.Helper()

	var in api.ImportPartners
	for _, e := range entries {
		in.Partners = append(in.Partners, json.RawMessage(jsonOf(t, e)))
	}

	return in
}

func TestImportIntoTheOwnDirectory(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	dora := user(firm, "dora", access.RoleAdmin)

	one, two := seedEntry(1, "Ada Quillfeather", nil), seedEntry(2, "Ben Inkwell", nil)
	for _, tc := range []struct {
		name    string
		entries []m
		want    api.ImportedPartners
	}{
		{"first", []m{one, two}, api.ImportedPartners{Added: 2}},
		{"again, one changed", []m{one, seedEntry(2, "Ben Inkwell", m{"availability": "limited"})}, api.ImportedPartners{Changed: 1, Unchanged: 1}},
	} {
		if got, err := w.as(dora).ImportPartners(t.Context(), imported(t, tc.entries...)); err != nil || got != tc.want {
			t.Errorf("%s: %+v, %v, want %+v", tc.name, got, err, tc.want)
		}
	}
	if got := namesOf(w.search(ann, "?sort=name")); !slices.Equal(got, []string{"Ada Quillfeather", "Ben Inkwell"}) {
		t.Errorf("the firm's own directory: %v", got)
	}
	if got := namesOf(w.search(user("o:other", "eve"), "")); len(got) != 0 {
		t.Errorf("another firm sees %v", got)
	}

	for _, tc := range []struct {
		name    string
		entries []m
		want    string
	}{
		{"the second is wrong", []m{seedEntry(8, "Cy Docketson", nil), seedEntry(9, "Zed Ledgerly", m{"kind": "wizard"})}, "validation_failed"},
		{"an unknown field", []m{seedEntry(8, "Cy Docketson", nil), seedEntry(9, "Zed Ledgerly", m{"rating": 5})}, "unknown_field"},
		{"an address in a note", []m{seedEntry(8, "Cy Docketson", m{"capacityNote": "Write to cy@example.org"})}, "identity_refused"},
		{"none", nil, "validation_failed"},
	} {
		if _, err := w.as(dora).ImportPartners(t.Context(), imported(t, tc.entries...)); errs.From(err).Code != tc.want {
			t.Errorf("%s: %v, want %s", tc.name, err, tc.want)
		}
	}
	if got := namesOf(w.search(ann, "?sort=name")); len(got) != 2 {
		t.Errorf("after refused imports: %v", got)
	}
	var loads int

	for _, d := range w.deeds(firm) {
		if d.Action == "partners.load" && d.Actor == "dora" && d.Outcome == "ok" {
			loads++
		}
	}
	if loads != 2 {
		t.Errorf("%d imports on record, want 2", loads)
	}
}

func TestWhoAdministersTheDirectory(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	robot := agent(firm, "dora")

	robot.Roles = []string{access.RoleAdmin}
	for _, tc := range []struct {
		name           string
		caller         access.Caller
		imports, check string
	}{
		{"an admin", user(firm, "dora", access.RoleAdmin), "", ""},
		{"an admin's agent", robot, "human_required", ""},
		{"a member", ann, "forbidden", "forbidden"},
		{"a member's agent", agent(firm, "ann"), "human_required", "forbidden"},
	} {
		_, err := w.as(tc.caller).ImportPartners(t.Context(), imported(t, seedEntry(1, "Ada Quillfeather", nil)))
		if got := codeOf(err); got != tc.imports || got == "human_required" && !strings.HasSuffix(errs.From(err).DeepLink, "/i/admin") {
			t.Errorf("%s imports: %v, want %q", tc.name, err, tc.imports)
		}
		check, err := w.as(tc.caller).CheckChain(t.Context(), api.ChainCheck{})
		if got := codeOf(err); got != tc.check || err == nil && (check.Seq < 1 || !check.Whole) {
			t.Errorf("%s checks: %+v, %v, want %q", tc.name, check, err, tc.check)
		}
	}
}

func codeOf(err error) string {
	if err == nil {
		return ""
	}

	return errs.From(err).Code
}
