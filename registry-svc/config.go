package registrysvc

import (
	"net/netip"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/config"
	"github.com/subrosa-legal/subrosa/pkg/egress"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
)

// Config holds registry-svc's settings.
type Config struct {
	Addr         string        `env:"REGISTRY_ADDR" envDefault:":8081" help:"listen address"`
	InternalAddr string        `env:"REGISTRY_INTERNAL_ADDR" envDefault:":9081" help:"listen address of health and metrics"`
	Database     string        `env:"REGISTRY_DATABASE" envDefault:"subrosa_registry" help:"name of the database"`
	InFlight     int           `env:"REGISTRY_IN_FLIGHT" envDefault:"200" least:"1" help:"requests served at once"`
	TokenLife    time.Duration `env:"REGISTRY_TOKEN_LIFE" envDefault:"10m" help:"how long a registration token is valid; the interface fixes ten minutes, other values are for tests"`
	Lease        time.Duration `env:"REGISTRY_LEASE" envDefault:"30s" least:"100ms" help:"how long one registration may take before its token may be tried again"`
	SweepEvery   time.Duration `env:"REGISTRY_SWEEP" envDefault:"30s" least:"1ms" help:"how often half-finished registrations are completed or undone"`
	CardTime     time.Duration `env:"REGISTRY_CARD_TIME" envDefault:"5s" least:"1ms" help:"time limit for fetching one card"`
	CardAtOnce   int           `env:"REGISTRY_CARD_AT_ONCE" envDefault:"8" least:"1" help:"most cards fetched at once"`
	CardPerHour  int           `env:"REGISTRY_CARD_PER_HOUR" envDefault:"10" least:"1" help:"most card fetches for registration per user and hour"`
	CardKeys     string        `env:"REGISTRY_CARD_KEYS" help:"file with a JSON Web Key Set: the public keys whose signatures on agent cards are trusted"`
	CardDeny     []string      `env:"REGISTRY_CARD_DENY" help:"comma list of further address prefixes that are never called: pods, services, own egress"`
	CardDevAllow []string      `env:"REGISTRY_CARD_DEV_ALLOW" help:"development only: address:port pairs, or 127.0.0.1:*, from which cards may be fetched"`
	CardDevCA    string        `env:"REGISTRY_CARD_DEV_CA" help:"development only: file of a local CA that cards' hosts may use"`

	Environment string `env:"ENVIRONMENT" envDefault:"production" help:"production or development; production refuses development-only settings"`
	config.Public
	config.PeerTLS
	config.Debugging
	config.Common
	config.Documents
	AuthURL  string        `env:"AUTH_URL,required" help:"address of auth-svc"`
	Pepper   config.Secret `env:"KEY_PEPPER,required" help:"pepper of the hashes of keys and tokens, made by subrosa keys new"`
	RedisURL config.Secret `env:"REDIS_URL,required" help:"address of Redis, or a comma list of a cluster's nodes"`
}

// service names the service and its database.
func (c Config) service() mongox.Service {
	return mongox.Service{
		Documents: c.Documents,
		Name:      "registry-svc",
		Database:  c.Database,
		Setting:   "REGISTRY_DATABASE",
	}
}

// Problems checks what one variable alone cannot tell.
func (c Config) Problems() []string {
	all := c.Public.Problems()
	all = append(all, c.PeerTLS.Problems(map[string]string{"AUTH_URL": c.AuthURL})...)
	if c.Environment != "production" && c.Environment != "development" {
		all = append(all, "ENVIRONMENT must be production or development")
	}
	if c.Environment == "production" && (len(c.CardDevAllow) > 0 || c.CardDevCA != "") {
		all = append(all, "REGISTRY_CARD_DEV_ALLOW and REGISTRY_CARD_DEV_CA are refused in production")
	}
	if _, ok := egress.ParsePeers(c.CardDevAllow); !ok {
		all = append(all, "REGISTRY_CARD_DEV_ALLOW must be exact address:port pairs, or 127.0.0.1:*")
	}

	for _, p := range c.CardDeny {
		if _, err := netip.ParsePrefix(p); err != nil {
			all = append(all, "REGISTRY_CARD_DENY must be prefixes such as 10.0.0.0/8")
		}
	}
	if c.TokenLife <= 0 || c.TokenLife > 10*time.Minute {
		all = append(all, "REGISTRY_TOKEN_LIFE must be more than nothing and at most 10m")
	}

	return all
}
