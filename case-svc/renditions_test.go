package casesvc_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/audit/chain"
	"github.com/subrosa-legal/subrosa/pkg/authn"
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
	word := wordFile(t, "", "", "COMMERCIAL LEASE", "The rent is due on the first day of each month and [Party 1] pays it to [Party 2].")

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
			if a.Status != 200 || f.Content.DOCX == nil || sha256Hex(a.Body) != f.Content.DOCX.SHA256 || a.Header.Get("Content-Disposition") != "attachment; filename=lease.docx" {
				t.Fatalf("%s: as a Word file: %d, %v", sent.name, a.Status, a.Header)
			}
			copies = append(copies, part{"file", "again.docx", docxType, a.Body})
		} else {
			refused(t, a, 400, "invalid_parameter")
		}

		for _, again := range copies {
			answer := into[uploaded](t, w.upload(ann, c.CaseID, nil, again), 200)
			if twin := answer.Items[0]; !twin.Duplicate || twin.FileID != f.FileID || answer.Notice != "" {
				t.Errorf("%s sent as %s is %s, a duplicate: %t; %q", sent.name, again.name, twin.FileID, twin.Duplicate, answer.Notice)
			}
		}

		if a := w.get(ann, at, "If-None-Match", `"`+f.Content.SHA256+`"`); a.Status != 304 {
			t.Errorf("%s: asked again: %d", sent.name, a.Status)
		}
	}
	refused(t, w.get(ann, "/v1/cases/"+c.CaseID+"/files/"+w.newFile(ann, c).FileID+"/content?form=pdf"), 400, "invalid_parameter")
}

// newFile adds a text to a case.
func (w *world) newFile(ann authn.Caller, c api.Case) api.File {
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
		f := into[uploaded](t, w.upload(ann, c.CaseID, nil, part{"file", "notice.pdf", "application/pdf", pdfFile([]string{line, line})}), 201).Items[0]
		sent, kept = sent+f.SizeBytes, kept+f.Content.SizeBytes
	}
	if sent <= 2500 || kept >= 1000 {
		t.Fatalf("sent were %d bytes, and %d are kept: this shows nothing", sent, kept)
	}
	refused(t, w.upload(ann, c.CaseID, nil, textFile("long.txt", strings.Repeat("The rent is due. ", 200))), 413, "case_quota_exceeded")
}

