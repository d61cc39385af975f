package authn

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/authn/internal/token"
)

// GrantLife is how long an application's access token is valid.
const GrantLife = 10 * time.Minute

// GrantClaims are the claims of an application's access token.
type GrantClaims struct {
	jwt.RegisteredClaims
	ClientID string `json:"client_id"`
	Scope    string `json:"scope"`
	Tenant   string `json:"tenant"`
	GrantID  string `json:"gid"`
}

// GrantRecord is what Redis holds for a grant that is alive. Only auth-svc writes it, with every access token.
type GrantRecord = BearerRecord

var grantIDForm = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$`)

// GrantKey names the Redis record of a live grant.
func GrantKey(grantID string) string { return "auth:grant:{" + grantID + "}" }

// Grants checks the access tokens of applications: signature and claims first, then the record in Redis, which ends
// with the grant.
type Grants struct {
	Keys     VerificationKeys
	Records  Records
	Issuer   string // base address of the service
	Audience string // {base_url}/api/mcp
	Now      func() time.Time

	known token.Known[signedBy[GrantClaims]]
}

func (c *GrantClaims) wellFormed() bool {
	named := c.ID != "" && c.Tenant != "" && c.ClientID != ""

	return named && len(c.Audience) == 1 && grantIDForm.MatchString(c.GrantID)
}

// Check returns the caller of a live grant with the scopes of this token, ErrUnauthenticated, or errs.ErrUnavailable
// when Redis cannot say.
func (g *Grants) Check(ctx context.Context, token string) (access.Caller, error) {
	claims, memo, err := verifyOnce(ctx, &g.known, expected{g.Keys, g.Issuer, g.Audience, g.Now}, token,
		func(c *GrantClaims) *jwt.RegisteredClaims { return &c.RegisteredClaims }, (*GrantClaims).wellFormed)
	if err != nil {
		return access.Caller{}, err
	}
	raw, err := readRecord(ctx, g.Records, GrantKey(claims.GrantID), access.Caller{
		Kind: access.OAuth, Tenant: claims.Tenant, UserID: claims.Subject, ClientID: claims.ClientID,
	})
	if err != nil {
		return access.Caller{}, fmt.Errorf("read grant record: %w", err)
	}
	if raw == nil {
		return access.Caller{}, &access.Revoked{Caller: access.Caller{
			Kind:     access.OAuth,
			Tenant:   claims.Tenant,
			UserID:   claims.Subject,
			ClientID: claims.ClientID,
			GrantID:  claims.GrantID,
		}}
	}
	record, ok := memo.read(raw)
	if !ok {
		return access.Caller{}, access.ErrUnauthenticated
	}
	// A token of another client must not get the record of this grant, whoever signed it.
	caller := record.Caller
	if caller.Kind != access.OAuth || caller.ClientID != claims.ClientID || caller.Tenant != claims.Tenant ||
		caller.UserID != claims.Subject {
		return access.Caller{}, access.ErrUnauthenticated
	}
	if !g.Now().Before(time.Unix(record.Expires, 0).Add(Skew)) {
		return access.Caller{}, access.ErrUnauthenticated
	}
	// A token may have fewer scopes than its grant, and never more.
	caller.Scopes, caller.GrantID = strings.Fields(claims.Scope), claims.GrantID

	return caller, nil
}
