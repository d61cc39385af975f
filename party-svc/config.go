package partysvc

import (
	"time"

	"github.com/subrosa-legal/subrosa/pkg/config"
	"github.com/subrosa-legal/subrosa/pkg/mongox"
)

// Config holds party-svc's settings.
type Config struct {
	Addr         string        `env:"PARTY_ADDR" envDefault:"127.0.0.1:8085" help:"listen address"`
	InternalAddr string        `env:"PARTY_INTERNAL_ADDR" help:"listen address of health and metrics; none by default"`
	Database     string        `env:"PARTY_DATABASE" envDefault:"subrosa_party" help:"name of the database"`
	InFlight     int           `env:"PARTY_IN_FLIGHT" envDefault:"200" least:"1" help:"requests served at once"`
	SweepEvery   time.Duration `env:"PARTY_SWEEP_EVERY" envDefault:"10s" least:"1ms" help:"how often expired and half-finished work is cleaned up"`
	// CursorKey by default is derived from INTERNAL_KEY.
	CursorKey config.Secret `env:"PARTY_CURSOR_KEY" help:"secret that protects list cursors, the same on all replicas; derived from INTERNAL_KEY by default"`

	config.Public
	config.PeerTLS
	config.Debugging
	config.Common
	config.Documents
	CaseURL string `env:"CASE_URL,required" help:"address of case-svc"`
}

// service names the service and its database.
func (c Config) service() mongox.Service {
	return mongox.Service{
		Documents: c.Documents,
		Name:      name,
		Database:  c.Database,
		Setting:   "PARTY_DATABASE",
	}
}

// Problems checks what one variable alone cannot tell.
func (c Config) Problems() []string {
	all := append(c.Public.Problems(), config.CursorProblems("PARTY_CURSOR_KEY", c.CursorKey)...)
	return append(all, c.PeerTLS.Problems(map[string]string{"CASE_URL": c.CaseURL})...)
}
