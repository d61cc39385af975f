package clientdoc

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/subrosa-legal/subrosa/auth-svc/internal/oauth"
	"github.com/subrosa-legal/subrosa/pkg/egress"
	"github.com/subrosa-legal/subrosa/pkg/strictjson"
)

// Bounds of a set of keys at an address of its own.
const (
	maxKeySet = 16 << 10 // bytes
	mostKeys  = 20
	// betweenLooks is how long after a fetch for a key that is not among those that are remembered there is no other:
	// short, since names that somebody makes up keep a new key of the client unknown for as long.
	betweenLooks = time.Minute
)

// keySet is what a set of keys is remembered under, so that it never passes for the document at its address.
const keySet = "keys "

// Keys returns the public keys at an address that a document names. As with documents, whatever is wrong is one and the
// same error. Keys whose life has passed do not stand in: one of them may have been taken back.
func (f *Fetcher) Keys(ctx context.Context, address, kid, from string) (string, error) {
	u, err := f.cfg.Guard.Parse(address)
	if err != nil {
		return "", oauth.ErrUnknownClient
	}
	kept, err := f.cfg.Cache.Document(ctx, keySet+address)
	if err != nil && !errors.Is(err, oauth.ErrNoClient) {
		return "", err
	}

	switch known := err == nil; {
	case !known:
		return f.keys(ctx, address, f.strangers(u, from))
	case !kept.Fresh:
		return f.keys(ctx, address, []account{{"document " + keySet + address, perKnown}})
	case holds(kept.Client.Keys, kid):
		return kept.Client.Keys, nil
	}
	// The client may have a new key. Whoever makes names up learns no more than that there is none of that name.
	looked := "rotation " + address
	if recent, err := f.cfg.Cache.Failed(ctx, looked); recent != NoFailure || err != nil {
		return kept.Client.Keys, err
	}
	if err := f.cfg.Cache.Fail(ctx, looked, Unreadable, betweenLooks); err != nil {
		return "", err
	}
	fresh, err := f.keys(ctx, address, nil)
	if errors.Is(err, errBusy) || errors.Is(err, oauth.ErrUnknownClient) {
		return kept.Client.Keys, nil
	}

	return fresh, err
}

// keys fetches a set, unless that failed a moment ago or has happened too often.
func (f *Fetcher) keys(ctx context.Context, address string, accounts []account) (string, error) {
	name := keySet + address

	down, err := f.cfg.Cache.Failed(ctx, name)
	if err != nil {
		return "", err
	}
	if down != NoFailure {
		return "", oauth.ErrUnknownClient
	}
	leave, err := f.enter(ctx, accounts)
	if err != nil {
		return "", err
	}
	defer leave()

	fetching, cancel := context.WithTimeout(ctx, total)
	defer cancel()
	body, life, err := f.read(fetching, address, maxKeySet)
	keys := ""
	if err == nil {
		keys, err = readKeys(body)
	}

	switch {
	case err == nil:
		return keys, f.cfg.Cache.Remember(ctx, oauth.Client{ID: name, Keys: keys}, life, 0)
	case ctx.Err() != nil:
		return "", oauth.ErrUnknownClient // the caller left, which says nothing of the keys
	}
	f.cfg.Log.InfoContext(ctx, "a client's keys could not be taken", "cause", egress.Cause(fetching, err))
	if err := f.cfg.Cache.Fail(ctx, name, Unreadable, failed); err != nil {
		return "", err
	}

	return "", oauth.ErrUnknownClient
}

// readKeys reads a set of public keys.
func readKeys(body []byte) (string, error) {
	keys, ok := oauth.PublicKeys(body, strictjson.DecodeStranger)
	if !ok || keys == "" || len(keysIn(keys)) > mostKeys {
		return "", egress.BadAnswer("no set of up to 20 public keys")
	}

	return keys, nil
}

// holds reports whether a set has a key of that name. A proof that names none may be by any of them.
func holds(keys, kid string) bool {
	return kid == "" || slices.ContainsFunc(keysIn(keys), func(k jose.JSONWebKey) bool { return k.KeyID == kid })
}

func keysIn(keys string) []jose.JSONWebKey {
	var set jose.JSONWebKeySet
	if json.Unmarshal([]byte(keys), &set) != nil {
		return nil
	}

	return set.Keys
}
