// Command gen makes the sample documents that are not plain text from their sources, and the texts of variants of all
// three, on which agent-svc tests what it finds.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/subrosa-legal/subrosa/deploy/samples/typeset"
	"github.com/subrosa-legal/subrosa/deploy/samples/vary"
)

func main() {
	dir := flag.String("dir", "samples", "folder of the samples")
	texts := flag.String("texts", "../agent-svc/internal/legal/facts/testdata/samples",
		"folder for the texts of the variants")
	flag.Parse()
	if err := generate(*dir, *texts); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func generate(dir, texts string) error {
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

	return variants(dir, texts)
}

// variants writes the text of each sample and of each of its readable variants.
func variants(dir, texts string) error {
	if err := os.MkdirAll(texts, 0o750); err != nil {
		return fmt.Errorf("make the folder of the texts: %w", err)
	}

	for _, sample := range vary.Sources() {
		source, err := os.ReadFile(filepath.Join(dir, sample.Path))
		if err != nil {
			return fmt.Errorf("read source: %w", err)
		}
		made, err := vary.Texts(context.Background(), sample.Name, string(source))
		if err != nil {
			return err
		}

		for name, text := range made {
			if err := os.WriteFile(filepath.Join(texts, name), []byte(text), 0o600); err != nil {
				return fmt.Errorf("write %s: %w", name, err)
			}
		}
	}

	return nil
}
