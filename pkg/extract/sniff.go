package extract

import (
	"bytes"
	"path"
	"strings"

	"github.com/gabriel-vasile/mimetype"
)

// SniffLen is how many bytes of the beginning of a file Sniff looks at; more are of no use.
const SniffLen = 3072

// Class says what the service does with a type of file.
type Class uint8

// The classes.
const (
	Refused  Class = iota // archives, programs, macros and all other types
	Readable              // Extract reads it
	Picture               // stored as it is, never readable to agents: PNG, JPEG, TIFF
)

// Sniffed is what the bytes of a file say about its type. They are believed before its name and its declared type.
type Sniffed struct {
	MediaType string // without parameters
	Class     Class
	named     string // what the name says, "" when it says nothing
	macro     bool
}

// Sniff looks at the first bytes of a file, SniffLen if there are so many. The name settles only what bytes cannot:
// which kind of text it is, and that an archive is meant to be a DOCX or ODT file, which Extract then verifies.
func Sniff(head []byte, name string) Sniffed {
	head = head[:min(len(head), SniffLen)]
	ext := strings.ToLower(path.Ext(name))

	s := Sniffed{MediaType: essence(mimetype.Detect(head).String()), named: namedType(ext)}
	switch ext {
	case ".docm", ".dotm", ".xlsm", ".xltm", ".xlam", ".pptm", ".potm", ".ppsm", ".ppam":
		s.macro = true
		return s
	}

	switch {
	case s.MediaType == "application/zip" && ext == ".docx":
		s.MediaType = DOCX
	// The type of such a file is not its first entry, as the format wants it.
	case s.MediaType == "application/zip" && s.named == ODT:
		s.MediaType = ODT
	case s.MediaType == odtTemplate, flatODT(head) && (ext == "" || ext == ".xml" || s.named == ODT):
		s.MediaType = ODT
	// Office programs make this of a DOCX file that they encrypt.
	case s.MediaType == oleType && ext == ".docx":
		s.MediaType = DOCX
	case s.named == HTML && strings.HasSuffix(s.MediaType, "xml") && wholePage(behindProlog(head)):
		s.MediaType = HTML
	case textual(s.MediaType) && message(head):
		s.MediaType = Email
	case textual(s.MediaType):
		s.MediaType = textType(ext)
	case s.MediaType == HTML && s.named == Markdown && !wholePage(head):
		// Markdown may begin with a comment or a tag.
		s.MediaType = Markdown
	}
	s.Class = classOf(s.MediaType)

	return s
}

// The further types of OpenDocument texts, which are taken as ODT: templates, and texts in one part of XML.
const (
	odtTemplate = ODT + "-template"
	odtFlat     = ODT + "-flat-xml"
)

// flatODT reports whether a file begins as a flat OpenDocument file does. Extract verifies that it is a text.
func flatODT(head []byte) bool {
	_, root, ok := bytes.Cut(head, []byte("<office:document"))

	return ok && bytes.Contains(root, []byte("urn:oasis:names:tc:opendocument:xmlns:"))
}

// Accept returns the media type under which to take the file, given the declared one, which may be empty. The error is
// ErrMacro, ErrUnsupported or ErrMismatch; a declared type or a name that says something else than the bytes is a
// mismatch.
func (s Sniffed) Accept(declared string) (mediaType string, err error) {
	declared = essence(declared)
	switch declared {
	case odtTemplate, odtFlat:
		declared = ODT
	// A page was saved with its pictures.
	case "multipart/related", "application/x-mimearchive", "application/mhtml":
		declared = Email
	}
	if s.macro || strings.Contains(declared, "macroenabled") {
		return "", ErrMacro
	}

	silent := declared == "" || declared == "application/octet-stream"
	if s.MediaType == oleType && s.named == "" && declared == DOCX {
		return DOCX, nil
	}

	switch {
	case s.Class == Refused && (silent || classOf(declared) == Refused) && classOf(s.named) == Refused:
		return "", ErrUnsupported
	case s.Class == Refused:
		return "", ErrMismatch
	case s.named != "" && !alike(s.named, s.MediaType), !silent && !alike(declared, s.MediaType):
		if !silent && classOf(declared) == Refused {
			return "", ErrUnsupported
		}

		return "", ErrMismatch
	case s.MediaType == PlainText && !silent && declared != "text/x-markdown":
		// Which kind of text it is, only the sender knows.
		return declared, nil
	}

	return s.MediaType, nil
}

