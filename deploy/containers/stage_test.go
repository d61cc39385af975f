// Package containers_test runs the images that make images has built, two replicas of each service, and plays the story, updates and
// failures against them. It runs under make test-containers alone, since it takes minutes and needs a container engine.
package containers_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/moby/moby/api/types/container"
	enginenet "github.com/moby/moby/api/types/network"
	"github.com/moby/moby/client"
	"github.com/subrosa-legal/subrosa/deploy/internal/devidp"
	"github.com/subrosa-legal/subrosa/deploy/internal/image"
	"github.com/subrosa-legal/subrosa/deploy/internal/localca"
	"github.com/subrosa-legal/subrosa/deploy/internal/localinfo"
	"github.com/subrosa-legal/subrosa/deploy/internal/secretgen"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/network"
)

// services are ours, each with the port of its health.
var services = []struct{ name, setting, port, health string }{
	{"party-svc", "PARTY_URL", "8085", "9085"},
	{"case-svc", "CASE_URL", "8084", "9084"},
	{"auth-svc", "AUTH_URL", "8082", "9082"},
	{"registry-svc", "REGISTRY_URL", "8081", "9081"},
	{"agent-svc", "AGENT_URL", "8083", "9083"},
	{"gateway", "", "8443", "9443"},
}

const (
	replicas = 2
	grace    = 45 * time.Second // as the manifests give
)

func TestMain(m *testing.M) {
	_ = os.Setenv("TESTCONTAINERS_RYUK_DISABLED", "true") // its image would have to be fetched; every test removes what it starts
	os.Exit(m.Run())
}

// needEngine skips the test unless it was asked for and an engine answers.
func needEngine(t *testing.T) {
	t.Helper()
	if os.Getenv("TEST_CONTAINERS") == "" {
		t.Skip("containers are not tested: make images, then make test-containers")
	}
	if out, err := exec.CommandContext(t.Context(), "docker", "info").CombinedOutput(); err != nil {
		t.Fatalf("no engine answers, though containers are to be tested: %v\n%s", err, out)
	}

	for _, s := range services {
		if err := exec.CommandContext(t.Context(), "docker", "image", "inspect", "subrosa/"+s.name+":dev").Run(); err != nil {
			t.Fatalf("there is no image subrosa/%s:dev: make images builds it", s.name)
		}
	}
}

// stage is a whole Subrosa in containers.
type stage struct {
	t        *testing.T
	dir      string
	network  *testcontainers.DockerNetwork
	front    *front
	facts    localinfo.Local
	ca       *localca.CA
	card     string // address of an agent's card
	replicas map[string][]*replica
	http     *http.Client // trusts the local authority
}

// replica is one container of a service.
type replica struct {
	stage   *stage
	service string
	place   int
	port    string // inside
	inside  string // port of its health, inside
	testcontainers.Container
}

// start runs everything and returns when it is ready.
func start(t *testing.T) *stage {
	t.Helper()
	needEngine(t)
	s := &stage{t: t, dir: t.TempDir(), replicas: map[string][]*replica{}}
	var err error
	if s.network, err = network.New(t.Context()); err != nil {
		t.Fatal(err)
	}
	testcontainers.CleanupNetwork(t, s.network)
	s.front = newFront(t, replicas)
	s.ca = s.material()
	s.http = &http.Client{Transport: transport(s.ca, true), Timeout: 30 * time.Second}
	environ := s.stores()
	provider, port := s.provider()
	s.facts = localinfo.Local{
		BaseURL: "https://localhost:" + strconv.Itoa(s.front.listener.Addr().(*net.TCPAddr).Port), CAFile: s.ca.CertFile, Issuer: "https://localhost:" + port, ClientID: devidp.NativeClient, Stores: "in containers",
	}
	// The provider is told the address of the service, so it starts when that is known.
	idp := s.run("subrosa/idp:dev", "idp", map[string]string{
		"ENVIRONMENT": "development", "BASE_URL": s.facts.BaseURL, "OIDC_ISSUER": s.facts.Issuer, "IDP_ADDR": ":" + port,
		"IDP_TLS_CERT_FILE": "/run/subrosa/tls/localhost.pem", "IDP_TLS_KEY_FILE": "/run/subrosa/tls/localhost-key.pem",
	}, nil, []string{provider})
	outside := s.outside()
	maps.Copy(environ, s.settings(outside))

	for _, service := range services {
		for place := range replicas {
			r := &replica{stage: s, service: service.name, place: place, port: service.port, inside: service.health}
			// localhost is tried at the container itself first, where nothing takes the provider's port, and then at the provider.
			r.Container = s.run("subrosa/"+service.name+":dev", service.name, environOf(service.name, environ), []string{"localhost:" + s.address(idp)}, []string{service.port, service.health})
			s.replicas[service.name] = append(s.replicas[service.name], r)
			r.located()
		}
	}

	for _, service := range services {
		for _, r := range s.replicas[service.name] {
			r.awaitReady()
		}
	}
	s.writeFacts()

	return s
}

