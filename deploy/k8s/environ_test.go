package k8s_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/subrosa-legal/subrosa/deploy/internal/localca"
	"github.com/subrosa-legal/subrosa/deploy/internal/secretgen"
	"github.com/subrosa-legal/subrosa/pkg/launch"
	"github.com/subrosa-legal/subrosa/pkg/telemetry"
)

// container returns the one container of service's pods, and the pod.
func (m *manifests) container(service string) (*corev1.Container, *corev1.PodSpec) {
	pod := &m.deployments[service].Spec.Template.Spec
	return &pod.Containers[0], pod
}

// environ returns the variables that service's container gets, and what cannot be resolved.
func (m *manifests) environ(service string) (environ map[string]string, mistakes []string) {
	c, _ := m.container(service)
	environ = map[string]string{}

	for _, from := range c.EnvFrom {
		if from.ConfigMapRef == nil || m.settings[from.ConfigMapRef.Name] == nil {
			mistakes = append(mistakes, service+" takes variables from what is not there or no ConfigMap")
			continue
		}
		maps.Copy(environ, m.settings[from.ConfigMapRef.Name].Data)
	}

	for _, e := range c.Env {
		if e.ValueFrom != nil {
			mistakes = append(mistakes, service+": "+e.Name+" is taken from elsewhere; secrets are files")
			continue
		}
		if _, twice := environ[e.Name]; twice {
			mistakes = append(mistakes, service+": "+e.Name+" is given twice")
		}
		environ[e.Name] = e.Value
	}

	return environ, mistakes
}

// process reports whether name is a variable of every process rather than of a service.
func process(name string) bool {
	return name == "LOG_LEVEL" || name == "GOMEMLIMIT" || name == "GOGC" || strings.HasPrefix(name, "OTEL_")
}

// settingsAreReal: every variable is a setting of its service, every required setting is given, and secrets come from files.
func settingsAreReal(m *manifests) (mistakes []string) {
	for _, s := range services {
		environ, wrong := m.environ(s.Name)
		mistakes = append(mistakes, wrong...)

		known := map[string]bool{}
		for _, setting := range s.Settings {
			known[setting.Name], known[setting.Name+"_FILE"] = true, true
			plain, file := environ[setting.Name], environ[setting.Name+"_FILE"]
			if setting.Required && plain == "" && file == "" {
				mistakes = append(mistakes, fmt.Sprintf("%s: %s is required", s.Name, setting.Name))
			}
			if setting.Secret && plain != "" {
				mistakes = append(mistakes, fmt.Sprintf("%s: the secret %s stands in the clear", s.Name, setting.Name))
			}
		}

		for name, value := range environ {
			if !known[name] && !process(name) {
				mistakes = append(mistakes, fmt.Sprintf("%s: %s is not a setting", s.Name, name))
			}
			if _, rest, is := strings.Cut(value, "://"); is && strings.Contains(rest, "@") {
				mistakes = append(mistakes, fmt.Sprintf("%s: %s holds a password", s.Name, name))
			}
		}
	}
	if m.kinds["v1 Secret"] > 0 {
		mistakes = append(mistakes, "a Secret is among the manifests; they name secrets and hold none")
	}

	return mistakes
}

// mounted returns the files and folders that the container of service finds, by path.
func (m *manifests) mounted(service string) map[string]corev1.Volume {
	c, pod := m.container(service)
	found := map[string]corev1.Volume{}

	for _, mount := range c.VolumeMounts {
		i := slices.IndexFunc(pod.Volumes, func(v corev1.Volume) bool { return v.Name == mount.Name })
		if i < 0 {
			continue
		}
		v := pod.Volumes[i]
		var items []corev1.KeyToPath

		switch {
		case v.Secret != nil:
			items = v.Secret.Items
		case v.ConfigMap != nil:
			items = v.ConfigMap.Items
		default:
			found[mount.MountPath] = v
		}

		for _, item := range items {
			found[mount.MountPath+"/"+item.Path] = v
		}
	}

	return found
}

// imaged is where make images puts into the gateway's image what browsers run.
const imaged = "/wasm"

// filesAreThere: every path that a variable names is mounted, everything that is mounted is named by a variable, and what is no scratch is
// read-only.
func filesAreThere(m *manifests) (mistakes []string) {
	for _, s := range services {
		environ, _ := m.environ(s.Name)
		mounted, used := m.mounted(s.Name), map[string]bool{}

		for name, value := range environ {
			if strings.HasPrefix(value, "/") && value != imaged {
				used[value] = true
				if _, there := mounted[value]; !there {
					mistakes = append(mistakes, fmt.Sprintf("%s: nothing is mounted at %s, which %s names", s.Name, value, name))
				}
			}
		}

		for path := range mounted {
			if !used[path] {
				mistakes = append(mistakes, fmt.Sprintf("%s: no setting names %s", s.Name, path))
			}
		}

		c, pod := m.container(s.Name)
		for _, mount := range c.VolumeMounts {
			i := slices.IndexFunc(pod.Volumes, func(v corev1.Volume) bool { return v.Name == mount.Name })
			if i < 0 || pod.Volumes[i].EmptyDir == nil && !mount.ReadOnly {
				mistakes = append(mistakes, fmt.Sprintf("%s: the mount %s has no volume or can be written", s.Name, mount.Name))
			}
		}
	}

	return mistakes
}

