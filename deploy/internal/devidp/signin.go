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

// SignIn walks through the sign-in page as a person with a browser would and returns an access token; for
// demonstrations and tests.
func SignIn(ctx context.Context, client *http.Client, issuer string, p Person) (string, error) {
	token, err := signedIn(ctx, client, issuer, p)
	if err != nil {
		return "", err
	}

	return token.AccessToken, nil
}

// Identify is SignIn for an ID token, as an application gets it that has its user sign in at the provider.
func Identify(ctx context.Context, client *http.Client, issuer string, p Person) (string, error) {
	token, err := signedIn(ctx, client, issuer, p)
	if err != nil {
		return "", err
	}
	id, _ := token.Extra("id_token").(string)

	return id, nil
}

func signedIn(ctx context.Context, client *http.Client, issuer string, p Person) (*oauth2.Token, error) {
	cfg := oauth2.Config{
		ClientID:    NativeClient,
		RedirectURL: "http://127.0.0.1:1/callback",
		Scopes:      []string{"openid"},
		Endpoint: oauth2.Endpoint{
			AuthURL:   issuer + "/authorize",
			TokenURL:  issuer + "/token",
			AuthStyle: oauth2.AuthStyleInParams,
		},
	}
	verifier := oauth2.GenerateVerifier()
	back, err := walk(ctx, client, cfg.AuthCodeURL("demo", oauth2.S256ChallengeOption(verifier)), p)
	if err != nil {
		return nil, err
	}
	token, err := cfg.Exchange(context.WithValue(ctx, oauth2.HTTPClient, client), back.Query().Get("code"),
		oauth2.VerifierOption(verifier))
	if err != nil {
		return nil, fmt.Errorf("exchange the code: %w", err)
	}

	return token, nil
}

// Visit signs a person in at address, which an application wants a browser to open, and goes back to the application.
func Visit(ctx context.Context, client *http.Client, address string, p Person) error {
	back, err := walk(ctx, client, address, p)
	if err != nil {
		return err
	}
	_, err = fetch(ctx, client, http.MethodGet, back.String(), nil)

	return err
}

// walk fills in the sign-in page at address and returns where the provider sends the browser then.
func walk(ctx context.Context, client *http.Client, address string, p Person) (*url.URL, error) {
	stay := *client
	// The address of a redirect holds the code; following it would spend that.
	stay.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	form, err := fetch(ctx, &stay, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	action := formAction.FindStringSubmatch(form.body)
	at, err := url.Parse(address)
	if action == nil || err != nil {
		return nil, errors.New("the provider showed no sign-in form")
	}
	to, err := at.Parse(action[1])
	if err != nil {
		return nil, errors.New("the sign-in form leads nowhere")
	}
	done, err := fetch(ctx, &stay, http.MethodPost, to.String(), url.Values{
		"email":    {p.Email},
		"password": {p.Password},
	})
	if err != nil {
		return nil, err
	}
	back, err := url.Parse(done.location)
	if err != nil || back.Query().Get("code") == "" {
		return nil, errors.New("the provider did not accept the sign-in")
	}

	return back, nil
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
