package extract_test

import (
	"slices"
	"strings"
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
		"edges of pages":           {`@page{@bottom-center{content:"Smith"}}`, "<p>a", "a\n\n[text, not read]"},
		"content of an element":    {`p{content:"Smith"}`, "<p>a", "a"},
		"at a line":                {`hr::before{content:"Smith"}`, "<p>a<hr>", "a\n\nSmith"},
		"in a comment of the page": {"<!-- b::before{content:'Smith '} -->", "<p>a <b>b</b>", "a Smith b"},
		"escaped names": {
			`\62::be\66 ore{c\6fntent:"Smith "} .\6b::after{co/**/ntent:"x";c\6Fntent:" Jones"}`,
			"<p>a <b>b</b> <i class=k>c</i>", "a Smith b c Jones",
		},
		"an at-rule in capitals":     {`@MEDIA print{b::before{content:"Smith"}}`, "<p>a <b>b</b>", "a [text, not read] b"},
		"an at-rule without a blank": {`@media(width>1px){b::before{content:"Smith"}}`, "<p>a <b>b</b>", "a [text, not read] b"},
		"an escaped at-rule":         {`@m\65 dia all{b::before{content:"Smith "}}`, "<p>a <b>b</b>", "a Smith b"},
		"a layer in capitals":        {`@LAYER x{b::before{content:"Smith "}}`, "<p>a <b>b</b>", "a Smith b"},
		"pages in capitals":          {`@PAGE:first{@top-left{content:"Smith"}}`, "<p>a", "a\n\n[text, not read]"},
		"in motion":                  {`@-webkit-keyframes k{to{content:"Smith"}}`, "<p>a", "a\n\n[text, not read]"},
		"style of the start":         {`@starting-style{b::before{content:"Smith"}}`, "<p>a <b>b</b>", "a [text, not read] b"},
		"bullets of words":           {`li{list-style-type:"Smith "}`, "<p>a<ul><li>b<li>c</ul>", "a\n\n[text, not read]\n\n- b\n- c"},
		"bullets of words, in short": {`.k{LIST-STYLE:inside 'Smith'}`, "<p>a<ul class=k><li>b</ul>", "a\n\n[text, not read]\n\n- b"},
		"bullets of a variable":      {`ul{list-style:var(--x)}`, "<p>a<ul><li>b</ul>", "a\n\n[text, not read]\n\n- b"},
		"bullets of an element":      {``, `<p>a<ul style="list-style-type:'Smith'"><li>b</ul>`, "a\n\n[text, not read]\n\n- b"},
		"bullets of signs":           {`li{list-style-type:"\2014  "}`, "<p>a<ul><li>b</ul>", "a\n\n- b"},
		"marks of quotations":        {`q{quotes:"Smith" ""}`, "<p>a <q>b</q>", "a [text, not read] b"},
		"usual marks of quotations":  {`q{quotes:"\201c" "\201d"}`, "<p>a <q>b</q>", "a b"},
		"a hyphen of words":          {`p{hyphenate-character:"Smith"}`, "<p>a", "[text, not read]\n\na"},
		"a style of counters":        {`@counter-style s{symbols:"Smith" "Jones"}`, "<p>a", "a\n\n[text, not read]"},
		"a style of counters by names": {
			`@Counter-Style s{system:cyclic;symbols:Smith Jones}`, "<p>a",
			"a\n\n[text, not read]",
		},
		"a style of counters by signs": {`@counter-style s{system:extends decimal;suffix:") "}`, "<p>a", "a"},
		"a sheet at an address": {
			`@import url("data:text/css,b::before%7Bcontent:%22Smith %22%7D");`, "<p>a <b>b</b>", "a Smith b",
		},
		"a sheet at an address, in Base64": {
			`@IMPORT 'data:text/css;base64,Yjo6YmVmb3Jle2NvbnRlbnQ6IlNtaXRoICJ9';`, "<p>a <b>b</b>", "a Smith b",
		},
		"a linked sheet at an address": {
			``, `<link rel="x StyleSheet" href="DATA:text/css;charset=utf-8,b::before{content:'Smith '}"><p>a <b>b</b>`,
			"a Smith b",
		},
		"a linked sheet at a broken address": {
			``, "<link rel=stylesheet href=\"\x01da&#10;t&#9;a&#13;:text/c\nss,b::before{content:'Smith '}\"><p>a <b>b</b>",
			"a Smith b",
		},
		"a linked sheet for paper": {
			``, `<link rel=stylesheet media=print href="data:,b::before{content:'Smith '}"><p>a <b>b</b>`,
			"a [text, not read] b",
		},
		"a string of two lines": {"b::before{content:'Smi\\\nth '}", "<p>a <b>b</b>", "a Smith b"},
		"a sheet on the web":    {`@import url(https://example.com/a.css);`, "<p>a", "a"},
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
			if want := strings.Contains(tc.want, "[text, not read]"); told != want {
				t.Errorf("unread %+v", doc.Unread)
			}
		})
	}
}

// A picture behind text, around it or before an item leaves a mark, once for each rule.
func TestPicturesOfStyleSheets(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct {
		sheet, body string
		want        int // pictures that were not read
	}{
		"behind the page":        {`body{background:#fff url(a.png)}`, "<body><p>a", 1},
		"behind two paragraphs":  {`p{background-image:url("data:image/png;base64,x")}`, "<p>a<p>b", 1},
		"before an element":      {`b::before{content:"";background:url(a.png)}`, "<p><b>a</b>", 1},
		"a set":                  {`p{background-image:-webkit-image-set("a.png" 1x)}`, "<p>a", 1},
		"escaped":                {`p{b\61 ckground:u\72l(a.png)}`, "<p>a", 1},
		"a border":               {`p{border-image-source:url(a.png)}`, "<p>a", 1},
		"a stencil":              {`p{-webkit-mask-image:url(a.svg)}`, "<p>a", 1},
		"a bullet":               {`ul{list-style:url(a.png)}`, "<ul><li>a</ul>", 1},
		"a variable":             {`p{--x:url(a.png);background:var(--x)}`, "<p>a", 1},
		"on paper":               {`@media print{p{background:url(a.png)}}`, "<p>a", 1},
		"behind a line":          {`hr{background:url(a.png)}`, "<p>a<hr>", 1},
		"by an attribute style":  {``, `<p style="background : URL(a.png)">a`, 1},
		"by an old attribute":    {``, `<table background=a.png><tr><td>a</table>`, 1},
		"behind nothing here":    {`.k{background:url(a.png)}`, "<p>a", 0},
		"behind what is hidden":  {`b{background:url(a.png)}`, "<p>a<b hidden>b</b>", 0},
		"a colour":               {`p{background:rgb(1,2,3) linear-gradient(red,blue)}`, "<p>a", 0},
		"a place in the page":    {`p{background:url(#a)}`, "<p>a", 0},
		"letters and the cursor": {`@font-face{src:url(a.woff)} p{cursor:url(a.cur),auto}`, "<p>a", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc := read(t, extract.HTML, []byte("<!DOCTYPE html><style>"+tc.sheet+"</style>"+tc.body))
			whole(t, doc)
			got := 0

			for _, u := range doc.Unread {
				if u.What == extract.UnreadPicture {
					got += u.Count
				}
			}
			if got != tc.want || got != len(doc.Unread) || doc.Status != extract.OK {
				t.Errorf("unread %+v, want %d pictures", doc.Unread, tc.want)
			}
		})
	}
}
