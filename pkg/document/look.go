package document

import (
	"fmt"
	"strings"
)

// styles returns the styles of the document. Headings below the third level are in those files alone that have some.
func (w *wordWriter) styles() string {
	if !w.labels.deep {
		return styles
	}
	var deep strings.Builder

	for level := 4; level <= 6; level++ {
		fmt.Fprintf(
			&deep,
			`<w:style w:type="paragraph" w:styleId="Heading%d"><w:name w:val="heading %d"/>`+
				`<w:basedOn w:val="Heading3"/><w:next w:val="BodyText"/><w:pPr><w:outlineLvl w:val="%d"/></w:pPr></w:style>`,
			level,
			level,
			level-1,
		)
	}

	return strings.Replace(styles, captionBegin, deep.String()+captionBegin, 1)
}

// Parts of a Word file that are the same in all of them.
const (
	settings = declaration + `<w:settings ` + wordSpace + `>` +
		`<w:footnotePr><w:footnote w:id="0"/><w:footnote w:id="1"/></w:footnotePr>` +
		`<w:compat><w:compatSetting w:name="compatibilityMode"` +
		` w:uri="http://schemas.microsoft.com/office/word" w:val="15"/></w:compat></w:settings>`

	footerBegin = declaration + `<w:ftr ` + wordSpace + `>`
	footerEnd   = `<w:p><w:pPr><w:pStyle w:val="Footer"/></w:pPr><w:fldSimple w:instr="PAGE"/></w:p></w:ftr>`

	// captionBegin begins the style behind those of headings: deeper headings go before it.
	captionBegin = `<w:style w:type="paragraph" w:customStyle="1" w:styleId="Caption">`

	styles = declaration + `<w:styles ` + wordSpace + `>` +
		`<w:docDefaults><w:rPrDefault><w:rPr>` +
		`<w:rFonts w:ascii="Times New Roman" w:hAnsi="Times New Roman" w:cs="Times New Roman"/>` +
		`<w:sz w:val="24"/><w:lang w:val="en-US"/></w:rPr></w:rPrDefault><w:pPrDefault/></w:docDefaults>` +
		`<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>` +
		`<w:style w:type="paragraph" w:styleId="BodyText"><w:name w:val="Body Text"/><w:basedOn w:val="Normal"/>` +
		`<w:pPr><w:spacing w:after="200"/></w:pPr></w:style>` +
		`<w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/><w:basedOn w:val="Normal"/>` +
		`<w:next w:val="BodyText"/>` +
		`<w:pPr><w:keepNext/><w:spacing w:before="240" w:after="240"/><w:jc w:val="center"/>` +
		`<w:outlineLvl w:val="0"/></w:pPr><w:rPr><w:b/></w:rPr></w:style>` +
		`<w:style w:type="paragraph" w:styleId="Heading2"><w:name w:val="heading 2"/><w:basedOn w:val="Normal"/>` +
		`<w:next w:val="BodyText"/><w:pPr><w:keepNext/><w:spacing w:before="240" w:after="160"/>` +
		`<w:outlineLvl w:val="1"/></w:pPr><w:rPr><w:b/></w:rPr></w:style>` +
		`<w:style w:type="paragraph" w:styleId="Heading3"><w:name w:val="heading 3"/><w:basedOn w:val="Normal"/>` +
		`<w:next w:val="BodyText"/><w:pPr><w:keepNext/><w:spacing w:before="160" w:after="120"/>` +
		`<w:outlineLvl w:val="2"/></w:pPr><w:rPr><w:i/></w:rPr></w:style>` +
		captionBegin + `<w:name w:val="Case Caption"/><w:basedOn w:val="Normal"/>` +
		`<w:pPr><w:spacing w:after="120"/><w:jc w:val="center"/></w:pPr></w:style>` +
		`<w:style w:type="paragraph" w:customStyle="1" w:styleId="Numbered">` +
		`<w:name w:val="Numbered Paragraph"/><w:basedOn w:val="BodyText"/></w:style>` +
		`<w:style w:type="paragraph" w:customStyle="1" w:styleId="Request">` +
		`<w:name w:val="Discovery Request"/><w:basedOn w:val="BodyText"/></w:style>` +
		`<w:style w:type="paragraph" w:customStyle="1" w:styleId="Point">` +
		`<w:name w:val="Point"/><w:basedOn w:val="Normal"/><w:pPr><w:spacing w:after="80"/></w:pPr></w:style>` +
		`<w:style w:type="paragraph" w:styleId="Quote"><w:name w:val="Quote"/><w:basedOn w:val="BodyText"/>` +
		`<w:pPr><w:ind w:left="720" w:right="720"/></w:pPr></w:style>` +
		`<w:style w:type="paragraph" w:customStyle="1" w:styleId="Cell">` +
		`<w:name w:val="Table Text"/><w:basedOn w:val="Normal"/><w:rPr><w:sz w:val="20"/></w:rPr></w:style>` +
		`<w:style w:type="paragraph" w:styleId="Header"><w:name w:val="header"/><w:basedOn w:val="Normal"/>` +
		`<w:pPr><w:jc w:val="center"/></w:pPr><w:rPr><w:b/><w:sz w:val="18"/></w:rPr></w:style>` +
		`<w:style w:type="paragraph" w:styleId="Footer"><w:name w:val="footer"/><w:basedOn w:val="Normal"/>` +
		`<w:pPr><w:jc w:val="center"/></w:pPr></w:style>` +
		`<w:style w:type="paragraph" w:styleId="FootnoteText"><w:name w:val="footnote text"/>` +
		`<w:basedOn w:val="Normal"/><w:rPr><w:sz w:val="20"/></w:rPr></w:style>` +
		`<w:style w:type="character" w:default="1" w:styleId="DefaultParagraphFont">` +
		`<w:name w:val="Default Paragraph Font"/></w:style>` +
		`<w:style w:type="character" w:styleId="FootnoteReference"><w:name w:val="footnote reference"/>` +
		`<w:basedOn w:val="DefaultParagraphFont"/><w:rPr><w:vertAlign w:val="superscript"/></w:rPr></w:style>` +
		`<w:style w:type="table" w:default="1" w:styleId="TableNormal"><w:name w:val="Normal Table"/>` +
		`<w:tblPr><w:tblCellMar><w:left w:w="108" w:type="dxa"/>` +
		`<w:right w:w="108" w:type="dxa"/></w:tblCellMar></w:tblPr></w:style>` +
		`<w:style w:type="table" w:styleId="TableGrid"><w:name w:val="Table Grid"/><w:basedOn w:val="TableNormal"/>` +
		`<w:tblPr><w:tblBorders><w:top w:val="single" w:sz="4" w:space="0" w:color="auto"/>` +
		`<w:left w:val="single" w:sz="4" w:space="0" w:color="auto"/>` +
		`<w:bottom w:val="single" w:sz="4" w:space="0" w:color="auto"/>` +
		`<w:right w:val="single" w:sz="4" w:space="0" w:color="auto"/>` +
		`<w:insideH w:val="single" w:sz="4" w:space="0" w:color="auto"/>` +
		`<w:insideV w:val="single" w:sz="4" w:space="0" w:color="auto"/></w:tblBorders></w:tblPr>` +
		`</w:style>` +
		`</w:styles>`
)
