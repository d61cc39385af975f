// Package arch holds the rules of the map: dependencies flow deploy → services → pkg, and no domain knows a technology.
package arch

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

const prefix = "github.com/subrosa-legal/subrosa/"

type goPackage struct {
	ImportPath string
	Imports    []string
}

func packages(t *testing.T) []goPackage {
	t.Helper()
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
			if strings.HasSuffix(imported, "/pkg/testkit") {
				t.Errorf("%s imports testkit outside a test", p.ImportPath)
			}
		}
	}
}

// domains are the packages that hold rules. They may know the standard library, errs, and what is named here with its reason.
var domains = map[string][]string{
	"registry-svc/internal/agents": {"github.com/google/uuid", prefix + "pkg/authn"}, // ids, and the form of tokens
	"auth-svc/internal/keys":       {prefix + "pkg/authn"},                           // the form of keys
	"case-svc/internal/cases":      nil,
	"case-svc/internal/phases":     nil,
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
