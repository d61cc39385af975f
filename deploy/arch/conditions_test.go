package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// mostOperators is how many && and || a condition may have. One with more needs a predicate with a name.
const mostOperators = 3

// modules are the folders that hold Go.
var modules = []string{
	"pkg", "gateway", "registry-svc", "auth-svc", "agent-svc", "case-svc", "party-svc", "deploy",
}

// TestConditionsAreShort finds conditions that a reader has to take apart, by file and function.
func TestConditionsAreShort(t *testing.T) {
	found := longConditions(t)
	for _, place := range slices.Sorted(maps.Keys(found)) {
		t.Errorf("%s: a condition has %d operators, at most %d are read at a glance: name a predicate",
			place, found[place], mostOperators)
	}
}

// longConditions counts, by file and function, the operators of conditions that have too many.
func longConditions(t *testing.T) map[string]int {
	t.Helper()
	root := testkit.Tree(t)
	found := map[string]int{}

	for _, module := range modules {
		err := filepath.WalkDir(filepath.Join(root, module), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			name, err := filepath.Rel(root, path)
			if err != nil {
				return err
			}

			return inFile(path, filepath.ToSlash(name), found)
		})
		if err != nil {
			t.Fatal(err)
		}
	}

	return found
}

func inFile(path, name string, found map[string]int) error {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		return err
	}

	for _, decl := range file.Decls {
		function, ok := decl.(*ast.FuncDecl)
		if !ok || function.Body == nil {
			continue
		}

		ast.Inspect(function.Body, func(n ast.Node) bool {
			e, ok := n.(ast.Expr)
			if !ok || operators(e) <= mostOperators {
				return true
			}
			found[name+" "+function.Name.Name] += operators(e)

			return false // what is inside is part of it
		})
	}

	return nil
}

// operators counts the && and || that join the parts of one condition.
func operators(e ast.Expr) int {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return operators(e.X)
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			return operators(e.X)
		}
	case *ast.BinaryExpr:
		if e.Op == token.LAND || e.Op == token.LOR {
			return 1 + operators(e.X) + operators(e.Y)
		}
	}

	return 0
}
