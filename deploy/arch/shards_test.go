package arch_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	authsvc "github.com/subrosa-legal/subrosa/auth-svc"
	casesvc "github.com/subrosa-legal/subrosa/case-svc"
	partysvc "github.com/subrosa-legal/subrosa/party-svc"
	"github.com/subrosa-legal/subrosa/pkg/audit/chain"
	"github.com/subrosa-legal/subrosa/pkg/idempotency"
	"github.com/subrosa-legal/subrosa/pkg/launch"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	registrysvc "github.com/subrosa-legal/subrosa/registry-svc"
)

var sharded = regexp.MustCompile(`(?m)^sh\.shardCollection\("db\.([^"]+)", \{"(tenant|_id|files_id)": 1[^}]*\}\)$`)

// TestEveryCollectionIsSharded holds what services print for a cluster against the collections that their stores name:
// one that is forgotten would lie on one shard for good.
func TestEveryCollectionIsSharded(t *testing.T) {
	for folder, tc := range map[string]struct {
		entry launch.Entry
		more  []string // of packages that all services share
	}{
		"auth-svc":     {authsvc.Entry(), []string{chain.Collection}},
		"registry-svc": {registrysvc.Entry(), []string{chain.Collection}},
		"case-svc":     {casesvc.Entry(), []string{chain.Collection, idempotency.Collection}},
		"party-svc":    {partysvc.Entry(), []string{chain.Collection, idempotency.Collection}},
	} {
		t.Run(folder, func(t *testing.T) {
			script, err := tc.entry.Shards("db")
			if err != nil {
				t.Fatal(err)
			}

			var got []string
			for _, line := range sharded.FindAllStringSubmatch(script, -1) {
				got = append(got, line[1])
			}

			want := append(collectionsIn(t, testkit.Tree(t, folder, "internal", "mongostore")), tc.more...)
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(got, slices.Compact(want)) {
				t.Errorf("sharded are %v, want %v", got, want)
			}
			if lines := strings.Count(script, "sh."); lines != len(got) {
				t.Errorf("%d of %d commands can be read:\n%s", len(got), lines, script)
			}
		})
	}
}

// collectionsIn returns the values of the constants in a folder whose names end with Collection.
func collectionsIn(t *testing.T, folder string) []string {
	t.Helper()
	names, err := fs.Glob(os.DirFS(folder), "*.go")
	if err != nil || len(names) == 0 {
		t.Fatalf("no source in %s: %v", folder, err)
	}

	var found []string

	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}

		file, err := parser.ParseFile(token.NewFileSet(), folder+"/"+name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}

		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.ValueSpec); ok {
				found = append(found, collectionsOf(spec)...)
			}

			return true
		})
	}

	return found
}

// collectionsOf returns the names of collections that a declaration gives.
func collectionsOf(spec *ast.ValueSpec) []string {
	var found []string

	for i, name := range spec.Names {
		if !strings.HasSuffix(name.Name, "Collection") || i >= len(spec.Values) {
			continue
		}
		if literal, ok := spec.Values[i].(*ast.BasicLit); ok {
			value, _ := strconv.Unquote(literal.Value)
			found = append(found, value)
		}
	}

	return found
}
