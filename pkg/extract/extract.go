// Package extract turns files that nobody vouches for into text, part by part: what a reader sees, and what a reader
// can get to see beside that (comments, tracked changes, hidden text), so that each can be checked for identities.
// What a file carries that no reader sees as text (properties, names of styles, earlier states …) is counted by kinds
// and goes no further.
//
// It is pure Go without files, network or clock of its own, so that a browser can run it as WebAssembly. It starts
// nothing that a document names and fetches nothing. Time, memory and nesting are bounded by Limits. The work is done
// in the caller's goroutine, which returns soon after the context or the time limit ends; nothing goes on behind it.
package extract

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/extract/internal/pdf"
)

// The media types that Extract reads.
const (
	PlainText = "text/plain"
	Markdown  = "text/markdown"
	HTML      = "text/html"
	CSV       = "text/csv"
	JSON      = "application/json"
	Email     = "message/rfc822"
	PDF       = "application/pdf"
	DOCX      = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
	ODT       = "application/vnd.oasis.opendocument.text"
)

// Sealed is the media type of an original that was encrypted before it left its owner's machine. Nobody reads it.
const Sealed = "application/vnd.subrosa.sealed"

// Files that must be refused, whoever sends them. A file that is only unreadable is no error but a Status.
var (
	ErrEmpty        = errs.New(errs.Invalid, "empty_file", "The file is empty. Send a file with text.")
	ErrTooLarge     = errs.New(errs.TooLarge, "file_too_large", "The file is too large. Split it or remove pictures.")
	ErrTooManyPages = errs.New(
		errs.TooLarge,
		"too_many_pages",
		"The file has too many pages. Split it into several files.",
	)
	// ErrBomb shares its code with ErrTooLarge, since the interface has one code for both; errors.Is cannot tell them
	// apart.
	ErrBomb = errs.New(
		errs.TooLarge,
		"file_too_large",
		"The file unpacks to far more than its size allows. Save it again and send that copy.",
	)
	ErrUnsupported = errs.New(
		errs.UnsupportedMedia,
		"unsupported_media_type",
		"Files of this type are not accepted. "+
			"Send text, Markdown, HTML, CSV, JSON, an e-mail message, PDF, DOCX or ODT.",
	)
	ErrMismatch = errs.New(
		errs.UnsupportedMedia,
		"media_type_mismatch",
		"The bytes of the file do not match its declared type or its name. Send it with the right type.",
	)
	ErrMacro = errs.New(
		errs.UnsupportedMedia,
		"macro_refused",
		"The document contains macros, embedded objects or a remote template. Save it as a plain DOCX without them.",
	)
)

// Limits bound what one file may cost. DefaultLimits are those of the interface.
type Limits struct {
	Size     int64         // bytes of the file
	Pages    int           // pages of a PDF file
	Time     time.Duration // of the whole extraction
	Inflated int64         // bytes of everything unpacked from the file
	Ratio    int64         // unpacked to packed size of an entry of a DOCX or ODT file that unpacks to more than 1 MiB
	Entries  int           // entries of a DOCX or ODT file
	Nesting  int           // elements inside elements
	Text     int64         // bytes of text in all parts
}

// DefaultLimits returns the limits of the interface.
func DefaultLimits() Limits {
	return Limits{
		Size:     25 << 20,
		Pages:    2000,
		Time:     30 * time.Second,
		Inflated: 200 << 20,
		Ratio:    100,
		Entries:  5000,
		Nesting:  256,
		Text:     32 << 20,
	}
}

// Status says whether the text of a file can be relied on.
type Status string

// The statuses, in the order in which they are decided.
const (
	Unsupported Status = "unsupported" // it carries something that cannot be read, such as attached files
	Damaged     Status = "damaged"
	Encrypted   Status = "encrypted"
	NeedsOCR    Status = "needs_ocr"
	LowQuality  Status = "low_quality"
	OK          Status = "ok"
)

// Readable reports whether the text may be indexed and shown as read.
func (s Status) Readable() bool { return s == OK || s == LowQuality }

// Kind says which part of a file a text comes from.
type Kind string

// The parts of a file.
const (
	Body           Kind = "body"
	Comments       Kind = "comments"
	TrackedChanges Kind = "trackedChanges"
	HiddenText     Kind = "hiddenText"
	AltText        Kind = "altText"   // what stands for pictures
	Numbering      Kind = "numbering" // words that a program puts before numbered paragraphs, with these
	Drawings       Kind = "drawings"  // charts, diagrams, stamps, and what fields show
	Links          Kind = "links"     // addresses on the web behind links
	Headers        Kind = "headers"   // of an e-mail, beside the ones in the body
)

// Part is a piece of text to check. Path names it in a refusal, "text" for the body, else the kind; no two parts have
// the same. All text is NFC without control characters except \n and \t, and without invisible marks.
type Part struct {
	Kind Kind
	Path string
	Text string
	// Numbers are the stretches of Text that the reader wrote as numbers of paragraphs, in their order. The file holds
	// no such words, so they are no words to judge.
	Numbers []Span
}

