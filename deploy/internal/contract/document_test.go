package contract_test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	yaml11 "go.yaml.in/yaml/v2"
)

// TestDocumentReadsTheSameInYAML11 holds the document against a reader of YAML 1.1, as many generators use: there
// on, yes and no are
// booleans, and a date is one without quotes.
func TestDocumentReadsTheSameInYAML11(t *testing.T) {
	var old any
	if err := yaml11.Unmarshal(api.Contract(), &old); err != nil {
		t.Fatal(err)
	}
	text, err := api.ContractJSON()
	if err != nil {
		t.Fatal(err)
	}
	var want any
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}

	for _, difference := range differences(want, old, "") {
		t.Error(difference)
	}
}

// differences lists where a tree that YAML 1.1 gave is not the one that JSON gave.
func differences(want, got any, at string) []string {
	switch want := want.(type) {
	case map[string]any:
		tree, ok := got.(map[any]any)
		if !ok {
			return []string{fmt.Sprintf("%s: %T, want an object", at, got)}
		}

		var found []string

		for key := range tree {
			if _, text := key.(string); !text {
				found = append(found, fmt.Sprintf("%s: the key %v is a %T, write it in quotes", at, key, key))
			}
		}

		for key, value := range want {
			found = append(found, differences(value, tree[key], at+"/"+key)...)
		}

		return found
	case []any:
		list, ok := got.([]any)
		if !ok || len(list) != len(want) {
			return []string{fmt.Sprintf("%s: %v, want %v", at, got, want)}
		}

		var found []string
		for i := range want {
			found = append(found, differences(want[i], list[i], at+"/"+strconv.Itoa(i))...)
		}

		return found
	case float64:
		if n := reflect.ValueOf(got); !n.IsValid() || !n.CanConvert(reflect.TypeFor[float64]()) ||
			n.Convert(reflect.TypeFor[float64]()).Float() != want {
			return []string{fmt.Sprintf("%s: %v, want %v", at, got, want)}
		}

		return nil
	}
	if got != want {
		return []string{fmt.Sprintf("%s: %v (%T), want %v", at, got, got, want)}
	}

	return nil
}

// TestGeneratorsCanReadTheDocument holds what generators of clients stumble over: each rule is a compiler's error
// in one of them.
func TestGeneratorsCanReadTheDocument(t *testing.T) {
	text, err := api.ContractJSON()
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	components, _ := doc["components"].(map[string]any)
	named, _ := components["schemas"].(map[string]any)
	schemes, _ := components["securitySchemes"].(map[string]any)

	if named["Error"] != nil {
		t.Error("a schema is called Error, which is a type of JavaScript")
	}

	for name := range schemes {
		if named[strings.ToUpper(name[:1])+name[1:]] != nil {
			t.Errorf("a schema and a security scheme are both called %s", name)
		}
	}

	schemas(doc, "", func(at string, schema map[string]any) {
		types, _ := schema["type"].([]any)
		if len(types) > 2 || len(types) == 2 && !slices.Contains(types, any("null")) {
			t.Errorf("%s: a union of types", at)
		}
		if schema["const"] != nil && schema["type"] == nil {
			t.Errorf("%s: a constant without its type", at)
		}
		if schema["anyOf"] != nil {
			t.Errorf("%s: anyOf, where oneOf says as much", at)
		}
		if len(schema) == 0 {
			t.Errorf("%s: an empty schema", at)
		}
	})
}

// schemas calls f with everything in v that stands where a schema does.
func schemas(v any, at string, f func(at string, schema map[string]any)) {
	switch v := v.(type) {
	case []any:
		for i, inner := range v {
			schemas(inner, at+"/"+strconv.Itoa(i), f)
		}
	case map[string]any:
		for name, inner := range v {
			if slices.Contains([]string{"example", "examples", "default", "enum", "const"}, name) {
				continue
			}
			if schema, ok := inner.(map[string]any); ok && isSchema(at, name) {
				f(at+"/"+name, schema)
			}
			schemas(inner, at+"/"+name, f)
		}
	}
}

// isSchema tells by its place in the document whether a node is a schema.
func isSchema(at, name string) bool {
	if name == "schema" || name == "items" || name == "contentSchema" {
		return !strings.HasSuffix(at, "/properties")
	}

	return strings.HasSuffix(at, "/properties") || at == "/components/schemas"
}

// operationName is the one style of names of operations: a verb, then what it is done to.
var operationName = regexp.MustCompile(`^[a-z]+(A2a|[A-Z][a-z]+)+$`)

