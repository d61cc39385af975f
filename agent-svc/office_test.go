package agentsvc_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/servicetest"
)

// Ids of what the office has.
const (
	caseID     = "00000000-0000-7000-8000-0000000000c1"
	timelineID = "00000000-0000-7000-8000-0000000000e1"
	branchID   = "00000000-0000-7000-8000-0000000000b1"
	fileID     = "00000000-0000-7000-8000-0000000000f1"
	partyID    = "00000000-0000-7000-8000-0000000000a1"
	inviteID   = "00000000-0000-7000-8000-0000000000d1"
	foreignID  = "00000000-0000-7000-8000-00000000ffff"
)

// office is a case-svc and a party-svc in memory: it has one case with one file, keeps phases by the rules of case-svc, and notes what it is asked.
// The service asks it by itself at any time, so tests reach what mu guards through methods alone.
type office struct {
	URL     string
	arrived atomic.Int64 // requests, those that wait for mu among them

	mu       sync.Mutex
	phases   map[string]api.Phase
	begun    map[string]begun // by phase
	evaluate map[string]api.Evaluation
	asked    []asked
	cases    int           // in the list of cases
	text     string        // of the file
	pause    time.Duration // of every search of the file
	searches int           // that have begun, each with the pause of that moment
	blind    bool          // phases cannot be read
	now      func() time.Time
}

// begun is what a phase was begun with, and by whom.
type begun struct {
	api.BeginPhase
	by access.Caller
}

// asked is one request that the office got.
type asked struct {
	Method, Path, Query string
	Header              http.Header
	Caller              access.Caller
	Body                string
}

func startOffice(t testing.TB) *office {
	t.Helper()
	o := &office{
		phases:   map[string]api.Phase{},
		begun:    map[string]begun{},
		evaluate: map[string]api.Evaluation{},
		cases:    3,
		text:     "The Tenant pays $1,250.50 on the first day of each month.",
		now:      time.Now,
	}
	_, public := servicetest.Seed(servicetest.Gateway)
	trust, err := authn.ParseTrust(
		[]byte(fmt.Sprintf(
			`{%q:%q,"agent-svc":%q,"case-svc":%q,"auth-svc":%q}`,
			servicetest.Gateway,
			public,
			second(
				servicetest.Seed("agent-svc"),
			),
			second(servicetest.Seed("case-svc")),
			second(servicetest.Seed("auth-svc")),
		)),
	)
	if err != nil {
		t.Fatal(err)
	}
	verifier := &authn.Verifier{Trust: trust, Now: time.Now, Opens: authn.Openings{}}
	mux := o.routes()
	o.continues(t, mux, verifier)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		o.arrived.Add(1)
		token, err := authn.BearerToken(r.Header.Values("Authorization"))
		if err != nil {
			httpcall.WriteError(w, "", access.ErrUnauthenticated)
			return
		}
		caller, err := verifier.Verify(token)
		if err != nil {
			httpcall.WriteError(w, "", access.ErrUnauthenticated)
			return
		}
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(strings.NewReader(string(body)))
		if r.URL.Path != "/internal/open-phases" { // which the service asks for by itself
			query := r.URL.Query().Encode()
			o.mu.Lock()
			o.asked = append(o.asked, asked{r.Method, r.URL.Path, query, r.Header.Clone(), caller, string(body)})
			o.mu.Unlock()
		}
		mux.ServeHTTP(w, r.WithContext(access.WithCaller(r.Context(), caller, token)))
	}))
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	o.URL = s.URL

	return o
}

func second(_, b string) string { return b }

