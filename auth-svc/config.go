package authsvc

import (
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/config"
	"github.com/subrosa-legal/subrosa/pkg/egress"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
)

// Config holds auth-svc's settings.
type Config struct {
	Addr            string        `env:"AUTH_ADDR" envDefault:":8082" help:"listen address"`
	InternalAddr    string        `env:"AUTH_INTERNAL_ADDR" envDefault:":9082" help:"listen address of health and metrics"`
	SigningKeys     string        `env:"AUTH_SIGNING_KEYS,required" help:"path of the key ring that signs bearers, made by subrosa keys new; read again each minute"`
	Database        string        `env:"AUTH_DATABASE" envDefault:"subrosa_auth" help:"name of the database"`
	InFlight        int           `env:"AUTH_IN_FLIGHT" envDefault:"200" least:"1" help:"requests served at once"`
	Pepper          config.Secret `env:"KEY_PEPPER,required" help:"pepper of the hashes of keys and tokens, made by subrosa keys new"`
	SweepEvery      time.Duration `env:"AUTH_SWEEP" envDefault:"1m" least:"1ms" help:"how often ended grants are cleaned up and old ones removed"`
	SessionLife     time.Duration `env:"AUTH_SESSION_LIFE" envDefault:"12h" help:"how long a browser stays signed in, active or not"`
	SessionsPerUser int           `env:"AUTH_SESSIONS_PER_USER" envDefault:"20" least:"1" help:"most browser sessions of one user; a further sign-in ends the oldest"`
	Registrations   int           `env:"AUTH_REGISTRATIONS" envDefault:"300" least:"1" help:"most applications that one address may register per day"`
	DocAtOnce       int           `env:"AUTH_CLIENT_AT_ONCE" envDefault:"8" least:"1" help:"most descriptions of applications fetched at once"`
	DocPerCaller    int           `env:"AUTH_CLIENT_PER_CALLER" envDefault:"30" least:"1" help:"most descriptions of new applications fetched per hour for one client address"`
	DocPerHost      int           `env:"AUTH_CLIENT_PER_HOST" envDefault:"120" least:"1" help:"most descriptions of new applications fetched per hour from one host"`
	DocDeny         []string      `env:"AUTH_CLIENT_DENY" help:"comma list of further address prefixes that are never called: pods, services, own egress"`
	DocDevAllow     []string      `env:"AUTH_CLIENT_DEV_ALLOW" help:"development only: address:port pairs, or 127.0.0.1:*, from which descriptions of applications may be fetched"`
	DocDevCA        string        `env:"AUTH_CLIENT_DEV_CA" help:"development only: file of a local CA that their hosts may use"`
	A2ABaseURL      string        `env:"AUTH_A2A_BASE_URL" help:"address under which agents reach /a2a, where a gateway in front has another one than BASE_URL; the signed card names it"`
	MemberAbsence   time.Duration `env:"AUTH_MEMBER_ABSENCE" envDefault:"0" help:"how long a member may go without signing in before losing access until the next sign-in; 0 means for ever"`
	MemberCheck     time.Duration `env:"AUTH_MEMBER_CHECK" envDefault:"0" help:"how often the identity provider is asked whether it still knows a member; needs offline_access in OIDC_SCOPES. 0 means never"`
	KeyLife         time.Duration `env:"AUTH_KEY_LIFE" envDefault:"0" help:"how long an agent's API key is valid; 0 means for ever"`
	PartyURL        string        `env:"PARTY_URL" help:"address of party-svc, which knows who holds the firm's key; without it no member can be offboarded"`
	PepperPrevious  config.Secret `env:"KEY_PEPPER_PREVIOUS" help:"the previous pepper, while keys move to the new one"`

	Environment string `env:"ENVIRONMENT" envDefault:"production" help:"production or development; production refuses development-only settings"`
	config.Public
	config.Asked
	config.PeerTLS
	config.Debugging
	config.Common
	config.Documents
	RedisURL        config.Secret `env:"REDIS_URL,required" help:"address of Redis, or a comma list of a cluster's nodes"`
	OIDCIssuer      string        `env:"OIDC_ISSUER,required" help:"issuer of users' access tokens"`
	OIDCAudience    string        `env:"OIDC_AUDIENCE,required" help:"audience that users' access tokens must have"`
	OIDCTenantClaim string        `env:"OIDC_TENANT_CLAIM" help:"path of the claim that names the user's organization"`
	OIDCRolesClaim  string        `env:"OIDC_ROLES_CLAIM" help:"path of the claim that lists owner, member, admin; roles by default"`
	OIDCSingleUsers bool          `env:"OIDC_SINGLE_USERS" help:"let users without the tenant claim sign in, each as a tenant of one"`
	OIDCCAFile      string        `env:"OIDC_CA_FILE" help:"certificates, in PEM, that the provider's address is checked against"`
	OIDCClientID    string        `env:"OIDC_CLIENT_ID" help:"this service's client id at the provider, with the redirect addresses BASE_URL/auth/callback and BASE_URL/oauth/callback and the post-logout address BASE_URL/; without it nobody can sign in with a browser or connect an application"`
	OIDCSecret      config.Secret `env:"OIDC_CLIENT_SECRET" help:"that client's secret, if it has one"`
	OIDCScopes      string        `env:"OIDC_SCOPES" envDefault:"openid profile email" help:"scopes asked for when a person signs in; openid must be one"`
	OIDCSend        bool          `env:"OIDC_SEND_AUDIENCE" envDefault:"false" help:"send OIDC_AUDIENCE as the parameter audience, for providers that choose the token's audience by it"`
	JAGIssuers      []string      `env:"AUTH_ID_JAG_ISSUERS" help:"comma list of organization=issuer: firms whose identity provider lets applications in by itself (ID-JAG); none by default"`
	JAGClients      string        `env:"AUTH_ID_JAG_CLIENTS" help:"path of a JSON file with the applications that are registered in advance for it: an array of client_id, client_name and jwks with public keys"`
}

