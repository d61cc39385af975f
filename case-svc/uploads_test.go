package casesvc_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"github.com/subrosa-legal/subrosa/pkg/access"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/rendition"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

type uploaded = api.FileItems

func (w *world) newCase(caller access.Caller, body m) api.Case {
	w.t.Helper()
	return into[api.Case](w.t, w.json(caller, http.MethodPost, "/v1/cases", body), 201)
}

// empty checks that nothing of an upload is left in the scratch folder.
func empty(t *testing.T, dir string) {
	t.Helper()
	list, err := os.ReadDir(filepath.Join(dir, "uploads"))
	if err != nil || len(list) != 0 {
		t.Errorf("%d entries are left in the scratch folder, %v", len(list), err)
	}
}

func TestUploadsThatAreTaken(t *testing.T) {
	t.Parallel()
	spool := filepath.Join(t.TempDir(), "spool")
	w := start(t, map[string]string{"CASE_SPOOL_DIR": spool})
	ann := user("u:ann", "ann")
	word := wordFile(t, "", "", "COMMERCIAL LEASE", "The rent is due on the first day of each month and [Party 1] pays it to [Party 2].", "By: /s/ [Person 1]")

	utf16Text := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune("Brief an [Party 1] über die Kündigung.")) {
		utf16Text = append(utf16Text, byte(u), byte(u>>8))
	}

	for _, tc := range []struct {
		name string
		part part
		want api.File
	}{
		{"text", textFile("complaint.txt", complaint), api.File{MediaType: "text/plain", DocType: "complaint", DocTypeBasis: "rule", Findings: api.FileFindings{Labels: []string{"[Party 1]", "[Address 1]", "[Party 2]"}}, Extraction: api.Extraction{Status: "ok", Method: "text", Pages: 1, TextVersion: 1}}},
		{"markdown", part{"file", "notes.md", "text/markdown", []byte("# Notes\n\nAbout [Party 3] and the lease.")}, api.File{MediaType: "text/markdown", DocType: "unknown", DocTypeBasis: "unknown", Findings: api.FileFindings{Labels: []string{"[Party 3]"}}, Extraction: api.Extraction{Status: "ok", Method: "text", Pages: 1, TextVersion: 1}}},
		{"UTF-16", part{"file", "brief.txt", "text/plain", utf16Text}, api.File{MediaType: "text/plain", DocType: "unknown", DocTypeBasis: "unknown", Findings: api.FileFindings{Labels: []string{"[Party 1]"}}, Extraction: api.Extraction{Status: "ok", Method: "text", Pages: 1, TextVersion: 1}}},
		{"PDF", part{"file", "complaint.pdf", "application/pdf", pleading()}, api.File{MediaType: "application/pdf", DocType: "complaint", DocTypeBasis: "rule", Findings: api.FileFindings{Labels: []string{"[Party 1]", "[Party 2]"}}, Extraction: api.Extraction{Status: "ok", Method: "pdf", Pages: 2, TextVersion: 1}}},
		{"DOCX", part{"file", "lease.docx", docxType, word}, api.File{MediaType: docxType, DocType: "executed_agreement", DocTypeBasis: "rule", Findings: api.FileFindings{Labels: []string{"[Party 1]", "[Party 2]", "[Person 1]"}}, Extraction: api.Extraction{Status: "ok", Method: "docx", Pages: 1, TextVersion: 1}}},
		{"HTML", part{"file", "page.html", "text/html", []byte("<!DOCTYPE html><title>Notes</title><p>[Party 4] pays the rent.</p>")}, api.File{MediaType: "text/html", DocType: "unknown", DocTypeBasis: "unknown", Findings: api.FileFindings{Labels: []string{"[Party 4]"}}, Extraction: api.Extraction{Status: "ok", Method: "html", Pages: 1, TextVersion: 1}}},
		{"CSV", part{"file", "ledger.csv", "text/csv", []byte("month,paid by,state\nMarch,[Party 4],late\n")}, api.File{MediaType: "text/csv", DocType: "unknown", DocTypeBasis: "unknown", Findings: api.FileFindings{Labels: []string{"[Party 4]"}}, Extraction: api.Extraction{Status: "ok", Method: "csv", Pages: 1, TextVersion: 1}}},
		{"JSON", part{"file", "lease.json", "application/json", []byte(`{"tenant":"[Party 4]","landlord":"[Party 5]"}`)}, api.File{MediaType: "application/json", DocType: "unknown", DocTypeBasis: "unknown", Findings: api.FileFindings{Labels: []string{"[Party 4]", "[Party 5]"}}, Extraction: api.Extraction{Status: "ok", Method: "json", Pages: 1, TextVersion: 1}}},
		{"e-mail", part{"file", "notice.eml", "message/rfc822", []byte("From: [Party 4]\nTo: [Party 5]\nSubject: Notice\n\nThe lease ends with this month.\n")}, api.File{MediaType: "message/rfc822", DocType: "unknown", DocTypeBasis: "unknown", Findings: api.FileFindings{Labels: []string{"[Party 4]", "[Party 5]"}}, Extraction: api.Extraction{Status: "ok", Method: "email", Pages: 1, TextVersion: 1}}},
		{"bytes of no declared type", part{"file", "x.md", "application/octet-stream", []byte("# Other notes on [Party 9]")}, api.File{MediaType: "text/markdown", DocType: "unknown", DocTypeBasis: "unknown", Findings: api.FileFindings{Labels: []string{"[Party 9]"}}, Extraction: api.Extraction{Status: "ok", Method: "text", Pages: 1, TextVersion: 1}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := w.newCase(ann, nil)
			a := w.upload(ann, c.CaseID, nil, tc.part)
			got := into[uploaded](t, a, 201).Items[0]
			if a.Header.Get("Location") != "/v1/cases/"+c.CaseID+"/files/"+got.FileID {
				t.Errorf("location = %s", a.Header.Get("Location"))
			}
			sum := sha256.Sum256(tc.part.content)
			want := tc.want
			want.FileID, want.CaseID, want.Version, want.Name, want.Revision, want.Status = got.FileID, c.CaseID, 1, tc.part.name, 1, "active"
			want.SizeBytes, want.SHA256, want.Privilege, want.AgentReadable = int64(len(tc.part.content)), hex.EncodeToString(sum[:]), "work_product", true
			want.Source.Origin, want.UploadedBy, want.CreatedAt = "upload", api.Actor{Kind: "user", ID: "ann", UserID: "ann"}, api.At(w.clock.Now())
			want.DeidCheck = api.DeidCheck{Status: "passed", DetectorVersion: got.DeidCheck.DetectorVersion, At: api.At(w.clock.Now())}
			name := tc.part.name
			if want.Content = got.Content; rendition.Needed(want.MediaType) {
				name += ".md"
			} else {
				same := api.FileForm{MediaType: want.MediaType, SizeBytes: want.SizeBytes, SHA256: want.SHA256}
				want.Content = &api.FileContent{FileForm: same, Renderer: "none"}
			}
			want.Dropped, want.Unread.Places = got.Dropped, []api.UnreadPlace{}
			x := got.Extraction
			want.Extraction.Chars, want.Extraction.CharsPerPage, want.Extraction.Language, want.Extraction.TextSHA256 = x.Chars, x.CharsPerPage, x.Language, x.TextSHA256
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("file (-want +got):\n%s", diff)
			}
			if x.Chars == 0 || len(x.TextSHA256) != 64 || got.DeidCheck.DetectorVersion == "" {
				t.Errorf("extraction = %+v, check = %+v", x, got.DeidCheck)
			}
			there := into[api.File](t, w.get(ann, "/v1/cases/"+c.CaseID+"/files/"+got.FileID), 200)
			if diff := cmp.Diff(got, there); diff != "" {
				t.Errorf("what was answered is not what is there:\n%s", diff)
			}
			content := w.get(agent("u:ann", "ann"), "/v1/cases/"+c.CaseID+"/files/"+got.FileID+"/content")
			if content.Status != 200 || sha256Hex(content.Body) != got.Content.SHA256 ||
				int64(len(content.Body)) != got.Content.SizeBytes {
				t.Errorf("content: status %d, %d bytes: %s", content.Status, len(content.Body), content.Body)
			}
			if !rendition.Needed(want.MediaType) && !bytes.Equal(content.Body, tc.part.content) {
				t.Error("the content is not what was sent")
			}

			for header, want := range map[string]string{
				"Content-Type": got.Content.MediaType, "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "Content-Disposition": "attachment; filename=" + name,
				"ETag": `"` + got.Content.SHA256 + `"`, "Content-Length": strconv.FormatInt(got.Content.SizeBytes, 10),
				"Content-Security-Policy": "default-src 'none'; sandbox",
			} {
				if content.Header.Get(header) != want {
					t.Errorf("%s = %q, want %q", header, content.Header.Get(header), want)
				}
			}
			if c := into[api.Case](t, w.get(ann, "/v1/cases/"+c.CaseID), 200); c.Counts.Files != 1 || c.Version != 2 {
				t.Errorf("the case counts %d files at version %d", c.Counts.Files, c.Version)
			}
			empty(t, spool)
		})
	}
}

