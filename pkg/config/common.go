package config

import "time"

// Common are the settings of every service behind the gateway. The gateway has the same variables and other rules for
// them: no service calls it, so it needs no keys of others.
type Common struct {
	InternalKey   Secret        `env:"INTERNAL_KEY,required" help:"this service's signing seed for internal tokens"`
	InternalTrust string        `env:"INTERNAL_TRUST,required" help:"path of the file with the public keys of the services"`
	DrainDelay    time.Duration `env:"DRAIN_DELAY" envDefault:"5s" help:"how long requests are still served after the stop signal"`
}

// Documents are the settings of a service that keeps documents.
type Documents struct {
	MongoURI     Secret        `env:"MONGODB_URI,required" help:"address of MongoDB"`
	MongoTimeout time.Duration `env:"MONGODB_TIMEOUT" envDefault:"2s" least:"1ms" help:"time limit of one call to MongoDB"`
}
