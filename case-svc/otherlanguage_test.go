package casesvc_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/guard"
)

// A paper in a language that the guard does not know is refused with one detail for all its words. A person who has
// read it clears them by that one mark, in the rendition too, and clears no telephone number with them.
func TestAnotherLanguageIsRefusedAndClearedOnce(t *testing.T) {
	t.Parallel()
	w := start(t, nil)
	ann := user("u:ann", "ann")
	c := w.newCase(ann, nil)
	paragraphs := []string{
		"Powództwo zostało oddalone. Zgodnie z umową Wynajmujący nie zwrócił Kaucji.",
		"Kontakt w tej sprawie: tel. 415-555-0134, codziennie przed południem.",
		"Koszty ponosi Powód. Wyrok nie jest prawomocny.",
	}
	plain := strings.Join(paragraphs, "\n\n")

	for _, file := range []part{
		textFile("wyrok.txt", plain),
		{"file", "wyrok.html", "text/html", []byte(
			"<!DOCTYPE html><meta charset=utf-8><p>" + strings.Join(paragraphs, "</p><p>") + "</p>",
		)},
		{"file", "wyrok.docx", docxType, wordFile(t, "", "", paragraphs...)},
	} {
		e := refused(t, w.upload(ann, c.CaseID, nil, file), 403, "identity_refused")
		marks := marksIn(e.Details)
		language := slices.IndexFunc(marks, func(m api.Mark) bool { return m.Kind == guard.KindLanguage })
		if len(marks) > 3 || language < 0 || !strings.Contains(e.Message, "a language that this service does not") {
			t.Fatalf("%s: %d details, %s", file.name, len(marks), e.Message)
		}
		clear := func(marks ...api.Mark) {
			t.Helper()
			in := api.Clearance{SHA256: sha256Hex(file.content), Marks: marks}
			into[api.Clearance](t, w.json(ann, http.MethodPost, "/v1/cases/"+c.CaseID+"/files/clearances", in), 201)
		}

		clear(marks[language])
		e = refused(t, w.upload(ann, c.CaseID, nil, file), 403, "identity_refused")
		if left := marksIn(e.Details); len(left) != 1 || left[0].Kind != guard.KindPhone {
			t.Errorf("%s: with the language cleared there are left %+v", file.name, left)
		}

		clear(marksIn(e.Details)...)
		if f := into[uploaded](t, w.upload(ann, c.CaseID, nil, file), 201).Items[0]; !f.AgentReadable {
			t.Errorf("%s: %+v", file.name, f.DeidCheck)
		}
	}

	title := w.json(ann, http.MethodPost, "/v1/cases", m{"title": paragraphs[0] + " " + paragraphs[2]})
	e := refused(t, title, 403, "identity_refused")
	if len(e.Details) != 1 || e.Details[0].Kind != guard.KindLanguage || e.Details[0].Path != "title" {
		t.Errorf("a title: %+v", e.Details)
	}
}
