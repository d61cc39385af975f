package cli

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"github.com/subrosa-legal/subrosa/deploy/internal/client"
	"github.com/subrosa-legal/subrosa/deploy/internal/localinfo"
	"github.com/subrosa-legal/subrosa/deploy/internal/vault"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/httpcall"
	"go.opentelemetry.io/otel/propagation"
)

// commands is the grammar of the command line.
type commands struct {
	Site   string `help:"Address of Subrosa. Default: that of this folder, or the last one." env:"SUBROSA_SITE" placeholder:"URL"`
	CA     string `name:"ca" help:"Certificates, in PEM, that the address is checked against." env:"SUBROSA_CA" placeholder:"FILE"`
	As     string `help:"Who acts: ${enum}. ${aboutAuto}" enum:"user,agent,auto" default:"auto"`
	JSON   bool   `name:"json" help:"Print what the service answers as JSON."`
	Config string `help:"Folder for sign-ins and keys." env:"SUBROSA_CONFIG" placeholder:"DIR"`

	ShowVersion showVersion `name:"version" help:"Print the version."`

	Login      loginCmd      `cmd:"" help:"Sign in as a user, with the browser."`
	Logout     logoutCmd     `cmd:"" help:"Forget the sign-in, and with --agent the agent's key too."`
	Token      tokenCmd      `cmd:"" help:"Print the credential that commands use, for curl."`
	Me         meCmd         `cmd:"" help:"Show who you are, your agent and your limits."`
	Connect    connectCmd    `cmd:"" help:"Connect an agent: run the sample agent, register it and keep its key."`
	Agent      agentCmd      `cmd:"" help:"See, serve or disconnect the agent."`
	Grants     grantsCmd     `cmd:"" help:"List and disconnect the applications you let in, such as Claude or ChatGPT."`
	Member     memberCmd     `cmd:"" help:"List your organization's members, and end the access of those who leave."`
	Case       caseCmd       `cmd:"" help:"Create, list, show, change, delete and restore cases."`
	Party      partyCmd      `cmd:"" help:"Add, list, show and change parties, by label."`
	Source     sourceCmd     `cmd:"" help:"Open a numbered source of an answer: the passage and the text around it."`
	File       fileCmd       `cmd:"" help:"Add, list, read, clear and delete the files of a case."`
	Ask        askCmd        `cmd:"" help:"Give the legal agent a task on a case and follow its work."`
	A2A        a2aCmd        `cmd:"" name:"a2a" help:"Work as an agent over the agent-to-agent protocol."`
	Workspace  workspaceCmd  `cmd:"" help:"Show everything needed to start work on a case, in one call."`
	Timeline   timelineCmd   `cmd:"" help:"Show and change the dated record and the deadlines of a case."`
	Branch     branchCmd     `cmd:"" help:"Fork, show, rename and archive branches of the work."`
	Phase      phaseCmd      `cmd:"" help:"List and show what was asked and answered."`
	Review     reviewCmd     `cmd:"" help:"Sign off, amend, reject or comment on the agent's work."`
	Partner    partnerCmd    `cmd:"" help:"Search professionals and invite them."`
	Invite     inviteCmd     `cmd:"" help:"List, show and decide invites."`
	Export     exportCmd     `cmd:"" help:"Export a case as a ZIP archive, by label."`
	Audit      auditCmd      `cmd:"" help:"List the audit record, and check it."`
	Vault      vaultCmd      `cmd:"" help:"Keep real identities, encrypted; only this machine and your browser see them."`
	Settings   settingsCmd   `cmd:"" help:"Show and change your organization's settings."`
	Dev        devCmd        `cmd:"" help:"Help with development: certificates of the local CA."`
	Guard      guardCmd      `cmd:"" help:"Look for identities in text, on this machine."`
	Redact     redactCmd     `cmd:"" help:"Replace identities in a file by labels, on this machine, or put them back."`
	Keys       keysCmd       `cmd:"" help:"Make and rotate the keys of an installation."`
	Completion completionCmd `cmd:"" help:"Print the completion script of a shell."`
	Version    versionCmd    `cmd:"" help:"Print the version."`
	Help       helpCmd       `cmd:"" help:"Show the help of a command."`
}

// Terminal is where the command line runs.
type Terminal struct {
	In       io.Reader
	Out, Err io.Writer
	Live     bool   // Err is a terminal that can be written over
	Colour   bool   // Err shows colours, and its user wants them
	Width    int    // columns of Out where that is a terminal, else 0
	Folder   string // working folder
	Config   string // folder for sign-ins and keys, unless --config names another
	Open     func(url string) error
	// Edit has the person change a text; nil where there is no editor.
	Edit    func(ctx context.Context, text string) (string, error)
	Now     func() time.Time
	Version string // of the program
	// Trace has traceparent and tracestate of the trace that the command is a part of, as W3C Trace Context has them;
	// nil where there is none. What is no traceparent is left out.
	Trace map[string]string
	// Secret shows a prompt and reads a line without echo. It is nil where there is no terminal to read from.
	Secret func(prompt string) (string, error)
	Effort int // base-2 logarithm of the cost of opening a new map of labels; 0 means about a second
	// VaultCost is what a try of a new passphrase of a vault costs; the zero Cost means the usual one.
	VaultCost vault.Cost
}

