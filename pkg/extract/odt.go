package extract

import (
	"bytes"
	"context"
	"encoding/xml"
	"io"
	"path"
	"slices"
	"strings"
)

// odt is an OpenDocument text while it is read.
type odt struct {
	*office
	styles  *odfStyles // of the part that is being read
	folders map[string]bool
	headers edge // of pages
	footers edge
	notesOf map[string][]string // texts of notes by their class
}

// edge are the texts that stand at the head or foot of pages, without repetitions.
type edge struct {
	texts []string
	known map[string]bool // their words
}

// add adds a text unless it says what is there: pages of several kinds often have the same header.
func (e *edge) add(text string) {
	said := strings.TrimSpace(withoutMarks(text))
	if e.known[said] {
		return
	}
	if e.known == nil {
		e.known = map[string]bool{}
	}
	e.known[said] = true
	e.texts = append(e.texts, text)
}

// The parts of an OpenDocument text that are read. Keys of archives are in small letters.
const (
	odfMimetype = "mimetype"
	odfManifest = "meta-inf/manifest.xml"
	odfContent  = "content.xml"
	odfStyling  = "styles.xml"
)

// mostMimetype bounds the part that names the type.
const mostMimetype = 256

// readODT reads an OpenDocument text.
func readODT(ctx context.Context, r io.ReaderAt, size int64, lim Limits) (Document, error) {
	doc := Document{Method: "odt"}
	data, err := readAll(r, size)
	if err != nil {
		return doc, err
	}
	a, err := openODT(ctx, data, lim)
	if err != nil {
		return doc, err
	}
	o := &odt{office: newOffice(a, &doc), folders: foldersOf(a.names), notesOf: map[string][]string{}}
	admit := o.admitted
	if a.flat != nil {
		admit = o.admittedFlat
	}
	if err := admit(); err != nil {
		return doc, err
	}
	if err := o.readParts(); err != nil {
		return doc, err
	}
	o.fillBody()
	o.fillParts()
	pictures := len(doc.Unread) > 0 ||
		slices.ContainsFunc(a.names, func(name string) bool { return strings.HasPrefix(name, "pictures/") })
	if doc.Text == "" && !pictures {
		return doc, ErrEmpty
	}
	doc.finish(data, pictures)

	return doc, nil
}

// openODT opens the archive that a text is, or the one part of a flat text.
func openODT(ctx context.Context, data []byte, lim Limits) (*archive, error) {
	if start := bytes.TrimPrefix(data, []byte("\ufeff")); bytes.HasPrefix(bytes.TrimSpace(start), []byte("<")) {
		return flatFile(ctx, start, odfContent, lim), nil
	}

	return openArchive(ctx, bytes.NewReader(data), int64(len(data)), lim)
}

// admittedFlat holds the one part of a file to be an OpenDocument text.
func (o *odt) admittedFlat() error {
	root, said := "", ""
	err := o.each(odfContent, func(e xml.StartElement) {
		if root == "" {
			root, said = odfName(e.Name), attr(e, "mimetype")
		}
	})

	switch {
	case err != nil:
		return inPart("the text", err)
	case root != odfFlatRoot || !openText(said):
		return ErrMismatch
	}

	return nil
}

// odfFlatRoot is the element that a flat text is. Within another it is an object.
const odfFlatRoot = "office:document"

// openText reports whether a media type is that of an OpenDocument text, of a template of one, or of one for the web.
func openText(mediaType string) bool {
	return mediaType == ODT || mediaType == odtTemplate || mediaType == ODT+"-web"
}

