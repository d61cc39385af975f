package screen

import (
	"context"
	"sync"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/guard"
)

const (
	wordsFor    = 5 * time.Second // that words are known: so long a change of them takes to be seen everywhere
	wordsWait   = 2 * time.Second // for their source
	mostTenants = 1000            // whose words are known at once
)

// Words are the allowed words of tenants, asked for when there is something to clear and known for a moment then.
type Words struct {
	// Read returns the allowed words of the tenant that ctx acts for.
	Read func(ctx context.Context, tenant string) ([]string, error)
	Now  func() time.Time

	mu    sync.Mutex
	known map[string]known
}

type known struct {
	words guard.Lexicon
	until time.Time
}

// Of returns the words of the tenant of ctx. Nothing is allowed for nobody, nor when the source fails.
func (w *Words) Of(ctx context.Context) guard.Lexicon {
	tenant := authn.TenantOf(ctx)
	if tenant == "" {
		return nil
	}
	if k, ok := w.recall(tenant); ok {
		return k
	}

	ctx, cancel := context.WithTimeout(ctx, wordsWait)
	defer cancel()
	asked := w.Now()
	list, err := w.Read(ctx, tenant)
	if err != nil {
		return nil
	}
	words := guard.NewLexicon(list)
	w.keep(tenant, known{words, asked.Add(wordsFor)})

	return words
}

func (w *Words) recall(tenant string) (guard.Lexicon, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	k, ok := w.known[tenant]

	return k.words, ok && w.Now().Before(k.until)
}

func (w *Words) keep(tenant string, k known) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.known == nil || len(w.known) >= mostTenants {
		w.known = map[string]known{}
	}
	w.known[tenant] = k
}

// Gate returns the rules of the guard without what tenants have cleared.
func (w *Words) Gate() guard.Gate { return guard.Allowing{Gate: guard.New(), Words: w.Of} }
