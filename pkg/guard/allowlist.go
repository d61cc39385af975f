package guard

import (
	"context"
	"sync"
	"time"
)

const (
	wordsFor    = 5 * time.Second // that words are known: so long a change of them takes to be seen everywhere
	wordsWait   = 2 * time.Second // for their source
	mostTenants = 1000            // whose words are known at once
)

// AllowList knows the allowed words of tenants. It asks for them when there is something to clear, and remembers them
// for five seconds.
type AllowList struct {
	// Tenant returns the tenant that ctx acts for, or "".
	Tenant func(ctx context.Context) string

	// Read returns the allowed words of the tenant that ctx acts for.
	Read func(ctx context.Context, tenant string) ([]string, error)
	Now  func() time.Time

	mu    sync.Mutex
	known map[string]knownWords
}

type knownWords struct {
	words Lexicon
	until time.Time
}

// Of returns the words of the tenant of ctx. Nothing is allowed without a tenant, or when the source fails.
func (l *AllowList) Of(ctx context.Context) Lexicon {
	tenant := l.Tenant(ctx)
	if tenant == "" {
		return nil
	}
	if k, ok := l.recall(tenant); ok {
		return k
	}

	ctx, cancel := context.WithTimeout(ctx, wordsWait)
	defer cancel()
	// The time before the question: a change while the answer is on its way is seen within the same bound.
	asked := l.Now()
	list, err := l.Read(ctx, tenant)
	// A failure is not remembered, and allows nothing: a word too many is refused rather than one too few.
	if err != nil {
		return nil
	}
	words := NewLexicon(list)
	l.keep(tenant, knownWords{words, asked.Add(wordsFor)})

	return words
}

func (l *AllowList) recall(tenant string) (Lexicon, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	k, ok := l.known[tenant]

	return k.words, ok && l.Now().Before(k.until)
}

func (l *AllowList) keep(tenant string, k knownWords) {
	l.mu.Lock()
	defer l.mu.Unlock()
	// Starting anew bounds the memory, and costs each tenant one question.
	if l.known == nil || len(l.known) >= mostTenants {
		l.known = map[string]knownWords{}
	}
	l.known[tenant] = k
}

// Gate returns the rules of the guard without what tenants have cleared.
func (l *AllowList) Gate() Gate { return Allowing{Gate: New(), Words: l.Of} }
