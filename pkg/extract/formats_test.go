package extract_test

import (
	"encoding/base64"
	"maps"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/extract/internal/docxtest"
)

func TestFormats(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct {
		mediaType, data, want string
		parts                 map[string]string // beside the body
		status                extract.Status
		gone                  string
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
			parts: map[string]string{"hiddenText": "|unseen\nalso", "altText": "|picture of it"},
			gone:  "markup 1, pictures 1, scripts 1, styles 1",
		},
		"white on white": {
			mediaType: extract.HTML, want: "Shown on dark in a cell",
			data: `<p>Shown<span style="COLOR : #FFF">a</span><font color=white>b</font><i style="opacity:0">c</i><i style="font-size:1px">d</i><i style="opacity:0.5"> on</i>` +
				`<b style="background:#000;color:white"> dark</b><span style="background-color:navy"> in a <i style="color:#ffffff">cell</i></span>`,
			parts: map[string]string{"hiddenText": "|a\nb\nc\nd"},
			gone:  "styles 7",
		},
		"metadata and links": {
			mediaType: extract.HTML, want: "x",
			data: `<meta name="Author" content="someone"><meta name="a b" content="other"><a ` +
				`href="mailto:who%40example.com">x</a><a href="https://law.example/a%20b"></a>`,
			parts: map[string]string{"links": "|https://law.example/a b"},
			gone:  "linkTargets 1, properties 2",
		},
		"western encoding": {mediaType: extract.HTML, data: "<meta charset=\"iso-8859-1\">M\xfcller", want: "Müller"},
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
			data: "From: [Party 1]\r\nSubject: =?iso-8859-1?q?Notice_=FC?=\r\nX-Mailer: Program\r\n\r\nI " +
				"terminate.\r\n",
			gone: "mailHeaders 1",
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
			parts: map[string]string{"headers": "|Attachment: who.pdf"},
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
			if !maps.Equal(got, want) && len(got)+len(want) > 0 {
				t.Errorf("parts = %q, want %q", got, want)
			}
			if tc.gone != "" && dropped(doc) != tc.gone {
				t.Errorf("dropped = %s, want %s", dropped(doc), tc.gone)
			}
		})
	}
}

// What cannot be decoded cannot be checked.
func TestAHeaderInUnknownLetters(t *testing.T) {
	t.Parallel()
	if doc := read(t, extract.Email, []byte("Subject: =?koi8-r?q?=C1?=\n\nx")); doc.Status.Readable() {
		t.Errorf("status = %s", doc.Status)
	}
}

// Of two forms of a letter the second is kept beside the text only where it says something else. Numbers and bullets of
// lists, which HTML counts and plain text spells out, are nothing else.
func TestFormsOfALetterThatSayTheSame(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct{ plain, rich, hidden string }{
		"numbers":            {"We ask:\n\n1. Rent\n2. Heat for\n   5. Street", "<p>We ask:<ol><li>Rent<li>Heat for 5. Street</ol>", ""},
		"bullets":            {"* Rent\n- Heat\n • Light", "<ul><li>Rent<li>Heat<li>Light</ul>", ""},
		"letters":            {"(a) Rent\n(b) Heat", `<ol type="a"><li>Rent<li>Heat</ol>`, ""},
		"levels":             {"1. Rent\n   1.1. Heat\n   ii) Light", "<ol><li>Rent<ol><li>Heat<li>Light</ol></ol>", ""},
		"numbers in cells":   {"Rent 1. Heat", "<table><tr><td>Rent<td><ol><li>Heat</ol></table>", ""},
		"other words":        {"1. Rent", "<ol><li>Heat</ol>", "Heat"},
		"other number":       {"Pay 1. now", "<p>Pay 2. now", "Pay 2. now"},
		"other first number": {"1. Rent", "<p>2. Rent", "2. Rent"},
	} {
		letter := "Subject: s\nContent-Type: multipart/alternative; boundary=b\n\n--b\nContent-Type: text/plain\n\n" + tc.plain +
			"\n--b\nContent-Type: text/html\n\n" + tc.rich + "\n--b--\n"
		got := parts(read(t, extract.Email, []byte(letter)))["hiddenText"]
		if strings.TrimPrefix(got, "|") != tc.hidden {
			t.Errorf("%s: hidden text %q, want %q", name, got, tc.hidden)
		}
	}
}

