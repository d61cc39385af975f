package contract_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/gateway"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// TestDocumentListsTheRoles holds every list of roles in the document to the roles that there are.
func TestDocumentListsTheRoles(t *testing.T) {
	text, err := api.ContractJSON()
	if err != nil {
		t.Fatal(err)
	}
	var tree any
	if err := json.Unmarshal(text, &tree); err != nil {
		t.Fatal(err)
	}
	found := 0
	enums(tree, "", func(at string, words []string) {
		if !strings.HasSuffix(at, "/roles/items") {
			return
		}
		found++
		sameWords(t, at, words, access.Roles())
	})
	if found < 4 {
		t.Errorf("%d lists of roles were found", found)
	}
}

// enums calls f with the words of every enumeration in v, and with the place of its schema.
func enums(v any, at string, f func(at string, words []string)) {
	schema, ok := v.(map[string]any)
	if !ok {
		return
	}

	for name, inner := range schema {
		enums(inner, at+"/"+name, f)
	}

	list, ok := schema["enum"].([]any)
	if !ok {
		return
	}

	var words []string

	for _, word := range list {
		if word, ok := word.(string); ok {
			words = append(words, word)
		}
	}
	f(at, words)
}

// TestOperatorsReadOfEveryRole wants each role where an operator sets them up: the help of the setting, the page on
// identity and the sample realm.
func TestOperatorsReadOfEveryRole(t *testing.T) {
	help := ""

	for _, s := range gateway.Entry().Settings {
		if s.Name == "OIDC_ROLES_CLAIM" {
			help = s.Help
		}
	}
	if !strings.Contains(help, strings.Join(access.Roles(), ", ")) {
		t.Errorf("the help of OIDC_ROLES_CLAIM is %q", help)
	}

	read := func(path ...string) []byte {
		text, err := os.ReadFile(testkit.Tree(t, path...))
		if err != nil {
			t.Fatal(err)
		}

		return text
	}
	page := string(read("docs", "identity.md"))

	var realm struct {
		Roles struct {
			Realm []struct{ Name string }
		}
	}
	if err := json.Unmarshal(read("deploy", "keycloak", "realm.json"), &realm); err != nil {
		t.Fatal(err)
	}

	for _, role := range access.Roles() {
		if !strings.Contains(page, "`"+role+"`") {
			t.Errorf("docs/identity.md does not name the role %s", role)
		}
		if !slices.ContainsFunc(realm.Roles.Realm, func(r struct{ Name string }) bool { return r.Name == role }) {
			t.Errorf("deploy/keycloak/realm.json has no role %s", role)
		}
	}
}
