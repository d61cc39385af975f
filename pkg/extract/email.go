package extract

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"net/textproto"
	"slices"
	"strings"
)

// Bounds of a message beside its limits.
const (
	maxMailDepth = 8   // parts inside parts
	maxMailParts = 200 // of all depths
)

// furtherHeaders are the ones that some programs show beside those.
var furtherHeaders = []string{"Sender", "Reply-To", "Bcc", "Comments", "Keywords"}

// shownHeaders are the ones that a reader of a message sees, in the order in which they are shown.
var shownHeaders = []string{"From", "To", "Cc", "Date", "Subject"}

// readEmail reads a message as its reader sees it: the shown headers and the text. Headers that some programs show,
// and the second form of a text that says something else than the first, are parts of their own. What is attached and
// is no text cannot be read, and the status says so.
func readEmail(ctx context.Context, r io.ReaderAt, size int64, lim Limits) (Document, error) {
	doc := Document{Method: "email"}
	data, err := readAll(r, size)
	if err != nil {
		return doc, err
	}
	message, err := mail.ReadMessage(bytes.NewReader(data))
	if err != nil {
		return doc, fmt.Errorf("%w: not a message", errBroken)
	}
	// A mailbox file begins each message with this line.
	if bytes.HasPrefix(data, []byte("From ")) {
		doc.drop(dropHeaders, 1)
	}
	l := &letter{ctx: ctx, lim: lim, left: lim.Text, doc: &doc}
	l.page.doc, l.page.budget = &doc, lim.Text
	l.headers(message.Header)
	whole, err := described(textproto.MIMEHeader(message.Header))
	if err != nil {
		return doc, err
	}
	// A message that is one file shows it to its reader as any other.
	whole.disposition = ""
	if err := l.part(whole, message.Body, 0); err != nil {
		return doc, err
	}
	if l.pictures > 0 && len(l.text) > 0 {
		l.text[len(l.text)-1] += l.page.marks.unread(UnreadPicture, l.pictures)
	}
	doc.setBody(strings.Join(append(l.head, l.text...), "\n\n"), l.page.marks)
	l.page.addParts()
	doc.addPart(Headers, string(Headers), strings.Join(l.further, "\n"))
	doc.addPart(HiddenText, string(HiddenText), strings.Join(l.second, "\n\n"))
	if l.attached {
		doc.Status, doc.Reason = Unsupported, ReasonAttachment
	}
	doc.finish(nil, false)
	// Last, since finish would set a better status: what cannot be decoded cannot be judged either.
	if l.unclear {
		doc.Status, doc.Reason = Damaged, ReasonBroken
	}

	return doc, nil
}

// letter gathers what a message says.
type letter struct {
	ctx      context.Context
	lim      Limits
	doc      *Document
	page     page // gathers what all parts that are pages say
	head     []string
	text     []string
	further  []string // headers that only some programs show
	second   []string // forms of a text that say something else than the first
	pictures int      // that stand in the text, and that no page shows in its place
	parts    int
	left     int64
	attached bool // it carries what cannot be read
	unclear  bool // a header is in letters that are not known
}

// part is how a part of a message describes itself.
type part struct {
	contentType, encoding, disposition, location string
	ofPage                                       bool // it belongs to a page with its pictures and style sheets
}

// describes are the headers by which a part is read. One that stands twice could be read in two ways.
var describes = []string{"Content-Type", "Content-Transfer-Encoding", "Content-Disposition"}

// described returns how a part describes itself.
func described(h textproto.MIMEHeader) (part, error) {
	for _, name := range describes {
		if len(h[name]) > 1 {
			return part{}, fmt.Errorf("%w: a header that stands twice", errBroken)
		}
	}

	return part{
		contentType: h.Get(describes[0]),
		encoding:    h.Get(describes[1]),
		disposition: h.Get(describes[2]),
		location:    h.Get("Content-Location"),
	}, nil
}

func (l *letter) headers(h mail.Header) {
	var shown []string

	for _, name := range shownHeaders {
		for _, value := range h[name] {
			shown = append(shown, name+": "+l.words(value))
		}
	}
	if len(shown) > 0 {
		l.head = append(l.head, strings.Join(shown, "\n"))
	}

	for _, name := range furtherHeaders {
		for _, value := range h[name] {
			l.further = append(l.further, name+": "+l.words(value))
		}
	}

	for name, values := range h {
		if !slices.Contains(shownHeaders, name) && !slices.Contains(furtherHeaders, name) {
			l.doc.drop(dropHeaders, len(values))
		}
	}
}

// words returns a header that may be encoded as one that is not ASCII. What cannot be decoded cannot be checked either.
func (l *letter) words(value string) string {
	decoder := mime.WordDecoder{CharsetReader: func(name string, r io.Reader) (io.Reader, error) {
		// A header is a line. Whatever is longer is not meant for a reader.
		data, err := io.ReadAll(io.LimitReader(r, 64<<10))
		if err != nil {
			return nil, err
		}
		text, err := western(name, data)

		return strings.NewReader(text), err
	}}
	decoded, err := decoder.DecodeHeader(value)
	if err != nil {
		l.unclear, decoded = true, value
	}

	return withoutMarks(strings.ToValidUTF8(decoded, "\ufffd"))
}

