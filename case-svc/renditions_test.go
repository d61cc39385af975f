package casesvc_test

import (
	"archive/zip"
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/subrosa-legal/subrosa/case-svc/internal/mongostore"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/audit/chain"
	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"go.mongodb.org/mongo-driver/v2/bson"
)

// What is kept of a Word file is a rendition in two forms, and each of them is the file when it is sent again.
func TestADownloadedFileIsADuplicate(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann := user("u:ann", "ann")
	c := w.newCase(ann, nil)
	word := wordFile(
		t,
		"",
		"",
		"COMMERCIAL LEASE",
		"The rent is due on the first day of each month and [Party 1] pays it to [Party 2].",
	)

	for _, sent := range []part{
		{"file", "lease.docx", docxType, word},
		{"file", "complaint.pdf", "application/pdf", pleading()},
		{"file", "notice.html", "text/html", []byte("<!DOCTYPE html><title>Notice</title><p>[Party 4] pays the rent.</p>")},
		{"file", "notice.eml", "message/rfc822", []byte("From: [Party 4]\nTo: [Party 5]\nSubject: Notice\n\nThe lease ends with this month.\n")},
	} {
		answer := into[uploaded](t, w.upload(ann, c.CaseID, nil, sent), 201)
		f := answer.Items[0]
		if !strings.Contains(answer.Notice, "--keep-original") {
			t.Errorf("%s: the answer does not say how an original is kept: %q", sent.name, answer.Notice)
		}
		at := "/v1/cases/" + c.CaseID + "/files/" + f.FileID + "/content"
		copies := []part{sent, {"file", sent.name + ".md", "text/markdown", w.get(ann, at).Body}}
		if a := w.get(ann, at+"?form=docx"); sent.mediaType == docxType {
			if a.Status != 200 || f.Content.DOCX == nil || sha256Hex(a.Body) != f.Content.DOCX.SHA256 ||
				a.Header.Get("Content-Disposition") != "attachment; filename=lease.docx" {
				t.Fatalf("%s: as a Word file: %d, %v", sent.name, a.Status, a.Header)
			}
			copies = append(copies, part{"file", "again.docx", docxType, a.Body})
		} else {
			refused(t, a, 400, "invalid_parameter")
		}

		for _, again := range copies {
			answer := into[uploaded](t, w.upload(ann, c.CaseID, nil, again), 200)
			if twin := answer.Items[0]; !twin.Duplicate || twin.FileID != f.FileID || answer.Notice != "" {
				t.Errorf(
					"%s sent as %s is %s, a duplicate: %t; %q",
					sent.name,
					again.name,
					twin.FileID,
					twin.Duplicate,
					answer.Notice,
				)
			}
		}

		if a := w.get(ann, at, "If-None-Match", `"`+f.Content.SHA256+`"`); a.Status != 304 {
			t.Errorf("%s: asked again: %d", sent.name, a.Status)
		}
	}
	refused(
		t,
		w.get(ann, "/v1/cases/"+c.CaseID+"/files/"+w.newFile(ann, c).FileID+"/content?form=pdf"),
		400,
		"invalid_parameter",
	)
}

// newFile adds a text to a case.
func (w *world) newFile(ann access.Caller, c api.Case) api.File {
	w.t.Helper()
	return into[uploaded](w.t, w.upload(ann, c.CaseID, nil, textFile("a.txt", "A text of [Party 9].")), 201).Items[0]
}