func TestUploadsThatAreRefused(t *testing.T) {
	t.Parallel()
	spool := filepath.Join(t.TempDir(), "spool")
	w := start(t, map[string]string{"CASE_SPOOL_DIR": spool, "CASE_MAX_FILE_BYTES": "100000", "CASE_MAX_FILE_PAGES": "10"})
	ann, robot := user("u:ann", "ann"), agent("u:ann", "ann")

	c := w.newCase(ann, nil)
	for _, tc := range []struct {
		name   string
		part   part
		status int
		code   string
		path   string // of the first detail
	}{
		{"empty", textFile("a.txt", ""), 400, "empty_file", ""},
		{"white space only", textFile("a.txt", " \n\t\n"), 400, "empty_file", ""},
		{"too large", textFile("a.txt", strings.Repeat("word ", 30000)), 413, "file_too_large", ""},
		{"too many pages", part{"file", "a.pdf", "application/pdf", scan(11)}, 413, "too_many_pages", ""},
		{"too long a text", textFile("a.txt", strings.Repeat("word ", 15000)), 413, "too_many_pages", ""},
		{"a sound", part{"file", "a.mp3", "audio/mpeg", []byte("ID3\x04\x00\x00\x00\x00\x00\x00")}, 415, "unsupported_media_type", ""},
		{"a picture", part{"file", "a.png", "image/png", []byte("\x89PNG\r\n\x1a\n0000")}, 403, "identity_unverifiable", ""},
		{"a page of HTML called PDF", part{"file", "a.pdf", "application/pdf", []byte("<!DOCTYPE html><p>Text")}, 415, "media_type_mismatch", ""},
		{"an e-mail address in a link", part{"file", "a.html", "text/html", []byte(`<!DOCTYPE html><p>Text <a href="https://files.test/ann@example.com">x</a>`)}, 403, "identity_refused", "links"},
		{"an e-mail address in hidden HTML", part{"file", "a.html", "text/html", []byte(`<!DOCTYPE html><p>Text<i hidden>ann@example.com</i>`)}, 403, "identity_refused", "hiddenText"},
		{"an e-mail address in a cell", part{"file", "a.csv", "text/csv", []byte("who,sum\nann@example.com,2\n")}, 403, "identity_refused", "text"},
		{"an e-mail address behind an escape", part{"file", "a.json", "application/json", []byte(`{"who":"ann\u0040example.com"}`)}, 403, "identity_refused", "text"},
		{"an e-mail message as it came", part{"file", "a.eml", "message/rfc822", []byte("From: Ann <ann@example.com>\nSubject: x\n\nHello.\n")}, 403, "identity_refused", "text"},
		{"a reply address in a header", part{"file", "a.eml", "message/rfc822", []byte("Reply-To: ann@example.com\nSubject: x\n\nHello.\n")}, 403, "identity_refused", "headers"},
		{"a message with an attachment", part{"file", "a.eml", "message/rfc822", []byte("Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nsee\n--b\nContent-Type: application/pdf\n\n%PDF\n--b--\n")}, 403, "identity_unverifiable", ""},
		{"JSON that is none", part{"file", "a.json", "application/json", []byte(`{"a":`)}, 415, "media_type_mismatch", ""},
		{"sealed bytes without their mark", part{"file", "a.bin", "application/vnd.subrosa.sealed", []byte(strings.Repeat("x", 99))}, 415, "media_type_mismatch", ""},
		{"an archive", part{"file", "a.zip", "application/zip", []byte("PK\x03\x04\x14\x00")}, 415, "unsupported_media_type", ""},
		{"a program called PDF", part{"file", "a.pdf", "application/pdf", []byte("MZ\x90\x00" + strings.Repeat("\x00", 99))}, 415, "media_type_mismatch", ""},
		{"a PDF called text", part{"file", "a.txt", "text/plain", pleading()}, 415, "media_type_mismatch", ""},
		{"an archive called DOCX", part{"file", "a.docx", docxType, archive(t)}, 415, "media_type_mismatch", ""},
		{"half an archive called DOCX", part{"file", "a.docx", docxType, archive(t)[:40]}, 403, "identity_unverifiable", ""},
		{"a macro document", part{"file", "a.docm", "", wordFile(t, "", "", "A document of [Party 1].")}, 415, "macro_refused", ""},
		{"an e-mail address in the text", textFile("a.txt", "Write to ann@example.com at once."), 403, "identity_refused", "text"},
		{"a telephone number in a PDF", part{"file", "a.pdf", "application/pdf", pdfFile([]string{strings.Repeat("The landlord changed the locks. ", 6), "Call +1 212 555 0143 now."})}, 403, "identity_refused", "text"},
		{"an e-mail address in a comment", part{"file", "a.docx", docxType, wordFile(t, "", "ask ann@example.com", "A lease of [Party 1].")}, 403, "identity_refused", "comments"},
		{"an encoded name in the name", textFile("halvard%20ostrowe.txt", "A text."), 403, "identity_refused", "name"},
		{"an e-mail address in the name", textFile("ann@example.com.txt", "A text."), 403, "identity_refused", "name"},
		{"a scan", part{"file", "a.pdf", "application/pdf", scan(1)}, 403, "identity_unverifiable", ""},
		{"a damaged PDF", part{"file", "a.pdf", "application/pdf", pleading()[:400]}, 403, "identity_unverifiable", ""},
		{"text of no UTF-8", textFile("a.txt", "Caf\xe9 of [Party 1]"), 403, "identity_unverifiable", ""},
		{"a name too long", textFile(strings.Repeat("long ", 37)+".txt", "A text."), 400, "validation_failed", "name"},
	} {
		for who, caller := range map[string]access.Caller{"user": ann, "agent": robot} {
			t.Run(tc.name+" by "+who, func(t *testing.T) {
				a := w.upload(caller, c.CaseID, nil, tc.part)
				e := refused(t, a, tc.status, tc.code)
				if strings.HasPrefix(tc.code, "identity_") && e.DeepLink != "https://subrosa.test/i/redact_file?case="+c.CaseID {
					t.Errorf("deep link = %q", e.DeepLink)
				}
				if tc.path != "" && (len(e.Details) == 0 || e.Details[0].Path != tc.path) {
					t.Errorf("details = %+v, want path %s", e.Details, tc.path)
				}
				if tc.code == "identity_refused" && (e.Details[0].Kind == "" || e.Details[0].Start == nil || e.Details[0].End == nil) {
					t.Errorf("details = %+v", e.Details)
				}
				if tc.name == "an e-mail address in the text" && string(tc.part.content[*e.Details[0].Start:*e.Details[0].End]) != "ann@example.com" {
					t.Errorf("offsets %d to %d point elsewhere", *e.Details[0].Start, *e.Details[0].End)
				}
				if tc.code == "unsupported_media_type" && !strings.Contains(e.Message, "text/markdown") {
					t.Errorf("the message names no types: %s", e.Message)
				}
				if strings.Contains(string(a.Body), "example.com") {
					t.Errorf("the answer repeats the identity: %s", a.Body)
				}
			})
		}
	}
	empty(t, spool)
	if page := into[api.Page[api.File]](t, w.get(ann, "/v1/cases/"+c.CaseID+"/files"), 200); len(page.Items) != 0 {
		t.Errorf("%d files came of what was refused", len(page.Items))
	}
	if logs := w.logs.String(); strings.Contains(logs, "example.com") || strings.Contains(logs, "request failed") {
		t.Errorf("logs = %s", logs)
	}
}

