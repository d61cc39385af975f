// Command fixtureserver serves the product's MCP handler chain with the tools, prompts and resources that the official
// conformance suite asks for, and with nobody to authenticate: the suite cannot send a credential. It is for tests on a
// loopback address only.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/mcp/protocol"
	"github.com/subrosa-legal/subrosa/pkg/access"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:8990", "loopback address to listen on")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := serve(ctx, *addr, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "fixtureserver:", err)
		os.Exit(1) //nolint:gocritic // the process ends either way
	}
}

var errNotLoopback = errors.New("the address must be one of the loopback interface")

// serve answers until ctx ends. It says on out where.
func serve(ctx context.Context, addr string, out io.Writer) error {
	host, _, err := net.SplitHostPort(addr)
	if ip := net.ParseIP(host); err != nil || ip == nil || !ip.IsLoopback() {
		return errNotLoopback
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler(), ReadHeaderTimeout: 5 * time.Second}
	fmt.Fprintf(out, "http://%s%s\n", listener.Addr(), protocol.Path)

	unlink := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer unlink()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}

	return nil
}

// handler is the product's chain: in the gateway's place stands its check of the host and the origin, in place of a
// grant one caller who may do everything.
func handler() http.Handler {
	endpoint := protocol.New(protocol.Config{
		Base:   "http://127.0.0.1",
		Log:    slog.New(slog.DiscardHandler),
		Adjust: forTheSuite,
	})
	work := &jobs{all: map[string]*job{}}
	endpoint.AddTasks(work, protocol.Tool{})
	all := tools(endpoint.Server())
	maps.Copy(all, work.tools())

	for name, do := range all {
		endpoint.Server().AddTool(&mcp.Tool{Name: name, Description: fixture, InputSchema: schemaOf(name)}, do)
	}
	addPrompts(endpoint.Server())
	addResources(endpoint.Server())
	caller := access.Caller{
		Kind:     access.OAuth,
		Tenant:   "u:fixture",
		UserID:   "fixture",
		ClientID: "suite",
		Scopes:   access.GrantScopes(),
	}
	mux := http.NewServeMux()
	mux.Handle(protocol.Path, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		endpoint.ServeHTTP(w, r.WithContext(access.WithCaller(r.Context(), caller, "")))
	}))

	return hostsOnly(http.NewCrossOriginProtection().Handler(mux))
}

// forTheSuite makes the server declare what the suite asks for beyond the product.
func forTheSuite(o *mcp.ServerOptions) {
	// The library adds whatever the fixtures need.
	o.Capabilities = &mcp.ServerCapabilities{}
	//nolint:staticcheck // the suite tests it while it lasts
	o.Capabilities.Logging = &mcp.LoggingCapabilities{}
	o.Capabilities.AddExtension(protocol.TasksExtension, nil)
	o.CompletionHandler = complete
	o.SubscribeHandler = func(context.Context, *mcp.SubscribeRequest) error { return nil }
	o.UnsubscribeHandler = func(context.Context, *mcp.UnsubscribeRequest) error { return nil }
}

// hostsOnly refuses requests that name another host than this one, which is how a page in a browser would get here by a
// name of its own.
func hostsOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, err := net.SplitHostPort(r.Host)
		if err != nil {
			host = r.Host
		}
		if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			http.Error(w, "this server answers on the loopback interface only", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}