// continues answers for case-svc and auth-svc what a run needs that is taken up again.
func (o *office) continues(t testing.TB, mux *http.ServeMux, verifier *authn.Verifier) {
	t.Helper()
	signer := func(service string) *authn.Signer {
		seed, _ := servicetest.Seed(service)
		s, err := authn.NewSigner(service, seed, time.Now)
		if err != nil {
			t.Fatal(err)
		}

		return s
	}
	cases, auth := signer("case-svc"), signer("auth-svc")
	mux.HandleFunc("GET /internal/phases/{id}/continuation", func(w http.ResponseWriter, r *http.Request) {
		o.mu.Lock()
		defer o.mu.Unlock()
		p, b := o.phases[r.PathValue("id")], o.begun[r.PathValue("id")]
		voucher, err := cases.Voucher(
			authn.Continuation{
				Caller: b.by,
				Phase: access.Phase{
					PhaseID:       p.PhaseID,
					RequestType:   p.RequestType,
					ContainerType: p.ContainerType,
					ContainerID:   p.ContainerID,
				},
			},
		)
		if err != nil {
			httpcall.WriteError(w, "", errs.From(err))
			return
		}
		tell(
			w,
			api.Continuation{
				Fingerprint: b.Fingerprint,
				Attempt:     p.Attempt,
				Status:      p.Status,
				Caller:      b.by,
				Voucher:     voucher,
				Task: api.AgentTask{
					SessionID: b.SessionID, SeedPhase: api.SeedPhase{PhaseID: p.PhaseID, BranchID: p.BranchID},
					ContainerID: p.ContainerID, ContainerType: p.ContainerType,
					RequestType: p.RequestType, Prompt: b.Prompt, FileIDs: b.FileIDs, Options: b.Options,
				},
			},
		)
	})
	mux.HandleFunc("POST /internal/continuations", func(w http.ResponseWriter, r *http.Request) {
		var in api.ContinueRun
		_ = json.NewDecoder(r.Body).Decode(&in)
		c, err := verifier.Voucher(in.Voucher)
		if err != nil {
			httpcall.WriteError(w, "", errs.From(err))
			return
		}
		token, err := auth.Continue(c)
		if err != nil {
			httpcall.WriteError(w, "", errs.From(err))
			return
		}
		tell(w, api.ContinuationToken{Token: token})
	})
}

// last returns the newest request for a path, of those that begin with it.
func (o *office) last(t testing.TB, path string) asked {
	t.Helper()
	o.mu.Lock()
	defer o.mu.Unlock()

	for _, a := range slices.Backward(o.asked) {
		if strings.HasPrefix(a.Path, path) {
			return a
		}
	}
	t.Fatalf("nothing was asked of %s", path)

	return asked{}
}

func (o *office) count(method, path string) (n int) {
	o.mu.Lock()
	defer o.mu.Unlock()

	for _, a := range o.asked {
		if a.Method == method && a.Path == path {
			n++
		}
	}

	return n
}

