package files_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/rendition"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
)

// read is all that is made of a file.
type read struct {
	Doc            extract.Document
	Passages       []extract.Passage
	Markdown, Word rendition.Rendition
}

// TestSeveralFilesAreReadAtOnce reads files of all producers at once, and each twice, under the race detector: the
// packages that read them start nothing themselves, and are tested without it.
func TestSeveralFilesAreReadAtOnce(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob(filepath.Join(testkit.Tree(t), "pkg/rendition/testdata/producers/clean/complaint.*"))
	if err != nil || len(paths) < 20 {
		t.Fatalf("files = %q, %v", paths, err)
	}
	var under sync.WaitGroup

	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		both := make([]read, 2)
		under.Go(func() {
			var one sync.WaitGroup
			for i := range both {
				one.Go(func() {
					var err error
					if both[i], err = readAll(t.Context(), path, data); err != nil {
						t.Errorf("%s: %v", filepath.Base(path), err)
					}
				})
			}
			one.Wait()

			if !reflect.DeepEqual(both[0], both[1]) || both[0].Doc.Text == "" {
				t.Errorf("%s: two who read it differ, or found no text", filepath.Base(path))
			}
		})
	}
	under.Wait()
}

func readAll(ctx context.Context, path string, data []byte) (r read, err error) {
	media := extract.Sniff(slices.Clone(data[:min(len(data), 512)]), filepath.Base(path)).MediaType
	r.Doc, err = extract.Extract(ctx, bytes.NewReader(data), int64(len(data)), media, extract.DefaultLimits())
	if err != nil {
		return r, err
	}
	r.Passages = extract.Passages(r.Doc)
	if r.Markdown, err = rendition.Markdown(ctx, r.Doc); err != nil {
		return r, err
	}
	r.Word, err = rendition.Word(ctx, r.Doc)

	return r, err
}