func TestFormsThatAreRefused(t *testing.T) {
	t.Parallel()
	w := start(t, map[string]string{"CASE_MAX_UPLOAD_FILES": "3"})
	ann := user("u:ann", "ann")
	c := w.newCase(ann, nil)
	file := textFile("a.txt", "A text of [Party 1].")

	meta := func(text string) part { return part{"metadata", "", "application/json", []byte(text)} }
	for _, tc := range []struct {
		name   string
		parts  []part
		status int
		code   string
	}{
		{"no file", []part{meta(`[]`)}, 400, "validation_failed"},
		{"nothing", nil, 400, "validation_failed"},
		{"too many files", []part{file, textFile("b.txt", "2"), textFile("c.txt", "3"), textFile("d.txt", "4")}, 400, "validation_failed"},
		{"another part", []part{{"note", "", "text/plain", []byte("x")}, file}, 400, "validation_failed"},
		{"metadata twice", []part{meta(`[{}]`), file, meta(`[{}]`)}, 400, "validation_failed"},
		{"metadata for more files", []part{meta(`[{},{}]`), file}, 400, "validation_failed"},
		{"metadata for none", []part{file, meta(`[]`)}, 400, "validation_failed"},
		{"metadata that is null", []part{file, meta(`null`)}, 400, "validation_failed"},
		{"metadata that is no list", []part{file, meta(`{}`)}, 400, "validation_failed"},
		{"metadata that is no JSON", []part{file, meta(`[{]`)}, 400, "malformed_json"},
		{"metadata with another field", []part{file, meta(`[{"colour":"red"}]`)}, 400, "unknown_field"},
		{"metadata with a field for an identity", []part{file, meta(`[{"email":""}]`)}, 403, "identity_refused"},
		{"metadata too large", []part{meta(`[{"description":"` + strings.Repeat("x", 70000) + `"}]`), file}, 413, "body_too_large"},
		{"unknown type", []part{file, meta(`[{"docType":"novel"}]`)}, 400, "validation_failed"},
		{"no date", []part{file, meta(`[{"documentOn":"3 March"}]`)}, 400, "validation_failed"},
		{"unknown privilege", []part{file, meta(`[{"privilege":"total"}]`)}, 400, "validation_failed"},
		{"identity in the description", []part{file, meta(`[{"description":"from ann@example.com"}]`)}, 403, "identity_refused"},
		{"identity in the given name", []part{file, meta(`[{"name":"ann@example.com.txt"}]`)}, 403, "identity_refused"},
		{"identity in the sent name, another given", []part{meta(`[{"name":"Document 1.txt"}]`), textFile("ann@example.com.txt", "x")}, 403, "identity_refused"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			refused(t, w.upload(ann, c.CaseID, nil, tc.parts...), tc.status, tc.code)
		})
	}

	contentType, whole := form(t, file)
	for name, tc := range map[string]struct {
		contentType string
		body        []byte
		status      int
		code        string
	}{
		"cut short":         {contentType, whole[:len(whole)-30], 400, "validation_failed"},
		"no boundary":       {"multipart/form-data", whole, 400, "validation_failed"},
		"another boundary":  {"multipart/form-data; boundary=x", whole, 400, "validation_failed"},
		"no type":           {"", whole, 415, "unsupported_media_type"},
		"a type of no form": {"///", whole, 415, "unsupported_media_type"},
	} {
		t.Run(name, func(t *testing.T) {
			refused(t, w.do(call{Method: http.MethodPost, Path: "/v1/cases/" + c.CaseID + "/files", Caller: ann, Header: map[string]string{"Content-Type": tc.contentType}, Body: tc.body}), tc.status, tc.code)
		})
	}
	t.Run("a second file that is refused takes the first with it", func(t *testing.T) {
		e := refused(t, w.upload(ann, c.CaseID, nil, file, textFile("b.txt", "Write to ann@example.com.")), 403, "identity_refused")
		if len(e.Details) != 1 || e.Details[0].Path != "files[1].text" {
			t.Errorf("details = %+v", e.Details)
		}
	})
	if page := into[api.Page[api.File]](t, w.get(ann, "/v1/cases/"+c.CaseID+"/files"), 200); len(page.Items) != 0 {
		t.Errorf("%d files came of what was refused", len(page.Items))
	}
}

