package extract_test

import (
	"encoding/base64"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/extract"
)

// wordPage is a page as Word saves one with all that belongs to it.
const wordPage = "MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=\"----=_NextPart_01\"\r\n\r\n" +
	"This document is a Single File Web Page, also known as a Web Archive file.\r\n\r\n" +
	"------=_NextPart_01\r\nContent-Location: file:///C:/A1/lease.htm\r\nContent-Transfer-Encoding: quoted-printable\r\n" +
	"Content-Type: text/html; charset=\"us-ascii\"\r\n\r\n" +
	"<html xmlns:o=3D\"urn:schemas-microsoft-com:office:office\"><head><!--[if gte mso 9]><xml>\r\n" +
	"<o:Author>Marguerite Zorbanek</o:Author></xml><![endif]--></head><body><p class=3DMsoNormal>The te=\r\n" +
	"nant shall pay the rent.</p></body></html>\r\n\r\n" +
	"------=_NextPart_01\r\nContent-Location: file:///C:/A1/lease_files/themedata.thmx\r\n" +
	"Content-Transfer-Encoding: base64\r\nContent-Type: application/vnd.ms-officetheme\r\n\r\nUEsDBBQ=\r\n\r\n" +
	"------=_NextPart_01\r\nContent-Location: file:///C:/A1/lease_files/filelist.xml\r\n" +
	"Content-Transfer-Encoding: quoted-printable\r\nContent-Type: text/xml; charset=\"utf-8\"\r\n\r\n" +
	"<xml xmlns:o=3D\"urn:schemas-microsoft-com:office:office\"><o:MainFile HRef=3D\"../Zorbanek.htm\"/></xml>\r\n" +
	"------=_NextPart_01--\r\n"

// A page that was saved with all that belongs to it is read as a message whose text is that page.
func TestSavedPages(t *testing.T) {
	t.Parallel()
	chromium, err := os.ReadFile("testdata/mhtml/chromium.mhtml")
	if err != nil {
		t.Fatal(err)
	}
	related := func(parts ...string) string {
		page := "Content-Type: text/html; charset=utf-8\n\n<!DOCTYPE html><link rel=stylesheet href=cid:a><p class=a>" + harmless
		out := "MIME-Version: 1.0\nContent-Type: multipart/related; boundary=b; type=\"text/html\"\n\n"

		for _, part := range append([]string{page}, parts...) {
			out += "--b\n" + part + "\n"
		}

		return out + "--b--\n"
	}

	for name, tc := range map[string]struct {
		data   string
		status extract.Status
		want   string // what the Markdown ends with
		gone   string
		marks  int // of pictures
	}{
		"Chromium": {
			data: string(chromium), status: extract.OK, marks: 1,
			want: "# Lease agreement\n\nTerm: The tenant, [Party 1], shall pay the rent — €1,200 — on the first day of each month.\n\n" +
				"I. The landlord keeps the roof in repair.\nII. Notice is given in writing.\n\n| Item | Sum |\n|---|---|\n" +
				"| Rent | $1,200 [picture, not read] |\n\nThe annex lists the furniture.\n\n" +
				"## Descriptions of pictures\n\nPlan of the flat",
			gone: "pictures styles",
		},
		"Word": {
			data: wordPage, status: extract.OK, want: "The tenant shall pay the rent.",
			gone: "customXml markup surplusBytes",
		},
		"words of a style sheet": {
			data: related("Content-Type: text/css\nContent-Transfer-Encoding: base64\n\n" +
				base64.StdEncoding.EncodeToString([]byte(".a::before{content:'Marguerite Zorbanek: '}"))),
			status: extract.OK, want: "Marguerite Zorbanek: " + harmless, gone: "styles",
		},
		"a font and a script": {
			data: related("Content-Type: font/woff2\nContent-Transfer-Encoding: base64\n\nd09GMg==",
				"Content-Type: text/javascript\n\nvar who = 'Marguerite Zorbanek'",
				"Content-Type: application/octet-stream\nContent-Location: https://example.com/a.woff\n\nx"),
			status: extract.OK, want: harmless, gone: "fonts scripts",
		},
		"a picture that only a style sheet shows": {
			data:   related("Content-Type: image/png\nContent-Transfer-Encoding: base64\n\niVBORw0KGgo="),
			status: extract.OK, want: harmless + "\n\n[picture, not read]", gone: "pictures", marks: 1,
		},
		"a part that nobody reads": {
			data:   related("Content-Type: application/x-mso\nContent-Transfer-Encoding: base64\n\nUEsDBBQ="),
			status: extract.Unsupported,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			media, err := extract.Sniff([]byte(tc.data), "lease.mhtml").Accept("multipart/related")
			if media != extract.Email || err != nil {
				t.Errorf("Accept = %q, %v", media, err)
			}
			doc := read(t, extract.Email, []byte(tc.data))
			if doc.Status != tc.status {
				t.Fatalf("status %s (%s)", doc.Status, doc.Reason)
			}
			if tc.status != extract.OK {
				return
			}
			if got := string(markdown(t, doc).Bytes); !strings.HasSuffix(got, tc.want) {
				t.Errorf("Markdown:\n%s\nwant\n%s", got, tc.want)
			}

			kinds := []string{}
			for _, d := range doc.Dropped {
				kinds = append(kinds, d.Kind)
			}

			for kind := range strings.FieldsSeq(tc.gone) {
				if !slices.Contains(kinds, kind) {
					t.Errorf("dropped %s, want %s", kinds, kind)
				}
			}
			if len(doc.Unread) != tc.marks {
				t.Errorf("unread %+v", doc.Unread)
			}
		})
	}
}

// A message is read as one whatever it is called, so that its encodings hide nothing.
func TestMessagesUnderOtherNames(t *testing.T) {
	t.Parallel()
	encoded := "MIME-Version: 1.0\nSubject: Notice\nContent-Transfer-Encoding: base64\n\nVGhl\n"

	for name, tc := range map[string]struct{ head, name, declared, want string }{
		"called text":            {encoded, "a.txt", "text/plain", extract.Email},
		"called Markdown":        {encoded, "a.md", "", extract.Email},
		"without a name":         {encoded, "", "", extract.Email},
		"with line ends of mail": {strings.ReplaceAll(encoded, "\n", "\r\n"), "a.txt", "", extract.Email},
		"with a folded header":   {"Subject: a\n b\nContent-Type: multipart/mixed;\n\tboundary=b\n\n--b", "a.txt", "", extract.Email},
		"a long header": {
			"Mime-Version: 1.0\nSubject: " + strings.Repeat("Notice ", 600) + "\n\nText", "a.txt", "", extract.Email,
		},
		"no headers that tell": {"From: [Party 1]\nSubject: Notice\n\nText", "a.txt", "", extract.PlainText},
		"words of a contract":  {"Content-Type: multipart/mixed is a type.\n\nText: so", "a.txt", "", extract.PlainText},
		"headers without text": {"Mime-Version: 1.0\nRent: $1", "a.txt", "", extract.PlainText},
	} {
		t.Run(name, func(t *testing.T) {
			head := []byte(tc.head)
			got, err := extract.Sniff(head, tc.name).Accept(tc.declared)
			if got != tc.want || err != nil {
				t.Errorf("Accept = %q, %v, want %q", got, err, tc.want)
			}
		})
	}
}