// essence returns a media type in lower case without parameters.
func essence(mediaType string) string {
	mediaType, _, _ = strings.Cut(mediaType, ";")
	return strings.ToLower(strings.TrimSpace(mediaType))
}

// classOf returns the class of a media type.
func classOf(mediaType string) Class {
	switch mediaType {
	case PlainText, Markdown, HTML, CSV, JSON, Email, PDF, DOCX, ODT:
		return Readable
	case "image/png", "image/jpeg", "image/tiff":
		return Picture
	}

	return Refused
}

// namedType returns the type that an extension promises, "" when it promises none that is known.
func namedType(ext string) string {
	switch ext {
	case ".txt", ".text":
		return PlainText
	case ".md", ".markdown":
		return Markdown
	case ".pdf":
		return PDF
	case ".docx":
		return DOCX
	case ".odt", ".ott", ".fodt":
		return ODT
	case ".html", ".htm", ".xhtml":
		return HTML
	case ".csv":
		return CSV
	case ".json":
		return JSON
	case ".eml", ".mht", ".mhtml":
		return Email
	case ".png":
		return "image/png"
	case ".jpg", ".jpeg":
		return "image/jpeg"
	case ".tif", ".tiff":
		return "image/tiff"
	}

	return ""
}

// textual reports whether a sniffed type is text whose kind only a name can tell.
func textual(mediaType string) bool {
	switch mediaType {
	case PlainText, CSV, "text/tab-separated-values", JSON, "application/x-ndjson", Email:
		return true
	}

	return false
}

// message reports whether a text begins as a message in MIME does: with headers, of which one says how its body is to
// be read. Read as any other text, its encodings would hide what it says.
func message(head []byte) bool {
	cut := len(head) == SniffLen
	head = bytes.ReplaceAll(bytes.TrimPrefix(head, []byte("\ufeff")), []byte("\r\n"), []byte("\n"))

	header, _, ended := bytes.Cut(head, []byte("\n\n"))
	for _, fold := range []string{"\n ", "\n\t"} {
		header = bytes.ReplaceAll(header, []byte(fold), []byte(" "))
	}
	lines := strings.Split(string(header), "\n")
	if !ended {
		// The last line may be cut off.
		lines = lines[:len(lines)-1]
	}
	told := false

	for _, line := range lines {
		name, value, ok := strings.Cut(line, ":")
		if !ok || name == "" || strings.ContainsAny(name, " \t") {
			return false
		}
		told = told || describesBody(name, value)
	}

	return told && (ended || cut)
}

// describesBody reports whether a header says how the body of a message is to be read.
func describesBody(name, value string) bool {
	switch strings.ToLower(name) {
	case "mime-version", "content-transfer-encoding":
		return true
	case "content-type":
		return strings.HasPrefix(essence(value), "multipart/") && strings.Contains(strings.ToLower(value), "boundary")
	}

	return false
}

// textType returns the kind of text that a name promises.
func textType(ext string) string {
	switch t := namedType(ext); t {
	case Markdown, CSV, JSON, Email:
		return t
	}

	return PlainText
}

// alike reports whether a claimed type fits the sniffed one. Kinds of plain text cannot be told apart by bytes.
func alike(claimed, sniffed string) bool {
	return claimed == sniffed || plain(claimed) && plain(sniffed)
}

func plain(mediaType string) bool {
	return textual(mediaType) || mediaType == Markdown || mediaType == "text/x-markdown"
}

// behindProlog returns what follows the declaration that a page in XML can begin with.
func behindProlog(head []byte) []byte {
	if bytes.HasPrefix(bytes.TrimSpace(head), []byte("<?xml")) {
		_, head, _ = bytes.Cut(head, []byte("?>"))
	}

	return head
}

// wholePage reports whether text begins as a page of HTML does.
func wholePage(head []byte) bool {
	head = bytes.ToLower(bytes.TrimSpace(head))
	for _, tag := range []string{"<!doctype", "<html", "<head", "<body", "<script", "<iframe", "<style"} {
		if bytes.HasPrefix(head, []byte(tag)) {
			return true
		}
	}

	return false
}