// service names the service and its database.
func (c Config) service() mongox.Service {
	return mongox.Service{
		Documents: c.Documents,
		Name:      "auth-svc",
		Database:  c.Database,
		Setting:   "AUTH_DATABASE",
	}
}

// Problems checks what one variable alone cannot tell.
func (c Config) Problems() []string {
	all := slices.Concat(c.Public.Problems(), c.Asked.Problems(access.GrantScopes()))
	all = append(all, c.PeerTLS.Problems(map[string]string{"PARTY_URL": c.PartyURL})...)
	if c.MemberAbsence != 0 && c.MemberAbsence < 24*time.Hour || c.KeyLife != 0 && c.KeyLife < time.Hour {
		all = append(all, "AUTH_MEMBER_ABSENCE must be 0 or at least 24h, and AUTH_KEY_LIFE 0 or at least 1h")
	}
	lasting := slices.Contains(strings.Fields(c.OIDCScopes), "offline_access")
	if c.MemberCheck != 0 && (c.MemberCheck < time.Hour || !lasting) {
		all = append(all, "AUTH_MEMBER_CHECK must be 0 or at least 1h, and needs offline_access in OIDC_SCOPES")
	}
	all = append(all, config.Issuer(c.OIDCIssuer)...)
	if c.Environment != "production" && c.Environment != "development" {
		all = append(all, "ENVIRONMENT must be production or development")
	}
	if c.Environment == "production" && (len(c.DocDevAllow) > 0 || c.DocDevCA != "") {
		all = append(all, "AUTH_CLIENT_DEV_ALLOW and AUTH_CLIENT_DEV_CA are refused in production")
	}
	if _, ok := egress.ParsePeers(c.DocDevAllow); !ok {
		all = append(all, "AUTH_CLIENT_DEV_ALLOW must be exact address:port pairs, or 127.0.0.1:*")
	}

	for _, p := range c.DocDeny {
		if _, err := netip.ParsePrefix(p); err != nil {
			all = append(all, "AUTH_CLIENT_DENY must be prefixes such as 10.0.0.0/8")
		}
	}
	if !slices.Contains(strings.Fields(c.OIDCScopes), "openid") {
		all = append(all, "OIDC_SCOPES must have openid")
	}
	all = append(all, c.jagProblems()...)
	if c.SessionLife < time.Minute || c.SessionLife > 30*24*time.Hour {
		all = append(all, "AUTH_SESSION_LIFE must be between 1m and 720h")
	}

	return all
}

// jagProblems checks the settings of grants that firms' providers give.
func (c Config) jagProblems() (all []string) {
	for organization, issuer := range c.jagIssuers() {
		if organization == "" || issuer == "" || len(config.Issuer(issuer)) > 0 {
			all = append(all, "AUTH_ID_JAG_ISSUERS must be a comma list such as oak=https://id.oak.example")
		}
	}
	if len(c.jagIssuers()) < len(c.JAGIssuers) {
		all = append(all, "AUTH_ID_JAG_ISSUERS names an organization twice: give each its one issuer")
	}
	if len(c.JAGIssuers) > 0 && c.OIDCTenantClaim == "" {
		all = append(all, "AUTH_ID_JAG_ISSUERS needs OIDC_TENANT_CLAIM, which names the organization of a user")
	}

	return all
}

// jagIssuers are the issuers by organization.
func (c Config) jagIssuers() map[string]string {
	issuers := map[string]string{}

	for _, pair := range c.JAGIssuers {
		organization, issuer, _ := strings.Cut(pair, "=")
		issuers[strings.TrimSpace(organization)] = strings.TrimSpace(issuer)
	}

	return issuers
}