func TestMetadata(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann := user("u:ann", "ann")
	meta := part{"metadata", "", "application/json", []byte(`[{"name":"Lease.txt","docType":"draft_agreement","description":"The lease","documentOn":"2024-03-03","privilege":"none"},{}]`)}

	one, two := textFile("a.txt", "A text of [Party 1]."), textFile(`C:\docs\b.txt`, "A text of [Party 2].")
	for name, parts := range map[string][]part{"first": {meta, one, two}, "last": {one, two, meta}} {
		t.Run(name, func(t *testing.T) {
			c := w.newCase(ann, nil)
			got := into[uploaded](t, w.upload(ann, c.CaseID, nil, parts...), 201).Items
			if f := got[0]; f.Name != "Lease.txt" || f.DocType != "draft_agreement" || f.DocTypeBasis != "given" || f.Description != "The lease" || f.DocumentOn != "2024-03-03" || f.Privilege != "none" {
				t.Errorf("first = %+v", f)
			}
			if f := got[1]; f.Name != "b.txt" || f.DocType != "unknown" || f.Privilege != "work_product" {
				t.Errorf("second = %+v", f)
			}
		})
	}
}

func TestFilesThatNobodyCanRead(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann, robot := user("u:ann", "ann"), agent("u:ann", "ann")
	c := w.newCase(ann, nil)
	attested := part{"metadata", "", "application/json", []byte(`[{"attestation":true}]`)}
	pdf := part{"file", "scan.pdf", "application/pdf", scan(1)}
	e := refused(t, w.upload(robot, c.CaseID, nil, attested, pdf), 403, "human_required")
	if e.DeepLink != "https://subrosa.test/i/redact_file?case="+c.CaseID {
		t.Errorf("deep link = %s", e.DeepLink)
	}
	refused(t, w.upload(robot, c.CaseID, nil, textFile("a.txt", "Text."), attested), 403, "human_required")
	e = refused(t, w.upload(ann, c.CaseID, nil, pdf, attested), 403, "identity_unverifiable")
	if !strings.Contains(e.Message, "before the file") {
		t.Errorf("the message does not say how: %s", e.Message)
	}
	f := into[uploaded](t, w.upload(ann, c.CaseID, nil, attested, pdf), 201).Items[0]
	if f.AgentReadable || f.DeidCheck.Status != "attested" || f.Extraction.Status != "needs_ocr" || f.Extraction.TextVersion != 0 {
		t.Errorf("file = %+v", f)
	}

	path := "/v1/cases/" + c.CaseID + "/files/" + f.FileID
	for _, what := range []string{"/text", "/content"} {
		if e := refused(t, w.get(robot, path+what), 403, "identity_unverifiable"); e.DeepLink == "" {
			t.Error("no deep link")
		}
	}
	if a := w.get(ann, path+"/content"); a.Status != 200 || !bytes.Equal(a.Body, pdf.content) {
		t.Errorf("content for a person: %d", a.Status)
	}
	if text := into[api.FileText](t, w.get(ann, path+"/text"), 200); text.Total != 0 || text.Text != "" || text.PageStarts == nil {
		t.Errorf("text for a person = %+v", text)
	}
	t.Run("raw", func(t *testing.T) {
		c := w.newCase(ann, nil)
		send := func(caller access.Caller, query string) answer {
			return w.do(call{Method: http.MethodPost, Path: "/v1/cases/" + c.CaseID + "/files" + query, Caller: caller, Header: map[string]string{"Content-Type": "application/pdf", "Content-Disposition": `attachment; filename="scan.pdf"`}, Body: scan(1)})
		}
		refused(t, send(ann, ""), 403, "identity_unverifiable")
		refused(t, send(ann, "?attestation=perhaps"), 400, "invalid_parameter")
		refused(t, send(ann, "?attest=true"), 400, "invalid_parameter")
		refused(t, send(robot, "?attestation=true"), 403, "human_required")
		if f := into[uploaded](t, send(ann, "?attestation=true"), 201).Items[0]; f.AgentReadable || f.Name != "scan.pdf" {
			t.Errorf("file = %+v", f)
		}
	})
}

