package authn_test

import (
	"errors"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/access"
)

func TestContentIsForThoseWhoWorkOnIt(t *testing.T) {
	user := func(roles ...string) access.Caller { return access.Caller{Kind: access.User, Roles: roles} }
	agent := func(scope string, roles ...string) access.Caller {
		return access.Caller{Kind: access.Agent, Scopes: []string{scope}, Roles: roles}
	}

	client := func(scope string, roles ...string) access.Caller {
		return access.Caller{Kind: access.OAuth, Scopes: []string{scope}, Roles: roles}
	}
	for name, tc := range map[string]struct {
		caller  access.Caller
		content error // may read what a case says
		scoped  error // may do what an admin may too
	}{
		"owner":            {user(access.RoleOwner), nil, nil},
		"member":           {user(access.RoleMember), nil, nil},
		"admin":            {user(access.RoleAdmin), access.ErrForbidden, nil},
		"admin and member": {user(access.RoleAdmin, access.RoleMember), nil, nil},
		"nobody":           {user(), access.ErrForbidden, access.ErrForbidden},
		"member's agent":   {agent("cases:read", access.RoleMember), nil, nil},
		"admin's agent":    {agent("cases:read", access.RoleAdmin), access.ErrForbidden, nil},
		"without scope":    {agent("files:read", access.RoleMember), access.ErrScope, access.ErrScope},
		"member's client":  {client("cases:read", access.RoleMember), nil, nil},
		"admin's client":   {client("cases:read", access.RoleAdmin), access.ErrForbidden, nil},
		"nobody's client":  {client("cases:read"), access.ErrForbidden, nil},
		"partner":          {access.Caller{Kind: access.Partner, Scopes: []string{"cases:read"}}, nil, nil},
		"service":          {access.Caller{Kind: access.Service}, access.ErrForbidden, access.ErrForbidden},
	} {
		if err := tc.caller.Contentful("cases:read"); !errors.Is(err, tc.content) {
			t.Errorf("%s: Contentful = %v, want %v", name, err, tc.content)
		}
		if err := tc.caller.Scoped(tc.caller.Member() || tc.caller.Admin(), "cases:read"); !errors.Is(err, tc.scoped) {
			t.Errorf("%s: Scoped = %v, want %v", name, err, tc.scoped)
		}
	}
}
