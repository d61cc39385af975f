package cli

import (
	"bufio"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"golang.org/x/oauth2"
)

type loginCmd struct {
	NoBrowser bool   `help:"Print the address instead of opening a browser, and read the one it ends at."`
	Issuer    string `help:"Issuer of the identity provider. Known for a local Subrosa." placeholder:"URL"`
	ClientID  string `name:"client-id" help:"Client id of the command line at the identity provider." placeholder:"ID"`
	Audience  string `help:"Audience to ask for, where the provider wants one named." placeholder:"AUD"`
}

const signInWithin = 5 * time.Minute

// Run signs in with authorization code and PKCE.
func (cmd *loginCmd) Run(sh *shell) error {
	if err := sh.open(); err != nil {
		return err
	}
	if cmd.Issuer != "" {
		sh.site.Issuer = cmd.Issuer
	}
	if cmd.ClientID != "" {
		sh.site.ClientID = cmd.ClientID
	}
	if sh.site.Issuer == "" || sh.site.ClientID == "" {
		return &misuse{"name the identity provider with --issuer and --client-id"}
	}
	t, err := sh.transport()
	if err != nil {
		return err
	}

	// The provider may be the local one, whose certificate only the site's authority signed.
	ctx, cancel := context.WithTimeout(oidc.ClientContext(sh.ctx, providerClient(t)), signInWithin)
	defer cancel()
	provider, err := oidc.NewProvider(ctx, sh.site.Issuer)
	if err != nil {
		return fmt.Errorf("the identity provider cannot be reached: %w", err)
	}
	token, err := cmd.signIn(ctx, sh, provider)
	if err != nil {
		return err
	}
	sh.take(sh.site, token)
	c, err := sh.asUser()
	if err != nil {
		return err
	}
	// A token that the service refuses is not kept: later commands would fail without saying why.
	me, err := c.Me(sh.ctx)
	if err != nil {
		return fmt.Errorf("signed in, but the service does not take the token: %w", err)
	}
	if err := sh.book.keep(sh.ctx, sh.site, func(s *site) { sh.take(s, token) }); err != nil {
		return err
	}

	until := "until " + sh.site.Expires.Local().Format("15:04")
	if sh.site.Refresh != "" {
		until = "and stay signed in until you run subrosa logout or the identity provider ends it"
	}
	fmt.Fprintf(
		sh.Out, "Signed in at %s as %s (%s), %s.\n",
		sh.site.BaseURL, personIn(ctx, provider, sh, token, me.User), strings.Join(me.Roles, ", "), until,
	)

	return nil
}

// signIn runs the flow: a browser goes to the provider and comes back with a code to a port of this machine, or,
// without a browser here, the person pastes the address it came back to.
func (cmd *loginCmd) signIn(ctx context.Context, sh *shell, provider *oidc.Provider) (*oauth2.Token, error) {
	// RFC 8252, section 7.3: a native program waits at a loopback address, on any port, for the browser to come back.
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for the browser: %w", err)
	}
	defer func() { _ = listener.Close() }()
	cfg := nativeClient(sh.site, provider)
	cfg.RedirectURL = "http://" + listener.Addr().String() + "/callback"
	cfg.Scopes = scopesOf(provider)
	// state ties the answer to this sign-in; the verifier (PKCE) makes a stolen code useless.
	state, verifier := rand.Text(), oauth2.GenerateVerifier()
	options := []oauth2.AuthCodeOption{oauth2.S256ChallengeOption(verifier)}
	if cmd.Audience != "" {
		options = append(options, oauth2.SetAuthURLParam("audience", cmd.Audience))
	}
	address := cfg.AuthCodeURL(state, options...)
	// Two places, for the browser and for a pasted address, so that neither sender hangs after the end.
	back := make(chan url.Values, 2)

	server := &http.Server{Handler: callback(back), ReadHeaderTimeout: 5 * time.Second}
	defer func() { _ = server.Close() }()

	go func() { _ = server.Serve(listener) }()
	cmd.show(sh, address)
	if cmd.NoBrowser {
		go paste(sh.In, back)
	}
	select {
	case <-ctx.Done():
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return nil, errors.New("nobody signed in within five minutes")
		}

		return nil, errors.New("interrupted")
	case answer := <-back:
		return exchange(ctx, cfg, answer, state, verifier)
	}
}

