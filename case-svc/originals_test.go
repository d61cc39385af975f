package casesvc_test

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/extract"
)

// sealedFile stores an encrypted original in a case.
func (w *world) sealedFile(who access.Caller, c api.Case, n int) api.File {
	w.t.Helper()
	name := fmt.Sprintf("Document %d.sealed", n)
	content := fmt.Sprintf("SBRSEAL1%060d", n)

	sealed := part{"file", name, extract.Sealed, []byte(content)}

	return into[uploaded](w.t, w.upload(who, c.CaseID, nil, sealed), 201).Items[0]
}

// page is an HTML file that says something of a party.
func page(n int) part {
	return part{
		"file",
		"notice.html",
		"text/html",
		fmt.Appendf(nil, "<!DOCTYPE html><p>[Party %d] pays the rent.</p>", n),
	}
}

func keeping(sealed ...api.File) part {
	entries := make([]string, len(sealed))
	for i, f := range sealed {
		if entries[i] = "{}"; f.FileID != "" {
			entries[i] = `{"sealedFileId":"` + f.FileID + `"}`
		}
	}

	return describing("[" + strings.Join(entries, ",") + "]")
}

// Whoever adds a file learns from the answer whether its original is kept, also when the file was there already.
func TestTheAnswerSaysWhetherOriginalsAreKept(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann, robot := user("u:ann", "ann"), agent("u:ann", "ann")
	c := w.newCase(ann, nil)
	sealed := w.sealedFile(ann, c, 1)

	kept := into[uploaded](t, w.upload(ann, c.CaseID, nil, keeping(sealed), page(1)), 201)
	if kept.Items[0].SealedFileID != sealed.FileID || !strings.Contains(kept.Notice, "The original is kept") {
		t.Errorf("kept: sealedFileId %q, %q", kept.Items[0].SealedFileID, kept.Notice)
	}
	at := "/v1/cases/" + c.CaseID + "/files/"
	if f := into[api.File](t, w.get(ann, at+kept.Items[0].FileID), 200); f.SealedFileID != sealed.FileID {
		t.Errorf("a person is shown %q", f.SealedFileID)
	}
	if a := w.get(robot, at+kept.Items[0].FileID); strings.Contains(string(a.Body), sealed.FileID) {
		t.Errorf("an agent learns of it: %s", a.Body)
	}
	lost := into[uploaded](t, w.upload(ann, c.CaseID, nil, page(2)), 201)
	if lost.Items[0].SealedFileID != "" || !strings.Contains(lost.Notice, "cannot give that back") {
		t.Errorf("lost: %q", lost.Notice)
	}
	mixed := into[uploaded](
		t,
		w.upload(ann, c.CaseID, nil, keeping(w.sealedFile(ann, c, 2), api.File{}), page(3), page(4)),
		201,
	)
	if !strings.Contains(mixed.Notice, "Only originals of files with a sealedFileId") {
		t.Errorf("one of two is kept: %q", mixed.Notice)
	}
	plain := into[uploaded](t, w.upload(ann, c.CaseID, nil, textFile("a.txt", "[Party 9] left.")), 201)
	if plain.Notice != "" {
		t.Errorf("bytes that are kept as they are: %q", plain.Notice)
	}

	// The file that was added without its original gets it later, and keeps the first one.
	first, second := w.sealedFile(ann, c, 3), w.sealedFile(ann, c, 4)
	late := into[uploaded](t, w.upload(ann, c.CaseID, nil, keeping(first), page(2)), 200)
	if f := late.Items[0]; !f.Duplicate || f.FileID != lost.Items[0].FileID || f.SealedFileID != first.FileID ||
		!strings.Contains(late.Notice, "The original is kept") {
		t.Errorf("kept later: %q, %q", f.SealedFileID, late.Notice)
	}
	again := into[uploaded](t, w.upload(ann, c.CaseID, nil, keeping(second), page(2)), 200)
	if f := again.Items[0]; f.SealedFileID != first.FileID {
		t.Errorf("kept again: %q, want the first %q", f.SealedFileID, first.FileID)
	}
	twin := into[uploaded](t, w.upload(robot, c.CaseID, nil, page(2)), 200)
	if twin.Notice != "" || twin.Items[0].SealedFileID != "" {
		t.Errorf("an agent that sends it again is told %q", twin.Notice)
	}
	recorded := 0

	for _, d := range w.deeds("u:ann") {
		if d.Action == "file.keep_original" && d.ID == lost.Items[0].FileID && d.Outcome == "ok" && d.Kind == "user" {
			recorded++
		}
	}
	if recorded != 1 {
		t.Errorf("that its original is kept is on record %d times", recorded)
	}

	// What is handed out of a file is not its original.
	content := w.get(ann, at+mixed.Items[1].FileID+"/content")
	md := part{"file", "notice.html.md", "text/markdown", content.Body}
	if f := into[uploaded](t, w.upload(ann, c.CaseID, nil, keeping(second), md), 200).Items[0]; !f.Duplicate ||
		f.SealedFileID != "" {
		t.Errorf("the original of a rendition that was sent is kept as that of the file: %+v", f.SealedFileID)
	}

	// An original that was deleted can be kept anew.
	if a := w.json(ann, http.MethodDelete, at+first.FileID, nil); a.Status != 204 {
		t.Fatal(a.Status)
	}
	if f := into[api.File](t, w.get(ann, at+lost.Items[0].FileID), 200); f.SealedFileID != "" {
		t.Errorf("a file whose original was deleted says that it is kept: %q", f.SealedFileID)
	}
	anew := into[uploaded](t, w.upload(ann, c.CaseID, nil, keeping(second), page(2)), 200).Items[0]
	if anew.SealedFileID != second.FileID {
		t.Errorf("kept anew: %q", anew.SealedFileID)
	}
}

