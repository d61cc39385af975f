package extract_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/extract/internal/docxtest"
	"github.com/subrosa-legal/subrosa/pkg/extract/internal/pdftest"
	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// producers are what programs call themselves in the files that they write.
const producers = `Microsoft® Word for Microsoft 365
Microsoft® Word 2019
Microsoft® Word 2016
Microsoft® Word 2013
Microsoft® Office Word 2007
Microsoft Word - Complaint.docx
Acrobat PDFMaker 23 for Word
Acrobat PDFMaker 11 for Word
Adobe PDF Library 23.1.175
Adobe PDF Library 15.0
Acrobat Distiller 23.0 (Windows)
Acrobat Distiller 11.0 (Macintosh)
Adobe Acrobat Pro DC (64-bit) 24.2.20687
Adobe Acrobat 9.55 Paper Capture Plug-in
Adobe InDesign 18.2 (Windows)
Adobe Illustrator CC 22.1 (Macintosh)
macOS Version 14.5 (Build 23F79) Quartz PDFContext
Mac OS X 10.15.7 Quartz PDFContext
iOS Version 17.4.1 (Build 21E236) Quartz PDFContext
Pages
Preview
Safari
Skia/PDF m126
Chromium
Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0 Safari/537.36
Google Docs Renderer
Skia/PDF m127 Google Docs Renderer
LibreOffice 24.2
LibreOffice 7.4
OpenOffice.org 3.3
Writer
pdfTeX-1.40.25
TeX
LaTeX with hyperref
XeTeX 0.999995
LuaTeX-1.18.0
dvips(k) 2023.1 Copyright 2023 Radical Eye Software
GPL Ghostscript 10.02.1
GPL Ghostscript 9.56.1
cairo 1.16.0 (https://cairographics.org)
WeasyPrint 62.3
ReportLab PDF Library - www.reportlab.com
wkhtmltopdf 0.12.6
Qt 5.15.2
Apache FOP Version 2.9
Apache PDFBox 3.0.3
iText® 7.2.5 ©2000-2023 iText Group NV (AGPL-version)
iText 2.1.7 by 1T3XT
iTextSharp™ 5.5.13.1 ©2000-2019 iText Group NV (AGPL-version)
OpenPDF 1.3.30
PDFsharp 1.50.5147 (www.pdfsharp.com)
PDFium
Prince 15.3 (www.princexml.com)
mPDF 8.2.4
TCPDF 6.7.5 (http://www.tcpdf.org)
FPDF 1.86
Aspose.Words for .NET 24.5.0
Aspose.PDF for .NET 24.5.0
Syncfusion Essential DocIO
Nitro Pro 13 (13.70.0.30)
Foxit PDF Editor Printer Version 13.0.1.21693
Foxit PhantomPDF Printer Version 10.1.3.3827
PDF-XChange Standard (9.5 build 368)
Bullzip PDF Printer / www.bullzip.com / Freeware Edition
PDFCreator 3.5.1.0
CutePDF Writer 4.0
doPDF 11
Power PDF Create
Kofax Power PDF
DocuSign Signature Appliance
Docusign
Clio Draft
WordPerfect
Corel WordPerfect 2021
Amyuni Document Converter 6.5.1
ABBYY FineReader PDF 16
RICOH IM C3000
Canon iR-ADV C5535
KONICA MINOLTA bizhub C360i
HP Digital Sending Device
Xerox AltaLink C8045
ScanSnap Manager
PaperStream Capture`

// No name of a program is a finding: what wrote a file is dropped.
func TestNamesOfProducersAreNoFindings(t *testing.T) {
	t.Parallel()
	names := strings.Split(producers, "\n")
	if len(names) < 60 {
		t.Fatalf("%d names", len(names))
	}

	for _, name := range names {
		pdf := pdftest.New()
		text := strings.NewReplacer("(", `\(`, ")", `\)`).Replace(name)
		pdf.Trailer = fmt.Sprintf("/Info<</Producer(%s)/Creator(%s)>>", text, text)
		pdf.TextPage("The tenant pays the rent to [Party 1] on the first day of each month.")
		word := docxtest.New(docxtest.P("The tenant pays the rent to [Party 1] on the first day of each month.")).
			Part("docProps/app.xml", "<Properties><Application>"+name+"</Application></Properties>")

		for media, data := range map[string][]byte{extract.PDF: pdf.Bytes(), extract.DOCX: word.Bytes()} {
			doc := read(t, media, data)
			if found := judge(t, doc); doc.Status != extract.OK || len(found) > 0 || len(doc.Dropped) == 0 {
				t.Errorf("%s by %s: %s, found %s, dropped %+v", media, name, doc.Status, found, doc.Dropped)
			}
		}
	}
}

// judge returns what the guard finds in the parts of a document.
func judge(t *testing.T, doc extract.Document) []string {
	t.Helper()
	var found []string

	for _, p := range doc.Parts {
		channel := guard.FileMeta
		if p.Kind == extract.Body {
			channel = guard.FileText
		}

		for _, f := range (guard.Guard{}).Check(t.Context(), channel, p.Text) {
			found = append(found, fmt.Sprintf("%s: %s", p.Path, f.Kind))
		}
	}

	return found
}
