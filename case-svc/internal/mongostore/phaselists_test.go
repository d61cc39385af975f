package mongostore_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/case-svc/internal/phases"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

func numbers(list []phases.Phase) []int {
	all := []int{}
	for _, p := range list {
		all = append(all, p.Sequence)
	}

	return all
}

func TestPhasesAreFoundByWhereTheyAre(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *mongo.Database) {
		store, branch, container := mongostore.NewRecords(db), newID(), newID()

		for n := 1; n <= 5; n++ {
			for _, tenant := range []string{"u:ann", "u:eve"} {
				p := newPhase(tenant, branch, n)
				p.ContainerID, p.CreatedAt, p.Response = container, noon.Add(time.Duration(n)*time.Second), []byte(`{}`)
				if p.Status = phases.Completed; n > 3 {
					p.Status, p.Review.Status = phases.Refused, phases.ReviewPending
				}
				if tenant == "u:eve" {
					p.Sequence += 10
				}
				if err := store.Insert(t.Context(), p); err != nil {
					t.Fatal(err)
				}
			}
		}
		ctx := t.Context()

		for name, tc := range map[string]struct {
			find func() ([]phases.Phase, error)
			want []int
		}{
			"a span": {func() ([]phases.Phase, error) {
				return store.Along(ctx, "u:ann", phases.Span{BranchID: branch, From: 2, To: 4}, phases.Filter{}, 10)
			}, []int{2, 3, 4}},
			"a span backwards, cut": {func() ([]phases.Phase, error) {
				return store.Along(ctx, "u:ann", phases.Span{BranchID: branch, From: 1, Descending: true}, phases.Filter{}, 2)
			}, []int{5, 4}},
			"filtered": {func() ([]phases.Phase, error) {
				return store.Along(ctx, "u:ann", phases.Span{BranchID: branch, From: 1}, phases.Filter{Statuses: []string{phases.Refused}, RequestTypes: []string{phases.CaseReq}, Since: noon.Add(5 * time.Second)}, 10)
			}, []int{5}},
			"another tenant's": {func() ([]phases.Phase, error) {
				return store.Along(ctx, "u:eve", phases.Span{BranchID: branch, From: 1, To: 5}, phases.Filter{}, 10)
			}, []int{}},
			"several spans": {func() ([]phases.Phase, error) {
				return store.Among(ctx, "u:ann", []phases.Span{{BranchID: branch, From: 5}, {BranchID: branch, From: 1, To: 1}, {BranchID: newID(), From: 1}})
			}, []int{1, 5}},
			"no spans":  {func() ([]phases.Phase, error) { return store.Among(ctx, "u:ann", nil) }, []int{}},
			"of a user": {func() ([]phases.Phase, error) { return store.OfUser(ctx, "u:ann", ann.UserID, phases.Filter{}, nil, 2) }, []int{5, 4}},
			"of a user, on": {func() ([]phases.Phase, error) {
				return store.OfUser(ctx, "u:ann", ann.UserID, phases.Filter{ContainerTypes: []string{"case"}, ContainerID: container}, &cases.Cursor{Time: noon.Add(4 * time.Second), ID: ""}, 2)
			}, []int{3, 2}},
			"of nobody":              {func() ([]phases.Phase, error) { return store.OfUser(ctx, "u:ann", "bob", phases.Filter{}, nil, 2) }, []int{}},
			"waiting":                {func() ([]phases.Phase, error) { return store.Waiting(ctx, "u:ann", container, 10) }, []int{4, 5}},
			"waiting in another":     {func() ([]phases.Phase, error) { return store.Waiting(ctx, "u:ann", newID(), 10) }, []int{}},
			"open in the container":  {func() ([]phases.Phase, error) { return store.OpenIn(ctx, "u:ann", container) }, []int{}},
			"open in another tenant": {func() ([]phases.Phase, error) { return store.OpenIn(ctx, "o:none", container) }, []int{}},
		} {
			got, err := tc.find()
			if diff := cmp.Diff(tc.want, numbers(got)); err != nil || diff != "" {
				t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
			}
		}
		brief, err := store.Along(ctx, "u:ann", phases.Span{BranchID: branch, From: 1, To: 1}, phases.Filter{Brief: true}, 1)
		if err != nil || brief[0].Response != nil {
			t.Errorf("in short = %v, %v", brief, err)
		}
		none, err := store.Living(ctx, "u:ann", []string{container})
		if err != nil || len(none) != 0 {
			t.Errorf("Living = %v, %v", none, err)
		}
	})
}

func TestReviewsAreKept(t *testing.T) {
	t.Parallel()
	each(t, func(t *testing.T, db *mongo.Database) {
		store := mongostore.NewRecords(db)
		p := newPhase("u:ann", newID(), 1)
		if err := store.Insert(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		p.Kind, p.Reasons = "answer", []string{"states_law"}

		p.Review = phases.Review{Status: phases.ReviewPending, Required: true, Comments: []phases.Comment{{UserID: "bob", At: noon, Text: "Why?"}}}
		for range 2 {
			if err := store.Replace(t.Context(), p); err != nil {
				t.Fatal(err)
			}
			p.Version++
			got, err := store.Get(t.Context(), "u:ann", p.ID)
			if diff := cmp.Diff(p, got, cmpopts.IgnoreUnexported(access.Caller{})); err != nil || diff != "" {
				t.Errorf("Get: %v (-want +got):\n%s", err, diff)
			}
			p.Review.Status, p.Review.ReviewerUserID, p.Review.At, p.Review.ResponseSHA256 = phases.ReviewAmended, "ann", noon.Add(time.Second), "aa"
			p.Review.Note, p.Review.AmendedText = "n", "t"
		}
	})
}
