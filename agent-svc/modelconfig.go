package agentsvc

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/legal/modelengine"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/model"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/model/anthropicapi"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/model/openaiapi"
	"github.com/subrosa-legal/subrosa/pkg/config"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
)

// ModelConfig holds the settings of the language model. Without a provider there is none, and rules answer everything.
type ModelConfig struct {
	Provider    string        `env:"AGENT_MODEL_PROVIDER" help:"API of the language model's server: anthropic, or openai (also for Ollama and vLLM); empty for no model"`
	URL         string        `env:"AGENT_MODEL_URL" help:"address of that server, such as https://api.anthropic.com or http://ollama:11434/v1"`
	Name        string        `env:"AGENT_MODEL_NAME" help:"name of the model there"`
	Key         config.Secret `env:"AGENT_MODEL_KEY" help:"key for that server; a local server may need none"`
	CA          string        `env:"AGENT_MODEL_CA_FILE" help:"PEM file with the certificates that the server's certificate is checked against; the system's by default"`
	Local       bool          `env:"AGENT_MODEL_LOCAL" envDefault:"false" help:"whether the operator runs that server; cases can allow local models only"`
	Trains      string        `env:"AGENT_MODEL_TRAINS_ON_INPUT" help:"data terms: whether the provider trains on what it is sent; must be false"`
	Retention   int           `env:"AGENT_MODEL_RETENTION_DAYS" envDefault:"-1" help:"data terms: how many days the provider keeps what it is sent"`
	Region      string        `env:"AGENT_MODEL_REGION" help:"data terms: where the provider computes, such as eu or us"`
	Rounds      int           `env:"AGENT_MODEL_ROUNDS" envDefault:"12" help:"most replies of one run that may call tools"`
	Calls       int           `env:"AGENT_MODEL_CALLS" envDefault:"40" help:"most tool calls of one run"`
	Tokens      int           `env:"AGENT_MODEL_TOKENS" envDefault:"400000" help:"most tokens of one run, input and output together"`
	ReplyTokens int           `env:"AGENT_MODEL_REPLY_TOKENS" envDefault:"4096" help:"most tokens of one reply"`
	Silence     time.Duration `env:"AGENT_MODEL_PATIENCE" envDefault:"60s" help:"how long the server may stay silent"`
}

// modelAPIs are the values of AGENT_MODEL_PROVIDER, each with its client.
var modelAPIs = []struct {
	name string
	dial func(base, key, name string, client *http.Client) model.Model
}{
	{"anthropic", func(base, key, name string, client *http.Client) model.Model {
		return anthropicapi.New(base, key, name, client)
	}},
	{"openai", func(base, key, name string, client *http.Client) model.Model {
		return openaiapi.New(base, key, name, client)
	}},
}

// modelAPINames returns the values of AGENT_MODEL_PROVIDER.
func modelAPINames() []string {
	var names []string
	for _, a := range modelAPIs {
		names = append(names, a.name)
	}

	return names
}

// Problems checks that the settings are whole and the data terms bearable.
func (c ModelConfig) Problems() []string {
	var all []string
	wrong := func(when bool, sentence string) {
		if when {
			all = append(all, sentence)
		}
	}
	// Settings of a model without a provider are a mistake, not a wish for none: rules would answer and nobody would
	// notice.
	if c.Provider == "" {
		named := c.URL != "" || c.Name != "" || c.Key.IsSet() || c.Local
		set := named || c.Trains != "" || c.Region != "" || c.Retention >= 0
		wrong(set, "AGENT_MODEL_PROVIDER is missing, though other settings of a language model are there")

		return all
	}
	names := modelAPINames()
	wrong(!slices.Contains(names, c.Provider), "AGENT_MODEL_PROVIDER must be "+strings.Join(names, " or "))
	u, err := url.Parse(c.URL)
	wrong(
		err != nil || !isServer(u),
		"AGENT_MODEL_URL must be an address such as https://api.anthropic.com, without a user or query",
	)
	wrong(
		err == nil && u.Scheme == "http" && !c.Local,
		"AGENT_MODEL_URL must begin with https unless AGENT_MODEL_LOCAL is true: content of cases goes there",
	)
	wrong(
		strings.TrimSpace(c.Name) == "" || len(c.Name) > 100, "AGENT_MODEL_NAME must be a name of 1 to 100 characters",
	)
	wrong(!c.Key.IsSet() && !c.Local, "AGENT_MODEL_KEY is missing")

	// The operator must state the provider's terms: a default here would promise to clients what nobody has read.
	switch c.Trains {
	case "false":
	case "true":
		wrong(
			true,
			"AGENT_MODEL_TRAINS_ON_INPUT is true: content of cases must not train anybody's model, "+
				"so this provider cannot be used",
		)
	default:
		wrong(true, "AGENT_MODEL_TRAINS_ON_INPUT must say false, as the provider's terms do")
	}
	wrong(
		c.Retention < 0,
		"AGENT_MODEL_RETENTION_DAYS must say for how many days the provider keeps what it is sent, 0 for not at all",
	)
	wrong(strings.TrimSpace(c.Region) == "", "AGENT_MODEL_REGION must say where the provider computes")

	counts := map[string]int{
		"AGENT_MODEL_ROUNDS":       c.Rounds,
		"AGENT_MODEL_CALLS":        c.Calls,
		"AGENT_MODEL_TOKENS":       c.Tokens,
		"AGENT_MODEL_REPLY_TOKENS": c.ReplyTokens,
	}
	for name, n := range counts {
		wrong(n < 1, name+" must be at least 1")
	}
	wrong(c.Silence <= 0, "AGENT_MODEL_PATIENCE must be more than zero")

	return all
}

// isServer says whether u names a server of the web and at most a path on it.
func isServer(u *url.URL) bool {
	web := u.Scheme == "https" || u.Scheme == "http"

	return web && u.Host != "" && u.User == nil && u.RawQuery+u.Fragment == ""
}

// model returns the language model, nil when none is configured.
func (c ModelConfig) model(tel *telemetry.Telemetry, now func() time.Time) (model.Model, error) {
	if c.Provider == "" {
		return nil, nil
	}
	transport, err := httpcall.ProviderTransport(c.CA)
	if err != nil {
		return nil, fmt.Errorf("AGENT_MODEL_CA_FILE: %w", err)
	}

	client := model.Client(httpcall.Traced(transport, tel), c.Silence)
	for _, a := range modelAPIs {
		if a.name == c.Provider {
			return model.Usual(a.dial(c.URL, c.Key.Reveal(), c.Name, client), now), nil
		}
	}

	return nil, fmt.Errorf("AGENT_MODEL_PROVIDER is %q, which has no client", c.Provider)
}

func (c ModelConfig) budget() modelengine.Budget {
	return modelengine.Budget{
		Rounds:      c.Rounds,
		Calls:       c.Calls,
		Tokens:      c.Tokens,
		ReplyTokens: c.ReplyTokens,
	}
}
