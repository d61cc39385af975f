//go:build js && wasm

// Command extract is the reader of documents for the browser: the text of a file is taken out of it where it is, before
// anything is sent.
//
// It sets globalThis.subrosaExtract, an object of one function, and stays for as long as the worker that runs it. A
// call is synchronous and blocks its thread; Go's clock cannot end it there, so whoever calls ends the worker when it
// takes too long.
//
//	extract(bytes, name) {mediaType, status, obstacle, method, pages, pageStarts, chars, language, text,
//		beside: [{path, text}]}
//
// bytes is a Uint8Array; the name settles only what the bytes cannot. pageStarts count UTF-16 code units of text, as
// text.slice does. beside names what the file carries and the text does not: metadata, comments, tracked changes,
// hidden text. A file that is refused gives, instead of the result, an Error with a code and words for people.
package main

import (
	"bytes"
	"context"
	"errors"
	"syscall/js"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/extract"
)

func main() {
	js.Global().Set("subrosaExtract",
		map[string]any{"extract": js.FuncOf(func(_ js.Value, args []js.Value) (result any) {
			defer func() {
				// syscall/js panics when an argument is missing or of another type.
				if recover() != nil {
					result = failure(errArguments)
				}
			}()
			doc, err := read(args[0], args[1].String())
			if err != nil {
				return failure(err)
			}

			return doc
		})})
	select {}
}

var errArguments = errs.New(errs.Invalid, "invalid_parameter", "The file did not arrive completely. Choose it again.")

func failure(err error) js.Value {
	code, message := "internal", "This file cannot be read here, for an unknown reason. Save it again, or as text, "+
		"and choose that copy."
	var refused *errs.Error
	if errors.As(err, &refused) {
		code, message = refused.Code, refused.Message
	}
	value := js.Global().Get("Error").New(message)
	value.Set("code", code)

	return value
}

func read(from js.Value, name string) (map[string]any, error) {
	content := make([]byte, from.Length())
	js.CopyBytesToGo(content, from)
	mediaType, err := extract.Sniff(content, name).Accept("")
	// An encrypted document looks like no known type; the person should hear that it has a password.
	if err != nil && extract.EncryptedOffice(bytes.NewReader(content), int64(len(content))) {
		return described("", extract.Document{Status: extract.Encrypted, Reason: extract.ReasonEncrypted}), nil
	}
	if err != nil {
		return nil, err
	}
	doc, err := extract.Extract(context.Background(), bytes.NewReader(content), int64(len(content)), mediaType,
		extract.DefaultLimits())
	if err != nil {
		return nil, err
	}

	return described(mediaType, doc), nil
}

// described is a document as the page gets it.
func described(mediaType string, doc extract.Document) map[string]any {
	beside := []any{}

	for _, p := range doc.Parts {
		if p.Kind != extract.Body {
			beside = append(beside, map[string]any{"path": p.Path, "text": p.Text})
		}
	}

	return map[string]any{
		"mediaType":  mediaType,
		"status":     string(doc.Status),
		"obstacle":   doc.Obstacle(),
		"method":     doc.Method,
		"pages":      doc.Pages,
		"pageStarts": unitsOf(doc.Text, doc.PageStarts),
		"chars":      doc.Chars,
		"language":   doc.Language,
		"text":       doc.Text,
		"beside":     beside,
	}
}

// unitsOf turns ascending offsets in code points of text into offsets in UTF-16 code units.
func unitsOf(text string, points []int) []any {
	out := make([]any, len(points))

	at, n, units := 0, 0, 0
	for i, want := range points {
		for n < want && at < len(text) {
			// Offsets ascend, so one pass over the text serves all of them.
			r, width := utf8.DecodeRuneInString(text[at:])
			at, n, units = at+width, n+1, units+utf16.RuneLen(r)
		}
		out[i] = units
	}

	return out
}