// material makes keys and certificates that the containers, whose user is another, can read.
func (s *stage) material() *localca.CA {
	s.t.Helper()
	ca, err := localca.Open(filepath.Join(s.dir, "ca"), time.Now)
	if err == nil {
		err = os.MkdirAll(filepath.Join(s.dir, "mounted", "tls"), 0o755)
	}
	if err == nil {
		err = ca.Leaf(filepath.Join(s.dir, "mounted", "tls", "localhost.pem"), filepath.Join(s.dir, "mounted", "tls", "localhost-key.pem"))
	}
	if err == nil {
		_, err = secretgen.Ensure(filepath.Join(s.dir, "mounted", "keys"), time.Now)
	}
	if err == nil {
		var pem []byte
		if pem, err = os.ReadFile(ca.CertFile); err == nil {
			err = os.WriteFile(filepath.Join(s.dir, "mounted", "ca.pem"), pem, 0o644)
		}
	}
	if err == nil {
		err = filepath.Walk(filepath.Join(s.dir, "mounted"), func(path string, info os.FileInfo, err error) error {
			if err != nil {
				return err
			}
			if info.IsDir() {
				return os.Chmod(path, 0o755)
			}

			return os.Chmod(path, 0o644)
		})
	}
	if err != nil {
		s.t.Fatal(err)
	}

	return ca
}

// run starts a container, of whose ports those named are published on this machine, "port" anywhere and "port:port" there, with nothing that it does not need: a root that cannot be written, no capability, the image's own user.
func (s *stage) run(from, alias string, environ map[string]string, hosts, ports []string, command ...string) testcontainers.Container {
	s.t.Helper()
	bindings := enginenet.PortMap{}
	req := testcontainers.ContainerRequest{
		Image: from, Env: environ, Cmd: command, Networks: []string{s.network.Name}, NetworkAliases: map[string][]string{s.network.Name: {alias}},
		HostConfigModifier: func(h *container.HostConfig) {
			h.ReadonlyRootfs, h.CapDrop, h.SecurityOpt = true, []string{"ALL"}, []string{"no-new-privileges:true"}
			h.PortBindings = bindings
			h.Binds, h.ExtraHosts = []string{filepath.Join(s.dir, "mounted") + ":/run/subrosa:ro"}, hosts
		},
	}
	if slices.Contains([]string{"case-svc", "stores", "redis"}, alias) { // nobody else writes
		req.Tmpfs = map[string]string{"/run/spool": "size=256m,mode=1777"}
	}

	for _, p := range ports {
		inside, here, _ := strings.Cut(p, ":")
		req.ExposedPorts = append(req.ExposedPorts, inside+"/tcp")
		bindings[enginenet.MustParsePort(inside+"/tcp")] = []enginenet.PortBinding{{HostIP: netip.MustParseAddr("127.0.0.1"), HostPort: here}}
	}
	c, err := testcontainers.GenericContainer(s.t.Context(), testcontainers.GenericContainerRequest{ContainerRequest: req, Started: true})
	testcontainers.CleanupContainer(s.t, c, testcontainers.StopTimeout(0))
	if err != nil {
		s.t.Fatalf("start %s: %v\n%s", alias, err, said(c))
	}
	s.t.Cleanup(func() {
		if s.t.Failed() {
			s.t.Logf("%s said last:\n%s", alias, said(c))
		}
	})

	return c
}

// said returns the end of a container's log.
func said(c testcontainers.Container) string {
	if c == nil {
		return ""
	}
	logs, err := c.Logs(context.Background())
	if err != nil {
		return err.Error()
	}

	defer func() { _ = logs.Close() }()
	text, _ := io.ReadAll(logs)
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")

	return strings.Join(lines[max(0, len(lines)-8):], "\n")
}

// address returns where a container is on the network.
func (s *stage) address(c testcontainers.Container) string {
	s.t.Helper()
	about, err := c.Inspect(s.t.Context())
	if err != nil {
		s.t.Fatal(err)
	}

	return about.NetworkSettings.Networks[s.network.Name].IPAddress.String()
}

// published returns where a port of a container is on this machine. It changes when the container is started again.
func published(t *testing.T, c testcontainers.Container, port string) string {
	t.Helper()
	mapped, err := c.MappedPort(t.Context(), port)
	if err != nil {
		t.Fatal(err)
	}

	return net.JoinHostPort("127.0.0.1", mapped.Port())
}

