package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// tab is how many columns a tab takes, as lll counts them.
const tab = 4

// reading is what makes code easy or hard to read, counted over all Go that is no test.
type reading struct {
	lines, long, longer    int // of files; those of more than 120 and 140 columns
	inside, blank, remarks int // lines of function bodies; those that are blank, and those that are all comment
	conditions             int // that have more operators than mostOperators
}

// bounds are the goals, in lines of each thousand, and long conditions in all.
var bounds = []struct {
	name  string
	of    func(r reading) int
	least int
	most  int
}{
	{"blank lines in function bodies", func(r reading) int { return thousandths(r.blank, r.inside) }, 60, 100},
	{"whole-line comments in bodies", func(r reading) int { return thousandths(r.remarks, r.inside) }, 20, 1000},
	{"lines over 120 columns", func(r reading) int { return thousandths(r.long, r.lines) }, 0, 9},
	{"lines over 140 columns", func(r reading) int { return r.longer }, 0, 0},
	{"conditions with four or more && and ||", func(r reading) int { return r.conditions }, 0, 0},
}

func thousandths(n, of int) int { return (1000*n + of/2) / of }

// TestTheCodeReadsWell prints how the code reads, and fails when it has become harder to read than the goals allow.
func TestTheCodeReadsWell(t *testing.T) {
	var r reading
	root := testkit.Tree(t)

	for _, module := range modules {
		err := filepath.WalkDir(filepath.Join(root, module), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}

			return r.add(path)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if r.lines < 10_000 || r.inside == 0 {
		t.Fatalf("only %d lines were found", r.lines)
	}

	for _, b := range bounds {
		got := b.of(r)
		t.Logf("%-40s %5d   goal: %d to %d", b.name, got, b.least, b.most)
		if got < b.least || got > b.most {
			t.Errorf("%s: %d, want %d to %d", b.name, got, b.least, b.most)
		}
	}
}

// add counts one file.
func (r *reading) add(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")

	for _, line := range lines {
		columns := utf8.RuneCountInString(line) + (tab-1)*strings.Count(line, "\t")
		if columns > 120 {
			r.long++
		}
		if columns > 140 && !strings.Contains(line, "`env:") { // a setting has its help in its tag, which cannot be broken
			r.longer++
		}
	}
	r.lines += len(lines)

	for _, decl := range file.Decls {
		if f, ok := decl.(*ast.FuncDecl); ok && f.Body != nil {
			r.body(lines, files.Position(f.Body.Lbrace).Line, files.Position(f.Body.Rbrace).Line)
			r.count(f.Body)
		}
	}

	return nil
}

// body counts the lines between the braces of a function.
func (r *reading) body(lines []string, open, end int) {
	for _, line := range lines[open:max(open, end-1)] {
		r.inside++

		switch line = strings.TrimSpace(line); {
		case line == "":
			r.blank++
		case strings.HasPrefix(line, "//"):
			r.remarks++
		}
	}
}

func (r *reading) count(body *ast.BlockStmt) {
	ast.Inspect(body, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		if !ok || operators(e) <= mostOperators {
			return true
		}
		r.conditions++

		return false
	})
}