func tell(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

type fields = map[string]any

func (o *office) routes() *http.ServeMux {
	mux := http.NewServeMux()
	get := func(path string, answer func(r *http.Request) (any, error)) {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			v, err := answer(r)
			if err != nil {
				httpcall.WriteError(w, "office", errs.From(err))
				return
			}
			tell(w, v)
		})
	}
	known := func(name, id string, v any) func(*http.Request) (any, error) {
		return func(r *http.Request) (any, error) {
			if r.PathValue(name) != id {
				return nil, errs.ErrNotFound.WithMessage("There is no such " + name + ".")
			}

			return v, nil
		}
	}
	at := "2026-03-04T05:06:07.089Z"
	kase := fields{
		"caseId": caseID, "version": 3, "title": "Lease dispute between [Party 1] and [Party 2]", "status": "open", "matterKind": "litigation", "jurisdiction": "US-CA", "timelineId": timelineID,
		"activeBranchId": branchID, "tags": []string{"lease"}, "updatedAt": at, "createdAt": at, "supervision": fields{"responsibleUserId": "ann"}, "retention": fields{"policy": "default"},
	}
	file := fields{
		"fileId":        fileID,
		"caseId":        caseID,
		"version":       1,
		"name":          "Lease.pdf",
		"docType":       "lease",
		"mediaType":     "application/pdf",
		"sizeBytes":     57,
		"content":       fields{"mediaType": "text/markdown", "sizeBytes": 44, "renderer": "markdown/1"},
		"unread":        fields{"count": 3, "places": []fields{{"page": 12, "what": "picture", "at": 40, "count": 3}}},
		"agentReadable": true,
		"status":        "active",
		"createdAt":     at,
	}
	party := fields{
		"partyId":   partyID,
		"caseId":    caseID,
		"version":   1,
		"label":     "[Party 1]",
		"kind":      "individual",
		"role":      "lessee",
		"side":      "ours",
		"status":    "active",
		"updatedAt": at,
	}
	invite := fields{
		"inviteId":  inviteID,
		"caseId":    caseID,
		"role":      "second_opinion",
		"status":    "proposed",
		"deepLink":  "https://subrosa.test/i/confirm_invite?invite=" + inviteID,
		"createdAt": at,
	}
	branch := fields{
		"branchId":      branchID,
		"timelineId":    timelineID,
		"containerType": "case",
		"containerId":   caseID,
		"title":         "Main",
		"purpose":       "main",
		"status":        "active",
		"version":       1,
		"updatedAt":     at,
	}
	entry := fields{
		"entryId":      "00000000-0000-7000-8000-0000000000e2",
		"version":      1,
		"kind":         "deadline",
		"title":        "Answer to the complaint",
		"dueOn":        "2026-04-13",
		"status":       "proposed",
		"reviewStatus": "unreviewed",
		"createdAt":    at,
	}
	get("GET /v1/cases", func(r *http.Request) (any, error) { return o.listCases(r, kase) })
	get("GET /v1/cases/{case}", known("case", caseID, kase))
	get("GET /v1/workspace/case/{case}", known("case", caseID, fields{
		"containerType": "case", "containerId": caseID, "container": kase, "timeline": fields{"timelineId": timelineID, "activeBranchId": branchID, "branches": []any{branch}},
		"recentPhases": []any{}, "parties": []any{party}, "files": fields{"items": []any{file}, "nextCursor": nil}, "deadlines": []any{entry}, "checklist": nil,
		"pendingReviews": []any{}, "partners": []any{}, "permissions": fields{"canRunAgent": true}, "engine": fields{"mode": "deterministic"}, "links": fields{"browser": "https://subrosa.test/c/" + caseID}, "unavailable": []any{},
	}))
	get("GET /v1/timeline/{timeline}", known("timeline", timelineID, fields{
		"timelineId": timelineID, "containerType": "case", "containerId": caseID, "rootBranchId": branchID, "activeBranchId": branchID, "branches": []any{branch}, "deadlines": []any{entry}, "entries": []any{entry},
		"nextCursor": nil, "counts": fields{"deadline": 1}, "version": 1, "createdAt": at, "updatedAt": at,
	}))
	get("GET /v1/branch/{branch}", known("branch", branchID, branch))
	get("GET /v1/cases/{case}/files", known("case", caseID, fields{"items": []any{file}, "nextCursor": nil, "limit": 20}))
	get("GET /v1/cases/{case}/files/{file}", known("file", fileID, file))
	get("GET /v1/cases/{case}/files/{file}/text", func(r *http.Request) (any, error) { return o.passage(r) })
	get("GET /v1/parties", func(*http.Request) (any, error) {
		return fields{"items": []any{party}, "nextCursor": nil, "limit": 20}, nil
	})
	get("GET /v1/parties/{party}", known("party", partyID, party))
	get("GET /v1/partners", func(*http.Request) (any, error) {
		return fields{"items": []any{fields{"partnerId": partyID, "displayName": "Example Mediation", "kind": "mediator", "availability": "open", "updatedAt": at}}, "nextCursor": nil, "limit": 20, "facets": fields{}}, nil
	})
	get("GET /v1/invites", func(*http.Request) (any, error) {
		return fields{"items": []any{invite}, "nextCursor": nil, "limit": 20}, nil
	})
	get("GET /v1/invites/{invite}", known("invite", inviteID, invite))
	get("GET /v1/settings", func(*http.Request) (any, error) { return fields{"version": 1, "conflictPolicy": "flag"}, nil })
	get("GET /v1/phases", o.listPhases)
	get("GET /internal/settings/allowed-words", func(*http.Request) (any, error) { return fields{"words": []string{}}, nil })
	mux.HandleFunc("POST /internal/refusals", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	o.ledger(get)
	o.writes(mux, get, kase, file, party, invite, branch, entry)

	return mux
}

// listCases pages through as many cases as the office has; a cursor is the number of those that went before.
func (o *office) listCases(r *http.Request, first fields) (any, error) {
	limit, _ := strconv.Atoi(r.URL.Query().Get("limit"))
	from, _ := strconv.Atoi(r.URL.Query().Get("cursor"))
	o.mu.Lock()
	defer o.mu.Unlock()

	items, next := []any{}, any(nil)
	for n := from; n < o.cases && len(items) < limit; n++ {
		one := maps.Clone(first)
		if n > 0 {
			one["caseId"] = fmt.Sprintf("00000000-0000-7000-8000-%012d", n)
			one["summary"] = strings.Repeat("It goes on. ", 300)
		}
		items = append(items, one)
	}
	if from+len(items) < o.cases {
		next = strconv.Itoa(from + len(items))
	}

	return fields{"items": items, "nextCursor": next, "limit": limit}, nil
}

