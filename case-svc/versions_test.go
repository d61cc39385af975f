package casesvc_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

func describing(text string) part { return part{"metadata", "", "application/json", []byte(text)} }

func TestVersionsOfAFile(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann := user("u:ann", "ann")
	c := w.newCase(ann, nil)
	files := "/v1/cases/" + c.CaseID + "/files"
	supersede := func(id, text string) answer {
		return w.upload(ann, c.CaseID, nil, textFile("lease.txt", text), describing(`[{"supersedesFileId":"`+id+`"}]`))
	}
	first := into[uploaded](t, w.upload(ann, c.CaseID, nil, textFile("lease.txt", complaint)), 201).Items[0]
	second := into[uploaded](t, supersede(first.FileID, "The rent is lower now."), 201).Items[0]
	if second.Revision != 2 || second.SupersedesFileID != first.FileID || second.DocType != "complaint" {
		t.Errorf("the newer version = %+v", second)
	}
	if old := into[api.File](t, w.get(ann, files+"/"+first.FileID), 200); old.Status != "superseded" || old.Version != 2 {
		t.Errorf("the older version = %s at version %d", old.Status, old.Version)
	}
	if page := into[api.Page[api.File]](t, w.get(ann, files), 200); len(page.Items) != 1 || page.Items[0].FileID != second.FileID {
		t.Errorf("active files = %+v", page.Items)
	}
	if page := into[api.Page[api.File]](t, w.get(ann, files+"?status=superseded"), 200); len(page.Items) != 1 || page.Items[0].FileID != first.FileID {
		t.Errorf("superseded files = %+v", page.Items)
	}
	if page := into[api.Page[api.File]](t, w.get(ann, files+"?q=locks"), 200); len(page.Items) != 0 {
		t.Errorf("a search finds the older version: %+v", page.Items)
	}
	refused(t, supersede(first.FileID, "Too late."), 409, "file_superseded")
	if same := into[uploaded](t, supersede(second.FileID, "The rent is lower now."), 200).Items[0]; !same.Duplicate || same.FileID != second.FileID {
		t.Errorf("the same bytes again = %+v", same)
	}
	if same := into[uploaded](t, supersede(first.FileID, "The rent is lower now."), 200).Items[0]; !same.Duplicate || same.FileID != second.FileID {
		t.Errorf("the same version again = %+v", same)
	}
	other := into[uploaded](t, w.upload(ann, c.CaseID, nil, textFile("other.txt", "Another text.")), 201).Items[0]
	refused(t, supersede(second.FileID, "Another text."), 400, "validation_failed")
	refused(t, supersede("0190a3b1-0000-7000-8000-00000000ffff", "x"), 400, "validation_failed")
	elsewhere := w.newCase(ann, nil)
	refused(t, w.upload(ann, elsewhere.CaseID, nil, textFile("a.txt", "x"), describing(`[{"supersedesFileId":"`+second.FileID+`"}]`)), 400, "validation_failed")
	two := describing(fmt.Sprintf(`[{"supersedesFileId":"%s"},{"supersedesFileId":"%s"}]`, second.FileID, other.FileID))
	refused(t, w.upload(ann, c.CaseID, nil, textFile("a.txt", "x"), textFile("b.txt", "y"), two), 400, "validation_failed")
}

func TestOneOfManyNewerVersionsWins(t *testing.T) {
	t.Parallel()
	w := start(t, map[string]string{"CASE_UPLOADS_PER_CALLER": "64"})
	ann := user("u:ann", "ann")
	c := w.newCase(ann, nil)
	id := into[uploaded](t, w.upload(ann, c.CaseID, nil, textFile("a.txt", "First.")), 201).Items[0].FileID
	var all sync.WaitGroup

	statuses := make([]int, 6)
	for i := range statuses {
		contentType, body := form(t, textFile("a.txt", fmt.Sprintf("Version of sender %d.", i)), textFile("beside.txt", fmt.Sprintf("Beside %d.", i)), describing(`[{"supersedesFileId":"`+id+`"},{}]`))
		all.Go(func() {
			a, err := w.try(call{Method: http.MethodPost, Path: "/v1/cases/" + c.CaseID + "/files", Caller: ann, Header: map[string]string{"Content-Type": contentType}, Body: body})
			if err == nil {
				statuses[i] = a.Status
			}
		})
	}
	all.Wait()
	won := 0

	for _, status := range statuses {
		switch status {
		case 201:
			won++
		case 409:
		default:
			t.Errorf("status %d", status)
		}
	}
	page := into[api.Page[api.File]](t, w.get(ann, "/v1/cases/"+c.CaseID+"/files"), 200)
	if won != 1 || len(page.Items) != 2 {
		t.Errorf("%d senders won, and the case has %d files, want one with both of its files", won, len(page.Items))
	}
}

