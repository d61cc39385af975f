package extract_test

import (
	"encoding/base64"
	"maps"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/extract"
)

func TestFormats(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct {
		mediaType, data, want string
		parts                 map[string]string // beside the body
		status                extract.Status
	}{
		"paragraphs and lines": {mediaType: extract.HTML, data: "<p>One\n two<br>three</p><p>four", want: "One two\nthree\n\nfour"},
		"title and headings":   {mediaType: extract.HTML, data: "<html><head><title>Lease</title></head><body><h1>Terms</h1>Rent", want: "Lease\n\nTerms\n\nRent"},
		"table":                {mediaType: extract.HTML, data: "<table><tr><td>a<td>b<tr><td>c</td><td>d</td></tr></table>", want: "a\tb\nc\td"},
		"entities":             {mediaType: extract.HTML, data: "A &amp; B &#80;arty &nbsp; x", want: "A & B Party   x"},
		"preformatted":         {mediaType: extract.HTML, data: "<pre>a\n  b</pre>", want: "a\n  b"},
		"unclosed items":       {mediaType: extract.HTML, data: "<ul>" + strings.Repeat("<li>x", 400) + "</ul>", want: strings.TrimSpace(strings.Repeat("x\n", 400))},
		"label over a line":    {mediaType: extract.HTML, data: "<p>[Party\n1] pays", want: "[Party 1] pays"},
		"what nobody sees": {
			mediaType: extract.HTML, want: "Shown",
			data:  `<!-- said --><p>Shown<span style="display: none">unseen</span><script>var s = "script"</script><b hidden>also</b><img alt="picture of it">`,
			parts: map[string]string{"comments": "|said", "hiddenText": "|display: none\nunseen\nvar s = \"script\"\nalso\npicture of it"},
		},
		"white on white": {
			mediaType: extract.HTML, want: "Shown on dark in a cell",
			data: `<p>Shown<span style="COLOR : #FFF">a</span><font color=white>b</font><i style="opacity:0">c</i><i style="font-size:1px">d</i><i style="opacity:0.5"> on</i>` +
				`<b style="background:#000;color:white"> dark</b><span style="background-color:navy"> in a <i style="color:#ffffff">cell</i></span>`,
			parts: map[string]string{"hiddenText": "|COLOR : #FFF\na\nwhite\nb\nopacity:0\nc\nfont-size:1px\nd\nopacity:0.5\nbackground:#000;color:white\nbackground-color:navy\ncolor:#ffffff"},
		},
		"metadata and links": {
			mediaType: extract.HTML, want: "x",
			data:  `<meta name="Author" content="someone"><meta name="a b" content="other"><a href="mailto:who%40example.com">x</a>`,
			parts: map[string]string{"metadata.author": "|someone", "metadata": "|other", "metadata.links": "|mailto:who@example.com", "hiddenText": "|a b"},
		},
		"western encoding": {mediaType: extract.HTML, data: "<meta charset=\"iso-8859-1\">M\xfcller", want: "Müller", parts: map[string]string{"hiddenText": "|iso-8859-1"}},
		"unknown encoding": {mediaType: extract.HTML, data: "<meta charset=koi8-r>\xfc", status: extract.Damaged},
		"too deep":         {mediaType: extract.HTML, data: strings.Repeat("<div>", 300) + "x", status: extract.Damaged},

		"comma":          {mediaType: extract.CSV, data: "date,amount\n2026-01-02,\"1,000\"\n", want: "date\tamount\n2026-01-02\t1,000"},
		"semicolon":      {mediaType: extract.CSV, data: "a;b\r\n1,5;2\r\n", want: "a\tb\n1,5\t2"},
		"tab":            {mediaType: extract.CSV, data: "a\tb\n", want: "a\tb"},
		"line in a cell": {mediaType: extract.CSV, data: "\"two\nlines\",b\n", want: "two lines\tb"},

		"object":        {mediaType: extract.JSON, data: `{"rent":{"amount":1200.50,"due":"first"},"paid":[true,null,"x"]}`, want: "rent:\n  amount: 1200.50\n  due: first\npaid:\n  - true\n  - null\n  - x"},
		"escapes":       {mediaType: extract.JSON, data: `{"a":"\u0050arty\ttwo"}`, want: "a: Party\ttwo"},
		"several":       {mediaType: extract.JSON, data: "{\"a\":1}\n{\"a\":2}\n", want: "a: 1\na: 2"},
		"scalar":        {mediaType: extract.JSON, data: `"alone"`, want: "- alone"},
		"deep":          {mediaType: extract.JSON, data: strings.Repeat("[", 300) + strings.Repeat("]", 300), status: extract.Damaged},
		"empty objects": {mediaType: extract.JSON, data: `{"a":{},"b":[{}]}`, want: "a:\nb:"},

		"message": {
			mediaType: extract.Email, want: "From: [Party 1]\nSubject: Notice ü\n\nI terminate.",
			data:  "From: [Party 1]\r\nSubject: =?iso-8859-1?q?Notice_=FC?=\r\nX-Mailer: Program\r\n\r\nI terminate.\r\n",
			parts: map[string]string{"metadata.x-mailer": "|X-Mailer: Program"},
		},
		"quoted-printable":              {mediaType: extract.Email, data: "Subject: s\nContent-Type: text/plain; charset=windows-1252\nContent-Transfer-Encoding: quoted-printable\n\nM=FCller=\n pays", want: "Subject: s\n\nMüller pays"},
		"base64":                        {mediaType: extract.Email, data: "Subject: s\nContent-Transfer-Encoding: base64\n\n" + base64.StdEncoding.EncodeToString([]byte("The rent is due.")) + "\n", want: "Subject: s\n\nThe rent is due."},
		"unknown encoding in a message": {mediaType: extract.Email, data: "Subject: s\nContent-Transfer-Encoding: x-own\n\nabc", status: extract.Damaged},
		"two forms": {
			mediaType: extract.Email, want: "Subject: s\n\nplain",
			data:   "Subject: s\nContent-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/plain\n\nplain\n--b\nContent-Type: text/html\n\n<p>rich\n--b--\n",
			parts:  map[string]string{"hiddenText": "|rich"},
			status: extract.OK,
		},
		"attachment": {
			mediaType: extract.Email, status: extract.Unsupported, want: "Subject: s\n\nsee it",
			data:  "Subject: s\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nsee it\n--b\nContent-Type: application/pdf\nContent-Disposition: attachment; filename=\"who.pdf\"\n\n%PDF\n--b--\n",
			parts: map[string]string{"metadata.filename": "|who.pdf"},
		},
		"parts without end": {mediaType: extract.Email, data: "Subject: s\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nx", status: extract.Damaged},
		"no message":        {mediaType: extract.Email, data: "just text\n\nmore", status: extract.Damaged},
	} {
		t.Run(name, func(t *testing.T) {
			doc := read(t, tc.mediaType, []byte(tc.data))
			if want := tc.status; want != "" && doc.Status != want || want == "" && doc.Status == extract.Damaged {
				t.Errorf("status = %s (%s), want %s", doc.Status, doc.Reason, want)
			}
			if doc.Text != tc.want {
				t.Errorf("text = %q, want %q", doc.Text, tc.want)
			}
			got, want := parts(doc), tc.parts
			if tc.mediaType == extract.Email {
				for path := range got {
					if strings.HasPrefix(path, "metadata.content-") || path == "metadata.mime-version" {
						delete(got, path)
					}
				}
			}
			if !maps.Equal(got, want) && len(got)+len(want) > 0 {
				t.Errorf("parts = %q, want %q", got, want)
			}
		})
	}
}

