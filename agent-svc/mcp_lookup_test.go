package agentsvc_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"pgregory.net/rapid"
)

// found is an answer of legal_lookup.
type found struct {
	View  string
	Items []struct {
		ID, Type, Title, Summary, URL, UpdatedAt string
		Fields                                   map[string]any
	}
	NextCursor, Notice string
	RetrievedAt        time.Time
	Truncated          bool
}

func lookup(t testing.TB, s *mcp.ClientSession, arguments string) found {
	t.Helper()
	c := call(t, s, "legal_lookup", arguments)
	if c.IsError {
		t.Fatalf("%s: %s", arguments, c.text)
	}
	var f found
	if err := json.Unmarshal([]byte(c.text), &f); err != nil {
		t.Fatal(err)
	}
	if f.RetrievedAt.IsZero() {
		t.Errorf("%s: the answer does not say when it was read", arguments)
	}

	return f
}

func TestViews(t *testing.T) {
	t.Parallel()
	h := startMCP(t)
	mine, others := h.office.phase("ann", api.PhaseCompleted), h.office.phase("ben", api.PhaseCompleted)
	eras(t, func(t *testing.T, era string) {
		s := h.session(t, era, application("ann", "cases:read"), nil)
		for _, tc := range []struct {
			name, arguments string
			path, query     string // of the request that went out
			first, kind     string
		}{
			{"cases", `{"view":"cases"}`, "/v1/cases", "fields=summary&limit=20", caseID, "case"},
			{"cases in full, by filters", `{"view":"cases","detail":"full","filters":{"status":"open","jurisdiction":"US-CA"},"limit":5}`, "/v1/cases", "fields=full&jurisdiction=US-CA&limit=5&status=open", caseID, "case"},
			{"cases by words", `{"view":"cases","query":"lease \"late charges\""}`, "/v1/cases", "fields=summary&limit=20&q=lease+%22late+charges%22", caseID, "case"},
			{"search", `{"view":"search","query":"rent"}`, "/v1/cases", "fields=summary&limit=20&q=rent", caseID, "case"},
			{"search in a case", `{"view":"search","query":"rent","caseId":"` + caseID + `"}`, "/v1/cases/" + caseID + "/files", "limit=20&q=rent&sort=relevance", caseID, "case"},
			{"case", `{"view":"case","id":"` + caseID + `","filters":{"include":"parties"}}`, "/v1/cases/" + caseID, "include=parties", caseID, "case"},
			{"workspace", `{"view":"workspace","id":"` + caseID + `","branchId":"` + branchID + `"}`, "/v1/workspace/case/" + caseID, "branchId=" + branchID, caseID, "workspace"},
			{"timeline", `{"view":"timeline","id":"` + timelineID + `"}`, "/v1/timeline/" + timelineID, "limit=20", timelineID, "timeline"},
			{"timeline of a case", `{"view":"timeline","id":"` + caseID + `"}`, "/v1/timeline/" + timelineID, "limit=20", timelineID, "timeline"},
			{"timeline of a case by its name", `{"view":"timeline","caseId":"` + caseID + `"}`, "/v1/timeline/" + timelineID, "limit=20", timelineID, "timeline"},
			{"branch", `{"view":"branch","id":"` + branchID + `"}`, "/v1/branch/" + branchID, "", branchID, "branch"},
			{"phases of a branch", `{"view":"phases","branchId":"` + branchID + `"}`, "/v1/phases", "branchId=" + branchID + "&limit=20&view=summary", "", ""},
			{"phases of a case", `{"view":"phases","caseId":"` + caseID + `"}`, "/v1/phases", "branchId=" + branchID + "&limit=20&view=summary", "", ""},
			{"phase", `{"view":"phase","id":"` + others + `"}`, "/v1/phases", "phaseId=" + others, others, "phase"},
			{"files", `{"view":"files","caseId":"` + caseID + `","filters":{"docType":"lease"}}`, "/v1/cases/" + caseID + "/files", "docType=lease&limit=20", fileID, "file"},
			{"file", `{"view":"file","caseId":"` + caseID + `","id":"` + fileID + `"}`, "/v1/cases/" + caseID + "/files/" + fileID, "", fileID, "file"},
			{"passage", `{"view":"passage","caseId":"` + caseID + `","id":"` + fileID + `","from":4,"to":10}`, "/v1/cases/" + caseID + "/files/" + fileID + "/text", "from=4&to=10", fileID + ":4-10", "passage"},
			{"parties", `{"view":"parties","caseId":"` + caseID + `","filters":{"side":"ours"}}`, "/v1/parties", "caseId=" + caseID + "&limit=20&side=ours", partyID, "party"},
			{"party", `{"view":"party","id":"` + partyID + `"}`, "/v1/parties/" + partyID, "", partyID, "party"},
			{"partners for a case", `{"view":"partners","caseId":"` + caseID + `"}`, "/v1/partners", "forCaseId=" + caseID + "&limit=20", partyID, "partner"},
			{"invites", `{"view":"invites","caseId":"` + caseID + `"}`, "/v1/invites", "caseId=" + caseID + "&limit=20", inviteID, "invite"},
			{"invite", `{"view":"invite","id":"` + inviteID + `"}`, "/v1/invites/" + inviteID, "", inviteID, "invite"},
			{"tasks", `{"view":"tasks","filters":{"status":"completed"}}`, "/v1/phases", "limit=20&mine=true&status=completed&view=summary", mine, "task"},
			{"task", `{"view":"task","id":"` + mine + `"}`, "/v1/phases", "phaseId=" + mine, mine, "task"},
			{"service", `{"view":"service"}`, "/v1/settings", "", "card", "card"},
		} {
			t.Run(tc.name, func(t *testing.T) {
				f := lookup(t, s, tc.arguments)
				if asked := h.office.last(t, tc.path); asked.Query != tc.query || asked.Caller.UserID != "ann" || string(asked.Caller.Kind) != "oauth" {
					t.Errorf("asked for %q as %+v, want %q", asked.Query, asked.Caller, tc.query)
				}
				if tc.first == "" {
					return
				}
				if len(f.Items) == 0 || f.Items[0].ID != tc.first || f.Items[0].Type != tc.kind || f.Items[0].Title == "" {
					t.Errorf("%+v, want the %s %s first", f, tc.kind, tc.first)
				}
			})
		}
	})
}

