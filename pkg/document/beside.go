package document

import (
	"cmp"
	"fmt"
	"strings"
)

// mark returns the attributes of a comment or a deletion. They name no person and the fixed time of the file.
func (d Document) mark(id int) string {
	return fmt.Sprintf(
		`w:id="%d" w:author="%s" w:date="%s"`,
		id,
		cmp.Or(d.Creator, Creator),
		written().Format("2006-01-02T15:04:05Z"),
	)
}

// beside writes what stands beside the text, behind it: deleted and hidden paragraphs, marked as Word marks them, and
// the place of the comments.
func (d Document) beside(b *strings.Builder) {
	const style = `<w:p><w:pPr><w:pStyle w:val="BodyText"/><w:rPr>`

	// The mark of the paragraph is deleted as well, or accepting the deletion would leave an empty one. Both marks need
	// an id.
	for i, text := range d.Deleted {
		b.WriteString(style + `<w:del ` + d.mark(2*i) + `/></w:rPr></w:pPr><w:del ` + d.mark(2*i+1) + `><w:r>`)
		words(b, "delText", text)
		b.WriteString(`</w:r></w:del></w:p>`)
	}

	for _, text := range d.Hidden {
		b.WriteString(style + `<w:vanish/></w:rPr></w:pPr><w:r><w:rPr><w:vanish/></w:rPr>`)
		words(b, "t", text)
		b.WriteString(`</w:r></w:p>`)
	}
	if len(d.Comments) == 0 {
		return
	}
	b.WriteString(`<w:p><w:pPr><w:pStyle w:val="BodyText"/></w:pPr>`)

	for i := range d.Comments {
		fmt.Fprintf(b, `<w:r><w:commentReference w:id="%d"/></w:r>`, i)
	}
	b.WriteString(`</w:p>`)
}

// comments writes the part of the comments.
func (d Document) comments() string {
	var b strings.Builder
	b.WriteString(declaration + `<w:comments ` + wordSpace + `>`)

	for i, text := range d.Comments {
		b.WriteString(`<w:comment ` + d.mark(i) + `>`)
		paragraph(&b, `<w:pStyle w:val="Cell"/>`, []Span{{Text: text}})
		b.WriteString(`</w:comment>`)
	}

	return b.String() + `</w:comments>`
}