// The room of a case is what is kept there, not what was sent.
func TestTheQuotaCountsContent(t *testing.T) {
	t.Parallel()
	w := start(t, map[string]string{"CASE_MAX_CASE_BYTES": "2500"})
	ann := user("u:ann", "ann")
	c := w.newCase(ann, nil)
	sent, kept := int64(0), int64(0)

	for n := range 5 {
		line := fmt.Sprintf("The landlord terminated the lease of [Party %d] without notice.", n+1)
		notice := part{"file", "notice.pdf", "application/pdf", pdfFile([]string{line, line})}
		f := into[uploaded](t, w.upload(ann, c.CaseID, nil, notice), 201).Items[0]
		sent, kept = sent+f.SizeBytes, kept+f.Content.SizeBytes
	}
	if sent <= 2500 || kept >= 1000 {
		t.Fatalf("sent were %d bytes, and %d are kept: this shows nothing", sent, kept)
	}
	refused(
		t,
		w.upload(ann, c.CaseID, nil, textFile("long.txt", strings.Repeat("The rent is due. ", 200))),
		413,
		"case_quota_exceeded",
	)
}

// What a person has cleared in a file that is kept as a rendition stays cleared when the rules change.
func TestAClearanceHoldsForTheRendition(t *testing.T) {
	t.Parallel()
	w := start(t, map[string]string{"CASE_SWEEP_EVERY": "100ms"})
	ann, robot := user("u:ann", "ann"), agent("u:ann", "ann")
	c := w.newCase(ann, nil)
	lines := []string{
		"LEASE | of * the _flat_",
		"The clerk Zebulon Quartermain took the lease of [Party 1].",
		"Call 415-555-0134 for the keys.",
		"The end.",
	}
	sent := map[string]part{
		"DOCX": {"file", "lease.docx", docxType, wordFile(t, "", "Ask Zebulon Quartermain.", lines...)},
		"PDF":  {"file", "lease.pdf", "application/pdf", pdfFile(lines)},
		"HTML": {
			"file",
			"lease.html",
			"text/html",
			[]byte("<!DOCTYPE html><h1>Lease</h1><p>" + strings.Join(lines, "</p><p>") + "</p>"),
		},
		"e-mail": {
			"file",
			"lease.eml",
			"message/rfc822",
			[]byte("From: [Party 4]\nTo: [Party 5]\nSubject: Lease\n\n" + strings.Join(lines, "\n\n") + "\n"),
		},
	}
	held := map[string]string{}

	for name, file := range sent {
		e := refused(t, w.upload(ann, c.CaseID, nil, file), 403, "identity_refused")
		into[api.Clearance](
			t,
			w.json(
				ann,
				http.MethodPost,
				"/v1/cases/"+c.CaseID+"/files/clearances",
				api.Clearance{SHA256: sha256Hex(file.content), Marks: marksIn(e.Details)},
			),
			201,
		)
		a := w.upload(ann, c.CaseID, nil, file)
		if a.Status != 201 {
			t.Fatalf("%s: after all was cleared: %d: %s", name, a.Status, a.Body)
		}
		f := into[uploaded](t, a, 201).Items[0]
		if !f.AgentReadable || f.DeidCheck.Status != "passed" {
			t.Errorf("%s: %+v", name, f.DeidCheck)
		}
		held[name] = f.FileID

		// The clearance is that of what was sent, as the person gave it, and one of the rendition with places in that.
		clearances := mongostore.NewClearances(w.database())
		given, err := clearances.Get(t.Context(), "u:ann", c.CaseID, sha256Hex(file.content))
		carried, other := clearances.Get(t.Context(), "u:ann", c.CaseID, f.Content.SHA256)
		if err != nil || other != nil || len(given.Marks) != len(e.Details) || len(carried.Marks) == 0 {
			t.Errorf("%s: cleared are %+v in what was sent, %v, and %+v in the rendition, %v", name, given.Marks, err, carried.Marks, other)
		}
	}
	docs := w.database().Collection("files")
	earlier := bson.D{{Key: "$set", Value: bson.D{{Key: "deidCheck.detectorVersion", Value: "earlier-1"}}}}
	if _, err := docs.UpdateMany(t.Context(), bson.D{}, earlier); err != nil {
		t.Fatal(err)
	}

	for name, id := range held {
		at := "/v1/cases/" + c.CaseID + "/files/" + id
		testkit.Until(t, testkit.Patience, func() error {
			f := into[api.File](t, w.get(ann, at), 200)
			if f.DeidCheck.DetectorVersion != guard.Version() {
				return fmt.Errorf("%s: not checked again yet", name)
			}
			if !f.AgentReadable {
				t.Errorf("%s: was taken from agents: %+v", name, f.DeidCheck)
			}

			return nil
		})
		if a := w.get(robot, at+"/content"); a.Status != 200 ||
			!strings.Contains(string(a.Body), "Zebulon Quartermain") {
			t.Errorf("%s: an agent gets %d: %s", name, a.Status, a.Body)
		}
	}
	other := into[uploaded](t, w.upload(ann, c.CaseID, nil, textFile("b.txt", "[Party 1] left.")), 201).Items[0]
	e := refused(
		t,
		w.upload(ann, c.CaseID, nil, textFile("c.txt", "Zebulon Quartermain left "+other.Name+".")),
		403,
		"identity_refused",
	)
	if len(e.Details) == 0 {
		t.Error("what is cleared in some bytes is cleared in others")
	}
}

