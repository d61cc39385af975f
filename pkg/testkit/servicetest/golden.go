package servicetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var (
	anyID  = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	anySum = regexp.MustCompile(`"(prevHash|hash|requestSha256|responseSha256)": "[0-9a-f]{64}"`)
	anyEnd = regexp.MustCompile(`"nextCursor": "[^"]+"`)
)

// Golden compares an answer with its file in testdata, or writes the file anew. Ids are numbered in their order, so
// that the same id has the same number in one answer; hashes that cover ids are left out.
func Golden(t testing.TB, update bool, name string, body []byte) {
	t.Helper()
	if strings.HasSuffix(name, ".json") {
		var b bytes.Buffer
		if err := json.Indent(&b, body, "", "  "); err != nil {
			t.Fatalf("%s: %v: %s", name, err, body)
		}
		b.WriteByte('\n')
		body = b.Bytes()
	}
	numbers := map[string]string{}
	got := anyID.ReplaceAllStringFunc(string(body), func(id string) string {
		if numbers[id] == "" {
			numbers[id] = fmt.Sprintf("ID-%d", len(numbers)+1)
		}

		return numbers[id]
	})
	got = anySum.ReplaceAllString(got, `"$1": "SHA-256"`)
	got = anyEnd.ReplaceAllString(got, `"nextCursor": "CURSOR"`)
	path := filepath.Join("testdata", name)
	if update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got); -update writes it anew:\n%s", name, diff)
	}
}