func TestDeletedFiles(t *testing.T) {
	t.Parallel()
	w := start(t, map[string]string{"CASE_SWEEP_EVERY": "50ms"})
	ann, robot := user("u:ann", "ann"), agent("u:ann", "ann")
	c := w.newCase(ann, nil)
	files := "/v1/cases/" + c.CaseID + "/files"
	f := into[uploaded](t, w.upload(ann, c.CaseID, nil, textFile("a.txt", complaint)), 201).Items[0]
	path := files + "/" + f.FileID
	remove := func(header ...string) answer {
		h := map[string]string{}
		for i := 0; i+1 < len(header); i += 2 {
			h[header[i]] = header[i+1]
		}

		return w.do(call{Method: http.MethodDelete, Path: path, Caller: ann, Header: h})
	}
	if e := refused(t, w.do(call{Method: http.MethodDelete, Path: path, Caller: robot}), 403, "human_required"); e.DeepLink != "https://subrosa.test/i/files?case="+c.CaseID {
		t.Errorf("deep link = %s", e.DeepLink)
	}
	refused(t, remove("If-Match", `"7"`), 412, "version_mismatch")
	if a := remove("If-Match", `"1"`); a.Status != 204 {
		t.Fatalf("delete: %d %s", a.Status, a.Body)
	}

	for _, what := range []string{"", "/text", "/content"} {
		refused(t, w.get(ann, path+what), 404, "not_found")
	}
	refused(t, remove(), 404, "not_found")
	if page := into[api.Page[api.File]](t, w.get(ann, files+"?status=deleted"), 200); len(page.Items) != 1 {
		t.Errorf("deleted files = %+v", page.Items)
	}
	if c := into[api.Case](t, w.get(ann, "/v1/cases/"+c.CaseID), 200); c.Counts.Files != 0 {
		t.Errorf("the case counts %d files", c.Counts.Files)
	}
	again := into[uploaded](t, w.upload(ann, c.CaseID, nil, textFile("a.txt", complaint)), 201).Items[0]
	if again.FileID == f.FileID {
		t.Error("the deleted file came back")
	}
	w.clock.Advance(31 * 24 * time.Hour)
	testkit.Until(t, testkit.Patience, func() error {
		if page := into[api.Page[api.File]](t, w.get(ann, files+"?status=deleted"), 200); len(page.Items) != 0 {
			return fmt.Errorf("%d deleted files are left", len(page.Items))
		}

		return nil
	})
	if a := w.get(ann, files+"/"+again.FileID+"/content"); a.Status != 200 || string(a.Body) != complaint {
		t.Errorf("the file that stays: %d", a.Status)
	}
}

