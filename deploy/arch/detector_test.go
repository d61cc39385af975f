package arch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// knowing are the files that may know by themselves whether they were built with the race detector.
var knowing = []string{
	"pkg/testkit/detector.go", "pkg/testkit/detector_on.go", "pkg/testkit/detector_off.go",
	"deploy/internal/ferretproxy/ferret/race.go", "deploy/internal/ferretproxy/ferret/norace.go",
	"deploy/internal/ferretproxy/ferret/ferret.go",
}

// The names by which code learns of the race detector: those for tests, and those of what cannot run with it.
var (
	byTestkit = map[string]bool{"RaceDetector": true, "WithoutDetector": true}
	byItself  = map[string]bool{"raceDetector": true, "ErrRace": true}
)

var constraintOfRace = regexp.MustCompile(`(?m)^//(go:build|\s*\+build) .*\brace\b`)

// TestWhatTheDetectorLeavesOutIsFound holds the words by which make test finds the tests that do less under the race
// detector, to run them once more without it. One that asked in another way would run nowhere.
func TestWhatTheDetectorLeavesOutIsFound(t *testing.T) {
	looked, asking := 0, 0

	root := testkit.Tree(t)

	for _, module := range modules {
		each(t, filepath.Join(root, module), ".go", func(path string, text []byte) {
			looked++
			if asksForDetector.Match(text) {
				asking++
			}
			path, err := filepath.Rel(root, path)
			if err != nil {
				t.Fatal(err)
			}
			if path = filepath.ToSlash(path); slices.Contains(knowing, path) {
				return
			}

			for _, what := range asksInAnotherWay(t, path, string(text)) {
				t.Errorf("%s: make test would not find it; call WithoutDetector of testkit in the test itself", what)
			}
		})
	}

	if looked < 1000 || asking < 8 {
		t.Errorf("%d files were looked at, of which %d ask for the detector", looked, asking)
	}
}

// TestAskingInAnotherWay shows the rule what it must find.
func TestAskingInAnotherWay(t *testing.T) {
	for _, tc := range []struct {
		name, path, text string
		found            bool
	}{
		{"in the test", "a_test.go", "package a; func TestA(t *testing.T) { kit.WithoutDetector(t) }", false},
		{"in a subtest", "a_test.go", "package a; func TestA(t *testing.T) { t.Run(``, func(t *testing.T) { _ = kit.RaceDetector }) }", false},
		{"in a helper", "a_test.go", "package a; func start(t *testing.T) { kit.WithoutDetector(t) }", true},
		{"in a benchmark", "a_test.go", "package a; func BenchmarkA(b *testing.B) { kit.WithoutDetector(b) }", true},
		{"in a method", "a_test.go", "package a; func (s) TestA(t *testing.T) { kit.WithoutDetector(t) }", true},
		{"in a variable", "a_test.go", "package a; var raced = kit.RaceDetector", true},
		{"in no test file", "a.go", "package a; func TestA(t *testing.T) { kit.WithoutDetector(t) }", true},
		{"by another name of the package", "a_test.go", "package a; func TestA(t *testing.T) { tools.WithoutDetector(t) }", true},
		{"by an error", "a_test.go", "package a; func TestA(t *testing.T) { if errors.Is(err, ferret.ErrRace) { t.Skip() } }", true},
		{"by a constraint", "a_test.go", "//go:build linux && !race\n\npackage a; func TestA(t *testing.T) {}", true},
		{"not at all", "a_test.go", "package a; func TestErrRaces(t *testing.T) {}", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			// With the whole word, make test would take this file for one that asks.
			text := strings.ReplaceAll(tc.text, "kit.", "testkit.")
			if got := asksInAnotherWay(t, tc.path, text); (len(got) > 0) != tc.found {
				t.Errorf("found %q, want something: %v", got, tc.found)
			}
		})
	}
}

// asksInAnotherWay returns where a file asks for the race detector other than by testkit within a test.
func asksInAnotherWay(t *testing.T, path, text string) []string {
	t.Helper()
	var found []string
	if at := constraintOfRace.FindString(text); at != "" {
		found = append(found, path+": "+at)
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}

	for _, d := range file.Decls {
		f, is := d.(*ast.FuncDecl)
		test := is && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Test") && strings.HasSuffix(path, "_test.go")

		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				of, is := n.X.(*ast.Ident)
				return !test || !is || of.Name != "testkit" || !byTestkit[n.Sel.Name]
			case *ast.Ident:
				if byTestkit[n.Name] || byItself[n.Name] {
					found = append(found, fmt.Sprint(set.Position(n.Pos()), " ", n.Name))
				}
			}

			return true
		})
	}

	return found
}
