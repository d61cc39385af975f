package containers_test

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/deploy/internal/demo"
	"github.com/subrosa-legal/subrosa/deploy/internal/devidp"
)

// TestImages holds what the engine has against what was written down.
func TestImages(t *testing.T) {
	needEngine(t)

	for _, s := range services {
		out, err := exec.CommandContext(t.Context(), "docker", "image", "inspect", "subrosa/"+s.name+":dev").Output()
		if err != nil {
			t.Fatal(err)
		}
		var about []struct {
			ID     string `json:"Id"`
			Config struct {
				User   string
				Labels map[string]string
			}
		}
		if err := json.Unmarshal(out, &about); err != nil || len(about) != 1 {
			t.Fatalf("%s: %v", out, err)
		}
		if about[0].Config.User != "10001:10001" {
			t.Errorf("%s runs as %q", s.name, about[0].Config.User)
		}

		for _, label := range []string{"title", "description", "url", "vendor", "version", "revision", "created", "licenses"} {
			if about[0].Config.Labels["org.opencontainers.image."+label] == "" {
				t.Errorf("%s has no label %s", s.name, label)
			}
		}
		version := about[0].Config.Labels["org.opencontainers.image.version"]
		run := exec.CommandContext(t.Context(), "docker", "run", "--rm", "--read-only", "--network", "none", "--cap-drop", "ALL", "subrosa/"+s.name+":dev", "--version")
		if out, err := run.CombinedOutput(); err != nil || !strings.HasPrefix(string(out), s.name+" "+version+"+") {
			t.Errorf("%s says %s: %v", s.name, out, err)
		}
		if list, err := os.ReadFile(filepath.Join("..", "..", ".local", "sbom", s.name+".cdx.json")); err != nil || !bytes.Contains(list, []byte(`"pkg:golang/std@`)) {
			t.Errorf("%s has no list of components: %v", s.name, err)
		}
	}
}

// TestContainers plays the story, then stops and kills replicas while clients go on.
func TestContainers(t *testing.T) {
	s := start(t)
	t.Run("story", func(t *testing.T) {
		var out bytes.Buffer
		story := demo.Story{
			Out: &out, Site: s.facts.BaseURL, Folder: s.dir, Config: filepath.Join(s.dir, "config"), Samples: "../samples", Card: s.card, Person: devidp.People()[1], Browser: s.http, Now: time.Now,
		}
		if err := story.Play(t.Context()); err != nil {
			t.Fatalf("%v\n%s", err, out.String())
		}
	})
	o := s.owner(devidp.People()[0])
	t.Run("rolling restart", func(t *testing.T) {
		l := s.begin(o, "restarted")
		settle := func() { wait(t, time.Second) }
		settle()

		for _, service := range services {
			for _, r := range s.replicas[service.name] {
				l.during.Store("stop of " + service.name)
				took := r.stop()
				r.again()
				settle()
				t.Logf("%s: stopped after %v", service.name, took.Round(10*time.Millisecond))
			}
		}
		l.during.Store("nothing")
		l.end(t)

		for _, f := range l.failures {
			t.Errorf("%s failed during %q: %d %s", f.call, f.during, f.status, f.why)
		}
		if l.breaks.Load() == 0 {
			t.Error("no stream was interrupted, so none was resumed")
		}
	})
	t.Run("kill", func(t *testing.T) {
		l := s.begin(o, "killed")
		wait(t, 2*time.Second)

		for _, service := range services {
			for _, r := range s.replicas[service.name] { // both, since one of them may have had all the connections
				l.during.Store("kill of " + service.name)
				r.kill()
				wait(t, 3*time.Second)
				l.during.Store("restart of " + service.name)
				r.again()
				wait(t, time.Second)
			}
		}
		l.during.Store("nothing")
		l.end(t)

		for _, f := range l.failures {
			// What was under way at the replica that was killed, and only that, may fail; a gateway's callers lose their connections.
			if f.status == 0 && f.during != "kill of gateway" || !strings.HasPrefix(f.during, "kill of ") {
				t.Errorf("%s failed during %q: %d %s", f.call, f.during, f.status, f.why)
			}
		}
		if most := len(services) * replicas * callers; len(l.failures) > most {
			t.Errorf("%d calls failed, at most one of each caller may for each kill, %d", len(l.failures), most)
		}
	})
}