func TestClearances(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann, robot := user("u:ann", "ann"), agent("u:ann", "ann")
	c := w.newCase(ann, nil)
	clear := "/v1/cases/" + c.CaseID + "/files/clearances"
	file := textFile("a.txt", "The model is called 212-555-0143 by its maker, and [Party 1] sells it.")
	e := refused(t, w.upload(robot, c.CaseID, nil, file), 403, "identity_refused")
	mark := api.Mark{Path: e.Details[0].Path, Kind: e.Details[0].Kind, Start: *e.Details[0].Start, End: *e.Details[0].End}
	sum := sha256Hex(file.content)
	wrong := mark
	wrong.End--
	into[api.Clearance](t, w.json(ann, http.MethodPost, clear, api.Clearance{SHA256: sum, Marks: []api.Mark{wrong}}), 201)
	refused(t, w.upload(robot, c.CaseID, nil, file), 403, "identity_refused")
	if e := refused(t, w.json(robot, http.MethodPost, clear, api.Clearance{SHA256: sum, Marks: []api.Mark{mark}}), 403, "human_required"); !strings.Contains(e.DeepLink, "/i/redact_file?case=") {
		t.Errorf("deep link = %s", e.DeepLink)
	}
	if got := into[api.Clearance](t, w.json(ann, http.MethodPost, clear, api.Clearance{SHA256: sum, Marks: []api.Mark{mark}}), 201); len(got.Marks) != 2 {
		t.Errorf("clearance = %+v, want both marks", got)
	}
	other := w.newCase(ann, nil)
	refused(t, w.upload(robot, other.CaseID, nil, file), 403, "identity_refused")
	words := func(caseID string) []string {
		list, err := w.as(robot).ClearedWords(t.Context(), caseID)
		if err != nil {
			t.Fatal(err)
		}

		return list
	}
	if list := words(c.CaseID); len(list) != 0 {
		t.Errorf("%q is cleared of a file that is not there", list)
	}
	if f := into[uploaded](t, w.upload(robot, c.CaseID, nil, file), 201).Items[0]; !f.AgentReadable {
		t.Errorf("file = %+v", f)
	}
	if list := words(c.CaseID); !slices.Equal(list, []string{"212-555-0143"}) {
		t.Errorf("cleared are %q, want the number that was found and nothing else", list)
	}
	if list := words(other.CaseID); len(list) != 0 {
		t.Errorf("%q is cleared in another case", list)
	}
	if _, err := w.as(user("u:ben", "ben")).ClearedWords(t.Context(), c.CaseID); !errors.Is(err, errs.ErrNotFound) {
		t.Errorf("another tenant is told %v", err)
	}

	for name, in := range map[string]api.Clearance{
		"no digest": {SHA256: "x", Marks: []api.Mark{mark}}, "no marks": {SHA256: sum}, "a mark that ends early": {SHA256: sum, Marks: []api.Mark{{Path: "text", Kind: "phone", Start: 3, End: 2}}},
	} {
		t.Run(name, func(t *testing.T) { refused(t, w.json(ann, http.MethodPost, clear, in), 400, "validation_failed") })
	}
}

// What stands behind as many findings as one check tells of was never looked at, so clearing them clears nothing.
func TestAFileWithMoreFindingsThanAreToldIsNotCleared(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann := user("u:ann", "ann")
	c := w.newCase(ann, nil)
	text := strings.Repeat("Call 212-555-0143.\n", guard.MaxFindings) + "Mr Halvard Ostrowe signed.\n"

	var marks []api.Mark
	for _, f := range guard.New().Check(t.Context(), guard.FileText, text) {
		marks = append(marks, api.Mark{Path: "text", Kind: f.Kind, Start: f.Start, End: f.End})
	}
	file := textFile("a.txt", text)
	into[api.Clearance](t, w.json(ann, http.MethodPost, "/v1/cases/"+c.CaseID+"/files/clearances", api.Clearance{SHA256: sha256Hex(file.content), Marks: marks}), 201)
	refused(t, w.upload(ann, c.CaseID, nil, file), 403, "identity_refused")
}

