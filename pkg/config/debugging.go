package config

// Debugging are settings for whoever looks into a running service.
type Debugging struct {
	Profiles bool `env:"INTERNAL_PROFILES" envDefault:"false" help:"serve profiles for go tool pprof under /debug/pprof/ on the internal address"`
}
