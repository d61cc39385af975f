package partysvc_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"pgregory.net/rapid"
)

// Whatever a body holds, the answer is one of the interface's and never a failure of ours.
func FuzzBodies(f *testing.F) {
	w := start(f, nil)
	w.mustLoad(directory...)
	c := w.cases.add(firm, nil)
	p := w.addParty(ann, with(plaintiff, m{"caseId": c.CaseID, "identityRef": ref, "sealed": sealedFor(c.CaseID)}))
	i := w.invite(robot, c.CaseID, 2, nil)

	routes := []call{
		{Method: http.MethodPost, Path: "/v1/parties"},
		{Method: http.MethodPut, Path: "/v1/parties/" + p.PartyID},
		{Method: http.MethodPost, Path: "/v1/cases/" + c.CaseID + "/partners/" + partnerID(1) + "/invite"},
		{Method: http.MethodPost, Path: "/v1/invites/" + i.InviteID + "/decision"},
	}
	for n, seed := range []m{
		with(plaintiff, m{"caseId": c.CaseID, "conflictTokens": []string{token(1)}, "attributes": m{"languages": []string{"en"}}}),
		with(plaintiff, m{"sealed": sealedFor(c.CaseID), "identityRef": ref, "status": "merged", "mergedIntoPartyId": p.PartyID}),
		{"role": "expert", "scope": m{"fileIds": []string{p.PartyID}}, "message": "Help [Party 1]", "expiresInHours": 3},
		{"decision": "revoke", "conflictAttested": nil},
	} {
		f.Add(uint8(n), false, []byte(jsonOf(f, seed)))
		f.Add(uint8(n), true, []byte(jsonOf(f, seed)))
	}

	for _, text := range []string{"", "null", "[]", "{", `{"kind":{}}`, `{"sealed":[]}`, `{"conflictTokens":{}}`, `{"label":"[Party 1]","label":"[Party 2]"}`, "\xff"} {
		f.Add(uint8(0), false, []byte(text))
	}
	f.Fuzz(func(t *testing.T, route uint8, machine bool, body []byte) {
		ask := routes[int(route)%len(routes)]
		ask.Caller, ask.Body, ask.Header = ann, body, map[string]string{"Content-Type": "application/json"}
		if machine {
			ask.Caller = robot
		}
		mine := *w
		mine.t = t
		a, err := mine.try(ask)
		if err != nil {
			t.Fatal(err)
		}
		if a.Status >= 500 || !json.Valid(a.Body) {
			t.Errorf("%s %s: %d %s", ask.Method, ask.Path, a.Status, a.Body)
		}
		if a.Status >= 400 {
			var e httpx.WireError
			if err := json.Unmarshal(a.Body, &e); err != nil || e.Error == "" || e.Message == "" {
				t.Errorf("no error answer: %s", a.Body)
			}
		}
	})
}

// The checks of this package call a service with a store, so there are fewer of them; -rapid.checks asks for more.
func init() {
	if err := flag.Set("rapid.checks", "30"); err != nil {
		panic(err)
	}
}

// Whatever is done to the parties of a case, no two of them ever have one label, and no label changes hands.
func TestLabelsAreUniqueAndNeverUsedAgain(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	rapid.Check(t, func(rt *rapid.T) {
		c := w.cases.add(firm, func(c *api.Case) { c.Status = "intake" })
		owners := map[string]string{} // by label

		var ids []string
		for range rapid.IntRange(1, 4).Draw(rt, "steps") {
			if len(ids) > 0 && rapid.Bool().Draw(rt, "change") {
				id := rapid.SampledFrom(ids).Draw(rt, "party")
				status := rapid.SampledFrom([]string{"active", "dismissed", "withdrawn"}).Draw(rt, "status")
				after := into[api.Party](t, w.json(ann, http.MethodPut, "/v1/parties/"+id, with(plaintiff, m{"status": status})), 200)
				if owners[after.Label] != id {
					rt.Fatalf("the label of a party became %s: %v", after.Label, owners)
				}

				continue
			}
			body := with(plaintiff, m{"caseId": c.CaseID})
			label := ""
			if rapid.Bool().Draw(rt, "named") {
				label = fmt.Sprintf("[Party %d]", rapid.IntRange(1, 2).Draw(rt, "number"))
				body["label"] = label
			}
			a := w.json(ann, http.MethodPost, "/v1/parties", body)
			if _, taken := owners[label]; taken {
				refused(t, a, 409, "label_taken")
				continue
			}
			p := into[api.Party](t, a, 201)
			if owner, taken := owners[p.Label]; taken {
				rt.Fatalf("%s is given to %s and was %s's", p.Label, p.PartyID, owner)
			}
			if label != "" && p.Label != label {
				rt.Fatalf("got %s, asked for %s", p.Label, label)
			}
			owners[p.Label] = p.PartyID
			ids = append(ids, p.PartyID)
		}

		page := into[api.Page[api.Party]](t, w.get(ann, "/v1/parties?limit=100&caseId="+c.CaseID), 200)
		for _, p := range page.Items {
			if owners[p.Label] != p.PartyID {
				rt.Fatalf("%s is %s's, was given to %s", p.Label, p.PartyID, owners[p.Label])
			}
		}
		if len(page.Items) != len(owners) {
			rt.Fatalf("%d parties, want %d", len(page.Items), len(owners))
		}
	})
}

// Many add parties at once, some under a label of their choice.
func TestRacingLabels(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	c := w.cases.add(firm, nil)
	const racers = 12

	answers := make(chan answer, racers)
	for n := range racers {
		body := with(plaintiff, m{"caseId": c.CaseID})
		if n%3 == 0 {
			body["label"] = "[Party 3]"
		}

		go func() { answers <- w.json(robot, http.MethodPost, "/v1/parties", body) }()
	}
	var labels []string

	for range racers {
		switch a := <-answers; a.Status {
		case 201:
			labels = append(labels, into[api.Party](t, a, 201).Label)
		default:
			refused(t, a, 409, "label_taken")
		}
	}
	slices.Sort(labels)
	if len(slices.Compact(slices.Clone(labels))) != len(labels) || len(labels) < racers*2/3 {
		t.Errorf("labels = %v", labels)
	}
}
