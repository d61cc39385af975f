package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/subrosa-legal/subrosa/deploy/internal/cli"
	"github.com/subrosa-legal/subrosa/deploy/internal/contract"
	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// service is a Subrosa that knows one thing of each sort. The OpenAPI document judges what it is asked and what it answers.
type service struct {
	t      *testing.T
	server *httptest.Server
	judge  *contract.Judge
	folder string

	mu      sync.Mutex
	asked   []asked
	answers map[string]string // by method and path, instead of the usual ones
}

// asked is one request as it arrived.
type asked struct{ line, body, ifMatch, accept, bearer, traceparent, tracestate, disposition string }

// An id of each sort.
const (
	caseID   = "01981f6a-0000-7000-8000-000000000001"
	fileID   = "01981f6a-0000-7000-8000-000000000002"
	partyID  = "01981f6a-0000-7000-8000-000000000003"
	lineID   = "01981f6a-0000-7000-8000-000000000004"
	entryID  = "01981f6a-0000-7000-8000-000000000005"
	branchID = "01981f6a-0000-7000-8000-000000000006"
	phaseID  = "01981f6a-0000-7000-8000-000000000007"
	mateID   = "01981f6a-0000-7000-8000-000000000008"
	inviteID = "01981f6a-0000-7000-8000-000000000009"
	moment   = "2026-11-20T10:00:00.000Z"
	sha      = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
	actor    = `{"kind":"user","id":"ada","userId":"ada"}`
)

const (
	aCase = `{"caseId":"` + caseID + `","version":3,"title":"Lease dispute","titleBasis":"given","status":"intake","matterKind":"litigation","practiceAreas":[],"jurisdiction":"US-CA","jointRepresentation":false,` +
		`"stage":{"codeSet":"litigation","phase":"L100","task":"L110"},"stakes":["housing"],"supervision":{"responsibleUserId":"ada"},"confidentiality":{"privilege":"work_product","aiPolicy":"no_model","clientConsent":"unknown"},` +
		`"conflict":{"status":"clear","hitCount":0},"retention":{"legalHold":false,"policyCode":"default"},"counts":{"files":1,"parties":2,"phases":1,"openDeadlines":1,"pendingReviews":1,"invites":0},` +
		`"timelineId":"` + lineID + `","activeBranchId":"` + branchID + `","language":"en","tags":[],"createdAt":"` + moment + `","updatedAt":"` + moment + `","createdBy":` + actor + `}`
	aRow = `{"caseId":"` + caseID + `","version":3,"title":"Lease dispute","status":"intake","matterKind":"litigation","practiceAreas":[],"stage":{"codeSet":"litigation","phase":"L100"},"tier":2,"score":25,"urgent":false,` +
		`"counts":{"files":1,"parties":2,"phases":1,"openDeadlines":1,"pendingReviews":1,"invites":0},"tags":[],"legalHold":false,"responsibleUserId":"ada","createdAt":"` + moment + `","updatedAt":"` + moment + `"}`
	aFile = `{"fileId":"` + fileID + `","caseId":"` + caseID + `","version":1,"name":"lease.md","docType":"unknown","docTypeBasis":"unknown","mediaType":"text/markdown","sizeBytes":12,"sha256":"` + sha + `","content":{"mediaType":"text/markdown","sizeBytes":12,"sha256":"` + sha + `","renderer":"none"},` +
		`"dropped":[{"kind":"styles","count":2}],"unread":{"count":3,"places":[{"page":12,"what":"picture","at":0,"count":1}]},"privilege":"work_product",` +
		`"source":{"origin":"upload"},"extraction":{"status":"ok","pages":1,"chars":12,"charsPerPage":12,"replacementRatio":0,"method":"text","textVersion":1},"deidCheck":{"status":"passed","detectorVersion":"1","at":"` + moment + `"},` +
		`"agentReadable":true,"findings":{"labels":["[Party 1]"]},"revision":1,"status":"active","uploadedBy":` + actor + `,"createdAt":"` + moment + `"}`
	aParty = `{"partyId":"` + partyID + `","caseId":"` + caseID + `","version":4,"label":"[Party 1]","kind":"individual","role":"plaintiff","side":"ours","isClient":true,"representation":"this_firm",` +
		`"attributes":{"residence":"US-CA"},"conflictTokenCount":0,"notes":"Calls early.","status":"active","createdAt":"` + moment + `","updatedAt":"` + moment + `","createdBy":` + actor + `}`
	anEntry = `{"entryId":"` + entryID + `","version":1,"kind":"deadline","when":{"on":"2026-12-14","precision":"day","ambiguous":false},"title":"Answer","sources":[],"origin":"user","reviewStatus":"unreviewed","branchId":"` + branchID + `",` +
		`"dueOn":"2026-12-14","timeZone":"UTC","certainty":"explicit","status":"proposed","createdBy":` + actor + `,"createdAt":"` + moment + `","updatedAt":"` + moment + `"}`
	aBranch = `{"branchId":"` + branchID + `","version":1,"timelineId":"` + lineID + `","containerType":"case","containerId":"` + caseID + `","title":"main","purpose":"main","parentBranchId":null,"forkPhaseId":null,` +
		`"headPhaseId":null,"runningPhaseId":null,"status":"active","ownPhaseCount":0,"inheritedPhaseCount":0,"depth":0,"sharedWithInviteIds":[],"createdBy":` + actor + `,"createdAt":"` + moment + `","updatedAt":"` + moment + `"}`
	aPhase = `{"phaseId":"` + phaseID + `","branchId":"` + branchID + `","timelineId":"` + lineID + `","parentPhaseId":null,"sequence":1,"containerType":"case","containerId":"` + caseID + `","sessionId":"s","requestType":"case_req",` +
		`"prompt":"What is due?","status":"completed","attempt":1,"review":{"required":true,"status":"approved","reviewerUserId":"ada","at":"` + moment + `","responseSha256":"` + sha + `"},"directedBy":{"userId":"ada","capacity":"staff"},` +
		`"engine":{"mode":"deterministic","rulesVersion":"1"},"usage":{"toolCallCount":0,"passagesRead":0,"wallMs":1},"stream":{"phaseStartSeq":2,"responseSeq":3,"endSeq":4},"requestSha256":"` + sha + `","createdBy":` + actor + `,"createdAt":"` + moment + `"}`
	aPartner = `{"partnerId":"` + mateID + `","displayName":"Elm Mediation","kind":"mediator","licences":[],"practiceAreas":[],"languages":["en"],"jurisdictions":["US-CA"],"acceptsTiers":[1,2],"availability":"open","invitable":true,"feeModels":["fixed"],` +
		`"updatedAt":"` + moment + `","match":{"score":30,"reasons":["works in US-CA: 30 points"]}}`
	anInvite = `{"inviteId":"` + inviteID + `","caseId":"` + caseID + `","partnerId":"` + mateID + `","role":"mediator","scope":{"branchIds":[],"fileIds":[]},"status":"pending","expiresAt":"` + moment + `",` +
		`"deepLink":"https://subrosa.test/i/confirm_invite","version":1,"createdBy":` + actor + `,"createdAt":"` + moment + `"}`
	theSettings = `{"retention":{"default":7},"archiveAfterDays":null,"openedBy":"users","conflictPolicy":"flag","tierCutPoints":[20,40,60],"deadlineRules":null,"allowedWords":[],"authorities":[],"defaultAiPolicy":"no_model","a2aDefaultContainer":"ask","removeOriginals":false,"originals":{"setAside":3,"sizeBytes":4096,"waiting":1,"unreadable":0},"version":1}`
	aMe         = `{"user":"ada","tenant":"o:oak","kind":"user","roles":["owner"],"scopes":[],"agent":null,"limits":{}}`
)

