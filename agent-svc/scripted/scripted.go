// Package scripted is the agent-to-agent endpoint of agent-svc with a script in place of the agent. It is a package of
// its own so that no service has it.
package scripted

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/a2a"
	script "github.com/subrosa-legal/subrosa/agent-svc/internal/a2a/scripted"
	"github.com/subrosa-legal/subrosa/pkg/a2acard"
	"github.com/subrosa-legal/subrosa/pkg/a2aerr"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/httpauth"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
)

// Times of the endpoint, as the service has them.
const (
	beat     = 3 * time.Second
	wait     = 4 * time.Minute
	inFlight = 512
)

// agent is whom every caller without a credential stands for.
func agent() access.Caller {
	return access.Caller{
		Kind:    access.Agent,
		Tenant:  "o:script",
		UserID:  "script",
		AgentID: "agt_script",
		Scopes:  access.AgentScopes(),
		Roles:   []string{access.RoleMember},
	}
}

// Serve serves the agent-to-agent protocol with the handlers of the service and the checks before them, but lets a
// script stand in for the agent: conformance kits send messages that no lawyer would. Kits have no credentials, so a
// request without one gets that of one agent, which is made for this process and checked as any other; a request with
// a credential of its own keeps it. The card is signed by a key of this process, which /.well-known/jwks.json has. It
// is for loopback addresses alone. statuses are other statuses of HTTP than the product's, by the code of an error.
// stop ends what is played.
func Serve(
	table io.Reader,
	base string,
	statuses map[int]int,
	now func() time.Time,
	tel *telemetry.Telemetry,
) (handler http.Handler, stop func(), err error) {
	rules, err := script.Read(table)
	if err != nil {
		return nil, nil, err
	}
	public, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	signer, err := authn.NewSigner("gateway", base64.RawURLEncoding.EncodeToString(private.Seed()), now)
	if err != nil {
		return nil, nil, err
	}
	gate := &httpauth.Gate{Verifier: &authn.Verifier{Trust: authn.Trust{"gateway": {public}}, Now: now}}
	keys, err := authn.Ring{}.Rotated(now())
	if err != nil {
		return nil, nil, err
	}

	tasks := &script.Tasks{Now: now}
	worker := &script.Worker{Script: rules, Tasks: tasks, Now: now}
	e := &a2a.Endpoint{
		Service: &a2a.Service{
			Work:    worker,
			Tasks:   tasks,
			Base:    base,
			Beat:    beat,
			Wait:    wait,
			Look:    100 * time.Millisecond,
			Stops:   func() bool { return false },
			Now:     now,
			Replies: rules.Reply,
		},
		Owner: func(ctx context.Context) string {
			caller := access.CallerFrom(ctx)
			return caller.Tenant + "|" + caller.UserID
		},
		Enter:    func(context.Context) (func(), error) { return func() {}, nil },
		Patience: time.Minute,
		Log:      tel.Log,
		Statuses: statuses,
	}
	router := httpx.NewEngine(tel)
	router.Use(httpx.ErrorsIn(a2aerr.Body, api.A2APathRPC, api.A2APathREST))
	gate.InFlight = httpx.NewInFlight(inFlight, 50*time.Millisecond)
	e.Mount(router, gate, tel.Log)
	card := &a2acard.Card{Card: api.NewA2ACard(base, base), Keys: ring{keys, now}}
	router.GET("/.well-known/agent-card.json", httpx.Handle(tel.Log, card.Serve))
	router.GET("/.well-known/jwks.json", httpx.Handle(tel.Log, ring{keys, now}.serve))

	return admitted(router, signer), worker.Close, nil
}

// ring has the keys that sign the card.
type ring struct {
	keys authn.Ring
	now  func() time.Time
}

// Current returns the key that signs now.
func (r ring) Current() (authn.SigningKey, error) { return r.keys.Current(r.now()) }

func (r ring) serve(c *gin.Context) error {
	set, err := r.keys.PublicSet(r.now())
	if err != nil {
		return err
	}
	c.Data(http.StatusOK, "application/jwk-set+json", set)

	return nil
}

// admitted gives requests without a credential that of the agent.
func admitted(next http.Handler, signer *authn.Signer) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// A request with a credential of its own is checked as it is: kits test wrong ones too.
		if r.Header.Get("Authorization") == "" {
			token, err := signer.Token(agent())
			if err != nil {
				http.Error(w, fmt.Sprintf("no credential could be made: %v", err), http.StatusInternalServerError)
				return
			}
			r = r.Clone(r.Context())
			r.Header.Set("Authorization", "Bearer "+token)
		}
		next.ServeHTTP(w, r)
	})
}
