package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/subrosa-legal/subrosa/deploy/internal/localca"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

type connectCmd struct {
	CardURL string `name:"card-url" help:"${cardURL}" placeholder:"URL"`
	Serve   bool   `help:"Go on serving the sample agent's card after it is registered, until Ctrl-C."`
}

// Run gets a registration token, registers the agent and keeps its key.
func (cmd *connectCmd) Run(sh *shell) error {
	// Without an agent there is none to act, and one that is there may not connect another.
	if sh.root.As == "agent" {
		return &misuse{"only a person connects an agent: leave --as agent out"}
	}
	user, err := sh.person()
	if err != nil {
		return err
	}
	said := sh.Out
	if sh.root.JSON {
		// With --json standard output belongs to the answer alone.
		said = sh.Err
	}
	token, err := user.RegistrationToken(sh.ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(said, "1. Got a registration token, good for %d seconds and one use.\n", token.ExpiresInSeconds)
	kept := &agent{CardURL: cmd.CardURL}
	stop := func() {}
	if cmd.CardURL == "" {
		var sample *sampleAgent
		if sample, err = sh.serveSample(""); err != nil {
			return err
		}
		stop = sample.close
		kept.CardURL, kept.Addr = sample.cardURL, sample.addr
		fmt.Fprintf(said, "2. The sample agent serves its card at %s\n", kept.CardURL)
	} else {
		fmt.Fprintf(said, "2. Your agent's card is at %s\n", kept.CardURL)
	}
	defer stop()
	// Registration is open to anybody who has the token: no credential goes along.
	anyone, err := sh.client(nil)
	if err != nil {
		return err
	}
	registered, err := anyone.Register(sh.ctx, token.RegistrationToken, kept.CardURL)
	if err != nil {
		return err
	}
	kept.ID, kept.Key = registered.AgentID, registered.SharedAPIKey
	// The key is shown once. It is on disk before anything is said, since nobody can fetch it again.
	if err := sh.book.keep(sh.ctx, sh.site, func(s *site) { s.Agent = kept }); err != nil {
		return fmt.Errorf("the agent %s is connected, but its key could not be kept; disconnect it and try again: %w",
			registered.AgentID, err)
	}
	fmt.Fprintf(said, "3. Registered %q as %s (%s).\n4. Its API key was shown once and is kept in %s, "+
		"readable by you alone.\n", registered.Name, registered.AgentID, registered.Status, sh.book.path)
	if err := printConnected(sh, registered, kept.CardURL); err != nil {
		return err
	}
	if cmd.CardURL != "" || !cmd.Serve {
		if cmd.CardURL == "" {
			fmt.Fprintln(said, "   While the sample agent does not serve its card, its health is \"unhealthy\": "+
				"subrosa agent serve runs it again.")
		}

		return nil
	}

	return wait(sh)
}

// printConnected prints what the service answered, when JSON was asked for, without the key, which is kept in a file of
// the user's alone.
func printConnected(sh *shell, a api.RegisteredAgent, cardURL string) error {
	if !sh.root.JSON {
		return nil
	}
	whole, err := json.Marshal(map[string]string{
		"agent_id":       a.AgentID,
		"name":           a.Name,
		"status":         a.Status,
		"agent_card_url": cardURL,
	})
	if err != nil {
		return err
	}

	return printRaw(sh.Out, whole)
}

func wait(sh *shell) error {
	fmt.Fprintln(sh.Out, "Serving the card until Ctrl-C; the agent stays connected after that.")
	<-sh.ctx.Done()

	return nil
}

// sampleAgent serves a card over HTTPS, as every agent must.
type sampleAgent struct {
	cardURL, addr string
	close         func()
}

// serveSample serves the card at addr, or at a free port of this machine.
func (sh *shell) serveSample(addr string) (*sampleAgent, error) {
	dir := filepath.Join(sh.Terminal.Config, "sample-agent")
	cert, key, err := sh.localLeaf(dir)
	if err != nil {
		return nil, err
	}
	if addr == "" {
		addr = "127.0.0.1:0"
	}
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("the sample agent cannot listen: %w", err)
	}
	base := "https://" + ln.Addr().String()
	card, err := json.Marshal(map[string]any{
		"name":        "Sample agent",
		"description": "Shows how an agent registers, exchanges its key and works on cases by label.",
		"url":         base,
		"protocols":   []string{"a2a/1.0"},
	})
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/agent.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		// The registry asks with If-None-Match before it reads a card again.
		w.Header().Set("ETag", `"sample-1"`)
		_, _ = w.Write(card)
	})

	// Without a time for headers a slow client would hold its connection for ever.
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = server.ServeTLS(ln, cert, key) }()

	return &sampleAgent{
		cardURL: base + "/.well-known/agent.json",
		addr:    ln.Addr().String(),
		close:   func() { _ = server.Close() },
	}, nil
}

