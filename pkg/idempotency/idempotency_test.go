package idempotency_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/idempotency"
	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func TestACrashedRequestIsTakenOverAfterItsLease(t *testing.T) {
	t.Parallel()
	now := noon
	store := idempotency.NewIntents(stores.Mongo(t))
	desk := &idempotency.Service{Store: store, Now: func() time.Time { return now }}
	crashed := idempotency.Intent{ID: "k", Tenant: "u:ann", Version: 1, Fingerprint: "ff", Until: noon.Add(10 * time.Second), ExpiresAt: noon.Add(24 * time.Hour)}
	if err := store.Insert(t.Context(), crashed); err != nil {
		t.Fatal(err)
	}
	done := 0
	work := func() (idempotency.Answer, error) {
		done++
		return idempotency.Answer{Status: 201, Body: []byte("{}")}, nil
	}
	once := func(fingerprint string) (bool, error) {
		_, replayed, err := desk.Once(t.Context(), "u:ann", "k", fingerprint, 10*time.Second, work)
		return replayed, err
	}
	now = noon.Add(10*time.Second - time.Millisecond)
	if _, err := once("ff"); !errors.Is(err, idempotency.ErrInProgress) {
		t.Errorf("within the lease: %v", err)
	}
	if _, err := once("gg"); !errors.Is(err, idempotency.ErrReused) {
		t.Errorf("another body: %v", err)
	}
	now = noon.Add(10 * time.Second)
	if replayed, err := once("ff"); err != nil || replayed || done != 1 {
		t.Errorf("after the lease: replayed %t, %v, done %d times", replayed, err, done)
	}
	if replayed, err := once("ff"); err != nil || !replayed || done != 1 {
		t.Errorf("again: replayed %t, %v, done %d times", replayed, err, done)
	}
	now = now.Add(idempotency.Keep)
	if replayed, err := once("gg"); err != nil || replayed || done != 2 {
		t.Errorf("after a day: replayed %t, %v, done %d times", replayed, err, done)
	}
}

func TestOneOfManyTakesACrashedRequestOver(t *testing.T) {
	t.Parallel()
	store := idempotency.NewIntents(stores.Mongo(t))
	desk := &idempotency.Service{Store: store, Now: func() time.Time { return noon }}
	crashed := idempotency.Intent{ID: "k", Tenant: "u:ann", Version: 1, Fingerprint: "ff", Until: noon, ExpiresAt: noon.Add(24 * time.Hour)}
	if err := store.Insert(t.Context(), crashed); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	done := 0

	for range 8 {
		all.Go(func() {
			_, _, err := desk.Once(t.Context(), "u:ann", "k", "ff", time.Minute, func() (idempotency.Answer, error) {
				mu.Lock()
				defer mu.Unlock()
				done++

				return idempotency.Answer{Status: 201}, nil
			})
			if err != nil && !errors.Is(err, idempotency.ErrInProgress) {
				t.Errorf("Once = %v", err)
			}
		})
	}
	all.Wait()
	if done != 1 {
		t.Errorf("the work was done %d times, want once", done)
	}
}

func TestNamesTellTheirPartsApart(t *testing.T) {
	t.Parallel()

	seen := map[string]string{}
	for name, id := range map[string]string{
		"key": idempotency.Name("user", "ann", "ann", "r", "k"), "other key": idempotency.Name("user", "ann", "ann", "r", "kk"), "other route": idempotency.Name("user", "ann", "ann", "rk", ""), "other actor": idempotency.Name("user", "an", "nann", "r", "k"),
	} {
		if before, ok := seen[id]; ok {
			t.Errorf("%s and %s share a name", name, before)
		}
		seen[id] = name
	}
	if idempotency.Fingerprint([]byte("a"), []byte("b")) == idempotency.Fingerprint([]byte("ab"), nil) {
		t.Error("two requests share a fingerprint")
	}
}

func FuzzHeader(f *testing.F) {
	for _, s := range []string{"", "k", "a b", "\x00", "ä", strings.Repeat("k", 255), strings.Repeat("k", 256)} {
		f.Add(s, false)
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, value string, twice bool) {
		values := []string{value}
		if twice {
			values = append(values, value)
		}

		key, err := idempotency.Header(values)
		switch {
		case err != nil && (key != "" || !errors.Is(err, idempotency.ErrKey)):
			t.Errorf("Header = %q, %v", key, err)
		case err == nil && (twice || key != value || len(key) == 0 || len(key) > 255 || strings.ContainsAny(key, " \x00\r\n")):
			t.Errorf("Header(%q, twice %t) = %q", value, twice, key)
		}
	})
}
