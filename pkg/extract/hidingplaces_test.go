package extract_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/subrosa-legal/subrosa/pkg/errs"
	"github.com/subrosa-legal/subrosa/pkg/extract"
	"github.com/subrosa-legal/subrosa/pkg/extract/internal/docxtest"
	"github.com/subrosa-legal/subrosa/pkg/extract/internal/odttest"
	"github.com/subrosa-legal/subrosa/pkg/extract/internal/pdftest"
)

// planted is the name that stands in each hiding place.
const planted = "Marguerite Zorbanek"

// harmless is what every file says for all to see.
const harmless = "The tenant shall pay the rent to [Party 1] on the first day of each month, " +
	"and the landlord shall keep the roof in repair."

// place is a hiding place: a file that holds a name there, and what becomes of it.
type place struct {
	file func(name string) []byte
	// fate is the path of the part in which the name is judged, "-" and the kind as which it is dropped, or "refused"
	// for a file that is not taken, or not without a person's word.
	fate string
}

// TestHidingPlaces puts a name into every place of a file that can hold one. It is judged, or it is in nothing that
// is kept, and the document says as what it was dropped.
func TestHidingPlaces(t *testing.T) {
	t.Parallel()
	total := 0

	forms := readForms(t)

	for media, places := range map[string]map[string]place{
		extract.DOCX:  wordPlaces(forms["docx"]),
		extract.PDF:   pdfPlaces(forms["pdf"]),
		extract.ODT:   archivedPlaces(forms["odt"]),
		extract.Email: textPlaces(forms["eml"], ""),
		extract.HTML:  textPlaces(forms["html"], "<!DOCTYPE html><p>"+harmless+"</p>"),
	} {
		total += len(places)

		for _, name := range slices.Sorted(maps.Keys(places)) {
			t.Run(essential(media)+": "+name, func(t *testing.T) {
				t.Parallel()
				places[name].hold(t, media)
			})
		}
	}
	if total < 250 {
		t.Errorf("%d places", total)
	}
}

func essential(media string) string { return media[strings.LastIndexAny(media, "/.")+1:] }

// hold holds a place against what was said of it.
func (p place) hold(t *testing.T, media string) {
	data := p.file(planted)
	doc, err := extract.Extract(t.Context(), bytes.NewReader(data), int64(len(data)), media, extract.DefaultLimits())
	if err != nil || !doc.Status.Readable() {
		if refused := (*errs.Error)(nil); p.fate != "refused" || err != nil && !errors.As(err, &refused) {
			t.Errorf("%s (%s), %v; want %s", doc.Status, doc.Reason, err, p.fate)
		}

		return
	}
	whole(t, doc)
	judged := ""

	for _, part := range doc.Parts {
		if holdsName(part.Text) {
			judged = part.Path
		}
	}
	if judged != "" {
		if found := judge(t, doc); judged != p.fate || len(found) == 0 {
			t.Errorf("it is in %s, where %s is found; want %s", judged, found, p.fate)
		}

		return
	}
	kind, dropped := strings.CutPrefix(p.fate, "-")
	least := 1
	if media == extract.PDF && kind == "fonts" {
		least = 2 // the font of the page is one
	}
	told := slices.ContainsFunc(doc.Dropped, func(d extract.Dropped) bool { return d.Kind == kind && d.Count >= least })
	if !dropped || !told {
		t.Errorf("it is in no part, and dropped is %+v; want %s", doc.Dropped, p.fate)
	}
	md := string(markdown(t, doc).Bytes)
	if holdsName(md) || !strings.Contains(md, "keep the roof in repair") {
		t.Errorf("the Markdown says\n%s", md)
	}
	if holdsName(string(word(t, doc).Bytes)) {
		t.Error("the name is in the Word file")
	}
}

// holdsName reports whether a text holds the planted name or a part of it that tells who is meant.
func holdsName(text string) bool {
	text = strings.ToLower(strings.Map(func(r rune) rune {
		if r == ' ' || r == '\n' || r == '\t' || r == '\u00a0' {
			return -1
		}

		return r
	}, text))

	return strings.Contains(text, "zorbanek") || strings.Contains(text, "kenabroz")
}

// form is a line of the table of hiding places.
type form struct{ fate, name, where, text string }

// readForms reads the table of hiding places by media.
func readForms(t *testing.T) map[string][]form {
	t.Helper()
	table, err := os.ReadFile("testdata/hidingplaces.txt")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string][]form{}

	for line := range strings.Lines(string(table)) {
		cells := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") {
			continue
		}
		if len(cells) != 5 {
			t.Fatalf("%d cells in %q", len(cells), line)
		}
		all[cells[0]] = append(all[cells[0]], form{cells[1], cells[2], cells[3], cells[4]})
	}

	return all
}

