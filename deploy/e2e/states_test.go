package e2e_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

// What the service alone writes cannot be written by a caller.
func TestS06FieldsOfTheService(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())

	agent := w.connect(ada)
	for field, value := range map[string]any{
		"tenant": "o:elm", "status": "closed", "_id": "x", "caseId": uuid.NewString(), "createdAt": "2020-01-01T00:00:00.000Z", "updatedAt": "2020-01-01T00:00:00.000Z", "version": 7, "role": "owner",
		"createdBy": map[string]any{"kind": "user", "id": "ben"}, "counts": map[string]any{"files": 9}, "timelineId": uuid.NewString(), "titleBasis": "evaluated", "conflict": map[string]any{"status": "clear"},
	} {
		for who, bearer := range map[string]string{"user": w.token(ada), "agent": agent.bearer} {
			w.send(http.MethodPost, "/v1/cases", bearer, encoded(t, map[string]any{"title": "A matter", field: value})).
				refused(t, field+" by the "+who, http.StatusBadRequest, "unknown_field", "validation_failed")
		}
	}
	if stored := w.documents(w.database("CASE_DATABASE"), "cases"); len(stored) != 0 {
		t.Errorf("%d cases are stored", len(stored))
	}
}

// innerFields are names that no answer has at any depth: what the stores call things, and what secrets are kept as.
var innerFields = []string{
	"_id", "tenantId", "pepper", "pepperVersion", "keyHash", "tokenHash", "apiKeyHash", "searchTokens", "jurisdictionKeys", "practiceKeys", "externalRefKey", "dedupeKey", "accountUserId", "conflictTokens",
	"files_id", "bucket", "storagePath", "blobId", "fingerprint", "attemptId", "decisionKey", "createKey",
}

// names calls f with the name of every field in v.
func names(v any, f func(string)) {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			f(name)
			names(inner, f)
		}
	case []any:
		for _, inner := range v {
			names(inner, f)
		}
	}
}

// Answers hold nothing of the inside; that they hold nothing but what the document says is what the judge of every test sees to.
func TestS07AnswersShowNothingOfTheInside(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	agent := w.connect(ada)
	b := w.furnish(ada, agent.bearer)
	b["agentId"] = agent.AgentID
	read := 0

	for _, o := range everyOperation(t) {
		if o.method != http.MethodGet || o.open() || o.id == "exportCase" || o.id == "followRun" {
			continue
		}

		for who, bearer := range map[string]string{"user": w.token(ada), "agent": agent.bearer} {
			if who == "agent" && !o.agents {
				continue
			}
			a := w.callFor(o, "", bearer, b)
			var v any
			if !strings.HasPrefix(a.header.Get("Content-Type"), "application/json") || json.Unmarshal(a.body, &v) != nil {
				continue
			}
			read++
			names(v, func(name string) {
				if slices.Contains(innerFields, name) {
					t.Errorf("%s shows the %s a field %s", o.id, who, name)
				}
			})

			for _, inner := range []string{"o:oak/", "/tmp/", ".local", "mongodb://", "redis://"} {
				if strings.Contains(string(a.body), inner) {
					t.Errorf("%s shows the %s %q: %s", o.id, who, inner, a.body)
				}
			}
		}
	}
	if read < 35 {
		t.Errorf("%d answers were read", read)
	}
}

