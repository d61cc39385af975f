package cli

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

const (
	providerTime = 30 * time.Second // for one call of the identity provider
	maxName      = 100              // characters of a person's name that are shown
)

var errProviderAway = errors.New("the sign-in has run out and the identity provider cannot be reached to renew " +
	"it; try again")

func providerClient(t http.RoundTripper) *http.Client {
	return &http.Client{Transport: t, Timeout: providerTime}
}

// nativeClient is the command line as a client of the identity provider.
func nativeClient(s *site, provider *oidc.Provider) oauth2.Config {
	endpoint := provider.Endpoint()
	// A public client has no secret. Without this the library would try a header first and send the code twice.
	endpoint.AuthStyle = oauth2.AuthStyleInParams

	return oauth2.Config{ClientID: s.ClientID, Endpoint: endpoint}
}

// scopesOf returns what a sign-in asks for: the person's name and a refresh token where the provider knows of them.
func scopesOf(provider *oidc.Provider) []string {
	var metadata struct {
		Scopes []string `json:"scopes_supported"`
	}
	// A provider that does not say what it supports is asked for no more than a sign-in must have.
	_ = provider.Claims(&metadata)
	asked := []string{oidc.ScopeOpenID}

	for _, scope := range []string{"profile", oidc.ScopeOfflineAccess} {
		if slices.Contains(metadata.Scopes, scope) {
			asked = append(asked, scope)
		}
	}

	return asked
}

// take keeps the tokens of a sign-in. A provider that renews a sign-in without another refresh token leaves the one at
// hand.
func (sh *shell) take(s *site, token *oauth2.Token) {
	s.Token, s.Expires = token.AccessToken, token.Expiry
	if token.Expiry.IsZero() {
		// RFC 6749 lets a provider leave expires_in out; an hour is what most mean by it.
		s.Expires = sh.Now().Add(time.Hour)
	}
	if token.RefreshToken != "" {
		s.Refresh = token.RefreshToken
	}
}

// valid reports whether the access token of a site can be sent.
func (sh *shell) valid(s *site) bool { return s.Token != "" && sh.Now().Before(s.Expires) }

// signedIn returns nil when the site has an access token that can be sent, renewing it where that can be done. Of
// several commands at once one renews, since a refresh token may count once only, and the others take what it got.
func (sh *shell) signedIn() error {
	if sh.valid(sh.site) {
		return nil
	}
	if sh.site.Refresh == "" {
		return errSignIn
	}

	return locked(sh.ctx, sh.book.path+".renew", func() error {
		now, err := openBook(filepath.Dir(sh.book.path))
		if err != nil {
			return err
		}
		kept := now.at(sh.site.BaseURL)
		if sh.valid(kept) {
			sh.site.Token, sh.site.Expires, sh.site.Refresh = kept.Token, kept.Expires, kept.Refresh
			return nil
		}
		// Another command was told meanwhile that the sign-in is over.
		if kept.Refresh == "" {
			return errSignIn
		}

		return sh.renew(kept.Refresh)
	})
}

// renew exchanges a refresh token. When the provider refuses it, the sign-in is over and forgotten.
func (sh *shell) renew(refresh string) error {
	t, err := sh.transport()
	if err != nil {
		return err
	}
	ctx := oidc.ClientContext(sh.ctx, providerClient(t))
	provider, err := oidc.NewProvider(ctx, sh.site.Issuer)
	if err != nil {
		return errProviderAway
	}

	cfg := nativeClient(sh.site, provider)
	token, err := cfg.TokenSource(ctx, &oauth2.Token{RefreshToken: refresh}).Token()

	var refused *oauth2.RetrieveError
	switch {
	case err == nil:
		return sh.book.keep(sh.ctx, sh.site, func(s *site) { sh.take(s, token) })
	// Only this code means that the refresh token is spent. On any other failure it is kept, and tried again.
	case errors.As(err, &refused) && refused.ErrorCode == "invalid_grant":
		over := func(s *site) { s.Token, s.Expires, s.Refresh = "", time.Time{}, "" }
		if err := sh.book.keep(sh.ctx, sh.site, over); err != nil {
			return err
		}

		return errSignIn
	case errors.As(err, &refused) && refused.Response.StatusCode < http.StatusInternalServerError:
		return fmt.Errorf("the identity provider does not renew the sign-in (%s): run subrosa login",
			refused.Response.Status)
	}

	return errProviderAway
}

// personIn returns what the person who signed in is called by the ID token, or subject where it does not say.
func personIn(ctx context.Context, provider *oidc.Provider, sh *shell, token *oauth2.Token, subject string) string {
	raw, _ := token.Extra("id_token").(string)
	// The name is only shown, but it is still verified: a forged one could make a person trust another's account.
	id, err := provider.Verifier(&oidc.Config{ClientID: sh.site.ClientID, Now: sh.Now}).Verify(ctx, raw)
	if err != nil {
		return subject
	}
	var claims struct {
		Name      string `json:"name"`
		Preferred string `json:"preferred_username"`
		Email     string `json:"email"`
	}
	// A claim of an unexpected form is as good as none.
	_ = id.Claims(&claims)

	for _, name := range []string{claims.Name, claims.Preferred, claims.Email} {
		if name = strings.TrimSpace(name); name != "" && len(name) <= maxName && !strings.ContainsFunc(name, unshown) {
			return name
		}
	}

	return subject
}

// unshown finds characters that a terminal does not show as they are.
func unshown(r rune) bool { return !unicode.IsPrint(r) || unicode.Is(unicode.Cf, r) }
