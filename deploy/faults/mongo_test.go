package faults

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/testkit/stores"
)

// F8: a share of the writes to MongoDB fares badly, by one fault after the other.
func mongoWire(t *testing.T, r *result) {
	w, uri := newWire(t, stores.MongoURI(t))
	s := begin(t, options{settings: map[string]string{"MONGODB_URI": uri}})
	l := loaded(s, r, rate, streams)
	call := l.calls(l.endedRun())["case-svc"]
	wait(t, steady)

	for _, fault := range mongoFaults {
		w.inject(fault, 0.2)
		wait(t, 2*steady)
		w.inject("", 0)
		r.back(fault, l.probe(time.Now(), call), 0)
	}
	wait(t, after)
	l.settle()

	var parts []string
	for _, fault := range mongoFaults {
		parts = append(parts, fmt.Sprintf("%d × %s", w.done[fault], fault))
		if w.done[fault] == 0 {
			r.fail("%s befell nothing", fault)
		}
	}
	r.note("one in five writes: %s", strings.Join(parts, ", "))
	r.only("503", "409 idempotency_in_progress")
	if a := s.send(http.MethodGet, "/v1/cases?limit=1", s.token(0), ""); !a.good() {
		r.fail("afterwards: %s", a.class())
	}
}