func TestWhatALookupTells(t *testing.T) {
	t.Parallel()
	h := startMCP(t)
	s := h.session(t, modern, application("ann", "cases:read"), nil)
	w := lookup(t, s, `{"view":"workspace","id":"`+caseID+`"}`)

	kinds := []string{}
	for _, i := range w.Items {
		kinds = append(kinds, i.Type)
	}
	if got := strings.Join(kinds, " "); got != "workspace case entry party file branch" || w.Items[0].URL != "https://subrosa.test/c/"+caseID {
		t.Errorf("a workspace tells %s, %q", got, w.Items[0].URL)
	}
	brief, full := lookup(t, s, `{"view":"case","id":"`+caseID+`"}`), lookup(t, s, `{"view":"case","id":"`+caseID+`","detail":"full"}`)
	if brief.Items[0].Fields["retention"] != nil || full.Items[0].Fields["retention"] == nil || brief.Items[0].Fields["status"] != "open" {
		t.Errorf("brief %v, full %v", brief.Items[0].Fields, full.Items[0].Fields)
	}
	if i := brief.Items[0]; i.Summary != "open, litigation, US-CA" || i.UpdatedAt == "" || i.URL != "https://subrosa.test/c/"+caseID {
		t.Errorf("a case: %+v", i)
	}
	c := call(t, s, "legal_lookup", `{"view":"file","caseId":"`+caseID+`","id":"`+fileID+`"}`)
	link, ok := c.Content[len(c.Content)-1].(*mcp.ResourceLink)
	if !ok || link.URI != "https://subrosa.test/v1/cases/"+caseID+"/files/"+fileID+"/content" ||
		link.MIMEType != "text/markdown" ||
		link.Name != "Lease.pdf.md" ||
		*link.Size != 44 {
		t.Errorf("a file's link: %+v", link)
	}
	service := lookup(t, s, `{"view":"service"}`)
	if me := service.Items[1].Fields; me["user"] != "ann" || me["tenant"] != "o:oak" || len(service.Items) != 3 {
		t.Errorf("service tells %+v", service.Items)
	}
}