func page(items ...string) string {
	return `{"items":[` + strings.Join(items, ",") + `],"nextCursor":null,"limit":25}`
}

const aMember = `{"userId":"cara","roles":["member"],"status":"active","firstSeenAt":"` + moment + `","lastSeenAt":"` +
	moment + `","endedAt":null,"hasKey":true,"keyLastUsedAt":null,"keyExpiresAt":null}`

var usual = map[string]string{
	"GET /v1/me": aMe, "POST /v1/cases": aCase, "GET /v1/cases": page(aRow), "GET /v1/cases/" + caseID: aCase, "PATCH /v1/cases/" + caseID: aCase, "DELETE /v1/cases/" + caseID: "",
	"POST /v1/cases/" + caseID + "/restore": aCase, "POST /v1/cases/" + caseID + "/conflict": aCase, "GET /v1/cases/" + caseID + "/export": "PK archive",
	"POST /v1/cases/" + caseID + "/files": `{"items":[` + aFile + `]}`, "GET /v1/cases/" + caseID + "/files": page(aFile), "GET /v1/cases/" + caseID + "/files/" + fileID: aFile, "DELETE /v1/cases/" + caseID + "/files/" + fileID: "",
	"GET /v1/cases/" + caseID + "/files/" + fileID + "/content": "# The lease\n",
	"GET /v1/cases/" + caseID + "/files/" + fileID + "/text":    `{"fileId":"` + fileID + `","textVersion":1,"from":0,"to":9,"total":9,"text":"The lease","pageStarts":[]}`,
	"POST /v1/parties": aParty, "GET /v1/parties": page(aParty), "GET /v1/parties/" + partyID: aParty, "PUT /v1/parties/" + partyID: aParty,
	"GET /v1/partners": strings.Replace(page(aPartner), "{", `{"facets":{},`, 1), "POST /v1/cases/" + caseID + "/partners/" + mateID + "/invite": anInvite, "GET /v1/invites": page(anInvite), "GET /v1/invites/" + inviteID: anInvite, "POST /v1/invites/" + inviteID + "/decision": anInvite,
	"GET /v1/timeline/" + lineID:               `{"timelineId":"` + lineID + `","containerType":"case","containerId":"` + caseID + `","rootBranchId":"` + branchID + `","activeBranchId":"` + branchID + `","entries":[` + anEntry + `],"nextCursor":null,"deadlines":[` + anEntry + `],"counts":{"branches":1,"entries":1,"openDeadlines":1},"version":1,"createdAt":"` + moment + `","updatedAt":"` + moment + `"}`,
	"POST /v1/timeline/" + lineID + "/entries": anEntry, "PATCH /v1/timeline/" + lineID + "/entries/" + entryID: anEntry,
	"POST /v1/branch": aBranch, "GET /v1/branch/" + branchID: aBranch, "PATCH /v1/branch/" + branchID: aBranch, "POST /v1/phases/" + phaseID + "/review": aPhase,
	"GET /v1/grants":                  `{"items":[{"grantId":"` + entryID + `","clientId":"dcr_1","clientName":"Helper","redirectHost":"127.0.0.1","verified":false,"scopes":["cases:read"],"createdAt":"` + moment + `","lastUsedAt":"` + moment + `","expiresAt":"` + moment + `"}],"nextCursor":null,"limit":25}`,
	"DELETE /v1/grants/" + entryID:    "",
	"GET /v1/members":                 `{"items":[` + aMember + `],"nextCursor":null,"limit":25}`,
	"POST /v1/members/cara/offboard":  strings.Replace(aMember, "{", `{"rotateFirmKey":true,`, 1),
	"POST /v1/members/cara/reinstate": aMember,
	"PUT /v1/members/cara/key-expiry": aMember,
	"GET /v1/settings":                theSettings, "PATCH /v1/settings": theSettings,
}

