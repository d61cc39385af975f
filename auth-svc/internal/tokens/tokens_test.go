package tokens_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/auth-svc/internal/keys"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/redisstore"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/tokens"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

func TestMain(m *testing.M) { testkit.Main(m) }

// away are records of which the first is asked for while Redis is away.
type away struct {
	tokens.Records
	failed bool
}

func (a *away) DropAll(ctx context.Context, agentID string) error {
	if !a.failed {
		a.failed = true
		return errs.ErrUnavailable
	}

	return a.Records.DropAll(ctx, agentID)
}

// An agent whose bearers could not be ended is still found by its key, so the repetition ends them.
func TestAnEndThatFailedHalfWayIsFoundAgain(t *testing.T) {
	t.Parallel()
	const tenant, user = "o:oak", "ann"
	ctx, rdb := t.Context(), testkit.Redis(t)
	pepper, err := authn.ParsePepper(authn.NewPepper())
	if err != nil {
		t.Fatal(err)
	}
	book := keys.New(mongostore.New(testkit.Mongo(t)), pepper, nil, time.Now)
	i := &tokens.Issuer{Keys: book, Records: &away{Records: redisstore.New(rdb, time.Now)}, Now: time.Now}
	if _, err := book.Mint(ctx, tenant, "agt_1", user, nil); err != nil {
		t.Fatal(err)
	}
	caller := authn.Caller{Kind: authn.Agent, Tenant: tenant, UserID: user, AgentID: "agt_1"}
	record := authn.BearerRecord{Caller: caller, Expires: time.Now().Add(time.Hour).Unix()}
	if err := i.Records.Put(ctx, "jti", record); err != nil {
		t.Fatal(err)
	}

	if err := i.End(ctx, tenant, "agt_1"); !errors.Is(err, errs.ErrUnavailable) {
		t.Fatalf("End without Redis = %v, want unavailable", err)
	}
	if found, err := book.Agents(ctx, tenant, user); err != nil || !slices.Contains(found, "agt_1") {
		t.Fatalf("whoever ends a user's agents finds %v, %v", found, err)
	}
	if err := i.End(ctx, tenant, "agt_1"); err != nil {
		t.Fatal(err)
	}
	left, err := rdb.Exists(ctx, authn.BearerKey("agt_1", "jti")).Result()
	if err != nil || left != 0 {
		t.Errorf("a bearer lives on: %v", err)
	}
	if found, err := book.Agents(ctx, tenant, user); err != nil || len(found) != 0 {
		t.Errorf("an ended agent has a key: %v, %v", found, err)
	}
}
