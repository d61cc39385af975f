package e2e_test

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/api"
)

// form makes the body of an upload: files by name, and metadata unless it is "".
func form(t *testing.T, metadata string, files ...string) (body, contentType string) {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	if metadata != "" {
		if err := w.WriteField("metadata", metadata); err != nil {
			t.Fatal(err)
		}
	}

	for i := 0; i+1 < len(files); i += 2 {
		part, err := w.CreateFormFile("file", files[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(part, files[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}

	return b.String(), w.FormDataContentType()
}

func TestBadUploads(t *testing.T) {
	t.Parallel()
	w := start(t, unlimited("CASE_MAX_FILE_BYTES", "100000", "GATEWAY_MAX_UPLOAD_BYTES", "400000"))
	agent := w.connect(ada)
	caseID, _ := w.newCase(agent.bearer)
	path := "/v1/cases/" + caseID + "/files"
	raw := func(body, media string, headers ...string) answer {
		return w.send(http.MethodPost, path, agent.bearer, body, append([]string{"Content-Type", media}, headers...)...)
	}
	parts := func(metadata string, files ...string) answer {
		body, media := form(t, metadata, files...)
		return raw(body, media)
	}
	large := strings.Repeat("A line of text.\n", 100_000/16+1)

	html := "<!doctype html><html><body><p>[Party 1]</p></body></html>"
	for name, tc := range map[string]struct {
		answer answer
		status int
		codes  []string
	}{
		"no type":                 {raw("text", ""), 415, []string{"unsupported_media_type"}},
		"a program":               {raw("\x7fELF\x02\x01\x01", "application/octet-stream"), 415, []string{"unsupported_media_type"}},
		"JSON that is none":       {raw(`{"a":`, "application/json"), 415, []string{"media_type_mismatch"}},
		"JSON with an identity":   {raw(`{"a":"jane.roe\u0040oak-street.com"}`, "application/json"), 403, []string{"identity_refused"}},
		"PDF that is a page":      {raw(html, "application/pdf"), 415, []string{"media_type_mismatch", "unsupported_media_type"}},
		"text that is a program":  {raw("\x7fELF\x02\x01\x01\x00\x00", "text/plain"), 415, []string{"media_type_mismatch", "unsupported_media_type"}},
		"empty file":              {raw(" ", "text/plain"), 400, []string{"empty_file"}},
		"larger than a file may":  {raw(large, "text/plain"), 413, []string{"file_too_large"}},
		"larger than the request": {raw(strings.Repeat(large, 5), "text/plain"), 413, []string{"body_too_large"}},
		"no boundary":             {raw("x", "multipart/form-data"), 400, []string{"validation_failed"}},
		"boundary that never is":  {raw("x", "multipart/form-data; boundary=y"), 400, []string{"validation_failed"}},
		"no files":                {parts(`[]`), 400, []string{"validation_failed"}},
		"an e-mail address":       {raw("Write to jane.roe@oak-street.com about it.", "text/plain"), 403, []string{"identity_refused"}},
		"an address in the name":  {raw("Text of [Party 1].", "text/plain", "Content-Disposition", `attachment; filename="jane.roe@oak-street.com.txt"`), 403, []string{"identity_refused"}},
		"unknown metadata":        {parts(`[{"x":1}]`, "a.txt", "Text one."), 400, []string{"unknown_field"}},
		"refused metadata":        {parts(`[{"email":""}]`, "a.txt", "Text one."), 403, []string{"identity_refused"}},
		"metadata for no file":    {parts(`[{},{}]`, "a.txt", "Text one."), 400, []string{"validation_failed"}},
		"metadata of no form":     {parts(`{"a":`, "a.txt", "Text one."), 400, []string{"malformed_json"}},
		"an agent that attests":   {parts(`[{"attestation":true}]`, "a.txt", "Text one."), 403, []string{"human_required"}},
		"one bad among good":      {parts("", "a.txt", "Text one.", "b.txt", "Call 415-555-0132 or mail jane.roe@oak-street.com."), 403, []string{"identity_refused"}},
	} {
		tc.answer.refused(t, name, tc.status, tc.codes...)
		tc.answer.discreet(t, name)
		if tc.status == http.StatusForbidden && !strings.Contains(tc.answer.err.DeepLink, "/i/") {
			t.Errorf("%s: deepLink = %q", name, tc.answer.err.DeepLink)
		}
		if bytes.Contains(tc.answer.body, []byte("jane")) {
			t.Errorf("%s: the answer repeats what it refuses: %s", name, tc.answer.body)
		}
	}

	for protocol, with := range map[string]*http.Client{"HTTP/2": w.http, "HTTP/1.1": w.http1()} {
		for what, size := range map[string]int64{"a file": 150_000, "the request": 500_000} {
			req := w.request(http.MethodPost, path, agent.bearer, onlyReader{io.LimitReader(strings.NewReader(strings.Repeat(large, 6)), size)}, "Content-Type", "text/plain")
			a, err := fetch(with, req)
			if err != nil {
				t.Errorf("in chunks over %s, more than %s may be: %v", protocol, what, err)
				continue
			}
			a.refused(t, "in chunks over "+protocol+", more than "+what+" may be", http.StatusRequestEntityTooLarge, "file_too_large", "body_too_large")
		}
	}
	files := into[api.Page[api.File]](t, w.send(http.MethodGet, path, agent.bearer, ""), http.StatusOK)
	if len(files.Items) != 1 {
		t.Errorf("the case has %d files, want the one it had", len(files.Items))
	}
	if blobs := w.documents(w.database("CASE_DATABASE"), "fs.files"); len(blobs) != 1 {
		t.Errorf("the bytes of %d files are stored, want those of the one that was taken", len(blobs))
	}
}
