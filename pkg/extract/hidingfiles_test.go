package extract_test

import (
	"archive/zip"
	"bytes"
	"flag"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/extract"
)

var update = flag.Bool("update", false, "write the files of testdata anew")

// hidingFiles is an archive of the files with a name in a hiding place, for those who test what becomes of a whole
// file.
const hidingFiles = "testdata/hidingplaces.zip"

// TestHidingFiles keeps the archive what the table says.
func TestHidingFiles(t *testing.T) {
	forms := readForms(t)
	var b bytes.Buffer
	w := zip.NewWriter(&b)

	for _, x := range []struct {
		ending string
		places map[string]place
	}{
		{"docx", wordPlaces(forms["docx"])},
		{"odt", archivedPlaces(forms["odt"])},
		{"pdf", pdfPlaces(forms["pdf"])},
		{"eml", textPlaces(forms["eml"], "")},
		{"html", textPlaces(forms["html"], "<!DOCTYPE html><p>"+harmless+"</p>")},
	} {
		for _, name := range slices.Sorted(maps.Keys(x.places)) {
			p := x.places[name]
			// The comment is the fate.
			head := &zip.FileHeader{
				Name:    strings.ReplaceAll(name, "/", "_") + "." + x.ending,
				Comment: p.fate,
				Method:  zip.Deflate,
			}
			f, err := w.CreateHeader(head)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := f.Write(p.file(planted)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}

	if *update {
		if err := os.WriteFile(hidingFiles, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := zip.OpenReader(hidingFiles)
	if err != nil {
		t.Fatal(err)
	}
	defer kept.Close()

	made, err := zip.NewReader(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	same := slices.EqualFunc(made.File, kept.File, func(a, b *zip.File) bool {
		return a.Name == b.Name && a.Comment == b.Comment && bytes.Equal(unzipped(t, a), unzipped(t, b))
	})
	if !same {
		t.Errorf("%s is not what the table says: go test ./extract -run HidingFiles -update", hidingFiles)
	}
}

func unzipped(t *testing.T, f *zip.File) []byte {
	t.Helper()
	r, err := f.Open()
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(io.LimitReader(r, extract.DefaultLimits().Size))
	if err != nil {
		t.Fatal(err)
	}

	return content
}