// A search says how many places of the files that it went through nobody read, in whatever file it finds something.
func TestASearchCountsWhatNobodyRead(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann, robot := user("u:ann", "ann"), agent("u:ann", "ann")
	c := w.newCase(ann, nil)
	shows := `<!DOCTYPE html><p>[Party 1] pays the rent on the first day of each month, and the landlord keeps the building in good repair all the year.</p><img src="a.png" width="600" height="400"><p>[Party 2] left.</p>`
	f := into[uploaded](
		t,
		w.upload(
			ann,
			c.CaseID,
			nil,
			part{"file", "a.html", "text/html", []byte(shows)},
			textFile("b.txt", "[Party 3] pays the taxes."),
		),
		201,
	).Items
	if f[0].Unread.Count != 1 || f[0].Unread.Places[0].What != "picture" || f[1].Unread.Count != 0 {
		t.Fatalf("not read: %+v, %+v", f[0].Unread, f[1].Unread)
	}

	picture, plain := []string{f[0].FileID}, []string{f[1].FileID}
	for query, in := range map[string][]string{"taxes": nil, "rent": picture, "nothing of that": nil, "left": plain} {
		for _, caller := range []access.Caller{ann, robot} {
			asked := m{"query": query, "limit": 5}
			want := 1
			if in != nil {
				asked["fileIds"] = in
				want = f[slices.IndexFunc(f, func(f api.File) bool { return f.FileID == in[0] })].Unread.Count
			}
			a := w.json(caller, http.MethodPost, "/internal/cases/"+c.CaseID+"/search", asked)
			if got := into[api.SearchResult](t, a, 200); got.PlacesUnread != want {
				t.Errorf("%q in %v: %d places unread, want %d", query, in, got.PlacesUnread, want)
			}
		}
	}
	if a := w.get(robot, "/v1/cases/"+c.CaseID+"/files?q=rent"); into[api.Page[api.File]](t, a, 200).Items[0].Unread.Count != 1 {
		t.Errorf("a list: %s", a.Body)
	}
}

// With a file goes its sealed original, unless another file has the same one or a legal hold keeps both.
func TestASealedOriginalGoesWithItsFile(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann, owner := user("o:firm", "ann"), user("o:firm", "olga", access.RoleOwner)
	c := w.newCase(ann, nil)
	at := "/v1/cases/" + c.CaseID + "/files/"
	alone, shared := w.sealedFile(ann, c, 1), w.sealedFile(ann, c, 2)
	one := into[uploaded](t, w.upload(ann, c.CaseID, nil, keeping(alone), page(1)), 201).Items[0]
	two := into[uploaded](t, w.upload(ann, c.CaseID, nil, keeping(shared, shared), page(2), page(3)), 201).Items
	status := func(f api.File) int {
		t.Helper()
		return w.get(ann, at+f.FileID).Status
	}
	del := func(f api.File, want int) {
		t.Helper()
		if a := w.json(ann, http.MethodDelete, at+f.FileID, nil); a.Status != want {
			t.Errorf("delete %s: %d: %s", f.Name, a.Status, a.Body)
		}
	}
	hold := func(on bool) {
		t.Helper()
		into[api.Case](
			t,
			w.json(owner, http.MethodPatch, "/v1/cases/"+c.CaseID, m{"retention": m{"legalHold": on}}),
			200,
		)
	}

	hold(true)
	del(one, 409)
	if status(one) != 200 || status(alone) != 200 {
		t.Error("a legal hold keeps neither the file nor its original")
	}
	hold(false)
	del(one, 204)
	if status(one) != 404 || status(alone) != 404 {
		t.Errorf("after the file was deleted, its original answers %d", status(alone))
	}
	del(two[0], 204)
	if status(shared) != 200 {
		t.Error("an original that another file has is gone")
	}
	del(two[1], 204)
	if status(shared) != 404 {
		t.Error("the original of two deleted files is left")
	}
	del(one, 404)

	deleted := map[string]int{}

	for _, d := range w.deeds("o:firm") {
		if d.Action == "file.delete" && d.Kind == "user" && d.Outcome == "ok" {
			deleted[d.ID]++
		}
	}

	for _, f := range []api.File{one, alone, two[0], two[1], shared} {
		if deleted[f.FileID] != 1 {
			t.Errorf("that %s was deleted is on record %d times", f.Name, deleted[f.FileID])
		}
	}
}

