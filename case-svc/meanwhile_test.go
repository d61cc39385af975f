package casesvc_test

import (
	"bytes"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/testkit/servicetest"
	"go.mongodb.org/mongo-driver/v2/bson"
)

// paused is a body that is sent when it is let go. Reached tells that the service asks for it: it has looked at the case by then.
type paused struct {
	reached, free chan struct{}
	once          sync.Once
	body          io.Reader
}

func (p *paused) Read(b []byte) (int, error) {
	p.once.Do(func() { close(p.reached) })
	<-p.free

	return p.body.Read(b)
}

// begin sends a request up to its body, and returns when the service asks for that. What it returns sends the rest.
func (w *world) begin(c call) (finish func() answer) {
	w.t.Helper()
	body := &paused{reached: make(chan struct{}), free: make(chan struct{}), body: bytes.NewReader(c.Body)}
	req, err := http.NewRequestWithContext(w.t.Context(), c.Method, w.Base+c.Path, body)
	if err != nil {
		w.t.Fatal(err)
	}
	token, err := w.Signer.Token(c.Caller)
	if err != nil {
		w.t.Fatal(err)
	}
	req.ContentLength = int64(len(c.Body))
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Expect", "100-continue")

	for k, v := range c.Header {
		req.Header.Set(k, v)
	}
	transport := &http.Transport{ExpectContinueTimeout: time.Minute}
	w.t.Cleanup(transport.CloseIdleConnections)
	done := make(chan answer, 1)

	go func() {
		resp, err := transport.RoundTrip(req)
		if err != nil {
			done <- answer{Body: []byte(err.Error())}
			return
		}
		defer resp.Body.Close()
		text, _ := io.ReadAll(resp.Body)
		done <- answer{Status: resp.StatusCode, Header: resp.Header, Body: text}
	}()
	select {
	case <-body.reached:
	case a := <-done:
		w.t.Fatalf("%s %s was answered before its body was read: %d %s", c.Method, c.Path, a.Status, a.Body)
	}

	return func() answer {
		close(body.free)
		return <-done
	}
}

func uploadOf(t testing.TB, caller access.Caller, caseID string, parts ...part) call {
	contentType, body := form(t, parts...)
	return call{Method: http.MethodPost, Path: "/v1/cases/" + caseID + "/files", Caller: caller, Header: map[string]string{"Content-Type": contentType}, Body: body}
}

func entryOf(t testing.TB, caller access.Caller, timelineID string) call {
	t.Helper()
	entry := m{"kind": "fact", "title": "Notice was given", "when": m{"on": "2026-02-01", "precision": "day"}}

	return servicetest.JSON(t, caller, http.MethodPost, "/v1/timeline/"+timelineID+"/entries", entry)
}

// documents counts what the service keeps in a collection.
func (w *world) documents(collection string, filter ...bson.E) int {
	w.t.Helper()
	n, err := w.database().Collection(collection).CountDocuments(w.t.Context(), append(bson.D{}, filter...))
	if err != nil {
		w.t.Fatal(err)
	}

	return int(n)
}

// stored returns a branch and an entry as the store has them, but for their version and time.
func (w *world) stored(branchID, entryID string) map[string]bson.M {
	w.t.Helper()
	all := map[string]bson.M{}

	for collection, id := range map[string]string{"branches": branchID, "entries": entryID} {
		doc := bson.M{}
		if err := w.database().Collection(collection).FindOne(w.t.Context(), bson.D{{Key: "id", Value: id}}).Decode(&doc); err != nil {
			w.t.Fatal(err)
		}
		delete(doc, "version")
		delete(doc, "updatedAt")
		all[collection] = doc
	}

	return all
}