// in puts the name into a form of a file.
func in(form, name string) string {
	return strings.NewReplacer(
		"@", name, "{joined}", strings.ReplaceAll(name, " ", ""), "{text}", harmless, "{tags}", tags(name), "{nl}", "\n", "{zwsp}", "\u200b", "{shy}", "\u00ad",
	).Replace(form)
}

// wordPlaces are those of a Word file.
func wordPlaces(forms []form) map[string]place {
	all := map[string]place{}

	for _, x := range forms {
		kind, rest, _ := strings.Cut(x.where, " ")
		linked, path, _ := strings.Cut(rest, " ")
		all[x.name] = place{func(s string) []byte {
			switch filled := in(x.text, s); kind {
			case "part":
				return docxtest.New(docxtest.P(harmless)).Link(linked, path, filled).Bytes()
			case "property":
				content := "<p xmlns:x='x'><" + filled + ">" + s + "</" + filled + "></p>"
				return docxtest.New(docxtest.P(harmless)).Part(rest, content).Bytes()
			case "link":
				return docxtest.New(docxtest.P(harmless)).External("hyperlink", filled).Bytes()
			default:
				return docxtest.New(docxtest.P(harmless) + filled).Bytes()
			}
		}, x.fate}
	}
	all["template of a folder"] = place{func(s string) []byte {
		return docxtest.New(docxtest.P(harmless)).External("attachedTemplate", "file:///C:/Users/"+s+"/x.dotm").Bytes()
	}, "-linkTargets"}
	all["template of a server"] = place{func(s string) []byte {
		return docxtest.New(docxtest.P(harmless)).External("attachedTemplate", "https://example.com/"+s).Bytes()
	}, "refused"}
	all["comment of the archive"] = place{func(s string) []byte {
		return withComment(docxtest.New(docxtest.P(harmless)).Bytes(), s)
	}, "-zipComments"}
	all["comment of an entry"] = place{func(s string) []byte {
		return rezipped(func(h *zip.FileHeader) { h.Comment = s })
	}, "-zipComments"}
	all["extra field"] = place{func(s string) []byte {
		return rezipped(func(h *zip.FileHeader) { h.Extra = append([]byte{0x99, 0x99, byte(len(s)), 0}, s...) })
	}, "-zipComments"}
	all["known extra field"] = place{func(s string) []byte {
		return rezipped(func(h *zip.FileHeader) { h.Extra = append([]byte{0x55, 0x54, byte(len(s)), 0}, s...) })
	}, "-zipComments"}
	all["behind the archive"] = place{func(s string) []byte {
		return append(docxtest.New(docxtest.P(harmless)).Bytes(), s...)
	}, "-surplusBytes"}
	all["before the archive"] = place{func(s string) []byte {
		return append([]byte(s), docxtest.New(docxtest.P(harmless)).Bytes()...)
	}, "refused"}
	all["name of a part"] = place{func(s string) []byte {
		return docxtest.New(docxtest.P(harmless)).Part("word/"+s+".xml", "<a/>").Bytes()
	}, "-otherParts"}
	all["words of a number"] = place{func(s string) []byte {
		item := `<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr>` + docxtest.R(
			"pays.",
		) + `</w:p>`
		lists := `<w:numbering *><w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:start w:val="1"/>` +
			`<w:lvlText w:val="@ %1:"/></w:lvl></w:abstractNum><w:num w:numId="1"><w:abstractNumId ` +
			`w:val="0"/></w:num></w:numbering>`

		return docxtest.New(docxtest.P(harmless)+item).Link("numbering", "word/numbering.xml", in(lists, s)).Bytes()
	}, "numbering"}
	all["hidden style"] = place{func(s string) []byte {
		styled := `<w:p><w:pPr><w:pStyle w:val="x"/></w:pPr>` + docxtest.R(s) + `</w:p>`
		styles := `<w:styles *><w:style w:styleId="x"><w:rPr><w:vanish/></w:rPr></w:style></w:styles>`

		return docxtest.New(docxtest.P(harmless)+styled).Link("styles", "word/styles.xml", styles).Bytes()
	}, "hiddenText"}

	return all
}

// openPlaces are those of an OpenDocument text in whatever way it is kept. Those of an archive alone are left out.
func openPlaces(forms []form, kept func(*odttest.File) []byte) map[string]place {
	all := map[string]place{}

	for _, x := range forms {
		kind, _, _ := strings.Cut(x.where, " ")
		if kind == "part" || kind == "manifest" {
			continue
		}
		all[x.name] = place{func(s string) []byte {
			f, filled := odttest.New(odttest.P(harmless)), in(x.text, s)

			switch kind {
			case "auto":
				styles, body, _ := strings.Cut(filled, "{body}")
				f.Automatic = styles
				f.Body += body
			case "styles":
				f.Styles = filled
			case "master":
				f.Master = filled
			default:
				f.Body += filled
			}

			return kept(f)
		}, x.fate}
	}

	return all
}

