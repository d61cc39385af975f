package casesvc_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
)

// paths are those of details, each between blanks.
func paths(list []errs.Detail) string {
	all := " "
	for _, d := range list {
		all += d.Path + " "
	}

	return all
}

// everything follows the cursors of a list to its end.
func everything[T any](t testing.TB, w *world, path string) []T {
	t.Helper()
	var all []T

	for cursor := ""; ; {
		page := into[api.Page[T]](t, w.get(user("u:ann", "ann"), path+cursor), 200)
		all = append(all, page.Items...)
		if page.NextCursor == nil {
			return all
		}
		cursor = "&cursor=" + url.QueryEscape(*page.NextCursor)
	}
}

func TestFiltersOfTheList(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann := user("u:ann", "ann")
	made := map[string]api.Case{
		"lease": w.newCase(ann, m{
			"title": "Lease of [Party 1]", "summary": "The landlord changed the locks.", "tags": []string{"pro bono"}, "stage": m{"codeSet": "litigation", "phase": "L200", "task": "L210"},
			"confidentiality": m{"privilege": "attorney_client"}, "complexity": m{"override": m{"tier": 4, "reason": "Many parties"}},
		}),
		"will": w.newCase(ann, m{"title": "Will of [Party 11]", "summary": "The locks of the landlord were changed", "retention": m{"legalHold": true}}),
		"deal": w.newCase(ann, m{"title": "Purchase", "complexity": m{"override": m{"tier": 2, "reason": "One forum"}}}),
	}

	for query, want := range map[string][]string{
		"q=landlord": {"lease", "will"}, "q=LANDLORD+locks": {"lease", "will"}, "q=" + url.QueryEscape(`"changed the locks"`): {"lease"},
		"q=" + url.QueryEscape(`"the landlord" locks`): {"lease", "will"}, "q=" + url.QueryEscape("[Party 1]"): {"lease"}, "q=pro+bono": {"lease"}, "q=nothing": nil,
		"q=" + url.QueryEscape(`"bono lease"`): nil, "stage=L2": {"lease"}, "stage=L210": {"lease"}, "stage=L1": {"will", "deal"}, "privilege=attorney_client": {"lease"},
		"legalHold=true": {"will"}, "legalHold=false": {"lease", "deal"}, "hasPendingReview=false": {"lease", "will", "deal"}, "hasPendingReview=true": nil,
		"deadlineBefore=2099-01-01": nil, "tier=2,4": {"lease", "deal"}, "tier=unrated": {"will"}, "sort=-tier": {"lease", "deal", "will"}, "sort=nextDeadline": {"lease", "will", "deal"},
	} {
		for _, form := range []string{"", "&fields=full"} {
			t.Run(query+form, func(t *testing.T) {
				page := into[api.Page[api.CaseRow]](t, w.get(ann, "/v1/cases?includeTotal=true&"+query), 200)
				if form != "" {
					full := into[api.Page[api.Case]](t, w.get(ann, "/v1/cases?includeTotal=true&"+query+form), 200)

					page.Items = nil
					for _, c := range full.Items {
						page.Items = append(page.Items, api.CaseRow{CaseID: c.CaseID})
						if c.CaseID == made["lease"].CaseID && c.Summary == "" {
							t.Errorf("a whole case has no summary: %+v", c)
						}
					}
				}
				var got []string

				for _, row := range page.Items {
					for name, c := range made {
						if c.CaseID == row.CaseID {
							got = append(got, name)
						}
					}
				}
				if !strings.HasPrefix(query, "sort=-tier") {
					slices.Sort(got)
					slices.Sort(want)
				}
				if !slices.Equal(got, want) || page.Total == nil || *page.Total != len(want) {
					t.Errorf("found %v, want %v, total %v", got, want, page.Total)
				}
			})
		}
	}
	refused(t, w.get(ann, "/v1/cases?q=ann%40example.com"), 403, "identity_refused")
}

func TestTheFeedOfChanges(t *testing.T) {
	t.Parallel()
	w := start(t, map[string]string{"CASE_FEED_LAG": "3s"})
	ann := user("u:ann", "ann")
	begin := w.clock.Now()
	since := func(at time.Time) string {
		return "/v1/cases?limit=2&sort=updatedAt&includeDeleted=true&updatedSince=" + url.QueryEscape(at.Format(time.RFC3339Nano))
	}
	var made []api.Case

	for i := range 4 {
		w.clock.Advance(time.Second)
		made = append(made, w.newCase(ann, m{"title": fmt.Sprint("Matter ", i)}))
	}
	if got := everything[api.CaseChange](t, w, since(begin)); len(got) != 1 || got[0].CaseID != made[0].CaseID {
		t.Errorf("changes that may still be joined by earlier ones are told: %d rows", len(got))
	}
	w.clock.Advance(time.Minute)
	deleted := w.clock.Now()
	if a := w.json(ann, http.MethodDelete, "/v1/cases/"+made[1].CaseID, nil); a.Status != 204 {
		t.Fatal(a.Status)
	}
	w.clock.Advance(time.Minute)
	into[api.Case](t, w.patch(ann, made[2].CaseID, m{"title": "Changed"}), 200)
	w.clock.Advance(time.Minute)
	got := everything[api.CaseChange](t, w, since(begin))

	var ids []string
	for _, row := range got {
		ids = append(ids, row.CaseID)
		if row.Deleted != (row.CaseID == made[1].CaseID) || row.Deleted && (row.DeletedAt == nil || !row.DeletedAt.Equal(deleted) || row.Title != "") {
			t.Errorf("row = %+v", row)
		}
	}
	if want := []string{made[0].CaseID, made[3].CaseID, made[1].CaseID, made[2].CaseID}; !slices.Equal(ids, want) {
		t.Errorf("feed = %v, want %v", ids, want)
	}
	if rest := everything[api.CaseChange](t, w, since(deleted)); len(rest) != 2 {
		t.Errorf("since the deletion: %d rows, want 2", len(rest))
	}
	if filtered := everything[api.CaseChange](t, w, since(begin)+"&q=changed"); len(filtered) != 2 {
		t.Errorf("filtered: %d rows, want the changed case and the tombstone", len(filtered))
	}
	if without := everything[api.CaseChange](t, w, strings.Replace(since(begin), "includeDeleted=true&", "", 1)); len(without) != 3 {
		t.Errorf("without tombstones: %d rows, want 3", len(without))
	}
}
