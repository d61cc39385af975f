// Package compose_test holds the Compose file against the settings of the services. It is not run here: half of its images come from a registry.
package compose_test

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	agentsvc "github.com/subrosa-legal/subrosa/agent-svc"
	authsvc "github.com/subrosa-legal/subrosa/auth-svc"
	casesvc "github.com/subrosa-legal/subrosa/case-svc"
	"github.com/subrosa-legal/subrosa/deploy/internal/devidp"
	"github.com/subrosa-legal/subrosa/deploy/internal/localca"
	"github.com/subrosa-legal/subrosa/deploy/internal/secretgen"
	"github.com/subrosa-legal/subrosa/gateway"
	partysvc "github.com/subrosa-legal/subrosa/party-svc"
	"github.com/subrosa-legal/subrosa/pkg/launch"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
	registrysvc "github.com/subrosa-legal/subrosa/registry-svc"
	"sigs.k8s.io/yaml"
)

// composition is the part of the Compose format that the file uses; a field that is not here is a mistake.
type composition struct {
	Name     string               `json:"name"`
	Services map[string]container `json:"services"`
	Volumes  map[string]any       `json:"volumes"`
	Service  any                  `json:"x-service"`
	Shared   any                  `json:"x-shared"`
	Identity any                  `json:"x-identity"`
}

type container struct {
	Image       string   `json:"image"`
	User        string   `json:"user"`
	ReadOnly    bool     `json:"read_only"`
	CapDrop     []string `json:"cap_drop"`
	SecurityOpt []string `json:"security_opt"`
	Grace       string   `json:"stop_grace_period"`
	Restart     string   `json:"restart"`
	NetworkMode string   `json:"network_mode"`
	Networks    map[string]struct {
		Aliases []string `json:"aliases"`
	} `json:"networks"`
	Ports       []string          `json:"ports"`
	Tmpfs       []string          `json:"tmpfs"`
	Volumes     []string          `json:"volumes"`
	DependsOn   []string          `json:"depends_on"`
	Command     []string          `json:"command"`
	Environment map[string]string `json:"environment"`
	Healthcheck *struct {
		Test     []string `json:"test"`
		Interval string   `json:"interval"`
		Retries  int      `json:"retries"`
	} `json:"healthcheck"`
}

// ours are the programs of this repository, by their names in the file.
var ours = map[string]launch.Entry{
	"gateway": gateway.Entry(), "registry-svc": registrysvc.Entry(), "auth-svc": authsvc.Entry(), "agent-svc": agentsvc.Entry(), "case-svc": casesvc.Entry(), "party-svc": partysvc.Entry(),
	"idp": devidp.Entry(),
}

