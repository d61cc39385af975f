package authn_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/authn"
)

// Signer hands a token out again only to whom it was made for: callers that differ in any field have tokens of their
// own.
func TestNoCallerGetsTheTokenOfAnother(t *testing.T) {
	seeds, _, err := authn.NewInternalKeys()
	if err != nil {
		t.Fatal(err)
	}
	signer, err := authn.NewSigner("gateway", seeds["gateway"], time.Now)
	if err != nil {
		t.Fatal(err)
	}
	full := access.Caller{
		Tenant: "o:oak", UserID: "ada", Kind: access.OAuth, AgentID: "a", ClientID: "c", GrantID: "g",
		Scopes: []string{"one", "two"}, Roles: []string{"owner"},
	}

	callers := map[string]access.Caller{"whole": full}

	for i := range reflect.TypeFor[access.Caller]().NumField() {
		field := reflect.TypeFor[access.Caller]().Field(i)
		if field.Tag.Get("json") == "-" {
			continue // no part of a token
		}

		other := full
		value := reflect.ValueOf(&other).Elem().Field(i)
		if value.Kind() == reflect.Slice {
			value.Set(value.Slice(0, value.Len()-1))
		} else {
			value.SetString(value.String() + "x")
		}
		callers["another "+field.Name] = other
	}
	moved := full
	moved.Scopes, moved.Roles = []string{"one"}, []string{"two", "owner"}
	joined := full
	joined.Scopes = []string{"onetwo"}
	shifted := full
	shifted.AgentID, shifted.ClientID = "ac", ""
	callers["a scope as a role"], callers["scopes in one"], callers["an id in another field"] = moved, joined, shifted

	whose := map[string]string{}

	for name, caller := range callers {
		token, err := signer.Token(caller)
		if err != nil {
			t.Fatal(err)
		}
		if first, taken := whose[token]; taken {
			t.Errorf("%s has the token of %s", name, first)
		}
		whose[token] = name
		if again, err := signer.Token(caller); err != nil || again != token {
			t.Errorf("%s gets another token the second time, %v", name, err)
		}
	}
}
