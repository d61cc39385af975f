package places_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/places"
)

func TestTheRoomIsTakenFromWhoHoldsMost(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		name    string
		holds   map[string][]int64 // what callers have taken of 100 bytes, all of it still coming
		settled bool               // all of that has come
		who     string
		wants   int64
		refused string // the caller whose largest share is stopped; "" for nobody
		err     error
	}{
		{"there is room", map[string][]int64{"a": {50}}, false, "b", 50, "", nil},
		{"from the largest holder", map[string][]int64{"a": {60}, "b": {30}}, false, "c", 20, "a", nil},
		{"its largest share", map[string][]int64{"a": {20, 50}, "b": {30}}, false, "c", 10, "a", nil},
		{"from nobody who holds less", map[string][]int64{"a": {60}, "b": {30}}, false, "c", 61, "", places.ErrCrowded},
		{"who asks holds most", map[string][]int64{"a": {60}, "b": {30}}, false, "a", 20, "", places.ErrCrowded},
		{"what has come is safe", map[string][]int64{"a": {90}}, true, "b", 20, "", places.ErrCrowded},
		{"more than there is", nil, false, "a", 101, "", places.ErrCrowded},
	} {
		t.Run(tc.name, func(t *testing.T) {
			room := places.NewRoom(100)
			var stopped []string

			for who, shares := range tc.holds {
				for _, bytes := range shares {
					s := room.Enter(who, func() { stopped = append(stopped, who) })
					if err := s.Take(bytes); err != nil {
						t.Fatal(err)
					}
					if tc.settled {
						s.Settle()
					}
				}
			}
			if err := room.Enter(tc.who, func() {}).Take(tc.wants); !errors.Is(err, tc.err) {
				t.Errorf("Take = %v, want %v", err, tc.err)
			}

			want := []string(nil)
			if tc.refused != "" {
				want = []string{tc.refused}
			}
			if fmt.Sprint(stopped) != fmt.Sprint(want) {
				t.Errorf("stopped are %v, want %v", stopped, want)
			}
		})
	}
}

func TestRoomComesBack(t *testing.T) {
	t.Parallel()
	room := places.NewRoom(1000)

	var all sync.WaitGroup
	for n := range 64 {
		all.Go(func() {
			for range 200 {
				s := room.Enter(fmt.Sprint(n%9), func() {})

				some := false

				for range 5 {
					if s.Take(40) != nil {
						break
					}
					some = true
				}
				if n%2 == 0 {
					s.Settle()
				}
				if some && n%3 == 0 {
					s.Return(40)
				}
				s.Leave()
				s.Leave()
			}
		})
	}
	all.Wait()
	if err := room.Enter("a", func() {}).Take(1000); err != nil {
		t.Errorf("not all of the room came back: %v", err)
	}
}

// What is kept only to do something again makes way for anything else, whoever it is of, and for nothing before.
func TestWhatIsSpareMakesWay(t *testing.T) {
	t.Parallel()

	for _, tc := range []struct {
		name      string
		who       string
		wants     int64
		reclaimed bool // before somebody else comes
		dropped   bool
		err       error
	}{
		{"for another caller", "b", 50, false, true, nil},
		{"for the same caller", "a", 50, false, true, nil},
		{"not while there is room", "b", 40, false, false, nil},
		{"not once it is in use again", "b", 50, true, false, places.ErrCrowded},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			room := places.NewRoom(100)
			s, dropped := room.Enter("a", func() {}), false
			if err := s.Take(60); err != nil {
				t.Fatal(err)
			}
			s.Settle()
			s.Spare(func() { dropped = true })
			if tc.reclaimed && !s.Reclaim() {
				t.Fatal("what nobody took cannot be used again")
			}

			if err := room.Enter(tc.who, func() {}).Take(tc.wants); !errors.Is(err, tc.err) || dropped != tc.dropped {
				t.Errorf("Take = %v, dropped %v, want %v, %v", err, dropped, tc.err, tc.dropped)
			}
			if tc.dropped && s.Reclaim() {
				t.Error("what was dropped can be used again")
			}

			s.Leave()
			if err := room.Enter("c", func() {}).Take(100 - tc.wants*boolean(tc.err == nil)); err != nil {
				t.Errorf("the room did not come back: %v", err)
			}
		})
	}
}

func boolean(is bool) int64 {
	if is {
		return 1
	}

	return 0
}
