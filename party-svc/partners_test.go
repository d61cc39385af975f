package partysvc_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	partysvc "github.com/subrosa-legal/subrosa/party-svc"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
	"go.mongodb.org/mongo-driver/v2/bson"
)

// partnerID is the id of the n-th entry of a test.
func partnerID(n int) string { return fmt.Sprintf("%08d-0000-7000-8000-000000000000", n) }

// seedEntry is an entry of a seed file.
func seedEntry(n int, name string, fields m) m {
	return with(m{
		"partnerId": partnerID(n), "displayName": name, "kind": "lawyer", "availability": "open", "languages": []string{"en"}, "jurisdictions": []string{"US-CA"},
		"licences":      []m{{"jurisdiction": "US-CA", "body": "Bar", "kind": "attorney", "status": "active"}},
		"practiceAreas": []m{{"scheme": "LIST", "code": "HO-00-00-00-00"}}, "feeModels": []string{"hourly"}, "accountUserId": fmt.Sprint("account-", n),
	}, fields)
}

// load fills the public directory.
func (w *world) load(entries ...m) (partysvc.Loaded, error) {
	w.t.Helper()
	environ := map[string]string{
		"MONGODB_URI": stores.MongoURI(w.t), "MONGODB_TIMEOUT": "10s", "PARTY_DATABASE": w.mongo.Name(), "BASE_URL": "https://subrosa.test", "CASE_URL": w.cases.URL,
		"INTERNAL_KEY": "x", "INTERNAL_TRUST": "x",
	}

	return partysvc.LoadPartners(w.t.Context(), environ, w.clock.Now, strings.NewReader(jsonOf(w.t, m{"partners": entries})))
}

func (w *world) mustLoad(entries ...m) {
	w.t.Helper()
	if _, err := w.load(entries...); err != nil {
		w.t.Fatalf("load: %v", err)
	}
}

func (w *world) search(caller access.Caller, query string) api.PartnerPage {
	w.t.Helper()
	return into[api.PartnerPage](w.t, w.get(caller, "/v1/partners"+query), 200)
}

func namesOf(page api.PartnerPage) []string {
	names := []string{}
	for _, p := range page.Items {
		names = append(names, p.DisplayName)
	}

	return names
}

var directory = []m{
	seedEntry(1, "Ada Quillfeather", m{"practiceAreas": []m{{"scheme": "LIST", "code": "HO-02-00-00-00"}}, "typicalResponseHours": 12}),
	seedEntry(2, "Ben Inkwell", m{"availability": "limited", "languages": []string{"es-MX", "en"}, "typicalResponseHours": 4}),
	seedEntry(3, "Cara Parchmont", m{"licences": []m{{"jurisdiction": "US-CA", "body": "Bar", "kind": "attorney", "status": "suspended"}}, "feeModels": []string{"pro_bono"}}),
	seedEntry(4, "Dora Seal Mediation", m{"kind": "mediator", "availability": "closed", "acceptsTiers": []int{1}}),
	seedEntry(5, "Eve Gavelwood", m{
		"licences":      []m{{"jurisdiction": "DE-BE", "body": "Kammer", "kind": "attorney", "status": "active", "verifiedAt": "2026-01-02T00:00:00Z"}},
		"jurisdictions": []string{"DE"}, "practiceAreas": []m{{"scheme": "LIST", "code": "BU-00-00-00-00"}}, "acceptsTiers": []int{3, 4},
	}),
}

