package e2e_test

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"
	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"go.mongodb.org/mongo-driver/v2/bson"
)

const docxMedia = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"

// entry is one file of an archive.
type entry struct {
	name    string
	content io.Reader
	mode    fs.FileMode
}

// docx is a Word document with more entries than it needs; one called like a needed one takes its place.
func docx(t *testing.T, more ...entry) string {
	t.Helper()
	all := []entry{
		{name: "[Content_Types].xml", content: strings.NewReader(`<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`)},
		{name: "_rels/.rels", content: strings.NewReader(`<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`)},
		{name: "word/document.xml", content: strings.NewReader(`<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>[Party 1] rents [Property 1].</w:t></w:r></w:p></w:body></w:document>`)},
	}
	all = slices.DeleteFunc(all, func(e entry) bool {
		return slices.ContainsFunc(more, func(m entry) bool { return m.name == e.name })
	})
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	quick, err := flate.NewWriter(io.Discard, flate.BestSpeed) // a bomb and a crowd take minutes otherwise, with the race detector
	if err != nil {
		t.Fatal(err)
	}
	z.RegisterCompressor(zip.Deflate, func(out io.Writer) (io.WriteCloser, error) { quick.Reset(out); return quick, nil })

	for _, e := range append(all, more...) {
		header := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		if e.mode != 0 {
			header.SetMode(e.mode)
		}
		out, err := z.CreateHeader(header)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(out, e.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}

	return b.String()
}

// encryptedPDF is a PDF whose strings and streams are under a key.
const encryptedPDF = "%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n<</Type/Pages/Kids[3 0 R]/Count 1>>\nendobj\n" +
	"3 0 obj\n<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]>>\nendobj\n" +
	"4 0 obj\n<</Filter/Standard/V 1/R 2/P -4/O<0000000000000000000000000000000000000000000000000000000000000000>/U<0000000000000000000000000000000000000000000000000000000000000000>>>\nendobj\n" +
	"xref\n0 5\n0000000000 65535 f \n0000000009 00000 n \n0000000056 00000 n \n0000000107 00000 n \n0000000170 00000 n \n" +
	"trailer\n<</Size 5/Root 1 0 R/Encrypt 4 0 R/ID[<00><00>]>>\nstartxref\n400\n%%EOF\n"

// nothingLeft checks that no scratch file is left, and that the bytes of so many files and no others are stored.
func (w *world) nothingLeft(stored int) {
	w.t.Helper()
	// An upload that broke off is cleared away when its request ends.
	testkit.Until(w.t, testkit.Patience, func() error {
		return filepath.WalkDir(filepath.Join(w.dir, ".local", "spool"), func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				err = fmt.Errorf("%s is left", filepath.Base(path))
			}

			return err
		})
	})
	db := w.database("CASE_DATABASE")
	kept := w.documents(db, "fs.files")
	if len(kept) != stored {
		w.t.Errorf("the bytes of %d files are stored, want %d", len(kept), stored)
	}

	for _, chunk := range w.documents(db, "fs.chunks") {
		id := chunk.Lookup("files_id").String()
		if !slices.ContainsFunc(kept, func(f bson.Raw) bool { return f.Lookup("_id").String() == id }) {
			w.t.Errorf("a chunk of the file %s is stored, which is not", id)
		}
	}
}