// marksIn makes marks of what a refusal found.
func marksIn(found []errs.Detail) []api.Mark {
	var marks []api.Mark
	for _, d := range found {
		marks = append(marks, api.Mark{Path: d.Path, Kind: d.Kind, Start: *d.Start, End: *d.End})
	}

	return marks
}

// planted stands where no reader looks.
const planted = "Marguerite Zorbanek"

// hidden is a file with the planted name in a place of it. The fate is the path of the part in which the guard finds
// it, "-" and the kind as which it is dropped, or "refused".
type hidden struct {
	part
	fate string
}

// hidingPlaces are the files of the reader's own table.
func hidingPlaces(t *testing.T) (all []hidden) {
	t.Helper()
	archive, err := zip.OpenReader("../pkg/extract/testdata/hidingplaces.zip")
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	types := map[string]string{
		".docx": docxType,
		".odt":  extract.ODT,
		".pdf":  "application/pdf",
		".eml":  "message/rfc822",
		".html": "text/html",
	}

	for _, f := range archive.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(io.LimitReader(r, 1<<20))
		if err != nil {
			t.Fatal(err)
		}
		ending := path.Ext(f.Name)
		all = append(all, hidden{part{"file", "a" + ending, types[ending], content}, f.Comment})
	}

	return all
}

// What no reader sees is dropped and told by kind and count. No byte of it is stored, handed out, found or logged.
func TestWhatNobodyReadsIsDropped(t *testing.T) {
	t.Parallel()
	testkit.WithoutDetector(t)
	places := hidingPlaces(t)

	var kept, found atomic.Int64
	t.Run("places", func(t *testing.T) {
		for some := range slices.Chunk(places, 20) { // the embedded store reads all files there are for most questions
			t.Run(some[0].fate, func(t *testing.T) {
				t.Parallel()
				k, f := keptWithoutIt(t, some)
				kept.Add(int64(k))
				found.Add(int64(f))
			})
		}
	})
	if least := int64(len(places)) / 2; kept.Load() < least || found.Load() < least {
		t.Errorf("%d files are kept without the name and %d found, want %d", kept.Load(), found.Load(), least)
	}
}

// keptWithoutIt uploads files with the name in a hiding place to a service of their own. It wants the name nowhere, and
// reports how many files were taken and how many a search finds by what they say.
func keptWithoutIt(t *testing.T, places []hidden) (kept, found int) {
	t.Helper()
	w := start(t, nil)
	ann, robot := user("u:ann", "ann"), agent("u:ann", "ann")
	c := w.newCase(ann, nil)
	one := "/v1/cases/" + c.CaseID

	// The name itself is not taken where it can be read, else all of this shows nothing.
	refused(t, w.upload(ann, c.CaseID, nil, textFile("a.txt", planted+" pays the rent.")), 403, "identity_refused")

	for _, file := range places {
		if takenWithoutIt(t, w, robot, c.CaseID, file) {
			kept++
		}
	}

	exportsNothing(t, w, ann, one)
	refused(t, w.get(ann, one+"/files?q=Zorbanek"), 403, "identity_refused")
	a := w.get(robot, one+"/files?q=rent")
	if holds(a.Body) {
		t.Errorf("a search answers %s", a.Body)
	}

	storesNothing(t, w, kept > 0)
	if holds([]byte(w.logs.String())) {
		t.Error("the logs hold it")
	}

	for _, span := range w.spans.Ended() {
		if holds([]byte(fmt.Sprint(span.Name(), span.Attributes(), span.Events()))) {
			t.Errorf("the trace %s holds it", span.Name())
		}
	}

	return kept, len(into[api.Page[api.File]](t, a, 200).Items)
}

