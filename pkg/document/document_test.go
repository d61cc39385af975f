package document_test

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/document"
)

const source = `^ A court
# TITLE
+1 First, **bold** & <plain>.
++ below
++ below
+ Second.
## PART
@ State it.
@ State more.
+1 Again.
- one
- two
> said
| A | B |
| 1 | 2 |

| C |
A paragraph.`

func parsed(t *testing.T) document.Document {
	t.Helper()
	blocks, err := document.Parse(document.Bold(source) + document.NoteMark(1))
	if err != nil {
		t.Fatal(err)
	}
	note, err := document.Line("File, “" + document.Given("a *b* [x](y)\x02\n|") + "”")
	if err != nil {
		t.Fatal(err)
	}

	return document.Document{Title: "Test & <title>", Header: "Head", Request: "ASK", Blocks: blocks, Notes: [][]document.Span{note}}
}

func TestMarkdown(t *testing.T) {
	want := `> Head

A court

# TITLE

1. First, **bold** & <plain>.

(a) below

(b) below

2. Second.

## PART

**ASK 1:** State it.

**ASK 2:** State more.

1. Again.

- one
- two

> said

| A | B |
|---|---|
| 1 | 2 |

| C |
|---|

A paragraph.[^n.1]

[^n.1]: File, “a \*b\* [x]\(y)� \|”
`
	if got := parsed(t).Markdown(); got != want {
		t.Errorf("Markdown =\n%s", got)
	}
}

func TestAMistakeInASourceIsRefused(t *testing.T) {
	for _, bad := range []string{"an open \x01 mark", "| a | b |\n| c |", "a note \x04x\x05", "a note \x041"} {
		if _, err := document.Parse(bad); err == nil {
			t.Errorf("Parse(%q) succeeds", bad)
		}
	}
}

// parts opens a Word file.
func parts(t *testing.T, file []byte) map[string]string {
	t.Helper()
	z, err := zip.NewReader(bytes.NewReader(file), int64(len(file)))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}

	for _, f := range z.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		all[f.Name] = string(b)
	}

	return all
}

// elements calls use for every element of a part, which must be well-formed.
func elements(t *testing.T, name, body string, use func(xml.StartElement)) {
	t.Helper()

	x := xml.NewDecoder(strings.NewReader(body))
	for {
		token, err := x.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("%s is not well-formed: %v", name, err)
		}
		if e, ok := token.(xml.StartElement); ok {
			use(e)
		}
	}
}

func attr(e xml.StartElement, local string) string {
	for _, a := range e.Attr {
		if a.Name.Local == local {
			return a.Value
		}
	}

	return ""
}

// TestAWordFileHoldsTogether wants every part to be well-formed and of a known type, every relationship to lead to a part, and every style, list,
// footnote, comment and relationship that is named to be there.
func TestAWordFileHoldsTogether(t *testing.T) {
	for name, d := range map[string]document.Document{"of forms": parsed(t), "of labels": labelled()} {
		t.Run(name, func(t *testing.T) { holdsTogether(t, d) })
	}
}

// labelled is a document whose paragraphs have labels of their own, with what stands beside its text.
func labelled() document.Document {
	d := document.Document{
		Title: "Test & <title>", Comments: []string{"one", "two\nlines"}, Deleted: []string{"gone"}, Hidden: []string{"unseen"},
	}

	for level, label := range []string{"Article IV", "1.1", "(a)", "•", "", "[Party 1].", "iv)", "5%", "007", "§ 3"} {
		text := []document.Span{{Text: "words"}}
		d.Blocks = append(
			d.Blocks,
			document.Block{Kind: document.Listed, Level: level + 1, Label: label, Text: text},
			document.Block{Kind: document.Heading, Level: level%6 + 1, Label: label, Text: text},
		)
	}

	return d
}

func holdsTogether(t *testing.T, d document.Document) {
	file, err := d.DOCX()
	if err != nil {
		t.Fatal(err)
	}
	all := parts(t, file)
	typed, defined, linked := map[string]bool{}, map[string]bool{}, map[string]bool{}
	elements(t, "types", all["[Content_Types].xml"], func(e xml.StartElement) { typed[strings.TrimPrefix(attr(e, "PartName"), "/")] = true })

	for name, body := range all {
		elements(t, name, body, func(e xml.StartElement) {
			switch e.Name.Local {
			case "style":
				defined["style "+attr(e, "styleId")] = true
			case "num":
				defined["list "+attr(e, "numId")] = true
			case "abstractNum":
				defined["form "+attr(e, "abstractNumId")] = true
			case "footnote":
				defined["note "+attr(e, "id")] = true
			case "comment":
				defined["comment "+attr(e, "id")] = true
			case "Relationship":
				base := path.Dir(path.Dir(name))
				if target := path.Join(base, attr(e, "Target")); all[target] == "" {
					t.Errorf("%s leads to %s, which is not there", name, target)
				}
				linked[attr(e, "Id")] = true
			}
		})
	}

	for name, body := range all {
		if !strings.HasSuffix(name, ".rels") && name != "[Content_Types].xml" && !typed[name] {
			t.Errorf("%s has no type", name)
		}
		elements(t, name, body, func(e xml.StartElement) {
			key := ""

			switch e.Name.Local {
			case "pStyle", "rStyle", "tblStyle", "basedOn", "next":
				key = "style " + attr(e, "val")
			case "numId":
				key = "list " + attr(e, "val")
			case "abstractNumId":
				key = "form " + attr(e, "val")
			case "footnoteReference":
				key = "note " + attr(e, "id")
			case "commentReference":
				key = "comment " + attr(e, "id")
			case "headerReference", "footerReference":
				if !linked[attr(e, "id")] {
					t.Errorf("%s names the relationship %s, which is not there", name, attr(e, "id"))
				}
			}
			if key != "" && !defined[key] {
				t.Errorf("%s names the %s, which is not there", name, key)
			}
		})
	}

	for _, want := range []string{"<dc:creator>" + document.Creator + "</dc:creator>", "Test &amp; &lt;title&gt;"} {
		if !strings.Contains(all["docProps/core.xml"], want) {
			t.Errorf("the properties lack %s: %s", want, all["docProps/core.xml"])
		}
	}
}
