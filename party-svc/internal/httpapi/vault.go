package httpapi

import (
	"net/http"
	"strconv"

	"github.com/gin-gonic/gin"
	"github.com/subrosa-legal/subrosa/party-svc/internal/rights"
	"github.com/subrosa-legal/subrosa/party-svc/internal/vault"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/deeplink"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
)

// MemberPlace is where a page of members ends.
type MemberPlace struct{ UserID string }

// people lets only people who work on cases go on, with the query parameters that the route has; an agent that asks
// reaches for identities.
func (a *API) people(c *gin.Context, parameters ...string) (access.Caller, map[string]string, error) {
	caller := callerOf(c)
	switch {
	case rights.Browser(caller):
		given, err := httpx.Query(c, parameters...)
		return caller, given, err
	case caller.Kind == access.User:
		return caller, nil, access.ErrForbidden
	}

	return caller, nil, a.forPeople("", resourceID(c, "case"))
}

// opensNames answers an agent that asks for what opens a client's name.
const opensNames = "Only a person can open a client's name or an original, in the browser or with subrosa --as user. " +
	"Nothing was changed. Send the user to the deep link."

// forPeople refuses a call, or one parameter of it, that would open a client's name.
func (a *API) forPeople(parameter, caseID string) error {
	asked := []guard.Located{{Path: parameter, Finding: guard.Finding{Kind: guard.KindOperation}}}

	return guard.Refusal(a.Links.To(deeplink.Reveal, caseID), asked).WithMessage(opensNames)
}

// ownersOfCase is people for a case of the firm's own: one that a grant opens has its labels elsewhere.
func (a *API) ownersOfCase(c *gin.Context) (caller access.Caller, caseID string, err error) {
	if caller, _, err = a.people(c); err != nil {
		return caller, "", err
	}
	if caseID, err = httpx.PathID(c, "caseId"); err != nil {
		return caller, "", err
	}

	return caller, caseID, a.ownCase(c, caseID)
}

func vaultOf(s vault.State) api.Vault {
	out := api.Vault{
		PublicKey:  s.PublicKey,
		Blob:       s.Blob,
		Version:    int(s.Version),
		UpdatedAt:  api.At(s.UpdatedAt),
		KeyVersion: s.Current,
		Keys:       []api.WrappedKey{},
	}
	for _, h := range s.Keys {
		out.Keys = append(out.Keys, api.WrappedKey{
			KeyVersion:   h.KeyVersion,
			EphemeralKey: h.EphemeralKey,
			IV:           h.IV,
			CT:           h.CT,
		})
	}

	return out
}

func (a *API) getVault(c *gin.Context) error {
	caller, _, err := a.people(c)
	if err != nil {
		return err
	}
	s, err := a.Vault.Open(c.Request.Context(), caller.Tenant, caller.UserID)
	if err != nil {
		return err
	}
	out := vaultOf(s)
	tag, err := httpx.TagOf(out) // a version of its own would not tell of keys that others wrapped
	if err != nil || httpx.Unchanged(c, tag) {
		return err
	}

	return httpx.JSON(c, http.StatusOK, out)
}

func (a *API) putVault(c *gin.Context) error {
	caller, _, err := a.people(c)
	if err != nil {
		return err
	}
	var in api.PutVault
	if _, err := a.decode(c, &in); err != nil {
		return err
	}
	may := func(there bool, s vault.State) error {
		tag, err := httpx.TagOf(vaultOf(s))
		switch {
		case err != nil:
			return err
		// A browser that believes to be the first would lock the member out of what another one has sealed.
		case there && c.GetHeader("If-None-Match") == "*":
			return vault.ErrExists
		case !httpx.Holds(c, there, tag):
			return errs.ErrVersion
		}

		return nil
	}
	s, created, err := a.Vault.Save(c.Request.Context(), actorOf(c), vault.Vault{
		Tenant:    caller.Tenant,
		UserID:    caller.UserID,
		PublicKey: in.PublicKey,
		Blob:      in.Blob,
	}, may)
	if err != nil {
		return err
	}
	out := vaultOf(s)
	tag, err := httpx.TagOf(out)
	if err != nil {
		return err
	}
	c.Header("ETag", tag)

	return httpx.JSON(c, statusOf(created), out)
}

func statusOf(created bool) int {
	if created {
		return http.StatusCreated
	}

	return http.StatusOK
}

