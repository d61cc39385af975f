package agentsvc

import (
	"io"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/config"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
)

func TestModelSettings(t *testing.T) {
	t.Parallel()
	base := map[string]string{
		"BASE_URL": "https://app.test", "CASE_URL": "http://case", "PARTY_URL": "http://127.0.0.1:1", "AUTH_URL": "http://127.0.0.1:1", "REDIS_URL": "redis://r", "INTERNAL_KEY": "k", "INTERNAL_TRUST": "t",
	}
	whole := map[string]string{
		"AGENT_MODEL_PROVIDER": "anthropic", "AGENT_MODEL_URL": "https://api.anthropic.com", "AGENT_MODEL_NAME": "m", "AGENT_MODEL_KEY": "sk-secret",
		"AGENT_MODEL_TRAINS_ON_INPUT": "false", "AGENT_MODEL_RETENTION_DAYS": "30", "AGENT_MODEL_REGION": "us",
	}

	for _, tc := range []struct {
		name   string
		change map[string]string // of whole; "-" leaves a variable out
		want   string            // in the error, "" for none
	}{
		{"whole", nil, ""},
		{"none", map[string]string{"AGENT_MODEL_PROVIDER": "-", "AGENT_MODEL_URL": "-", "AGENT_MODEL_NAME": "-", "AGENT_MODEL_KEY": "-", "AGENT_MODEL_TRAINS_ON_INPUT": "-", "AGENT_MODEL_RETENTION_DAYS": "-", "AGENT_MODEL_REGION": "-"}, ""},
		{"local without a key", map[string]string{"AGENT_MODEL_PROVIDER": "openai", "AGENT_MODEL_URL": "http://ollama:11434/v1", "AGENT_MODEL_LOCAL": "true", "AGENT_MODEL_KEY": "-", "AGENT_MODEL_RETENTION_DAYS": "0"}, ""},
		{"trains on input", map[string]string{"AGENT_MODEL_TRAINS_ON_INPUT": "true"}, "AGENT_MODEL_TRAINS_ON_INPUT is true"},
		{"training not told", map[string]string{"AGENT_MODEL_TRAINS_ON_INPUT": "-"}, "AGENT_MODEL_TRAINS_ON_INPUT must say false"},
		{"retention not told", map[string]string{"AGENT_MODEL_RETENTION_DAYS": "-"}, "AGENT_MODEL_RETENTION_DAYS"},
		{"region not told", map[string]string{"AGENT_MODEL_REGION": "-"}, "AGENT_MODEL_REGION"},
		{"no provider", map[string]string{"AGENT_MODEL_PROVIDER": "-"}, "AGENT_MODEL_PROVIDER is missing"},
		{"another provider", map[string]string{"AGENT_MODEL_PROVIDER": "acme"}, "must be anthropic or openai"},
		{"no key", map[string]string{"AGENT_MODEL_KEY": "-"}, "AGENT_MODEL_KEY is missing"},
		{"no name", map[string]string{"AGENT_MODEL_NAME": "-"}, "AGENT_MODEL_NAME"},
		{"no address", map[string]string{"AGENT_MODEL_URL": "-"}, "AGENT_MODEL_URL"},
		{"an address with a password", map[string]string{"AGENT_MODEL_URL": "https://a:hidden@host"}, "AGENT_MODEL_URL"},
		{"in the clear", map[string]string{"AGENT_MODEL_URL": "http://host"}, "must begin with https"},
		{"no rounds", map[string]string{"AGENT_MODEL_ROUNDS": "0"}, "AGENT_MODEL_ROUNDS must be at least 1"},
		{"misspelt", map[string]string{"AGENT_MODEL_NAMES": "x"}, "AGENT_MODEL_NAMES is not a setting"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			environ := maps.Clone(base)
			maps.Copy(environ, whole)

			for k, v := range tc.change {
				if environ[k] = v; v == "-" {
					delete(environ, k)
				}
			}

			cfg, err := config.Parse[Config](environ, "AGENT_")
			switch {
			case tc.want == "" && err != nil:
				t.Fatal(err)
			case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
				t.Fatalf("Parse = %v, want %q", err, tc.want)
			case err != nil && (strings.Contains(err.Error(), "sk-secret") || strings.Contains(err.Error(), "hidden")):
				t.Errorf("the error quotes a value: %v", err)
			case err != nil:
				return
			}
			m, err := cfg.model(telemetry.Discard("agent-svc", io.Discard), nil)
			if err != nil || (m == nil) != (cfg.Provider == "") || m != nil && m.Name().Provider != cfg.Provider {
				t.Errorf("model = %v, %v", m, err)
			}
		})
	}
}

// TestEveryProviderCanBeChosen configures each provider, and wants the help of the setting to name it.
func TestEveryProviderCanBeChosen(t *testing.T) {
	t.Parallel()
	help := ""

	for _, s := range config.Describe[Config]() {
		if s.Name == "AGENT_MODEL_PROVIDER" {
			help = s.Help
		}
	}

	for _, name := range modelAPINames() {
		cfg := ModelConfig{
			Provider:    name,
			URL:         "http://127.0.0.1:1",
			Name:        "m",
			Local:       true,
			Trains:      "false",
			Region:      "here",
			Rounds:      1,
			Calls:       1,
			Tokens:      1,
			ReplyTokens: 1,
			Silence:     time.Second,
		}
		if problems := cfg.Problems(); len(problems) > 0 {
			t.Errorf("%s: %q", name, problems)
		}
		m, err := cfg.model(telemetry.Discard("agent-svc", io.Discard), time.Now)
		if err != nil || m.Name().Provider != name {
			t.Errorf("%s: model = %v, %v", name, m, err)
		}
		if !strings.Contains(help, name) {
			t.Errorf("the help of AGENT_MODEL_PROVIDER does not name %s: %q", name, help)
		}
	}
}