// made are the routes that answer 201.
var made = []string{"POST /v1/cases", "POST /v1/cases/" + caseID + "/files", "POST /v1/parties", "POST /v1/cases/" + caseID + "/partners/" + mateID + "/invite", "POST /v1/timeline/" + lineID + "/entries", "POST /v1/branch", "POST /v1/cases/" + caseID + "/files/clearances"}

// judge is made once, since reading the document and its schemas takes its time. Each service gets one of its own by
// the same document.
var judge = sync.OnceValues(func() (*contract.Judge, error) {
	doc, err := contract.Load(context.Background())
	if err != nil {
		return nil, err
	}

	return contract.New(doc, "")
})

func newService(t *testing.T) *service {
	t.Helper()
	j, err := judge()
	if err != nil {
		t.Fatal(err)
	}
	s := &service{t: t, folder: t.TempDir(), judge: j.Of("subrosa.test"), answers: maps.Clone(usual)}
	s.server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.server.Close)
	t.Cleanup(func() {
		for _, d := range s.judge.Departures() {
			t.Errorf("not as the OpenAPI document says: %s", d)
		}
	})
	signedIn := fmt.Sprintf(`{"current":%q,"sites":{%q:{"baseUrl":%q,"token":"user-token","expires":"2100-01-01T00:00:00Z"}}}`, s.server.URL, s.server.URL, s.server.URL)
	if err := os.MkdirAll(filepath.Join(s.folder, "config"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.folder, "config", "sites.json"), []byte(signedIn), 0o600); err != nil {
		t.Fatal(err)
	}

	return s
}

// serve lets the judge see the request and the answer.
func (s *service) serve(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	out, err := http.NewRequestWithContext(r.Context(), r.Method, "https://subrosa.test"+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		panic(err)
	}
	out.Header = r.Header
	resp, err := s.judge.Over(roundTrip(s.answer)).RoundTrip(out)
	if err != nil {
		panic(err)
	}

	defer func() { _ = resp.Body.Close() }()
	maps.Copy(w.Header(), resp.Header)
	w.WriteHeader(resp.StatusCode)
	_, _ = io.Copy(w, resp.Body)
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func (s *service) answer(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	query, err := url.QueryUnescape(r.URL.RawQuery)
	if err != nil {
		return nil, err
	}
	line := strings.TrimSuffix(r.Method+" "+r.URL.Path+"?"+query, "?")
	s.mu.Lock()
	defer s.mu.Unlock()
	h := r.Header
	s.asked = append(s.asked, asked{
		line, string(body), h.Get("If-Match"), h.Get("Accept"), h.Get("Authorization"), h.Get("Traceparent"),
		h.Get("Tracestate"), h.Get("Content-Disposition"),
	})
	text, ok := s.answers[line]
	if !ok {
		text, ok = s.answers[r.Method+" "+r.URL.Path]
	}
	status, kind := http.StatusOK, "application/json"

	switch {
	case !ok:
		status, text = http.StatusNotFound, `{"error":"not_found","message":"There is no such thing, or you cannot see it."}`
	case strings.HasPrefix(text, "!"): // an error, after its status
		_, err := fmt.Sscanf(text, "!%d", &status)
		if err != nil {
			return nil, err
		}
		text = text[4:]
	case slices.Contains(made, r.Method+" "+r.URL.Path):
		status = http.StatusCreated
	case text == "":
		status = http.StatusNoContent
	}
	header := http.Header{"ETag": {`"1"`}, "Location": {"/v1/x"}}
	if status != http.StatusNoContent {
		switch {
		case strings.HasSuffix(r.URL.Path, "/export"):
			kind = "application/zip"
		case strings.HasPrefix(text, "BEGIN:VCALENDAR"):
			kind = "text/calendar"
		}
		header.Set("Content-Type", kind)
	}

	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(text)), ContentLength: int64(len(text)), Request: r, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1}, nil
}