// part reads one part of a message with the parts inside it.
func (l *letter) part(p part, body io.Reader, depth int) error {
	if l.parts++; l.parts > maxMailParts || depth > maxMailDepth {
		return errTooDeep
	}
	if err := l.ctx.Err(); err != nil {
		return err
	}
	mediaType, params, err := mediaTypeOf(p.contentType)
	if err != nil {
		return err
	}
	if strings.HasPrefix(mediaType, "multipart/") {
		return l.multi(mediaType, params["boundary"], body, depth)
	}

	kind, options, _ := mime.ParseMediaType(p.disposition)
	for _, name := range []string{options["filename"], params["name"]} {
		if name = l.words(name); name != "" && !slices.Contains(l.further, "Attachment: "+name) {
			l.further = append(l.further, "Attachment: "+name)
		}
	}
	if kind == ReasonAttachment || textForm(mediaType) == notShown {
		l.aside(mediaType, kind, p)
		return nil
	}
	text, err := l.decode(p.encoding, params["charset"], body)
	if err != nil {
		return err
	}

	switch textForm(mediaType) {
	case asText:
		l.text = append(l.text, withoutMarks(flowing(text, params)))
		return nil
	case asFolded:
		l.text = append(l.text, withoutMarks(unfolded(text)))
		return nil
	}
	l.page.shown = running{}
	if err := l.page.parse(l.ctx, text, l.lim); err != nil {
		return err
	}
	l.text = append(l.text, l.page.shown.String())

	return nil
}

// multi reads the parts of a part. Of alternatives the first text is shown, and the others are beside it.
func (l *letter) multi(mediaType, boundary string, body io.Reader, depth int) error {
	// RFC 2046, 5.1.1: a boundary has at most 70 characters.
	if boundary == "" || len(boundary) > 70 {
		return fmt.Errorf("%w: no boundary", errBroken)
	}
	raw, err := io.ReadAll(io.LimitReader(body, l.left+1))
	if err != nil {
		return fmt.Errorf("%w: parts cannot be read", errBroken)
	}
	if l.left -= int64(len(raw)); l.left < 0 {
		return ErrBomb
	}
	l.around(raw, boundary)
	ofPage := mediaType == "multipart/related"
	before, pictured := len(l.text), l.page.pictured
	pictures := l.pictures
	if ofPage {
		if err := l.readLinkedSheets(raw, boundary); err != nil {
			return err
		}
	}
	err = eachPart(raw, boundary, func(p part, h textproto.MIMEHeader, body io.Reader) error {
		p.ofPage = ofPage
		l.partHeaders(h)

		return l.part(p, body, depth+1)
	})
	if err != nil {
		return err
	}
	// The page shows them in their places.
	if ofPage {
		l.pictures = max(pictures, l.pictures-(l.page.pictured-pictured))
	}
	if mediaType == "multipart/alternative" && len(l.text) > before+1 {
		l.alternatives(before)
	}

	return nil
}

// eachPart calls use for each part of a body.
func eachPart(raw []byte, boundary string, use func(part, textproto.MIMEHeader, io.Reader) error) error {
	for parts := multipart.NewReader(bytes.NewReader(raw), boundary); ; {
		next, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%w: parts end early", errBroken)
		}
		p, err := described(next.Header)
		if err != nil {
			return err
		}
		if err := use(p, next.Header, next); err != nil {
			return err
		}
	}
}

// alternatives keeps the first form of a text, and what another form says that says something else.
func (l *letter) alternatives(first int) {
	for _, form := range l.text[first+1:] {
		form = withoutMarks(form)
		if sameWords(form, withoutMarks(l.text[first])) {
			l.doc.drop(dropAlternatives, 1)
			continue
		}
		l.second = append(l.second, form)
	}
	l.text = l.text[:first+1]
}

// around counts what stands before the first part and behind the last one, which no program shows.
func (l *letter) around(raw []byte, boundary string) {
	mark := []byte("--" + boundary)
	before, _, found := bytes.Cut(raw, mark)
	if !found {
		return
	}

	_, after, _ := bytes.Cut(raw, append(mark, "--"...))
	for _, text := range [][]byte{before, after} {
		if len(bytes.TrimSpace(text)) > 0 {
			l.doc.drop(dropTrailing, 1)
		}
	}
}

// partHeaders counts the headers of a part beyond those by which it is read.
func (l *letter) partHeaders(h textproto.MIMEHeader) {
	for name, values := range h {
		if !slices.Contains(describes, name) {
			l.doc.drop(dropHeaders, len(values))
		}
	}
}

// decode returns the text of a part in Unicode.
func (l *letter) decode(encoding, charset string, body io.Reader) (string, error) {
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "", "7bit", "8bit", "binary":
	case "quoted-printable":
		body = quotedprintable.NewReader(body)
	case "base64":
		body = base64.NewDecoder(base64.StdEncoding, body)
	default:
		return "", fmt.Errorf("%w: unknown transfer encoding", errBroken)
	}
	data, err := io.ReadAll(io.LimitReader(body, l.left+1))
	if err != nil {
		return "", fmt.Errorf("%w: a part cannot be decoded", errBroken)
	}
	if l.left -= int64(len(data)); l.left < 0 {
		return "", ErrBomb
	}
	// Text in such an encoding is ASCII to the rules that look for names.
	if shifting(charset) {
		return "", errInvalidUTF8
	}
	// Senders name wrong encodings. Valid UTF-8 is hardly ever anything else, so it goes first.
	text, err := decodeText(data)
	if errors.Is(err, errInvalidUTF8) && charset != "" {
		text, err = western(charset, data)
	}
	if err == nil && strings.ContainsRune(text, 0) {
		err = ErrMismatch
	}

	return text, err
}
