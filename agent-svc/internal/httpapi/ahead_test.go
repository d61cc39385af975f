package httpapi_test

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/agent-svc/internal/admission"
	"github.com/subrosa-legal/subrosa/agent-svc/internal/stream"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/ids"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"github.com/subrosa-legal/subrosa/pkg/testkit/servicetest"
)

// TestAPlaceThatWasNeverSent has a reader who names an event that nobody sent told so, before all events come.
func TestAPlaceThatWasNeverSent(t *testing.T) {
	begun := stream.Event{Seq: 1, Kind: "phase_start", Data: []byte(`{"seq":1}`)}
	ended := stream.Event{Seq: 2, Kind: "phase_end", Data: []byte(`{"seq":2}`), Last: true}

	for _, tc := range []struct {
		name    string
		logged  []stream.Event
		later   bool // the run ends while it is read
		place   int
		gap     string
		numbers string // of the events that come
	}{
		{"of a run that has ended", []stream.Event{begun, ended}, false, 9, `{"from":3,"to":9}`, "1 2"},
		{"just beyond its end", []stream.Event{begun, ended}, false, 3, `{"from":3,"to":3}`, "1 2"},
		{"of a run that goes on", []stream.Event{begun}, true, 9, `{"from":2,"to":9}`, "1 2"},
		{"of a run that is rebuilt", nil, false, 9, `{"from":4,"to":9}`, "1 2 3"},
		{"one that was sent", []stream.Event{begun, ended}, false, 1, "", "2"},
		{"none", []stream.Event{begun, ended}, false, 0, "", "1 2"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			r := startReader(t)
			ann, id := servicetest.User("o:oak", "ann"), ids.New()
			phase := api.Phase{
				PhaseID: id, Status: api.PhaseCompleted,
				Stream: api.StreamMarks{PhaseStartSeq: 1, ResponseSeq: 2, EndSeq: 3},
			}
			if tc.later {
				phase.Status = api.PhaseRunning
			}
			r.phases[id] = phase
			key := admission.KeyOf(ann, id)
			if len(tc.logged) > 0 {
				if err := r.log.Append(t.Context(), key, tc.logged...); err != nil {
					t.Fatal(err)
				}
			}
			if tc.later {
				var ending sync.WaitGroup
				defer ending.Wait()

				ending.Go(func() {
					read := func() bool { return r.api.Streams.Open.Load() > 0 }
					testkit.UntilTrue(t, time.Minute, "somebody reads", read)

					_ = r.log.Append(t.Context(), key, ended)
				})
			}

			a := r.door.Do(t, servicetest.JSON(t, ann, http.MethodGet, "/v1/agent/"+id, nil,
				"Accept", "text/event-stream", "Last-Event-ID", fmt.Sprintf("%s:%d", id, tc.place)))
			text := string(a.Body)

			var numbers []string
			for _, found := range regexp.MustCompile(`(?m)^id: \S+:(\d+)$`).FindAllStringSubmatch(text, -1) {
				numbers = append(numbers, found[1])
			}

			before, _, _ := strings.Cut(text, "\nid: ")
			told := tc.gap == "" && !strings.Contains(text, `"gap"`) ||
				tc.gap != "" && strings.Count(text, `"gap"`) == 1 && strings.Contains(before, `"gap":`+tc.gap)
			if a.Status != http.StatusOK || strings.Join(numbers, " ") != tc.numbers || !told {
				t.Errorf("%d: events %v, want %s; gap %q first: %t\n%s",
					a.Status, numbers, tc.numbers, tc.gap, told, text)
			}
		})
	}
}
