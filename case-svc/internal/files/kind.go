package files

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/extract"
	writer "github.com/subrosa-legal/subrosa/pkg/rendition"
)

// Sealed is the type of an original that a browser encrypted before it let it go: sealedMark, then what nobody but the
// firm can read.
const Sealed = extract.Sealed

// What a sealed file begins with, and how short it may be: the mark, a nonce of 12 bytes and a tag of 16.
const (
	sealedMark  = "SBRSEAL1"
	sealedLeast = len(sealedMark) + 12 + 16
)

// kindOf returns the media type of a file by its bytes, which its declared type and its name may not contradict.
func kindOf(part Part, s *Scratch) (string, error) {
	head := make([]byte, min(extract.SniffLen, s.Size))
	if _, err := s.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return "", errors.Join(ErrScratch, err)
	}
	declared, _, _ := strings.Cut(part.Declared, ";")

	sealed, marked := strings.EqualFold(strings.TrimSpace(declared), Sealed), bytes.HasPrefix(head, []byte(sealedMark))
	switch {
	case sealed != marked, sealed && s.Size < int64(sealedLeast):
		return "", extract.ErrMismatch
	case sealed:
		return Sealed, nil
	}
	mediaType, err := extract.Sniff(head, part.Name).Accept(part.Declared)
	if err != nil && extract.EncryptedOffice(s, s.Size) {
		return "", errEncrypted
	}

	return mediaType, refined(err)
}

// errEncrypted means that a file is an Office file of a type that nobody can tell, since it is encrypted.
var errEncrypted = errors.New("encrypted Office file")

// rendered reports whether files of a type are kept as renditions: what they carry beside their text is never kept.
func rendered(mediaType string) bool { return writer.Needed(mediaType) }

// Rendered returns the types of which a rendition is kept in the place of the bytes.
func Rendered() []string {
	all := []string{
		extract.PlainText, extract.Markdown, extract.HTML, extract.CSV, extract.JSON, extract.Email, extract.PDF,
		extract.DOCX, extract.ODT,
	}

	return slices.DeleteFunc(all, func(mediaType string) bool { return !rendered(mediaType) })
}

// picture reports whether a type is stored as it is, since nobody can read its text.
func picture(mediaType string) bool { return strings.HasPrefix(mediaType, "image/") }

// refined gives refusals by type the words of this service.
func refined(err error) error {
	if errors.Is(err, ErrUnsupported) {
		return ErrUnsupported
	}

	return err
}

// baseName cuts the folders off a name, as some browsers send them.
func baseName(name string) string {
	if i := strings.LastIndexAny(name, `/\`); i >= 0 {
		name = name[i+1:]
	}

	return name
}

// Extension returns the usual extension of a type that is taken.
func Extension(mediaType string) string {
	switch mediaType {
	case extract.PDF:
		return ".pdf"
	case extract.DOCX:
		return ".docx"
	case extract.ODT:
		return ".odt"
	case extract.Markdown:
		return ".md"
	case extract.HTML:
		return ".html"
	case extract.CSV:
		return ".csv"
	case extract.JSON:
		return ".json"
	case extract.Email:
		return ".eml"
	case "image/png":
		return ".png"
	case "image/jpeg":
		return ".jpg"
	case "image/tiff":
		return ".tif"
	case Sealed:
		return ".sealed"
	}

	return ".txt"
}