func TestSearchingPartners(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.mustLoad(directory...)

	for _, tc := range []struct {
		query string
		want  []string
	}{
		{"", []string{"Ada Quillfeather", "Ben Inkwell", "Cara Parchmont", "Eve Gavelwood"}},
		{"?sort=name", []string{"Ada Quillfeather", "Ben Inkwell", "Cara Parchmont", "Eve Gavelwood"}},
		{"?sort=response", []string{"Ben Inkwell", "Ada Quillfeather", "Cara Parchmont", "Eve Gavelwood"}},
		{"?availability=closed", []string{"Dora Seal Mediation"}},
		{"?availability=closed,limited&sort=name", []string{"Ben Inkwell", "Dora Seal Mediation"}},
		{"?q=inkwell", []string{"Ben Inkwell"}},
		{"?q=INKWELL+ben", []string{"Ben Inkwell"}},
		{"?q=housing&sort=name", []string{"Ada Quillfeather", "Ben Inkwell", "Cara Parchmont"}},
		{"?q=nobody", []string{}},
		{"?jurisdiction=US-CA&sort=name", []string{"Ada Quillfeather", "Ben Inkwell"}},
		{"?jurisdiction=US&sort=name", []string{"Ada Quillfeather", "Ben Inkwell"}},
		{"?jurisdiction=US-CA&licensed=any", []string{"Ada Quillfeather", "Ben Inkwell", "Cara Parchmont"}},
		{"?jurisdiction=DE&licensed=active", []string{"Eve Gavelwood"}},
		{"?jurisdiction=US-NY", []string{}},
		{"?practiceArea=housing", []string{"Ada Quillfeather", "Ben Inkwell", "Cara Parchmont"}},
		{"?practiceArea=HO-02", []string{"Ada Quillfeather"}},
		{"?language=es", []string{"Ben Inkwell"}},
		{"?language=es-MX", []string{"Ben Inkwell"}},
		{"?language=de", []string{}},
		{"?tier=4", []string{"Ada Quillfeather", "Ben Inkwell", "Cara Parchmont", "Eve Gavelwood"}},
		{"?tier=2&sort=name", []string{"Ada Quillfeather", "Ben Inkwell", "Cara Parchmont"}},
		{"?feeModel=pro_bono", []string{"Cara Parchmont"}},
		{"?kind=mediator&availability=open,limited,closed", []string{"Dora Seal Mediation"}},
	} {
		t.Run(tc.query, func(t *testing.T) {
			whole := w.search(ann, tc.query)
			if diff := cmp.Diff(tc.want, namesOf(whole)); diff != "" {
				t.Errorf("found (-want +got):\n%s", diff)
			}
			var paged []string

			for cursor, more := "", true; more; {
				glue := map[bool]string{true: "?", false: "&"}[tc.query == ""]
				page := w.search(ann, tc.query+glue+"limit=1"+cursor)
				paged = append(paged, namesOf(page)...)
				if more = page.NextCursor != nil; more {
					cursor = "&cursor=" + *page.NextCursor
				}
				if diff := cmp.Diff(whole.Facets, page.Facets); diff != "" {
					t.Errorf("facets of a page (-whole +page):\n%s", diff)
				}
			}
			if !slices.Equal(paged, namesOf(whole)) {
				t.Errorf("pages give %v", paged)
			}

			for _, p := range whole.Items {
				if p.Invitable != (p.Availability != "closed") { // all of them have an account
					t.Errorf("%s is %s and invitable %t", p.DisplayName, p.Availability, p.Invitable)
				}
				sum := 0

				for _, r := range p.Match.Reasons {
					points, _ := strconv.Atoi(strings.TrimSuffix(r[strings.LastIndex(r, ": ")+2:], " points"))
					sum += points
				}
				if sum != p.Match.Score {
					t.Errorf("%s: the points of %+v do not add up to %d", p.DisplayName, p.Match.Reasons, p.Match.Score)
				}
			}
		})
	}
	if body := string(w.get(ann, "/v1/partners?availability=open,limited,closed").Body); strings.Contains(body, "account") {
		t.Errorf("the answer tells of accounts: %s", body)
	}
	page := w.search(robot, "?includeTotal=true&limit=1")
	want := api.PartnerFacets{
		Kind: map[string]int{"lawyer": 4}, Jurisdiction: map[string]int{"US-CA": 2, "DE-BE": 1}, PracticeArea: map[string]int{"HO": 3, "BU": 1},
		Availability: map[string]int{"open": 3, "limited": 1},
	}
	if diff := cmp.Diff(want, page.Facets); diff != "" || *page.Total != 4 {
		t.Errorf("total %d, facets (-want +got):\n%s", *page.Total, diff)
	}
}

func TestWhatASearchCannotBe(t *testing.T) {
	t.Parallel()

	w := start(t, nil)
	for _, query := range []string{
		"q=a", "q=" + strings.Repeat("a", 201), "q=%2B%2B", "jurisdiction=California", "licensed=maybe", "practiceArea=XX", "kind=wizard", "kind=", "language=-", "tier=0", "tier=5",
		"tier=x", "availability=maybe", "feeModel=barter", "sort=score", "limit=0", "x=1", "includeTotal=1",
	} {
		refused(t, w.get(ann, "/v1/partners?"+query), 400, "invalid_parameter")
	}
	refused(t, w.get(ann, "/v1/partners?cursor=x"), 400, "invalid_cursor")
	refused(t, w.get(ann, "/v1/partners?q=ann@example.com"), 403, "identity_refused")
	refused(t, w.get(ann, "/v1/partners?forCaseId="+uuid.NewString()), 404, "not_found")
	refused(t, w.get(ann, "/v1/partners?forCaseId=x"), 404, "not_found")
	refused(t, w.get(agent(firm, "ann", "parties:read"), "/v1/partners"), 403, "scope_missing")
	admin := user(firm, "root", access.RoleAdmin)
	into[api.PartnerPage](t, w.get(admin, "/v1/partners"), 200)
	c := w.cases.add(firm, nil)
	refused(t, w.get(admin, "/v1/partners?forCaseId="+c.CaseID), 403, "forbidden")
}

