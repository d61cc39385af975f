// Package clientdoc fetches the documents in which applications describe themselves at an address of their own, and
// remembers them for as long as their hosts allow. It keeps strangers from having us fetch without end, and from using
// that up for others: what was good once stays good for a while when it cannot be fetched anew.
package clientdoc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/subrosa-legal/subrosa/auth-svc/internal/oauth"
	"github.com/subrosa-legal/subrosa/pkg/egress"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/strictjson"
)

// Bounds of a fetch and of what is remembered.
const (
	maxBody  = 5 << 10 // bytes
	total    = 5 * time.Second
	shortest = 5 * time.Minute
	longest  = 24 * time.Hour
	stale    = 7 * 24 * time.Hour // that a document is good for beyond its life, while it cannot be fetched
	failed   = time.Minute        // that a failure is remembered
	perKnown = 20                 // fetches within an hour of one address that gave a good document before
)

// Kept is a document that is remembered.
type Kept struct {
	Client oauth.Client
	Fresh  bool // its life has not passed
}

// Failure says why a document could not be taken.
type Failure int

// The failures.
const (
	NoFailure  Failure = iota
	Unreadable         // it could not be fetched, or is no document of a client
	Gone               // its host says that it has none
)

// Cache remembers documents and counts fetches.
type Cache interface {
	// Document returns what is remembered of the document at address, or oauth.ErrNoClient.
	Document(ctx context.Context, address string) (Kept, error)
	// Remember keeps a document that is fresh for life, and for a time of rest after that.
	Remember(ctx context.Context, c oauth.Client, life, rest time.Duration) error
	// Forget drops what is remembered of the document at address.
	Forget(ctx context.Context, address string) error
	// Fail notes for a time why the document at address could not be taken.
	Fail(ctx context.Context, address string, why Failure, rest time.Duration) error
	// Failed returns what is noted, NoFailure for nothing.
	Failed(ctx context.Context, address string) (Failure, error)
	// Spend counts a fetch on the account what within an hour, and returns how many it has now.
	Spend(ctx context.Context, what string) (int, error)
}

// Config says how documents are fetched.
type Config struct {
	Guard     *egress.Guard
	Cache     Cache
	AtOnce    int // fetches at a time; a further one is refused
	PerCaller int // fetches within an hour that one address may cause, of documents that are not known
	PerHost   int // fetches within an hour from one host, likewise
	Log       *slog.Logger
}

// Fetcher implements oauth.Documents. It is safe for concurrent use.
type Fetcher struct {
	cfg    Config
	places chan struct{}
}

// New returns a fetcher.
func New(cfg Config) *Fetcher {
	return &Fetcher{cfg: cfg, places: make(chan struct{}, cfg.AtOnce)}
}

var errBusy = errs.New(
	errs.Unavailable,
	"too_many_fetches",
	"Too many descriptions of applications were asked for. Go back to the application and try again later.",
).WithRetryAfter(time.Minute)

// errGone is a host's word that it has no such document any more.
var errGone = egress.BadAnswer("the host has no such document")

// Fetch returns the client that the document at address describes. Whatever is wrong with the address or the answer is
// one and the same error, so that nobody can use it to look around; the cause goes to the log. A document that was good
// within the last week stands in when it cannot be fetched anew, unless its host says that it is gone.
func (f *Fetcher) Fetch(ctx context.Context, address, from string) (oauth.Client, error) {
	u, err := f.cfg.Guard.Parse(address)
	if err != nil {
		return oauth.Client{}, oauth.ErrUnknownClient
	}
	kept, err := f.cfg.Cache.Document(ctx, address)
	known := err == nil
	if err != nil && !errors.Is(err, oauth.ErrNoClient) || kept.Fresh {
		return kept.Client, err
	}
	c, err := f.anew(ctx, u, address, from, known)
	if known && (errors.Is(err, errBusy) || errors.Is(err, oauth.ErrUnknownClient) && !errors.Is(err, errGone)) {
		return kept.Client, nil
	}

	switch {
	case errors.Is(err, errGone):
		err = oauth.ErrDocumentGone
	case errors.Is(err, oauth.ErrUnknownClient):
		err = oauth.ErrUnknownClient
	}

	return c, err
}

// anew fetches a document, unless that failed a moment ago or has happened too often.
func (f *Fetcher) anew(ctx context.Context, u *url.URL, address, from string, known bool) (oauth.Client, error) {
	before, err := f.cfg.Cache.Failed(ctx, address)
	if err != nil {
		return oauth.Client{}, err
	}

	switch before {
	case NoFailure:
	case Gone: // for whoever asks within the minute, too
		return oauth.Client{}, fmt.Errorf("%w: %w", oauth.ErrUnknownClient, errGone)
	default:
		return oauth.Client{}, oauth.ErrUnknownClient
	}

	accounts := f.strangers(u, from)
	if known {
		accounts = []account{{"document " + address, perKnown}}
	}
	leave, err := f.enter(ctx, accounts)
	if err != nil {
		return oauth.Client{}, err
	}
	defer leave()

	fetching, cancel := context.WithTimeout(ctx, total)
	defer cancel()

	c, life, err := f.get(fetching, address)
	switch {
	case err == nil:
		return c, f.cfg.Cache.Remember(ctx, c, life, stale)
	case ctx.Err() != nil:
		return oauth.Client{}, oauth.ErrUnknownClient // the caller left, which says nothing of the document
	}
	f.cfg.Log.InfoContext(ctx, "a client's document could not be taken", "cause", egress.Cause(fetching, err))
	why := Unreadable
	if errors.Is(err, errGone) {
		why = Gone
	}
	noted := f.cfg.Cache.Fail(ctx, address, why, failed)
	if known && why == Gone {
		noted = errors.Join(noted, f.cfg.Cache.Forget(ctx, address))
	}
	if noted != nil {
		return oauth.Client{}, noted
	}

	return oauth.Client{}, fmt.Errorf("%w: %w", oauth.ErrUnknownClient, err)
}

