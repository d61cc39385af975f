package httpapi

import (
	"errors"
	"io"
	"mime/multipart"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/subrosa-legal/subrosa/case-svc/internal/cases"
	"github.com/subrosa-legal/subrosa/case-svc/internal/files"
	"github.com/subrosa-legal/subrosa/pkg/httpx"
	"pgregory.net/rapid"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 123e6, time.UTC)

func TestPlacesComeBack(t *testing.T) {
	cs, err := httpx.NewCursors[cases.Cursor]("case-svc", "secret", func() time.Time { return noon })
	if err != nil {
		t.Fatal(err)
	}
	l := list{Route: "cases", Tenant: "u:ann", Query: []any{cases.Filter{Tag: "x"}, cases.ByTitle, false}}
	rapid.Check(t, func(rt *rapid.T) {
		want := cases.Cursor{
			Text: rapid.String().Filter(utf8.ValidString).Draw(rt, "text"), Number: rapid.IntRange(0, 4).Draw(rt, "number"),
			ID: rapid.StringMatching(`[0-9a-f-]{0,36}`).Draw(rt, "id"),
		}
		if rapid.Bool().Draw(rt, "timed") {
			want.Time = time.UnixMilli(rapid.Int64Range(1, 4e12).Draw(rt, "time")).UTC()
		}
		got, err := cs.Place(cs.Next(want, l), l)
		if err != nil {
			rt.Fatal(err)
		}
		if diff := cmp.Diff(&want, got); diff != "" {
			rt.Fatalf("place changed (-want +got):\n%s", diff)
		}
	})

	for name, other := range map[string]list{
		"scope":  {Route: l.Route, Tenant: l.Tenant, Scope: "c", Query: l.Query},
		"filter": {Route: l.Route, Tenant: l.Tenant, Query: []any{cases.Filter{Tag: "y"}, cases.ByTitle, false}},
		"order":  {Route: l.Route, Tenant: l.Tenant, Query: []any{cases.Filter{Tag: "x"}, cases.ByTitle, true}},
	} {
		if _, err := cs.Place(cs.Next(cases.Cursor{ID: "x"}, l), other); !errors.Is(err, httpx.ErrCursor) {
			t.Errorf("with another %s: %v", name, err)
		}
	}
}

func FuzzDispositionName(f *testing.F) {
	for _, s := range []string{`attachment; filename="a.txt"`, `attachment; filename*=UTF-8''%C3%A4.txt`, `attachment; filename*0="a"; filename*1="b"`, "inline", "", `x; filename="`, "attachment;\x00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, header string) {
		name, err := dispositionName([]string{header})
		if err != nil {
			if !errors.Is(err, files.ErrIncomplete) || name != "" {
				t.Errorf("dispositionName = %q, %v", name, err)
			}

			return
		}
		if len(name) > len(header) {
			t.Errorf("a name of %d bytes out of %d", len(name), len(header))
		}
	})
}

func FuzzForm(f *testing.F) {
	f.Add("x", "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\nContent-Type: text/plain\r\n\r\ntext\r\n--x--\r\n")
	f.Add("x", "--x\r\nContent-Disposition: form-data; name=\"metadata\"\r\n\r\n[{}]\r\n--x--")
	f.Add("x", "--x\r\nContent-Disposition: form-data; name=\"file\"\r\nContent-Transfer-Encoding: base64\r\n\r\nAAAA\r\n--x--")
	f.Add("", "")
	f.Fuzz(func(t *testing.T, boundary, body string) {
		taken, said := 0, 0
		described, err := readForm(multipart.NewReader(strings.NewReader(body), boundary), func(p files.Part, r io.Reader) error {
			n, err := io.Copy(io.Discard, r)
			if taken += int(n); taken > len(body) {
				t.Errorf("%d bytes out of %d", taken, len(body))
			}
			if err != nil {
				return files.ErrIncomplete
			}

			return nil
		}, func(io.Reader) error { said++; return nil })
		if err != nil && !errors.Is(err, files.ErrIncomplete) {
			t.Errorf("readForm = %v", err)
		}
		if said > 1 || described != (said == 1) {
			t.Errorf("described %d times, told %t", said, described)
		}
	})
}

func TestPiecesOfText(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.StringOfN(rapid.RuneFrom([]rune("aä€😀\n")), 0, 40, -1).Draw(rt, "text")
		runes := []rune(text)
		from := rapid.IntRange(0, len(runes)).Draw(rt, "from")
		to := rapid.IntRange(from, len(runes)).Draw(rt, "to")
		if got, want := between(text, from, to), string(runes[from:to]); got != want {
			rt.Fatalf("between(%q, %d, %d) = %q, want %q", text, from, to, got, want)
		}
	})
}