// Names that no dictionary holds are refused everywhere but in a search of the directory that lists them.
func TestListedNamesAreSearchedFor(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.mustLoad(seedEntry(1, "Marlo Quillfeather", nil), seedEntry(2, "Escrowby & Exhibiton LLP", nil))

	for query, want := range map[string]int{
		"Marlo+Quillfeather": 1, "quillfeather": 1, "marlo+quillfeather": 1, "Escrowby": 1, "escrowby+%26+exhibiton+llp": 1,
	} {
		for _, caller := range []access.Caller{ann, robot} {
			if page := w.search(caller, "?q="+query); len(page.Items) != want {
				t.Errorf("%s: %d partners, want %d", query, len(page.Items), want)
			}
		}
	}

	for _, query := range []string{"q=Zorbanek", "q=Marlo+Zorbanek", "q=quillfeather+212-555-0134"} {
		refused(t, w.get(ann, "/v1/partners?"+query), 403, "identity_refused")
	}
	c := w.cases.add(firm, nil)
	refused(t, w.json(ann, http.MethodPost, "/v1/parties", with(plaintiff, m{"caseId": c.CaseID, "notes": "Ask Marlo Quillfeather"})), 403, "identity_refused")
}

func TestPartnersForACase(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	w.mustLoad(directory...)
	c := w.cases.add(firm, nil) // US-CA, HO-02, tier 2, en
	page := w.search(robot, "?forCaseId="+c.CaseID)
	if diff := cmp.Diff([]string{"Ada Quillfeather", "Ben Inkwell"}, namesOf(page)); diff != "" {
		t.Fatalf("found (-want +got):\n%s", diff)
	}
	want := api.PartnerMatch{Score: 90, Reasons: []string{
		"active licence in US-CA: 30 points", "works in HO-02: 25 points", "speaks en: 10 points", "accepts tier 2: 10 points", "is open for work: 10 points",
		"answers within a day: 5 points",
	}}
	if diff := cmp.Diff(&want, page.Items[0].Match); diff != "" {
		t.Errorf("match (-want +got):\n%s", diff)
	}
	if got := namesOf(w.search(robot, "?forCaseId="+c.CaseID+"&licensed=any&jurisdiction=DE&practiceArea=BU&tier=3")); !slices.Equal(got, []string{"Eve Gavelwood"}) {
		t.Errorf("what is given wins over the case: %v", got)
	}
	w.invite(ann, c.CaseID, 1, nil)
	if got := namesOf(w.search(robot, "?forCaseId="+c.CaseID)); !slices.Equal(got, []string{"Ben Inkwell"}) {
		t.Errorf("with one invited: %v", got)
	}
}

func TestLoadingTheDirectory(t *testing.T) {
	t.Parallel()
	w := start(t, nil)

	one, two := seedEntry(1, "Ada Quillfeather", nil), seedEntry(2, "Ben Inkwell", nil)
	for _, tc := range []struct {
		name    string
		entries []m
		want    partysvc.Loaded
	}{
		{"first", []m{one, two}, partysvc.Loaded{Added: 2}},
		{"again", []m{one, two}, partysvc.Loaded{Unchanged: 2}},
		{"changed", []m{one, seedEntry(2, "Ben Inkwell", m{"availability": "limited"}), seedEntry(3, "Cara Parchmont", nil)}, partysvc.Loaded{Added: 1, Changed: 1, Unchanged: 1}},
		{"less", []m{one}, partysvc.Loaded{Unchanged: 1}},
	} {
		got, err := w.load(tc.entries...)
		if err != nil || got != tc.want {
			t.Errorf("%s: %+v, %v, want %+v", tc.name, got, err, tc.want)
		}
	}
	if got := namesOf(w.search(ann, "?sort=name")); !slices.Equal(got, []string{"Ada Quillfeather", "Ben Inkwell", "Cara Parchmont"}) {
		t.Errorf("directory = %v", got)
	}

	for name, fields := range map[string]m{
		"id": {"partnerId": "x"}, "name": {"displayName": "x"}, "kind": {"kind": "wizard"}, "availability": {"availability": nil}, "status": {"licences": []m{{"jurisdiction": "US", "body": "b", "kind": "k", "status": "lost"}}},
		"place": {"jurisdictions": []string{"California"}}, "area": {"practiceAreas": []m{{"scheme": "LIST", "code": "HO"}}}, "language": {"languages": []string{}}, "tier": {"acceptsTiers": []int{5}},
		"hours": {"typicalResponseHours": 0}, "fee": {"feeModels": []string{"barter"}}, "address": {"profileUrl": "http://example.org"}, "unknown": {"rating": 5}, "identity": {"email": "x"},
	} {
		if got, err := w.load(seedEntry(9, "Zed Ledgerly", fields)); err == nil {
			t.Errorf("%s: loaded %+v", name, got)
		}
	}
	if _, err := w.load(one, one); err == nil {
		t.Error("one id given twice was loaded")
	}
	if got := namesOf(w.search(ann, "?q=zed")); len(got) != 0 {
		t.Errorf("refused entries were stored: %v", got)
	}
	var loads int

	for _, d := range w.deeds("public") {
		if d.Action == "partners.load" && d.Outcome == "ok" {
			loads++
		}
	}
	if loads != 4 {
		t.Errorf("%d loads on record, want 4", loads)
	}
}