// stores runs a Redis, the real one where this machine has it, and the embedded MongoDB.
func (s *stage) stores() map[string]string {
	s.t.Helper()
	embedded := os.Getenv("TEST_STORES_BIN")
	if embedded == "" {
		s.t.Fatal("TEST_STORES_BIN does not name the program subrosa-stores: make test-containers builds it")
	}
	s.load("stores", embedded)
	s.run("subrosa/test-stores:dev", "stores", map[string]string{"TMPDIR": "/run/spool"}, nil, nil, "-dir", "/run/spool", "-redis", "0.0.0.0:6379", "-mongo", "0.0.0.0:27017")
	host := "stores"
	if real, err := exec.LookPath("redis-server"); err == nil {
		s.load("redis", real)
		s.run("subrosa/test-redis:dev", "redis", nil, nil, nil, "--dir", "/run/spool", "--bind", "0.0.0.0", "--protected-mode", "no", "--appendonly", "yes")
		host = "redis"
	}
	s.t.Logf("Redis is the one of %s, MongoDB the embedded one", host)

	return map[string]string{"REDIS_URL": "redis://" + host + ":6379/0", "MONGODB_URI": "mongodb://stores:27017/?directConnection=true", "MONGODB_TIMEOUT": "10s"}
}

// provider chooses a port for the provider that is the same on this machine and on the network.
func (s *stage) provider() (ports, port string) {
	s.t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	_, port, _ = net.SplitHostPort(ln.Addr().String())
	_ = ln.Close()

	return port + ":" + port, port
}

// outside runs what lies outside of Subrosa and returns its address on the network.
func (s *stage) outside() string {
	s.t.Helper()
	program := testkit.Program(s.t, "test-outside")
	s.load("outside", program)
	c := s.run("subrosa/test-outside:dev", "outside", nil, nil, []string{"8090"})
	address := s.address(c)
	var pem []byte
	testkit.UntilTrue(s.t, 20*time.Second, "what lies outside answers", func() bool {
		resp, err := s.http.Get("http://" + published(s.t, c, "8090") + "/certificate")
		if err != nil {
			return false
		}
		defer func() { _ = resp.Body.Close() }()
		pem, err = io.ReadAll(resp.Body)

		return err == nil
	})
	if err := os.WriteFile(filepath.Join(s.dir, "mounted", "outside.pem"), pem, 0o644); err != nil {
		s.t.Fatal(err)
	}
	s.card = "https://" + address + ":9446/.well-known/agent.json"

	return address
}

// settings are those that services have beside the stores.
func (s *stage) settings(outside string) map[string]string {
	all := map[string]string{
		"ENVIRONMENT": "development", "BASE_URL": s.facts.BaseURL, "DRAIN_DELAY": "2s",
		"OIDC_ISSUER": s.facts.Issuer, "OIDC_AUDIENCE": s.facts.BaseURL + "/v1", "OIDC_CA_FILE": "/run/subrosa/ca.pem", "OIDC_TENANT_CLAIM": devidp.TenantClaim, "OIDC_ROLES_CLAIM": devidp.RolesClaim,
		"OIDC_CLIENT_ID": devidp.WebClient, "AUTH_SIGNING_KEYS": "/run/subrosa/keys/" + secretgen.RingFile, "INTERNAL_TRUST": "/run/subrosa/keys/" + secretgen.TrustFile,
		"KEY_PEPPER_FILE":       "/run/subrosa/keys/" + secretgen.PepperFile,
		"GATEWAY_TLS_CERT_FILE": "/run/subrosa/tls/localhost.pem", "GATEWAY_TLS_KEY_FILE": "/run/subrosa/tls/localhost-key.pem", "GATEWAY_WASM_DIR": "/wasm",
		"GATEWAY_STREAM_STAGGER": "1s", "AGENT_STREAM_STAGGER": "1s", "AGENT_LEASE": "3s", "CASE_SPOOL_DIR": "/run/spool", "CASE_FEED_LAG": "0s",
		"REGISTRY_CARD_DEV_ALLOW": outside + ":9446", "REGISTRY_CARD_DEV_CA": "/run/subrosa/outside.pem",
		"AGENT_MODEL_PROVIDER": "openai", "AGENT_MODEL_URL": "http://" + outside + ":8090/v1", "AGENT_MODEL_NAME": "m-20260101", "AGENT_MODEL_LOCAL": "true", "AGENT_MODEL_TRAINS_ON_INPUT": "false",
		"AGENT_MODEL_RETENTION_DAYS": "0", "AGENT_MODEL_REGION": "here", "CASE_MODEL_CONFIGURED": "true", "CASE_MODEL_LOCAL": "true",
	}
	for _, limit := range []string{
		"GATEWAY_RATE_TOKEN", "GATEWAY_RATE_REGISTER", "GATEWAY_RATE_REGISTRATION_TOKEN", "GATEWAY_RATE_RUN", "GATEWAY_RATE_CALLS", "GATEWAY_RATE_ADDRESS", "REGISTRY_CARD_PER_HOUR",
	} {
		all[limit] = "1000000"
	}

	for _, service := range services {
		if service.setting != "" {
			all[service.setting] = "http://" + service.name + ":" + service.port
		}
	}

	return all
}