func (o *office) passage(r *http.Request) (any, error) {
	if r.PathValue("file") != fileID || r.PathValue("case") != caseID {
		return nil, errs.ErrNotFound
	}
	o.mu.Lock()
	all := []rune(o.text)
	o.mu.Unlock()
	from, _ := strconv.Atoi(r.URL.Query().Get("from"))
	to, err := strconv.Atoi(r.URL.Query().Get("to"))
	if err != nil || to > len(all) {
		to = len(all)
	}
	from = min(from, to)

	return api.FileText{FileID: fileID, TextVersion: 1, From: from, To: to, Total: len(all), Text: string(all[from:to])}, nil
}

func (o *office) listPhases(r *http.Request) (any, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	q, caller := r.URL.Query(), access.CallerFrom(r.Context())
	if id := q.Get("phaseId"); id != "" {
		p, ok := o.phases[id]
		if !ok {
			return nil, errs.ErrNotFound.WithMessage("There is no such phase.")
		}

		return p, nil
	}
	if q.Get("mine") == "true" && (q.Has("order") || q.Has("branchId")) {
		return nil, httpx.ErrParameter
	}
	items := []api.Phase{}

	for _, p := range o.phases {
		if q.Get("mine") == "true" && p.CreatedBy.UserID == caller.UserID {
			items = append(items, p)
		}
	}
	slices.SortFunc(items, func(a, b api.Phase) int { return strings.Compare(a.PhaseID, b.PhaseID) })

	return fields{"items": items, "nextCursor": nil, "limit": 20}, nil
}

