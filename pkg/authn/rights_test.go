package authn_test

import (
	"errors"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/authn"
)

func TestContentIsForThoseWhoWorkOnIt(t *testing.T) {
	user := func(roles ...string) authn.Caller { return authn.Caller{Kind: authn.User, Roles: roles} }
	agent := func(scope string, roles ...string) authn.Caller {
		return authn.Caller{Kind: authn.Agent, Scopes: []string{scope}, Roles: roles}
	}

	client := func(scope string, roles ...string) authn.Caller {
		return authn.Caller{Kind: authn.OAuth, Scopes: []string{scope}, Roles: roles}
	}
	for name, tc := range map[string]struct {
		caller  authn.Caller
		content error // may read what a case says
		scoped  error // may do what an admin may too
	}{
		"owner":            {user(authn.RoleOwner), nil, nil},
		"member":           {user(authn.RoleMember), nil, nil},
		"admin":            {user(authn.RoleAdmin), authn.ErrForbidden, nil},
		"admin and member": {user(authn.RoleAdmin, authn.RoleMember), nil, nil},
		"nobody":           {user(), authn.ErrForbidden, authn.ErrForbidden},
		"member's agent":   {agent("cases:read", authn.RoleMember), nil, nil},
		"admin's agent":    {agent("cases:read", authn.RoleAdmin), authn.ErrForbidden, nil},
		"without scope":    {agent("files:read", authn.RoleMember), authn.ErrScope, authn.ErrScope},
		"member's client":  {client("cases:read", authn.RoleMember), nil, nil},
		"admin's client":   {client("cases:read", authn.RoleAdmin), authn.ErrForbidden, nil},
		"nobody's client":  {client("cases:read"), authn.ErrForbidden, nil},
		"partner":          {authn.Caller{Kind: authn.Partner, Scopes: []string{"cases:read"}}, nil, nil},
		"service":          {authn.Caller{Kind: authn.Service}, authn.ErrForbidden, authn.ErrForbidden},
	} {
		if err := tc.caller.Contentful("cases:read"); !errors.Is(err, tc.content) {
			t.Errorf("%s: Contentful = %v, want %v", name, err, tc.content)
		}
		if err := tc.caller.Scoped(tc.caller.Member() || tc.caller.Admin(), "cases:read"); !errors.Is(err, tc.scoped) {
			t.Errorf("%s: Scoped = %v, want %v", name, err, tc.scoped)
		}
	}
}