func (s *service) run(args ...string) (code int, out, problems string) {
	s.t.Helper()
	return run(s.t, s.folder, args...)
}

// last is the last request, after which all are forgotten.
func (s *service) last() asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.asked) == 0 {
		return asked{}
	}
	a := s.asked[len(s.asked)-1]
	s.asked = nil

	return a
}

func TestVerbs(t *testing.T) {
	s := newService(t)
	s.answers["GET /v1/timeline/"+lineID+"?remindDaysBefore=7,1"] = "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n"
	s.answers["GET /v1/phases?phaseId="+phaseID] = aPhase

	s.answers["GET /v1/phases"] = page(aPhase)
	for _, chain := range []string{"case", "party", "agents", "auth"} {
		s.answers["GET /v1/audit/"+chain] = page()
	}

	list := func(path, query string) string { return "GET " + path + "?limit=25" + query }
	for _, tc := range []struct {
		args []string
		line string // the last request
		body string // of it
		says string // in what is printed
	}{
		{[]string{"me"}, "GET /v1/me", "", "none connected"},
		{
			[]string{"case", "create", "--title", "Lease dispute", "--stage", "L200", "--practice", "HO-00-00-00-00", "--forum", "federal", "--court", "cand", "--amount", "80000.00 usd"},
			"POST /v1/cases",
			`{"amountInControversy":{"amount":"80000.00","basis":"stated","currency":"USD"},"forum":{"courtCode":"cand","system":"federal"},"practiceAreas":[{"code":"HO-00-00-00-00","primary":true,"scheme":"LIST"}],"stage":{"codeSet":"litigation","phase":"L200"},"title":"Lease dispute"}`, "Created case " + caseID,
		},
		{[]string{"case", "list", "--status", "intake,open", "--tier", "3,unrated", "--review", "yes", "--hold", "no", "-q", "rent", "--due-before", "2026-12-31", "--total"}, "GET /v1/cases?deadlineBefore=2026-12-31&hasPendingReview=true&includeTotal=true&legalHold=false&limit=25&q=rent&sort=-updatedAt&status=intake,open&tier=3,unrated", "", "Lease dispute"},
		{[]string{"case", "list", "--since", moment, "--sort", "updatedAt", "--deleted"}, "GET /v1/cases?includeDeleted=true&limit=25&sort=updatedAt&updatedSince=" + moment, "", caseID},
		{[]string{"case", "show", caseID}, "GET /v1/cases/" + caseID, "", "timeline"},
		{
			[]string{"case", "update", caseID, "--hold", "yes", "--hold-reason", "Expected.", "--clear", "summary", "--set", `{"retention":{"policyCode":"x"},"tags":["a"]}`},
			"PATCH /v1/cases/" + caseID,
			`{"retention":{"holdReason":"Expected.","legalHold":true,"policyCode":"x"},"summary":null,"tags":["a"]}`, "version 3",
		},
		{[]string{"case", "update", caseID, "--status", "closed", "--close-reason", "settled", "--acknowledge-pending"}, "PATCH /v1/cases/" + caseID + "?acknowledgePending=true", `{"closeReason":"settled","status":"closed"}`, "Changed"},
		{[]string{"case", "delete", caseID}, "DELETE /v1/cases/" + caseID, "", "subrosa case restore"},
		{[]string{"case", "restore", caseID}, "POST /v1/cases/" + caseID + "/restore", "", "Restored"},
		{[]string{"case", "conflict", caseID, "clear", "--reason", "Checked."}, "POST /v1/cases/" + caseID + "/conflict", `{"decision":"clear","reason":"Checked."}`, "clear"},
		{[]string{"party", "add", caseID, "--role", "plaintiff", "--kind", "individual", "--client", "yes", "--residence", "US-CA"}, "POST /v1/parties", `{"attributes":{"residence":"US-CA"},"caseId":"` + caseID + `","isClient":true,"kind":"individual","role":"plaintiff"}`, "Added [Party 1]"},
		{[]string{"party", "list", caseID, "--side", "ours"}, "GET /v1/parties?caseId=" + caseID + "&limit=25&side=ours", "", "plaintiff"},
		{[]string{"party", "show", partyID}, "GET /v1/parties/" + partyID, "", "Calls early."},
		{
			[]string{"party", "update", partyID, "--status", "dismissed", "--left-on", "2026-11-20"},
			"PUT /v1/parties/" + partyID,
			`{"attributes":{"residence":"US-CA"},"isClient":true,"kind":"individual","leftOn":"2026-11-20","notes":"Calls early.","representation":"this_firm","role":"plaintiff","side":"ours","status":"dismissed"}`, "Changed",
		},
		{[]string{"partner", "search", "--case", caseID, "--kind", "mediator", "quiet", "room"}, "GET /v1/partners?forCaseId=" + caseID + "&kind=mediator&limit=25&q=quiet room&sort=relevance", "", "works in US-CA: 30 points"},
		{[]string{"partner", "invite", caseID, mateID, "--role", "mediator", "--hours", "72", "--file", fileID}, "POST /v1/cases/" + caseID + "/partners/" + mateID + "/invite", `{"expiresInHours":72,"role":"mediator","scope":{"fileIds":["` + fileID + `"]}}`, "is pending"},
		{[]string{"invite", "list", caseID}, "GET /v1/invites?caseId=" + caseID + "&limit=25", "", "pending"},
		{[]string{"invite", "show", inviteID}, "GET /v1/invites/" + inviteID, "", "mediator"},
		{[]string{"invite", "decide", inviteID, "accept", "--conflict-attested", "yes"}, "POST /v1/invites/" + inviteID + "/decision", `{"conflictAttested":true,"decision":"accept"}`, "pending"},
		{[]string{"file", "list", caseID, "-q", "rent"}, list("/v1/cases/"+caseID+"/files", "&q=rent"), "", "lease.md"},
		{[]string{"file", "show", caseID, fileID}, "GET /v1/cases/" + caseID + "/files/" + fileID, "", sha},
		{[]string{"file", "get", caseID, fileID, "--out", "-"}, "GET /v1/cases/" + caseID + "/files/" + fileID + "/content", "", "# The lease"},
		{[]string{"file", "get", caseID, fileID, "--docx", "--out", "-"}, "GET /v1/cases/" + caseID + "/files/" + fileID + "/content?form=docx", "", "# The lease"},
		{[]string{"file", "show", caseID, fileID}, "GET /v1/cases/" + caseID + "/files/" + fileID, "", "picture on page 12, 2 more"},
		{[]string{"file", "show", caseID, fileID}, "GET /v1/cases/" + caseID + "/files/" + fileID, "", "styles 2"},
		{[]string{"member", "list"}, "GET /v1/members?limit=25", "", "cara"},
		{[]string{"member", "offboard", "cara"}, "POST /v1/members/cara/offboard", "", "vault rotate --remove cara"},
		{[]string{"member", "reinstate", "cara"}, "POST /v1/members/cara/reinstate", "", "can sign in again"},
		{
			[]string{"member", "key-expiry", "cara", "--at", "2026-12-31T23:59:59Z"},
			"PUT /v1/members/cara/key-expiry", `{"expiresAt":"2026-12-31T23:59:59.000Z"}`, "The key of cara's agent",
		},
		{
			[]string{"member", "key-expiry", "cara", "--never"},
			"PUT /v1/members/cara/key-expiry", `{"expiresAt":null}`, "has no expiry",
		},
		{[]string{"settings", "show"}, "GET /v1/settings", "", "3 files of 4096 bytes are set aside, and stay until subrosa settings set --remove-originals; 1 wait for their rendition"},
		{[]string{"settings", "set", "--remove-originals"}, "PATCH /v1/settings", `{"removeOriginals":true}`, "version"},
		{[]string{"file", "text", caseID, fileID, "--from", "2", "--to", "9"}, "GET /v1/cases/" + caseID + "/files/" + fileID + "/text?from=2&to=9", "", "The lease"},
		{[]string{"file", "delete", caseID, fileID, "--if-version", "1"}, "DELETE /v1/cases/" + caseID + "/files/" + fileID, "", "Deleted file"},
		{[]string{"timeline", "show", "--case", caseID, "--kinds", "deadline,fact"}, "GET /v1/timeline/" + lineID + "?kinds=deadline,fact&limit=25&sort=when", "", "1 open deadlines"},
		{[]string{"timeline", "show", "--timeline", lineID, "--calendar", "--remind", "7,1"}, "GET /v1/timeline/" + lineID + "?remindDaysBefore=7,1", "", "BEGIN:VCALENDAR"},
		{[]string{"timeline", "add", "--timeline", lineID, "--kind", "deadline", "--due-on", "2026-12-14", "Answer", "due"}, "POST /v1/timeline/" + lineID + "/entries", `{"dueOn":"2026-12-14","kind":"deadline","title":"Answer due"}`, "due 2026-12-14, proposed"},
		{[]string{"timeline", "confirm", entryID, "--case", caseID}, "PATCH /v1/timeline/" + lineID + "/entries/" + entryID, `{"reviewStatus":"confirmed"}`, "Changed"},
		{[]string{"timeline", "reject", entryID, "--timeline", lineID}, "PATCH /v1/timeline/" + lineID + "/entries/" + entryID, `{"reviewStatus":"rejected"}`, "Changed"},
		{
			[]string{"timeline", "undo", entryID, "--case", caseID},
			"PATCH /v1/timeline/" + lineID + "/entries/" + entryID,
			`{"reviewStatus":"unreviewed"}`, "Changed",
		},
		{
			[]string{"timeline", "edit", entryID, "--timeline", lineID, "--due-on", "2026-04-01", "--title", "Reply"},
			"PATCH /v1/timeline/" + lineID + "/entries/" + entryID, `{"dueOn":"2026-04-01","title":"Reply"}`,
			"Changed",
		},
		{[]string{"timeline", "deadline", entryID, "met", "--timeline", lineID}, "PATCH /v1/timeline/" + lineID + "/entries/" + entryID, `{"status":"met"}`, "Changed"},
		{[]string{"branch", "create", "--case", caseID, "--title", "Other", "--purpose", "draft"}, "POST /v1/branch", `{"timelineId":"` + lineID + `","title":"Other","purpose":"draft"}`, "Created branch"},
		{[]string{"branch", "show", branchID}, "GET /v1/branch/" + branchID, "", "main"},
		{[]string{"branch", "rename", branchID, "Their", "reading"}, "PATCH /v1/branch/" + branchID, `{"title":"Their reading"}`, "called main"},
		{[]string{"branch", "archive", branchID}, "PATCH /v1/branch/" + branchID, `{"status":"archived"}`, "is active"},
		{[]string{"branch", "archive", branchID, "--reopen"}, "PATCH /v1/branch/" + branchID, `{"status":"active"}`, "is active"},
		{[]string{"phase", "list", "--case", caseID, "--review", "pending"}, "GET /v1/phases?branchId=" + branchID + "&limit=25&reviewStatus=pending&view=summary", "", "What is due?"},
		{[]string{"phase", "list", "--mine", "--type", "eval", "--full"}, "GET /v1/phases?limit=25&mine=true&requestType=eval_req", "", "completed"},
		{[]string{"phase", "show", phaseID}, "GET /v1/phases?phaseId=" + phaseID, "", "approved by ada"},
		{[]string{"review", "approve", phaseID, "--note", "Fine."}, "POST /v1/phases/" + phaseID + "/review", `{"decision":"approved","note":"Fine."}`, "is approved"},
		{[]string{"review", "reject", phaseID}, "POST /v1/phases/" + phaseID + "/review", `{"decision":"rejected"}`, "Phase"},
		{[]string{"review", "comment", phaseID, "See", "4."}, "POST /v1/phases/" + phaseID + "/review", `{"comment":"See 4."}`, "comments"},
		{[]string{"export", caseID, "--out", "-"}, "GET /v1/cases/" + caseID + "/export", "", "PK archive"},
		{[]string{"audit", "list", "party", "--action", "party.create"}, "GET /v1/audit/party?action=party.create&limit=25", "", "ACTION"},
		{[]string{"audit", "verify"}, "GET /v1/audit/auth?limit=100", "", "whole"},
		{[]string{"grants", "list"}, "GET /v1/grants?limit=25", "", "Helper"},
		{[]string{"grants", "revoke", entryID}, "DELETE /v1/grants/" + entryID, "", "Disconnected"},
		{[]string{"settings", "show"}, "GET /v1/settings", "", "default 7 years"},
		{
			[]string{
				"settings", "set", "--authorities", "@testdata/authorities.txt", "--authorities", "42 U.S.C. § 1983",
			},
			"PATCH /v1/settings", `{"authorities":["347 U.S. 483","2 F.3d 4, 5","42 U.S.C. § 1983"]}`, "version",
		},
		{[]string{"settings", "set", "--retention", "default=10", "--tiers", "10,30,50", "--set", `{"archiveAfterDays":null}`}, "PATCH /v1/settings", `{"archiveAfterDays":null,"retention":{"default":10},"tierCutPoints":[10,30,50]}`, "version"},
	} {
		t.Run(strings.Join(tc.args[:min(2, len(tc.args))], " "), func(t *testing.T) {
			code, out, problems := s.run(tc.args...)
			got := s.last()
			if code != 0 || !strings.Contains(out, tc.says) {
				t.Errorf("code %d, printed %q and %q, want 0 and %q", code, out, problems, tc.says)
			}
			if got.line != tc.line || got.body != tc.body {
				t.Errorf("sent\n%s\n%s\nwant\n%s\n%s", got.line, got.body, tc.line, tc.body)
			}
			if got.bearer != "Bearer user-token" {
				t.Errorf("bearer = %q", got.bearer)
			}
		})
	}
}