func TestEveryOperationIsDescribed(t *testing.T) {
	doc, err := document()
	if err != nil {
		t.Fatal(err)
	}

	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			if !operationName.MatchString(op.OperationID) {
				t.Errorf("%s %s: the operation is called %s", method, path, op.OperationID)
			}

			for _, missing := range undescribed(op) {
				t.Errorf("%s: %s", op.OperationID, missing)
			}
		}
	}
}

// undescribed lists what an operation does not say.
func undescribed(op *openapi3.Operation) []string {
	var missing []string
	if len(op.Description) < 20 || strings.EqualFold(strings.Trim(op.Description, ".\n "), op.Summary) {
		missing = append(missing, "has no description")
	}
	if body := op.RequestBody; body != nil && !exemplified(body.Value.Content) {
		missing = append(missing, "has no example of its body")
	}

	for status, answer := range op.Responses.Map() {
		content := answer.Value.Content
		if status < "300" && content["application/json"] != nil && !exemplified(content) {
			missing = append(missing, "has no example of its answer "+status)
		}
	}

	return missing
}

func exemplified(content openapi3.Content) bool {
	for _, media := range content {
		if media.Example != nil || len(media.Examples) > 0 {
			return true
		}
	}

	return false
}

// TestLinksLeadOn holds the links of the flow: each names an operation of the document and parameters that it has.
func TestLinksLeadOn(t *testing.T) {
	doc, err := document()
	if err != nil {
		t.Fatal(err)
	}
	parameters := map[string][]string{}

	for _, item := range doc.Paths.Map() {
		for _, op := range item.Operations() {
			names := []string{}
			for _, p := range slices.Concat(item.Parameters, op.Parameters) {
				names = append(names, p.Value.Name)
			}
			parameters[op.OperationID] = names
		}
	}

	led := map[string]bool{}
	eachLink(doc, func(from string, link *openapi3.Link) {
		step := from + " → " + link.OperationID
		led[step] = true
		names, known := parameters[link.OperationID]
		if !known {
			t.Errorf("%s: the link leads to no operation", step)
		}

		if link.RequestBody != nil {
			t.Errorf("%s: the link has a body, which openapi-generator takes for a fault", step)
		}

		for parameter := range link.Parameters {
			if !slices.Contains(names, parameter) {
				t.Errorf("%s: the link names a parameter %s that is not there", step, parameter)
			}
		}
	})

	for _, step := range []string{
		"createRegistrationToken → registerAgent", "registerAgent → exchangeKey", "createCase → addFiles", "createCase → runAgent",
		"createCase → getTimeline", "addFiles → listFiles",
	} {
		if !led[step] {
			t.Errorf("no link %s", step)
		}
	}
}

// eachLink calls f with every link of the document and the operation whose answer has it.
func eachLink(doc *openapi3.T, f func(from string, link *openapi3.Link)) {
	for _, item := range doc.Paths.Map() {
		for _, op := range item.Operations() {
			for _, answer := range op.Responses.Map() {
				for _, link := range answer.Value.Links {
					f(op.OperationID, link.Value)
				}
			}
		}
	}
}

// kindStatus is the status of each kind of failure.
var kindStatus = map[string]int{
	"Internal": http.StatusInternalServerError, "Invalid": http.StatusBadRequest, "Unauthenticated": http.StatusUnauthorized,
	"Forbidden": http.StatusForbidden, "NotFound": http.StatusNotFound, "MethodNotAllowed": http.StatusMethodNotAllowed,
	"NotAcceptable": http.StatusNotAcceptable, "Conflict": http.StatusConflict, "Stale": http.StatusPreconditionFailed,
	"TooLarge": http.StatusRequestEntityTooLarge, "UnsupportedMedia": http.StatusUnsupportedMediaType,
	"TooMany": http.StatusTooManyRequests, "Unavailable": http.StatusServiceUnavailable,
	"HeadTooLarge": http.StatusRequestHeaderFieldsTooLarge,
}

