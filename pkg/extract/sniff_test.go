package extract_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/extract/internal/docxtest"
	"github.com/subrosa-legal/subrosa/pkg/extract/internal/odttest"
)

func TestSniffAndAccept(t *testing.T) {
	t.Parallel()
	docx := string(docxtest.New(docxtest.P("x")).Bytes())

	odt := string(odttest.New(odttest.P("x")).Bytes())
	ott := string(odttest.New(odttest.P("x")).Part("mimetype", extract.ODT+"-template").Bytes())
	flatODT := string(odttest.New(odttest.P("x")).Flat())

	ole := "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + strings.Repeat("\x00", 600)
	for name, tc := range map[string]struct {
		head, name, declared string
		want                 string
		err                  error
	}{
		"text":                   {"Hello there", "a.txt", "text/plain", extract.PlainText, nil},
		"text, charset":          {"Hello there", "a.txt", "Text/Plain; charset=utf-8", extract.PlainText, nil},
		"text, nothing declared": {"Hello there", "a.txt", "", extract.PlainText, nil},
		"text, bytes declared":   {"Hello there", "a", "application/octet-stream", extract.PlainText, nil},
		"UTF-16":                 {"\xff\xfeH\x00i\x00", "a.txt", "text/plain", extract.PlainText, nil},
		"Markdown by name":       {"# Title", "a.md", "", extract.Markdown, nil},
		"Markdown by type":       {"# Title", "", "text/markdown", extract.Markdown, nil},
		"Markdown as text":       {"# Title", "a.md", "text/plain", extract.Markdown, nil},
		"Markdown with a tag":    {"<!-- draft --># Title", "a.md", "", extract.Markdown, nil},
		"PDF":                    {"%PDF-1.7\n", "a.pdf", "application/pdf", extract.PDF, nil},
		"PDF behind a job of printing": {
			"\x1b%-12345X@PJL JOB\r\n%PDF-1.7\n", "a.pdf", "application/pdf",
			extract.PDF, nil,
		},
		"PDF behind bytes":       {"\x00\x01\x02\n%PDF-1.7\n", "a.pdf", "", extract.PDF, nil},
		"archive before PDF":     {"PK\x03\x04\x14\x00%PDF-1.7", "a.pdf", "", "", extract.ErrMismatch},
		"PDF too late":           {strings.Repeat("a\n", 600) + "%PDF-1.7", "a.pdf", "", "", extract.ErrMismatch},
		"DOCX":                   {docx, "a.docx", extract.DOCX, extract.DOCX, nil},
		"DOCX, nothing declared": {docx, "a.docx", "", extract.DOCX, nil},
		"ODT":                    {odt, "a.odt", extract.ODT, extract.ODT, nil},
		"ODT, nothing declared":  {odt, "a", "", extract.ODT, nil},
		"ODT in another order":   {"PK\x03\x04\x14\x00", "a.odt", "", extract.ODT, nil},
		"OTT":                    {ott, "a.ott", extract.ODT + "-template", extract.ODT, nil},
		"FODT":                   {flatODT, "a.fodt", extract.ODT + "-flat-xml", extract.ODT, nil},
		"FODT, nothing declared": {flatODT, "a", "", extract.ODT, nil},
		"FODS":                   {flatODT, "a.fods", "", "", extract.ErrUnsupported},
		"XHTML": {
			"<?xml version=\"1.0\"?>\n<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\">", "a.html",
			extract.HTML, extract.HTML, nil,
		},
		"S49 XML called HTML": {"<?xml version=\"1.0\"?><a/>", "a.html", "", "", extract.ErrMismatch},
		"S49 XML called FODT": {"<?xml version=\"1.0\"?><a/>", "a.fodt", "", "", extract.ErrMismatch},
		"S49 ODT called DOCX": {odt, "a.docx", extract.DOCX, "", extract.ErrMismatch},
		"PNG":                 {"\x89PNG\r\n\x1a\n", "a.png", "image/png", "image/png", nil},
		"JPEG":                {"\xff\xd8\xff\xe0", "a.jpg", "image/jpeg", "image/jpeg", nil},
		"TIFF":                {"II*\x00", "a.tif", "image/tiff", "image/tiff", nil},
		"HTML":                {"<!DOCTYPE html><p>x", "a.html", "text/html", "text/html", nil},
		"CSV":                 {"a,b\n1,2\n", "a.csv", "text/csv", "text/csv", nil},
		"JSON":                {`{"a":1}`, "a.json", "application/json", "application/json", nil},
		"e-mail":              {"From: a\nSubject: b\n\nc", "a.eml", "message/rfc822", "message/rfc822", nil},
		"JSON as text":        {`{"a":1}`, "a.txt", "text/plain", extract.PlainText, nil},

		"S49 HTML called PDF":        {"<html><body>x", "a.pdf", "application/pdf", "", extract.ErrMismatch},
		"S49 program called PDF":     {"MZ\x90\x00" + strings.Repeat("\x00", 100), "a.pdf", "application/pdf", "", extract.ErrMismatch},
		"S49 ELF called PDF":         {"\x7fELF\x02\x01\x01\x00", "a.pdf", "application/pdf", "", extract.ErrMismatch},
		"S49 archive called PDF":     {"PK\x03\x04\x14\x00", "a.pdf", "application/pdf", "", extract.ErrMismatch},
		"S49 PDF called text":        {"%PDF-1.7\n", "a.txt", "text/plain", "", extract.ErrMismatch},
		"S49 PDF, text declared":     {"%PDF-1.7\n", "a.pdf", "text/plain", "", extract.ErrMismatch},
		"S49 text called PDF":        {"Hello there", "a.pdf", "application/pdf", "", extract.ErrMismatch},
		"S49 text called DOCX":       {"Hello there", "a.docx", extract.DOCX, "", extract.ErrMismatch},
		"S49 HTML called text":       {"<!DOCTYPE html><p>x", "a.txt", "text/plain", "", extract.ErrMismatch},
		"S49 page called Markdown":   {"<!DOCTYPE html><p>x", "a.md", "text/markdown", "", extract.ErrMismatch},
		"S49 PNG called JPEG":        {"\x89PNG\r\n\x1a\n", "a.jpg", "image/jpeg", "", extract.ErrMismatch},
		"archive":                    {"PK\x03\x04\x14\x00", "a.zip", "application/zip", "", extract.ErrUnsupported},
		"archive, nothing declared":  {"PK\x03\x04\x14\x00", "a", "", "", extract.ErrUnsupported},
		"gzip":                       {"\x1f\x8b\x08\x00", "a.gz", "", "", extract.ErrUnsupported},
		"7z":                         {"7z\xbc\xaf\x27\x1c", "a.7z", "", "", extract.ErrUnsupported},
		"program":                    {"MZ\x90\x00" + strings.Repeat("\x00", 100), "a.exe", "", "", extract.ErrUnsupported},
		"script":                     {"#!/usr/bin/env python\nprint()", "a.py", "", "", extract.ErrUnsupported},
		"old Word":                   {ole, "a.doc", "application/msword", "", extract.ErrUnsupported},
		"RTF":                        {`{\rtf1\ansi`, "a.rtf", "application/rtf", "", extract.ErrUnsupported},
		"bytes":                      {"\x00\x01\x02\x03", "a.bin", "", "", extract.ErrUnsupported},
		"text with a refused type":   {"Hello there", "a.txt", "application/x-thing", "", extract.ErrUnsupported},
		"S51 macro document":         {docx, "a.docm", "", "", extract.ErrMacro},
		"S51 macro type":             {docx, "a.docx", "application/vnd.ms-word.document.macroEnabled.12", "", extract.ErrMacro},
		"S51 macro sheet":            {"PK\x03\x04", "a.XLSM", "", "", extract.ErrMacro},
		"nothing":                    {"", "", "", extract.PlainText, nil},
		"unknown text name accepted": {"Hello there", "a.log", "", extract.PlainText, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := extract.Sniff([]byte(tc.head), tc.name).Accept(tc.declared)
			if got != tc.want || !errors.Is(err, tc.err) {
				t.Errorf("Accept = %q, %v, want %q, %v", got, err, tc.want, tc.err)
			}
		})
	}
}

func TestClasses(t *testing.T) {
	t.Parallel()

	for name, tc := range map[string]struct {
		head, name string
		want       extract.Class
	}{
		"text": {"Hello", "a.txt", extract.Readable}, "HTML": {"<!DOCTYPE html>", "a.html", extract.Readable},
		"PNG": {"\x89PNG\r\n\x1a\n", "a.png", extract.Picture}, "archive": {"PK\x03\x04", "a.zip", extract.Refused},
	} {
		if got := extract.Sniff([]byte(tc.head), tc.name).Class; got != tc.want {
			t.Errorf("%s: class %d, want %d", name, got, tc.want)
		}
	}
}
