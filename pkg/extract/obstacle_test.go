package extract_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/extract/internal/docxtest"
	"github.com/subrosa-legal/subrosa/pkg/extract/internal/pdftest"
)

// container is an OLE container with streams of these names.
func container(streams ...string) []byte {
	data := make([]byte, 512, 4096)
	copy(data, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
	binary.LittleEndian.PutUint16(data[24:], 0x3e)
	binary.LittleEndian.PutUint16(data[26:], 3)
	binary.LittleEndian.PutUint16(data[28:], 0xfffe)
	binary.LittleEndian.PutUint16(data[30:], 9)
	data = append(data, make([]byte, 512*4)...) // tables and a stream

	for i, name := range append([]string{"Root Entry"}, streams...) {
		entry := make([]byte, 128)
		for at, unit := range utf16.Encode([]rune(name)) {
			binary.LittleEndian.PutUint16(entry[2*at:], unit)
		}
		binary.LittleEndian.PutUint16(entry[64:], uint16(2*len(name)+2))
		if entry[66] = 2; i == 0 {
			entry[66] = 5
		}
		data = append(data, entry...)
	}

	return append(data, make([]byte, 512)...)
}

// scanned is a PDF of so many pages, of which these are pictures without text.
func scanned(pages int, pictures ...int) []byte {
	f := pdftest.New()
	picture := f.Stream("/Type/XObject/Subtype/Image/Width 1700/Height 2200/BitsPerComponent 1/ColorSpace/DeviceGray",
		bytes.Repeat([]byte{0x5a}, 213*2200))
	shows := f.Stream("", []byte("612 0 0 792 0 0 cm /Im Do"))
	resources := "/XObject<</Im " + strconv.Itoa(picture) + " 0 R>>"

	for n := 1; n <= pages; n++ {
		if slices.Contains(pictures, n) {
			f.Page(shows, resources, "")
		} else {
			f.TextPage("The tenant pays the rent on the first day.", "The landlord keeps the building in repair.")
		}
	}

	return f.Bytes()
}

// Who sent a file that cannot be relied on learns why, where and what to do.
func TestObstacle(t *testing.T) {
	t.Parallel()
	locked, attached, form := pdftest.New(), pdftest.New(), pdftest.New()
	locked.TextPage("Secret.")
	locked.Trailer = "/Encrypt<</Filter/Standard/V 2>>"
	attached.TextPage(prose)
	attached.Catalog = "/Names<</EmbeddedFiles<</Names[]>>>>"
	form.TextPage(prose)
	form.Catalog = "/NeedsRendering true"
	reencoded := pdftest.New()
	reencoded.Stream("", []byte(strings.Repeat("\ufffd", 1001)))
	reencoded.TextPage(prose)
	torn := pdftest.New()
	torn.TextPage("The first page can be read.")
	torn.Page(torn.Stream("/Filter/JBIG2Decode", []byte("x")), "", "")
	message := "From: [Party 4]\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nSee it.\n" +
		"--b\nContent-Type: application/pdf\nContent-Disposition: attachment; filename=a.pdf\n\n%PDF\n--b--\n"

	for name, tc := range map[string]struct {
		mediaType string
		content   []byte
		want      []string // in this order
	}{
		"an encrypted PDF":     {extract.PDF, locked.Bytes(), []string{"is encrypted", "Remove its password"}},
		"an encrypted DOCX":    {extract.DOCX, container("EncryptionInfo", "EncryptedPackage"), []string{"is encrypted"}},
		"a PDF with files":     {extract.PDF, attached.Bytes(), []string{"carries other files", "Remove the embedded files"}},
		"an e-mail with files": {extract.Email, []byte(message), []string{"has attachments", "each attachment"}},
		"a form by a program":  {extract.PDF, form.Bytes(), []string{"program draws the pages", "Print the form"}},
		"a scan":               {extract.PDF, scanned(1, 1), []string{"pictures of text", "on its only page", "OCR"}},
		"a scan of pages":      {extract.PDF, scanned(3, 1, 2, 3), []string{"on all of its 3 pages"}},
		"a page of a scan":     {extract.PDF, scanned(4, 3), []string{"on one of its 4 pages: 3."}},
		"pages of a scan":      {extract.PDF, scanned(14, 2, 3, 4, 7, 11, 12), []string{"on 6 of its 14 pages: 2 to 4, 7, 11 and 12."}},
		"a page of a broken PDF": {
			extract.PDF, torn.Bytes(), []string{"is damaged on page 2", "save it anew"},
		},
		"half a PDF":       {extract.PDF, attached.Bytes()[:200], []string{"The file is damaged. Open it"}},
		"half a DOCX":      {extract.DOCX, docxtest.New(docxtest.P(prose)).Bytes()[:500], []string{"The file is damaged."}},
		"a broken body":    {extract.DOCX, docxtest.New("<w:p>").Bytes(), []string{"is damaged in the text"}},
		"broken notes":     {extract.DOCX, brokenPart("footnotes"), []string{"is damaged in the footnotes"}},
		"a broken header":  {extract.DOCX, brokenPart("header"), []string{"is damaged in a header"}},
		"deep elements":    {extract.DOCX, docxtest.New(strings.Repeat("<w:p>", 300)).Bytes(), []string{"nested too deeply", "in the text"}},
		"no UTF-8":         {extract.PlainText, []byte("Caf\xe9"), []string{"UTF-8"}},
		"good text":        {extract.PlainText, []byte(prose), nil},
		"broken e-mail":    {extract.Email, []byte("no header at all"), []string{"is damaged"}},
		"saved as text":    {extract.PDF, reencoded.Bytes(), []string{"saved it as text"}},
		"letters unknown":  {extract.PlainText, []byte(strings.Repeat("\ufffd a ", 99)), []string{"stand for no known characters"}},
		"pictures, a DOCX": {extract.DOCX, docxtest.New(docxtest.P("")).Part("word/media/image1.png", "x").Bytes(), []string{"hardly any text that can be read"}},
	} {
		t.Run(name, func(t *testing.T) {
			doc, err := extract.Extract(
				t.Context(),
				bytes.NewReader(tc.content),
				int64(len(tc.content)),
				tc.mediaType,
				extract.DefaultLimits(),
			)
			if err != nil {
				t.Fatal(err)
			}
			rest := doc.Obstacle()
			if tc.want == nil && rest != "" {
				t.Errorf("of a file that can be read it says %q", rest)
			}

			for _, words := range tc.want {
				_, after, ok := strings.Cut(rest, words)
				if !ok {
					t.Fatalf("%s (%s): %q does not say %q", doc.Status, doc.Reason, doc.Obstacle(), words)
				}
				rest = after
			}
		})
	}
}

func brokenPart(kind string) []byte {
	return docxtest.New(docxtest.P(prose)).Link(kind, "word/"+kind+"1.xml", "<w:"+kind+" *><w:p>").Bytes()
}

func TestAFileThatTakesTooLongSaysSo(t *testing.T) {
	t.Parallel()
	lim := extract.DefaultLimits()
	lim.Time = 1
	doc, err := extract.Extract(t.Context(), strings.NewReader(prose), int64(len(prose)), extract.HTML, lim)
	if err != nil || !strings.Contains(doc.Obstacle(), "in the time") {
		t.Errorf("%q, %v", doc.Obstacle(), err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := extract.Extract(ended, strings.NewReader(prose), int64(len(prose)), extract.HTML, lim); !errors.Is(
		err,
		context.Canceled,
	) {
		t.Errorf("a caller who left is told %v", err)
	}
}

// A DOCX file in the container that Office programs put encrypted files into is taken for one; what else lies in such
// containers is not.
func TestEncryptedOfficeFilesAreTold(t *testing.T) {
	t.Parallel()
	locked := container("\x06DataSpaces", "Version", "EncryptionInfo", "EncryptedPackage")

	for name, tc := range map[string]struct {
		content        []byte
		file, declared string
		encrypted      bool
		mediaType      string
		err            error
	}{
		"by its name":           {locked, "lease.docx", "", true, extract.DOCX, nil},
		"by name and type":      {locked, "lease.docx", extract.DOCX, true, extract.DOCX, nil},
		"by its type":           {locked, "", extract.DOCX, true, extract.DOCX, nil},
		"a workbook":            {locked, "sums.xlsx", "", true, "", extract.ErrUnsupported},
		"without name or type":  {locked, "", "", true, "", extract.ErrUnsupported},
		"called a PDF":          {locked, "lease.pdf", "application/pdf", true, "", extract.ErrMismatch},
		"another container":     {container("Book"), "lease.docx", "", false, extract.DOCX, nil},
		"a name like it":        {container("EncryptedPackages", "EncryptedPackag"), "lease.docx", "", false, extract.DOCX, nil},
		"the words in the text": {[]byte(prose + " EncryptedPackage"), "a.txt", "", false, extract.PlainText, nil},
		"cut off":               {locked[:6], "lease.docx", extract.DOCX, false, "", extract.ErrMismatch},
	} {
		r := bytes.NewReader(tc.content)
		if got := extract.EncryptedOffice(r, r.Size()); got != tc.encrypted {
			t.Errorf("%s: encrypted is %t", name, got)
		}
		mediaType, err := extract.Sniff(tc.content, tc.file).Accept(tc.declared)
		if mediaType != tc.mediaType || !errors.Is(err, tc.err) {
			t.Errorf("%s: taken as %q, %v", name, mediaType, err)
		}
		if tc.encrypted || mediaType != extract.DOCX {
			continue
		}
		if _, err := extract.Extract(t.Context(), r, r.Size(), mediaType, extract.DefaultLimits()); !errors.Is(
			err,
			extract.ErrMismatch,
		) {
			t.Errorf("%s: read as a DOCX: %v", name, err)
		}
	}
}