func TestSealedOriginals(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann, robot := user("u:ann", "ann"), agent("u:ann", "ann")
	c := w.newCase(ann, nil)
	sealed := part{"file", "Document 1.sealed", "application/vnd.subrosa.sealed", []byte("SBRSEAL1" + strings.Repeat("\x9c\xff", 40))}
	told := refused(t, w.upload(robot, c.CaseID, nil, sealed), 403, "identity_refused")
	if told.Details[0].Kind != "operation" || !strings.Contains(told.Message, "Only a person can keep an original") ||
		told.DeepLink != "https://subrosa.test/i/redact_file?case="+c.CaseID {
		t.Errorf("an agent that keeps an original is told %+v", told)
	}
	original := into[uploaded](t, w.upload(ann, c.CaseID, nil, sealed), 201).Items[0]
	if original.AgentReadable || original.Extraction.Status != "encrypted" || original.DeidCheck.AttestedByUserID != "ann" {
		t.Errorf("sealed file = %+v", original)
	}
	refused(t, w.upload(robot, c.CaseID, nil, sealed), 403, "identity_refused") // nor does an agent learn that the case has these bytes
	refused(t, w.upload(robot, c.CaseID, nil, textFile("a.txt", "Instead."), describing(`[{"supersedesFileId":"`+original.FileID+`"}]`)), 400, "validation_failed")
	text := part{"file", "a.txt", "text/plain", []byte("SBRSEAL1" + strings.Repeat("x", 60))}
	into[uploaded](t, w.upload(ann, c.CaseID, nil, part{"file", "Document 2.sealed", sealed.mediaType, text.content}), 201)
	refused(t, w.upload(robot, c.CaseID, nil, text), 415, "media_type_mismatch")

	path := "/v1/cases/" + c.CaseID + "/files/" + original.FileID + "/content"
	for _, of := range []string{"", "/content", "/text"} {
		refused(t, w.get(robot, strings.TrimSuffix(path, "/content")+of), 404, "not_found")
	}
	if a := w.get(ann, path); a.Status != 200 || string(a.Body) != string(sealed.content) {
		t.Errorf("content for a person: %d", a.Status)
	}
	w.parties.has(c.CaseID, api.Roster{Parties: []api.Party{{Label: "[Party 2]"}}})
	linked := describing(`[{"sealedFileId":"` + original.FileID + `","producedBy":"[Party 2]"}]`)
	refused(t, w.upload(robot, c.CaseID, nil, textFile("a.txt", "Redacted."), linked), 403, "human_required")
	if f := into[uploaded](t, w.upload(ann, c.CaseID, nil, textFile("a.txt", "Redacted."), linked), 201).Items[0]; f.SealedFileID != original.FileID || f.ProducedBy != "[Party 2]" {
		t.Errorf("file = %+v", f)
	}

	for _, list := range []string{"/files?includeTotal=true", "/files", "/files?sort=name", "/files?extraction=encrypted"} {
		if a := w.get(robot, "/v1/cases/"+c.CaseID+list); a.Status != 200 || bytes.Contains(a.Body, []byte(original.FileID)) {
			t.Errorf("GET …%s tells an agent of an encrypted original: %s", list, a.Body)
		}
		if a := w.get(ann, "/v1/cases/"+c.CaseID+list); !bytes.Contains(a.Body, []byte(original.FileID)) {
			t.Errorf("GET …%s does not tell a person of it: %s", list, a.Body)
		}
	}
	if page := into[api.Page[api.File]](t, w.get(robot, "/v1/cases/"+c.CaseID+"/files?includeTotal=true"), 200); *page.Total != 1 {
		t.Errorf("an agent counts %d files, want the redacted one", *page.Total)
	}
	if a := w.get(robot, "/v1/workspace/case/"+c.CaseID); a.Status != 200 || bytes.Contains(a.Body, []byte(original.FileID)) {
		t.Errorf("a workspace tells an agent of it: %s", a.Body)
	}
	refused(t, w.upload(ann, c.CaseID, nil, textFile("b.txt", "b"), describing(`[{"sealedFileId":"0190a3b1-0000-7000-8000-00000000ffff"}]`)), 400, "validation_failed")
	refused(t, w.upload(ann, c.CaseID, nil, textFile("b.txt", "b"), describing(`[{"producedBy":"the landlord"}]`)), 400, "validation_failed")
	stranger := describing(`[{"producedBy":"[Party 3]"}]`)
	e := refused(t, w.upload(ann, c.CaseID, nil, textFile("b.txt", "b"), stranger), 400, "unknown_label")
	if len(e.Details) != 1 || e.Details[0].Path != "metadata[0].producedBy" {
		t.Errorf("details = %+v", e.Details)
	}
	w.parties.goAway(true)
	refused(t, w.upload(ann, c.CaseID, nil, textFile("b.txt", "b"), linked), 503, "unavailable")
	w.parties.goAway(false)
	into[uploaded](t, w.upload(ann, c.CaseID, nil, textFile("b.txt", "b"), describing(`[{"producedBy":"[Party 2]"}]`)), 201)
}

func TestPicturesAreKeptForPeople(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann := user("u:ann", "ann")
	c := w.newCase(ann, nil)
	picture := part{"file", "a.png", "image/png", []byte("\x89PNG\r\n\x1a\n0000")}
	f := into[uploaded](t, w.upload(ann, c.CaseID, nil, describing(`[{"attestation":true}]`), picture), 201).Items[0]
	if f.AgentReadable || f.Extraction.Status != "unsupported" || f.DeidCheck.Status != "attested" {
		t.Errorf("file = %+v", f)
	}
}

