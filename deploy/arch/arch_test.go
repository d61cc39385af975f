// Package arch holds the rules of the map: dependencies flow deploy → services → pkg, and no domain knows a technology.
package arch

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

const prefix = "github.com/subrosa-legal/subrosa/"

type goPackage struct {
	ImportPath string
	Imports    []string
}

func packages(t *testing.T) []goPackage {
	t.Helper()
	_ = testkit.Tree(t) // go list reads all of it
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Imports", prefix+"...")
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list: %s", exit.Stderr)
		}
		t.Fatal(err)
	}
	var all []goPackage

	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// moduleOf returns the folder that a package of ours belongs to, or "".
func moduleOf(path string) string {
	rest, ours := strings.CutPrefix(path, prefix)
	if !ours {
		return ""
	}
	module, _, _ := strings.Cut(rest, "/")

	return module
}

func TestDependenciesFlowOneWay(t *testing.T) {
	all := packages(t)
	if len(all) < 20 {
		t.Fatalf("only %d packages found; the test looks in the wrong place", len(all))
	}

	for _, p := range all {
		from := moduleOf(p.ImportPath)
		for _, imported := range p.Imports {
			to := moduleOf(imported)
			switch {
			case to == "" || to == from || to == "pkg" && from != "pkg", from == "deploy":
			default:
				t.Errorf("%s imports %s: only deploy may see services, and services see pkg alone", p.ImportPath, imported)
			}
			if strings.Contains(imported+"/", "/pkg/testkit/") && !strings.Contains(p.ImportPath, "/pkg/testkit/") {
				t.Errorf("%s imports testkit outside a test", p.ImportPath)
			}
		}
	}
}

// What lets everybody in, for conformance kits, is in no image and in no service.
func TestTheScriptedAgentIsInNoService(t *testing.T) {
	const (
		agent    = "github.com/subrosa-legal/subrosa/agent-svc/"
		scripted = agent + "internal/a2a/scripted"
		served   = agent + "scripted"
	)
	seen := false

	for _, p := range packages(t) {
		imports := slices.Contains(p.Imports, scripted)
		seen = seen || imports
		if imports && p.ImportPath != served {
			t.Errorf("%s imports the script", p.ImportPath)
		}
		if slices.Contains(p.Imports, served) && !strings.HasSuffix(p.ImportPath, "/cmd/subrosa-a2a-sut") {
			t.Errorf("%s imports the scripted agent", p.ImportPath)
		}
	}
	if !seen {
		t.Error("nothing imports the script; the test looks in the wrong place")
	}
	images, err := os.ReadFile("../scripts/images")
	if err != nil || strings.Contains(string(images), "a2a-sut") {
		t.Errorf("the script of the images names it, or cannot be read: %v", err)
	}
}

// The client of a container engine is large, and only tests want containers: one program of deploy starts them.
func TestOneProgramStartsContainers(t *testing.T) {
	const library = "github.com/testcontainers/testcontainers-go"
	ofLibrary := func(imported string) bool { return strings.HasPrefix(imported, library) }
	modules := []string{"pkg", "gateway", "registry-svc", "auth-svc", "agent-svc", "case-svc", "party-svc"}
	seen := false

	for _, p := range packages(t) {
		imports := slices.ContainsFunc(p.Imports, ofLibrary)
		seen = seen || imports
		if imports && p.ImportPath != prefix+"deploy/cmd/subrosa-containers" {
			t.Errorf("%s imports %s", p.ImportPath, library)
		}
	}
	if !seen {
		t.Error("nothing imports the library; the test looks in the wrong place")
	}

	for _, module := range modules {
		required, err := os.ReadFile(testkit.Tree(t, module, "go.mod"))
		if err != nil || strings.Contains(string(required), library) {
			t.Errorf("%s/go.mod names %s, or cannot be read: %v", module, library, err)
		}
	}
}

func TestTheBrowsersGuardIsTheGuardAlone(t *testing.T) {
	_ = testkit.Tree(t)
	cmd := exec.CommandContext(t.Context(), "go", "list", "-f", `{{join .Imports "\n"}}`, prefix+"gateway/web/wasm/guard")
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	ours := 0

	for imported := range strings.Lines(string(out)) {
		if imported = strings.TrimSpace(imported); moduleOf(imported) == "" {
			continue
		}
		if ours++; imported != prefix+"pkg/guard" && imported != prefix+"pkg/label" {
			t.Errorf("gateway/web/wasm/guard imports %s: everything in it is loaded by every browser", imported)
		}
	}
	if ours == 0 {
		t.Error("gateway/web/wasm/guard does not import pkg/guard")
	}
}

func TestEveryServiceBringsItsTimeZones(t *testing.T) {
	for _, p := range packages(t) {
		if p.ImportPath == prefix+"pkg/launch" {
			if !slices.Contains(p.Imports, "time/tzdata") {
				t.Error("pkg/launch does not import time/tzdata: an image from scratch would know no zone, and no deadline in one")
			}

			return
		}
	}
	t.Error("pkg/launch was not found")
}