// Judged returns the text that is judged: Text, with blanks in the place of its numbers, so that offsets are the same.
// A number behind words becomes the end of a line, since a paragraph begins with it.
func (p Part) Judged() string {
	if len(p.Numbers) == 0 {
		return p.Text
	}
	var out strings.Builder
	out.Grow(len(p.Text))
	at := 0

	for _, n := range p.Numbers {
		if n.Start < at || n.End < n.Start || n.End > len(p.Text) {
			continue
		}
		out.WriteString(p.Text[at:n.Start])
		before := strings.TrimRight(p.Text[:n.Start], " ")
		behindWords := before != "" && !strings.ContainsAny(before[len(before)-1:], "\n\t|#")

		for i := range n.End - n.Start {
			if i == 0 && behindWords {
				out.WriteByte('\n')
			} else {
				out.WriteByte(' ')
			}
		}
		at = n.End
	}
	out.WriteString(p.Text[at:])

	return out.String()
}

// Document is what a file says. Offsets count code points of Text.
type Document struct {
	Status Status
	// Reason says in one word why the status is not ok: one of the constants Reason…; it is empty with ok.
	Reason           string
	Method           string // text, html, csv, json, email, docx, odt or pdf
	Pages            int    // counted, or estimated as one per 2,500 characters when PageStarts is empty
	PageStarts       []int  // where each page begins in Text
	Chars            int    // code points of Text
	CharsPerPage     int
	ReplacementRatio float64 // of U+FFFD among the characters
	Language         string  // BCP 47, "und" when unknown
	Text             string  // the body
	Parts            []Part  // the body as one part, then all others; empty when nothing was read
	Blocks           []Block
	Dropped          []Dropped // what went into no part, by kind in alphabetical order
	Unread           []Unread  // in the order of the text

	where string // the part at which reading ended, "" when that is not known
}

// Extract reads the file of the given media type, one of those above, parameters allowed. It never panics. A file that
// can be taken but not read comes back with its Status and no error. Errors are those above and, when the caller's
// context ended, the context's.
//
// When lim.Time runs out the document is damaged with the reason time_limit: what cannot be read in time cannot be
// shown to be free of identities. A browser runs no timers while WebAssembly is busy; there the page ends the worker
// instead.
func Extract(ctx context.Context, r io.ReaderAt, size int64, mediaType string, lim Limits) (doc Document, err error) {
	read, err := readerFor(mediaType)
	switch {
	case err != nil:
		return Document{}, err
	case size <= 0:
		return Document{}, ErrEmpty
	case size > lim.Size:
		return Document{}, ErrTooLarge.WithMessage(fmt.Sprintf(
			"The file has %d bytes; the limit is %d. Split it or remove pictures.",
			size,
			lim.Size,
		))
	}

	timed, cancel := context.WithTimeout(ctx, lim.Time)
	defer cancel()
	defer func() {
		// A panic is a mistake of ours that this file brought out. It is dropped, since it may quote the file.
		if recover() != nil {
			doc, err = Document{Status: Damaged, Reason: ReasonBroken}, nil
		}
	}()
	doc, err = read(timed, r, size, lim)
	if err == nil {
		return doc, nil
	}

	return unreadable(ctx, doc.Method, err)
}

// unreadable turns the reason for which a file was not read into a status, or returns the error that refuses it.
func unreadable(ctx context.Context, method string, err error) (Document, error) {
	doc := Document{Status: Damaged, Method: method, Language: "und", where: whereOf(err)}

	var refused *errs.Error
	switch {
	case errors.As(err, &refused):
		return Document{}, refused
	case ctx.Err() != nil:
		return Document{}, fmt.Errorf("extract text: %w", ctx.Err())
	case errors.Is(err, context.DeadlineExceeded):
		doc.Reason = ReasonTimeLimit
	case errors.Is(err, errInvalidUTF8):
		doc.Reason = ReasonInvalidUTF8
	case errors.Is(err, errTooDeep):
		doc.Reason = ReasonTooDeep
	case errors.Is(err, pdf.ErrEncrypted), errors.Is(err, errEncrypted):
		doc.Status, doc.Reason = Encrypted, ReasonEncrypted
	case errors.Is(err, errBroken), errors.Is(err, pdf.ErrDamaged):
		doc.Reason = ReasonBroken
	default:
		return Document{}, fmt.Errorf("read file: %w", err)
	}

	return doc, nil
}

// reader reads one kind of file. On error only the Method of the document counts.
type reader func(ctx context.Context, r io.ReaderAt, size int64, lim Limits) (Document, error)

func readerFor(mediaType string) (reader, error) {
	switch essence(mediaType) {
	case PlainText, Markdown:
		return readText, nil
	case HTML:
		return readHTML, nil
	case CSV:
		return readCSV, nil
	case JSON:
		return readJSON, nil
	case Email:
		return readEmail, nil
	case PDF:
		return readPDF, nil
	case DOCX:
		return readDOCX, nil
	case ODT:
		return readODT, nil
	}

	return nil, ErrUnsupported
}

// readAll returns the bytes of a file of a known size.
func readAll(r io.ReaderAt, size int64) ([]byte, error) {
	data := make([]byte, size)
	n, err := io.ReadFull(io.NewSectionReader(r, 0, size), data)
	if err != nil {
		return nil, fmt.Errorf("after %d bytes: %w", n, err)
	}

	return data, nil
}

// The reasons for which a file that may be taken cannot be read.
var (
	errBroken      = errors.New("broken file")
	errInvalidUTF8 = errors.New("invalid UTF-8")
	errTooDeep     = errors.New("nested too deeply")
	errEncrypted   = errors.New("encrypted file")
)