func (a *API) listMembers(c *gin.Context) error {
	caller, params, err := a.people(c, "cursor", "limit")
	if err != nil {
		return err
	}
	limit, err := httpx.Limit(params)
	if err != nil {
		return err
	}
	after, err := a.Cursors.Members.Place(params["cursor"], "members", caller.Tenant)
	if err != nil {
		return err
	}
	var last string
	if after != nil {
		last = after.UserID
	}
	found, err := a.Vault.Members(c.Request.Context(), caller.Tenant, last, limit+1)
	if err != nil {
		return err
	}

	out := api.Page[api.VaultMember]{Items: []api.VaultMember{}, Limit: limit}
	for _, m := range found[:min(limit, len(found))] {
		out.Items = append(out.Items, api.VaultMember(m))
	}
	var cursor *string
	if len(found) > limit {
		cursor = new(a.Cursors.Members.Next(MemberPlace{out.Items[limit-1].UserID}, "members", caller.Tenant))
	}

	return httpx.Page(c, cursor, func(next *string) any { out.NextCursor = next; return out })
}

func (a *API) giveKey(c *gin.Context) error {
	caller, _, err := a.people(c)
	if err != nil {
		return err
	}
	version, err := httpx.Number(c.Param("keyVersion"))
	// "01" and "+1" are numbers too. One version has one address.
	if err != nil || version < 1 || strconv.Itoa(version) != c.Param("keyVersion") {
		return errs.ErrNotFound
	}
	var in api.WrapKey
	if _, err := a.decode(c, &in); err != nil {
		return err
	}
	wrap := vault.Wrap{
		UserID:       c.Param("userId"),
		PublicKey:    in.PublicKey,
		EphemeralKey: in.EphemeralKey,
		IV:           in.IV,
		CT:           in.CT,
	}
	created, err := a.Vault.Give(c.Request.Context(), caller.Tenant, actorOf(c), version, wrap)
	if err != nil {
		return err
	}

	return httpx.JSON(c, statusOf(created), api.WrappedKey{
		KeyVersion:   version,
		EphemeralKey: in.EphemeralKey,
		IV:           in.IV,
		CT:           in.CT,
	})
}

func (a *API) rotateKey(c *gin.Context) error {
	caller, _, err := a.people(c)
	if err != nil {
		return err
	}
	// A rotation can take the key from others, so a plain member may not do it.
	if !caller.HasRole(access.RoleOwner) {
		return vault.ErrNotOwner
	}
	var in api.RotateKey
	if _, err := a.decode(c, &in); err != nil {
		return err
	}

	r := vault.Rotation{Version: in.KeyVersion, Remove: in.Remove}
	for _, k := range in.Keys {
		r.Wraps = append(r.Wraps, vault.Wrap(k))
	}
	if err := a.Vault.Rotate(c.Request.Context(), caller.Tenant, actorOf(c), r); err != nil {
		return err
	}
	s, err := a.Vault.Open(c.Request.Context(), caller.Tenant, caller.UserID)
	if err != nil {
		return err
	}

	return httpx.JSON(c, http.StatusCreated, vaultOf(s))
}

func labelsOf(l vault.Labels) api.SealedLabels {
	return api.SealedLabels{
		KeyVersion: l.KeyVersion,
		IV:         l.IV,
		CT:         l.CT,
		Version:    int(l.Version),
		UpdatedAt:  api.At(l.UpdatedAt),
	}
}

func (a *API) getLabels(c *gin.Context) error {
	caller, id, err := a.ownersOfCase(c)
	if err != nil {
		return err
	}
	l, found, err := a.Vault.Sealed(c.Request.Context(), caller.Tenant, id)
	if err != nil {
		return err
	}
	if !found { // most cases have none, and browsers log every 404 as an error of the page
		return httpx.JSON(c, http.StatusOK, nil)
	}
	if httpx.Unchanged(c, httpx.ETag(l.Version)) {
		return nil
	}

	return httpx.JSON(c, http.StatusOK, labelsOf(l))
}

func (a *API) putLabels(c *gin.Context) error {
	caller, id, err := a.ownersOfCase(c)
	if err != nil {
		return err
	}
	var in api.PutSealedLabels
	if _, err := a.decode(c, &in); err != nil {
		return err
	}
	l := vault.Labels{Tenant: caller.Tenant, CaseID: id, KeyVersion: in.KeyVersion, IV: in.IV, CT: in.CT}
	l, created, err := a.Vault.Seal(
		c.Request.Context(), actorOf(c), l, httpx.IfMatch(c), c.GetHeader("If-None-Match") == "*",
	)
	if err != nil {
		return err
	}
	c.Header("ETag", httpx.ETag(l.Version))

	return httpx.JSON(c, statusOf(created), labelsOf(l))
}

// listHolders tells auth-svc who can open the firm's vault, so that the last who can is not offboarded.
func (a *API) listHolders(c *gin.Context) error {
	if _, err := httpx.Query(c); err != nil {
		return err
	}
	caller := callerOf(c)
	if caller.Tenant == "" {
		return httpx.ErrValidation
	}
	holders, err := a.Vault.Holders(c.Request.Context(), caller.Tenant)
	if err != nil {
		return err
	}

	return httpx.JSON(c, http.StatusOK, api.KeyHolders{UserIDs: append([]string{}, holders...)})
}
