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
	RunsAtOnce   int           `env:"AGENT_RUNS_AT_ONCE" envDefault:"256" least:"1" help:"most runs at once in this process"`
	RunsOfCaller int           `env:"AGENT_RUNS_PER_CALLER" envDefault:"8" least:"1" help:"most runs at once of one caller in this process"`
	Streams      int           `env:"AGENT_STREAMS" envDefault:"2000" least:"1" help:"most open streams of this process"`
	PerCaller    int           `env:"AGENT_STREAMS_PER_CALLER" envDefault:"8" least:"1" help:"most open streams of one caller in this process"`
	Patience     time.Duration `env:"AGENT_STREAM_PATIENCE" envDefault:"2s" least:"1ms" help:"how long one write to a stream's reader may take"`
	Stagger      time.Duration `env:"AGENT_STREAM_STAGGER" envDefault:"5s" help:"time over which streams end when the process stops"`
	Keep         time.Duration `env:"AGENT_EVENTS_KEPT" envDefault:"24h" least:"1ms" help:"how long events are kept after a run's last one"`
	Lease        time.Duration `env:"AGENT_LEASE" envDefault:"9s" least:"1ms" help:"how long a run may go without a sign of life before it counts as abandoned"`
	Sweep        time.Duration `env:"AGENT_SWEEP" envDefault:"3s" least:"1ms" help:"time between checks for runs whose process died; the second check that finds no process interrupts the run"`
	GiveUp       time.Duration `env:"AGENT_GIVE_UP" envDefault:"2m" least:"1ms" help:"how long an interrupted run waits for a process to take it up before it fails"`
	LineWait     time.Duration `env:"AGENT_LINE_WAIT" envDefault:"30s" least:"1ms" help:"how long a run waits for its branch"`

	MCPVersions []string `env:"AGENT_MCP_PROTOCOL_VERSIONS" help:"comma list of the MCP protocol versions offered; all by default"`

	MCPSigns time.Duration `env:"AGENT_MCP_SIGNS" envDefault:"8s" least:"1ms" help:"time between progress messages to a host that waits for a tool call"`
	A2ARuns  int           `env:"AGENT_A2A_RUNS_PER_MINUTE" envDefault:"120" least:"1" help:"most messages per minute from one agent through the agent-to-agent protocol"`
	MCPRuns  int           `env:"AGENT_MCP_RUNS_PER_MINUTE" envDefault:"60" least:"1" help:"most tasks and answers per minute from one user through one application"`
	InFlight int           `env:"AGENT_IN_FLIGHT" envDefault:"200" least:"1" help:"most requests served at once, not counting streams and waiting calls"`

	SalesFacts string `env:"AGENT_SALES_FACTS" help:"JSON file with the plans, limits and prices that sales answers may state; none by default"`

	ModelConfig
	config.Public
	config.PeerTLS
	config.Debugging
	config.Common
	AuthURL  string        `env:"AUTH_URL,required" help:"address of auth-svc"`
	CaseURL  string        `env:"CASE_URL,required" help:"address of case-svc"`
	PartyURL string        `env:"PARTY_URL,required" help:"address of party-svc"`
	RedisURL config.Secret `env:"REDIS_URL,required" help:"address of Redis, or a comma list of a cluster's nodes"`
}

// Problems checks what one variable alone cannot tell.
func (c Config) Problems() []string {
	all := append(c.Public.Problems(), c.ModelConfig.Problems()...)
	peers := map[string]string{"AUTH_URL": c.AuthURL, "CASE_URL": c.CaseURL, "PARTY_URL": c.PartyURL}

	all = append(all, c.PeerTLS.Problems(peers)...)
	if wrong := protocol.CheckVersions(c.MCPVersions); wrong != "" {
		all = append(all, "AGENT_MCP_PROTOCOL_VERSIONS "+wrong)
	}

	return all
}
