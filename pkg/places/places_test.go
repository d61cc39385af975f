package places_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/places"
)

// taken takes as many places as who gets, n at most.
func taken(p *places.Places, who places.Who, n int) int {
	for got := range n {
		if _, err := p.Take(who); err != nil {
			return got
		}
	}

	return n
}

func TestShares(t *testing.T) {
	t.Parallel()
	firm := func(tenant, caller string) places.Who { return places.Who{Tenant: tenant, Caller: caller} }
	network := func(n int) places.Who { return places.Who{Caller: fmt.Sprint(n)} }

	for _, tc := range []struct {
		name string
		have []places.Who // each takes what it gets
		then places.Who
		want int // that the last one still gets
	}{
		{"one alone", nil, firm("a", "1"), 77}, // 7/8 of the share of its firm, which is 7/8 of all
		{"a colleague", []places.Who{firm("a", "1")}, firm("a", "2"), 11},
		{"the second firm", []places.Who{firm("a", "1")}, firm("b", "1"), 23},
		{"a network leaves room for the known", []places.Who{network(1)}, firm("a", "1"), 27},
		{"a thousand networks leave it too", networks(1000), firm("a", "1"), 20},
		{"a network beside a firm", []places.Who{firm("a", "1")}, network(1), 23},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := places.New(places.Limits{All: 100})
			for _, who := range tc.have {
				taken(p, who, 100)
			}
			if got := taken(p, tc.then, 200); got != tc.want {
				t.Errorf("%v gets %d places, want %d", tc.then, got, tc.want)
			}
		})
	}
}

func networks(n int) (all []places.Who) {
	for i := range n {
		all = append(all, places.Who{Caller: fmt.Sprint(i)})
	}

	return all
}

// TestNobodyIsKeptOut has greedy callers ask for everything while others come for one place each, one after the other.
func TestNobodyIsKeptOut(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		name   string
		greedy []places.Who
		modest []places.Who
	}{
		{"one caller of another firm", []places.Who{{Tenant: "g", Caller: "1"}}, firms(10)},
		{"many callers of another firm", colleagues("g", 50), firms(10)},
		{"a colleague", []places.Who{{Tenant: "g", Caller: "1"}}, []places.Who{{Tenant: "g", Caller: "2"}}},
		{"one network", []places.Who{{Caller: "n"}}, firms(10)},
		{"many networks", networks(500), firms(10)},
		{"one network beside another", []places.Who{{Caller: "n"}}, []places.Who{{Caller: "m"}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p := places.New(places.Limits{All: 100})
			// Those who were there first stop asking at half: whoever comes then makes the shares.
			var back []func()

			for round := range 400 {
				giveBack, err := p.Take(tc.greedy[round%len(tc.greedy)])
				if err == nil {
					back = append(back, giveBack)
				}
				if len(back) > 50 { // work ends, too
					back[0]()
					back = back[1:]
				}
				who := tc.modest[round%len(tc.modest)]
				done, err := p.Take(who)
				if err != nil {
					t.Fatalf("round %d: %v gets no place: %v", round, who, err)
				}
				done()
			}
		})
	}
}

func firms(n int) (all []places.Who) {
	for i := range n {
		all = append(all, places.Who{Tenant: fmt.Sprint("firm", i), Caller: "1"})
	}

	return all
}

func colleagues(tenant string, n int) (all []places.Who) {
	for i := range n {
		all = append(all, places.Who{Tenant: tenant, Caller: fmt.Sprint(i)})
	}

	return all
}

func TestOneCallerHasItsOwnBound(t *testing.T) {
	t.Parallel()
	p := places.New(places.Limits{All: 10, Caller: 2})
	who := places.Who{Tenant: "a", Caller: "1"}
	giveBack, err := p.Take(who)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Take(who); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Take(who); !errors.Is(err, places.ErrTooMany) {
		t.Errorf("the third of two = %v, want %v", err, places.ErrTooMany)
	}
	giveBack()
	giveBack()
	if got := taken(p, who, 5); got != 1 {
		t.Errorf("after one was given back, twice, there are %d, want 1", got)
	}
}

func TestPlacesComeBack(t *testing.T) {
	t.Parallel()
	p := places.New(places.Limits{All: 40})

	var all sync.WaitGroup
	for n := range 64 {
		all.Go(func() {
			who := places.Who{Tenant: fmt.Sprint(n % 7), Caller: fmt.Sprint(n % 3)}
			if n%7 == 0 {
				who.Tenant = ""
			}

			for range 200 {
				if giveBack, err := p.Take(who); err == nil {
					giveBack()
				}
			}
		})
	}
	all.Wait()
	if got := taken(p, places.Who{Tenant: "a", Caller: "1"}, 100); got != 31 {
		t.Errorf("%d places are left, want 31, as at the start", got)
	}
}