// archivedPlaces are those of an OpenDocument text in an archive.
func archivedPlaces(forms []form) map[string]place {
	all := openPlaces(forms, (*odttest.File).Bytes)

	for _, x := range forms {
		kind, name, _ := strings.Cut(x.where, " ")
		if kind != "part" && kind != "manifest" {
			continue
		}
		all[x.name] = place{func(s string) []byte {
			f, filled := odttest.New(odttest.P(harmless)), in(x.text, s)
			if kind == "part" {
				f.Part(name, filled)
			} else {
				f.Manifest = filled
			}

			return f.Bytes()
		}, x.fate}
	}
	all["comment of the archive"] = place{func(s string) []byte {
		return withComment(odttest.New(odttest.P(harmless)).Bytes(), s)
	}, "-zipComments"}
	all["behind the archive"] = place{func(s string) []byte {
		return append(odttest.New(odttest.P(harmless)).Bytes(), s...)
	}, "-surplusBytes"}
	all["before the archive"] = place{func(s string) []byte {
		return append([]byte(s), odttest.New(odttest.P(harmless)).Bytes()...)
	}, "refused"}
	all["name of a part"] = place{func(s string) []byte {
		return odttest.New(odttest.P(harmless)).Part("Object 1/"+s+".xml", "<a/>").Bytes()
	}, "-otherParts"}

	return all
}

func tags(text string) string {
	return strings.Map(func(r rune) rune { return r + 0xe0000 }, text)
}

// rezipped writes a Word file anew with changed entries.
func rezipped(change func(*zip.FileHeader)) []byte {
	data := docxtest.New(docxtest.P(harmless)).Bytes()
	old, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		panic(err)
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)

	for _, f := range old.File {
		h := zip.FileHeader{Name: f.Name, Method: zip.Deflate}
		change(&h)
		to, err := w.CreateHeader(&h)
		if err != nil {
			panic(err)
		}
		from, err := f.Open()
		if err != nil {
			panic(err)
		}
		if _, err := io.Copy(to, from); err != nil {
			panic(err)
		}
	}
	w.Close()

	return out.Bytes()
}