// ledger keeps phases: one run for each, the same request is answered with the phase that is there.
func (o *office) ledger(route func(string, func(*http.Request) (any, error))) {
	box := func(kind, id string) api.Container {
		c := api.Container{ContainerID: id, ContainerType: kind, TimelineID: timelineID, ActiveBranchID: branchID}
		if kind == api.ContainerCase {
			c.Case = &api.Case{CaseID: id, Confidentiality: api.Confidentiality{AIPolicy: "no_model"}}
		}

		return c
	}
	container := func(kind, id string) (any, error) {
		if kind == api.ContainerCase && id != caseID {
			return nil, errs.ErrNotFound
		}

		return box(kind, id), nil
	}
	route("GET /internal/containers/{kind}/{id}", func(r *http.Request) (any, error) { return container(r.PathValue("kind"), r.PathValue("id")) })
	route("GET /internal/open-phases", func(*http.Request) (any, error) {
		o.mu.Lock()
		defer o.mu.Unlock()
		open := api.OpenPages{Items: []api.OpenPhase{}}

		for id, p := range o.phases {
			if p.Status == api.PhaseInterrupted {
				open.Items = append(open.Items, api.OpenPhase{Tenant: "o:oak", PhaseID: id, Attempt: p.Attempt, Status: p.Status, Since: api.At(o.now()), Due: true})
			}
		}

		return open, nil
	})
	route("POST /internal/phases", func(r *http.Request) (any, error) {
		var in api.BeginPhase
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			return nil, err
		}
		if _, err := container(in.ContainerType, in.ContainerID); err != nil {
			return nil, err
		}
		caller, at := access.CallerFrom(r.Context()), api.At(o.now())
		if !caller.May("agent:run") {
			return nil, access.ErrScope
		}
		o.mu.Lock()
		defer o.mu.Unlock()
		if p, there := o.phases[in.PhaseID]; there {
			if p.RequestSHA256 != in.Fingerprint {
				return nil, errs.New(errs.Conflict, "phase_conflict", "Another request has this phaseId.")
			}
			run := p.Status == api.PhaseInterrupted
			if run {
				p.Status = api.PhaseRunning
				p.Attempt++
				o.phases[p.PhaseID] = p
			}

			return api.BegunPhase{Phase: p, Run: run, Container: box(in.ContainerType, in.ContainerID)}, nil
		}
		p := api.Phase{
			PhaseID: in.PhaseID, BranchID: branchID, TimelineID: timelineID, Sequence: len(o.phases) + 1, ContainerType: in.ContainerType, ContainerID: in.ContainerID, SessionID: in.SessionID,
			RequestType: in.RequestType, Prompt: in.Prompt, Status: api.PhaseRunning, Attempt: 1, Engine: in.Engine, CreatedAt: at, StartedAt: &at, RequestSHA256: in.Fingerprint,
			CreatedBy: api.Actor{Kind: string(caller.Kind), ID: caller.ID(), UserID: caller.UserID},
		}
		o.phases[p.PhaseID], o.begun[p.PhaseID] = p, begun{in, caller}

		return api.BegunPhase{Phase: p, Run: true, Container: box(in.ContainerType, in.ContainerID)}, nil
	})
	route("GET /internal/phases/{id}", func(r *http.Request) (any, error) {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.blind {
			return nil, errs.ErrUnavailable
		}
		p, ok := o.phases[r.PathValue("id")]
		if !ok {
			return nil, errs.ErrNotFound.WithMessage("There is no such phase.")
		}

		return p, nil
	})
	route("POST /internal/phases/{id}/end", func(r *http.Request) (any, error) {
		var in api.EndPhase
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			return nil, err
		}
		o.mu.Lock()
		defer o.mu.Unlock()
		p, at := o.phases[r.PathValue("id")], api.At(o.now())
		p.Status, p.Response, p.ResponseSHA256, p.Stream, p.Engine, p.Error, p.EndedAt = in.Status, in.Response, in.ResponseSHA256, in.Stream, in.Engine, in.Error, &at
		p.Review = api.Review{Status: api.ReviewNotRequired}
		if in.Response != nil && in.Response.HumanReview.Required {
			p.Review = api.Review{Required: true, Status: api.ReviewPending}
		}
		o.phases[p.PhaseID] = p

		return p, nil
	})
	route("POST /internal/phases/{id}/interrupt", func(r *http.Request) (any, error) {
		o.mu.Lock()
		defer o.mu.Unlock()
		p := o.phases[r.PathValue("id")]
		p.Status = api.PhaseInterrupted
		o.phases[p.PhaseID] = p

		return p, nil
	})
	route("PUT /internal/cases/{case}/evaluation", func(*http.Request) (any, error) { return fields{"caseId": caseID}, nil })
	route("POST /internal/cases/{case}/texts", func(r *http.Request) (any, error) {
		var in api.ReadTexts
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			return nil, err
		}

		o.mu.Lock()
		defer o.mu.Unlock()
		read := api.TextsRead{Items: []api.FileText{}, Done: len(in.FileIDs)}
		if slices.Contains(in.FileIDs, fileID) {
			size := len([]rune(o.text))
			one := api.FileText{FileID: fileID, TextVersion: 1, To: size, Total: size, Text: o.text}
			read.Items = append(read.Items, one)
		}

		return read, nil
	})
	route("GET /internal/cases/{case}/cleared-words", func(*http.Request) (any, error) {
		return fields{"words": []string{}}, nil
	})
	route("GET /internal/cases/{case}/checklist", func(*http.Request) (any, error) {
		return fields{"phase": "L200", "present": []any{}, "missing": []any{"complaint"}}, nil
	})
	route("GET /internal/cases/{case}/roster", func(*http.Request) (any, error) {
		return fields{"parties": []any{}, "invites": []any{}, "counts": fields{"clients": []any{}}, "conflict": fields{"hits": []any{}}}, nil
	})
	route("POST /internal/timelines/{timeline}/proposals", func(*http.Request) (any, error) { return fields{"items": []any{}}, nil })
	route("POST /internal/cases/{case}/search", func(r *http.Request) (any, error) {
		o.mu.Lock()
		pause, text := o.pause, o.text
		o.searches++
		o.mu.Unlock()
		select {
		case <-time.After(pause):
		case <-r.Context().Done():
		}

		return api.SearchResult{FilesRead: 1, Hits: []api.SearchHit{{
			FileName: "Lease.pdf", Text: text, Score: 1, Matched: []string{"rent"}, Source: api.SourceRef{FileID: fileID, TextVersion: 1, CharEnd: len(text), Quote: text},
		}}}, nil
	})
}

