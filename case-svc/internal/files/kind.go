package files

import (
	"mime"
	"path"
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/extract"
)

// extensions of the types that are taken.
var extensions = map[string]string{
	".txt": extract.PlainText, ".text": extract.PlainText, ".md": extract.Markdown, ".markdown": extract.Markdown,
	".pdf": extract.PDF, ".docx": extract.DOCX,
}

// mediaTypeOf returns the type that a sender declares for a file, by its header or else by its name. A name that says another type
// than the header is ErrMismatch, except between the two kinds of text.
func mediaTypeOf(declared, name string) (string, error) {
	byName := extensions[strings.ToLower(path.Ext(name))]
	essence, params, err := mime.ParseMediaType(declared)
	switch {
	case declared == "" || err == nil && essence == "application/octet-stream":
		if byName == "" {
			return "", ErrUnsupported
		}
		return byName, nil
	case err != nil:
		return "", ErrUnsupported
	}
	if essence == "text/x-markdown" {
		essence = extract.Markdown
	}
	switch essence {
	case extract.PDF, extract.DOCX:
		if byName != "" && byName != essence {
			return "", ErrMismatch
		}
		return essence, nil
	case extract.PlainText, extract.Markdown:
		if byName == extract.PDF || byName == extract.DOCX {
			return "", ErrMismatch
		}
		if c := strings.ToLower(params["charset"]); c != "" && c != "utf-8" && c != "us-ascii" && c != "utf-16" {
			return "", ErrUnsupported.WithMessage("Text is taken in UTF-8. Save the file in UTF-8 and send that.")
		}
		return essence, nil
	}
	return "", ErrUnsupported
}

// baseName cuts the folders off a name, as some browsers send them.
func baseName(name string) string {
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}
	return name
}

// extensionOf returns the usual extension of a type that is taken.
func extensionOf(mediaType string) string {
	switch mediaType {
	case extract.PDF:
		return ".pdf"
	case extract.DOCX:
		return ".docx"
	case extract.Markdown:
		return ".md"
	}
	return ".txt"
}
