package cli

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/alecthomas/kong"
	"github.com/subrosa-legal/subrosa/deploy/internal/client"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"github.com/subrosa-legal/subrosa/pkg/launch"
)

// commands is the grammar of the command line.
type commands struct {
	Site   string `help:"Address of the Subrosa to talk to. Default: the local one of this folder, else the one used last." env:"SUBROSA_SITE" placeholder:"URL"`
	CA     string `name:"ca" help:"Certificates, in PEM, that the address is checked against." env:"SUBROSA_CA" placeholder:"FILE"`
	As     string `help:"Act as the user or as the connected agent (user, agent, auto: the agent once one is connected from here)." enum:"user,agent,auto" default:"auto"`
	JSON   bool   `name:"json" help:"Print what the service answers as JSON."`
	Config string `help:"Folder for sign-ins and keys." env:"SUBROSA_CONFIG" placeholder:"DIR"`

	Login   loginCmd   `cmd:"" help:"Sign in as a user, with the browser."`
	Logout  logoutCmd  `cmd:"" help:"Forget the sign-in, and with --agent the agent's key too."`
	Token   tokenCmd   `cmd:"" help:"Print the credential that commands use, for curl."`
	Me      meCmd      `cmd:"" help:"Show who you are, your agent and your limits."`
	Connect connectCmd `cmd:"" help:"Connect an agent: run the sample agent, register it and keep its key."`
	Agent   agentCmd   `cmd:"" help:"See, serve or disconnect the agent."`
	Case    caseCmd    `cmd:"" help:"Create, list, show and delete cases."`
	File    fileCmd    `cmd:"" help:"Add, list and read the files of a case."`
	Ask     askCmd     `cmd:"" help:"Give the legal agent a task on a case and follow its work."`
	Dev     devCmd     `cmd:"" help:"Help with development: certificates of the local CA."`
	Keys    keysCmd    `cmd:"" help:"Make and rotate the keys of an installation."`
	Version versionCmd `cmd:"" help:"Print the version."`
}

// Terminal is where the command line runs.
type Terminal struct {
	In       io.Reader
	Out, Err io.Writer
	Live     bool   // Err is a terminal that can be written over
	Folder   string // working folder
	Config   string // folder for sign-ins and keys, unless --config names another
	Open     func(url string) error
	Now      func() time.Time
}

// shell is what commands run with.
type shell struct {
	ctx context.Context // of the one command that runs
	Terminal
	root *commands
	book *book
	site *site

	exchanged bool // the agent's key, by this command
}

// Run parses args and runs the command; its result is the exit code: 0, 1 for a failure, 2 for wrong usage.
func Run(ctx context.Context, args []string, term Terminal) int {
	var root commands
	exit := -1
	parser, err := kong.New(&root, kong.Name("subrosa"), kong.Description("Confidential legal work on de-identified cases, from the command line."),
		kong.Writers(term.Out, term.Err), kong.Exit(func(code int) { exit = code }), kong.UsageOnError(), kong.ConfigureHelp(kong.HelpOptions{Compact: true}))
	if err != nil {
		panic(err) // the grammar is fixed
	}
	parsed, err := parser.Parse(args)
	if exit >= 0 {
		return exit // --help was answered
	}
	if err != nil {
		fmt.Fprintf(term.Err, "subrosa: %v\nSee subrosa --help.\n", err)
		return 2
	}
	sh := &shell{ctx: ctx, Terminal: term, root: &root}
	if err := sh.run(parsed); err != nil {
		fmt.Fprintf(term.Err, "subrosa: %s\n", explain(err))
		return 1
	}
	return 0
}

func (sh *shell) run(parsed *kong.Context) error {
	if sh.root.Config != "" {
		sh.Terminal.Config = sh.root.Config
	}
	var err error
	if sh.book, err = openBook(sh.Terminal.Config); err != nil {
		return err
	}
	err = parsed.Run(sh)
	// An agent's bearer ends early when the service forgets it; its key is exchanged again, once. A 401 has changed nothing.
	if errors.Is(err, authn.ErrUnauthenticated) && sh.site != nil && sh.site.Agent != nil && sh.site.Agent.Bearer != "" && !sh.exchanged {
		sh.site.Agent.Bearer = ""
		return parsed.Run(sh)
	}
	return err
}

