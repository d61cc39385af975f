package arch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// What the list says of a package beside the reason.
const (
	// onRequest marks packages of which make test runs so little that nothing happens at once.
	onRequest = "on request"
	// nothingShared says that parallel tests share constants, and what changes only with its own lock.
	nothingShared = "nothing unguarded is shared"
	// racedIn precedes the folder and the name of a test that has the same at once, under the race detector.
	racedIn = "raced in "
)

// asksForDetector marks a test that make test runs once more without the race detector.
var asksForDetector = regexp.MustCompile(`testkit\.(RaceDetector|WithoutDetector)`)

// plainPackage is a line of the list of packages whose tests run without the race detector.
type plainPackage struct{ folder, reason, atOnce string }

func plainPackages(t *testing.T) []plainPackage {
	t.Helper()
	text, err := os.ReadFile("testdata/plain.txt")
	if err != nil {
		t.Fatal(err)
	}
	var all []plainPackage

	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		folder, rest, _ := strings.Cut(line, " ")
		reason, atOnce, _ := strings.Cut(rest, " | ")
		all = append(all, plainPackage{folder, strings.TrimSpace(reason), strings.TrimSpace(atOnce)})
	}

	return all
}

// TestWhatRunsWithoutTheDetectorStartsNothing finds goroutines in packages whose tests run without the race detector,
// and tests of theirs that would run twice for nothing.
func TestWhatRunsWithoutTheDetectorStartsNothing(t *testing.T) {
	root, looked := testkit.Tree(t), 0
	all := plainPackages(t)

	for _, p := range all {
		if p.reason == onRequest {
			continue
		}
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(p.folder), "*.go"))
		if err != nil || len(files) == 0 || p.reason == "" {
			t.Errorf("%s: %d files, %v, and the reason %q", p.folder, len(files), err, p.reason)
		}
		var found atOnce

		for _, file := range files {
			looked++
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			found.look(t, file, string(text))
			if asksForDetector.Match(text) {
				t.Errorf("%s asks for the detector, which its tests never have: they would run twice", file)
			}
		}

		if why := found.against(p.atOnce); why != "" {
			t.Errorf("%s in testdata/plain.txt: %s", p.folder, why)
		}
		if where, raced := strings.CutPrefix(p.atOnce, racedIn); raced {
			if why := isRaced(root, where, all); why != "" {
				t.Errorf("%s in testdata/plain.txt: %s", p.folder, why)
			}
		}
	}

	if looked < 50 {
		t.Errorf("%d files were looked at: the list was not read", looked)
	}
}

// TestDocsCountWhatRunsWithoutTheDetector holds the number of packages in docs/testing.md.
func TestDocsCountWhatRunsWithoutTheDetector(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(testkit.Tree(t), "docs", "testing.md"))
	if err != nil {
		t.Fatal(err)
	}
	all, requested := plainPackages(t), 0

	for _, p := range all {
		if p.reason == onRequest {
			requested++
		}
	}
	said := fmt.Sprintf("%d packages that start no goroutine and %d that run on request (`plain.txt`",
		len(all)-requested, requested)
	if !strings.Contains(string(text), said) {
		t.Errorf("docs/testing.md does not say %q", said)
	}
}

