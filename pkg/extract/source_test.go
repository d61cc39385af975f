package extract_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/subrosa-legal/subrosa/pkg/extract"
)

// A place in the text of a file is told in the bytes of the file as it was sent.
func TestSourceSpansAreTheBytesThatWereSent(t *testing.T) {
	const name = "Zorbanek"

	tests := map[string]string{
		"as it is":               "signed by Zorbanek today",
		"CR LF":                  "one\r\ntwo\r\nsigned by Zorbanek today\r\n",
		"byte order mark":        "\ufeffsigned by Zorbanek",
		"empty lines":            "\n\n\n\none\n\n\n\n\nsigned by Zorbanek\n\n\n",
		"blanks at line ends":    "one   \ntwo\t\t\n   signed by Zorbanek   ",
		"uncomposed letters":     "Jose\u0301 and e\u0301te\u0301 before Zorbanek",
		"soft hyphens":           "wit\u00adness and soft\u00ad before Zorbanek",
		"zero width and accents": "e\u200b\u0301 before Zorbanek",
		"ligatures":              "o\ufb03ce and \ufb01nd before Zorbanek",
		"pages":                  "page one\fpage two by Zorbanek\f",
		"torn label":             "the [Party\n1] before Zorbanek",
		"wide blanks":            "a\u00a0b\u2003c\u3000 before Zorbanek\u2028after",
		"other scripts":          "안녕 각 before Zorbanek",
	}
	for title, raw := range tests {
		t.Run(title, func(t *testing.T) {
			checkSource(t, []byte(raw), []byte(name))
		})
		t.Run(title+", UTF-16", func(t *testing.T) {
			checkSource(t, wide("\ufeff"+strings.TrimPrefix(raw, "\ufeff")), wide(name))
		})
	}
}

func checkSource(t *testing.T, raw, name []byte) {
	t.Helper()
	doc, err := extract.Extract(
		context.Background(),
		bytes.NewReader(raw),
		int64(len(raw)),
		extract.PlainText,
		extract.DefaultLimits(),
	)
	if err != nil {
		t.Fatal(err)
	}
	at := strings.Index(doc.Text, "Zorbanek")

	spans, ok := extract.Source(
		raw,
		doc.Text,
		[]extract.Span{{Start: at, End: at + len("Zorbanek")}, {Start: 0, End: len(doc.Text)}},
	)

	if !ok || !bytes.Equal(raw[spans[0].Start:spans[0].End], name) {
		t.Fatalf("the name stands at %v of %q, %v", spans, raw, ok)
	}
	if whole := raw[spans[1].Start:spans[1].End]; !bytes.Contains(raw, whole) || len(whole) < len(name) {
		t.Errorf("the whole text is %q", whole)
	}
}

// wide writes s as little-endian UTF-16.
func wide(s string) (out []byte) {
	for _, u := range utf16.Encode([]rune(s)) {
		out = append(out, byte(u), byte(u>>8))
	}

	return out
}

// Spans that cannot be of this file are no answer.
func TestSourceTellsATextOfAnotherFile(t *testing.T) {
	for _, text := range []string{"another text", "signed by Zorbanek twice"} {
		if spans, ok := extract.Source([]byte("signed by Zorbanek"), text, []extract.Span{{Start: 0, End: 3}}); ok {
			t.Errorf("%q: %v", text, spans)
		}
	}
	if _, ok := extract.Source([]byte("abc"), "abc", []extract.Span{{Start: 2, End: 9}}); ok {
		t.Error("a span outside of the text is taken")
	}
}

func FuzzSource(f *testing.F) {
	f.Add([]byte("one\r\n\u00a0e\u0301 \ufb03 [Party\n1]"))
	f.Add([]byte("\xff\xfea\x00\x01\x03"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		doc, err := extract.Extract(
			context.Background(),
			bytes.NewReader(raw),
			int64(len(raw)),
			extract.PlainText,
			extract.DefaultLimits(),
		)
		if err != nil || doc.Text == "" {
			return
		}
		spans, ok := extract.Source(raw, doc.Text, []extract.Span{{Start: 0, End: len(doc.Text)}})
		if !ok {
			t.Fatalf("%q: its text %q is told to be of another file", raw, doc.Text)
		}
		if spans[0].Start < 0 || spans[0].End > len(raw) || spans[0].Start >= spans[0].End {
			t.Errorf("%q: %v", raw, spans)
		}
	})
}