// Wherever in a file something stands, some part must show it to the gate: agents are given the bytes.
func TestEveryPlaceOfAFileIsShown(t *testing.T) {
	t.Parallel()
	const mark = "ann@example.com"

	for name, tc := range map[string]struct{ mediaType, data string }{
		"text":                 {extract.HTML, "<p>@"},
		"title":                {extract.HTML, "<title>@</title>x"},
		"comment":              {extract.HTML, "x<!-- @ -->"},
		"doctype":              {extract.HTML, "<!DOCTYPE @>x"},
		"id":                   {extract.HTML, "<p id='@'>x"},
		"class":                {extract.HTML, "<p class='@'>x"},
		"style":                {extract.HTML, "<p style='content:\"@\"'>x"},
		"event":                {extract.HTML, "<p onclick='tell(\"@\")'>x"},
		"page in an attribute": {extract.HTML, "<iframe srcdoc='@'></iframe>x"},
		"name of a form":       {extract.HTML, "<form name='@'>x</form>"},
		"content of no meta":   {extract.HTML, "<p content='@'>x"},
		"attribute":            {extract.HTML, "<p data-who='@' x-other='y'>x"},
		"name of an attribute": {extract.HTML, "<p @>x"},
		"name of an element":   {extract.HTML, "<x-@>x"},
		"end tag":              {extract.HTML, "<p>x</p class='@'>"},
		"tag that never ends":  {extract.HTML, "<p>x<a title='@"},
		"script":               {extract.HTML, "<script>'@'</script>x"},
		"link":                 {extract.HTML, "<a href='mailto:@'>x</a>"},
		"processing":           {extract.HTML, "<?php '@' ?>x"},
		"cell":                 {extract.CSV, "a,@\n"},
		"name of a field":      {extract.JSON, `{"@":1}`},
		"value":                {extract.JSON, `["@"]`},
		"header":               {extract.Email, "Subject: s\nX-Who: @\n\nx"},
		"name of a header":     {extract.Email, "Subject: s\nX-@: y\n\nx"},
		"header nobody knows":  {extract.Email, "Subject: s\n@: y\n\nx"},
		"meta nobody knows":    {extract.HTML, "<meta name='@' content='y'>x"},
		"body":                 {extract.Email, "Subject: s\n\n@"},
		"before the parts":     {extract.Email, "Subject: s\nContent-Type: multipart/mixed; boundary=b\n\n@\n--b\n\nx\n--b--\n"},
		"behind the parts":     {extract.Email, "Subject: s\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nx\n--b--\n@\n"},
		"header of a part":     {extract.Email, "Subject: s\nContent-Type: multipart/mixed; boundary=b\n\n--b\nContent-Description: @\n\nx\n--b--\n"},
		"hidden alternative":   {extract.Email, "Subject: s\nContent-Type: multipart/alternative; boundary=b\n\n--b\n\nx\n--b\nContent-Type: text/html\n\n<p id='@'>y\n--b--\n"},
	} {
		t.Run(name, func(t *testing.T) {
			data, mark := strings.ReplaceAll(tc.data, "@", mark), mark
			if strings.Contains(name, "header nobody") || name == "name of a header" {
				data = strings.ReplaceAll(tc.data, "@", "Ann-Example") // no other sign may stand there
				mark = "ann-example"
			}
			doc, err := extract.Extract(t.Context(), strings.NewReader(data), int64(len(data)), tc.mediaType, extract.DefaultLimits())
			if err != nil || !doc.Status.Readable() {
				return // what is not readable is given to nobody
			}

			for _, p := range doc.Parts {
				if !extract.IsPath(p.Path) || strings.Contains(p.Path, mark) {
					t.Errorf("a part has the path %q", p.Path)
				}
				if strings.Contains(strings.ToLower(p.Text), mark) {
					return
				}
			}
			t.Errorf("no part shows it: %q", doc.Parts)
		})
	}
	t.Run("a header in letters that are not known", func(t *testing.T) {
		data := "Subject: =?koi8-r?q?=C1?=\n\nx"
		if doc := read(t, extract.Email, []byte(data)); doc.Status.Readable() {
			t.Errorf("status = %s", doc.Status)
		}
	})
}
