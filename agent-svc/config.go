package agentsvc

import (
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/mcp/protocol"
	"github.com/subrosa-legal/subrosa/pkg/config"
)

// Config holds agent-svc's settings.
type Config struct {
	Addr         string        `env:"AGENT_ADDR" envDefault:":8083" help:"listen address"`
	InternalAddr string        `env:"AGENT_INTERNAL_ADDR" envDefault:":9083" help:"listen address of health and metrics"`
	RunsAtOnce   int           `env:"AGENT_RUNS_AT_ONCE" envDefault:"256" least:"1" help:"runs of this process at once"`
	RunsOfCaller int           `env:"AGENT_RUNS_PER_CALLER" envDefault:"8" least:"1" help:"runs of one caller at once at this process"`
	Streams      int           `env:"AGENT_STREAMS" envDefault:"2000" least:"1" help:"open streams of this process"`
	PerCaller    int           `env:"AGENT_STREAMS_PER_CALLER" envDefault:"8" least:"1" help:"open streams of one caller at this process"`
	Patience     time.Duration `env:"AGENT_STREAM_PATIENCE" envDefault:"2s" least:"1ms" help:"how long one write to a stream's reader may take"`
	Stagger      time.Duration `env:"AGENT_STREAM_STAGGER" envDefault:"5s" help:"time over which streams end when the process stops"`
	Keep         time.Duration `env:"AGENT_EVENTS_KEPT" envDefault:"24h" least:"1ms" help:"how long events are kept after a run's last one"`
	Lease        time.Duration `env:"AGENT_LEASE" envDefault:"9s" least:"1ms" help:"after how long without a sign of life a run counts as abandoned"`
	Sweep        time.Duration `env:"AGENT_SWEEP" envDefault:"3s" least:"1ms" help:"time between looks for runs whose process died; such a run is interrupted at the second look that finds nobody"`
	GiveUp       time.Duration `env:"AGENT_GIVE_UP" envDefault:"2m" least:"1ms" help:"after how long an interrupted run fails that no process could take up"`
	LineWait     time.Duration `env:"AGENT_LINE_WAIT" envDefault:"30s" least:"1ms" help:"how long a run waits for its branch"`

	MCPVersions []string `env:"AGENT_MCP_PROTOCOL_VERSIONS" help:"comma list of the MCP protocol versions offered; all by default"`

	MCPSigns time.Duration `env:"AGENT_MCP_SIGNS" envDefault:"8s" least:"1ms" help:"time between signs of life to a host that watches a call of a tool"`
	A2ARuns  int           `env:"AGENT_A2A_RUNS_PER_MINUTE" envDefault:"120" least:"1" help:"messages of one agent by the agent-to-agent protocol in a minute"`
	MCPRuns  int           `env:"AGENT_MCP_RUNS_PER_MINUTE" envDefault:"60" least:"1" help:"tasks and answers of one user through one application in a minute"`
	InFlight int           `env:"AGENT_IN_FLIGHT" envDefault:"200" least:"1" help:"requests served at once, streams and calls that wait apart"`

	SalesFacts string `env:"AGENT_SALES_FACTS" help:"path of the JSON file with what may be said of plans, limits and prices; none by default"`

	ModelConfig
	config.Public
	config.PeerTLS
	config.Debugging
	AuthURL       string        `env:"AUTH_URL,required" help:"address of auth-svc"`
	CaseURL       string        `env:"CASE_URL,required" help:"address of case-svc"`
	PartyURL      string        `env:"PARTY_URL,required" help:"address of party-svc"`
	RedisURL      config.Secret `env:"REDIS_URL,required" help:"address of Redis, or a comma list of a cluster's nodes"`
	InternalKey   config.Secret `env:"INTERNAL_KEY,required" help:"this service's signing seed for internal tokens"`
	InternalTrust string        `env:"INTERNAL_TRUST,required" help:"path of the file with the public keys of the services"`
	DrainDelay    time.Duration `env:"DRAIN_DELAY" envDefault:"5s" help:"how long requests are served on after the stop signal"`
}

// Problems checks what one variable alone cannot tell.
func (c Config) Problems() []string {
	all := append(c.Public.Problems(), c.ModelConfig.Problems()...)
	all = append(
		all,
		c.PeerTLS.Problems(map[string]string{"AUTH_URL": c.AuthURL, "CASE_URL": c.CaseURL, "PARTY_URL": c.PartyURL})...)
	if wrong := protocol.CheckVersions(c.MCPVersions); wrong != "" {
		all = append(all, "AGENT_MCP_PROTOCOL_VERSIONS "+wrong)
	}

	return all
}
