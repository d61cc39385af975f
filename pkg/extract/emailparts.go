package extract

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/textproto"
	"path"
	"strings"
)

// partForm is how a part of a message is shown.
type partForm uint8

const (
	notShown partForm = iota // no program shows it in the message
	asText
	asFolded // lines go on in those that begin with a blank
	asPage
)

// textForm returns how a part of a type is shown.
func textForm(mediaType string) partForm {
	switch mediaType {
	case HTML, "text/x-amp-html", "text/watch-html":
		return asPage
	case "text/calendar", "text/vcard", "text/x-vcard", "text/directory":
		return asFolded
	case PlainText, Markdown, CSV, "text/tab-separated-values":
		return asText
	}

	return notShown
}

// mediaTypeOf reads a header Content-Type. A part that does not tell is text, as RFC 2045 5.2 says; parts within it
// must be told apart.
func mediaTypeOf(header string) (mediaType string, params map[string]string, err error) {
	mediaType, params, err = mime.ParseMediaType(header)

	switch {
	// Some old programs write this for text/plain.
	case err == nil && mediaType == "text":
		return PlainText, params, nil
	case err == nil:
		return mediaType, params, nil
	case errors.Is(err, mime.ErrInvalidMediaParameter) && !strings.HasPrefix(mediaType, "multipart/"):
		return mediaType, nil, nil
	case strings.TrimSpace(header) == "":
		return PlainText, nil, nil
	case strings.HasPrefix(essence(header), "text/"):
		return essence(header), nil, nil
	}

	return "", nil, fmt.Errorf("%w: unknown type of a part", errBroken)
}

// flowing puts together the lines of a text whose lines only a program has broken within words (RFC 3676 4).
func flowing(text string, params map[string]string) string {
	if !strings.EqualFold(params["format"], "flowed") || !strings.EqualFold(params["delsp"], "yes") {
		return text
	}
	text = strings.ReplaceAll(text, "\r\n", "\n")

	// The line before a signature ends with a blank that is no break.
	return strings.ReplaceAll(strings.ReplaceAll(text, "\n-- \n", "\n--\n"), " \n", "")
}

// unfolded puts together lines that go on in the next one, which begins with a blank (RFC 5545 3.1).
func unfolded(text string) string {
	text = strings.ReplaceAll(text, "\r\n", "\n")

	return strings.ReplaceAll(strings.ReplaceAll(text, "\n ", ""), "\n\t", "")
}

// shifting reports whether the letters of an encoding are written with those of ASCII, which then mean something else.
func shifting(charset string) bool {
	charset = strings.ToLower(strings.TrimSpace(charset))

	for _, name := range []string{"utf-7", "utf7", "unicode-1-1-utf-7", "iso-2022", "csiso2022", "hz", "x-imap"} {
		if strings.HasPrefix(charset, name) {
			return true
		}
	}

	return false
}

// aside takes a part that is no text: a picture in the text, what belongs to a page, the signature of a program, or
// something attached.
func (l *letter) aside(mediaType, disposition string, p part) {
	kind := ""

	switch {
	case disposition == ReasonAttachment:
	case strings.HasPrefix(mediaType, "image/"):
		l.pictures++
		kind = dropPictures
	case p.ofPage:
		kind = pagePart(mediaType, p.location)
	}

	switch mediaType {
	case "application/pkcs7-signature", "application/x-pkcs7-signature", "application/pgp-signature":
		kind = dropSignatures
	}
	if kind == "" {
		l.attached = true
		return
	}
	l.doc.drop(kind, 1)
}

// pagePart returns the kind as which a part of a page is dropped, empty for one that is not known.
func pagePart(mediaType, location string) string {
	switch mediaType {
	case sheetType:
		return dropStyles
	case "text/javascript", "application/javascript", "application/x-javascript", "application/ecmascript":
		return dropScripts
	// Word writes these beside a page.
	case "text/xml", "application/xml", "application/vnd.ms-officetheme":
		return dropCustomXML
	case "application/vnd.ms-fontobject":
		return dropFonts
	case "application/octet-stream":
		switch path.Ext(strings.ToLower(location)) {
		case ".woff", ".woff2", ".ttf", ".otf", ".eot":
			return dropFonts
		}
	}
	if kind, _, _ := strings.Cut(mediaType, "/"); kind == "font" || strings.HasPrefix(mediaType, "application/font-") ||
		strings.HasPrefix(mediaType, "application/x-font-") {
		return dropFonts
	}

	return ""
}

// sheetType is the type of a style sheet.
const sheetType = "text/css"

// readLinkedSheets reads the style sheets that lie beside a page, which may write words into it.
func (l *letter) readLinkedSheets(raw []byte, boundary string) error {
	return eachPart(raw, boundary, func(p part, _ textproto.MIMEHeader, body io.Reader) error {
		mediaType, params, err := mediaTypeOf(p.contentType)
		if err != nil || mediaType != sheetType {
			return err
		}
		text, err := l.decode(p.encoding, params["charset"], body)
		l.page.linked += text + "\n"

		return err
	})
}