func TestJSONIsWhatTheServiceAnswers(t *testing.T) {
	s := newService(t)
	odd := strings.Replace(aCase, `"Lease dispute"`, `"A < B \u0026 C"`, 1)
	s.answers["GET /v1/cases/"+caseID] = odd
	if code, out, _ := s.run("--json", "case", "show", caseID); code != 0 || out != odd+"\n" {
		t.Errorf("show: %d\n%s\nwant\n%s", code, out, odd)
	}
	next := strings.Replace(page(aRow), `"nextCursor":null`, `"nextCursor":"c2"`, 1)
	s.answers["GET /v1/cases"] = next
	s.answers["GET /v1/cases?cursor=c2&limit=25&sort=-updatedAt"] = page(aRow)
	if _, out, _ := s.run("--json", "case", "list"); out != next+"\n" {
		t.Errorf("a page:\n%s\nwant\n%s", out, next)
	}
	if _, out, _ := s.run("--json", "case", "list", "--all"); out != "["+aRow+","+aRow+"]\n" {
		t.Errorf("all pages:\n%s", out)
	}
	if _, out, _ := s.run("case", "list"); !strings.Contains(out, "--all") {
		t.Errorf("a page does not say that there are more:\n%s", out)
	}
	var all []json.RawMessage
	if _, out, _ := s.run("--json", "timeline", "show", "--timeline", lineID, "--all"); json.Unmarshal([]byte(out), &all) != nil || len(all) != 1 || string(all[0]) != anEntry {
		t.Errorf("all entries:\n%s", out)
	}
}

