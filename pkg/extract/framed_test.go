package extract_test

import (
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/extract"
)

// What a page shows in place from elsewhere, or from an address that is the content itself, leaves a mark.
func TestFramedContentLeavesAMark(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct {
		body string
		want string // what was not read; empty when nothing is shown
	}{
		"frame":                {`<iframe src="data:text/html,<p>Smith"></iframe>`, extract.UnreadText},
		"frame of a document":  {`<iframe srcdoc="<p>Smith"></iframe>`, extract.UnreadText},
		"frame of a set":       {`<frame src="data:text/html,Smith">`, extract.UnreadText},
		"object":               {`<object data="data:text/html,<p>Smith"></object>`, extract.UnreadText},
		"embedded":             {`<embed src="data:text/html,Smith">`, extract.UnreadText},
		"portal":               {`<portal src="data:text/html,Smith"></portal>`, extract.UnreadText},
		"import":               {`<link rel="import" href="data:text/html,Smith">`, extract.UnreadText},
		"embedded picture":     {`<embed src="data:image/png;base64,iVBO">`, extract.UnreadPicture},
		"page of the web":      {`<iframe src="https://example.com/"></iframe>`, extract.UnreadText},
		"empty frame":          {`<iframe src="about:blank"></iframe>`, ""},
		"object without data":  {`<object></object>`, ""},
		"hidden frame":         {`<div hidden><iframe src="data:,Smith"></iframe></div>`, ""},
		"frame of one pixel":   {`<iframe width=1 src="data:,Smith"></iframe>`, ""},
		"other kinds of links": {`<link rel=icon href="data:image/png,x">`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := read(t, extract.HTML, []byte("<!DOCTYPE html><p>"+harmless+"</p>"+tc.body))
			whole(t, doc)

			got := ""
			for _, u := range doc.Unread {
				got += u.What
			}
			if got != tc.want {
				t.Errorf("unread %+v, want %q", doc.Unread, tc.want)
			}
			if md := string(markdown(t, doc).Bytes); tc.want != "" && !strings.Contains(md, tc.want+", not read]") {
				t.Errorf("the Markdown says\n%s", md)
			}
		})
	}
}

// A template that browsers show as the content of the element around it is text; any other is for programs.
func TestShadowContentIsText(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct{ tag, want string }{
		"open":      {"<template shadowrootmode=open>", "a\n\nSmith"},
		"closed":    {"<template ShadowRootMode='CLOSED'>", "a\n\nSmith"},
		"old name":  {"<template shadowroot=open>", "a\n\nSmith"},
		"no shadow": {"<template>", "a"},
	} {
		doc := read(t, extract.HTML, []byte("<!DOCTYPE html><p>a</p><div>"+tc.tag+"<p>Smith</p></template></div>"))
		if doc.Text != tc.want {
			t.Errorf("%s: text %q, want %q", name, doc.Text, tc.want)
		}
	}
}