// What a person has cleared in a file that is kept as a rendition stays cleared when the rules change.
func TestAClearanceHoldsForTheRendition(t *testing.T) {
	t.Parallel()
	w := start(t, map[string]string{"CASE_SWEEP_EVERY": "20ms"})
	ann, robot := user("u:ann", "ann"), agent("u:ann", "ann")
	c := w.newCase(ann, nil)
	lines := []string{"LEASE | of * the _flat_", "The clerk Zebulon Quartermain took the lease of [Party 1].", "Call 415-555-0134 for the keys.", "The end."}
	sent := map[string]part{
		"DOCX":   {"file", "lease.docx", docxType, wordFile(t, "", "Ask Zebulon Quartermain.", lines...)},
		"PDF":    {"file", "lease.pdf", "application/pdf", pdfFile(lines)},
		"HTML":   {"file", "lease.html", "text/html", []byte("<!DOCTYPE html><h1>Lease</h1><p>" + strings.Join(lines, "</p><p>") + "</p>")},
		"e-mail": {"file", "lease.eml", "message/rfc822", []byte("From: [Party 4]\nTo: [Party 5]\nSubject: Lease\n\n" + strings.Join(lines, "\n\n") + "\n")},
	}
	held := map[string]string{}

	for name, file := range sent {
		e := refused(t, w.upload(ann, c.CaseID, nil, file), 403, "identity_refused")
		into[api.Clearance](t, w.json(ann, http.MethodPost, "/v1/cases/"+c.CaseID+"/files/clearances", api.Clearance{SHA256: sha256Hex(file.content), Marks: marksIn(e.Details)}), 201)
		a := w.upload(ann, c.CaseID, nil, file)
		if a.Status != 201 {
			t.Fatalf("%s: after all was cleared: %d: %s", name, a.Status, a.Body)
		}
		f := into[uploaded](t, a, 201).Items[0]
		if !f.AgentReadable || f.DeidCheck.Status != "passed" {
			t.Errorf("%s: %+v", name, f.DeidCheck)
		}
		held[name] = f.FileID
	}
	docs := w.database().Collection("files")
	if _, err := docs.UpdateMany(t.Context(), bson.D{}, bson.D{{Key: "$set", Value: bson.D{{Key: "deidCheck.detectorVersion", Value: "earlier-1"}}}}); err != nil {
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
		if a := w.get(robot, at+"/content"); a.Status != 200 || !strings.Contains(string(a.Body), "Zebulon Quartermain") {
			t.Errorf("%s: an agent gets %d: %s", name, a.Status, a.Body)
		}
	}
	other := into[uploaded](t, w.upload(ann, c.CaseID, nil, textFile("b.txt", "[Party 1] left.")), 201).Items[0]
	e := refused(t, w.upload(ann, c.CaseID, nil, textFile("c.txt", "Zebulon Quartermain left "+other.Name+".")), 403, "identity_refused")
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
const planted = "Zebulon Quartermain"

// hidingPlaces are files that carry a name where nobody reads it, by what the record calls that.
func hidingPlaces(t *testing.T) map[string]part {
	t.Helper()
	const text = "[Party 1] pays the rent on the first day of each month."

	page := func(head, tag string) part {
		return part{"file", "a.html", "text/html", []byte("<!DOCTYPE html><html><head><title>Rent</title>" + head + "</head><body><p " + tag + ">" + text + "</p></body></html>")}
	}
	paper := func(trailer string) part {
		line := text + " The landlord keeps the roof of the house in good repair."
		whole := strings.Replace(string(pdfFile([]string{line, line})), "trailer\n<< ", "trailer\n<< "+trailer+" ", 1)

		return part{"file", "a.pdf", "application/pdf", []byte(whole)}
	}
	message := func(header, behind string) part {
		return part{"file", "a.eml", "message/rfc822", []byte("From: [Party 1]\nTo: [Party 2]\nSubject: Rent\n" + header + "\n" + text + "\n" + behind)}
	}

	return map[string]part{
		"DOCX, author":           {"file", "a.docx", docxType, wordFile(t, planted, "", text)},
		"HTML, author":           page(`<meta name="author" content="`+planted+`">`, ""),
		"HTML, comment":          page("<!-- "+planted+" -->", ""),
		"HTML, script":           page("<script>var client = '"+planted+"'</script>", ""),
		"HTML, style":            page("<style>p::after { content: '"+planted+"' }</style>", ""),
		"HTML, attribute":        page("", `data-client="`+planted+`"`),
		"HTML, link to a person": page("", `><a href="mailto:`+planted+`">Write</a`),
		"PDF, author":            paper("/Info << /Author (" + planted + ") >>"),
		"PDF, producer":          paper("/Info << /Producer (" + planted + ") >>"),
		"PDF, private data":      paper("/PieceInfo << /App << /Private (" + planted + ") >> >>"),
		"PDF, unknown key":       paper("/Client (" + planted + ")"),
		"e-mail, own header":     message("X-Client: "+planted+"\n", ""),
		"e-mail, path":           message("Received: from "+planted+" by mx\n", ""),
	}
}

// What no reader sees is dropped and told by kind and count. No byte of it is stored, handed out, found or logged.
func TestWhatNobodyReadsIsDropped(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann, robot := user("u:ann", "ann"), agent("u:ann", "ann")
	c := w.newCase(ann, nil)
	one := "/v1/cases/" + c.CaseID

	// The name itself is not taken where it can be read, else all of this shows nothing.
	refused(t, w.upload(ann, c.CaseID, nil, textFile("a.txt", planted+" pays the rent.")), 403, "identity_refused")

	for name, file := range hidingPlaces(t) {
		if !strings.Contains(string(file.content), planted) && file.mediaType != docxType {
			t.Fatalf("%s: nothing is planted", name)
		}
		a := w.upload(robot, c.CaseID, nil, file)
		if a.Status != 201 && a.Status != 200 {
			t.Errorf("%s: %d: %s", name, a.Status, a.Body)
			continue
		}
		f := into[uploaded](t, a, a.Status).Items[0]
		if len(f.Dropped) == 0 {
			t.Errorf("%s: nothing was dropped", name)
		}

		for _, d := range f.Dropped {
			if !slices.Contains(extract.DroppedKinds(), d.Kind) || d.Count < 1 {
				t.Errorf("%s: dropped %+v", name, d)
			}
		}

		for _, route := range []string{"", "/text", "/content", "/content?form=docx"} {
			if body := w.get(robot, one+"/files/"+f.FileID+route).Body; holds(body) {
				t.Errorf("%s: %s says %s", name, route, body)
			}
		}
	}
	archive := unpacked(t, w.get(ann, one+"/export").Body)

	for name, content := range archive {
		if holds([]byte(content)) {
			t.Errorf("the export holds it in %s", name)
		}
	}
	refused(t, w.get(ann, one+"/files?q=Quartermain"), 403, "identity_refused")
	if a := w.get(robot, one+"/files?q=rent"); a.Status != 200 || len(into[api.Page[api.File]](t, a, 200).Items) == 0 || holds(a.Body) {
		t.Errorf("a search answers %d: %s", a.Status, a.Body)
	}

	for _, collection := range []string{"files", "texts", "fs.files", "fs.chunks", "uploads", "clearances", chain.Collection, "entries", "intents"} {
		cursor, err := w.database().Collection(collection).Find(t.Context(), bson.D{})
		if err != nil {
			t.Fatal(err)
		}

		for cursor.Next(t.Context()) {
			if holds(cursor.Current) {
				t.Errorf("it is stored in %s", collection)
			}
		}
		if err := cursor.Err(); err != nil {
			t.Error(err)
		}
	}
	if holds([]byte(w.logs.String())) {
		t.Error("the logs hold it")
	}

	for _, span := range w.spans.Ended() {
		if holds([]byte(fmt.Sprint(span.Name(), span.Attributes(), span.Events()))) {
			t.Errorf("the trace %s holds it", span.Name())
		}
	}
}

// holds reports whether bytes hold what was planted, in one piece or another, and in whatever archive.
func holds(content []byte) bool {
	text := strings.ToLower(string(content))
	return strings.Contains(text, "quartermain") || strings.Contains(text, "zebulon") || strings.Contains(text, "q\x00u\x00a\x00r\x00t")
}