func TestFailuresSayWhatToDo(t *testing.T) {
	s := newService(t)
	path := "PATCH /v1/cases/" + caseID

	for _, tc := range []struct {
		name, answer string
		says         []string
	}{
		{"a transition", `!409{"error":"invalid_transition","message":"Add what is missing.","details":[{"from":"intake","to":"open","unmet":["jurisdiction","client"]}]}`, []string{"Add what is missing.", "from intake to open", "needs jurisdiction, client", "[invalid_transition]"}},
		{"a person's", `!403{"error":"human_required","message":"Only a person may do this.","deepLink":"https://subrosa.test/i/case_settings"}`, []string{"open https://subrosa.test/i/case_settings"}},
		{"an identity", `!403{"error":"identity_refused","message":"Use labels.","details":[{"path":"title","kind":"email","start":3,"end":9}]}`, []string{"title (email) at bytes 3 to 9"}},
		{"signed out", `!401{"error":"unauthenticated","message":"Sign in."}`, []string{"subrosa login"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			s.answers[path] = tc.answer
			code, out, problems := s.run("case", "update", caseID, "--status", "open")
			if code != 1 || out != "" {
				t.Errorf("code %d, printed %q", code, out)
			}

			for _, want := range tc.says {
				if !strings.Contains(problems, want) {
					t.Errorf("says %q, want %q", problems, want)
				}
			}
		})
	}
	s.server.Close()
	if code, _, problems := s.run("me"); code != 1 || !strings.Contains(problems, "nothing answers at "+s.server.URL) || !strings.Contains(problems, "make run") {
		t.Errorf("a service that is down: %d %q", code, problems)
	}
}

