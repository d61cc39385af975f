package provider

import (
	"slices"
	"strings"
	"sync"

	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/authn"
)

// defaultRoles is the claim that is read for roles when none is configured.
const defaultRoles = "roles"

// What is wrong with a claim.
const (
	claimAbsent = "is missing"
	claimForm   = "has a form that cannot be read"
	claimMany   = "has more than one value"
)

// claimAt returns the claim at a path. The whole path is looked for as a name first, since names that are addresses
// hold dots too; then its parts between dots lead into objects, such as realm_access.roles. A part may itself hold
// dots, as client ids do: of the names of an object that the rest of the path begins with, the longest is taken that
// leads on.
func claimAt(claims map[string]any, path string) (value any, found bool) {
	if value, found = claims[path]; found {
		return value, true
	}

	for at := strings.LastIndexByte(path, '.'); at > 0; at = strings.LastIndexByte(path[:at], '.') {
		inner, ok := claims[path[:at]].(map[string]any)
		if !ok {
			continue
		}
		if value, found = claimAt(inner, path[at+1:]); found {
			return value, true
		}
	}

	return nil, false
}

// oneValue reads a claim that has one value: a text, or an array of one text. fault says why it cannot be used.
func oneValue(claims map[string]any, path string) (value, fault string) {
	claim, found := claimAt(claims, path)
	if !found || claim == nil || claim == "" {
		return "", claimAbsent
	}
	// Some providers send each claim as an array.
	if list, ok := claim.([]any); ok {
		switch len(list) {
		case 0:
			return "", claimAbsent
		case 1:
			claim = list[0]
		default:
			// Choosing one of several would let the order of a list decide whose data somebody sees.
			return "", claimMany
		}
	}
	value, ok := claim.(string)
	if !ok || !usableID(value) {
		return "", claimForm
	}

	return value, ""
}

// rolesOf reads the roles that we know; a user of an organization with none of them is a member. A claim that was
// configured must be there, or a misspelt path would make everybody a member.
func (u *Users) rolesOf(claims map[string]any) (kept []string, fault string) {
	path := u.cfg.RolesClaim
	if path == "" {
		path = defaultRoles
	}
	claim, found := claimAt(claims, path)
	if !found || claim == nil {
		if u.cfg.RolesClaim != "" && !u.cfg.RolesOpen {
			return nil, claimAbsent
		}

		return []string{access.RoleMember}, ""
	}

	var given []string
	switch claim := claim.(type) {
	case string:
		given = strings.Fields(claim)
	case []any:
		for _, r := range claim {
			name, ok := r.(string)
			if !ok {
				return nil, claimForm
			}
			given = append(given, name)
		}
	default:
		return nil, claimForm
	}

	for _, r := range access.Roles() {
		if slices.Contains(given, r) {
			kept = append(kept, r)
		}
	}
	// Roles that we do not know are the provider's own. They give nothing and take nothing away.
	if kept == nil {
		kept = []string{access.RoleMember}
	}

	return kept, ""
}

// placed gives a user the tenant and the roles that the claims name.
func (u *Users) placed(c access.Caller, claims map[string]any) (access.Caller, error) {
	if u.cfg.TenantClaim == "" {
		return c, nil
	}

	organization, fault := oneValue(claims, u.cfg.TenantClaim)
	switch {
	case fault == claimAbsent && u.cfg.SingleUsers:
		return c, nil
	case fault != "":
		return access.Caller{}, u.refused("OIDC_TENANT_CLAIM", u.cfg.TenantClaim, fault)
	}
	roles, fault := u.rolesOf(claims)
	if fault != "" {
		return access.Caller{}, u.refused("OIDC_ROLES_CLAIM", u.cfg.RolesClaim, fault)
	}
	c.Tenant, c.Roles = "o:"+encodeTenant(organization), roles

	return c, nil
}

// refusals remembers what was logged: one line of each sort tells the operator enough.
type refusals struct{ logged sync.Map }

// remedy tells the operator what ends the refusals. A release before let people in who lacked a claim, so that an
// update may be what began them.
func remedy(setting, fault string) string {
	switch {
	case fault != claimAbsent:
		return "Correct the path in the setting, or what the provider sends."
	case setting == "OIDC_ROLES_CLAIM":
		return "Have the provider send the claim for everybody, or take OIDC_ROLES_CLAIM away: then the claim roles is " +
			"read where it is there, and whoever lacks it is a member."
	}

	return "Have the provider send the claim for everybody, or set OIDC_SINGLE_USERS=true to let those without it in, " +
		"each alone."
}

// refused returns the refusal of a sign-in. The claim's name is the operator's own word and no secret.
func (u *Users) refused(setting, claim, fault string) error {
	// One line for each sort of fault: everybody who signs in would write another.
	if _, again := u.refusals.logged.LoadOrStore(setting+fault, true); !again && u.cfg.Log != nil {
		u.cfg.Log.Warn("sign-ins are refused for a claim",
			"setting", setting, "claim", claim, "fault", fault, "remedy", remedy(setting, fault))
	}

	return authn.ErrSignInRefused.WithMessage(
		"Nobody was signed in: the claim " + claim + " that " + setting + " names " + fault +
			" in the identity provider's token. Ask whoever runs the service.",
	)
}