// pdfPlaces are those of a PDF file.
func pdfPlaces(forms []form) map[string]place {
	all := map[string]place{}
	entries := map[string]map[string]string{} // by the name of the place and where they stand

	for _, x := range forms {
		if entries[x.name] == nil {
			entries[x.name] = map[string]string{}
		}
		entries[x.name][x.where] = x.text
		all[x.name] = place{func(s string) []byte {
			e := entries[x.name]
			f := pdftest.New()
			f.Catalog, f.Trailer = in(e["catalog"], s), in(e["trailer"], s)
			content := f.Stream("", []byte(pdftest.Lines(harmless[:60], harmless[60:])+in(e["content"], s)))
			font := "/Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>>>"
			f.Page(content, font+in(e["resources"], s), in(e["page"], s))

			return f.Bytes()
		}, x.fate}
	}
	streams := func(fate string, forms map[string]func(f *pdftest.File, s string)) {
		for name, put := range forms {
			all[name] = place{func(s string) []byte {
				f := pdftest.New()
				put(f, s)
				f.TextPage(harmless[:60], harmless[60:])

				return f.Bytes()
			}, fate}
		}
	}
	drawn := "/Type/XObject/Subtype/Form/Resources<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>"
	text := func(s string) []byte { return []byte("BT /F1 12 Tf (" + s + ") Tj ET") }
	streams("-xmp", map[string]func(*pdftest.File, string){
		"XMP": func(f *pdftest.File, s string) {
			f.Catalog = fmt.Sprintf("/Metadata %d 0 R", f.Flate("/Type/Metadata/Subtype/XML", []byte("<x>"+s+"</x>")))
		},
	})
	streams("-unusedObjects", map[string]func(*pdftest.File, string){
		"object without use": func(f *pdftest.File, s string) { f.Add("(" + s + ")") },
		"stream without use": func(f *pdftest.File, s string) { f.Stream("", []byte(s)) },
		"form without use": func(f *pdftest.File, s string) {
			f.Catalog = fmt.Sprintf("/XObject<</X %d 0 R>>", f.Stream(drawn, text(s)))
		},
	})
	streams("-unknownEntries", map[string]func(*pdftest.File, string){
		"unknown stream": func(f *pdftest.File, s string) {
			f.Catalog = fmt.Sprintf("/Who %d 0 R", f.Stream("", []byte(s)))
		},
		"broken object": func(f *pdftest.File, s string) {
			f.Catalog = fmt.Sprintf("/Who %d 0 R", f.Add("<</A("+s+")/B >"))
		},
	})
	streams("-scripts", map[string]func(*pdftest.File, string){
		"stream of a script": func(f *pdftest.File, s string) {
			f.Catalog = fmt.Sprintf("/OpenAction<</S/JavaScript/JS %d 0 R>>", f.Stream("", []byte(s)))
		},
	})
	streams("-customXml", map[string]func(*pdftest.File, string){
		"stream of a form": func(f *pdftest.File, s string) {
			data := f.Stream("", []byte("<a>"+s+"</a>"))
			f.Catalog = fmt.Sprintf("/AcroForm<</Fields[]/XFA[(datasets) %d 0 R]>>", data)
		},
	})
	streams("drawings", map[string]func(*pdftest.File, string){
		"stamp": func(f *pdftest.File, s string) {
			noted(f, fmt.Sprintf("/Subtype/Stamp/AP<</N %d 0 R>>", f.Stream(drawn, text(s))))
		},
		"state of a box": func(f *pdftest.File, s string) {
			noted(f, fmt.Sprintf("/Subtype/Widget/FT/Btn/T(f)/AP<</N<</On %d 0 R>>>>", f.Stream(drawn, text(s))))
		},
	})
	streams("-alternatives", map[string]func(*pdftest.File, string){
		"look when pressed": func(f *pdftest.File, s string) {
			noted(f, fmt.Sprintf("/Subtype/Stamp/AP<</D %d 0 R>>", f.Stream(drawn, text(s))))
		},
	})
	streams("-pictures", map[string]func(*pdftest.File, string){
		"small picture": func(f *pdftest.File, s string) {
			f.Catalog = fmt.Sprintf("/Thumb %d 0 R", f.Stream("/Subtype/Image", []byte(s)))
		},
	})
	after := func(name, fate string, change func(data []byte, s string) []byte) {
		all[name] = place{func(s string) []byte {
			f := pdftest.New()
			f.TextPage(harmless[:60], harmless[60:])

			return change(f.Bytes(), s)
		}, fate}
	}
	after("before the header", "-surplusBytes", func(data []byte, s string) []byte {
		return append([]byte(s+"\n"), data...)
	})
	after("behind the end", "-surplusBytes", func(data []byte, s string) []byte { return append(data, s...) })
	after("in place of an object", "-surplusBytes", func([]byte, string) []byte { return overwritten() })
	after("earlier revision", "-earlierRevisions", revised)

	return all
}

// noted adds a page with an annotation.
func noted(f *pdftest.File, entries string) {
	f.Page(f.Stream("", []byte(pdftest.Lines(harmless))), "", "/Annots[<</Rect[0 0 9 9]"+entries+">>]")
}

// overwritten is a file in which a comment stands where the table says that an object is that nobody needs.
func overwritten() []byte {
	f := pdftest.New()
	f.Add("(" + planted + ")")
	f.TextPage(harmless[:60], harmless[60:])

	object, comment := "3 0 obj\n("+planted+")\nendobj", "%%%"+planted+strings.Repeat("%", 14)

	return bytes.Replace(f.Bytes(), []byte(object), []byte(comment), 1)
}

// revised adds a revision in which the object that held the name holds nothing.
func revised(_ []byte, s string) []byte {
	f := pdftest.New()
	held := f.Add("(" + s + ")")
	f.Catalog = fmt.Sprintf("/Lang %d 0 R", held)
	f.TextPage(harmless[:60], harmless[60:])
	data := f.Bytes()
	start := bytes.LastIndex(data, []byte("\nxref\n")) + 1
	at := len(data)
	data = append(data, fmt.Sprintf("%d 0 obj\n(en)\nendobj\n", held)...)
	table := len(data)

	data = append(data, fmt.Sprintf("xref\n%d 1\n%010d 00000 n \n", held, at)...)

	return append(
		data,
		fmt.Sprintf("trailer\n<</Size 9/Root 1 0 R/Prev %d>>\nstartxref\n%d\n%%%%EOF\n", start, table)...)
}

// textPlaces are those of a file that is text as it stands.
func textPlaces(forms []form, before string) map[string]place {
	all := map[string]place{}
	for _, x := range forms {
		all[x.name] = place{func(s string) []byte { return []byte(before + in(x.text, s)) }, x.fate}
	}

	return all
}