// TestWhatHappensAtOnceIsSeen shows the rule what it must find, and what each reason in the list allows.
func TestWhatHappensAtOnceIsSeen(t *testing.T) {
	const raced = racedIn + "a/b TestC"

	for _, tc := range []struct {
		name, text string
		allowedBy  []string
	}{
		{"a lock", `type T struct { mu sync.Mutex }`, []string{raced}},
		{"what is made once", `var t = sync.OnceValue(f)`, []string{""}},
		{"nothing", `func f() { g() }`, []string{""}},
		{"a statement", `func f() { go g() }`, nil},
		{"a group", `func f() { group.Go(g) }`, nil},
		{"racers", `func f() { testkit.Race(t, 2, g) }`, nil},
		{"a timer", `func f() { time.AfterFunc(d, g) }`, nil},
		{"the end of a context", `func f() { context.AfterFunc(ctx, g) }`, nil},
		{"a benchmark", `func f() { b.RunParallel(g) }`, nil},
		{"a server", `func f() { _ = httptest.NewServer(h) }`, []string{raced}},
		{"a server with TLS", `func f() { _ = httptest.NewTLSServer(h) }`, []string{raced}},
		{"services", `import "x/pkg/testkit/servicetest"; var _ = servicetest.A`, []string{raced}},
		{"all services", `import "x/deploy/internal/local"; var _ = local.A`, []string{raced}},
		{"parallel tests", `func f() { t.Parallel() }`, []string{nothingShared, raced}},
		{
			"parallel tests that share", `var seen []int; func f() { t.Parallel(); seen = append(seen, 1) }`,
			[]string{raced},
		},
		{"parallel tests that fill", `var seen = map[int]int{}; func f() { t.Parallel(); seen[1]++ }`, []string{raced}},
		{
			"parallel tests that share with a lock",
			`var all struct { sync.Mutex; n int }; func f() { t.Parallel(); all.n++ }`,
			[]string{raced},
		},
		{"tests that share", `var seen []int; func f() { seen = append(seen, 1) }`, []string{""}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var found atOnce
			found.look(t, "a.go", "package a; "+tc.text)

			for _, by := range []string{"", nothingShared, raced, "it is fast"} {
				if why := found.against(by); (why == "") != slices.Contains(tc.allowedBy, by) {
					t.Errorf("with the reason %q: %q, allowed by %q", by, why, tc.allowedBy)
				}
			}
		})
	}
}

// atOnce is what a package does at once, by where it does so.
type atOnce struct {
	starts   []string // goroutines of its own
	served   []string // servers and services that tests start
	parallel []string // tests
	shared   []string // what others may use at once: it has a lock

	variables map[string]bool   // of the package, without a lock of their own
	assigned  map[string]string // whatever is changed, by name
}

// starting are the functions that start a goroutine, by their last name; serving those of servers.
var (
	starting = map[string]bool{
		"Go": true, "Race": true, "AfterFunc": true, "RunParallel": true, "Serve": true, "ListenAndServe": true,
	}
	serving = map[string]bool{"NewServer": true, "NewTLSServer": true, "NewUnstartedServer": true}
)

// startingServices are the ends of the paths of packages that start services or stores.
var startingServices = []string{"/pkg/testkit/stores", "/pkg/testkit/servicetest", "/deploy/internal/local"}

func (a *atOnce) look(t *testing.T, path, text string) {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, text, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	if a.variables == nil {
		a.variables, a.assigned = map[string]bool{}, map[string]string{}
	}

	for _, i := range file.Imports {
		if slices.ContainsFunc(startingServices, func(end string) bool {
			return strings.HasSuffix(strings.Trim(i.Path.Value, `"`), end)
		}) {
			a.served = append(a.served, set.Position(i.Pos()).String())
		}
	}

	for _, d := range file.Decls {
		if g, is := d.(*ast.GenDecl); is && g.Tok == token.VAR {
			for _, spec := range g.Specs {
				a.declare(spec.(*ast.ValueSpec))
			}
		}
	}

	ast.Inspect(file, func(n ast.Node) bool {
		if n != nil {
			a.node(n, set.Position(n.Pos()).String())
		}

		return true
	})
}

// declare notes the variables of a declaration, unless their type is a struct with a lock.
func (a *atOnce) declare(spec *ast.ValueSpec) {
	if of, is := spec.Type.(*ast.StructType); is {
		for _, f := range of.Fields.List {
			lock, is := f.Type.(*ast.SelectorExpr)
			if is && (lock.Sel.Name == "Mutex" || lock.Sel.Name == "RWMutex") {
				return
			}
		}
	}

	for _, name := range spec.Names {
		a.variables[name.Name] = true
	}
}