func (t Terminal) printVersion() error {
	_, err := fmt.Fprintln(t.Out, "subrosa", t.Version)
	return err
}

// shell is what commands run with.
type shell struct {
	ctx context.Context // of the one command that runs
	Terminal
	root *commands
	book *book
	site *site

	exchanged bool   // the agent's key, by this command
	refused   string // the bearer that the service did not take; "" for none
	asAgent   bool   // the last client acts as the agent
	told      bool   // that the command acts as the user although an agent is connected
	broken    error  // why the last connection could not be had
}

// newParser makes the parser of the grammar in root, with an example in the help of each command.
func newParser(root *commands, options ...kong.Option) *kong.Kong {
	options = append(options, kong.Name("subrosa"),
		kong.Description("Confidential legal work on de-identified cases, from the command line."), kong.UsageOnError(),
		kong.PostBuild(fillIn),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}))
	parser, err := kong.New(root, options...)
	if err != nil {
		// The grammar is fixed at compile time, and the tests parse it: an error is a mistake in a tag.
		panic(err)
	}
	polish(parser.Model.Node)

	for _, leaf := range parser.Model.Leaves(false) {
		if example := examples[leaf.Path()]; example != "" {
			leaf.Detail = "Example:\n  " + strings.ReplaceAll(example, "\n", "\n  ")
		}
	}

	return parser
}

// polish makes the help of flags with fixed values readable: the empty value, which stands for "not given", is not
// shown.
func polish(node *kong.Node) {
	for _, f := range node.Flags {
		if f.Enum == "" {
			continue
		}
		// kong has put the values into the help already, as they stand in the tag.
		f.Help = strings.ReplaceAll(f.Help, f.Enum, strings.ReplaceAll(strings.TrimPrefix(f.Enum, ","), ",", ", "))
		if f.Default == "" && f.PlaceHolder == "" {
			f.PlaceHolder = strings.ToUpper(f.Name)
		}
	}

	for _, p := range node.Positional {
		if p.Enum != "" {
			p.Help = strings.ReplaceAll(p.Help, p.Enum, strings.ReplaceAll(strings.TrimPrefix(p.Enum, ","), ",", ", "))
		}
	}

	for _, child := range node.Children {
		polish(child)
	}
}

// showVersion is the flag --version.
type showVersion bool

// BeforeReset prints the version and ends the parsing, as --help does: nothing else need be right.
func (showVersion) BeforeReset(app *kong.Kong, term Terminal) error {
	if err := term.printVersion(); err != nil {
		return err
	}
	app.Exit(0)

	return nil
}

// Run parses args and runs the command; its result is the exit code: 0, 1 for what was refused or failed, 2 for wrong
// usage.
func Run(ctx context.Context, args []string, term Terminal) int {
	var root commands
	exit := -1
	parser := newParser(&root, kong.IgnoreFields(otherCommands(args)), kong.Writers(term.Out, term.Err),
		kong.Exit(func(code int) { exit = code }), kong.Bind(term))
	parsed, err := parser.Parse(args)
	if exit >= 0 {
		// kong calls Exit for --help and goes on; what it returns then is no mistake of usage.
		return exit
	}
	if text, is := unreadFile(err); is {
		// The command line is right, as for the files that a command opens by itself.
		fmt.Fprintf(term.Err, "subrosa: %s\n", text)
		return 1
	}
	if err != nil {
		fmt.Fprint(term.Err, unparsed(err))
		return wrongUsage
	}
	sh := &shell{
		ctx:      propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier(term.Trace)),
		Terminal: term,
		root:     &root,
	}
	err = sh.run(parsed)

	var wrong *misuse

	var ended *exited
	switch {
	case err == nil:
		return 0
	case errors.As(err, &ended):
		return ended.code
	case errors.As(err, &wrong):
		fmt.Fprint(term.Err, mistake(wrong.text, parsed.Selected()))
		return wrongUsage
	}
	fmt.Fprintf(term.Err, "subrosa: %s\n", sh.explain(err))

	return 1
}

// reported is a failure whose causes were told already; it only sums them up.
type reported struct{ text string }

// Error is the sum.
func (r *reported) Error() string { return r.text }

