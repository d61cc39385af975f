package casesvc_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

// parties stands for party-svc: it answers with the rosters it was given, to whoever shows a token.
type parties struct {
	url string

	mu      sync.Mutex
	rosters map[string]api.Roster
	away    bool
	asked   int
	purged  []string          // caseIds
	turns   map[string]string // holder by caseId
	taken   int               // turns
	others  map[string]bool   // by caseId
	events  []api.AuditEvent  // all of one case
	tears   int64             // up to which event the record can be read; 0 for all
}

func startParties(t testing.TB) *parties {
	t.Helper()
	p := &parties{rosters: map[string]api.Roster{}, turns: map[string]string{}}
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	p.url = server.URL

	return p
}

// ServeHTTP answers GET /internal/cases/{caseId}/roster, …/others-work and …/holdings, PUT and DELETE of …/turns/{holder}, DELETE
// /internal/cases/{caseId}, and POST /internal/audit.
func (p *parties) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asked++
	if caseID, holder, isTurn := strings.Cut(strings.TrimPrefix(r.URL.Path, "/internal/cases/"), "/turns/"); isTurn && !p.away {
		p.turn(w, r.Method, caseID, holder)
		return
	}
	id, ok := strings.CutSuffix(strings.TrimPrefix(r.URL.Path, "/internal/cases/"), "/roster")

	about, hands := strings.CutSuffix(strings.TrimPrefix(r.URL.Path, "/internal/cases/"), "/others-work")
	switch {
	case p.away:
		w.WriteHeader(http.StatusServiceUnavailable)
	case r.Method == http.MethodDelete && !ok:
		p.purged = append(p.purged, id)
		w.WriteHeader(http.StatusNoContent)
	case r.URL.Path == "/internal/audit":
		p.audit(w, r)
	case strings.HasSuffix(r.URL.Path, "/holdings"):
		_ = json.NewEncoder(w).Encode(api.Holdings{IDs: p.holdings()})
	case hands:
		_ = json.NewEncoder(w).Encode(api.OthersWork{Others: p.others[about]})
	case r.Method != http.MethodGet || !ok || !strings.HasPrefix(r.Header.Get("Authorization"), "Bearer "):
		w.WriteHeader(http.StatusBadRequest)
	default:
		_ = json.NewEncoder(w).Encode(p.rosters[id])
	}
}

// holdings are the ids that its events speak of.
func (p *parties) holdings() []string {
	ids := []string{}
	for _, e := range p.events {
		if !slices.Contains(ids, e.Resource.ID) {
			ids = append(ids, e.Resource.ID)
		}
	}

	return ids
}

func (p *parties) audit(w http.ResponseWriter, r *http.Request) {
	var in api.AuditOf
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || len(in.ResourceIDs) > 200 {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if p.tears > 0 && in.AfterSeq >= p.tears {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}

	items := []api.AuditEvent{}
	for _, e := range p.events {
		if e.Seq > in.AfterSeq && len(items) < in.Limit && slices.Contains(in.ResourceIDs, e.Resource.ID) {
			items = append(items, e)
		}
	}
	_ = json.NewEncoder(w).Encode(m{"items": items})
}

func (p *parties) turn(w http.ResponseWriter, method, caseID, holder string) {
	switch held := p.turns[caseID]; {
	case method == http.MethodDelete && held == holder:
		delete(p.turns, caseID)
	case method == http.MethodPut && held == "":
		p.turns[caseID] = holder
		p.taken++
	case method == http.MethodPut:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusConflict)
		_ = json.NewEncoder(w).Encode(httpx.WireError{Error: "write_conflict", Message: "Others are changing this at the same time. Try again after the time in Retry-After."})

		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// holds has somebody else hold the turn of a case, or nobody.
func (p *parties) holds(caseID, holder string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.turns[caseID] = holder; holder == "" {
		delete(p.turns, caseID)
	}
}

// held returns how many turns were taken, and how many are still held.
func (p *parties) held() (taken, now int) {
	p.mu.Lock()
	defer p.mu.Unlock()

	return p.taken, len(p.turns)
}

// has sets what is known of a case.
func (p *parties) has(caseID string, r api.Roster) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rosters[caseID] = r
}

// touched says that somebody else has a hand in a party or an invite of the case.
func (p *parties) touched(caseID string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.others = map[string]bool{caseID: true}
}

// calls returns how often it was asked for anything.
func (p *parties) calls() int {
	p.mu.Lock()
	defer p.mu.Unlock()

	return p.asked
}

// gone returns the cases that were purged.
func (p *parties) gone() []string {
	p.mu.Lock()
	defer p.mu.Unlock()

	return slices.Clone(p.purged)
}

// goAway has every call answered with 503 from now on, or no longer.
func (p *parties) goAway(away bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.away = away
}

// tear has the record be refused beyond an event, as to a token that has run out.
func (p *parties) tear(beyond int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tears = beyond
}

// unlisted is a roster with this many parties against the case, too many to list.
func unlisted(r api.Roster, n int) api.Roster {
	r.Conflict.Unlisted = n
	return r
}

// clients is a roster with these clients, their tokens compared, and hits in these cases.
func clients(ids []string, hits ...string) api.Roster {
	r := api.Roster{Counts: api.RosterCounts{Parties: len(ids) + 1, Invites: 1, Clients: ids}, Conflict: api.RosterConflict{Tokens: true}}
	for _, id := range hits {
		r.Conflict.Hits = append(r.Conflict.Hits, api.ConflictHit{CaseID: id, Roles: []string{"plaintiff", "defendant"}})
	}

	return r
}