// locking are the types of sync by which code that is no test says that it is used at once.
var locking = map[string]bool{"Mutex": true, "RWMutex": true, "Map": true, "Pool": true, "Cond": true}

func (a *atOnce) node(n ast.Node, at string) {
	switch n := n.(type) {
	case *ast.SelectorExpr:
		of, is := n.X.(*ast.Ident)
		if is && of.Name == "sync" && locking[n.Sel.Name] && !strings.Contains(at, "_test.go:") {
			a.shared = append(a.shared, at)
		}
	case *ast.GoStmt:
		a.starts = append(a.starts, at)
	case *ast.IncDecStmt:
		a.assigned[root(n.X)] = at
	case *ast.AssignStmt:
		for _, to := range n.Lhs {
			if n.Tok != token.DEFINE {
				a.assigned[root(to)] = at
			}
		}
	case *ast.CallExpr:
		of, is := n.Fun.(*ast.SelectorExpr)
		switch {
		case !is:
		case starting[of.Sel.Name]:
			a.starts = append(a.starts, at)
		case serving[of.Sel.Name]:
			a.served = append(a.served, at)
		case of.Sel.Name == "Parallel" && len(n.Args) == 0:
			a.parallel = append(a.parallel, at)
		}
	}
}

// root returns the name of the variable that an assignment changes all or a part of.
func root(e ast.Expr) string {
	for {
		switch of := e.(type) {
		case *ast.Ident:
			return of.Name
		case *ast.SelectorExpr:
			e = of.X
		case *ast.IndexExpr:
			e = of.X
		case *ast.StarExpr:
			e = of.X
		case *ast.ParenExpr:
			e = of.X
		default:
			return ""
		}
	}
}

// against returns what is wrong with what the list says of a package, or "".
func (a *atOnce) against(said string) string {
	raced := strings.HasPrefix(said, racedIn)

	switch needless := len(a.served)+len(a.parallel)+len(a.shared) == 0; {
	case len(a.starts) > 0:
		return a.starts[0] + " starts a goroutine: take it out"
	case said != "" && (needless || !raced && said != nothingShared):
		return fmt.Sprintf("%q says nothing", said)
	case len(a.served) > 0 && !raced:
		return a.served[0] + " starts what serves: name a raced test that has the same at once"
	case len(a.shared) > 0 && !raced:
		return a.shared[0] + " has a lock, so many use it at once: name a raced test in which they do"
	case len(a.parallel) > 0 && said == "":
		return a.parallel[0] + " runs beside others: name a raced test, or say: " + nothingShared
	case said != nothingShared:
		return ""
	}

	for name, at := range a.assigned {
		if a.variables[name] {
			return at + " may change " + name + ", which parallel tests share"
		}
	}

	return ""
}

// isRaced returns why a test, given by folder and name, does not run with the race detector, or "".
func isRaced(root, where string, plain []plainPackage) string {
	folder, name, _ := strings.Cut(where, " ")
	if slices.ContainsFunc(plain, func(p plainPackage) bool { return p.folder == folder }) {
		return folder + " is not raced itself"
	}
	if folder == "deploy/e2e" {
		list, err := os.ReadFile(filepath.Join(root, folder, "testdata", "concurrent.txt"))
		if err != nil || !strings.Contains(string(list), "\n"+name+" ") {
			return fmt.Sprintf("%s is not in concurrent.txt (%v)", name, err)
		}
	}
	files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(folder), "*_test.go"))
	if err != nil {
		return err.Error()
	}

	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err.Error()
		}
		_, body, found := strings.Cut(string(text), "\nfunc "+name+"(")

		body, _, _ = strings.Cut(body, "\n}\n")
		switch {
		case found && asksForDetector.MatchString(body):
			return name + " leaves something out under the detector"
		case found:
			return ""
		}
	}

	return fmt.Sprintf("%s has no test %q", folder, name)
}
