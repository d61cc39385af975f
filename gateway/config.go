package gateway

import (
	"net/netip"
	"net/url"
	"time"

	"github.com/subrosa-legal/subrosa/gateway/internal/edge"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/config"
)

// Config holds the gateway's settings.
type Config struct {
	Addr         string `env:"GATEWAY_ADDR" envDefault:":8443" help:"listen address of the interface (HTTPS)"`
	InternalAddr string `env:"GATEWAY_INTERNAL_ADDR" envDefault:":9443" help:"listen address of health and metrics; keep it on the internal network"`
	CertFile     string `env:"GATEWAY_TLS_CERT_FILE,required" help:"certificate chain in PEM, read again when it changes"`
	KeyFile      string `env:"GATEWAY_TLS_KEY_FILE,required" help:"private key in PEM, read again when it changes"`

	TrustedProxies []string `env:"GATEWAY_TRUSTED_PROXIES" help:"comma list of address prefixes of proxies whose X-Forwarded-For is trusted; none by default"`
	TrustedOrigins []string `env:"GATEWAY_TRUSTED_ORIGINS" help:"comma list of web origins, besides BASE_URL, whose pages may call the MCP endpoint; none by default"`

	Hosts []string `env:"GATEWAY_HOSTS" help:"comma list of hosts that requests may name besides the host of BASE_URL, such as app.example.com or localhost:* (any port); others get 421; none by default"`

	TrustedTraces []string `env:"GATEWAY_TRUSTED_TRACES" help:"comma list of address prefixes of proxies whose traces (traceparent) are continued; none by default"`

	DrainDelay     time.Duration `env:"DRAIN_DELAY" envDefault:"5s" help:"how long requests are still served after the stop signal"`
	CallTime       time.Duration `env:"GATEWAY_CALL_TIME" envDefault:"10s" least:"1ms" help:"time limit of a call that is neither a stream nor a transfer"`
	StreamPatience time.Duration `env:"GATEWAY_STREAM_PATIENCE" envDefault:"2s" least:"1ms" help:"time limit of one write to a stream's reader"`
	StreamStagger  time.Duration `env:"GATEWAY_STREAM_STAGGER" envDefault:"5s" help:"time over which streams end when the process stops"`
	UploadTime     time.Duration `env:"GATEWAY_UPLOAD_TIME" envDefault:"5m" least:"1ms" help:"time limit of a whole upload"`
	DownloadTime   time.Duration `env:"GATEWAY_DOWNLOAD_TIME" envDefault:"15m" least:"1ms" help:"time limit of a whole download, however steadily it is read"`
	ToolTime       time.Duration `env:"GATEWAY_TOOL_TIME" envDefault:"300s" least:"1ms" help:"time limit of one call of the MCP endpoint"`

	MaxUpload      int64  `env:"GATEWAY_MAX_UPLOAD_BYTES" envDefault:"272629760" help:"most bytes of one upload request: ten files of 25 MiB and their framing"`
	WASMDir        string `env:"GATEWAY_WASM_DIR" help:"folder with the files that make wasm builds; without it browsers cannot read and check documents"`
	InFlight       int    `env:"GATEWAY_IN_FLIGHT" envDefault:"1000" least:"1" help:"calls served at once, besides streams, uploads and downloads"`
	Downloads      int    `env:"GATEWAY_DOWNLOADS" envDefault:"64" least:"1" help:"files and exports sent at once"`
	CallerDownload int    `env:"GATEWAY_DOWNLOADS_PER_CALLER" envDefault:"2" least:"1" help:"files and exports sent to one caller at once"`
	BodyRoom       int64  `env:"GATEWAY_BODY_ROOM" envDefault:"67108864" least:"2097152" help:"bytes of memory for request bodies being received, not counting uploads"`

	BaseURL     string        `env:"BASE_URL,required" help:"public address of the service, https, without a slash at its end"`
	RedisURL    config.Secret `env:"REDIS_URL,required" help:"address of Redis, or a comma list of a cluster's nodes"`
	InternalKey config.Secret `env:"INTERNAL_KEY,required" help:"this service's signing seed for internal tokens, made by subrosa keys new"`

	// The gateway is called by no service. It compares, so that a wrong key is found at its start and not by whoever
	// calls it.
	InternalTrust string `env:"INTERNAL_TRUST" help:"file with the public keys of the services; INTERNAL_KEY is checked against it"`

	RegistryURL string `env:"REGISTRY_URL,required" help:"address of registry-svc"`
	AuthURL     string `env:"AUTH_URL,required" help:"address of auth-svc"`
	AgentURL    string `env:"AGENT_URL,required" help:"address of agent-svc"`
	CaseURL     string `env:"CASE_URL,required" help:"address of case-svc"`
	PartyURL    string `env:"PARTY_URL,required" help:"address of party-svc"`

	OIDCIssuer      string `env:"OIDC_ISSUER,required" help:"issuer of users' access tokens"`
	OIDCAudience    string `env:"OIDC_AUDIENCE,required" help:"audience that users' access tokens must have"`
	OIDCTenantClaim string `env:"OIDC_TENANT_CLAIM" help:"path of the claim that names the user's organization; without it each user is a tenant"`
	OIDCRolesClaim  string `env:"OIDC_ROLES_CLAIM" help:"path of the claim that lists owner, member, admin; roles by default"`
	OIDCSingleUsers bool   `env:"OIDC_SINGLE_USERS" help:"let users without the tenant claim sign in, each as a tenant of one"`
	OIDCCAFile      string `env:"OIDC_CA_FILE" help:"certificates in PEM to check the provider's address; the system's by default"`

	config.Asked
	config.PeerTLS
	config.Debugging
	Rates
}

