package httpx

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Check tells whether a service can do its work; it must answer within a few hundred milliseconds.
type Check func(context.Context) error

// ShutdownTime is how long requests under way may take to finish when a server stops, unless its settings say
// otherwise.
const ShutdownTime = 20 * time.Second

// WatchTime is how long a server lets pass between two looks at its checks, unless its settings say otherwise.
const WatchTime = time.Second

// strangersIdle is how long a connection from outside may be idle: longer than the 60 s after which load balancers give
// one up. The library keeps 12 KiB for as long of each connection of HTTP/2 that ends while a stream is open: closing
// the stream starts the timer anew that the end of the connection has just stopped. Services, whose callers give idle
// connections up after 90 s, wait for longer.
const strangersIdle = 75 * time.Second

// ServerConfig says how a service listens.
type ServerConfig struct {
	Addr         string       // host:port; port 0 takes a free one
	TLS          *tls.Config  // nil means plain HTTP, for inside only
	Handler      http.Handler // the service's routes
	InternalAddr string       // health and metrics; "" means none
	Metrics      http.Handler // answers /metrics; nil means none
	Profiles     bool         // answer /debug/pprof/ at InternalAddr
	Ready        map[string]Check
	Watch        time.Duration // between two looks at the checks, of which the log tells; 0 means WatchTime
	// Early makes the answers of what is refused before the Handler has it. With it, and TLS, requests are read
	// strictly: what two readers could take for different requests is refused. What is left of a refused body is read
	// after the answer, within bounds, so that its sender sees the answer, where the Handler asks for it by ReadOut.
	Early      Early
	DrainDelay time.Duration // served on after the signal, while load balancers take notice
	Shutdown   time.Duration // for requests under way; 0 means ShutdownTime
	Log        *slog.Logger
}

// Server serves one service's routes, and its health and metrics on a port of their own, until its context ends; then
// it drains: /readyz answers 503, requests go on being served for DrainDelay, nobody new is taken but those who have
// connected, streams are asked to end, requests under way finish, and what is left is cut off.
type Server struct {
	cfg                ServerConfig
	main, internal     *http.Server
	mainLn, internalLn net.Listener
	draining           atomic.Bool
	drained            sync.Once
	stop               chan struct{}
}

// Listen binds both addresses, so that a taken port is an error at start.
func Listen(cfg ServerConfig) (*Server, error) {
	if cfg.Shutdown == 0 {
		cfg.Shutdown = ShutdownTime
	}
	if cfg.Watch == 0 {
		cfg.Watch = WatchTime
	}
	s := &Server{cfg: cfg, stop: make(chan struct{})}
	s.main = &http.Server{
		Handler:           s.leaving(cfg.Handler),
		TLSConfig:         cfg.TLS,
		ReadHeaderTimeout: 5 * time.Second, // against clients that hold a connection with slow headers
		IdleTimeout:       120 * time.Second,
		MaxHeaderBytes:    2 * maxHead,
		ErrorLog:          slog.NewLogLogger(cfg.Log.Handler(), slog.LevelDebug),
	}
	if cfg.Early != nil {
		s.main.IdleTimeout = strangersIdle
		s.main.Handler = s.readingOut(s.main.Handler)
	}
	s.main.RegisterOnShutdown(func() { s.drained.Do(func() { close(s.stop) }) })
	main, err := net.Listen("tcp", cfg.Addr)
	if err != nil {
		return nil, err
	}
	// A listener of another kind, as tests use, has no deadlines to be patient with.
	s.mainLn = main
	if tcp, is := main.(*net.TCPListener); is {
		s.mainLn = newPatient(tcp)
	}
	if cfg.Early != nil {
		// That handler answers OPTIONS * without asking ours.
		s.main.DisableGeneralOptionsHandler = true
	}
	if cfg.InternalAddr == "" {
		return s, nil
	}
	s.internal = &http.Server{
		Handler:           s.health(),
		ReadHeaderTimeout: 5 * time.Second,
		IdleTimeout:       120 * time.Second,
		ErrorLog:          s.main.ErrorLog,
	}
	if s.internalLn, err = net.Listen("tcp", cfg.InternalAddr); err != nil {
		return nil, errors.Join(err, main.Close())
	}

	return s, nil
}

