package agentsvc

import (
	"time"

	"github.com/subrosa-legal/subrosa/pkg/config"
)

// Config holds agent-svc's settings.
type Config struct {
	Addr         string        `env:"AGENT_ADDR" envDefault:":8083" help:"listen address"`
	InternalAddr string        `env:"AGENT_INTERNAL_ADDR" envDefault:":9083" help:"listen address of health and metrics"`
	RunsAtOnce   int           `env:"AGENT_RUNS_AT_ONCE" envDefault:"256" help:"runs of this process at once"`
	Streams      int           `env:"AGENT_STREAMS" envDefault:"2000" help:"open streams of this process"`
	PerCaller    int           `env:"AGENT_STREAMS_PER_CALLER" envDefault:"8" help:"open streams of one caller at this process"`
	Patience     time.Duration `env:"AGENT_STREAM_PATIENCE" envDefault:"2s" help:"how long one write to a stream's reader may take"`
	Stagger      time.Duration `env:"AGENT_STREAM_STAGGER" envDefault:"5s" help:"time over which streams end when the process stops"`
	Keep         time.Duration `env:"AGENT_EVENTS_KEPT" envDefault:"24h" help:"how long events are kept after a run's last one"`
	Lease        time.Duration `env:"AGENT_LEASE" envDefault:"9s" help:"after how long without a sign of life a run counts as abandoned"`
	Sweep        time.Duration `env:"AGENT_SWEEP" envDefault:"30s" help:"time between looks for abandoned runs"`
	GiveUp       time.Duration `env:"AGENT_GIVE_UP" envDefault:"15m" help:"after how long an interrupted run fails"`

	BaseURL       string        `env:"BASE_URL,required" help:"public address of the service"`
	BrowserApp    string        `env:"BROWSER_APP_URL" help:"address of the browser app for deep links; BASE_URL by default"`
	CaseURL       string        `env:"CASE_URL,required" help:"address of case-svc"`
	RedisURL      config.Secret `env:"REDIS_URL,required" help:"address of Redis, or a comma list of a cluster's nodes"`
	InternalKey   config.Secret `env:"INTERNAL_KEY,required" help:"this service's signing seed for internal tokens"`
	InternalTrust string        `env:"INTERNAL_TRUST,required" help:"path of the file with the public keys of the services"`
	DrainDelay    time.Duration `env:"DRAIN_DELAY" envDefault:"5s" help:"how long requests are served on after the stop signal"`
}

// Problems checks what one variable alone cannot tell.
func (c Config) Problems() []string {
	var all []string
	if c.RunsAtOnce < 1 || c.Streams < 1 || c.PerCaller < 1 {
		all = append(all, "AGENT_RUNS_AT_ONCE, AGENT_STREAMS and AGENT_STREAMS_PER_CALLER must be at least 1")
	}
	for name, d := range map[string]time.Duration{
		"AGENT_STREAM_PATIENCE": c.Patience, "AGENT_EVENTS_KEPT": c.Keep, "AGENT_LEASE": c.Lease, "AGENT_SWEEP": c.Sweep, "AGENT_GIVE_UP": c.GiveUp,
	} {
		if d <= 0 {
			all = append(all, name+" must be more than nothing")
		}
	}
	return all
}
