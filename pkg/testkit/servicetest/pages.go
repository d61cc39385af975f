package servicetest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/access"
)

// Others are what the neighbours of a reader do: what they take away was in the list, and what they bring may come into
// it.
type Others struct {
	Remove func(id string) (Answer, error) // nil where nothing ever goes
	Add    func() (Answer, error)
}

// mostGone is how much others take away from one list, since each time takes its time.
const mostGone = 20

// Steadily pages through a list of what was there while others take some of it away and bring new things, a few beside
// each page: whatever stays comes exactly once, and nothing comes twice. id is the name of the rows' ids. It returns
// what stayed.
func (d Door) Steadily(
	t *testing.T,
	caller access.Caller,
	path, id string,
	limit int,
	was []string,
	o Others,
) []string {
	t.Helper()
	pages := len(was)/limit + 1
	gone := slices.Clone(was)
	rand.Shuffle(len(gone), func(i, j int) { gone[i], gone[j] = gone[j], gone[i] })
	gone = gone[:min(len(gone)/5, mostGone)]
	if o.Remove == nil {
		gone = nil
	}
	seen := map[string]int{}
	cursor := ""

	for n := 0; ; n++ {
		// Others bring new things beside each page, so the list may grow, but not without end.
		if n > 2*pages+10 {
			t.Fatalf("%s: the list does not end", path)
		}
		var working sync.WaitGroup
		working.Go(func() {
			for _, one := range gone[min(n*len(gone)/pages, len(gone)):min((n+1)*len(gone)/pages, len(gone))] {
				if a, err := o.Remove(one); err != nil || a.Status >= 300 {
					t.Errorf("remove: %v, %d %s", err, a.Status, a.Body)
				}
			}
			if a, err := o.Add(); err != nil || a.Status >= 300 {
				t.Errorf("add: %v, %d %s", err, a.Status, a.Body)
			}
		})
		a := d.Do(t, JSON(t, caller, http.MethodGet, path+"&limit="+strconv.Itoa(limit)+cursor, nil))
		working.Wait()
		var page struct {
			Items, Entries []map[string]any
			NextCursor     *string
		}
		if err := json.Unmarshal(a.Body, &page); err != nil || a.Status != 200 {
			t.Fatalf("%s: %d %s", path, a.Status, a.Body)
		}

		for _, r := range append(page.Items, page.Entries...) {
			seen[fmt.Sprint(r[id])]++
		}
		if page.NextCursor == nil {
			break
		}
		cursor = "&cursor=" + url.QueryEscape(*page.NextCursor)
	}

	stays := slices.DeleteFunc(slices.Clone(was), func(one string) bool { return slices.Contains(gone, one) })
	for _, one := range stays {
		if seen[one] != 1 {
			t.Errorf("%s: what stayed was listed %d times: %s", path, seen[one], one)
		}
	}

	for one, times := range seen {
		if times > 1 {
			t.Errorf("%s: listed %d times: %s", path, times, one)
		}
	}

	return stays
}