// environOf returns the settings that a service knows: it refuses its own address.
func environOf(name string, all map[string]string) map[string]string {
	environ := maps.Clone(all)

	for _, service := range services {
		if service.name == name {
			delete(environ, service.setting)
		}
	}

	switch name { // by default these two listen at loopback
	case "case-svc":
		environ["CASE_ADDR"], environ["CASE_INTERNAL_ADDR"] = ":8084", ":9084"
	case "party-svc":
		environ["PARTY_ADDR"], environ["PARTY_INTERNAL_ADDR"] = ":8085", ":9085"
	}
	environ["INTERNAL_KEY_FILE"] = "/run/subrosa/keys/" + secretgen.InternalKeyFile(name)

	return environ
}

func (s *stage) writeFacts() {
	s.t.Helper()
	text, err := json.Marshal(s.facts)
	if err == nil {
		err = os.MkdirAll(filepath.Join(s.dir, ".local"), 0o700)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(s.dir, ".local", localinfo.File), text, 0o600)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// load makes an image of a program of this machine, with the libraries that it is linked to, and gives it to the engine.
func (s *stage) load(name, program string) {
	s.t.Helper()
	root := filepath.Join(s.dir, "image-"+name)
	place := func(from, to string) {
		text, err := os.ReadFile(from)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(filepath.Join(root, to)), 0o755)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(root, to), text, 0o755)
		}
		if err != nil {
			s.t.Fatal(err)
		}
	}
	place(program, "service")

	linked, _ := exec.CommandContext(s.t.Context(), "ldd", program).Output() // it fails for a static program, which needs nothing
	for lines := bufio.NewScanner(bytes.NewReader(linked)); lines.Scan(); {
		fields := strings.Fields(lines.Text())
		if i := slices.IndexFunc(fields, func(f string) bool { return strings.HasPrefix(f, "/") }); i >= 0 {
			place(fields[i], fields[i])
		}
	}
	made, err := image.Make(root, image.Spec{Tag: "subrosa/test-" + name + ":dev", Created: time.Unix(0, 0), Arch: runtime.GOARCH, User: "10001:10001", Entrypoint: []string{"/service"}})
	if err != nil {
		s.t.Fatal(err)
	}
	cmd := exec.CommandContext(s.t.Context(), "docker", "load", "-q")
	cmd.Stdin = bytes.NewReader(made.Archive)
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("load the image of %s: %v\n%s", name, err, out)
	}
}

// located tells the load balancer where a gateway is.
func (r *replica) located() {
	if r.service == "gateway" {
		t := r.stage.t
		r.stage.front.to(r.place, published(t, r, r.port), "http://"+published(t, r, r.inside)+"/readyz")
	}
}

// awaitReady returns when the replica says that it is ready.
func (r *replica) awaitReady() {
	t := r.stage.t
	t.Helper()

	probe := &http.Client{Timeout: time.Second}
	defer probe.CloseIdleConnections()
	address := "http://" + published(t, r, r.inside) + "/readyz"
	testkit.UntilTrue(t, 30*time.Second, r.service+" is ready", func() bool { return answers(probe, address) })
}

// again starts a replica that has ended and returns when it is ready.
func (r *replica) again() {
	t := r.stage.t
	t.Helper()
	if err := r.Start(t.Context()); err != nil {
		t.Fatalf("start %s again: %v", r.service, err)
	}
	r.located()
	r.awaitReady()
}

// stop ends a replica as an update does, and says how long that took. It must end by itself.
func (r *replica) stop() time.Duration {
	t, limit := r.stage.t, grace
	t.Helper()
	began := time.Now()
	if err := r.Stop(t.Context(), &limit); err != nil {
		t.Fatalf("stop %s: %v", r.service, err)
	}
	state, err := r.State(t.Context())
	if err != nil || state.ExitCode != 0 {
		t.Errorf("%s ended with %+v: %v", r.service, state, err)
	}

	return time.Since(began)
}

// kill ends a replica without a warning.
func (r *replica) kill() {
	t := r.stage.t
	t.Helper()
	engine, err := testcontainers.NewDockerClientWithOpts(t.Context())
	if err == nil {
		defer func() { _ = engine.Close() }()
		_, err = engine.ContainerKill(t.Context(), r.GetContainerID(), client.ContainerKillOptions{Signal: "KILL"})
	}
	if err != nil {
		t.Fatalf("kill %s: %v", r.service, err)
	}
}

// wait lets time pass while the load runs and replicas are away, which is what these tests are about. It ends with
// its test.
func wait(t testing.TB, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-t.Context().Done():
	}
}
