package partysvc_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/ids"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// m is a JSON object of a test.
type m = map[string]any

// caseService behaves like case-svc on the routes that party-svc calls, with the rules that matter to it.
type caseService struct {
	URL string

	mu       sync.Mutex
	cases    map[string]api.Case  // by tenant/caseId
	deleted  map[string]bool      // likewise
	files    map[string]bool      // caseId/id of what a scope may name
	grants   map[string]api.Grant // by tenant/inviteId
	policy   map[string]string    // by tenant
	words    map[string][]string  // allowed words, likewise
	recounts map[string]int       // by tenant/caseId
	down     map[string]bool      // routes that answer 503
}

func newCaseService(t testing.TB, trustFile string, now func() time.Time) *caseService {
	t.Helper()
	text, err := os.ReadFile(trustFile)
	if err != nil {
		t.Fatal(err)
	}
	trust, err := authn.ParseTrust(text)
	if err != nil {
		t.Fatal(err)
	}
	s := &caseService{
		cases: map[string]api.Case{}, deleted: map[string]bool{}, files: map[string]bool{}, grants: map[string]api.Grant{}, policy: map[string]string{}, words: map[string][]string{},
		recounts: map[string]int{}, down: map[string]bool{},
	}
	verifier := &authn.Verifier{Trust: trust, Now: now}
	mux := http.NewServeMux()
	serve := func(pattern, route string, h func(access.Caller, *http.Request) (int, any)) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			token, err := authn.BearerToken(r.Header.Values("Authorization"))
			if err != nil {
				t.Errorf("%s without a token", route)
			}
			caller, err := verifier.Verify(token)
			if err != nil {
				t.Errorf("%s with a token that nobody takes", route)
			}
			s.mu.Lock()
			defer s.mu.Unlock()
			status, answer := http.StatusServiceUnavailable, any(httpx.WireError{Error: "unavailable", Message: "Away."})
			if !s.down[route] {
				status, answer = h(caller, r)
			}
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			if answer != nil {
				_ = json.NewEncoder(w).Encode(answer)
			}
		})
	}
	missing := httpx.WireError{Error: "not_found", Message: "There is nothing here that you can see. Check the id and who you are signed in as."}
	serve("GET /v1/cases/{id}", "case", func(caller access.Caller, r *http.Request) (int, any) {
		c, ok := s.seen(caller, r.PathValue("id"))
		switch {
		case caller.Kind == access.Service:
			return 403, httpx.WireError{Error: "forbidden", Message: "Not for services."}
		case !ok:
			return 404, missing
		}

		return 200, c
	})
	serve("GET /v1/settings", "settings", func(caller access.Caller, _ *http.Request) (int, any) {
		policy := s.policy[caller.Tenant]
		if policy == "" {
			policy = "flag"
		}

		return 200, m{"conflictPolicy": policy, "version": 1, "defaultAiPolicy": "no_model"}
	})
	serve("GET /internal/settings/allowed-words", "words", func(caller access.Caller, _ *http.Request) (int, any) {
		return 200, api.AllowedWords{Words: s.words[caller.Tenant]}
	})
	serve("POST /internal/cases/{id}/recount", "recount", func(caller access.Caller, r *http.Request) (int, any) {
		key := caller.Tenant + "/" + r.PathValue("id")
		if _, ok := s.cases[key]; !ok || s.deleted[key] {
			return 404, missing
		}
		s.recounts[key]++

		return 204, nil
	})
	serve("POST /internal/cases/{id}/scope", "scope", func(caller access.Caller, r *http.Request) (int, any) {
		var in api.InviteScope
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			t.Errorf("scope: %v", err)
		}

		for _, id := range append(in.BranchIDs, in.FileIDs...) {
			if !s.files[r.PathValue("id")+"/"+id] {
				return 400, httpx.WireError{Error: "scope_not_in_case", Message: "Not of this case."}
			}
		}

		return 204, nil
	})
	serve("PUT /internal/grants/{id}", "grants", func(caller access.Caller, r *http.Request) (int, any) {
		var in api.Grant
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || in.InviteID != r.PathValue("id") {
			t.Errorf("grant: %v", err)
		}
		if caller.Kind != access.Service {
			return 403, httpx.WireError{Error: "forbidden", Message: "For services."}
		}
		key := caller.Tenant + "/" + in.InviteID
		if !s.grants[key].Ended {
			s.grants[key] = in
		}

		return 204, nil
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	s.URL = server.URL

	return s
}

// seen returns a case as a caller sees it: of its own tenant, or by a grant.
func (s *caseService) seen(caller access.Caller, id string) (api.Case, bool) {
	tenant := caller.Tenant
	for key, g := range s.grants {
		if g.CaseID == id && g.PartnerTenant == caller.Tenant && g.PartnerUserID == caller.UserID &&
			caller.Kind == access.User &&
			!g.Ended {
			tenant, _, _ = strings.Cut(key, "/")
		}
	}
	c, ok := s.cases[tenant+"/"+id]

	return c, ok && !s.deleted[tenant+"/"+id]
}

// add makes a case of a tenant.
func (s *caseService) add(tenant string, change func(*api.Case)) api.Case {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := api.Case{
		CaseID: ids.New(), Version: 1, Status: "open", MatterKind: "litigation", Jurisdiction: "US-CA", Language: "en",
		PracticeAreas: []api.PracticeArea{{Scheme: "LIST", Code: "HO-02-00-00-00", Label: "Eviction", Primary: true}},
		Conflict:      api.Conflict{Status: "clear"}, Complexity: &api.Complexity{Evaluation: &api.Evaluation{Tier: new(2)}},
	}
	if change != nil {
		change(&c)
	}
	s.cases[tenant+"/"+c.CaseID] = c

	return c
}

// set changes a case.
func (s *caseService) set(tenant, id string, change func(*api.Case)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.cases[tenant+"/"+id]
	change(&c)
	s.cases[tenant+"/"+id] = c
}

// with changes how the service behaves.
func (s *caseService) with(change func(*caseService)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(s)
}

func (s *caseService) recounted(tenant, id string) int {
	s.mu.Lock()
	defer s.mu.Unlock()

	return s.recounts[tenant+"/"+id]
}

func (s *caseService) grantsOf(tenant string) []api.Grant {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []api.Grant

	for key, g := range s.grants {
		if strings.HasPrefix(key, tenant+"/") {
			all = append(all, g)
		}
	}
	slices.SortFunc(all, func(a, b api.Grant) int { return strings.Compare(a.InviteID, b.InviteID) })

	return all
}

// until fails unless ok becomes true.
func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	testkit.Until(t, testkit.Patience, func() error {
		if !ok() {
			return errors.New(what)
		}

		return nil
	})
}
