package files

import (
	"errors"
	"io"
	"strings"

	"github.com/subrosa-legal/subrosa/pkg/extract"
)

// kindOf returns the media type of a file by its bytes, which its declared type and its name may not contradict.
func kindOf(part Part, s *Scratch) (string, error) {
	head := make([]byte, min(extract.SniffLen, s.Size))
	if _, err := s.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return "", errors.Join(ErrScratch, err)
	}
	mediaType, err := extract.Sniff(head, part.Name).Accept(part.Declared)
	if err != nil {
		return "", refined(err)
	}
	switch mediaType {
	case extract.PlainText, extract.Markdown, extract.PDF, extract.DOCX:
		return mediaType, nil
	}
	return "", ErrUnsupported
}

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
