package authn_test

import (
	"errors"
	"slices"
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

	rows := map[string]struct {
		caller  access.Caller
		content error // may read what a case says
		scoped  error // may do what an admin may too
	}{
		"owner":            {user(access.RoleOwner), nil, nil},
		"member":           {user(access.RoleMember), nil, nil},
		"admin":            {user(access.RoleAdmin), access.ErrForbidden, nil},
		"admin and member": {user(access.RoleAdmin, access.RoleMember), nil, nil},
		"nobody":           {user(), access.ErrForbidden, access.ErrForbidden},
		"owner's agent":    {agent("cases:read", access.RoleOwner), nil, nil},
		"member's agent":   {agent("cases:read", access.RoleMember), nil, nil},
		"admin's agent":    {agent("cases:read", access.RoleAdmin), access.ErrForbidden, nil},
		"without scope":    {agent("files:read", access.RoleMember), access.ErrScope, access.ErrScope},
		"owner's client":   {client("cases:read", access.RoleOwner), nil, nil},
		"member's client":  {client("cases:read", access.RoleMember), nil, nil},
		"admin's client":   {client("cases:read", access.RoleAdmin), access.ErrForbidden, nil},
		"nobody's client":  {client("cases:read"), access.ErrForbidden, nil},
		"partner":          {access.Caller{Kind: access.Partner, Scopes: []string{"cases:read"}}, nil, nil},
		"service":          {access.Caller{Kind: access.Service}, access.ErrForbidden, access.ErrForbidden},
	}
	for name, tc := range rows {
		if err := tc.caller.Contentful("cases:read"); !errors.Is(err, tc.content) {
			t.Errorf("%s: Contentful = %v, want %v", name, err, tc.content)
		}
		if err := tc.caller.Scoped(tc.caller.Member() || tc.caller.Admin(), "cases:read"); !errors.Is(err, tc.scoped) {
			t.Errorf("%s: Scoped = %v, want %v", name, err, tc.scoped)
		}
	}

	for _, role := range access.Roles() {
		for _, kind := range []access.Kind{access.User, access.Agent, access.OAuth} {
			found := false

			for _, tc := range rows {
				alone := slices.Equal(tc.caller.Roles, []string{role})
				found = found || alone && tc.caller.Kind == kind && (kind == access.User || tc.caller.May("cases:read"))
			}
			if !found {
				t.Errorf("no row has a caller of kind %s that is %s and nothing else", kind, role)
			}
		}
	}
}
