package files

import (
	"errors"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/extract"
)

func TestMediaTypes(t *testing.T) {
	for _, tc := range []struct {
		name, declared, file string
		want                 string
		err                  error
	}{
		{"text", "text/plain", "a.txt", extract.PlainText, nil},
		{"text in UTF-8", "text/plain; charset=UTF-8", "a.txt", extract.PlainText, nil},
		{"text in another charset", "text/plain; charset=iso-8859-1", "a.txt", "", ErrUnsupported},
		{"markdown", "text/markdown", "a.md", extract.Markdown, nil},
		{"old markdown", "text/x-markdown", "a.md", extract.Markdown, nil},
		{"markdown as text", "text/plain", "a.md", extract.PlainText, nil},
		{"pdf", "application/pdf", "a.pdf", extract.PDF, nil},
		{"docx", extract.DOCX, "a.DOCX", extract.DOCX, nil},
		{"no name", "application/pdf", "", extract.PDF, nil},
		{"unknown name", "application/pdf", "a.bin", extract.PDF, nil},
		{"no type", "", "a.pdf", extract.PDF, nil},
		{"any bytes", "application/octet-stream", "a.markdown", extract.Markdown, nil},
		{"neither", "", "", "", ErrUnsupported},
		{"any bytes of no name", "application/octet-stream", "a.exe", "", ErrUnsupported},
		{"pdf called text", "text/plain", "a.pdf", "", ErrMismatch},
		{"text called pdf", "application/pdf", "a.txt", "", ErrMismatch},
		{"docx called pdf", extract.DOCX, "a.pdf", "", ErrMismatch},
		{"html", "text/html", "a.html", "", ErrUnsupported},
		{"zip", "application/zip", "a.zip", "", ErrUnsupported},
		{"picture", "image/png", "a.png", "", ErrUnsupported},
		{"macro", "application/vnd.ms-word.document.macroEnabled.12", "a.docm", "", ErrUnsupported},
		{"nonsense", ";;;", "a.txt", "", ErrUnsupported},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := mediaTypeOf(tc.declared, tc.file)
			if got != tc.want || !errors.Is(err, tc.err) {
				t.Errorf("mediaTypeOf(%q, %q) = %q, %v, want %q, %v", tc.declared, tc.file, got, err, tc.want, tc.err)
			}
		})
	}
}

func TestBaseNames(t *testing.T) {
	for in, want := range map[string]string{"a.txt": "a.txt", `C:\Users\x\a.txt`: "a.txt", "../../a.txt": "a.txt", "dir/": "", "": ""} {
		if got := baseName(in); got != want {
			t.Errorf("baseName(%q) = %q, want %q", in, got, want)
		}
	}
}
