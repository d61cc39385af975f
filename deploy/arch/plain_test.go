package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// onRequest marks, in the list, packages of which make test runs so little that nothing happens at once.
const onRequest = "on request"

// asksForDetector marks a test that make test runs once more without the race detector.
var asksForDetector = regexp.MustCompile(`testkit\.(RaceDetector|WithoutDetector)`)

// TestWhatRunsWithoutTheDetectorStartsNothing finds goroutines in packages whose tests run without the race detector,
// and tests of theirs that would run twice for nothing.
func TestWhatRunsWithoutTheDetectorStartsNothing(t *testing.T) {
	text, err := os.ReadFile("testdata/plain.txt")
	if err != nil {
		t.Fatal(err)
	}
	root, looked := testkit.Tree(t), 0

	for line := range strings.Lines(string(text)) {
		name, reason, _ := strings.Cut(strings.TrimSpace(line), " ")
		if reason = strings.TrimSpace(reason); name == "" || name == "#" || reason == onRequest {
			continue
		}

		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(name), "*.go"))
		if err != nil || len(files) == 0 || reason == "" {
			t.Errorf("%s: %d files, %v, and the reason %q", name, len(files), err, reason)
		}

		for _, file := range files {
			looked++
			if at := startsGoroutine(t, file); at != "" {
				t.Errorf("%s starts a goroutine: take %s out of testdata/plain.txt", at, name)
			}
			if text, err := os.ReadFile(file); err != nil || asksForDetector.Match(text) {
				t.Errorf("%s asks for the detector, which its tests never have: they would run twice (%v)", file, err)
			}
		}
	}

	if looked < 50 {
		t.Errorf("%d files were looked at: the list was not read", looked)
	}
}

// startsGoroutine returns where a file starts a goroutine, by a statement or by a method Go of a group; "" for nowhere.
func startsGoroutine(t *testing.T, path string) string {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	at := ""

	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			at = set.Position(n.Pos()).String()
		case *ast.CallExpr:
			if of, is := n.Fun.(*ast.SelectorExpr); is && of.Sel.Name == "Go" {
				at = set.Position(n.Pos()).String()
			}
		}

		return at == ""
	})

	return at
}