func TestS48UploadsBeyondTheLimits(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited("CASE_UPLOADS_PER_CALLER", "2", oneProcess, "case-svc"))
	agent := w.connect(ada)
	caseID, _ := w.newCase(agent.bearer)
	path := "/v1/cases/" + caseID + "/files"
	large := strings.Repeat("A line of text.\n", 25<<20/16) // 25 MiB to the byte
	w.send(http.MethodPost, path, agent.bearer, large+"x", "Content-Type", "text/plain").refused(t, "one byte too many", http.StatusRequestEntityTooLarge, "file_too_large")
	body, media := form(t, "", "a.txt", large+"x")
	w.send(http.MethodPost, path, agent.bearer, body, "Content-Type", media).refused(t, "one byte too many in a form", http.StatusRequestEntityTooLarge, "file_too_large")

	for what, reader := range map[string]io.Reader{"one byte too many": strings.NewReader(large + "x"), "without end": io.LimitReader(endless{}, 1<<30)} {
		if a, err := fetch(w.http, w.request(http.MethodPost, path, agent.bearer, onlyReader{reader}, "Content-Type", "text/plain")); err == nil {
			a.refused(t, what+" in chunks", http.StatusRequestEntityTooLarge, "file_too_large", "body_too_large")
		} else {
			t.Errorf("%s in chunks: %v", what, err)
		}
	}

	var many []string
	for i := range 10_000 {
		many = append(many, fmt.Sprint(i, ".txt"), "x")
	}
	body, media = form(t, "", many...)
	w.send(http.MethodPost, path, agent.bearer, body, "Content-Type", media).refused(t, "10,000 parts", http.StatusBadRequest, "validation_failed")
	text := []string{"Content-Type", "text/plain"}
	part := w.send(http.MethodPost, path, agent.bearer, "Half a", append(text, "Content-Range", "bytes 0-5/12")...)
	part.refused(t, "a part of a file", http.StatusBadRequest, "invalid_parameter")
	packed := w.send(http.MethodPost, path, agent.bearer, "x", append(text, "Content-Encoding", "gzip")...)
	packed.refused(t, "a coded file", http.StatusUnsupportedMediaType, "unsupported_media_type")
	w.nothingLeft(1)

	// Two uploads that come slowly are all that a caller may have open: the third is told to come again. Others are not
	// kept out.
	type slow struct {
		feed   *io.PipeWriter
		status int
	}
	open := map[*io.PipeWriter]bool{}
	done := make(chan slow, 2)
	begin := func() {
		t.Helper()
		reader, feed := io.Pipe()
		open[feed] = true

		req := w.request(http.MethodPost, path, agent.bearer, reader, "Content-Type", "text/plain")
		go func() {
			a, err := fetch(w.http, req)
			if err != nil {
				a.status = 0
			}
			_ = reader.Close() // or whoever feeds an upload that was refused would wait
			done <- slow{feed, a.status}
		}()
		_, _ = fmt.Fprintf(feed, "A text of [Party 1] ")
	}
	begin()
	begin()
	// One without content leaves nothing behind when it comes first.
	testkit.Until(t, testkit.Patience, func() error {
		a := w.send(http.MethodPost, path, agent.bearer, "", "Content-Type", "text/plain")
		select {
		case refused := <-done: // the third came first
			delete(open, refused.feed)
			begin()
		default:
		}
		if a.status != http.StatusTooManyRequests || a.header.Get("Retry-After") == "" {
			return fmt.Errorf("the third: %d %s", a.status, a.body)
		}
		a.refused(t, "the third", http.StatusTooManyRequests, "too_many_uploads")

		return nil
	})
	a := w.send(http.MethodPost, path, w.token(ada), "A text of the person herself.", "Content-Type", "text/plain")
	into[any](t, a, http.StatusCreated)

	for feed := range open { // a slow upload does not hold its place for ever, and one that ends well is taken
		_, _ = io.WriteString(feed, fmt.Sprintf("and more, at %p.", feed))
		_ = feed.Close()
	}

	for range open {
		if ended := <-done; ended.status != http.StatusCreated {
			t.Errorf("a slow upload that ends well: %d", ended.status)
		}
	}
	into[any](t, w.send(http.MethodPost, path, agent.bearer, "The last text of [Party 1].", "Content-Type", "text/plain"), http.StatusCreated)
	w.nothingLeft(len(into[api.Page[api.File]](t, w.send(http.MethodGet, path+"?limit=100", agent.bearer, ""), http.StatusOK).Items))
}