// States are not skipped and do not go backwards, and what is closed is not written to.
func TestS11StatesAreNotSkipped(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	agent := w.connect(ada)
	user := w.token(ada)
	b := w.furnish(ada, agent.bearer)
	conflict := func(what, method, path, body string, codes ...string) {
		t.Helper()
		w.send(method, path, user, body).refused(t, what, http.StatusConflict, codes...)
	}
	kase := "/v1/cases/" + b["caseId"]
	review := "/v1/phases/" + b["phaseId"] + "/review"
	invite := "/v1/invites/" + b["inviteId"] + "/decision"

	for _, to := range []string{"open", "on_hold", "archived"} {
		conflict("intake to "+to, http.MethodPatch, kase, `{"status":"`+to+`"}`, "invalid_transition")
	}
	conflict("confirming what is sent", http.MethodPost, invite, `{"decision":"confirm"}`, "invalid_transition")
	conflict("ending what is not accepted", http.MethodPost, invite, `{"decision":"end"}`, "invalid_transition")
	w.decide(user, b["inviteId"], `{"decision":"revoke"}`)
	conflict("revoking twice", http.MethodPost, invite, `{"decision":"revoke"}`, "invalid_transition")
	w.send(http.MethodPost, invite, w.token(ben), `{"decision":"accept","conflictAttested":true}`).refused(t, "accepting what is revoked", http.StatusConflict, "invalid_transition")
	deadline := into[api.TimelineEntry](t, w.send(http.MethodPost, "/v1/timeline/"+b["timelineId"]+"/entries", user, `{"kind":"deadline","title":"Answer","dueOn":"2036-04-13","timeZone":"America/Los_Angeles","certainty":"explicit"}`), http.StatusCreated)
	path := "/v1/timeline/" + b["timelineId"] + "/entries/" + deadline.EntryID
	conflict("met before it is confirmed", http.MethodPatch, path, `{"status":"met"}`, "invalid_transition")
	into[any](t, w.send(http.MethodPatch, path, user, `{"status":"vacated"}`), http.StatusOK)

	for _, to := range []string{"confirmed", "met"} {
		conflict("vacated to "+to, http.MethodPatch, path, `{"status":"`+to+`"}`, "invalid_transition")
	}
	into[any](t, w.send(http.MethodPost, kase+"/conflict", user, `{"decision":"clear","reason":"Checked against the register."}`), http.StatusOK)
	into[any](t, w.send(http.MethodPatch, kase, user, `{"status":"open"}`), http.StatusOK)

	for _, to := range []string{"intake", "archived"} {
		conflict("open to "+to, http.MethodPatch, kase, `{"status":"`+to+`"}`, "invalid_transition")
	}
	conflict("closing with a review to do", http.MethodPatch, kase, `{"status":"closed","closeReason":"settled"}`, "review_pending")
	into[any](t, w.send(http.MethodPost, review, user, `{"decision":"approved"}`), http.StatusOK)

	for _, again := range []string{"approved", "rejected"} {
		conflict("reviewing twice", http.MethodPost, review, `{"decision":"`+again+`"}`, "already_reviewed")
	}
	conflict("cancelling what has ended", http.MethodDelete, "/v1/agent/"+b["phaseId"], "", "invalid_transition")
	into[any](t, w.send(http.MethodPatch, kase, user, `{"status":"closed","closeReason":"settled"}`), http.StatusOK)

	for what, c := range map[string][3]string{
		"title":      {http.MethodPatch, kase, `{"title":"Another"}`},
		"entry":      {http.MethodPost, "/v1/timeline/" + b["timelineId"] + "/entries", `{"kind":"fact","when":{"on":"2026-02-03","precision":"day"},"title":"[Party 1] gave notice"}`},
		"branch":     {http.MethodPost, "/v1/branch", `{"timelineId":"` + b["timelineId"] + `"}`},
		"party":      {http.MethodPost, "/v1/parties", `{"caseId":"` + b["caseId"] + `","kind":"individual","role":"other"}`},
		"invite":     {http.MethodPost, kase + "/partners/" + b["partnerId"] + "/invite", `{"role":"expert"}`},
		"run":        {http.MethodPost, "/v1/agent", encoded(t, task(b["caseId"], api.CaseReq, question))},
		"put party":  {http.MethodPut, "/v1/parties/" + b["partyId"], `{"kind":"individual","role":"witness"}`},
		"file going": {http.MethodDelete, kase + "/files/" + b["fileId"], ""},
	} {
		conflict("closed: "+what, c[0], c[1], c[2], "case_closed")
	}
	w.send(http.MethodPost, kase+"/files", user, "Text.", "Content-Type", "text/plain").refused(t, "closed: file", http.StatusConflict, "case_closed")

	for _, to := range []string{"intake", "on_hold"} {
		conflict("closed to "+to, http.MethodPatch, kase, `{"status":"`+to+`"}`, "invalid_transition")
	}
}

// operators are what a query language of a store might take for more than text.
var operators = []any{map[string]any{"$ne": nil}, map[string]any{"$gt": ""}, map[string]any{"$where": "sleep(1000)"}, map[string]any{"$regex": ".*"}, []any{map[string]any{"$ne": nil}}}

// leaves calls f for every text in v with a function that puts something else in its place.
func leaves(v any, path string, f func(path string, put func(any))) {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			if _, ok := inner.(string); ok {
				f(path+"."+name, func(x any) { v[name] = x })
			} else {
				leaves(inner, path+"."+name, f)
			}
		}
	case []any:
		for i, inner := range v {
			if _, ok := inner.(string); ok {
				f(path+"[]", func(x any) { v[i] = x })
			} else {
				leaves(inner, path+"[]", f)
			}
		}
	}
}

// Objects and operators where a text belongs are refused by their type, in every text of every body and in every filter.
func TestS12OperatorsAreNoText(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	agent := w.connect(ada)
	user := w.token(ada)
	b := w.furnish(ada, agent.bearer)
	b["agentId"] = agent.AgentID
	tried := 0

	for _, o := range everyOperation(t) {
		bearer := user
		if o.open() {
			bearer = ""
		}
		if o.foreign() {
			continue
		}
		if strings.HasSuffix(o.mediaType, "json") {
			for _, example := range o.examples() {
				var body any
				if err := json.Unmarshal([]byte(o.body(t, example, b)), &body); err != nil {
					continue // an operation that is not built
				}
				leaves(body, o.id, func(path string, put func(any)) {
					var was any = "x"

					for _, x := range operators {
						put(x)
						w.send(o.method, o.address(b), bearer, encoded(t, body), "Content-Type", o.mediaType).refused(t, path, http.StatusBadRequest, "validation_failed", "unknown_field", "malformed_json")
						tried++
					}
					put(was)
				})
			}
		}
		if o.open() {
			continue
		}

		path, _, _ := strings.Cut(o.address(b), "?")
		for _, p := range o.parameters {
			if p.Value.In != "query" {
				continue
			}

			for _, query := range []string{p.Value.Name + "[$ne]=", p.Value.Name + "[$gt]=x", "filter[$gt]=", "$where=1"} {
				w.send(o.method, path+"?"+query, bearer, "").refused(t, o.id+"?"+query, http.StatusBadRequest, "invalid_parameter")
			}
			a := w.send(http.MethodGet, path+"?"+p.Value.Name+"="+url.QueryEscape(`{"$ne":null}`), bearer, "")
			if o.method != http.MethodGet || a.status == http.StatusBadRequest || a.status == http.StatusNotFound {
				continue
			}
			var page struct{ Items []any }
			if a.status != http.StatusOK || json.Unmarshal(a.body, &page) != nil || len(page.Items) > 0 {
				t.Errorf("%s with an operator in %s: %d %.300s", o.id, p.Value.Name, a.status, a.body)
			}
		}
	}
	if tried < 200 {
		t.Errorf("%d places were tried", tried)
	}
}