func (sh *shell) run(parsed *kong.Context) error {
	if sh.root.Config != "" {
		sh.Terminal.Config = sh.root.Config
	}
	var err error
	if sh.book, err = openBook(sh.Terminal.Config); err != nil {
		return err
	}
	err = parsed.Run(sh)
	// An agent's bearer ends early when the service forgets it; its key is exchanged again, once. A 401 has changed
	// nothing.
	if sh.expired(err) {
		// The refused bearer may look good for minutes yet: it is remembered so that it is not sent again.
		sh.refused = sh.site.Agent.Bearer
		return parsed.Run(sh)
	}

	return err
}

// expired reports whether the agent's bearer is not taken any more and its key can still be exchanged.
func (sh *shell) expired(err error) bool {
	if sh.exchanged || sh.site == nil || sh.site.Agent == nil {
		return false
	}

	return sh.site.Agent.Bearer != "" && errors.Is(err, access.ErrUnauthenticated)
}

// explain turns a failure into what a person needs to go on.
func (sh *shell) explain(err error) string {
	var e *errs.Error
	switch {
	// The client hides causes of failed connections; the one that was noted tells what to do.
	case sh.broken != nil && errors.Is(err, errs.ErrUnavailable):
		return sh.unreachable()
	case !errors.As(err, &e):
		if text, is := unreadFile(err); is {
			return text
		}

		return err.Error()
	case e.Kind == errs.Internal && e.Code == errs.ErrInternal.Code:
		return err.Error()
	}

	text := e.Message
	for _, d := range e.Details {
		text += "\n  " + detail(d)
	}
	if e.DeepLink != "" {
		text += "\n  open " + e.DeepLink
	}

	switch {
	case e.Code == "human_required" && sh.asAgent:
		text += "\n  or do it here as the signed-in user: repeat the command with --as user"
	case errors.Is(e, access.ErrUnauthenticated):
		text += "\n  sign in again: subrosa login"
	case e.Code == "agent_connected":
		text += "\n  see it: subrosa agent status; end it: subrosa agent disconnect"
	case e.Code == "invalid_api_key":
		text += "\n  the agent was disconnected, or its key has ended; connect one again: subrosa connect"
	case e.RetryAfter > 0:
		text += "\n  try again in " + errs.Seconds(e.RetryAfter)
	}

	return text + " [" + e.Code + "]"
}

// detail is one line about one place of what was sent.
func detail(d errs.Detail) string {
	text := d.Path
	if d.Kind != "" {
		text += " (" + d.Kind + ")"
	}
	if d.Start != nil && d.End != nil {
		text += fmt.Sprintf(" at bytes %d to %d", *d.Start, *d.End)
	}
	if d.From != "" || d.To != "" {
		text += fmt.Sprintf(" from %s to %s", d.From, d.To)
	}
	if len(d.Unmet) > 0 {
		text += " needs " + strings.Join(d.Unmet, ", ")
	}
	if d.RunningPhaseID != "" {
		text += " phase " + d.RunningPhaseID + " is running"
	}
	if d.InviteID != "" {
		text += " invite " + d.InviteID
	}
	if d.Message != "" {
		text += " " + d.Message
	}

	return strings.TrimSpace(text)
}

// unreachable says which address does not answer, and what to do.
func (sh *shell) unreachable() string {
	var unknown x509.UnknownAuthorityError
	if errors.As(sh.broken, &unknown) {
		return fmt.Sprintf("%s has a certificate of an authority that this machine does not trust. "+
			"Name the authority's certificate with --ca FILE, or SUBROSA_CA", sh.site.BaseURL)
	}
	if here, ok := localinfo.Find(sh.Folder); ok && here.BaseURL == sh.site.BaseURL {
		return fmt.Sprintf("nothing answers at %s. Start the local Subrosa of this folder with make run",
			sh.site.BaseURL)
	}

	return fmt.Sprintf("nothing answers at %s. Check the address and your connection, or name another Subrosa with "+
		"--site; a local one is started with make run", sh.site.BaseURL)
}

// noted remembers why a connection could not be had, since errors of calls keep that to themselves.
type noted struct {
	sh   *shell
	next http.RoundTripper
}

// RoundTrip passes a request on.
func (n noted) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := n.next.RoundTrip(r)
	if n.sh.broken = err; err != nil && r.Context().Err() != nil {
		// We gave up, not the other side: the address may be fine.
		n.sh.broken = nil
	}

	return resp, err
}

// open chooses the site; every command that talks to one begins with it.
func (sh *shell) open() error {
	if sh.root.Site != "" {
		if err := checkAddress(sh.root.Site); err != nil {
			return err
		}
	}
	var err error
	if sh.site, err = sh.book.choose(strings.TrimRight(sh.root.Site, "/"), sh.Folder); err != nil {
		return err
	}
	if sh.root.CA != "" {
		// The path is kept for later commands, which may run in another folder.
		if sh.site.CAFile, err = filepath.Abs(sh.root.CA); err != nil {
			return err
		}
	}

	return nil
}

