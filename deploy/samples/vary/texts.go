package vary

import (
	"bytes"
	"context"
	"fmt"

	"github.com/subrosa-legal/subrosa/pkg/extract"
)

// Source is where the text of a sample stands, below the folder of the samples.
type Source struct{ Name, Path string }

// Sources returns the samples of which variants are made.
func Sources() []Source {
	return []Source{
		{"complaint", "complaint.md"},
		{"commercial-lease", "source/commercial-lease.md"},
		{"employment-agreement", "source/employment-agreement.md"},
	}
}

// Read extracts the text of a variant as an upload would.
func (f File) Read(ctx context.Context) (extract.Document, error) {
	mediaType, err := extract.Sniff(f.Data, f.Name).Accept("")
	if err != nil {
		return extract.Document{}, fmt.Errorf("%s: %w", f.Name, err)
	}
	doc, err := extract.Extract(ctx, bytes.NewReader(f.Data), int64(len(f.Data)), mediaType, extract.DefaultLimits())
	if err != nil {
		return doc, fmt.Errorf("extract %s: %w", f.Name, err)
	}

	return doc, nil
}

// Texts returns the text of a source and of its readable variants, by the name of a text file. A variant that is not
// read well is an error.
func Texts(ctx context.Context, name, source string) (map[string]string, error) {
	files, err := Readable(name, source)
	if err != nil {
		return nil, err
	}
	texts := map[string]string{}

	for _, f := range append(files, File{name + ".md", []byte(source)}) {
		doc, err := f.Read(ctx)
		if err != nil {
			return nil, err
		}
		if doc.Status != extract.OK {
			return nil, fmt.Errorf("%s is %s", f.Name, doc.Status)
		}
		texts[f.Name+".text"] = doc.Text
	}

	return texts, nil
}