func BenchmarkPartners(b *testing.B) {
	w := start(b, nil)
	var entries []m

	for i := range 1000 {
		e := seedEntry(i, fmt.Sprintf("Name%d Family%d", i, i%50), nil)
		maps.Copy(e, m{"languages": [][]string{{"en"}, {"en", "es"}, {"fr"}}[i%3], "practiceAreas": []m{{"scheme": "LIST", "code": []string{"HO", "FA", "BU", "WO"}[i%4] + "-00-00-00-00"}}})
		entries = append(entries, e)
	}
	w.mustLoad(entries...)

	for name, query := range map[string]string{"all of 1000": "", "one area of 1000": "?practiceArea=HO", "one name of 1000": "?q=name77", "needs of 1000": "?jurisdiction=US-CA&practiceArea=HO&language=es&tier=2"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if a := w.json(ann, http.MethodGet, "/v1/partners"+query, nil); a.Status != 200 {
					b.Fatalf("status %d", a.Status)
				}
			}
		})
	}
}

// Searches read the public directory from memory, and anew when it was changed; what a firm keeps for itself is read from the store, for that
// firm alone.
func TestSearchesReadASnapshot(t *testing.T) {
	t.Parallel()
	w := start(t, map[string]string{"PARTY_SWEEP_EVERY": "1h"})
	w.mustLoad(directory[:2]...)
	eve := user("o:other", "eve")
	sees := func(caller access.Caller, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, namesOf(w.search(caller, "?sort=name"))); diff != "" {
			t.Errorf("%s sees (-want +got):\n%s", caller.UserID, diff)
		}
	}
	sees(ann, "Ada Quillfeather", "Ben Inkwell")
	if n := w.commands(func() { w.search(ann, "") }); n != 1 {
		t.Errorf("a search takes %d commands, want 1", n)
	}
	w.mustLoad(directory[:3]...)
	sees(ann, "Ada Quillfeather", "Ben Inkwell", "Cara Parchmont")
	w.mustLoad(with(directory[0], m{"displayName": "Ada Featherquill"}))
	sees(eve, "Ada Featherquill", "Ben Inkwell", "Cara Parchmont")

	coll := w.database().Collection("partners")
	var doc bson.M
	if err := coll.FindOne(t.Context(), bson.M{"id": partnerID(2)}).Decode(&doc); err != nil {
		t.Fatal(err)
	}
	own := maps.Clone(doc)
	own["_id"], own["tenant"], own["displayName"] = firm+"/"+partnerID(2), firm, "Own Inkwell"
	if _, err := coll.InsertOne(t.Context(), own); err != nil {
		t.Fatal(err)
	}
	if _, err := w.database().Collection("editions").InsertOne(t.Context(), bson.M{"_id": firm + "/edition", "tenant": firm, "edition": int64(1)}); err != nil {
		t.Fatal(err)
	}
	sees(ann, "Ada Featherquill", "Ben Inkwell", "Cara Parchmont", "Own Inkwell")
	sees(eve, "Ada Featherquill", "Ben Inkwell", "Cara Parchmont")

	// What a load that broke off left is found when the snapshot is old.
	if _, err := coll.DeleteOne(t.Context(), bson.M{"tenant": "public", "id": partnerID(2)}); err != nil {
		t.Fatal(err)
	}
	sees(eve, "Ada Featherquill", "Ben Inkwell", "Cara Parchmont")
	w.clock.Advance(6 * time.Minute)
	sees(eve, "Ada Featherquill", "Cara Parchmont")
}