func TestWhatASearchLeavesOut(t *testing.T) {
	t.Parallel()
	h := startMCP(t)
	h.office.holds(130)
	s := h.session(t, modern, application("ann", "cases:read"), nil)

	const says = "The text of files is searched only with caseId."
	for arguments, want := range map[string]string{
		`{"view":"search","query":"rent","limit":5}`:                 says,
		`{"view":"search","query":"rent","limit":50}`:                says,
		`{"view":"search","query":"rent","caseId":"` + caseID + `"}`: "",
		`{"view":"cases","query":"rent","limit":5}`:                  "",
	} {
		if f := lookup(t, s, arguments); strings.Contains(f.Notice, says) != (want != "") || len(f.Items) == 0 {
			t.Errorf("%s: %d items, notice %q", arguments, len(f.Items), f.Notice)
		}
	}
	const unread = "nobody has read, so no search finds their text: 3."

	for _, arguments := range []string{
		`{"view":"search","query":"rent","caseId":"` + caseID + `"}`,
		`{"view":"files","caseId":"` + caseID + `"}`,
		`{"view":"file","caseId":"` + caseID + `","id":"` + fileID + `"}`,
	} {
		f := lookup(t, s, arguments)
		counted := false

		for _, i := range f.Items {
			places, _ := i.Fields["unread"].(map[string]any)
			counted = counted || places["count"] == 3.0
		}
		if !counted || strings.Contains(arguments, "search") && !strings.Contains(f.Notice, unread) {
			t.Errorf("%s: the places that nobody read are not counted: notice %q", arguments, f.Notice)
		}
	}

	// A page that has no room for all of its records says both.
	f := lookup(t, s, `{"view":"search","query":"rent","detail":"full","limit":50}`)
	if !f.Truncated || !strings.HasSuffix(f.Notice, "the same other arguments gives it. "+says) {
		t.Errorf("truncated %t, notice %q", f.Truncated, f.Notice)
	}
}

func TestOperationsAreListed(t *testing.T) {
	t.Parallel()
	h := startMCP(t)
	s := h.session(t, legacy, application("ann", "cases:read"), nil)
	var ids []string

	for cursor := ""; ; {
		f := lookup(t, s, `{"view":"operations","limit":50,"detail":"full","cursor":"`+cursor+`"}`)
		for _, i := range f.Items {
			ids = append(ids, i.ID)
			for _, field := range []string{"endpoint", "humanOnly", "arguments"} {
				if _, ok := i.Fields[field]; !ok {
					t.Errorf("%s has no %s", i.ID, field)
				}
			}
			if i.Fields["humanOnly"] == true && !strings.HasPrefix(i.URL, "https://subrosa.test/i/") {
				t.Errorf("%s is a person's and leads to %q", i.ID, i.URL)
			}
		}
		if cursor = f.NextCursor; cursor == "" {
			break
		}
	}
	if len(ids) < 45 {
		t.Errorf("%d operations: %v", len(ids), ids)
	}
	one := lookup(t, s, `{"view":"operations","id":"create_case"}`)
	if f := one.Items[0].Fields; len(one.Items) != 1 || f["tool"] != "legal_agent" || f["operation"] != "create_case" || f["endpoint"] != "POST /v1/cases" || f["scopes"].([]any)[0] != "cases:write" {
		t.Errorf("create_case: %+v", one.Items)
	}
	text, _ := json.Marshal(one.Items[0].Fields["arguments"])
	var schema jsonschema.Schema
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	if resolved.Validate(map[string]any{"title": "Lease of [Party 1]"}) != nil || resolved.Validate(map[string]any{"name": 1}) == nil {
		t.Error("the schema of create_case does not tell right from wrong")
	}
}

func TestLongListsGoOn(t *testing.T) {
	t.Parallel()
	h := startMCP(t)
	h.office.holds(130)
	s := h.session(t, modern, application("ann", "cases:read"), nil)

	seen, calls := map[string]bool{}, 0
	for cursor := ""; ; calls++ {
		f := lookup(t, s, `{"view":"cases","detail":"full","limit":50,"cursor":"`+cursor+`"}`)
		for _, i := range f.Items {
			if seen[i.ID] {
				t.Fatalf("%s came twice", i.ID)
			}
			seen[i.ID] = true
		}
		if cursor = f.NextCursor; cursor == "" {
			break
		}
	}
	if len(seen) != 130 || calls < 7 {
		t.Errorf("%d cases in %d calls", len(seen), calls)
	}
}