func TestRawUploads(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann := user("u:ann", "ann")

	for _, tc := range []struct {
		name        string
		disposition string
		want        string // name, or code of the refusal
		status      int
	}{
		{"with a name", `attachment; filename="Lease 1.txt"`, "Lease 1.txt", 201},
		{"with a name of other letters", `attachment; filename*=UTF-8''r%C3%A9sum%C3%A9.txt`, "résumé.txt", 201},
		{"with folders", `attachment; filename="../../x/Lease.txt"`, "Lease.txt", 201},
		{"without a name", `attachment`, "Document 1.txt", 201},
		{"without the header", "", "Document 1.txt", 201},
		{"of another sort", `form-data; name="file"`, "validation_failed", 400},
		{"of no form", `attachment; filename="`, "validation_failed", 400},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := w.newCase(ann, nil)
			header := map[string]string{"Content-Type": "text/plain; charset=utf-8"}
			if tc.disposition != "" {
				header["Content-Disposition"] = tc.disposition
			}
			a := w.do(call{Method: http.MethodPost, Path: "/v1/cases/" + c.CaseID + "/files", Caller: ann, Header: header, Body: []byte("A text.")})
			if tc.status != 201 {
				refused(t, a, tc.status, tc.want)
				return
			}
			f := into[uploaded](t, a, 201).Items[0]
			if f.Name != tc.want {
				t.Errorf("name = %q, want %q", f.Name, tc.want)
			}
			got := w.get(ann, "/v1/cases/"+c.CaseID+"/files/"+f.FileID+"/content").Header.Get("Content-Disposition")
			if !strings.HasPrefix(got, "attachment; filename") {
				t.Errorf("content disposition = %q", got)
			}
		})
	}
}

