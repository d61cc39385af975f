package e2e_test

import (
	"bytes"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/api"
)

// keyless are the operations by POST that take no Idempotency-Key, and why.
var keyless = map[string]string{
	"createRegistrationToken": "the answer holds a secret, which is kept nowhere",
	"registerAgent":           "the answer holds a secret; the registration token makes a second one impossible",
	"exchangeKey":             "the answer holds a secret; each exchange gives a bearer of its own",
	"runAgent":                "the phaseId makes it safe to repeat",
	"offboardMember":          "a member whose access has ended stays so, however often it is asked for",
	"reinstateMember":         "likewise for one who has access",
	"rotateVaultKey":          "the version can be made once",
}

// otherBodies are good bodies that are not those of the examples.
var otherBodies = map[string]string{
	"createCase":     `{"title":"Another matter"}`,
	"decideConflict": `{"decision":"clear","reason":"Another reason."}`,
	"addFiles":       "Another text.\n",
	"clearFindings":  `{"sha256":"` + strings.Repeat("0", 64) + `","marks":[{"path":"text","kind":"phone","start":1,"end":2}]}`,
	"addEntry":       `{"kind":"fact","when":{"on":"2026-02-04","precision":"day"},"title":"Another fact"}`,
	"createBranch":   `{"timelineId":"{timelineId}","title":"Another title"}`,
	"reviewPhase":    `{"comment":"Another comment."}`,
	"createParty":    `{"caseId":"{caseId}","kind":"organization","role":"other"}`,
	"invitePartner":  `{"role":"expert"}`,
	"decideInvite":   `{"decision":"end"}`,
}

// deeds counts what is on record as done by a person.
func (w *world) deeds(bearer string) int {
	w.t.Helper()
	n := 0

	for _, chain := range []string{"case", "party"} {
		for next := ""; ; {
			page := into[api.Page[api.AuditEvent]](w.t, w.send(http.MethodGet, "/v1/audit/"+chain+"?limit=100"+next, bearer, ""), http.StatusOK)
			for _, e := range page.Items {
				if e.Actor.Kind == "user" && e.Outcome == "ok" {
					n++
				}
			}
			if page.NextCursor == nil {
				break
			}
			next = "&cursor=" + *page.NextCursor
		}
	}

	return n
}

// Every operation by POST that changes something does it once for all requests of an Idempotency-Key, and says so in the document; the others
// are listed with their reasons.
func TestRepeatedPosts(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	agent := w.connect(ada)
	user := w.token(ada)
	b := w.furnish(ada, agent.bearer)
	b["agentId"] = agent.AgentID
	arrange := w.arrangements(b)

	for _, o := range everyOperation(t) {
		if o.method != http.MethodPost || o.foreign() {
			continue
		}
		if _, without := keyless[o.id]; without == o.takes("Idempotency-Key") {
			t.Errorf("%s: documents an Idempotency-Key: %t", o.id, without)
		}
		if keyless[o.id] != "" {
			continue
		}

		for _, example := range o.examples() {
			t.Run(o.id+"/"+example, func(t *testing.T) {
				w := w.in(t)
				values, bearer := b, user
				if prepare := arrange[o.id]; prepare != nil {
					values, _ = prepare(w)
				}
				if o.open() {
					bearer = ""
				}
				ask := func(body string) answer {
					return w.send(o.method, o.address(values), bearer, body, "Content-Type", o.mediaType, "Idempotency-Key", o.id+strings.ReplaceAll(example, " ", "-"))
				}
				body := o.body(t, example, values)
				first := ask(body)
				done := w.deeds(user)
				if again := ask(body); !slices.Contains(o.success, first.status) || again.status != first.status || !bytes.Equal(again.body, first.body) ||
					again.header.Get("ETag") != first.header.Get("ETag") || again.header.Get("Location") != first.header.Get("Location") {
					t.Errorf("at first: %d %v %s\nagain: %d %v %s", first.status, first.header, first.body, again.status, again.header, again.body)
				} else if first.header.Get("Idempotency-Replayed") != "" || again.header.Get("Idempotency-Replayed") != "true" {
					t.Errorf("Idempotency-Replayed = %q at first, then %q", first.header.Get("Idempotency-Replayed"), again.header.Get("Idempotency-Replayed"))
				}
				if other, ok := otherBodies[o.id]; ok {
					fill := strings.NewReplacer("{caseId}", values["caseId"], "{timelineId}", values["timelineId"])
					ask(fill.Replace(other)).refused(t, "another body", http.StatusBadRequest, "idempotency_key_reused")
				} else if body != "" {
					t.Error("there is no other body to try")
				}
				if now := w.deeds(user); now != done {
					t.Errorf("%d deeds more than after the first request", now-done)
				}
			})
		}
	}

	for _, key := range []string{" ", "a b", "é", strings.Repeat("k", 256)} {
		w.send(http.MethodPost, "/v1/cases", user, "", "Idempotency-Key", key).refused(t, "key "+key, http.StatusBadRequest, "invalid_parameter")
	}
	if a, c := w.send(http.MethodPost, "/v1/cases", user, "", "Idempotency-Key", "k"), w.send(http.MethodPost, "/v1/cases", agent.bearer, "", "Idempotency-Key", "k"); a.status != http.StatusCreated || c.header.Get("Idempotency-Replayed") != "" {
		t.Errorf("a key of a person is one of their agent: %d %s", c.status, c.body)
	}
}
