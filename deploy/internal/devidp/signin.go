package devidp

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"golang.org/x/oauth2"
)

var formAction = regexp.MustCompile(`action="([^"]+)"`)

// SignIn walks through the sign-in page as a person with a browser would and returns an access token; for demonstrations and tests.
func SignIn(ctx context.Context, client *http.Client, issuer string, p Person) (string, error) {
	stay := *client
	stay.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	cfg := oauth2.Config{
		ClientID: NativeClient, RedirectURL: "http://127.0.0.1:1/callback", Scopes: []string{"openid"},
		Endpoint: oauth2.Endpoint{AuthURL: issuer + "/authorize", TokenURL: issuer + "/token", AuthStyle: oauth2.AuthStyleInParams},
	}
	verifier := oauth2.GenerateVerifier()
	pageText, err := fetch(ctx, &stay, http.MethodGet, cfg.AuthCodeURL("demo", oauth2.S256ChallengeOption(verifier)), nil)
	if err != nil {
		return "", err
	}
	action := formAction.FindStringSubmatch(pageText.body)
	if action == nil {
		return "", errors.New("the provider showed no sign-in form")
	}
	done, err := fetch(ctx, &stay, http.MethodPost, issuer+action[1], url.Values{"email": {p.Email}, "password": {p.Password}})
	if err != nil {
		return "", err
	}
	back, err := url.Parse(done.location)
	if err != nil || back.Query().Get("code") == "" {
		return "", errors.New("the provider did not accept the sign-in")
	}
	token, err := cfg.Exchange(context.WithValue(ctx, oauth2.HTTPClient, client), back.Query().Get("code"), oauth2.VerifierOption(verifier))
	if err != nil {
		return "", fmt.Errorf("exchange the code: %w", err)
	}
	return token.AccessToken, nil
}

type answer struct{ body, location string }

func fetch(ctx context.Context, client *http.Client, method, address string, form url.Values) (answer, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(form.Encode()))
	if err != nil {
		return answer{}, err
	}
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	resp, err := client.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
	return answer{string(body), resp.Header.Get("Location")}, err
}
