package casesvc_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/subrosa-legal/subrosa/pkg/api"
)

func TestTextOfFiles(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann := user("u:ann", "ann")
	c := w.newCase(ann, nil)
	f := into[uploaded](t, w.upload(ann, c.CaseID, nil, part{"file", "p.pdf", "application/pdf", pleading()}), 201).Items[0]
	path := "/v1/cases/" + c.CaseID + "/files/" + f.FileID + "/text"
	whole := into[api.FileText](t, w.get(agent("u:ann", "ann"), path), 200)
	runes := []rune(whole.Text)
	if whole.From != 0 || whole.To != len(runes) || whole.Total != len(runes) || whole.Total != f.Extraction.Chars || len(whole.PageStarts) != 2 || whole.PageStarts[0] != (api.PageOffset{Page: 1, Start: 0}) {
		t.Fatalf("text = %d to %d of %d, pages %v", whole.From, whole.To, whole.Total, whole.PageStarts)
	}

	second := whole.PageStarts[1].Start
	for _, tc := range []struct {
		query    string
		from, to int
		pages    []api.PageOffset
	}{
		{"from=5&to=9", 5, 9, []api.PageOffset{}},
		{"from=5", 5, len(runes), []api.PageOffset{{Page: 2, Start: second}}},
		{"to=7", 0, 7, []api.PageOffset{{Page: 1, Start: 0}}},
		{"from=0&to=0", 0, len(runes), whole.PageStarts},
		{fmt.Sprint("from=", second, "&to=", second), second, second, []api.PageOffset{}},
		{fmt.Sprint("from=", second, "&to=", second+1), second, second + 1, []api.PageOffset{{Page: 2, Start: second}}},
		{"to=9999999", 0, len(runes), whole.PageStarts},
	} {
		got := into[api.FileText](t, w.get(ann, path+"?"+tc.query), 200)
		want := api.FileText{FileID: f.FileID, TextVersion: 1, From: tc.from, To: tc.to, Total: len(runes), Text: string(runes[tc.from:tc.to]), PageStarts: tc.pages}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.query, diff)
		}
	}

	for _, query := range []string{"from=-1", "to=x", "from=9999999", "from=9&to=5", "page=1", "from=99999999999999999999"} {
		refused(t, w.get(ann, path+"?"+query), 400, "invalid_parameter")
	}
}

func TestListFiles(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann := user("u:ann", "ann")
	c := w.newCase(ann, nil)
	files := "/v1/cases/" + c.CaseID + "/files"

	for _, p := range []part{textFile("b.txt", complaint), textFile("c.txt", "A note on the weather."), textFile("a.txt", "The landlord wrote that the landlord will sue, and the landlord did.")} {
		w.clock.Advance(time.Second)
		into[uploaded](t, w.upload(ann, c.CaseID, nil, p), 201)
	}
	names := func(page api.Page[api.File]) []string {
		var all []string
		for _, f := range page.Items {
			all = append(all, f.Name)
		}

		return all
	}

	for _, tc := range []struct {
		query string
		want  []string
	}{
		{"", []string{"a.txt", "c.txt", "b.txt"}},
		{"sort=createdAt", []string{"b.txt", "c.txt", "a.txt"}},
		{"sort=name", []string{"a.txt", "b.txt", "c.txt"}},
		{"docType=complaint", []string{"b.txt"}},
		{"extraction=ok&status=active", []string{"a.txt", "c.txt", "b.txt"}},
		{"extraction=damaged", nil},
		{"status=superseded", nil},
		{"q=landlord&sort=name", []string{"a.txt", "b.txt"}},
		{"q=submarine", nil},
	} {
		t.Run(tc.query, func(t *testing.T) {
			page := into[api.Page[api.File]](t, w.get(ann, files+"?includeTotal=true&"+tc.query), 200)
			if diff := cmp.Diff(tc.want, names(page)); diff != "" {
				t.Errorf("found (-want +got):\n%s", diff)
			}
			if page.Total == nil || *page.Total != len(tc.want) {
				t.Errorf("total = %v", page.Total)
			}
		})
	}
	t.Run("hits open the right passage", func(t *testing.T) {
		page := into[api.Page[api.File]](t, w.get(agent("u:ann", "ann"), files+"?q=landlord"), 200)
		for _, f := range page.Items {
			if len(f.Hits) == 0 || len(f.Hits) > 3 {
				t.Errorf("%s has %d hits", f.Name, len(f.Hits))
			}

			for _, h := range f.Hits {
				text := into[api.FileText](t, w.get(ann, fmt.Sprintf("%s/%s/text?from=%d&to=%d", files, h.FileID, h.CharStart, h.CharEnd)), 200)
				if got := strings.Join(strings.Fields(text.Text), " "); got != h.Quote || len([]rune(h.Quote)) > 600 {
					t.Errorf("quote %q, text %q", h.Quote, got)
				}
			}
		}
	})
	t.Run("pages", func(t *testing.T) {
		var all []string

		for path := files + "?limit=1&sort=name"; ; {
			page := into[api.Page[api.File]](t, w.get(ann, path), 200)
			all = append(all, names(page)...)
			if page.NextCursor == nil {
				break
			}
			path = files + "?limit=1&sort=name&cursor=" + url.QueryEscape(*page.NextCursor)
			other := w.newCase(ann, nil)
			refused(t, w.get(ann, "/v1/cases/"+other.CaseID+"/files?limit=1&sort=name&cursor="+url.QueryEscape(*page.NextCursor)), 400, "invalid_cursor")
		}
		if !slices.Equal(all, []string{"a.txt", "b.txt", "c.txt"}) {
			t.Errorf("pages give %v", all)
		}
	})
	t.Run("304", func(t *testing.T) {
		etag := w.get(ann, files).Header.Get("ETag")
		if a := w.get(ann, files, "If-None-Match", etag); etag == "" || a.Status != 304 {
			t.Errorf("status %d with %q", a.Status, etag)
		}
	})
	t.Run("wrong parameters", func(t *testing.T) {
		for _, query := range []string{"limit=0", "sort=size", "sort=relevance", "status=x", "docType=novel", "extraction=great", "privilege=secret", "from=yesterday", "to=2026-02-30", "includeTotal=1", "q=" + strings.Repeat("x", 201)} {
			refused(t, w.get(ann, files+"?"+query), 400, "invalid_parameter")
		}
		refused(t, w.get(ann, files+"?cursor=abc"), 400, "invalid_cursor")
		refused(t, w.get(ann, files+"?q=ann%40example.com"), 403, "identity_refused")
	})
	t.Run("not there", func(t *testing.T) {
		other := w.newCase(ann, nil)

		f := into[api.Page[api.File]](t, w.get(ann, files), 200).Items[0]
		for _, what := range []string{"", "/text", "/content"} {
			refused(t, w.get(ann, "/v1/cases/"+other.CaseID+"/files/"+f.FileID+what), 404, "not_found")
			refused(t, w.get(ann, files+"/x"+what), 404, "not_found")
		}
		refused(t, w.get(ann, files+"/"+f.FileID+"?view=full"), 400, "invalid_parameter")
		if a := w.get(ann, files+"/"+f.FileID, "If-None-Match", `"1"`); a.Status != 304 {
			t.Errorf("status %d", a.Status)
		}
	})
}
