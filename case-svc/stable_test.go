package casesvc_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/audit"
	"github.com/subrosa-legal/subrosa/pkg/ids"
	"github.com/subrosa-legal/subrosa/pkg/testkit/servicetest"
)

// body is a call with a JSON body that others make.
func (w *world) body(t *testing.T, caller access.Caller, method, path string, v any) (answer, error) {
	return w.try(servicetest.JSON(t, caller, method, path, v))
}

// seeded puts n cases into the store, several of the same moment, title, tier and deadline.
func (w *world) seeded(t *testing.T, caller access.Caller, n int) []string {
	t.Helper()
	store := mongostore.NewCases(w.database())
	var all []string

	for i := range n {
		title := fmt.Sprintf("Lease %05d", i*7919%n/2)
		at := w.clock.Now().Add(-time.Duration(i/3) * time.Millisecond)
		c, err := cases.New(caller.Tenant, ids.New(), audit.Actor{Kind: audit.User, ID: caller.UserID, UserID: caller.UserID}, cases.Draft{Title: &title}, at)
		if err != nil {
			t.Fatal(err)
		}
		if i%2 == 0 {
			c.Override = &cases.Override{Tier: i%4 + 1, Reason: "Known", ByUserID: caller.UserID, At: at}
			c.NextDeadline = &cases.NextDeadline{DeadlineID: ids.New(), DueOn: at.AddDate(0, 0, i%30).Format(time.DateOnly), Title: "Answer", Status: "confirmed"}
		}
		if err := store.Create(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		all = append(all, c.ID)
	}

	return all
}

// Three cases have each moment, and pages end between them. A real MongoDB has room for many more.
func TestCasesWhileOthersComeAndGo(t *testing.T) {
	t.Parallel()
	n, page := 60, 11
	if os.Getenv("TEST_MONGODB_URI") != "" {
		n, page = 10_000, 100
	}
	w := start(t, nil)
	ann := user("u:ann", "ann")

	was := w.seeded(t, ann, n)
	for _, order := range []string{"-updatedAt", "createdAt", "title", "-tier", "nextDeadline"} {
		t.Run(order, func(t *testing.T) {
			was = w.Steadily(t, ann, "/v1/cases?sort="+order, "caseId", page, was, servicetest.Others{
				Remove: func(id string) (answer, error) {
					w.clock.Advance(time.Millisecond)
					return w.body(t, ann, http.MethodDelete, "/v1/cases/"+id, nil)
				},
				Add: func() (answer, error) {
					return w.body(t, ann, http.MethodPost, "/v1/cases", m{"title": fmt.Sprintf("Lease %05d", rand.IntN(n))})
				},
			})
		})
	}
}

func TestFilesWhileOthersComeAndGo(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann := user("u:ann", "ann")
	c := w.newCase(ann, nil)
	files := "/v1/cases/" + c.CaseID + "/files"
	made := 0
	text := func() part { // as many words in each, and the one that is looked for once to four times
		made++
		return textFile(fmt.Sprintf("Document %02d.txt", made*37%100), fmt.Sprintf("%s%s Page %d.", strings.Repeat("rent ", made%4+1), strings.Repeat("word ", 4-made%4), made))
	}
	var was []string

	for range 3 {
		var batch []part
		for range 5 {
			batch = append(batch, text())
		}

		for _, f := range into[uploaded](t, w.upload(ann, c.CaseID, nil, batch...), 201).Items {
			was = append(was, f.FileID)
		}
		w.clock.Advance(time.Second)
	}
	neighbours := servicetest.Others{
		Remove: func(id string) (answer, error) { return w.body(t, ann, http.MethodDelete, files+"/"+id, nil) },
		Add: func() (answer, error) {
			contentType, body := form(t, text())
			return w.try(call{Method: http.MethodPost, Path: files, Caller: ann, Header: map[string]string{"Content-Type": contentType}, Body: body})
		},
	}

	for _, query := range []string{"sort=-createdAt", "sort=createdAt", "sort=name", "sort=documentOn"} {
		t.Run(query, func(t *testing.T) { was = w.Steadily(t, ann, files+"?"+query, "fileId", 4, was, neighbours) })
	}
	// Every file that comes moves the scores of all. Where the last file of a page goes, its score has to do for a place.
	t.Run("relevance", func(t *testing.T) {
		w.Steadily(t, ann, files+"?q=rent&sort=relevance", "fileId", 3, was, servicetest.Others{Add: neighbours.Add})
	})
}

func TestEntriesWhileOthersComeAndGo(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann := user("u:ann", "ann")
	path := "/v1/timeline/" + w.newCase(ann, nil).TimelineID
	entry := func(i int) m {
		return m{"kind": "fact", "title": fmt.Sprint("Fact ", i), "when": m{"on": fmt.Sprintf("2026-01-%02d", i%7+1), "precision": "day"}}
	}

	var was []string
	for i := range 30 {
		was = append(was, into[api.TimelineEntry](t, w.json(ann, http.MethodPost, path+"/entries", entry(i)), 201).EntryID)
		if i%3 == 0 {
			w.clock.Advance(time.Millisecond)
		}
	}

	for _, order := range []string{"when", "-when", "createdAt"} {
		t.Run(order, func(t *testing.T) {
			was = w.Steadily(t, ann, path+"?include=entries&reviewStatus=confirmed&sort="+order, "entryId", 4, was, servicetest.Others{
				Remove: func(id string) (answer, error) {
					return w.body(t, ann, http.MethodPatch, path+"/entries/"+id, m{"reviewStatus": "rejected"})
				},
				Add: func() (answer, error) { return w.body(t, ann, http.MethodPost, path+"/entries", entry(rand.IntN(30))) },
			})
		})
	}
}

func TestPhasesWhileOthersComeAndGo(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann, robot := user("o:firm", "ann"), agent("o:firm", "ann")
	c := w.newCase(robot, nil)

	var was []string
	for range 16 {
		was = append(was, w.work(t, robot, c, "").PhaseID)
	}

	for _, query := range []string{"branchId=" + c.ActiveBranchID + "&order=asc", "branchId=" + c.ActiveBranchID + "&order=desc", "mine=true"} {
		t.Run(query, func(t *testing.T) {
			was = w.Steadily(t, ann, "/v1/phases?reviewStatus=pending&"+query, "phaseId", 3, was, servicetest.Others{
				Remove: func(id string) (answer, error) {
					return w.body(t, ann, http.MethodPost, "/v1/phases/"+id+"/review", m{"decision": "approved"})
				},
				Add: func() (answer, error) {
					in := beginning(c, api.CaseReq)
					if a, err := w.body(t, robot, http.MethodPost, "/internal/phases", in); err != nil || a.Status >= 300 {
						return a, err
					}
					w.clock.Advance(time.Second)

					return w.body(t, robot, http.MethodPost, "/internal/phases/"+in.PhaseID+"/end", answered(t, 1))
				},
			})
		})
	}
}