func (cmd *loginCmd) show(sh *shell, address string) {
	if cmd.NoBrowser {
		fmt.Fprintf(sh.Out, "Open this address in a browser and sign in:\n\n  %s\n\n"+
			"The browser ends at an address that begins with http://127.0.0.1. If it cannot show that page, "+
			"paste the address here:\n", address)

		return
	}
	fmt.Fprintf(sh.Out, "Opening your browser to sign in. If it does not open, go to\n\n  %s\n\n", address)
	if err := sh.Open(address); err != nil {
		fmt.Fprintln(sh.Err, "No browser could be opened here; use the address above, or subrosa login --no-browser.")
	}
}

func exchange(
	ctx context.Context, cfg oauth2.Config, answer url.Values, state, verifier string,
) (*oauth2.Token, error) {
	switch {
	case answer == nil:
		return nil, errors.New("that was not the address the browser ended at")
	case answer.Get("error") != "":
		// The provider's own words are not repeated: they come from the address, which anybody could have made.
		return nil, errors.New("the identity provider refused the sign-in")
	case answer.Get("state") != state:
		return nil, errors.New("the answer belongs to another sign-in; try again")
	}
	token, err := cfg.Exchange(ctx, answer.Get("code"), oauth2.VerifierOption(verifier))
	if err != nil {
		return nil, fmt.Errorf("the identity provider did not give a token: %w", err)
	}

	return token, nil
}

func callback(back chan<- url.Values) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /callback", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, "<!doctype html><html lang=\"en\"><title>Subrosa</title><p>You can close this page "+
			"and go back to the terminal.</p></html>")
		select {
		case back <- r.URL.Query():
		// A reload of the page sends the code again; the first one counts.
		default:
		}
	})

	return mux
}

// paste reads the address that a browser elsewhere ended at.
func paste(in io.Reader, back chan<- url.Values) {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		if line == "" {
			continue
		}
		var answer url.Values
		// What is pasted is checked later like any answer; here it only has to look like one.
		if u, err := url.Parse(line); err == nil && u.Query().Get("state") != "" {
			answer = u.Query()
		}
		back <- answer

		return
	}
}

type logoutCmd struct {
	Agent bool `help:"Forget the agent's key too. The agent stays connected until it is disconnected."`
}

// Run forgets the sign-in.
func (cmd *logoutCmd) Run(sh *shell) error {
	if err := sh.open(); err != nil {
		return err
	}
	forget := func(s *site) {
		s.Token, s.Expires, s.Refresh = "", time.Time{}, ""
		if cmd.Agent {
			s.Agent = nil
		}
	}
	if err := sh.book.keep(sh.ctx, sh.site, forget); err != nil {
		return err
	}
	fmt.Fprintln(sh.Out, "Signed out of", sh.site.BaseURL)

	return nil
}

type meCmd struct{}

// Run shows who the caller is.
func (meCmd) Run(sh *shell) error {
	return one(sh, get("v1", "me"), func(w io.Writer, me api.Me) {
		fmt.Fprintf(w, "user    %s\ntenant  %s\nas      %s\nroles   %s\n", me.User, me.Tenant, me.Kind,
			strings.Join(me.Roles, ", "))
		if me.Agent == nil {
			fmt.Fprintln(w, "agent   none connected; connect one with subrosa connect")
			return
		}
		fmt.Fprintf(w, "agent   %s (%s)\n", me.Agent.Name, me.Agent.AgentID)
	})
}
