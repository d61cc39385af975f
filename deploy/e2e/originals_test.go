package e2e_test

import (
	"encoding/json"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/api"
)

// isKept is what the command line says of an original.
const isKept = "Its original is kept, encrypted, as file "

// An original that is kept from the command line is ciphertext at the service, and comes back byte for byte; without
// that nothing does.
func TestOriginalsAreKeptFromTheCommandLine(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	owner := w.desk(otto, "three grey herons at dawn")
	owner.must("", "vault", "init")
	user := w.token(otto)
	k := into[api.Case](t, w.send(http.MethodPost, "/v1/cases", user, `{}`), http.StatusCreated)

	original := docx(
		t,
		entry{
			name: "docProps/core.xml",
			content: strings.NewReader(
				`<cp:coreProperties xmlns:cp="c" xmlns:dc="d"><dc:creator>Wilhelmina Ostrander</dc:creator></cp:coreProperties>`,
			),
		},
	)
	file := filepath.Join(owner.folder, "lease.docx")
	if err := os.WriteFile(file, []byte(original), 0o600); err != nil {
		t.Fatal(err)
	}
	added := owner.must("", "file", "add", k.CaseID, file, "--keep-original")
	if !strings.Contains(added, "Added lease.docx") || !strings.Contains(added, isKept) ||
		strings.Contains(added, "cannot give that back") {
		t.Errorf("with its original: %q", added)
	}
	files := "/v1/cases/" + k.CaseID + "/files"
	var kept, sealed api.File

	for _, f := range into[api.Page[api.File]](t, w.send(http.MethodGet, files, user, ""), http.StatusOK).Items {
		if f.MediaType == "application/vnd.subrosa.sealed" {
			sealed = f
		} else {
			kept = f
		}
	}
	if kept.SealedFileID == "" || kept.SealedFileID != sealed.FileID || kept.Content == nil ||
		kept.Content.DOCX == nil {
		t.Fatalf("kept %+v, sealed %+v", kept, sealed)
	}
	shown := owner.must("", "file", "show", k.CaseID, kept.FileID)
	if !strings.Contains(shown, "kept, encrypted, as file "+sealed.FileID) {
		t.Errorf("file show: %q", shown)
	}
	back := filepath.Join(owner.folder, "back.docx")
	owner.must("", "file", "get", k.CaseID, kept.FileID, "--original", "--out", back)
	if got, err := os.ReadFile(back); err != nil || string(got) != original {
		t.Errorf("the original came back as %d bytes of %d, %v", len(got), len(original), err)
	}
	if md := owner.must("", "file", "get", k.CaseID, kept.FileID, "--out", "-"); md != "[Party 1] rents [Property 1]." {
		t.Errorf("the content is %q", md)
	}

	// A file that is not taken leaves no original behind, and one that was added without says so.
	bad := filepath.Join(owner.folder, "names.html")
	if err := os.WriteFile(bad, []byte("<!DOCTYPE html><p>Write to wilhelmina@ostrander.example today."), 0o600); err != nil {
		t.Fatal(err)
	}
	owner.fails("1 of 1 files were not added", "file", "add", k.CaseID, bad, "--keep-original")
	if n := len(into[api.Page[api.File]](t, w.send(http.MethodGet, files, user, ""), http.StatusOK).Items); n != 2 {
		t.Errorf("%d files are in the case, want 2", n)
	}
	code, _, said := owner.run("", "file", "add", k.CaseID, file, "--keep-original")
	if code != 0 || !strings.Contains(said, "with its original, which was not kept twice") {
		t.Errorf("added again: code %d, %q", code, said)
	}
	if n := len(into[api.Page[api.File]](t, w.send(http.MethodGet, files, user, ""), http.StatusOK).Items); n != 2 {
		t.Errorf("after it was added again %d files are in the case, want 2", n)
	}
	page := filepath.Join(owner.folder, "notice.html")
	if err := os.WriteFile(page, []byte("<!DOCTYPE html><p>[Party 1] pays the rent."), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := owner.must("", "file", "add", k.CaseID, page); !strings.Contains(out, "cannot give that back") ||
		!strings.Contains(out, "--keep-original") {
		t.Errorf("without its original: %q", out)
	}
	keptLate(w, owner, k.CaseID, page)

	db := w.database("CASE_DATABASE")

	for _, collection := range []string{"files", "texts", "fs.files", "fs.chunks", "uploads"} {
		for _, stored := range w.documents(db, collection) {
			if text := strings.ToLower(string(stored)); strings.Contains(text, "wilhelmina") ||
				strings.Contains(text, "ostrander") {
				t.Errorf("%s holds the name", collection)
			}
		}
	}
}

// keptLate keeps the original of a page that was added without it, and deletes both.
func keptLate(w *world, owner *desk, caseID, page string) {
	w.t.Helper()
	user, files := w.token(otto), "/v1/cases/"+caseID+"/files"
	notice := into[api.Page[api.File]](w.t, w.send(http.MethodGet, files+"?q=pays", user, ""), http.StatusOK).Items
	if len(notice) != 1 {
		w.t.Fatalf("%d files say who pays", len(notice))
	}
	if out := owner.must("", "file", "show", caseID, notice[0].FileID); !strings.Contains(out, "not kept") {
		w.t.Errorf("file show: %q", out)
	}

	// The file that is there already gets its original when it is sent again, and takes it along when it is deleted. No
	// local name of a file leaves the machine when another one is given.
	named := filepath.Join(owner.folder, "Wilhelmina Ostrander.html")
	if err := os.Rename(page, named); err != nil {
		w.t.Fatal(err)
	}
	late := owner.must("", "file", "add", caseID, named, "--name", "Notice 1.html", "--keep-original")
	if !strings.Contains(late, "Notice 1.html was there already, so nothing was added: it is ") || !strings.Contains(late, isKept) {
		w.t.Errorf("its original is kept later: %q", late)
	}
	if n := len(into[api.Page[api.File]](w.t, w.send(http.MethodGet, files, user, ""), http.StatusOK).Items); n != 4 {
		w.t.Errorf("%d files are in the case, want two with their originals", n)
	}
	back := filepath.Join(owner.folder, "back.html")
	owner.must("", "file", "get", caseID, notice[0].FileID, "--original", "--out", back)
	if got, err := os.ReadFile(back); err != nil || !strings.HasPrefix(string(got), "<!DOCTYPE html>") {
		w.t.Errorf("the original came back as %q, %v", got, err)
	}
	owner.must("", "file", "delete", caseID, notice[0].FileID)
	if n := len(into[api.Page[api.File]](w.t, w.send(http.MethodGet, files, user, ""), http.StatusOK).Items); n != 2 {
		w.t.Errorf("%d files are in the case after one was deleted, want the other with its original", n)
	}

	for _, says := range []string{"only a person can keep an original with a case", "/i/redact_file?case=" + caseID} {
		owner.fails(says, "--as", "agent", "file", "add", caseID, named, "--keep-original")
	}
}

// An answer that is lost after the service took a file leaves the original of the file where it is.
func TestALostAnswerKeepsTheOriginal(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited())
	owner := w.desk(otto, "three grey herons at dusk")
	owner.must("", "vault", "init")
	user := w.token(otto)
	k := into[api.Case](t, w.send(http.MethodPost, "/v1/cases", user, `{}`), http.StatusCreated)
	files := "/v1/cases/" + k.CaseID + "/files"
	base, err := url.Parse(w.Facts.BaseURL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(p *httputil.ProxyRequest) {
			p.SetURL(base)
			p.Out.Host = base.Host
		},
		Transport: w.bare,
		ModifyResponse: func(r *http.Response) error {
			if r.Request.Method == http.MethodPost && r.Request.URL.Path == files && taken(r.Request) {
				return errors.New("the answer is lost")
			}

			return nil
		},
		ErrorHandler: func(rw http.ResponseWriter, _ *http.Request, _ error) { rw.WriteHeader(http.StatusBadGateway) },
	}
	between := httptest.NewTLSServer(proxy)
	t.Cleanup(between.Close)
	authority := filepath.Join(owner.folder, "between.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: between.Certificate().Raw})
	sites := map[string]any{between.URL: map[string]any{
		"baseUrl": between.URL, "token": user, "expires": "2100-01-01T00:00:00Z", "caFile": authority,
	}}
	text, err := json.Marshal(map[string]any{"current": between.URL, "sites": sites})
	page := filepath.Join(owner.folder, "notice.html")
	err = errors.Join(
		err,
		os.WriteFile(authority, block, 0o600),
		os.WriteFile(filepath.Join(owner.folder, "sites.json"), text, 0o600),
		os.WriteFile(page, []byte("<!DOCTYPE html><p>[Party 1] pays the rent."), 0o600),
	)
	if err != nil {
		t.Fatal(err)
	}
	owner.caFile = authority

	owner.fails("Nobody knows whether notice.html was added", "file", "add", k.CaseID, page, "--keep-original")
	kept := into[api.Page[api.File]](t, w.send(http.MethodGet, files, user, ""), http.StatusOK).Items
	if len(kept) != 2 {
		t.Fatalf("%d files are in the case, want the file and its original", len(kept))
	}

	for _, f := range kept {
		if f.MediaType != "application/vnd.subrosa.sealed" && f.SealedFileID == "" {
			t.Errorf("the file has no original: %+v", f)
		}
	}
}

// taken reports whether a request brings a file, and no sealed original.
func taken(r *http.Request) bool {
	return r.Header.Get("Content-Type") != "application/vnd.subrosa.sealed"
}
