package config_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/config"
)

type Exported struct {
	RedisURL config.Secret `env:"REDIS_URL,required" help:"address of Redis"`
}

type full struct {
	Exported
	Addr  string        `env:"CASE_ADDR" envDefault:":8084" help:"listen address"`
	Drain time.Duration `env:"CASE_DRAIN" envDefault:"5s"`
	Sweep time.Duration `env:"CASE_SWEEP" envDefault:"5s" least:"100ms"`
	Limit int           `env:"CASE_LIMIT" envDefault:"8" least:"1"`
	Queue int           `env:"CASE_QUEUE" envDefault:"8"`
	Claim string        `env:"OIDC_TENANT_CLAIM"`
}

func (f full) Problems() []string {
	var all []string
	if f.Queue < f.Limit {
		all = append(all, "CASE_QUEUE must not be less than CASE_LIMIT")
	}
	if f.RedisURL.Reveal() == "" {
		all = append(all, "REDIS_URL must be an address")
	}

	return all
}

func TestParse(t *testing.T) {
	file := filepath.Join(t.TempDir(), "redis")
	if err := os.WriteFile(file, []byte("redis://from-a-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}

	for _, tc := range []struct {
		name    string
		environ map[string]string
		want    []string // parts of the error; none means that it parses
	}{
		{"defaults", map[string]string{"REDIS_URL": "redis://x"}, nil},
		{"from a file", map[string]string{"REDIS_URL_FILE": file}, nil},
		{"foreign names are nobody's business", map[string]string{"REDIS_URL": "x", "AUTH_ADDR": ":1"}, nil},
		{"a shared name with two letters swapped", map[string]string{"REDIS_ULR": "x"}, []string{"REDIS_ULR is not a setting: is REDIS_URL meant?", "REDIS_URL is required"}},
		{"a letter too many in an optional one", map[string]string{"REDIS_URL": "x", "OIDC_TENANT_CLAIMS": "org"}, []string{"OIDC_TENANT_CLAIMS is not a setting: is OIDC_TENANT_CLAIM meant?"}},
		{"a letter too few, of a file", map[string]string{"REDIS_URL": "x", "OIDC_TENAT_CLAIM_FILE": file}, []string{"OIDC_TENAT_CLAIM_FILE is not a setting: is OIDC_TENANT_CLAIM_FILE meant?"}},
		{"a wrong letter in one of its own", map[string]string{"REDIS_URL": "x", "CASE_LIMID": "9"}, []string{"CASE_LIMID is not a setting: is CASE_LIMIT meant?"}},
		{"like a setting that is given", map[string]string{"REDIS_URL": "x", "REDIS_URI": "x", "OIDC_TENANT_CLAIM": "org", "OIDC_TENANT_CLAIN": "org"}, nil},
		{"what Kubernetes adds", map[string]string{"REDIS_URL": "x", "REDIS_PORT": "x", "REDIS_SERVICE_HOST": "x", "REDIS_PORT_6379_TCP": "x"}, nil},
		{"how others find the service", map[string]string{"REDIS_URL": "x", "CASE_URL": "http://case-svc"}, nil},
		{
			"every mistake at once",
			map[string]string{"CASE_DRAIN": "soonish", "CASE_LIMIT": "hunter2", "CASE_ADR": "x"},
			[]string{"REDIS_URL is required", "CASE_DRAIN is not a valid duration", "CASE_LIMIT is not a valid whole number", "CASE_ADR is not a setting"},
		},
		{
			"a value that cannot be read, and what is wrong without it",
			map[string]string{"CASE_DRAIN": "soonish", "CASE_LIMIT": "0"},
			[]string{"REDIS_URL is required", "CASE_DRAIN is not a valid duration", "CASE_LIMIT must be at least 1"},
		},
		{"nothing is told of what could not be read", map[string]string{"REDIS_URL": "x", "CASE_LIMIT": "many", "CASE_QUEUE": "7"}, []string{"CASE_LIMIT is not a valid whole number"}},
		{"value and file", map[string]string{"REDIS_URL": "x", "REDIS_URL_FILE": file}, []string{"both set"}},
		{"file is missing", map[string]string{"REDIS_URL_FILE": file + "x"}, []string{"cannot be read", "REDIS_URL is required"}},
		{"less than the least", map[string]string{"REDIS_URL": "x", "CASE_LIMIT": "0", "CASE_SWEEP": "99ms"}, []string{"CASE_LIMIT must be at least 1", "CASE_SWEEP must be at least 100ms"}},
		{"a time below zero that has a least", map[string]string{"REDIS_URL": "x", "CASE_SWEEP": "-1s"}, []string{"CASE_SWEEP must be at least 100ms"}},
		{"rules between settings", map[string]string{"REDIS_URL": "x", "CASE_LIMIT": "9"}, []string{"CASE_QUEUE must not be less than CASE_LIMIT"}},
		{"empty is unset", map[string]string{"REDIS_URL": ""}, []string{"REDIS_URL is required"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := config.Parse[full](tc.environ, "CASE_")
			if (err != nil) != (tc.want != nil) {
				t.Fatalf("err = %v, want mistakes %v", err, tc.want)
			}
			if err != nil && strings.Count(err.Error(), "\n") != len(tc.want) {
				t.Errorf("%d mistakes are wanted: %v", len(tc.want), err)
			}

			for _, part := range tc.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("the error does not say %q: %v", part, err)
				}
			}
			if err != nil && (strings.Contains(err.Error(), "hunter2") || strings.Contains(err.Error(), "soonish")) {
				t.Errorf("the error quotes a value: %v", err)
			}
		})
	}
}

