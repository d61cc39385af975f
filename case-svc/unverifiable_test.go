package casesvc_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/access"
)

// lockedOffice is a Word file with a password, as Office programs store it.
func lockedOffice() []byte {
	content := make([]byte, 4096)
	copy(content, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")
	copy(content[24:], "\x3e\x00\x03\x00\xfe\xff\x09\x00")

	const entry = 1024
	for i, unit := range "EncryptedPackage" {
		content[entry+2*i] = byte(unit)
	}
	content[entry+64], content[entry+66] = 2*(16+1), 2

	return content
}

// A refusal of what cannot be checked says why, where, and what to do, to an agent and to a person.
func TestWhyAFileCannotBeChecked(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann, robot := user("u:ann", "ann"), agent("u:ann", "ann")
	c := w.newCase(ann, nil)
	attachment := "Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nsee\n--b\nContent-Type: application/pdf\n\n%PDF\n--b--\n"
	xlsx := "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
	word := wordFile(t, "", "", "A lease of [Party 1].")

	for _, tc := range []struct {
		name   string
		part   part
		reason string
		says   string
	}{
		{"a Word file with a password", part{"file", "a.docx", docxType, lockedOffice()}, "encrypted", "Remove its password"},
		{"without its name", part{"file", "", docxType, lockedOffice()}, "encrypted", "Remove its password"},
		{"a workbook with a password", part{"file", "a.xlsx", xlsx, lockedOffice()}, "encrypted", "Remove its password"},
		{"of no known type", part{"file", "a.bin", "", lockedOffice()}, "encrypted", "Remove its password"},
		{"a scan", part{"file", "a.pdf", "application/pdf", scan(2)}, "no_text", "hardly any text that can be read"},
		{"a picture", part{"file", "a.png", "image/png", []byte("\x89PNG\r\n\x1a\n0000")}, "picture", "is a picture"},
		{"a message with an attachment", part{"file", "a.eml", "message/rfc822", []byte(attachment)}, "attachment", "without them"},
		{"a damaged Word file", part{"file", "a.docx", docxType, word[:len(word)/2]}, "broken", "save it anew"},
		{"text of no UTF-8", textFile("a.txt", "Caf\xe9 of [Party 1]"), "invalid_utf8", "UTF-8"},
		{"what is garbled beside the body", part{"file", "a.html", "text/html", []byte("<!DOCTYPE html><p>The lease.</p><p style='display: none'>" + strings.Repeat("\ufffd", 200))}, "garbled", "no known characters"},
	} {
		for next, caller := range map[string]access.Caller{
			"attestation true":          ann,
			"the user to the deep link": robot,
		} {
			e := refused(t, w.upload(caller, c.CaseID, nil, tc.part), 403, "identity_unverifiable")
			if len(e.Details) != 1 || e.Details[0].Code != tc.reason || e.Details[0].Path != "file" {
				t.Errorf("%s: details %+v, want the reason %s", tc.name, e.Details, tc.reason)
			}
			if !strings.Contains(e.Message, tc.says) || !strings.Contains(e.Message, next) {
				t.Errorf("%s: %q does not say %q and %q", tc.name, e.Message, tc.says, next)
			}
			if e.DeepLink != "https://subrosa.test/i/redact_file?case="+c.CaseID {
				t.Errorf("%s: deep link %q", tc.name, e.DeepLink)
			}
		}
	}

	two := w.upload(ann, c.CaseID, nil, textFile("a.txt", "The lease."), textFile("b.txt", "Caf\xe9"))
	second := refused(t, two, 403, "identity_unverifiable")
	if second.Details[0].Path != "files[1]" {
		t.Errorf("the second file is called %q", second.Details[0].Path)
	}
	locked := part{"file", "a.docx", docxType, lockedOffice()}
	f := into[uploaded](t, w.upload(ann, c.CaseID, nil, describing(`[{"attestation":true}]`), locked), 201).Items[0]
	if f.Extraction.Status != "encrypted" || f.AgentReadable ||
		f.DeidCheck.Status != "attested" || f.MediaType != docxType {
		t.Errorf("attested, it is %+v", f)
	}
	at := "/v1/cases/" + c.CaseID + "/files/" + f.FileID
	if a := w.get(ann, at+"/content"); a.Status != 200 || !bytes.Equal(a.Body, locked.content) {
		t.Errorf("its content: %d", a.Status)
	}
	e := refused(t, w.get(robot, at+"/text"), 403, "identity_unverifiable")
	if !strings.Contains(e.Message, "it is encrypted") {
		t.Errorf("an agent that reads it is told %q", e.Message)
	}
}