// admitted holds the archive to be an OpenDocument text that is not encrypted.
func (o *odt) admitted() error {
	r, ok, err := o.open(odfMimetype)
	if err != nil {
		return err
	}
	if ok {
		defer r.Close() //nolint:errcheck // the part has been read, or is given up
		said, err := io.ReadAll(io.LimitReader(r, mostMimetype+1))
		if err != nil {
			return err
		}
		if len(said) > mostMimetype || !openText(strings.TrimSpace(string(said))) {
			return ErrMismatch
		}
	}
	encrypted := false
	err = o.tokens(odfManifest, func(t xml.Token) {
		switch t := t.(type) {
		case xml.StartElement:
			encrypted = encrypted || t.Name.Local == "encryption-data" || t.Name.Local == "encrypted-key"
			o.listed(t)
		case xml.CharData:
			if strings.TrimSpace(string(t)) != "" {
				o.doc.drop(dropIdentifiers, 1)
			}
		case xml.Comment:
			o.doc.drop(dropMarkup, 1)
		}
	})

	switch {
	case err != nil:
		return inPart("a part beside the text", err)
	case encrypted:
		return errEncrypted
	case o.parts[odfContent] == nil:
		// It is an archive, but no OpenDocument text.
		return ErrMismatch
	}

	return nil
}

// listed counts what an entry of the manifest says beyond what stands in the archive.
func (o *odt) listed(e xml.StartElement) {
	for _, a := range e.Attr {
		entry := strings.ToLower(a.Value)

		switch {
		case a.Name.Space == "xmlns":
		case a.Name.Local != "full-path":
			if !setting(a.Value) {
				o.count(dropIdentifiers, a.Value)
			}
		case entry != "" && entry != "/" && !o.holds(entry):
			o.count(dropIdentifiers, entry)
		}
	}
}

// holds reports whether the archive has an entry of the manifest, which may be a folder. Programs list their own
// folder of settings also when it is empty.
func (o *odt) holds(entry string) bool {
	if o.parts[entry] != nil || strings.HasPrefix(entry, "configurations2/") {
		return true
	}

	return o.folders[entry]
}

// foldersOf returns the folders of parts with a slash behind each.
func foldersOf(names []string) map[string]bool {
	folders := map[string]bool{}

	for _, name := range names {
		for at := range name {
			if name[at] == '/' {
				folders[name[:at+1]] = true
			}
		}
	}

	return folders
}

// readParts reads the text, and the headers and footers of its pages. All other parts are counted.
func (o *odt) readParts() error {
	common := &odfStyles{}
	if err := o.readStyles(odfStyling, common); err != nil {
		return inPart("the styles", err)
	}
	own := &odfStyles{common: common}
	if err := o.readStyles(odfContent, own); err != nil {
		return inPart("the text", err)
	}

	o.styles = own
	text, err := o.readFlow(odfContent)
	if err != nil {
		return inPart("the text", err)
	}
	o.styles = common
	if _, err := o.readFlow(odfStyling); err != nil {
		return inPart("a header", err)
	}

	for _, list := range [][]string{{text}, o.notesOf["footnote"], o.notesOf["endnote"]} {
		if joined := strings.Join(list, "\n\n"); joined != "" {
			o.body = append(o.body, joined)
		}
	}

	for _, text := range o.headers.texts {
		o.body = append(o.body, o.marks.wrap(Block{Kind: Header}, text))
	}

	for _, text := range o.footers.texts {
		o.body = append(o.body, o.marks.wrap(Block{Kind: Footer}, text))
	}

	for _, name := range o.names {
		switch {
		case name == odfMimetype, name == odfManifest, name == odfContent, name == odfStyling:
		case name == "meta.xml":
			if err := o.countTexts(name, dropProperties); err != nil {
				return inPart("the properties", err)
			}
		default:
			o.doc.drop(odfPart(name), 1)
		}
	}

	return nil
}

// odfPart names what a part is that is not read.
func odfPart(name string) string {
	folder, file, nested := strings.Cut(name, "/")
	if !nested {
		folder, file = "", name
	}

	switch folder {
	case "pictures", "thumbnails", "media", "objectreplacements":
		return dropPictures
	case "fonts":
		return dropFonts
	case "basic", "scripts", "dialogs":
		return dropScripts
	case "configurations2":
		return dropStyles
	case "meta-inf":
		if strings.Contains(file, "signatures") {
			return dropSignatures
		}
	case "":
		switch file {
		case "settings.xml", "layout-cache":
			return dropStyles
		case "manifest.rdf":
			return dropCustomXML
		}
	}
	if strings.HasPrefix(folder, "object ") && knownData[path.Ext(file)] {
		return dropPictures
	}

	return dropOther
}