// localLeaf makes a certificate of the local CA in dir.
func (sh *shell) localLeaf(dir string) (cert, key string, err error) {
	if sh.site.CAFile == "" {
		return "", "", errors.New("only a local Subrosa has an authority that can vouch for this machine; " +
			"give your own agent's card with --card-url")
	}
	caDir := filepath.Dir(sh.site.CAFile)
	// localca.Open would make a new authority where it finds none, and nobody trusts that one.
	if _, err := os.Stat(filepath.Join(caDir, "ca-key.pem")); err != nil {
		return "", "", fmt.Errorf("the local authority's key is not in %s", caDir)
	}
	ca, err := localca.Open(caDir, sh.Now)
	if err != nil {
		return "", "", err
	}
	// A private key goes into the folder.
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", "", fmt.Errorf("make folder for the certificate: %w", err)
	}
	cert, key = filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")

	return cert, key, ca.Leaf(cert, key)
}

type agentCmd struct {
	Status     agentStatusCmd     `cmd:"" help:"Show the connected agent and whether it is healthy."`
	Serve      agentServeCmd      `cmd:"" help:"Serve the sample agent's card again."`
	Disconnect agentDisconnectCmd `cmd:"" help:"Disconnect the agent: its key and every bearer end at once."`
}

type agentStatusCmd struct{}

// Run shows the agent.
func (agentStatusCmd) Run(sh *shell) error {
	c, err := sh.person()
	if err != nil {
		return err
	}
	found, err := call[api.Agent](sh, c, get("v1", "agents", "me"))
	if err != nil {
		return noAgent(err)
	}
	health := "healthy"
	if err := c.Health(sh.ctx, found.v.AgentID); err != nil {
		health = "unhealthy: its card cannot be fetched or is not valid; if it is the sample agent, run " +
			"subrosa agent serve"
	}

	// The look at its health may have found another card.
	me := get("v1", "agents", "me")
	if found, err = call[api.Agent](sh, c, me); err != nil {
		return noAgent(err)
	}

	return show(sh, found, func(w io.Writer, a api.Agent) {
		used, changed := "never", ""
		if a.CardChangedAt != nil {
			changed = "\nchanged    " + a.CardChangedAt.Local().Format(time.DateTime) +
				": the card differs from what was registered, which stays in force"
		}
		if a.LastUsedAt != nil {
			used = a.LastUsedAt.Local().Format(time.DateTime)
		}
		fmt.Fprintf(w, "agent      %s\nname       %s\nstatus     %s\nhealth     %s\ncard       %s\nsignature  %s%s\n"+
			"connected  %s\nlast used  %s\n",
			a.AgentID, a.Name, a.Status, health, a.AgentCardURL, a.CardSignature, changed,
			a.ConnectedAt.Local().Format(time.DateTime), used)
	})
}

type agentServeCmd struct {
	Addr string `help:"Address to serve at. Default: where the connected sample agent was registered." placeholder:"HOST:PORT"`
}

// Run serves the sample agent's card.
func (cmd *agentServeCmd) Run(sh *shell) error {
	if err := sh.open(); err != nil {
		return err
	}
	if cmd.Addr == "" && (sh.site.Agent == nil || sh.site.Agent.Addr == "") {
		return errors.New("no sample agent was connected from here: run subrosa connect, or say where to serve " +
			"with --addr")
	}
	if cmd.Addr == "" {
		cmd.Addr = sh.site.Agent.Addr
	}
	sample, err := sh.serveSample(cmd.Addr)
	if err != nil {
		return err
	}
	defer sample.close()
	fmt.Fprintln(sh.Out, "The sample agent's card is at", sample.cardURL)

	return wait(sh)
}

type agentDisconnectCmd struct{}

// Run disconnects the agent.
func (agentDisconnectCmd) Run(sh *shell) error {
	c, err := sh.person()
	if err != nil {
		return err
	}
	a, err := c.Agent(sh.ctx)
	if err != nil {
		return noAgent(err)
	}
	if err := c.Disconnect(sh.ctx, a.AgentID); err != nil {
		return err
	}
	forget := func(s *site) {
		if s.Agent != nil && s.Agent.ID == a.AgentID {
			s.Agent = nil
		}
	}
	if err := sh.book.keep(sh.ctx, sh.site, forget); err != nil {
		return err
	}
	if sh.root.JSON {
		// The service answers with no body, and JSON has nothing to say in its place.
		return nil
	}
	fmt.Fprintf(sh.Out, "Disconnected %s. Its key and every bearer have ended; connect another agent with "+
		"subrosa connect\n", a.AgentID)

	return nil
}

// noAgent says what to do where there is no agent.
func noAgent(err error) error {
	if errors.Is(err, errs.ErrNotFound) {
		return errors.New("you have no agent connected: run subrosa connect")
	}

	return err
}
