package api_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

func TestSources(t *testing.T) {
	ended := api.At(time.Date(2026, 11, 24, 9, 0, 0, 0, time.UTC))
	answer := &api.PhaseResponse{Citations: []api.Citation{
		{N: 1, Source: api.SourceRef{FileID: "f1", TextVersion: 1, CharStart: 4, CharEnd: 90, Quote: "the rent"}},
		{N: 2, Source: api.SourceRef{FileID: "f2", TextVersion: 3, CharEnd: 7, Quote: "a lease"}},
	}}
	want := []api.CitedSource{
		{N: 1, ID: "f1:4-90", FileID: "f1", TextVersion: 1, RetrievedAt: &ended},
		{N: 2, ID: "f2:0-7", FileID: "f2", TextVersion: 3, RetrievedAt: &ended},
	}
	if diff := cmp.Diff(want, answer.Sources(&ended)); diff != "" {
		t.Errorf("sources (-want +got):\n%s", diff)
	}

	var none *api.PhaseResponse
	if got := none.Sources(&ended); got != nil {
		t.Errorf("a phase without an answer has sources %v", got)
	}
}
