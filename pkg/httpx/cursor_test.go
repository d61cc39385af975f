package httpx

import (
	"bytes"
	"encoding/base64"
	"errors"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
)

type spot struct {
	Text string `json:"t"`
	N    int    `json:"n"`
}

func cursorsOf(t testing.TB, service, secret string, now func() time.Time) *Cursors[spot] {
	t.Helper()
	cs, err := NewCursors[spot](service, secret, now)
	if err != nil {
		t.Fatal(err)
	}

	return cs
}

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

func TestCursorsComeBack(t *testing.T) {
	now := noon
	cs := cursorsOf(t, "a", "secret", func() time.Time { return now })
	want := spot{"Lease of [Party 1]", 7}
	cursor := cs.Next(want, "list", "u:ann", 1)
	if got, err := cs.Place(cursor, "list", "u:ann", 1); err != nil || *got != want {
		t.Errorf("Place = %+v, %v", got, err)
	}
	if got, err := cs.Place("", "list"); got != nil || err != nil {
		t.Errorf("the beginning = %+v, %v", got, err)
	}
	if raw, err := base64.RawURLEncoding.DecodeString(cursor); err != nil || bytes.Contains(raw, []byte("Lease")) {
		t.Errorf("the cursor shows its place: %v", err)
	}

	for name, other := range map[string][]any{"route": {"lists", "u:ann", 1}, "tenant": {"list", "u:eve", 1}, "filter": {"list", "u:ann", 2}, "nothing": nil} {
		if _, err := cs.Place(cursor, other...); !errors.Is(err, ErrCursor) {
			t.Errorf("with another %s: %v", name, err)
		}
	}

	for name, other := range map[string]*Cursors[spot]{"secret": cursorsOf(t, "a", "other", cs.now), "service": cursorsOf(t, "b", "secret", cs.now)} {
		if _, err := other.Place(cursor, "list", "u:ann", 1); !errors.Is(err, ErrCursor) {
			t.Errorf("with another %s: %v", name, err)
		}
	}
	now = noon.Add(24*time.Hour - time.Second)
	if _, err := cs.Place(cursor, "list", "u:ann", 1); err != nil {
		t.Errorf("in its last second: %v", err)
	}
	now = noon.Add(24 * time.Hour)
	if _, err := cs.Place(cursor, "list", "u:ann", 1); !errors.Is(err, ErrCursor) {
		t.Errorf("after its time: %v", err)
	}
}

func FuzzCursor(f *testing.F) {
	cs := cursorsOf(f, "a", "secret", func() time.Time { return noon })
	f.Add(cs.Next(spot{"x", 1}, "list"))
	f.Add("AAAA")
	f.Add(strings.Repeat("A", 3000))
	f.Fuzz(func(t *testing.T, cursor string) {
		p, err := cs.Place(cursor, "list")
		if err != nil && !errors.Is(err, ErrCursor) {
			t.Errorf("Place = %v", err)
		}
		if err == nil && p != nil && *p != (spot{"x", 1}) {
			t.Errorf("a cursor that nobody made is taken: %+v", p)
		}
	})
}

func TestIfMatch(t *testing.T) {
	for _, tc := range []struct {
		header []string
		want   []int64
	}{
		{nil, nil},
		{[]string{`"3"`}, []int64{3}},
		{[]string{`"2", "3"`}, []int64{2, 3}},
		{[]string{`"2"`, `"3"`}, []int64{2, 3}},
		{[]string{"*"}, nil},
		{[]string{`W/"3"`}, []int64{}},
		{[]string{"3"}, []int64{}},
		{[]string{""}, []int64{}},
		{[]string{`"03"`}, []int64{}},
		{[]string{`"+3"`}, []int64{}},
		{[]string{`"99999999999999999999"`}, []int64{}},
	} {
		c, _ := gin.CreateTestContext(httptest.NewRecorder())
		c.Request = httptest.NewRequestWithContext(t.Context(), http.MethodPut, "/", nil)
		c.Request.Header["If-Match"] = tc.header
		if got := IfMatch(c); !slices.Equal(got, tc.want) || (got == nil) != (tc.want == nil) {
			t.Errorf("If-Match %q gives %v, want %v", tc.header, got, tc.want)
		}
	}
}