// What was admitted while the case was open does not come into it once it is closed or deleted.
func TestACaseThatEndsMeanwhileTakesNothing(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann := user("u:ann", "ann")

	for name, end := range map[string]struct {
		do     func(c api.Case)
		status int
		code   string
	}{
		"closed": {func(c api.Case) {
			into[api.Case](t, w.patch(ann, c.CaseID, m{"status": "closed", "closeReason": "declined"}), 200)
		}, 409, "case_closed"},
		"deleted": {func(c api.Case) {
			if a := w.do(call{Method: http.MethodDelete, Path: "/v1/cases/" + c.CaseID, Caller: ann}); a.Status != 204 {
				t.Fatalf("delete: %d %s", a.Status, a.Body)
			}
		}, 404, "not_found"},
	} {
		t.Run(name, func(t *testing.T) {
			c := w.newCase(ann, nil)
			file := w.begin(uploadOf(t, ann, c.CaseID, textFile("a.txt", complaint)))
			entry := w.begin(entryOf(t, ann, c.TimelineID))
			branch := w.newBranch(ann, m{"timelineId": c.TimelineID}).BranchID
			due := w.newEntry(ann, c.TimelineID, m{"kind": "deadline", "title": "Answer", "dueOn": "2026-12-31"}).EntryID
			was := w.stored(branch, due)
			renamed := w.begin(servicetest.JSON(t, ann, http.MethodPatch, "/v1/branch/"+branch, m{"title": "Late"}))
			archived := w.begin(servicetest.JSON(t, ann, http.MethodPatch, "/v1/branch/"+branch, m{"status": "archived"}))
			confirmed := w.begin(servicetest.JSON(t, ann, http.MethodPatch, "/v1/timeline/"+c.TimelineID+"/entries/"+due,
				m{"reviewStatus": "confirmed", "status": "confirmed", "responsibleUserId": "ann"}))
			end.do(c)

			for _, late := range []func() answer{renamed, archived, confirmed} {
				refused(t, late(), end.status, end.code)
			}
			if diff := cmp.Diff(was, w.stored(branch, due)); diff != "" {
				t.Errorf("what the case had (-was +is):\n%s", diff)
			}
			refused(t, file(), end.status, end.code)
			refused(t, entry(), end.status, end.code)

			for _, collection := range []string{"files", "fs.files", "fs.chunks", "texts", "uploads"} {
				if n := w.documents(collection); n != 0 {
					t.Errorf("%d documents in %s", n, collection)
				}
			}

			for _, kind := range []string{"fact", "file_added"} {
				if n := w.documents("entries", bson.E{Key: "kind", Value: kind}); n != 0 {
					t.Errorf("%d entries of kind %s", n, kind)
				}
			}
		})
	}
}

// Each upload has room when it begins; together they have not.
func TestUploadsAtTheSameMomentKeepTheQuota(t *testing.T) {
	t.Parallel()

	for name, limit := range map[string]map[string]string{"files": {"CASE_MAX_FILES": "2"}, "bytes": {"CASE_MAX_CASE_BYTES": "30"}} {
		t.Run(name, func(t *testing.T) {
			limit["CASE_UPLOADS_PER_CALLER"] = "6"
			w := start(t, limit)
			ann := user("u:ann", "ann")
			c := w.newCase(ann, nil)

			var uploads []func() answer
			for i := range 6 {
				uploads = append(uploads, w.begin(uploadOf(t, ann, c.CaseID, textFile("a.txt", "Text number "+string(rune('0'+i))+"."))))
			}

			answers := make(chan answer, len(uploads))
			for _, finish := range uploads {
				go func() { answers <- finish() }()
			}
			taken := 0

			for range uploads {
				switch a := <-answers; a.Status {
				case 201:
					taken++
				case 413:
					refused(t, a, 413, "case_quota_exceeded")
				default:
					t.Errorf("upload: %d %s", a.Status, a.Body)
				}
			}
			if got := len(into[api.Page[api.File]](t, w.get(ann, "/v1/cases/"+c.CaseID+"/files"), 200).Items); got != taken || got > 2 {
				t.Errorf("the case has %d files, %d were acknowledged, want at most 2", got, taken)
			}

			for range 2 { // whoever was refused for the sake of others may come again
				w.upload(ann, c.CaseID, nil, textFile("a.txt", "One more text."))
				w.upload(ann, c.CaseID, nil, textFile("a.txt", "One text more."))
			}
			if got := w.documents("files"); got != 2 {
				t.Errorf("the case has %d files in the end, want 2", got)
			}
		})
	}
}

// An agent that deletes its intake while a person works on it either loses against the work or comes before it.
func TestAnAgentDeletesWhileAPersonWorks(t *testing.T) {
	t.Parallel()
	w := start(t, nil)

	ann, robot := user("u:ann", "ann"), agent("u:ann", "ann")
	for range 8 {
		c := w.newCase(robot, nil)
		finish := w.begin(entryOf(t, ann, c.TimelineID))
		var both sync.WaitGroup
		var written, deleted answer
		both.Go(func() { written = finish() })
		both.Go(func() {
			deleted, _ = w.try(call{Method: http.MethodDelete, Path: "/v1/cases/" + c.CaseID, Caller: robot})
		})
		both.Wait()
		if gone := w.get(ann, "/v1/cases/"+c.CaseID).Status == 404; gone == (written.Status == 201) || gone != (deleted.Status == 204) {
			t.Errorf("the entry was answered %d %s, the deletion %d; the case is gone: %t", written.Status, written.Body, deleted.Status, gone)
		}
	}
}