// Rates are the sizes of the rate limits. Registrations are those of agents and of applications. A host of applications
// asks for the tokens of all its users from a few addresses, and a firm may share one address for the app.
type Rates struct {
	TokenPerMinute        int `env:"GATEWAY_RATE_TOKEN" envDefault:"20" least:"1" help:"POST /v1/auth/token per address and minute"`
	OAuthPerMinute        int `env:"GATEWAY_RATE_OAUTH_TOKEN" envDefault:"600" least:"1" help:"POST /oauth/token per address and minute; hosted applications refresh for all their users from a few addresses"`
	RegisterPerMinute     int `env:"GATEWAY_RATE_REGISTER" envDefault:"10" least:"1" help:"POST /v1/agents/register and POST /oauth/register per address and minute"`
	RegistrationPerHour   int `env:"GATEWAY_RATE_REGISTRATION_TOKEN" envDefault:"10" least:"1" help:"registration tokens per user and hour"`
	RunsPerMinute         int `env:"GATEWAY_RATE_RUN" envDefault:"60" least:"1" help:"POST /v1/agent per caller and minute"`
	CallsPerMinute        int `env:"GATEWAY_RATE_CALLS" envDefault:"600" least:"1" help:"other calls per caller and minute"`
	AnonymousPerMinute    int `env:"GATEWAY_RATE_ADDRESS" envDefault:"120" least:"1" help:"calls without a valid credential, per address and minute"`
	AssetsPerMinute       int `env:"GATEWAY_RATE_ASSETS" envDefault:"3000" least:"1" help:"the browser app's page, files and session checks per address and minute; a firm may share one address"`
	StreamsPerCallerShown int `env:"AGENT_STREAMS_PER_CALLER" envDefault:"8" help:"streams at once, as GET /v1/me reports them; agent-svc enforces it"`
}

// Problems checks what one variable alone cannot tell.
func (c Config) Problems() []string {
	all := c.PeerTLS.Problems(map[string]string{
		"REGISTRY_URL": c.RegistryURL,
		"AUTH_URL":     c.AuthURL,
		"AGENT_URL":    c.AgentURL,
		"CASE_URL":     c.CaseURL,
		"PARTY_URL":    c.PartyURL,
	})
	u, err := url.Parse(c.BaseURL)
	// Tokens, cookies and links are made for this address; a path or a slash at its end would make two spellings of it.
	origin := err == nil && u.Scheme == "https" && u.Host != ""
	if !origin || u.Path != "" || u.RawQuery != "" {
		all = append(all, "BASE_URL must be https://host[:port] without a path")
	}

	for name, prefixes := range map[string][]string{
		"GATEWAY_TRUSTED_PROXIES": c.TrustedProxies,
		"GATEWAY_TRUSTED_TRACES":  c.TrustedTraces,
	} {
		for _, p := range prefixes {
			// An IPv4 address in the form of IPv6 would never match: addresses are compared as IPv4.
			if prefix, err := netip.ParsePrefix(p); err != nil || prefix.Addr().Is4In6() {
				all = append(all, name+" must be prefixes such as 10.0.0.0/8")
			}
		}
	}

	for _, host := range c.Hosts {
		if !edge.ValidHost(host) {
			all = append(all, "GATEWAY_HOSTS must be hosts such as app.example.com or app.example.com:8443")
		}
	}

	for _, o := range c.TrustedOrigins {
		if _, err := edge.Origin(o); err != nil {
			all = append(all, "GATEWAY_TRUSTED_ORIGINS must be origins such as https://app.example.com")
		}
	}
	all = append(all, config.Issuer(c.OIDCIssuer)...)
	all = append(all, c.Asked.Problems(access.GrantScopes())...)

	return all
}
