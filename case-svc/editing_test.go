package casesvc_test

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/subrosa-legal/subrosa/pkg/api"
)

// labelledContract is a contract in Word with headings, numbered clauses, points and a table.
const labelledContract = "../pkg/rendition/testdata/producers/clean/contract.docx-npm.docx"

func fileAt(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}

	return content
}

// The Word file of a rendition goes on being edited in Word. The files of testdata/edited were downloaded from the
// service, had a clause reworded and a point and a row added, and were saved: by python-docx, which keeps the parts of
// the writer, and by LibreOffice, which writes all of them anew.
func TestAWordFileIsDownloadedEditedAndSentAgain(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann := user("u:ann", "ann")
	c := w.newCase(ann, nil)
	add := func(name string, content []byte) api.File {
		t.Helper()
		return into[uploaded](t, w.upload(ann, c.CaseID, nil, part{"file", name, docxType, content}), 201).Items[0]
	}
	content := func(f api.File, form string) string {
		t.Helper()
		a := w.get(ann, "/v1/cases/"+c.CaseID+"/files/"+f.FileID+"/content"+form)
		if a.Status != http.StatusOK {
			t.Fatalf("content%s: %d: %s", form, a.Status, a.Body)
		}

		return string(a.Body)
	}

	first := add("contract.docx", fileAt(t, labelledContract))

	for _, form := range []string{"?form=docx", ""} {
		name, mediaType := "downloaded.docx", docxType
		if form == "" {
			name, mediaType = "downloaded.md", "text/markdown"
		}
		again := into[uploaded](t, w.upload(ann, c.CaseID, nil, part{"file", name, mediaType, []byte(content(first, form))}), 200).Items[0]
		if !again.Duplicate || again.FileID != first.FileID {
			t.Errorf("%s, sent again as it was downloaded, is %s; a duplicate: %t", name, again.FileID, again.Duplicate)
		}
	}

	want := strings.NewReplacer(
		"within fifteen days", "within twenty days",
		"- was known to the receiver", "- was found by the receiver alone;\n- was known to the receiver",
		"| Reports | $150.00 |\n", "| Reports | $150.00 |\n| Training | $90.00 |\n",
	).Replace(content(first, ""))
	for _, kept := range []string{
		"# SERVICES AGREEMENT\n", "\n## FEES\n", "\n7. Each party", "within twenty days", "\n- was found by the receiver alone;\n- was", "\n| Training |",
	} {
		if !strings.Contains(want, kept) {
			t.Fatalf("the contract has no %q, so this shows nothing:\n%s", kept, want)
		}
	}

	for _, editor := range []string{"python-docx", "libreoffice"} {
		edited := add("contract-2.docx", fileAt(t, "testdata/edited/contract."+editor+".docx"))
		if got := content(edited, ""); got != want {
			t.Errorf("%s: the edited file says\n%s\nwant\n%s", editor, got, want)
		}
	}
}

// A phase that was signed while a file was still kept as it was sent opens the words that it cites in the rendition
// too, and in the text.
func TestCitationsOfASignedPhaseOpenAfterTheSweep(t *testing.T) {
	t.Parallel()
	w := start(t, map[string]string{"CASE_SWEEP_EVERY": "1h"})
	ann, robot := user("u:ann", "ann"), agent("u:ann", "ann")
	c, elsewhere := w.newCase(ann, nil), w.newCase(ann, nil)
	word := fileAt(t, labelledContract)

	// The text is the one that the reader makes of the file.
	made := w.upload(ann, elsewhere.CaseID, nil, part{"file", "contract.docx", docxType, word})
	sent := into[uploaded](t, made, 201).Items[0]
	text := into[api.FileText](t, w.get(ann, "/v1/cases/"+elsewhere.CaseID+"/files/"+sent.FileID+"/text"), 200).Text
	f := w.storedBefore(c, "u:ann", "contract.docx", docxType, word, text)
	one := "/v1/cases/" + c.CaseID + "/files/" + f.ID

	in := beginning(c, api.CaseReq)
	if begun, err := w.as(robot).BeginPhase(t.Context(), in); err != nil || !begun.Run {
		t.Fatalf("BeginPhase = %+v, %v", begun, err)
	}
	end := answered(t, 1)

	for n, quote := range []string{
		"The contractor shall maintain the servers of the client", "Support by telephone\t$600.00", "was known to the receiver before", "the State of New York",
	} {
		before, _, found := strings.Cut(text, quote)
		if !found {
			t.Fatalf("the contract does not say %q:\n%s", quote, text)
		}
		start := utf8.RuneCountInString(before)
		source := api.SourceRef{
			FileID:      f.ID,
			TextVersion: 1,
			CharStart:   start,
			CharEnd:     start + utf8.RuneCountInString(quote),
			Quote:       quote,
		}
		end.Response.Citations = append(end.Response.Citations, api.Citation{N: n + 1, Source: source})
	}
	end.ResponseSHA256 = digest(string(wire(t, end.Response)))
	if _, err := w.as(robot).EndPhase(t.Context(), in.PhaseID, end); err != nil {
		t.Fatal(err)
	}
	into[api.Phase](t, w.json(ann, http.MethodPost, "/v1/phases/"+in.PhaseID+"/review", m{"decision": "approved"}), 200)
	if a := w.get(ann, one+"/content"); a.Status != http.StatusServiceUnavailable {
		t.Fatalf("the file is served before it is rendered: %d", a.Status)
	}

	last := w.beside(map[string]string{"CASE_SWEEP_EVERY": "100ms"})
	last.untilRendered(f)

	signed := into[api.Phase](t, last.get(ann, "/v1/phases?phaseId="+in.PhaseID), 200)
	if signed.Review.Status != "approved" || len(signed.Response.Citations) != 4 {
		t.Fatalf("the phase is %s with %d citations", signed.Review.Status, len(signed.Response.Citations))
	}
	content := string(last.get(ann, one+"/content").Body)
	if strings.HasPrefix(content, "PK") || !strings.Contains(content, "## FEES") {
		t.Fatalf("the file is not rendered:\n%s", content)
	}

	for _, cited := range signed.Response.Citations {
		s := cited.Source
		at := fmt.Sprintf("%s/text?from=%d&to=%d", one, s.CharStart, s.CharEnd)
		opened := into[api.FileText](t, last.get(ann, at), 200)
		if opened.Text != s.Quote || opened.TextVersion != s.TextVersion {
			t.Errorf(
				"citation %d opens %q of version %d, want %q of %d",
				cited.N,
				opened.Text,
				opened.TextVersion,
				s.Quote,
				s.TextVersion,
			)
		}
		if words := strings.ReplaceAll(s.Quote, "\t", " | "); !strings.Contains(content, words) {
			t.Errorf("the rendition does not say %q", words)
		}
	}
}
