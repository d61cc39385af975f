package runs_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/runs"
)

func opened(limits runs.Limits) *runs.Runs {
	r := &runs.Runs{Now: time.Now}
	r.Open(limits)

	return r
}

func TestPlacesAreBounded(t *testing.T) {
	r := opened(runs.Limits{All: 8, Caller: 8})
	var back []func()

	for range 7 {
		giveBack, err := r.Reserve("o:oak", "ann")
		if err != nil {
			t.Fatal(err)
		}
		back = append(back, giveBack)
	}
	if _, err := r.Reserve("o:oak", "ann"); !errors.Is(err, runs.ErrFull) {
		t.Errorf("the place for whoever comes next: Reserve = %v, want %v", err, runs.ErrFull)
	}
	if _, err := r.Reserve("o:elm", "eve"); err != nil {
		t.Errorf("whoever comes next: %v", err)
	}
	back[0]()
	back[0]() // giving back twice gives one place
	if _, err := r.Reserve("o:elm", "eve"); err != nil {
		t.Error(err)
	}
	if _, err := r.Reserve("o:yew", "eve"); !errors.Is(err, runs.ErrFull) {
		t.Errorf("Reserve = %v, want %v", err, runs.ErrFull)
	}
}

func TestOneCallerHasItsPlaces(t *testing.T) {
	r := opened(runs.Limits{All: 100, Caller: 3})
	for i := range 3 {
		if _, err := r.Reserve("o:oak", "robot"); err != nil {
			t.Fatalf("run %d: %v", i+1, err)
		}
	}
	if _, err := r.Reserve("o:oak", "robot"); !errors.Is(err, runs.ErrTooMany) {
		t.Errorf("the fourth of one caller: %v, want %v", err, runs.ErrTooMany)
	}

	for _, other := range [][2]string{{"o:oak", "ann"}, {"o:elm", "robot"}} {
		if _, err := r.Reserve(other[0], other[1]); err != nil {
			t.Errorf("%v is kept out by another's runs: %v", other, err)
		}
	}
}

// TestTenantsShareThePlaces wants a tenant that takes all it can get, by however many callers, to leave others their share once they come.
func TestTenantsShareThePlaces(t *testing.T) {
	r := opened(runs.Limits{All: 40, Caller: 2})
	grab := func(tenant string) (got int, giveBack []func()) {
		for i := range 100 {
			back, err := r.Reserve(tenant, fmt.Sprint("robot-", i))
			if err == nil {
				got, giveBack = got+1, append(giveBack, back)
			} else if !errors.Is(err, runs.ErrFull) {
				t.Fatal(err)
			}
		}

		return got, giveBack
	}
	if _, err := r.Reserve("o:small", "ann"); err != nil {
		t.Fatal(err)
	}
	greedy, back := grab("o:greedy")
	if greedy != 19 {
		t.Errorf("the greedy tenant got %d of 40 places while another one was there, want half of them less its spare", greedy)
	}
	if other, _ := grab("o:elm"); other != 11 {
		t.Errorf("a third tenant got %d places, want its share of 11", other)
	}

	for _, b := range back {
		b()
	}
	if again, _ := grab("o:greedy"); again != 11 {
		t.Errorf("among three the greedy tenant got %d places, want its share of 11", again)
	}
}