func TestLongPassages(t *testing.T) {
	t.Parallel()
	h := startMCP(t)
	whole := strings.Repeat("\x01\"§\\", 10_000)
	h.office.says(whole)
	s := h.session(t, legacy, application("ann", "cases:read"), nil)
	var got strings.Builder

	for from := 0; from < 40_000; {
		f := lookup(t, s, `{"view":"passage","caseId":"`+caseID+`","id":"`+fileID+`","from":`+itoa(from)+`,"to":`+itoa(from+20_000)+`}`)
		text, _ := f.Items[0].Fields["text"].(string)
		to, _ := f.Items[0].Fields["to"].(float64)
		if text == "" || int(to) <= from || f.Truncated {
			t.Fatalf("from %d: to %v, %d bytes, truncated %t", from, to, len(text), f.Truncated)
		}
		got.WriteString(text)
		if from = int(to); from < 40_000 && !strings.Contains(f.Notice, "go on with from "+itoa(from)) {
			t.Fatalf("no notice how to go on: %q", f.Notice)
		}
	}
	if got.String() != whole {
		t.Error("the passages do not add up to the file")
	}
}

func itoa(n int) string { b, _ := json.Marshal(n); return string(b) }

func TestLookupsThatAreRefused(t *testing.T) {
	t.Parallel()
	h := startMCP(t)
	others := h.office.phase("ben", api.PhaseCompleted)
	eras(t, func(t *testing.T, era string) {
		s := h.session(t, era, application("ann", "cases:read"), nil)

		unknown := call(t, s, "legal_lookup", `{"view":"task","id":"`+foreignID+`"}`)
		for name, tc := range map[string]struct{ arguments, code, says string }{
			"no view":                          {`{}`, "validation_failed", "view"},
			"a view that is none":              {`{"view":"all"}`, "validation_failed", "view"},
			"an argument that is none":         {`{"view":"cases","page":2}`, "unknown_field", "page"},
			"a wrong type":                     {`{"view":"cases","limit":"5"}`, "validation_failed", "limit"},
			"too many":                         {`{"view":"cases","limit":51}`, "validation_failed", "limit"},
			"an id that is missing":            {`{"view":"case"}`, "validation_failed", "id"},
			"a timeline of nothing":            {`{"view":"timeline"}`, "validation_failed", "id"},
			"a case that is missing":           {`{"view":"files"}`, "validation_failed", "caseId"},
			"words that are missing":           {`{"view":"search","query":" "}`, "validation_failed", "query"},
			"a range that is too long":         {`{"view":"passage","caseId":"c","id":"f","from":1,"to":20002}`, "validation_failed", "to"},
			"a filter of another view":         {`{"view":"cases","filters":{"docType":"lease"}}`, "validation_failed", "jurisdiction"},
			"a filter that the view sets":      {`{"view":"tasks","filters":{"mine":"false"}}`, "validation_failed", "filters"},
			"a filter where none is":           {`{"view":"branch","id":"` + branchID + `","filters":{"q":"x"}}`, "validation_failed", "takes none"},
			"an order of tasks":                {`{"view":"tasks","filters":{"order":"asc"}}`, "validation_failed", "filters"},
			"a cursor that is none":            {`{"view":"cases","cursor":"x"}`, "validation_failed", "cursor"},
			"phases of nothing":                {`{"view":"phases"}`, "validation_failed", "branchId"},
			"a name in the words":              {`{"view":"cases","query":"Jane Roe, 415-555-0134"}`, "identity_refused", "query"},
			"an address in a filter":           {`{"view":"cases","filters":{"tag":"jane.roe@mail.example"}}`, "identity_refused", "filters.tag"},
			"an unknown case":                  {`{"view":"case","id":"` + foreignID + `"}`, "not_found", ""},
			"an id that climbs":                {`{"view":"case","id":"../settings"}`, "validation_failed", "id"},
			"another user's task":              {`{"view":"task","id":"` + others + `"}`, "not_found", ""},
			"an operation that does not exist": {`{"view":"operations","id":"fly"}`, "not_found", ""},
		} {
			t.Run(name, func(t *testing.T) {
				c := call(t, s, "legal_lookup", tc.arguments)
				if !c.IsError || c.refusal.Error != tc.code || !strings.Contains(c.text, tc.says) {
					t.Fatalf("%s, want %s that says %q", c.text, tc.code, tc.says)
				}

				switch tc.code {
				case "identity_refused":
					if c.refusal.DeepLink != "https://subrosa.test/i/add_identity" || len(c.refusal.Details) == 0 || strings.Contains(c.text, "Jane") || strings.Contains(c.text, "jane") {
						t.Errorf("the refusal is %s", c.text)
					}
				case "not_found":
					if c.refusal.Message != unknown.refusal.Message {
						t.Errorf("%q differs from what an unknown id gets, %q", c.refusal.Message, unknown.refusal.Message)
					}
				}
			})
		}
	})
	if n := h.office.count(http.MethodPost, "/internal/refusals"); n != 4 {
		t.Errorf("%d refusals on record, want 4", n)
	}

	for _, secret := range []string{"Jane", "jane", "415-555"} {
		if strings.Contains(h.logged.String(), secret) {
			t.Errorf("the log has %q", secret)
		}
	}
}

