package document

import (
	"fmt"
	"strings"
)

// Markdown writes the document with its header as a quotation at the top and footnotes at the end. The marks of
// footnotes are of the form n.12, since a bare number behind a word such as "file" reads as the number of a case, and
// so do letters and digits side by side.
func (d Document) Markdown() string {
	var b strings.Builder
	if d.Header != "" {
		b.WriteString("> " + d.Header + "\n\n")
	}
	var n numbers
	before := Paragraph

	for i, block := range d.Blocks {
		number := n.next(block)
		// Points of one list stand together. An empty line between them would make each a paragraph.
		if i > 0 && (block.Kind != Item || before != Item) {
			b.WriteString("\n")
		}
		before = block.Kind
		d.block(&b, block, number)
	}
	if len(d.Notes) > 0 {
		b.WriteString("\n")
	}

	for i, note := range d.Notes {
		fmt.Fprintf(&b, "[^n.%d]: %s\n", i+1, inline(note))
	}

	return b.String()
}

func (d Document) block(b *strings.Builder, block Block, number int) {
	text := inline(block.Text)
	switch block.Kind {
	case Heading:
		b.WriteString(strings.Repeat("#", block.Level) + " " + labelled(block.Label, text) + "\n")
	case Listed:
		b.WriteString(strings.Repeat("   ", max(block.Level, 1)-1) + labelled(block.Label, text) + "\n")
	case Numbered:
		if block.Level == 2 {
			fmt.Fprintf(b, "(%s) %s\n", letter(number), text)
			return
		}
		fmt.Fprintf(b, "%d. %s\n", number, text)
	case Request:
		fmt.Fprintf(b, "**%s %d:** %s\n", d.Request, number, text)
	case Item:
		b.WriteString("- " + text + "\n")
	case Quotation:
		b.WriteString("> " + text + "\n")
	case Table:
		for i, row := range block.Rows {
			for _, cell := range row {
				b.WriteString("| " + inline(cell) + " ")
			}
			b.WriteString("|\n")
			if i == 0 {
				b.WriteString(strings.Repeat("|---", len(row)) + "|\n")
			}
		}
	case Paragraph, Centred:
		b.WriteString(text + "\n")
	}
}

// labelled writes the label of a block before its text.
func labelled(label, text string) string {
	switch label {
	case "":
		return text
	case "•":
		return "- " + text
	}

	return label + " " + text
}

func inline(spans []Span) string {
	var b strings.Builder

	for _, s := range spans {
		text := s.Text
		if s.Given {
			text = escape(text)
		}
		// Four asterisks around nothing are a rule and not bold.
		if s.Bold && strings.TrimSpace(text) != "" {
			text = "**" + text + "**"
		}
		b.WriteString(text)
		if s.Note > 0 {
			fmt.Fprintf(&b, "[^n.%d]", s.Note)
		}
	}

	return b.String()
}

// escape keeps what is given from being taken for Markdown. Labels stay as they are.
func escape(s string) string {
	return strings.NewReplacer(
		`\`, `\\`, "`", "\\`", "*", `\*`, "_", `\_`, "<", `\<`,
		">", `\>`, "|", `\|`, "](", `]\(`, "]:", `]\:`, "][", `]\[`,
		"[^", `\[^`, "~", `\~`, "#", `\#`,
	).Replace(s)
}
