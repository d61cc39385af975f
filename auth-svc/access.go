package authsvc

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/members"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/oauth"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/redisstore"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/secret"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/tokens"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/departures"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
	"github.com/subrosa-legal/subrosa/pkg/launch"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"github.com/subrosa-legal/subrosa/pkg/services"
)

// memberAccess implements members.Access with everything by which somebody can act in a member's name.
type memberAccess struct {
	issuer   *tokens.Issuer
	oauth    *oauth.Server // set when the authorization server is made
	sessions *redisstore.Sessions
	tokens   *mongostore.ProviderTokens // set when the provider is asked about members
	rdb      redis.UniversalClient
}

// Announce tells every process whether the member has access.
func (a *memberAccess) Announce(ctx context.Context, m members.Member) error {
	return departures.Announce(ctx, a.rdb, m.Word())
}

// EndAll ends keys and bearers, grants, and sessions, and forgets the provider's refresh token.
func (a *memberAccess) EndAll(ctx context.Context, tenant, userID string) error {
	agents, err := a.issuer.Keys.Agents(ctx, tenant, userID)
	if err != nil {
		return err
	}

	for _, agent := range agents {
		if err := a.issuer.End(ctx, tenant, agent); err != nil {
			return fmt.Errorf("end an agent: %w", err)
		}
	}
	if err := a.oauth.EndAll(ctx, tenant, userID); err != nil {
		return fmt.Errorf("end grants: %w", err)
	}
	if err := a.tokens.Forget(ctx, tenant, userID); err != nil {
		return fmt.Errorf("forget a refresh token: %w", err)
	}

	return a.sessions.DropOf(ctx, tenant, userID)
}

// Roles has bearers and grants act with these roles from now on.
func (a *memberAccess) Roles(ctx context.Context, tenant, userID string, roles []string) error {
	agents, err := a.issuer.Keys.Agents(ctx, tenant, userID)
	if err != nil {
		return err
	}

	for _, agent := range agents {
		if err := a.issuer.Records.SetRoles(ctx, agent, roles); err != nil {
			return err
		}
	}

	return a.oauth.SetRoles(ctx, tenant, userID, roles)
}

// holders implements members.Holders by asking party-svc.
type holders struct{ party *services.PartyClient }

var errNoParty = errs.ErrUnavailable.WithMessage(
	"Nobody can be offboarded here: whoever runs the service has to set PARTY_URL of auth-svc.",
)

// Holders lists the users who hold the firm's newest key.
func (h holders) Holders(ctx context.Context, tenant string) ([]string, error) {
	if h.party == nil {
		return nil, errNoParty
	}
	ctx = access.WithCaller(ctx, access.Caller{Kind: access.Service, Tenant: tenant}, "")

	return h.party.KeyHolders(ctx)
}

// keepMembers makes the record of members, after connect.
func (s *surface) keepMembers(
	cfg Config,
	env launch.Env,
	id launch.Identity,
	db *mongox.DB,
	rdb redis.UniversalClient,
) error {
	var party holders
	if cfg.PartyURL != "" {
		credential := func(ctx context.Context) (string, error) { return id.Signer.Token(access.CallerFrom(ctx)) }
		carrier := httpcall.NewBreaker("party-svc", env.Telemetry).Before(id.Peers.Transport())
		client, err := httpcall.NewClient(cfg.PartyURL, credential, env.Telemetry, carrier)
		if err != nil {
			return fmt.Errorf("PARTY_URL: %w", err)
		}
		party.party = &services.PartyClient{HTTP: client}
	}

	s.access = &memberAccess{issuer: s.Issuer, sessions: redisstore.NewSessions(rdb, env.Now), rdb: rdb}
	s.Members = &members.Service{
		Store:   mongostore.NewMembers(db.Database()),
		Access:  s.access,
		Holders: party,
		Audit:   s.Audit,
		Now:     env.Now,
		Absence: cfg.MemberAbsence,
		KeyLife: cfg.KeyLife,
	}
	s.Issuer.Members = s.Members

	return nil
}

// checkMembers makes what asks the provider about members, after keepMembers.
func (s *surface) checkMembers(cfg Config, db *mongox.DB) error {
	keys, err := derived(cfg, "subrosa vouchers")
	if err != nil {
		return err
	}
	seal, err := secret.NewSealer(keys...)
	if err != nil {
		return err
	}
	s.access.tokens = mongostore.NewProviderTokens(db.Database(), seal)
	s.checks = &members.Checks{
		Service:  s.Members,
		Tokens:   s.access.tokens,
		Provider: s.signIn,
		Every:    cfg.MemberCheck,
		Log:      s.Log,
	}

	return nil
}
