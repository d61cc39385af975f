package authsvc

import (
	"crypto/hkdf"
	"crypto/sha256"
	"crypto/x509"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"strings"

	"github.com/redis/go-redis/v9"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/clientdoc"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/oauth"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/redisstore"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/sessionapi"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/sessions"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/signin"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/authn/provider"
	"github.com/subrosa-legal/subrosa/pkg/config"
	"github.com/subrosa-legal/subrosa/pkg/egress"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/launch"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
	"github.com/subrosa-legal/subrosa/pkg/redisx"
	"github.com/subrosa-legal/subrosa/pkg/strictjson"
)

// authorize makes the authorization server and the sign-in of the browser app, after connect.
func (s *surface) authorize(cfg Config, env launch.Env, db *mongox.DB, rdb redis.UniversalClient) error {
	tokens, err := refreshTokens(cfg)
	if err != nil {
		return err
	}
	guard, err := documentGuard(cfg, env)
	if err != nil {
		return err
	}
	secret := cfg.CursorSecret(config.Secret{})
	if s.Cursors, err = httpx.NewCursors[string]("auth-svc grants", secret, env.Now); err != nil {
		return err
	}
	base, log := strings.TrimRight(cfg.BaseURL, "/"), env.Telemetry.Log
	audience := ""
	if cfg.OIDCSend {
		audience = cfg.OIDCAudience
	}
	provider := signin.Config{
		Issuer:       cfg.OIDCIssuer,
		ClientID:     cfg.OIDCClientID,
		Secret:       cfg.OIDCSecret.Reveal(),
		Redirect:     base + "/oauth/callback",
		Scopes:       strings.Fields(cfg.OIDCScopes),
		SendAudience: audience,
		Transport:    s.transport,
		Now:          env.Now,
	}
	s.signIn = signin.New(provider, s.Users)
	if err := s.checkMembers(cfg, db); err != nil {
		return err
	}
	provider.Redirect = base + "/auth/callback"
	s.live = &authn.Sessions{Records: redisx.Values{Client: rdb}, Now: env.Now}
	signedIn := &sessions.Service{
		Logins:  redisstore.NewLogins(rdb, env.Now),
		Store:   redisstore.NewSessions(rdb, env.Now),
		Reader:  s.live,
		Members: s.Members,
		Audit:   s.Audit,
		Life:    cfg.SessionLife,
		Most:    cfg.SessionsPerUser,
		Now:     env.Now,
	}
	s.browsers = sessionapi.API{
		Base:     base,
		Log:      log,
		SignIn:   signin.New(provider, s.Users),
		Sessions: signedIn,
	}
	s.browsers.Tokens = s.checks
	grants := mongostore.NewGrants(db.Database())
	s.OAuth = &oauth.Server{
		Issuer:   base,
		Requests: redisstore.NewRequests(rdb, env.Now),
		Codes:    redisstore.NewCodes(rdb, env.Now),
		Fresh:    redisstore.NewFreshClients(rdb, env.Now),
		Clients:  mongostore.NewClients(db.Database()),
		Grants:   grants,
		Old:      grants,
		Live:     redisstore.NewLiveGrants(rdb, env.Now),
		Members:  s.Members,
		Documents: clientdoc.New(clientdoc.Config{
			Guard:     guard,
			Cache:     redisstore.NewDocuments(rdb, env.Now),
			AtOnce:    cfg.DocAtOnce,
			PerCaller: cfg.DocPerCaller,
			PerHost:   cfg.DocPerHost,
			Log:       log,
		}),
		Audit:         s.Audit,
		Ring:          s.ring,
		Refresh:       tokens,
		Now:           env.Now,
		Registrations: cfg.Registrations,
	}

	s.access.oauth = s.OAuth

	return s.enterprise(cfg, env, rdb)
}

// enterprise lets the identity providers of firms let applications in, where the settings name firms.
func (s *surface) enterprise(cfg Config, env launch.Env, rdb redis.UniversalClient) error {
	issuers := cfg.jagIssuers()
	if len(issuers) == 0 {
		return nil
	}
	assertions, err := provider.NewAssertions(provider.UsersConfig{
		Audience:    s.OAuth.Issuer,
		TenantClaim: cfg.OIDCTenantClaim,
		RolesClaim:  cfg.OIDCRolesClaim,
		Log:         env.Telemetry.Log,
		Transport:   s.transport,
		Now:         env.Now,
	}, issuers)
	if err != nil {
		return fmt.Errorf("AUTH_ID_JAG_ISSUERS: %w", err)
	}
	if cfg.JAGClients != "" {
		text, err := os.ReadFile(cfg.JAGClients)
		if err != nil {
			return fmt.Errorf("AUTH_ID_JAG_CLIENTS: %w", err)
		}
		s.OAuth.Enterprise, err = oauth.NewEnterpriseClients(text, strictjson.Decode, strictjson.DecodeStranger)
		if err != nil {
			return fmt.Errorf("AUTH_ID_JAG_CLIENTS: %w", err)
		}
	}
	s.OAuth.Assertions, s.OAuth.Uses = assertions, redisstore.NewUses(rdb, env.Now)

	return nil
}

// refreshTokens derives the keys of refresh tokens from the pepper, so that there is no further secret to keep.
func refreshTokens(cfg Config) (oauth.RefreshTokens, error) {
	keys, err := derived(cfg, "subrosa refresh tokens")
	if err != nil {
		return oauth.RefreshTokens{}, err
	}

	return oauth.NewRefreshTokens(keys[0], keys[1:]...), nil
}

// derived returns the keys of a purpose, that of the newest pepper first.
func derived(cfg Config, purpose string) (keys [][]byte, err error) {
	for _, pepper := range []config.Secret{cfg.Pepper, cfg.PepperPrevious} {
		if !pepper.IsSet() {
			continue
		}
		key, err := hkdf.Key(sha256.New, []byte(strings.TrimSpace(pepper.Reveal())), nil, purpose, sha256.Size)
		if err != nil {
			return nil, fmt.Errorf("derive the key of %s: %w", purpose, err)
		}
		keys = append(keys, key)
	}

	return keys, nil
}

func documentGuard(cfg Config, env launch.Env) (*egress.Guard, error) {
	g := egress.Config{Log: env.Telemetry.Log}

	g.Dev, _ = egress.ParsePeers(cfg.DocDevAllow) // Problems has looked at it
	for _, p := range cfg.DocDeny {
		g.Deny = append(g.Deny, netip.MustParsePrefix(p)) // likewise
	}
	if cfg.DocDevCA != "" {
		pem, err := os.ReadFile(cfg.DocDevCA)
		g.Roots = x509.NewCertPool()
		if err != nil || !g.Roots.AppendCertsFromPEM(pem) {
			return nil, errors.New("AUTH_CLIENT_DEV_CA holds no certificate that can be read")
		}
	}

	return egress.New(g), nil
}