// Words of two elements that a browser sets apart are two words.
func TestElementsOfAPageBreakWords(t *testing.T) {
	t.Parallel()

	for page, want := range map[string]string{
		"<details><summary>More</summary>inner words</details>after":                   "More inner words after",
		"<fieldset><legend>Rent</legend>due</fieldset>":                                "Rent due",
		"<table><caption>Rent</caption><tr><td>due</table>now":                         "Rent due now",
		"<dl><dt>Rent</dt><dd>due</dd></dl>now":                                        "Rent due now",
		"a<select><optgroup><option>b</option><option>c</option></optgroup></select>d": "a b c d",
		"<figure>Rent<figcaption>due</figcaption></figure>now":                         "Rent due now",
		"a<dialog open>b</dialog>c<hgroup>d</hgroup>e<menu>f</menu>g":                  "a b c d e f g",
		"a<button>b</button>c<textarea>d</textarea>e<noscript>f</noscript>g":           "a b c d e f g",
		"<ruby>a<rt>b</rt></ruby>c":                                                    "a b c",
		"a<b>b</b>c<span>d</span>":                                                     "abcd",
	} {
		doc := read(t, extract.HTML, []byte("<!DOCTYPE html>"+page))
		if got := strings.Join(strings.Fields(doc.Text), " "); got != want {
			t.Errorf("%s: %q, want %q", page, got, want)
		}
	}
}

// The number of a page is no text where a program counts it at the head or foot of pages.
func TestNumbersOfPagesAreNoText(t *testing.T) {
	t.Parallel()
	field := func(code, result string) string {
		return `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> ` + code + ` </w:instrText></w:r>` +
			`<w:r><w:fldChar w:fldCharType="separate"/></w:r>` + docxtest.R(result) + `<w:r><w:fldChar w:fldCharType="end"/></w:r>`
	}

	for name, tc := range map[string]struct{ footer, want string }{
		"a field":              {"<w:p>" + field("PAGE", "1") + "</w:p>", "Rent"},
		"a simple field":       {`<w:p><w:fldSimple w:instr=" PAGE \* MERGEFORMAT ">` + docxtest.R("iv") + "</w:fldSimple></w:p>", "Rent"},
		"with its words":       {"<w:p>" + docxtest.R("Page ") + field("PAGE", "1") + docxtest.R(" of ") + field("NUMPAGES", "12") + "</w:p>", "Rent"},
		"below a line of text": {docxtest.P("Lease of [Party 1]") + "<w:p>" + field("PAGE", "1") + "</w:p>", "Rent\n\nLease of [Party 1]"},
		"beside other words":   {"<w:p>" + docxtest.R("Lease ") + field("PAGE", "1") + "</w:p>", "Rent\n\nLease 1"},
		"a number without one": {docxtest.P("1"), "Rent\n\n1"},
		"another field":        {"<w:p>" + field("REF a", "1") + "</w:p>", "Rent\n\n1"},
	} {
		file := docxtest.New(docxtest.P("Rent")).Link("footer", "word/footer1.xml", "<w:ftr *>"+tc.footer+"</w:ftr>")
		if got := read(t, extract.DOCX, file.Bytes()).Text; got != tc.want {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
	body := docxtest.New("<w:p>" + field("PAGE", "1") + "</w:p>")
	if got := read(t, extract.DOCX, body.Bytes()).Text; got != "1" {
		t.Errorf("in the body: %q", got)
	}
}

// Style sheets in a page say how its lists count, as far as their selectors are simple.
func TestListsThatAStyleSheetNumbers(t *testing.T) {
	t.Parallel()

	for page, want := range map[string]string{
		"<style>ol { list-style-type: upper-roman }</style><ol><li>a<li>b</ol>":                          "I. a\nII. b",
		"<style>/* x */ .t, p {list-style: lower-alpha inside}</style><ol class='s t'><li>a</ol>":        "a. a",
		"<style>ol{list-style:decimal} ol.t{list-style-type:lower-roman}</style><ol class=t><li>a</ol>":  "i. a",
		"<style>ol.t{list-style-type:lower-roman}</style><ol class=t style='list-style:none'><li>a</ol>": "a",
		"<style>@media print { ol { list-style-type: upper-roman } } b{}</style><ol><li>a</ol>":          "1. a",
		"<style>div ol { list-style-type: upper-roman }</style><ol><li>a</ol>":                           "1. a",
		"<style>.u{list-style-type: upper-alpha}</style><ul class=u><li>a<li>b</ul>":                     "A. a\nB. b",
		"<style>ol{list-style-type: upper-roman</style><ol><li>a</ol>":                                   "I. a",
	} {
		doc := read(t, extract.HTML, []byte("<!DOCTYPE html>"+page))
		if got := string(markdown(t, doc).Bytes); got != want {
			t.Errorf("%s: %q, want %q", page, got, want)
		}
		letter := read(t, extract.Email, []byte("Subject: s\nContent-Type: text/html\n\n"+page))
		if got := string(markdown(t, letter).Bytes); !strings.HasSuffix(got, want) {
			t.Errorf("%s in a letter: %q, want %q", page, got, want)
		}
	}
}