func TestS49S50S51FilesThatAreNotWhatTheySay(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	listener := newNobody(t)
	agent := w.connect(ada)
	caseID, _ := w.newCase(agent.bearer)
	path := "/v1/cases/" + caseID + "/files"
	program := "\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 200)
	nested := docx(t)

	var crowd []entry
	for i := range 100_000 {
		crowd = append(crowd, entry{name: fmt.Sprintf("word/media/%d.xml", i), content: strings.NewReader("")})
	}
	remote := `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r9" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/attachedTemplate" Target="http://` + listener.Addr().String() + `/t.dotm" TargetMode="External"/></Relationships>`
	wrong := []int{http.StatusUnsupportedMediaType}

	broken := []int{http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType}
	for name, tc := range map[string]struct {
		media, name, body string
		want              []int
	}{
		"S49 a page called PDF":          {"application/pdf", "a.pdf", "<!doctype html><p>[Party 1]</p>", wrong},
		"S49 a program called PDF":       {"application/pdf", "a.pdf", program, wrong},
		"S49 an archive called PDF":      {"application/pdf", "a.pdf", nested, wrong},
		"S49 a program called text":      {"text/plain", "a.txt", program, wrong},
		"S49 a PDF called text":          {"text/plain", "a.txt", encryptedPDF, wrong},
		"S49 an archive before a PDF":    {"application/pdf", "a.pdf", nested + encryptedPDF, wrong},
		"S49 a page called Word":         {docxMedia, "a.docx", "<!doctype html><p>[Party 1]</p>", wrong},
		"S49 a picture that is a page":   {"image/png", "a.png", "<svg xmlns='http://www.w3.org/2000/svg'/>", wrong},
		"S50 a bomb":                     {docxMedia, "a.docx", docx(t, entry{name: "word/document.xml", content: io.LimitReader(endless{}, 600<<20)}), broken},
		"S50 100,000 entries":            {docxMedia, "a.docx", docx(t, crowd...), broken},
		"S50 a way out":                  {docxMedia, "a.docx", docx(t, entry{name: "../../x", content: strings.NewReader("x")}), broken},
		"S50 a link":                     {docxMedia, "a.docx", docx(t, entry{name: "word/media/x", content: strings.NewReader("/etc/passwd"), mode: fs.ModeSymlink | 0o777}), broken},
		"S50 an archive in the document": {docxMedia, "a.docx", docx(t, entry{name: "word/embeddings/x.zip", content: strings.NewReader(nested)}), broken},
		"S51 macros":                     {docxMedia, "a.docx", docx(t, entry{name: "word/vbaProject.bin", content: strings.NewReader("x")}), wrong},
		"S51 a remote template":          {docxMedia, "a.docx", docx(t, entry{name: "word/_rels/settings.xml.rels", content: strings.NewReader(remote)}), wrong},
	} {
		for who, bearer := range map[string]string{"user": w.token(ada), "agent": agent.bearer} {
			a := w.send(http.MethodPost, path, bearer, tc.body, "Content-Type", tc.media, "Content-Disposition", `attachment; filename="`+tc.name+`"`)
			if !slices.Contains(tc.want, a.status) {
				t.Errorf("%s by the %s: %d %s, want %v", name, who, a.status, a.body, tc.want)
			}
			if a.status >= http.StatusBadRequest {
				a.discreet(t, name)
			}
		}
	}
	w.nothingLeft(1)
	if seen := listener.saw(); seen != "" {
		t.Errorf("somebody fetched the template: %q", seen)
	}
	body, media := form(t, "", "a.pdf", encryptedPDF)
	w.send(http.MethodPost, path, agent.bearer, body, "Content-Type", media).refused(t, "an encrypted PDF of an agent", http.StatusForbidden, "identity_unverifiable")
	body, media = form(t, `[{"attestation":true}]`, "a.pdf", encryptedPDF)
	file := into[struct{ Items []api.File }](t, w.send(http.MethodPost, path, w.token(ada), body, "Content-Type", media), http.StatusCreated).Items[0]
	if file.AgentReadable || file.DeidCheck.Status != "attested" {
		t.Errorf("the encrypted PDF of a person = %+v", file)
	}

	for _, end := range []string{"/content", "/text"} {
		w.send(http.MethodGet, path+"/"+file.FileID+end, agent.bearer, "").refused(t, "an agent reads it", http.StatusForbidden, "identity_unverifiable")
	}
	w.nothingLeft(2)
}

// The limits are those of a service that nobody has set: 500 files and 2 GiB. What fills the case is written down rather than sent.
func TestS52QuotasOfACase(t *testing.T) {
	t.Parallel()
	const mostFiles, mostBytes = 500, 2 << 30
	w := start(t, unlimited())
	agent := w.connect(ada)
	shelf := w.database("CASE_DATABASE").Collection("files")
	upload := func(caseID, text string) answer {
		return w.send(http.MethodPost, "/v1/cases/"+caseID+"/files", agent.bearer, text, "Content-Type", "text/plain")
	}
	heavy, fileID := w.newCase(agent.bearer)
	if _, err := shelf.UpdateOne(t.Context(), bson.D{{Key: "id", Value: fileID}}, bson.D{{Key: "$set", Value: bson.D{{Key: "sizeBytes", Value: int64(mostBytes - 100)}}}}); err != nil {
		t.Fatal(err)
	}
	upload(heavy, strings.Repeat("x", 101)).refused(t, "a byte too many", http.StatusRequestEntityTooLarge, "case_quota_exceeded")
	into[any](t, upload(heavy, strings.Repeat("x", 100)), http.StatusCreated)
	upload(heavy, "z").refused(t, "the next byte", http.StatusRequestEntityTooLarge, "case_quota_exceeded")
	w.nothingLeft(2)

	full, fileID := w.newCase(agent.bearer)
	var model bson.M
	if err := shelf.FindOne(t.Context(), bson.D{{Key: "id", Value: fileID}}).Decode(&model); err != nil {
		t.Fatal(err)
	}
	var crowd []any

	for range mostFiles - 2 {
		id := uuid.NewString()
		one := maps.Clone(model)
		one["_id"], one["id"], one["dedupeKey"], one["sizeBytes"] = strings.TrimSuffix(model["_id"].(string), fileID)+id, id, id, int64(1)
		crowd = append(crowd, one)
	}
	if _, err := shelf.InsertMany(t.Context(), crowd); err != nil {
		t.Fatal(err)
	}
	body, media := form(t, "", "a.txt", "One text.", "b.txt", "Another text.")
	w.send(http.MethodPost, "/v1/cases/"+full+"/files", agent.bearer, body, "Content-Type", media).refused(t, "one of two too many", http.StatusRequestEntityTooLarge, "case_quota_exceeded")
	into[any](t, upload(full, "The last text."), http.StatusCreated)
	upload(full, "One file more.").refused(t, "a file too many", http.StatusRequestEntityTooLarge, "case_quota_exceeded")
	w.nothingLeft(4)
}
