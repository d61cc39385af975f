// Package pdftest writes small PDF files, right and wrong ones, for the tests of the reader.
package pdftest

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"strings"
)

// File is a PDF file being put together. Object 1 is the catalog, object 2 the root of the pages.
type File struct {
	objects []string // object n is objects[n-1]
	pages   []int
	Catalog string // further entries of the catalog
	Trailer string // further entries of the trailer
	Packed  bool   // objects go into an object stream, and the table of objects into a stream too
}

// New returns a file without pages.
func New() *File { return &File{objects: []string{"", ""}} }

// Add appends an object and returns its number.
func (f *File) Add(object string) int {
	f.objects = append(f.objects, object)
	return len(f.objects)
}

// Stream appends a stream with further entries in its dictionary.
func (f *File) Stream(entries string, data []byte) int {
	return f.Add(stream(entries, data))
}

// Flate appends a stream packed with zlib.
func (f *File) Flate(entries string, data []byte) int {
	return f.Stream(entries+"/Filter/FlateDecode", Zlib(data))
}

func stream(entries string, data []byte) string {
	return fmt.Sprintf("<<%s/Length %d>>\nstream\n%s\nendstream", entries, len(data), data)
}

// Zlib packs data.
func Zlib(data []byte) []byte {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	w.Write(data) //nolint:errcheck // a buffer takes everything
	w.Close()     //nolint:errcheck // likewise

	return b.Bytes()
}

// Page appends a page whose contents are the numbered stream. Resources and further entries may be empty.
func (f *File) Page(contents int, resources, entries string) {
	if resources == "" {
		resources = "/Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>>>"
	}
	n := f.Add(fmt.Sprintf(
		"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents %d 0 R/Resources<<%s>>%s>>",
		contents,
		resources,
		entries,
	))
	f.pages = append(f.pages, n)
}

// TextPage appends a page of lines in the font F1, twelve points, from the top.
func (f *File) TextPage(lines ...string) {
	f.Page(f.Flate("", []byte(Lines(lines...))), "", "")
}

// Lines returns operators that draw lines below each other.
func Lines(lines ...string) string {
	var b strings.Builder
	b.WriteString("BT /F1 12 Tf 14 TL 72 720 Td\n")

	escape := strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`)
	for _, line := range lines {
		fmt.Fprintf(&b, "(%s) Tj T*\n", escape.Replace(line))
	}
	b.WriteString("ET\n")

	return b.String()
}

// Bytes returns the file.
func (f *File) Bytes() []byte {
	var kids strings.Builder
	for _, n := range f.pages {
		fmt.Fprintf(&kids, "%d 0 R ", n)
	}
	f.objects[0] = "<</Type/Catalog/Pages 2 0 R" + f.Catalog + ">>"
	f.objects[1] = fmt.Sprintf("<</Type/Pages/Kids[%s]/Count %d>>", kids.String(), len(f.pages))
	if f.Packed {
		return f.packed()
	}
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")

	offsets := make([]int, len(f.objects))
	for i, o := range f.objects {
		offsets[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(f.objects)+1)

	for _, at := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", at)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF\n", len(f.objects)+1, f.Trailer, start)

	return b.Bytes()
}

// packed writes all objects that are not streams into one object stream.
func (f *File) packed() []byte {
	var b, table, inner bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	rows := make([][3]int, len(f.objects)+3)

	holder := len(f.objects) + 1
	for i, o := range f.objects {
		if strings.Contains(o, "\nstream\n") {
			rows[i+1] = [3]int{1, b.Len(), 0}
			fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)

			continue
		}
		rows[i+1] = [3]int{2, holder, 0}
		fmt.Fprintf(&table, "%d %d ", i+1, inner.Len())
		inner.WriteString(o + "\n")
	}
	count := bytes.Count(table.Bytes(), []byte(" ")) / 2
	rows[holder] = [3]int{1, b.Len(), 0}
	body := Zlib(append(table.Bytes(), inner.Bytes()...))
	fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", holder,
		stream(fmt.Sprintf("/Type/ObjStm/N %d/First %d/Filter/FlateDecode", count, table.Len()), body))
	start := b.Len()
	rows[holder+1] = [3]int{1, start, 0}
	fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\nstartxref\n%d\n%%%%EOF\n", holder+1, stream(fmt.Sprintf(
		"/Type/XRef/Size %d/W[1 3 1]/Root 1 0 R%s/Filter/FlateDecode/DecodeParms<</Predictor 12/Columns 5>>",
		len(rows),
		f.Trailer,
	),
		Zlib(predicted(rows))), start)

	return b.Bytes()
}

// predicted writes rows of a table of objects, each as its difference from the row above.
func predicted(rows [][3]int) []byte {
	var out []byte
	var above [5]byte

	for _, r := range rows {
		row := [5]byte{byte(r[0]), byte(r[1] >> 16), byte(r[1] >> 8), byte(r[1]), byte(r[2])}

		out = append(out, 2)
		for i := range row {
			out = append(out, row[i]-above[i])
		}
		above = row
	}

	return out
}