// installed returns the variables of a service's container, with files of a fresh installation in the place of the mounted ones and
// addresses at which a test can listen.
func installed(t *testing.T) func(m *manifests, service string) map[string]string {
	dir := t.TempDir()
	keys := filepath.Join(dir, "keys")
	if _, err := secretgen.Ensure(keys, time.Now); err != nil {
		t.Fatal(err)
	}
	ca, err := localca.Open(filepath.Join(dir, "ca"), time.Now)
	if err != nil {
		t.Fatal(err)
	}
	cert, key := filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")
	if err := ca.Leaf(cert, key); err != nil {
		t.Fatal(err)
	}
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}

		return path
	}
	files := map[string]string{
		"tls.crt": cert, "tls.key": key, "ca.crt": ca.CertFile, "internal-trust.json": filepath.Join(keys, secretgen.TrustFile), "key-pepper": filepath.Join(keys, secretgen.PepperFile),
		"signing-keys.json": filepath.Join(keys, secretgen.RingFile), "spool": filepath.Join(dir, "spool"), "model-key": write("model-key", "k"), "oidc-client-secret": write("oidc-client-secret", "s"),
		"redis-url": write("redis-url", "redis://127.0.0.1:1/0"), "mongodb-uri": write("mongodb-uri", "mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=100"),
	}

	return func(m *manifests, service string) map[string]string {
		environ, mistakes := m.environ(service)
		if len(mistakes) > 0 {
			t.Fatal(mistakes)
		}

		for name, value := range environ {
			if !strings.HasPrefix(value, "/") {
				continue
			}
			file := files[filepath.Base(value)]
			if value == imaged {
				delete(environ, name) // the image is not built here
				continue
			}
			if filepath.Base(value) == "internal-key" {
				file = filepath.Join(keys, secretgen.InternalKeyFile(service))
			}
			if file == "" {
				t.Fatalf("%s: %s names %s, which the test does not know", service, name, value)
			}
			environ[name] = file
		}
		i := slices.IndexFunc(services, func(s described) bool { return s.Name == service })
		environ[services[i].prefix+"_ADDR"], environ[services[i].prefix+"_INTERNAL_ADDR"], environ["DRAIN_DELAY"] = "127.0.0.1:0", "127.0.0.1:0", "0s"

		return environ
	}
}

// started makes the service with environ and ends it. It returns what kept it from starting.
func started(t *testing.T, e launch.Entry, environ map[string]string) error {
	service, err := e.New(t.Context(), launch.Env{Environ: environ, Telemetry: telemetry.Discard(e.Name, io.Discard), Now: time.Now})
	if err != nil {
		return err
	}
	if err := service.Run(canceled(t)); err != nil {
		t.Errorf("%s does not stop: %v", e.Name, err)
	}

	return nil
}

// The settings are taken by the services' own code: each is made with the variables of its container.
func TestServicesStartWithTheirSettings(t *testing.T) {
	environ := installed(t)
	everyBuild(t, func(t *testing.T, m *manifests) {
		for _, s := range services {
			if err := started(t, s.Entry, environ(m, s.Name)); err != nil {
				t.Errorf("%s does not start: %v", s.Name, err)
			}
		}
	})
}

// Whatever a service refuses to start with, it names the variable, and does not tell a secret.
func TestWhatCannotBeUsedIsNamed(t *testing.T) {
	environ, m := installed(t), build(t, "overlays/production")
	launch.Globals()
	empty := filepath.Join(t.TempDir(), "PLANTED")
	if err := os.WriteFile(empty, []byte("PLANTED\n"), 0o600); err != nil {
		t.Fatal(err)
	}

	for _, s := range services {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			good := environ(m, s.Name)
			refused := 0

			for _, setting := range s.Settings {
				_, _, address := strings.Cut(setting.Name, "_UR") // which may hold a password
				secret := setting.Secret || address
				values := []string{"PLANTED !", "mongodb://PLANTED:PLANTED@/%", "/PLANTED/nowhere", empty, "0"}
				if setting.Name == "CASE_SPOOL_DIR" {
					values = []string{empty} // any other would be made
				}

				for _, value := range values {
					bad := maps.Clone(good)
					delete(bad, setting.Name+"_FILE")
					bad[setting.Name] = value
					err := started(t, s.Entry, bad)
					if err == nil {
						continue
					}
					refused++
					said := err.Error()
					if !strings.Contains(said, setting.Name) && !strings.Contains(said, "AGENT_MODEL_PROVIDER is missing") || secret && strings.Contains(said, "PLANTED") {
						t.Errorf("%s=%s: %v", setting.Name, value, err)
					}
				}
			}
			if refused < 2*len(s.Settings) {
				t.Errorf("%d values were refused, of five bad ones for each of %d settings; something is not read", refused, len(s.Settings))
			}
		})
	}
}

// One environment may hold the settings of all services, and what Kubernetes says of Services named after the stores.
func TestNoServiceRefusesWhatIsMeantForAnother(t *testing.T) {
	shared := map[string]string{}
	for _, name := range []string{"REDIS_SERVICE_HOST", "REDIS_SERVICE_PORT", "REDIS_PORT", "REDIS_PORT_6379_TCP", "REDIS_PORT_6379_TCP_ADDR", "MONGODB_SERVICE_HOST", "MONGODB_PORT"} {
		shared[name] = "x"
	}

	for _, s := range services {
		for _, setting := range s.Settings {
			shared[setting.Name], shared[setting.Name+"_FILE"] = "x", "x"
		}
	}

	for _, s := range services {
		environ := maps.Clone(shared)
		for _, setting := range s.Settings { // so that every one of them could be meant
			delete(environ, setting.Name)
			delete(environ, setting.Name+"_FILE")
		}
		_, err := s.New(t.Context(), launch.Env{Environ: environ, Telemetry: telemetry.Discard(s.Name, &strings.Builder{}), Now: time.Now})
		if err == nil || !strings.Contains(err.Error(), "is required") || strings.Contains(err.Error(), "is not a setting") {
			t.Errorf("%s: %v", s.Name, err)
		}
	}
}

// canceled returns a context that has ended.
func canceled(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()

	return ctx
}