// leaving has callers give up their connections while the server drains, each after one more answer: what is sent on an
// idle connection at the moment it is closed would be lost, and a call that may not be repeated with it.
func (s *Server) leaving(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.draining.Load() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// Addr returns the address that the service's routes are served at.
func (s *Server) Addr() string { return s.mainLn.Addr().String() }

// InternalAddr returns the address of health and metrics, or "".
func (s *Server) InternalAddr() string {
	if s.internalLn == nil {
		return ""
	}

	return s.internalLn.Addr().String()
}

// Draining is closed when streams must end.
func (s *Server) Draining() <-chan struct{} { return s.stop }

// Serve serves until ctx ends and everything is drained. It returns nil after a clean stop.
func (s *Server) Serve(ctx context.Context) error {
	// Room for both servers: the second to end finds nobody who reads.
	failed, served := make(chan error, 2), make(chan struct{})
	go func() {
		defer close(served)
		if s.cfg.TLS != nil && s.cfg.Early != nil {
			failed <- s.main.Serve(strictly(s.mainLn, s.cfg.TLS, s.cfg.Early))
			return
		}
		if s.cfg.TLS != nil {
			failed <- s.main.ServeTLS(s.mainLn, "", "")
			return
		}
		failed <- s.main.Serve(s.mainLn)
	}()
	if s.internal != nil {
		go func() { failed <- s.internal.Serve(s.internalLn) }()
	}
	watching, stopWatching := context.WithCancel(ctx)
	var watched sync.WaitGroup
	watched.Go(func() { s.watch(watching) })

	defer func() { stopWatching(); watched.Wait() }()
	select {
	case err := <-failed:
		return errors.Join(err, s.close())
	case <-ctx.Done():
	}
	s.draining.Store(true)
	time.Sleep(s.cfg.DrainDelay) //nolint:forbidigo // endpoints are taken out of load balancers in real time
	// A server that shuts down drops whatever it reads from then on, so nobody may be under way to it any more.
	_ = s.mainLn.Close()
	<-served
	time.Sleep(settling) //nolint:forbidigo // likewise

	// ctx has ended, which is why we are here.
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.cfg.Shutdown)
	defer cancel()
	if err := s.main.Shutdown(stop); err != nil {
		s.cfg.Log.WarnContext(ctx, "requests were cut off at the end of draining", "err", err)
	}

	return s.close()
}

func (s *Server) close() error {
	s.drained.Do(func() { close(s.stop) })
	err := s.main.Close()
	if s.internal != nil {
		err = errors.Join(err, s.internal.Close())
	}

	return err
}

// Ready returns nil while the server is not draining and every check passes. Its error names the check and nothing
// else.
func (s *Server) Ready(ctx context.Context) error {
	if s.draining.Load() {
		return errors.New("draining")
	}

	for name, check := range s.cfg.Ready {
		if !passes(ctx, check) {
			// /readyz can be read by anybody inside. The cause is in the log and not in the answer.
			return errors.New(name + " is not ready")
		}
	}

	return nil
}

func passes(ctx context.Context, check Check) bool {
	within, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()

	return check(within) == nil
}

// watch has the log tell when a check begins to fail and when it passes again, once each, whether anybody asks for
// /readyz or not.
func (s *Server) watch(ctx context.Context) {
	tick := time.NewTicker(s.cfg.Watch)
	defer tick.Stop()
	away := map[string]bool{}

	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}

		for name, check := range s.cfg.Ready {
			passed := passes(ctx, check)
			// The check failed because the server stops.
			if ctx.Err() != nil {
				return
			}
			if passed != away[name] {
				continue
			}
			away[name] = !passed
			if passed {
				s.cfg.Log.InfoContext(ctx, "a dependency is ready again", "dependency", name)
			} else {
				s.cfg.Log.WarnContext(ctx, "a dependency is not ready", "dependency", name)
			}
		}
	}
}

// health answers /healthz for the process alone, /readyz for its checks, and /metrics.
func (s *Server) health() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { writeText(w, http.StatusOK, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if err := s.Ready(r.Context()); err != nil {
			writeText(w, http.StatusServiceUnavailable, err.Error())
			return
		}
		writeText(w, http.StatusOK, "ready")
	})
	if s.cfg.Metrics != nil {
		mux.Handle("GET /metrics", s.cfg.Metrics)
	}
	if s.cfg.Profiles {
		mountProfiles(mux)
	}

	return mux
}

func writeText(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(text + "\n"))
}