// account is a count of fetches and its bound within an hour.
type account struct {
	name string
	most int
}

// strangers are the accounts of a fetch from a host that has given nothing good yet.
func (f *Fetcher) strangers(u *url.URL, from string) []account {
	return []account{{"caller " + from, f.cfg.PerCaller}, {"host " + strings.ToLower(u.Host), f.cfg.PerHost}}
}

// enter counts a fetch on accounts and takes a place for it, or returns errBusy.
func (f *Fetcher) enter(ctx context.Context, accounts []account) (leave func(), err error) {
	if err := f.spend(ctx, accounts); err != nil {
		return nil, err
	}

	select {
	case f.places <- struct{}{}:
		return func() { <-f.places }, nil
	default:
		return nil, errBusy
	}
}

func (f *Fetcher) spend(ctx context.Context, accounts []account) error {
	for _, account := range accounts {
		if account.name == "caller " {
			continue // nobody said who it was; the limit of the host holds
		}
		n, err := f.cfg.Cache.Spend(ctx, account.name)
		if err != nil {
			return err
		}
		if n > account.most {
			return errBusy
		}
	}

	return nil
}

func (f *Fetcher) get(ctx context.Context, address string) (oauth.Client, time.Duration, error) {
	body, life, err := f.read(ctx, address, maxBody)
	if err != nil {
		return oauth.Client{}, 0, err
	}
	c, err := Parse(address, body)

	return c, life, err
}

// read returns what is at an address, JSON of at most limit bytes, and for how long it may be remembered.
func (f *Fetcher) read(ctx context.Context, address string, limit int) ([]byte, time.Duration, error) {
	client, release := f.cfg.Guard.Client()
	defer release()

	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, 0, fmt.Errorf("%w: %w", egress.ErrForm, err)
	}
	req.Header.Set("Accept", "application/json")
	req.Header.Set("User-Agent", "subrosa-client/1")
	resp, err := client.Do(req)
	if err != nil {
		return nil, 0, err
	}

	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusGone {
		return nil, 0, errGone
	}
	if resp.StatusCode != http.StatusOK { // redirects too
		return nil, 0, egress.BadAnswer("status " + http.StatusText(resp.StatusCode))
	}
	body, err := egress.ReadJSON(resp, limit)

	return body, Life(resp.Header.Get("Cache-Control")), err
}

// document is what of a client's document is looked at.
type document struct {
	ID        string   `json:"client_id"`
	Name      string   `json:"client_name"`
	Redirects []string `json:"redirect_uris"`
	Grants    []string `json:"grant_types"`
	Responses []string `json:"response_types"`
	Method    string   `json:"token_endpoint_auth_method"`
	Secret    any      `json:"client_secret"`

	Keys   json.RawMessage `json:"jwks"`
	KeysAt string          `json:"jwks_uri"`
}

// Parse reads the document that was found at address. It must name that address as its client, and be one of a public
// client.
func Parse(address string, body []byte) (oauth.Client, error) {
	var d document
	if strictjson.DecodeStranger(body, &d) != nil {
		return oauth.Client{}, egress.BadAnswer("not a JSON object of the right form")
	}

	switch {
	case d.ID != address:
		return oauth.Client{}, egress.BadAnswer("describes another client")
	case strings.HasPrefix(d.Method, "client_secret") || d.Secret != nil:
		return oauth.Client{}, egress.BadAnswer("describes a client with a secret")
	case d.KeysAt != "" && len(d.Keys) > 0 && string(d.Keys) != "null":
		return oauth.Client{}, egress.BadAnswer("has keys and the address of keys")
	case d.KeysAt != "" && !oauth.IsDocument(d.KeysAt):
		return oauth.Client{}, egress.BadAnswer("has its keys at no address that we read")
	}
	keys, ok := oauth.PublicKeys(d.Keys, strictjson.DecodeStranger)
	if !ok {
		return oauth.Client{}, egress.BadAnswer("has keys that cannot be read or are not public")
	}
	c, err := oauth.NewDocumentClient(address, oauth.Described{
		Name:      d.Name,
		Redirects: d.Redirects,
		Grants:    d.Grants,
		Responses: d.Responses,
		Keys:      keys,
		KeysAt:    d.KeysAt,
	})
	if err != nil {
		return oauth.Client{}, egress.BadAnswer("describes no client that we take: " + err.Error())
	}

	return c, nil
}

// Life returns how long an answer with this Cache-Control is remembered: five minutes at least, so that nobody can have
// us fetch all the time, and a day at most.
func Life(control string) time.Duration {
	life := shortest

	for directive := range strings.SplitSeq(strings.ToLower(control), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(directive), "=")
		switch name {
		case "no-store", "no-cache", "private":
			return shortest
		case "max-age":
			seconds, err := strconv.ParseUint(strings.Trim(value, `"`), 10, 31)
			if err == nil {
				life = min(max(time.Duration(seconds)*time.Second, shortest), longest)
			}
		}
	}

	return life
}
