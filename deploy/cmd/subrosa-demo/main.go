// Command subrosa-demo plays the whole story against the local service that runs in this folder, or against a fresh one
// that it starts for the purpose. It ends with 1 if any step fails.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/subrosa-legal/subrosa/deploy/internal/demo"
	"github.com/subrosa-legal/subrosa/deploy/internal/devidp"
	"github.com/subrosa-legal/subrosa/deploy/internal/local"
	"github.com/subrosa-legal/subrosa/pkg/config"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	if len(os.Args) > 1 {
		fmt.Fprintln(os.Stderr, "subrosa-demo takes no arguments. It plays the story of the README against the "+
			"service of .local, or a fresh one.")
		os.Exit(2)
	}
	if err := run(ctx, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "\nsubrosa-demo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, out io.Writer) (err error) {
	scratch, err := os.MkdirTemp("", "subrosa-demo-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	folder, facts, ok := running(ctx)
	if !ok {
		fmt.Fprintln(out, "No local service is running; starting a fresh one for this demonstration.")
		var l *local.Local
		if l, err = fresh(ctx, scratch); err != nil {
			return err
		}

		defer func() { err = errors.Join(err, l.Close()) }()
		folder, facts = scratch, l.Facts
	}
	browser, err := trusting(facts.CAFile)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "Playing against %s\n", facts.BaseURL)
	story := demo.Story{
		Out:     out,
		Site:    facts.BaseURL,
		Folder:  folder,
		Config:  filepath.Join(scratch, "config"),
		Samples: "deploy/samples",
		Person:  devidp.People()[1],
		Browser: browser,
		Now:     time.Now,
	}

	return story.Play(ctx)
}

// running finds the local service of this folder, if it answers.
func running(ctx context.Context) (folder string, facts local.Facts, ok bool) {
	text, err := os.ReadFile(filepath.Join(".local", local.FactsFile))
	if err != nil || json.Unmarshal(text, &facts) != nil {
		return "", facts, false
	}
	client, err := trusting(facts.CAFile)
	if err != nil {
		return "", facts, false
	}

	// A file that an old installation left must not hold up the demonstration.
	within, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(within, http.MethodGet, facts.BaseURL+"/.well-known/agent.json", nil)
	if err != nil {
		return "", facts, false
	}
	resp, err := client.Do(req)
	if err != nil {
		return "", facts, false
	}
	_ = resp.Body.Close()
	folder, err = os.Getwd()

	return folder, facts, err == nil && resp.StatusCode == http.StatusOK
}

func trusting(caFile string) (*http.Client, error) {
	pem, err := os.ReadFile(caFile)
	roots := x509.NewCertPool()
	if err != nil || !roots.AppendCertsFromPEM(pem) {
		return nil, errors.New("the local authority's certificate cannot be read")
	}

	return &http.Client{
		Timeout:   30 * time.Second,
		Transport: &http.Transport{TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12, RootCAs: roots}},
	}, nil
}

func fresh(ctx context.Context, scratch string) (*local.Local, error) {
	addr, err := freeAddr()
	if err != nil {
		return nil, err
	}
	oidc, err := freeAddr()
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(scratch, "subrosa.log"))
	if err != nil {
		return nil, err
	}

	starting, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()

	return local.Start(starting, local.Options{
		Dir:      filepath.Join(scratch, ".local"),
		Addr:     addr,
		OIDCAddr: oidc,
		Stores:   filepath.Join(filepath.Dir(self), "subrosa-stores"),
		Environ:  config.Environ(os.Environ()),
		Log:      log,
		Level:    slog.LevelInfo,
		Now:      time.Now,
	})
}

// freeAddr finds a port that is free at the moment.
func freeAddr() (string, error) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer func() { _ = ln.Close() }()

	return ln.Addr().String(), nil
}
