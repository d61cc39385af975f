package e2e_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/deploy/samples"
	partysvc "github.com/subrosa-legal/subrosa/party-svc"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// decoded reads an answer of the wanted status.
func decoded[T any](t *testing.T, a answer, status int) T {
	t.Helper()
	var v T
	if a.status != status {
		t.Fatalf("status %d, want %d: %s", a.status, status, a.body)
	}
	if err := json.Unmarshal(a.body, &v); err != nil {
		t.Fatalf("%v: %s", err, a.body)
	}

	return v
}

// A person and an agent add parties to two cases of one firm; the blind tokens of a client of one meet an adverse party of the other, and
// both cases say so until a person decides.
func TestPartiesReachTheirCases(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	agent := w.connect(ada)
	person := w.token(ada)
	one, _ := w.newCase(agent.bearer)
	two, _ := w.newCase(agent.bearer)
	token := base64.RawURLEncoding.EncodeToString(bytes.Repeat([]byte{7}, 32))
	add := func(bearer, caseID, more string) api.Party {
		t.Helper()
		return decoded[api.Party](t, w.send(http.MethodPost, "/v1/parties", bearer, fmt.Sprintf(`{"caseId":%q,"kind":"individual"%s}`, caseID, more), "Content-Type", "application/json"), 201)
	}
	if p := add(agent.bearer, one, `,"role":"defendant"`); p.Label != "[Party 1]" {
		t.Errorf("label = %s", p.Label)
	}
	add(person, one, `,"role":"plaintiff","side":"ours","isClient":true,"conflictTokens":["`+token+`"]`)
	kase := func(id string) api.Case {
		return decoded[api.Case](t, w.send(http.MethodGet, "/v1/cases/"+id, agent.bearer, ""), 200)
	}
	testkit.Until(t, testkit.Patience, func() error {
		if c := kase(one); c.Counts.Parties != 2 || c.Conflict.Status != "clear" {
			return fmt.Errorf("counts %+v, conflict %+v", c.Counts, c.Conflict)
		}

		return nil
	})
	add(person, two, `,"role":"defendant","side":"adverse","conflictTokens":["`+token+`"]`)

	for _, id := range []string{one, two} {
		testkit.Until(t, testkit.Patience, func() error {
			if c := kase(id); c.Conflict.Status != "potential" || c.Conflict.HitCount != 1 {
				return fmt.Errorf("conflict %+v", c.Conflict)
			}

			return nil
		})
	}
	seen := decoded[api.Case](t, w.send(http.MethodGet, "/v1/cases/"+one, person, ""), 200).Conflict.Hits
	if len(seen) != 1 || seen[0].CaseID != two || kase(one).Conflict.Hits != nil {
		t.Errorf("a person sees the hits %+v, an agent %+v", seen, kase(one).Conflict.Hits)
	}
	if a := w.send(http.MethodPost, "/v1/parties", agent.bearer, fmt.Sprintf(`{"caseId":%q,"kind":"individual","role":"other","sealed":null}`, one), "Content-Type", "application/json"); a.status != 403 {
		t.Errorf("an agent reaches for an identity: %d %s", a.status, a.body)
	}
	if page := decoded[api.Page[api.Party]](t, w.send(http.MethodGet, "/v1/parties", agent.bearer, ""), 200); len(page.Items) != 3 {
		t.Errorf("%d parties, want 3", len(page.Items))
	}
	if page := decoded[api.Page[api.Party]](t, w.send(http.MethodGet, "/v1/parties", w.token(ben), ""), 200); len(page.Items) != 0 {
		t.Errorf("another tenant sees %d parties", len(page.Items))
	}
}