// transport checks certificates against the site's own authority where it has one.
func (sh *shell) transport() (*http.Transport, error) {
	t := &http.Transport{
		// Law firms often reach the outside through a proxy alone.
		Proxy:               http.ProxyFromEnvironment,
		ForceAttemptHTTP2:   true,
		TLSHandshakeTimeout: 10 * time.Second,
		// An upload is read and checked before its answer begins.
		ResponseHeaderTimeout: time.Minute,
		TLSClientConfig:       &tls.Config{MinVersion: tls.VersionTLS12},
	}
	if sh.site.CAFile == "" {
		return t, nil
	}
	pem, err := os.ReadFile(sh.site.CAFile)
	roots := x509.NewCertPool()
	if err != nil || !roots.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("%s holds no certificate", sh.site.CAFile)
	}
	// The named authority replaces those of the system: nobody else may vouch for this address.
	t.TLSClientConfig.RootCAs = roots

	return t, nil
}

func (sh *shell) client(credential httpcall.Credential) (*client.Client, error) {
	t, err := sh.transport()
	if err != nil {
		return nil, err
	}

	return client.New(sh.site.BaseURL, noted{sh, t}, credential)
}

var errSignIn = errors.New("you are not signed in, or the sign-in has expired: run subrosa login")

// asUser returns a client that acts as the signed-in user.
func (sh *shell) asUser() (*client.Client, error) {
	if err := sh.open(); err != nil {
		return nil, err
	}
	if err := sh.signedIn(); err != nil {
		return nil, err
	}
	sh.asAgent = false

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
	sh.asAgent = true

	return sh.client(func(ctx context.Context) (string, error) { return sh.bearer(ctx) })
}

// person returns a client for what only a person may do: it acts as the user unless --as says agent, and says so once
// where a person may take the connected agent for the one that acts.
func (sh *shell) person() (*client.Client, error) {
	if sh.root.As == "agent" {
		return sh.caller()
	}
	c, err := sh.asUser()
	if err == nil && !sh.told && sh.root.As == "auto" && sh.site.Agent != nil {
		sh.told = true
		fmt.Fprintln(sh.Err, "This is done as you and not as the connected agent: only a person may do it.")
	}

	return c, err
}

const earlier = time.Minute // a bearer is exchanged this long before it expires

// bearer returns the agent's bearer, exchanging the key when the one at hand is about to expire. Of several commands at
// once one exchanges, and the others take what it got.
func (sh *shell) bearer(ctx context.Context) (string, error) {
	a := sh.site.Agent
	if sh.usable(a) {
		return a.Bearer, nil
	}

	err := locked(ctx, sh.book.path+".exchange", func() error {
		now, err := openBook(filepath.Dir(sh.book.path))
		if err != nil {
			return err
		}
		// Another command may have exchanged the key while this one waited for the lock. Its bearer is good for this
		// one too.
		if kept := now.at(sh.site.BaseURL).Agent; kept != nil && kept.Key == a.Key && sh.usable(kept) {
			a.Bearer, a.Until = kept.Bearer, kept.Until
			return nil
		}

		return sh.exchange(ctx, a.Key)
	})

	return a.Bearer, err
}

// usable reports whether the bearer of an agent can be sent.
func (sh *shell) usable(a *agent) bool {
	return a.Bearer != "" && a.Bearer != sh.refused && sh.Now().Before(a.Until.Add(-earlier))
}

// exchange exchanges the agent's key for a bearer and keeps that, unless the agent is another one by now.
func (sh *shell) exchange(ctx context.Context, key string) error {
	c, err := sh.client(nil)
	if err != nil {
		return err
	}
	got, err := c.Exchange(ctx, key)
	if err != nil {
		return err
	}
	sh.exchanged = true

	return sh.book.keep(ctx, sh.site, func(s *site) {
		// Meanwhile another agent may have been connected, whose bearer this is not.
		if s.Agent != nil && s.Agent.Key == key {
			s.Agent.Bearer, s.Agent.Until = got.BearerToken, time.Unix(got.ExpiresAt, 0)
		}
	})
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

// helpCmd is --help for those who write it as a word.
type helpCmd struct {
	Command []string `arg:"" optional:"" help:"The command, such as case create. Default: an overview of all."`
}

// Run shows the help.
func (cmd *helpCmd) Run(sh *shell) error {
	return &exited{Run(sh.ctx, append(slices.Clone(cmd.Command), "--help"), sh.Terminal)}
}

// exited is the end of a command that ran another, which has told everything already.
type exited struct{ code int }

// Error is not shown.
func (e *exited) Error() string { return "" }

type versionCmd struct{}

// Run prints the version.
func (versionCmd) Run(sh *shell) error {
	return sh.printVersion()
}
