package extract_test

import (
	"slices"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/extract"
)

// What a style sheet writes stands where a reader of the page sees it. Where it is not followed, a mark says so.
func TestGeneratedText(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct{ sheet, body, want string }{
		"before and behind": {`b::before{content:"("} b::after{content:") "}`, "a <b>b</b> c", "a (b) c"},
		"by an attribute": {
			`a::after{content:" [" attr(data-note) "]"}`, "<p><a data-note=\"see 3\">a</a>, b",
			"a [see 3], b",
		},
		"the greater weight": {
			`p.k::before{content:"1 "} #i::before{content:"2 "} p::before{content:"3 "}`,
			"<p class=k>a<p id=i class=k>b<p>c", "1 a\n\n2 b\n\n3 c",
		},
		"taken back":       {`p::before{content:"x"} p.k::before{content:none}`, "<p class=k>a<p>b", "a\n\nxb"},
		"sheet at the end": {``, "<p>a</p><style>p::before{content:'- '}</style>", "- a"},
		"signs in a sheet": {
			`p::before{content:"}{/*"} i::before{content:';' "a\"b"}`, "<p>a <i>c</i>",
			"}{/*a ;a\"bc",
		},
		"empty": {
			`p::before{content:""} p::after{content:"\00a0"} q::before{content:open-quote}`,
			"<p>a <q>b</q>", "a b",
		},
		"numbers of headings": {
			`body{counter-reset:h} h1{counter-increment:h; counter-reset:s} h2{counter-increment:s}
			h1::before{content:counter(h, upper-roman) ". "} h2::before{content:counter(h) "." counter(s) " "}`,
			"<body><h1>a</h1><h2>b</h2><h2>c</h2><h1>d</h1><h2>e</h2>",
			"# I. a\n\n## 1.1 b\n\n## 1.2 c\n\n# II. d\n\n## 2.1 e",
		},
		"numbers of lists in lists": {
			`ol{list-style:none;counter-reset:i} li{counter-increment:i} li::before{content:counters(i,".") " "}`,
			"<ol><li>a<ol><li>b<li>c</ol><li>d<ol><li>e</ol></ol>", "1 a\n   1.1 b\n   1.2 c\n2 d\n   2.1 e",
		},
		"as a program for documents on the web writes them": {
			`.lst-kix_a-0>li:before{content:"(" counter(lst-a,lower-latin) ") "}
			.lst-kix_a-0>li{counter-increment:lst-a}
			ol.lst-kix_a-0.start{counter-reset:lst-a 0} ol.lst-kix_a-0{list-style-type:none}`,
			`<ol class="lst-kix_a-0 start" start="1"><li class="c0">a</li><li class="c0">b</li></ol>` +
				`<p>c</p><ol class="lst-kix_a-0" start="3"><li>d</li></ol>`,
			"(a) a\n(b) b\n\nc\n\n(c) d",
		},
		"a number with words": {
			`p{counter-increment:n} p::before{content:"Article " counter(n) ": "}`,
			"<p>a<p>b", "Article 1: a\n\nArticle 2: b",
		},
		"rows without their group": {
			`table > tbody > tr > td::before{content:"§ "}`,
			"<table><tr><td>a<td>b</table>", "| § a | § b |\n|---|---|",
		},
		"not followed": {
			`a + b::before{content:"Smith"}`, "<p>x <b>a</b> y",
			"x [text, not read] a y",
		},
		"on paper only": {
			`@media print{b::before{content:"Smith"}}`, "<p>x <b>a</b> y",
			"x [text, not read] a y",
		},
		"signs that are not followed": {
			`li + li::before{content:"/"} a:hover::after{content:" » "}`,
			"<ul><li>a<li>b</ul>", "- a\n- b",
		},
		"numbers of pages": {
			`@page{@bottom-center{content:"Page " counter(page) " of " counter(pages)}}`, "<p>a", "a",
		},
		"edges of pages":        {`@page{@bottom-center{content:"Smith"}}`, "<p>a", "a\n\n[text, not read]"},
		"content of an element": {`p{content:"Smith"}`, "<p>a", "a"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := read(t, extract.HTML, []byte("<!DOCTYPE html><style>"+tc.sheet+"</style>"+tc.body))
			whole(t, doc)
			if got := string(markdown(t, doc).Bytes); got != tc.want {
				t.Errorf("the Markdown says\n%s\nwant\n%s", got, tc.want)
			}
			told := slices.ContainsFunc(doc.Unread,
				func(u extract.Unread) bool { return u.What == extract.UnreadText })
			if want := name == "not followed" || name == "on paper only" || name == "edges of pages"; told != want {
				t.Errorf("unread %+v", doc.Unread)
			}
		})
	}
}
