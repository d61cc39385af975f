// Package cardfetch fetches the cards of external agents through the guard of pkg/egress.
package cardfetch

import (
	"context"
	"crypto/x509"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/egress"
	"github.com/subrosa-legal/subrosa/registry-svc/internal/agents"
)

// Bounds of a fetch.
const (
	maxBody = 64 << 10 // bytes
	maxHops = 3        // redirects followed
	maxETag = 256      // bytes; a longer one is not kept
)

// Config says how cards are fetched.
type Config struct {
	Total    time.Duration  // for everything: names, every hop, the body
	AtOnce   int            // fetches at a time; a further one is refused
	Deny     []netip.Prefix // further addresses that are never dialled: pods, services, own egress
	Dev      []egress.Peer  // admitted in development only
	Roots    *x509.CertPool // nil means the system's
	Resolver *net.Resolver  // nil means the system's
	Keys     Keys           // whose signatures are believed
	Log      *slog.Logger
}

// Fetcher fetches cards. It is safe for concurrent use.
type Fetcher struct {
	cfg    Config
	places chan struct{}
	guard  *egress.Guard
}

// New returns a fetcher.
func New(cfg Config) *Fetcher {
	guard := egress.New(egress.Config{
		Deny:     cfg.Deny,
		Dev:      cfg.Dev,
		Roots:    cfg.Roots,
		Resolver: cfg.Resolver,
		Log:      cfg.Log,
	})

	return &Fetcher{cfg: cfg, places: make(chan struct{}, cfg.AtOnce), guard: guard}
}

// Valid reports whether rawURL has the form of a card's address.
func (f *Fetcher) Valid(rawURL string) error {
	if _, err := f.guard.Parse(rawURL); err != nil {
		return agents.ErrCardURL
	}

	return nil
}

// Fetch returns the card at rawURL, or that it is unchanged since etag. Whatever goes wrong before the content is one
// and the same error, so that nobody can use it to look around; the cause goes to the log.
func (f *Fetcher) Fetch(ctx context.Context, rawURL, etag string) (agents.Card, bool, error) {
	select {
	case f.places <- struct{}{}:
		defer func() { <-f.places }()
	default:
		return agents.Card{}, false, agents.ErrFetcherBusy
	}

	ctx, cancel := context.WithTimeout(ctx, f.cfg.Total)
	defer cancel()
	got, err := f.follow(ctx, rawURL, etag)
	if err != nil {
		if errors.Is(err, agents.ErrCardURL) {
			return agents.Card{}, false, err
		}
		f.cfg.Log.InfoContext(ctx, "a card could not be fetched", "cause", egress.Cause(ctx, err))

		return agents.Card{}, false, agents.ErrUnreachable
	}
	if got.unchanged {
		return agents.Card{}, true, nil
	}
	card, err := f.read(got)

	return card, false, err
}

type fetched struct {
	body      []byte
	etag      string
	unchanged bool
}

// follow fetches rawURL and at most three redirects. Each hop is parsed and guarded like the first one, inside the same
// deadline.
func (f *Fetcher) follow(ctx context.Context, rawURL, etag string) (fetched, error) {
	for hop := 0; ; hop++ {
		u, err := f.guard.Parse(rawURL)
		if err != nil {
			if hop > 0 {
				return fetched{}, egress.ErrDenied
			}

			return fetched{}, agents.ErrCardURL
		}
		if hop > 0 {
			etag = "" // a tag belongs to the address it came from
		}
		got, next, err := f.once(ctx, u, etag)
		if err != nil || next == "" {
			return got, err
		}
		if hop == maxHops {
			return fetched{}, egress.BadAnswer("too many redirects")
		}
		rawURL = next
	}
}

func (f *Fetcher) once(ctx context.Context, u *url.URL, etag string) (fetched, string, error) {
	client, release := f.guard.Client()
	defer release()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
	if err != nil {
		return fetched{}, "", agents.ErrCardURL
	}
	req.Header.Set("Accept", "application/json, application/a2a+json")
	req.Header.Set("User-Agent", "subrosa-card/1")
	if etag != "" {
		req.Header.Set("If-None-Match", etag)
	}
	resp, err := client.Do(req)
	if err != nil {
		return fetched{}, "", err
	}

	defer func() { _ = resp.Body.Close() }()

	switch resp.StatusCode {
	case http.StatusOK:
		body, err := egress.ReadJSON(resp, maxBody)
		return fetched{body: body, etag: keptTag(resp.Header.Get("ETag"))}, "", err
	case http.StatusNotModified:
		if etag == "" {
			return fetched{}, "", egress.BadAnswer("not modified without our asking")
		}

		return fetched{unchanged: true}, "", nil
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		next, err := u.Parse(resp.Header.Get("Location"))
		if err != nil || resp.Header.Get("Location") == "" {
			return fetched{}, "", egress.BadAnswer("redirect without an address")
		}

		return fetched{}, next.String(), nil
	}

	return fetched{}, "", egress.BadAnswer("status " + http.StatusText(resp.StatusCode))
}

func keptTag(tag string) string {
	if len(tag) > maxETag {
		return ""
	}

	return tag
}