func TestDuplicates(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann := user("u:ann", "ann")
	c := w.newCase(ann, nil)
	a, b := textFile("a.txt", "A text of [Party 1]."), textFile("b.txt", "Another text.")
	first := into[uploaded](t, w.upload(ann, c.CaseID, nil, a), 201).Items[0]
	again := into[uploaded](t, w.upload(ann, c.CaseID, nil, textFile("other name.txt", "A text of [Party 1].")), 200).Items
	if len(again) != 1 || again[0].FileID != first.FileID || !again[0].Duplicate || again[0].Name != "a.txt" {
		t.Errorf("again = %+v", again)
	}
	mixed := into[uploaded](t, w.upload(ann, c.CaseID, nil, a, b, b), 201).Items
	if len(mixed) != 3 || !mixed[0].Duplicate || mixed[1].Duplicate || !mixed[2].Duplicate || mixed[1].FileID != mixed[2].FileID {
		t.Errorf("mixed = %+v", mixed)
	}
	other := w.newCase(ann, nil)
	if f := into[uploaded](t, w.upload(ann, other.CaseID, nil, a), 201).Items[0]; f.Duplicate || f.FileID == first.FileID {
		t.Errorf("in another case = %+v", f)
	}
	if got := into[api.Case](t, w.get(ann, "/v1/cases/"+c.CaseID), 200).Counts.Files; got != 2 {
		t.Errorf("the case counts %d files, want 2", got)
	}
}

func TestUploadsWithAKey(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann := user("u:ann", "ann")
	c := w.newCase(ann, nil)
	key := map[string]string{"Idempotency-Key": "k"}
	nameless := part{"file", "", "text/plain", []byte("A text of [Party 1].")}
	first := w.upload(ann, c.CaseID, key, nameless)
	again := w.upload(ann, c.CaseID, key, nameless)
	if into[uploaded](t, first, 201); string(first.Body) != string(again.Body) || again.Status != 201 || again.Header.Get("Idempotency-Replayed") != "true" || again.Header.Get("Location") != first.Header.Get("Location") {
		t.Errorf("replay = %d %v %s", again.Status, again.Header, again.Body)
	}
	refused(t, w.upload(ann, c.CaseID, key, textFile("a.txt", "Another text.")), 400, "idempotency_key_reused")
	if page := into[api.Page[api.File]](t, w.get(ann, "/v1/cases/"+c.CaseID+"/files"), 200); len(page.Items) != 1 {
		t.Errorf("%d files, want 1", len(page.Items))
	}
	other := w.newCase(ann, nil)
	if a := w.upload(ann, other.CaseID, key, nameless); a.Status != 201 || a.Header.Get("Idempotency-Replayed") != "" {
		t.Errorf("the key in another case: %d, replayed %q", a.Status, a.Header.Get("Idempotency-Replayed"))
	}
	refused(t, w.upload(ann, c.CaseID, map[string]string{"Idempotency-Key": "a b"}, nameless), 400, "invalid_parameter")
}

// A key holds whatever has become of the case since.
func TestAKeyHoldsWhenTheCaseHasMovedOn(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann := user("u:ann", "ann")
	c := w.newCase(ann, nil)
	send := func(key string, parts ...part) answer {
		t.Helper()
		return w.upload(ann, c.CaseID, map[string]string{"Idempotency-Key": key}, parts...)
	}
	clear := func(key string, end int) answer {
		t.Helper()
		body := api.Clearance{SHA256: sha256Hex([]byte("x")), Marks: []api.Mark{{Path: "text", Kind: "phone", Start: 3, End: end}}}

		return w.json(ann, http.MethodPost, "/v1/cases/"+c.CaseID+"/files/clearances", body, "Idempotency-Key", key)
	}
	w.parties.has(c.CaseID, api.Roster{Parties: []api.Party{{Label: "[Party 2]"}}})
	old := into[uploaded](t, w.upload(ann, c.CaseID, nil, textFile("a.txt", "The first version.")), 201).Items[0]
	newer := []part{textFile("b.txt", "The second version."), describing(`[{"supersedesFileId":"` + old.FileID + `","producedBy":"[Party 2]"}]`)}
	asks := map[string]func() answer{
		"a newer version": func() answer { return send("newer", newer...) },
		"a file":          func() answer { return send("file", textFile("c.txt", "Another text.")) },
		"a clearance":     func() answer { return clear("clear", 15) },
	}

	firsts := map[string]answer{}
	for name, ask := range asks {
		if firsts[name] = ask(); firsts[name].Status != 201 {
			t.Fatalf("%s: %d %s", name, firsts[name].Status, firsts[name].Body)
		}
	}
	repeat := func(when string) {
		t.Helper()

		for name, ask := range asks {
			if a := ask(); a.Status != 201 || string(a.Body) != string(firsts[name].Body) || a.Header.Get("Idempotency-Replayed") != "true" {
				t.Errorf("%s again, %s: %d %s", name, when, a.Status, a.Body)
			}
		}
	}
	repeat("as it was")
	third := into[uploaded](t, firsts["a newer version"], 201).Items[0]
	into[uploaded](t, w.upload(ann, c.CaseID, nil, textFile("d.txt", "The third version."), describing(`[{"supersedesFileId":"`+third.FileID+`"}]`)), 201)
	w.parties.has(c.CaseID, api.Roster{})
	repeat("with a third version, and a party less")
	into[api.Case](t, w.patch(ann, c.CaseID, m{"status": "closed", "closeReason": "declined"}), 200)
	repeat("with the case closed")
	refused(t, send("file", textFile("c.txt", "A third text.")), 400, "idempotency_key_reused")
	refused(t, clear("clear", 16), 400, "idempotency_key_reused")
	refused(t, send("new", textFile("c.txt", "Another text.")), 409, "case_closed")
	refused(t, clear("new", 15), 409, "case_closed")
	w.clock.Advance(25 * time.Hour) // no answer is kept any more

	for name, ask := range asks {
		t.Run(name, func(t *testing.T) { refused(t, ask(), 409, "case_closed") })
	}
	if n := w.documents("files"); n != 4 {
		t.Errorf("%d files, want 4", n)
	}
	if n := w.documents("uploads"); n != 0 {
		t.Errorf("%d plans are left", n)
	}
}

