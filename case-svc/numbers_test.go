package casesvc_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/api"
	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/guard"
	"github.com/subrosa-legal/subrosa/pkg/testkit"
	"go.mongodb.org/mongo-driver/v2/bson"
)

// numberedFile is a DOCX file whose paragraphs have numbers of one level each: 1, 1.1, 1.1.1 and so on.
func numberedFile(t *testing.T, paragraphs ...string) []byte {
	t.Helper()
	plain := wordFile(t, "", "", paragraphs...)
	z, err := zip.NewReader(bytes.NewReader(plain), int64(len(plain)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	add := func(name, content string) {
		f, err := w.Create(name)
		if err == nil {
			_, err = io.WriteString(f, content)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	levels, pattern := "", "%1"

	for at := range paragraphs {
		levels += fmt.Sprintf(
			`<w:lvl w:ilvl="%d"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%s"/></w:lvl>`, at, pattern,
		)
		pattern += fmt.Sprintf(".%%%d", at+2)
	}

	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(io.LimitReader(r, 1<<20))
		if err = errors.Join(err, r.Close()); err != nil {
			t.Fatal(err)
		}
		text := string(content)

		switch f.Name {
		case "word/document.xml":
			for at := range paragraphs {
				text = strings.Replace(text, "<w:p><w:r>", fmt.Sprintf(
					`<w:p><w:pPr><w:numPr><w:ilvl w:val="%d"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r>`, at,
				), 1)
			}
		case "word/_rels/document.xml.rels":
			text = strings.Replace(text, "</Relationships>", `<Relationship Id="r9" Type="http://schemas.openxmlformats.org`+
				`/officeDocument/2006/relationships/numbering" Target="numbering.xml"/></Relationships>`, 1)
		}
		add(f.Name, text)
	}
	add("word/numbering.xml", `<w:numbering xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">`+
		`<w:abstractNum w:abstractNumId="0">`+levels+`</w:abstractNum>`+
		`<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num></w:numbering>`)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}

	return out.Bytes()
}

// Numbers of clauses are no addresses in a network: not when a file comes, and not when it is checked again. What is
// found beside them has its place in the text, so that a person can clear it.
func TestNumbersOfClausesAreNoIdentities(t *testing.T) {
	t.Parallel()
	w := start(t, map[string]string{"CASE_SWEEP_EVERY": "100ms"})
	ann, robot := user("u:ann", "ann"), agent("u:ann", "ann")
	c := w.newCase(ann, nil)
	clean := part{"file", "clean.docx", docxType, numberedFile(t, "Rent", "Repairs", "Roof", "More terms of the lease")}
	named := part{"file", "named.docx", docxType, numberedFile(t, "Rent", "Repairs", "Roof", "Ask Mr Holzmann")}

	e := refused(t, w.upload(ann, c.CaseID, nil, named), 403, "identity_refused")
	doc, err := extract.Extract(
		t.Context(), bytes.NewReader(named.content), int64(len(named.content)), extract.DOCX, extract.DefaultLimits(),
	)
	if err != nil {
		t.Fatal(err)
	}

	for _, d := range e.Details {
		if got := doc.Text[*d.Start:*d.End]; d.Path != "text" || got != "Mr Holzmann" {
			t.Errorf("found %q in %s", got, d.Path)
		}
	}
	given := api.Clearance{SHA256: sha256Hex(named.content), Marks: marksIn(e.Details)}
	into[api.Clearance](t, w.json(ann, "POST", "/v1/cases/"+c.CaseID+"/files/clearances", given), 201)
	var held []string

	for _, file := range []part{clean, named} {
		a := w.upload(ann, c.CaseID, nil, file)
		if a.Status != 201 {
			t.Fatalf("%s: %d: %s", file.name, a.Status, a.Body)
		}
		held = append(held, into[uploaded](t, a, 201).Items[0].FileID)
	}

	earlier := bson.D{{Key: "$set", Value: bson.D{{Key: "deidCheck.detectorVersion", Value: "earlier-1"}}}}
	if _, err := w.database().Collection("files").UpdateMany(t.Context(), bson.D{}, earlier); err != nil {
		t.Fatal(err)
	}

	for _, id := range held {
		at := "/v1/cases/" + c.CaseID + "/files/" + id
		testkit.Until(t, testkit.Patience, func() error {
			f := into[api.File](t, w.get(ann, at), 200)
			if f.DeidCheck.DetectorVersion != guard.Version() {
				return fmt.Errorf("%s: not checked again yet", id)
			}
			if !f.AgentReadable {
				t.Errorf("%s was taken from agents: %+v", id, f.DeidCheck)
			}

			return nil
		})
		if a := w.get(robot, at+"/content"); a.Status != 200 || !strings.Contains(string(a.Body), "1.1.1.1 ") {
			t.Errorf("an agent gets %d: %s", a.Status, a.Body)
		}
	}
}