func read(t *testing.T) composition {
	t.Helper()
	text, err := os.ReadFile("compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var c composition
	if err := yaml.UnmarshalStrict(text, &c); err != nil {
		t.Fatal(err)
	}

	return c
}

func TestEveryVariableIsASetting(t *testing.T) {
	c := read(t)
	for name, entry := range ours {
		environ, known := c.Services[name].Environment, map[string]bool{}
		for _, s := range entry.Settings {
			known[s.Name], known[s.Name+"_FILE"] = true, true
			if s.Required && environ[s.Name] == "" && environ[s.Name+"_FILE"] == "" {
				t.Errorf("%s: %s is required", name, s.Name)
			}
		}

		for variable := range environ {
			if !known[variable] && !strings.HasPrefix(variable, "OTEL_") {
				t.Errorf("%s: %s is not a setting", name, variable)
			}
		}
	}
}

func TestTheFileIsWhole(t *testing.T) {
	c := read(t)

	reached := map[string]bool{}
	for name, s := range c.Services {
		reached[name] = reached[name] || s.NetworkMode == ""
		for _, n := range s.Networks {
			for _, alias := range n.Aliases {
				reached[alias] = true
			}
		}
	}

	for name, s := range c.Services {
		_, tag, _ := strings.Cut(s.Image, ":")
		if tag == "" || tag == "latest" {
			t.Errorf("%s: the image %s is not pinned", name, s.Image)
		}
		if _, is := ours[name]; is && (s.Image != "subrosa/"+name+":dev" || !s.ReadOnly || s.User == "" || !slices.Contains(s.CapDrop, "ALL") || len(s.SecurityOpt) == 0 || s.Grace != "45s") {
			t.Errorf("%s: not our image, or more rights than it needs", name)
		}

		for _, other := range append(slices.Clone(s.DependsOn), strings.TrimPrefix(s.NetworkMode, "service:")) {
			if _, there := c.Services[other]; !there && other != "" {
				t.Errorf("%s needs %s, which is not there", name, other)
			}
		}

		for _, v := range s.Volumes {
			from, _, _ := strings.Cut(v, ":")
			if _, named := c.Volumes[from]; named || strings.HasPrefix(from, "../../.local/") {
				continue // made by the engine, or by make run
			}
			if _, err := os.Stat(from); err != nil {
				t.Errorf("%s mounts %s: %v", name, from, err)
			}
		}

		for variable, value := range s.Environment {
			u, err := url.Parse(value)
			if err != nil || u.Host == "" || u.Scheme == "https" {
				continue
			}
			if !reached[u.Hostname()] {
				t.Errorf("%s: %s names %s, which nothing answers for", name, variable, u.Hostname())
			}
			if entry, is := ours[u.Hostname()]; is && u.Port() != portOf(entry, c.Services[u.Hostname()].Environment, "_ADDR") {
				t.Errorf("%s: %s names another port than %s listens on", name, variable, u.Hostname())
			}
		}
	}
}

// portOf returns the port of the setting of entry whose name ends in suffix and that is its first of that kind.
func portOf(entry launch.Entry, environ map[string]string, suffix string) string {
	for _, s := range entry.Settings {
		if strings.HasSuffix(s.Name, suffix) {
			value := s.Default
			if given := environ[s.Name]; given != "" {
				value = given
			}

			return value[strings.LastIndex(value, ":")+1:]
		}
	}

	return ""
}

func TestPrometheusScrapesEveryService(t *testing.T) {
	var scrapes struct {
		Rules []string `json:"rule_files"`
		Jobs  []struct {
			Name   string `json:"job_name"`
			Static []struct {
				Targets []string          `json:"targets"`
				Labels  map[string]string `json:"labels"`
			} `json:"static_configs"`
		} `json:"scrape_configs"`
	}
	text, err := os.ReadFile("prometheus.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, &scrapes); err != nil || len(scrapes.Jobs) != 1 || scrapes.Jobs[0].Name != "subrosa" || len(scrapes.Rules) != 1 {
		t.Fatalf("no one job subrosa with the rules: %v", err)
	}

	c, got, want := read(t), []string{}, []string{}
	for _, s := range scrapes.Jobs[0].Static {
		got = append(got, s.Labels["service"]+" "+strings.Join(s.Targets, ","))
	}

	for name, entry := range ours {
		if name != "idp" {
			want = append(want, fmt.Sprintf("%s %s:%s", name, name, portOf(entry, c.Services[name].Environment, "_INTERNAL_ADDR")))
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("scraped are %v, want %v", got, want)
	}
}

// Each program is made with its variables and with the files that make run leaves in .local.
func TestProgramsStartWithTheirSettings(t *testing.T) {
	dir := t.TempDir()
	ca, err := localca.Open(filepath.Join(dir, "ca"), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "tls"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := ca.Leaf(filepath.Join(dir, "tls", "localhost.pem"), filepath.Join(dir, "tls", "localhost-key.pem")); err != nil {
		t.Fatal(err)
	}
	if _, err := secretgen.Ensure(filepath.Join(dir, "keys"), time.Now); err != nil {
		t.Fatal(err)
	}
	launch.Globals()
	ended, cancel := context.WithCancel(t.Context())
	cancel()

	for name, s := range read(t).Services {
		entry, is := ours[name]
		if !is {
			continue
		}
		environ := map[string]string{"DRAIN_DELAY": "0s"}
		if name == "idp" {
			environ = map[string]string{}
		}

		for variable, value := range s.Environment {
			environ[variable] = placed(dir, s, value)
		}

		for _, setting := range entry.Settings {
			if strings.HasSuffix(setting.Name, "_ADDR") {
				environ[setting.Name] = "127.0.0.1:0"
			}
		}
		delete(environ, "GATEWAY_WASM_DIR") // in the image
		service, err := entry.New(t.Context(), launch.Env{Environ: environ, Telemetry: telemetry.Discard(name, io.Discard), Now: time.Now})
		if err != nil {
			t.Errorf("%s does not start: %v", name, err)
			continue
		}
		if err := service.Run(ended); err != nil {
			t.Errorf("%s does not stop: %v", name, err)
		}
	}
}

// placed returns value with the path in the container replaced by the one that is mounted there, dir being .local, and with stores that
// answer nothing.
func placed(dir string, s container, value string) string {
	for _, v := range s.Volumes {
		from, to, _ := strings.Cut(strings.TrimSuffix(v, ":ro"), ":")
		if rest, under := strings.CutPrefix(value, to); under {
			return filepath.Join(dir, strings.TrimPrefix(from, "../../.local/"), rest)
		}
	}

	for _, tmp := range s.Tmpfs {
		if path, _, _ := strings.Cut(tmp, ":"); path == value {
			return filepath.Join(dir, "spool")
		}
	}

	return strings.NewReplacer("redis:6379", "127.0.0.1:1", "mongodb:27017", "127.0.0.1:1").Replace(value)
}