func TestFilesAreAddedPastABadOne(t *testing.T) {
	s := newService(t)
	good := filepath.Join(s.folder, "lease.md")
	if err := os.WriteFile(good, []byte("# The lease\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	code, out, problems := s.run("file", "add", caseID, filepath.Join(s.folder, "missing.md"), good)
	if code != 1 || strings.Count(out, "Added lease.md") != 1 || !strings.Contains(problems, "missing.md: ") || !strings.Contains(problems, "1 of 2 files were not added") {
		t.Errorf("code %d, printed %q and %q", code, out, problems)
	}
	if got := s.last(); got.body != "# The lease\n" {
		t.Errorf("sent %q", got.body)
	}
	code, _, problems = s.run("file", "add", caseID, good, "--doc-type", "draft_agreement", "--document-on", "2026-03-04", "--privilege", "none", "--supersedes", fileID, "--produced-by", "[Party 1]", "--attest")
	if code != 0 {
		t.Fatal(problems)
	}

	got := s.last().body
	for _, want := range []string{`[{"attestation":true,"docType":"draft_agreement","documentOn":"2026-03-04","privilege":"none","producedBy":"[Party 1]","supersedesFileId":"` + fileID + `"}]`, `filename=lease.md`, "# The lease\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("the form holds no %s:\n%s", want, got)
		}
	}
	if strings.Index(got, `name="metadata"`) > strings.Index(got, "filename") {
		t.Error("the metadata come after the file, too late for an attestation")
	}
}

// A finding of a language stands for all words in it, and a person is told how many they clear.
func TestALanguageIsClearedWordByWord(t *testing.T) {
	s := newService(t)
	const text = "Powództwo zostało oddalone. Zgodnie z umową Wynajmujący nie zwrócił Kaucji."
	file := filepath.Join(s.folder, "a.txt")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	words := 0

	for _, f := range (guard.Guard{}).Check(t.Context(), guard.FileText, text) {
		if f.Unread {
			words++
		}
	}
	mark := fmt.Sprintf(`{"path":"text","kind":"language","start":0,"end":%d}`, len(text))
	add := "POST /v1/cases/" + caseID + "/files"
	s.answers[add] = `!403{"error":"identity_refused","message":"Use labels.","details":[` + mark + `]}`
	s.answers[add+"/clearances"] = `{"sha256":"` + sha + `","marks":[` + mark + `]}`
	want := fmt.Sprintf("%d findings", words)

	if _, _, problems := s.run("file", "redact", caseID, file); words < 2 || !strings.Contains(problems, want) {
		t.Errorf("says %q, want %s", problems, want)
	}
	_, _, problems := s.run("file", "redact", caseID, file, "--clear", "--yes")
	if !strings.Contains(problems, "Cleared "+want) {
		t.Errorf("says %q, want %s", problems, want)
	}
}

func TestFindingsAreClearedOnlyWhenConfirmed(t *testing.T) {
	s := newService(t)
	const text = "The model is called 212-555-0143 by its maker."
	file := filepath.Join(s.folder, "a.txt")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	refusal := `!403{"error":"identity_refused","message":"Use labels.","deepLink":"https://subrosa.test/i/redact_file","details":[{"path":"text","kind":"phone","start":20,"end":32}]}`
	clear := "POST /v1/cases/" + caseID + "/files/clearances"
	s.answers["POST /v1/cases/"+caseID+"/files"] = refusal

	s.answers[clear] = `{"sha256":"` + sha + `","marks":[{"path":"text","kind":"phone","start":20,"end":32}]}`
	for _, args := range [][]string{{"file", "redact", caseID, file}, {"file", "redact", caseID, file, "--clear"}} { // nobody says yes
		code, _, problems := s.run(args...)
		if code != 1 || !strings.Contains(problems, "text, bytes 20 to 32: phone") || !strings.Contains(problems, ">>212-555-0143<<") {
			t.Errorf("code %d, says %q", code, problems)
		}
		if got := s.last(); strings.HasSuffix(got.line, "/clearances") {
			t.Error("findings were cleared that nobody confirmed")
		}
	}
	s.run("file", "redact", caseID, file, "--clear", "--yes")
	var cleared asked

	for _, a := range s.asked {
		if a.line == clear {
			cleared = a
		}
	}
	if !strings.Contains(cleared.body, `"marks":[{"path":"text","kind":"phone","start":20,"end":32}]`) || s.last().body != text {
		t.Errorf("the clearance = %q, and then the file", cleared.body)
	}
}

// What a command calls is a part of the trace that the command is a part of, and of none where that cannot be read.
func TestACommandGoesOnWithItsTrace(t *testing.T) {
	const parent, state = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", "vendor=value"
	for name, tc := range map[string]struct {
		given         map[string]string
		parent, state string
	}{
		"a trace":                {map[string]string{"traceparent": parent, "tracestate": state}, parent, state},
		"a trace without state":  {map[string]string{"traceparent": parent, "tracestate": ""}, parent, ""},
		"no trace":               {nil, "", ""},
		"nothing set":            {map[string]string{"traceparent": "", "tracestate": ""}, "", ""},
		"what is no traceparent": {map[string]string{"traceparent": "planted", "tracestate": state}, "", ""},
		"an id of zeros":         {map[string]string{"traceparent": "00-00000000000000000000000000000000-00f067aa0ba902b7-01", "tracestate": state}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newService(t)
			var problems bytes.Buffer
			term := terminal(s.folder)
			term.In, term.Out, term.Err, term.Trace = strings.NewReader(""), io.Discard, &problems, tc.given
			if code := cli.Run(t.Context(), []string{"me"}, term); code != 0 || len(s.asked) == 0 {
				t.Fatalf("code %d after %d calls: %s", code, len(s.asked), &problems)
			}

			for _, a := range s.asked {
				if a.traceparent != tc.parent || a.tracestate != tc.state {
					t.Errorf("%s carries %q and %q, want %q and %q", a.line, a.traceparent, a.tracestate, tc.parent, tc.state)
				}
			}
		})
	}
}

// Whoever stops following a run is told what becomes of it, and how to come back.
func TestWhoStopsFollowingIsToldWhatBecomesOfTheRun(t *testing.T) {
	s := newService(t)
	var problems bytes.Buffer
	term := terminal(s.folder)
	term.In, term.Out, term.Err = strings.NewReader(""), io.Discard, &problems
	interrupted, interrupt := context.WithCancel(t.Context())
	interrupt()

	code := cli.Run(interrupted, []string{"ask", "--case", caseID, "--phase", phaseID, "What is due?"}, term)
	said := problems.String()
	back := strings.Contains(said, "repeat the command with --phase "+phaseID)
	if code != 1 || strings.Contains(said, "context canceled") || !back {
		t.Errorf("code %d: %s", code, said)
	}
}