// writes answers what changes something, as far as a test needs it: machines are sent to a person where a person is needed.
func (o *office) writes(mux *http.ServeMux, route func(string, func(*http.Request) (any, error)), kase, file, party, invite, branch, entry fields) {
	human := errs.New(errs.Forbidden, "human_required", "Only a person may do this. Ask the user to open the deep link.")
	stale := func(r *http.Request, v fields) (any, error) {
		if m := r.Header.Get("If-Match"); m != "" && m != fmt.Sprintf("%q", fmt.Sprint(v["version"])) {
			return nil, errs.ErrVersion
		}
		var patch fields
		_ = json.NewDecoder(r.Body).Decode(&patch)
		if patch["status"] == "closed" {
			return nil, human.WithDeepLink("https://subrosa.test/i/case_settings?case=" + caseID)
		}

		return v, nil
	}
	route("POST /v1/cases", func(r *http.Request) (any, error) {
		body, _ := io.ReadAll(r.Body)
		if strings.Contains(string(body), "Jane") {
			return nil, errs.New(errs.Forbidden, "identity_refused", "This could name somebody.").WithDeepLink("https://subrosa.test/i/add_identity")
		}

		return kase, nil
	})
	route("PATCH /v1/cases/{case}", func(r *http.Request) (any, error) { return stale(r, kase) })
	route("DELETE /v1/cases/{case}", func(*http.Request) (any, error) {
		return nil, human.WithDeepLink("https://subrosa.test/i/case_settings?case=" + caseID)
	})
	route("POST /v1/cases/{case}/files", func(r *http.Request) (any, error) {
		body, err := io.ReadAll(r.Body)
		if strings.Contains(string(body), alreadyThere) {
			same := maps.Clone(file)
			same["duplicate"] = true

			return fields{"items": []any{same}}, err
		}

		return fields{"items": []any{file}}, err
	})
	route("POST /v1/timeline/{timeline}/entries", func(*http.Request) (any, error) { return entry, nil })
	route("POST /v1/branch", func(*http.Request) (any, error) { return branch, nil })
	route("PATCH /v1/branch/{branch}", func(r *http.Request) (any, error) { return stale(r, branch) })
	route("POST /v1/parties", func(*http.Request) (any, error) { return party, nil })
	route("PUT /v1/parties/{party}", func(r *http.Request) (any, error) { return stale(r, party) })
	route("POST /v1/cases/{case}/partners/{partner}/invite", func(*http.Request) (any, error) { return invite, nil })
	mux.HandleFunc("POST /v1/phases/{phase}/review", func(w http.ResponseWriter, r *http.Request) {
		httpcall.WriteError(
			w,
			"office",
			human.WithDeepLink("https://subrosa.test/i/review?phase="+r.PathValue("phase")),
		)
	})
}

// alreadyThere is the text of the file that the office has.
const alreadyThere = "The rent is due on the first day."

// set says how long a search of the file takes from now on.
func (o *office) set(pause time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.pause = pause
}

// goOn waits until a run searches the file, and lets all later searches answer at once: when the process of that run
// stops, whoever takes the run up finds nothing that holds it.
func (o *office) goOn(t testing.TB) {
	t.Helper()
	testkit.Until(t, testkit.Patience, func() error {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.searches == 0 {
			return errors.New("the run has not come to its search")
		}
		o.pause = 0

		return nil
	})
}

// holds says how many cases the list has from now on.
func (o *office) holds(cases int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.cases = cases
}

// says sets the text of the file.
func (o *office) says(text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text = text
}

// hidePhases makes reads of single phases fail from now on.
func (o *office) hidePhases() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.blind = true
}

// requests returns how many requests were noted.
func (o *office) requests() int {
	o.mu.Lock()
	defer o.mu.Unlock()

	return len(o.asked)
}

// begunSoFar returns how many phases there are.
func (o *office) begunSoFar() int {
	o.mu.Lock()
	defer o.mu.Unlock()

	return len(o.phases)
}

// put replaces a phase.
func (o *office) put(p api.Phase) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.phases[p.PhaseID] = p
}

// stands returns a phase as it is now.
func (o *office) stands(id string) api.Phase {
	o.mu.Lock()
	defer o.mu.Unlock()

	return o.phases[id]
}

// phase puts a phase of somebody into the office.
func (o *office) phase(userID, status string) string {
	o.mu.Lock()
	defer o.mu.Unlock()
	at := api.At(o.now())
	p := api.Phase{
		PhaseID: uuid.NewString(), BranchID: branchID, TimelineID: timelineID, ContainerType: api.ContainerCase, ContainerID: caseID, SessionID: "s", RequestType: api.CaseReq, Prompt: "When is the rent due?",
		Status: status, Attempt: 1, CreatedAt: at, StartedAt: &at, CreatedBy: api.Actor{Kind: "user", ID: userID, UserID: userID},
	}
	o.phases[p.PhaseID] = p

	return p.PhaseID
}