// elsewhereShown are codes that no answer in JSON carries, and where they are seen.
var elsewhereShown = map[string]string{
	"fixture_fails":          "a task of the server that conformance suites are shown",
	"already_decided":        "a page of the sign-in",
	"already_signed_in":      "a page of the sign-in",
	"bad_form":               "a page of the sign-in",
	"bad_redirect":           "a page of the sign-in",
	"bad_return":             "a page of the sign-in",
	"malformed_request":      "a page of the sign-in",
	"no_sign_in":             "a page of the sign-in",
	"not_signed_in":          "a page of the sign-in",
	"nothing_chosen":         "a page of the sign-in",
	"request_gone":           "a page of the sign-in",
	"sign_in_failed":         "a page of the sign-in",
	"unknown_client":         "a page of the sign-in",
	"provider_away":          "a page of the sign-in",
	"sign_in_not_configured": "a page of the sign-in",
	"too_many_fetches":       "a page of the sign-in, or an error of OAuth",
	"too_many_registrations": "an error of OAuth",
	"case_required":          "an error of A2A",
	"container_mismatch":     "an error of A2A",
	"too_many_files":         "an error of A2A",
	"task_changed":           "an error of A2A",
	"too_many_turns":         "an error of A2A",
	"identity_labelled":      "the command line and the app, which keep the map of labels",
	"no_label_free":          "as above",
	"bad_label_map":          "as above",
	"rule_invalid":           "the answer of a run, in words",
	"trigger_missing":        "as above",
	"trigger_too_old":        "as above",
	"exists":                 "nowhere: a registration that finds its id taken is a fault of ours",
	"misdirected_request":    "any path, at a host that is not the service's",
	"method_not_allowed":     "any path, under a method that the document does not have",
	"origin_refused":         "the MCP endpoint, in OAuth's form",
}

// TestEveryErrorCodeIsDocumented finds the codes of all errors in the sources: each is in the enumeration of its
// status, so that a generated client knows it, and the enumerations have no others.
func TestEveryErrorCodeIsDocumented(t *testing.T) {
	doc, err := document()
	if err != nil {
		t.Fatal(err)
	}

	known := map[int][]string{}
	for status, name := range map[int]string{
		400: "BadRequestError", 401: "UnauthenticatedError", 403: "ForbiddenError", 404: "NotFoundError",
		406: "NotAcceptableError", 409: "ConflictError", 412: "VersionError", 413: "TooLargeError", 415: "MediaError",
		429: "RateError", 431: "HeadersError", 500: "InternalError", 503: "UnavailableError",
	} {
		known[status] = enumerated(t, doc, name)
	}
	events := enumerated(t, doc, "ErrorEvent")

	found, declared := errorCodes(t), map[string]bool{}
	if len(found) < 80 {
		t.Fatalf("%d codes were found in the sources", len(found))
	}

	for _, code := range slices.Sorted(maps.Keys(found)) {
		kind, name, _ := strings.Cut(code, " ")

		documented := slices.Contains(known[kindStatus[kind]], name) || slices.Contains(events, name)
		switch elsewhere := elsewhereShown[name]; {
		case !documented && elsewhere == "":
			t.Errorf("%s (%s) is in no document: add it to the enumeration of its status in pkg/api/openapi.yaml "+
				"(of ErrorEvent if a run ends with it), or to elsewhereShown here with where it is shown", code, found[code])
		case documented && elsewhere != "":
			t.Errorf("%s (%s) is in openapi.yaml, and shown elsewhere (%q): take it out of elsewhereShown here",
				code, found[code], elsewhere)
		}
		declared[name] = true
	}

	listed := slices.Concat(slices.Collect(maps.Values(known))...)
	for _, name := range slices.Concat(listed, slices.Collect(maps.Keys(elsewhereShown))) {
		if !declared[name] {
			t.Errorf("%s is listed, and no error has it: take it out", name)
		}
	}

	said := literals(t)
	for _, name := range events {
		if !said[name] {
			t.Errorf("%s is listed for events, and nothing says it: take it out", name)
		}
	}
}

// TestEveryErrorIsUsed finds declarations of errors that nothing returns or asks for.
func TestEveryErrorIsUsed(t *testing.T) {
	declared, named := map[string]string{}, map[string]int{}
	eachSource(t, func(path string, n ast.Node) {
		pkg := filepath.Base(filepath.Dir(path))

		switch n := n.(type) {
		case *ast.ValueSpec:
			for i, value := range n.Values {
				if newError(created(value)) != "" {
					declared[pkg+"."+n.Names[i].Name] = path
				}
			}
		case *ast.Ident:
			named[pkg+"."+n.Name]++
		case *ast.SelectorExpr:
			if of, ok := n.X.(*ast.Ident); ok {
				named[of.Name+"."+n.Sel.Name]++
			}
		}
	})
	if len(declared) < 150 {
		t.Fatalf("%d errors were found in the sources", len(declared))
	}

	for _, name := range slices.Sorted(maps.Keys(declared)) {
		if named[name] < 2 { // the declaration names it once
			t.Errorf("%s: nothing uses %s", declared[name], name)
		}
	}
}