// A second client and the end of joint representation cannot both come about, however close they come.
func TestASecondClientMeetsTheEndOfJointRepresentation(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	agent, person := w.connect(ada), w.token(ada)
	token := base64.RawURLEncoding.EncodeToString(bytes.Repeat([]byte{8}, 32))

	for range 6 {
		id, _ := w.newCase(agent.bearer)
		send := func(method, path, body string, status ...int) int {
			t.Helper()
			a := w.send(method, path, person, body, "Content-Type", "application/json")
			if !slices.Contains(status, a.status) {
				t.Errorf("%s %s: status %d, want one of %d: %s", method, path, a.status, status, a.body)
			}

			return a.status
		}
		client := fmt.Sprintf(`{"caseId":%q,"kind":"individual","role":"plaintiff","isClient":true,"side":"ours","conflictTokens":[%q]}`, id, token)
		send(http.MethodPost, "/v1/parties", client, 201)
		send(http.MethodPatch, "/v1/cases/"+id, `{"status":"open","jurisdiction":"US","practiceAreas":[{"scheme":"NSMI","code":"1610500"}],"jointRepresentation":true}`, 200)

		second, apart := make(chan int), make(chan int)
		go func() { second <- send(http.MethodPost, "/v1/parties", client, 201, 409) }()
		go func() { apart <- send(http.MethodPatch, "/v1/cases/"+id, `{"jointRepresentation":false}`, 200, 409) }()
		if got := []int{<-second, <-apart}; (got[0] == 409) == (got[1] == 409) {
			t.Errorf("the second client: %d, the end of joint representation: %d; want one of them", got[0], got[1])
		}
	}
}

// An agent finds a professional for a case and proposes, a person confirms, and the professional, who learns five facts, declines.
func TestAnInviteThroughTheGateway(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	if _, err := partysvc.LoadPartners(t.Context(), w.EnvironOf("party-svc"), time.Now, bytes.NewReader(samples.Partners())); err != nil {
		t.Fatal(err)
	}
	agent := w.connect(ada)
	person, professional := w.token(ada), w.token(ben)
	caseID, _ := w.newCase(agent.bearer)

	var invited string
	for cursor := ""; invited == ""; {
		page := decoded[api.PartnerPage](t, w.send(http.MethodGet, "/v1/partners?limit=100"+cursor, agent.bearer, ""), 200)
		if page.Facets.Kind["lawyer"] == 0 {
			t.Fatalf("facets = %+v", page.Facets)
		}

		for _, p := range page.Items {
			a := w.send(http.MethodPost, "/v1/cases/"+caseID+"/partners/"+p.PartnerID+"/invite", agent.bearer, `{"role":"second_opinion","message":"A second reading of [Party 1]'s lease."}`, "Content-Type", "application/json")
			if a.status == http.StatusConflict {
				continue // without an account nobody can be invited
			}
			i := decoded[api.SeenInvite](t, a, http.StatusAccepted)
			path := "/v1/invites/" + i.InviteID
			if a := w.send(http.MethodPost, path+"/decision", agent.bearer, `{"decision":"confirm"}`, "Content-Type", "application/json"); a.status != 403 || a.err.Error != "human_required" {
				t.Fatalf("an agent confirms: %d %s", a.status, a.body)
			}
			confirmed := w.send(http.MethodPost, path+"/decision", person, `{"decision":"confirm"}`,
				"Content-Type", "application/json")
			decoded[api.SeenInvite](t, confirmed, 200)
			if w.send(http.MethodGet, path, professional, "").status == 200 {
				invited = i.InviteID
				break
			}
		}
		if page.NextCursor == nil {
			break
		}
		cursor = "&cursor=" + *page.NextCursor
	}
	if invited == "" {
		t.Fatal("nobody of the sample directory is ben")
	}
	offer := w.send(http.MethodGet, "/v1/invites", professional, "")
	page := decoded[api.Page[api.SeenInvite]](t, offer, 200)
	if len(page.Items) != 1 || page.Items[0].Matter == nil || bytes.Contains(offer.body, []byte(caseID)) {
		t.Errorf("what the professional sees: %s", offer.body)
	}
	if a := w.send(http.MethodGet, "/v1/cases/"+caseID, professional, ""); a.status != 404 {
		t.Errorf("before acceptance the case answers %d", a.status)
	}
	decided := w.send(http.MethodPost, "/v1/invites/"+invited+"/decision", professional,
		`{"decision":"decline","conflictAttested":false}`, "Content-Type", "application/json")
	declined := decoded[api.SeenInvite](t, decided, 200)
	if declined.Status != "declined" {
		t.Errorf("status = %s", declined.Status)
	}
	events := decoded[api.Page[api.AuditEvent]](t, w.send(http.MethodGet, "/v1/audit/party?resourceId="+invited, person, ""), 200)

	var actions []string
	for _, e := range events.Items {
		actions = append(actions, e.Actor.Kind+" "+e.Action+" "+e.Outcome)
	}
	if want := []string{"agent invite.propose ok", "agent invite.decide refused", "user invite.confirm ok", "partner invite.decline ok"}; fmt.Sprint(actions) != fmt.Sprint(want) {
		t.Errorf("on record: %v", actions)
	}
}
