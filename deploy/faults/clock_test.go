package faults

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/deploy/internal/devidp"
	"github.com/subrosa-legal/subrosa/deploy/internal/local"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

// F14: the clock of one service is wrong. The services take no clock from outside, so here they run in this process, each with a clock of
// its own.
func wrongClock(t *testing.T, r *result) {
	r.load = "a story"
	var closed, open []string

	for _, service := range order {
		for _, off := range []time.Duration{-5 * time.Minute, 5 * time.Minute} {
			t.Run(fmt.Sprintf("%s %v", service, off), func(t *testing.T) {
				what := fmt.Sprintf("%s %+.0f min", service, off.Minutes())
				if refused := storyAt(t, r, what, service, off); refused != "" {
					closed = append(closed, what+": "+refused)
				} else {
					open = append(open, what)
				}
			})
		}
	}
	r.note("in one process, by the injected clock; works: %s; refuses: %s", strings.Join(open, ", "), strings.Join(closed, ", "))
	r.only("401", "409", "503", "streams: unauthenticated")
}

// storyAt plays registration, exchange, a case and a run while a service's clock is off. It returns where that was refused.
func storyAt(t *testing.T, r *result, what, service string, off time.Duration) string {
	t.Helper()
	person := devidp.Person{Subject: "p0", Name: "p0", Email: "p0@oak.example", Password: "p0", Organization: "oak", Roles: []string{"owner", "member", "admin"}}
	s := &site{t: t, dir: t.TempDir(), people: []devidp.Person{person}, tokens: map[string]string{}}

	environ := map[string]string{"REDIS_URL": stores.RedisURL(t), "MONGODB_URI": stores.MongoURI(t)}
	for _, name := range []string{"AUTH_DATABASE", "REGISTRY_DATABASE", "CASE_DATABASE", "PARTY_DATABASE"} {
		environ[name] = stores.MongoName(t)
	}

	clocks := map[string]func() time.Time{}
	for _, each := range order {
		clocks[each] = time.Now
	}
	clocks[service] = func() time.Time { return time.Now().Add(off) }
	var err error
	s.Local, err = local.Start(t.Context(), local.Options{
		Dir: filepath.Join(s.dir, ".local"), Addr: testkit.FreeAddr(t), OIDCAddr: testkit.FreeAddr(t), People: s.people, Environ: environ, Log: io.Discard, Level: slog.LevelError,
		Now:    func() time.Time { return time.Now().Add(-time.Hour) }, // of keys and certificates, which are older than any clock is wrong
		Clocks: clocks,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	transport := s.Client().Transport.(*http.Transport)
	t.Cleanup(transport.CloseIdleConnections)
	s.http = &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	s.card = s.peer("127.0.0.1:0", func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(rw, `{"name":"Test agent","description":"Works on cases by label.","url":"https://agents.com/test","protocols":["a2a/1.0"]}`)
	})
	see := func(step string, a answer) string {
		r.count(a.class())
		return step + " " + a.class()
	}
	asked := s.send(http.MethodPost, "/v1/agents/registration-token", s.token(0), "")
	said := see("registration token", asked)
	var token api.RegistrationToken
	if err := json.Unmarshal(asked.body, &token); err != nil || !asked.good() {
		return said
	}
	const racers = 8
	answers := make([]answer, racers)

	var all sync.WaitGroup
	for i := range racers {
		all.Go(func() {
			answers[i] = s.send(http.MethodPost, "/v1/agents/register", "", registration(token.RegistrationToken, s.card))
		})
	}
	all.Wait()
	var made *api.RegisteredAgent

	for _, a := range answers {
		said = see("registration", a)
		if !a.good() {
			continue
		}
		if made != nil {
			r.wrong++
			r.fail("%s: two registrations by one token", what)
		}
		made = &api.RegisteredAgent{}
		if err := json.Unmarshal(a.body, made); err != nil {
			t.Fatal(err)
		}
	}
	if made == nil {
		return said
	}
	exchanged := s.send(http.MethodPost, "/v1/auth/token", "", `{"api_key":"`+made.SharedAPIKey+`"}`)
	said = see("exchange", exchanged)
	var bearer api.BearerToken
	if err := json.Unmarshal(exchanged.body, &bearer); err != nil || !exchanged.good() {
		return said
	}
	opened := s.send(http.MethodPost, "/v1/cases", bearer.BearerToken, `{"jurisdiction":"US"}`)
	said = see("case", opened)
	var k api.Case
	if err := json.Unmarshal(opened.body, &k); err != nil || !opened.good() {
		return said
	}
	l := &load{s: s, r: r}
	f := &flow{l: l, caseID: k.CaseID, bearer: bearer.BearerToken}
	run := f.once(s.as(bearer.BearerToken))
	if run.err != nil {
		return "run " + run.err.Error()
	}
	l.whole(f, run)
	if begun := strings.Count(strings.Join(run.sums, "\n"), `"type":"phase_start"`); begun != 1 {
		r.wrong++
		r.fail("%s: a run was begun %d times", what, begun)
	}

	return ""
}

func registration(token, card string) string {
	return `{"registration_token":"` + token + `","agent_card_url":"` + card + `"}`
}