// takenWithoutIt uploads a file with the name in a hiding place and reports whether it was taken. It wants the name
// nowhere in what is answered, and either the kind that was dropped in the record or a refusal.
func takenWithoutIt(t *testing.T, w *world, who access.Caller, caseID string, file hidden) bool {
	t.Helper()
	a := w.upload(who, caseID, nil, file.part)
	kind, dropped := strings.CutPrefix(file.fate, "-")
	if holds(a.Body) {
		t.Errorf("%s: the answer says %s", file.fate, a.Body)
	}
	refused := a.Status >= 400 && a.Status < 500
	if taken := a.Status == 201 || a.Status == 200; dropped && !taken || !dropped && !refused {
		t.Errorf("%s of %s: %d: %s", file.fate, file.name, a.Status, a.Body)
		return false
	}
	if refused {
		return false
	}
	f := into[uploaded](t, a, a.Status).Items[0]
	counted := func(d api.DroppedCarriers) bool { return d.Kind == kind && d.Count > 0 }
	if a.Status == 201 && !slices.ContainsFunc(f.Dropped, counted) {
		t.Errorf("%s of %s: dropped %+v", file.fate, file.name, f.Dropped)
	}

	served := "/v1/cases/" + caseID + "/files/" + f.FileID
	if body := w.get(who, served+"/text").Body; holds(body) {
		t.Errorf("%s: the text says %s", file.fate, body)
	}
	if file.mediaType != docxType {
		return true // an export has what the others serve
	}

	for name, content := range unpacked(t, w.get(who, served+"/content?form=docx").Body) {
		if holds([]byte(content)) {
			t.Errorf("%s: the Word file holds it in %s", file.fate, name)
		}
	}

	return true
}

// storesNothing wants the database without what was planted. some says that it holds files.
func storesNothing(t *testing.T, w *world, some bool) {
	t.Helper()
	names, err := w.database().ListCollectionNames(t.Context(), bson.D{})
	if err != nil {
		t.Fatal(err)
	}

	for _, needed := range []string{"files", "texts", "fs.chunks", chain.Collection} {
		if some && !slices.Contains(names, needed) {
			t.Errorf("%s is not among what is stored: %v", needed, names)
		}
	}

	for _, name := range names {
		cursor, err := w.database().Collection(name).Find(t.Context(), bson.D{})
		if err != nil {
			t.Fatal(err)
		}

		for cursor.Next(t.Context()) {
			if holds(cursor.Current) {
				t.Errorf("it is stored in %s", name)
			}
		}
		if err := cursor.Err(); err != nil {
			t.Error(err)
		}
	}
}

// exportsNothing wants the export of a case without what was planted.
func exportsNothing(t *testing.T, w *world, who access.Caller, one string) {
	t.Helper()

	for name, content := range unpacked(t, w.get(who, one+"/export").Body) {
		if holds([]byte(content)) {
			t.Errorf("the export holds it in %s", name)
		}
	}
}

// holds reports whether bytes hold what was planted, in one piece or another, and in whatever archive.
func holds(content []byte) bool {
	text := strings.ToLower(string(content))

	return strings.Contains(text, "zorbanek") || strings.Contains(text, "kenabroz") ||
		strings.Contains(text, "z\x00o\x00r\x00b")
}
