package edge_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/subrosa-legal/subrosa/gateway/internal/edge"
	"github.com/subrosa-legal/subrosa/pkg/access"
)

// published is a key set that takes a second to fetch.
type published struct {
	mu      sync.Mutex
	set     jose.JSONWebKeySet
	fetched int
}

func (p *published) add(t *testing.T, kid string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.set.Keys = append(p.set.Keys, jose.JSONWebKey{Key: &key.PublicKey, KeyID: kid, Use: "sig", Algorithm: "ES256"})
}

func (p *published) KeySet(context.Context) ([]byte, error) {
	time.Sleep(time.Second) //nolint:forbidigo // the bubble's clock
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fetched++

	return json.Marshal(p.set)
}

// Two requests whose tokens a new key has signed are both taken: the second waits for the fetch that the first began.
// Unknown keys cause no more than one fetch in five seconds.
func TestWhoAsksForANewKeyWaitsForTheFetchUnderWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		source := &published{}
		source.add(t, "old")
		keys := edge.NewKeys(source, time.Now)
		ask := func(kid string, want error) {
			t.Helper()
			if key, err := keys.Key(t.Context(), kid); !errors.Is(err, want) || (key == nil) == (want == nil) {
				t.Errorf("the key %q: %v, want %v", kid, err, want)
			}
		}
		ask("old", nil)
		source.add(t, "new")
		time.Sleep(6 * time.Second) //nolint:forbidigo // likewise

		var asking sync.WaitGroup
		for _, kid := range []string{"new", "new", "unknown", "old"} {
			asking.Go(func() {
				want := error(nil)
				if kid == "unknown" {
					want = access.ErrUnauthenticated
				}
				ask(kid, want)
			})
		}
		asking.Wait()
		ask("unknown", access.ErrUnauthenticated)
		if source.fetched != 2 {
			t.Errorf("the set was fetched %d times, want twice", source.fetched)
		}
	})
}
