package casesvc_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"go.mongodb.org/mongo-driver/v2/bson"
)

func TestAPurgeGoesOnUntilTheOtherServiceAnswered(t *testing.T) {
	t.Parallel()
	w := start(t, map[string]string{"CASE_SWEEP_EVERY": "100ms"})
	ann := user("o:firm", "ann")
	c := w.newCase(ann, nil)
	if a := w.do(call{Method: http.MethodDelete, Path: "/v1/cases/" + c.CaseID, Caller: ann}); a.Status != 204 {
		t.Fatalf("delete: %d %s", a.Status, a.Body)
	}
	w.parties.goAway(true)
	w.clock.Advance(31 * 24 * time.Hour)
	testkit.Until(t, testkit.Patience, func() error {
		if n := w.parties.calls(); n < 4 {
			return fmt.Errorf("asked %d times", n)
		}

		return nil
	})
	if gone := w.parties.gone(); len(gone) != 0 {
		t.Errorf("purged while it was away: %v", gone)
	}
	w.parties.goAway(false)
	testkit.Until(t, testkit.Patience, func() error {
		if gone := w.parties.gone(); !slices.Equal(gone, []string{c.CaseID}) {
			return fmt.Errorf("purged: %v", gone)
		}

		return nil
	})
	if n := w.documents("audit", bson.E{Key: "action", Value: "case.purge"}); n != 1 {
		t.Errorf("the purge is %d times on record, want once for all its tries", n)
	}
}

func TestAPurgeTakesTheGrantsOfTheCase(t *testing.T) {
	t.Parallel()
	s := share(t, map[string]string{"CASE_SWEEP_EVERY": "100ms"})
	ann, other := user("o:firm", "ann"), uuid.NewString()
	kept := s.newCase(ann, nil)
	grant := s.grant
	grant.CaseID, grant.InviteID, grant.BranchIDs, grant.FileIDs = kept.CaseID, other, []string{}, []string{}
	if err := s.firm.PutGrant(t.Context(), grant); err != nil {
		t.Fatal(err)
	}
	if a := s.do(call{Method: http.MethodDelete, Path: "/v1/cases/" + s.kase.CaseID + "?acknowledgePending=true", Caller: ann}); a.Status != 204 {
		t.Fatalf("delete: %d %s", a.Status, a.Body)
	}
	s.clock.Advance(31 * 24 * time.Hour)
	testkit.Until(t, testkit.Patience, func() error {
		if gone := s.parties.gone(); len(gone) != 1 {
			return errNotYet
		}
		if n := s.documents("phases"); n != 0 {
			return errNotYet
		}

		return nil
	})
	if of, all := s.documents("grants", bson.E{Key: "inviteId", Value: other}), s.documents("grants"); of != 1 || all != 1 {
		t.Errorf("%d grants are left, %d of them of the case that stays, want that one", all, of)
	}
}