func TestAFileThatTakesTooLongToReadCannotBeShownClean(t *testing.T) {
	t.Parallel()
	w := start(t, map[string]string{"CASE_CHECK_TIMEOUT": "1ns"})
	ann := user("u:ann", "ann")
	c := w.newCase(ann, nil)
	refused(t, w.upload(ann, c.CaseID, nil, textFile("a.txt", complaint)), 403, "identity_unverifiable")
	attested := part{"metadata", "", "application/json", []byte(`[{"attestation":true}]`)}
	if f := into[uploaded](t, w.upload(ann, c.CaseID, nil, attested, textFile("a.txt", complaint)), 201).Items[0]; f.AgentReadable || f.Extraction.TextVersion != 0 {
		t.Errorf("file = %+v", f)
	}
}

func TestQuotas(t *testing.T) {
	t.Parallel()
	w := start(t, map[string]string{"CASE_MAX_FILES": "2", "CASE_MAX_CASE_BYTES": "60"})
	ann := user("u:ann", "ann")
	c := w.newCase(ann, nil)
	into[uploaded](t, w.upload(ann, c.CaseID, nil, textFile("a.txt", strings.Repeat("a", 30))), 201)
	refused(t, w.upload(ann, c.CaseID, nil, textFile("b.txt", strings.Repeat("b", 31))), 413, "case_quota_exceeded")
	refused(t, w.upload(ann, c.CaseID, nil, textFile("b.txt", "b"), textFile("c.txt", "c")), 413, "case_quota_exceeded")
	into[uploaded](t, w.upload(ann, c.CaseID, nil, textFile("a.txt", strings.Repeat("a", 30))), 200) // a duplicate takes no room
	into[uploaded](t, w.upload(ann, c.CaseID, nil, textFile("b.txt", strings.Repeat("b", 30))), 201)
	refused(t, w.upload(ann, c.CaseID, nil, textFile("c.txt", "c")), 413, "case_quota_exceeded")
}

// An upload that comes slowly takes a place from nobody but its sender, who may have one of them here.
func TestASlowUploadKeepsOnlyItsSenderOut(t *testing.T) {
	t.Parallel()
	spool := filepath.Join(t.TempDir(), "spool")
	w := start(t, map[string]string{
		"CASE_UPLOADS_AT_ONCE": "1", "CASE_UPLOAD_WAIT": "1s", "CASE_UPLOADS_PER_CALLER": "1", "CASE_SPOOL_DIR": spool,
	})
	ann, robot := user("u:ann", "ann"), agent("u:ann", "ann")
	c := w.newCase(ann, nil)
	feed, slow := w.uploadSlowly(ann, c.CaseID)
	a := w.upload(ann, c.CaseID, nil, textFile("b.txt", "Another text."))
	if refused(t, a, 429, "too_many_uploads"); a.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	into[uploaded](t, w.upload(robot, c.CaseID, nil, textFile("b.txt", "Another text.")), 201)
	feed(", and comes slowly.")
	if status := <-slow; status != 201 {
		t.Errorf("the slow upload: status %d", status)
	}
	into[uploaded](t, w.upload(ann, c.CaseID, nil, textFile("c.txt", "A third text.")), 201)
	empty(t, spool)
}

// Where as many uploads are coming as a process takes, everybody else comes again.
func TestUploadsThatAreComing(t *testing.T) {
	t.Parallel()
	w := start(t, map[string]string{"CASE_UPLOADS_OPEN": "2", "CASE_UPLOADS_PER_CALLER": "2"})
	ann, other := user("u:ann", "ann"), user("u:bob", "bob")
	c, theirs := w.newCase(ann, nil), w.newCase(other, nil)
	first, slow := w.uploadSlowly(ann, c.CaseID)
	second, slower := w.uploadSlowly(other, theirs.CaseID)
	a := w.upload(agent("u:ann", "ann"), c.CaseID, nil, textFile("b.txt", "Another text."))
	if refused(t, a, 503, "unavailable"); a.Header.Get("Retry-After") == "" {
		t.Error("no Retry-After")
	}
	first(", the first.")
	second(", the second.")
	if a, b := <-slow, <-slower; a != 201 || b != 201 {
		t.Errorf("the slow uploads: status %d and %d", a, b)
	}
	into[uploaded](t, w.upload(ann, c.CaseID, nil, textFile("c.txt", "A third text.")), 201)
}

