package authsvc

import (
	"time"

	"github.com/subrosa-legal/subrosa/pkg/config"
)

// Config holds auth-svc's settings.
type Config struct {
	Addr           string        `env:"AUTH_ADDR" envDefault:":8082" help:"listen address"`
	InternalAddr   string        `env:"AUTH_INTERNAL_ADDR" envDefault:":9082" help:"listen address of health and metrics"`
	SigningKeys    string        `env:"AUTH_SIGNING_KEYS,required" help:"path of the key ring that signs bearers, made by subrosa keys new; read again each minute"`
	Database       string        `env:"AUTH_DATABASE" envDefault:"subrosa_auth" help:"name of the database"`
	InFlight       int           `env:"AUTH_IN_FLIGHT" envDefault:"200" help:"requests served at once"`
	Pepper         config.Secret `env:"KEY_PEPPER,required" help:"pepper of the hashes of keys and tokens, made by subrosa keys new"`
	PepperPrevious config.Secret `env:"KEY_PEPPER_PREVIOUS" help:"the pepper before, while keys are moved to the new one"`

	BaseURL         string        `env:"BASE_URL,required" help:"public address of the service"`
	BrowserApp      string        `env:"BROWSER_APP_URL" help:"address of the browser app for deep links; BASE_URL by default"`
	RedisURL        config.Secret `env:"REDIS_URL,required" help:"address of Redis, or a comma list of a cluster's nodes"`
	MongoURI        config.Secret `env:"MONGODB_URI,required" help:"address of MongoDB"`
	MongoTimeout    time.Duration `env:"MONGODB_TIMEOUT" envDefault:"2s" help:"time for one call to MongoDB"`
	InternalTrust   string        `env:"INTERNAL_TRUST,required" help:"path of the file with the public keys of the services"`
	OIDCIssuer      string        `env:"OIDC_ISSUER,required" help:"issuer of users' access tokens"`
	OIDCAudience    string        `env:"OIDC_AUDIENCE,required" help:"audience that users' access tokens must have"`
	OIDCTenantClaim string        `env:"OIDC_TENANT_CLAIM" help:"claim that names the user's organization"`
	OIDCRolesClaim  string        `env:"OIDC_ROLES_CLAIM" envDefault:"roles" help:"claim that lists owner, member, admin"`
	OIDCCAFile      string        `env:"OIDC_CA_FILE" help:"certificates, in PEM, that the provider's address is checked against"`
	DrainDelay      time.Duration `env:"DRAIN_DELAY" envDefault:"5s" help:"how long requests are served on after the stop signal"`
}
