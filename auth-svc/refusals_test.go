package authsvc_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/audit/chain"
	"github.com/subrosa-legal/subrosa/pkg/audit/record"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/services"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// onRecord returns the tenant's events of an action.
func (w *world) onRecord(tenant, action string) []record.Event {
	w.t.Helper()
	events, err := chain.New(w.db.Collection("audit"), w.now).List(w.t.Context(), tenant, chain.Filter{Limit: 1000})
	if err != nil {
		w.t.Fatal(err)
	}

	return slices.DeleteFunc(events, func(e record.Event) bool { return e.Action != action })
}

func TestAKeyUsedAfterItsEndIsOnRecord(t *testing.T) {
	t.Parallel()
	w := start(t)
	id, key := w.agent("o:oak")
	if err := w.registry("o:oak").EndAgent(t.Context(), id); err != nil {
		t.Fatal(err)
	}

	for range 3 { // its program goes on trying
		if _, err := w.exchange(key); errs.From(err).Code != "invalid_api_key" {
			t.Fatalf("a key that has ended = %v", err)
		}
	}
	got := w.onRecord("o:oak", "token.refused")
	if len(got) != 1 || got[0].Actor.ID != id || got[0].Actor.UserID != "ada" || got[0].Outcome != "revoked" {
		t.Errorf("on record: %+v, want one event of the agent", got)
	}
	if lines := strings.Count(w.logs.String(), `"decision":"revoked"`); lines != 1 {
		t.Errorf("%d lines in the log, want one", lines)
	}
	if strings.Contains(w.logs.String(), key) {
		t.Error("the log holds the key")
	}

	if _, err := w.exchange(authn.NewSecret(authn.APIKeyPrefix)); errs.From(err).Code != "invalid_api_key" {
		t.Fatalf("a key that never was = %v", err)
	}
	if got := w.onRecord("o:oak", "token.refused"); len(got) != 1 {
		t.Errorf("a guess is on the record of a tenant: %+v", got)
	}
}

func TestRefusalsOfTheGatewayGoOnRecord(t *testing.T) {
	t.Parallel()
	w := start(t)
	call := api.RefusedCall{
		Tenant: "o:oak", Kind: "agent", ID: "agt_1", UserID: "ada", Decision: "revoked", Code: "unauthenticated",
		Route: "GET /v1/cases",
	}
	gateway := services.AuthClient{HTTP: w.as("gateway", access.Caller{Kind: access.Service})}
	if err := gateway.RecordRefusal(t.Context(), call); err != nil {
		t.Fatal(err)
	}
	got := w.onRecord("o:oak", "call.revoked")
	if len(got) != 1 || got[0].Actor.ID != "agt_1" || got[0].Outcome != "unauthenticated" ||
		got[0].Resource.ID != call.Route {
		t.Errorf("on record: %+v", got)
	}

	for name, client := range map[string]services.AuthClient{
		"another service": {HTTP: w.as("registry-svc", access.Caller{Kind: access.Service})},
		"a user":          {HTTP: w.as("gateway", access.Caller{Kind: access.User, Tenant: "o:oak", UserID: "ada"})},
	} {
		if err := client.RecordRefusal(t.Context(), call); errs.From(err).Code != "forbidden" {
			t.Errorf("%s = %v", name, err)
		}
	}
}

func TestItIsForgottenWhoseAKeyWas(t *testing.T) {
	t.Parallel()
	w := start(t)
	id, key := w.agent("o:oak")
	if err := w.registry("o:oak").EndAgent(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	w.skip.Add(int64(91 * 24 * time.Hour))
	w.run(map[string]string{"AUTH_SWEEP": "10ms"})
	w.until(func() bool {
		n, err := w.db.Collection("retired_keys").EstimatedDocumentCount(t.Context())
		return err == nil && n == 0
	})
	if _, err := w.exchange(key); errs.From(err).Code != "invalid_api_key" {
		t.Fatalf("a key that has ended = %v", err)
	}
	if got := w.onRecord("o:oak", "token.refused"); len(got) != 0 {
		t.Errorf("after 91 days its use is still on record: %+v", got)
	}
}

// until waits for what another goroutine does.
func (w *world) until(ok func() bool) {
	w.t.Helper()
	testkit.Until(w.t, testkit.Patience, func() error {
		if !ok() {
			return errors.New("not yet")
		}

		return nil
	})
}
