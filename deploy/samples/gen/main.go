// Command gen makes the sample documents that are not plain text from their sources.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/subrosa-legal/subrosa/deploy/samples/typeset"
)

func main() {
	dir := flag.String("dir", "samples", "folder of the samples")
	flag.Parse()
	if err := generate(*dir); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func generate(dir string) error {
	for _, made := range []struct {
		source, name string
		set          func(io.Writer, typeset.Document) error
	}{
		{"commercial-lease.md", "commercial-lease.docx", typeset.DOCX},
		{"employment-agreement.md", "employment-agreement.pdf", typeset.PDF},
	} {
		source, err := os.ReadFile(filepath.Join(dir, "source", made.source))
		if err != nil {
			return fmt.Errorf("read source: %w", err)
		}
		var out bytes.Buffer
		if err := made.set(&out, typeset.Parse(string(source))); err != nil {
			return fmt.Errorf("set %s: %w", made.name, err)
		}
		if err := os.WriteFile(filepath.Join(dir, made.name), out.Bytes(), 0o600); err != nil {
			return fmt.Errorf("write %s: %w", made.name, err)
		}
	}
	return nil
}
