package rendition_test

import (
	"strings"
	"testing"
)

// What stands in the rendition leads back to the words that it was written from.
func TestOrigin(t *testing.T) {
	t.Parallel()
	doc := structured()
	r := markdown(t, doc)
	parts := map[string]string{"text": doc.Text, "comments": doc.Parts[1].Text}

	for _, tc := range []struct{ in, path, want string }{
		{"Lease", "text", "Lease"},
		{"# Lease", "text", "Lease"},
		{"pays[^n.1] the", "text", "pays the"},
		{`$1\|2`, "text", "$1|2"},
		{"first\n   - second", "text", "first\nsecond"},
		{"page\n\n## Comments\n\nCheck", "text", "page"},
		{"Check this", "comments", "Check this"},
	} {
		from := strings.Index(string(r.Bytes), tc.in)
		path, start, end, ok := r.Origin(from, from+len(tc.in))
		if !ok || path != tc.path || parts[path][start:end] != tc.want {
			t.Errorf("%q comes from %s, %d to %d (%v)", tc.in, path, start, end, ok)
		}
	}
	if path, _, _, ok := r.Origin(0, 1); ok {
		t.Errorf("the mark of a heading comes from %s", path)
	}
}