// created returns the call that a chain such as errs.New(…).WithDetails(…) begins with, or e.
func created(e ast.Expr) ast.Expr {
	call, ok := e.(*ast.CallExpr)
	if !ok || newError(call) != "" {
		return e
	}
	if method, ok := call.Fun.(*ast.SelectorExpr); ok {
		return created(method.X)
	}

	return e
}

// literals are the strings that the sources hold, apart from the articles of the help, which speak of every code.
func literals(t *testing.T) map[string]bool {
	t.Helper()
	found := map[string]bool{}
	eachSource(t, func(path string, n ast.Node) {
		if text, ok := n.(ast.Expr); ok && !strings.Contains(path, "/support/") {
			found[literal(text)] = true
		}
	})

	return found
}

// TestEveryErrorHasOneHome finds sentences that two declarations say: a change of one would leave the other behind.
func TestEveryErrorHasOneHome(t *testing.T) {
	homes := map[string][]string{}
	eachSource(t, func(path string, n ast.Node) {
		if code := newError(n); code != "" {
			if said := sentence(n); said != "" {
				homes[code+": "+said] = append(homes[code+": "+said], path)
			}
		}
	})
	if len(homes) < 150 {
		t.Fatalf("%d errors were found in the sources", len(homes))
	}

	for _, said := range slices.Sorted(maps.Keys(homes)) {
		if len(homes[said]) > 1 {
			t.Errorf("%s\nis declared in %s: declare it once, in pkg/errs if two services need it",
				said, strings.Join(homes[said], " and "))
		}
	}
}

// sentence returns the message of a call of errs.New, literals joined by plus signs, or "".
func sentence(n ast.Node) string {
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) != 3 {
		return ""
	}

	return literal(call.Args[2])
}

func literal(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, _ := strconv.Unquote(e.Value)
		return text
	case *ast.BinaryExpr:
		left, right := literal(e.X), literal(e.Y)
		if left != "" && right != "" {
			return left + right
		}
	}

	return ""
}

func enumerated(t *testing.T, doc *openapi3.T, schema string) []string {
	t.Helper()
	s := doc.Components.Schemas[schema]
	if s == nil {
		t.Fatalf("there is no schema %s", schema)
	}

	var codes []string
	for _, code := range s.Value.Properties["error"].Value.Enum {
		codes = append(codes, fmt.Sprint(code))
	}

	return codes
}

// errorCodes finds each "Kind code" that the sources give to errs.New, and one file where.
func errorCodes(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	eachSource(t, func(path string, n ast.Node) {
		if code := newError(n); code != "" {
			found[code] = path
		}
	})

	return found
}

// eachSource calls look for every node of the services' sources that are no tests.
func eachSource(t *testing.T, look func(path string, n ast.Node)) {
	t.Helper()
	root := testkit.Tree(t)

	modules := []string{"pkg", "gateway", "registry-svc", "auth-svc", "agent-svc", "case-svc", "party-svc"}
	for _, module := range modules {
		err := filepath.WalkDir(filepath.Join(root, module), func(path string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			short, _ := filepath.Rel(root, path)
			ast.Inspect(file, func(n ast.Node) bool {
				look(short, n)
				return true
			})

			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// newError returns the kind and the code of a call of errs.New with literals, or "".
func newError(n ast.Node) string {
	call, ok := n.(*ast.CallExpr)
	if !ok || len(call.Args) < 2 {
		return ""
	}
	code, isCode := call.Args[1].(*ast.BasicLit)
	kind := ""

	switch callee := call.Fun.(type) {
	case *ast.SelectorExpr:
		of, named := callee.X.(*ast.Ident)
		if given, ok := call.Args[0].(*ast.SelectorExpr); ok && named && of.Name+"."+callee.Sel.Name == "errs.New" {
			kind = given.Sel.Name
		}
	case *ast.Ident: // within package errs itself
		if given, ok := call.Args[0].(*ast.Ident); ok && callee.Name == "New" && kindStatus[given.Name] != 0 {
			kind = given.Name
		}
	}
	if kind == "" || !isCode {
		return ""
	}
	text, err := strconv.Unquote(code.Value)
	if err != nil {
		return ""
	}

	return kind + " " + text
}
