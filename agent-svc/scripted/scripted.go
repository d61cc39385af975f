// Package scripted is the agent-to-agent endpoint of agent-svc with a script in place of the agent. It is a package of
// its own so that no service has it.
package scripted

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/a2a"
	script "github.com/subrosa-legal/subrosa/agent-svc/internal/a2a/scripted"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

// Times of the endpoint, as the service has them.
const (
	beat = 3 * time.Second
	wait = 4 * time.Minute
)

// Serve serves the agent-to-agent protocol as the service does, but lets a script stand in for the agent, and every
// caller in for one agent: conformance kits send messages that no lawyer would, and have no credentials. It is for
// loopback addresses alone. stop ends what is played.
func Serve(
	table io.Reader,
	base string,
	now func() time.Time,
	log *slog.Logger,
) (handler http.Handler, stop func(), err error) {
	rules, err := script.Read(table)
	if err != nil {
		return nil, nil, err
	}
	tasks := &script.Tasks{Now: now}
	worker := &script.Worker{Script: rules, Tasks: tasks, Now: now}
	e := &a2a.Endpoint{
		Service: &a2a.Service{
			Work: worker, Tasks: tasks, Base: base, Beat: beat, Wait: wait, Look: 100 * time.Millisecond,
			Stops: func() bool { return false }, Now: now,
		},
		Owner:    func(context.Context) string { return "script" },
		Enter:    func(context.Context) (func(), error) { return func() {}, nil },
		Patience: time.Minute, Log: log,
	}
	mux := http.NewServeMux()
	mux.HandleFunc(api.A2APathRPC, e.ServeRPC)
	mux.HandleFunc(api.A2APathRPC+"/", e.ServeRPC)
	mux.Handle(api.A2APathREST+"/", http.StripPrefix(api.A2APathREST, http.HandlerFunc(e.ServeREST)))
	mux.HandleFunc("GET /.well-known/agent-card.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "public, max-age=60")
		_ = json.NewEncoder(w).Encode(api.NewA2ACard(base, base)) // a client that left needs no card
	})

	return mux, worker.Close, nil
}
