package partners_test

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/subrosa-legal/subrosa/party-svc/internal/partners"
)

// shelf is a directory whose reading takes as long as a test wants.
type shelf struct {
	partners.Store
	edition atomic.Int64
	finds   atomic.Int64
	slow    time.Duration
}

func (s *shelf) Editions(context.Context, ...string) (map[string]int64, error) {
	return map[string]int64{partners.Public: s.edition.Load()}, nil
}

func (s *shelf) Find(context.Context, string, partners.Filter) ([]partners.Partner, error) {
	n := s.finds.Add(1)
	time.Sleep(s.slow) //nolint:forbidigo // the bubble's clock

	list := make([]partners.Partner, n)
	for i := range list {
		list[i] = partners.Partner{ID: string(rune('a' + i)), DisplayName: "x", Availability: partners.Open}
	}

	return list, nil
}

// While one search reads a new edition, the others answer at once with what there is; the first ones of all wait for one reading.
func TestReadersDoNotWaitForANewEdition(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &shelf{slow: time.Second}
		c := partners.NewCatalog(s, time.Now)
		search := func() (total int, took time.Duration) {
			begun := time.Now()
			r, err := c.Search(t.Context(), "o:firm", partners.Query{Limit: 10})
			if err != nil {
				t.Error(err)
			}

			return r.Total, time.Since(begun)
		}

		for range 5 {
			go func() {
				if total, _ := search(); total != 1 {
					t.Errorf("at first %d are found, want 1", total)
				}
			}()
		}
		time.Sleep(10 * time.Second) //nolint:forbidigo // the bubble's clock
		if n := s.finds.Load(); n != 1 {
			t.Errorf("the first searches read %d times, want once", n)
		}
		s.edition.Store(1)
		refreshed := make(chan int)

		go func() { total, _ := search(); refreshed <- total }()
		synctest.Wait()

		for range 5 {
			if total, took := search(); total != 1 || took != 0 {
				t.Errorf("meanwhile %d are found after %v, want 1 at once", total, took)
			}
		}
		if total := <-refreshed; total != 2 {
			t.Errorf("who read the edition finds %d, want 2", total)
		}
		if total, took := search(); total != 2 || took != 0 || s.finds.Load() != 2 {
			t.Errorf("afterwards %d are found after %v and %d readings", total, took, s.finds.Load())
		}
	})
}
