package casesvc_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/authn"
	"github.com/subrosa-legal/subrosa/pkg/errs"
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