// domains are the packages that hold rules. They may know the standard library, errs, and what is named here with its reason.
var domains = map[string][]string{
	// ids, and the form of tokens
	"registry-svc/internal/agents": {"github.com/google/uuid", prefix + "pkg/authn"},
	"auth-svc/internal/keys":       {prefix + "pkg/authn"}, // the form of keys
	"auth-svc/internal/oauth": {
		"github.com/golang-jwt/jwt/v5", "github.com/go-jose/go-jose/v4", "github.com/google/uuid", prefix + "pkg/authn",
	},
	"auth-svc/internal/sessions":  {prefix + "pkg/authn"}, // the form of sessions
	"case-svc/internal/cases":     nil,
	"case-svc/internal/phases":    nil,
	"party-svc/internal/parties":  nil,
	"party-svc/internal/partners": nil,
	"party-svc/internal/invites":  nil,
	"party-svc/internal/recounts": nil,
	"party-svc/internal/vault":    nil,
}

func TestDomainsKnowNoTechnology(t *testing.T) {
	seen := map[string]bool{}

	for _, p := range packages(t) {
		domain := strings.TrimPrefix(p.ImportPath, prefix)
		allowed, is := domains[domain]
		if !is {
			continue
		}
		seen[domain] = true

		for _, imported := range p.Imports {
			for _, technology := range []string{"net/http", "gin", "mongo", "redis", "otel", "pkg/httpx", "pkg/mongox", "pkg/redisx"} {
				named := false
				for _, a := range allowed {
					named = named || a == imported
				}
				if strings.Contains(imported, technology) && !named {
					t.Errorf("%s imports %s: a domain does not know its adapters", domain, imported)
				}
			}
		}
	}

	for domain := range domains {
		if !seen[domain] {
			t.Errorf("%s is not there any more; the list is out of date", domain)
		}
	}
}

// adapters are the packages of a service that know HTTP or a store; modelengine opens the streams of language models,
// signin speaks with the identity provider, clientdoc and cardfetch read documents of others.
var adapters = []string{
	"auth-svc/internal/httpapi", "auth-svc/internal/oauthapi", "auth-svc/internal/sessionapi", "auth-svc/internal/pages",
	"auth-svc/internal/mongostore", "auth-svc/internal/redisstore", "auth-svc/internal/signin",
	"auth-svc/internal/clientdoc",
	"registry-svc/internal/httpapi", "registry-svc/internal/mongostore", "registry-svc/internal/redisstore",
	"registry-svc/internal/cardfetch",
	"case-svc/internal/httpapi", "case-svc/internal/mongostore", "case-svc/internal/oversight",
	"party-svc/internal/httpapi", "party-svc/internal/mongostore", "party-svc/internal/seed", "party-svc/internal/upstream",
	"agent-svc/internal/legal/modelengine",
}

// TestRulesReachNoTechnology follows all imports of the rules of cases, parties, legal work, agents and credentials,
// and of the packages in which they say what they take and answer: none leads to HTTP, a store or telemetry.
func TestRulesReachNoTechnology(t *testing.T) {
	roots := []string{
		"case-svc/internal/", "party-svc/internal/", "agent-svc/internal/legal", "auth-svc/internal/", "registry-svc/internal/",
		"pkg/access", "pkg/api", "pkg/audit", "pkg/audit/record", "pkg/authn", "pkg/strictjson",
	}
	list := []string{"list", "-deps", "-f", "{{.ImportPath}}"}

	for _, p := range packages(t) {
		name := strings.TrimPrefix(p.ImportPath, prefix)
		under := func(root string) bool {
			return name == root || !strings.HasPrefix(root, "pkg/") && strings.HasPrefix(name, root)
		}
		if slices.ContainsFunc(roots, under) && !slices.Contains(adapters, name) {
			list = append(list, p.ImportPath)
		}
	}
	if len(list) < 30 {
		t.Fatalf("only %d packages were found", len(list)-4)
	}
	out, err := exec.CommandContext(t.Context(), "go", list...).Output()
	if err != nil {
		t.Fatal(err)
	}

	for _, reached := range strings.Fields(string(out)) {
		switch reached {
		case "net/http", "github.com/gin-gonic/gin", "go.mongodb.org/mongo-driver/v2/mongo",
			"github.com/redis/go-redis/v9", "go.opentelemetry.io/otel":
			t.Errorf("a rule reaches %s; look for the way with go list -deps", reached)
		}
	}
}

// TestTheCommandLineIsAClient follows all imports of what people install on their machines: it is linked with no
// service, no store, no engine of a server and no FerretDB.
func TestTheCommandLineIsAClient(t *testing.T) {
	_ = testkit.Tree(t)
	cmd := exec.CommandContext(
		t.Context(),
		"go",
		"list",
		"-deps",
		prefix+"deploy/cmd/subrosa",
		prefix+"deploy/internal/cli",
	)
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	reached := strings.Fields(string(out))
	if !slices.Contains(reached, prefix+"pkg/httpcall") {
		t.Fatal("the command line calls nothing; the test looks in the wrong place")
	}

	services := []string{"gateway", "registry-svc", "auth-svc", "agent-svc", "case-svc", "party-svc"}
	servers := []string{
		"github.com/gin-gonic/", "go.mongodb.org/", "github.com/redis/", "github.com/FerretDB/", "github.com/alicebob/",
		prefix + "pkg/httpx", prefix + "pkg/mongox", prefix + "pkg/redisx", prefix + "pkg/launch",
		prefix + "pkg/audit/chain",
	}

	for _, name := range reached {
		of := func(root string) bool { return strings.HasPrefix(name, root) }
		if slices.Contains(services, moduleOf(name)) || slices.ContainsFunc(servers, of) {
			t.Errorf("the command line is linked with %s; look for the way with go list -deps", name)
		}
	}
}