func TestFilesInOtherOrders(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann := user("u:ann", "ann")
	c := w.newCase(ann, nil)
	files := "/v1/cases/" + c.CaseID + "/files"

	for i, f := range []struct{ name, text, meta string }{
		{"a.txt", strings.Repeat("Nothing of interest stands here. ", 30) + "One word on rent.", `{"documentOn":"2026-02-01","privilege":"none"}`},
		{"b.txt", "Rent, rent and again rent: the rent is due.", `{"documentOn":"2025-12-31"}`},
		{"c.txt", "The weather was fine.", `{}`},
		{"d.txt", "The rent of March was late and the rent of April too.", `{"documentOn":"2026-03-01"}`},
	} {
		w.clock.Advance(time.Second)
		into[uploaded](t, w.upload(ann, c.CaseID, map[string]string{"Idempotency-Key": fmt.Sprint(i)}, textFile(f.name, f.text), describing("["+f.meta+"]")), 201)
	}

	for query, want := range map[string]string{
		"sort=documentOn":                      "c.txt b.txt a.txt d.txt",
		"from=2026-01-01":                      "d.txt a.txt",
		"to=2026-02-01":                        "b.txt a.txt",
		"from=2026-01-01&to=2026-02-28":        "a.txt",
		"privilege=none":                       "a.txt",
		"q=rent&sort=relevance":                "b.txt d.txt a.txt",
		"q=rent&sort=relevance&privilege=none": "a.txt",
		"q=404117&sort=relevance":              "", // a word that has no kindred words either
	} {
		t.Run(query, func(t *testing.T) {
			var names []string

			for path := files + "?limit=1&" + query; path != ""; {
				page := into[api.Page[api.File]](t, w.get(ann, path), 200)
				for _, f := range page.Items {
					names = append(names, f.Name)
				}
				path = ""
				if page.NextCursor != nil {
					path = files + "?limit=1&" + query + "&cursor=" + url.QueryEscape(*page.NextCursor)
				}
			}
			if got := strings.Join(names, " "); got != want {
				t.Errorf("files = %s, want %s", got, want)
			}
		})
	}
}

func sha256Hex(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

func TestPagesByRelevanceGoOnWhenTheirLastFileIsGone(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann := user("u:ann", "ann")
	c := w.newCase(ann, nil)

	files := "/v1/cases/" + c.CaseID + "/files"
	for i := range 4 {
		into[uploaded](t, w.upload(ann, c.CaseID, nil, textFile(fmt.Sprint(i, ".txt"), strings.Repeat("The rent is due. ", i+1)+strings.Repeat("Other words stand here. ", 9-i))), 201)
	}
	seen := map[string]int{}

	path := files + "?q=rent&sort=relevance&limit=1"
	for query := path; query != ""; {
		page := into[api.Page[api.File]](t, w.get(ann, query), 200)
		query = ""

		for _, f := range page.Items {
			if seen[f.Name]++; seen[f.Name] > 1 {
				t.Fatalf("%s came twice", f.Name)
			}
			if a := w.do(call{Method: http.MethodDelete, Path: files + "/" + f.FileID, Caller: ann}); a.Status != 204 {
				t.Fatalf("delete: %d %s", a.Status, a.Body)
			}
		}
		if page.NextCursor != nil {
			query = path + "&cursor=" + url.QueryEscape(*page.NextCursor)
		}
	}
	if len(seen) == 0 { // how many come depends on the scores, which move when files go
		t.Error("the pages gave nothing")
	}
}

// TestFilesAreSearchedAsQuestionsAre finds files by words of the same meaning, those with only hints behind them, and
// drafts last.
func TestFilesAreSearchedAsQuestionsAre(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann := user("u:ann", "ann")
	c := w.newCase(ann, nil)

	files := "/v1/cases/" + c.CaseID + "/files"
	for name, text := range map[string]string{
		"lease.txt":  "Either party may terminate this lease on notice.",
		"ledger.txt": "The ledger lists the rent of each month.",
	} {
		into[uploaded](t, w.upload(ann, c.CaseID, nil, textFile(name, text)), 201)
	}

	robot := agent("u:ann", "ann")
	in := beginning(c, api.CaseReq)
	w.json(robot, http.MethodPost, "/internal/phases", in)
	draft := draftOf(t, in.PhaseID, "Ledger, ledger, ledger: terminate the lease, terminate it.")
	if _, err := w.as(robot).SaveDraft(t.Context(), c.CaseID, draft); err != nil {
		t.Fatal(err)
	}

	for query, want := range map[string]string{"walk+away": "lease.txt", "quit": "lease.txt", "ledger": "ledger.txt"} {
		page := into[api.Page[api.File]](t, w.get(ann, files+"?sort=relevance&q="+query), 200)
		if len(page.Items) == 0 || page.Items[0].Name != want {
			t.Errorf("q=%s gives %d files, want %s first", query, len(page.Items), want)
		}
	}
}
