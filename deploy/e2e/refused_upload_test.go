package e2e_test

import (
	"bytes"
	"net/http"
	"testing"
)

// TestAnUploadThatIsRefusedEarlyLeavesTheGatewayStanding sends files that are refused while their bodies still arrive: the gateway's
// transport may be reading a body when its handler has long returned.
func TestAnUploadThatIsRefusedEarlyLeavesTheGatewayStanding(t *testing.T) {
	t.Parallel()
	w := start(t, map[string]string{"CASE_MAX_FILE_BYTES": "65536"})
	bearer := w.connect(ada).bearer
	caseID, _ := w.newCase(bearer)

	body := bytes.Repeat([]byte("Clean words. "), 1<<20)
	for range 12 {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.Facts.BaseURL+"/v1/cases/"+caseID+"/files", struct{ *bytes.Reader }{bytes.NewReader(body)})
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+bearer)
		req.Header.Set("Content-Type", "text/plain")
		req.Header.Set("Content-Disposition", `attachment; filename="long.txt"`)
		resp, err := w.http.Do(req)
		if err != nil {
			continue // the connection may be closed under a body that nobody wants
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusRequestEntityTooLarge {
			t.Errorf("status %d, want 413", resp.StatusCode)
		}
	}
	if _, err := w.as(bearer).Me(t.Context()); err != nil {
		t.Errorf("the next call: %v", err)
	}
}