func TestTimesAreNotNegative(t *testing.T) {
	const only = "settings are not usable:\n  "
	for _, tc := range []struct{ name, given, want string }{
		{"CASE_DRAIN", "0s", ""},
		{"CASE_DRAIN", "1m", ""},
		{"CASE_DRAIN", "-1ns", only + "CASE_DRAIN must not be negative"},
		{"CASE_DRAIN", "-1s", only + "CASE_DRAIN must not be negative"},
		{"CASE_SWEEP", "-1s", only + "CASE_SWEEP must be at least 100ms"},
	} {
		_, err := config.Parse[full](map[string]string{"REDIS_URL": "redis://x", tc.name: tc.given}, "CASE_")
		if (err == nil) != (tc.want == "") || err != nil && err.Error() != tc.want {
			t.Errorf("%s=%s: %v, want %q", tc.name, tc.given, err, tc.want)
		}
	}
}

// A tag that is no number or time is a mistake in a program and not in its settings.
func TestALeastThatIsNoneMakesNoSettings(t *testing.T) {
	for name, parse := range map[string]func(){
		"a time": func() {
			_, _ = config.Parse[struct {
				Wait time.Duration `env:"WAIT" least:"1"`
			}](nil, "")
		},
		"a number": func() {
			_, _ = config.Parse[struct {
				Count int `env:"COUNT" least:"1s"`
			}](nil, "")
		},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("the tag was taken")
				}
			}()
			parse()
		})
	}
}

func TestParseReadsFilesAndDefaults(t *testing.T) {
	file := filepath.Join(t.TempDir(), "redis")
	if err := os.WriteFile(file, []byte("redis://from-a-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := config.Parse[full](map[string]string{"REDIS_URL_FILE": file, "CASE_DRAIN": "1m"}, "CASE_")
	if err != nil {
		t.Fatal(err)
	}
	if got.RedisURL.Reveal() != "redis://from-a-file" || got.Addr != ":8084" || got.Drain != time.Minute || got.Limit != 8 {
		t.Errorf("got %+v with %q", got, got.RedisURL.Reveal())
	}
}

func TestSecretNeverPrints(t *testing.T) {
	s := config.NewSecret("hunter2")
	var logged strings.Builder
	slog.New(slog.NewJSONHandler(&logged, nil)).Info("x", "s", s, "in", struct{ S config.Secret }{s})
	b, err := json.Marshal(map[string]any{"s": s, "p": &s})
	if err != nil {
		t.Fatal(err)
	}

	for form, text := range map[string]string{
		"v": fmt.Sprintf("%v", s), "+v": fmt.Sprintf("%+v", struct{ S config.Secret }{s}), "#v": fmt.Sprintf("%#v", s), "s": fmt.Sprint(s),
		"q": fmt.Sprintf("%q", s), "json": string(b), "slog": logged.String(),
	} {
		if strings.Contains(text, "hunter2") {
			t.Errorf("%%%s prints the secret: %s", form, text)
		}
	}
	if s.Reveal() != "hunter2" || !s.IsSet() {
		t.Error("Reveal lost the value")
	}
}

func TestDescribe(t *testing.T) {
	got := config.Describe[full]()
	want := []config.Setting{
		{Name: "REDIS_URL", Required: true, Secret: true, Help: "address of Redis"},
		{Name: "CASE_ADDR", Default: ":8084", Help: "listen address"},
		{Name: "CASE_DRAIN", Default: "5s"},
		{Name: "CASE_SWEEP", Default: "5s"},
		{Name: "CASE_LIMIT", Default: "8"},
		{Name: "CASE_QUEUE", Default: "8"},
		{Name: "OIDC_TENANT_CLAIM"},
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("Describe = %v, want %v", got, want)
	}
}

func TestIssuer(t *testing.T) {
	for address, usable := range map[string]bool{
		"https://login.example.com": true, "https://login.example.com/realms/oak": true, "http://127.0.0.1:8090": true, "http://localhost:8090": true, "": true, // required says that it is missing
		"http://login.example.com": false, "login.example.com": false, "nonsense": false, "https://": false, "https://a.example?b=c": false,
	} {
		if said := config.Issuer(address); (len(said) == 0) != usable {
			t.Errorf("Issuer(%q) = %q, usable: %t", address, said, usable)
		}
	}
}