// uploadSlowly begins an upload of which a little has come when it returns. end sends the rest; the status comes after.
func (w *world) uploadSlowly(caller access.Caller, caseID string) (end func(rest string), ended <-chan int) {
	t := w.t
	t.Helper()
	token, err := w.Signer.Token(caller)
	if err != nil {
		t.Fatal(err)
	}
	body, feed := io.Pipe()
	placed := make(chan struct{}) // closed when the service reads the body, which it does once the upload is open
	traced := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{Got100Continue: func() { close(placed) }})
	req, err := http.NewRequestWithContext(traced, http.MethodPost, w.Base+"/v1/cases/"+caseID+"/files", body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{
		"Authorization": {"Bearer " + token}, "Content-Type": {"text/plain"}, "Expect": {"100-continue"},
	}
	slow := make(chan int, 1)

	go func() {
		resp, err := w.Client.Do(req)
		if err != nil {
			slow <- 0
			return
		}
		resp.Body.Close()
		slow <- resp.StatusCode
	}()
	select {
	case <-placed:
	case status := <-slow:
		t.Fatalf("the slow upload: status %d", status)
	case <-time.After(testkit.Patience):
		t.Fatal("the slow upload has no place")
	}
	send := func(text string) {
		if _, err := feed.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	send("A text of " + caller.UserID)

	return func(rest string) {
		send(rest)
		if err := feed.Close(); err != nil {
			t.Fatal(err)
		}
	}, slow
}

// TestASlowSenderIsRefusedOnRecord has the first file of a form name somebody, and no end come of the form.
func TestASlowSenderIsRefusedOnRecord(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	robot := agent("o:firm", "ann")
	c := w.newCase(user("o:firm", "ann"), nil)
	token, err := w.Signer.Token(robot)
	if err != nil {
		t.Fatal(err)
	}
	media, whole := form(t, textFile("Letter to Jonathan Smithers.txt", "A text."), textFile("b.txt", "Another."))

	body, feed := io.Pipe()
	defer feed.Close()
	path := w.Base + "/v1/cases/" + c.CaseID + "/files"
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, path, body)
	if err != nil {
		t.Fatal(err)
	}

	req.Header = http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {media}}
	go func() {
		if resp, err := w.Client.Do(req); err == nil {
			resp.Body.Close()
		}
	}()
	if _, err := feed.Write(whole[:len(whole)-20]); err != nil {
		t.Fatal(err)
	}

	testkit.Until(t, testkit.Patience, func() error {
		switch got, err := w.as(robot).Refusals(t.Context()); {
		case err != nil:
			return err
		case len(got.Items) != 1 || got.Items[0].Action != "file.add":
			return fmt.Errorf("on record: %+v", got.Items)
		}

		return nil
	})
}

func TestAnUploadThatBreaksOffLeavesNothing(t *testing.T) {
	t.Parallel()
	spool := filepath.Join(t.TempDir(), "spool")
	w := start(t, map[string]string{"CASE_SPOOL_DIR": spool, "CASE_UPLOADS_PER_CALLER": "1"})
	ann := user("u:ann", "ann")
	c := w.newCase(ann, nil)
	token, err := w.Signer.Token(ann)
	if err != nil {
		t.Fatal(err)
	}
	body := io.MultiReader(strings.NewReader("A text that "), &failing{})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.Base+"/v1/cases/"+c.CaseID+"/files", body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header = http.Header{"Authorization": {"Bearer " + token}, "Content-Type": {"text/plain"}}
	if resp, err := w.Client.Do(req); err == nil {
		resp.Body.Close()
		t.Errorf("the broken upload got status %d", resp.StatusCode)
	}
	testkit.Until(t, testkit.Patience, func() error { // the service has to notice first
		if a := w.upload(ann, c.CaseID, nil, textFile("b.txt", "A whole text.")); a.Status != 201 {
			return fmt.Errorf("the next upload: %d %s", a.Status, a.Body)
		}

		return nil
	})
	empty(t, spool)
}

type failing struct{}

func (*failing) Read([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestUploadsOfManyAtOnce(t *testing.T) {
	t.Parallel()
	w := start(t, map[string]string{"CASE_UPLOADS_PER_CALLER": "8"})
	ann := user("u:ann", "ann")
	c := w.newCase(ann, nil)
	var all sync.WaitGroup
	var mu sync.Mutex
	statuses := map[int]int{}

	for i := range 8 {
		contentType, body := form(t, textFile("a.txt", fmt.Sprint("Text number ", i/2, " of [Party 1].")))
		all.Go(func() {
			a, err := w.try(call{Method: http.MethodPost, Path: "/v1/cases/" + c.CaseID + "/files", Caller: ann, Header: map[string]string{"Content-Type": contentType}, Body: body})
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Error(err)
			}
			statuses[a.Status]++
		})
	}
	all.Wait()
	if statuses[201] != 4 || statuses[200] != 4 {
		t.Errorf("statuses = %v, want four files and four duplicates", statuses)
	}
	if got := into[api.Case](t, w.get(ann, "/v1/cases/"+c.CaseID), 200).Counts.Files; got != 4 {
		t.Errorf("the case counts %d files, want 4", got)
	}
}