// explain turns an answer of the service into what a person needs to go on.
func explain(err error) string {
	var e *errs.Error
	if !errors.As(err, &e) || e.Kind == errs.Internal && e.Code == errs.ErrInternal.Code {
		return err.Error()
	}
	text := e.Message
	for _, d := range e.Details {
		text += "\n  " + d.Path
		if d.Kind != "" {
			text += " (" + d.Kind + ")"
		}
		if d.Start != nil && d.End != nil {
			text += fmt.Sprintf(" at bytes %d to %d", *d.Start, *d.End)
		}
		if d.Message != "" {
			text += " " + d.Message
		}
	}
	if e.DeepLink != "" {
		text += "\n  open " + e.DeepLink
	}
	return text + " [" + e.Code + "]"
}

// open chooses the site; every command that talks to one begins with it.
func (sh *shell) open() error {
	var err error
	if sh.site, err = sh.book.choose(sh.root.Site, sh.Folder); err != nil {
		return err
	}
	if sh.root.CA != "" {
		if sh.site.CAFile, err = filepath.Abs(sh.root.CA); err != nil {
			return err
		}
	}
	return nil
}

// transport checks certificates against the site's own authority where it has one.
func (sh *shell) transport() (*http.Transport, error) {
	t := &http.Transport{
		Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, TLSHandshakeTimeout: 10 * time.Second, ResponseHeaderTimeout: time.Minute,
		TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12},
	}
	if sh.site.CAFile == "" {
		return t, nil
	}
	pem, err := os.ReadFile(sh.site.CAFile)
	roots := x509.NewCertPool()
	if err != nil || !roots.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s holds no certificate", sh.site.CAFile)
	}
	t.TLSClientConfig.RootCAs = roots
	return t, nil
}

func (sh *shell) client(credential httpx.Credential) (*client.Client, error) {
	t, err := sh.transport()
	if err != nil {
		return nil, err
	}
	return client.New(sh.site.BaseURL, t, credential)
}

var errSignIn = errors.New("you are not signed in, or the sign-in has expired: run subrosa login")

// asUser returns a client that acts as the signed-in user.
func (sh *shell) asUser() (*client.Client, error) {
	if err := sh.open(); err != nil {
		return nil, err
	}
	if sh.site.Token == "" || !sh.Now().Before(sh.site.Expires) {
		return nil, errSignIn
	}
	return sh.client(client.Bearer(sh.site.Token))
}

// caller returns a client that acts as --as says.
func (sh *shell) caller() (*client.Client, error) {
	if err := sh.open(); err != nil {
		return nil, err
	}
	if sh.root.As == "user" || sh.root.As == "auto" && sh.site.Agent == nil {
		return sh.asUser()
	}
	if sh.site.Agent == nil {
		return nil, errors.New("no agent was connected from here: run subrosa connect")
	}
	return sh.client(func(ctx context.Context) (string, error) { return sh.bearer(ctx) })
}

const earlier = time.Minute // a bearer is exchanged this long before it expires

// bearer returns the agent's bearer, exchanging the key when the one at hand is about to expire.
func (sh *shell) bearer(ctx context.Context) (string, error) {
	a := sh.site.Agent
	if a.Bearer != "" && sh.Now().Before(a.Until.Add(-earlier)) {
		return a.Bearer, nil
	}
	c, err := sh.client(nil)
	if err != nil {
		return "", err
	}
	got, err := c.Exchange(ctx, a.Key)
	if err != nil {
		return "", err
	}
	sh.exchanged = true
	a.Bearer, a.Until = got.BearerToken, time.Unix(got.ExpiresAt, 0)
	return a.Bearer, sh.book.save()
}

// print shows v as JSON when that was asked for, else by text.
func (sh *shell) print(v any, text func(w io.Writer)) error {
	if !sh.root.JSON {
		text(sh.Out)
		return nil
	}
	enc := json.NewEncoder(sh.Out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}

type tokenCmd struct{}

// Run prints the user's access token, or the agent's bearer.
func (tokenCmd) Run(sh *shell) error {
	if _, err := sh.caller(); err != nil {
		return err
	}
	token := sh.site.Token
	if sh.root.As == "agent" || sh.root.As == "auto" && sh.site.Agent != nil {
		var err error
		if token, err = sh.bearer(sh.ctx); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(sh.Out, token)
	return err
}

type versionCmd struct{}

// Run prints the version.
func (versionCmd) Run(sh *shell) error {
	_, err := fmt.Fprintln(sh.Out, "subrosa", launch.Version())
	return err
}
