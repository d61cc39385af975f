package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// costOfVaults is the field of cli.Terminal that says what a try of a new passphrase costs; zero means the usual cost.
const costOfVaults = "VaultCost"

// TestOnlyTestsMakeVaultsCheap finds code that sets the cost of vaults: a passphrase of a person has the usual one.
func TestOnlyTestsMakeVaultsCheap(t *testing.T) {
	root, inTests := testkit.Tree(t), 0

	err := filepath.WalkDir(filepath.Join(root, "deploy"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}

		for _, at := range sets(file, costOfVaults) {
			if strings.HasSuffix(path, "_test.go") {
				inTests++
				continue
			}
			t.Errorf("%s sets %s, which is for tests alone", files.Position(at), costOfVaults)
		}

		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if inTests == 0 {
		t.Errorf("no test sets %s: the field has another name by now", costOfVaults)
	}
}

func TestWhatSetsAField(t *testing.T) {
	for text, want := range map[string]int{
		`_ = Terminal{VaultCost: cost}`:                  1,
		`_ = cli.Terminal{Now: now, VaultCost: cost}`:    1,
		`term.VaultCost = cost`:                          1,
		`sh.Terminal.VaultCost, err = little()`:          1,
		`term.VaultCost.Passes = 1`:                      1,
		`term.VaultCost.Passes--`:                        1,
		`json.Unmarshal(text, &term.VaultCost)`:          1,
		`read(&sh.Terminal.VaultCost.Passes)`:            1,
		`pair.Lock(passphrase, sh.VaultCost)`:            0,
		`if sh.VaultCost == usual { return }`:            0,
		`cost := sh.VaultCost`:                           0,
		`cost.Passes = sh.VaultCost.Passes`:              0,
		`var t struct { VaultCost Cost }; _ = t`:         0,
		`_ = Terminal{Costs: []Cost{sh.VaultCost}}`:      0,
		`_ = map[string]Cost{"VaultCost": vault.Cost{}}`: 0,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc f() { "+text+" }", 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(sets(file, costOfVaults)); got != want {
			t.Errorf("%s: sets it %d times, want %d", text, got, want)
		}
	}
}

// sets returns where a file gives a field another value: in a literal, by an assignment, or by its address.
func sets(file *ast.File, field string) []token.Pos {
	var all []token.Pos

	ast.Inspect(file, func(n ast.Node) bool {
		var set []ast.Expr

		switch n := n.(type) {
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok && key.Name == field {
				all = append(all, n.Pos())
			}
		case *ast.AssignStmt:
			set = n.Lhs
		case *ast.IncDecStmt:
			set = []ast.Expr{n.X}
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				set = []ast.Expr{n.X}
			}
		}

		for _, e := range set {
			if within(e, field) {
				all = append(all, e.Pos())
			}
		}

		return true
	})

	return all
}

// within reports whether an expression such as a.b.c leads through a field.
func within(e ast.Expr, field string) bool {
	for {
		of, ok := e.(*ast.SelectorExpr)
		if !ok {
			return false
		}
		if of.Sel.Name == field {
			return true
		}
		e = of.X
	}
}