// TestAnyLookupIsAnsweredInForm sends arguments of all sorts. Whatever they are, the answer is of the schema or a failure of the one shape.
func TestAnyLookupIsAnsweredInForm(t *testing.T) {
	t.Parallel()
	h := startMCP(t)
	mine := h.office.phase("ann", api.PhaseCompleted)
	s := h.session(t, modern, application("ann", "cases:read"), nil)
	views := []string{"operations", "service", "search", "cases", "case", "workspace", "timeline", "branch", "phases", "phase", "files", "file", "passage", "parties", "party", "partners", "invites", "invite", "tasks", "task", "x"}
	ids := rapid.SampledFrom([]any{caseID, timelineID, branchID, fileID, partyID, inviteID, mine, foreignID, "", "createCase", "..", 7, nil, strings.Repeat("x", 200)})
	rapid.Check(t, func(r *rapid.T) {
		arguments := map[string]any{"view": rapid.SampledFrom(views).Draw(r, "view")}
		for name, value := range map[string]*rapid.Generator[any]{
			"id": ids, "caseId": ids, "branchId": ids, "detail": rapid.SampledFrom([]any{"brief", "full", "all", 1}), "limit": rapid.Map(rapid.IntRange(-1, 60), func(n int) any { return n }),
			"query": rapid.Map(rapid.StringN(0, 20, 60), func(s string) any { return s }), "from": rapid.Map(rapid.IntRange(-1, 100), func(n int) any { return n }),
			"cursor": rapid.SampledFrom([]any{"", "20.1.", "20.0.2", "..", "1.x.", "-1.0.", 3}), "filters": rapid.SampledFrom([]any{map[string]any{}, map[string]any{"status": "open"}, map[string]any{"status": 1}, "status"}),
			"containerType": rapid.SampledFrom([]any{"case", "support", "other"}), "other": rapid.SampledFrom([]any{1}),
		} {
			if rapid.IntRange(0, 3).Draw(r, "with "+name) == 0 {
				arguments[name] = value.Draw(r, name)
			}
		}
		text, err := json.Marshal(arguments)
		if err != nil {
			r.Fatal(err)
		}
		c := call(t, s, "legal_lookup", string(text))
		if c.IsError && c.refusal.Error == "internal" {
			r.Errorf("%s: %s", text, c.text)
		}
	})
}

// TestServicesThatDoNotAnswer cuts case-svc off.
func TestServicesThatDoNotAnswer(t *testing.T) {
	t.Parallel()
	h := startMCP(t, "CASE_URL", "http://127.0.0.1:1")
	s := h.session(t, modern, application("ann", "cases:read"), nil)
	if c := call(t, s, "legal_lookup", `{"view":"cases"}`); !c.IsError || c.refusal.Error != "unavailable" || c.refusal.RequestID == "" {
		t.Errorf("%s", c.text)
	}
}