// Whatever an agent reads of a case is the same whether an original was kept or not, but for the ids and versions of
// the case; so it stays when the original is deleted.
func TestAgentsNeverLearnOfASealedOriginal(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann, robot := user("u:ann", "ann"), agent("u:ann", "ann")
	c := w.newCase(ann, nil)
	at := "/v1/cases/" + c.CaseID
	sealed := w.sealedFile(ann, c, 1)
	kept := into[uploaded](t, w.upload(ann, c.CaseID, nil, keeping(sealed), page(1)), 201).Items[0]
	alone := w.sealedFile(ann, c, 2)

	look := func(moment string) {
		t.Helper()
		unknown := "0190a3b1-0000-7000-8000-00000000ffff"

		for _, of := range []string{"", "/content", "/text", "/text?from=1"} {
			want := refused(t, w.get(robot, at+"/files/"+unknown+of), 404, "not_found")
			got := refused(t, w.get(robot, at+"/files/"+sealed.FileID+of), 404, "not_found")
			if got.Message != want.Message || got.DeepLink != want.DeepLink || len(got.Details) != len(want.Details) {
				t.Errorf("%s: GET …%s of a sealed file: %+v, want as of an unknown one: %+v", moment, of, got, want)
			}
		}

		for _, path := range []string{
			"/v1/timeline/" + c.TimelineID, "/v1/workspace/case/" + c.CaseID,
			at + "/files?includeTotal=true", at,
		} {
			if a := w.get(robot, path); bytes.Contains(a.Body, []byte("sealed")) {
				t.Errorf("%s: GET %s tells an agent of a sealed original: %s", moment, path, a.Body)
			}
		}
		if got := into[api.Case](t, w.get(robot, at), 200); got.Counts.Files != 1 {
			t.Errorf("%s: the case counts %d files, want 1", moment, got.Counts.Files)
		}
		if got := into[api.Timeline](t, w.get(robot, "/v1/timeline/"+c.TimelineID), 200); got.Counts.Entries != 1 {
			t.Errorf("%s: the timeline counts %d entries, want the one of the file", moment, got.Counts.Entries)
		}

		for _, who := range []access.Caller{robot, ann} { // what a person's answer says is read by agents
			query := api.SearchCase{Query: "rent", Limit: 5}
			a := w.json(who, http.MethodPost, "/internal/cases/"+c.CaseID+"/search", query)
			if got := into[api.SearchResult](t, a, 200); got.FilesRead != 1 || got.FilesUnreadable != 0 {
				t.Errorf("%s: a search of %s read %d files, and not %d",
					moment, who.Kind, got.FilesRead, got.FilesUnreadable)
			}
			in := api.SearchCase{Query: "rent", Limit: 5, FileIDs: []string{sealed.FileID}}
			refused(t, w.json(who, http.MethodPost, "/internal/cases/"+c.CaseID+"/search", in), 404, "not_found")
		}
	}

	look("kept")
	if a := w.json(ann, http.MethodDelete, at+"/files/"+alone.FileID, nil); a.Status != 204 {
		t.Fatalf("delete: %d: %s", a.Status, a.Body)
	}
	look("after one was deleted")
	if f := into[api.File](t, w.get(ann, at+"/files/"+kept.FileID), 200); f.SealedFileID != sealed.FileID {
		t.Errorf("a person is shown %q", f.SealedFileID)
	}
}
